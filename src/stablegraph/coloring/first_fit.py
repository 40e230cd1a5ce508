"""First fit, the greedy coloring: each vertex in turn takes the lowest color that none of its neighbors has.

Result: a proper coloring that depends only on the graph and the order. The parallel algorithms of this package
reproduce it. It has at most one color more than the largest degree.

Rule: color(v) = min({0, 1, 2, ...} - {color(u) : u adjacent to v and ahead of it}). The oracle is `first_fit` in
tests/support/naive.py. In the code: `lowest_free_color`.

Idea: the colors below 63 of the neighbors are a set in one register (color_sets.py). Only if all of them are taken, the
row is read again for the higher colors.

If the order is not by id, rows are scattered in memory and are prefetched, two cache lines each. Rows of four and six
entries, which are typical of grids, are read without a loop; this saves a third of the time on grids.

State: colors[v], `NO_COLOR` until v is colored.

Cost: O(n + m), one thread. Work memory: one number per possible color.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import read_only
from .._core.runtime import chunked, kernel, lower_bound, prefetch, rule
from .._core.runtime.structs import Rows
from ..graph import Graph
from .color_sets import EMPTY, IN_REGISTER, bit_in_register, lowest_missing, lowest_unmarked, mark

NO_COLOR = 2**31 - 1  # larger than any color, so that `min` over neighbors needs no special case

_AHEAD_BY = 64  # prefetch distance, in vertices
_LINE = 15  # entries of 4 bytes after which the next cache line has begun
_LONG = 256  # entries; in longer rows, searching for the diagonal is worthwhile
_STEP = 1 << 25  # entries and vertices per kernel call; bounds the latency of Ctrl-C


@rule
def _two(e, indices, colors):
    """Return the set of the colors of two entries, and the higher color."""
    one, other = colors[indices[e]], colors[indices[e + 1]]
    return bit_in_register(one) | bit_in_register(other), max(one, other)


@rule
def colors_around(start, end, indices, colors):
    """Return the set of the colors of the entries from `start` to `end`, and the highest color."""
    if end - start == 4 or end - start == 6:
        taken, highest = _two(start, indices, colors)
        more, high = _two(start + 2, indices, colors)
        taken, highest = taken | more, max(highest, high)
        if end - start == 6:
            more, high = _two(start + 4, indices, colors)
            taken, highest = taken | more, max(highest, high)
    else:
        taken, highest = EMPTY, np.int32(0)
        for e in range(start, end):
            color = colors[indices[e]]
            taken |= bit_in_register(color)
            highest = max(highest, color)
    return taken, highest


@rule(inline=False)
def mark_colors(v, start, end, indices, marks, colors):
    """Mark the colors of v's entries from `start` to `end`."""
    for e in range(start, end):
        mark(colors[indices[e]], v, marks)


@rule
def lowest_free_color(v, start, end, indices, marks, colors):
    """Return the lowest color that no entry of v's row from `start` to `end` has."""
    taken, _ = colors_around(start, end, indices, colors)
    color = lowest_missing(taken)
    if color >= IN_REGISTER:
        mark_colors(v, start, end, indices, marks, colors)
        color = lowest_unmarked(v, marks)
    return color


@kernel(by="single", types="int int V[] O[] V[] V[] int32[]")
def _visit(start, end, vertices, rows: Rows, marks, colors):
    """Color the vertices at positions `start` to `end`, in their order."""
    indptr, indices = rows
    last = vertices.size - 1
    for i in range(start, end):
        prefetch(indptr, vertices[min(i + 2 * _AHEAD_BY, last)])
        row = indptr[vertices[min(i + _AHEAD_BY, last)]]
        prefetch(indices, row)
        prefetch(indices, row + _LINE)
        v = vertices[i]
        colors[v] = lowest_free_color(v, indptr[v], indptr[v + 1], indices, marks, colors)


@rule(inline=False)
def _diagonal(v, start, end, indices):
    """Return the position in a sorted row of the first entry that is not below v."""
    return lower_bound(indices, start, end, v)


@kernel(by="single", types="int int int O[] V[] V[] int32[]")
def _visit_by_id(start, end, longest, rows: Rows, marks, colors):
    """Color the vertices `start` to `end` by id, like `_visit` but without prefetching, which the processor does.

    Rows of more than `longest` entries, which must be sorted, are read only up to the diagonal: later ids are still
    uncolored.
    """
    indptr, indices = rows
    for v in range(start, end):
        row_start, row_end = indptr[v], indptr[v + 1]
        if row_end - row_start > longest:
            row_end = _diagonal(v, row_start, row_end, indices)
        colors[v] = lowest_free_color(v, row_start, row_end, indices, marks, colors)


def numbers_to_mark(graph: Graph, distance: int = 1) -> int:
    """Return the size of the array of marks for the colors in one neighborhood, at distance 1 or 2."""
    longest = int(graph.facts["longest_row"])
    most = min(graph.num_vertices, longest if distance == 1 else longest + longest**2)  # vertices in a neighborhood
    return max(most, IN_REGISTER) + 2  # one for a free color, and one for all colors beyond the array


def visit(graph: Graph, vertices: Any | None, colors: Any) -> None:
    """Color the vertices in the given order; None means all vertices by id.

    If `vertices` is given, other vertices may already be colored; their colors are kept and respected.
    """
    n, id_type = graph.num_vertices, graph.indices.dtype
    rows = Rows(graph.indptr, graph.indices)
    if vertices is not None:  # kernels are compiled for this form only
        vertices = read_only(np.ascontiguousarray(vertices, id_type))
    marks = np.full(numbers_to_mark(graph), -1, id_type)
    step = max(1, _STEP * n // max(1, n + graph.num_entries))
    for start, end in chunked(n if vertices is None else vertices.size, step):
        if vertices is None:
            _visit_by_id(start, end, _LONG if graph.is_sorted else graph.num_entries, rows, marks, colors)
        else:
            _visit(start, end, vertices, rows, marks, colors)
