"""Repeated trimming: a vertex without an arc in, or without an arc out, is a strong component by itself.

Result: components of one vertex; the others stay. It is a function of the graph and the parts alone.

Rule: v is a component  <=>  no arc of its part enters it, or none leaves it, but for arcs of vertices that have been
trimmed. In the code: `_count_arcs` at first, then `_remove_arcs`.

Idea: only arcs inside a part count. When a vertex is trimmed, its arcs are removed from its neighbors, which may lose
their last arc in or out by that, and are trimmed next.

State: `remaining`, the numbers of arcs that each vertex still has inside its part, loops not counted; `keys`, -1 for
vertices whose component is not known yet; `parts`, -1 for vertices that are finished.

Cost: the arcs of the vertices left are counted, and those of each trimmed vertex read once in either direction. Work
memory: 8 bytes a vertex (16 from 2**31 arcs on).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Graph
from ..parallel import atomic_add, atomic_compare_and_swap, kernel, rule, share
from ..parallel.groups import Rows
from .frontier import ROOM, Frontier, Worklists, hand_back, pop, push


class Remaining(NamedTuple):
    """How many arcs each vertex still has inside its part."""

    out: Any  # (n,): arcs that leave it
    into: Any  # (n,): arcs that enter it


@rule
def _arcs_inside(v, rows, parts):
    """How many arcs of v's row stay inside its part."""
    part, arcs = parts[v], 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        arcs += int((parts[u] == part) & (u != v))
    return arcs


@kernel(types="int64[] O[] V[] O[] V[] int32[] O[] O[] int32[] bool[]")
def _count_arcs(i, live, rows: Rows, back: Rows, parts, remaining: Remaining, keys, bare):
    """Count the arcs of the i-th live vertex; if it has none in or none out, it is a component."""
    v = live[i]
    remaining.out[v] = out = _arcs_inside(v, rows, parts)
    remaining.into[v] = into = _arcs_inside(v, back, parts)
    bare[i] = (out == 0) | (into == 0)
    if (out == 0) | (into == 0):
        keys[v] = v


@rule
def _remove_arcs(v, depth, bottom, rows, parts, arcs, keys, lists):
    """Remove v's arcs from its neighbors' counts; claim those neighbors that lose their last one. The new depth."""
    part = parts[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        still_there = parts[u] == part and keys[u] < 0
        if still_there and atomic_add(arcs, u, -1) == 1 and atomic_compare_and_swap(keys, u, -1, u) == -1:
            depth = push(u, depth, bottom, lists)
    return depth


@kernel(by="workers", types="V[] V[] V[] int64[] int O[] V[] O[] V[] int32[] O[] O[] int32[]")
def _trim(worker, workers, lists: Worklists, rows: Rows, back: Rows, parts, remaining: Remaining, keys):
    """Trim the listed vertices, and those that lose their last arc in or out by that."""
    i, end = share(lists.current.size, worker, workers)
    bottom, depth, budget = worker * ROOM, 0, lists.budget
    while budget > 0 and (depth > 0 or i < end):
        v, i, depth = pop(i, depth, bottom, lists)
        budget -= 1 + int(rows.indptr[v + 1] - rows.indptr[v]) + int(back.indptr[v + 1] - back.indptr[v])
        depth = _remove_arcs(v, depth, bottom, rows, parts, remaining.into, keys, lists)
        depth = _remove_arcs(v, depth, bottom, back, parts, remaining.out, keys, lists)
        parts[v] = -1
    hand_back(i, end, depth, bottom, lists)


class Trimming:
    """Trims the parts of one graph, again and again."""

    def __init__(self, graph: Graph, frontier: Frontier) -> None:
        xp, n, back = graph.xp, graph.num_vertices, graph.transpose()
        self.xp, self.frontier = xp, frontier
        self.rows = Rows(graph.indptr, graph.indices), Rows(back.indptr, back.indices)
        self.remaining = Remaining(xp.empty(n, graph.indptr.dtype), xp.empty(n, graph.indptr.dtype))

    def trim(self, live: Any, parts: Any, keys: Any) -> Any:
        """Make components of all live vertices that can be trimmed; the others."""
        bare = self.xp.empty(live.size, np.bool_)
        state = *self.rows, parts, self.remaining, keys
        _count_arcs(live.size, live, *state, bare)
        self.frontier.exhaust(_trim, live[bare], *state)
        return live[parts[live] >= 0]
