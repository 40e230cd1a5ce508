"""Polynomial smoothers, polynomials in D^-1 A on all rows at once: Jacobi and Chebyshev.

Result: x is a better solution of A x = b; the same bits for any number of threads.

Rule: a step is ``p = alpha p + beta D^-1 (b - A x)``, then ``x = x + p``. A list of pairs (alpha, beta) defines the
smoother: Jacobi's if alpha is always 0, otherwise Chebyshev's. In the code: `next_step`, with the pairs of `jacobi` and
`chebyshev_steps`.

Idea: a step is one pass over the matrix, from one vector of unknowns to another. A first step from x = 0 does not need
the matrix. The same polynomial is used before and after the coarser levels: for a symmetric A it is self-adjoint, as
conjugate gradients require.

Chebyshev's polynomial is the smallest one of its degree over the upper part of the spectrum of D^-1 A, [lower rho,
upper rho], where rho is the largest eigenvalue. The coarser levels reduce errors with smaller eigenvalues. With degree
2, lower = 1/6 needs 7 to 11 iterations on Poisson and elasticity problems, whereas 1/30, which suits polynomials of
higher degree, needs 14.

Cost: one product with A per step. The last step does not write p. The first step from zero writes only x, which is then
also p. Work memory: two vectors, so only one caller at a time may use a smoother.

Source of the coefficients: Y. Saad, "Iterative Methods for Sparse Linear Systems", algorithm 12.1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Numbers, kernel, with_gpu_form
from ..._core.validation import integer, number
from ..cuda import polynomial as polynomial_cuda
from ..cycle import MakeSmoother
from ..linalg.vectors import MatrixRows, Vector, row_times, rows_of


class PolynomialStep(NamedTuple):
    """The coefficients of one step."""

    alpha: float  # of the previous step's direction
    beta: float  # of the preconditioned residual D^-1 (b - A x)


@kernel
def step_from_zero(i, inverse_diagonal: Numbers, b: Numbers, step: PolynomialStep, x: Numbers):
    """Make the first step from x = 0, where p is equal to x: x = beta D^-1 b."""
    x[i] = step.beta * inverse_diagonal[i] * b[i]


@kernel(by="edges", types="F[] F[] F[] F[] F[]", constants="1,1 2,2 3,3 6,6")
def first_step(row, rows: MatrixRows, inverse_diagonal, b, x, step: PolynomialStep, p, new_x):
    """Make the first step, for a row of blocks: p = beta D^-1 (b - A x)."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        p[i] = step.beta * inverse_diagonal[i] * (b[i] - row_times(i, rows, x))
        new_x[i] = x[i] + p[i]


@kernel(by="edges", types="float64[] float64[] float64[] float64[] float64[]", constants="1,1", F="float64")
def next_step(row, rows: MatrixRows, inverse_diagonal, b, x, step: PolynomialStep, p, new_x):
    """Make a later step, for a row of blocks: p = alpha p + beta D^-1 (b - A x)."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        correction = step.beta * inverse_diagonal[i] * (b[i] - row_times(i, rows, x))
        p[i] = step.alpha * p[i] + correction
        new_x[i] = x[i] + p[i]


@kernel(by="edges", types="F[] F[] F[] F[] F[]", constants="1,1 2,2 3,3 6,6")
def last_step(row, rows: MatrixRows, inverse_diagonal, b, x, step: PolynomialStep, p, new_x):
    """Make the last step, for a row of blocks: like `next_step`, but p is not written. p may be x."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        correction = step.beta * inverse_diagonal[i] * (b[i] - row_times(i, rows, x))
        new_x[i] = x[i] + (step.alpha * p[i] + correction)


