"""Products of sparse matrices and vectors: rows in parallel, each summed in the order of its entries.

So every result is the same for any number of threads. Threads get equal numbers of rows and entries. Where a product is
one term of a larger expression, as in b - A x, all of it is done in one pass: what is read of a matrix is much, and of
the vectors little.

Matrices are `csr_array` with float64 values; vectors are float64 and contiguous, and a result must not be one of the
vectors that are read. Nothing is checked. No work memory.
"""

from __future__ import annotations

from typing import Any

from ..parallel import at, kernel, rule
from ..rows import read_only
from .vectors import Vector


@rule
def row_times(i, indptr, indices, data, x):
    """Row i of a matrix times x."""
    total = 0.0
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        total += data[at(e)] * x[at(indices[at(e)])]
    return total


@kernel(by="edges")
def write_product(i, indptr, indices, data, x, out):
    out[at(i)] = row_times(i, indptr, indices, data, x)


@kernel(by="edges")
def add_product_of_row(i, indptr, indices, data, x, out):
    out[at(i)] += row_times(i, indptr, indices, data, x)


@kernel(by="edges")
def write_residual(i, indptr, indices, data, x, b, out):
    out[at(i)] = b[at(i)] - row_times(i, indptr, indices, data, x)


def rows_of(matrix: Any) -> tuple[Any, Any, Any]:
    """The arrays of a CSR matrix, as kernels take them."""
    return read_only(matrix.indptr), read_only(matrix.indices), read_only(matrix.data)


def multiply(A: Any, x: Vector, out: Vector) -> None:
    """Set out = A x."""
    write_product(A.shape[0], *rows_of(A), x, out)


def add_product(A: Any, x: Vector, out: Vector) -> None:
    """Set out += A x; with a prolongator, the correction of a finer level."""
    add_product_of_row(A.shape[0], *rows_of(A), x, out)


def residual(A: Any, x: Vector, b: Vector, out: Vector) -> None:
    """Set out = b - A x."""
    write_residual(A.shape[0], *rows_of(A), x, b, out)
