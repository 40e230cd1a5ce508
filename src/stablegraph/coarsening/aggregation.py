"""Aggregation around distance-2 independent sets: the phases of "mis2_basic", "mis2" and "kokkos".

Result: a number for each vertex, such that every aggregate has a root, and its other vertices are at most two steps
away from the root; and the roots. Both depend only on the graph.

Rule:

1. *Primary* aggregates: each member of a maximal independent set at distance 2, in an order (`priority`), with all its
   neighbors. No two members have a common neighbor, so all members can write concurrently.
2. *Secondary* aggregates: each member of such a set among the free vertices, with its free neighbors, if there are at
   least two. "mis2" and "kokkos" differ in the definition of distance 2: "mis2" counts only paths through free
   vertices, "kokkos" paths through any vertices. In both cases no free vertex is adjacent to two members.
3. Each remaining vertex joins the aggregate with most of its neighbors; in a tie, the aggregate that was smallest after
   phase 2. ("mis2_basic" has no phase 2. In its phase 3 a vertex joins the aggregate of its first neighbor that has
   one.)

The oracle is `aggregates` in tests/support/naive.py. In the code: `_make_aggregate` makes an aggregate of a root,
`join_most_linked` is phase 3, `_join_first` is phase 3 of "mis2_basic"; `moves` is specific to Kokkos Kernels.

Idea: Kokkos Kernels defines phase 3 for every vertex that is not a root, on labels that stay unchanged after phase 2. A
vertex prefers an aggregate with an adjacent root, then the one with most neighbors, then the smallest. It compares
eight aggregates with its own. However, only phase-1 vertices adjacent to a phase-2 root can move: no vertex is adjacent
to two roots of one phase, and no remaining vertex is adjacent to any root. Phase 3 therefore visits only the neighbors
of phase-2 roots, and the remaining vertices.

State: the aggregate of each vertex, `FREE` if it is in none, and the size of each aggregate.

Cost: the two sets, and five or six edge sweeps for the other steps: over the rows of roots, of their neighbors and of
the remaining vertices. In addition a few passes over all labels. Work memory in addition to that of the sets: about 15
bytes per vertex, and a counter per aggregate and worker.

Sources: see `aggregate`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Bools, Int32s, Int64s, Integers, Rows, chunk_bounds, kernel, prefetch, rule, worker_count
from .._core.runtime.primitives import compact
from ..graph import Graph
from ..independent_set.distance.round_keys import key_source
from ..independent_set.distance.two import set_among
from ..independent_set.greedy.order import Choice

FREE = -1
_SMALLEST = 3  # minimum size of a secondary aggregate
_TRACKED = 8  # aggregates that Kokkos Kernels compares with a vertex's own
MAX_COUNTERS = 1 << 26  # of all workers together; a limit only on a GPU
Answer = tuple[int, Any, list[Any]]  # the number of aggregates, the aggregate of each vertex, the roots of each set


class Aggregates(NamedTuple):
    """Aggregates after a phase."""

    labels: Int32s  # (n,): the aggregate of each vertex, or FREE
    sizes: Int32s  # (at least the number of aggregates,): the number of vertices in each


@kernel
def _make_aggregate(i, first_label: int, roots: Int64s, rows: Rows, aggregates: Aggregates):
    """Make an aggregate of a root and its free neighbors."""
    labels = aggregates.labels
    root = roots[i]
    label = first_label + i
    labels[root] = label
    size = 1
    for e in range(rows.indptr[root], rows.indptr[root + 1]):
        v = rows.indices[e]
        if labels[v] == FREE:
            labels[v] = label
            size += 1
    aggregates.sizes[label] = size


@kernel
def has_enough(i, candidates: Int64s, rows: Rows, labels: Integers, enough: Bools):
    """Determine whether a candidate for a root has enough free neighbors."""
    root = candidates[i]
    size = 1
    for e in range(rows.indptr[root], rows.indptr[root + 1]):
        v = rows.indices[e]
        size += int(v != root and labels[v] == FREE)
    enough[i] = size >= _SMALLEST


@kernel
def _join_first(i, remaining: Int64s, rows: Rows, labels: Int32s, after: Int32s):
    """Add a remaining vertex to the aggregate of its first neighbor that has one."""
    v = remaining[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        label = labels[rows.indices[e]]
        if label != FREE:
            after[v] = label
            break


@rule
def _end_of_tracked(start, end, excluded_label, indices, labels):
    """Return the position in a row of the ninth aggregate besides `excluded_label`; the end if there are fewer."""
    met = 0
    for e in range(start, end):
        label = labels[indices[e]]
        if label != FREE and label != excluded_label:
            earlier = e - 1
            while earlier >= start and labels[indices[earlier]] != label:
                earlier -= 1
            met += int(earlier < start)
            if met > _TRACKED:
                return e
    return end


@rule
def _worth(links, label, sizes):
    """Return the worth of an aggregate for a vertex: the number of links decides, then the smaller size."""
    return (links << 32) - sizes[label]


@kernel(by="workers", types="int64[] bool int32[,] int32[]")
def join_most_linked(worker, workers, remaining, tracked, rows: Rows, aggregates: Aggregates, counters, after):
    """Add each remaining vertex to the aggregate with most of its neighbors; in a tie, to the smallest of these.

    If sizes are equal, the smallest label is chosen. If only the first few are `tracked`, the first of these is chosen.
    """
    indices, labels = rows.indices, aggregates.labels
    first, after_last = chunk_bounds(remaining.size, worker, workers)
    for i in range(first, after_last):
        v = remaining[i]
        start, end = rows.indptr[v], rows.indptr[v + 1]
        if tracked and end - start > _TRACKED:
            end = _end_of_tracked(start, end, FREE, indices, labels)
        for e in range(start, end):
            counters[worker, labels[indices[e]] + 1] += 1
        counters[worker, 0] = 0  # free neighbors do not count
        best, best_worth = 0, 0
        for e in range(start, end):
            label = labels[indices[e]]
            worth = _worth(counters[worker, label + 1], max(label, 0), aggregates.sizes)
            counters[worker, label + 1] = 0
            better = (worth > best_worth) | ((worth == best_worth) & (label < best) & (not tracked))
            best = label if better else best
            best_worth = worth if better else best_worth
        after[v] = best


@rule
def moves(v, root, current, target, rows, aggregates):
    """Return whether v, which is adjacent to the root of its own and of another aggregate, moves to the other one."""
    indices, labels, sizes = rows.indices, aggregates.labels, aggregates.sizes
    start, end = rows.indptr[v], rows.indptr[v + 1]
    links_current, links_target = 0, 0
    for e in range(start, end):
        u = indices[e]
        label = labels[u]
        links_current += int(label == current) & int(u != v)
        links_target += int(label == target)
    current_worth = _worth(links_current, current, sizes)
    if _worth(links_target, target, sizes) <= current_worth:
        return False
    if end - start <= _TRACKED:
        return True
    tracked_end = _end_of_tracked(start, end, current, indices, labels)
    links_target, adjacent = 0, False
    for e in range(start, tracked_end):
        u = indices[e]
        links_target += int(labels[u] == target)
        adjacent = adjacent or u == root
    return adjacent and _worth(links_target, target, sizes) > current_worth


@kernel
def _move(i, first_label: int, roots: Int64s, rows: Rows, aggregates: Aggregates, after: Int32s):
    """Move the phase-1 neighbors of a phase-2 root to its aggregate if it is worth more to them."""
    following = roots[min(i + 1, roots.size - 1)]
    for e in range(rows.indptr[following], rows.indptr[following + 1]):
        prefetch(rows.indices, rows.indptr[rows.indices[e]])
    root = roots[i]
    target = first_label + i
    for e in range(rows.indptr[root], rows.indptr[root + 1]):
        v = rows.indices[e]
        current = aggregates.labels[v]
        if current != FREE and current < first_label and moves(v, root, current, target, rows, aggregates):
            after[v] = target


def around_one_set(graph: Graph, *, priority: Choice = "random") -> Answer:
    """Run phase 1 and add each remaining vertex to its first neighbor's aggregate (Bell, Dalton and Olson)."""
    roots, (labels, _) = _primary(graph, priority)
    remaining = compact(labels == FREE)
    after = labels.copy()
    _join_first(remaining.size, remaining, Rows(graph.indptr, graph.indices), labels, after)
    return int(roots.size), after, [roots]


