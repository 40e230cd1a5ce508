"""Results in folders of Parquet files, one for each partition, with the user's vertex ids."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from .._core.unknown_options import suggests_options
from .graph import DistributedForest, DistributedGraph
from .partition import Partition
from .progress_line import shows_progress
from .supersteps import Supersteps, identity
from .tasks import submit_each
from .workers import gather

_ENDS = ("source", "target")


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
