"""The edge sweep on a GPU: all column indices are read once and added up (reference_kernels.cu)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..graph import Graph
from .runtime import CudaSource

SOURCE = CudaSource(__file__, "reference_kernels.cu")


def one_sweep(graph: Graph) -> Callable[[], None]:
    """Return a function that launches one sweep."""
    run, total = SOURCE.for_graph(graph), graph.xp.zeros(1, graph.indices.dtype)
    step = 16 // np.dtype(graph.indices.dtype).itemsize
    return lambda: run("sum_entries", graph.num_entries // step, graph.num_entries, graph.indices, total)
