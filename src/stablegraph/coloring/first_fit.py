"""First fit: every vertex in turn takes the lowest color that none of its neighbours has. One thread.

Result: the coloring that all other algorithms here reproduce in parallel.

Idea: the colors below 63 that a vertex finds around it are a set in one register, color 0 at the highest bit, so the
lowest color left is a count of leading zeros; 63 stands for every color that is higher or not there yet. Only where all
63 are taken, the row is read again, and the higher colors are marked in an array with the vertex that saw them, so that
marks need not be erased.

Out of order, rows come from anywhere in memory and are asked for ahead of time, two cache lines each. Rows of four and
of six entries, those of grids, go without a loop, which saves a third of the time there.

State: colors[v], `NO_COLOR` until v is visited. Cost: O(n + m); work memory: a number for each possible color.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel, leading_zeros, prefetch, rule
from ..rows import read_only

NO_COLOR = 2**31 - 1  # beyond every color, so that the lowest one of several needs no question

_IN_REGISTER = 63
_FIRST = np.uint64(1 << 63)
_AHEAD_BY = 64  # vertices: their rows are asked for so long before they are looked at
_LINE = 15  # entries of 4 bytes later the next cache line has begun
_LONG = 256  # entries: in longer rows it pays to search for the diagonal
_STEP = 1 << 25  # entries, or vertices, that one thread goes through between two chances to be interrupted


@rule
def _bit(e, indices, colors):
    """The set of the color at the other end of an entry."""
    return _FIRST >> np.uint64(min(colors[at(indices[at(e)])], _IN_REGISTER))


@rule
def _four(e, indices, colors):
    low = _bit(e, indices, colors) | _bit(e + 1, indices, colors)
    return low | _bit(e + 2, indices, colors) | _bit(e + 3, indices, colors)


@rule(inline=False)
def _beyond_register(v, start, end, indices, marks, colors):
    """The lowest color left from `_IN_REGISTER` on."""
    most = marks.size - 1
    for e in range(start, end):
        marks[at(min(colors[at(indices[at(e)])], most))] = v
    color = _IN_REGISTER
    while marks[at(color)] == v:
        color += 1
    return color


@rule
def _lowest_left(v, start, end, indices, marks, colors):
    if end - start == 4:
        taken = _four(start, indices, colors)
    elif end - start == 6:
        taken = _four(start, indices, colors) | _bit(start + 4, indices, colors) | _bit(start + 5, indices, colors)
    else:
        taken = np.uint64(0)
        for e in range(start, end):
            taken |= _bit(e, indices, colors)
    color = leading_zeros(~taken)
    if color >= _IN_REGISTER:
        color = _beyond_register(v, start, end, indices, marks, colors)
    return color


@kernel(by="single")
def _visit(first, beyond, vertices, indptr, indices, marks, colors):
    last = vertices.size - 1
    for i in range(first, beyond):
        prefetch(indptr, int(vertices[at(min(i + 2 * _AHEAD_BY, last))]))
        row = int(indptr[at(vertices[at(min(i + _AHEAD_BY, last))])])
        prefetch(indices, row)
        prefetch(indices, row + _LINE)
        v = int(vertices[at(i)])
        colors[at(v)] = _lowest_left(v, int(indptr[at(v)]), int(indptr[at(v + 1)]), indices, marks, colors)


@rule(inline=False)
def _diagonal(v, start, end, indices):
    """Where the entries of a sorted row begin that are not below v."""
    while start < end:
        middle = (start + end) >> 1
        if indices[at(middle)] < v:
            start = middle + 1
        else:
            end = middle
    return end


@kernel(by="single")
def _visit_by_id(first, beyond, longest, indptr, indices, marks, colors):
    """As `_visit` for all in order of ids, where the processor asks for memory ahead of time by itself.

    Rows of more than `longest` entries, which must be sorted, are read as far as there can be colors.
    """
    for v in range(first, beyond):
        start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        if end - start > longest:
            end = _diagonal(v, start, end, indices)
        colors[at(v)] = _lowest_left(v, start, end, indices, marks, colors)


def visit(graph: Graph, vertices: Any | None, colors: Any) -> None:
    """Give the vertices their colors in the order in which they come; None stands for all of them by id.

    Where some are given, all others may have colors already: these stay, and are minded.
    """
    n, id_type, rows = graph.num_vertices, graph.indices.dtype, (graph.indptr, graph.indices)
    if vertices is not None:  # of one form only, for which kernels are compiled
        vertices = read_only(np.ascontiguousarray(vertices, id_type))
    most = min(n, int(graph.facts["longest_row"]))  # as many vertices can be in the way, and there is one more color
    marks = np.full(max(most, _IN_REGISTER) + 2, -1, id_type)
    step = max(1, _STEP * n // max(1, n + graph.num_entries))
    count = n if vertices is None else vertices.size
    for first in range(0, count, step):
        beyond = min(count, first + step)
        if vertices is None:
            _visit_by_id(first, beyond, _LONG if graph.is_sorted else graph.num_entries, *rows, marks, colors)
        else:
            _visit(first, beyond, vertices, *rows, marks, colors)
