"""Smallest-last orders, the degeneracy, and core numbers: vertices with few remaining neighbors are removed first.

Result: an order, and a number d such that first fit in the reverse order needs at most d + 1 colors. The level at which
a vertex is removed is its core number.

``removal_order``    one vertex after another; d is the degeneracy, the smallest possible number. One thread.
``removal_batches``  many vertices at once, in rounds, for many threads or a GPU. Without slack this is SDL of the
                     paper: a round removes all vertices with at most k remaining neighbors, and k increases when there
                     are none. Then d is the degeneracy again, but there may be many rounds (n / 2 on a path). With
                     slack there are O(log n) rounds.

Rule: v is removed at level k  <=>  it has at most k remaining neighbors, and had more at all lower levels; d is the
last level. The oracles are in tests/coloring/test_degeneracy.py. In the code: `_queue_level` and `_remove_queued` queue
the vertices with k remaining neighbors; `_remove_level` removes those with at most k.

Idea: both functions process levels k = 0, 1, ... and remove the vertices with at most k remaining neighbors, including
vertices that reach this degree during the level. At its removal a vertex therefore has at most k neighbors that are
removed later. Within a level, `removal_order` removes the vertices in the order in which they reach the level (a
queue). This is as good a tie-break as any other, and it needs no lists per degree and no positions in them: a vertex is
queued when its degree falls to k, which happens once.

Slack: if a round removed less than 1/64 of the remaining vertices, the level increases to ``smallest + s (average -
smallest)`` of the remaining degrees, with s = 1/4, 1/2, 1, 2 after one, two, ... such rounds in a row. With s = 2 at
least half of the vertices are removed. In the worst case d is about four times the degeneracy; usually it is just above
the degeneracy.

State: degrees[v] counts the remaining neighbors. It continues to decrease after the removal of v. This is harmless:
levels only increase, so a vertex whose degree was ever at or below the level has been removed.

Cost: a random access for each entry (removal_order: 5 to 10 edge sweeps; removal_batches on two threads: 1 to 6), and
an access to all remaining vertices in each level or round. Work memory: 12 bytes per vertex, 16 for batches (twice as
much with 64-bit indices). Repeated entries would count twice, and the order of a row's entries would change the order
of the queue. A graph with unsorted rows or repeated entries is therefore copied first.

Sources: D. Matula, L. Beck, "Smallest-last ordering and clustering and graph coloring algorithms", JACM 30(3), 1983.
G. Alabandi, E. Powers, M. Burtscher, PPoPP 2020 (SDL). M. Besta et al., "High-Performance Parallel Graph Coloring with
Strong Guarantees on Work, Depth, and Quality", SC 2020 (the average as a level).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np

from .._core.csr.build import build_rows
from .._core.dispatch import dispatches_on_graph
from .._core.runtime import Rows, atomic_add, edge_split, edge_splits, kernel, prefetch, worker_count
from .._core.runtime.array_types import Int32s, Int64s, Int64Table, Offsets, Vertices
from .._core.runtime.arrays import largest
from .._core.runtime.partitioning import CACHE_LINE, ENTRIES_PER_CALL, PREFETCH_DISTANCE
from .._core.typing import GraphLike, Labels
from ..conversion import undirected
from ..graph import Graph

_MIN_SHARE = 64  # a round is inefficient if it removes less than 1 / _MIN_SHARE of the remaining vertices

_REMAINING, _DONE, _QUEUED, _SMALLEST = range(4)  # the fields of `progress` in removal_order
_STAY, _TAKEN, _DEGREES, _LEAST = range(4)  # the fields of `counts`, a cache line for each worker


class Removal(NamedTuple):
    """The state of `removal_batches`: each worker has a range of positions in `remaining` and in `taken`."""

    degrees: Offsets  # (n,): the number of remaining neighbors of each vertex
    remaining: Vertices  # (n,): the remaining vertices, at the start of each worker's range
    taken: Vertices  # (n,): the vertices removed in this round, at the start of each worker's range
    rounds: Int32s  # (n,): the round in which each vertex was removed
    counts: Int64Table  # (workers, 8): the counts of each worker


@kernel(by="single")
def _queue_level(k: int, degrees: Offsets, remaining: Vertices, queue: Vertices, progress: Int64s):
    """Queue the vertices of degree k; drop queued ones of lower degree; find the smallest degree above k."""
    end, queued, smallest = 0, progress[_QUEUED], degrees.size
    for i in range(progress[_REMAINING]):
        v = remaining[i]
        d = degrees[v]
        remaining[end] = v
        end += int(d > k)
        queue[queued] = v
        queued += int(d == k)
        if d > k:
            smallest = min(smallest, d)
    progress[_REMAINING], progress[_QUEUED], progress[_SMALLEST] = end, queued, smallest


@kernel(by="single")
def _remove_queued(k: int, step: int, rows: Rows, degrees: Offsets, queue: Vertices, progress: Int64s):
    """Remove queued vertices until `step` entries have been read; queue each neighbor whose degree falls to k."""
    indptr, indices = rows
    done, queued, entries_read = progress[_DONE], progress[_QUEUED], 0
    while done < queued and entries_read < step:
        prefetch(indptr, queue[min(done + 2 * PREFETCH_DISTANCE, queued - 1)])
        prefetch(indices, indptr[queue[min(done + PREFETCH_DISTANCE, queued - 1)]])
        v = queue[done]
        done += 1
        start, end = indptr[v], indptr[v + 1]
        for e in range(start, end):
            u = indices[e]
            d = degrees[u] - 1
            degrees[u] = d
            queue[queued] = u
            queued += int(d == k)
        entries_read += end - start
    progress[_DONE], progress[_QUEUED] = done, queued


@kernel(by="workers")
def _remove_level(worker, workers, level: int, number: int, indptr: Offsets, removal: Removal):
    """Remove a worker's vertices of degree up to the level; count the remaining ones and add up their degrees."""
    degrees, remaining, taken, rounds, counts = removal
    start = end = removed = edge_split(indptr, degrees.size, worker, workers)
    total, minimum = 0, degrees.size
    for i in range(start, start + counts[worker, _STAY]):
        v = remaining[i]
        d = degrees[v]
        remains = int(d > level)
        remaining[end] = v
        end += remains
        taken[removed] = v
        removed += 1 - remains
        if remains:
            total += d
            minimum = min(minimum, d)
    for i in range(start, removed):
        rounds[taken[i]] = number
    counts[worker, _STAY], counts[worker, _TAKEN] = end - start, removed - start
    counts[worker, _DEGREES], counts[worker, _LEAST] = total, minimum


