"""Strong components: most of the largest one by search forward and backward, then the rest.

Result: a number for each vertex, equal within a component and different between components.

Idea: most directed graphs have one large strong component. What can be reached from a vertex of it and also leads back
there, is it. Both are found by rounds in which all workers take part, and the rest is left to the search in depth.

1. The *pivot*: of the vertices where a sample of arcs ends the one with the most arcs in (in the sample) times out.
2. *Forward*: in a round each worker marks the vertices where the arcs of its share of the frontier lead, in an array of
   its own (a lane), because writing to lines that other cores hold costs far more than the marks. Then each collects
   the marks of all lanes for the vertices of its share: those that are new are the next frontier.
3. *Backward*, among the reached: in a pass each worker looks at those of its share that are not known to lead back, and
   looks for an arc to one that is. Most find one among the first four. This needs no transposed graph. Passes end when
   one adds less than an eighth; nobody relies on having found all.
4. *The rest*: on the CPU by Tarjan's search, which takes what is known of the large component as one vertex; on a GPU
   by dividing all of it at once (see cfhp.py).

Where the forward search does not end in a number of rounds that is small for a large component, paths are long and
frontiers small: then all is left to the last step, and little is lost.

Cost: each arc once forward, a few arcs of each vertex backward, and what the rest takes. Work memory: 8 bytes a vertex
and 1 for each worker up to eight, or what the last step takes (17 on the CPU; 13 and 21 with 64-bit indices).

Source: L. Fleischer, B. Hendrickson, A. Pinar, "On Identifying Strongly Connected Components in Parallel", IPDPS 2000
workshops; here for one component, without the transposed graph.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, edge_split, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module
from . import cfhp, tarjan

_SAMPLE = 4096  # arcs
_MOST_ROUNDS = 40
_SMALL_GAIN = 8
_MOST_LANES = 8
_LINE = 8  # counters of different workers lie this many int64 apart: a cache line each
_AHEAD_BY = 16  # vertices: their rows are asked for so long before they are read


@kernel
def _split_evenly(worker, indptr, bounds):
    """Where a worker's share of vertices begins: even in vertices + entries, and a multiple of eight."""
    bounds[worker] = (edge_split(indptr, indptr.size - 1, worker, bounds.size - 1) + 7) // 8 * 8


@kernel(by="workers")
def _mark_heads(worker, workers, indptr, indices, bounds, counts, frontier, marks):
    """Mark where the arcs of a worker's part of the frontier lead."""
    first = bounds[worker]
    beyond = first + counts[worker * _LINE]
    length = frontier.size
    lane = worker % (marks.size // length) * length
    for i in range(first, beyond):
        prefetch(indices, int(indptr[at(frontier[at(min(i + _AHEAD_BY, beyond - 1))])]))
        v = int(frontier[at(i)])
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            marks[at(lane + int(indices[at(e)]))] = 1


@rule
def _marked(place, length, marks):
    """What all lanes together say of a vertex, or (in `marks` by words) of eight."""
    found = marks[at(place)]
    for lane in range(1, marks.size // length):
        found |= marks[at(lane * length + place)]
    return found


@kernel(by="workers")
def _collect(worker, workers, bounds, counts, frontier, marks, reached, marks_by_words, reached_by_words):
    """Add to `reached` what is marked among a worker's vertices; those that are new become its part of the frontier."""
    first = k = bounds[worker]
    for word in range(first // 8, bounds[worker + 1] // 8):
        found = _marked(word, reached_by_words.size, marks_by_words)
        if found != reached_by_words[at(word)]:
            for v in range(8 * word, 8 * word + 8):
                frontier[at(k)] = v
                k += int((_marked(v, reached.size, marks) != 0) & (reached[at(v)] == 0))
            reached_by_words[at(word)] = found
    counts[worker * _LINE] = k - first


@rule
def _leads_to(e, last, indices, members):
    """Whether one of the four arcs from e on leads to a member; those beyond `last` stand for the one at `last`."""
    a = members[at(indices[at(e)])]
    b = members[at(indices[at(min(e + 1, last))])]
    c = members[at(indices[at(min(e + 2, last))])]
    d = members[at(indices[at(min(e + 3, last))])]
    return (a | b | c | d) != 0


@kernel(by="workers")
def _pull(worker, workers, indptr, indices, bounds, counts, reached, members):
    """Those of a worker's reached vertices become members that have an arc to one."""
    joined = 0
    for v in range(bounds[worker], min(bounds[worker + 1], indptr.size - 1)):
        if (reached[at(v)] != 0) & (members[at(v)] == 0):
            e, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            found = False
            while (e < end) & (not found):
                found = _leads_to(e, end - 1, indices, members)
                e += 4
            if found:
                members[at(v)] = 1
                joined += 1
    counts[worker * _LINE] = joined


def _pivot(graph: Graph) -> int:
    """A vertex that many arcs lead to and from."""
    xp = array_module(graph.device)
    heads, counts = xp.unique(graph.indices[xp.arange(_SAMPLE) * 0x9E3779B1 % graph.num_entries], return_counts=True)
    return int(heads[(counts * (graph.indptr[heads + 1] - graph.indptr[heads])).argmax()])


def _large_component(graph: Graph) -> tuple[Any, Any] | None:
    """What a pivot reaches, and members of its component, as bytes for each vertex; None for less than two members."""
    xp, n = array_module(graph.device), graph.num_vertices
    if graph.num_entries == 0:
        return None
    workers = worker_count(graph.device, n + graph.num_entries)
    bounds, counts = xp.empty(workers + 1, np.int64), xp.zeros(workers * _LINE, np.int64)
    _split_evenly(workers + 1, graph.indptr, bounds)
    rows = graph.indptr, graph.indices, bounds, counts

    pivot, length = _pivot(graph), -(-n // 8) * 8
    reached, marks = xp.zeros(length, np.uint8), xp.zeros(length * min(workers, _MOST_LANES), np.uint8)
    frontier = xp.empty(length, graph.indices.dtype)
    by_words = marks.view(np.uint64), reached.view(np.uint64)
    marks[pivot] = 1
    for _ in range(_MOST_ROUNDS):
        _collect(workers, bounds, counts, frontier, marks, reached, *by_words)
        if not int(counts.sum()):
            break
        _mark_heads(workers, *rows, frontier, marks)
    else:
        return None

    members = xp.zeros(length, np.uint8)
    members[pivot] = size = joined = 1
    while joined * _SMALL_GAIN >= size:
        _pull(workers, *rows, reached, members)
        joined = int(counts.sum())
        size += joined
    return (reached[:n], members[:n]) if size > 1 else None


def components(graph: Graph) -> Any:
    """A number from 0 to n for each vertex."""
    found = _large_component(graph)
    if graph.device == "cuda":
        return cfhp.components(graph, *(found or ()))
    if found is None:
        return tarjan.components(graph)
    reached, members = found
    rank = members.astype(graph.indices.dtype)
    tarjan.remaining_components(graph, reached, rank)
    return rank
