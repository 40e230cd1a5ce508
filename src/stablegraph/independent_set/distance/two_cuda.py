"""Maximal independent sets at distance two on a GPU; two.cu says how, two.py what.

Three launches a round, and one look at the lengths of the lists after several rounds: launches with empty lists, after
the last round, end at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import Graph
from ...parallel.arrays_cuda import equals
from ...parallel.cuda_source import CudaSource
from ..history import History
from .round_keys import IN, KeySource, RoundKeys, key_source

_SHORT_ROW, _LONG_ROW = 32, 2048  # the most entries that a thread reads alone, and a warp
ALSO = ("../../parallel/teams.cuh", "../../parallel/row_lists.cuh", "round_keys.cuh")


def macros(key_type: Any) -> dict[str, Any]:
    """What sources are compiled with for keys of a type."""
    return {"KEY": f"u{8 * np.dtype(key_type).itemsize}", "SHORT_ROW": _SHORT_ROW, "LONG_ROW": _LONG_ROW}


VARIANTS = (macros(np.uint32), macros(np.uint64))
SOURCE = CudaSource(__file__, "two.cu", also=ALSO, variants=VARIANTS)

_FIRST_ROUNDS, _MORE_ROUNDS = 8, 4  # before the first look at how many are left, and between others
_MOST_TURNS = 64  # lengths of as many turns are kept; an even number
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
    """The mask of the set; the arguments are those of two.py."""
    history = history or History()
    history.enter("prepare")
    return equals(found_keys(graph, included, excluded, history, priority, seed, among, induced), IN)


def found_keys(
    graph: Graph,
    included: Any,
    excluded: Any,
    history: History,
    priority: str,
    seed: int,
    among: Any,
    induced: bool,
) -> Any:
    """The last keys of all vertices: `IN` for members."""
    xp, n = graph.xp, graph.num_vertices
    source = key_source(graph, priority, seed)
    allowed, through = among, among if induced else 0
    if excluded is not None and excluded.size:
        allowed = xp.ones(n, bool) if among is None else among.copy()
        allowed[excluded] = False
    rounds = _Rounds(graph, source, at_once=priority == "degree")
    rounds.begin(0 if allowed is None else allowed, through)
    if included is not None and included.size:
        rounds.plant(included)
    history.enter("rounds")
    history.undecided = rounds.run()
    return rounds.keys


def drawing(keys: RoundKeys) -> tuple[Any, ...]:
    """What kernels are told of a round's keys."""
    return int(keys.hashed_round), int(keys.bits), int(keys.kept), keys.degrees if keys.degrees.size else 0


class _Rounds:
    """The state of two.cu, and the order of its kernels."""

    def __init__(self, graph: Graph, source: KeySource, at_once: bool) -> None:
        xp, n, entries = graph.xp, graph.num_vertices, graph.indices.size
        self._graph, self._source, self._at_once = graph, source, int(at_once)
        self._program = SOURCE.for_graph(graph, **macros(source.dtype))
        self._threads = max(n, entries // _ENTRIES_A_THREAD)
        self.keys, self._least = xp.empty(n, source.dtype), xp.empty(n, source.dtype)
        self._stride = n + entries // _LONG_ROW  # of a list, with room for long rows
        self._lists = xp.empty((4, self._stride), graph.indices.dtype)
        self._lengths = xp.zeros((_MOST_TURNS + 1, 6), np.int64)  # of the parts of both lists, turn by turn
        self._turn = self._drawn = 0

    def begin(self, allowed: Any, through: Any) -> None:
        """The first keys and lists; masks, or 0 for all."""
        graph = self._graph
        self._program(
            "begin", self._threads, graph.num_vertices, graph.indptr, allowed, through, *self._drawing(),
            self.keys, self._least, self._stride, self._lists, self._lengths,
        )  # fmt: skip

    def plant(self, included: Any) -> None:
        """Put vertices in; those near them are out, all others draw the keys of the first round again."""
        graph = self._graph
        self._find_least()
        self._program(
            "plant", included.size * 32, included.size, included, graph.indptr, graph.indices, self.keys, self._least
        )
        self._drawn -= 1
        self._settle(at_once=1)

    def run(self) -> list[int]:
        """Take rounds until no vertex is undecided: how many there were at first, and after each round."""
        left, rounds = [self._graph.num_vertices], _FIRST_ROUNDS
        while left[-1]:
            if self._turn + rounds > _MOST_TURNS:
                self._forget_turns()
            for _ in range(rounds):
                self._find_least()
                self._join()
                self._settle(self._at_once)
            lengths = self._lengths[self._turn - rounds + 1 : self._turn + 1].tolist()
            now = [sum(of_lists[3:]) for of_lists in lengths]
            left += now[: now.index(0) + 1] if 0 in now else now
            rounds = _MORE_ROUNDS
        return left

    def _forget_turns(self) -> None:
        """Let the lengths of this turn be those of the first or second one: the number stays odd or even."""
        before, turn = self._lengths, self._turn
        self._lengths, self._turn = self._graph.xp.zeros_like(before), turn % 2
        self._lengths[self._turn] = before[turn]

    def _drawing(self) -> tuple[Any, ...]:
        """How keys are drawn in the next round that draws."""
        self._drawn += 1
        return drawing(self._source.keys(self._drawn - 1))

    def _lists_now(self) -> tuple[Any, ...]:
        return self._stride, self._lists, self._lengths, self._turn

    def _find_least(self) -> None:
        graph = self._graph
        self._program(
            "find_least", self._threads, graph.num_vertices, graph.indptr, graph.indices, self.keys, self._least,
            *self._lists_now(),
        )  # fmt: skip

    def _join(self) -> None:
        graph = self._graph
        self._program(
            "join", self._threads, graph.num_vertices, graph.indptr, graph.indices, self.keys, self._least,
            *self._lists_now(),
        )  # fmt: skip

    def _settle(self, at_once: int) -> None:
        graph = self._graph
        self._program(
            "settle", self._threads, graph.num_vertices, graph.indptr, graph.indices, *self._drawing(), at_once,
            self.keys, self._least, *self._lists_now(),
        )  # fmt: skip
        self._turn += 1
