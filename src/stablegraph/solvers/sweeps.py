"""Multicolor Gauss-Seidel sweeps over rows or clusters of rows, and their use as a smoother.

Result: that of one thread that relaxes all rows in the sweep's order (sweep_order.py), bit for bit, for any number of
threads.

Rule: row i is relaxed by

    x_i = (b_i - sum of a_ij x_j over j != i) / a_ii

with the entries in the order of the row. A backward sweep has the reverse order. In the code: `relax_rows`. If a matrix
has blocks, nodes are colored instead of rows, and the rows of a node are relaxed one after another:

    x_i = x_i + (b_i - sum of a_ij x_j over all j) / a_ii

In the code: `relax_nodes`. If all blocks are full, the result is that of sweeps by rows, up to rounding errors.

Idea: colors are swept one after another, the clusters of a color in parallel, because no entry connects them, and the
rows of a cluster one after another. Point multicolor Gauss-Seidel is the case of clusters of one row.

Larger clusters keep more of the order of a serial sweep, so preconditioned iterations are fewer. With long rows there
are also far fewer colors and launches, and data that rows of a cluster share is still in the cache.

As a smoother it sweeps forward before the coarser levels and backward after them, which makes the cycle symmetric.
Aggregates are the clusters.

Cost of a sweep: 12 bytes are read for each entry off the diagonal, 16 for each row, in addition to b, x and the entries
of x that rows read. Sweeps are memory-bound. Blocks have one index each and are not copied. There is one launch for
each color with work for two threads; one thread sweeps consecutive smaller colors in one launch. No work memory.

Source: B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
Coarsening", IPDPS 2022, Algorithm 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import (
    Int32s,
    Int64s,
    array_module,
    kernel,
    place_of,
    prefetch,
    rule,
    with_gpu_form,
    worker_count,
)
from .._core.runtime.primitives import exclusive_scan
from .._core.validation import integer
from ..graph import Graph
from .cuda import gauss_seidel as gauss_seidel_cuda
from .cycle import MakeSmoother
from .linalg.vectors import MatrixRows, Vector, block_sizes, row_times, rows_of
from .sweep_order import PermutedRows, SweepOrder, cluster_order, permuted_rows, point_order

_PREFETCH_DISTANCE = 48  # prefetch distance for b and x, in rows
_MAX_AT_ONCE = 1 << 22  # entries and rows of several colors per launch; bounds the latency of Ctrl-C


class Launch(NamedTuple):
    """The clusters that one launch relaxes."""

    start: int
    end: int
    direction: int  # 1 for forward, -1 for backward


@rule
def first_cluster(launch, begins, indptr, worker, workers):
    """Return the first cluster of a worker if the entries of the clusters are split evenly."""
    if worker >= workers:
        return launch.end
    base = indptr[begins[launch.start]]
    wanted = (indptr[begins[launch.end]] - base) * worker // workers
    low, high = launch.start, launch.end
    while low < high:
        middle = (low + high) >> 1
        if indptr[begins[middle]] - base < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(by="workers", types="int32[] int32[] F[] F[]")
def relax_rows(worker, workers, launch: Launch, begins, rows, matrix: PermutedRows, b, x):
    """Relax the rows of clusters one after another; the rows of `matrix` are in the order of the sweep."""
    direction = launch.direction
    start = begins[first_cluster(launch, begins, matrix.indptr, worker, workers)]
    end = begins[first_cluster(launch, begins, matrix.indptr, worker + 1, workers)]
    p = start if direction > 0 else end - 1
    for _ in range(end - start):
        soon = rows[min(max(p + _PREFETCH_DISTANCE * direction, start), end - 1)]
        prefetch(b, soon)
        prefetch(x, soon)
        i = rows[p]
        total = b[i]
        for e in range(matrix.indptr[p], matrix.indptr[p + 1]):
            total -= matrix.data[e] * x[matrix.indices[e]]
        x[i] = total * matrix.inverse_diagonal[p]
        p += direction


class Nodes(NamedTuple):
    """Nodes in the order of a sweep."""

    begins: Int32s  # (clusters + 1,): the start of each cluster's nodes
    rows: Int32s  # (nodes,): the numbers of the nodes
    offsets: Int64s  # (nodes + 1,): the number of blocks before each node


@kernel(by="workers", types="F[] F[] F[]", constants="2,2 3,3 6,6")
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


class Sweeps:
    """Sweeps over a matrix, for contiguous vectors, which are not checked."""

    def __init__(self, order: SweepOrder, offsets: Any, arguments: tuple[Any, ...]) -> None:
        """Store the arguments of a kernel, `relax_rows` or `relax_nodes`, between the launch and b.

        `offsets` is the number of entries (blocks) before each row (node).
        """
        self.order, self._offsets, self._arguments = order, offsets, arguments

    def forward(self, x: Vector, b: Vector) -> None:
        """Sweep once over the colors, and the rows of clusters, in ascending order."""
        self._relax(self._launches(), 1, x, b)

    def backward(self, x: Vector, b: Vector) -> None:
        """Sweep once in the reverse order."""
        self._relax(reversed(list(self._launches())), -1, x, b)

    def _relax(self, launches: Iterable[tuple[int, int, int]], direction: int, x: Vector, b: Vector) -> None:
        """Relax the clusters (start, end) of each launch with its number of workers."""
        relax = relax_nodes if isinstance(self._arguments[0], Nodes) else relax_rows
        for start, end, workers in launches:
            relax(workers, Launch(start, end, direction), *self._arguments, b, x)

    def _launches(self) -> Iterator[tuple[int, int, int]]:
        """Yield the clusters (start, end) of each launch, and its workers: for a color, or several with one worker."""
        pending, together, clusters = 0, 0, self.order.begins.size - 1
        for start, end, work in self._colors:
            workers = worker_count("cpu", work)
            if pending < start and (workers > 1 or together + work > _MAX_AT_ONCE):
                yield pending, start, 1
                pending, together = start, 0
            together += work
            if workers > 1:
                yield start, end, workers
                pending, together = end, 0
        if pending < clusters:
            yield pending, clusters, 1

    @cached_property
    def _colors(self) -> list[tuple[int, int, int]]:
        """Return the clusters (start, end) of each color, and its work: the number of rows and entries."""
        colors = self.order.offsets
        ends = self.order.begins[colors]
        work = np.diff(ends) + np.diff(self._offsets[ends])
        return list(zip(colors, colors[1:], work.tolist(), strict=False))


@with_gpu_form(gauss_seidel_cuda.Sweeps)
def sweeps_in_order(order: SweepOrder, A: Any, inverse_diagonal: Vector) -> Sweeps:
    """Return the sweeps over a matrix in an order of its nodes; rows are copied into this order, blocks are not."""
    if block_sizes(A) == (1, 1):
        return sweeps_over_rows(order, permuted_rows(A, order.rows))
    nodes = Nodes(order.begins, order.rows, exclusive_scan(np.diff(A.indptr)[order.rows]))
    return Sweeps(order, nodes.offsets, (nodes, rows_of(A), inverse_diagonal))


def sweeps_over_rows(order: SweepOrder, rows: PermutedRows) -> Sweeps:
    """Return the sweeps over the rows of a matrix in their order."""
    return Sweeps(order, rows.indptr, (order.begins, order.rows, rows))


class GaussSeidelSmoother:
    """Sweeps for one level, forward before the coarser levels and backward after them."""

    def __init__(self, sweeps: int, order: SweepOrder, level: Any) -> None:
        self.sweeps, self._order, self._level = sweeps, order, level
        self._sweeps = sweeps_in_order(order, level.A, level.inverse_diagonal)

    def __reduce__(self) -> Any:  # for copies and pickles, without compiled code and copied rows
        return GaussSeidelSmoother, (self.sweeps, self._order, self._level)

    def before(self, x: Vector, b: Vector, zero: bool) -> None:
        """Sweep forward. If `zero` is set, x counts as zero."""
        if zero:
            x[:] = 0
        for _ in range(self.sweeps):
            self._sweeps.forward(x, b)

    def after(self, x: Vector, b: Vector) -> None:
        """Sweep backward."""
        for _ in range(self.sweeps):
            self._sweeps.backward(x, b)

    def renewed(self, level: Any) -> GaussSeidelSmoother:
        """Return the smoother of a level with other values in the same pattern."""
        return GaussSeidelSmoother(self.sweeps, self._order, level)


def gauss_seidel_smoother(sweeps: int, clustered: bool, level: Any) -> GaussSeidelSmoother:
    """Return the smoother of a level; if `clustered`, aggregates are the clusters."""
    graph = Graph._trusted(level.A.indptr, level.A.indices)
    if not clustered or level.labels is None:
        return GaussSeidelSmoother(sweeps, point_order(graph), level)
    labels = clusters_of_rows(level.labels, graph.num_vertices)
    return GaussSeidelSmoother(sweeps, cluster_order(graph, int(labels.max()) + 1, labels), level)


def gauss_seidel(clustered: bool, *, sweeps: int = 1) -> MakeSmoother:
    """Return the function that makes the smoother of a level: by points, or by clusters, its aggregates."""
    return partial(gauss_seidel_smoother, integer(sweeps, "sweeps", minimum=1), clustered)


def clusters_of_rows(labels: Any, n: int) -> Any:
    """Return the cluster of each row from the aggregates of nodes; a node without one (label -1) is its own cluster."""
    alone = labels < 0
    count = int(alone.sum())
    if count:
        first, labels = int(labels.max()) + 1, labels.copy()
        labels[alone] = array_module(place_of(labels)).arange(first, first + count, dtype=labels.dtype)
    return labels if labels.size == n else np.repeat(labels, n // labels.size)
