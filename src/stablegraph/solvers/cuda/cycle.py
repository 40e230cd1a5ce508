"""Cycles on a GPU: in single precision, which suffices for corrections, and as one CUDA graph.

Result and rule: as in cycle.py. Residuals and solutions are in double precision, and the number of iterations stays the
same. A cycle always starts from zero: a cycle from x is one from zero for the residual of x, whose result is added to
x. Cycles run in double precision only if the coarsest matrix is nearly singular, so that its inverse would amplify
rounding errors of single precision.

Idea: a cycle launches about ten kernels per level. On all levels except the finest ones, the host takes longer to
launch a kernel than the GPU to run it. The launches of each kind of cycle are therefore recorded once, and replayed by
one call (a CUDA graph).

Cost: values take half the bytes of double precision. Work memory: a copy of the matrices in single precision, and the
vectors of cycle.py.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..._core.runtime.cuda.arrays import converted, largest_sizes
from ..._core.runtime.device import cupy_module, is_emulated
from ..coarsest import LARGEST_DENSE
from ..conjugate_gradients import IterationMonitor
from ..cycle import Cycle, MakeSmoother, MakeSmoothers, SmoothedCoarseSolve, Smoother
from ..hierarchy import Level
from ..linalg.cuda.dense import full_pattern, scaled_inverse
from ..linalg.cuda.device_matrix import DeviceMatrix
from ..linalg.vectors import multiply, residual
from .conjugate_gradients import Recorded, RecordedIteration, scale_into, take_correction

_FAR = 1e30
_MAX_GROWTH = 1e6  # of rounding errors, in the coarsest solver, for cycles in single precision


def with_type(level: Level, dtype: Any) -> Level:
    """Return a level whose matrices have values of another type."""
    A, P, R = (None if matrix is None else matrix.astype(dtype) for matrix in (level.A, level.P, level.R))
    assert A is not None
    return replace(level, A=A, P=P, R=R, inverse_diagonal=converted(level.inverse_diagonal, dtype))


class RecordedCycle:
    """Cycles whose input and output vectors are in double precision.

    `A` is the finest matrix in double precision; the cycle has levels in its own precision.
    """

    def __init__(self, A: DeviceMatrix, cycle: Cycle) -> None:
        self._A, self._cycle = A, cycle
        self._allocate()

    def _allocate(self) -> None:
        like = self._cycle.levels[0].inverse_diagonal
        self.real = like.dtype
        self.right_side, self._x = np.empty_like(like), np.empty_like(like)
        self._lock = threading.Lock()
        self._done = None if is_emulated() else cupy_module().cuda.Event(disable_timing=True)
        self._recorded: dict[str, Recorded] = {}
        self._unused: dict[str, list[RecordedIteration]] = {}  # iterations that no solution is using

    def __getstate__(self) -> Any:  # for copies and pickles: without the work memory and the lock
        return self._A, self._cycle

    def __setstate__(self, state: Any) -> None:
        self._A, self._cycle = state
        self._allocate()

    @property
    def levels(self) -> Sequence[Level]:
        """The levels in the precision of the cycle."""
        return self._cycle.levels

    @property
    def smoothers(self) -> list[Smoother]:
        """The smoothers of all levels except the coarsest."""
        return self._cycle.smoothers

    def run(self, kind: str, x: Any, b: Any, zero: bool) -> None:
        """Run one cycle for A x = b from x; if `zero`, from zero, for any contents of x."""
        with self.turn():
            right_side = b
            if not zero:
                right_side = np.empty_like(b)
                residual(self._A, x, b, right_side)
            scale = scale_into(self.right_side, right_side)
            self.replay(kind)
            take_correction(self._x, scale, x, zero)

    def solve(self, kind: str, b: Any, x: Any, monitor: IterationMonitor) -> None:
        """Solve A x = b from x, in place, by conjugate gradients with cycles of a kind."""
        unused = self._unused.setdefault(kind, [])
        try:
            iteration = unused.pop()
        except IndexError:
            iteration = RecordedIteration(self._A, kind, self.real)
        try:
            iteration.solve(self, b, x, monitor)
        finally:
            unused.append(iteration)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Exclude other Python threads, and wait for the previous thread's launches on another stream."""
        with self._lock:
            if self._done is not None:
                cupy_module().cuda.get_current_stream().wait_event(self._done)
            try:
                yield
            finally:
                if self._done is not None:
                    self._done.record(cupy_module().cuda.get_current_stream())

    def launch(self, kind: str, right_side: Any) -> Any:
        """Launch a cycle from zero; return the correction, which the next cycle overwrites."""
        self._cycle.visit(0, kind, self._x, right_side, True)
        return self._x

    def replay(self, kind: str) -> None:
        """Launch a cycle for `right_side`."""
        self._recorded.setdefault(kind, Recorded()).replay(lambda: self.launch(kind, self.right_side))


