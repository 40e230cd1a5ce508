"""Patterns of sparse matrices, of their products and transposes: where entries lie, before any of them has a value.

A row of a product is what the rows of the right factor add up to that a row of the left one names. It is found in one
pass, range after range of rows: each worker writes those of its share to a buffer of its own, and the host puts them
together, and listens for Ctrl-C. The columns of a row come out in the order in which they are met.

A transpose is a stable counting sort, so its rows ascend: transposing twice sorts all rows at once. Results are the
same for any number of threads.

Cost: of a product, a step for each pair of entries that meet; of a transpose, two accesses for each entry. Work memory:
four bytes a column and worker, and for products 4 MiB a worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .construction import index_type
from .host_memory import room_for_entries
from .parallel import at, edge_split, kernel, prefetch, worker_count
from .parallel.primitives import exclusive_scan
from .rows import read_only

_ROOM = 1 << 20  # entries of a buffer
_AHEAD = 12  # rows of the right factor that are asked for before they are needed: a third less time on large grids


class Pattern(NamedTuple):
    """Rows of column numbers, as in CSR."""

    indptr: Any
    indices: Any

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.indptr.size) - 1

    def arrays(self) -> tuple[Any, Any]:
        """As kernels take them."""
        return read_only(self.indptr), read_only(self.indices)


def alike(*patterns: Any) -> list[tuple[Any, Any]]:
    """The arrays of patterns or matrices as kernels take them, with row pointers of one type.

    So kernels need not be compiled for mixtures.
    """
    common = np.result_type(*(pattern.indptr for pattern in patterns))
    return [(read_only(p.indptr.astype(common, copy=False)), read_only(p.indices)) for p in patterns]


def row_pointers(lengths: Any) -> Any:
    """Where rows of given lengths begin, in the narrowest type."""
    indptr = exclusive_scan(lengths)
    return indptr.astype(index_type(int(indptr[-1])), copy=False)


@kernel(by="workers")
def append_rows(
    worker,
    workers,
    columns,
    diagonal,
    left_indptr,
    left_indices,
    right_indptr,
    right_indices,
    seen,
    rows,
    beyond,
    buffer,
    used,
    lengths,
):
    """Write rows from rows[worker] on to this worker's buffer, as long as there is room for the next one."""
    u = int(rows[worker])
    last = left_indices.size - 1
    place = 0
    while u < beyond[worker]:
        bound = 1
        for e in range(left_indptr[at(u)], left_indptr[at(u + 1)]):
            k = left_indices[at(e)]
            bound += right_indptr[at(k + 1)] - right_indptr[at(k)]
        if place + min(bound, columns) >= buffer.shape[1]:
            break
        begin = place
        if diagonal:
            buffer[worker, at(place)] = u
            seen[worker, at(u)] = u
            place += 1
        for e in range(left_indptr[at(u)], left_indptr[at(u + 1)]):
            k = left_indices[at(e)]
            ahead = right_indptr[at(left_indices[at(min(e + _AHEAD, last))])]
            prefetch(right_indices, ahead)
            prefetch(right_indices, ahead + 16)
            for f in range(right_indptr[at(k)], right_indptr[at(k + 1)]):
                v = right_indices[at(f)]
                buffer[worker, at(place)] = v  # the next one overwrites it, if it is not new
                place += int(seen[worker, at(v)] != u)
                seen[worker, at(v)] = u
        lengths[at(u)] = place - begin
        u += 1
    rows[worker] = u
    used[worker] = place


