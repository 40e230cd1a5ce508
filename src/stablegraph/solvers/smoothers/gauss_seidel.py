"""Gauss-Seidel as a smoother: by rows, or by clusters, for which a level's aggregates serve.

Result: x is a better solution of A x = b; the same bits for any number of threads.

Rule: that of ../gauss_seidel.py. Before the coarser levels it sweeps forward, after them backward: the one is the
transpose of the other, as symmetric cycles need it.

Cost: that of ../gauss_seidel.py.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._arguments import integer
from ..cycle import MakeSmoother
from ..gauss_seidel import gauss_seidel
from ..linalg.vectors import Vector


class GaussSeidelSmoother:
    """`GaussSeidel` as a cycle calls it."""

    def __init__(self, sweeps: int, clustered: bool, level: Any) -> None:
        A, labels = level.A, level.labels
        clusters = clusters_of_rows(labels, A.shape[0]) if clustered and labels is not None else None
        self.sweeps = gauss_seidel(A, clusters=clusters, symmetric=False, sweeps=sweeps)

    def before(self, x: Vector, b: Vector, zero: bool) -> None:
        """Sweep forward."""
        self.sweeps.before(x, b, zero)

    def after(self, x: Vector, b: Vector) -> None:
        """Sweep backward."""
        self.sweeps.after(x, b)

    def update(self, level: Any) -> None:
        """Go on with new values of the matrix."""
        self.sweeps.update(level.A)


def by_points(*, sweeps: int = 1) -> MakeSmoother:
    """Point multicolor Gauss-Seidel."""
    sweeps = integer(sweeps, "sweeps", least=1)
    return partial(GaussSeidelSmoother, sweeps, False)


def by_clusters(*, sweeps: int = 1) -> MakeSmoother:
    """Cluster multicolor Gauss-Seidel: the rows of an aggregate's nodes are a cluster."""
    sweeps = integer(sweeps, "sweeps", least=1)
    return partial(GaussSeidelSmoother, sweeps, True)


def clusters_of_rows(labels: Any, n: int) -> Any:
    """The cluster of each row from the aggregates of nodes; a node in no aggregate (label -1) is one of its own."""
    alone = labels < 0
    if alone.any():
        labels = labels.copy()
        labels[alone] = labels.max(initial=-1) + 1 + np.arange(np.count_nonzero(alone), dtype=labels.dtype)
    return np.repeat(labels, n // labels.size)
