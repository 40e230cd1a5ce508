"""Acyclic coloring by first fit: no cycle has only two colors.

Result: a proper coloring in which the vertices of any two colors induce a forest. It depends only on the graph and the
order. A symmetric matrix with this coloring is recovered by substitution from its products with the sums of columns of
each color, often with fewer colors than a star coloring.

Rule: v takes the lowest color that no colored neighbor has, and with which v would not close a cycle with two colors.
It would close one with color c if two of its neighbors have the same color and are in the same tree of their color and
c. In the code: `_color_acyclic`. The oracle is `first_fit_by_definition` in tests/support/derivative_oracles.py.

Idea: the edges from a vertex w to all its neighbors of color c are in one tree of the forest of w's color and c. So a
place in w's table of colors (neighbor_colors.py) represents them all, and a disjoint-set forest of places represents
the trees. An edge (v, w) joins two places: that of w's color around v, and that of v's color around w.

State: parents[place], the place above in the disjoint-set forest; the root is above itself. visitors[root] is the last
vertex with a neighbor in this tree.

Cost: for each entry (v, w), a search in the disjoint-set forest for each color around w. One thread. Work
memory: 12 bytes per entry and 8 per vertex (20 and 12 with 64-bit ids and offsets).

Source: A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New Acyclic and Star Coloring Algorithms with Application to
Computing Hessians", SIAM J. Sci. Comput. 29(3), 2007.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.order import in_turn
from .._core.runtime import Int32s, Int64s, Offsets, Rows, Vertices, rule
from ..graph import Graph
from .neighbor_colors import end_of_table, lowest_without, place_of_color
from .rules import NO_COLOR


class Trees(NamedTuple):
    """The colors of the vertices and around them, and the trees: an element of the last three for every entry."""

    colors: Int32s
    marks: Vertices
    color_count: Int64s  # (1,)
    around: Int32s
    parents: Offsets
    visitors: Vertices


@rule
def _root(place, parents):
    """Return the root of a place; every second place on the path gets a shorter path."""
    while parents[place] != place:
        above = parents[parents[place]]
        parents[place] = above
        place = above
    return place


@in_turn(accesses=512)
def _color_acyclic(worker, v, rows: Rows, state: Trees):
    """Color v, and join the trees of its neighbors."""
    colors, marks, color_count, around, parents, visitors = state
    row_start, row_end = rows.indptr[v], rows.indptr[v + 1]
    for e in range(row_start, row_end):
        w = rows.indices[e]
        if colors[w] != NO_COLOR:
            marks[colors[w]] = v
            for place in range(rows.indptr[w], end_of_table(w, color_count[0], rows)):
                color = around[place]
                if color != NO_COLOR and marks[color] != v:
                    root = _root(place, parents)
                    if visitors[root] == v:
                        marks[color] = v
                    visitors[root] = v
    chosen = lowest_without(v, marks)
    colors[v] = chosen
    color_count[0] = max(color_count[0], chosen + 1)
    for e in range(row_start, row_end):
        w = rows.indices[e]
        place = place_of_color(w, chosen, rows, around)
        around[place] = chosen
        if colors[w] != NO_COLOR:
            back = place_of_color(v, colors[w], rows, around)
            one, other = _root(place, parents), _root(back, parents)
            parents[max(one, other)] = min(one, other)
    return True


def color_acyclic(graph: Graph, vertices: Any) -> Any:
    """Return the colors of a simple graph in host memory as int32; `vertices` is the order."""
    n, m, id_type = graph.num_vertices, graph.num_entries, graph.indices.dtype
    colors, marks, color_count = np.full(n, NO_COLOR, np.int32), np.full(n + 1, -1, id_type), np.zeros(1, np.int64)
    parents = np.arange(m, dtype=graph.indptr.dtype)
    state = Trees(colors, marks, color_count, np.full(m, NO_COLOR, np.int32), parents, np.full(m, -1, id_type))
    _color_acyclic(Rows(graph.indptr, graph.indices), vertices, state)
    return colors
