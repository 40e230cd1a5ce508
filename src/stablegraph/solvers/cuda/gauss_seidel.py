"""Gauss-Seidel as a smoother on a GPU: the driver of gauss_seidel.cu; see gauss_seidel.py."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..._core.runtime.cuda.source import LANES, CudaSource, lanes_for
from ..._core.runtime.device import array_module, place_of
from ..._core.runtime.primitives import exclusive_scan
from ...graph import Graph
from ..linalg.cuda.device_matrix import HEIGHTS, DeviceMatrix
from ..linalg.cuda.vectors import REALS
from ..sweep_order import SweepOrder, point_order
from .sweep_order import cluster_order

_ENTRIES_A_LANE = 4  # maximum entries of a row per lane; longer rows get more lanes
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


class GaussSeidelSmoother:
    """Sweeps for one level, forward before the coarser levels and backward after them."""

    def __init__(self, sweeps: int, clustered: bool, order: SweepOrder, level: Any) -> None:
        """Prepare the launches; `clustered` indicates that there are clusters of several nodes."""
        self._made_of = sweeps, clustered, order
        self._level, self.sweeps = level, sweeps
        A, xp = level.A, level.A.xp
        length = A.indices.size * A.blocksize[0] / max(int(A.indptr.size) - 1, 1)
        self._lanes = lanes_for(length / _ENTRIES_A_LANE)
        macros = _sweep_macros(A.blocksize[0], REALS[A.data.dtype], self._lanes)
        self._run = SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, **macros)
        rows = self._in_order(A, order) if A.blocksize == (1, 1) else A
        begins = order.begins if clustered else 0
        self._arguments = (
            *(xp.asarray(order.offsets, np.int64), begins, order.rows),
            *(rows.indptr, rows.indices, rows.data, level.inverse_diagonal),
        )
        self._launches = self._launches_for(order.offsets)

    def __reduce__(self) -> Any:  # for copies and pickles, without compiled code and copied arrays
        return GaussSeidelSmoother, (*self._made_of, self._level)

    def renewed(self, level: Any) -> GaussSeidelSmoother:
        """Return the smoother of a level with other values in the same pattern."""
        return GaussSeidelSmoother(*self._made_of, level)

    def _in_order(self, A: DeviceMatrix, order: SweepOrder) -> DeviceMatrix:
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

    def before(self, x: Any, b: Any, zero: bool) -> None:
        """Sweep forward. If `zero` is set, x counts as zero."""
        if zero:
            x[:] = 0
        for _ in range(self.sweeps):
            for first, last, threads in self._launches:
                self._run("sweep_forward", threads, first, last, *self._arguments, b, x)

    def after(self, x: Any, b: Any) -> None:
        """Sweep backward."""
        for _ in range(self.sweeps):
            for first, last, threads in reversed(self._launches):
                self._run("sweep_backward", threads, first, last, *self._arguments, b, x)


def gauss_seidel_smoother(sweeps: int, clustered: bool, level: Any) -> GaussSeidelSmoother:
    """Return the smoother of a level."""
    A = level.A
    graph, clustered = Graph._trusted(A.indptr, A.indices), clustered and level.labels is not None
    if not clustered:
        return GaussSeidelSmoother(sweeps, False, point_order(graph), level)
    labels = _without_gaps(level.labels)
    return GaussSeidelSmoother(sweeps, True, cluster_order(graph, int(labels.max()) + 1, labels), level)


def _without_gaps(labels: Any) -> Any:
    """Return the cluster of each node: its aggregate, or a separate one if it has none (label -1)."""
    alone = labels < 0
    count = int(alone.sum())
    if count:
        first, labels = int(labels.max()) + 1, labels.copy()
        labels[alone] = array_module(place_of(labels)).arange(first, first + count, dtype=labels.dtype)
    return labels
