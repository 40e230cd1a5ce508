"""Sparse matrix-vector products (SpMV): rows in parallel, each summed in the order of its entries.

So every result is the same for any number of threads. Threads get equal numbers of rows and entries. If a product is
one term of a larger expression, as in b - A x, the whole expression is computed in one pass, because reading the matrix
takes most of the time.

Matrices are `csr_array` or `bsr_array` with float64 values. A kernel is compiled for each size of blocks, and a CSR
matrix has blocks of 1 x 1: there is one form of all. A row of a BSR matrix is summed as in CSR, so that both have
the same products, but a block has one index: of 3 x 3 blocks 8.4 bytes are read for each value, not 12.

Vectors are float64 and contiguous, and a result must not be one of the vectors that are read. Nothing is checked. No
work memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core.csr.arrays import read_only
from ..._core.runtime import Constant, kernel, rule
from ..._core.runtime.cuda_source import by_device
from .vectors import Vector


def _cuda():
    from . import spmv_cuda

    return spmv_cuda


class MatrixRows(NamedTuple):
    """The rows of blocks of a matrix in CSR or BSR form, with their values."""

    indptr: Any  # (rows of blocks + 1,): where each row starts in `indices`
    indices: Any  # (number of blocks,): the columns of the blocks, row after row
    data: Any  # (number of values,): one block after the other, each row after row
    height: Constant = 1  # rows of a block
    width: Constant = 1  # columns of a block


def block_sizes(matrix: Any) -> tuple[int, int]:
    """Height and width of the blocks of a BSR matrix; those of a CSR matrix are 1."""
    return matrix.blocksize if matrix.format == "bsr" else (1, 1)


def with_values(rows: Any, data: Any, height: int, width: int) -> MatrixRows:
    """The arrays of a pattern with values, which belong to blocks of a size."""
    return MatrixRows(rows.indptr, rows.indices, data.reshape(-1), height, width)


def rows_of(matrix: Any) -> MatrixRows:
    """The arrays of a CSR or BSR matrix, as kernels take them."""
    indptr, indices, data = read_only(matrix.indptr), read_only(matrix.indices), read_only(matrix.data.reshape(-1))
    height, width = block_sizes(matrix)
    return MatrixRows(indptr, indices, data, height, width)


@rule
def row_times(i, rows, x):
    """Row i of a matrix times x, in the order of its entries."""
    row = i // rows.height
    s = i - row * rows.height
    total = 0.0
    for e in range(rows.indptr[row], rows.indptr[row + 1]):
        start = (e * rows.height + s) * rows.width
        column = rows.indices[e] * rows.width
        for c in range(rows.width):
            total += rows.data[start + c] * x[column + c]
    return total


@kernel(
    by="edges",
    types="O[] V[] T[] int int T[] T[]",
    constants="1,1 2,2 3,1 3,3 6,3 6,6",
    T="float64 complex128",
)
def write_product(row, rows: MatrixRows, x, out):
    """Out = A x, for a row of blocks."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        out[i] = row_times(i, rows, x)


@kernel(
    by="edges",
    types="O[] V[] T[] int int T[] T[]",
    constants="1,1 1,3 2,2 3,3 3,6 6,6",
    T="float64 complex128",
)
def add_product_of_row(row, rows: MatrixRows, x, out):
    """Out = out + A x, for a row of blocks."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        out[i] += row_times(i, rows, x)


@kernel(
    by="edges",
    types="O[] V[] T[] int int T[] T[] T[]",
    constants="1,1 2,2 3,3 6,6",
    T="float64 complex128",
)
def write_residual(row, rows: MatrixRows, x, b, out):
    """Out = b - A x, for a row of blocks."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        out[i] = b[i] - row_times(i, rows, x)


@by_device(cuda=lambda: _cuda().multiply)
def multiply(A: Any, x: Vector, out: Vector) -> None:
    """Set out = A x."""
    write_product(A.indptr.size - 1, rows_of(A), x, out)


@by_device(cuda=lambda: _cuda().add_product)
def add_product(A: Any, x: Vector, out: Vector) -> None:
    """Set out += A x; with a prolongator, the correction of a finer level."""
    add_product_of_row(A.indptr.size - 1, rows_of(A), x, out)


@by_device(cuda=lambda: _cuda().residual)
def residual(A: Any, x: Vector, b: Vector, out: Vector) -> None:
    """Set out = b - A x."""
    write_residual(A.indptr.size - 1, rows_of(A), x, b, out)
