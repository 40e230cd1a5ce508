"""The next level of a hierarchy: the tentative prolongator T, the prolongator P, and the coarse matrix P' A P.

Results: T, P and the coarse matrix, bit for bit the same for any number of threads, and the near-nullspace of the
coarse level, k rows per aggregate. Patterns do not depend on values: zeros are stored, so new values of A leave the
patterns of P and of the coarse matrix as they are.

Rules:

1. T contains the near-nullspace B, divided among the aggregates, with orthonormal columns in each: on the rows of an
   aggregate B = T R, where R is upper triangular with a positive diagonal. Modified Gram-Schmidt, each column twice,
   makes columns orthogonal up to rounding errors for any condition of B. In the code: `orthonormalize`. A column that
   depends on earlier columns (always if an aggregate has fewer rows than B has columns) becomes zero in T and in R. The
   coarse matrix would have an empty row for it.
2. P = (I - omega D^-1 A) T. In the code: `smooth_node`.
3. The coarse matrix is P' (A P). An empty column in P would make it singular. Such an unknown gets a 1 on the diagonal
   (`pin_unused`) and always the right-hand side 0, so that every node of a level has the same number of unknowns. In
   the code: the two products of `coarse_matrix`.

Idea of 2: T has one block per row, in the column of the node's aggregate. So a row of A T is a histogram of the
aggregates of its entries, weighted by A. A row of P has a block for every aggregate that contains the node or one of
its neighbors.

Idea of 3: with few entries per row, A P is larger than A; it is freed after the product. This order is still the better
one: A P is computed in the order of A, whose neighbors are close in memory, and only a few adjacent aggregates use each
row. On the 100^3 Poisson problem the order (P' A) P, which need not store the rows of P' A, took twice as long. Summing
over all paths without an intermediate matrix takes 1.6 times the steps.

Cost: k passes over the rows of an aggregate for each of k columns, with parallel aggregates and sums in the order of
the rows; and three products (linalg/block_csr.py). Work memory: A P, and that of the products.

**Hubs** are nodes whose rows of P are equal to those of T, because smoothing them would make the next level dense.

Let row i have a_i entries in A and p_i entries in P. The coarse matrix P' (A P) costs p_i a_i products for A P (each
neighbor reads row i), and at most p_i min(s_i, m) products for the multiplication by P'. Here s_i is the sum of the p_j
over the entries of row i of A, and m is the number of aggregates: both bound the length of a row of A P. So

    products = sum over i of p_i (a_i + min(s_i, m)),

and the next level has at most this number of entries. Smoothing gives a row an entry for every adjacent aggregate. A
node adjacent to d aggregates thus makes a dense block of d x d entries: the hub of a wheel fills the whole level. With
its row of T, which has one entry, the hub's coarse row and column keep their length, and those of its neighbors stay
short. T itself represents B in this row. The number of iterations hardly increases, or decreases strongly: a wheel of
10,000 vertices with spokes of weight 1e-5 took 486 with a smoothed hub, and takes 25.

**The bound.** If all rows had the same number a of entries, p_i <= a and s_i <= a * a, so e entries would cost at most

    even = e (a + min(a * a, m))

products. A level may cost twice this number, where a is the mean over all nodes that have neighbors. If it costs more,
rows of P with more than `limit` entries are not smoothed, for the largest limit that keeps the bound. Limit 1, with at
most 2 e products, always keeps it. Time and memory of the next level are thus bounded by the numbers of rows and
entries.

Grids, finite elements, and uniformly random graphs with 3 to 100 neighbors take 0.001 to 0.9 of `even` on all levels,
so they have no hubs. A wheel takes seven times `even` for each 1,000 vertices, a social network one to fifty times.

Hubs depend only on patterns, through sums in a fixed order: they are the same for any number of threads and for new
values. Cost: nothing if the longest row of P shows that the bound holds, otherwise one edge sweep. If there are hubs,
about 15 more sweeps, one for each step of a binary search, and a copy of the matrix.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import Pattern, alike
from .._core.csr.build import rows_of
from .._core.csr.patterns import row_pointers, transposed_with_origins
from .._core.runtime import (
    Array,
    Bools,
    Int32s,
    Int64s,
    NumberTable,
    Rows,
    array_module,
    kernel,
    place_of,
    with_gpu_form,
)
from .._core.runtime.arrays import differences, largest
from .._core.runtime.primitives import exclusive_scan
from .cuda import coarse_level as coarse_level_cuda
from .cuda.coarse_level import DEPENDENT
from .linalg.block_csr import matrix, product, product_pattern, product_values
from .linalg.vectors import MatrixRows, block_sizes, with_values


class Partition(NamedTuple):
    """Aggregates of nodes; a node may be in no aggregate."""

    pattern: Pattern  # of T: a node's row contains its aggregate, if it has one
    members: Pattern  # the nodes of each aggregate, ascending

    @property
    def size(self) -> int:
        """The number of aggregates."""
        return self.members.rows


def label_pattern(labels: Any) -> Pattern:
    """Return the pattern with an entry for each label that is not negative; the label is the column."""
    inside = labels >= 0
    return Pattern(exclusive_scan(inside.astype(np.int8)).astype(np.int32), labels[inside])


def without_single(labels: Any, degrees: Any, count: int) -> tuple[int, Any]:
    """Remove the aggregates of vertices of degree 0; return the number of aggregates, and labels or -1."""
    xp = array_module(place_of(labels))
    used = xp.ones(count, bool)
    used[labels[degrees == 0]] = False
    numbers = xp.where(used, xp.cumsum(used) - 1, -1).astype(np.int32)
    return int(used.sum()), numbers[labels]


@kernel(by="edges", V="int32", O="int32")
def orthonormalize(aggregate, members: Rows, width: int, B: NumberTable, T: NumberTable, R: NumberTable):
    """Write the rows of B in an aggregate, orthonormalized, to T, and the aggregate's part of R."""
    columns, nodes = T.shape[1], members.indices
    start, end = members.indptr[aggregate], members.indptr[aggregate + 1]
    for c in range(columns):
        size = 0.0
        for m in range(start, end):
            for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                T[row, c] = B[row, c]
                size += (T[row, c].conjugate() * T[row, c]).real

        # Subtract the projections on all earlier columns, twice.
        remainder = size
        for d in range(2 * c):
            share = 0.0
            for m in range(start, end):
                for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                    share += T[row, d % c].conjugate() * T[row, c]
            R[aggregate * columns + d % c, c] += share
            remainder = 0.0
            for m in range(start, end):
                for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                    T[row, c] -= share * T[row, d % c]
                    remainder += (T[row, c].conjugate() * T[row, c]).real

        # Normalize the column, or set it to zero if it depends on earlier columns.
        scale = 0.0
        if remainder > DEPENDENT * DEPENDENT * size:
            scale = 1.0 / remainder**0.5
            R[aggregate * columns + c, c] = remainder**0.5
        for m in range(start, end):
            for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                T[row, c] *= scale


