"""Polynomial smoothers, polynomials in D^-1 A on all rows at once: Jacobi and Chebyshev.

Result: x is a better solution of A x = b; the same bits for any number of threads.

Rule: a step is ``p = alpha p + beta D^-1 (b - A x)``, then ``x = x + p``. A list of pairs (alpha, beta) defines the
smoother: Jacobi's if alpha is always 0, otherwise Chebyshev's. In the code: `write_step`, with the pairs of `jacobi`
and `chebyshev_steps`.

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

from .._core.runtime import Numbers, kernel, with_gpu_form
from .._core.validation import integer, number
from .cycle import MakeSmoother
from .linalg.cuda import vectors as vectors_cuda
from .linalg.vectors import MatrixRows, Vector, row_times, rows_of


class PolynomialStep(NamedTuple):
    """The coefficients of one step."""

    alpha: float  # of the previous step's direction
    beta: float  # of the preconditioned residual D^-1 (b - A x)


class StepVectors(NamedTuple):
    """The vectors of one step."""

    inverse_diagonal: Numbers
    b: Numbers
    x: Numbers
    last_p: Numbers  # the previous step's direction, which is only read if alpha is not 0; may be x or p
    p: Numbers  # the direction; empty if it is not needed
    new_x: Numbers


@kernel
def write_first_step(i, inverse_diagonal: Numbers, b: Numbers, step: PolynomialStep, x: Numbers):
    """Make the first step from x = 0, where p is equal to x: x = beta D^-1 b."""
    x[i] = step.beta * inverse_diagonal[i] * b[i]


@kernel(by="edges", constants="1,1 2,2 3,3 6,6")
def write_step(row, rows: MatrixRows, vectors: StepVectors, step: PolynomialStep):
    """Make a step, for a row of blocks: p = alpha p + beta D^-1 (b - A x), and x + p."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        along = step.beta * vectors.inverse_diagonal[i] * (vectors.b[i] - row_times(i, rows, vectors.x))
        if step.alpha != 0.0:
            along += step.alpha * vectors.last_p[i]
        if vectors.p.size > 0:
            vectors.p[i] = along
        vectors.new_x[i] = vectors.x[i] + along


@with_gpu_form(vectors_cuda.step_from_zero)
def step_from_zero(A: Any, x: Vector, b: Vector, inverse: Vector, step: PolynomialStep) -> None:
    """Set x = beta D^-1 b."""
    write_first_step(x.size, inverse, b, step, x)


@with_gpu_form(vectors_cuda.make_step)
def make_step(
    A: Any,
    x: Vector,
    new_x: Vector,
    b: Vector,
    inverse: Vector,
    step: PolynomialStep,
    last_p: Vector | None,
    p: Vector | None,
) -> None:
    """Set p = alpha last_p + beta D^-1 (b - A x), if p is not None, and new_x = x + p."""
    vectors = StepVectors(inverse, b, x, x if last_p is None else last_p, b[:0] if p is None else p, new_x)
    write_step(A.indptr.size - 1, rows_of(A), vectors, step)


class PolynomialSmoother:
    """A polynomial for one level. `steps_for` returns its steps for the largest eigenvalue of D^-1 A."""

    def __init__(
        self, steps_for: Callable[[float], list[PolynomialStep]], level: Any, room: tuple[Vector, Vector] | None = None
    ) -> None:
        """Allocate two vectors of work memory, unless there is room."""
        like = level.inverse_diagonal
        self._steps_for, self._level, self._room = steps_for, level, room or (np.empty_like(like), np.empty_like(like))
        self.steps = steps_on_device(like, steps_for(level.rho))

    def __reduce__(self) -> Any:  # for copies and pickles: without the work memory
        return PolynomialSmoother, (self._steps_for, self._level)

    def renewed(self, level: Any) -> PolynomialSmoother:
        """Return the smoother of a level with other values."""
        return PolynomialSmoother(self._steps_for, level, self._room)

    def before(self, x: Vector, b: Vector, zero: bool) -> None:
        """Improve the solution x of A x = b. If `zero` is set, x counts as zero."""
        A, inverse, (room, other), count = self._level.A, self._level.inverse_diagonal, self._room, len(self.steps)
        old, new = (x, other) if count % 2 == 0 else (other, x)  # the last step writes into x
        if not zero and old is not x:
            old[:] = x
        last_p: Any = None
        for place, step in enumerate(self.steps):
            if place == 0 and zero:
                step_from_zero(A, new, b, inverse, step)
                last_p = new  # the direction is equal to x
            else:
                p = room if place + 1 < count else None  # the last step does not write it
                make_step(A, old, new, b, inverse, step, last_p, p)
                last_p = p
            old, new = new, old

    def after(self, x: Vector, b: Vector) -> None:
        """Improve the solution x after the correction by coarser levels."""
        self.before(x, b, zero=False)


@with_gpu_form(vectors_cuda.steps_on_device)
def steps_on_device(like: Vector, steps: list[PolynomialStep]) -> Any:
    """Return the steps in the form that `make_step` takes on the device of a vector."""
    return steps


def jacobi(*, sweeps: int = 1, damping: float | None = None) -> MakeSmoother:
    """Return the function that makes damped Jacobi; by default `damping` is 4 / (3 rho), rho the largest eigenvalue."""
    sweeps = integer(sweeps, "sweeps", minimum=1)
    if damping is not None:
        damping = number(damping, "damping", above=0)

    return partial(PolynomialSmoother, partial(jacobi_steps, sweeps, damping))


def chebyshev(*, degree: int = 2, lower: float = 1 / 6, upper: float = 1.1) -> MakeSmoother:
    """Return the function that makes Chebyshev's smoother on [lower rho, upper rho]."""
    degree = integer(degree, "degree", minimum=1)
    lower = number(lower, "lower", above=0)
    upper = number(upper, "upper", above=lower)
    return partial(PolynomialSmoother, partial(chebyshev_steps, degree, lower, upper))


def jacobi_steps(sweeps: int, damping: float | None, rho: float) -> list[PolynomialStep]:
    """Return the steps of damped Jacobi for the largest eigenvalue rho."""
    return [PolynomialStep(0.0, 4 / (3 * rho) if damping is None else damping)] * sweeps


def chebyshev_steps(degree: int, lower: float, upper: float, rho: float = 1.0) -> list[PolynomialStep]:
    """Return the steps of Chebyshev's polynomial for eigenvalues between `lower` and `upper` times rho."""
    low, high = lower * rho, upper * rho
    middle, radius = (high + low) / 2, (high - low) / 2
    ratio = radius / middle
    steps = [PolynomialStep(0.0, 1 / middle)]
    for _ in range(1, degree):
        new_ratio = 1 / (2 * middle / radius - ratio)
        steps.append(PolynomialStep(new_ratio * ratio, 2 * new_ratio / radius))
        ratio = new_ratio
    return steps
