"""Repeated trimming: a vertex without incoming arcs, or without outgoing arcs, is a strong component by itself.

Result: components of one vertex; the other vertices remain. It depends only on the graph and the parts.

Rule: v is a component  <=>  no arc of its part enters it, or none leaves it, where arcs of trimmed vertices do not
count. In the code: first `_count_arcs`, then `_remove_arcs`.

Idea: only arcs inside a part count. When a vertex is trimmed, its arcs are removed from its neighbors. A neighbor that
loses its last incoming or outgoing arc is trimmed next.

State: `remaining`, the numbers of arcs that each vertex still has inside its part, without loops; `keys`, -1 for
vertices whose component is not yet known; `parts`, -1 for finished vertices.

Cost: the arcs of the live vertices are counted, and those of each trimmed vertex are read once in each direction. Work
memory: 8 bytes per vertex (16 from 2**31 arcs on).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int32s, Offsets, Rows, atomic_add, atomic_compare_and_swap, chunk_bounds, kernel, rule
from ..components.frontier import ROOM, Frontier, Worklists, hand_back, pop, push
from ..graph import Graph


class Remaining(NamedTuple):
    """The numbers of arcs that each vertex still has inside its part."""

    out: Offsets  # (n,): arcs that leave it
    into: Offsets  # (n,): arcs that enter it


@rule
def _arcs_inside(v, rows, parts):
    """Count the arcs of v's row that stay inside its part."""
    part, arcs = parts[v], 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        arcs += int((parts[u] == part) & (u != v))
    return arcs


@kernel(types="int64[] int32[] int32[] bool[]")
def _count_arcs(i, live, rows: Rows, back: Rows, parts, remaining: Remaining, keys, bare):
    """Count the arcs of the i-th live vertex; without incoming or without outgoing arcs it is a component."""
    v = live[i]
    remaining.out[v] = out = _arcs_inside(v, rows, parts)
    remaining.into[v] = into = _arcs_inside(v, back, parts)
    bare[i] = (out == 0) | (into == 0)
    if (out == 0) | (into == 0):
        keys[v] = v


@rule
def _remove_arcs(v, depth, bottom, rows, parts, arcs, keys, lists):
    """Remove v's arcs from its neighbors' counts; claim neighbors that lose their last arc; return the new depth."""
    part = parts[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        still_there = parts[u] == part and keys[u] < 0
        if still_there and atomic_add(arcs, u, -1) == 1 and atomic_compare_and_swap(keys, u, -1, u) == -1:
            depth = push(u, depth, bottom, lists)
    return depth


@kernel(by="workers")
def _trim(worker, workers, lists: Worklists, rows: Rows, back: Rows, parts: Int32s, remaining: Remaining, keys: Int32s):
    """Trim the listed vertices, and the vertices that lose their last incoming or outgoing arc."""
    i, end = chunk_bounds(lists.current.size, worker, workers)
    bottom, depth, budget = worker * ROOM, 0, lists.budget
    while budget > 0 and (depth > 0 or i < end):
        v, i, depth = pop(i, depth, bottom, lists)
        budget -= 1 + int(rows.indptr[v + 1] - rows.indptr[v]) + int(back.indptr[v + 1] - back.indptr[v])
        depth = _remove_arcs(v, depth, bottom, rows, parts, remaining.into, keys, lists)
        depth = _remove_arcs(v, depth, bottom, back, parts, remaining.out, keys, lists)
        parts[v] = -1
    hand_back(i, end, depth, bottom, lists)


class Trimming:
    """Trims the parts of one graph repeatedly."""

    def __init__(self, graph: Graph, frontier: Frontier) -> None:
        xp, n, back = graph.xp, graph.num_vertices, graph.transpose()
        self.xp, self.frontier = xp, frontier
        self.rows = Rows(graph.indptr, graph.indices), Rows(back.indptr, back.indices)
        self.remaining = Remaining(xp.empty(n, graph.indptr.dtype), xp.empty(n, graph.indptr.dtype))

    def trim(self, live: Any, parts: Any, keys: Any) -> Any:
        """Make components of all live vertices that can be trimmed; return the other live vertices."""
        bare = self.xp.empty(live.size, np.bool_)
        state = *self.rows, parts, self.remaining, keys
        _count_arcs(live.size, live, *state, bare)
        self.frontier.exhaust(_trim, live[bare], *state)
        return live[parts[live] >= 0]