@kernel(by="workers")
def _lower_degrees(worker, workers, rows: Rows, removal: Removal):
    """Decrement the degrees of the neighbors of the vertices that a worker removed."""
    indptr, indices = rows
    degrees, _, taken, _, counts = removal
    start = edge_split(indptr, degrees.size, worker, workers)
    end = start + counts[worker, _TAKEN]
    for i in range(start, end):
        prefetch(indices, indptr[taken[min(i + PREFETCH_DISTANCE, end - 1)]])
        v = taken[i]
        for e in range(indptr[v], indptr[v + 1]):
            atomic_add(degrees, indices[e], -1)


def with_simple_rows(graph: Graph) -> Graph:
    """Return the graph with sorted rows and without repeated entries; the same object if nothing has to change."""
    if graph.is_sorted and not graph.has_duplicates:
        return graph
    host = graph.to("cpu")
    rows = build_rows(host._rows(), host.indices, host.num_vertices)
    indptr = rows.indptr.astype(host.indptr.dtype, copy=False)
    return Graph._trusted(indptr, rows.indices.astype(host.indices.dtype, copy=False)).to(graph.device)


def _removed(graph: Graph) -> tuple[np.ndarray, list[int], list[int]]:
    """Return all vertices in the order of their removal, in host memory, the levels, and the number removed at each."""
    graph = with_simple_rows(graph.to("cpu"))
    n, id_type, rows = graph.num_vertices, graph.indices.dtype, Rows(graph.indptr, graph.indices)
    degrees = graph.degrees.copy()
    remaining = np.arange(n, dtype=id_type)
    queue = np.empty(n + 1, id_type)  # the last write may be after the end; it is ignored
    progress = np.array([n, 0, 0, 0])
    levels: list[int] = []
    ends, k = [0], 0
    while progress[_REMAINING]:
        _queue_level(k, degrees, remaining, queue, progress)
        if progress[_DONE] == progress[_QUEUED]:
            k = int(progress[_SMALLEST])
            continue
        levels.append(k)
        while progress[_DONE] < progress[_QUEUED]:
            _remove_queued(k, ENTRIES_PER_CALL, rows, degrees, queue, progress)
        ends.append(int(progress[_DONE]))
        k += 1
    return queue[:n], levels, np.diff(ends).tolist()


def removal_order(graph: Graph) -> tuple[np.ndarray, int]:
    """Return all vertices in the order of their removal, in host memory, and the degeneracy."""
    order, levels, _ = _removed(graph)
    return order, max(levels, default=0)


