"""Tables of edges from Parquet files or Dask DataFrames, and results in Parquet files, with the user's vertex ids.

Result: the graph of `stablegraph.from_table` on one machine: vertices are numbered in ascending order of id.

Rule: number(id) = the number of distinct ids of the whole table that are smaller.

Idea: the rows come in blocks (adjacent row groups of a file, partitions of a DataFrame), and each block numbers its own
ids. A sample splits the distinct ids of all blocks into ranges. For each range one task numbers the ids of all blocks;
the client receives only their count and the two ends. So no task has all ids.

Cost: two tasks for each pair of a block and a range. Work memory: that of `stablegraph.from_table` for one block, which
has at most 2**23 rows, fewer if a worker has little memory, and one row group more.
"""

from __future__ import annotations

import os
import shutil
import uuid
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.option_names import Merge
from .._core.unknown_options import suggests_options
from .._core.validation import optional_boolean
from ..io.parquet import damaged, open_file, table_files
from ..io.source import GraphFileError
from ..tables import check_direction, with_cures_for_tables
from ..tables.columns import (
    Columns,
    Refused,
    check_vertex_count,
    choose_columns,
    edges_of,
    numbered_names,
    schema_columns,
    stated_graph,
)
from ..tables.numbering import ArrowNames, number_integers
from .building import of_blocks
from .graph import DistributedForest, DistributedGraph
from .partition import Partition, take
from .progress_line import shows_progress
from .supersteps import Supersteps, identity
from .tasks import items_by_place, submit, submit_each
from .workers import client_of, gather, partition_count, room_of, workers_of

_ENDS = ("source", "target")  # the columns of a forest
_ROWS = 1 << 23  # of a block; in larger blocks more rows share an id, which is then numbered once
_BYTES_A_ROW = 256  # while a block is numbered
_SAMPLES = 256  # ids of a block, which determine the ranges
_WIDEST = "uint64"  # the type of the ids if one is 2**63 or more


@suggests_options
@shows_progress
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
    count = partition_count(client, partitions)
    readers, schema = _readers(client, table)
    columns = Columns(source, target, weight, optional_boolean(weights, "weights"))

    def refused(sentence: str) -> Exception:
        is_path = isinstance(table, (str, os.PathLike))
        return GraphFileError(f"{os.fspath(table)}: {sentence}") if is_path else ValueError(sentence)

    ends, chosen = choose_columns(refused, schema_columns(schema), columns)
    vertices, stated = stated_graph(refused, schema.metadata)
    blocks = submit_each(client, _numbered_block, list(zip(*readers, strict=True)), ends, chosen)
    numbered, nodes, n = _numbered_by_all(client, blocks, count, vertices, refused)
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
        rows = _rows_of_a_block(client, sum(size for _, size in files))
        return [(str(path), groups) for path, _ in files for groups in _adjacent_groups(path, rows)], schema
    if hasattr(table, "to_delayed") and hasattr(table, "columns"):
        import pyarrow as pa

        pieces = client.compute(table.to_delayed())
        schema = pa.Schema.from_pandas(table._meta, preserve_index=False)
        return [(piece, f"partition {k}") for k, piece in enumerate(pieces)], schema
    raise TypeError(f"a table is the path of Parquet files or a Dask DataFrame, got {type(table).__name__}")


