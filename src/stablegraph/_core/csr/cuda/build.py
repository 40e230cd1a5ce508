"""Conversion of edge arrays to CSR on a GPU: CuPy sorts the entries as words, and build.cu does the rest.

build.py documents the result. Work memory: 16 bytes per entry, or 32 if entries carry positions. Graphs of 2**32
vertices and more, whose entries do not fit into a word, are built in host memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...runtime import CudaSource, array_module, place_of
from ..arrays import SortResult, index_type

SOURCE = CudaSource(
    __file__,
    "build.cu",
    also=("rows.cuh",),
    variants=({"ENDS": np.dtype(np.int32)}, {"ENDS": np.dtype(np.int64)}),
)

_TILE = 256 * 32  # entries per warp
MAX_VERTICES = 2**32 - 1


def ends_extent(u: Any, v: Any) -> tuple[int, int]:
    """Return the smallest id, or 0 if none is negative, and the largest id, or -1 if there are none."""
    results = array_module(place_of(u)).asarray([0, 0, -1])
    SOURCE.compiled(ENDS=u.dtype)("find_extent", u.size, int(u.size), u, v, results)
    _, smallest, largest = results.tolist()
    return smallest, largest


def sort_into_rows(
    u: Any,
    v: Any,
    n: int,
    *,
    mirror: bool = False,
    drop_loops: bool = False,
    drop_duplicates: bool = True,
    positions: bool = False,
) -> SortResult:
    """Sort the edges (u[e], v[e]) into rows on a GPU, as `build.sort_into_rows` does."""
    xp, edges = array_module(place_of(u)), int(u.size)
    bits, shift = max(1, (n - 1).bit_length()), int(mirror)
    words, results = xp.empty(edges << shift, np.uint64), xp.zeros(1, np.int64)
    run = SOURCE.compiled(ENDS=u.dtype, VERTEX=np.dtype(index_type(n)))
    run("pack", edges, edges, u, v, bits, int(mirror), int(drop_loops), words, results)
    loops, order = int(results[0]), 0
    size = edges - loops * drop_loops + (edges - loops) * mirror
    if positions:
        order = xp.argsort(words, kind="stable")
        words = words[order]
    else:
        words.sort()

    tiles, groups = -(-(size // 32 + 1) * 32 // _TILE), size // 32 + 1
    kept, sums = xp.empty(groups, np.uint32), xp.empty(tiles, np.int64)
    run("mark_kept", 32 * tiles, size, int(not drop_duplicates), words, kept, sums)
    ends = xp.cumsum(sums, out=sums)  # in place, so that CuPy compiles no copy
    total = int(ends[-1])
    ranks, indices = xp.empty(groups, np.int64), xp.empty(total, index_type(n))
    places = xp.empty(total if positions else 0, index_type(edges))
    narrow, wide = (places if positions and places.dtype == kind else 0 for kind in (np.int32, np.int64))
    run("write_entries", 32 * tiles, size, bits, words, kept, ends, order, shift, ranks, indices, narrow, wide)
    indptr = xp.empty(n + 1, np.int64 if indices.dtype == np.int64 else index_type(total))
    run = SOURCE.compiled(ENDS=u.dtype, VERTEX=indices.dtype, OFFSET=indptr.dtype)
    run("write_starts", n + 1, n, size, bits, words, kept, ranks, indptr)
    return SortResult(indptr, indices, places if positions else None, loops, size)


def row_of_entries(indptr: Any, entries: int, dtype: Any) -> Any:
    """Return the row of each entry."""
    xp, n = array_module(place_of(indptr)), int(indptr.size) - 1
    rows = xp.empty(entries, dtype)
    run = SOURCE.compiled(ENDS=np.dtype(np.int32), VERTEX=rows.dtype, OFFSET=indptr.dtype)
    run("write_rows", entries, n, entries, indptr, rows)
    return rows
