"""The Galerkin product P' A P, a coarse level's matrix: A P first, then P' times that.

Result: the coarse matrix, bit for bit the same for any number of threads. Patterns come from patterns alone: an entry
that happens to be zero is stored, and new values of A only need the second phase.

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

from ..parallel import kernel
from ..parallel.groups import Rows
from ..patterns import Pattern, transposed
from .linalg.spgemm import Blocks, product_pattern, product_values


@kernel(by="edges")
def pin_unused(node, rows: Rows, columns, used, data):
    """A 1 on the diagonal of each unknown of a node that is not used."""
    first = rows.indptr[node]
    length = rows.indptr[node + 1] - first
    place = 0
    while rows.indices[first + place] != node:
        place += 1
    for c in range(columns):
        if not used[node * columns + c]:
            data[(first * columns + c * length + place) * columns + c] = 1.0


def coarse_matrix(
    A: Any, nodes: Pattern, P: Pattern, P_data: Any, R: Any, transpose: Pattern, coarse: Pattern | None, coarse_B: Any
) -> tuple[Pattern, Any]:
    """The pattern of P' A P on nodes, and its values.

    Parameters
    ----------
    A, R : csr_array
        R is the transpose of P.
    nodes, P, transpose : Pattern
        Of A, P and R, on nodes.
    P_data : float64 array
    coarse : Pattern, optional
        That of the result, if it is known.
    coarse_B : float64 (k * aggregates, k)
        The coarse near-nullspace: an unknown is used if its own column is not zero there.
    """
    count, columns, width = transpose.rows, coarse_B.shape[1], A.shape[0] // max(nodes.rows, 1)
    AP = product_pattern(nodes, P, count)
    if coarse is None:  # it is symmetric, as that of A is: its transpose is itself with ascending rows
        coarse = transposed(product_pattern(transpose, AP, count, diagonal=True), count)
    AP_data = product_values(A, P, P_data, AP, count, Blocks(width, width, columns))
    data = product_values(R, AP, AP_data, coarse, count, Blocks(columns, width, columns))
    used = np.ascontiguousarray(coarse_B.reshape(count, columns, columns).diagonal(axis1=1, axis2=2)).ravel() != 0
    if not used.all():
        pin_unused(count, coarse.arrays(), columns, used, data)
    return coarse, data
