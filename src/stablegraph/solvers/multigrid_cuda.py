"""Multigrid on a GPU: what differs from multigrid.py, which is where vectors live and how a cycle is run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from .._core import option_names as names
from .._core.runtime.arrays_cuda import converted, copied, largest_sizes
from .._core.runtime.device import cupy_module, is_emulated
from .._core.validation import choice
from .convergence import IterationMonitor
from .cycle import VISITS, SmoothedCoarseSolve
from .cycle_cuda import CycleLevel, DenseInverse, RecordedCycle
from .hierarchy import Level
from .inputs import Nullspace
from .linalg.dense_cuda import absolute_diagonal, squares
from .linalg.spmv import multiply
from .multigrid import LARGEST_DENSE, MakeSmoothers, Multigrid
from .timing import timed

_FAR = 1e30
_MAX_GROWTH = 1e6  # of rounding errors, in the coarsest solver, for cycles in single precision


class MultigridOnGpu(Multigrid):
    """A hierarchy on a GPU; made by `smoothed_aggregation` of a matrix there. All of `Multigrid` holds for it.

    Vectors are CuPy arrays; NumPy's are copied. The matrices of `levels` are of the class `DeviceMatrix`, whose `get`
    makes one of SciPy's. Solutions at once, of several Python threads, have four vectors each. A setup launches work
    without waiting for it: in `seconds`, what a phase has launched may count for a later one, which waits.
    """

    def _take(self, levels: list[Level], make_smoothers: MakeSmoothers, unsymmetric: str | None) -> None:
        seconds: dict[str, float] = {}
        projector = None if self._nullspace is None else Nullspace(levels[0].A, self._nullspace)
        finest: Any = levels[0].A
        with timed(seconds, "smoothers"):
            coarsest = self._dense_inverse(levels)
            single = (coarsest is None or coarsest.growth < _MAX_GROWTH) and _within_range(levels)
            dtype = np.float32 if single else np.float64
            in_cycle = [CycleLevel.of(level, dtype) for level in levels]
            smoothers = make_smoothers(in_cycle[:-1])
            last = SmoothedCoarseSolve(self._maker(in_cycle[-1])) if coarsest is None else coarsest.take_type(dtype)
            cycle = RecordedCycle(finest, in_cycle, smoothers, last)
        self.levels, self._cycle, self._projector = levels, cycle, projector
        self._unsymmetric, self._own_seconds = unsymmetric, seconds

    def _conjugate_gradients(self, b: Any, x: Any, cycle: str, monitor: IterationMonitor) -> None:
        if self._projector is not None or cycle == "F":  # sums between the steps, which wait for the host
            super()._conjugate_gradients(b, x, cycle, monitor)
        else:
            cast(RecordedCycle, self._cycle).solve(cycle, b, x, monitor)

    def _dense_inverse(self, levels: list[Level]) -> DenseInverse | None:
        """Of the coarsest matrix, if it is small enough."""
        A: Any = levels[-1].A
        if A.shape[0] > max(LARGEST_DENSE, self._coarse_size):
            return None
        if len(levels) == 1:
            return DenseInverse(A, A.xp.zeros(A.shape[0]))  # scaled by its own diagonal
        R: Any = levels[-2].R
        sizes = np.empty_like(levels[-1].inverse_diagonal)
        diagonal = absolute_diagonal(levels[-2].inverse_diagonal)
        multiply(replace(R, data=squares(R.data), kept={}), diagonal, sizes)
        return DenseInverse(A, sizes)

    def aspreconditioner(self, cycle: names.Cycle = "V") -> Any:
        """One cycle as an operator for the solvers of CuPy (``cupyx.scipy.sparse.linalg``)."""
        if is_emulated():
            return super().aspreconditioner(cycle)
        from cupyx.scipy.sparse.linalg import LinearOperator  # type: ignore[import-not-found, unused-ignore]

        choice(cycle, "cycle", VISITS)
        return LinearOperator(self.shape, matvec=Correction(self, cycle), dtype=np.float64)


class Correction:
    """One cycle from zero, as a function that can be pickled."""

    def __init__(self, hierarchy: MultigridOnGpu, cycle: str) -> None:
        self._hierarchy, self._cycle = hierarchy, cycle

    def __call__(self, r: Any) -> Any:
        """The correction for a residual."""
        if r.dtype.kind == "c":
            raise TypeError("r is complex, but cycles are real: take its real and its imaginary part")
        cupy, hierarchy = cupy_module(), self._hierarchy
        given, z = copied(converted(r.ravel(), np.float64)), cupy.empty(hierarchy.shape[0])
        hierarchy._project(given)
        hierarchy._preconditioner(self._cycle)(given, z)
        return z


def _within_range(levels: list[Level]) -> bool:
    """Whether the numbers of all levels are far from the ends of single precision."""
    used = [level for level in levels if level.A.nnz]
    if not used:
        return True
    sizes = largest_sizes([array for level in used for array in (level.inverse_diagonal, level.A.data)])
    return all(inverse < _FAR for inverse in sizes[::2]) and all(1 / _FAR < entry < _FAR for entry in sizes[1::2])
