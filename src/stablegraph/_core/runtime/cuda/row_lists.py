"""Rounds on a GPU whose lists of vertices become shorter: the lengths of the lists of row_lists.cuh in each turn.

A round reads the lists of a turn, and writes those of the next one. Lengths are transferred only after several rounds,
because launches with empty lists end at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PARTS = 3  # of a list
_MORE_ROUNDS = 4  # between two transfers, except for the first one
_MAX_TURNS = 64  # the number of turns whose lengths are kept; an even number


class Turns:
    """The lengths of all lists in each turn; the last list is that of the undecided vertices."""

    def __init__(self, xp: Any, lists: int) -> None:
        self.lengths = xp.zeros((_MAX_TURNS + 1, lists * PARTS), np.int64)
        self.turn = 0

    @property
    def listed(self) -> int:
        """The number of undecided vertices."""
        return int(self.lengths[self.turn, -PARTS:].sum())

    def run(
        self,
        run_round: Callable[[], None],
        undecided: list[int],
        rounds: int,
        is_last: Callable[[list[int]], bool] = lambda undecided: False,
    ) -> None:
        """Run rounds until no vertex is undecided, and append the numbers of undecided vertices to the list.

        `run_round` ends by adding 1 to `turn`; `rounds` is the number of rounds before the first transfer. If `is_last`
        is true of the list, the round is the last one of the list; a few more rounds may have run.
        """
        while undecided[-1] and not is_last(undecided):
            self.make_room(rounds)
            for _ in range(rounds):
                run_round()
            for lengths in self.lengths[self.turn - rounds + 1 : self.turn + 1].tolist():
                if undecided[-1] and not is_last(undecided):
                    undecided.append(sum(lengths[-PARTS:]))
            rounds = _MORE_ROUNDS

    def make_room(self, rounds: int) -> None:
        """Restart with this turn as turn 0 or 1 (it remains odd or even) if there is no room for more rounds."""
        if self.turn + rounds <= _MAX_TURNS:
            return
        before, turn = self.lengths, self.turn
        self.lengths, self.turn = np.zeros_like(before), turn % 2
        self.lengths[self.turn] = before[turn]
