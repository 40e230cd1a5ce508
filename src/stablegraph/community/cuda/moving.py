"""Local moving on a GPU, in sub-rounds and in turn: the driver of moving.cu and queue_moving.cu; see ../moving.py."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.runtime.cuda.arrays import filled
from ..._core.runtime.device import array_module, device_of
from ..._core.runtime.primitives import compact
from ..moving import SWEEPS, classes_for, no_moves, write_turns
from ..rules import NEVER, Communities, Level, Terms, salt_of
from .rows import SOURCE as ROWS
from .rows import Far, Tiers, all_rows, bits_of, count_rows, list_rows, program, rows_of, source

SOURCE = source("moving.cu", "best_move.cuh")
QUEUE = source("queue_moving.cu", "best_move.cuh")
_WINDOW = 1 << 15  # vertices that wait at a time
_ROUNDS = 1 << 30  # above the number of rounds


class _Passes:
    """The passes over a class of vertices."""

    def __init__(self, level: Level, communities: Communities, active: Any, terms: Terms, far: Far) -> None:
        self.moves = no_moves(active, terms, partial(filled, xp=array_module(device_of(active))))
        self._run, self._far, self._rows = program(SOURCE, level.indptr, level.indices), far, rows_of(level)
        self._labels = level.mass, communities.label, communities.total
        moves = self.moves
        self._crowds = (moves.gain, moves.arrivals, moves.first) if terms.crowds else (0, 0, 0)
        self._terms = bits_of(terms.scale), terms.crowds

    def propose(self, tiers: Tiers, salt: int) -> None:
        """Write the proposals of a class."""
        moves = self.moves
        for name, threads, listed in tiers.each():
            threads, last = self._far.limited(name, threads)
            self._run(
                f"propose_{name}", threads, *listed, *self._rows, *self._labels, moves.active, moves.target,
                moves.slack, *self._crowds, *self._terms, salt, *last,
            )  # fmt: skip

    def move(self, tiers: Tiers, salt: int, moved: Any) -> None:
        """Move the vertices of a class, and wake their neighbors."""
        moves = self.moves
        self._run(
            "relabel", tiers.end - tiers.first, tiers.vertices, tiers.first, tiers.end, *self._labels, moves.active,
            moves.target, *self._crowds, *self._terms, salt, moved,
        )  # fmt: skip
        self._run(
            "wake", tiers.threads, *tiers.head, *self._rows, self._labels[1], moves.active, moves.target, moves.slack,
            *self._crowds[1:], moved,
        )  # fmt: skip

    def move_few(self, vertices: Any, salt: int, done: Any) -> None:
        """Let a few vertices move, each as a class of its own."""
        moves = self.moves
        one_block, last = self._far.limited("long", 1)
        self._run(
            "move_few", one_block, vertices, int(vertices.size), *self._rows, *self._labels, moves.active, moves.target,
            moves.slack, *self._terms, salt, done, *last,
        )  # fmt: skip


def move_vertices(
    level: Level, communities: Communities, active: Any, terms: Terms, tables: Far, seed: int, depth: int
) -> tuple[int, int]:
    """Move active vertices to better communities; return the numbers of moves and of sub-rounds."""
    sum_of_moves, sub_rounds, listed = 0, 0, 0
    passes = _Passes(level, communities, active, terms, tables)
    run, moved = program(ROWS, level.indptr, level.indices), np.empty_like(active)
    n, done = int(active.size), array_module(device_of(active)).zeros(1, np.int64)
    most = classes_for(n, terms) if classes_for(n, terms) < n else 1
    for sweep in range(SWEEPS + 1):
        salt = salt_of(seed, depth, sweep)
        counts = count_rows(run, level.indptr, active, salt, most, listed, moved)
        sum_of_moves += counts.accepted
        if counts.rows == 0 or sweep == SWEEPS:
            break
        classes = classes_for(counts.rows, terms)
        sub_rounds += classes
        tiers = list_rows(run, level.indptr, active, salt, most, counts)
        listed = counts.rows
        if classes == counts.rows:
            passes.move_few(tiers[0].vertices, salt, done)
            listed = 0
            continue
        for span in tiers:
            passes.propose(span, salt)
            passes.move(span, salt, moved)
    return sum_of_moves + int(done[0]), sub_rounds


def wish_to_move(level: Level, communities: Communities, terms: Terms, tables: Far) -> Any:
    """Return 1 for each vertex that has a reason to move, otherwise 0."""
    passes = _Passes(level, communities, np.empty_like(level.mass, np.uint8), terms, tables)
    passes.propose(all_rows(program(ROWS, level.indptr, level.indices), level.indptr), 0)
    return (passes.moves.target >= 0).view(np.uint8)


# ---- One vertex after another


def move_in_turn(level: Level, communities: Communities, active: Any, terms: Terms, tables: Far, salt: int) -> int:
    """Move the active vertices, and those that become active, one after another; return the number of moves."""
    xp, n = array_module(device_of(active)), int(active.size)
    label, total = communities.label, communities.total
    run, listing = (program(of, level.indptr, level.indices) for of in (QUEUE, ROWS))
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
