"""Work that spreads from vertex to vertex: lists of vertices in hand, and what they add.

Idea: every worker takes a part of the list. A vertex that it claims on the way goes onto a short list of its own, and
it goes on with that at once, so that a path of a million vertices takes no million launches; what does not fit, or is
left when the budget of a call is spent, becomes the next list for all workers. Who claims a vertex is settled by an
atomic operation, so each is on a list at most once.

Nobody waits for anybody: each call ends when the workers run one after another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, atomic_add, rule, worker_count
from ..parallel.device import array_module

ROOM = 64  # vertices on a worker's own list
_BUDGET = 1 << 15  # vertices and entries that a worker may look at in a call; on a GPU:
_CUDA_BUDGET = 1 << 10


@rule(inline=False)
def hand_over(first, beyond, given, following, length):
    """Put ``given[first:beyond]`` onto the next list for all."""
    place = int(atomic_add(length, 0, beyond - first))
    for i in range(first, beyond):
        following[at(place + i - first)] = given[at(i)]


@rule
def keep(v, depth, bottom, own, following, length):
    """Put v onto a worker's own list, which begins at `bottom` and has `depth` vertices; the new depth."""
    if depth == ROOM:
        depth = ROOM // 2
        hand_over(bottom + depth, bottom + ROOM, own, following, length)
    own[at(bottom + depth)] = v
    return depth + 1


class Spreading:
    """The lists of one graph, and calls of kernels until they are empty."""

    def __init__(self, graph: Any) -> None:
        xp, n = array_module(graph.device), graph.num_vertices
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self.budget = _BUDGET if graph.device == "cpu" else _CUDA_BUDGET
        self.current, self.following = (xp.empty(n, graph.indices.dtype) for _ in range(2))
        self.own = xp.empty(self.workers * ROOM, graph.indices.dtype)
        self.length = xp.zeros(1, np.int64)

    def run(self, kernel: Any, vertices: Any, *arguments: Any) -> None:
        """Call a kernel on lists of vertices, at first the given one, until nobody is left."""
        count = int(vertices.size)
        self.current[:count] = vertices
        while count:
            self.length[0] = 0
            workers = min(self.workers, count)
            kernel(workers, count, self.budget, *arguments, self.current, self.own, self.following, self.length)
            self.current, self.following = self.following, self.current
            count = int(self.length[0])
