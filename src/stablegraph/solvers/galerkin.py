"""The Galerkin product P' A P, a coarse level's matrix: A P first, then P' times that.

Result: the coarse matrix, bit for bit the same for any number of threads. Patterns depend only on patterns, not on
values: an entry that happens to be zero is stored, and new values of A need only the second phase.

Rule: the coarse matrix is P' (A P). A coarse unknown with an empty column in P would make it singular: it gets a 1 on
the diagonal (`pin_unused`). Its right-hand side is always 0. In the code: the two products of `coarse_matrix`.

Idea: A P is larger than A for few entries a row, and is gone afterwards. It is still the better order: rows of A P are
made in the order of A, whose neighbors are near in memory, and each is used by the few aggregates around it. On the
100^3 Poisson problem the other order, (P' A) P, whose middle rows need not be stored, took twice as long, and summing
over all paths without a middle takes 1.6 times the steps.

Cost: two products (linalg/spgemm.py). Work memory: A P, and that of the products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import Pattern
from .._core.csr.patterns import transposed
from .._core.runtime import kernel
from .linalg.block_csr import matrix, pattern_of
from .linalg.spgemm import product_pattern, product_values
from .linalg.spmv import MatrixRows, block_sizes, with_values


@kernel(by="edges", types="O[] V[] float64[] int int bool[]", constants="6,6")
def pin_unused(node, rows: MatrixRows, used):
    """A 1 on the diagonal of each unknown of a node that is not used."""
    size = rows.height
    place = rows.indptr[node]
    while rows.indices[place] != node:
        place += 1
    for c in range(size):
        if not used[node * size + c]:
            rows.data[(place * size + c) * size + c] = 1.0


def coarse_matrix(A: Any, P: Any, R: Any, coarse: Pattern | None, coarse_B: Any) -> Any:
    """P' A P, in blocks of as many rows as B has columns.

    Parameters
    ----------
    A, P, R : csr_array or bsr_array
        R is the transpose of P.
    coarse : Pattern, optional
        That of the result, if it is known.
    coarse_B : float64 (k * aggregates, k)
        The coarse near-nullspace: an unknown is used if its column in this array is not zero.
    """
    columns = coarse_B.shape[1]
    count = coarse_B.shape[0] // columns
    transpose = pattern_of(R)
    pattern = product_pattern(pattern_of(A), pattern_of(P), count)
    if coarse is None:  # it is symmetric, as that of A is: its transpose is itself with ascending rows
        coarse = transposed(product_pattern(transpose, pattern, count, diagonal=True), count)
    AP = matrix(pattern, product_values(A, P, pattern), block_sizes(A)[0], columns, count)
    data = product_values(R, AP, coarse)
    used = np.ascontiguousarray(coarse_B.reshape(count, columns, columns).diagonal(axis1=1, axis2=2)).ravel() != 0
    if not used.all():
        pin_unused(count, with_values(coarse.arrays(), data, columns, columns), used)
    return matrix(coarse, data, columns, columns, count)