@with_gpu_form(coarse_level_cuda.orthonormalized)
def orthonormalized(B: Any, members: Pattern, width: int) -> tuple[Any, Any]:
    """Return B with orthonormal columns in each aggregate, and R of all aggregates."""
    columns = B.shape[1]
    T, R = np.empty(B.shape, B.dtype), np.zeros((members.rows * columns, columns), B.dtype)
    orthonormalize(members.rows, members, width, B, T, R)
    return T, R


def tentative_values(B: Any, aggregates: Partition, width: int) -> tuple[Any, Any]:
    """Return the blocks of T, and the near-nullspace of the coarser level.

    Parameters
    ----------
    B : float64 (n, k)
    aggregates : Partition
    width : int
        The number of rows of a node.

    Returns
    -------
    T : float64 (rows of nodes in aggregates, k)
    coarse_B : float64 (k * aggregates, k)
    """
    (T, R), pattern = orthonormalized(B, aggregates.members, width), aggregates.pattern
    if pattern.indices.size < pattern.rows:
        T = T[np.repeat(differences(pattern.indptr) > 0, width)]
    return T, R


class Patterns(NamedTuple):
    """The patterns of the prolongator and of its transpose."""

    P: Pattern
    R: Pattern
    origins: Array  # of the entries of R in P


def smoothed_patterns(A: Pattern, aggregates: Partition) -> Patterns:
    """Return the patterns of P and its transpose for a pattern of A with a full diagonal."""
    return with_transpose(product_pattern(A, aggregates.pattern, aggregates.size), aggregates.size)


def with_transpose(P: Pattern, columns: int) -> Patterns:
    """Return the patterns for that of P."""
    return Patterns(P, *transposed_with_origins(P, columns))


@kernel(by="edges", types="O[] V[] F[] int int int32[] int32[] F[,] F[] float", constants="1,1 1,3 2,2 3,3 3,6 6,6")
def smooth_node(node, rows: MatrixRows, tentative: Rows, T, inverse, omega):
    """Turn a node's rows of A T into rows of P; `tentative` is the pattern of T."""
    height, width = rows.height, rows.width

    # - omega D^-1 A T
    for e in range(rows.indptr[node], rows.indptr[node + 1]):
        for s in range(height):
            factor = -omega * inverse[node * height + s]
            for c in range(width):
                rows.data[(e * height + s) * width + c] *= factor

    # + T, which has the same rows in one of these blocks
    for t in range(tentative.indptr[node], tentative.indptr[node + 1]):
        e = rows.indptr[node]
        while rows.indices[e] != tentative.indices[t]:
            e += 1
        for s in range(height):
            for c in range(width):
                rows.data[(e * height + s) * width + c] += T[t * height + s, c]


