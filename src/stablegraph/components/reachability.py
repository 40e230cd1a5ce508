"""Search without levels: all vertices that can be reached from a list, by several threads.

Result: the vertices that can be reached; independent of the schedule.

Rule: u is reached  <=>  u is in the list, or an arc leads from a reached vertex to u. In the code: `_reach`.

Idea: distances do not matter, so there are no levels. A worker that reaches a vertex first puts it onto its own stack
and follows its arcs next (frontier.py). It proceeds along a path of thousands of vertices without a barrier, and shares
the vertices that do not fit onto its stack.

Each arc needs three dependent reads: of the offsets of a row, of the row, and of the flag of a head. So a vertex waits
in a queue of eight vertices while its row is loaded, and then the flags of its heads.

State: a number per vertex, 0 or 1 (reached); it is only ever set. With a bit per vertex, the cores would write to the
same cache lines too often.

Cost: each arc at most once, in calls of at most 16,384 arcs per worker. Work memory: 8 bytes per vertex (16 with
64-bit indices), of which only the parts for the longest lists are used, and the numbers of the caller.

Source: L. Wang, X. Dong, Y. Gu, Y. Sun, "Parallel Strong Connectivity Based on Faster Reachability", SIGMOD 2023, which
calls searches beyond one level within a step vertical granularity control.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Rows, Vertices, atomic_or, chunk_bounds, kernel, prefetch
from ..graph import Graph
from .frontier import ROOM, Frontier, Worklists, hand_back, pop, push

_BUDGET = 1 << 14  # vertices and arcs of a worker per call: few, so that idle workers soon get a share
_DELAY = 8  # vertices in the queue of a worker
_PREFETCHED_HEADS = 16  # heads of a row whose flags are prefetched


@kernel(by="workers")
def _reach(worker, workers, lists: Worklists, rows: Rows, queues: Vertices, reached: Vertices):
    """Follow the arcs of the listed vertices, and of the vertices that they reach."""
    indptr, indices = rows.indptr, rows.indices
    i, end = chunk_bounds(lists.current.size, worker, workers)
    bottom, depth, budget = worker * ROOM, 0, lists.budget
    queue, step, waiting, n = worker * ROOM, 0, 0, indptr.size - 1
    for place in range(_DELAY):
        queues[queue + place] = n  # no vertex
    while waiting > 0 or (budget > 0 and (depth > 0 or i < end)):
        # The vertex that has waited longest leaves the queue, and another one enters it.
        place = queue + step % _DELAY
        v = queues[place]
        queues[place] = n
        if budget > 0 and (depth > 0 or i < end):
            entering, i, depth = pop(i, depth, bottom, lists)
            prefetch(indices, indptr[entering])
            queues[place] = entering
            waiting += 1
        halfway = queues[queue + (step + _DELAY // 2) % _DELAY]
        if halfway < n:
            for e in range(indptr[halfway], min(indptr[halfway + 1], indptr[halfway] + _PREFETCHED_HEADS)):
                prefetch(reached, indices[e])
        step += 1
        if v < n:
            waiting -= 1
            budget -= 1 + indptr[v + 1] - indptr[v]
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                if reached[u] == 0 and atomic_or(reached, u, 1) == 0:
                    prefetch(indptr, u)
                    depth = push(u, depth, bottom, lists)
    hand_back(i, end, depth, bottom, lists)


def extend(graph: Graph, vertices: Any, reached: Any) -> None:
    """Set `reached` to 1 for all vertices that can be reached from those in the list, for which it is 1 already."""
    frontier = Frontier(graph)
    frontier.budget = _BUDGET
    queues = np.empty_like(frontier.stacks)
    frontier.exhaust(_reach, vertices, Rows(graph.indptr, graph.indices), queues, reached)
