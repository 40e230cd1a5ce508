"""Strong components on a GPU; algorithm in strong.cu."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.gpu_memory import barrier_words
from ...graph import Graph
from .union import number_components

SOURCE = CudaSource(__file__, "strong.cu", block=1024, cooperative=True, variants=({"LABEL": "u32"}, {"LABEL": "u64"}))

_NUMBERS = 14  # length of the state; see strong.cu
_BUDGET = 1 << 31  # entries per launch, at most a fifth of a second: bounds the latency of Ctrl-C


def directed_components(graph: Graph) -> tuple[int, Any]:
    """Return the number of strong components, and the label of each vertex."""
    xp, n, id_type = graph.xp, graph.num_vertices, index_type(graph.num_vertices)
    parent, labels = xp.empty(n, id_type), xp.empty(n, id_type)
    if n == 0:
        return 0, labels
    most_pieces = graph.num_entries * 5 // 1024 + 1  # a row of over 1024 entries has ceil(entries / 256) pieces
    pairs, passed = xp.empty(4 * n, id_type), xp.empty(n, id_type)
    remaining, pieces = xp.empty(2 * n, graph.indices.dtype), xp.empty(6 * most_pieces, np.int64)
    bits = max(1, (n - 1).bit_length())  # of a rank
    progress = xp.zeros(_NUMBERS, np.int64)
    run = SOURCE.for_graph(graph, LABEL="u32" if id_type is np.int32 else "u64")
    while True:
        run(
            "divide", n, n, graph.num_entries, bits, graph.indptr, graph.indices, _BUDGET, pairs, passed, parent,
            remaining, pieces, most_pieces, progress, barrier_words(),
            report.blank(),
        )  # fmt: skip
        if report.read()[0] == 0:
            return number_components(parent, labels)
