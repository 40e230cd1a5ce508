"""Gauss-Seidel as a smoother on a GPU: the driver of gauss_seidel.cu (see ../sweeps.py), and the colors of clusters.

Unlike on a CPU (../sweep_order.py), the graph of the clusters is built, and colored by first fit in the order of its
vertices. Cost: two products of patterns and a coloring. Work memory: that of the products.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..._core.csr.arrays import Pattern
from ..._core.csr.cuda.patterns import product_pattern, transposed
from ..._core.runtime.cuda.source import LANES, CudaSource, lanes_for
from ..._core.runtime.primitives import exclusive_scan
from ...coloring.api import vertex_coloring
from ...graph import Graph
from ..linalg.cuda.device_matrix import HEIGHTS, DeviceMatrix
from ..linalg.cuda.vectors import REALS

_ENTRIES_A_LANE = 4  # maximum entries of a row per lane; longer rows get more lanes
_PURPOSE = "the graph of clusters"
_ONE_BLOCK = 1024  # maximum number of threads for a color that one block of threads sweeps


def _sweep_macros(height: int, real: str, lanes: int) -> dict[str, Any]:
    return {"HEIGHT": height, "REAL": real, "TEAM": lanes}


SOURCE = CudaSource(
    __file__,
    "gauss_seidel.cu",
    also=("../../_core/runtime/cuda/teams.cuh",),
    variants=(
        *(_sweep_macros(height, "float", lanes) for height in HEIGHTS for lanes in LANES),
        _sweep_macros(1, "double", 8),
    ),
)


class Sweeps:
    """Sweeps over a matrix in an order of its nodes (a `SweepOrder`)."""

    def __init__(self, order: Any, A: DeviceMatrix, inverse_diagonal: Any) -> None:
        """Prepare the launches."""
        length = A.indices.size * A.blocksize[0] / max(int(A.indptr.size) - 1, 1)
        self._lanes = lanes_for(length / _ENTRIES_A_LANE)
        macros = _sweep_macros(A.blocksize[0], REALS[A.data.dtype], self._lanes)
        self._run = SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, **macros)
        rows = self._in_order(A, order) if A.blocksize == (1, 1) else A
        begins = order.begins if order.begins.size <= order.rows.size else 0  # not needed by clusters of one node
        self._arguments = (
            *(A.xp.asarray(order.offsets, np.int64), begins, order.rows),
            *(rows.indptr, rows.indices, rows.data, inverse_diagonal),
        )
        self._launches = self._launches_for(order.offsets)

    def _in_order(self, A: DeviceMatrix, order: Any) -> DeviceMatrix:
        """Return the matrix with its rows in the order of a sweep."""
        indptr = exclusive_scan((A.indptr[1:] - A.indptr[:-1])[order.rows]).astype(A.indptr.dtype, copy=False)
        new = DeviceMatrix(indptr, A.xp.empty_like(A.indices), A.xp.empty_like(A.data), A.shape)
        n = A.shape[0]
        arrays = A.indptr, A.indices, A.data, new.indptr, new.indices, new.data
        self._run("copy_rows", n * self._lanes, n, order.rows, *arrays)
        return new

    def _launches_for(self, offsets: list[int]) -> list[tuple[int, int, int]]:
        """Return the colors (first, last) of each launch, and its number of threads."""
        launches: list[tuple[int, int, int]] = []
        for color, (start, end) in enumerate(pairwise(offsets)):
            threads = (end - start) * self._lanes
            if threads > _ONE_BLOCK:
                launches.append((color, color + 1, threads))
            elif launches and launches[-1][2] == 1:  # one thread means one block
                launches[-1] = launches[-1][0], color + 1, 1
            else:
                launches.append((color, color + 1, 1))
        return launches

    def forward(self, x: Any, b: Any) -> None:
        """Sweep once over the colors in ascending order."""
        for first, last, threads in self._launches:
            self._run("sweep_forward", threads, first, last, *self._arguments, b, x)

    def backward(self, x: Any, b: Any) -> None:
        """Sweep once in the reverse order."""
        for first, last, threads in reversed(self._launches):
            self._run("sweep_backward", threads, first, last, *self._arguments, b, x)


def cluster_colors(graph: Graph, clusters: Any, by_smallest: Any) -> Any:
    """Return the color of each cluster by `vertex_coloring` of the graph of the clusters, a product of patterns."""
    xp, count = graph.xp, int(by_smallest.size)
    kinds = graph.indptr.dtype, graph.indices.dtype
    numbers = xp.empty(count, kinds[1])
    numbers[by_smallest] = xp.arange(count - 1, -1, -1, dtype=kinds[1])  # they are colored in descending order
    of_rows = numbers[clusters.cluster_of]
    columns, rows = (Pattern(xp.arange(graph.num_vertices + 1, dtype=kind), of_rows) for kind in kinds)
    adjacent = product_pattern(Pattern(graph.indptr, graph.indices), columns, count, purpose=_PURPOSE)
    adjacent = product_pattern(transposed(rows, count), adjacent, count, purpose=_PURPOSE)
    return vertex_coloring(Graph._trusted(*adjacent), order="natural", reduce="none")[numbers]
