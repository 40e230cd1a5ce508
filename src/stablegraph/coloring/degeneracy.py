"""Smallest-last orders: who has few neighbours left is taken away first, and is colored last.

Result: an order, and a number d such that first fit in that order needs at most d + 1 colors.

``removal_order``    one vertex after another; d is the degeneracy, the smallest possible number. One thread.
``removal_batches``  many at once, in rounds, for many threads or a GPU. Without slack, the paper's SDL: a round takes
                     all vertices with at most k neighbours left, and k rises when there are none; d is the degeneracy
                     again, but chains may be long (a path takes n / 2 rounds). With slack there are O(log n) rounds.

Idea: both go through levels k = 0, 1, ... and take away whoever has at most k neighbours left, also those who get there
on the way. Whenever a vertex is taken, it has at most k neighbours among those that are still to come. Within a level
the former takes first who got there first (a queue), which is no worse a tie-break than any, and needs neither lists
for each degree nor places in them: a vertex is queued when its degree falls to k, and that happens once.

Slack: after a round that took less than a 64th of what was left, the level goes up to ``smallest + s (average -
smallest)`` of the degrees that are left, s = 1/4, 1/2, 1, 2 after one, two, ... such rounds in a row. With s = 2 half
of the vertices go at least; so d is some four times the degeneracy in the worst case, and usually just above it.

State: degrees[v] counts the neighbours that are left. It goes on falling when v itself is gone, which nobody minds:
levels only rise, so who has ever been at the level or below it is gone.

Cost: a random access for each entry (removal_order: 5 to 10 edge sweeps; removal_batches on two threads: 1 to 6), and
a look at all that are left in each level or round. Work memory: 12 bytes a vertex, of batches 16 (twice as much with
64-bit indices). Repeated entries would count twice, and the order of a row's entries would change that of the queue,
so a graph that has unsorted rows or repeated entries is copied first.

Sources: D. Matula, L. Beck, "Smallest-last ordering and clustering and graph coloring algorithms", JACM 30(3), 1983.
G. Alabandi, E. Powers, M. Burtscher, PPoPP 2020 (SDL). M. Besta et al., "High-Performance Parallel Graph Coloring with
Strong Guarantees on Work, Depth, and Quality", SC 2020 (the average as a level).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..construction import build_rows
from ..graph import Graph
from ..parallel import at, atomic_add, edge_split, kernel, prefetch, worker_count
from ..parallel.device import array_module

_AHEAD_BY = 16  # vertices: their rows are asked for so long before they are looked at
_STEP = 1 << 26  # entries that one thread goes through between two chances to be interrupted
_FEW = 64  # a round that takes less than this part of what is left is not worth it

_LEFT, _DONE, _QUEUED, _SMALLEST = range(4)  # what `progress` says of removal_order
_STAY, _TAKEN, _DEGREES, _LEAST = range(4)  # what `found` says of each worker's share; a cache line each
_LINE = 8


@kernel(by="single")
def _queue_level(k, degrees, left, queue, progress):
    """Queue all that are left with degree k; drop those with less, who were queued before; find the smallest above."""
    kept, queued, smallest = 0, int(progress[_QUEUED]), degrees.size
    for i in range(progress[_LEFT]):
        v = left[at(i)]
        d = int(degrees[at(v)])
        left[at(kept)] = v
        kept += int(d > k)
        queue[at(queued)] = v
        queued += int(d == k)
        if d > k:
            smallest = min(smallest, d)
    progress[_LEFT], progress[_QUEUED], progress[_SMALLEST] = kept, queued, smallest


@kernel(by="single")
def _remove_queued(k, step, indptr, indices, degrees, queue, progress):
    """Take away the queue's vertices, for so many entries; whoever has k neighbours left then is queued."""
    done, queued, looked = int(progress[_DONE]), int(progress[_QUEUED]), 0
    while done < queued and looked < step:
        prefetch(indptr, int(queue[at(min(done + 2 * _AHEAD_BY, queued - 1))]))
        prefetch(indices, int(indptr[at(queue[at(min(done + _AHEAD_BY, queued - 1))])]))
        v = int(queue[at(done)])
        done += 1
        start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        for e in range(start, end):
            u = indices[at(e)]
            d = int(degrees[at(u)]) - 1
            degrees[at(u)] = d
            queue[at(queued)] = u
            queued += int(d == k)
        looked += end - start
    progress[_DONE], progress[_QUEUED] = done, queued


@kernel
def _share_ends(worker, indptr, ends):
    ends[worker] = edge_split(indptr, indptr.size - 1, worker, ends.size - 1)