def product_pattern(left: Pattern, right: Pattern, columns: int, *, diagonal: bool = False, purpose: str) -> Pattern:
    """The pattern of a product with so many columns; with a full diagonal, if asked for. Its rows are not sorted.

    MemoryError, which names the purpose and the cure, where it has more entries than the memory holds.
    """
    n, entries = left.rows, int(left.indices.size)
    workers = worker_count("cpu", entries)
    own, other = alike(left, right)
    kind = left.indices.dtype
    seen = np.full((workers, columns), -1, kind)
    buffer = np.empty((workers, max(_ROOM, columns + 1)), kind)
    used, lengths = np.empty(workers, np.int64), np.empty(n, kind)
    indices = np.empty(0, kind)
    row, total = 0, 0
    step = usual_step = workers * _ROOM // 4
    while row < n:
        first, beyond = next(steps_of_rows(own[0], row, step))
        ends = first + np.array([edge_split(own[0][first:], beyond - first, w, workers) for w in range(workers + 1)])
        rows = ends[:-1].copy()
        append_rows(workers, columns, diagonal, *own, *other, seen, rows, ends[1:], buffer, used, lengths)
        for worker in range(workers):
            row, found = int(rows[worker]), buffer[worker, : used[worker]]
            if total + found.size > indices.size:
                done = (int(own[0][row]) + row) / (entries + n)
                indices = _longer(indices, total, found.size, done, purpose)
            indices[total : total + found.size] = found
            total += found.size
            if row < ends[worker + 1]:  # the buffer was full: what later workers found does not follow on this
                seen.fill(-1)
                step = max(1, step // 2)
                break
        else:
            if 4 * used.max() < buffer.shape[1]:  # long rows are over
                step = min(2 * step, usual_step)
    return Pattern(row_pointers(lengths), indices[:total])


def _longer(indices: Any, kept: int, more: int, done: float, purpose: str) -> Any:
    """A longer array with the same `kept` entries and room for `more`, and for all if these are that part of them.

    But not for ever so many: the rows so far may be much longer than others.
    """
    needed = int(1.25 * (kept + more))
    try:  # what is never written takes no memory
        longer = room_for_entries(int(needed / max(done, 1 / 16)), indices.dtype, purpose)
    except MemoryError:
        longer = room_for_entries(needed, indices.dtype, purpose)
    longer[:kept] = indices[:kept]
    return longer


def steps_of_rows(indptr: Any, first: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows, from one on, with about so many entries each."""
    n = int(indptr.size) - 1
    while first < n:
        beyond = min(n, max(first + 1, int(np.searchsorted(indptr, int(indptr[first]) + size))))
        yield first, beyond
        first = beyond


@kernel(by="workers")
def count_columns(worker, workers, n, indptr, indices, counts):
    """How many entries of this worker's rows lie in each column."""
    for u in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        for e in range(indptr[at(u)], indptr[at(u + 1)]):
            counts[worker, at(indices[at(e)])] += 1


@kernel
def add_counts(column, counts, lengths):
    """Counts become places inside the columns: those of a worker come after those of the ones before it."""
    total = 0
    for worker in range(counts.shape[0]):
        count = counts[worker, at(column)]
        counts[worker, at(column)] = total
        total += count
    lengths[at(column)] = total


@kernel(by="workers")
def deal_entries(worker, workers, n, indptr, indices, counts, new_indptr, new_indices, places):
    """Write every entry to its place in the transpose and, if asked for, the place."""
    for u in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        for e in range(indptr[at(u)], indptr[at(u + 1)]):
            v = indices[at(e)]
            place = int(new_indptr[at(v)]) + counts[worker, at(v)]
            counts[worker, at(v)] += 1
            new_indices[at(place)] = u
            if places.size > 0:
                places[at(e)] = place


def transposed(pattern: Pattern, columns: int) -> Pattern:
    """The transpose of a pattern with that many columns; its rows ascend."""
    return _transposed(pattern, columns, np.empty(0, pattern.indptr.dtype))


def transposed_with_places(pattern: Pattern, columns: int) -> tuple[Pattern, Any]:
    """The transpose, and the place in it of each entry of the pattern."""
    places = np.empty(pattern.indices.size, pattern.indptr.dtype)
    return _transposed(pattern, columns, places), places


def _transposed(pattern: Pattern, columns: int, places: Any) -> Pattern:
    workers = worker_count("cpu", int(pattern.indices.size))
    counts, lengths = np.zeros((workers, columns), np.int32), np.empty(columns, np.int32)
    count_columns(workers, pattern.rows, *pattern.arrays(), counts)
    add_counts(columns, counts, lengths)
    indptr = exclusive_scan(lengths).astype(pattern.indptr.dtype, copy=False)
    indices = np.empty(pattern.indices.size, np.int32)
    deal_entries(workers, pattern.rows, *pattern.arrays(), counts, read_only(indptr), indices, places)
    return Pattern(indptr, indices)
