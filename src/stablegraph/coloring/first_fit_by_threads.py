"""First fit on several threads, which wait for each other when necessary.

Result: the colors of first_fit.py; at distance 2 those of nets.py.

Rule: as in first_fit.py, at distance 2 also for the neighbors of neighbors: a vertex takes its color when all vertices
ahead of it in its neighborhood are colored. The oracle is `first_fit` in tests/support/naive.py. In the code:
`_is_ahead`, and `_fit`, which waits.

Idea: threads take pieces of the order, one after another, and color the vertices of a piece in turn. If a neighbor is
ahead and uncolored, another thread is coloring it or will do so soon; a vertex that needs its color waits. There is no
deadlock, because the thread with the first unfinished piece never waits for another thread. At any time only about a
thousand vertices are in progress, so in most graphs few vertices have to wait. Two measures keep waits short:

- A vertex reads its whole row before it waits, and afterwards reads only the vertices that it waits for. If long rows
  depend on one another, most of the reading is therefore still done in parallel.
- Pieces are short: 64 vertices, or fewer if rows are long.

If vertices need vertices shortly before them, as in a grid that is numbered in order, threads would mostly wait. This
is detected from a sample of the order; then one thread colors all vertices (first_fit.py).

State: ``colors[v]``. Until v is colored it is ``NO_COLOR - 1 - (position of v in the order)``: above all colors, and
larger for earlier positions. Each element changes only once, so relaxed loads and stores are enough.

Cost: O(n + m), at distance 2 the number of pairs within distance 2, divided among the threads. Work memory: a byte per
vertex, and for each thread one number per possible color.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Rows, atomic_add, atomic_load, atomic_store, chunked, kernel, prefetch, rule, yield_thread
from .._core.runtime.primitives import compact
from ..graph import Graph
from .rules import (
    EMPTY,
    IN_REGISTER,
    NO_COLOR,
    bit_in_register,
    colors_around,
    lowest_missing,
    lowest_unmarked,
    mark,
    mark_colors,
    numbers_to_mark,
)

_PIECE = 64  # vertices
_WORK = 1024  # entries of a piece, if all its rows are as long as the first one
_SHORT = 32  # entries; reading longer rows takes longer than waiting
_SAMPLE = 1024  # vertices
_MANY = 0.25  # fraction of the sample
_AHEAD_BY = 4  # prefetch distance, in vertices, at distance 2
_ROOM = 128  # postponed vertices; if there are more, the thread waits for some of them before it continues
_FREE_MARKS = 1 << 20  # marks that are always acceptable
_LINE = 16  # numbers between the work memories of two workers, so that they share no cache line
_STEP = 1 << 25  # entries and vertices per kernel call; bounds the latency of Ctrl-C


class Queue(NamedTuple):
    """The order, in pieces."""

    vertices: Any  # in the order in which they are colored
    begins: Any  # (pieces,): the first position of each piece
    next: Any  # (1,): the first piece that no worker has taken
    end: int  # the number of pieces up to which this call takes pieces


class Work(NamedTuple):
    """The work memory of each worker."""

    waited: Any  # (workers, _ROOM + _LINE): the vertices that a worker waits for
    marks: Any  # (workers, colors): see rules.py


@kernel(types="V[] int32[]")
def _line_up(i, vertices, colors):
    """Store the position of a vertex instead of a color."""
    colors[vertices[i]] = NO_COLOR - 1 - i


@kernel(types="V[] int32[]")
def _forget(i, vertices, colors):
    """Remove the position of a vertex."""
    colors[vertices[i]] = NO_COLOR


@rule
def _is_shortly_before(color, other, window):
    """Return whether `other` represents a position at most `window` before that of `color`."""
    return 0 < other - color <= window


@kernel(types="int int int O[] V[] V[] int32[] bool[]")
def _look_back(k, apart, window, distance, rows: Rows, vertices, colors, needs):
    """Determine whether a vertex of the sample needs the color of a vertex at most `window` positions before it.

    At distance 1, long rows do not count.
    """
    indptr, indices = rows
    v = vertices[k * apart]
    start, end = indptr[v], indptr[v + 1]
    needs[k] = False
    if distance == 2 or end - start <= _SHORT:
        for e in range(start, end):
            u = indices[e]
            needs[k] |= _is_shortly_before(colors[v], colors[u], window)
            if distance == 2:
                for f in range(indptr[u], indptr[u + 1]):
                    needs[k] |= _is_shortly_before(colors[v], colors[indices[f]], window)


@kernel(each=_PIECE, types="O[] V[] V[] bool[]")
def _cut(k, rows: Rows, vertices, begins):
    """Mark the beginnings of pieces among the k-th `_PIECE` positions."""
    start = k * _PIECE
    end = min(start + _PIECE, vertices.size)
    v = vertices[start]
    length = 1 + _WORK // (1 + rows.indptr[v + 1] - rows.indptr[v])
    for i in range(start, end):
        begins[i] = (i - start) % length == 0


@rule
def _is_ahead(color, i):
    """Return whether a color represents an uncolored vertex at a position before i."""
    return color >= NO_COLOR - i


@rule(inline=False)
def _part(i, start, end, indices, colors, waited, waits):
    """Collect the colors of the entries from `start` to `end`, and list the uncolored vertices that are ahead."""
    taken = EMPTY
    for e in range(start, end):
        color = atomic_load(colors, indices[e])
        if _is_ahead(color, i):
            waited[waits] = indices[e]
            waits += 1
        else:
            taken |= bit_in_register(color)
    return taken, waits


@rule(inline=False)
def _wait(u, i, colors):
    """Wait until vertex u, which is ahead of position i, has a color; return the color."""
    color = atomic_load(colors, u)
    while _is_ahead(color, i):
        yield_thread()
        color = atomic_load(colors, u)
    return color


@rule
def _read_row(i, u, waits, rows, waited, colors):
    """Collect the known colors in the row of u, and list the vertices whose colors are still missing."""
    indptr, indices = rows
    end, taken = indptr[u + 1], EMPTY
    for start in range(indptr[u], end, _ROOM // 2):
        stop = min(start + _ROOM // 2, end)
        known, highest = colors_around(start, stop, indices, colors)
        if _is_ahead(highest, i):
            while waits > _ROOM // 2:
                waits -= 1
                taken |= bit_in_register(_wait(waited[waits], i, colors))
            known, waits = _part(i, start, stop, indices, colors, waited, waits)
        taken |= known
    return taken, waits


@rule(inline=False)
def _mark_near(v, distance, rows, marks, colors):
    """Mark the colors within distance 1 or 2 of v."""
    indptr, indices = rows
    mark_colors(v, indptr[v], indptr[v + 1], indices, marks, colors)
    if distance == 2:
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            mark_colors(v, indptr[u], indptr[u + 1], indices, marks, colors)


@rule
def _fit(i, v, distance, rows, waited, marks, colors):
    """Return the lowest color that no vertex ahead of v and near it has, where v is at position i."""
    indptr, indices = rows
    taken, waits = _read_row(i, v, 0, rows, waited, colors)
    if distance == 2:
        for e in range(indptr[v], indptr[v + 1]):
            more, waits = _read_row(i, indices[e], waits, rows, waited, colors)
            taken |= more
    is_full = lowest_missing(taken) >= IN_REGISTER
    if is_full:
        _mark_near(v, distance, rows, marks, colors)  # meanwhile other threads color the missing vertices
    for w in range(waits):
        color = _wait(waited[w], i, colors)
        taken |= bit_in_register(color)
        mark(color, v, marks)
    color = lowest_missing(taken)
    if color >= IN_REGISTER:
        if not is_full:
            _mark_near(v, distance, rows, marks, colors)
        color = lowest_unmarked(v, marks)
    return color


@rule(inline=False)
def _prefetch_rows_near(v, rows):
    """Prefetch the rows of v's neighbors."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        prefetch(rows.indices, rows.indptr[rows.indices[e]])


