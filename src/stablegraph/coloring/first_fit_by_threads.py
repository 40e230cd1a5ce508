"""First fit by several threads, which wait for one another where they must.

Result: the colors of first_fit.py.

Rule: that of first_fit.py: a vertex takes its color when all its neighbors ahead of it have theirs. The oracle is
`first_fit` in tests/support/naive.py. In the code: `_is_ahead`, and `_fit`, which waits.

Idea: threads take pieces of the order, one after another, and color their vertices in turn. A neighbor that is ahead
and has no color yet is being colored right now, or soon will be, by another thread; whoever needs it waits. Nobody
waits in a circle, as the thread with the first piece that is not done needs nobody else. Few thousand vertices are in
the making at a time, so in most graphs nearly nobody waits. Three things keep waits short:

- A row is read to its end before its vertex waits for anyone; then it only comes back to those that it waits for. Where
  the ends of long rows depend on one another, nearly all of the reading is still done side by side.
- Pieces are short: 64 vertices, or fewer where rows are long.
- But no piece begins with a vertex that is next to the one before it, if its row is short: it would wait for that whole
  piece. So the rows of a grid, numbered one after another, are pieces, and a thread follows the one in the row before,
  some steps behind. A path in its order is one piece, for one thread.

State: ``colors[v]``, for a vertex of the stretch that is being colored ``NO_COLOR - 1 - (its position there)`` until it
has its color: above all colors, and the larger, the earlier its turn comes. Colors go one way only, so relaxed loads
and stores are enough.

Cost: that of first fit, shared, and a row of 64 once more. Work memory: 5 bytes a vertex of
a stretch, and for each thread a number for each possible color.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Graph
from ..parallel import atomic_add, atomic_load, atomic_store, give_way, in_steps, kernel, prefetch, rule
from ..parallel.groups import Rows
from ..parallel.primitives import compact
from .color_sets import EMPTY, IN_REGISTER, bit_in_register, lowest_missing
from .first_fit import NO_COLOR, beyond_register, colors_around, numbers_to_mark

_PIECE = 64  # vertices
_WORK = 1024  # entries of a piece, if all its rows are as long as the first one
_SHORT = 32  # entries: reading longer rows takes longer than waiting
_ROOM = 128  # vertices that one comes back to; if there are more, it waits for these first
_LINE = 16  # numbers between the work memories of two workers, so that they share no cache line
_STEP = 1 << 25  # entries and vertices of a kernel call; bounds the latency of Ctrl-C


class Pieces(NamedTuple):
    """The pieces of a stretch of the order."""

    begins: Any  # (pieces,): the first position of each
    next: Any  # (1,): the first piece that nobody has taken


class Work(NamedTuple):
    """The work memory of each worker."""

    waited: Any  # (workers, _ROOM + _LINE): the vertices that one waits for
    marks: Any  # (workers, colors): see color_sets.py


@kernel
def _line_up(i, vertices, colors):
    """Note the vertex's position."""
    colors[vertices[i]] = NO_COLOR - 1 - i


@rule
def _follows(i, vertices, rows):
    """Whether the vertex at position i has a short row in which the one before it is."""
    v = vertices[i]
    start, end = rows.indptr[v], rows.indptr[v + 1]
    found = False
    if i > 0 and end - start <= _SHORT:
        before = vertices[i - 1]
        for e in range(start, end):
            found |= rows.indices[e] == before
    return found


@kernel(each=_PIECE)
def _cut(k, rows: Rows, vertices, begins):
    """Mark where pieces begin among the k-th `_PIECE` positions."""
    start = k * _PIECE
    end = min(start + _PIECE, vertices.size)
    for i in range(start, end):
        begins[i] = False
    while start < end and _follows(start, vertices, rows):
        start += 1
    if start < end:
        v = vertices[start]
        for i in range(start, end, 1 + _WORK // (1 + rows.indptr[v + 1] - rows.indptr[v])):
            begins[i] = True


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
def _rest(i, waits, waited, colors):
    """The colors of the vertices that are waited for, when all have one."""
    taken = EMPTY
    for w in range(waits):
        color = atomic_load(colors, waited[w])
        while _is_ahead(color, i):
            give_way()
            color = atomic_load(colors, waited[w])
        taken |= bit_in_register(color)
    return taken


@rule
def _fit(i, v, rows, waited, marks, colors):
    """The lowest color that no neighbor ahead of v has, whose position is i."""
    indptr, indices = rows
    end = indptr[v + 1]
    taken, waits = EMPTY, 0
    for start in range(indptr[v], end, _ROOM // 2):
        stop = min(start + _ROOM // 2, end)
        some, highest = colors_around(start, stop, indices, colors)
        if _is_ahead(highest, i):
            if waits > _ROOM // 2:
                taken |= _rest(i, waits, waited, colors)
                waits = 0
            some, waits = _part(i, start, stop, indices, colors, waited, waits)
        taken |= some
    if waits > 0:
        taken |= _rest(i, waits, waited, colors)
    color = lowest_missing(taken)
    if color >= IN_REGISTER:
        color = beyond_register(v, indptr[v], end, indices, marks, colors)
    return color


@kernel(by="workers")
def _visit(worker, workers, last, rows: Rows, vertices, pieces: Pieces, work: Work, colors):
    """Take pieces up to the `last`, and color their vertices in turn."""
    begins, following = pieces
    waited, marks = work.waited[worker], work.marks[worker]
    piece = atomic_add(following, 0, 1)
    while piece < last:
        start = begins[piece]
        end = begins[piece + 1] if piece + 1 < begins.size else vertices.size
        for i in range(start, min(end, start + _PIECE)):
            row = rows.indptr[vertices[i]]
            prefetch(rows.indices, row)
            prefetch(rows.indices, row + 15)
        for i in range(start, end):
            v = vertices[i]
            atomic_store(colors, v, _fit(i, v, rows, waited, marks, colors))
        piece = atomic_add(following, 0, 1)


def visit(graph: Graph, vertices: Any, colors: Any, workers: int) -> None:
    """Color the vertices in the order in which they come; colors of others are kept and respected."""
    rows = Rows(graph.indptr, graph.indices)
    waited = np.empty((workers, _ROOM + _LINE), graph.indices.dtype)
    marks = np.full((workers, numbers_to_mark(graph) + _LINE), -1, graph.indices.dtype)
    begins = np.empty(vertices.size, bool)
    _line_up(vertices.size, vertices, colors)
    _cut(-(-vertices.size // _PIECE), rows, vertices, begins)
    pieces = compact(begins)
    step = max(1, _STEP * pieces.size // max(1, graph.num_vertices + graph.num_entries))
    for first, last in in_steps(pieces.size, step):
        _visit(workers, last, rows, vertices, Pieces(pieces, np.array([first])), Work(waited, marks), colors)
