"""Conjugate gradients on a GPU: the driver of conjugate_gradients.cu; see conjugate_gradients.py.

An iteration, including its cycle, is recorded as one CUDA graph, because no part of it waits for the host. The host
reads the three numbers that an iteration reports, and decides whether to run another one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from ..._core.runtime import CudaSource
from ..._core.runtime.device import cupy_module, is_emulated
from ..conjugate_gradients import Iteration, IterationMonitor, run_iteration
from ..linalg.cuda.vectors import REALS, Sums, bits_of
from ..linalg.vectors import multiply, norm, residual

SOURCE = CudaSource(
    __file__,
    "conjugate_gradients.cu",
    also=("../linalg/cuda/sums.cuh",),
    variants=({"REAL": "float"}, {"REAL": "double"}),
)


class RecordedIteration:
    """Conjugate gradients with one kind of cycle, and the vectors of an iteration.

    Concurrent solutions, by several Python threads or by a callback, use one object each. Their launches take turns.
    """

    def __init__(self, A: Any, kind: str, real: Any) -> None:
        """Allocate the vectors for a matrix, with cycles of a kind in a precision.

        Methods receive the `RecordedCycle` as an argument, because it refers to this object: a reference cycle would
        delay the release of memory.
        """
        n, xp = A.shape[0], A.xp
        self._A, self._kind, self._recorded = A, kind, Recorded()
        self._x, self._r, self._p, self._q = xp.empty((4, n))
        self._right_side = xp.empty(n, real)
        self._numbers, self._reported, self._sums = xp.zeros(4), xp.empty(3), Sums(n, xp)
        self._run = SOURCE.compiled(REAL=REALS[real])

    def solve(self, cycle: Any, b: Any, x: Any, monitor: IterationMonitor) -> None:
        """Solve A x = b from x, in place."""
        start, restart = partial(self.restart, cycle, b, x), partial(self.restart, cycle, b)
        run_iteration(Iteration(start, restart, partial(self.step, cycle)), monitor)
        with cycle.turn():  # the next user of these vectors waits
            x[:] = self._x

    def restart(self, cycle: Any, b: Any, x: Any = None) -> float:
        """Compute the residual of the current solution, or of x if it is passed, and return its norm."""
        with cycle.turn():
            if x is not None:
                self._x[:] = x
                self._p.fill(0)
            residual(self._A, self._x, b, self._r)
            scale_into(self._right_side, self._r, self._numbers)
            return norm(self._r)

    def step(self, cycle: Any) -> tuple[float, float, float]:
        """Improve the solution; return r . M r, p . A p and the new r . r."""
        with cycle.turn():
            self._recorded.replay(lambda: self._launch(cycle))
            downhill, curvature, square = self._reported.tolist()
        return downhill, curvature, square

    def _launch(self, cycle: Any) -> None:
        """Launch one iteration, which reports r . z, p . q and the new r . r."""
        run, sums, n = self._run, self._sums, self._A.shape[0]
        z = cycle.launch(self._kind, self._right_side)
        run("dot_with_correction", sums.threads, *sums.arguments, self._r, z, self._numbers)
        run("turn", n, n, z, self._numbers, self._p)
        multiply(self._A, self._p, self._q)
        run("dot", sums.threads, *sums.arguments, self._p, self._q, self._numbers)
        vectors = self._p, self._q, self._x, self._r, self._right_side
        run("take_step", sums.threads, *sums.arguments, *vectors, self._numbers, self._reported)


def scale_into(right_side: Any, r: Any, numbers: Any = 0) -> float:
    """Set a right-hand side to a residual times a power of two, so that its square is in range; return the power.

    An iteration that starts with this right-hand side passes its `numbers`.
    """
    size, n = norm(r), int(r.size)
    scale = 2.0 ** -math.frexp(size)[1] if 0.0 < size < math.inf else 1.0
    SOURCE.compiled(REAL=REALS[right_side.dtype])("scale_residual", n, n, bits_of(scale), r, right_side, numbers)
    return scale


def take_correction(correction: Any, scale: float, x: Any, zero: bool) -> None:
    """Add the correction for a residual times `scale` to x; if `zero`, overwrite x with it."""
    n = int(x.size)
    run = SOURCE.compiled(REAL=REALS[correction.dtype])
    run("take_correction", n, n, bits_of(scale), correction, int(zero), x)


class Recorded:
    """A sequence of launches that is always the same: the same kernels with the same arguments."""

    def __init__(self) -> None:
        self._graph: Any = None

    def replay(self, launch: Callable[[], Any]) -> None:
        """Run the launches: in the first call one by one, which also loads compiled code; later from the recording."""
        if self._graph is not None:
            self._graph.launch(cupy_module().cuda.get_current_stream())
            return
        launch()
        if is_emulated():
            return
        stream = cupy_module().cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            try:
                launch()
            finally:
                graph = stream.end_capture()
        self._graph = graph
