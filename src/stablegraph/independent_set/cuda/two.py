"""Maximal independent sets at distance two on a GPU: the driver of two.cu; see two.py for the rule.

There are three launches per round.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import History
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.arrays import equals
from ..._core.runtime.cuda.row_lists import Turns
from ...graph import Graph
from ..distance.k import finished
from ..distance.round_keys import IN, KeySource, RoundKeys, key_source
from ..greedy.order import Choice

_SHORT_ROW, _LONG_ROW = 32, 2048  # the most entries that one thread reads, and one warp
ALSO = ("../../_core/runtime/cuda/teams.cuh", "../../_core/runtime/cuda/row_lists.cuh", "round_keys.cuh")


def macros(key_type: Any) -> dict[str, Any]:
    """Return the macros with which sources are compiled for a type of keys."""
    return {"KEY": f"u{8 * np.dtype(key_type).itemsize}", "SHORT_ROW": _SHORT_ROW, "LONG_ROW": _LONG_ROW}


VARIANTS = (macros(np.uint32), macros(np.uint64))
SOURCE = CudaSource(__file__, "two.cu", also=ALSO, variants=VARIANTS)

FIRST_ROUNDS = 8  # before the first transfer of the lengths
_ENTRIES_A_THREAD = 8


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, priority: Choice, seed: int
) -> Any:
    """Return the mask of the set; the arguments are those of k.py."""
    history.enter("prepare")
    allowed: Any = 0
    if excluded.size:
        allowed = graph.xp.ones(graph.num_vertices, bool)
        allowed[excluded] = False
    return _find_set(graph, included, allowed, 0, key_source(graph, priority, seed), history)


def set_among(graph: Graph, among: Any = None, *, induced: bool = False, priority: Choice = "random") -> Any:
    """Return the mask of the set; the arguments are those of two.py."""
    allowed, through = 0 if among is None else among, among if induced else 0
    return _find_set(graph, graph.indices[:0], allowed, through, key_source(graph, priority, 0), History())


def _find_set(graph: Graph, included: Any, allowed: Any, through: Any, source: KeySource, history: History) -> Any:
    """Return the mask of the set; the masks may be 0, instead of all vertices."""
    rounds = Rounds(graph, source)
    rounds.begin(allowed, through)
    if included.size:
        rounds.plant(included)
    undecided = [graph.num_vertices]
    is_last = source.begin(history, undecided, lambda: rounds.turns.listed)
    rounds.turns.run(rounds.run, undecided, FIRST_ROUNDS, is_last)
    return finished(graph, 2, source, rounds.keys, equals(rounds.keys, IN), history)


def drawing(keys: RoundKeys) -> tuple[Any, ...]:
    """Return the kernel arguments for drawing the keys of a round."""
    return int(keys.hashed_round), int(keys.bits), int(keys.hash_mask), keys.degrees if keys.degrees.size else 0


class Rounds:
    """The state of two.cu, and the sequence of its kernels."""

    def __init__(self, graph: Graph, source: KeySource) -> None:
        xp, n, entries = graph.xp, graph.num_vertices, graph.indices.size
        self._graph, self._source = graph, source
        self._rows = n, graph.indptr, graph.indices
        self._program = SOURCE.for_graph(graph, **macros(source.dtype))
        self._threads = max(n, entries // _ENTRIES_A_THREAD)
        self.keys = xp.empty(n, source.dtype)
        source.write(self.keys)
        self.least = xp.empty(n, source.dtype)
        self._stride = n + entries // _LONG_ROW  # the length of a list's buffer, with room for long rows
        self._lists = xp.empty((4, self._stride), graph.indices.dtype)
        self.turns, self._drawn = Turns(xp, 2), 0
        self.drawn: tuple[Any, ...] = ()  # the arguments of the last drawing

    def begin(self, allowed: Any, through: Any) -> None:
        """Write the first keys and lists; the arguments are masks, or 0 for all vertices."""
        graph = self._graph
        self._program(
            "begin", self._threads, graph.num_vertices, graph.indptr, allowed, through, *self._drawing(),
            self.keys, self.least, self._stride, self._lists, self.turns.lengths,
        )  # fmt: skip

    def plant(self, included: Any) -> None:
        """Put vertices in and the vertices near them out; the remaining ones draw the keys of the first round again."""
        self.sweep("find_least")
        self.plant_around(included)
        self.settle_first()

    def plant_around(self, included: Any) -> None:
        """Put vertices in, and mark the columns around them."""
        rows = self._graph.indptr, self._graph.indices
        self._program("plant", included.size * 32, included.size, included, *rows, self.keys, self.least)

    def settle_first(self) -> None:
        """Put the vertices near included ones out; the remaining ones draw the keys of the first round again."""
        self._drawn -= 1
        self.settle(at_once=1)

    def run(self) -> None:
        """Run a round."""
        self.sweep("find_least")
        self.sweep("join")
        self.settle(int(self._source.at_once))

    def _drawing(self) -> tuple[Any, ...]:
        """Return the arguments for drawing the keys of the next round."""
        self._drawn += 1
        self.drawn = drawing(self._source.keys(self._drawn - 1))
        return self.drawn

    def sweep(self, name: str, *settings: Any) -> None:
        """Run a kernel on the current lists."""
        lists = (self._stride, self._lists, self.turns.lengths, self.turns.turn)
        self._program(name, self._threads, *self._rows, *settings, self.keys, self.least, *lists)

    def settle(self, at_once: int) -> None:
        """End a round: beaten rows are out, and the other ones draw new keys."""
        self.sweep("settle", *self._drawing(), at_once)
        self.turns.turn += 1
