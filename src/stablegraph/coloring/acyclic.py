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

from .._core.runtime import Int32s, Offsets, Rows, Vertices, chunked, kernel, rule
from .._core.runtime.partitioning import VERTICES_PER_CALL
from ..graph import Graph
from .neighbor_colors import end_of_table, lowest_without, place_of_color
from .rules import NO_COLOR


class Trees(NamedTuple):
    """The colors around each vertex, and the trees of two colors; an element of each array for every entry."""

    colors: Int32s
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


@kernel(by="single", types="int int V[] int32[] V[] int64[]")
def _color_acyclic(start, end, vertices, rows: Rows, trees: Trees, colors, marks, count):
    """Color the vertices at positions `start` to `end`; `count` holds the number of colors."""
    for i in range(start, end):
        v = vertices[i]
        row_start, row_end = rows.indptr[v], rows.indptr[v + 1]
        for e in range(row_start, row_end):
            w = rows.indices[e]
            if colors[w] != NO_COLOR:
                marks[colors[w]] = v
                for place in range(rows.indptr[w], end_of_table(w, count[0], rows)):
                    around = trees.colors[place]
                    if around != NO_COLOR and marks[around] != v:
                        root = _root(place, trees.parents)
                        if trees.visitors[root] == v:
                            marks[around] = v
                        trees.visitors[root] = v
        chosen = lowest_without(v, marks)
        colors[v] = chosen
        count[0] = max(count[0], chosen + 1)
        for e in range(row_start, row_end):
            w = rows.indices[e]
            place = place_of_color(w, chosen, rows, trees.colors)
            trees.colors[place] = chosen
            if colors[w] != NO_COLOR:
                back = place_of_color(v, colors[w], rows, trees.colors)
                one, other = _root(place, trees.parents), _root(back, trees.parents)
                trees.parents[max(one, other)] = min(one, other)


def color_acyclic(graph: Graph, vertices: Any) -> Any:
    """Return the colors of a simple graph in host memory as int32; `vertices` is the order."""
    n, m, id_type = graph.num_vertices, graph.num_entries, graph.indices.dtype
    trees = Trees(np.full(m, NO_COLOR, np.int32), np.arange(m, dtype=graph.indptr.dtype), np.full(m, -1, id_type))
    colors, marks, count = np.full(n, NO_COLOR, np.int32), np.full(n + 1, -1, id_type), np.zeros(1, np.int64)
    rows = Rows(graph.indptr, graph.indices)
    for start, end in chunked(n, VERTICES_PER_CALL):
        _color_acyclic(start, end, vertices, rows, trees, colors, marks, count)
    return colors
