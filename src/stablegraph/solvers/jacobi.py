"""Jacobi's smoother: sweeps of x + damping D^-1 (b - A x)."""

from __future__ import annotations

from functools import partial

from .cycle import MakeSmoother
from .inputs import check_count
from .polynomial import PolynomialSmoother, Step


def jacobi(*, sweeps: int = 1, damping: float | None = None) -> MakeSmoother:
    """Damped Jacobi; without a `damping`, 4 / (3 rho), where rho is the largest eigenvalue of D^-1 A."""
    check_count("sweeps", sweeps)
    if damping is not None and not damping > 0:
        raise ValueError(f"damping must be positive, got {damping}")

    def steps_for(rho: float) -> list[Step]:
        return [(0.0, 4 / (3 * rho) if damping is None else float(damping))] * sweeps

    return partial(PolynomialSmoother, steps_for)