def cores(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """Return the vertices of a simple graph in smallest-last order, and their core numbers, which are descending.

    The core number of a vertex is the level at which it is removed. The vertices with a number of at least k, which
    come first, are the k-core: the part of the graph for which a coloring with k colors is hard to find. Each of the
    other vertices has fewer than k colors around it when it is colored, whatever these are.
    """
    order, levels, sizes = _removed(graph)
    return order[::-1].copy(), np.repeat(levels, sizes)[::-1]


@dispatches_on_graph
def core_numbers(graph: GraphLike) -> Labels:
    """Find the core number of each vertex: the largest k such that the vertex belongs to the k-core.

    >>> import stablegraph as sg
    >>> sg.core_numbers(sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetrize=True))  # a triangle with a tail
    array([2, 2, 2, 1], dtype=int32)

    The k-core is the largest part of the graph in which every vertex has at least k neighbors; it may be empty.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Weights, loops and repeated entries are ignored.

    Returns
    -------
    int32 (n,)
        The core numbers; 0 for a vertex without neighbors. Their maximum is the degeneracy. A CuPy array for a graph on
        a GPU, and int64 from 2**31 vertices on.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric.
    NotImplementedError
        If the graph is in partitions.

    See Also
    --------
    is_core_labeling : Check core numbers with an independent method.
    color_bounds : Bound the number of colors by the degeneracy.
    Graph.subgraph : Return the k-core as a graph, from ``core_numbers(graph) >= k``.

    Notes
    -----
    Deterministic: a function of the graph. One thread, on the host also for a graph on a GPU; O(n + m), 5 to 10 edge
    sweeps. Work memory: 12 bytes per vertex (24 with 64-bit ids), and a copy of the graph if it has loops or repeated
    entries.

    References
    ----------
    S. Seidman, "Network structure and minimum degree", Social Networks 5(3), 1983. D. Matula, L. Beck, "Smallest-last
    ordering and clustering and graph coloring algorithms", JACM 30(3), 1983.

    Examples
    --------
    The 2-core of the counties of the USA, without counties that end a chain:

    >>> counties = sg.gallery.load("us-counties")
    >>> numbers = sg.core_numbers(counties)
    >>> int(numbers.max()), len(counties.subgraph(numbers >= 2))
    (4, 3197)
    """
    given = undirected(graph)
    order, numbers = cores(given.simple())
    result = np.empty(given.num_vertices, given._no_vertices().dtype)
    result[order] = numbers
    return cast("Labels", given.xp.asarray(result))


def removal_batches(graph: Graph, slack: bool) -> tuple[Any, int]:
    """Return the round in which each vertex is removed (0, 1, ...; int32), and the highest level of any round."""
    graph = with_simple_rows(graph)
    xp, n, id_type = graph.xp, graph.num_vertices, graph.indices.dtype
    workers = worker_count(graph.device, n + graph.num_entries)
    rows, counts = Rows(graph.indptr, graph.indices), xp.zeros((workers, CACHE_LINE // 8), np.int64)
    remaining, taken = xp.arange(n, dtype=id_type), xp.empty(n, id_type)
    removal = Removal(graph.degrees.copy(), remaining, taken, xp.empty(n, np.int32), counts)
    counts[:, _STAY] = xp.diff(edge_splits(rows.indptr, workers))

    level = number = highest = in_vain = 0
    stay = n
    while stay:
        _remove_level(workers, level, number, rows.indptr, removal)
        stay, removed, total = (int(x) for x in counts[:, : _DEGREES + 1].sum(axis=0))
        smallest = int(counts[:, _LEAST].min())
        if removed:
            number += 1
            highest = level
        if removed and stay:
            _lower_degrees(workers, rows, removal)
        in_vain = in_vain + 1 if removed * _MIN_SHARE < stay else 0
        if stay and slack and in_vain:  # the degrees are those before the round, in which few have changed
            share = 2.0 ** (in_vain - 3)
            level = max(level, math.ceil(smallest + share * (total / stay - smallest)))
        elif removed == 0:
            level = smallest
    return removal.rounds, highest


def smallest_last(graph: Graph) -> tuple[Any, int]:
    """Return a smallest-last order as numbers, and the maximum number of neighbors ahead of a vertex.

    Returns
    -------
    priority : int64 array (n,)
        A larger number means that the vertex is colored earlier: by the round of `removal_batches` with slack, then by
        degree. Vertices with the same round and degree have equal numbers.
    most : int
        No vertex has more neighbors that have a larger priority or are in the same round with an equal priority.
    """
    rounds, highest = removal_batches(graph, slack=True)
    return rounds.astype(np.int64) * (1 + largest(graph.degrees, 0)) + graph.degrees, highest
