"""The order of the rows in a Gauss-Seidel sweep: by color, within a color by cluster, within a cluster by number.

Result: an order of all rows that depends only on the pattern and the clusters. Clusters of one color have no entry
between them, so they can be swept in parallel with a deterministic result.

Rule: color(k) = the lowest color that no adjacent, already colored cluster has (first fit). Clusters are colored in
descending order of their smallest rows, single rows in ascending order: usually each of these takes fewer iterations
than its reverse. The oracle is in tests/solvers/test_gauss_seidel.py. In the code: `color_clusters`.

Idea: rows that are close in the matrix stay close in memory. The graph of the clusters is never built: the kernel reads
the entries of a cluster's rows and the current colors of their columns.

State: ``members[begins[k]:begins[k + 1]]`` are the rows of cluster k, ascending; row v is in ``cluster_of[v]``.
``colors[k]`` is `NO_COLOR` until cluster k has its color. ``low_colors[v]`` is the color of the cluster of v if it is
below 63, otherwise 63: one byte per row, which stays in the cache. Sets of colors and marks are those of
coloring/rules.py, with clusters instead of vertices.

Cost: O(n + m) on one thread for the colors, in steps, which bounds the latency of Ctrl-C, and two counting sorts of the
rows. Work memory: four numbers per row.

`permuted_rows` copies a matrix into this order without its diagonal, and stores the inverse of the diagonal separately.
A sweep thus reads the matrix as one stream. Columns keep their numbers, and entries of a row their order, so sums over
them do not change. Cost: one pass over the entries, in parallel. Memory: 12 bytes per entry off the diagonal, 12 to 16
per row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import Pattern, index_type
from .._core.csr.patterns import transposed
from .._core.runtime import Array, Int32s, Numbers, Rows, chunked, kernel, prefetch, rule, with_gpu_form
from .._core.runtime.primitives import exclusive_scan
from ..coloring.api import vertex_coloring
from ..coloring.rules import EMPTY, IN_REGISTER, NO_COLOR, bit_of, lowest_missing, lowest_unmarked, mark
from ..coloring.schedule import color_classes
from ..graph import Graph
from .cuda import gauss_seidel as gauss_seidel_cuda
from .linalg.vectors import MatrixRows, rows_of

_PREFETCH_DISTANCE = 32  # prefetch distance, in rows
_VALUES_PER_LINE = 7  # after this number of values of 8 bytes, the next cache line has begun
_INDICES_PER_LINE = 15  # after this number of entries of 4 bytes, the next cache line has begun
_WORK_PER_CALL = 1 << 25  # entries and rows per kernel call; bounds the latency of Ctrl-C


class SweepOrder(NamedTuple):
    """Rows in the order of a forward sweep."""

    rows: Array  # (n,) of the dtype of the graph's indices
    begins: Array  # (clusters + 1,) of the same dtype: cluster k is rows[begins[k]:begins[k + 1]]
    offsets: list[int]  # (colors + 1): color c is the clusters offsets[c] .. offsets[c + 1] - 1


class Clusters(NamedTuple):
    """A partition of the rows into clusters."""

    begins: Int32s  # (clusters + 1,): the start of the rows of each cluster in `members`
    members: Int32s  # (n,): the rows of one cluster after another, ascending within each
    cluster_of: Int32s  # (n,): the cluster of each row


@rule(inline=False)
def lowest_beyond_register(k, clusters, rows, marks, colors):
    """Find the lowest color from `IN_REGISTER` on that no cluster adjacent to cluster k has."""
    for p in range(clusters.begins[k], clusters.begins[k + 1]):
        v = clusters.members[p]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            mark(colors[clusters.cluster_of[rows.indices[e]]], k, marks)
    return lowest_unmarked(k, marks, IN_REGISTER)


@kernel(by="single", types="int int int32[] int32[] uint8[] int32[]", V="int32", O="int32")
def color_clusters(start, end, order, clusters: Clusters, rows: Rows, marks, low_colors, colors):
    """Color a range of the clusters in an order, from the last one to the first."""
    begins, members, _ = clusters
    indptr, indices = rows
    for place in range(end - 1, start - 1, -1):
        k = order[place]
        taken = EMPTY
        for p in range(begins[k], begins[k + 1]):
            prefetch(indptr, members[max(p - 2 * _PREFETCH_DISTANCE, 0)])
            soon = indptr[members[max(p - _PREFETCH_DISTANCE, 0)]]
            prefetch(indices, soon)
            prefetch(indices, soon + _INDICES_PER_LINE)
            v = members[p]
            for e in range(indptr[v], indptr[v + 1]):
                taken |= bit_of(low_colors[indices[e]])
        color = lowest_missing(taken)
        if color >= IN_REGISTER:
            color = lowest_beyond_register(k, clusters, rows, marks, colors)
        colors[k] = color
        for p in range(begins[k], begins[k + 1]):
            low_colors[members[p]] = min(color, IN_REGISTER)


def point_order(graph: Graph) -> SweepOrder:
    """Return the order for single rows."""
    n, dtype = graph.num_vertices, graph.indices.dtype
    offsets, rows = color_classes(vertex_coloring(graph, order="natural", reduce="none"))
    return SweepOrder(rows.astype(dtype), graph.xp.arange(n + 1, dtype=dtype), offsets.tolist())


def cluster_order(graph: Graph, count: int, labels: Any) -> SweepOrder:
    """Return the order for clusters with labels 0 .. count - 1; rows of a cluster need not be adjacent."""
    xp, n, kind = graph.xp, graph.num_vertices, graph.indices.dtype

    def rows_by(numbers: Any) -> Pattern:
        """Return the rows of each cluster, ascending, by numbers of the rows' clusters."""
        return transposed(Pattern(xp.arange(n + 1, dtype=kind), numbers), count)

    members, is_smallest = rows_by(labels), xp.zeros(n, bool)
    is_smallest[members.indices[members.indptr[:-1]]] = True
    by_smallest = labels[xp.flatnonzero(is_smallest)]  # the clusters in ascending order of their smallest rows
    colors = cluster_colors(graph, Clusters(*members, labels.astype(kind, copy=False)), by_smallest)
    offsets, ascending = color_classes(colors[by_smallest])
    places = xp.empty(count, kind)
    places[by_smallest[ascending]] = xp.arange(count, dtype=kind)
    swept = rows_by(places[labels])
    return SweepOrder(swept.indices, swept.indptr, offsets.tolist())


