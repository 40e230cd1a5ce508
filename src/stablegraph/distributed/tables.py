"""Tables of edges from Parquet files or Dask DataFrames, with the user's vertex ids.

Result: the graph of `stablegraph.from_table` on one machine: vertices are numbered in ascending order of id.

Rule: number(id) = the number of distinct ids of the whole table that are smaller.

Idea: the rows come in blocks (row groups of files, partitions of a DataFrame), and each block numbers its own ids. A
sample splits the distinct ids of all blocks into ranges. For each range one task makes a sorted list; the client
receives only its length and its two ends. A second task per range computes the numbers of each block's ids. So no task
has all ids.

Cost: two tasks for each pair of a block and a range. Work memory: that of `stablegraph.from_table` for one block.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from functools import partial
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from .._core.dispatch import suggests_options
from .._core.option_names import Merge
from .._core.validation import optional_boolean
from ..io.parquet import damaged, open_file, table_files
from ..io.source import GraphFileError
from ..tables.arrow_names import ArrowNames
from ..tables.columns import (
    Columns,
    Refused,
    check_vertex_count,
    choose_columns,
    edges_of,
    schema_columns,
    stated_graph,
)
from ..tables.interface import check_direction, with_cures_for_tables
from .building import of_blocks
from .graph import DistributedGraph
from .linking import client_of, partition_count
from .tasks import submit, submit_each
from .workers import gather

_SAMPLES = 256  # ids of a block, which determine the ranges
_WIDEST = "uint64"  # the type of the ids if one is 2**63 or more


@suggests_options
def from_table(
    table: Any,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    directed: bool | None = None,
    *,
    merge: Merge | None = None,
    weights: bool | None = None,
    partitions: int | None = None,
    client: Any = None,
) -> DistributedGraph:
    """Make a graph in partitions from a table with an edge in each row.

    Parameters
    ----------
    table : path, or Dask DataFrame
        A Parquet file, or a folder with only such files in it, at a path that all workers can read; or a Dask
        DataFrame.
    source, target, weight, directed, merge, weights
        As for `stablegraph.from_table`.
    partitions, client
        As for `from_graph`.

    Returns
    -------
    DistributedGraph
        Vertices are numbered in ascending order of id, so the order of rows and files does not matter. The ids are
        its `nodes`, unless they are 0 .. n - 1 already.

    Raises
    ------
    ValueError
        As for `stablegraph.from_table`, about the columns of a table. A `GraphFileError` that names the file if it is
        damaged, is not a Parquet file, or has different columns from the first one.
    OSError
        If the path does not exist, or if the folder contains other files than Parquet files.
    MemoryError
        As for `from_graph`.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, stablegraph as sg
    >>> from distributed import Client
    >>> pq.write_table(pa.table({"source": ["Bob", "Ann"], "target": ["Cy", "Bob"]}), "friends.parquet")
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     graph = sg.distributed.from_table("friends.parquet", partitions=2)
    ...     print(graph.nodes.compute().tolist(), graph.degrees.compute())
    ['Ann', 'Bob', 'Cy'] [1 2 1]
    """
    check_direction(directed, merge)
    client = client_of(client)
    readers, schema = _readers(client, table)
    columns = Columns(source, target, weight, optional_boolean(weights, "weights"))

    def refused(sentence: str) -> Exception:
        is_path = isinstance(table, (str, os.PathLike))
        return GraphFileError(f"{os.fspath(table)}: {sentence}") if is_path else ValueError(sentence)

    ends, chosen = choose_columns(refused, schema_columns(schema), columns)
    vertices, stated = stated_graph(refused, schema.metadata)
    blocks = submit_each(client, _numbered_block, list(zip(*readers, strict=True)), ends, chosen)
    numbered, nodes, n = _numbered_by_all(client, blocks, partition_count(client, partitions), vertices, refused)
    settings = {"partitions": partitions, "nodes": nodes}
    if directed and stated is False:  # each edge becomes two arcs
        numbered += submit_each(client, _reversed, [numbered])
        stated = True
    are_arcs = not merge and (bool(directed) if stated is None else stated)
    if are_arcs and directed is not False:
        return _of_arcs(client, numbered, n, settings)
    try:
        if are_arcs:  # raises an error for an arc without its opposite
            of_blocks(client, numbered, n, symmetrize=False, source_name="from_table", **settings)
        return of_blocks(client, numbered, n, symmetrize=merge or True, **settings)
    except ValueError as error:
        raise ValueError(with_cures_for_tables(error)) from None


def _of_arcs(client: Any, blocks: list[Any], n: int, settings: dict[str, Any]) -> DistributedGraph:
    try:
        return of_blocks(client, blocks, n, symmetrize=False, directed=True, **settings)
    except ValueError:  # parallel arcs whose weights differ remain separate entries
        return of_blocks(client, blocks, n, symmetrize=False, directed=True, drop_duplicates=False, **settings)


def _readers(client: Any, table: Any) -> tuple[list[tuple[Any, Any]], Any]:
    """Return the blocks of a table, as (file or DataFrame partition, part of it), and its Arrow schema."""
    if isinstance(table, (str, os.PathLike)):
        files, schema = table_files(Path(table))
        readers = []
        for path, _ in files:
            with open_file(path) as file:
                readers += [(str(path), group) for group in range(file.num_row_groups)]
        return readers, schema
    if hasattr(table, "to_delayed") and hasattr(table, "columns"):
        import pyarrow as pa

        pieces = client.compute(table.to_delayed())
        schema = pa.Schema.from_pandas(table._meta, preserve_index=False)
        return [(piece, f"partition {k}") for k, piece in enumerate(pieces)], schema
    raise TypeError(f"a table is the path of Parquet files or a Dask DataFrame, got {type(table).__name__}")


def _numbered_block(what: Any, part: Any, ends: list[str], weight: str | None) -> tuple[Any, Any, Any, Any]:
    """Read a block of edges, and number its own ids.

    Return the edges by these numbers, their weights, and the ids, which ascend.
    """
    import pyarrow as pa

    columns = list(dict.fromkeys([*ends, *([] if weight is None else [weight])]))
    if isinstance(what, str):
        try:
            with open_file(what) as file:
                table, where = file.read_row_group(part, columns=columns), f"{what}, row group {part}"
        except (pa.ArrowException, OSError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            raise damaged(what, error) from None
    else:
        table, where = pa.Table.from_pandas(what[columns], preserve_index=False), str(part)

    def refused(sentence: str) -> Exception:
        return GraphFileError(f"{where}: {sentence}")

    u, v, weights, n, nodes = edges_of(refused, table, ends, weight)
    names = nodes.array if isinstance(nodes, ArrowNames) else pa.array(np.arange(n) if nodes is None else nodes)
    return u, v, weights, names


def _numbered_by_all(
    client: Any, blocks: list[Any], count: int, vertices: int | None, refused: Refused
) -> tuple[list[Any], Any, int]:
    """Return the blocks by the numbers of the ids in the whole table, the ids, and the number of vertices.

    If the table states a number of `vertices`, integer ids below it are the vertices themselves.
    """
    each = partial(submit_each, client)
    if vertices is not None:
        extents = [(low, high) for size, low, high in gather(client, each(_extent_of_names, [blocks])) if size]
        if all(isinstance(low, int) and low >= 0 and high < vertices for low, high in extents):
            return each(_by_id, [blocks]), None, vertices
    sampled = gather(client, each(_sample, [blocks]))
    samples = sorted(name for _, sample in sampled for name in sample)
    places = [len(samples) * k // count for k in range(1, count)]
    splitters = [samples[place] for place in places] if samples else []
    kind = _WIDEST if _WIDEST in dict(sampled) else None
    pieces = each(_split, [blocks], splitters, kind)
    ranges = range(len(splitters) + 1)
    parts = [[client.submit(itemgetter(r), piece, pure=False) for piece in pieces] for r in ranges]
    lists = each(_distinct, [parts])
    sizes = gather(client, each(_extent_of, [lists]))
    firsts = np.concatenate([[0], np.cumsum([size for size, *_ in sizes])]).tolist()
    check_vertex_count(refused, vertices, firsts[-1])
    numbers = each(_places, [lists, parts, firsts[:-1]])
    of_blocks = [[client.submit(itemgetter(b), block, pure=False) for block in numbers] for b in range(len(blocks))]
    renumbered = each(_renumbered, [blocks, of_blocks])
    extremes = [(low, high) for size, low, high in sizes if size]
    # The ids are distinct integers, so these are 0 .. n - 1.
    plain = not extremes or (extremes[0][0] == 0 and extremes[-1][1] == firsts[-1] - 1)
    return renumbered, None if plain else _Nodes(client, lists, firsts), firsts[-1]


def _sample(block: Any) -> tuple[str, list[Any]]:
    """Return the type of the ids of a block, and a sample of them."""
    names = block[3]
    step = max(1, len(names) // _SAMPLES)
    sample: list[Any] = names[::step].to_pylist() if len(names) else []
    return str(names.type), sample


def _split(block: Any, splitters: list[Any], kind: str | None) -> list[Any]:
    """Split the ids of a block into ranges; each range except for the first begins at a splitter.

    If a type is given, the ids are converted to it.
    """
    names = block[3]
    if kind is not None and str(names.type) == "int64":
        if len(names) and names[0].as_py() < 0:
            raise ValueError(
                f"vertex id {names[0]} is negative and another one is 2**63 or more, which no integer type holds; "
                "convert all ids to texts"
            )
        names = names.cast(kind)
    positions = [bisect_left(range(len(names)), splitter, key=lambda i: names[i].as_py()) for splitter in splitters]
    ends = [0, *positions, len(names)]
    return [names[a:b] for a, b in pairwise(ends)]


def _distinct(parts: list[Any]) -> Any:
    """Return the distinct ids of a range, ascending."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = {part.type for part in parts}
    if len(kinds) > 1:
        raise ValueError(f"ids are of several types: {', '.join(sorted(map(str, kinds)))}; convert them to one")
    names = pc.unique(pa.concat_arrays(parts))
    return names.take(pc.sort_indices(names))


