"""Luby's algorithm with random selection on a GPU: the driver of luby_select.cu; see luby_select.py for the rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import History
from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.gpu_memory import barrier_words
from ...graph import Graph
from .. import luby_select as general

SOURCE = CudaSource(__file__, "luby_select.cu", block=1024, cooperative=True)

_NUMBERS = 11  # the length of `progress`; see luby_select.cu
_LANES = 8  # per row
_BUDGET = 1 << 32  # entries per launch, at most 0.2 s: bounds the latency of Ctrl-C


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int, adaptive: bool) -> Any:
    """Return the mask of the set found by Luby's algorithm with selection; counted runs use the general form."""
    if history.counted:
        return general.independent_set(graph, included, excluded, history, seed=seed, adaptive=adaptive)
    xp, n = graph.xp, graph.num_vertices
    state, mask = xp.empty(n, np.uint8), xp.empty(n, bool)
    if n == 0:
        return mask
    fresh = not (included.size or excluded.size)
    if not fresh:
        general.begin(graph, included, excluded, state)
    lists, progress = xp.empty((2, n), graph.indices.dtype), xp.zeros(_NUMBERS, np.int64)
    run = SOURCE.for_graph(graph)
    while True:
        run(
            "rounds", n * _LANES, n, graph.indptr, graph.indices, graph.degrees, int(seed), int(adaptive), int(fresh),
            _BUDGET, state, lists, progress, mask, barrier_words(), report.blank(),
        )  # fmt: skip
        if report.read()[0] == 0:
            return mask