class DenseInverse:
    """The inverse of a small matrix, or the pseudo-inverse if it is singular.

    The matrix is first scaled by the square roots of `sizes`, the diagonal that coarse unknowns inherit from the
    diagonal of the finer level. The threshold for zero therefore does not depend on units. If the whole matrix is
    rounding errors, as for a body without supports, the result is zero. `growth` bounds the growth of errors by the
    scaled inverse.
    """

    def __init__(self, A: DeviceMatrix, sizes: Any) -> None:
        inverse, self.growth = scaled_inverse(A.toarray(), sizes)
        self._inverse = DeviceMatrix(*full_pattern(A.shape[0], A.xp), inverse.ravel(), A.shape)

    def take_type(self, dtype: Any) -> DenseInverse:
        """Convert the inverse to this precision; return self."""
        self._inverse = self._inverse.astype(dtype)
        return self

    def solve(self, b: Any, x: Any) -> None:
        """Solve A x = b."""
        multiply(self._inverse, b, x)


def make_cycle(
    levels: Sequence[Level], make_smoothers: MakeSmoothers, make_smoother: MakeSmoother, coarse_size: int
) -> RecordedCycle:
    """Return the cycle of a hierarchy on a GPU."""
    finest: Any = levels[0].A
    inverse = _dense_inverse(levels, coarse_size)
    is_single = (inverse is None or inverse.growth < _MAX_GROWTH) and _within_range(levels)
    dtype = np.float32 if is_single else np.float64
    in_cycle = [with_type(level, dtype) for level in levels]
    smoothers = make_smoothers(in_cycle[:-1])
    coarsest = SmoothedCoarseSolve(make_smoother(in_cycle[-1])) if inverse is None else inverse.take_type(dtype)
    return RecordedCycle(finest, Cycle(in_cycle, smoothers, coarsest))


def _dense_inverse(levels: Sequence[Level], coarse_size: int) -> DenseInverse | None:
    """Return the inverse of the coarsest matrix, if it is small enough."""
    A: Any = levels[-1].A
    if A.shape[0] > max(LARGEST_DENSE, coarse_size):
        return None
    if len(levels) == 1:
        return DenseInverse(A, A.xp.zeros(A.shape[0]))  # scaled by the diagonal of A
    R: Any = levels[-2].R
    sizes = np.empty_like(levels[-1].inverse_diagonal)
    inverse = abs(levels[-2].inverse_diagonal)
    diagonal = A.xp.where(inverse > 0, 1 / A.xp.where(inverse > 0, inverse, 1.0), 0.0)
    multiply(replace(R, data=R.data * R.data, kept={}), diagonal, sizes)
    return DenseInverse(A, sizes)


def _within_range(levels: Sequence[Level]) -> bool:
    """Return whether the numbers of all levels are far from the limits of single precision."""
    used = [level for level in levels if level.A.nnz]
    if not used:
        return True
    sizes = largest_sizes([array for level in used for array in (level.inverse_diagonal, level.A.data)])
    return all(inverse < _FAR for inverse in sizes[::2]) and all(1 / _FAR < entry < _FAR for entry in sizes[1::2])
