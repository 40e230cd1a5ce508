"""Vertices numbered so that neighbours have near numbers: memory that is used together lies together.

Result: a breadth-first numbering, from a vertex far away from the others, so that levels are small.

Cost: two passes over the entries to number, one to write the rows anew; on one thread. Work memory: four numbers
a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, in_steps, kernel, prefetch

_AHEAD_BY = 8  # vertices: their rows are asked for so long before they are read


@kernel(by="single")
def _number_breadth_first(seeds, beyond, indptr, indices, number, order, progress):
    """Number vertices in the order of a breadth-first search until so many rows are read.

    It starts anew at the first of `seeds` not yet numbered. `progress` counts seeds, rows and vertices done.
    """
    seed, row, count = int(progress[0]), int(progress[1]), int(progress[2])
    while row < beyond:
        if row == count:
            while number[at(seeds[at(seed)])] >= 0:
                seed += 1
            v = seeds[at(seed)]
            number[at(v)] = count
            order[at(count)] = v
            count += 1
        prefetch(indices, int(indptr[at(order[at(min(row + _AHEAD_BY, count - 1))])]))
        v = int(order[at(row)])
        row += 1
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = indices[at(e)]
            if number[at(u)] < 0:
                number[at(u)] = count
                order[at(count)] = u
                count += 1
    progress[0], progress[1], progress[2] = seed, row, count


@kernel(by="single")
def _write_columns(first, beyond, indptr, indices, number, order, ends, columns):
    """Write each vertex, in the order of its new number, into its neighbours' new rows: so rows are sorted."""
    for v in range(first, beyond):
        old = int(order[at(v)])
        for e in range(indptr[at(old)], indptr[at(old + 1)]):
            u = number[at(indices[at(e)])]
            columns[at(ends[at(u)])] = v
            ends[at(u)] += 1


def _breadth_first(seeds: Any, indptr: Any, indices: Any) -> tuple[Any, Any]:
    n = seeds.size
    number, order = np.full(n, -1, indices.dtype), np.empty(n, indices.dtype)
    progress = np.zeros(3, np.int64)
    for _, beyond in in_steps(n):
        _number_breadth_first(seeds, beyond, indptr, indices, number, order, progress)
    return number, order


def nearby_numbers(indptr: Any, indices: Any) -> tuple[Any, Any]:
    """Each vertex's new number, and the vertices in the order of their numbers."""
    backwards = np.arange(indptr.size - 1, dtype=indices.dtype)[::-1]
    for _ in range(2):  # the second time from where the first one ended: far away
        number, order = _breadth_first(backwards, indptr, indices)
        backwards = order[::-1]
    return number, order


def renumbered(indptr: Any, indices: Any, number: Any, order: Any) -> tuple[Any, Any]:
    """The rows of a symmetric graph, sorted, when its vertices have other numbers."""
    new_indptr = np.zeros_like(indptr)
    np.cumsum((indptr[1:] - indptr[:-1])[order], out=new_indptr[1:])
    columns, ends = np.empty_like(indices), new_indptr[:-1].copy()
    for first, beyond in in_steps(order.size):
        _write_columns(first, beyond, indptr, indices, number, order, ends, columns)
    return new_indptr, columns


def sorted_rows(indptr: Any, indices: Any) -> Any:
    """The indices of a symmetric graph with every row sorted."""
    same = np.arange(indptr.size - 1, dtype=indices.dtype)
    return renumbered(indptr, indices, same, same)[1]
