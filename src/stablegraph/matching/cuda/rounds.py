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


def _macros(are_weighted: bool, bits: Any) -> dict[str, Any]:
    return {"WEIGHTED": int(are_weighted), "BITS": bits, "SHORT_ROW": _SHORT_ROW, "LONG_ROW": _LONG_ROW}


SOURCE = CudaSource(
    __file__,
    "rounds.cu",
    also=("../../_core/runtime/cuda/teams.cuh", "../../_core/runtime/cuda/row_lists.cuh", "../../forest/cuda/keys.cuh"),
    variants=(_macros(False, _TYPES[0]), *(_macros(True, bits) for bits in _TYPES)),
)


def _program(graph: Graph, bits: Any) -> Any:
    return SOURCE.for_graph(graph, **_macros(bits.size > 0, bits.dtype if bits.size else _TYPES[0]))


def find_partners(graph: Graph, weights: Weights | None, seed: int) -> tuple[Any, list[int]]:
    """Return the partners, and the number of undecided vertices after each round, as rounds.py does."""
    xp, n, entries = graph.xp, graph.num_vertices, graph.indices.size
    if weights is None:
        weights = Weights(xp.empty(0, np.int32), 0, 0)
    run, threads = _program(graph, weights.bits), max(n, entries // _ENTRIES_A_THREAD)
    free, best = xp.empty(n, np.uint8), xp.empty(n, np.int32)
    stride = n + entries // _LONG_ROW  # the length of a list's buffer, with room for long rows
    lists, turns, is_first = xp.empty((2, stride), graph.indices.dtype), Turns(xp, 1), 1
    undecided = [n] if n else [0, 0]
    run("begin", n, n, graph.indptr, free, best, stride, lists, turns.lengths)
    order = weights.bits, int(weights.flip), int(weights.bias), seed

    def run_round() -> None:
        nonlocal is_first
        listed = stride, lists, turns.lengths, turns.turn
        run("point", threads, n, graph.indptr, graph.indices, *order, is_first, free, best, *listed)
        run("settle", n, n, free, best, *listed)
        turns.turn, is_first = turns.turn + 1, 0

    turns.run(run_round, undecided, _FIRST_ROUNDS, is_due)
    if undecided[-1]:
        finish(graph, Matching(*weights, seed, free, best))
    return best, undecided


def mark_alone(partners: Any) -> int:
    """Replace the partner of each vertex that is its own partner by -1, in place; return the number of these."""
    n, count = int(partners.size), np.zeros_like(partners, np.int64, shape=1)
    SOURCE.compiled(**_macros(False, _TYPES[0]))("mark_alone", n, n, partners, count)
    return int(count[0])