@kernel(by="workers", types="int O[] V[] V[] int64[] int64[] int V[,] V[,] int32[]")
def _color_pieces(worker, workers, distance, rows: Rows, queue: Queue, work: Work, colors):
    """Take pieces from the queue, and color their vertices in turn."""
    vertices, begins = queue.vertices, queue.begins
    waited, marks = work.waited[worker], work.marks[worker]
    piece = atomic_add(queue.next, 0, 1)
    while piece < queue.end:
        start = begins[piece]
        end = begins[piece + 1] if piece + 1 < begins.size else vertices.size
        for i in range(start, end):
            row = rows.indptr[vertices[i]]
            prefetch(rows.indices, row)
            prefetch(rows.indices, row + 15)
        for i in range(start, end):
            if distance == 2:
                _prefetch_rows_near(vertices[min(i + _AHEAD_BY, end - 1)], rows)
            v = vertices[i]
            atomic_store(colors, v, _fit(i, v, distance, rows, waited, marks, colors))
        piece = atomic_add(queue.next, 0, 1)


def color_on_threads(graph: Graph, vertices: Any, colors: Any, workers: int, distance: int = 1, pairs: int = 0) -> bool:
    """Color the vertices in the given order; the colors of all other vertices are kept and respected.

    `pairs`: the number of pairs within distance 2, if such vertices must differ. Return whether the vertices were
    colored. They are not if threads would mostly wait, if a row is so long that the marks of all threads would take
    more memory than the graph, or if given colors are as high as the numbers that represent positions.
    """
    rows, n = Rows(graph.indptr, graph.indices), graph.num_vertices
    numbers = numbers_to_mark(graph, distance) + _LINE
    highest = int(np.where(colors == NO_COLOR, 0, colors).max()) if vertices.size < n else 0  # of the other vertices
    if workers * numbers > max(_FREE_MARKS, n + graph.num_entries) or highest >= NO_COLOR - vertices.size:
        return False
    _line_up(vertices.size, vertices, colors)
    needs = np.empty(min(_SAMPLE, vertices.size), bool)
    apart, window = vertices.size // max(1, needs.size), workers * _PIECE
    _look_back(needs.size, apart, window, distance, rows, vertices, colors, needs)
    if needs.sum() > _MANY * needs.size:
        _forget(vertices.size, vertices, colors)
        return False
    begins = np.empty(vertices.size, bool)
    _cut(-(-vertices.size // _PIECE), rows, vertices, begins)
    pieces = compact(begins)
    waited = np.empty((workers, _ROOM + _LINE), graph.indices.dtype)
    marks = np.full((workers, numbers), -1, graph.indices.dtype)
    step = max(1, _STEP * pieces.size // max(1, n + max(graph.num_entries, pairs)))
    for first, last in chunked(pieces.size, step):
        queue = Queue(vertices, pieces, np.array([first]), last)
        _color_pieces(workers, distance, rows, queue, Work(waited, marks), colors)
    return True
