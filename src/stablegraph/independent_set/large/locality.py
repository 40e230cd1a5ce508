"""Locality: a breadth-first numbering, which gives neighbors nearby numbers and keeps their data close in memory.

Result: a breadth-first numbering that starts at a peripheral vertex, so that levels are small; and a length for windows
of consecutive vertices such that few rows reach across a window's borders.

Cost: two passes over the entries to number the vertices, on one thread; one pass to write the renumbered rows. Work
memory: four numbers per vertex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.runtime import (
    Int64Table,
    Offsets,
    Rows,
    Vertices,
    chunk_bounds,
    kernel,
    worker_count,
)
from ..._core.runtime.primitives import sort_between
from ...traversal.queue_order import search_from

WINDOW = 1 << 14  # the minimum number of vertices
_REACHES = 16  # the length of a window divided by the average reach of rows, so that few rows cross its borders


@kernel(by="edges")
def _renumber_row(v, indptr: Offsets, rows: Rows, number: Vertices, order: Vertices, columns: Vertices):
    """Copy the row of the vertex with new number v; its entries keep their order."""
    e = rows.indptr[order[v]]
    for k in range(indptr[v], indptr[v + 1]):
        columns[k] = number[rows.indices[e]]
        e += 1


@kernel(by="edges")
def _sort_row(v, indptr: Offsets, columns: Vertices):
    """Sort a row."""
    sort_between(columns, indptr[v], indptr[v + 1])


@kernel(by="workers")
def _sum_reaches(worker, workers, n: int, rows: Rows, sums: Int64Table):
    """Add up the distances from first to last entry of the rows in a worker's share, and count the nonempty rows."""
    total = filled = 0
    first, end = chunk_bounds(n, worker, workers)
    for v in range(first, end):
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        if row < row_end:
            total += rows.indices[row_end - 1] - rows.indices[row]
            filled += 1
    sums[worker, 0], sums[worker, 1] = total, filled


def nearby_numbers(indptr: Any, indices: Any) -> tuple[Any, Any]:
    """Return the new number of each vertex, and the vertices in the order of their numbers."""
    rows, order = Rows(indptr, indices), np.arange(indptr.size - 1, dtype=indices.dtype)
    for _ in range(2):  # the second search starts where the first one ended, at a peripheral vertex
        order, _ = search_from(order[::-1].copy(), rows)
    number = np.empty_like(order)
    number[order] = np.arange(number.size)
    return number, order


def renumbered(indptr: Any, indices: Any, number: Any, order: Any) -> tuple[Any, Any]:
    """Return the rows for new vertex numbers; the entries of each row keep their order."""
    new_indptr = np.zeros_like(indptr)
    np.cumsum((indptr[1:] - indptr[:-1])[order], out=new_indptr[1:])
    columns = np.empty_like(indices)
    _renumber_row(order.size, new_indptr, Rows(indptr, indices), number, order, columns)
    return new_indptr, columns


def sort_rows(indptr: Any, columns: Any) -> Any:
    """Sort every row in place, and return the columns."""
    _sort_row(indptr.size - 1, indptr, columns)
    return columns


def window_length(indptr: Any, indices: Any) -> int:
    """Return a length, a power of two, of windows whose borders few rows cross; 0 if the graph is shorter than two.

    Rows must be sorted. `indptr` may also be the part of an array for some consecutive vertices.
    """
    n = indptr.size - 1
    workers = worker_count("cpu", n)
    sums = np.empty((workers, 2), np.int64)
    _sum_reaches(workers, n, Rows(indptr, indices), sums)
    total, filled = sums.sum(axis=0)
    length = max(WINDOW, power_of_two(_REACHES * int(total) / max(int(filled), 1)))
    return length if 2 * length <= n else 0


def power_of_two(x: float) -> int:
    """Return the smallest power of two that is at least x."""
    return 1 << max(math.ceil(x) - 1, 0).bit_length()
