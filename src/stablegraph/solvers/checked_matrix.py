"""Checks of a solver's matrix and its conversion to the form that kernels require, in one pass.

This form is a `csr_array`, or a `bsr_array` for blocks of unknowns: finite float64 or complex128 values, ascending
columns in each row, no zeros on the diagonal. A matrix in this form is not copied. Errors name the first invalid row.
Methods that need a symmetric (for complex matrices: Hermitian) matrix also compare a_ij with a_ji, which may differ by
rounding errors of their rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.csr.arrays import Pattern
from .._core.runtime import Int64Table, chunk_bounds, edge_chunk_bounds, kernel, lower_bound, worker_count
from .._core.validation import is_sparse, unmasked
from ..graph import Graph
from .linalg.block_csr import in_blocks, matrix
from .linalg.vectors import MatrixRows, Vector, block_sizes, rows_of

PATTERN, UNSORTED, NOT_FINITE, NO_DIAGONAL = range(4)
MIN_DIAGONAL = np.finfo(np.float64).tiny  # smaller diagonal entries have no inverse
ROUNDING = 1e-20  # maximum of (a_ij - a_ji)**2 / (a_ii a_jj) for a rounding error


@kernel(by="workers", constants="1,1")
def first_faults(worker, workers, n: int, rows: MatrixRows, faults: Int64Table):
    """Find the first row (or n) with a fault of each kind. Workers have equal numbers of rows."""
    height, width = rows.height, rows.width
    for kind in range(4):
        faults[worker, kind] = n * height
    start, end = chunk_bounds(n, worker, workers)
    for row in range(start, end):
        i = row * height
        if not 0 <= rows.indptr[row] <= rows.indptr[row + 1] <= rows.indices.size:
            faults[worker, PATTERN] = min(i, faults[worker, PATTERN])
            continue
        last = -1
        for e in range(rows.indptr[row], rows.indptr[row + 1]):
            j = rows.indices[e]
            if not 0 <= j < n:
                faults[worker, PATTERN] = min(i, faults[worker, PATTERN])
            if j <= last:
                faults[worker, UNSORTED] = min(i, faults[worker, UNSORTED])
            last = j
        for i in range(row * height, (row + 1) * height):
            diagonal = 0.0
            for e in range(rows.indptr[row], rows.indptr[row + 1]):
                for c in range(width):
                    value = rows.data[(e * height + i - row * height) * width + c]
                    if not abs(value) < np.inf:
                        faults[worker, NOT_FINITE] = min(i, faults[worker, NOT_FINITE])
                    if rows.indices[e] * width + c == i:
                        diagonal = value
            if abs(diagonal) < MIN_DIAGONAL:
                faults[worker, NO_DIAGONAL] = min(i, faults[worker, NO_DIAGONAL])


@kernel(by="workers", types="int F[] int64[,] int64[,]", constants="1,1 2,2 3,3")
def first_unsymmetric(worker, workers, n, matrix: MatrixRows, inverse_diagonal, rows, columns):
    """Find the first entry without a partner (column 0), and the first whose partner differs (column 1), or row n."""
    size = matrix.height
    rows[worker, 0] = rows[worker, 1] = n * size
    start, end = edge_chunk_bounds(matrix.indptr, n, worker, workers)
    for row in range(start, end):
        for e in range(matrix.indptr[row], matrix.indptr[row + 1]):
            column = matrix.indices[e]
            place = lower_bound(matrix.indices, matrix.indptr[column], matrix.indptr[column + 1], row)
            has_partner = place < matrix.indptr[column + 1] and matrix.indices[place] == row
            if not has_partner and rows[worker, 0] == n * size:
                rows[worker, 0] = row * size
                columns[worker, 0] = column * size
            for s in range(size):
                for c in range(size):
                    i, j = row * size + s, column * size + c
                    difference = matrix.data[(e * size + s) * size + c]
                    if has_partner:
                        difference -= matrix.data[(place * size + c) * size + s].conjugate()
                    distance = abs(difference * inverse_diagonal[i] * difference * inverse_diagonal[j])
                    if distance > ROUNDING and rows[worker, 1] == n * size:
                        rows[worker, 1] = i
                        columns[worker, 1] = j


def given_matrix(A: Any) -> Any:
    """Return a square matrix of numbers: a SciPy matrix, or a dense array."""
    if isinstance(A, Graph):
        if A.weights is None:
            raise ValueError("a graph without weights is no matrix; hand in a SciPy sparse matrix with values")
        A = A.to_scipy()
    if not is_sparse(A) and not isinstance(A, np.ndarray):
        raise TypeError(f"A must be a SciPy sparse matrix or a 2-D NumPy array, got {type(A).__name__}")
    if unmasked(A, "A").dtype.kind not in "fiubc":
        raise TypeError(f"A must hold numbers, got dtype {A.dtype}")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square, got shape {A.shape}")
    return A


def checked_matrix(A: Any, block_size: int = 1, *, needs_diagonal: bool = True) -> Any:
    """Return a square matrix in the form that kernels require; share the arrays of `A` if they have this form.

    The result has blocks of `block_size`, unless less than half of their values would be entries.
    Zeros on the diagonal are refused if `needs_diagonal`, zero rows always.
    """
    A = given_matrix(A)
    has_blocks = block_size > 1 and is_sparse(A) and A.format == "bsr" and A.blocksize == (block_size, block_size)
    A = sp.bsr_array(A) if has_blocks else sp.csr_array(A)
    dtype = np.complex128 if A.dtype.kind == "c" else np.float64
    if A.dtype != dtype or not A.data.dtype.isnative:
        A = A.astype(dtype)
    if not A.data.flags.c_contiguous:
        A.data = np.ascontiguousarray(A.data)
    faults = _faults(A)
    if faults[PATTERN] < A.shape[0]:
        raise ValueError(
            f"row {faults[PATTERN]} of A is broken: it refers to entries outside of A; A.check_format() names them"
        )
    if faults[UNSORTED] < A.shape[0]:
        A = A.copy()
        A.has_sorted_indices = A.has_canonical_format = False  # SciPy's cached flags may be wrong
        A.sum_duplicates()
        faults = _faults(A)
    _refuse_values(A, faults[NOT_FINITE], faults[NO_DIAGONAL], needs_diagonal)
    A = _with_narrow_indices(A)
    return A if has_blocks else in_blocks(A, block_size)


def _with_narrow_indices(A: Any) -> Any:
    """Return the matrix with column indices of 32 bits, and offsets of 32 bits if possible."""
    if A.shape[0] >= 2**31:
        raise ValueError(f"A has {A.shape[0]:,} rows, solvers take less than 2**31")
    offsets = np.int32 if A.indices.size < 2**31 else np.int64
    if A.indices.dtype == np.int32 and A.indptr.dtype == offsets:
        return A
    height, width = block_sizes(A)
    pattern = Pattern(A.indptr.astype(offsets), A.indices.astype(np.int32))
    return matrix(pattern, A.data, height, width, A.shape[1] // width)


def _faults(A: Any) -> list[int]:
    n = A.indptr.size - 1
    workers = worker_count("cpu", n + A.data.size)
    faults = np.empty((workers, 4), np.int64)
    first_faults(workers, n, rows_of(A), faults)
    return [int(row) for row in faults.min(axis=0)]


def _refuse_values(A: Any, not_finite: int, no_diagonal: int, needs_diagonal: bool) -> None:
    if not_finite < A.shape[0]:
        columns, values = _entries_of_row(A, not_finite)
        place = int(np.argmin(np.isfinite(values)))
        raise ValueError(f"A[{not_finite}, {columns[place]}] is {values[place]}, not a finite number")
    if no_diagonal == A.shape[0]:
        return
    if not A.data.any():
        raise ValueError("all entries of A are zero: the system has no solution, unless b is zero, too")
    diagonal = A.diagonal()
    for i in map(int, np.flatnonzero(np.abs(diagonal) < MIN_DIAGONAL)):
        if not _entries_of_row(A, i)[1].any():
            raise ValueError(f"row {i} of A is zero: leave out row {i} and column {i}, and b[{i}]")
        if diagonal[i]:
            raise ValueError(f"A[{i}, {i}] is {diagonal[i]}, too small to divide by: multiply A and b by 2.0**200")
        if needs_diagonal:
            raise ValueError(
                f"A[{i}, {i}], on the diagonal, is zero or missing, but smoothers divide by it: use "
                "stablegraph.solve(A, b), which factors such a matrix on a CPU"
            )


def _entries_of_row(A: Any, i: int) -> tuple[Any, Any]:
    """Return the columns and values of a row."""
    height, width = block_sizes(A)
    blocks = slice(A.indptr[i // height], A.indptr[i // height + 1])
    columns = A.indices[blocks, None] * width + np.arange(width)
    return columns.ravel(), A.data.reshape(-1, height, width)[blocks, i % height].ravel()


def _value_of(A: Any, i: int, j: int) -> Any:
    columns, values = _entries_of_row(A, i)
    return values[columns == j].sum().item()


def asymmetry(A: Any, inverse_diagonal: Vector) -> tuple[str | None, str | None]:
    """Describe asymmetries of a checked matrix: an entry without a partner, and one with a different partner.

    Return a sentence or None for each. Differences within rounding errors are ignored.
    """
    n = A.shape[0]
    workers = worker_count("cpu", n + A.data.size)
    rows, columns = np.empty((workers, 2), np.int64), np.empty((workers, 2), np.int64)
    first_unsymmetric(workers, A.indptr.size - 1, rows_of(A), inverse_diagonal, rows, columns)
    (i, k), workers_of_both = rows.min(axis=0), rows.argmin(axis=0)
    j, m = columns[workers_of_both, [0, 1]]
    missing = None if i == n else f"A[{i}, {j}] has no partner A[{j}, {i}]"
    if k == n:
        return missing, None
    if k == m:
        return missing, f"A is not Hermitian: the diagonal entry A[{k}, {k}] is {_value_of(A, k, k)}, which is not real"
    symmetric = "Hermitian" if A.data.dtype.kind == "c" else "symmetric"
    return (
        missing,
        f"A is not {symmetric}: A[{k}, {m}] is {_value_of(A, k, m)}, but A[{m}, {k}] is {_value_of(A, m, k)}",
    )


def are_translations(B: Any, width: int) -> bool:
    """Return whether each of the first `width` columns moves exactly one unknown of each node, in order."""
    moves = B[:, :width].reshape(-1, width, width) != 0
    return bool((moves == np.eye(width, dtype=bool)).all())
