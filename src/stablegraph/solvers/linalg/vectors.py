"""Operations on vectors and products with sparse matrices, bit for bit the same for any number of threads.

**Sums and updates.** A floating-point sum depends on the order of its terms, which in BLAS depends on the number of
threads. In this module a sum has two levels: first blocks of 4096 elements, each with eight partial sums (which a
processor adds at once), then the blocks, pairwise. Threads share the blocks without an effect on the result. An update
that is followed by a sum reads memory once: a block is summed while it is in the cache.

**Products** (SpMV). Rows are computed in parallel, each in the order of its entries. Threads get equal numbers of rows
and entries. If a product is a term of a larger expression, such as b - A x, one pass computes the whole expression,
because reading the matrix takes most of the time. Matrices are `csr_array` or `bsr_array`. A kernel is compiled for
each block size; CSR has blocks of 1 x 1. BSR sums have the same order as in CSR, so the products are equal, but a block
has only one index: with 3 x 3 blocks, 8.4 bytes are read per value instead of 12.

**The accurate residual** b - A x, the last check of a solution, is computed by compensated summation, as if in doubled
precision. In float64, a residual has errors of up to eps (|A| |x| + |b|) per row. If the entries of a matrix have very
different sizes, these errors may be much larger than the residual: the true residual of D A D, with D from 1e-6 to 1e6,
was 100 times as large as the computed one. The rounding errors of products and sums are therefore summed separately
(Dot2 of T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product", SIAM Journal on Scientific Computing 26(6), 2005).
The result is correct nearly to the last digit, unless numbers are above 1e300 or errors are below the smallest number.
Cost: one pass over the matrix, with 25 operations per entry: about four plain products.

Vectors are float64 or complex128, and contiguous. In an inner product the first vector is conjugated. A result must not
be one of the input vectors. Nothing is checked. Work memory: 16 bytes per block of a sum.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..._core.runtime import Constant, chunk_bounds, kernel, rule, with_gpu_form, worker_count
from ..._core.runtime.array_types import Complex128s, Float64s, Numbers, Offsets, Vertices
from .cuda import vectors as vectors_cuda

Vector = npt.NDArray[np.float64] | npt.NDArray[np.complex128]

BLOCK = 4096


def blocks_of(n: int) -> int:
    """Return the number of blocks of a vector."""
    return -(-n // BLOCK)


@rule
def dot_of_block(start, end, x, y):
    """Return the inner product over a range, in an order that depends only on the range."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = end - (end - start) % 8
    for i in range(start, whole, 8):
        s0 += x[i].conjugate() * y[i]
        s1 += x[i + 1].conjugate() * y[i + 1]
        s2 += x[i + 2].conjugate() * y[i + 2]
        s3 += x[i + 3].conjugate() * y[i + 3]
        s4 += x[i + 4].conjugate() * y[i + 4]
        s5 += x[i + 5].conjugate() * y[i + 5]
        s6 += x[i + 6].conjugate() * y[i + 6]
        s7 += x[i + 7].conjugate() * y[i + 7]
    for i in range(whole, end):
        s0 += x[i].conjugate() * y[i]
    return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))


@kernel(by="workers")
def dot_blocks(worker, workers, x: Numbers, y: Numbers, sums: Numbers):
    """Compute the inner product of each block."""
    first_block, end_block = chunk_bounds(sums.size, worker, workers)
    for block in range(first_block, end_block):
        sums[block] = dot_of_block(block * BLOCK, min(x.size, (block + 1) * BLOCK), x, y)


@kernel(by="workers")
def take_step(worker, workers, alpha: float, p: Numbers, q: Numbers, x: Numbers, r: Numbers, sums: Numbers):
    """Set x += alpha p and r -= alpha q, and compute r . r of each block."""
    first_block, end_block = chunk_bounds(sums.size, worker, workers)
    for block in range(first_block, end_block):
        start, end = block * BLOCK, min(x.size, (block + 1) * BLOCK)
        for i in range(start, end):
            x[i] += alpha * p[i]
            r[i] -= alpha * q[i]
        sums[block] = dot_of_block(start, end, r, r)


@kernel
def scale_and_add(i, z: Numbers, beta: float, p: Numbers):
    """Set p = z + beta p."""
    p[i] = z[i] + beta * p[i]


