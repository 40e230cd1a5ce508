"""First fit by several threads, which wait for one another where they must.

Result: the colors of first_fit.py; at distance 2 those of nets.py.

Rule: that of first_fit.py, at distance 2 for the neighbors of neighbors, too: a vertex takes its color when all those
ahead of it have theirs. The oracle is `first_fit` in tests/support/naive.py. In the code: `_is_ahead`, and `_fit`,
which waits.

Idea: threads take pieces of the order, one after another, and color their vertices in turn. A neighbor that is ahead
and has no color yet is being colored right now, or soon will be, by another thread; a vertex that needs it waits.
Nobody waits in a circle, as the thread with the first piece that is not done needs nobody else. A thousand vertices or
so are in the making at a time, so in most graphs nearly nobody waits. Two things keep waits short:

- A row is read to its end before its vertex waits for anyone; then it only comes back to those that it waits for. Where
  long rows depend on one another, nearly all of the reading is still done side by side.
- Pieces are short: 64 vertices, or fewer where rows are long.

Where short rows need vertices that come shortly before them, as in a grid that is numbered in order, threads would do
little but wait; a sample of the order tells, and one thread does it alone.

State: ``colors[v]``, until v has its color ``NO_COLOR - 1 - (its position in the order)``: above all colors, and the
larger, the earlier its turn comes. Colors go one way only, so relaxed loads and stores are enough.

Cost: O(n + m), at distance 2 the pairs within it, shared by the threads. Work memory: a byte a vertex, and for each
thread a number for each possible color.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Graph
from ..parallel import atomic_add, atomic_load, atomic_store, give_way, in_steps, kernel, prefetch, rule
from ..parallel.groups import Rows
from ..parallel.primitives import compact
from .color_sets import EMPTY, IN_REGISTER, bit_in_register, lowest_missing, lowest_unmarked, mark
from .first_fit import NO_COLOR, colors_around, mark_colors, numbers_to_mark

_PIECE = 64  # vertices
_WORK = 1024  # entries of a piece, if all its rows are as long as the first one
_SHORT = 32  # entries: reading longer rows takes longer than waiting
_SAMPLE = 1024  # vertices
_MANY = 0.25  # of the sample
_AHEAD_BY = 4  # prefetch distance, in vertices, at distance 2
_ROOM = 128  # vertices that one comes back to; if there are more, it waits for these first
_FREE_MARKS = 1 << 20  # marks that are never too many
_LINE = 16  # numbers between the work memories of two workers, so that they share no cache line
_STEP = 1 << 25  # entries and vertices of a kernel call; bounds the latency of Ctrl-C


class Queue(NamedTuple):
    """The order, in pieces."""

    vertices: Any  # the first to be colored first
    begins: Any  # (pieces,): the first position of each
    next: Any  # (1,): the first piece that nobody has taken
    end: int  # pieces up to this one are to be taken now


class Work(NamedTuple):
    """The work memory of each worker."""

    waited: Any  # (workers, _ROOM + _LINE): the vertices that one waits for
    marks: Any  # (workers, colors): see color_sets.py


@kernel(types="V[] int32[]")
def _line_up(i, vertices, colors):
    """Note the vertex's position."""
    colors[vertices[i]] = NO_COLOR - 1 - i


@kernel(types="V[] int32[]")
def _forget(i, vertices, colors):
    """The vertex has no position any more."""
    colors[vertices[i]] = NO_COLOR


@kernel(types="int int O[] V[] V[] int32[] bool[]")
def _look_back(k, apart, window, rows: Rows, vertices, colors, needs):
    """Whether the k-th vertex of a sample has a short row with one that comes at most `window` positions before it."""
    v = vertices[k * apart]
    start, end = rows.indptr[v], rows.indptr[v + 1]
    needs[k] = False
    if end - start <= _SHORT:
        for e in range(start, end):
            needs[k] |= 0 < colors[rows.indices[e]] - colors[v] <= window


@kernel(each=_PIECE, types="O[] V[] V[] bool[]")
def _cut(k, rows: Rows, vertices, begins):
    """Mark where pieces begin among the k-th `_PIECE` positions."""
    start = k * _PIECE
    end = min(start + _PIECE, vertices.size)
    v = vertices[start]
    length = 1 + _WORK // (1 + rows.indptr[v + 1] - rows.indptr[v])
    for i in range(start, end):
        begins[i] = (i - start) % length == 0


