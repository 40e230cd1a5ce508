"""Maximum matching of a bipartite graph (Hopcroft and Karp), and the maximum independent set derived from it.

Result: the partners in a largest set of disjoint edges, and a maximum independent set. By König's theorem the size of
this set is the number of vertices minus the number of edges in the matching.

Rule: the matching is a maximum  <=>  no alternating path leads from a free left vertex to a free right vertex. Then

    a left vertex is in the set   <=>  an alternating path from a free left vertex reaches it
    a right vertex is in the set  <=>  it is free, or its partner is not reached

In the code: `maximum_sides`.

The left side is defined by the array `left`; the edges connect each vertex in `left` with right vertices, given by its
row. This supports two uses. If `left` is one color class of a bipartite graph, the matching is one of this graph. If
`left` contains all vertices of any graph, it is a matching of the double cover (which has each vertex once on each
side), and it solves the linear relaxation of the independent set problem.

Idea: a greedy matching finds nearly all partners. Then each phase computes breadth-first layers from all free left
vertices, and finds disjoint augmenting paths along the layers, depth first.

State: the partner of each left and each right vertex (-1: free); the layer of each left vertex (-1: not reached); the
position in its row at which the search from each left vertex continues.

Cost: O(m) per phase, O(sqrt n) phases, usually few; on one thread. Work memory: five numbers per vertex.

Source: J. E. Hopcroft, R. M. Karp, "An n^(5/2) Algorithm for Maximum Matchings in Bipartite Graphs", SIAM Journal on
Computing 2(4), 1973; D. König, "Gráfok és mátrixok", Matematikai és Fizikai Lapok 38, 1931.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Int64s, Offsets, Rows, Vertices, chunked, kernel, prefetch, rule

_HEAD, _TAIL, _LAST_LAYER = range(3)  # places in `progress`
_ROWS, _PATHS = 1 << 22, 1 << 18  # per call: bounds the latency of Ctrl-C
_PREFETCH_DISTANCE = 8  # vertices of the queue


class Partners(NamedTuple):
    """A matching."""

    of_left: Vertices  # (n,): the partner of each left vertex, or -1
    of_right: Vertices  # (n,): the partner of each right vertex, or -1


@kernel(by="single")
def _match_greedily(start: int, end: int, left: Vertices, rows: Rows, partners: Partners):
    """Match each left vertex of a range with its first free neighbor."""
    for i in range(start, end):
        v = left[i]
        e, row_end = rows.indptr[v], rows.indptr[v + 1]
        while e < row_end and partners.of_right[rows.indices[e]] >= 0:
            e += 1
        if e < row_end:
            partners.of_left[v] = rows.indices[e]
            partners.of_right[rows.indices[e]] = v


@kernel(by="single")
def _number_layers(
    limit: int, rows: Rows, partner_of_right: Vertices, layer: Vertices, queue: Vertices, progress: Int64s
):
    """Number layers along alternating paths, up to the first free right vertices; read at most `limit` rows."""
    head, tail, last_layer = progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER]
    stop = head + limit
    while head < min(tail, stop) and layer[queue[head]] <= last_layer:
        v = queue[head]
        head += 1
        prefetch(rows.indices, rows.indptr[queue[min(head + _PREFETCH_DISTANCE, tail - 1)]])
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            w = partner_of_right[rows.indices[e]]
            if w < 0:
                last_layer = layer[v]
            elif layer[w] < 0:
                layer[w] = layer[v] + 1
                queue[tail] = w
                tail += 1
    progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER] = head, tail, last_layer


@rule
def _extend(top, rows, partner_of_right, layer, at_entry, path):
    """Extend the path by a vertex; return 1 if a free right vertex was found, 0 if the path grew, -1 at a dead end."""
    v = path[top]
    while at_entry[v] < rows.indptr[v + 1]:
        w = partner_of_right[rows.indices[at_entry[v]]]
        if w < 0:
            return 1
        if layer[w] == layer[v] + 1:
            path[top + 1] = w
            return 0
        at_entry[v] += 1
    return -1


@kernel(by="single")
def _augment(
    start: int,
    end: int,
    free: Vertices,
    rows: Rows,
    partners: Partners,
    layer: Vertices,
    at_entry: Offsets,
    path: Vertices,
):
    """Find and apply an augmenting path along the layers from each free left vertex, disjoint from earlier ones."""
    for i in range(start, end):
        path[0] = free[i]
        top = outcome = 0
        while top >= 0 and outcome <= 0:
            outcome = _extend(top, rows, partners.of_right, layer, at_entry, path)
            if outcome < 0:  # a dead end; the predecessor tries its next entry
                layer[path[top]] = -1
                top -= 1
                if top >= 0:
                    at_entry[path[top]] += 1
            elif outcome == 0:
                top += 1
        if outcome > 0:
            for k in range(top, -1, -1):
                w = path[k]
                u = rows.indices[at_entry[w]]
                partners.of_left[w] = u
                partners.of_right[u] = w


def maximum_matching(indptr: Any, indices: Any, left: Any, few: int = 0) -> tuple[Any, Any, Any]:
    """Find a matching; return (partner_of_left, partner_of_right, reached).

    Partners are vertices, or -1. `reached` is the mask of the left vertices that alternating paths from free left
    vertices reach. The search ends when at most `few` left vertices are free; with 0 the matching is a maximum.
    """
    n, id_type = indptr.size - 1, indices.dtype
    rows, partners = Rows(indptr, indices), Partners(np.full(n, -1, id_type), np.full(n, -1, id_type))
    for start, end in chunked(left.size):
        _match_greedily(start, end, left, rows, partners)
    queue = np.empty(n + 1, id_type)
    while True:
        free = left[partners.of_left[left] < 0]
        layer = np.full(n, -1, id_type)
        layer[free] = 0
        if free.size <= few:
            break
        queue[: free.size] = free
        progress = np.array([0, free.size, n])
        while progress[_HEAD] < progress[_TAIL] and layer[queue[progress[_HEAD]]] <= progress[_LAST_LAYER]:
            _number_layers(_ROWS, rows, partners.of_right, layer, queue, progress)
        if progress[_LAST_LAYER] == n:  # no free right vertex was reached
            break
        at_entry = indptr[:-1].copy()
        for start, end in chunked(free.size, _PATHS):
            _augment(start, end, free, rows, partners, layer, at_entry, queue)
    return partners.of_left, partners.of_right, layer >= 0


def maximum_independent_set(indptr: Any, indices: Any, sides: Any) -> Any:
    """Return the mask, bool (n,), of a maximum independent set of the vertices on sides 1 and 2 (bipartition.py)."""
    first_side = sides == 1
    left = np.flatnonzero(first_side).astype(indices.dtype)
    _, partner_of_right, reached = maximum_matching(indptr, indices, left)
    unmatched = partner_of_right < 0
    return np.where(first_side, reached, (unmatched | ~reached[partner_of_right]) & (sides == 2))
