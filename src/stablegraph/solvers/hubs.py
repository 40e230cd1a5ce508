"""Hubs: nodes whose rows of P stay as they are in T, since to smooth them would make the next level dense.

Of each row i let a_i be the entries in A, and p_i those in P. The coarse matrix P' (A P) costs p_i a_i products to make
A P (row i is read by each of its neighbors), and at most p_i min(s_i, m) to multiply it by P', where s_i is the sum of
the p_j over the entries of row i of A, and m the number of aggregates: a row of A P has no more entries than either. So

    products = sum over i of p_i (a_i + min(s_i, m)),

and the next level has at most as many entries. Smoothing gives a row an entry for every aggregate beside it. For a node
beside d aggregates that makes a dense block of d x d entries: the hub of a wheel fills the whole level. With the row of
T instead, which has one entry, the hub's coarse row and column are as long as before, and those of its neighbors stay
short. In that row what B holds is represented by T itself, and iterations are hardly more, or far fewer: a wheel of
10,000 vertices with spokes of weight 1e-5 took 486 with a smoothed hub, and takes 25.

**The bound.** If all rows had the same number a of entries, p_i <= a and s_i <= a * a, so that e entries cost at most

    even = e (a + min(a * a, m))

products. A level may cost twice that, with a the mean over all nodes that have neighbors. If it costs more, the
longest rows of P are not smoothed: those of more than `limit` entries, for the largest limit that keeps the bound. With
limit 1 the products are at most 2 e, so there always is one. Time and memory for the next level are then bounded in
terms of the numbers of rows and entries alone.

Grids, finite elements, and uniformly random graphs of 3 to 100 neighbors take 0.001 to 0.9 of `even`, on all levels:
nothing changes for them. A wheel takes seven times `even` for each 1,000 vertices, a social network one to fifty times.

Patterns alone decide, by sums in a fixed order: the same hubs for any number of threads, and for new values. Cost:
nothing where the longest row of P is short enough for all; else one edge sweep; if there are hubs, one for each
bisection, some 15, and a copy of the matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import Pattern, read_only
from .._core.csr.build import rows_of
from .._core.csr.patterns import row_pointers
from .._core.runtime import kernel
from .._core.runtime.arrays import differences, largest
from .._core.runtime.cuda_source import by_device
from .._core.runtime.structs import Rows


def _cuda():
    from . import hubs_cuda

    return hubs_cuda


_TIMES_EVEN = 2


@kernel(by="edges", types="O[] V[] int32[] int int int64[]")
def count_products(i, rows: Rows, lengths, limit, columns, products):
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
    usual = size / max(n, 1)  # at most the mean of those with neighbors
    if size * longest * (1 + longest) <= _TIMES_EVEN * (size - n) * (usual + min(usual * usual, columns)):
        return None  # even if all rows of P were as long as the longest one

    entries, rows = differences(nodes.indptr), nodes.arrays()
    products = np.empty_like(entries, np.int64)

    def cost(limit: int) -> float:
        count_products(n, rows, read_only(lengths), limit, columns, products)
        return total_products(products)

    total, joined = joined_rows(entries)
    mean = total / max(joined, 1)
    allowed = _TIMES_EVEN * total * (mean + min(mean * mean, columns))
    low, high = 1, longest
    if cost(high) <= allowed:
        return None
    while high - low > 1:  # `high` is too much; 1 is the least there is
        middle = (low + high) // 2
        low, high = (middle, high) if cost(middle) <= allowed else (low, middle)
    return lengths > low


@by_device(cuda=lambda: _cuda().total_products)
def total_products(products: Any) -> float:
    """Return the sum of int64 numbers, in double precision."""
    return float(products.sum(dtype=np.float64))


@by_device(cuda=lambda: _cuda().joined_rows)
def joined_rows(lengths: Any) -> tuple[int, int]:
    """Return the number of entries in rows of more than one entry, and the number of such rows."""
    joined = lengths > 1
    return int((lengths * joined).sum(dtype=np.int64)), int(np.count_nonzero(joined))


def without_hubs(pattern: Pattern, hubs: Any) -> Pattern:
    """Return the pattern with empty rows for hubs."""
    lengths = np.diff(pattern.indptr)
    rows = rows_of(pattern.indptr, int(pattern.indices.size), pattern.indices.dtype)
    indptr = row_pointers(lengths * ~hubs).astype(pattern.indptr.dtype, copy=False)
    return Pattern(indptr, pattern.indices[~hubs[rows]])
