"""Sparse matrix-vector products (SpMV): rows in parallel, each summed in the order of its entries.

So every result is the same for any number of threads. Threads get equal numbers of rows and entries. Where a product is
one term of a larger expression, as in b - A x, all of it is done in one pass: what is read of a matrix is much, and of
the vectors little.

Matrices are `csr_array` with float64 values; vectors are float64 and contiguous, and a result must not be one of the
vectors that are read. Nothing is checked. No work memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...csr.arrays import read_only
from ...parallel import kernel, rule
from .vectors import Vector


class MatrixRows(NamedTuple):
    """The rows of a matrix in CSR form, with their values."""

    indptr: Any  # (n + 1,): where each row starts in the other two
    indices: Any  # (number of entries,): the columns of the entries, row after row
    data: Any  # (number of entries,): their values


def rows_of(matrix: Any) -> MatrixRows:
    """The arrays of a CSR matrix, as kernels take them."""
    return MatrixRows(read_only(matrix.indptr), read_only(matrix.indices), read_only(matrix.data))


@rule
def row_times(i, rows, x):
    """Row i of a matrix times x."""
    total = 0.0
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        total += rows.data[e] * x[rows.indices[e]]
    return total


@kernel(by="edges")
def write_product(i, rows: MatrixRows, x, out):
    """Out = A x."""
    out[i] = row_times(i, rows, x)


@kernel(by="edges")
def add_product_of_row(i, rows: MatrixRows, x, out):
    """Out = out + A x."""
    out[i] += row_times(i, rows, x)


@kernel(by="edges")
def write_residual(i, rows: MatrixRows, x, b, out):
    """Out = b - A x."""
    out[i] = b[i] - row_times(i, rows, x)


def multiply(A: Any, x: Vector, out: Vector) -> None:
    """Set out = A x."""
    write_product(A.shape[0], rows_of(A), x, out)


def add_product(A: Any, x: Vector, out: Vector) -> None:
    """Set out += A x; with a prolongator, the correction of a finer level."""
    add_product_of_row(A.shape[0], rows_of(A), x, out)


def residual(A: Any, x: Vector, b: Vector, out: Vector) -> None:
    """Set out = b - A x."""
    write_residual(A.shape[0], rows_of(A), x, b, out)
