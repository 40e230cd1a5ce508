"""The preconditioned conjugate gradient method (PCG), with checks for stagnation and indefinite matrices.

Result: a solution of A x = b, as exact as requested or as rounding allows, and the reason why the iteration ended; the
same bits for any number of threads.

Rule: with the residual r, z = M r, the direction p and q = A p,

    p = z + (r . z / last r . z) p,    x = x + (r . z / p . q) p,    r = r - (r . z / p . q) q

In the code: the two lines of `ConjugateGradients.step` that call `xpby` and `axpy_residual`.

Idea: the updated residual accumulates rounding errors and drifts away from b - A x. Therefore b - A x is computed when
the updated residual reaches the target. If b - A x is larger, the iteration restarts from it. If a restart does not
help, the iteration stagnates and reports this. A direction without positive curvature (p . A p), or a correction that
does not lead downhill (r . M r), shows that the matrix or the preconditioner is not positive definite: an error.

In inner products of complex vectors, the first vector is conjugated. With a Hermitian matrix and preconditioner, all
inner products of the method are real. With `flexible` the preconditioner may be slightly unsymmetric; p then also
depends on the previous residual (Polak and Ribière).

Cost: one product with A, one preconditioning, and four passes over vectors per iteration; with `flexible` five passes.
Work memory: four vectors, with `flexible` five.

Source: M. Hestenes, E. Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952.

`IterationMonitor` records the residuals of this and other iterations, and decides when they stop.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from .linalg.vectors import Vector, axpy_residual, dot, multiply, norm, residual, xpby

ROUNDING = float(np.finfo(np.float64).eps)


class Iteration(NamedTuple):
    """The parts of conjugate gradients for one right-hand side, on one device."""

    start: Callable[[], float]  # prepares the first step, and returns the norm of the residual
    restart: Callable[[], float]  # computes the residual and its norm; the next step is steepest descent
    # Improves the solution; returns r . M r, p . A p and the new r . r. If one of the first two is not positive, the
    # iteration cannot continue, and the later numbers are meaningless.
    step: Callable[[], tuple[float, float, float]]


def run_iteration(iteration: Iteration | ConjugateGradients, monitor: IterationMonitor) -> None:
    """Run an iteration until the monitor stops it."""
    for _ in steps(iteration, monitor):
        pass


def steps(iteration: Iteration | ConjugateGradients, monitor: IterationMonitor) -> Iterator[None]:
    """Run an iteration until the monitor stops it; pause after each step."""
    exact = iteration.start()
    monitor.record(exact)
    while monitor.should_continue():
        downhill, curvature, square = iteration.step()
        if not downhill > 0:
            raise not_definite("r . M r", downhill, monitor)
        if not curvature > 0:
            raise not_definite("p . A p", curvature, monitor)
        size = math.sqrt(square)
        if size <= max(monitor.target, ROUNDING * monitor.first):
            before, size = exact, iteration.restart()
            exact = size
            if monitor.target < size and not size < before / 2:
                monitor.why = "the residual stagnates: rounding errors do not let it fall further"
        monitor.record(size)
        yield


class ConjugateGradients:
    """The iteration for A x = b from x, in place; ``precondition(r, z)`` sets z to the preconditioned r."""

    def __init__(
        self, A: Any, b: Vector, x: Vector, precondition: Callable[[Vector, Vector], None], *, flexible: bool = False
    ) -> None:
        self.A, self.b, self.x, self._precondition = A, b, x, precondition
        self._r, self._z, self._p, self._q = np.empty_like(b), np.empty_like(b), np.zeros_like(b), np.empty_like(b)
        self._last_r = np.zeros_like(b) if flexible else None

    def restart(self) -> float:
        """Compute the residual of x, and return its norm."""
        residual(self.A, self.x, self.b, self._r)
        self._downhill = math.inf  # the previous r . z; infinity makes beta 0, so that the first direction is z
        return norm(self._r)

    start = restart

    def step(self) -> tuple[float, float, float]:
        """Improve x; return r . M r, p . A p and the new r . r."""
        r, z, p, q = self._r, self._z, self._p, self._q
        self._precondition(r, z)
        last, downhill = self._downhill, dot(r, z)
        if not downhill > 0:
            return downhill, 0.0, 0.0
        change = downhill if self._last_r is None else downhill - dot(self._last_r, z)
        xpby(z, change / last, p)
        if self._last_r is not None:
            self._last_r[:] = r
        multiply(self.A, p, q)
        curvature = dot(p, q)
        if not curvature > 0:
            return downhill, curvature, 0.0
        self._downhill = downhill
        return downhill, curvature, axpy_residual(downhill / curvature, p, q, self.x, r)


def not_definite(name: str, value: float, monitor: IterationMonitor) -> np.linalg.LinAlgError:
    """Return the error for a quantity that is not positive."""
    return np.linalg.LinAlgError(
        f"{name} = {value:.3g} in iteration {monitor.iterations + 1}: the matrix or the preconditioner is not positive "
        f"definite; {monitor.advice()}"
    )


PATIENCE = 30  # cycles without a smaller residual
DIVERGED = 1e16  # times the first residual; residuals of CG may rise by the square root of the condition number
_GROWTH = 10  # times the smallest residual: cycles that end above this diverge, below it they stagnate
_FAST_GROWTH = 1e3  # times the smallest residual: cycles that reach this are stopped at once


class ConvergenceWarning(RuntimeWarning):
    """A solution is less accurate than requested; the message states its accuracy.

    Examples
    --------
    >>> import warnings, stablegraph as sg
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sg.ConvergenceWarning)  # from here on it is raised
    """


class IterationMonitor:
    """The residuals of one iteration, and whether it should continue.

    `record` receives the norm of each residual, starting with that of the first guess. `history` and `progress` receive
    it in the unit of the user, as `unit` returns it. `advice` returns what to do if the method cannot solve the system.
    After the iteration, `why` is the reason why it ended before its target, or None; a method may set it. `patience` is
    for iterations whose residuals should decrease: they stop if none of this number of consecutive residuals is smaller
    than all before, and at once if a residual is 1000 times as large as the smallest one.
    (The residuals of conjugate gradients may increase for a long time.) `is_slow` indicates that the method, not
    rounding, is the reason why the target was not reached.
    """

    def __init__(
        self,
        target: float,
        maxiter: int,
        advice: Callable[[], str],
        history: list[float] | None = None,
        progress: Callable[[int, float], object] | None = None,
        patience: float = math.inf,
        unit: Callable[[float], float] = float,
    ) -> None:
        self.target, self.maxiter, self.advice, self.patience = target, maxiter, advice, patience
        self.residuals: list[float] = []
        self.history, self.progress, self.unit = history, progress, unit
        self.iterations = -1
        self.first = self.size = self.best = math.inf
        self.best_iteration = 0
        self.why: str | None = None
        self.is_slow = False

    def record(self, size: float) -> None:
        """Record the norm of the next residual."""
        self.iterations += 1
        self.size = size
        self.residuals.append(size)
        if self.iterations == 0:
            self.first = size
        if size < self.best:
            self.best, self.best_iteration = size, self.iterations
        if self.history is not None:
            self.history.append(self.unit(size))
        if self.progress is not None:
            self.progress(self.iterations, self.unit(size))
        if not self.first < math.inf:
            raise np.linalg.LinAlgError(
                f"the first residual, b - A x0, is {size}: leave x0 out, or take smaller numbers"
            )
        if not (size <= DIVERGED * self.first and size < math.inf):
            raise np.linalg.LinAlgError(
                f"the iteration diverges: {self._growth(self.first)} in {self.iterations} iterations; {self.advice()}"
            )

    def _growth(self, start: float) -> str:
        return f"the residual grew from {self.unit(start):.3g} to {self.unit(self.size):.3g}"

    def should_continue(self) -> bool:
        """Return whether the iteration has not reached the target, but may still reach it."""
        if self.why is not None or self.size <= self.target:
            return False
        too_many = self.iterations >= self.maxiter
        should_decrease = self.patience < math.inf
        explodes = should_decrease and self.size > _FAST_GROWTH * self.best
        if not too_many and not explodes and self.iterations - self.best_iteration < self.patience:
            return True
        self.is_slow = True
        if should_decrease and self.size > _GROWTH * self.best:
            self.why = f"the iteration diverges: {self._growth(self.best)}"
        elif too_many and self.size > self.first:
            self.why = f"maxiter={self.maxiter} iterations were not enough, and {self._growth(self.first)}"
        elif too_many:
            self.why = f"maxiter={self.maxiter} iterations were not enough"
        else:
            self.why = f"the residual stagnates: it has not fallen for {self.patience} iterations"
        return False


def bar_position(iteration: int, size: float) -> dict[str, Any]:
    """Return the state of a progress bar after an iteration; the total number of iterations is unknown."""
    return {"completed": iteration, "text": f"iteration {iteration}, residual {size:.2e}"}
