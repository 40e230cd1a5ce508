"""Gauss-Seidel as a smoother: by rows, or by clusters, for which a level's aggregates serve.

Result: x is a better solution of A x = b; the same bits for any number of threads.

Rule: that of ../gauss_seidel.py. Before the coarser levels it sweeps forward, after them backward: the one is the
transpose of the other, as symmetric cycles need it. Where a matrix has blocks, nodes are colored, not rows, and those
of a node are relaxed one after the other:

    x_i = x_i + (b_i - sum of a_ij x_j over all j) / a_ii

In the code: `relax_nodes`. If all blocks are full, that is what sweeps by rows do, up to rounding errors.

Cost: that of ../gauss_seidel.py, but blocks are read where they are, with one index each, and not copied.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import read_only
from ..._core.runtime import kernel
from ..._core.runtime.cuda_source import by_device
from ..._core.runtime.primitives import exclusive_scan
from ..._core.validation import integer
from ...coarsening.api import checked_labels
from ...conversion import as_graph
from ..cycle import MakeSmoother
from ..gauss_seidel import GaussSeidel, Launch, first_cluster, gauss_seidel
from ..linalg.spmv import MatrixRows, block_sizes, row_times, rows_of
from ..linalg.vectors import Vector
from ..sweep_order import SweepOrder, cluster_order, point_order


def _cuda():
    from . import gauss_seidel_cuda

    return gauss_seidel_cuda


class Nodes(NamedTuple):
    """Nodes in the order of a sweep."""

    begins: Any  # (clusters + 1,): where those of each cluster begin
    rows: Any  # (nodes,): their numbers
    offsets: Any  # (nodes + 1,): how many blocks come before each


@kernel(
    by="workers",
    types="int int int int32[] int32[] int64[] O[] V[] T[] int int T[] T[] T[]",
    constants="2,2 3,3 6,6",
    T="float64 complex128",
)
def relax_nodes(worker, workers, launch: Launch, nodes: Nodes, matrix: MatrixRows, inverse_diagonal, b, x):
    """Relax the rows of the nodes of clusters one after another."""
    direction, height = launch.direction, matrix.height
    start = nodes.begins[first_cluster(launch, nodes.begins, nodes.offsets, worker, workers)]
    end = nodes.begins[first_cluster(launch, nodes.begins, nodes.offsets, worker + 1, workers)]
    p = start if direction > 0 else end - 1
    for _ in range(end - start):
        for s in range(height):
            i = nodes.rows[p] * height + (s if direction > 0 else height - 1 - s)
            x[i] += (b[i] - row_times(i, matrix, x)) * inverse_diagonal[i]
        p += direction


class BlockGaussSeidel(GaussSeidel):
    """Sweeps through the blocks of a level's matrix."""

    def __init__(self, order: SweepOrder, level: Any, sweeps: int) -> None:
        super().__init__(order, level.A, symmetric=False, sweeps=sweeps, seconds={})
        self.shape = level.A.shape
        self._nodes = Nodes(order.begins, order.rows, exclusive_scan(np.diff(level.A.indptr)[order.rows]))
        self._inverse_diagonal = level.inverse_diagonal

    def take(self, level: Any) -> None:
        """Go on with new values of the matrix."""
        self._matrix, self._inverse_diagonal = level.A, level.inverse_diagonal

    def _relax(self, launches: Iterator[tuple[int, int, int]], direction: int, x: Vector, b: Vector) -> None:
        nodes = Nodes(*map(read_only, self._nodes))
        arrays = nodes, rows_of(self._matrix), read_only(self._inverse_diagonal), read_only(b), x
        for start, end, workers in launches:
            relax_nodes(workers, Launch(start, end, direction), *arrays)

    @property
    def _offsets(self) -> Any:
        return self._nodes.offsets


class GaussSeidelSmoother:
    """`GaussSeidel` as a cycle calls it."""

    def __init__(self, sweeps: int, clustered: bool, level: Any) -> None:
        A, nodes = level.A, level.A.indptr.size - 1
        clusters = clusters_of_rows(level.labels, nodes) if clustered and level.labels is not None else None
        self.sweeps: GaussSeidel
        if block_sizes(A) == (1, 1):
            self.sweeps = gauss_seidel(A, clusters=clusters, symmetric=False, sweeps=sweeps)
        else:
            graph = as_graph((A.indptr, A.indices))
            order = point_order(graph) if clusters is None else cluster_order(graph, *checked_labels(clusters, nodes))
            self.sweeps = BlockGaussSeidel(order, level, sweeps)

    def before(self, x: Vector, b: Vector, zero: bool) -> None:
        """Sweep forward."""
        self.sweeps.before(x, b, zero)

    def after(self, x: Vector, b: Vector) -> None:
        """Sweep backward."""
        self.sweeps.after(x, b)

    def renewed(self, level: Any) -> GaussSeidelSmoother:
        """That of a level with other values."""
        new = copy.copy(self)
        new.sweeps = copy.copy(self.sweeps)
        if isinstance(new.sweeps, BlockGaussSeidel):
            new.sweeps.take(level)
        else:
            new.sweeps.update(level.A)
        return new


@by_device(cuda=lambda: _cuda().gauss_seidel_smoother)
def gauss_seidel_smoother(sweeps: int, clustered: bool, level: Any) -> GaussSeidelSmoother:
    """The smoother for one level; its aggregates are the clusters, if that is wanted and it has some."""
    return GaussSeidelSmoother(sweeps, clustered, level)


def by_points(*, sweeps: int = 1) -> MakeSmoother:
    """Point multicolor Gauss-Seidel."""
    sweeps = integer(sweeps, "sweeps", least=1)
    return partial(gauss_seidel_smoother, sweeps, False)


def by_clusters(*, sweeps: int = 1) -> MakeSmoother:
    """Cluster multicolor Gauss-Seidel: the rows of an aggregate's nodes are a cluster."""
    sweeps = integer(sweeps, "sweeps", least=1)
    return partial(gauss_seidel_smoother, sweeps, True)


def clusters_of_rows(labels: Any, n: int) -> Any:
    """The cluster of each row from the aggregates of nodes; a node in no aggregate (label -1) is one of its own."""
    alone = labels < 0
    if alone.any():
        labels = labels.copy()
        labels[alone] = labels.max(initial=-1) + 1 + np.arange(np.count_nonzero(alone), dtype=labels.dtype)
    return np.repeat(labels, n // labels.size)
