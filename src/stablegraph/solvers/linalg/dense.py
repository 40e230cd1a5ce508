"""Small dense systems, as on the coarsest level of a hierarchy: solved directly, also where they are singular.

Gaussian elimination with complete pivoting: the next pivot is the largest of all remaining entries. So one method
works for definite, indefinite and unsymmetric matrices. It also determines the rank: when only rounding errors remain,
the remaining unknowns are set to zero. For a consistent system the result is then one of its solutions; for an
inconsistent one it solves the equations of the pivots. For a symmetric positive (semi)definite matrix all pivots are on
the diagonal, and the applied inverse is symmetric, too, as a preconditioner for conjugate gradients must be.

The matrix is scaled first by the roots of its diagonal: which unknowns count as dependent does not depend on units.

One thread, in a fixed order, so the same bits everywhere. Cost: 2/3 n**3 multiplications, then n**2 a solve; memory:
8 n**2 bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import kernel, rule
from .vectors import Vector, sum_of_products

_WORK = 50_000_000  # multiplications per kernel call: bounds the latency of Ctrl-C


@rule
def larger(a, b):
    """The larger of two numbers; b if a is NaN."""
    return a if a > b else b


@rule
def subtract(factor, pivots, row):
    """Set row -= factor * pivots; returns the largest size of what remains."""
    for j in range(row.size):
        row[j] -= factor * pivots[j]
    largest = 0.0
    for j in range(row.size):
        largest = larger(abs(row[j]), largest)
    return largest


@kernel(by="single", types="int int T[,] int64[] int64[] int64[] float64[]", T="float64 complex128")
def eliminate(start, end, M, row_order, column_order, pivot, sizes):
    """Steps `start` .. `end` - 1. `pivot`: row and column of the next one, the rank; `sizes`: its own, the least."""
    n = M.shape[0]
    for k in range(start, end):
        if sizes[0] <= sizes[1]:
            return

        # Complete pivoting: the largest entry that remains comes to M[k, k].
        row, column = pivot[0], pivot[1]
        for j in range(n):
            M[k, j], M[row, j] = M[row, j], M[k, j]
        for i in range(n):
            M[i, k], M[i, column] = M[i, column], M[i, k]
        row_order[k], row_order[row] = row_order[row], row_order[k]
        column_order[k], column_order[column] = column_order[column], column_order[k]

        # Eliminate column k; on the way find the row of the next pivot, and then its column.
        sizes[0] = 0.0
        for i in range(k + 1, n):
            factor = M[i, k] / M[k, k]
            M[i, k] = factor
            largest = subtract(factor, M[k, k + 1 :], M[i, k + 1 :])
            if largest > sizes[0]:
                sizes[0] = largest
                pivot[0] = i
        for j in range(k + 1, n):
            if abs(M[pivot[0], j]) == sizes[0]:
                pivot[1] = j
                break
        pivot[2] = k + 1


@kernel(by="single", types="int T[,] int64[] int64[] float64[] T[] T[] T[]", T="float64 complex128")
def substitute(rank, M, row_order, column_order, scale, b, y, x):
    """Solve with the triangles of the first `rank` steps."""
    for k in range(rank):
        i = row_order[k]
        y[k] = scale[i] * b[i] - sum_of_products(0, k, M[k], y)
    for k in range(rank - 1, -1, -1):
        y[k] = (y[k] - sum_of_products(k + 1, rank, M[k], y)) / M[k, k]
    for i in range(x.size):
        x[i] = 0.0
    for k in range(rank):
        i = column_order[k]
        x[i] = scale[i] * y[k]


class DenseSolver:
    """The factors of a small matrix. `solve` may be called from several threads at once."""

    def __init__(self, A: Any) -> None:
        n = A.shape[0]
        diagonal = np.abs(A.diagonal())
        self.scale = np.ones(n)
        np.divide(1.0, np.sqrt(diagonal), out=self.scale, where=diagonal > 0)
        self.factors = np.ascontiguousarray(self.scale[:, None] * A.toarray() * self.scale)
        self.row_order, self.column_order = np.arange(n), np.arange(n)
        place = int(np.abs(self.factors).argmax()) if n else 0
        size = float(np.abs(self.factors).max(initial=0.0))
        pivot = np.array([place // max(n, 1), place % max(n, 1), 0])
        sizes = np.array([size, n * np.finfo(float).eps * size])
        step = 1 + _WORK // max(n * n, 1)
        for start in range(0, n, step):
            eliminate(start, min(start + step, n), self.factors, self.row_order, self.column_order, pivot, sizes)
        self.rank = int(pivot[2])

    def solve(self, b: Vector, x: Vector) -> None:
        """Solve A x = b; x gets the solution, or one whose other unknowns are zero where A is singular."""
        orders = self.row_order, self.column_order
        substitute(self.rank, self.factors, *orders, self.scale, b, np.empty_like(b), x)
