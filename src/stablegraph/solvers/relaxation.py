"""Gauss-Seidel as a smoother: by rows, or by clusters, for which a level's aggregates serve.

Before the coarser levels it sweeps forward, after them backward: the one is the transpose of the other, as symmetric
cycles need it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .gauss_seidel import gauss_seidel
from .vectors import Vector


class Sweeps:
    """`GaussSeidel` as a cycle calls it."""

    def __init__(self, A: Any, clusters: Any, sweeps: int) -> None:
        self.relaxation = gauss_seidel(A, clusters=clusters, symmetric=False, sweeps=sweeps)

    def before(self, x: Vector, b: Vector, zero: bool) -> None:
        """Sweep forward."""
        self.relaxation.before(x, b, zero)

    def after(self, x: Vector, b: Vector) -> None:
        """Sweep backward."""
        self.relaxation.after(x, b)

    def update(self, A: Any, rho: float, inverse_diagonal: Vector) -> None:
        """Go on with new values of the matrix."""
        self.relaxation.update(A)


def make(A: Any, rho: float, inverse_diagonal: Vector, labels: Any, *, sweeps: int = 1) -> Sweeps:
    """Point multicolor Gauss-Seidel for one level."""
    return Sweeps(A, None, sweeps)


def make_clustered(A: Any, rho: float, inverse_diagonal: Vector, labels: Any, *, sweeps: int = 1) -> Sweeps:
    """Cluster multicolor Gauss-Seidel for one level: the rows of an aggregate's nodes are a cluster."""
    return Sweeps(A, None if labels is None else clusters_of_rows(labels, A.shape[0]), sweeps)


def clusters_of_rows(labels: Any, n: int) -> Any:
    """The cluster of each row from the aggregates of nodes; a node in no aggregate (label -1) is one of its own."""
    alone = labels < 0
    if alone.any():
        labels = labels.copy()
        labels[alone] = labels.max(initial=-1) + 1 + np.arange(np.count_nonzero(alone), dtype=labels.dtype)
    return np.repeat(labels, n // labels.size)
