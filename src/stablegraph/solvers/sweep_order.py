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

Cost: O(n + m) on one thread, in steps, which bounds the latency of Ctrl-C. Work memory: four numbers per row.

`permuted_rows` copies a matrix into this order without its diagonal, and stores the inverse of the diagonal separately.
A sweep thus reads the matrix as one stream. Columns keep their numbers, and entries of a row their order, so sums over
them do not change. Cost: one pass over the entries, in parallel. Memory: 12 bytes per entry off the diagonal, 12 to 16
per row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Array, Int32s, Numbers, Rows, chunked, kernel, prefetch, rule
from .._core.runtime.primitives import exclusive_scan
from ..coloring.api import vertex_coloring
from ..coloring.rules import EMPTY, IN_REGISTER, NO_COLOR, bit_of, lowest_missing, lowest_unmarked, mark
from ..coloring.schedule import color_classes
from ..graph import Graph
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


@kernel(by="single", types="int int int32[] int32[] int32[] int32[] int32[]")
def number_clusters(start, end, labels, numbers, sizes, cluster_of, counter):
    """Number the clusters by their smallest rows, and count their rows; `found[0]` clusters are numbered so far."""
    for v in range(start, end):
        label = labels[v]
        if numbers[label] < 0:
            numbers[label] = counter[0]
            counter[0] += 1
        k = numbers[label]
        cluster_of[v] = k
        sizes[k] += 1


@kernel(by="single")
def scatter_rows(start: int, end: int, cluster_of: Int32s, places: Int32s, members: Int32s):
    """Append rows to their clusters; `places` is the next position of each cluster."""
    for v in range(start, end):
        k = cluster_of[v]
        members[places[k]] = v
        places[k] += 1


@rule(inline=False)
def lowest_beyond_register(k, clusters, rows, marks, colors):
    """Find the lowest color from `IN_REGISTER` on that no cluster adjacent to cluster k has."""
    for p in range(clusters.begins[k], clusters.begins[k + 1]):
        v = clusters.members[p]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            mark(colors[clusters.cluster_of[rows.indices[e]]], k, marks)
    return lowest_unmarked(k, marks)


@kernel(by="single", types="int int int32[] uint8[] int32[]", V="int32", O="int32")
def color_clusters(start, end, clusters: Clusters, rows: Rows, marks, low_colors, colors):
    """Color the clusters of a range, from the last one to the first."""
    begins, members, _ = clusters
    indptr, indices = rows
    for k in range(end - 1, start - 1, -1):
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


@kernel(by="single")
def count_colors(start: int, end: int, begins: Int32s, colors: Int32s, rows_of: Int32s, clusters_of: Int32s):
    """Count the rows and the clusters of each color."""
    for k in range(start, end):
        rows_of[colors[k]] += begins[k + 1] - begins[k]
        clusters_of[colors[k]] += 1


@kernel(by="single", types="int int int32[] int64[] int64[] int32[] int32[]")
def scatter_clusters(start, end, clusters: Clusters, colors, next_row, next_cluster, new_begins, new_rows):
    """Append clusters to their colors, in order; `next_row` and `next_cluster` are the next positions of each color."""
    for k in range(start, end):
        color = colors[k]
        place = next_row[color]
        new_begins[next_cluster[color]] = place
        next_cluster[color] += 1
        for p in range(clusters.begins[k], clusters.begins[k + 1]):
            new_rows[place] = clusters.members[p]
            place += 1
        next_row[color] = place


def point_order(graph: Graph) -> SweepOrder:
    """Return the order for single rows."""
    n, dtype = graph.num_vertices, graph.indices.dtype
    offsets, rows = color_classes(vertex_coloring(graph, order="natural", reduce="none"))
    return SweepOrder(rows.astype(dtype), graph.xp.arange(n + 1, dtype=dtype), offsets.tolist())


def cluster_order(graph: Graph, count: int, labels: Any) -> SweepOrder:
    """Return the order for clusters with labels 0 .. count - 1; rows of a cluster need not be adjacent."""
    n, dtype = graph.num_vertices, graph.indices.dtype
    clusters = _numbered(count, labels, dtype)

    marks, low_colors = np.full(count + IN_REGISTER + 2, -1, dtype), np.full(n, IN_REGISTER, np.uint8)
    colors = np.full(count, NO_COLOR, np.int32)
    step = max(1, _WORK_PER_CALL * count // max(1, n + graph.num_entries))
    for start, end in reversed(list(chunked(count, step))):
        color_clusters(start, end, clusters, Rows(graph.indptr, graph.indices), marks, low_colors, colors)

    number = int(colors.max(initial=-1)) + 1
    rows_of, clusters_of = np.zeros(number, dtype), np.zeros(number, dtype)
    for start, end in chunked(count):
        count_colors(start, end, clusters.begins, colors, rows_of, clusters_of)
    next_row, offsets = exclusive_scan(rows_of), exclusive_scan(clusters_of)
    rows, new_begins, next_cluster = np.empty(n, dtype), np.full(count + 1, n, dtype), offsets.copy()
    for start, end in chunked(count, step):
        scatter_clusters(start, end, clusters, colors, next_row, next_cluster, new_begins, rows)
    return SweepOrder(rows, new_begins, offsets.tolist())


def _numbered(count: int, labels: Any, dtype: Any) -> Clusters:
    """Number the clusters by their smallest rows."""
    n = labels.size
    numbers, sizes, counter = np.full(count, -1, dtype), np.zeros(count, dtype), np.zeros(1, dtype)
    cluster_of, members = np.empty(n, dtype), np.empty(n, dtype)
    for start, end in chunked(n):
        number_clusters(start, end, labels, numbers, sizes, cluster_of, counter)
    begins = exclusive_scan(sizes).astype(dtype)
    places = begins.copy()
    for start, end in chunked(n):
        scatter_rows(start, end, cluster_of, places, members)
    return Clusters(begins, members, cluster_of)


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
