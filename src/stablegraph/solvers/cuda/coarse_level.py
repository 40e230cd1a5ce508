"""The parts of coarse_level.py that have kernels of their own on a GPU: the driver of coarse_level.cu."""

from __future__ import annotations

from typing import Any

from ..._core.csr.arrays import Pattern
from ..._core.runtime import CudaSource, Rows, array_module, place_of
from ..._core.runtime.cuda.arrays import copied
from ..linalg.cuda.device_matrix import SIZES
from ..linalg.cuda.vectors import bits_of

DEPENDENT = 1e-10  # a column depends on earlier ones if its orthogonal part has at most this fraction of its length


def _level_macros(height: int, columns: int) -> dict[str, Any]:
    # If unknowns have no blocks, an aggregate has about ten rows.
    lanes = 4 if height * columns == 1 else 32
    return {"HEIGHT": height, "COLUMNS": columns, "TEAM": lanes, "DEPENDENT": repr(DEPENDENT)}


SOURCE = CudaSource(
    __file__,
    "coarse_level.cu",
    variants=(*(_level_macros(*sizes) for b, k in SIZES for sizes in {(1, k), (b, k), (k, k)}),),
)


def _level_program(pattern: Any, height: int, columns: int) -> Any:
    return SOURCE.compiled(VERTEX=pattern.indices.dtype, OFFSET=pattern.indptr.dtype, **_level_macros(height, columns))


def orthonormalized(B: Any, members: Pattern, width: int) -> tuple[Any, Any]:
    """Return B with orthonormal columns in each aggregate, and R of all aggregates."""
    columns, count = B.shape[1], members.rows
    T, R = copied(B), array_module(place_of(B)).zeros((count * columns, columns))
    threads = count * _level_macros(width, columns)["TEAM"]
    _level_program(members, width, columns)("orthonormalize", threads, count, *members, T, R)
    return T, R


def smooth_nodes(T: Any, pattern: Rows, tentative: Rows, inverse: Any, omega: float, data: Any) -> None:
    """Turn the blocks of A T into those of P."""
    rows, columns = int(pattern.indptr.size) - 1, T.shape[1]
    program = _level_program(pattern, int(inverse.size) // rows, columns)
    program("smooth", 32 * rows, rows, *pattern, *tentative, T.ravel(), inverse, bits_of(omega), data)


def transposed_values(pattern: Pattern, places: Any, source: Any, height: int, width: int) -> Any:
    """Return the values of a matrix in blocks of `height` x `width`, given the values of its transpose."""
    values = array_module(place_of(source)).empty(int(source.size))
    program = SOURCE.compiled(VERTEX=pattern.indices.dtype, OFFSET=places.dtype, **_level_macros(width, height))
    program("turn_blocks", int(source.size), int(places.size), places, source, values)
    return values


def pin_unused(coarse_B: Any, coarse: Pattern, data: Any) -> None:
    """Write a 1 to the diagonal of each unknown of the coarse matrix that has no column in P."""
    unknowns, columns = coarse_B.shape
    _level_program(coarse, 1, columns)("pin_unused", unknowns, unknowns // columns, coarse_B, *coarse, data)