@rule
def _is_ahead(color, i):
    """Whether it stands for a vertex without a color whose turn comes before position i."""
    return color >= NO_COLOR - i


@rule(inline=False)
def _part(i, start, end, indices, colors, waited, waits):
    """The colors of the entries from `start` to `end` that have one, and how many vertices are waited for now."""
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
    """The color of vertex u, which is ahead of position i, when it has one."""
    color = atomic_load(colors, u)
    while _is_ahead(color, i):
        give_way()
        color = atomic_load(colors, u)
    return color


@rule
def _look(i, u, waits, rows, waited, colors):
    """The colors in the row of u, as far as they are there, and how many vertices are waited for now."""
    indptr, indices = rows
    end, taken = indptr[u + 1], EMPTY
    for start in range(indptr[u], end, _ROOM // 2):
        stop = min(start + _ROOM // 2, end)
        some, highest = colors_around(start, stop, indices, colors)
        if _is_ahead(highest, i):
            while waits > _ROOM // 2:
                waits -= 1
                taken |= bit_in_register(_wait(waited[waits], i, colors))
            some, waits = _part(i, start, stop, indices, colors, waited, waits)
        taken |= some
    return taken, waits


@rule(inline=False)
def _mark_near(v, distance, rows, marks, colors):
    """Mark the colors within a distance of v, 1 or 2."""
    indptr, indices = rows
    mark_colors(v, indptr[v], indptr[v + 1], indices, marks, colors)
    if distance == 2:
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            mark_colors(v, indptr[u], indptr[u + 1], indices, marks, colors)


@rule
def _fit(i, v, distance, rows, waited, marks, colors):
    """The lowest color that no vertex ahead of v and near it has, where v's position is i."""
    indptr, indices = rows
    taken, waits = _look(i, v, 0, rows, waited, colors)
    if distance == 2:
        for e in range(indptr[v], indptr[v + 1]):
            more, waits = _look(i, indices[e], waits, rows, waited, colors)
            taken |= more
    is_full = lowest_missing(taken) >= IN_REGISTER
    if is_full:
        _mark_near(v, distance, rows, marks, colors)  # while others get theirs
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
def _visit(worker, workers, distance, rows: Rows, queue: Queue, work: Work, colors):
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


def _highest_given(colors: Any) -> int:
    return int(np.where(colors == NO_COLOR, 0, colors).max())


def visit(graph: Graph, vertices: Any, colors: Any, workers: int, distance: int = 1, pairs: int = 0) -> bool:
    """Color the vertices in the order in which they come; colors of others are kept and respected.

    `pairs`: how many there are within distance 2, if vertices within it must differ. Returns whether it is done; not
    where threads would do little but wait, where a row is so long that marks for each of them would take more memory
    than the graph, or where given colors are as high as what stands for positions.
    """
    rows, n = Rows(graph.indptr, graph.indices), graph.num_vertices
    numbers = numbers_to_mark(graph, distance) + _LINE
    highest = _highest_given(colors) if vertices.size < n else 0
    if workers * numbers > max(_FREE_MARKS, n + graph.num_entries) or highest >= NO_COLOR - vertices.size:
        return False
    _line_up(vertices.size, vertices, colors)
    needs = np.empty(min(_SAMPLE, vertices.size), bool)
    _look_back(needs.size, vertices.size // max(1, needs.size), workers * _PIECE, rows, vertices, colors, needs)
    if needs.sum() > _MANY * needs.size:
        _forget(vertices.size, vertices, colors)
        return False
    begins = np.empty(vertices.size, bool)
    _cut(-(-vertices.size // _PIECE), rows, vertices, begins)
    pieces = compact(begins)
    waited = np.empty((workers, _ROOM + _LINE), graph.indices.dtype)
    marks = np.full((workers, numbers), -1, graph.indices.dtype)
    step = max(1, _STEP * pieces.size // max(1, n + max(graph.num_entries, pairs)))
    for first, last in in_steps(pieces.size, step):
        queue = Queue(vertices, pieces, np.array([first]), last)
        _visit(workers, distance, rows, queue, Work(waited, marks), colors)
    return True
