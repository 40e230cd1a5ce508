"""The division of work: the range of items of each worker, steps of long work, and binary search.

All ranges are half open. A kernel by workers computes its own range: ``start, end = chunk_bounds(n, worker, workers)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .array_types import Int64s, Offsets
from .declaration import edge_split, rule
from .kernel import kernel


@rule
def chunk_bounds(n, worker, workers):
    """Return the range of one worker if n items are split evenly."""
    return n * worker // workers, n * (worker + 1) // workers


@rule
def edge_chunk_bounds(indptr, n, worker, workers):
    """Return the range of vertices of one worker if vertices + edges are split evenly."""
    return edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)


@rule
def lower_bound(values, low, high, value):
    """Return the first position in low .. high - 1 at which sorted `values` are at least `value`, or `high`."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _split_evenly(worker, indptr: Offsets, bounds: Int64s):
    """Compute where a worker's contiguous range of vertices begins."""
    bounds[worker] = edge_split(indptr, indptr.size - 1, worker, bounds.size - 1)


def edge_splits(indptr: Any, workers: int) -> Any:
    """Return the start of each worker's range if vertices + edges are split evenly, and the end of the last range."""
    bounds = np.empty_like(indptr, np.int64, shape=workers + 1)  # on the same device
    _split_evenly(workers + 1, indptr, bounds)
    return bounds


CACHE_LINE = 64  # bytes; numbers that different workers write are in different lines
APART = 2 * CACHE_LINE // 8  # int64 between them: processors fetch lines in pairs
PREFETCH_DISTANCE = 16  # items of a loop; a loop that is faster with another value has its own

# Work on one thread is divided into several calls of a kernel, since Ctrl-C takes effect between two of them.
ENTRIES_PER_CALL = 1 << 26  # entries of rows that are read in order
ITEMS_PER_CALL = 1 << 22  # items with a few random accesses each
VERTICES_PER_CALL = 1 << 14  # vertices with their rows


def chunked(count: int, size: int = ITEMS_PER_CALL) -> Iterator[tuple[int, int]]:
    """Yield the ranges (start, end) of `size` items, the last one possibly shorter, that cover 0 .. count - 1."""
    for first in range(0, count, size):
        yield first, min(first + size, count)
