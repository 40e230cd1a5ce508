"""Maximum flow in a bipartite graph with weights, and the vertices that it decides.

Result: vertices that belong to an independent set of largest weight. In a bipartite component all vertices are decided.
In any component, they are those to which the linear relaxation of the problem gives the value 1 (a weighted critical
set), so that they and their neighbors can be removed.

Rule: a flow leads from left vertices along edges to right vertices, at most w(v) out of a left vertex v and at most
w(v) into a right vertex v. It is a maximum  <=>  no path with remaining capacity leads from a left vertex with spare
weight to a right vertex with spare weight. Let `reached` be all that such paths reach. Then

    a left vertex is in the set   <=>  it is reached
    a right vertex is in the set  <=>  it is not reached

In the code: `decided_vertices`. As in matching.py, the left side of a bipartite component is one of its
sides. In any other component each vertex is once on each side (the double cover), and a vertex is decided if both its
copies are in the set.

Idea: a greedy flow finds most of the maximum. Then each phase numbers layers breadth first from all left vertices with
spare weight, and augments the flow along the layers, depth first.

State: the flow on each entry of a left vertex; the spare weight of each vertex on each side; for left vertices v and
right vertices n + v the layer (-1: not reached), and the place in the row at which the search continues.

Cost: O(m) per phase, usually few phases; on one thread. The caller limits the phases. Work
memory: about 16 bytes per entry and 70 per vertex.

Sources: E. A. Dinic, "Algorithm for Solution of a Problem of Maximum Flow in Networks with Power Estimation", Soviet
Mathematics Doklady 11, 1970; G. L. Nemhauser, L. E. Trotter, "Vertex Packings: Structural Properties and Algorithms",
Mathematical Programming 8, 1975.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Int64s, Offsets, Rows, Vertices, chunked, kernel, rule
from ..._core.runtime.primitives import compact
from ...traversal.bipartition import ODD, two_sides

_ROWS, _PATHS = 1 << 20, 1 << 14  # per call: bounds the latency of Ctrl-C
_HEAD, _TAIL, _LAST_LAYER = range(3)  # places in `progress`


class Flow(NamedTuple):
    """A flow, and the state of a phase."""

    amounts: Int64s  # (entries,): the flow from the vertex of the row to the right vertex of the entry
    opposite: Offsets  # (entries,): the position of the entry (v, u) for each entry (u, v)
    spare_left: Int64s  # (n,)
    spare_right: Int64s  # (n,)
    layer: Vertices  # (2 n,)
    at_entry: Offsets  # (2 n,)


@kernel(by="single")
def _find_opposites(rows: Rows, next_entry: Offsets, opposite: Offsets):
    """Find the opposite of each entry; rows are sorted."""
    for v in range(next_entry.size):
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            opposite[e] = next_entry[u]
            next_entry[u] += 1


@kernel(by="single")
def _send_greedily(start: int, end: int, left: Vertices, rows: Rows, flow: Flow):
    """Send from each left vertex of a range what its neighbors can still take."""
    for i in range(start, end):
        v = left[i]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            amount = min(flow.spare_left[v], flow.spare_right[u])
            flow.amounts[e] += amount
            flow.spare_left[v] -= amount
            flow.spare_right[u] -= amount


@kernel(by="single")
def _number_layers(limit: int, rows: Rows, flow: Flow, queue: Vertices, progress: Int64s):
    """Number layers up to the first right vertices with spare weight; read at most `limit` rows."""
    n = flow.spare_left.size
    layer = flow.layer
    head, tail, last_layer = progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER]
    stop = head + limit
    while head < min(tail, stop) and layer[queue[head]] < last_layer:
        x = queue[head]
        head += 1
        if x < n:
            for e in range(rows.indptr[x], rows.indptr[x + 1]):
                y = n + rows.indices[e]
                if layer[y] < 0:
                    layer[y] = layer[x] + 1
                    queue[tail] = y
                    tail += 1
                    if flow.spare_right[y - n] > 0:
                        last_layer = layer[y]
        else:
            for e in range(rows.indptr[x - n], rows.indptr[x - n + 1]):
                y = rows.indices[e]
                if layer[y] < 0 and flow.amounts[flow.opposite[e]] > 0:
                    layer[y] = layer[x] + 1
                    queue[tail] = y
                    tail += 1
    progress[_HEAD], progress[_TAIL], progress[_LAST_LAYER] = head, tail, last_layer


@rule(inline=False)
def _extend(top, rows, flow, path):
    """Extend the path by a vertex of the next layer; return 1 at its end, 0 if it grew, -1 at a dead end."""
    n, x, at_entry = flow.spare_left.size, path[top], flow.at_entry
    if x >= n and flow.spare_right[x - n] > 0:
        return 1
    v = x if x < n else x - n
    while at_entry[x] < rows.indptr[v + 1]:
        e = at_entry[x]
        y = rows.indices[e] + (n if x < n else 0)
        if flow.layer[y] == flow.layer[x] + 1 and (x < n or flow.amounts[flow.opposite[e]] > 0):
            path[top + 1] = y
            return 0
        at_entry[x] += 1
    return -1


@rule(inline=False)
def _send_along(top, flow, path):
    """Send as much as possible along a path that ends at a right vertex with spare weight."""
    n, at_entry = flow.spare_left.size, flow.at_entry
    first, last = path[0], path[top] - n
    amount = min(flow.spare_left[first], flow.spare_right[last])
    for k in range(1, top, 2):
        amount = min(amount, flow.amounts[flow.opposite[at_entry[path[k]]]])
    for k in range(top):
        e = at_entry[path[k]]
        if k % 2 == 0:
            flow.amounts[e] += amount
        else:
            flow.amounts[flow.opposite[e]] -= amount
    flow.spare_left[first] -= amount
    flow.spare_right[last] -= amount


@kernel(by="single")
def _augment(start: int, end: int, sources: Vertices, rows: Rows, flow: Flow, path: Vertices):
    """Send flow along paths through the layers from each left vertex of a range."""
    for i in range(start, end):
        path[0] = sources[i]
        top = 0
        while top >= 0 and flow.spare_left[sources[i]] > 0:
            outcome = _extend(top, rows, flow, path)
            if outcome < 0:  # a dead end; the predecessor tries its next entry
                flow.layer[path[top]] = -1
                top -= 1
                if top >= 0:
                    flow.at_entry[path[top]] += 1
            elif outcome == 0:
                top += 1
            else:
                _send_along(top, flow, path)
                top = 0


def _reached(left: Any, rows: Rows, weights: Any, max_phases: int) -> tuple[Any | None, int]:
    """Return the mask (2 n,) of the reached left and right vertices, or None; and the number of phases."""
    n, id_type, offset_type = weights.size, rows.indices.dtype, rows.indptr.dtype
    opposite = np.empty(rows.indices.size, offset_type)
    _find_opposites(rows, rows.indptr[:-1].copy(), opposite)
    flow = Flow(
        np.zeros(rows.indices.size, np.int64),
        opposite,
        weights.copy(),
        weights.copy(),
        np.empty(2 * n, id_type),
        np.empty(2 * n, offset_type),
    )
    for start, end in chunked(left.size, _ROWS):
        _send_greedily(start, end, left, rows, flow)
    queue = np.empty(2 * n + 1, id_type)
    for phase in range(max_phases):
        sources = left[flow.spare_left[left] > 0]
        flow.layer[:] = -1
        flow.layer[sources] = 0
        queue[: sources.size] = sources
        progress = np.array([0, sources.size, 2 * n])
        while progress[_HEAD] < progress[_TAIL] and flow.layer[queue[progress[_HEAD]]] < progress[_LAST_LAYER]:
            _number_layers(_ROWS, rows, flow, queue, progress)
        if progress[_LAST_LAYER] == 2 * n:  # no right vertex with spare weight was reached
            return flow.layer >= 0, phase
        flow.at_entry[:n] = flow.at_entry[n:] = rows.indptr[:-1]
        for start, end in chunked(sources.size, _PATHS):
            _augment(start, end, sources, rows, flow, queue)
    return None, max_phases


def decided_vertices(indptr: Any, indices: Any, weights: Any, max_phases: int) -> tuple[Any | None, int]:
    """Return vertices that belong to an independent set of largest weight, and the number of phases.

    Rows must be sorted and weights positive. If the flow takes more phases, the vertices are None. If no vertex is
    decided, the optimum of the linear relaxation is half of all weights in each component.
    """
    n = weights.size
    if 2 * n >= 2**31:  # a vertex has two numbers
        indptr, indices = indptr.astype(np.int64), indices.astype(np.int64)
    rows = Rows(indptr, indices)
    sides = two_sides(rows)
    left = compact((sides == ODD) | (sides == 1)).astype(indices.dtype)
    reached, phases = _reached(left, rows, weights, max_phases)
    if reached is None:
        return None, phases
    by_left, by_right = reached[:n], ~reached[n:]
    in_set = np.where(sides == ODD, by_left & by_right, np.where(sides == 1, by_left, by_right))
    return compact(in_set), phases
