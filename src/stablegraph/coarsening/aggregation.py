"""Aggregates around the members of distance-2 sets: the phases that "mis2-basic", "mis2" and "kokkos" are made of.

Result: a number for each vertex, such that every aggregate has a root, and all others in it are at most two steps away.

1. *Primary* aggregates: each member of a maximal independent set at distance 2, with all its neighbours. No two members
   have a neighbour in common, so all can write at once.
2. *Secondary* ones: each member of such a set among the vertices that are free, with its free neighbours, if there are
   at least two. What counts as distance 2 is the difference between "mis2" (by way of free vertices only) and "kokkos"
   (by way of any); either way nobody free is beside two of them.
3. Who is left joins the aggregate with most of its neighbours; of several, the smallest as it was after phase 2.

Kokkos Kernels words phase 3 for every vertex that is no root, on labels that stay as they were after phase 2: it goes
where a root is a neighbour, then where most neighbours are, then to the smallest; it looks at eight aggregates beside
its own. Few vertices have a choice, though. Nobody is beside two roots of one phase, and only vertices from phase 1 can
be beside roots of both: so the roots of phase 2 ask their neighbours from phase 1 whether they move, and all others
that are in an aggregate stay without being asked. Nobody left is beside any root.

Cost: the two sets, and as much as five or six edge sweeps for the rest: the rows of roots, of those asked and of those
left, and some passes over all labels. Work memory beside the sets': some 15 bytes a vertex, and a counter an aggregate
for each worker.
"""

from __future__ import annotations

from typing import Any

from ..construction import index_type
from ..graph import Graph
from ..independent_set.distance_two import independent_set
from ..parallel import at, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module
from ..parallel.primitives import compact

FREE = -1
_SMALLEST = 3  # vertices of a secondary aggregate
_TRACKED = 8  # aggregates that Kokkos Kernels compares with a vertex's own
_MOST_COUNTERS = 1 << 26  # of all workers, which matters on a GPU


@kernel
def _gather(i, first_label, roots, indptr, indices, labels, sizes):
    """A root and its free neighbours become an aggregate."""
    root = int(roots[at(i)])
    label = first_label + i
    labels[at(root)] = label
    size = 1
    for e in range(indptr[at(root)], indptr[at(root + 1)]):
        v = int(indices[at(e)])
        if labels[at(v)] == FREE:
            labels[at(v)] = label
            size += 1
    sizes[at(label)] = size


@kernel
def _has_enough(i, candidates, indptr, indices, labels, enough):
    """Whether a candidate for a root has neighbours enough that are free."""
    root = int(candidates[at(i)])
    size = 1
    for e in range(indptr[at(root)], indptr[at(root + 1)]):
        v = int(indices[at(e)])
        size += int(v != root and labels[at(v)] == FREE)
    enough[at(i)] = size >= _SMALLEST


@kernel
def _join_first(i, left, indptr, indices, labels, after):
    """Who is left joins the aggregate of its first neighbour that has one."""
    v = int(left[at(i)])
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        label = labels[at(indices[at(e)])]
        if label != FREE:
            after[at(v)] = label
            break


@rule
def _end_of_tracked(begin, end, own, indices, labels):
    """Where the ninth aggregate beside one's own comes up in a row; its end, if there are no more than eight."""
    met = 0
    for e in range(begin, end):
        label = labels[at(indices[at(e)])]
        if label != FREE and label != own:
            earlier = e - 1
            while earlier >= begin and labels[at(indices[at(earlier)])] != label:
                earlier -= 1
            met += int(earlier < begin)
            if met > _TRACKED:
                return e
    return end


@rule
def _worth(links, label, sizes):
    """What an aggregate is worth to a vertex: links count, and if they are equal, being small."""
    return (links << 32) - int(sizes[at(label)])


