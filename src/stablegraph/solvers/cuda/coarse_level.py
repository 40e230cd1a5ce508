"""The next level of a hierarchy on a GPU: the driver of coarse_level.cu; see coarse_level.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import Pattern, alike
from ..._core.csr.cuda.patterns import product_pattern
from ..._core.runtime import CudaSource, array_module, place_of
from ..._core.runtime.cuda.arrays import converted, copied, offsets
from ..coarse_level import _DEPENDENT, Partition
from ..linalg.block_csr import COARSER_LEVEL, pattern_of
from ..linalg.cuda.device_matrix import SIZES, DeviceMatrix, product_values
from ..linalg.cuda.vectors import Sums, bits_of


def _level_macros(height: int, columns: int) -> dict[str, Any]:
    # If unknowns have no blocks, an aggregate has about ten rows.
    lanes = 4 if height * columns == 1 else 32
    return {"HEIGHT": height, "COLUMNS": columns, "TEAM": lanes, "DEPENDENT": repr(_DEPENDENT)}


SOURCE = CudaSource(
    __file__,
    "coarse_level.cu",
    variants=(*(_level_macros(*sizes) for b, k in SIZES for sizes in {(1, k), (b, k), (k, k)}),),
)


def _level_program(pattern: Any, height: int, columns: int) -> Any:
    return SOURCE.compiled(VERTEX=pattern.indices.dtype, OFFSET=pattern.indptr.dtype, **_level_macros(height, columns))


def tentative_values(B: Any, aggregates: Partition, width: int) -> tuple[Any, Any]:
    """Return the blocks of T, and the near-nullspace of the coarser level."""
    xp, columns, members = array_module(place_of(B)), B.shape[1], aggregates.members
    T, R = copied(B), xp.zeros((aggregates.size * columns, columns))
    lanes = _level_macros(width, columns)["TEAM"]
    _level_program(members, width, columns)(
        "orthonormalize", aggregates.size * lanes, aggregates.size, members.indptr, members.indices, T, R
    )
    pattern = aggregates.pattern
    if pattern.indices.size < pattern.rows:
        kept = xp.empty((int(pattern.indices.size) * width, columns))
        _level_program(pattern, width, columns)("keep_rows", int(T.size), pattern.rows, pattern.indptr, T, kept)
        T = kept
    return T, R


def label_pattern(labels: Any) -> Pattern:
    """Return the pattern with an entry for each label that is not negative."""
    n, inside = int(labels.size), np.empty_like(labels)
    run = SOURCE.compiled(VERTEX=labels.dtype, OFFSET=np.dtype(np.int32), **_level_macros(1, 1))
    run("mark_inside", n, n, labels, inside)
    indptr = converted(offsets(inside), np.int32)
    indices = np.empty_like(labels, shape=int(indptr[-1]))
    run("write_inside", n, n, labels, indptr, indices)
    return Pattern(indptr, indices)


def without_single(labels: Any, degrees: Any, count: int) -> tuple[int, Any]:
    """Remove the aggregates of vertices of degree 0."""
    n, used, numbers = int(labels.size), array_module(place_of(labels)).zeros(count, np.int32), np.empty_like(labels)
    run = SOURCE.compiled(VERTEX=labels.dtype, OFFSET=degrees.dtype, **_level_macros(1, 1))
    run("mark_used", n, n, labels, degrees, used)
    starts = offsets(used)
    run("renumber", n, n, labels, degrees, starts, numbers)
    return int(starts[-1]), converted(numbers, np.int32)


def smoothed_values(
    A: DeviceMatrix, inverse: Any, omega: float, aggregates: Partition, T: Any, pattern: Pattern
) -> Any:
    """Return the values of P in its pattern."""
    height, columns = A.blocksize[0], T.shape[1]
    members = aggregates.pattern
    shape = pattern.rows * height, aggregates.size * columns
    tentative = DeviceMatrix(members.indptr, members.indices, T.ravel(), shape, (height, columns))
    data = product_values(A, tentative, pattern, purpose=COARSER_LEVEL)
    rows, own_rows = alike(pattern, members)
    _level_program(rows, height, columns)(
        "smooth", 32 * pattern.rows, pattern.rows, *rows, *own_rows, tentative.data, inverse, bits_of(omega), data
    )
    return data


def transposed_values(pattern: Pattern, places: Any, source: Any, height: int, width: int) -> Any:
    """Return the values of a matrix in blocks of `height` x `width`, given the values of its transpose."""
    values = array_module(place_of(source)).empty(int(source.size))
    program = SOURCE.compiled(VERTEX=pattern.indices.dtype, OFFSET=places.dtype, **_level_macros(width, height))
    program("turn_blocks", int(source.size), int(places.size), places, source, values)
    return values


def pin_unused(coarse: Pattern, coarse_B: Any, data: Any) -> None:
    """Write a 1 to the diagonal of each coarse unknown with an empty column in P."""
    columns = coarse_B.shape[1]
    program = SOURCE.compiled(VERTEX=coarse.indices.dtype, OFFSET=coarse.indptr.dtype, **_level_macros(1, columns))
    program("pin_unused", coarse_B.shape[0], coarse_B.shape[0] // columns, coarse_B, *coarse, data)


def coarse_matrix(
    A: DeviceMatrix, P: DeviceMatrix, R: DeviceMatrix, coarse: Pattern | None, coarse_B: Any
) -> DeviceMatrix:
    """Return P' A P, with blocks of as many rows as B has columns."""
    columns = coarse_B.shape[1]
    count = coarse_B.shape[0] // columns
    pattern = product_pattern(pattern_of(A), pattern_of(P), count, purpose=COARSER_LEVEL)
    if coarse is None:
        coarse = product_pattern(pattern_of(R), pattern, count, diagonal=True, purpose=COARSER_LEVEL)
    shape = A.shape[0], count * columns
    AP = DeviceMatrix(*pattern, product_values(A, P, pattern, purpose=COARSER_LEVEL), shape, (A.blocksize[0], columns))
    data = product_values(R, AP, coarse, purpose=COARSER_LEVEL)
    pin_unused(coarse, coarse_B, data)
    return DeviceMatrix(*coarse, data, (count * columns, count * columns), (columns, columns))


# Sums that identify hubs (hubs.py)

HUBS = CudaSource(__file__, "hubs.cu", also=("../linalg/cuda/sums.cuh",))


def total_products(products: Any) -> float:
    """Return the sum of int64 numbers, in double precision."""
    return _added("add_products", products)[0]


def joined_rows(lengths: Any) -> tuple[int, int]:
    """Return the number of entries in rows with more than one entry, and the number of such rows."""
    entries, rows = _added("add_joined", lengths, OFFSET=lengths.dtype)
    return int(entries), int(rows)


def _added(name: str, numbers: Any, **macros: Any) -> list[float]:
    xp = array_module(place_of(numbers))
    sums, result = Sums(int(numbers.size), xp), xp.zeros(2)
    HUBS.compiled(**macros)(name, sums.threads, *sums.arguments, numbers, result)
    totals: list[float] = result.tolist()
    return totals