def _rows_of_a_block(client: Any, rows: int) -> int:
    """Return a number of rows that fits into a task's memory, and for which each worker has equally many blocks."""
    room, workers = room_of(client), max(1, len(workers_of(client)))
    limit = _ROWS if room is None else max(1, min(_ROWS, room // _BYTES_A_ROW))
    blocks_of_a_worker = max(1, -(-rows // (limit * workers)))
    return max(1, -(-rows // (blocks_of_a_worker * workers)))


def _adjacent_groups(path: Path, rows: int) -> list[list[int]]:
    """Return the row groups of a file in blocks; the group that begins at a row is in block number row // rows."""
    with open_file(path) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    starts = np.cumsum([0, *sizes])[:-1]
    blocks = np.split(np.arange(len(sizes)), np.flatnonzero(np.diff(starts // rows)) + 1)
    return [block.tolist() for block in blocks if block.size]


def _numbered_block(what: Any, part: Any, ends: list[str], weight: str | None) -> tuple[Any, Any, Any, Any]:
    """Read a block of edges, and number its own ids.

    Return the edges by these numbers, their weights, and the ids, which ascend.
    """
    import pyarrow as pa

    columns = list(dict.fromkeys([*ends, *([] if weight is None else [weight])]))
    if isinstance(what, str):
        try:
            with open_file(what) as file:
                table = file.read_row_groups(part, columns=columns)
                where = f"{what}, row group {part[0]}" + (f" to {part[-1]}" if len(part) > 1 else "")
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
    if len({type(sample[0]) for _, sample in sampled if sample}) > 1:
        kinds = sorted({kind for kind, sample in sampled if sample})
        raise ValueError(f"ids are of several types: {', '.join(kinds)}; convert them to one")
    samples = sorted(name for _, sample in sampled for name in sample)
    places = [len(samples) * k // count for k in range(1, count)]
    splitters = [samples[place] for place in places] if samples else []
    kind = _WIDEST if _WIDEST in dict(sampled) else None
    pieces = each(_split, [blocks], splitters, kind)
    ranges = each(_numbered_range, [items_by_place(client, pieces, len(splitters) + 1)])
    lists, numbers = items_by_place(client, ranges, 2)
    sizes = gather(client, each(_extent_of, [lists]))
    firsts = np.concatenate([[0], np.cumsum([size for size, *_ in sizes])])
    check_vertex_count(refused, vertices, int(firsts[-1]))
    of_blocks = items_by_place(client, numbers, len(blocks))
    renumbered = each(_renumbered, [blocks, of_blocks], firsts)
    extremes = [(low, high) for size, low, high in sizes if size]
    # The ids are distinct integers, so these are 0 .. n - 1.
    plain = not extremes or (extremes[0][0] == 0 and extremes[-1][1] == firsts[-1] - 1)
    return renumbered, None if plain else partial(_nodes_by_partition, client, lists, firsts.tolist()), int(firsts[-1])


def _sample(block: Any) -> tuple[str, list[Any]]:
    """Return the type of the ids of a block, and a sample of them."""
    names = block[3]
    step = max(1, len(names) // _SAMPLES)
    sample: list[Any] = names[::step].to_pylist() if len(names) else []
    return str(names.type), sample


def _split(block: Any, splitters: list[Any], kind: str | None) -> list[Any]:
    """Split the ids of a block into ranges; each range except for the first begins at a splitter.

    If a type is given, the ids are converted to it. The ranges are copies, because to send a view is to send all ids.
    """
    import pyarrow as pa

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
    return [pa.concat_arrays([names[a:b]]) for a, b in pairwise(ends)]


def _numbered_range(parts: list[Any]) -> tuple[Any, list[Any]]:
    """Return the distinct ids of a range, ascending, and the numbers of the ids of each block among them."""
    import pyarrow as pa

    filled = [part for part in parts if len(part)] or parts[:1]  # a part without rows may have another type
    column = pa.chunked_array(filled)
    if pa.types.is_integer(column.type):
        ids = column.to_numpy()
        numbers, _, n, distinct = number_integers(ids, ids[:0])
        names = pa.array(np.arange(n) if distinct is None else distinct).cast(column.type)  # the same in all ranges
    else:
        numbers, names = numbered_names([column])
    return names, np.split(numbers, np.cumsum([len(part) for part in parts])[:-1])


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


def _renumbered(block: Any, parts: list[Any], firsts: Any) -> tuple[Any, Any, Any]:
    """Return a block by the numbers of the ids in the whole table; the first id of each range has a number."""
    kind = index_type(int(firsts[-1]))
    numbers = np.concatenate([part.astype(kind) + kind(first) for part, first in zip(parts, firsts[:-1], strict=True)])
    u, v, weights, _ = block
    return take(u, numbers), take(v, numbers), weights


def _nodes_by_partition(client: Any, lists: list[Any], firsts: list[int], bounds: Any) -> list[Any]:
    """Return the ids of each partition, given those of all vertices in ranges."""
    pieces = []
    for a, b in pairwise(bounds.tolist()):
        touched = [r for r in range(len(lists)) if firsts[r] < b and firsts[r + 1] > a] or [0]
        cuts = [(max(a - firsts[r], 0), max(b - firsts[r], 0)) for r in touched]
        pieces.append(submit(client, _cut, [lists[r] for r in touched], cuts))
    return pieces


def _cut(lists: list[Any], cuts: list[tuple[int, int]]) -> Any:
    import pyarrow as pa

    return pa.concat_arrays([names[a:b] for names, (a, b) in zip(lists, cuts, strict=True)])


# Results in folders of Parquet files


@shows_progress
def to_parquet(graph: DistributedGraph, path: Any, /, **columns: Any) -> None:
    """Write results to a folder of Parquet files, one for each partition, with the user's vertex ids.

    Parameters
    ----------
    graph : DistributedGraph
        The graph of the results.
    path : str or os.PathLike
        The folder, at a path that all workers can write. It appears only when it is complete. Until then the files are
        in a temporary folder next to it, which is removed after an error.
    **columns : Dask arrays (n,)
        One value for each vertex; the name of the argument is the name of the column.

    Raises
    ------
    FileExistsError
        If the path exists already.
    ValueError
        If an array does not have one value for each vertex, or a column is called id.
    OSError
        If a file cannot be written.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, stablegraph as sg
    >>> from distributed import Client
    >>> pq.write_table(pa.table({"source": ["Bob", "Ann"], "target": ["Cy", "Bob"]}), "friends.parquet")
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     graph = sg.distributed.from_table("friends.parquet", partitions=2)
    ...     sg.distributed.to_parquet(graph, "degrees", degree=graph.degrees)
    >>> pq.read_table("degrees").to_pydict()
    {'id': ['Ann', 'Bob', 'Cy'], 'degree': [1, 2, 1]}
    """
    if "id" in columns:
        raise ValueError("the column id is for the ids of the vertices; give that column another name")
    for name, values in columns.items():
        if getattr(getattr(values, "dtype", None), "kind", None) == "V":
            raise TypeError(f"{name} must be values that Parquet files store, got dtype {values.dtype}")
    pieces, final = [graph.split(values, name) for name, values in columns.items()], check_new(path)
    nodes = graph._nodes or [None] * graph.num_partitions
    values = [[column[k] for column in pieces] for k in range(graph.num_partitions)]
    with _complete_folder(final) as folder:
        _write_each(graph, folder, _result_table, nodes, [list(columns)] * graph.num_partitions, values)


@suggests_options
@shows_progress
def forest_to_parquet(graph: DistributedGraph, path: Any, forest: DistributedForest) -> None:
    """Write a forest to a folder of Parquet files: an edge in each row, with the user's vertex ids.

    Parameters
    ----------
    graph : DistributedGraph
        The graph of the forest.
    path : str or os.PathLike
        As for `to_parquet`.
    forest : DistributedForest
        The result of `stablegraph.minimum_spanning_forest` for this graph. The columns are source, target and, if the
        graph is weighted, weight.

    Raises
    ------
    FileExistsError, OSError
        As for `to_parquet`.
    TypeError, ValueError
        If `forest` is not such a result for this graph.

    Examples
    --------
    >>> import pyarrow as pa, pyarrow.parquet as pq, stablegraph as sg
    >>> from distributed import Client
    >>> pq.write_table(pa.table({"source": ["Bob", "Ann", "Cy"], "target": ["Cy", "Bob", "Ann"]}), "circle.parquet")
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     graph = sg.distributed.from_table("circle.parquet", partitions=2)
    ...     sg.distributed.forest_to_parquet(graph, "tree", sg.minimum_spanning_forest(graph))
    >>> pq.read_table("tree").to_pydict()
    {'source': ['Ann', 'Ann'], 'target': ['Bob', 'Cy']}
    """
    cure = "pass the result of minimum_spanning_forest for this graph"
    if not isinstance(forest, DistributedForest):
        raise TypeError(f"forest must be a DistributedForest, got {type(forest).__name__}; {cure}")
    if forest.pieces is None or len(forest.pieces) != graph.num_partitions:
        has = "none" if forest.pieces is None else len(forest.pieces)
        raise ValueError(f"forest must have a piece for each of {graph.num_partitions} partitions, has {has}; {cure}")
    final, run = check_new(path), Supersteps(graph, "names")
    names = [None] * graph.num_partitions
    if graph._nodes is not None:
        run.step(_send_names, each=graph._nodes)
        run.step(_add_ghost_names)
        names = run.answers(identity)
    weighted = [graph.weight_type is not None] * graph.num_partitions
    with _complete_folder(final) as folder:
        _write_each(graph, folder, _forest_table, names, weighted, forest.pieces)


def check_new(path: Any) -> Path:
    """Return the path, or raise FileExistsError if it exists."""
    final = Path(path)
    if final.exists():
        raise FileExistsError(f"{final}: it exists already; name a new folder")
    return final


@contextmanager
def _complete_folder(final: Path) -> Iterator[str]:
    """Make a folder for files that gets its final name when all are complete, and is removed after an error."""
    folder = final.with_name(f".{final.name}.{uuid.uuid4().hex[:8]}")
    folder.mkdir(parents=True)
    try:
        yield str(folder)
        folder.rename(final)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _write_each(graph: DistributedGraph, folder: str, table_of: Any, *columns: list[Any]) -> None:
    """Write a file for each partition, with the table that `table_of` makes from it and its element of each column."""
    count = graph.num_partitions
    paths, tables = [f"{folder}/part-{k:05d}.parquet" for k in range(count)], [table_of] * count
    gather(graph.client, submit_each(graph.client, _write_part, [paths, tables, graph.parts, *columns]))


def _write_part(path: str, table_of: Any, *row: Any) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table_of(*row), path, write_page_checksum=True)


def _result_table(part: Partition, ids: Any, names: list[str], values: list[Any]) -> Any:
    import pyarrow as pa

    ids = np.arange(part.start, part.stop) if ids is None else ids
    return pa.table({"id": ids, **{name: np.asarray(one) for name, one in zip(names, values, strict=True)}})


def _forest_table(part: Partition, names: Any, weighted: bool, edges: tuple[Any, Any, Any]) -> Any:
    import pyarrow as pa

    ends = {name: of if names is None else names.take(part.local(of)) for name, of in zip(_ENDS, edges, strict=False)}
    return pa.table({**ends, **({"weight": edges[2]} if weighted else {})})


def _send_names(part: Partition, state: Any, inbox: Any, names: Any) -> Any:
    """Store the ids of the owned vertices, and send those of the boundary."""
    return names, names.take(part.boundary - part.first), None


def _add_ghost_names(part: Partition, owned: Any, inbox: dict[int, Any]) -> Any:
    """Combine the ids of owned vertices and ghosts."""
    import pyarrow as pa

    pieces = [(part.sources[q].first, names.take(part.sources[q].places)) for q, names in inbox.items()]
    pieces.append((part.first, owned))
    return pa.concat_arrays([names for _, names in sorted(pieces, key=itemgetter(0))]), None, None
