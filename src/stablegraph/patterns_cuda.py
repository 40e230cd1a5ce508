"""Patterns of products and transposes on a GPU; patterns.cu says how, patterns.py what. All rows ascend."""

from __future__ import annotations

from typing import Any

import numpy as np

from .csr.arrays import index_type
from .csr.build_cuda import row_of_entries
from .parallel.cuda_source import CudaSource
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
    lengths, longs, count = xp.empty(n, kind), xp.empty(n, kind), xp.zeros(1, np.int64)
    run = SOURCE.compiled(VERTEX=kind, OFFSET=left_rows.indptr.dtype)
    given = *left_rows, *right_rows, int(diagonal)
    run("short_rows", 32 * n, n, *given, lengths, longs, count, 0, 0)
    long_count, words = int(count[0]), -(-columns // 32)
    blocks = min(long_count, _MOST_BLOCKS)
    bitmaps = long_count, longs, words, xp.empty(blocks * words, np.uint32)
    if blocks:
        run("long_rows", blocks * SOURCE.block, *bitmaps, *given, lengths, 0, 0)
    starts = exclusive_scan(lengths)
    indices = xp.empty(int(starts[-1]), kind)
    run("short_rows", 32 * n, n, *given, lengths, longs, count, starts, indices)
    if blocks:
        run("long_rows", blocks * SOURCE.block, *bitmaps, *given, lengths, starts, indices)
    return Pattern(starts.astype(index_type(int(indices.size)), copy=False), indices)


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
    starts = exclusive_scan(xp.bincount(indices, minlength=columns))
    return Pattern(starts.astype(indptr.dtype, copy=False), rows[order]), order.astype(indptr.dtype, copy=False)
