"""Checks of a solver's matrix and its conversion to the form that kernels require.

This form is a `csr_array`, or a `bsr_array` for blocks of unknowns: finite float64 or complex128 values, ascending
columns in each row, no zeros on the diagonal. A matrix in this form is not copied. On a GPU it is a `DeviceMatrix`.
Errors name the first invalid row; it is searched in host memory, and only if there is one.

Methods that need a symmetric (for complex matrices: Hermitian) matrix also compare a_ij with a_ji, which may differ by
rounding errors of their rows.

Cost: one pass over the pattern (_core/csr/facts.py), one over the values, and that of `inverse_diagonal`, whose result
the setups of solvers use.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.csr.arrays import Pattern
from .._core.csr.facts import Scan, scan_facts
from .._core.runtime import edge_chunk_bounds, kernel, lower_bound, place_of, with_gpu_form, worker_count
from .._core.runtime.arrays import all_finite, largest_size
from .._core.validation import is_sparse, unmasked
from ..graph import Graph
from .cuda import checked_matrix as checked_matrix_cuda
from .cuda.checked_matrix import ROUNDING
from .linalg.block_csr import in_blocks, matrix, on_host
from .linalg.cuda.device_matrix import DeviceMatrix
from .linalg.spectral import inverse_diagonal
from .linalg.vectors import MatrixRows, Vector, block_sizes, rows_of

MIN_DIAGONAL = np.finfo(np.float64).tiny  # smaller diagonal entries have no inverse


@kernel(by="workers", types="int bool F[] int64[,] int64[,]", constants="1,1 2,2 3,3")
def first_unsymmetric(worker, workers, n, upper, matrix: MatrixRows, inverse_diagonal, rows, columns):
    """Find the first entry without a partner (column 0), and the first whose partner differs (column 1), or row n.

    With `upper` only blocks on and above the diagonal are compared: the pattern is known to be symmetric, and of two
    blocks that differ, this is the first one.
    """
    size = matrix.height
    rows[worker, 0] = rows[worker, 1] = n * size
    start, end = edge_chunk_bounds(matrix.indptr, n, worker, workers)
    for row in range(start, end):
        for e in range(matrix.indptr[row], matrix.indptr[row + 1]):
            column = matrix.indices[e]
            if upper and column < row:
                continue
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


@with_gpu_form(checked_matrix_cuda.given_matrix)
def given_matrix(A: Any) -> Any:
    """Return a square matrix of numbers: a SciPy matrix, or a dense array."""
    if isinstance(A, Graph):
        if A.weights is None:
            raise ValueError("a graph without weights is no matrix; pass a sparse array of SciPy with values")
        A = A.to_scipy()
    if not is_sparse(A) and not isinstance(A, np.ndarray):
        raise TypeError(f"A must be a sparse array of SciPy or a 2-D NumPy array, got {type(A).__name__}")
    if unmasked(A, "A").dtype.kind not in "fiubc":
        raise TypeError(f"A must hold numbers, got dtype {A.dtype}")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square, got shape {A.shape}")
    return A


def checked_matrix(
    A: Any, block_size: int = 1, *, needs_diagonal: bool = True
) -> tuple[Any, tuple[Vector, Any], Scan | None]:
    """Return a square matrix in the form that kernels require, its `inverse_diagonal`, and the facts of its pattern.

    There are no facts if rows had to be sorted. The matrix shares the arrays of `A` if they have this form. It has
    blocks of `block_size`, unless less than half of their values would be entries. Zeros on the diagonal are refused if
    `needs_diagonal`, and on a GPU, which has no factorization; zero rows are always refused.
    """
    A = in_rows(given_matrix(A), block_size)
    scan = scan_facts(A.indptr, A.indices, place_of(A.data))
    if scan.broken_rows or scan.outside or scan.begin:
        row = _first_broken_row(on_host(A)) * block_sizes(A)[0]
        raise ValueError(f"row {row} of A is broken: it refers to entries outside of A; A.check_format() names them")
    is_sorted = not (scan.descents or scan.repeats)
    if not is_sorted:
        A = in_order(A)
    if not all_finite(A.data):
        _refuse_number(on_host(A))
    A = in_blocks(_with_narrow_indices(A), block_size)
    inverse, bound = inverse_diagonal(A)
    if not inverse.all() or largest_size(inverse) > 1 / MIN_DIAGONAL:
        _refuse_diagonal(on_host(A), needs_diagonal or isinstance(A, DeviceMatrix))
    return A, (inverse, bound), scan if is_sorted else None


@with_gpu_form(checked_matrix_cuda.in_rows)
def in_rows(A: Any, block_size: int) -> Any:
    """Return the matrix in BSR form if it has blocks of this size, else in CSR form, with values of 64 or 128 bits."""
    has_blocks = block_size > 1 and is_sparse(A) and A.format == "bsr" and A.blocksize == (block_size, block_size)
    A = sp.bsr_array(A) if has_blocks else sp.csr_array(A)
    dtype = np.complex128 if A.dtype.kind == "c" else np.float64
    if A.dtype != dtype or not A.data.dtype.isnative:
        A = A.astype(dtype)
    if not A.data.flags.c_contiguous:
        A.data = np.ascontiguousarray(A.data)
    return A


@with_gpu_form(checked_matrix_cuda.in_order)
def in_order(A: Any) -> Any:
    """Return a copy with ascending rows, in which repeated entries are summed."""
    A = A.copy()
    A.has_sorted_indices = A.has_canonical_format = False  # SciPy's cached flags may be wrong
    A.sum_duplicates()
    return A


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


def _first_broken_row(A: Any) -> int:
    """Return the first row whose entries are not inside the arrays, or have columns outside of the matrix."""
    indptr, n = A.indptr.astype(np.int64), A.indptr.size - 1
    valid = (indptr[:-1] >= 0) & (indptr[:-1] <= indptr[1:]) & (indptr[1:] <= A.indices.size)
    row = n if valid.all() else int(valid.argmin())
    columns = A.indices[indptr[0] : indptr[row]] if row else A.indices[:0]
    outside = np.flatnonzero((columns < 0) | (columns >= n))
    return int(np.searchsorted(indptr[: row + 1], indptr[0] + outside[0], "right")) - 1 if outside.size else row


def _refuse_number(A: Any) -> None:
    """Raise the error for the first entry that is NaN or infinite."""
    rows, blocks = np.repeat(np.arange(A.indptr.size - 1), np.diff(A.indptr)), A.data.reshape(A.indices.size, -1)
    row = rows[np.isfinite(blocks).all(axis=1).argmin()] * block_sizes(A)[0]
    while np.isfinite(_entries_of_row(A, row)[1]).all():
        row += 1
    columns, values = _entries_of_row(A, row)
    place = int(np.argmin(np.isfinite(values)))
    raise ValueError(f"A[{row}, {columns[place]}] is {values[place]}, not a finite number")


def _refuse_diagonal(A: Any, needs_diagonal: bool) -> None:
    """Raise the error for the first entry of the diagonal that a solver cannot use."""
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


def asymmetry(A: Any, inverse: Any, facts: Scan | None) -> tuple[str | None, str | None]:
    """Describe asymmetries of a checked matrix: an entry without a partner, and one with a different partner.

    Return a sentence or None for each. Differences within rounding errors are ignored; `facts` are those of A.
    """
    if isinstance(A, DeviceMatrix):
        if not checked_matrix_cuda.is_unsymmetric(A, inverse):
            return None, None
        A, inverse = A.get(), inverse if isinstance(inverse, np.ndarray) else inverse.get()
    n = A.shape[0]
    workers = worker_count("cpu", n + A.data.size)
    rows, columns = np.empty((workers, 2), np.int64), np.empty((workers, 2), np.int64)
    upper = facts is not None and facts.forward == facts.backward
    first_unsymmetric(workers, A.indptr.size - 1, upper, rows_of(A), inverse, rows, columns)
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
