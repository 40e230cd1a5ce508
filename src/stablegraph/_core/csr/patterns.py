"""Sparsity patterns of products and transposes of sparse matrices: the positions of entries, without values.

Row u of a product A B has the columns of all rows k of B for which A has an entry (u, k), each once and in ascending
order. It is computed in one pass over spans of rows. In a first launch each worker writes the rows of its share to a
buffer of its own. Now the host knows where they begin, and in a second launch each worker sorts its rows and writes
them to the product. Between two launches the host handles Ctrl-C. Products with values (solvers/linalg/block_csr.py)
are computed in the same way.

A transpose is a stable counting sort, so its rows are ascending. Results are the same for any number of threads.

Cost: for a product, one step per pair of entries, and at most 64 comparisons per entry of a short row, which are vector
instructions; for a transpose, two accesses per entry. Work memory: four bytes per column and worker, and for products
also 1 MiB per worker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..memory import allocate_or_raise
from ..runtime import Rows, edge_chunk_bounds, edge_splits, kernel, prefetch, rule, with_gpu_form, worker_count
from ..runtime.array_types import Int32s, Int32Table, Int64s, Integers, IntegerTable
from ..runtime.arrays import count_up
from ..runtime.primitives import exclusive_scan, sort_between
from .arrays import Pattern, alike, index_type
from .cuda import patterns as patterns_cuda

_ROOM = 1 << 18  # entries of a buffer
_SHORT = 64  # entries; longer rows are sorted by insertions
_PREFETCH_DISTANCE = 12  # prefetch distance, in rows of the right factor: saves a third of the time on large grids


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
    return exclusive_scan(lengths, narrow=True)


class Buffers(NamedTuple):
    """The rows that the workers have found in one launch."""

    rows: Int64s  # (workers,): the next row of each worker
    ends: Int64s  # (workers,): the end of its share
    entries: IntegerTable  # (workers, room): the columns of the rows before the next one, row after row
    used: Int64s  # (workers,): the number of these columns
    places: IntegerTable  # (workers, columns): 0 for all columns that are not in the current row


class Found(NamedTuple):
    """The rows of all workers, one worker after another, and their places in the product."""

    firsts: Int64s  # (workers,): the first row of each worker; the last one precedes `rows` of its buffer
    starts: Int64s  # (workers,): the place of its first entry in the product


@kernel(by="workers")
def clear_places(worker, workers, places: IntegerTable):
    """Set all places of this worker to 0."""
    for column in range(places.shape[1]):
        places[worker, column] = 0


@rule
def fits(place, u, left, right, buffers):
    """Return whether row u of a product, with its diagonal entry, fits in a buffer from `place` on, before its end."""
    columns, last = buffers.places.shape[1], buffers.entries.shape[1] - 1
    if place + columns < last:
        return True
    bound = 1
    for e in range(left.indptr[u], left.indptr[u + 1]):
        k = left.indices[e]
        bound += right.indptr[k + 1] - right.indptr[k]
    return place + min(bound, columns) < last


@rule
def end_row(worker, u, start, end, buffers, lengths):
    """Store the length of row u, which is in a buffer from `start` to `end`, and forget the places of its columns."""
    for p in range(start, end):
        buffers.places[worker, buffers.entries[worker, p]] = 0
    lengths[u] = end - start


@kernel(by="workers")
def append_rows(worker, workers, diagonal: bool, left: Rows, right: Rows, buffers: Buffers, lengths: Integers):
    """Write rows from rows[worker] on to this worker's buffer until the next row might not fit."""
    entries, places = buffers.entries, buffers.places
    u = buffers.rows[worker]
    last = left.indices.size - 1
    place = 0
    while u < buffers.ends[worker] and fits(place, u, left, right, buffers):
        start = place
        if diagonal:
            entries[worker, place] = u
            places[worker, u] = 1
            place += 1
        for e in range(left.indptr[u], left.indptr[u + 1]):
            k = left.indices[e]
            ahead = right.indptr[left.indices[min(e + _PREFETCH_DISTANCE, last)]]
            prefetch(right.indices, ahead)
            prefetch(right.indices, ahead + 16)
            for f in range(right.indptr[k], right.indptr[k + 1]):
                v = right.indices[f]
                entries[worker, place] = v  # overwritten by the next column if it is not new
                place += int(places[worker, v] == 0)
                places[worker, v] = 1
        end_row(worker, u, start, place, buffers, lengths)
        u += 1
    buffers.rows[worker] = u
    buffers.used[worker] = place


