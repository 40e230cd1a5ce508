"""Conjugate gradients on a GPU; conjugate_gradients.cu says how, conjugate_gradients.py what, and when it ends.

An iteration, cycle included, is recorded as one graph, since nothing in it waits for the host. The host looks at what
it tells, and decides whether there is another one.
"""

from __future__ import annotations

import math
from typing import Any

from .._core.runtime.cuda_source import CudaSource
from .conjugate_gradients import ROUNDING, not_definite
from .convergence import IterationMonitor
from .linalg.spmv import multiply, residual
from .linalg.spmv_cuda import REALS
from .linalg.vectors import norm
from .linalg.vectors_cuda import Sums, bits_of
from .recorded_cuda import Recorded

SOURCE = CudaSource(
    __file__, "conjugate_gradients.cu", also=("linalg/sums.cuh",), variants=({"REAL": "float"}, {"REAL": "double"})
)


class RecordedIteration:
    """Conjugate gradients with one kind of cycle, and the vectors that an iteration goes through.

    Solutions at once, of several Python threads or of a callback, have one each. What they launch takes turns.
    """

    def __init__(self, A: Any, kind: str, real: Any) -> None:
        """For a matrix, with cycles of a kind in a precision.

        The `RecordedCycle` is an argument of what follows, as it keeps this: in a circle memory is not free at once.
        """
        n, xp = A.shape[0], A.xp
        self._A, self._kind, self._recorded = A, kind, Recorded()
        self._x, self._r, self._p, self._q = xp.empty((4, n))
        self._rest = xp.empty(n, real)
        self._numbers, self._told, self._sums = xp.zeros(4), xp.empty(3), Sums(n, xp)
        self._run = SOURCE.compiled(REAL=REALS[real])

    def solve(self, cycle: Any, b: Any, x: Any, monitor: IterationMonitor) -> None:
        """Solve A x = b from x, in place."""
        with cycle.turn():
            self._x[:] = x
            self._p.fill(0)
            exact = self._restart(b)
        monitor.record(exact)
        while monitor.should_continue():
            with cycle.turn():
                self._recorded.replay(lambda: self._launch(cycle))
                downhill, curvature, square = self._told.tolist()
            if not downhill > 0:
                raise not_definite("r . M r", downhill, monitor, self._A)
            if not curvature > 0:
                raise not_definite("p . A p", curvature, monitor, self._A)
            size = math.sqrt(square)
            if size <= max(monitor.target, ROUNDING * monitor.first):
                with cycle.turn():
                    before, size = exact, self._restart(b)
                exact = size
                if monitor.target < size and not size < before / 2:
                    monitor.why = "the residual stagnates: rounding errors do not let it fall further"
            monitor.record(size)
        with cycle.turn():  # the next one to use these vectors waits
            x[:] = self._x

    def _restart(self, b: Any) -> float:
        """Go on from the residual of x itself, whose norm is returned, in its direction."""
        residual(self._A, self._x, b, self._r)
        scale_into(self._rest, self._r, self._numbers)
        return norm(self._r)

    def _launch(self, cycle: Any) -> None:
        """One iteration, which tells r . z, p . q and the new r . r."""
        run, sums, n = self._run, self._sums, self._A.shape[0]
        z = cycle.launch(self._kind, self._rest)
        run("dot_with_correction", sums.threads, *sums.arguments, self._r, z, self._numbers)
        run("turn", n, n, z, self._numbers, self._p)
        multiply(self._A, self._p, self._q)
        run("dot", sums.threads, *sums.arguments, self._p, self._q, self._numbers)
        vectors = self._p, self._q, self._x, self._r, self._rest
        run("take_step", sums.threads, *sums.arguments, *vectors, self._numbers, self._told)


def scale_into(right_side: Any, rest: Any, numbers: Any = 0) -> float:
    """Set a right-hand side to a residual times a power of two, which is returned: so its square is within range.

    Iterations begin with it if their `numbers` are passed.
    """
    size, n = norm(rest), int(rest.size)
    scale = 2.0 ** -math.frexp(size)[1] if 0.0 < size < math.inf else 1.0
    SOURCE.compiled(REAL=REALS[right_side.dtype])("scale_residual", n, n, bits_of(scale), rest, right_side, numbers)
    return scale


def take_correction(correction: Any, scale: float, x: Any, zero: bool) -> None:
    """Add a correction for a residual times `scale` to x; to zero, whatever x holds, if that is set."""
    n = int(x.size)
    run = SOURCE.compiled(REAL=REALS[correction.dtype])
    run("take_correction", n, n, bits_of(scale), correction, int(zero), x)
