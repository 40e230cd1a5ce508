"""Maximum flow in a bipartite graph with or without weights, and the vertices that it decides.

Result: vertices that belong to an independent set of largest weight. In a bipartite component all vertices are decided.
In any component, they are those to which the linear relaxation of the problem gives the value 1 (a weighted critical
set), so that they and their neighbors can be removed.

Without weights, all weights are 1, and the flow is a matching: a largest set of disjoint edges. The vertices decided in
a bipartite graph are then a maximum independent set. By König's theorem its size is the number of vertices minus the
number of edges in the matching.

Rule: a flow leads from left vertices along edges to right vertices, at most w(v) out of a left vertex v and at most
w(v) into a right vertex v. It is a maximum  <=>  no path with remaining capacity leads from a left vertex with spare
weight to a right vertex with spare weight. (In a matching, vertices with spare weight are free, and such a path is an
alternating path.) Let `reached` be all that such paths reach. Then

    a left vertex is in the set   <=>  it is reached
    a right vertex is in the set  <=>  it is not reached

In the code: `_choose`.

The left side is defined by the array `left`; the edges connect each vertex in `left` with right vertices, given by its
row. The left side of a bipartite component is one of its sides. In any other component each vertex is once on each side
(the double cover), and a vertex is decided if both its copies are in the set.

Idea: a greedy flow, by paths of one edge, finds nearly all of the maximum. Then each phase numbers layers breadth first
from all left vertices with spare weight, and sends flow along paths through the layers, depth first. Paths are lists of
left vertices: a right vertex leads to the left vertices that send to it, in a matching to its partner.

State: the flow on each entry of a left vertex and the spare weight of each vertex on each side, or in a matching the
partners (-1: free); the layer of each vertex (-1: not reached; a right vertex is in the layer of the left vertices that
reach it first); the position in its row at which the search continues.

Cost: O(m) per phase, for matchings O(sqrt n) phases, usually few; on one thread. The caller limits the phases. Work
memory: five numbers per vertex for matchings; with weights about 16 bytes per entry and 60 per vertex.

Sources: J. E. Hopcroft, R. M. Karp, "An n^(5/2) Algorithm for Maximum Matchings in Bipartite Graphs", SIAM Journal on
Computing 2(4), 1973; E. A. Dinic, "Algorithm for Solution of a Problem of Maximum Flow in Networks with Power
Estimation", Soviet Mathematics Doklady 11, 1970; D. König, "Gráfok és mátrixok", Matematikai és Fizikai Lapok 38, 1931;
G. L. Nemhauser, L. E. Trotter, "Vertex Packings: Structural Properties and Algorithms", Mathematical Programming 8,
1975.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import (
    Bools,
    Bytes,
    Int64s,
    Int64Table,
    Offsets,
    OffsetTable,
    Rows,
    VertexTable,
    Vertices,
    chunked,
    kernel,
    prefetch,
    rule,
)
from ..._core.runtime.primitives import compact
from ...traversal.bipartition import ODD, two_sides

_HEAD, _TAIL, _LAST_LAYER = range(3)  # places in `progress`
_ROWS, _PATHS = 1 << 20, 1 << 14  # per call: bounds the latency of Ctrl-C
_UNLIMITED = 1 << 62  # phases
_PREFETCH_DISTANCE = 8  # vertices of the queue


class Flow(NamedTuple):
    """A flow, and the state of a phase. In a matching, `amounts`, `opposite` and `spare` are empty, else `partners`."""

    amounts: Int64s  # (entries,): the flow from the vertex of the row to the right vertex of the entry
    opposite: Offsets  # (entries,): the position of the entry (v, u) for each entry (u, v)
    spare: Int64Table  # (2, n): the spare weights of left and right vertices
    partners: VertexTable  # (2, n): the partners of left and right vertices, or -1
    layer: VertexTable  # (2, n): of left and right vertices; in a matching (1, n)
    at_entry: OffsetTable  # the same: the position in its row at which the search continues


@kernel(by="single")
def _find_opposites(rows: Rows, next_entry: Offsets, opposite: Offsets):
    """Find the opposite of each entry; rows are sorted."""
    for v in range(next_entry.size):
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            opposite[e] = next_entry[u]
            next_entry[u] += 1


@kernel(by="single")
def _number_layers(limit: int, rows: Rows, flow: Flow, queue: Vertices, progress: Int64s):
    """Number layers up to the first right vertices with spare weight; read at most `limit` rows of left vertices."""
    layer, has_weights = flow.layer, flow.amounts.size > 0
    head, tail, last_layer = progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER]
    stop = head + limit
    while head < min(tail, stop) and layer[0, queue[head]] <= last_layer:
        v = queue[head]
        head += 1
        prefetch(rows.indices, rows.indptr[queue[min(head + _PREFETCH_DISTANCE, tail - 1)]])
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if not has_weights:
                w = flow.partners[1, u]
                if w < 0:
                    last_layer = layer[0, v]
                elif layer[0, w] < 0:
                    layer[0, w] = layer[0, v] + 1
                    queue[tail] = w
                    tail += 1
            elif layer[1, u] < 0:
                layer[1, u] = layer[0, v]
                if flow.spare[1, u] > 0:
                    last_layer = layer[0, v]
                for f in range(rows.indptr[u], rows.indptr[u + 1]):
                    w = rows.indices[f]
                    if layer[0, w] < 0 and flow.amounts[flow.opposite[f]] > 0:
                        layer[0, w] = layer[0, v] + 1
                        queue[tail] = w
                        tail += 1
    progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER] = head, tail, last_layer


@rule
def _extend_path(top, last_layer, rows, flow, path):
    """Extend the path by a left vertex; return 1 if spare weight was found, 0 if it grew, -1 at a dead end."""
    v, layer, at_entry = path[top], flow.layer, flow.at_entry
    while at_entry[0, v] < rows.indptr[v + 1]:
        u = rows.indices[at_entry[0, v]]
        if flow.amounts.size == 0:
            w = flow.partners[1, u]
            if w < 0:
                return 1
            if layer[0, w] == layer[0, v] + 1:
                path[top + 1] = w
                return 0
        elif flow.spare[1, u] > 0:
            return 1
        elif layer[1, u] == layer[0, v] and layer[0, v] < last_layer:
            while at_entry[1, u] < rows.indptr[u + 1]:
                f = at_entry[1, u]
                w = rows.indices[f]
                if layer[0, w] == layer[0, v] + 1 and flow.amounts[flow.opposite[f]] > 0:
                    path[top + 1] = w
                    return 0
                at_entry[1, u] += 1
        at_entry[0, v] += 1
    return -1


@rule
def _send_along(top, rows, flow, path):
    """Send as much as possible along a path; return whether its first vertex has more spare weight."""
    amounts, opposite, spare, at_entry = flow.amounts, flow.opposite, flow.spare, flow.at_entry
    if amounts.size == 0:
        for k in range(top, -1, -1):
            u = rows.indices[at_entry[0, path[k]]]
            flow.partners[0, path[k]], flow.partners[1, u] = u, path[k]
        return False
    last = rows.indices[at_entry[0, path[top]]]
    amount = min(spare[0, path[0]], spare[1, last])
    for k in range(top):
        u = rows.indices[at_entry[0, path[k]]]
        amount = min(amount, amounts[opposite[at_entry[1, u]]])
    for k in range(top + 1):
        e = at_entry[0, path[k]]
        amounts[e] += amount
        if k < top:
            amounts[opposite[at_entry[1, rows.indices[e]]]] -= amount
    spare[0, path[0]] -= amount
    spare[1, last] -= amount
    return spare[0, path[0]] > 0


@kernel(by="single")
def _augment(start: int, end: int, last_layer: int, sources: Vertices, rows: Rows, flow: Flow, path: Vertices):
    """Send flow along paths through the layers from each left vertex of a range."""
    for i in range(start, end):
        path[0] = sources[i]
        top = 0
        while top >= 0:
            outcome = _extend_path(top, last_layer, rows, flow, path)
            if outcome == 0:
                top += 1
            elif outcome < 0:  # a dead end
                flow.layer[0, path[top]] = -1
                top -= 1
            else:
                top = 0 if _send_along(top, rows, flow, path) else -1


def _maximize(left: Any, rows: Rows, flow: Flow, few: int = 0, max_phases: int = _UNLIMITED) -> int | None:
    """Find a maximum flow; return the number of phases, or None if it takes more than allowed.

    The search ends when at most `few` left vertices have spare weight.
    """
    n, layer = rows.indptr.size - 1, flow.layer
    queue, sources = np.empty(n + 1, rows.indices.dtype), left
    layer[0], layer[1:] = 0, -1  # no vertex is in the next layer, so that paths have one edge
    last_layer = 0
    for phase in range(max_phases + 1):
        flow.at_entry[:] = rows.indptr[:-1]
        for start, end in chunked(sources.size, _PATHS):
            _augment(start, end, last_layer, sources, rows, flow, queue)
        sources = left[flow.spare[0][left] > 0 if flow.spare.size else flow.partners[0][left] < 0]
        layer[:] = -1
        layer[0, sources] = 0
        if phase == max_phases:
            return None
        if sources.size <= few:
            return phase
        queue[: sources.size] = sources
        progress = np.array([0, sources.size, n])
        while progress[_HEAD] < progress[_TAIL] and layer[0, queue[progress[_HEAD]]] <= progress[_LAST_LAYER]:
            _number_layers(_ROWS, rows, flow, queue, progress)
        last_layer = int(progress[_LAST_LAYER])
        if last_layer == n:  # no right vertex with spare weight was reached
            return phase
    return None


def _matching(rows: Rows) -> Flow:
    """Return an empty matching."""
    n, id_type, no_numbers = rows.indptr.size - 1, rows.indices.dtype, np.empty(0, np.int64)
    partners, layer, at_entry = np.full((2, n), -1, id_type), np.empty((1, n), id_type), rows.indptr[np.newaxis, 1:]
    return Flow(no_numbers, rows.indptr[:0], no_numbers.reshape(2, 0), partners, layer, at_entry.copy())


def _weighted_flow(rows: Rows, weights: Any) -> Flow:
    """Return a flow of 0."""
    n, entries, id_type, offset_type = weights.size, rows.indices.size, rows.indices.dtype, rows.indptr.dtype
    opposite, amounts = np.empty(entries, offset_type), np.zeros(entries, np.int64)
    _find_opposites(rows, rows.indptr[:-1].copy(), opposite)
    layer, at_entry = np.empty((2, n), id_type), np.empty((2, n), offset_type)
    return Flow(amounts, opposite, np.stack([weights, weights]), layer[:0], layer, at_entry)


@kernel
def _choose(v, sides: Bytes, flow: Flow, chosen: Bools):
    """Write whether v is decided and in the set."""
    left = flow.layer[0, v] >= 0
    if flow.partners.size:
        partner = flow.partners[1, v]
        right = partner >= 0 and flow.layer[0, partner] >= 0
    else:
        right = flow.layer[flow.layer.shape[0] - 1, v] >= 0
    if sides[v] == 1:
        chosen[v] = left
    else:
        chosen[v] = not right and (left or sides[v] != ODD)


def _chosen(sides: Any, flow: Flow) -> Any:
    """Return the mask of the decided vertices that are in the set."""
    chosen = np.empty(sides.size, bool)
    _choose(sides.size, sides, flow, chosen)
    return chosen


def maximum_matching(indptr: Any, indices: Any, left: Any, few: int = 0) -> tuple[Any, Any]:
    """Find a matching; return (partner_of_left, partner_of_right); partners are vertices, or -1.

    The search ends when at most `few` left vertices are free; with 0 the matching is a maximum.
    """
    rows = Rows(indptr, indices)
    flow = _matching(rows)
    _maximize(left, rows, flow, few)
    return flow.partners[0], flow.partners[1]


def maximum_independent_set(indptr: Any, indices: Any, sides: Any) -> Any:
    """Return the mask, bool (n,), of a maximum independent set of the vertices on sides 1 and 2 (bipartition.py)."""
    rows = Rows(indptr, indices)
    flow = _matching(rows)
    _maximize(np.flatnonzero(sides == 1).astype(indices.dtype), rows, flow)
    return _chosen(sides, flow)


def decided_vertices(indptr: Any, indices: Any, weights: Any, max_phases: int) -> tuple[Any | None, int]:
    """Return vertices that belong to an independent set of largest weight, and the number of phases.

    Rows must be sorted and weights positive. If the flow takes more phases, the vertices are None. If no vertex is
    decided, the optimum of the linear relaxation is half of all weights in each component.
    """
    rows = Rows(indptr, indices)
    sides = two_sides(rows)
    left = compact((sides == ODD) | (sides == 1)).astype(indices.dtype)
    flow = _matching(rows) if (weights == weights[:1]).all() else _weighted_flow(rows, weights)
    phases = _maximize(left, rows, flow, 0, max_phases)
    if phases is None:
        return None, max_phases
    return compact(_chosen(sides, flow)), phases
