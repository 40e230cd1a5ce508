"""Cycles on a GPU: in single precision, as corrections allow it, and as one graph of launches.

Result and rule: those of cycle.py. A correction need not be more exact than single precision: the residual that it is
made for is in double precision, and so is the solution. The number of iterations stays the same. So a cycle always
begins from zero; one from x is one from zero for the residual of x, whose result is added. Only where the coarsest
matrix is nearly singular, so that its inverse would make rounding errors of single precision a part of the correction,
do cycles run in double precision.

Idea: a cycle launches some ten kernels a level, each of which takes the host longer than the GPU on all but the finest
levels. So what a kind of cycle launches is recorded once, and replayed by one call (a CUDA graph).

Cost: half the values' bytes of a cycle in double precision. Work memory: the matrices once more in single precision,
and the vectors of cycle.py.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.runtime.arrays_cuda import converted
from .._core.runtime.device import cupy_module, is_emulated
from .conjugate_gradients_cuda import RecordedIteration, scale_into, take_correction
from .convergence import IterationMonitor
from .cycle import CoarsestSolver, Cycle, Smoother
from .hierarchy import Level
from .linalg.dense_cuda import full_pattern, scaled_inverse
from .linalg.device_matrix import DeviceMatrix
from .linalg.spmv import multiply, residual
from .recorded_cuda import Recorded


@dataclass(frozen=True)
class CycleLevel:
    """What a cycle needs of a level, in the precision in which it runs."""

    A: Any  # DeviceMatrix
    inverse_diagonal: Any
    rho: float
    P: Any  # DeviceMatrix, or None on the coarsest level
    R: Any
    labels: Any
    device = "cuda"

    @classmethod
    def of(cls, level: Level, dtype: Any) -> CycleLevel:
        """Of a level in double precision."""
        A, P, R = (None if matrix is None else matrix.astype(dtype) for matrix in (level.A, level.P, level.R))
        return cls(A, converted(level.inverse_diagonal, dtype), level.rho, P, R, level.labels)


class RecordedCycle(Cycle):
    """Cycles from vectors in double precision to such vectors; A is the finest matrix in double precision."""

    def __init__(
        self, A: DeviceMatrix, levels: list[CycleLevel], smoothers: list[Smoother], coarsest: CoarsestSolver
    ) -> None:
        self._A = A
        super().__init__(levels, smoothers, coarsest, like=levels[0].inverse_diagonal)

    def _make_room(self) -> None:
        super()._make_room()
        self.real = self._like.dtype
        self.right_side, self._x = (np.empty_like(self._like, shape=self._A.shape[0]) for _ in range(2))
        self._done = None if is_emulated() else cupy_module().cuda.Event(disable_timing=True)
        self._recorded: dict[str, Recorded] = {}
        self._free: dict[str, list[RecordedIteration]] = {}  # those that no solution uses now

    def __getstate__(self) -> Any:
        return self._A, super().__getstate__()

    def __setstate__(self, state: Any) -> None:
        self._A, rest = state
        super().__setstate__(rest)

    def run(self, kind: str, x: Any, b: Any, zero: bool) -> None:
        """One cycle for A x = b from x, or from zero, whatever x holds."""
        with self.turn():
            rest = b
            if not zero:
                rest = np.empty_like(b)
                residual(self._A, x, b, rest)
            scale = scale_into(self.right_side, rest)
            self.replay(kind)
            take_correction(self._x, scale, x, zero)

    def solve(self, kind: str, b: Any, x: Any, monitor: IterationMonitor) -> None:
        """Solve A x = b from x, in place, by conjugate gradients with cycles of a kind."""
        free = self._free.setdefault(kind, [])
        try:
            iteration = free.pop()
        except IndexError:
            iteration = RecordedIteration(self._A, kind, self.real)
        try:
            iteration.solve(self, b, x, monitor)
        finally:
            free.append(iteration)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """While others wait: Python threads, and what the last of them has launched on another stream."""
        with self._turn:
            if self._done is not None:
                cupy_module().cuda.get_current_stream().wait_event(self._done)
            try:
                yield
            finally:
                if self._done is not None:
                    self._done.record(cupy_module().cuda.get_current_stream())

    def launch(self, kind: str, right_side: Any) -> Any:
        """Launch a cycle from zero; the correction, which the next cycle overwrites."""
        self._visit(0, kind, self._x, right_side, True)
        return self._x

    def replay(self, kind: str) -> None:
        """Launch a cycle for `right_side`."""
        self._recorded.setdefault(kind, Recorded()).replay(lambda: self.launch(kind, self.right_side))


class DenseInverse:
    """The inverse of a small matrix, or its pseudo-inverse where it is singular.

    It is scaled before, by the roots of `sizes`, the diagonal that coarse unknowns get from that of the finer level. So
    what counts as zero does not depend on units, and where all of the matrix is rounding errors, as for a body without
    supports, nothing is left. `growth` bounds by how much the inverse of the scaled matrix lets errors grow.
    """

    def __init__(self, A: DeviceMatrix, sizes: Any) -> None:
        inverse, self.growth = scaled_inverse(A.toarray(), sizes)
        self._inverse = DeviceMatrix(*full_pattern(A.shape[0], A.xp), inverse.ravel(), A.shape)

    def take_type(self, dtype: Any) -> DenseInverse:
        """Solve in this precision from now on."""
        self._inverse = self._inverse.astype(dtype)
        return self

    def solve(self, b: Any, x: Any) -> None:
        """Solve A x = b."""
        multiply(self._inverse, b, x)