@kernel(by="workers")
def _join_most_linked(worker, workers, left, tracked, indptr, indices, labels, sizes, counters, after):
    """Who is left joins the aggregate with most of its neighbours, the smallest of several.

    Of equally small ones the one with the smallest label or, if only the first few are `tracked`, the first in the row.
    """
    for i in range(left.size * worker // workers, left.size * (worker + 1) // workers):
        v = int(left[at(i)])
        begin, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        if tracked and end - begin > _TRACKED:
            end = _end_of_tracked(begin, end, FREE, indices, labels)
        for e in range(begin, end):
            counters[worker, at(labels[at(indices[at(e)])] + 1)] += 1
        counters[worker, 0] = 0  # those that are free, too
        best, most = 0, 0
        for e in range(begin, end):
            label = int(labels[at(indices[at(e)])])
            worth = _worth(int(counters[worker, at(label + 1)]), max(label, 0), sizes)
            counters[worker, at(label + 1)] = 0
            better = (worth > most) | ((worth == most) & (label < best) & (not tracked))
            best = label if better else best
            most = worth if better else most
        after[at(v)] = best


@rule
def _moves(v, root, here, there, indptr, indices, labels, sizes):
    """Whether v, beside the roots of two aggregates, its own and another one, goes over to the other one."""
    begin, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
    links_here, links_there = 0, 0
    for e in range(begin, end):
        u = int(indices[at(e)])
        label = labels[at(u)]
        links_here += int(label == here) & int(u != v)
        links_there += int(label == there)
    stays = _worth(links_here, here, sizes)
    if _worth(links_there, there, sizes) <= stays:
        return False
    if end - begin <= _TRACKED:
        return True
    beyond = _end_of_tracked(begin, end, here, indices, labels)
    links_there, beside = 0, False
    for e in range(begin, beyond):
        u = int(indices[at(e)])
        links_there += int(labels[at(u)] == there)
        beside = beside or u == root
    return beside and _worth(links_there, there, sizes) > stays


@kernel
def _move(i, first_label, roots, indptr, indices, labels, sizes, after):
    """A root of phase 2 asks its neighbours from phase 1 whether they come over."""
    following = roots[at(min(i + 1, roots.size - 1))]
    for e in range(indptr[at(following)], indptr[at(following + 1)]):
        prefetch(indices, indptr[at(indices[at(e)])])
    root = int(roots[at(i)])
    there = first_label + i
    for e in range(indptr[at(root)], indptr[at(root + 1)]):
        v = int(indices[at(e)])
        here = int(labels[at(v)])
        if here != FREE and here < first_label and _moves(v, root, here, there, indptr, indices, labels, sizes):
            after[at(v)] = there


def around_one_set(graph: Graph) -> tuple[int, Any]:
    """Phase 1; then who is left joins its first neighbour's aggregate: Bell, Dalton and Olson's coarsening."""
    count, labels, _ = _primary(graph)
    left = compact(labels == FREE)
    after = labels.copy()
    _join_first(left.size, left, graph.indptr, graph.indices, labels, after)
    return count, after


def around_two_sets(graph: Graph, *, induced: bool, moves: bool) -> tuple[int, Any]:
    """All three phases, with distances among free vertices only (`induced`), and with Kokkos Kernels' `moves`."""
    xp, indptr, indices = array_module(graph.device), graph.indptr, graph.indices
    first, labels, sizes = _primary(graph)
    candidates = compact(independent_set(graph, rows=labels == FREE, induced=induced)[0])
    enough = xp.empty(candidates.size, bool)
    _has_enough(candidates.size, candidates, indptr, indices, labels, enough)
    roots = candidates[enough]
    count = first + int(roots.size)
    _gather(roots.size, first, roots, indptr, indices, labels, sizes)

    left = compact(labels == FREE)
    after = labels.copy()
    if moves:
        _move(roots.size, first, roots, indptr, indices, labels, sizes, after)
    workers = min(worker_count(graph.device, int(left.size)), 1 + _MOST_COUNTERS // max(1, count))
    counters = xp.zeros((workers, count + 1), labels.dtype)
    _join_most_linked(workers, left, moves, indptr, indices, labels, sizes, counters, after)
    return count, after


def _primary(graph: Graph) -> tuple[int, Any, Any]:
    """Phase 1: how many aggregates there are, labels, and sizes (with room for more)."""
    xp, n = array_module(graph.device), graph.num_vertices
    roots = compact(independent_set(graph)[0])
    labels = xp.full(n, FREE, index_type(n))
    sizes = xp.empty(n, labels.dtype)
    _gather(roots.size, 0, roots, graph.indptr, graph.indices, labels, sizes)
    return int(roots.size), labels, sizes
