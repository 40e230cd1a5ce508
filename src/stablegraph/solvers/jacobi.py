"""Jacobi's smoother: sweeps of x + damping D^-1 (b - A x)."""

from __future__ import annotations

from typing import Any

from .polynomial import PolynomialSmoother
from .vectors import Vector


def make(
    A: Any, rho: float, inverse_diagonal: Vector, labels: Any, *, sweeps: int = 1, damping: float | None = None
) -> PolynomialSmoother:
    """Damped Jacobi for one level; without a `damping`, 4 / (3 rho), where rho is the largest eigenvalue of D^-1 A."""
    if damping is None:
        damping = 4 / (3 * rho)
    return PolynomialSmoother(A, inverse_diagonal, [(0.0, float(damping))] * sweeps)
