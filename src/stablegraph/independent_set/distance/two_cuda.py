"""Maximal independent sets at distance two on a GPU: the driver of two.cu; see two.py for the rule.

There are three launches per round. The lengths of the lists are transferred only after several rounds, because launches
with empty lists, after the last round, end at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.runtime import CudaSource
from ..._core.runtime.arrays_cuda import equals
from ...graph import Graph
from ..history import History
from .round_keys import IN, KeySource, RoundKeys, key_source

_SHORT_ROW, _LONG_ROW = 32, 2048  # the most entries that one thread reads, and one warp
ALSO = ("../../_core/runtime/teams.cuh", "../../_core/runtime/row_lists.cuh", "round_keys.cuh")


def macros(key_type: Any) -> dict[str, Any]:
    """Return the macros with which sources are compiled for a type of keys."""
    return {"KEY": f"u{8 * np.dtype(key_type).itemsize}", "SHORT_ROW": _SHORT_ROW, "LONG_ROW": _LONG_ROW}


VARIANTS = (macros(np.uint32), macros(np.uint64))
SOURCE = CudaSource(__file__, "two.cu", also=ALSO, variants=VARIANTS)

_FIRST_ROUNDS, _MORE_ROUNDS = 8, 4  # before the first transfer of the lengths, and between later ones
_MAX_TURNS = 64  # the number of turns whose lengths are kept; an even number
_ENTRIES_A_THREAD = 8


def independent_set(
    graph: Graph,
    included: Any = None,
    excluded: Any = None,
    history: History | None = None,
    *,
    priority: str = "random",
    seed: int = 0,
    among: Any = None,
    induced: bool = False,
) -> Any:
    """Return the mask of the set; the arguments are those of two.py."""
    history = history or History()
    history.enter("prepare")
    xp, n = graph.xp, graph.num_vertices
    source = key_source(graph, priority, seed)
    allowed, through = among, among if induced else 0
    if excluded is not None and excluded.size:
        allowed = xp.ones(n, bool) if among is None else among.copy()
        allowed[excluded] = False
    rounds = Rounds(graph, source, at_once=priority == "degree")
    rounds.begin(0 if allowed is None else allowed, through)
    if included is not None and included.size:
        rounds.plant(included)
    history.enter("rounds")
    history.undecided = [n]
    rounds.run(history.undecided)
    return equals(rounds.keys, IN)


def drawing(keys: RoundKeys) -> tuple[Any, ...]:
    """Return the kernel arguments for drawing the keys of a round."""
    return int(keys.hashed_round), int(keys.bits), int(keys.hash_mask), keys.degrees if keys.degrees.size else 0


class Rounds:
    """The state of two.cu, and the sequence of its kernels."""

    def __init__(self, graph: Graph, source: KeySource, at_once: bool, keys: Any = None) -> None:
        xp, n, entries = graph.xp, graph.num_vertices, graph.indices.size
        self._graph, self._source, self._at_once = graph, source, int(at_once)
        self._rows = n, graph.indptr, graph.indices
        self._program = SOURCE.for_graph(graph, **macros(source.dtype))
        self._threads = max(n, entries // _ENTRIES_A_THREAD)
        self.keys = xp.empty(n, source.dtype) if keys is None else keys
        self._least = xp.empty(n, source.dtype)
        self._stride = n + entries // _LONG_ROW  # the length of a list's buffer, with room for long rows
        self._lists = xp.empty((4, self._stride), graph.indices.dtype)
        self._lengths = xp.zeros((_MAX_TURNS + 1, 6), np.int64)  # lengths of the parts of both lists, for each turn
        self._turn = self._drawn = 0

    def begin(self, allowed: Any, through: Any) -> None:
        """Write the first keys and lists; the arguments are masks, or 0 for all vertices."""
        graph = self._graph
        self._program(
            "begin", self._threads, graph.num_vertices, graph.indptr, allowed, through, *self._drawing(),
            self.keys, self._least, self._stride, self._lists, self._lengths,
        )  # fmt: skip

    def plant(self, included: Any) -> None:
        """Put vertices in and the vertices near them out; the remaining ones draw the keys of the first round again."""
        graph = self._graph
        self._sweep("find_least")
        self._program(
            "plant", included.size * 32, included.size, included, graph.indptr, graph.indices, self.keys, self._least
        )
        self._drawn -= 1
        self._settle(at_once=1)

    def run(self, undecided: list[int], is_last: Callable[[list[int]], bool] | None = None) -> None:
        """Run rounds until no vertex is undecided, and append the numbers of undecided vertices to the list.

        If `is_last` is true of the list, the round is the last one of the list; a few more rounds may have run.
        """
        rounds = _FIRST_ROUNDS
        while undecided[-1] and not (is_last and is_last(undecided)):
            if self._turn + rounds > _MAX_TURNS:
                self._forget_turns()
            for _ in range(rounds):
                self._sweep("find_least")
                self._sweep("join")
                self._settle(self._at_once)
            lengths = self._lengths[self._turn - rounds + 1 : self._turn + 1].tolist()
            for of_lists in lengths:
                if undecided[-1] and not (is_last and is_last(undecided)):
                    undecided.append(sum(of_lists[3:]))
            rounds = _MORE_ROUNDS

    @property
    def listed(self) -> int:
        """The number of undecided vertices."""
        return int(self._lengths[self._turn, 3:].sum())

    def _forget_turns(self) -> None:
        """Restart the lengths with this turn as turn 0 or 1; whether its number is odd or even does not change."""
        before, turn = self._lengths, self._turn
        self._lengths, self._turn = self._graph.xp.zeros_like(before), turn % 2
        self._lengths[self._turn] = before[turn]

    def _drawing(self) -> tuple[Any, ...]:
        """Return the arguments for drawing the keys of the next round."""
        self._drawn += 1
        return drawing(self._source.keys(self._drawn - 1))

    def _sweep(self, name: str, *settings: Any) -> None:
        """Run a kernel on the current lists."""
        lists = (self._stride, self._lists, self._lengths, self._turn)
        self._program(name, self._threads, *self._rows, *settings, self.keys, self._least, *lists)

    def _settle(self, at_once: int) -> None:
        self._sweep("settle", *self._drawing(), at_once)
        self._turn += 1
