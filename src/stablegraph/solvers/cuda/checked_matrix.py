"""Checks of a solver's matrix and vectors on a GPU: the driver of checked_matrix.cu; see checked_matrix.py.

The GPU detects whether there is a fault. If so, the matrix is copied to host memory, where the error message is made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import Pattern, index_type
from ..._core.csr.cuda.patterns import product_pattern
from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.arrays import converted, count_up
from ..._core.runtime.cuda.source import lanes_for
from ..._core.runtime.device import array_module, device_of, is_emulated, of_package, place_of
from ..._core.validation import is_sparse
from ...graph import Graph
from .. import checked_matrix as on_cpu
from ..checked_matrix import MIN_DIAGONAL, NO_DIAGONAL, NOT_FINITE, PATTERN, ROUNDING, UNSORTED
from ..linalg.cuda.device_matrix import HEIGHTS, DeviceMatrix

_BLOCKS_A_LANE = 4  # of a row


def _check_macros(height: int) -> dict[str, Any]:
    infinite = "__longlong_as_double(0x7ff0000000000000ll)"
    return {"HEIGHT": height, "LEAST": repr(float(MIN_DIAGONAL)), "ROUNDING": repr(ROUNDING), "INFINITE": infinite}


SOURCE = CudaSource(__file__, "checked_matrix.cu", variants=tuple(map(_check_macros, HEIGHTS)))


def _checks(A: DeviceMatrix, height: int = 0) -> Any:
    macros = _check_macros(height or A.blocksize[0])
    return SOURCE.compiled(VERTEX=A.indices.dtype, OFFSET=A.indptr.dtype, **macros)


def given_matrix(A: Any) -> Any:
    """Return a square matrix of real numbers in CSR form on the device (or a SciPy matrix, in tests)."""
    if isinstance(A, Graph):
        if A.weights is None:
            raise ValueError("a graph without weights is no matrix; hand in a CuPy sparse matrix with values")
        _check_dtype(A.weights.dtype, "A")
        n = A.num_vertices
        return DeviceMatrix(A.indptr, A.indices, A.weights, (n, n))
    if is_emulated() and place_of(getattr(A, "data", None)) == "cpu":
        A = on_cpu.given_matrix(A)
        _check_dtype(A.dtype, "A")
        return A
    if not is_sparse(A) and not hasattr(A, "tocsr"):
        raise TypeError(f"A must be a CuPy sparse matrix, got {type(A).__name__}: cupyx.scipy.sparse.csr_matrix(A)")
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


def checked_matrix(A: Any, block_size: int = 1, *, needs_diagonal: bool = True) -> DeviceMatrix:
    """Return a square matrix in blocks of `block_size`, with the arrays of `A` if they have the required form.

    Zeros on the diagonal are always refused, since a GPU has no factorization.
    """
    entries = _in_rows(A if isinstance(A, DeviceMatrix) else given_matrix(A))
    faults = _faults(entries)
    if faults[UNSORTED] and not faults[PATTERN]:
        entries = _in_order(entries)
        faults = _faults(entries)
    if faults[PATTERN] or faults[NOT_FINITE] or faults[NO_DIAGONAL]:
        on_cpu.checked_matrix(entries.get())
        raise AssertionError("the host found nothing wrong with a matrix in which the GPU did")
    return entries if block_size == 1 else _in_blocks(entries, block_size)


def _in_rows(A: Any) -> DeviceMatrix:
    """Return the matrix in CSR form."""
    if not isinstance(A, DeviceMatrix):
        A = A.tocsr()
    n = A.shape[0]
    if n >= 2**31:
        raise ValueError(f"A has {n:,} rows, solvers take less than 2**31")
    indptr, indices, data = map(of_package, (A.indptr, A.indices, A.data))
    xp = array_module(device_of(data))
    indptr = converted(indptr, index_type(int(indices.size)))
    data = xp.ascontiguousarray(converted(data, np.float64))
    return DeviceMatrix(indptr, converted(indices, np.int32), data, (n, n))


def _in_order(A: DeviceMatrix) -> DeviceMatrix:
    """Return the matrix with ascending rows and repeated entries summed, as computed by SciPy."""
    sorted_rows = A.get()
    sorted_rows.has_sorted_indices = sorted_rows.has_canonical_format = False  # cached flags may be wrong
    sorted_rows.sum_duplicates()
    arrays = sorted_rows.indptr, sorted_rows.indices, sorted_rows.data
    indptr, indices, data = map(A.xp.asarray, arrays)
    return DeviceMatrix(indptr, indices, data, A.shape)


def _faults(A: DeviceMatrix) -> list[int]:
    n, lanes = A.shape[0], _lanes(A)
    arguments = n, lanes, int(A.indices.size), A.indptr, A.indices, A.data
    _checks(A)("find_faults", n * lanes, *arguments, report.blank())
    return report.read()


def _lanes(A: DeviceMatrix) -> int:
    """Return the number of threads for a row of blocks."""
    return lanes_for(A.indices.size / max(int(A.indptr.size) - 1, 1) / _BLOCKS_A_LANE)


def are_translations(B: Any, width: int) -> bool:
    """Return whether each of the first `width` columns moves exactly one unknown of each node, in order."""
    if B.dtype.kind == "c":
        return False  # a later check refuses complex vectors
    xp, (n, columns) = array_module(place_of(B)), B.shape
    values = xp.ascontiguousarray(converted(B, np.float64))
    SOURCE.compiled(**_check_macros(width))("find_other_moves", n * width, n, columns, values, report.blank())
    return not report.read()[0]


def _in_blocks(A: DeviceMatrix, width: int) -> DeviceMatrix:
    """Return the matrix in blocks of `width` rows and columns."""
    xp, n = A.xp, A.shape[0] // width
    starts, node_of_unknown = np.empty_like(A.indptr, shape=n + 1), np.empty_like(A.indices, shape=n * width)
    _checks(A, width)("start_nodes", n * width, n, A.indptr, starts, node_of_unknown)
    unknowns = Pattern(count_up(A.indptr, A.shape[0] + 1, A.indptr.dtype), node_of_unknown)
    nodes = product_pattern(Pattern(starts, A.indices), unknowns, n, purpose="the blocks of A")
    indptr = converted(nodes.indptr, A.indptr.dtype)
    blocks = DeviceMatrix(indptr, nodes.indices, xp.zeros(nodes.indices.size * width * width), A.shape, (width, width))
    lanes, entries = _lanes(A), (A.indptr, A.indices, A.data)
    _checks(blocks)("fill_blocks", A.shape[0] * lanes, n, lanes, *entries, indptr, nodes.indices, blocks.data)
    return blocks


def asymmetry(A: DeviceMatrix, inverse_diagonal: Any) -> tuple[str | None, str | None]:
    """Describe an entry without a partner, and an entry with a different partner, in a checked matrix."""
    rows = int(A.indptr.size) - 1
    lanes = _lanes(A)
    _checks(A)("compare", rows * lanes, rows, lanes, A.indptr, A.indices, A.data, inverse_diagonal, report.blank())
    if not any(report.read()):
        return None, None
    inverse = inverse_diagonal if is_emulated() else inverse_diagonal.get()
    missing, unequal = on_cpu.asymmetry(A.get(), inverse)
    return missing, unequal
