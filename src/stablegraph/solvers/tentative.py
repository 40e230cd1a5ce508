"""The tentative prolongator T: the near-nullspace B, cut into aggregates, with orthonormal columns in each.

Result: T, and the near-nullspace R of the coarser level, k rows an aggregate.

Rule: on the rows of an aggregate B = T R with an upper triangle R, whose diagonal is positive: modified Gram-Schmidt,
each column twice, so that columns are orthogonal up to rounding errors, whatever the condition of B. In the code:
`orthonormalize`.

A column that is a combination of those before it (always so where an aggregate has fewer rows than B columns) becomes
zero, in T and in R. The coarse matrix would have an empty row there; galerkin.py puts a 1 on its diagonal, so that the
unknown stays zero, and every node of a level has the same number of unknowns.

Cost: k passes over the rows of an aggregate for each of k columns; aggregates in parallel, sums in the order of the
rows. No work memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import Pattern
from .._core.runtime import kernel
from .._core.runtime.primitives import exclusive_scan
from .._core.runtime.structs import Rows

_DEPENDENT = 1e-10  # what is left of a column that is a combination of others, as a part of it


class Partition(NamedTuple):
    """Aggregates of nodes, some of which may be in none."""

    pattern: Pattern  # of T: a node's row holds its aggregate, if it is in one
    members: Pattern  # the nodes of each aggregate, ascending

    @property
    def size(self) -> int:
        """How many aggregates there are."""
        return self.members.rows


def label_pattern(labels: Any) -> Pattern:
    """The pattern with an entry for each label that is not negative, in the column that it says."""
    inside = labels >= 0
    return Pattern(exclusive_scan(inside.astype(np.int8)).astype(np.int32), labels[inside])


def without_single(labels: Any, degrees: Any, count: int) -> tuple[int, Any]:
    """Aggregates without those of vertices of degree 0, each of which is one of its own: how many, and labels or -1."""
    used = np.ones(count, bool)
    used[labels[degrees == 0]] = False
    numbers = np.where(used, used.cumsum() - 1, -1).astype(np.int32)
    return int(used.sum()), numbers[labels]


@kernel(by="edges", types="int32[] int32[] int T[,] T[,]", T="float64 complex128")
def orthonormalize(aggregate, members: Rows, width, T, R):
    """Turn the rows of an aggregate in T, which are those of B, into orthonormal columns, and write its part of R."""
    columns, nodes = T.shape[1], members.indices
    start, end = members.indptr[aggregate], members.indptr[aggregate + 1]
    for c in range(columns):
        size = 0.0
        for m in range(start, end):
            for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                size += (T[row, c].conjugate() * T[row, c]).real

        # Subtract the part along each column before it; all of them twice.
        rest = size
        for d in range(2 * c):
            share = 0.0
            for m in range(start, end):
                for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                    share += T[row, d % c].conjugate() * T[row, c]
            R[aggregate * columns + d % c, c] += share
            rest = 0.0
            for m in range(start, end):
                for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                    T[row, c] -= share * T[row, d % c]
                    rest += (T[row, c].conjugate() * T[row, c]).real

        # Normalize, or drop a column that depends on those before it.
        scale = 0.0
        if rest > _DEPENDENT * _DEPENDENT * size:
            scale = 1.0 / rest**0.5
            R[aggregate * columns + c, c] = rest**0.5
        for m in range(start, end):
            for row in range(nodes[m] * width, (nodes[m] + 1) * width):
                T[row, c] *= scale


def tentative_values(B: Any, aggregates: Partition, width: int) -> tuple[Any, Any]:
    """The blocks of T, and the near-nullspace of the coarser level.

    Parameters
    ----------
    B : float64 (n, k)
    aggregates : Partition
    width : int
        Rows a node.

    Returns
    -------
    T : float64 (rows of nodes in aggregates, k)
    coarse_B : float64 (k * aggregates, k)
    """
    columns = B.shape[1]
    T, R = B.copy(), np.zeros((aggregates.size * columns, columns), B.dtype)
    orthonormalize(aggregates.size, aggregates.members.arrays(), width, T, R)
    inside = np.diff(aggregates.pattern.indptr) > 0
    return (T if inside.all() else T[np.repeat(inside, width)]), R
