"""The residual b - A x by compensated summation, as if in doubled precision: the last check of a solution.

A computed residual has errors of up to eps (|A| |x| + |b|) per row. If the entries of a matrix have very different
sizes, these errors may be much larger than the residual: the true residual of D A D, with D from 1e-6 to 1e6, was 100
times as large as the residual computed in float64. This module therefore adds up the rounding errors of products and
sums separately. The result is correct nearly to the last digit, unless numbers are above 1e300 or errors are below the
smallest number.

T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product", SIAM Journal on Scientific Computing 26(6), 2005 (Dot2).
Cost: one pass over the matrix, with 25 operations an entry: about four plain products. The same bits for any number of
threads.
"""

from __future__ import annotations

from typing import Any

from ..._core.runtime import kernel, rule
from ..._core.runtime.cuda_source import by_device
from .spmv import MatrixRows, rows_of
from .vectors import Vector


def _cuda():
    from . import spmv_cuda

    return spmv_cuda


_SPLITTER = 2.0**27 + 1.0  # halves the digits of a float64


@rule
def minus_product(total, errors, a, y):
    """Total - a y, and the sum of errors with those of this."""
    # TwoProduct: a y = product + its error, from halves whose products are exact.
    product = a * y
    shifted = _SPLITTER * a
    a_high = shifted - (shifted - a)
    a_low = a - a_high
    shifted = _SPLITTER * y
    y_high = shifted - (shifted - y)
    y_low = y - y_high
    errors -= a_low * y_low - (((product - a_high * y_high) - a_low * y_high) - a_high * y_low)
    # TwoSum: total - product = difference + its error.
    difference = total - product
    subtracted = difference - total
    errors += (total - (difference - subtracted)) - (product + subtracted)
    return difference, errors


@kernel(
    by="edges",
    types="O[] V[] float64[] int int float64[] float64[] float64[]",
    constants="1,1 2,2 3,3",
)
def write_accurate_residual(row, rows: MatrixRows, x, b, out):
    """Out = b - A x by Dot2, for a row of blocks: the sum, with that of all its rounding errors."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        total = b[i]
        errors = 0.0
        for e in range(rows.indptr[row], rows.indptr[row + 1]):
            start = (e * rows.height + i - row * rows.height) * rows.width
            for c in range(rows.width):
                total, errors = minus_product(total, errors, rows.data[start + c], x[rows.indices[e] * rows.width + c])
        out[i] = total + errors


@kernel(by="edges", types="O[] V[] complex128[] int int complex128[] complex128[] complex128[]", constants="1,1")
def write_accurate_complex_residual(row, rows: MatrixRows, x, b, out):
    """The same of complex numbers, by products of their parts."""
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


@by_device(cuda=lambda: _cuda().accurate_residual)
def accurate_residual(A: Any, x: Vector, b: Vector, out: Vector) -> None:
    """Set out = b - A x, as if computed in doubled precision."""
    write = write_accurate_complex_residual if x.dtype.kind == "c" else write_accurate_residual
    write(A.indptr.size - 1, rows_of(A), x, b, out)
