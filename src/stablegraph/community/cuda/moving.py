"""Local moving on a GPU, in sub-rounds and in turn: the driver of moving.cu and queue_moving.cu; see ../moving.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime.cuda.arrays import filled
from ..._core.runtime.device import array_module, device_of
from ..._core.runtime.primitives import compact
from ..moving import SWEEPS, Moves, Span, classes_of, number_of_classes, relabel, write_turns
from ..rules import NEVER, Communities, Level, Terms, salt_of
from .rows import SOURCE as ROWS
from .rows import Far, Tiers, all_rows, bits_of, count_rows, list_rows, program, rows_of, source

SOURCE = source("moving.cu", "best_move.cuh")
QUEUE = source("queue_moving.cu", "best_move.cuh")
_WINDOW = 1 << 15  # vertices that wait at a time
_ROUNDS = 1 << 30  # above the number of rounds


def _no_moves(active: Any, n: int, crowded: int) -> Moves:
    xp = array_module(device_of(active))
    arrivals, first = xp.zeros(crowded, np.int64), filled(crowded, NEVER, np.int64, xp)
    return Moves(active, filled(n, -1, np.int32, xp), xp.empty(n, np.float64), arrivals, first)


class _Passes:
    """The passes over a class of vertices."""

    def __init__(self, level: Level, communities: Communities, moves: Moves, terms: Terms, far: Far) -> None:
        self._run, self._far, self._rows = program(SOURCE, level.indptr, level.indices), far, rows_of(level)
        self._level, self._communities, self._moves = level, communities, moves
        self._crowds = (moves.arrivals, moves.first) if terms.crowds else (0, 0)
        self._terms = bits_of(terms.scale), terms.crowds
        self._arrays = level.mass, communities.label, communities.total

    def propose(self, tiers: Tiers, salt: int) -> None:
        moves = self._moves
        for name, threads, listed in tiers.each():
            threads, last = self._far.limited(name, threads)
            self._run(
                f"propose_{name}", threads, *listed, *self._rows, *self._arrays, moves.active, moves.target, moves.gain,
                *self._crowds, *self._terms, salt, *last,
            )  # fmt: skip

    def move(self, tiers: Tiers, salt: int, accepted: Any) -> None:
        moves, threads = self._moves, tiers.threads
        self._run(
            "accept", threads, *tiers.head, *self._rows, *self._arrays, moves.target, moves.gain, *self._crowds,
            *self._terms, salt, accepted,
        )  # fmt: skip
        span, mass = Span(tiers.vertices, tiers.first, tiers.end, salt), self._level.mass
        relabel(tiers.end - tiers.first, self._communities, mass, moves.target, span, accepted)
        self._run(
            "wake", threads, *tiers.head, *self._rows[:2], self._communities.label, moves.active, moves.target,
            *self._crowds, accepted,
        )  # fmt: skip


def move_vertices(
    level: Level, communities: Communities, active: Any, terms: Terms, tables: Far, seed: int, depth: int
) -> tuple[int, int]:
    """Move active vertices until none has a reason to; return the numbers of moves and of sub-rounds."""
    n, moved, sub_rounds, listed = int(level.mass.size), 0, 0, 0
    moves = _no_moves(active, n, n if terms.crowds else 0)
    passes = _Passes(level, communities, moves, terms, tables)
    run, accepted = program(ROWS, level.indptr, level.indices), np.empty_like(active)
    for sweep in range(SWEEPS + 1):
        salt, classes = salt_of(seed, depth, sweep), classes_of(terms)
        counts = count_rows(run, level.indptr, active, salt, classes, listed, accepted)
        moved += counts.accepted
        if counts.rows == 0 or sweep == SWEEPS:
            break
        if number_of_classes(counts.rows, classes) < classes:
            classes = number_of_classes(counts.rows, classes)
            counts = count_rows(run, level.indptr, active, salt, classes)
        sub_rounds += classes
        for tiers in list_rows(run, level.indptr, active, salt, classes, counts):
            passes.propose(tiers, salt)
            passes.move(tiers, salt, accepted)
        listed = counts.rows
    if counts.rows:
        moved += move_in_turn(level, communities, active, terms, tables, salt_of(seed, depth, SWEEPS))
    return moved, sub_rounds


def wish_to_move(level: Level, communities: Communities, terms: Terms, tables: Far) -> Any:
    """Return 1 for each vertex that has a reason to move, otherwise 0."""
    n = int(level.mass.size)
    active = np.empty_like(level.mass, np.uint8)
    moves = _no_moves(active, n, n if terms.crowds else 0)
    passes = _Passes(level, communities, moves, terms, tables)
    passes.propose(all_rows(program(ROWS, level.indptr, level.indices), level.indptr), 0)
    return (moves.target >= 0).view(np.uint8)


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
