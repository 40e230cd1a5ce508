"""Windows: consecutive vertices, on which reductions and a local search can run in parallel.

Result: an order of the vertices in which neighbors are near each other; a length of windows such that few rows reach
across their borders; and a plan of sweeps over the vertices. It depends on the graph and the seed, not on the number of
workers.

Rule: a component has its own windows of consecutive vertices, and hashes drawn for its smallest vertex. Each sweep has
a random order of the windows and a different offset of their borders. In the code: `window_of`.

Idea: in the order of a breadth-first search that begins at a peripheral vertex, levels are small, so neighbors are near
each other, and their data close in memory. Components are searched in parallel. In a large component whose rows reach
only across a fraction of a window, moves do not touch vertices outside their window, so that windows of one sweep can
run in parallel. Without such locality, one worker processes all windows of a component, and moves may cross borders.

Cost: two searches on one thread, and some passes over the entries to write rows in the new order and to find the
components and the lengths of windows. Work memory: four numbers per vertex and 50 bytes per component; with several
components, also a copy of the entries.

The search has a loop of its own, because that of engines/frontier.py takes 1.1 times as long, and so have the rows in
the new order: all vertices remain, so that nothing has to be counted first (`induced_rows` takes 1.3 to 1.9 times).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.induced import number_kept
from ..._core.runtime import (
    Bools,
    Int64s,
    Int64Table,
    Offsets,
    Rows,
    Vertices,
    chunk_bounds,
    chunked,
    hash32,
    kernel,
    prefetch,
    rule,
    worker_count,
)
from ..._core.runtime.primitives import sort_between, sort_by_key
from ...components.union import label_components
from ...graph import Graph

WINDOW = 1 << 14  # the minimum number of vertices
_PREFETCH_DISTANCE = 8  # vertices
_REACHES = 16  # the length of a window divided by the average reach of rows, so that few rows cross its borders

# Vertices: a graph of this size has one sweep per round, a k times smaller one k**2, a larger one part of a sweep
_ONE_SWEEP = 1 << 19
_MAX_SWEEPS = 256  # the maximum number of sweeps per round


class Pieces(NamedTuple):
    """The components, one after another, and their windows.

    The first window may begin before its component, and the last ones may be after it.
    """

    starts: Int64s  # (pieces + 1,): the first vertex of each component
    roots: Vertices  # (pieces,): the smallest vertex, in the caller's numbering
    windows: Int64s  # (pieces,): the number of windows per sweep, a power of two
    lengths: Int64s  # (pieces,): the number of vertices per window, a power of two


class Tasks(NamedTuple):
    """Tasks that can run in parallel; each is a range of windows of a piece, counted from the first sweep."""

    pieces: Int64s
    first: Int64s
    end: Int64s
    cut: bool  # whether moves stop at a window's borders, the same for all tasks


@kernel(by="single")
def _search(seeds: Vertices, row_end: int, rows: Rows, found: Bools, order: Vertices, progress: Int64s):
    """Append vertices in the order of a breadth-first search until `row_end` rows have been read.

    Each component starts at the first of `seeds` that has not been found. `progress` counts the seeds, rows and
    vertices that have been processed.
    """
    seed, row, count = progress[0], progress[1], progress[2]
    while row < row_end:
        if row == count:
            while found[seeds[seed]]:
                seed += 1
            found[seeds[seed]] = True
            order[count] = seeds[seed]
            count += 1
        prefetch(rows.indices, rows.indptr[order[min(row + _PREFETCH_DISTANCE, count - 1)]])
        v = order[row]
        row += 1
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if not found[u]:
                found[u] = True
                order[count] = u
                count += 1
    progress[0], progress[1], progress[2] = seed, row, count


@kernel(by="edges")
def _renumber_row(v, indptr: Offsets, rows: Rows, numbers: Vertices, order: Vertices, columns: Vertices):
    """Copy the row of the vertex with new number v; sorting it here would delay the reads of other rows."""
    e = rows.indptr[order[v]]
    for k in range(indptr[v], indptr[v + 1]):
        columns[k] = numbers[rows.indices[e]]
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


def sort_rows(indptr: Any, columns: Any) -> Any:
    """Sort every row in place, and return the columns."""
    _sort_row(indptr.size - 1, indptr, columns)
    return columns


def nearby_order(rows: Rows) -> Any:
    """Return the vertices in an order in which neighbors are near each other."""
    n = rows.indptr.size - 1
    order = np.arange(n, dtype=rows.indices.dtype)
    for _ in range(2):  # the second search starts where the first one ended, at a peripheral vertex
        seeds, found, progress = order[::-1].copy(), np.zeros(n, bool), np.zeros(3, np.int64)
        for _, row_end in chunked(n):
            _search(seeds, row_end, rows, found, order, progress)
    return order


def renumbered(rows: Rows, order: Any) -> Rows:
    """Return sorted rows in which the vertices have the numbers of their places in an order."""
    indptr, columns = np.zeros_like(rows.indptr), np.empty_like(rows.indices)
    np.cumsum(np.diff(rows.indptr)[order], out=indptr[1:])
    numbers = np.empty_like(order)
    number_kept(order.size, order.astype(np.int64, copy=False), numbers)
    _renumber_row(order.size, indptr, rows, numbers, order, columns)
    return Rows(indptr, sort_rows(indptr, columns))


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


@rule
def touches_only(low, high, v, rows):
    """Return whether all neighbors of v are in low .. high - 1; rows are sorted."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    last = max(end, 1) - 1
    return (start == end) | ((rows.indices[min(start, last)] >= low) & (rows.indices[last] < high))


