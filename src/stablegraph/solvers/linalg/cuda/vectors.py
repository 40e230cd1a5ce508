"""Operations on vectors and products with sparse matrices on a GPU; see vectors.py.

vectors.cu contains the sums and updates, spmv.cu the products.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ...._core.runtime.cuda.source import CudaSource, lanes_for, report
from ...._core.runtime.device import array_module, place_of
from .device_matrix import SIZES, DeviceMatrix

SOURCE = CudaSource(__file__, "vectors.cu", also=("sums.cuh",))
_PART = 2048  # minimum number of elements
_MAX_PARTS = 1024
_MAX_NUMBERS = 3  # in one sum


class Sums:
    """The parameters of sums over vectors of one length: the number of parts, and memory for them."""

    def __init__(self, n: int, xp: Any) -> None:
        parts = max(1, min(_MAX_PARTS, n // _PART))
        self.threads = parts * SOURCE.block
        self.arguments = n, parts, xp.empty(_MAX_NUMBERS * parts), xp.zeros(1, np.uint32)


def dot(x: Any, y: Any) -> float:
    """Return the inner product x . y."""
    return _sum("dot", x, x, y)


def axpy_residual(alpha: float, p: Any, q: Any, x: Any, r: Any) -> float:
    """Make a step of descent: set x += alpha p and r -= alpha q; return the new r . r."""
    return _sum("axpy_residual", x, bits_of(alpha), p, q, x, r)


def axpy(alpha: float, p: Any, x: Any) -> None:
    """Set x += alpha p."""
    SOURCE.compiled()("axpy", int(x.size), int(x.size), bits_of(alpha), p, x)


def xpby(z: Any, beta: float, p: Any) -> None:
    """Set p = z + beta p: the next direction of descent."""
    SOURCE.compiled()("xpby", int(p.size), int(p.size), z, bits_of(beta), p)


def _sum(name: str, like: Any, *arguments: Any) -> float:
    sums = Sums(int(like.size), array_module(place_of(like)))
    SOURCE.compiled()(name, sums.threads, *sums.arguments, *arguments, report.blank())
    return _float_of_bits(report.read()[0])


def bits_of(number: float) -> int:
    """Return the bits of a number as the argument of a kernel."""
    (bits,) = struct.unpack("q", struct.pack("d", number))
    return int(bits)


def _float_of_bits(bits: int) -> float:
    (number,) = struct.unpack("d", struct.pack("q", bits))
    return float(number)


_AT_ONCE = 4  # loads of a lane
_ENTRIES_A_LANE = 7  # maximum entries of a row per lane; longer rows get more lanes


def _row_macros(height: int, width: int, real: str) -> dict[str, Any]:
    return {"HEIGHT": height, "WIDTH": width, "REAL": real, "AT_ONCE": _AT_ONCE}


_BLOCKS = sorted({size for b, k in SIZES for size in ((b, b), (b, k), (k, b), (k, k))})
PRODUCTS = CudaSource(
    __file__, "spmv.cu", variants=tuple(_row_macros(*size, real) for size in _BLOCKS for real in ("double", "float"))
)
REALS = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}


class Products:
    """The kernels for one matrix, with the number of lanes for its rows."""

    def __init__(self, A: DeviceMatrix) -> None:
        rows = int(A.indptr.size) - 1
        self.matrix = rows, A.indptr, A.indices, A.data
        self.run = PRODUCTS.compiled(
            VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, **_row_macros(*A.blocksize, REALS[A.data.dtype])
        )
        self.lanes = lanes_for(A.indices.size * A.blocksize[1] / max(rows, 1) / _ENTRIES_A_LANE)

    def launch(self, name: str, *arguments: Any) -> None:
        """Launch a kernel for all rows."""
        if self.matrix[0]:
            self.run(f"{name}_{self.lanes}", self.matrix[0] * self.lanes, *self.matrix, *arguments)


def products_with(A: DeviceMatrix) -> Products:
    """Return the kernels for a matrix; the matrix caches them."""
    if A.kept.get("products") is None:
        A.kept["products"] = Products(A)
    result: Products = A.kept["products"]
    return result


def multiply(A: DeviceMatrix, x: Any, out: Any) -> None:
    """Set out = A x."""
    products_with(A).launch("multiply", x, out)


def add_product(A: DeviceMatrix, x: Any, out: Any) -> None:
    """Set out += A x."""
    products_with(A).launch("add_product", x, out)


def residual(A: DeviceMatrix, x: Any, b: Any, out: Any) -> None:
    """Set out = b - A x."""
    products_with(A).launch("residual", x, out, b)


def accurate_residual(A: DeviceMatrix, x: Any, b: Any, out: Any) -> None:
    """Set out = b - A x, by compensated summation."""
    products = products_with(A)
    products.run("accurate_residual", int(out.size), *products.matrix, x, b, out)


def step_from_zero(A: DeviceMatrix, x: Any, b: Any, inverse: Any, step: Any) -> None:
    """Set x = beta D^-1 b."""
    products_with(A).run("step_from_zero", int(x.size), int(x.size), x, b, inverse, step)


def make_step(
    A: DeviceMatrix, x: Any, new_x: Any, b: Any, inverse: Any, step: Any, last_p: Any | None, p: Any | None
) -> None:
    """Set p = alpha last_p + beta D^-1 (b - A x), if p is not None, and new_x = x + p."""
    optional = (0 if vector is None else vector for vector in (last_p, p))
    products_with(A).launch("step", x, new_x, b, inverse, step, *optional)


def steps_on_device(like: Any, steps: Any) -> Any:
    """Return the pairs (alpha, beta) of steps as rows of an array."""
    return array_module(place_of(like)).asarray(steps, like.dtype)
