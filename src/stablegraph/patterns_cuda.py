"""Patterns of products and transposes on a GPU; patterns.cu says how, patterns.py what. All rows ascend."""

from __future__ import annotations

from typing import Any

import numpy as np

from .csr.arrays import index_type
from .csr.build_cuda import row_of_entries
from .parallel.cuda_source import CudaSource, report
from .parallel.device import array_module
from .parallel.primitives import exclusive_scan
from .patterns import Pattern, alike

SOURCE = CudaSource(__file__, "patterns.cu", also=("parallel/teams.cuh",))
_MOST_BLOCKS = 256  # that have a bitmap


def product_pattern(left: Pattern, right: Pattern, columns: int, *, diagonal: bool = False, purpose: str) -> Pattern:
    """The pattern of a product with so many columns; its rows ascend. CuPy tells if there is no memory for it."""
    xp, n = array_module(left.device), left.rows
    left_rows, right_rows = alike(left, right)
    kind = left.indices.dtype
    lengths, longs = xp.empty((2, n), kind)
    run = SOURCE.compiled(VERTEX=kind, OFFSET=left_rows.indptr.dtype)
    given = *left_rows, *right_rows, int(diagonal)
    run("short_rows", 32 * n, n, *given, lengths, longs, report.blank(), 0, 0)
    starts = exclusive_scan(lengths)
    run("tell_last", 1, n, starts, report.numbers())
    long_count, total, *_ = report.read()
    blocks, words = min(long_count, _MOST_BLOCKS), -(-columns // 32)
    bitmaps = long_count, longs, words, xp.empty(blocks * words, np.uint32)
    if blocks:
        run("long_rows", blocks * SOURCE.block, *bitmaps, *given, lengths, 0, 0)
        starts = exclusive_scan(lengths)
        total = int(starts[-1])
    indices = xp.empty(total, kind)
    run("short_rows", 32 * n, n, *given, lengths, longs, 0, starts, indices)
    if blocks:
        run("long_rows", blocks * SOURCE.block, *bitmaps, *given, lengths, starts, indices)
    return Pattern(starts.astype(index_type(int(indices.size)), copy=False), indices)


def places_in_transpose(pattern: Pattern, transpose: Pattern) -> Any:
    """The place of each entry of a pattern in its transpose, both with ascending rows."""
    xp, (rows, others) = array_module(pattern.device), alike(pattern, transpose)
    places = xp.empty(int(pattern.indices.size), rows.indptr.dtype)
    run = SOURCE.compiled(VERTEX=pattern.indices.dtype, OFFSET=rows.indptr.dtype)
    run("find_places", 32 * pattern.rows, pattern.rows, *rows, *others, places)
    return places


def transposed_with_places(pattern: Pattern, columns: int) -> tuple[Pattern, Any]:
    """The transpose of a pattern with that many columns, and the place in it of each entry of the pattern."""
    transpose, order = _transposed(pattern, columns)
    places = order.copy()
    places[order] = array_module(pattern.device).arange(order.size, dtype=order.dtype)
    return transpose, places


def transposed(pattern: Pattern, columns: int) -> Pattern:
    """The transpose of a pattern with that many columns."""
    return _transposed(pattern, columns)[0]


def _transposed(pattern: Pattern, columns: int) -> tuple[Pattern, Any]:
    """The transpose, and where each of its entries is in the pattern."""
    indptr, indices = pattern
    xp = array_module(pattern.device)
    order = xp.argsort(indices, kind="stable")
    rows = row_of_entries(indptr, int(indices.size), indices.dtype)
    starts = xp.empty(columns + 1, indptr.dtype)
    run = SOURCE.compiled(VERTEX=indices.dtype, OFFSET=indptr.dtype)
    run("starts_of_sorted", columns + 1, columns, int(indices.size), indices[order], starts)
    return Pattern(starts, rows[order]), order.astype(indptr.dtype, copy=False)
