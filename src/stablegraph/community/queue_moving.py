"""Local moving of one vertex after another: the end of all local moving.

Result: communities in which no vertex of the list has a reason to move; a function of the level, its communities, the
active vertices and the salt.

Rule: the active vertices move to their best communities one after another, in a random order; then those that have
become active, as neighbors of a moved vertex outside its new community, and so on. In the code: `best_move` in
rules.py, and `move_listed`. The oracle is `move_in_turn` in tests/support/naive_communities.py.

Idea: every move raises the objective by more than the rounding error, so the list becomes empty after a finite number
of moves. It needs no limit. The order of a list is a function of its vertices, not of the order of entries in a row.

Cost: a look at each vertex of the list, on one thread. Work memory: 16 bytes per vertex.

Source: V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden", Scientific Reports 9, 2019 (fast local moving).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Int64s, chunked, kernel
from .._core.runtime.device import array_module, device_of
from .._core.runtime.partitioning import VERTICES_PER_CALL
from .._core.runtime.primitives import compact
from .level import Communities, Level, Terms
from .links import Tables
from .rules import best_move, turn


@kernel
def write_turns(i, vertices: Int64s, salt: int, words: Int64s):
    """Store the words whose order is the order of the queue."""
    words[i] = turn(vertices[i], salt)


@kernel(by="single", types="uint8[] int64[] int64[]")
def move_listed(level: Level, communities: Communities, terms: Terms, tables: Tables, active, vertices, moved):
    """Look at the listed vertices that are active, one after another, and move them."""
    label, total, used, mass = communities.label, communities.total, communities.used, level.mass
    for i in range(vertices.size):
        v = vertices[i]
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
            moved[0] += 1
            for e in range(level.indptr[v], level.indptr[v + 1]):
                u = level.indices[e]
                if label[u] != new and active[u] == 0:
                    active[u] = 1


def move_in_turn(level: Level, communities: Communities, active: Any, terms: Terms, tables: Any, salt: int) -> int:
    """Move the active vertices, and those that become active, one after another; return the number of moves."""
    xp, buffers = array_module(device_of(active)), tables[1]
    moved = xp.zeros(1, np.int64)
    while True:
        vertices = compact(active == 1)
        count = int(vertices.size)
        if count == 0:
            return int(moved[0])
        words = xp.empty(count, np.int64)
        write_turns(count, vertices, salt, words)
        vertices = vertices[xp.argsort(words)]
        for first, end in chunked(count, VERTICES_PER_CALL):
            move_listed(level, communities, terms, buffers, active, vertices[first:end], moved)