@with_gpu_form(gauss_seidel_cuda.cluster_colors)
def cluster_colors(graph: Graph, clusters: Clusters, by_smallest: Any) -> Any:
    """Return the color of each cluster; `by_smallest` is the clusters in ascending order of their smallest rows."""
    n, count, kind = graph.num_vertices, by_smallest.size, graph.indices.dtype
    marks, low_colors = np.full(count + IN_REGISTER + 2, -1, kind), np.full(n, IN_REGISTER, np.uint8)
    colors, rows = np.full(count, NO_COLOR, np.int32), Rows(graph.indptr, graph.indices)
    step = max(1, _WORK_PER_CALL * count // max(1, n + graph.num_entries))
    for start, end in reversed(list(chunked(count, step))):
        color_clusters(start, end, by_smallest, clusters, rows, marks, low_colors, colors)
    return colors


class PermutedRows(NamedTuple):
    """The matrix in another order: row p is row ``rows[p]`` without its diagonal entry."""

    indptr: Int32s  # (n + 1,): the start of each row in `indices` and `data`
    indices: Int32s  # columns, with the numbers of the original matrix
    data: Numbers
    inverse_diagonal: Numbers  # (n,)


@kernel
def count_off_diagonal(p, rows: Int32s, indptr: Int32s, lengths: Int32s):
    """Count the entries of row p that are not on the diagonal."""
    i = rows[p]
    lengths[p] = indptr[i + 1] - indptr[i] - 1


@kernel(by="edges", constants="1,1")
def copy_row(p, new: PermutedRows, rows: Int32s, matrix: MatrixRows):
    """Copy row ``rows[p]`` of the matrix to row p, and invert its diagonal entry."""
    last = rows.size - 1
    prefetch(matrix.indptr, rows[min(p + 2 * _PREFETCH_DISTANCE, last)])
    soon = matrix.indptr[rows[min(p + _PREFETCH_DISTANCE, last)]]
    prefetch(matrix.indices, soon)
    prefetch(matrix.indices, soon + 2 * _VALUES_PER_LINE)
    prefetch(matrix.data, soon)
    prefetch(matrix.data, soon + _VALUES_PER_LINE)
    i = rows[p]
    place = new.indptr[p]
    for e in range(matrix.indptr[i], matrix.indptr[i + 1]):
        if matrix.indices[e] == i:
            new.inverse_diagonal[p] = 1 / matrix.data[e]
        else:
            new.indices[place] = matrix.indices[e]
            new.data[place] = matrix.data[e]
            place += 1


def permuted_rows(A: Any, rows: Any) -> PermutedRows:
    """Copy the rows of a checked matrix, in which every diagonal entry is stored exactly once."""
    n, matrix = A.shape[0], rows_of(A)
    lengths = np.empty(n, np.int32)
    count_off_diagonal(n, rows, matrix.indptr, lengths)
    indptr = exclusive_scan(lengths)
    entries = int(indptr[-1])
    indptr = indptr.astype(index_type(entries), copy=False)
    kind = matrix.data.dtype
    new = PermutedRows(indptr, np.empty(entries, np.int32), np.empty(entries, kind), np.empty(n, kind))
    copy_row(n, new, rows, matrix)
    return new
