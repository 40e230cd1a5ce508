"""Patterns of products and transposes on a GPU (patterns.cu), with the results of patterns.py but ascending rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...memory import allocate_or_raise
from ...runtime.cuda.arrays import converted, offsets
from ...runtime.cuda.source import CudaSource, lanes_for, report
from ...runtime.device import array_module
from ..arrays import Pattern, alike, index_type
from .build import row_of_entries

_MAX_BLOCKS = 256  # blocks that have a bitmap
_LANES = (4, 8, 16, 32)  # numbers of lanes per row
_PAIRS_A_LANE = 16  # maximum of the average number of pairs
_MAX_PAIRS = 512  # per lane; a block processes longer rows
_ENOUGH_THREADS = 1 << 17  # this number keeps a GPU busy
# Sizes in shared memory, powers of two: of a table per lane, of a block's table, and of the array that a warp sorts.
_LANE_BYTES, _BLOCK_BYTES, _WARP_BYTES = 64, 32768, 4096


def _macros() -> dict[str, int]:
    sizes = {"LANE_BYTES": _LANE_BYTES, "BLOCK_BYTES": _BLOCK_BYTES, "WARP_BYTES": _WARP_BYTES}
    return {**sizes, "MAX_PAIRS": _MAX_PAIRS}


SOURCE = CudaSource(__file__, "patterns.cu", also=("../../runtime/cuda/teams.cuh",), variants=(_macros(),))


def product_pattern(left: Pattern, right: Pattern, columns: int, *, diagonal: bool = False, purpose: str) -> Pattern:
    """Return the pattern of a product with the given number of columns; its rows are ascending."""
    xp, n = array_module(left.device), left.rows
    left_rows, right_rows = alike(left, right)
    kind = left.indices.dtype
    lengths, longs = xp.empty((2, n), kind)
    pairs = left.indices.size / max(n, 1) * right.indices.size / max(right.rows, 1)
    lanes = lanes_for(max(pairs / _PAIRS_A_LANE, _ENOUGH_THREADS / max(n, 1)), _LANES)
    run = SOURCE.compiled(VERTEX=kind, OFFSET=left_rows.indptr.dtype, **_macros())
    arguments = *left_rows, *right_rows, int(diagonal)
    count = xp.zeros(1, np.int64)
    run(f"short_rows_{lanes}", lanes * n, n, *arguments, lengths, longs, count, 0, 0)
    starts = offsets(lengths)
    run("report_counts", 1, count, starts[n:], report.blank())
    long_count, total, *_ = report.read()
    blocks, words = min(long_count, _MAX_BLOCKS), -(-columns // 32)
    bitmaps = long_count, longs, words, xp.empty(blocks * words, np.uint32)
    if blocks:
        run("long_rows", blocks * SOURCE.block, *bitmaps, *arguments, lengths, 0, 0)
        starts = offsets(lengths)
        total = int(starts[-1])
    indices = allocate_or_raise(total, kind, purpose, xp)
    run(f"short_rows_{lanes}", lanes * n, n, *arguments, lengths, longs, 0, starts, indices)
    if blocks:
        run("long_rows", blocks * SOURCE.block, *bitmaps, *arguments, lengths, starts, indices)
    return Pattern(converted(starts, index_type(int(indices.size))), indices)


def transposed(pattern: Pattern, columns: int) -> Pattern:
    """Return the transpose of a pattern with the given number of columns."""
    return transposed_with_origins(pattern, columns)[0]


def transposed_with_origins(pattern: Pattern, columns: int) -> tuple[Pattern, Any]:
    """Return the transpose, and the position in the pattern of each of its entries."""
    indptr, indices = pattern
    xp, size, kind = array_module(pattern.device), int(indices.size), indices.dtype
    run = SOURCE.compiled(VERTEX=kind, OFFSET=indptr.dtype, **_macros())
    rows, counts = row_of_entries(indptr, size, kind), xp.zeros(columns, kind)
    run("count_columns", size, size, indices, counts)
    starts = offsets(counts)
    (origins, sorted_origins), new_indices = xp.empty((2, size), indptr.dtype), xp.empty(size, kind)
    run("deal_out", size, size, indices, starts, counts, origins)
    run("sort_rows", 32 * columns, columns, starts, origins, rows, sorted_origins, new_indices, report.blank())
    if report.read()[0]:  # some rows are too long for a warp
        sorted_origins = xp.argsort(indices, kind="stable").astype(indptr.dtype)
        new_indices = rows[sorted_origins]
    return Pattern(converted(starts, indptr.dtype), new_indices), sorted_origins
