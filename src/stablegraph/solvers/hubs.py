"""Hubs: nodes whose rows of P are equal to those of T, because smoothing them would make the next level dense.

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

from typing import Any

import numpy as np

from .._core.csr.arrays import Pattern
from .._core.csr.build import rows_of
from .._core.csr.patterns import row_pointers
from .._core.runtime import Int32s, Int64s, Rows, kernel
from .._core.runtime.arrays import differences, largest

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
