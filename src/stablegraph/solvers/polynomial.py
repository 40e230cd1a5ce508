"""Smoothers that are polynomials in D^-1 A: sweeps over all rows at once.

A step is ``p = alpha p + beta D^-1 (b - A x)``, then ``x = x + p``, in one pass through the matrix, from one vector of
unknowns into another; a list of pairs (alpha, beta) makes the smoother. With alpha = 0 throughout it is Jacobi's, with
other numbers Chebyshev's. A first step from x = 0 needs no matrix. The same polynomial serves before and after the
coarser levels: for a symmetric A it is its own adjoint, as a preconditioner for conjugate gradients needs it.

Work memory: two vectors. So one smoother works for one caller at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..parallel import at, kernel
from .products import row_times, rows_of
from .vectors import Vector

Step = tuple[float, float]


@kernel
def step_from_zero(i, inverse_diagonal, b, beta, p, x):
    p[i] = beta * inverse_diagonal[i] * b[i]
    x[i] = p[i]


@kernel(by="edges")
def first_step(i, indptr, indices, data, inverse_diagonal, b, x, beta, p, new_x):
    p[at(i)] = beta * inverse_diagonal[at(i)] * (b[at(i)] - row_times(i, indptr, indices, data, x))
    new_x[at(i)] = x[at(i)] + p[at(i)]


@kernel(by="edges")
def next_step(i, indptr, indices, data, inverse_diagonal, b, x, alpha, beta, p, new_x):
    correction = beta * inverse_diagonal[at(i)] * (b[at(i)] - row_times(i, indptr, indices, data, x))
    p[at(i)] = alpha * p[at(i)] + correction
    new_x[at(i)] = x[at(i)] + p[at(i)]


class PolynomialSmoother:
    """A polynomial for one level. `steps_for` gives its steps for the largest eigenvalue of D^-1 A."""

    def __init__(self, steps_for: Callable[[float], list[Step]], level: Any) -> None:
        n = level.A.shape[0]
        self._steps_for = steps_for
        self._p, self._other = np.empty(n), np.empty(n)
        self.update(level)

    def update(self, level: Any) -> None:
        """Go on with new values of the matrix."""
        self.A, self.inverse_diagonal = level.A, level.inverse_diagonal
        self.steps = self._steps_for(level.rho)

    def before(self, x: Vector, b: Vector, zero: bool) -> None:
        """Make x a better solution of A x = b; `zero` says that it is zero, whatever it holds."""
        n, rows = x.size, rows_of(self.A)
        old, new = (x, self._other) if len(self.steps) % 2 == 0 else (self._other, x)  # the last step writes into x
        if not zero and old is not x:
            old[:] = x
        for number, (alpha, beta) in enumerate(self.steps):
            if number == 0 and zero:
                step_from_zero(n, self.inverse_diagonal, b, beta, self._p, new)
            elif number == 0:
                first_step(n, *rows, self.inverse_diagonal, b, old, beta, self._p, new)
            else:
                next_step(n, *rows, self.inverse_diagonal, b, old, alpha, beta, self._p, new)
            old, new = new, old

    def after(self, x: Vector, b: Vector) -> None:
        """The same, after the correction by coarser levels."""
        self.before(x, b, zero=False)
