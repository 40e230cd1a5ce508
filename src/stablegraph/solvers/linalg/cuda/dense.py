"""Dense forms of small matrices on a GPU, and their inverses; dense.cu contains the kernels.

The inverse has the same bits as CuPy's inverse, because both call cuSOLVER in the same way. CuPy would also compile
kernels in the first call of a process. It is still used for singular matrices, which are rare.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from ...._core.runtime import CudaSource, report
from ...._core.runtime.cuda.arrays import copied, stacked_identities
from ...._core.runtime.device import array_module, cupy_module, is_emulated, of_package, place_of

_SINGULAR = 1e-12  # maximum singular value that counts as zero, if those of the finest level are about 1
_LOWER_BY_ROWS = 1  # for cuBLAS, which stores columns, it is the upper triangle

_DENSE_MACROS = {"SINGULAR": repr(_SINGULAR)}
SOURCE = CudaSource(__file__, "dense.cu", variants=(_DENSE_MACROS,))


def dense_form(A: Any) -> Any:
    """Return the dense matrix of a `DeviceMatrix`."""
    (height, width), rows = A.blocksize, int(A.indptr.size) - 1
    dense = A.xp.zeros(A.shape)
    _run_for(A)("write_dense", 32 * rows, rows, height, width, A.shape[1], A.indptr, A.indices, A.data, dense)
    return dense


def diagonal_of(A: Any) -> Any:
    """Return the diagonal of a `DeviceMatrix`, with 0 for missing entries."""
    diagonal, rows = A.xp.empty(A.shape[0]), int(A.indptr.size) - 1
    _run_for(A)("write_diagonal", A.shape[0], rows, A.blocksize[0], A.indptr, A.indices, A.data, diagonal)
    return diagonal


def _run_for(A: Any) -> Any:
    return SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, **_DENSE_MACROS)


def full_pattern(n: int, xp: Any) -> tuple[Any, Any]:
    """Return the row pointers and the columns of a full matrix of n rows."""
    return xp.arange(n + 1, dtype=np.int32) * n, xp.tile(xp.arange(n, dtype=np.int32), n)


def scaled_inverse(dense: Any, sizes: Any) -> tuple[Any, float]:
    """Return the inverse, or the pseudo-inverse of a singular matrix, and the growth of errors after scaling.

    The matrix is scaled by the square roots of `sizes`, or of its diagonal where these are 0.
    """
    xp, n, run = array_module(place_of(dense)), len(dense), SOURCE.compiled(**_DENSE_MACROS)
    if n == 0:
        return dense, 0.0
    sizes = xp.where(sizes > 0, sizes, abs(xp.ascontiguousarray(dense.ravel()[:: n + 1])))
    scale, result = 1 / xp.sqrt(xp.where(sizes > 0, sizes, 1.0)), xp.zeros(1, np.uint64)
    scaled = scale[:, None] * dense * scale
    inverse = _inverse(xp, scaled) if _is_regular(xp, scaled) else xp.ascontiguousarray(_pseudo_inverse(xp, scaled))
    run("largest_row", 32 * n, n, inverse, result)
    return scale[:, None] * inverse * scale, float(result.view(np.float64)[0])


def _is_regular(xp: Any, scaled: Any) -> bool:
    """Return whether a matrix is positive definite and far from singular."""
    n, failed = len(scaled), xp.zeros(1, np.int32)
    if is_emulated():
        try:
            factor = of_package(xp.linalg.cholesky(scaled))
        except np.linalg.LinAlgError:
            return False
    else:
        cusolver = importlib.import_module("cupy_backends.cuda.libs.cusolver")
        handle, factor = cupy_module().cuda.device.get_cusolver_handle(), copied(scaled)
        size = cusolver.dpotrf_bufferSize(handle, _LOWER_BY_ROWS, n, factor.data.ptr, n)
        work = xp.empty(size)
        cusolver.dpotrf(handle, _LOWER_BY_ROWS, n, factor.data.ptr, n, work.data.ptr, size, failed.data.ptr)
    SOURCE.compiled(**_DENSE_MACROS)("find_small_pivots", n, n, factor, failed, report.blank())
    return not report.read()[0]


def _inverse(xp: Any, matrix: Any) -> Any:
    """Return the inverse of a regular matrix from its LU factors."""
    if is_emulated():
        return xp.linalg.inv(matrix)
    inverse = stacked_identities(matrix, len(matrix), len(matrix))
    importlib.import_module("cupyx.lapack").gesv(copied(matrix).T, inverse.T)  # cuSOLVER stores columns
    return inverse


def _pseudo_inverse(xp: Any, scaled: Any) -> Any:
    """Return the pseudo-inverse from singular values; rounding errors among them count as zero."""
    left, values, right = map(of_package, xp.linalg.svd(scaled))
    inverses = xp.where(values > _SINGULAR, 1 / xp.where(values > 0, values, 1.0), 0.0)
    return (right.T * inverses) @ left.T
