"""Sparsity patterns of products and transposes of sparse matrices: the positions of entries, without values.

Row u of a product A B has the columns of all rows k of B for which A has an entry (u, k), each once. It is computed in
one pass over spans of rows. Each worker writes the rows of its share to a buffer of its own. Between two launches the
host joins the buffers and handles Ctrl-C. The columns of a row are in the order in which they are found.

A transpose is a stable counting sort, so its rows are ascending; transposing twice sorts all rows. Results are the same
for any number of threads.

Cost: for a product, one step per pair of entries; for a transpose, two accesses per entry. Work memory: four bytes per
column and worker, and for products also 4 MiB per worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..memory import allocate_or_raise
from ..runtime import Rows, by_device, edge_chunk_bounds, edge_splits, kernel, prefetch, rule, worker_count
from ..runtime.arrays import count_up
from ..runtime.primitives import exclusive_scan
from .arrays import Pattern, alike, index_type


def _cuda():
    from . import patterns_cuda

    return patterns_cuda


_ROOM = 1 << 20  # entries of a buffer
_AHEAD_BY = 12  # prefetch distance, in rows of the right factor: saves a third of the time on large grids


class Span(NamedTuple):
    """The rows that one launch works on."""

    start: int
    end: int


@rule
def share_of_span(indptr, span, worker, workers):
    """Return the rows of one worker if rows + entries of a span are split evenly."""
    start, end = edge_chunk_bounds(indptr[span.start :], span.end - span.start, worker, workers)
    return span.start + start, span.start + end


def row_pointers(lengths: Any) -> Any:
    """Return the row pointers for the given lengths of rows, in the narrowest type."""
    indptr = exclusive_scan(lengths)
    return indptr.astype(index_type(int(indptr[-1])), copy=False)


class Buffers(NamedTuple):
    """The rows that the workers have found so far."""

    rows: Any  # (workers,): the next row of each worker
    ends: Any  # (workers,): the end of its share
    entries: Any  # (workers, room): the columns of the rows before the next one, row after row
    used: Any  # (workers,): the number of these columns
    seen: Any  # (workers, columns): the last row in which the worker found each column


@rule
def most_entries(u, left, right, columns):
    """Return an upper bound on the entries of row u of a product, including its diagonal entry."""
    bound = 1
    for e in range(left.indptr[u], left.indptr[u + 1]):
        k = left.indices[e]
        bound += right.indptr[k + 1] - right.indptr[k]
    return min(bound, columns)


@kernel(by="workers", types="bool O[] V[] O[] V[] int64[] int64[] I[,] int64[] I[,] I[]")
def append_rows(worker, workers, diagonal, left: Rows, right: Rows, buffers: Buffers, lengths):
    """Append rows from rows[worker] on to this worker's buffer until the next row might not fit."""
    seen, entries = buffers.seen, buffers.entries
    u = buffers.rows[worker]
    last = left.indices.size - 1
    place = 0
    while u < buffers.ends[worker]:
        if place + most_entries(u, left, right, seen.shape[1]) >= entries.shape[1]:
            break
        start = place
        if diagonal:
            entries[worker, place] = u
            seen[worker, u] = u
            place += 1
        for e in range(left.indptr[u], left.indptr[u + 1]):
            k = left.indices[e]
            ahead = right.indptr[left.indices[min(e + _AHEAD_BY, last)]]
            prefetch(right.indices, ahead)
            prefetch(right.indices, ahead + 16)
            for f in range(right.indptr[k], right.indptr[k + 1]):
                v = right.indices[f]
                entries[worker, place] = v  # overwritten by the next column if it is not new
                place += int(seen[worker, v] != u)
                seen[worker, v] = u
        lengths[u] = place - start
        u += 1
    buffers.rows[worker] = u
    buffers.used[worker] = place