def _extent_of(distinct: Any) -> tuple[int, Any, Any]:
    size = len(distinct)
    return size, distinct[0].as_py() if size else None, distinct[size - 1].as_py() if size else None


def _extent_of_names(block: Any) -> tuple[int, Any, Any]:
    return _extent_of(block[3])


def _by_id(block: Any) -> tuple[Any, Any, Any]:
    """Return a block in which the integer ids are the vertices."""
    u, v, weights, names = block
    ids = names.to_numpy()
    return ids[u], ids[v], weights


def _reversed(block: Any) -> tuple[Any, Any, Any]:
    """Return a numbered block with the ends of each row exchanged."""
    u, v, weights = block
    return v, u, weights


def _places(distinct: Any, parts: list[Any], first: int) -> list[Any]:
    """Return the numbers of the ids in each block's part of a range."""
    import pyarrow.compute as pc

    return [
        pc.index_in(part, value_set=distinct).to_numpy(zero_copy_only=False).astype(np.int64) + first for part in parts
    ]


def _renumbered(block: Any, parts: list[Any]) -> tuple[Any, Any, Any]:
    numbers = np.concatenate(parts)
    u, v, weights, _ = block
    return numbers[u], numbers[v], weights


class _Nodes:
    """The ids of all vertices, in ranges; a call with the bounds of partitions returns the ids of each partition."""

    def __init__(self, client: Any, lists: list[Any], firsts: list[int]) -> None:
        self._client, self._lists, self._firsts = client, lists, firsts

    def __call__(self, bounds: Any) -> list[Any]:
        pieces = []
        for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            touched = [r for r in range(len(self._lists)) if self._firsts[r] < b and self._firsts[r + 1] > a] or [0]
            cuts = [(max(a - self._firsts[r], 0), max(b - self._firsts[r], 0)) for r in touched]
            lists = [self._lists[r] for r in touched]
            pieces.append(submit(self._client, _cut, lists, cuts))
        return pieces


def _cut(lists: list[Any], cuts: list[tuple[int, int]]) -> Any:
    import pyarrow as pa

    return pa.concat_arrays([names[a:b] for names, (a, b) in zip(lists, cuts, strict=True)])
