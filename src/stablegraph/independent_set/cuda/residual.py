"""Large sets by residual degree on a GPU: the driver of residual.cu; see residual.py for the rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.gpu_memory import barrier_words
from ...graph import Graph
from ..greedy import residual as general
from ..history import History

SOURCE = CudaSource(__file__, "residual.cu", block=1024, cooperative=True)

_NUMBERS = 17  # the length of `progress`; see residual.cu
_LANES = 8  # per row
_SHORT = 128  # entries; longer rows are cut into pieces
_BUDGET = 1 << 31  # entries per launch, at most 0.2 s: bounds the latency of Ctrl-C


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """Return the mask of a large set; counted runs use the general form."""
    if history.counted:
        return general.independent_set(graph, included, excluded, history, seed=seed)
    graph = graph.simple() if graph.has_duplicates else graph
    xp, n = graph.xp, graph.num_vertices
    mask = xp.empty(n, bool)
    if n == 0:
        return mask
    residual = general.residual_degrees(graph, included, excluded)
    lists = xp.empty((5, n), graph.indices.dtype)
    pieces = xp.empty(2 * (graph.num_entries // _SHORT + 1), np.int64)
    progress = xp.zeros(_NUMBERS, np.int64)
    run = SOURCE.for_graph(graph)
    while True:
        run(
            "rounds", n * _LANES, n, graph.indptr, graph.indices, int(seed), _BUDGET, residual, lists, pieces,
            progress, mask, barrier_words(), report.blank(),
        )  # fmt: skip
        if report.read()[0] == 0:
            return mask