@kernel(by="workers")
def _take(worker, workers, level, number, indptr, degrees, left, taken, rounds, found):
    """Take a worker's vertices with degrees up to the level; count those that stay and add up their degrees."""
    first = kept = gone = edge_split(indptr, degrees.size, worker, workers)
    total, least = 0, degrees.size
    for i in range(first, first + found[worker, _STAY]):
        v = left[at(i)]
        d = int(degrees[at(v)])
        stays = int(d > level)
        left[at(kept)] = v
        kept += stays
        taken[at(gone)] = v
        gone += 1 - stays
        if stays:
            total += d
            least = min(least, d)
    for i in range(first, gone):
        rounds[at(taken[at(i)])] = number
    found[worker, _STAY], found[worker, _TAKEN] = kept - first, gone - first
    found[worker, _DEGREES], found[worker, _LEAST] = total, least


@kernel(by="workers")
def _lower(worker, workers, indptr, indices, taken, found, degrees):
    """Lower the degrees of the neighbours of what a worker has taken."""
    first = edge_split(indptr, degrees.size, worker, workers)
    beyond = first + found[worker, _TAKEN]
    for i in range(first, beyond):
        prefetch(indices, int(indptr[at(taken[at(min(i + _AHEAD_BY, beyond - 1))])]))
        v = int(taken[at(i)])
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            atomic_add(degrees, int(indices[at(e)]), -1)


def with_simple_rows(graph: Graph) -> Graph:
    """The graph with sorted rows and without repeated entries: itself, if it is so."""
    if graph.is_sorted and not graph.has_duplicates:
        return graph
    host = graph.to("cpu")
    rows = build_rows(host._rows(), host.indices, host.num_vertices)
    indptr = rows.indptr.astype(host.indptr.dtype, copy=False)
    return Graph._trusted(indptr, rows.indices.astype(host.indices.dtype, copy=False)).to(graph.device)


def removal_order(graph: Graph) -> tuple[np.ndarray, int]:
    """All vertices, the first to be taken away first, in host memory; and the degeneracy."""
    graph = with_simple_rows(graph.to("cpu"))
    n, id_type = graph.num_vertices, graph.indices.dtype
    degrees = graph.degrees().copy()
    left = np.arange(n, dtype=id_type)
    queue = np.empty(n + 1, id_type)  # what is written last may be beyond the end, and does not count
    progress = np.array([n, 0, 0, 0])
    k = degeneracy = 0
    while progress[_LEFT]:
        _queue_level(k, degrees, left, queue, progress)
        if progress[_DONE] == progress[_QUEUED]:
            k = int(progress[_SMALLEST])
            continue
        degeneracy = k
        while progress[_DONE] < progress[_QUEUED]:
            _remove_queued(k, _STEP, graph.indptr, graph.indices, degrees, queue, progress)
        k += 1
    return queue[:n], degeneracy


def removal_batches(graph: Graph, slack: bool) -> tuple[Any, int]:
    """The round in which each vertex is taken away (0, 1, ...; int32), and the highest level of any round."""
    graph = with_simple_rows(graph)
    xp, n, id_type = array_module(graph.device), graph.num_vertices, graph.indices.dtype
    workers = worker_count(graph.device, n + graph.num_entries)
    degrees = graph.degrees().copy()
    left, taken = xp.arange(n, dtype=id_type), xp.empty(n, id_type)
    rounds = xp.empty(n, np.int32)
    found = xp.zeros((workers, _LINE), np.int64)
    ends = xp.arange(workers + 1)
    _share_ends(workers + 1, graph.indptr, ends)
    found[:, _STAY] = ends[1:] - ends[:-1]

    level = number = highest = in_vain = 0
    stay = n
    while stay:
        _take(workers, level, number, graph.indptr, degrees, left, taken, rounds, found)
        stay, gone, total = (int(x) for x in found[:, : _DEGREES + 1].sum(axis=0))
        smallest = int(found[:, _LEAST].min())
        if gone:
            number += 1
            highest = level
        if gone and stay:
            _lower(workers, graph.indptr, graph.indices, taken, found, degrees)
        in_vain = in_vain + 1 if gone * _FEW < stay else 0
        if stay and slack and in_vain:  # degrees are those before the round: it has changed few
            share = 2.0 ** (in_vain - 3)
            level = max(level, math.ceil(smallest + share * (total / stay - smallest)))
        elif gone == 0:
            level = smallest
    return rounds, highest


def smallest_last(graph: Graph, exact: bool) -> tuple[Any, int]:
    """A smallest-last order as numbers, the larger one to be colored first, and how many neighbours may be ahead.

    Returns
    -------
    priority : int64 array (n,)
        If `exact`, the place in `removal_order`: all different. Else by the round of `removal_batches` with slack, and
        by degree within it; vertices that have both in common are equal.
    most : int
        No vertex has more neighbours with a larger priority or, for equal ones, in its own round. If `exact`, the
        degeneracy.
    """
    xp, n = array_module(graph.device), graph.num_vertices
    if exact:
        order, most = removal_order(graph)
        priority = np.empty(n, np.int64)
        priority[order] = np.arange(n)
        return xp.asarray(priority), most
    rounds, most = removal_batches(graph, slack=True)
    degrees = graph.degrees()
    beyond = 1 + int(degrees.max()) if n else 1
    return rounds.astype(np.int64) * beyond + degrees, most
