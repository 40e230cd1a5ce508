"""The tentative prolongator T: the near-nullspace B, cut into aggregates, with orthonormal columns in each.

On the rows of an aggregate B = T R with an upper triangle R, whose diagonal is positive; the R of all aggregates
together are the near-nullspace of the coarser level, k rows an aggregate. Modified Gram-Schmidt, each column twice, so
that columns are orthogonal to rounding errors, whatever the condition of B.

A column that is a combination of those before it (always so where an aggregate has fewer rows than B columns) becomes
zero, in T and in R. The coarse matrix then has an empty row there, whose diagonal galerkin.py makes 1: the unknown stays
zero, and every node of a level has the same number of unknowns.

T has one block a row, in the column of the aggregate. So it is kept as an array (n, k) beside the labels. Rows without
an aggregate (label -1) are zero. Aggregates in parallel, sums in the order of the rows. No work memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, kernel
from ..rows import read_only

_DEPENDENT = 1e-10  # what is left of a column that counts as a combination of others


@kernel(by="edges")
def orthonormalize(aggregate, indptr, members, width, B, T, R):
    """T = B on the rows of this aggregate, then T and R by Gram-Schmidt."""
    columns = B.shape[1]
    first, beyond = int(indptr[at(aggregate)]), int(indptr[at(aggregate + 1)])
    for c in range(columns):
        size = 0.0
        for m in range(first, beyond):
            for row in range(int(members[at(m)]) * width, (int(members[at(m)]) + 1) * width):
                T[at(row), c] = B[at(row), c]
                size += B[at(row), c] * B[at(row), c]
        for repeated in range(2):
            for d in range(c):
                share = 0.0
                for m in range(first, beyond):
                    for row in range(int(members[at(m)]) * width, (int(members[at(m)]) + 1) * width):
                        share += T[at(row), d] * T[at(row), c]
                for m in range(first, beyond):
                    for row in range(int(members[at(m)]) * width, (int(members[at(m)]) + 1) * width):
                        T[at(row), c] -= share * T[at(row), d]
                R[at(aggregate * columns + d), c] += share
        rest = 0.0
        for m in range(first, beyond):
            for row in range(int(members[at(m)]) * width, (int(members[at(m)]) + 1) * width):
                rest += T[at(row), c] * T[at(row), c]
        scale = 0.0
        if rest > _DEPENDENT * _DEPENDENT * size:
            scale = 1.0 / rest**0.5
            R[at(aggregate * columns + c), c] = rest**0.5
        for m in range(first, beyond):
            for row in range(int(members[at(m)]) * width, (int(members[at(m)]) + 1) * width):
                T[at(row), c] *= scale


def tentative_prolongator(B: Any, members: Any, width: int) -> tuple[Any, Any]:
    """The blocks of T, and the near-nullspace of the coarser level.

    Parameters
    ----------
    B : float64 (n, k)
    members : Pattern
        The nodes of each aggregate.
    width : int
        Rows a node.

    Returns
    -------
    T : float64 (n, k)
        Row i stands in the columns of the aggregate of its node.
    coarse_B : float64 (k * aggregates, k)
    """
    count = int(members.indptr.size) - 1
    T, R = np.zeros(B.shape), np.zeros((count * B.shape[1], B.shape[1]))
    orthonormalize(count, read_only(members.indptr), read_only(members.indices), width, read_only(B), T, R)
    return T, R
