"""Local numbers of the owned vertices of a partition and the vertices of its columns, in ascending order of ids.

Cost: 5 bytes for each vertex of the whole graph (9 from 2**31 on): a mark, and the number of a marked vertex. Or 40
bytes for each column, if this is less: then the columns are sorted, which takes longer.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Bools, Int32s, Rows, Vertices, chunk_bounds, kernel, lower_bound, worker_count
from .._core.runtime.primitives import compact
from .arrays import take

_SORTING = 40  # bytes a column


@kernel
def _mark(e, columns: Vertices, marks: Bools):
    """Mark the vertex of a column."""
    marks[columns[e]] = True


@kernel
def _number(i, ids: Int32s, numbers: Int32s):
    """Write the number of the i-th marked vertex."""
    numbers[ids[i]] = i


@kernel(by="workers")
def _find(worker, workers, ids: Int32s, among: Int32s, places: Int32s):
    """Find the place of each id of this worker's chunk in `among`, which contains all of them; both ascend."""
    start, end = chunk_bounds(ids.size, worker, workers)
    place = 0
    if start < end:
        place = lower_bound(among, 0, among.size, ids[start])
    for i in range(start, end):
        while place < among.size - 1 and among[place] < ids[i]:
            place += 1
        places[i] = place


@kernel(by="edges", V="int32", O="int32")
def _mark_adjacent_row(u, rows: Rows, first: int, stop: int, is_adjacent: Bools):
    """Mark a row with a column outside of a range."""
    outside = is_adjacent[u]
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        outside |= (v < first) | (v >= stop)
    is_adjacent[u] = outside


def numbering_bytes(n: int, columns: int) -> int:
    """Return the bytes that numbering takes: marks for all vertices of the graph, or sorting the columns."""
    return min(_bytes_by_marks(n), _SORTING * columns)


def _bytes_by_marks(n: int) -> int:
    return n * (1 + np.dtype(index_type(n)).itemsize)


def number_vertices(columns: Any, start: int, stop: int, n: int) -> tuple[Any, Any]:
    """Return the ids of a range and of all columns, ascending, and the number of each column among them."""
    if numbering_bytes(n, columns.size) < _bytes_by_marks(n):
        every, places = np.unique(
            np.concatenate([columns, np.arange(start, stop, dtype=columns.dtype)]), return_inverse=True
        )
        return every.astype(index_type(n), copy=False), places[: columns.size].astype(index_type(every.size))
    marks = np.zeros(n, bool)
    _mark(columns.size, columns, marks)
    marks[start:stop] = True
    ids: Any = compact(marks).astype(index_type(n), copy=False)
    numbers: Any = np.empty(n, index_type(n))
    _number(ids.size, ids, numbers)
    return ids, take(columns, numbers).astype(index_type(ids.size), copy=False)


def places_among(ids: Any, among: Any) -> Any:
    """Return the places of ids in `among`, which contains all of them; both ascend."""
    places: Any = np.empty(ids.size, index_type(among.size))
    _find(worker_count("cpu", int(ids.size + among.size)), ids, among, places)
    return places


def adjacent_vertices(sides: list[Rows], owned: slice) -> Any:
    """Return the vertices with a column that is not owned, in the rows of any side."""
    is_adjacent = np.zeros(sides[0].indptr.size - 1, bool)
    for rows in sides:
        _mark_adjacent_row(is_adjacent.size, rows, owned.start, owned.stop, is_adjacent)
    return compact(is_adjacent)


def local_bounds(ids: Any, bounds: Any) -> list[int]:
    """Return the places of the first ids that are not below the bounds; ids ascend."""
    places = np.searchsorted(ids, np.asarray(bounds, ids.dtype))  # of another dtype, they would cause a copy of ids
    return [int(place) for place in places]


def owners_of(ids: Any, bounds: Any) -> list[int]:
    """Return the partitions that own at least one of these ids, which ascend."""
    return [k for k, (first, end) in enumerate(pairwise(local_bounds(ids, bounds))) if first < end]