@rule
def window_of(i, piece, cut, pieces, seed):
    """Return a piece's i-th window: its start and length, the bounds of its moves, and a random number."""
    first, end = pieces.starts[piece], pieces.starts[piece + 1]
    windows, length = pieces.windows[piece], pieces.lengths[piece]
    # The window: each sweep has a random order of the windows and a different offset.
    key = hash32(i // windows + seed + hash32(pieces.roots[piece]))
    offset = hash32(key) & (length - 1)
    shuffle = hash32(key + 1)
    place = ((i & (windows - 1)) * (shuffle | 1) + (shuffle >> 16)) & (windows - 1)
    start = first + max(place * length - offset, 0)
    count = min(first + (place + 1) * length - offset, end) - start
    low, high = (start, start + count) if cut else (first, end)
    random = hash32(key ^ hash32(place))
    return start, count, low, high, random


class SweepPlan:
    """The windows of all components, and the tasks of each round.

    A round takes tens of milliseconds: many sweeps on a small graph, part of a sweep on a large one.
    """

    def __init__(self, rows: Rows, starts: Any, order: Any, max_read: int) -> None:
        n = rows.indptr.size - 1
        windows, lengths, cut = _windows(rows, starts)
        self.pieces = Pieces(starts, order[starts[:-1]], windows, lengths)
        large_first = np.argsort(starts[:-1] - starts[1:], kind="stable")  # for about equal loads of the workers
        self._cut, self._whole = np.flatnonzero(cut), large_first[~cut[large_first]]
        sweeps = min((_ONE_SWEEP / max(n, 1)) ** 2, _MAX_SWEEPS, max_read / (n + int(rows.indptr[-1]) + 1))
        pace = sweeps * windows
        self._pace = np.where(pace < 1, pace, np.floor(pace))  # the number of windows of each piece per round

    def _done(self, rounds: int) -> Any:
        """Return how many windows of each piece are swept in a number of rounds."""
        return (self._pace * rounds).astype(np.int64)

    def tasks(self, round_number: int) -> Iterator[tuple[int, Tasks]]:
        """Yield the numbers of workers and the tasks of a round, one after another."""
        windows, begin, end = self.pieces.windows, self._done(round_number), self._done(round_number + 1)
        whole = self._whole
        work = int(((end - begin) * self.pieces.lengths)[whole].sum())
        yield worker_count("cpu", work), Tasks(whole, begin[whole], end[whole], False)
        for tasks in _one_sweep_after_another(self._cut, windows[self._cut], begin[self._cut], end[self._cut]):
            yield tasks.pieces.size, tasks

    def swept(self, round_number: int, *, last: bool) -> Any:
        """Return the pieces that have completed a sweep in a round; all of them in the last round."""
        windows, begin, end = self.pieces.windows, self._done(round_number), self._done(round_number + 1)
        return np.flatnonzero((begin // windows < end // windows) | last)


def by_components(graph: Graph) -> tuple[Rows, Any, Any]:
    """Return the rows sorted by component, the start of each component, and the vertices in this order."""
    n, id_type = graph.num_vertices, graph.indices.dtype
    count, labels = label_components(graph)
    if count <= 1:
        return Rows(graph.indptr, graph.indices), np.array([0, n][: count + 1]), np.arange(n, dtype=id_type)
    order = sort_by_key(labels).astype(id_type)
    starts = np.searchsorted(labels[order], np.arange(count + 1))
    return renumbered(Rows(graph.indptr, graph.indices), order), starts, order


def _windows(rows: Rows, starts: Any) -> tuple[Any, Any, Any]:
    """Return the number and length of the windows of each component, and whether moves stop at their borders."""
    sizes = starts[1:] - starts[:-1]
    windows, lengths = np.full_like(sizes, 2), 1 << np.frexp(sizes - 1)[1].astype(np.int64)
    cut = np.zeros(sizes.size, bool)
    for piece in np.flatnonzero(sizes > WINDOW):
        local = window_length(rows.indptr[starts[piece] : starts[piece + 1] + 1], rows.indices)
        cut[piece] = local > 0
        lengths[piece] = local or WINDOW
        windows[piece] = power_of_two(int(sizes[piece]) / lengths[piece] + 1)
    return windows, lengths, cut


def _one_sweep_after_another(pieces: Any, windows: Any, begin: Any, end: Any) -> Iterator[Tasks]:
    """Yield the windows of some pieces as single tasks, grouped so that windows of one sweep run in parallel."""
    start = begin
    while (start < end).any():
        stop = np.minimum(end, (start // windows + 1) * windows)
        counts = stop - start
        first = np.repeat(stop - np.cumsum(counts), counts) + np.arange(counts.sum())
        yield Tasks(np.repeat(pieces, counts), first, first + 1, True)
        start = stop
