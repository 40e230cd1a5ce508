"""Solvers for the coarsest level: dense elimination, or SciPy's SuperLU for thousands of unknowns.

Both also solve singular systems. The matrix is first scaled by the square roots of its diagonal, so that the choice of
dependent unknowns does not depend on units. Both run on one thread in a fixed order, so results are always bit for bit
the same (with SuperLU: on one machine).

**Dense.** Gaussian elimination with complete pivoting: the next pivot is the largest remaining entry. This works for
definite, indefinite and unsymmetric matrices, and determines the rank: when only rounding errors remain, the remaining
unknowns are set to zero. For a consistent system the result is a solution; otherwise it solves the equations of the
pivots. For a symmetric positive (semi)definite matrix all pivots are on the diagonal, so the applied inverse is
symmetric, as conjugate gradients require. Cost: 2/3 n**3 multiplications, then n**2 per solution. Memory: 8 n**2 bytes.

**Sparse.** For a Hermitian positive definite matrix, pivots are taken from the diagonal in minimum-degree order, so
that the applied inverse is symmetric up to rounding errors. For other matrices, rows are exchanged. A shift of the
diagonal by a few rounding errors ensures that a positive semidefinite matrix has factors. If v is a vector of length 1
in the null space, the pivot of its last unknown k is shift / v_k**2, at most about n times the shift; all other pivots
are far larger. A pivot below 10 n times the shift therefore belongs to an unknown that depends on earlier ones. Its
equation and its column are removed, the unknown is fixed at zero, and the remaining matrix is factored again. For a
consistent system the result is a solution. Memory and time are those of the factors, which have about n**1.33 entries
for three-dimensional grids. Ctrl-C waits for SuperLU.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy

from .._core.runtime import kernel, rule
from .linalg.vectors import Vector, dot_of_block

LARGEST_DENSE = 2000  # maximum rows of a coarsest level for dense elimination: seconds, and 32 MB
LARGEST_INVERSE = 10_000  # maximum rows on a GPU, where the matrix is inverted: 1.6 GB
_WORK_PER_CALL = 50_000_000  # multiplications per kernel call: bounds the latency of Ctrl-C


@rule
def larger(a, b):
    """Return the larger of two numbers; b if a is NaN."""
    return a if a > b else b


@rule
def subtract(factor, pivots, row):
    """Set row -= factor * pivots; return the largest absolute value of the result."""
    for j in range(row.size):
        row[j] -= factor * pivots[j]
    largest = 0.0
    for j in range(row.size):
        largest = larger(abs(row[j]), largest)
    return largest


@kernel(by="single", types="int int F[,] int64[] int64[] int64[] float64[]")
def eliminate(start, end, M, row_order, column_order, pivot, sizes):
    """Run steps `start` .. `end` - 1. `pivot`: its row and column, and the rank; `sizes`: its size, and the minimum."""
    n = M.shape[0]
    for k in range(start, end):
        if sizes[0] <= sizes[1]:
            return

        # Complete pivoting: move the largest remaining entry to M[k, k].
        row, column = pivot[0], pivot[1]
        for j in range(n):
            M[k, j], M[row, j] = M[row, j], M[k, j]
        for i in range(n):
            M[i, k], M[i, column] = M[i, column], M[i, k]
        row_order[k], row_order[row] = row_order[row], row_order[k]
        column_order[k], column_order[column] = column_order[column], column_order[k]

        # Eliminate column k, and find the row of the next pivot; then find its column.
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


@kernel(by="single", types="int F[,] int64[] int64[] float64[] F[] F[] F[]")
def substitute(rank, M, row_order, column_order, scale, b, y, x):
    """Solve with the conjugates M of the triangular factors of the first `rank` steps."""
    for k in range(rank):
        i = row_order[k]
        y[k] = scale[i] * b[i] - dot_of_block(0, k, M[k], y)
    for k in range(rank - 1, -1, -1):
        y[k] = (y[k] - dot_of_block(k + 1, rank, M[k], y)) / M[k, k].conjugate()
    for i in range(x.size):
        x[i] = 0.0
    for k in range(rank):
        i = column_order[k]
        x[i] = scale[i] * y[k]


def _inverse_roots(diagonal: Any) -> Any:
    """Return the inverse square roots of numbers; 1 for 0."""
    return np.divide(1.0, np.sqrt(diagonal), out=np.ones(diagonal.size), where=diagonal > 0)


class DenseSolver:
    """The conjugates of the factors of a small matrix. `solve` may be called from several threads at once."""

    def __init__(self, A: Any) -> None:
        n, self.scale = A.shape[0], _inverse_roots(np.abs(A.diagonal()))
        self.factors = np.ascontiguousarray(self.scale[:, None] * A.toarray() * self.scale)
        self.row_order, self.column_order = np.arange(n), np.arange(n)
        place = int(np.abs(self.factors).argmax()) if n else 0
        size = float(np.abs(self.factors).max(initial=0.0))
        pivot = np.array([place // max(n, 1), place % max(n, 1), 0])
        sizes = np.array([size, n * np.finfo(float).eps * size])
        step = 1 + _WORK_PER_CALL // max(n * n, 1)
        for start in range(0, n, step):
            eliminate(start, min(start + step, n), self.factors, self.row_order, self.column_order, pivot, sizes)
        self.rank = int(pivot[2])
        np.conjugate(self.factors, out=self.factors)

    def solve(self, b: Vector, x: Vector) -> None:
        """Solve A x = b; if A is singular, x gets a solution with zeros for the dependent unknowns."""
        orders = self.row_order, self.column_order
        substitute(self.rank, self.factors, *orders, self.scale, b, np.empty_like(b), x)


_SHIFT = 64 * float(np.finfo(np.float64).eps)
_ATTEMPTS = 20  # maximum number of factorizations that find more dependent unknowns; usually one does
_ROUNDING = 1e-10


def _is_hermitian(matrix: Any) -> bool:
    """Return whether a csc_array equals its conjugate transpose up to rounding."""
    transposed = matrix.conj().T.tocsc()
    if np.array_equal(transposed.indptr, matrix.indptr) and np.array_equal(transposed.indices, matrix.indices):
        difference = np.abs(matrix.data - transposed.data).max(initial=0.0)
    else:
        difference = abs(matrix - transposed).max()
    return bool(difference <= _ROUNDING * np.abs(matrix.data).max(initial=0.0))


class SparseSolver:
    """The factors of a sparse matrix. `solve` may be called from several threads at once."""

    def __init__(self, A: Any, advice: str = "") -> None:
        """Factor the matrix. If this fails, the message ends with `advice`."""
        n, diagonal = A.shape[0], np.abs(A.diagonal())
        self.scale = _inverse_roots(diagonal)
        matrix = scipy.sparse.csc_array(A, copy=True)
        matrix.eliminate_zeros()
        columns = np.repeat(np.arange(n, dtype=matrix.indices.dtype), np.diff(matrix.indptr))
        matrix.data = matrix.data * self.scale[matrix.indices] * self.scale[columns]
        self._definite = _is_hermitian(matrix)
        on_diagonal = np.flatnonzero(matrix.indices == columns)
        if on_diagonal.size == n and (matrix.indices[on_diagonal] == np.arange(n)).all():  # none is missing or repeated
            matrix.data[on_diagonal] += _SHIFT
            self._matrix = matrix
        else:
            self._matrix = scipy.sparse.csc_array(matrix + _SHIFT * scipy.sparse.eye_array(n))
        self.dependent = np.zeros(n, bool)  # removed equations
        self.fixed_at_zero = np.zeros(n, bool)  # unknowns
        for _ in range(_ATTEMPTS if self._definite or diagonal.all() else 0):  # shifted zeros would cause much fill
            try:
                self._factor()
            except RuntimeError:  # a pivot that is exactly zero
                break
            pivots = self._factors.U.diagonal()
            if self._definite and pivots.real.min() < -_SHIFT * n:
                self._definite = False
                continue
            small = np.abs(pivots) <= 10 * n * _SHIFT
            if not small.any():
                return
            self._leave_out(small)
        # Rows of very different sizes, or without a diagonal: factor the matrix as it is.
        self.scale, self._matrix, self._definite = np.ones(n), scipy.sparse.csc_array(A), False
        self.dependent, self.fixed_at_zero = np.zeros(n, bool), np.zeros(n, bool)
        try:
            self._factor()
        except RuntimeError:
            raise np.linalg.LinAlgError(f"the matrix, of {n:,} rows, is singular for a factorization{advice}") from None

    @property
    def rank(self) -> int:
        """The number of unknowns that are not fixed at zero."""
        return int(np.count_nonzero(~self.fixed_at_zero))

    def _factor(self) -> None:
        if self._definite:
            on_diagonal = {"SymmetricMode": True}
            self._factors = scipy.sparse.linalg.splu(
                self._matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=on_diagonal
            )
        else:
            self._factors = scipy.sparse.linalg.splu(self._matrix, permc_spec="COLAMD")

    def _leave_out(self, small: Any) -> None:
        """Set the rows and columns of these pivots to zero, except for a 1 at each pivot."""
        rows, columns = np.argsort(self._factors.perm_r)[small], np.argsort(self._factors.perm_c)[small]
        self.dependent[rows] = self.fixed_at_zero[columns] = True
        n = self.scale.size
        kept_part = scipy.sparse.diags_array((~self.dependent).astype(float)) @ self._matrix
        kept_part = kept_part @ scipy.sparse.diags_array((~self.fixed_at_zero).astype(float))
        ones = scipy.sparse.csc_array((np.ones(rows.size), (rows, columns)), shape=(n, n))
        self._matrix = scipy.sparse.csc_array(kept_part + ones)

    def solve(self, b: Vector, x: Vector) -> None:
        """Solve A x = b; if A is singular, x gets a solution with zeros for the dependent unknowns."""
        right = self.scale * b
        right[self.dependent] = 0.0
        np.multiply(self._factors.solve(right), self.scale, out=x)

    def __getstate__(self) -> Any:  # for copies and pickles: without SuperLU's factors
        return {name: value for name, value in self.__dict__.items() if name != "_factors"}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._factor()
