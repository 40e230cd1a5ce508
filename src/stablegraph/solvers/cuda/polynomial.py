"""Polynomial smoothers on a GPU: polynomial.py describes them, ../linalg/spmv.cu contains their steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..linalg.cuda.vectors import products_with


class PolynomialSmoother:
    """A polynomial for one level."""

    def __init__(self, steps_for: Callable[[float], Sequence[tuple[float, float]]], level: Any) -> None:
        xp, dtype = level.A.xp, level.A.data.dtype
        n, self._steps_for, self._level = level.A.shape[0], steps_for, level
        self._p, self._other = xp.empty(n, dtype), xp.empty(n, dtype)
        self._products, self._inverse = products_with(level.A), level.inverse_diagonal
        self.steps = xp.asarray(steps_for(level.rho), dtype)

    def __reduce__(self) -> Any:  # for copies and pickles, without work memory and compiled code
        return PolynomialSmoother, (self._steps_for, self._level)

    def renewed(self, level: Any) -> PolynomialSmoother:
        """Return the smoother of a level with other values in the same pattern."""
        return PolynomialSmoother(self._steps_for, level)

    def before(self, x: Any, b: Any, zero: bool) -> None:
        """Improve the solution x of A x = b. If `zero` is set, x counts as zero."""
        old, new = (x, self._other) if len(self.steps) % 2 == 0 else (self._other, x)  # the last step writes into x
        if not zero and old is not x:
            old[:] = x
        last_p: Any = 0
        for place, step in enumerate(self.steps):
            if place == 0 and zero:
                self._products.step_from_zero(new, b, self._inverse, step)
                last_p = new  # the direction is equal to x
            else:
                p = self._p if place + 1 < len(self.steps) else 0  # the last step does not write it
                self._products.step(old, new, b, self._inverse, step, last_p, p)
                last_p = p
            old, new = new, old

    def after(self, x: Any, b: Any) -> None:
        """Improve the solution x after the correction by coarser levels."""
        self.before(x, b, zero=False)


def polynomial_smoother(steps_for: Callable[[float], Sequence[tuple[float, float]]], level: Any) -> PolynomialSmoother:
    """Return the smoother of a level."""
    return PolynomialSmoother(steps_for, level)
