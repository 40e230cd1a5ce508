"""Reachability by several threads without levels: the component of a pivot in graphs with long paths.

Result: the vertices that a pivot reaches, and those of them that reach it; independent of the schedule.

Rule: u is reached  <=>  u is the pivot, or an arc leads from a reached vertex to u. In the code: `_reach`.

Idea: distances do not matter, so there are no levels. A worker that reaches a vertex first puts it onto its own stack
and follows its arcs next (frontier.py). It proceeds along a path of thousands of vertices without a barrier, and shares
the vertices that do not fit onto its stack. Backward, arcs are read from the transposed graph.

State: a number per vertex and direction, 0 or 1; it is only ever set.

Cost: each arc at most once in each direction, in calls of about ten thousand arcs per worker. Work memory: 18 bytes per
vertex (34 with 64-bit indices), and the transposed graph.

Source: L. Wang, X. Dong, Y. Gu, Y. Sun, "Parallel Strong Connectivity Based on Faster Reachability", SIGMOD 2023, which
calls searches beyond one level within a step vertical granularity control.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Rows, atomic_or, chunk_bounds, kernel, prefetch
from ..graph import Graph
from .frontier import ROOM, Frontier, Worklists, hand_back, pop, push

_BUDGET = 1 << 13  # vertices and arcs of a worker per call: few, so that idle workers soon get a share


@kernel(by="workers", types="V[] V[] V[] int64[] int O[] V[] int32[]")
def _reach(worker, workers, lists: Worklists, rows: Rows, reached):
    """Follow the arcs of the listed vertices, and of the vertices that they reach."""
    i, end = chunk_bounds(lists.current.size, worker, workers)
    bottom, depth, budget = worker * ROOM, 0, lists.budget
    while budget > 0 and (depth > 0 or i < end):
        v, i, depth = pop(i, depth, bottom, lists)
        if depth > 0:
            prefetch(rows.indices, rows.indptr[lists.stacks[bottom + depth - 1]])
        budget -= 1 + rows.indptr[v + 1] - rows.indptr[v]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if reached[u] == 0 and atomic_or(reached, u, 1) == 0:
                prefetch(rows.indptr, u)
                depth = push(u, depth, bottom, lists)
    hand_back(i, end, depth, bottom, lists)


def component_of(graph: Graph, pivot: int) -> tuple[Any, Any] | None:
    """Return the vertices that a pivot reaches and its component, 0 or 1 per vertex; None if it has no other vertex."""
    frontier = Frontier(graph)
    frontier.budget = _BUDGET
    both = []
    for searched in (graph, graph.transpose()):
        marks: Any = np.zeros(graph.num_vertices, index_type(graph.num_vertices))
        marks[pivot] = 1
        frontier.exhaust(_reach, np.array([pivot]), Rows(searched.indptr, searched.indices), marks)
        both.append(marks.astype(np.uint8))
    reached, members = both
    members &= reached
    return (reached, members) if np.count_nonzero(members) > 1 else None
