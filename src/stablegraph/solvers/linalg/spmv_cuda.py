"""Sparse matrix-vector products on a GPU; spmv.cu says how, spmv.py what."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime.cuda_source import CudaSource
from ..._core.runtime.lanes import lanes_for
from .device_matrix import DeviceMatrix

_AT_ONCE = 4  # loads of a lane
_ENTRIES_A_LANE = 7  # of a row, at most, before it gets more lanes


def _macros(height: int, width: int, real: str) -> dict[str, Any]:
    return {"HEIGHT": height, "WIDTH": width, "REAL": real, "AT_ONCE": _AT_ONCE}


SOURCE = CudaSource(
    __file__,
    "spmv.cu",
    variants=(_macros(1, 1, "double"), _macros(1, 1, "float"), _macros(3, 6, "float"), _macros(6, 6, "float")),
)
REALS = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}


class Products:
    """The kernels for one matrix, with the number of lanes that its rows need."""

    def __init__(self, A: DeviceMatrix) -> None:
        height, width = A.blocksize
        self.rows = int(A.indptr.size) - 1
        self._matrix = self.rows, A.indptr, A.indices, A.data
        macros = _macros(height, width, REALS[A.data.dtype])
        self._run = SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, **macros)
        length = A.indices.size * width / max(self.rows, 1)
        self._lanes = lanes_for(length / _ENTRIES_A_LANE)

    def _launch(self, name: str, *arguments: Any) -> None:
        if self.rows:
            self._run(f"{name}_{self._lanes}", self.rows * self._lanes, *self._matrix, *arguments)

    def multiply(self, x: Any, out: Any) -> None:
        """Set out = A x."""
        self._launch("multiply", x, out)

    def add_product(self, x: Any, out: Any) -> None:
        """Set out += A x."""
        self._launch("add_product", x, out)

    def residual(self, x: Any, b: Any, out: Any) -> None:
        """Set out = b - A x."""
        self._launch("residual", x, out, b)

    def accurate_residual(self, x: Any, b: Any, out: Any) -> None:
        """Set out = b - A x, by compensated summation."""
        self._run("accurate_residual", int(out.size), *self._matrix, x, b, out)

    def step(self, x: Any, out: Any, b: Any, inverse: Any, step: Any, last_p: Any, p: Any) -> None:
        """Set p = alpha last_p + beta D^-1 (b - A x), out = x + p, with step = (alpha, beta) on the device.

        With 0 for p only the sum is written; with alpha = 0 `last_p` may be 0, too.
        """
        self._launch("step", x, out, b, inverse, step, last_p, p)

    def step_from_zero(self, x: Any, b: Any, inverse: Any, step: Any) -> None:
        """Set x = beta D^-1 b."""
        self._run("step_from_zero", int(x.size), int(x.size), x, b, inverse, step)


def multiply(A: DeviceMatrix, x: Any, out: Any) -> None:
    """Set out = A x."""
    products_with(A).multiply(x, out)


def add_product(A: DeviceMatrix, x: Any, out: Any) -> None:
    """Set out += A x."""
    products_with(A).add_product(x, out)


def residual(A: DeviceMatrix, x: Any, b: Any, out: Any) -> None:
    """Set out = b - A x."""
    products_with(A).residual(x, b, out)


def accurate_residual(A: DeviceMatrix, x: Any, b: Any, out: Any) -> None:
    """Set out = b - A x, by compensated summation."""
    products_with(A).accurate_residual(x, b, out)


def products_with(A: DeviceMatrix) -> Products:
    """The kernels for a matrix, which keeps them."""
    if A.kept.get("products") is None:
        A.kept["products"] = Products(A)
    found: Products = A.kept["products"]
    return found
