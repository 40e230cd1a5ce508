"""The Galerkin product on a GPU; galerkin.py says what."""

from __future__ import annotations

from typing import Any

from .._core.csr.arrays import Pattern
from .._core.csr.patterns_cuda import product_pattern
from .linalg.block_csr import pattern_of
from .linalg.device_matrix import DeviceMatrix
from .linalg.spgemm import _COARSER_LEVEL
from .linalg.spgemm_cuda import product_values
from .prolongator_cuda import pin_unused


def coarse_matrix(
    A: DeviceMatrix, P: DeviceMatrix, R: DeviceMatrix, coarse: Pattern | None, coarse_B: Any
) -> DeviceMatrix:
    """P' A P, in blocks of as many rows as B has columns."""
    columns = coarse_B.shape[1]
    count = coarse_B.shape[0] // columns
    pattern = product_pattern(pattern_of(A), pattern_of(P), count, purpose=_COARSER_LEVEL)
    if coarse is None:
        coarse = product_pattern(pattern_of(R), pattern, count, diagonal=True, purpose=_COARSER_LEVEL)
    shape = A.shape[0], count * columns
    AP = DeviceMatrix(*pattern, product_values(A, P, pattern), shape, (A.blocksize[0], columns))
    data = product_values(R, AP, coarse)
    pin_unused(coarse, coarse_B, data)
    return DeviceMatrix(*coarse, data, (count * columns, count * columns), (columns, columns))
