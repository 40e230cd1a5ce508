"""Sums that show whether both entries of each edge have the same weight, on a GPU: the driver of weights.cu."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import CudaSource
from ..graph import Graph

SOURCE = CudaSource(
    __file__,
    "weights.cu",
    also=("../_core/csr/rows.cuh", "../_core/csr/hashes.cuh", "keys.cuh"),
    variants=({"BITS": np.dtype(np.int32)}, {"BITS": np.dtype(np.int64)}),
)


def sums_of_directions(graph: Graph, weights: tuple[Any, int, int]) -> tuple[int, int, int, int]:
    """Return the sums in both directions, and the bounds of the keys before `bias`: min(0, keys), max(0, keys)."""
    bits, flip, _ = weights
    n, entries, results = graph.num_vertices, graph.num_entries, graph.xp.zeros(4, np.int64)
    run = SOURCE.for_graph(graph, BITS=bits.dtype)
    run("compare_directions", entries, n, entries, graph.indptr, graph.indices, bits, int(flip), results)
    forward, backward, lowest, highest = results.tolist()
    return forward, backward, lowest, highest