@with_gpu_form(coarse_level_cuda.smooth_nodes)
def smooth_nodes(T: Any, pattern: Rows, tentative: Rows, inverse: Any, omega: float, data: Any) -> None:
    """Turn the blocks of A T into those of P; T contains the blocks of the tentative prolongator, row by row."""
    rows = with_values(pattern, data, inverse.size // (pattern.indptr.size - 1), T.shape[1])
    smooth_node(pattern.indptr.size - 1, rows, tentative, T, inverse, omega)


def smoothed_values(A: Any, inverse: Any, omega: float, aggregates: Partition, T: Any, pattern: Pattern) -> Any:
    """Return the values of P in its pattern; T is the values of the tentative prolongator, row by row."""
    height, width = block_sizes(A)[0], T.shape[1]
    data = product_values(A, matrix(aggregates.pattern, T, height, width, aggregates.size), pattern)
    rows, tentative = alike(pattern, aggregates.pattern)
    smooth_nodes(T, rows, tentative, inverse, omega, data)
    return data


@kernel(by="edges", constants="6,6", F="float64")
def pin_unused_of_node(node, rows: MatrixRows, used: Bools):
    """Write a 1 to the diagonal of each unused unknown of a node."""
    size = rows.height
    place = rows.indptr[node]
    while rows.indices[place] != node:
        place += 1
    for c in range(size):
        if not used[node * size + c]:
            rows.data[(place * size + c) * size + c] = 1.0


@with_gpu_form(coarse_level_cuda.pin_unused)
def pin_unused(coarse_B: Any, coarse: Pattern, data: Any) -> None:
    """Write a 1 to the diagonal of each unknown of the coarse matrix that has no column in P."""
    columns = coarse_B.shape[1]
    used = np.ascontiguousarray(coarse_B.reshape(-1, columns, columns).diagonal(axis1=1, axis2=2)).ravel() != 0
    if not used.all():
        pin_unused_of_node(coarse.rows, with_values(coarse, data, columns, columns), used)


def coarse_matrix(A: Any, P: Any, R: Any, coarse: Pattern | None, coarse_B: Any) -> Any:
    """Return P' A P, with blocks of as many rows as B has columns.

    Parameters
    ----------
    A, P, R : matrices
        R is the transpose of P.
    coarse : Pattern, optional
        The pattern of the result, if it is known.
    coarse_B : float64 (k * aggregates, k)
        The coarse near-nullspace. An unknown is used if its column in this array is not zero.
    """
    columns = coarse_B.shape[1]
    count = coarse_B.shape[0] // columns
    pattern, data = product(A, P, ordered=False)
    AP = matrix(pattern, data, block_sizes(A)[0], columns, count)
    if coarse is None:
        coarse, data = product(R, AP, diagonal=True)
    else:
        data = product_values(R, AP, coarse)
    pin_unused(coarse_B, coarse, data)
    return matrix(coarse, data, columns, columns, count)


_TIMES_EVEN = 2


@kernel(by="edges")
def count_products(i, rows: Rows, lengths: Int32s, limit: int, columns: int, products: Int64s):
    """Count the products of row i of P if rows of more than `limit` entries have one entry instead."""
    met = 0
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        length = lengths[rows.indices[e]]
        met += length if length <= limit else 1
    length = lengths[i]
    entries = rows.indptr[i + 1] - rows.indptr[i]
    products[i] = (length if length <= limit else 1) * (entries + min(met, columns))


def hubs_of(nodes: Pattern, P: Pattern, columns: int) -> Any:
    """Return a mask of the hubs among the nodes, or None if there are none.

    Parameters
    ----------
    nodes, P : Pattern
        Of a level's matrix, and of its smoothed prolongator.
    columns : int
        The number of aggregates.
    """
    n, lengths = nodes.rows, differences(P.indptr).astype(np.int32, copy=False)
    longest, size = largest(lengths, of_none=1), int(nodes.indices.size)
    usual = size / max(n, 1)  # at most the mean over nodes with neighbors
    if size * longest * (1 + longest) <= _TIMES_EVEN * (size - n) * (usual + min(usual * usual, columns)):
        return None  # the bound would hold even if all rows of P were as long as the longest one

    entries, rows = differences(nodes.indptr), nodes
    products = np.empty_like(entries, np.int64)

    def cost(limit: int) -> int:
        count_products(n, rows, lengths, limit, columns, products)
        return int(products.sum())

    joined = entries > 1
    total = int((entries * joined).sum())
    mean = total / max(int(joined.sum()), 1)
    allowed = _TIMES_EVEN * total * (mean + min(mean * mean, columns))
    low, high = 1, longest
    if cost(high) <= allowed:
        return None
    while high - low > 1:  # `high` is too large; 1 is the minimum
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= allowed else (low, middle)
    return lengths > low


def without_hubs(pattern: Pattern, hubs: Any) -> Pattern:
    """Return the pattern with empty rows for hubs."""
    lengths = np.diff(pattern.indptr)
    rows = rows_of(pattern.indptr, int(pattern.indices.size), pattern.indices.dtype)
    indptr = row_pointers(lengths * ~hubs).astype(pattern.indptr.dtype, copy=False)
    return Pattern(indptr, pattern.indices[~hubs[rows]])