@kernel
def add_scaled(i, alpha: Numbers, p: Numbers, x: Numbers):
    """Set x += alpha[0] p."""
    x[i] += alpha[0] * p[i]


def _inner(x: Vector, y: Vector) -> Any:
    sums = np.empty(blocks_of(x.size), x.dtype)
    dot_blocks(worker_count("cpu", x.size), x, y, sums)
    return sums.sum()


@with_gpu_form(vectors_cuda.dot)
def dot(x: Vector, y: Vector) -> float:
    """Return the real part of the inner product x . y; the product is real if y is a Hermitian matrix times x."""
    return float(_inner(x, y).real)


def inner(x: Vector, y: Vector) -> Any:
    """Return the inner product x . y, complex for complex vectors."""
    return _inner(x, y) if x.dtype.kind == "c" else dot(x, y)


def norm(x: Vector) -> float:
    """Return the Euclidean norm of x."""
    return math.sqrt(dot(x, x))


@with_gpu_form(vectors_cuda.axpy)
def axpy(alpha: Any, p: Vector, x: Vector) -> None:
    """Set x += alpha p."""
    add_scaled(x.size, np.array([alpha], x.dtype), p, x)


def scaled(x: Vector, exponent: int) -> Vector:
    """Return 2**exponent times x, without rounding unless the result is below the smallest normal numbers."""
    half, result = np.zeros_like(x), np.zeros_like(x)
    axpy(2.0 ** (exponent // 2), x, half)  # two steps, since 2**exponent may not be a number
    axpy(2.0 ** (exponent - exponent // 2), half, result)
    return result


@with_gpu_form(vectors_cuda.axpy_residual)
def axpy_residual(alpha: float, p: Vector, q: Vector, x: Vector, r: Vector) -> float:
    """Make a descent step: set x += alpha p and r -= alpha q; return the new r . r."""
    sums = np.empty(blocks_of(x.size), x.dtype)
    take_step(worker_count("cpu", x.size), alpha, p, q, x, r, sums)
    return float(sums.sum().real)


@with_gpu_form(vectors_cuda.xpby)
def xpby(z: Vector, beta: float, p: Vector) -> None:
    """Set p = z + beta p, the next descent direction."""
    scale_and_add(p.size, z, beta, p)


class MatrixRows(NamedTuple):
    """The rows of blocks of a matrix in CSR or BSR form, with their values."""

    indptr: Offsets  # (rows of blocks + 1,): the start of each row in `indices`
    indices: Vertices  # (number of blocks,): the columns of the blocks, row after row
    data: Numbers  # (number of values,): one block after another, each row by row
    height: Constant = 1  # rows of a block
    width: Constant = 1  # columns of a block


def block_sizes(matrix: Any) -> tuple[int, int]:
    """Return the height and width of the blocks of a BSR matrix, or 1 and 1 for a CSR matrix."""
    return matrix.blocksize if matrix.format == "bsr" else (1, 1)


def with_values(rows: Any, data: Any, height: int, width: int) -> MatrixRows:
    """Return the arrays of a pattern with the values of blocks of a size."""
    return MatrixRows(rows.indptr, rows.indices, data.reshape(-1), height, width)


def rows_of(matrix: Any) -> MatrixRows:
    """Return the arrays of a CSR or BSR matrix as the argument of a kernel."""
    indptr, indices, data = matrix.indptr, matrix.indices, matrix.data.reshape(-1)
    height, width = block_sizes(matrix)
    return MatrixRows(indptr, indices, data, height, width)


@rule
def row_times(i, rows, x):
    """Return row i of a matrix times x, summed in the order of its entries."""
    row = i // rows.height
    s = i - row * rows.height
    total = 0.0
    for e in range(rows.indptr[row], rows.indptr[row + 1]):
        start = (e * rows.height + s) * rows.width
        column = rows.indices[e] * rows.width
        for c in range(rows.width):
            total += rows.data[start + c] * x[column + c]
    return total


@kernel(by="edges", constants="1,1 2,2 3,1 3,3 6,3 6,6")
def write_product(row, rows: MatrixRows, x: Numbers, out: Numbers):
    """Set out = A x, for a row of blocks."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        out[i] = row_times(i, rows, x)


@kernel(by="edges", constants="1,1 1,3 2,2 3,3 3,6 6,6")
def add_product_of_row(row, rows: MatrixRows, x: Numbers, out: Numbers):
    """Set out += A x, for a row of blocks."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        out[i] += row_times(i, rows, x)


@kernel(by="edges", constants="1,1 2,2 3,3 6,6")
def write_residual(row, rows: MatrixRows, x: Numbers, b: Numbers, out: Numbers):
    """Set out = b - A x, for a row of blocks."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        out[i] = b[i] - row_times(i, rows, x)


@with_gpu_form(vectors_cuda.multiply)
def multiply(A: Any, x: Vector, out: Vector) -> None:
    """Set out = A x."""
    write_product(A.indptr.size - 1, rows_of(A), x, out)


@with_gpu_form(vectors_cuda.add_product)
def add_product(A: Any, x: Vector, out: Vector) -> None:
    """Set out += A x; with a prolongator, this is the correction of a finer level."""
    add_product_of_row(A.indptr.size - 1, rows_of(A), x, out)


@with_gpu_form(vectors_cuda.residual)
def residual(A: Any, x: Vector, b: Vector, out: Vector) -> None:
    """Set out = b - A x."""
    write_residual(A.indptr.size - 1, rows_of(A), x, b, out)


_SPLITTER = 2.0**27 + 1.0  # splits the digits of a float64 into halves


@rule
def minus_product(total, errors, a, y):
    """Return total - a y, and the sum of all rounding errors so far."""
    # TwoProduct: a y = product + error, computed from halves whose products are exact.
    product = a * y
    shifted = _SPLITTER * a
    a_high = shifted - (shifted - a)
    a_low = a - a_high
    shifted = _SPLITTER * y
    y_high = shifted - (shifted - y)
    y_low = y - y_high
    errors -= a_low * y_low - (((product - a_high * y_high) - a_low * y_high) - a_high * y_low)
    # TwoSum: total - product = difference + error.
    difference = total - product
    subtracted = difference - total
    errors += (total - (difference - subtracted)) - (product + subtracted)
    return difference, errors


@kernel(by="edges", constants="1,1 2,2 3,3", F="float64")
def write_accurate_residual(row, rows: MatrixRows, x: Float64s, b: Float64s, out: Float64s):
    """Set out = b - A x by Dot2, for a row of blocks: the sum plus all its rounding errors."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        total = b[i]
        errors = 0.0
        for e in range(rows.indptr[row], rows.indptr[row + 1]):
            start = (e * rows.height + i - row * rows.height) * rows.width
            for c in range(rows.width):
                total, errors = minus_product(total, errors, rows.data[start + c], x[rows.indices[e] * rows.width + c])
        out[i] = total + errors


@kernel(by="edges", constants="1,1", F="complex128")
def write_accurate_complex_residual(row, rows: MatrixRows, x: Complex128s, b: Complex128s, out: Complex128s):
    """Set out = b - A x for complex numbers, by products of their real and imaginary parts."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        real, imaginary = b[i].real, b[i].imag
        real_errors = imaginary_errors = 0.0
        for e in range(rows.indptr[row], rows.indptr[row + 1]):
            start = (e * rows.height + i - row * rows.height) * rows.width
            for c in range(rows.width):
                a = rows.data[start + c]
                y = x[rows.indices[e] * rows.width + c]
                real, real_errors = minus_product(real, real_errors, a.real, y.real)
                real, real_errors = minus_product(real, real_errors, -a.imag, y.imag)
                imaginary, imaginary_errors = minus_product(imaginary, imaginary_errors, a.real, y.imag)
                imaginary, imaginary_errors = minus_product(imaginary, imaginary_errors, a.imag, y.real)
        out[i] = (real + real_errors) + 1j * (imaginary + imaginary_errors)


@with_gpu_form(vectors_cuda.accurate_residual)
def accurate_residual(A: Any, x: Vector, b: Vector, out: Vector) -> None:
    """Set out = b - A x, as if computed in doubled precision."""
    write = write_accurate_complex_residual if x.dtype.kind == "c" else write_accurate_residual
    write(A.indptr.size - 1, rows_of(A), x, b, out)
