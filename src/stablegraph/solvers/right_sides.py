"""Right-hand sides, their consistent parts, and the residuals of solutions.

If a matrix is singular and Hermitian, a system has solutions if its right-hand side is orthogonal to the null space.
The shortest of these solutions is orthogonal to the null space. A right-hand side b is therefore split into its
consistent part c and the part in the null space, which no product A x can reach. Solvers solve A x = c. They report the
residuals of both systems, |b - A x| / |b| and |c - A x| / |c|, for the returned x, in doubled precision.

Squares of very small and very large numbers are not representable. Such right-hand sides are multiplied by a power of
two first, which does not change any digits of the solution. Work memory: two vectors, one more with a null space.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime.arrays import all_finite, column_of, copied, largest_size, set_column
from .._core.runtime.thread_count import warn_user
from .conjugate_gradients import ConvergenceWarning
from .inputs import Nullspace
from .linalg.vectors import Vector, accurate_residual, norm, scaled

_SMALLEST, _LARGEST = 1e-100, 1e100  # squares of numbers between them, and of their residuals, are representable
_IN_NULLSPACE = 1e-13  # maximum relative size of the consistent part of a vector in the null space: rounding errors
_NEAR_LIMIT, _STEP = 1e290, -200  # the accurate residual splits numbers, for which they must not be close to 1e308

HIDDEN = "rounding errors hid that the target is not reached"


class Outcome(NamedTuple):
    """How well the solution for one right-hand side satisfies the system; numbers are relative to b."""

    residual: float  # |b - A x| / |b|
    consistent: float  # |c - A x| / |c|
    removed: float  # |b - c| / |b|
    log_sizes: tuple[float, float]  # log2 |b| and log2 |c|; -inf for 0
    why: str | None  # why the iteration ended before its target
    iterations: int
    hint: str = ""  # what to try next

    @staticmethod
    def of_complex(real: Outcome, imaginary: Outcome) -> Outcome:
        """Return the outcome for a complex right-hand side, from those for its real and its imaginary part."""
        sizes = [_relative_norms(part.log_sizes[k] for part in (real, imaginary)) for k in (0, 1)]

        def joined(k: int, *parts: float) -> float:
            return math.hypot(*(part * share for part, share in zip(parts, sizes[k][1:], strict=True)))

        return Outcome(
            joined(0, real.residual, imaginary.residual),
            joined(1, real.consistent, imaginary.consistent),
            joined(0, real.removed, imaginary.removed),
            (sizes[0][0], sizes[1][0]),
            max(real, imaginary, key=lambda part: _finite(part.consistent)).why,
            max(real.iterations, imaginary.iterations),
            max(real.hint, imaginary.hint),
        )


def _relative_norms(logs: Iterable[float]) -> tuple[float, float, float]:
    """Return the logarithm of the norm of two vectors, and their norms relative to it; from their logarithms."""
    first, second = logs
    top = max(first, second)
    if top == -math.inf:
        return top, 1.0, 1.0
    parts = [2.0 ** max(log - top, -1000.0) for log in (first, second)]
    whole = math.hypot(*parts)
    return top + math.log2(whole), parts[0] / whole, parts[1] / whole


class RightSide:
    """One right-hand side and its consistent part, both multiplied by a power of two if they are extreme."""

    def __init__(self, b: Vector, projector: Nullspace | None) -> None:
        largest = largest_size(b)
        usual = largest == 0 or _SMALLEST <= largest <= _LARGEST
        self.exponent = 0 if usual else -math.frexp(largest)[1]
        self.b = self.scaled(b)
        self.consistent, self._removed = self.b, 0.0
        self.size = self._norm = norm(self.b)
        if projector is not None and projector.is_left:
            self.consistent = copied(self.b)
            self._removed = projector.project(self.consistent)
            self.size = norm(self.consistent)
            if self.size <= _IN_NULLSPACE * self._norm:
                self.consistent[:] = self.size = 0.0

    def scaled(self, x: Vector) -> Vector:
        """Return a vector in the unit of this right-hand side."""
        return x if self.exponent == 0 else scaled(x, self.exponent)

    def unscaled(self, x: Vector) -> Vector:
        """Return a solution in the unit of the user."""
        if self.exponent == 0:
            return x
        x = scaled(x, -self.exponent)
        if not all_finite(x):
            raise np.linalg.LinAlgError("the solution is too large for floating-point numbers: scale the system")
        return x

    def unscaled_norm(self, size: float) -> float:
        """Return the norm of a residual in the unit of the user: infinity if it is too large for a number."""
        try:
            return math.ldexp(size, -self.exponent)
        except OverflowError:
            return math.inf

    def outcome(self, A: Any, x: Vector, why: str | None = None, iterations: int = 0, hint: str = "") -> Outcome:
        """Return the accuracy of a solution in the unit of the user."""
        x = self.scaled(x)
        remaining = _residual_norm(A, x, self.consistent)
        if self._norm == 0:
            size = 0.0 if remaining == 0 else math.inf
            return Outcome(size, size, 0.0, (-math.inf, -math.inf), why, iterations, hint)
        consistent = remaining / self.size if self.size else 0.0
        residual = consistent if self.consistent is self.b else _residual_norm(A, x, self.b) / self._norm
        logs = [math.log2(size) - self.exponent if size else -math.inf for size in (self._norm, self.size)]
        return Outcome(residual, consistent, self._removed / self._norm, (logs[0], logs[1]), why, iterations, hint)


def solve_columns(
    right: Vector, x: Vector, dtype: Any, solve_one: Callable[[Vector, Vector], Outcome]
) -> list[Outcome]:
    """Solve for one right-hand side or for each column, from x and into it; return the outcome of each.

    `solve_one` takes vectors of type `dtype`. If this is real, the two parts of complex vectors are solved separately.
    """
    outcomes = []
    for j in range(1 if right.ndim == 1 else right.shape[1]):
        b, column = (right, x) if right.ndim == 1 else (column_of(right, j), column_of(x, j))
        if b.dtype == dtype:
            outcomes.append(solve_one(b, column))
        else:
            real, imaginary = column.real.copy(), column.imag.copy()
            parts = solve_one(b.real.copy(), real), solve_one(b.imag.copy(), imaginary)
            outcomes.append(Outcome.of_complex(*parts))
            column.real, column.imag = real, imaginary
        if right.ndim > 1:
            set_column(x, j, column)
    return outcomes


def _residual_norm(A: Any, x: Vector, b: Vector) -> float:
    """Return |b - A x|; not a finite number if it cannot be computed."""
    r = np.empty_like(b)
    accurate_residual(A, x, b, r)
    size = norm(r)
    if size < math.inf or not isinstance(A.data, np.ndarray):
        return size
    if largest_size(A.data) > _NEAR_LIMIT:
        A, b = copy.copy(A), scaled(b, _STEP)
        A.data = np.ldexp(A.data.view(np.float64), _STEP).view(A.data.dtype)
        return math.ldexp(_residual_norm(A, x, b), -_STEP)
    if largest_size(x) > _NEAR_LIMIT:
        return math.ldexp(_residual_norm(A, scaled(x, _STEP), scaled(b, _STEP)), -_STEP)
    return size


def _finite(size: float) -> float:
    """Return a residual for comparisons: one that is not a number is the worst."""
    return size if size < math.inf else math.inf


def largest_residuals(outcomes: Sequence[Outcome]) -> tuple[float, float]:
    """Return the largest residuals of the systems, and of their consistent parts."""
    return max((one.residual for one in outcomes), key=_finite), max((one.consistent for one in outcomes), key=_finite)


def warn_of_residuals(outcomes: Sequence[Outcome], tol: float) -> bool:
    """Return whether all solutions reached the tolerance; warn of the worst one, and of inconsistent systems."""

    def of_column(outcome: Outcome) -> str:
        return f"column {outcomes.index(outcome)} of b" if len(outcomes) > 1 else "b"

    missed = [one for one in outcomes if not one.consistent <= tol]
    if missed:
        worst = max(missed, key=lambda one: _finite(one.residual))
        size = f"{worst.residual:.3g} times {of_column(worst)}"
        if worst.residual > 1.01 * worst.consistent:
            size += f" and {worst.consistent:.3g} times its consistent part"
        reached = f"after {worst.iterations} iterations the residual is {size}"
        text = f"{worst.why or HIDDEN}: {reached}, and not {tol:.3g}{worst.hint}"
        warn_user(text, ConvergenceWarning)
    inconsistent = [one for one in outcomes if one.consistent <= tol < one.residual]
    if inconsistent:
        worst = max(inconsistent, key=lambda one: one.residual)
        warn_user(
            f"inconsistent system: {of_column(worst)} has a part in the null space, {worst.removed:.3g} times b, "
            f"which was removed, and the residual is {worst.residual:.3g} times b; if that is intended, pass "
            "b - N @ numpy.linalg.lstsq(N, b)[0] with N = nullspace.reshape(len(b), -1)",
            ConvergenceWarning,
        )
    return not missed