@rule
def is_short(length):
    """Return whether `count_below` is the faster way to sort a row of this length."""
    return length <= _SHORT


@rule
def count_below(entries, worker, start, end, v):
    """Return the number of columns below v in a row of a buffer."""
    below = 0
    for p in range(start, end):
        below += int(entries[worker, p] < v)
    return below


@rule
def copy_sorted(entries, worker, start, end, indices, to):
    """Copy a long row of a buffer to `indices`, from `to` on, and sort it."""
    for p in range(end - start):
        indices[to + p] = entries[worker, start + p]
    sort_between(indices, to, to + end - start)


@kernel(by="workers")
def write_rows(worker, workers, buffers: Buffers, lengths: Integers, found: Found, indices: Integers):
    """Write this worker's rows to their places, in ascending order."""
    entries = buffers.entries
    start, to = 0, found.starts[worker]
    for u in range(found.firsts[worker], buffers.rows[worker]):
        end = start + lengths[u]
        if is_short(end - start):
            for p in range(start, end):
                v = entries[worker, p]
                indices[to + count_below(entries, worker, start, end, v)] = v
        else:
            copy_sorted(entries, worker, start, end, indices, to)
        to += end - start
        start = end


def room_for(columns: int, size: int = 1) -> int:
    """Return the number of entries of a buffer, if each takes the memory of `size` numbers."""
    return max(_ROOM // size, columns + 2)


def found_rows(
    left: Rows, columns: int, workers: int, size: int, append: Callable[[Buffers], None]
) -> Iterator[tuple[Buffers, Found, int, float]]:
    """Find the rows of a product, span by span, with `append`, which launches a kernel like `append_rows`.

    A block has `size` values. Yield the rows in the buffers, the number of entries so far, and the completed fraction
    of the work.
    """
    indptr, kind, n, entries = left.indptr, index_type(columns), left.indptr.size - 1, int(left.indices.size)
    buffer: Any = np.empty((workers, room_for(columns, size)), kind)
    places: Any = np.empty((workers, columns), kind)
    clear_places(workers, places)  # on all threads, as NumPy's zeros are not
    used = np.empty(workers, np.int64)
    row = total = 0
    step = usual_step = max(1, workers * _ROOM // (2 * size))
    while row < n:
        start, row = next(steps_of_rows(indptr, row, step))
        bounds = start + edge_splits(indptr[start : row + 1], workers)
        firsts, ends = bounds[:-1], bounds[1:]
        buffers = Buffers(firsts.copy(), ends, buffer, used, places)
        append(buffers)
        full = np.flatnonzero(buffers.rows < ends)
        if full.size:  # discard the rows of the workers after the first full buffer
            later = full[0] + 1
            buffers.rows[later:], used[later:] = firsts[later:], 0
            row = int(buffers.rows[full[0]])
            step = max(1, step // 2)
        elif 4 * used.max() < buffer.shape[1]:  # no more long rows
            step = min(2 * step, usual_step)
        filled = total + np.cumsum(used)
        total = int(filled[-1])
        yield buffers, Found(firsts, filled - used), total, (int(indptr[row]) + row) / (entries + n)


@with_gpu_form(patterns_cuda.product_pattern)
def product_pattern(left: Pattern, right: Pattern, columns: int, *, diagonal: bool = False, purpose: str) -> Pattern:
    """Return the pattern of a product with the given number of columns, and with all diagonal entries if `diagonal`.

    If it does not fit in memory, raise a MemoryError that states the purpose.
    """
    left_rows, right_rows = alike(left, right)
    kind, workers, filled = index_type(columns), worker_count("cpu", int(left.indices.size)), 0
    lengths: Any = np.empty(left.rows, kind)
    indices: Any = np.empty(0, kind)

    def append(buffers: Buffers) -> None:
        append_rows(workers, diagonal, left_rows, right_rows, buffers, lengths)

    for buffers, found, total, done in found_rows(left_rows, columns, workers, 1, append):
        indices = with_room(indices, filled, total, done, purpose)
        write_rows(workers, buffers, lengths, found, indices)
        filled = total
    return Pattern(row_pointers(lengths), indices[:filled])


def with_diagonal(pattern: Pattern, *, purpose: str) -> Pattern:
    """Return the pattern with all diagonal entries added; raise MemoryError like `product_pattern`."""
    n, like = pattern.rows, pattern.indices
    itself = Pattern(count_up(like, n + 1, pattern.indptr.dtype), count_up(like, n, pattern.indices.dtype))
    return product_pattern(pattern, itself, n, diagonal=True, purpose=purpose)


def with_room(array: Any, kept: int, needed: int, done: float, purpose: str) -> Any:
    """Return an array with the same first `kept` entries and room for `needed`; the array itself if it is that long.

    If the result is complete to the fraction `done`, the new array should have room for all of it. The room is limited
    to 128 times the present need, since the rows so far may be much longer than the remaining ones.
    """
    if needed <= array.size:
        return array
    minimum = int(1.25 * needed)
    try:  # the system provides no memory for pages that are never written
        longer = allocate_or_raise(int(minimum / max(done, 1 / 128)), array.dtype, purpose)
    except MemoryError:
        longer = allocate_or_raise(minimum, array.dtype, purpose)
    longer[:kept] = array[:kept]
    return longer


def steps_of_rows(indptr: Any, start: int, size: int) -> Iterator[Span]:
    """Yield spans of rows from `start` on, each with about `size` entries."""
    n = int(indptr.size) - 1
    while start < n:
        last = min(int(indptr[start]) + size, int(indptr[-1]))  # a number of another type would make a copy of `indptr`
        end = min(n, max(start + 1, int(np.searchsorted(indptr, indptr.dtype.type(last)))))
        yield Span(start, end)
        start = end


@kernel(by="workers", O="int32")
def count_columns(worker, workers, n: int, rows: Rows, counts: Int32Table):
    """Count the entries of this worker's rows in each column."""
    for column in range(counts.shape[1]):
        counts[worker, column] = 0
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    for u in range(start, end):
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            counts[worker, rows.indices[e]] += 1


@kernel
def add_counts(column, counts: Int32Table, lengths: Int32s):
    """Convert counts to places in the columns: the entries of a worker follow those of the workers before it."""
    total = 0
    for worker in range(counts.shape[0]):
        count = counts[worker, column]
        counts[worker, column] = total
        total += count
    lengths[column] = total


@kernel(by="workers", types="int int32[,] int32[] int32[] int32[]", O="int32")
def transpose_entries(worker, workers, n, rows: Rows, counts, new_indptr, new_indices, origins):
    """Write every entry to its place in the transpose; store its origin if the array `origins` is not empty."""
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    for u in range(start, end):
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            v = rows.indices[e]
            place = new_indptr[v] + counts[worker, v]
            counts[worker, v] += 1
            new_indices[place] = u
            if origins.size > 0:
                origins[place] = e


@with_gpu_form(patterns_cuda.transposed)
def transposed(pattern: Pattern, columns: int) -> Pattern:
    """Return the transpose of a pattern with the given number of columns; its rows are ascending."""
    return _transposed(pattern, columns, np.empty(0, pattern.indptr.dtype))


@with_gpu_form(patterns_cuda.transposed_with_origins)
def transposed_with_origins(pattern: Pattern, columns: int) -> tuple[Pattern, Any]:
    """Return the transpose, and the position in the pattern of each of its entries."""
    origins = np.empty(pattern.indices.size, pattern.indptr.dtype)
    return _transposed(pattern, columns, origins), origins


def _transposed(pattern: Pattern, columns: int, origins: Any) -> Pattern:
    workers = worker_count("cpu", int(pattern.indices.size))
    counts, lengths = np.empty((workers, columns), np.int32), np.empty(columns, np.int32)
    count_columns(workers, pattern.rows, pattern, counts)
    add_counts(columns, counts, lengths)
    indptr = exclusive_scan(lengths, narrow=True).astype(pattern.indptr.dtype, copy=False)
    indices: Any = np.empty(pattern.indices.size, index_type(pattern.rows))
    transpose_entries(workers, pattern.rows, pattern, counts, indptr, indices, origins)
    return Pattern(indptr, indices)
