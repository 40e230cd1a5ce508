"""Convergence of an iteration: its residuals so far, their report to the caller, and when it is time to stop."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

PATIENCE = 30  # cycles without a smaller residual
DIVERGED = 1e16  # times the first residual; those of conjugate gradients may rise by the root of the condition number
_GROWTH = 10  # times the smallest residual: cycles that end above this diverge, below it they stagnate


class ConvergenceWarning(RuntimeWarning):
    """A solution is not as good as it was to be; the message says how good it is.

    Examples
    --------
    >>> import warnings, stablegraph as sg
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", sg.ConvergenceWarning)  # from here on it is raised
    """


class IterationMonitor:
    """The residuals of one iteration, and whether it should continue.

    `record` takes the norm of each residual, beginning with that of the first guess. After the iteration, `why` is the
    reason why it ended before its target, or None; a method may set it. `patience` is for iterations whose residuals
    should fall (those of conjugate gradients may rise for long): the iteration stops if none of this number of
    consecutive residuals is smaller than all before.
    `is_slow` indicates that the method, and not rounding, is the reason why the target was not reached.
    """

    def __init__(
        self,
        target: float,
        maxiter: int,
        residuals: list[float] | None = None,
        progress: Callable[[int, float], object] | None = None,
        patience: float = math.inf,
    ) -> None:
        self.target, self.maxiter, self.patience = target, maxiter, patience
        self.residuals = [] if residuals is None else residuals
        self.progress = progress
        self.iterations = -1
        self.first = self.size = self.best = math.inf
        self.best_iteration = 0
        self.why: str | None = None
        self.is_slow = False

    def record(self, size: float) -> None:
        """Take the norm of the next residual."""
        self.iterations += 1
        self.size = size
        self.residuals.append(size)
        if self.iterations == 0:
            self.first = size
        if size < self.best:
            self.best, self.best_iteration = size, self.iterations
        if self.progress is not None:
            self.progress(self.iterations, size)
        if not self.first < math.inf:
            raise np.linalg.LinAlgError(f"the first residual is {size}, not a finite number: scale the system, or x0")
        if not (size <= DIVERGED * self.first and size < math.inf):
            raise np.linalg.LinAlgError(
                f"the iteration diverges: the residual grew from {self.first:.3g} to {size:.3g} in {self.iterations} "
                "iterations; pass nullspace= for a singular matrix, or choose a smoother that is damped more"
            )

    def check(self, size: float) -> None:
        """Take the norm of the last residual without rounding errors, which may show that the target is not reached."""
        if size > self.target:
            self.size, self.why = size, "rounding errors hid that the target is not reached"

    def should_continue(self) -> bool:
        """Whether the target is not reached yet, and may still be."""
        if self.why is not None or self.size <= self.target:
            return False
        too_many = self.iterations >= self.maxiter
        if not too_many and self.iterations - self.best_iteration < self.patience:
            return True
        self.is_slow = True
        if self.patience < math.inf and self.size > _GROWTH * self.best:
            self.why = f"the iteration diverges: the residual grew from {self.best:.3g} to {self.size:.3g}"
        elif too_many:
            self.why = f"maxiter={self.maxiter} iterations were not enough"
        else:
            self.why = f"the residual stagnates: it has not fallen for {self.patience} iterations"
        return False
