"""Maximum matching of a bipartite graph (Hopcroft and Karp), and the independent set that it proves to be a maximum.

Result: partners such that no larger set of disjoint edges exists. By König's theorem a maximum independent set has as
many vertices as there are, less the number of edges in the matching; it is read off from which left vertices can be
reached by alternating paths from those without a partner.

The two sides are given by ids alone: edges go from each vertex in `left` to the vertices of its row, which are meant on
the right. So one graph serves twice: with one color class of a bipartite graph as `left`, and with all vertices, for
its double cover (each vertex once on either side), whose matching solves the linear relaxation of the problem on any
graph.

Idea: a greedy matching finds nearly all. Then phases: breadth-first layers from all free left vertices, and along them
disjoint augmenting paths, depth first.

State: partner_of_left, partner_of_right (-1: free); layer of each left vertex (-1: not reached); where in its row each
left vertex goes on.

Cost: O(m) a phase, O(sqrt n) phases, usually few; on one thread. Work memory: five numbers a vertex.

Source: J. E. Hopcroft, R. M. Karp, "An n^(5/2) Algorithm for Maximum Matchings in Bipartite Graphs", SIAM Journal on
Computing 2(4), 1973; D. König, "Gráfok és mátrixok", Matematikai és Fizikai Lapok 38, 1931.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, in_steps, kernel, prefetch, rule

_HEAD, _TAIL, _LAST_LAYER = range(3)  # what `progress` tells
_ROWS, _PATHS = 1 << 22, 1 << 18  # between two chances to be interrupted
_AHEAD_BY = 8  # vertices: their rows are asked for so long before they are read


@kernel(by="single")
def _match_greedily(first, beyond, left, indptr, indices, partner_of_left, partner_of_right):
    for i in range(first, beyond):
        v = int(left[at(i)])
        e, end = indptr[at(v)], indptr[at(v + 1)]
        while e < end and partner_of_right[at(indices[at(e)])] >= 0:
            e += 1
        if e < end:
            partner_of_left[at(v)] = indices[at(e)]
            partner_of_right[at(indices[at(e)])] = v


@kernel(by="single")
def _number_layers(most, indptr, indices, partner_of_right, layer, queue, progress):
    """Breadth first along alternating paths, no further than free right vertices need; no more than so many rows."""
    head, tail, last_layer = progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER]
    stop = head + most
    while head < min(tail, stop) and layer[at(queue[at(head)])] <= last_layer:
        v = int(queue[at(head)])
        head += 1
        prefetch(indices, int(indptr[at(queue[at(min(head + _AHEAD_BY, tail - 1))])]))
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            w = int(partner_of_right[at(indices[at(e)])])
            if w < 0:
                last_layer = layer[at(v)]
            elif layer[at(w)] < 0:
                layer[at(w)] = layer[at(v)] + 1
                queue[at(tail)] = w
                tail += 1
    progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER] = head, tail, last_layer


@rule
def _follow(top, indptr, indices, partner_of_right, layer, at_entry, path):
    """Go on from the last vertex of the path: 1 if a free right vertex was found, 0 if the path grew, -1 if it ends."""
    v = int(path[at(top)])
    while at_entry[at(v)] < indptr[at(v + 1)]:
        w = int(partner_of_right[at(indices[at(at_entry[at(v)])])])
        if w < 0:
            return 1
        if layer[at(w)] == layer[at(v)] + 1:
            path[at(top + 1)] = w
            return 0
        at_entry[at(v)] += 1
    return -1


@kernel(by="single")
def _augment(first, beyond, free, indptr, indices, partner_of_left, partner_of_right, layer, at_entry, path):
    """From each free left vertex an augmenting path along the layers, if there is one beside those found before."""
    for i in range(first, beyond):
        path[0] = free[at(i)]
        top = outcome = 0
        while top >= 0 and outcome <= 0:
            outcome = _follow(top, indptr, indices, partner_of_right, layer, at_entry, path)
            if outcome < 0:  # a dead end: its predecessor tries its next entry
                layer[at(path[at(top)])] = -1
                top -= 1
                if top >= 0:
                    at_entry[at(path[at(top)])] += 1
            elif outcome == 0:
                top += 1
        if outcome > 0:
            for k in range(top, -1, -1):
                w = path[at(k)]
                u = indices[at(at_entry[at(w)])]
                partner_of_left[at(w)] = u
                partner_of_right[at(u)] = w


def maximum_matching(indptr: Any, indices: Any, left: Any, few: int = 0) -> tuple[Any, Any, Any]:
    """(partner_of_left, partner_of_right, reached): partners or -1, and which left vertices free ones reach.

    The search ends when no more than `few` left vertices are free; with 0 the matching is a maximum.
    """
    n, id_type = indptr.size - 1, indices.dtype
    partner_of_left, partner_of_right = np.full(n, -1, id_type), np.full(n, -1, id_type)
    for first, beyond in in_steps(left.size):
        _match_greedily(first, beyond, left, indptr, indices, partner_of_left, partner_of_right)
    queue = np.empty(n + 1, id_type)
    while True:
        free = left[partner_of_left[left] < 0]
        layer = np.full(n, -1, id_type)
        layer[free] = 0
        if free.size <= few:
            break
        queue[: free.size] = free
        progress = np.array([0, free.size, n])
        while progress[_HEAD] < progress[_TAIL] and layer[queue[progress[_HEAD]]] <= progress[_LAST_LAYER]:
            _number_layers(_ROWS, indptr, indices, partner_of_right, layer, queue, progress)
        if progress[_LAST_LAYER] == n:  # no free right vertex was met
            break
        at_entry = indptr[:-1].copy()
        for first, beyond in in_steps(free.size, _PATHS):
            _augment(first, beyond, free, indptr, indices, partner_of_left, partner_of_right, layer, at_entry, queue)
    return partner_of_left, partner_of_right, layer >= 0


def maximum_sides(indptr: Any, indices: Any, left: Any) -> tuple[Any, Any]:
    """Which vertices, as left and as right ones, are in a maximum independent set of the bipartite graph."""
    _, partner_of_right, reached = maximum_matching(indptr, indices, left)
    free = partner_of_right < 0
    return reached, free | ~reached[partner_of_right]