def second_set(find: Callable[..., Any], graph: Graph, free: Any, induced: bool, priority: Choice) -> Any:
    """Return the mask of the set of phase 2 among the free vertices; `find` is `set_among` of a device."""
    if isinstance(priority, str) or not induced:
        return find(graph, free, induced=induced, priority=priority)
    xp, order = graph.xp, key_source(graph, priority, 0).order
    ranks = xp.empty(order.size, np.int64)
    ranks[order] = xp.arange(order.size, 0, -1)  # ties are those of the whole graph
    members = free.copy()
    members[free] = find(graph.subgraph(free), priority=ranks[free])
    return members


def around_two_sets(graph: Graph, *, induced: bool, moves: bool, priority: Choice = "random") -> Answer:
    """Run all phases, with distances among free vertices only (`induced`), and with Kokkos Kernels' `moves`."""
    xp, rows = graph.xp, Rows(graph.indptr, graph.indices)
    primary, aggregates = _primary(graph, priority)
    first, labels = int(primary.size), aggregates.labels
    candidates = compact(second_set(set_among, graph, labels == FREE, induced, priority))
    enough = xp.empty(candidates.size, bool)
    has_enough(candidates.size, candidates, rows, labels, enough)
    roots = candidates[enough]
    count = first + int(roots.size)
    _make_aggregate(roots.size, first, roots, rows, aggregates)

    remaining = compact(labels == FREE)
    after = labels.copy()
    if moves:
        _move(roots.size, first, roots, rows, aggregates, after)
    workers = min(worker_count(graph.device, int(remaining.size)), 1 + MAX_COUNTERS // max(1, count))
    counters = xp.zeros((workers, count + 1), labels.dtype)
    join_most_linked(workers, remaining, moves, rows, aggregates, counters, after)
    return count, after, [primary, roots]


def _primary(graph: Graph, priority: Choice) -> tuple[Any, Aggregates]:
    """Run phase 1; return the roots, and the aggregates (with space for the sizes of more)."""
    xp, n = graph.xp, graph.num_vertices
    roots = compact(set_among(graph, priority=priority))
    labels = xp.full(n, FREE, index_type(n))
    aggregates = Aggregates(labels, xp.empty(n, labels.dtype))
    _make_aggregate(roots.size, 0, roots, Rows(graph.indptr, graph.indices), aggregates)
    return roots, aggregates
