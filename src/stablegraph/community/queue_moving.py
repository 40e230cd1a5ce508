"""Local moving of one vertex after another, from a queue: the end of all local moving.

Result: communities in which no vertex of the queue has a reason to move; a function of the level, its communities, the
active vertices and the salt.

Rule: the first vertex of the queue moves to its best community; then its neighbors outside that community are appended,
unless they are in the queue. At first, the queue has the active vertices in a random order. In the code: `best_move` in
best_move.py, and `move_from_queue`. The oracle is `move_in_turn` in tests/support/naive_communities.py.

Idea: every move raises the objective by more than the rounding error, so the queue becomes empty after a finite number
of moves. It needs no limit.

Cost: a look at each vertex of the queue, on one thread. Work memory: 16 bytes per vertex.

Source: V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden", Scientific Reports 9, 2019 (fast local moving).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import kernel
from .._core.runtime.device import array_module, device_of
from .._core.runtime.primitives import compact
from .best_move import best_move
from .level import Communities, Level, Terms
from .links import Tables
from .rules import turn

_STEP = 1 << 18  # vertices per call: bounds the latency of Ctrl-C


class Queue(NamedTuple):
    """A ring of the active vertices."""

    active: Any  # (n,) uint8: 1 if a vertex is in the queue, 2 if it is fixed
    vertices: Any  # (n,) int64
    place: Any  # (3,) int64: the place of the first vertex, the number of vertices, and the number of moves


@kernel(types="int64[] int int64[]")
def write_turns(i, vertices, salt, words):
    """Store the words whose order is the order of the queue."""
    words[i] = turn(vertices[i], salt)


@kernel(
    by="single",
    types="O[] V[] int64[] int64[] int64[] int32[] int64[] int64[] float int int int32[] int64[] int32[] int "
    "int uint8[] int64[] int64[] int",
)
def move_from_queue(level: Level, communities: Communities, terms: Terms, tables: Tables, queue: Queue, steps):
    """Look at some vertices of the queue, and move them."""
    label, total, used = communities.label, communities.total, communities.used
    active, vertices, mass, n = queue.active, queue.vertices, level.mass, queue.vertices.size
    head, size, moved = queue.place[0], queue.place[1], queue.place[2]
    while size > 0 and steps > 0:
        v = vertices[head]
        head = head + 1 if head + 1 < n else 0
        size -= 1
        steps -= 1
        active[v] = 0
        new, _ = best_move(v, level, communities, terms, tables, 0)
        own = label[v]
        if new != own:
            total[own] -= mass[v]
            total[new] += mass[v]
            if terms.limit:
                used[own] -= level.sizes[v]
                used[new] += level.sizes[v]
            label[v] = new
            moved += 1
            for e in range(level.indptr[v], level.indptr[v + 1]):
                u = level.indices[e]
                if label[u] != new and active[u] == 0:
                    active[u] = 1
                    tail = head + size
                    vertices[tail if tail < n else tail - n] = u
                    size += 1
    queue.place[0] = head
    queue.place[1] = size
    queue.place[2] = moved


def move_in_turn(level: Level, communities: Communities, active: Any, terms: Terms, tables: Tables, salt: int) -> int:
    """Move the active vertices, and those that become active, one after another; return the number of moves."""
    xp = array_module(device_of(active))
    vertices = compact(active == 1)
    count = int(vertices.size)
    if count == 0:
        return 0
    words = xp.empty(count, np.int64)
    write_turns(count, vertices, salt, words)
    queue = Queue(active, xp.zeros(int(active.size), np.int64), xp.asarray([0, count, 0]))
    queue.vertices[:count] = vertices[xp.argsort(words)]
    while int(queue.place[1]):
        move_from_queue(level, communities, terms, tables, queue, _STEP)
    return int(queue.place[2])
