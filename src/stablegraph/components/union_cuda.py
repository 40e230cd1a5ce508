"""Connected components by union-find on a GPU; algorithm in union.cu, result as in union.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import CudaSource
from ..graph import Graph
from .numbering_cuda import number_components

SOURCE = CudaSource(
    __file__,
    "union.cu",
    also=("../_core/runtime/union_find.cuh",),
    variants=({"LABEL": np.dtype(np.int32)}, {"LABEL": np.dtype(np.int64)}),
)

_ENTRIES = 512  # minimum number of entries per piece of a long row, on average: half of LONG in union.cu


def components(graph: Graph) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex: eight launches, one read of the count."""
    xp, n = graph.xp, graph.num_vertices
    labels = xp.empty(n, index_type(n))
    if n == 0:
        return 0, labels
    run = SOURCE.for_graph(graph, LABEL=labels.dtype)
    parent, state = xp.empty(n, labels.dtype), xp.empty(2, np.int64)
    pieces = xp.empty(2 * (graph.num_entries // _ENTRIES + 1), np.int64)
    run("hang", n, n, graph.indptr, graph.indices, parent, labels, state)
    run("link_waiting", n, n, labels, parent)
    if graph.facts.get("symmetric"):
        run("find_giant", 1, n, parent, state)
    run("unite_rest", n, n, graph.indptr, graph.indices, parent, pieces, state)
    run("unite_pieces", n, graph.indptr, graph.indices, parent, pieces, state)
    return number_components(parent, labels)
