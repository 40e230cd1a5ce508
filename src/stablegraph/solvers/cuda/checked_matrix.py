"""The parts of the checks and conversions of a solver's matrix that are different on a GPU; see checked_matrix.py.

checked_matrix.cu contains the kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import Pattern, index_type
from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.arrays import converted
from ..._core.runtime.cuda.source import lanes_for
from ..._core.runtime.device import array_module, device_of, of_package
from ..._core.validation import is_sparse
from ...graph import Graph
from ..linalg.cuda.device_matrix import HEIGHTS, DeviceMatrix

ROUNDING = 1e-20  # maximum of (a_ij - a_ji)**2 / (a_ii a_jj) for a rounding error
_BLOCKS_A_LANE = 4  # of a row


def _check_macros(height: int) -> dict[str, Any]:
    return {"HEIGHT": height, "ROUNDING": repr(ROUNDING)}


SOURCE = CudaSource(__file__, "checked_matrix.cu", variants=tuple(map(_check_macros, HEIGHTS)))


def _launch(name: str, A: Any, height: int, rows: int, *arguments: Any) -> None:
    """Launch a kernel for rows of A, each of which some adjacent threads read."""
    program = SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, **_check_macros(height))
    lanes = lanes_for(A.indices.size / max(int(A.indptr.size) - 1, 1) / _BLOCKS_A_LANE)
    program(name, rows * lanes, rows, lanes, A.indptr, A.indices, A.data, *arguments)


def given_matrix(A: Any) -> Any:
    """Return a square matrix of real numbers in CSR form on the device (or a SciPy matrix, in tests)."""
    if isinstance(A, Graph):
        if A.weights is None:
            raise ValueError("a graph without weights is no matrix; pass a graph with weights")
        _check_dtype(A.weights.dtype, "A")
        n = A.num_vertices
        return DeviceMatrix(A.indptr, A.indices, A.weights, (n, n))
    if isinstance(A, DeviceMatrix):
        return A
    if not is_sparse(A) and not hasattr(A, "tocsr"):
        raise TypeError(f"A must be sparse, in CSR form, as in cupyx.scipy.sparse, got {type(A).__name__}")
    _check_dtype(A.dtype, "A")
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"A must be square, got shape {A.shape}")
    return A


def _check_dtype(dtype: Any, name: str) -> None:
    if dtype.kind == "c":
        raise TypeError(
            f"{name} is complex, solvers on a GPU are real: solve the real system [[Re A, -Im A], [Im A, Re A]] "
            "[Re x, Im x] = [Re b, Im b]"
        )
    if dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold real numbers, got dtype {dtype}")


def in_rows(A: Any, block_size: int) -> DeviceMatrix:
    """Return the matrix in CSR form; blocks are made later."""
    A = A if isinstance(A, DeviceMatrix) else A.tocsr()
    n = A.shape[0]
    if n >= 2**31:
        raise ValueError(f"A has {n:,} rows, solvers take less than 2**31")
    indptr, indices, data = map(of_package, (A.indptr, A.indices, A.data))
    xp = array_module(device_of(data))
    indptr = converted(indptr, index_type(int(indices.size)))
    data = xp.ascontiguousarray(converted(data, np.float64))
    return DeviceMatrix(indptr, converted(indices, np.int32), data, (n, n))


def in_order(A: DeviceMatrix) -> DeviceMatrix:
    """Return the matrix with ascending rows and repeated entries summed, as computed by SciPy."""
    sorted_rows = A.get()
    sorted_rows.has_sorted_indices = sorted_rows.has_canonical_format = False  # cached flags may be wrong
    sorted_rows.sum_duplicates()
    indptr, indices, data = map(A.xp.asarray, (sorted_rows.indptr, sorted_rows.indices, sorted_rows.data))
    return DeviceMatrix(indptr, indices, data, A.shape)


def block_values(A: DeviceMatrix, nodes: Pattern, width: int) -> Any:
    """Return the entries of a matrix in its blocks of `width` rows and columns."""
    blocks = A.xp.zeros(nodes.indices.size * width * width)
    _launch("fill_blocks", A, width, A.shape[0], converted(nodes.indptr, A.indptr.dtype), nodes.indices, blocks)
    return blocks


def is_unsymmetric(A: DeviceMatrix, inverse_diagonal: Any) -> bool:
    """Return whether a checked matrix has an entry without a partner, or with a different one."""
    _launch("compare", A, A.blocksize[0], int(A.indptr.size) - 1, inverse_diagonal, report.blank())
    return any(report.read())
