"""Star coloring by first fit: no path on four vertices has only two colors.

Result: a proper coloring in which the vertices of any two colors induce stars. It depends only on the graph and the
order. A symmetric matrix with this coloring is recovered directly from its products with the sums of columns of each
color.

Rule: v takes the lowest color that no colored neighbor has, and with which v would not be on a path of four colored
vertices with two colors. For a neighbor w of color a, the other colors to avoid are

* the colors of all neighbors of w, if v has another neighbor of color a (v would be an inner vertex), otherwise
* each color c for which w is a leaf: w's only neighbor of color c has several neighbors of color a (v would be an end).

In the code: `_color_star`. The oracle is `first_fit_by_definition` in tests/support/derivative_oracles.py.

Idea: each vertex has a table of the colors around it (neighbor_colors.py), in which every color has one of three
states. All three are updated when a vertex gets its color, so that the row of a neighbor is never read.

State of a color c around w: `_ONE` neighbor has it; `_LEAF`, one neighbor, which has several neighbors of w's color;
`_SEVERAL` neighbors have it.

Cost: for each entry (v, w), a step for each color around w. One thread. Work memory: 9 bytes per entry and 8
per vertex (13 and 12 with 64-bit ids).

Source: A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New Acyclic and Star Coloring Algorithms with Application to
Computing Hessians", SIAM J. Sci. Comput. 29(3), 2007. It keeps the stars as sets of edges instead of these tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.order import in_turn
from .._core.runtime import Bytes, Int32s, Int64s, Rows, Vertices
from ..graph import Graph
from .neighbor_colors import end_of_table, lowest_without, place_of_color
from .rules import NO_COLOR

_ONE = 0
_LEAF = 1
_SEVERAL = 2


class Stars(NamedTuple):
    """The colors of the vertices, and the colors around them: an element of the last three for every entry."""

    colors: Int32s
    marks: Vertices
    color_count: Int64s  # (1,)
    around: Int32s
    neighbors: Vertices  # the first neighbor that got the color
    states: Bytes


@in_turn(accesses=512)
def _color_star(worker, v, rows: Rows, state: Stars):
    """Color v, and update the tables of its neighbors."""
    colors, marks, color_count, around, neighbors, states = state
    row_start, row_end = rows.indptr[v], rows.indptr[v + 1]
    for e in range(row_start, row_end):
        w = rows.indices[e]
        color = colors[w]
        if color != NO_COLOR:
            marks[color] = v
            is_inner = states[place_of_color(v, color, rows, around)] == _SEVERAL
            for place in range(rows.indptr[w], end_of_table(w, color_count[0], rows)):
                if around[place] != NO_COLOR and (is_inner or states[place] == _LEAF):
                    marks[around[place]] = v
    chosen = lowest_without(v, marks)
    colors[v] = chosen
    color_count[0] = max(color_count[0], chosen + 1)
    for e in range(row_start, row_end):
        w = rows.indices[e]
        color = colors[w]
        place = place_of_color(w, chosen, rows, around)
        if around[place] == NO_COLOR:
            around[place] = chosen
            neighbors[place] = v
            states[place] = _ONE
        else:
            states[place] = _SEVERAL
            if color != NO_COLOR:
                states[place_of_color(neighbors[place], color, rows, around)] = _LEAF
        if color != NO_COLOR:
            back = place_of_color(v, color, rows, around)
            if states[place] == _SEVERAL:
                states[back] = _LEAF
            elif states[back] == _SEVERAL:
                states[place] = _LEAF
    return True


def color_star(graph: Graph, vertices: Any) -> Any:
    """Return the colors of a simple graph in host memory as int32; `vertices` is the order."""
    n, m, id_type = graph.num_vertices, graph.num_entries, graph.indices.dtype
    colors, marks, color_count = np.full(n, NO_COLOR, np.int32), np.full(n + 1, -1, id_type), np.zeros(1, np.int64)
    state = Stars(
        colors, marks, color_count, np.full(m, NO_COLOR, np.int32), np.empty(m, id_type), np.empty(m, np.uint8)
    )
    _color_star(Rows(graph.indptr, graph.indices), vertices, state)
    return colors
