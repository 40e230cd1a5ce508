"""Matchings in rounds on a GPU: the driver of rounds.cu; see rounds.py for the result.

Rounds that run after one that decided few vertices do no harm: they continue the same greedy algorithm.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.row_lists import Turns
from ...forest.weights import Weights
from ...graph import Graph
from ..rounds import Matching, finish, is_due

_SHORT_ROW, _LONG_ROW = 32, 2048  # the most entries that one thread reads, and one warp
_FIRST_ROUNDS = 6  # before the first transfer of the lengths
_ENTRIES_A_THREAD = 8
_TYPES = np.dtype(np.int32), np.dtype(np.int64)  # of the bits of weights


def macros(are_weighted: bool, bits: Any) -> dict[str, Any]:
    return {"WEIGHTED": int(are_weighted), "BITS": bits, "SHORT_ROW": _SHORT_ROW, "LONG_ROW": _LONG_ROW}


ALSO = "../../_core/runtime/cuda/teams.cuh", "../../_core/runtime/cuda/row_lists.cuh", "../../forest/cuda/keys.cuh"
VARIANTS = (macros(False, _TYPES[0]), *(macros(True, bits) for bits in _TYPES))
SOURCE = CudaSource(__file__, "rounds.cu", also=ALSO, variants=VARIANTS)


def find_partners(graph: Graph, weights: Weights | None, seed: int) -> tuple[Any, list[int]]:
    """Return the partners, and the number of undecided vertices after each round, as rounds.py does."""
    bits = _TYPES[0] if weights is None else weights.bits.dtype
    rounds = Rounds(graph, SOURCE.for_graph(graph, **macros(weights is not None, bits)), seed, weights)
    undecided = [graph.num_vertices] if graph.num_vertices else [0, 0]

    def run_round() -> None:
        rounds.point()
        rounds.settle()

    rounds.turns.run(run_round, undecided, _FIRST_ROUNDS, is_due)
    if undecided[-1]:
        finish(graph, rounds.matching())
    return rounds.best, undecided


class Rounds:
    """The state of rounds.cu, and its kernels in the program `run`."""

    def __init__(self, graph: Graph, run: Any, seed: int, weights: Weights | None = None) -> None:
        xp, n, entries = graph.xp, graph.num_vertices, graph.indices.size
        self._run, self._threads, self._rows = run, max(n, entries // _ENTRIES_A_THREAD), (graph.indptr, graph.indices)
        self.weights = Weights(xp.empty(0, np.int32), 0, 0) if weights is None else weights
        self._order = self.weights.bits, int(self.weights.flip), int(self.weights.bias), seed
        self.free, self.best = xp.empty(n, np.uint8), xp.empty(n, np.int32)
        stride = n + entries // _LONG_ROW  # the length of a list's buffer, with room for long rows
        self._lists, self.turns, self._is_first = (stride, xp.empty((2, stride), graph.indices.dtype)), Turns(xp, 1), 1
        run("begin", n, n, graph.indptr, self.free, self.best, *self._lists, self.turns.lengths)

    def matching(self) -> Matching:
        """Return the state as in rounds.py."""
        return Matching(*self.weights, self._order[-1], self.free, self.best)

    def _listed(self) -> tuple[Any, ...]:
        return self.free, self.best, *self._lists, self.turns.lengths, self.turns.turn

    def point(self) -> None:
        """Renew the pointers to vertices that are not free."""
        n = int(self.best.size)
        self._run("point", self._threads, n, *self._rows, *self._order, self._is_first, *self._listed())

    def settle(self) -> None:
        """Decide the vertices with mutual pointers, and end the round."""
        n = int(self.best.size)
        self._run("settle", n, n, *self._listed())
        self.turns.turn, self._is_first = self.turns.turn + 1, 0


def mark_alone(partners: Any) -> int:
    """Replace the partner of each vertex that is its own partner by -1, in place; return the number of these."""
    n, count = int(partners.size), np.zeros_like(partners, np.int64, shape=1)
    SOURCE.compiled(**macros(False, _TYPES[0]))("mark_alone", n, n, partners, count)
    return int(count[0])
