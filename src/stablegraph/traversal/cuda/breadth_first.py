"""Breadth-first search on a GPU; algorithm in breadth_first.cu, result as in breadth_first.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.gpu_memory import barrier_words
from ...graph import Graph

SOURCE = CudaSource(
    __file__, "breadth_first.cu", block=1024, cooperative=True, variants=({"LABEL": "u32"}, {"LABEL": "u64"})
)

_NUMBERS = 16  # length of the state; see breadth_first.cu
_GROUP = 8  # lanes per row
_ALPHA, _BETA = 15, 18  # as on the CPU
_BUDGET = 1 << 32  # entries per launch, at most a fifth of a second: bounds the latency of Ctrl-C


def search(graph: Graph, sources: Any, last_level: int) -> tuple[Any, Any]:
    """Return distances of at most `last_level`, and parents; both are -1 for all other vertices.

    `sources` are distinct vertices, in host memory or on the device of the graph.
    """
    xp, n, id_type = graph.xp, graph.num_vertices, index_type(graph.num_vertices)
    distance, parent = xp.empty(n, id_type), xp.empty(n, id_type)
    if n == 0:
        return distance, parent
    inward = _rows_inward(graph)
    kind = 0 if inward is None else 2 if inward.is_sorted else 1
    entering = (0, 0) if inward is None else (inward.indptr, inward.indices)
    if isinstance(sources, np.ndarray) and sources.size == 1:  # an upload takes several times as long as a launch
        source, listed = int(sources[0]), 0
    else:
        source, listed = 0, xp.asarray(sources.astype(graph.indices.dtype, copy=False))
    piece_words = 2 * (graph.num_entries * 5 // 1024 + 1)  # a row of over 1024 entries has ceil(e / 256) pieces
    work = xp.empty(piece_words + -(-n * np.dtype(id_type).itemsize // 8) + -(-n // 32), np.int64)
    progress = xp.zeros(_NUMBERS, np.int64)
    run = SOURCE.for_graph(graph, LABEL="u32" if id_type is np.int32 else "u64")
    while True:
        run(
            "search", n * _GROUP, n, graph.num_entries, graph.indptr, graph.indices, kind, *entering, listed,
            int(sources.size), source, last_level, _ALPHA, _BETA, _BUDGET, distance, parent, work, piece_words,
            progress, barrier_words(), report.blank(),
        )  # fmt: skip
        if report.read()[0] == 0:
            return distance, parent


def _rows_inward(graph: Graph) -> Graph | None:
    """Return the rows of incoming arcs of each vertex, if they are known and have the same types."""
    rows = graph if graph.facts.get("symmetric") else graph._known_transpose
    same = rows is not None and (rows.indptr.dtype, rows.indices.dtype) == (graph.indptr.dtype, graph.indices.dtype)
    return rows if same else None
