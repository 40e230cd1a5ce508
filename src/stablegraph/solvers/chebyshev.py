"""Chebyshev's smoother: the polynomial of a degree that is least over the upper part of the spectrum of D^-1 A.

The upper part is [lower rho, upper rho], where rho is the largest eigenvalue: what lies below is for the coarser
levels. With degree 2, lower = 1/6 needs 7 to 11 iterations on Poisson and elasticity problems where 1/30, which suits
polynomials of higher degree, needs 14. The coefficients follow Saad, "Iterative Methods for Sparse Linear Systems",
algorithm 12.1.
"""

from __future__ import annotations

from functools import partial

from .cycle import MakeSmoother
from .inputs import check_count
from .polynomial import PolynomialSmoother, Step


def chebyshev(*, degree: int = 2, lower: float = 1 / 6, upper: float = 1.1) -> MakeSmoother:
    """Chebyshev's smoother on [lower rho, upper rho]."""
    check_count("degree", degree)
    if not 0 < lower < upper:
        raise ValueError(f"lower and upper must be multiples of rho, 0 < lower < upper, got {lower} and {upper}")
    return partial(PolynomialSmoother, lambda rho: coefficients(degree, lower * rho, upper * rho))


def coefficients(degree: int, low: float, high: float) -> list[Step]:
    """The steps (alpha, beta) of the polynomial for eigenvalues between `low` and `high`."""
    middle, radius = (high + low) / 2, (high - low) / 2
    ratio = radius / middle
    steps = [(0.0, 1 / middle)]
    for _ in range(1, degree):
        new_ratio = 1 / (2 * middle / radius - ratio)
        steps.append((new_ratio * ratio, 2 * new_ratio / radius))
        ratio = new_ratio
    return steps
