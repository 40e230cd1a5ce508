"""Local moving of one vertex after another on a GPU: the driver of queue_moving.cu; see queue_moving.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime.cuda.arrays import filled
from ..._core.runtime.device import array_module, device_of
from ..._core.runtime.primitives import compact
from ..level import Communities, Level, Terms
from ..queue_moving import write_turns
from ..rules import NEVER
from .rows import SOURCE as ROWS
from .rows import Far, bits_of, count_rows, list_rows, program, rows_of, source

SOURCE = source("queue_moving.cu", "best_move.cuh")
_WINDOW = 1 << 15  # vertices that wait at a time
_ROUNDS = 1 << 30  # above the number of rounds


def move_in_turn(level: Level, communities: Communities, active: Any, terms: Terms, tables: Far, salt: int) -> int:
    """Move the active vertices, and those that become active, one after another; return the number of moves."""
    xp, n = array_module(device_of(active)), int(active.size)
    label, total = communities.label, communities.total
    run, listing = (program(of, level.indptr, level.indices) for of in (SOURCE, ROWS))
    moved, arrays, round_key = 0, None, _ROUNDS
    while True:
        vertices = compact(active == 1)
        count = int(vertices.size)
        if count == 0:
            return moved
        words = xp.empty(count, np.int64)
        write_turns(count, vertices, salt, words)
        vertices = vertices[xp.argsort(words)]
        if arrays is None:
            target, ready, waiting = xp.empty(n, np.int32), xp.empty(n, np.uint8), xp.zeros(n, np.uint8)
            claims, changes, stop = (filled(size, NEVER, np.int64, xp) for size in (n, n, 1))
            position = xp.empty(n, np.int64)
            arrays = (*rows_of(level), level.mass, label, total, bits_of(terms.scale), terms.crowds, target, position)
        position[vertices] = xp.arange(count)
        listed = left = 0
        while left or listed < count:
            until = min(count, listed + _WINDOW - left)
            waiting[vertices[listed:until]] = 1
            left, listed, round_key = left + until - listed, until, round_key - 1
            (tiers,) = list_rows(listing, level.indptr, waiting, 0, 1, count_rows(listing, level.indptr, waiting, 0, 1))
            for name, threads, rows in tiers.each():
                threads, last = tables.limited(name, threads)
                run(f"claim_{name}", threads, *rows, *arrays, round_key, claims, changes, *last)
            neighbors = level.indptr, level.indices, label
            run("check", tiers.threads, *tiers.head, *neighbors, position, round_key, claims, changes, ready, stop)
            done = xp.zeros(2, np.int64)
            run(
                "move_ready", left, left, tiers.vertices, level.mass, label, total, target, position, round_key, ready,
                stop, waiting, active, done,
            )  # fmt: skip
            run("wake", tiers.threads, *tiers.head, *neighbors, target, waiting, active)
            finished, new = done.tolist()
            left, moved = left - finished, moved + new
