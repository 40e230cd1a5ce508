"""Strong components by forward and backward search: first most of the largest component, then the other vertices.

Result: a number for each vertex, equal within a component and different between components.

Rule: for a pivot p,

    component(p) = {v reachable from p} & {v that reach p}

The oracle is `strong_components` in tests/support/naive.py. In the code: `_pull`, where ``members[v] = 1`` for a
reached vertex that leads to a member.

Idea: most directed graphs have one large strong component. With a pivot in this component, all threads find both sets
in rounds, and a depth-first search finds the other components.

1. The *pivot*: a sample of arcs is drawn. Of the heads of these arcs, the pivot is the one with the largest product of
   incoming arcs (in the sample) and outgoing arcs.
2. *Forward*: in a round each worker marks the heads of the arcs of its part of the frontier in a separate array (a
   lane). With a common array, writing to cache lines that other cores hold would cost far more than the marks
   themselves. Then each worker collects the marks of all lanes for its range of vertices; the new ones are the next
   frontier.
3. *Backward*, among the reached vertices: in a pass each worker searches the rows of its vertices that are not yet
   members for an arc to a member. Most of them have one among the first four arcs. This needs no transposed graph.
   Passes end when one adds less than an eighth; the next step does not need all members.
4. *The other vertices*: on the CPU by Tarjan's search, which treats the known part of the large component as one
   vertex, after most vertices outside of it are trimmed (dangling.py); on a GPU by dividing all parts at once (see
   cfhp.py).

If the forward search does not end within a number of rounds that is small for a large component, paths are long and
frontiers small. Six or more threads then search without rounds (reachability.py), which takes two to three times the
work of Tarjan's search; otherwise the last step processes all vertices, and little time is lost.

State: `reached` and `members`, a byte per vertex each; both are only ever set.

Cost: each arc once forward, a few arcs of each vertex backward, and the last step. Work memory: 8 bytes per vertex and
1 for each worker up to eight, or the memory of the last step (17 on the CPU; 13 and 21 with 64-bit indices).

Source: L. Fleischer, B. Hendrickson, A. Pinar, "On Identifying Strongly Connected Components in Parallel", IPDPS 2000
workshops; in this package for a single component, without the transposed graph.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Rows, edge_splits, kernel, prefetch, rule, worker_count
from ..graph import Graph
from . import cfhp, reachability, tarjan

SMALL = 1 << 15  # vertices and entries; one thread processes smaller graphs faster than several launches would
_SAMPLE = 4096  # arcs
_MAX_ROUNDS = 40  # of the forward search
_PATH_WORKERS = 6  # with fewer workers, Tarjan's search is faster on graphs with long paths
_SMALL_GAIN = 8  # a backward pass that adds less than 1 / _SMALL_GAIN of the members is the last one
_MAX_LANES = 8  # workers share these lanes, because each needs a byte per vertex
_LINE = 8  # distance between the counters of two workers, in int64: a cache line each
_AHEAD_BY = 16  # prefetch distance, in vertices


class Parts(NamedTuple):
    """The frontier: each worker's part of it is in the worker's range of the array."""

    vertices: Any  # (n,), rounded up to a multiple of eight
    bounds: Any  # (workers + 1,): the beginning of each range
    counts: Any  # (workers * _LINE,): the number of vertices of the frontier in each part


class Flags(NamedTuple):
    """A byte for each vertex, and the same memory as words of eight: most words are zero or unchanged."""

    bytes: Any
    words: Any


@kernel(by="workers", types="O[] V[] V[] int64[] int64[] uint8[]")
def _mark_heads(worker, workers, rows: Rows, frontier: Parts, marks):
    """Mark the heads of the arcs of a worker's part of the frontier."""
    indptr, indices, vertices = rows.indptr, rows.indices, frontier.vertices
    start = frontier.bounds[worker]
    end = start + frontier.counts[worker * _LINE]
    lane = worker % (marks.size // vertices.size) * vertices.size
    for i in range(start, end):
        prefetch(indices, indptr[vertices[min(i + _AHEAD_BY, end - 1)]])
        v = vertices[i]
        for e in range(indptr[v], indptr[v + 1]):
            marks[lane + indices[e]] = 1


@rule
def _marked(place, length, marks):
    """Combine the marks of all lanes for a vertex, or (if `marks` are words) for eight vertices."""
    result = marks[place]
    for lane in range(1, marks.size // length):
        result |= marks[lane * length + place]
    return result


@kernel(by="workers", types="V[] int64[] int64[] uint8[] uint64[] uint8[] uint64[]")
def _collect(worker, workers, frontier: Parts, marks: Flags, reached: Flags):
    """Add the marked vertices of a worker's range to `reached`; the new ones become its part of the frontier."""
    start = k = frontier.bounds[worker]
    for word in range(start // 8, frontier.bounds[worker + 1] // 8):
        word_marks = _marked(word, reached.words.size, marks.words)
        if word_marks != reached.words[word]:
            for v in range(8 * word, 8 * word + 8):
                frontier.vertices[k] = v
                k += int((_marked(v, reached.bytes.size, marks.bytes) != 0) & (reached.bytes[v] == 0))
            reached.words[word] = word_marks
    frontier.counts[worker * _LINE] = k - start


@rule
def _leads_to(e, last, indices, members):
    """Return whether one of the four arcs from e on, up to `last`, leads to a member."""
    a = members[indices[e]]
    b = members[indices[min(e + 1, last)]]
    c = members[indices[min(e + 2, last)]]
    d = members[indices[min(e + 3, last)]]
    return (a | b | c | d) != 0


@kernel(by="workers", types="O[] V[] int64[] uint8[] uint8[] int64[]")
def _pull(worker, workers, rows: Rows, bounds, reached, members, counts):
    """Make members of a worker's reached vertices that have an arc to a member, and count them."""
    joined = 0
    for v in range(bounds[worker], min(bounds[worker + 1], rows.indptr.size - 1)):
        if (reached[v] != 0) & (members[v] == 0):
            e, end = rows.indptr[v], rows.indptr[v + 1]
            is_member = False
            while (e < end) & (not is_member):
                is_member = _leads_to(e, end - 1, rows.indices, members)
                e += 4
            if is_member:
                members[v] = 1
                joined += 1
    counts[worker * _LINE] = joined


def _pivot(graph: Graph) -> int:
    """Return a vertex with many incoming and outgoing arcs."""
    xp = graph.xp
    heads, counts = xp.unique(graph.indices[xp.arange(_SAMPLE) * 0x9E3779B1 % graph.num_entries], return_counts=True)
    return int(heads[(counts * (graph.indptr[heads + 1] - graph.indptr[heads])).argmax()])


def _large_component(graph: Graph) -> tuple[Any, Any] | None:
    """Return the vertices that a pivot reaches, and members of its component, as bytes per vertex.

    None if fewer than two members were found, or the forward search took too many rounds for a few threads.
    """
    xp, n = graph.xp, graph.num_vertices
    if graph.num_entries == 0:
        return None
    workers, length = worker_count(graph.device, n + graph.num_entries), -(-n // 8) * 8
    rows = Rows(graph.indptr, graph.indices)
    bounds = (edge_splits(rows.indptr, workers) + 7) // 8 * 8  # multiples of eight
    counts = xp.zeros(workers * _LINE, np.int64)
    frontier = Parts(xp.empty(length, graph.indices.dtype), bounds, counts)

    pivot = _pivot(graph)
    reached = _flags(xp.zeros(length, np.uint8))
    marks = _flags(xp.zeros(length * min(workers, _MAX_LANES), np.uint8))
    marks.bytes[pivot] = 1
    for _ in range(_MAX_ROUNDS):
        _collect(workers, frontier, marks, reached)
        if not int(counts.sum()):
            break
        _mark_heads(workers, rows, frontier, marks.bytes)
    else:
        on_threads = graph.device == "cpu" and workers >= _PATH_WORKERS
        return reachability.component_of(graph, pivot) if on_threads else None

    members = xp.zeros(length, np.uint8)
    members[pivot] = size = joined = 1
    while joined * _SMALL_GAIN >= size:
        _pull(workers, rows, bounds, reached.bytes, members, counts)
        joined = int(counts.sum())
        size += joined
    return (reached.bytes[:n], members[:n]) if size > 1 else None


def _flags(by_vertex: Any) -> Flags:
    return Flags(by_vertex, by_vertex.view(np.uint64))


def components(graph: Graph) -> Any:
    """Return a number from 0 to n for each vertex, the same within each strong component."""
    result = _large_component(graph)
    if graph.device == "cuda":
        return cfhp.components(graph, *(result or ()))
    if result is None:
        return tarjan.components(graph)
    reached, members = result
    rank = members.astype(graph.indices.dtype)
    tarjan.remaining_components(graph, reached, rank)
    return rank
