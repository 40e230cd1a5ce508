"""Products of sparse matrices: first the pattern, then the values, and these again when only values change.

A row of the result is what the rows of the right factor add up to that a row of the left one names. The pattern is
found in one pass, range after range of rows: each worker writes those of its share to a buffer of its own, and the host
puts them together, and listens for Ctrl-C. The columns of a row come out in the order in which they are met.

Patterns are those of nodes. Where nodes have several unknowns, the entries of the right factor and of the result are
blocks, whose rows go through memory together; the left factor is a CSR matrix of unknowns. Each value is summed in the
order of the left row's entries: the same bits for any number of threads.

Cost: a step for each pair of entries that meet, once for the pattern and once for the values. Work memory: four bytes a
column and worker, and for the pattern 4 MiB a worker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..parallel import at, edge_split, kernel, prefetch, worker_count
from ..rows import read_only
from .memory import room_for_entries
from .patterns import Pattern, alike, row_pointers

_ROOM = 1 << 20  # entries of a buffer
_AHEAD = 12  # rows of the right factor that are asked for before they are needed: a third less time on large grids
_STEP = 1 << 22  # entries of the left factor between two looks for Ctrl-C


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


def product_pattern(left: Pattern, right: Pattern, columns: int, *, diagonal: bool = False) -> Pattern:
    """The pattern of a product with so many columns; with a full diagonal, if asked for. Its rows are not sorted."""
    n, entries = left.rows, int(left.indices.size)
    workers = worker_count("cpu", entries)
    own, other = alike(left, right)
    seen = np.full((workers, columns), -1, np.int32)
    buffer = np.empty((workers, max(_ROOM, columns + 1)), np.int32)
    used, lengths = np.empty(workers, np.int64), np.empty(n, np.int32)
    indices = np.empty(0, np.int32)
    row, total = 0, 0
    step = usual_step = workers * _ROOM // 4
    while row < n:
        first, beyond = next(_steps(own[0], row, step))
        ends = first + np.array([edge_split(own[0][first:], beyond - first, w, workers) for w in range(workers + 1)])
        rows = ends[:-1].copy()
        append_rows(workers, columns, diagonal, *own, *other, seen, rows, ends[1:], buffer, used, lengths)
        for worker in range(workers):
            row, found = int(rows[worker]), buffer[worker, : used[worker]]
            if total + found.size > indices.size:
                done = (int(own[0][row]) + row) / (entries + n)
                indices = _longer(indices, total, found.size, done)
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


def _longer(indices: Any, kept: int, more: int, done: float) -> Any:
    """A longer array with the same `kept` entries and room for `more`, and for all if these are that part of them.

    But not for ever so many: the rows so far may be much longer than others.
    """
    needed = int(1.25 * (kept + more))
    try:
        longer = room_for_entries(int(needed / max(done, 1 / 16)), np.int32)  # what is never written takes no memory
    except MemoryError:
        longer = room_for_entries(needed, np.int32)
    longer[:kept] = indices[:kept]
    return longer


@kernel(by="workers")
def multiply_rows(
    worker,
    workers,
    first,
    beyond,
    left_indptr,
    left_indices,
    left_data,
    right_indptr,
    right_indices,
    right_data,
    places,
    indptr,
    indices,
    data,
):
    """The values of some rows, for one unknown a node."""
    n = beyond - first
    own = left_indptr[first:]
    last = left_indices.size - 1
    for u in range(first + edge_split(own, n, worker, workers), first + edge_split(own, n, worker + 1, workers)):
        for g in range(indptr[at(u)], indptr[at(u + 1)]):
            places[worker, at(indices[at(g)])] = g
            data[at(g)] = 0.0
        for e in range(left_indptr[at(u)], left_indptr[at(u + 1)]):
            k = left_indices[at(e)]
            factor = left_data[at(e)]
            ahead = right_indptr[at(left_indices[at(min(e + _AHEAD, last))])]
            prefetch(right_indices, ahead)
            prefetch(right_data, ahead)
            prefetch(right_data, ahead + 8)
            for f in range(right_indptr[at(k)], right_indptr[at(k + 1)]):
                data[at(places[worker, at(right_indices[at(f)])])] += factor * right_data[at(f)]


@kernel(by="workers")
def multiply_blocks(
    worker,
    workers,
    first,
    beyond,
    left_indptr,
    left_indices,
    left_data,
    right_indptr,
    right_indices,
    right_data,
    places,
    indptr,
    indices,
    data,
    height,
    width,
    columns,
):
    """The values of some rows of nodes, of `height` rows each; blocks of the right factor have `width` rows."""
    n = beyond - first
    own = indptr[first:]
    for u in range(first + edge_split(own, n, worker, workers), first + edge_split(own, n, worker + 1, workers)):
        start = int(indptr[at(u)])
        length = int(indptr[at(u + 1)]) - start
        for block in range(length):
            places[worker, at(indices[at(start + block)])] = block
        for s in range(height):
            begin = (start * height + s * length) * columns
            for g in range(begin, begin + length * columns):
                data[at(g)] = 0.0
            for e in range(left_indptr[at(u * height + s)], left_indptr[at(u * height + s + 1)]):
                factor = left_data[at(e)]
                row = int(left_indices[at(e)])
                node = row // width
                right_start = int(right_indptr[at(node)])
                right_length = int(right_indptr[at(node + 1)]) - right_start
                source = (right_start * width + (row - node * width) * right_length) * columns
                for block in range(right_length):
                    to = begin + int(places[worker, at(right_indices[at(right_start + block)])]) * columns
                    for c in range(columns):
                        data[at(to + c)] += factor * right_data[at(source + c)]
                    source += columns


def product_values(
    left: Any, right: Pattern, right_data: Any, pattern: Pattern, count: int, height: int, width: int, columns: int
) -> Any:
    """The values of a product in its pattern.

    Parameters
    ----------
    left : csr_array
    right : Pattern
        Of nodes. Its blocks have `width` rows and `columns` columns; `right_data` are their values.
    pattern : Pattern
        Of the product, on nodes, in any order. Its blocks have `height` rows and `columns` columns.
    count : int
        Columns of nodes.

    Returns
    -------
    float64 array
        The values of the product's rows, one after the other.
    """
    workers = worker_count("cpu", int(left.indices.size))
    own, other, result = alike(left, right, pattern)
    data = room_for_entries(int(pattern.indices.size) * height * columns)
    places = np.empty((workers, count), np.int32)
    arrays = *own, read_only(left.data), *other, read_only(right_data), places, *result, data
    for first, beyond in _steps(own[0][::height], 0, _STEP):
        if height == width == columns == 1:
            multiply_rows(workers, first, beyond, *arrays)
        else:
            multiply_blocks(workers, first, beyond, *arrays, height, width, columns)
    return data


def _steps(indptr: Any, first: int, size: int) -> Iterator[tuple[int, int]]:
    """Ranges of rows, from one on, with about so many entries each."""
    n = int(indptr.size) - 1
    while first < n:
        beyond = min(n, max(first + 1, int(np.searchsorted(indptr, int(indptr[first]) + size))))
        yield first, beyond
        first = beyond
