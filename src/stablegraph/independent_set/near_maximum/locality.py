"""Locality: a breadth-first numbering, so that neighbors have near numbers and memory that is used together is near.

Result: a breadth-first numbering, from a vertex far away from the others, so that levels are small; and how long
windows of consecutive vertices must be so that few rows reach across their borders.

Cost: two passes over the entries to number, on one thread; one to write the rows anew. Work memory: four numbers
a vertex.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...parallel import in_steps, kernel, prefetch, share, worker_count
from ...parallel.groups import Rows

_PREFETCH_DISTANCE = 8  # vertices
WINDOW = 1 << 14  # vertices at least
_REACHES = 16  # a window whose borders few rows cross is so many times as long as the rows' average reach


@kernel(by="single", types="V[] int O[] V[] V[] V[] int64[]")
def _number_breadth_first(seeds, end, rows: Rows, number, order, progress):
    """Number vertices in the order of a breadth-first search until so many rows are read.

    It starts anew at the first of `seeds` not yet numbered. `progress` counts seeds, rows and vertices done.
    """
    seed, row, count = progress[0], progress[1], progress[2]
    while row < end:
        if row == count:
            while number[seeds[seed]] >= 0:
                seed += 1
            v = seeds[seed]
            number[v] = count
            order[count] = v
            count += 1
        prefetch(rows.indices, rows.indptr[order[min(row + _PREFETCH_DISTANCE, count - 1)]])
        v = order[row]
        row += 1
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if number[u] < 0:
                number[u] = count
                order[count] = u
                count += 1
    progress[0], progress[1], progress[2] = seed, row, count


@kernel(by="edges", types="O[] O[] V[] V[] V[] V[]")
def _renumber_row(v, indptr, rows: Rows, number, order, columns):
    """Copy the row of the vertex with new number v, in its order."""
    e = rows.indptr[order[v]]
    for k in range(indptr[v], indptr[v + 1]):
        columns[k] = number[rows.indices[e]]
        e += 1


@kernel(by="edges", types="O[] V[]")
def _sort_row(v, indptr, columns):
    """Shellsort: the same loop serves short rows and long ones."""
    start, end = indptr[v], indptr[v + 1]
    gap = 1
    while 9 * gap < end - start:
        gap = 3 * gap + 1
    while gap:
        for i in range(start + gap, end):
            u, k = columns[i], i
            while k >= start + gap and columns[k - gap] > u:
                columns[k] = columns[k - gap]
                k -= gap
            columns[k] = u
        gap //= 3


@kernel(by="workers", types="int O[] V[] int64[,]")
def _sum_reaches(worker, workers, n, rows: Rows, sums):
    """How far the rows of a worker's share reach from their first entries to their last ones, and how many have any."""
    total = filled = 0
    first, beyond = share(n, worker, workers)
    for v in range(first, beyond):
        start, end = rows.indptr[v], rows.indptr[v + 1]
        if start < end:
            total += rows.indices[end - 1] - rows.indices[start]
            filled += 1
    sums[worker, 0], sums[worker, 1] = total, filled


def _breadth_first(seeds: Any, rows: Rows) -> tuple[Any, Any]:
    """New numbers from the first seed on, and the vertices in their order."""
    n, id_type = seeds.size, rows.indices.dtype
    number, order = np.full(n, -1, id_type), np.empty(n, id_type)
    progress = np.zeros(3, np.int64)
    for _, end in in_steps(n):
        _number_breadth_first(seeds, end, rows, number, order, progress)
    return number, order


def nearby_numbers(indptr: Any, indices: Any) -> tuple[Any, Any]:
    """Each vertex's new number, and the vertices in the order of their numbers."""
    backwards = np.arange(indptr.size - 2, -1, -1, dtype=indices.dtype)
    for _ in range(2):  # the second time from where the first one ended: far away
        number, order = _breadth_first(backwards, Rows(indptr, indices))
        backwards = order[::-1].copy()
    return number, order


def renumbered(indptr: Any, indices: Any, number: Any, order: Any) -> tuple[Any, Any]:
    """The rows when vertices have other numbers, the entries of each in their old order."""
    new_indptr = np.zeros_like(indptr)
    np.cumsum((indptr[1:] - indptr[:-1])[order], out=new_indptr[1:])
    columns = np.empty_like(indices)
    _renumber_row(order.size, new_indptr, Rows(indptr, indices), number, order, columns)
    return new_indptr, columns


def sort_rows(indptr: Any, columns: Any) -> Any:
    """Sort every row in place; the columns."""
    _sort_row(indptr.size - 1, indptr, columns)
    return columns


def window_length(indptr: Any, indices: Any) -> int:
    """The length of windows whose borders few rows cross, a power of two; 0 if all vertices do not fill two of them.

    Rows are sorted; those of some consecutive vertices do.
    """
    n = indptr.size - 1
    workers = worker_count("cpu", n)
    sums = np.empty((workers, 2), np.int64)
    _sum_reaches(workers, n, Rows(indptr, indices), sums)
    total, filled = sums.sum(axis=0)
    length = max(WINDOW, power_of_two(_REACHES * int(total) / max(int(filled), 1)))
    return length if 2 * length <= n else 0


def power_of_two(x: float) -> int:
    """The smallest one that is at least x."""
    return 1 << max(math.ceil(x) - 1, 0).bit_length()