@by_device(cuda=lambda: _cuda().product_pattern)
def product_pattern(left: Pattern, right: Pattern, columns: int, *, diagonal: bool = False, purpose: str) -> Pattern:
    """Return the pattern of a product with the given number of columns, and with all diagonal entries if `diagonal`.

    Its rows are not sorted. If the result does not fit in memory, raise a MemoryError that states the purpose.
    """
    n, entries = left.rows, int(left.indices.size)
    workers = worker_count("cpu", entries)
    left_rows, right_rows = alike(left, right)
    indptr, kind = left_rows.indptr, left.indices.dtype
    seen = np.full((workers, columns), -1, kind)
    buffer = np.empty((workers, max(_ROOM, columns + 1)), kind)
    used, lengths = np.empty(workers, np.int64), np.empty(n, kind)
    indices = np.empty(0, kind)
    row, total = 0, 0
    step = usual_step = workers * _ROOM // 4
    while row < n:
        start, end = next(steps_of_rows(indptr, row, step))
        ends = start + edge_splits(indptr[start : end + 1], workers)
        rows = ends[:-1].copy()
        buffers = Buffers(rows, ends[1:], buffer, used, seen)
        append_rows(workers, diagonal, left_rows, right_rows, buffers, lengths)
        for worker in range(workers):
            row, found = int(rows[worker]), buffer[worker, : used[worker]]
            if total + found.size > indices.size:
                done = (int(indptr[row]) + row) / (entries + n)
                indices = _longer(indices, total, found.size, done, purpose)
            indices[total : total + found.size] = found
            total += found.size
            if row < ends[worker + 1]:  # the buffer was full: discard the rows of later workers
                seen.fill(-1)
                step = max(1, step // 2)
                break
        else:
            if 4 * used.max() < buffer.shape[1]:  # no more long rows
                step = min(2 * step, usual_step)
    return Pattern(row_pointers(lengths), indices[:total])


def with_diagonal(pattern: Pattern, *, purpose: str) -> Pattern:
    """Return the pattern with all diagonal entries added; raise MemoryError like `product_pattern`."""
    n, like = pattern.rows, pattern.indices
    itself = Pattern(count_up(like, n + 1, pattern.indptr.dtype), count_up(like, n, pattern.indices.dtype))
    return product_pattern(pattern, itself, n, diagonal=True, purpose=purpose)


def _longer(indices: Any, kept: int, more: int, done: float, purpose: str) -> Any:
    """Return a longer array with the same `kept` entries and room for `more`.

    If the result is complete to the fraction `done`, the new array should have room for all of it. The room is limited
    to 16 times the present need, since the rows so far may be much longer than the remaining ones.
    """
    needed = int(1.25 * (kept + more))
    try:  # the system provides no memory for pages that are never written
        longer = allocate_or_raise(int(needed / max(done, 1 / 16)), indices.dtype, purpose)
    except MemoryError:
        longer = allocate_or_raise(needed, indices.dtype, purpose)
    longer[:kept] = indices[:kept]
    return longer


def steps_of_rows(indptr: Any, start: int, size: int) -> Iterator[Span]:
    """Yield spans of rows from `start` on, each with about `size` entries."""
    n = int(indptr.size) - 1
    while start < n:
        end = min(n, max(start + 1, int(np.searchsorted(indptr, int(indptr[start]) + size))))
        yield Span(start, end)
        start = end


@kernel(by="workers", types="int int32[] V[] int32[,]")
def count_columns(worker, workers, n, rows: Rows, counts):
    """Count the entries of this worker's rows in each column."""
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    for u in range(start, end):
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            counts[worker, rows.indices[e]] += 1


@kernel(types="int32[,] int32[]")
def add_counts(column, counts, lengths):
    """Convert counts to places in the columns: the entries of a worker follow those of the workers before it."""
    total = 0
    for worker in range(counts.shape[0]):
        count = counts[worker, column]
        counts[worker, column] = total
        total += count
    lengths[column] = total


@kernel(by="workers", types="int int32[] V[] int32[,] int32[] int32[] int32[]")
def transpose_entries(worker, workers, n, rows: Rows, counts, new_indptr, new_indices, places):
    """Write every entry to its place in the transpose; store the place if the array `places` is not empty."""
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    for u in range(start, end):
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            v = rows.indices[e]
            place = new_indptr[v] + counts[worker, v]
            counts[worker, v] += 1
            new_indices[place] = u
            if places.size > 0:
                places[e] = place


@by_device(cuda=lambda: _cuda().transposed)
def transposed(pattern: Pattern, columns: int) -> Pattern:
    """Return the transpose of a pattern with the given number of columns; its rows are ascending."""
    return _transposed(pattern, columns, np.empty(0, pattern.indptr.dtype))


@by_device(cuda=lambda: _cuda().transposed_with_places)
def transposed_with_places(pattern: Pattern, columns: int) -> tuple[Pattern, Any]:
    """Return the transpose, and the place of each entry of the pattern in it."""
    places = np.empty(pattern.indices.size, pattern.indptr.dtype)
    return _transposed(pattern, columns, places), places


@by_device(cuda=lambda: _cuda().in_order)
def in_order(product: Pattern) -> Pattern:
    """Return the pattern of a symmetric product with ascending rows."""
    return transposed(product, product.rows)


def _transposed(pattern: Pattern, columns: int, places: Any) -> Pattern:
    workers = worker_count("cpu", int(pattern.indices.size))
    counts, lengths = np.zeros((workers, columns), np.int32), np.empty(columns, np.int32)
    count_columns(workers, pattern.rows, pattern, counts)
    add_counts(columns, counts, lengths)
    indptr = exclusive_scan(lengths).astype(pattern.indptr.dtype, copy=False)
    indices = np.empty(pattern.indices.size, index_type(pattern.rows))
    transpose_entries(workers, pattern.rows, pattern, counts, indptr, indices, places)
    return Pattern(indptr, indices)
