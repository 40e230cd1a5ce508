"""Frontiers as worklists: vertices to process, and vertices that are added during the processing.

Idea: every worker takes a range of the list. If it claims a new vertex, it puts the vertex onto its own short stack and
processes it next, so that a path of a million vertices does not need a million launches. Vertices that do not fit onto
the stack, or that remain when the budget of a call is spent, form the next list for all workers. A vertex is claimed by
an atomic operation, so each is on a list at most once.

Workers do not wait for one another: a call also terminates if the workers run one after another.

A kernel on worklists (by workers) takes a `Worklists`, pops its vertices with `pop`, adds vertices with `push`, counts
its work against `budget`, and calls `hand_back` at the end.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int64s, Vertices, atomic_add, rule, worker_count

ROOM = 64  # vertices on a worker's stack
_BUDGET = 1 << 15  # vertices and entries that a worker may process in a call, on the CPU
_SHORT_BUDGET = 1 << 10  # the same for an empty list, and _PER_VERTEX more for each listed vertex: the first calls make
_PER_VERTEX = 64  # lists that are long enough for all workers
_CUDA_BUDGET = 1 << 10  # the same on a GPU


class Worklists(NamedTuple):
    """The vertices to process in one call of a kernel, and the storage for added vertices."""

    current: Vertices  # the list that is divided among all workers
    stacks: Vertices  # (workers * ROOM,): the stacks of the workers
    following: Vertices  # the list for the next call
    length: Int64s  # (1,): the length of the following list
    budget: int  # vertices and entries that a worker may process in this call


@rule(inline=False)
def hand_over(start, end, vertices, following, length):
    """Append ``given[start:end]`` to the following list."""
    place = int(atomic_add(length, 0, end - start))
    for i in range(start, end):
        following[place + i - start] = vertices[i]


@rule
def pop(i, depth, bottom, lists):
    """Take the next vertex from the top of the worker's stack, or else from its range; also return new `i`, `depth`."""
    if depth > 0:
        return lists.stacks[bottom + depth - 1], i, depth - 1
    return lists.current[i], i + 1, depth


@rule
def push(v, depth, bottom, lists):
    """Push v onto the worker's stack, which begins at `bottom` and has `depth` vertices; return the new depth."""
    if depth == ROOM:
        depth = ROOM // 2
        hand_over(bottom + depth, bottom + ROOM, lists.stacks, lists.following, lists.length)
    lists.stacks[bottom + depth] = v
    return depth + 1


@rule
def hand_back(i, end, depth, bottom, lists):
    """Append the remaining vertices of the worker's stack, and of its range from `i` on, to the following list."""
    hand_over(bottom, bottom + depth, lists.stacks, lists.following, lists.length)
    hand_over(i, end, lists.current, lists.following, lists.length)


class Frontier:
    """The worklists of one graph, and repeated kernel calls until they are empty."""

    def __init__(self, graph: Any) -> None:
        xp, n = graph.xp, graph.num_vertices
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self.budget = _BUDGET if graph.device == "cpu" else _CUDA_BUDGET
        self.current, self.following = (xp.empty(n, graph.indices.dtype) for _ in range(2))
        self.stacks = xp.empty(self.workers * ROOM, graph.indices.dtype)
        self.length = xp.zeros(1, np.int64)

    def exhaust(self, step: Any, vertices: Any, *arguments: Any) -> None:
        """Call a kernel on worklists, first on the given vertices, until no vertex remains."""
        count = int(vertices.size)
        self.current[:count] = vertices
        while count:
            self.length[0] = 0
            budget = min(self.budget, _SHORT_BUDGET + _PER_VERTEX * count)
            lists = Worklists(self.current[:count], self.stacks, self.following, self.length, budget)
            step(min(self.workers, count), lists, *arguments)
            self.current, self.following = self.following, self.current
            count = int(self.length[0])
