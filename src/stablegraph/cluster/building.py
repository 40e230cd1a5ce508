"""Constructors of graphs in partitions: from a Graph, from edges, and from a file.

Edges come in blocks, which stay on the workers. The client receives the number of edges and the range of ids of each
block, and uses a histogram to split the vertices into ranges of equal work. Each block is sorted by the owners of its
rows. Each partition is built from its entries of all blocks, in the order of the blocks, so the result does not depend
on the order in which tasks finish.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from .._core.csr.build import MAX_VERTICES
from .._core.csr.checks import integers, numbers
from .._core.csr.merge import check_symmetrize, sum_type
from .._core.option_names import Merge
from .._core.runtime import edge_splits
from .._core.texts import in_units
from .._core.typing import GraphLike
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, integer
from ..conversion import as_graph
from .graph import DistributedGraph, Facts
from .partition import (
    Partition,
    entries_in_columns,
    introduction,
    link,
    numbering_bytes,
    of_entries,
    of_rows,
    owners_of,
    sum_directions,
)
from .progress_line import shows_progress
from .routing import count_entries_of, even_ranges, piece_of, route_edges
from .tasks import first_of, items_by_place, run_alone, run_to_disk, run_to_files, submit, submit_each
from .workers import client_of, do_not_fit, gather, partition_count, placements, room_of

# The last step: partitions are checked, linked to each other, and become a DistributedGraph

_BYTES_AN_ENTRY = 41  # while a partition is built, in addition to the memory for numbering its columns
_KEPT_AN_ENTRY, _KEPT_A_VERTEX = 4, 12  # bytes of a partition; its vertices include ghosts


def check_room(client: Any, n: int, entries: list[int]) -> None:
    """Raise MemoryError if a partition does not fit into a worker, before any is built."""
    limit = room_of(client)
    if limit is None or not entries:
        return
    k = int(np.argmax(entries))
    marks = numbering_bytes(n, entries[k])
    needed = _BYTES_AN_ENTRY * entries[k] + marks
    if needed > limit:
        room = limit - marks if 2 * marks < limit else limit // 3  # smaller partitions have fewer columns to number
        raise MemoryError(
            f"partition {k} would take {in_units(needed)} of a worker while it is made, and a task may use "
            f"{in_units(limit)}: pass partitions={-(-len(entries) * _BYTES_AN_ENTRY * entries[k] // room)}, or more"
        )


def loose_fit(client: Any, n: int, entries: list[int]) -> bool:
    """Return whether partitions that are not yet linked, and the data that they are made from, fit into memory."""
    sizes = [_KEPT_AN_ENTRY * m + _KEPT_A_VERTEX * (n // max(len(entries), 1) + min(n, m)) for m in entries]
    return not (entries and do_not_fit(client, sizes))


def linked(
    client: Any,
    loose: list[Any],
    bounds: Any,
    weight_type: Any | None,
    *,
    source_name: str | None = None,
    nodes: list[Any] | None = None,
    directed: bool = False,
) -> DistributedGraph:
    """Link partitions to each other, and return their graph.

    If `source_name` is not None, check that the pattern is symmetric; it names the function for the error message.
    """
    each = partial(submit_each, client, placements=placements(client, len(loose)))
    facts: list[Facts] = gather(client, each(_facts, [loose], bounds, source_name is not None))
    if sum(fact.asymmetry for fact in facts) % 2**63:
        _name_culprit(client, loose, source_name, bounds)
    introductions = each(introduction, [loose])
    near = [list(fact.neighbors) for fact in facts]
    run = run_to_disk if do_not_fit(client, [fact.nbytes for fact in facts]) else run_alone
    parts = each(_link, [loose, near, [[introductions[q] for q in names] for names in near]], bounds, run=run)
    return DistributedGraph(client, parts, bounds, facts, weight_type, nodes, directed)


def _link(part: Partition, names: list[int], introductions: list[Any], bounds: Any) -> Partition:
    return link(part, bounds, dict(zip(names, introductions, strict=True)))


def _facts(part: Partition, bounds: Any, check: bool) -> Facts:
    degrees = part.degrees[part.owned]
    spread = (int(degrees.min()), int(degrees.max()), int(degrees.sum(dtype=np.int64))) if degrees.size else (0, 0, 0)
    return Facts(
        part.stop - part.start,
        part.graph.num_entries,
        tuple(k for k in owners_of(part.ids, bounds) if k != part.number),
        spread,
        part.nbytes,
        sum_directions(part) if check else 0,
    )


def _name_culprit(client: Any, loose: list[Any], source_name: str | None, bounds: Any) -> None:
    """Raise ValueError with the first entry that has no partner."""
    pair = first_of(compare_with_partners(client, loose, bounds, _first_alone, entries_in_columns))
    if pair is not None:
        u, v = pair
        raise ValueError(
            f"entry ({u}, {v}) has no partner ({v}, {u}); pass symmetrize=True to {source_name} "
            "(or directed=True, where arcs are meant)"
        )


def compare_with_partners(
    client: Any, parts: list[Any], bounds: Any, compare: Any, entries: Any, *options: Any
) -> list[Any]:
    """Call compare(partition, the entries in its columns of each partition, *options) for each partition.

    The entries of a partition in the columns of another one must be in the other one, transposed. All pairs of
    partitions are compared, because entries without partners may also be between partitions that are neighbors in only
    one direction.
    """
    pieces = [submit_each(client, entries, [parts], bounds[q : q + 2], *options) for q in range(len(parts))]
    return gather(client, submit_each(client, compare, [parts, pieces], *options))


def _first_alone(part: Partition, pieces: list[Any]) -> tuple[int, int] | None:
    """Return the first entry of a partition whose partner is not among the entries in `pieces`, or None."""
    n = max(part.num_vertices, 1)
    rows, columns, _ = entries_in_columns(part, (0, n))
    partners = np.concatenate([v * n + u for u, v, _ in pieces])
    alone = np.flatnonzero(~np.isin(rows * n + columns, partners))
    if not alone.size:
        return None
    e = alone[0]  # rows are sorted
    return int(rows[e]), int(columns[e])


_BUCKETS = 1 << 16  # of vertices, in the histogram that determines the ranges


@suggests_options
@shows_progress
def from_graph(
    graph: GraphLike, partitions: int | None = None, *, directed: bool = False, client: Any = None
) -> DistributedGraph:
    """Spread a graph in this process over the workers.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Its arrays are sent through the scheduler, which keeps them in case a worker is lost. Use this only for graphs
        that are small compared with the scheduler's memory, and `read_graph` for larger ones.
    partitions : int, optional
        The number of ranges of vertices; by default two for each worker.
    directed : bool
        Whether entries are arcs, as for `as_graph`. A partition then has those that leave it and those that enter it.
    client : distributed.Client, optional
        By default the client that was created last.

    Returns
    -------
    DistributedGraph

    Raises
    ------
    ValueError
        If the pattern of an undirected graph is not symmetric, or there is no cluster.
    MemoryError
        If a partition does not fit into the memory of a worker; the message states a sufficient number of partitions.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph import distributed
    >>> from distributed import Client
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     graph = distributed.from_graph(sg.gallery.grid((3, 3)), partitions=2)
    ...     print(sg.connected_components(graph)[0], graph.to_graph() == sg.gallery.grid((3, 3)))
    1 True
    """
    client = client_of(client)
    graph = as_graph(graph, directed=boolean(directed, "directed")).to("cpu")
    return _of_rows(client, graph, None, partitions, graph.directed)


def _of_rows(
    client: Any, contents: Any, path: str | None, partitions: int | None, directed: bool, source_name: str | None = None
) -> DistributedGraph:
    """Build a graph from the rows of a graph in this process, or of the file at a path, which the workers map."""
    bounds = edge_splits(contents.indptr, partition_count(client, partitions))
    n, count = int(bounds[-1]), bounds.size - 1
    check_room(client, n, np.diff([int(x) for x in contents.indptr[bounds]]).tolist())
    read, pieces = partial(_read_arcs if directed else _read_rows, bounds), []
    for k, place in enumerate(placements(client, count)):
        # The arrays of a graph are large, so each range is a message of its own.
        source = _rows_between(contents, bounds[k], bounds[k + 1]) if path is None else path
        pieces.append(submit(client, read, k, source, placement=place))
    if directed:
        return of_blocks(
            client, pieces, n, symmetrize=False, directed=True, drop_duplicates=False, partitions=partitions
        )
    weight_type = None if contents.weights is None else contents.weights.dtype
    return linked(client, pieces, bounds, weight_type, source_name=source_name)


def _rows_between(contents: Any, start: int, stop: int) -> tuple[Any, Any, Any]:
    """Return the rows of a range: their row pointers, columns, and weights."""
    a, b = int(contents.indptr[start]), int(contents.indptr[stop])
    weights = None if contents.weights is None else contents.weights[a:b]
    return np.asarray(contents.indptr[start : stop + 1]) - a, np.asarray(contents.indices[a:b]), weights


def _read(bounds: Any, k: int, source: Any) -> tuple[Any, Any, Any]:
    """Return the rows of a range: `source` has them, or is the path of a file."""
    if not isinstance(source, str):
        return source  # type: ignore[no-any-return]
    from ..io.csr_files import read_npz

    contents = read_npz(source, source, weights=True, mapped=True)
    indptr, columns, weights = _rows_between(contents, bounds[k], bounds[k + 1])
    return indptr, columns, None if weights is None else np.array(weights)


def _read_rows(bounds: Any, k: int, source: Any) -> Partition:
    return of_rows(k, bounds, *_read(bounds, k, source))


def _read_arcs(bounds: Any, k: int, source: Any) -> tuple[Any, Any, Any]:
    """Return a block of arcs from the rows of a range."""
    indptr, columns, weights = _read(bounds, k, source)
    tails = np.repeat(np.arange(bounds[k], bounds[k + 1], dtype=columns.dtype), np.diff(indptr))
    return tails, columns, weights


@suggests_options
@shows_progress
def read_graph(path: Any, partitions: int | None = None, *, client: Any = None) -> DistributedGraph:
    """Spread the graph in a native file over the workers; each maps the rows of its partitions.

    Parameters
    ----------
    path : str or os.PathLike
        An uncompressed ``.npz`` file, as `stablegraph.write_graph` makes it, at a path that all workers can read.
    partitions, client
        As for `from_graph`.

    Returns
    -------
    DistributedGraph

    Raises
    ------
    ValueError, MemoryError
        As for `from_graph`; a `GraphFileError` if the file is damaged.
    OSError
        If it cannot be read.

    Notes
    -----
    This process reads only the row pointers at the ends of the ranges. Do not move the file while the graph is in use:
    partitions of a lost worker are read again.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from distributed import Client
    >>> sg.write_graph("grid.npz", sg.gallery.grid((4, 4)))
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     print(sg.distributed.read_graph("grid.npz", partitions=2).num_edges)
    24
    """
    from ..io.csr_files import read_npz

    client, path = client_of(client), str(path)
    contents = read_npz(path, path, weights=True, mapped=True)
    source_name = "from_edges" if contents.directed is None else None
    return _of_rows(client, contents, path, partitions, bool(contents.directed), source_name)


@suggests_options
@shows_progress
def from_edges(
    u: Any,
    v: Any,
    weights: Any = None,
    n: int | None = None,
    *,
    directed: bool = False,
    symmetrize: bool | Merge = False,
    drop_loops: bool = False,
    drop_duplicates: bool = True,
    partitions: int | None = None,
    client: Any = None,
) -> DistributedGraph:
    """Make a graph in partitions from edges (u[e], v[e]) on the workers.

    Parameters
    ----------
    u, v, weights : Dask arrays (m,)
        The ends of each edge, integers, and optionally its weight, in equal chunks. For small graphs, NumPy arrays
        are accepted, too.
    n, directed, symmetrize, drop_loops, drop_duplicates
        As for `stablegraph.from_edges`.
    partitions, client
        As for `from_graph`.

    Returns
    -------
    DistributedGraph
        The same, entry by entry, as the result of `stablegraph.from_edges`, for any chunks and partitions.

    Raises
    ------
    ValueError
        As for `stablegraph.from_edges`, with the first offending edge; or if there is no cluster.
    MemoryError
        As for `from_graph`.

    Notes
    -----
    Work memory of a worker:

    - While it builds a partition, about 41 bytes per entry of the partition. In addition, 5 bytes per vertex of the
      whole graph or 40 bytes per entry, whichever is less.
    - While it sorts a chunk by owner, about 24 bytes per edge of the chunk, or 48 with weights. Chunks of a few
      million edges are therefore best.
    - 16 bytes per edge for the sorted entries, which are in files if the partitions are.

    Examples
    --------
    >>> import dask.array as da
    >>> from stablegraph import distributed
    >>> from distributed import Client
    >>> u, v = da.arange(9, chunks=4), da.arange(1, 10, chunks=4)
    >>> with Client(processes=False, protocol="tcp", n_workers=1, dashboard_address="127.0.0.1:0") as client:
    ...     print(distributed.from_edges(u, v, symmetrize=True, partitions=2))
    <DistributedGraph: 10 vertices, 9 edges, undirected, degrees 1 to 2, unweighted, 2 partitions, 232 bytes>
    """
    check_symmetrize(symmetrize, boolean(directed, "directed"))
    client = client_of(client)
    blocks = _blocks(client, u, v, weights)
    return of_blocks(
        client,
        blocks,
        None if n is None else integer(n, "n", minimum=0),
        symmetrize=symmetrize,
        directed=directed,
        drop_loops=boolean(drop_loops, "drop_loops"),
        drop_duplicates=boolean(drop_duplicates, "drop_duplicates"),
        partitions=partitions,
    )


def _blocks(client: Any, u: Any, v: Any, weights: Any) -> list[Any]:
    """Return futures of checked blocks: (u, v, weights or None)."""
    arrays = [u, v] if weights is None else [u, v, weights]
    if not any(hasattr(array, "to_delayed") for array in arrays):
        return [submit(client, _checked_block, u, v, weights)]
    import dask.array as da

    arrays = [da.asarray(array) for array in arrays]
    if len({array.shape for array in arrays}) > 1:
        raise ValueError(f"u, v and weights must have equal lengths, got {', '.join(str(a.shape) for a in arrays)}")
    arrays = [array.rechunk(arrays[0].chunks) for array in arrays]
    columns = [client.compute(array.to_delayed().ravel().tolist()) for array in arrays]
    return submit_each(client, _checked_block, columns)


def _checked_block(u: Any, v: Any, weights: Any = None) -> tuple[Any, Any, Any]:
    u, v = integers(u, "u"), integers(v, "v")
    if u.size != v.size:
        raise ValueError(f"u and v must have equal lengths, got {u.size} and {v.size}")
    return u, v, None if weights is None else numbers(weights, "weights")


def of_blocks(
    client: Any,
    blocks: list[Any],
    n: int | None,
    *,
    symmetrize: bool | Merge,
    directed: bool = False,
    drop_loops: bool = False,
    drop_duplicates: bool = True,
    partitions: int | None = None,
    source_name: str = "from_edges",
    nodes: Any = None,
    places: list[dict[str, Any]] | None = None,
) -> DistributedGraph:
    """Build the graph of blocks of edges between numbered vertices.

    `blocks` are futures of (u, v, weights or None). `places` are their workers, as options of a task, if these are
    known.
    """
    each = partial(submit_each, client, placements=places)
    mirror, count = bool(symmetrize), partition_count(client, partitions)
    extents = gather(client, each(_extent, [blocks]))
    sizes = [size for size, *_ in extents]
    largest = max((high for _, _, high, _ in extents), default=-1)
    if n is None:
        n = largest + 1
    if largest >= n or min((low for _, low, _, _ in extents), default=0) < 0:
        _name_wrong_end(gather(client, each(_wrong_end, [blocks], n)), sizes, n)
    if n > MAX_VERTICES:
        raise ValueError(f"{n} vertices are more than 2**36; relabel the ids so that they have no gaps")
    shift = max(0, (max(n, 1) - 1).bit_length() - (_BUCKETS - 1).bit_length())
    buckets = ((max(n, 1) - 1) >> shift) + 1
    counts = gather(client, each(count_entries_of, [blocks], n, shift, buckets, mirror or directed))
    bounds, owners, entries = even_ranges(sum(counts, np.zeros(buckets, np.int64)), shift, n, count)
    check_room(client, n, entries)
    fit = loose_fit(client, n, entries)
    settings = (bounds, owners, mirror, drop_loops, directed)
    routes = each(route_edges, [blocks], *settings, run=run_alone if fit else run_to_files)
    pieces = items_by_place(client, routes, count, piece_of, places)
    run = run_alone if fit else run_to_disk
    where = placements(client, count)
    columns = [range(count), [bounds] * count, pieces]
    loose = submit_each(client, _build, columns, symmetrize, drop_duplicates, placements=where, run=run)
    weight_type = extents[0][3] if extents else None
    if weight_type is not None and symmetrize == "sum" and drop_duplicates:
        weight_type = sum_type(weight_type)
    checks = None if mirror or directed else source_name
    named = None if nodes is None else nodes(bounds)
    return linked(client, loose, bounds, weight_type, source_name=checks, nodes=named, directed=directed)


def _extent(block: Any) -> tuple[int, int, int, Any]:
    """Return the number of edges, the smallest and the largest end, and the dtype of weights."""
    u, v, w = block
    kind = None if w is None else w.dtype
    if u.size == 0:
        return 0, 0, -1, kind
    return int(u.size), int(min(u.min(), v.min())), int(max(u.max(), v.max())), kind


def _wrong_end(block: Any, n: int) -> tuple[int, int, int] | None:
    """Return the first edge with an end that is not a vertex: its position and its ends."""
    u, v, _ = block
    wrong = (u < 0) | (u >= n) | (v < 0) | (v >= n)
    e = int(wrong.argmax()) if wrong.size else 0
    return (e, int(u[e]), int(v[e])) if wrong.any() else None


def _name_wrong_end(faults: list[Any], sizes: list[int], n: int) -> None:
    before = 0
    for size, edge in zip(sizes, faults, strict=True):
        if edge is not None:
            e, u, v = edge
            culprit = u if not 0 <= u < n else v
            cure = "ids start at 0" if culprit < 0 else "pass a larger n"
            raise ValueError(f"edge {before + e} ({u}, {v}): {culprit} is not one of the {n} vertices; {cure}")
        before += size


def _build(k: int, bounds: Any, pieces: list[Any], symmetrize: bool | Merge, drop_duplicates: bool) -> Partition:
    """Build a partition from its entries of all blocks."""
    sides = [_concatenated(side) for side in zip(*pieces, strict=True)]
    return of_entries(k, bounds, sides, symmetrize, drop_duplicates)


def _concatenated(pieces: Sequence[Any]) -> tuple[Any, Any, Any]:
    rows, columns, weights = zip(*pieces, strict=True)
    joined = None if weights[0] is None else np.concatenate(weights)
    return np.concatenate(rows), np.concatenate(columns), joined