class PolynomialSmoother:
    """A polynomial for one level. `steps_for` returns its steps for the largest eigenvalue of D^-1 A."""

    def __init__(self, steps_for: Callable[[float], list[PolynomialStep]], level: Any) -> None:
        self._steps_for = steps_for
        self._take(level)
        self._make_room()

    def _take(self, level: Any) -> None:
        self.A, self.inverse_diagonal = level.A, level.inverse_diagonal
        self.steps = self._steps_for(level.rho)

    def _make_room(self) -> None:
        n, kind = self.A.shape[0], self.A.data.dtype
        self._p, self._other = np.empty(n, kind), np.empty(n, kind)

    def __getstate__(self) -> Any:  # for copies and pickles: without the work memory
        return self._steps_for, self.A, self.inverse_diagonal, self.steps

    def __setstate__(self, state: Any) -> None:
        self._steps_for, self.A, self.inverse_diagonal, self.steps = state
        self._make_room()

    def renewed(self, level: Any) -> PolynomialSmoother:
        """Return the smoother of a level with other values."""
        new = object.__new__(PolynomialSmoother)
        new.__dict__.update(self.__dict__)
        new._take(level)
        return new

    def before(self, x: Vector, b: Vector, zero: bool) -> None:
        """Improve the solution x of A x = b. If `zero` is set, x counts as zero."""
        n, rows = self.A.indptr.size - 1, rows_of(self.A)
        old, new = (x, self._other) if len(self.steps) % 2 == 0 else (self._other, x)  # the last step writes into x
        if not zero and old is not x:
            old[:] = x
        p, last = self._p, len(self.steps) - 1
        for place, step in enumerate(self.steps):
            if place == 0 and zero:
                step_from_zero(x.size, self.inverse_diagonal, b, step, new)
                if last > 1:
                    p[:] = new
                else:
                    p = new
            elif place == 0:
                first_step(n, rows, self.inverse_diagonal, b, old, step, p, new)
            elif place < last:
                next_step(n, rows, self.inverse_diagonal, b, old, step, p, new)
            else:
                last_step(n, rows, self.inverse_diagonal, b, old, step, p, new)
            old, new = new, old

    def after(self, x: Vector, b: Vector) -> None:
        """Improve the solution x after the correction by coarser levels."""
        self.before(x, b, zero=False)


@with_gpu_form(polynomial_cuda.polynomial_smoother)
def polynomial_smoother(steps_for: Callable[[float], list[PolynomialStep]], level: Any) -> PolynomialSmoother:
    """Return the smoother of a level."""
    return PolynomialSmoother(steps_for, level)


def jacobi(*, sweeps: int = 1, damping: float | None = None) -> MakeSmoother:
    """Return the function that makes damped Jacobi; by default `damping` is 4 / (3 rho), rho the largest eigenvalue."""
    sweeps = integer(sweeps, "sweeps", minimum=1)
    if damping is not None:
        damping = number(damping, "damping", above=0)

    return partial(polynomial_smoother, partial(jacobi_steps, sweeps, damping))


def chebyshev(*, degree: int = 2, lower: float = 1 / 6, upper: float = 1.1) -> MakeSmoother:
    """Return the function that makes Chebyshev's smoother on [lower rho, upper rho]."""
    degree = integer(degree, "degree", minimum=1)
    lower = number(lower, "lower", above=0)
    upper = number(upper, "upper", above=lower)
    return partial(polynomial_smoother, partial(chebyshev_steps_above, degree, lower, upper))


def jacobi_steps(sweeps: int, damping: float | None, rho: float) -> list[PolynomialStep]:
    """Return the steps of damped Jacobi for the largest eigenvalue rho."""
    return [PolynomialStep(0.0, 4 / (3 * rho) if damping is None else damping)] * sweeps


def chebyshev_steps_above(degree: int, lower: float, upper: float, rho: float) -> list[PolynomialStep]:
    """Return the steps of Chebyshev's polynomial for eigenvalues from `lower` to `upper` times the largest one."""
    return chebyshev_steps(degree, lower * rho, upper * rho)


def chebyshev_steps(degree: int, low: float, high: float) -> list[PolynomialStep]:
    """Return the steps of Chebyshev's polynomial for eigenvalues between `low` and `high`."""
    middle, radius = (high + low) / 2, (high - low) / 2
    ratio = radius / middle
    steps = [PolynomialStep(0.0, 1 / middle)]
    for _ in range(1, degree):
        new_ratio = 1 / (2 * middle / radius - ratio)
        steps.append(PolynomialStep(new_ratio * ratio, 2 * new_ratio / radius))
        ratio = new_ratio
    return steps
