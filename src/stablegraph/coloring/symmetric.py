"""Colorings of symmetric matrices by first fit: star and acyclic colorings, in one order or in the best of several.

Result: a proper coloring with the colors from 0 on, without gaps, in which the vertices of any two colors induce stars
(star coloring) or a forest (acyclic coloring). It depends only on the graph and the orders. A symmetric matrix is
recovered from its products with the sums of columns of each color: directly with a star coloring, and by substitution,
often from fewer products, with an acyclic one.

Rule: in each order, v takes the lowest color that no colored neighbor has and that is not to be avoided. Of several
orders, the coloring with the fewest colors is returned, the first one in a tie.

* Star: v must not be on a path of four colored vertices with two colors. For a neighbor w of color a, it avoids the
  colors of all neighbors of w if v has another neighbor of color a (v would be an inner vertex). Otherwise it avoids
  each color c for which w is a leaf: w's only neighbor of color c has several neighbors of color a (v would be an end).
* Acyclic: v must not close a cycle with two colors. It would close one with color c if two of its neighbors have the
  same color and are in the same tree of their color and c.

In the code: `_color_star` and `_color_acyclic`. The oracle is `first_fit_by_definition` in
tests/support/derivative_oracles.py.

Idea: each vertex has a table of the colors around it, which is updated when a vertex gets its color. A vertex with d
neighbors sees at most d different colors, so its table has d places: those of its row in CSR form. The place of color c
is c, modulo d, or the next free one (`place_of_color`). While there are at most d colors, the place is found at once,
and it is sufficient to read as many places as there are colors. In a star coloring every color in a table has one of
three states, so that the row of a neighbor is never read. In an acyclic coloring, the edges from a vertex w to all its
neighbors of color c are in one tree of the forest of w's color and c. So a place in w's table represents them all, and
a disjoint-set forest of places represents the trees. An edge (v, w) joins two places: that of w's color around v, and
that of v's color around w.

State: around[place], a color; `NO_COLOR` if the place is free. states[place] of a color c around w: `_ONE` neighbor has
it; `_LEAF`, one neighbor, which has several neighbors of w's color; `_SEVERAL` neighbors have it. parents[place], the
place above in the disjoint-set forest; the root is above itself. visitors[root] is the last vertex with a neighbor in
this tree.

Cost: for each entry (v, w), a step for each color around w, in an acyclic coloring a search in the disjoint-set forest;
and the cost of the order (order.py). One thread. Work memory: for a star coloring 9 bytes per entry and 8 per vertex
(13 and 12 with 64-bit ids), for an acyclic one 12 bytes per entry and 8 per vertex (20 and 12 with 64-bit ids and
offsets).

Source: A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New Acyclic and Star Coloring Algorithms with Application to
Computing Hessians", SIAM J. Sci. Comput. 29(3), 2007. It keeps the stars as sets of edges instead of these tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from .._core.engines.order import in_turn
from .._core.option_names import Order
from .._core.runtime import Bytes, Int32s, Int64s, Offsets, Rows, Vertices, rule
from .._core.typing import GraphLike, Numbers
from .._core.unknown_options import suggests_options
from .._core.validation import seed_hash
from ..conversion import undirected
from ..graph import Graph
from .order import checked_orders, visiting_order, with_fewest_colors
from .rules import NO_COLOR, lowest_unmarked

TRIED_ORDERS = ["natural", "smallest_last"]  # by default: neither is better on most matrices

# ---- Tables of the colors around each vertex


@rule
def place_of_color(v, color, rows, colors):
    """Return the place of a color in v's table, or the free place where it belongs."""
    start = rows.indptr[v]
    size = rows.indptr[v + 1] - start
    step = color if color < size else color % size
    while colors[start + step] != NO_COLOR and colors[start + step] != color:
        step += 1
        if step == size:
            step = 0
    return start + step


@rule
def end_of_table(v, count, rows):
    """Return the end of the places of v's table that may be in use, for colors below `count`."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    return min(end, start + count)


# ---- Star colorings

_ONE, _LEAF, _SEVERAL = range(3)  # the states of a color around a vertex


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
    chosen = lowest_unmarked(v, marks, 0)
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


# ---- Acyclic colorings


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
    chosen = lowest_unmarked(v, marks, 0)
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


# ---- The best of several orders


@suggests_options
def star_coloring(
    graph: GraphLike, *, order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None, seed: int = 0
) -> npt.NDArray[np.int32]:
    """Color the vertices so that adjacent ones differ and no path on four vertices has only two colors.

    >>> import stablegraph as sg
    >>> sg.star_coloring(sg.gallery.grid((6,)))
    array([0, 1, 0, 2, 0, 1], dtype=int32)

    A sparse Hessian is recovered directly from one product per color, if the columns of its matrix have such a
    coloring. `hessian_coloring` prepares the recovery.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries are ignored.
    order : str, array (n,), or a list of these, optional
        The order in which vertices are colored, as for `vertex_coloring`. With a list, every order is tried, and the
        coloring with the fewest colors is returned. The default is ``["natural", "smallest_last"]``.
    seed : int
        Seed of the order "random"; any integer.

    Returns
    -------
    int32 array (n,)
        Colors 0 .. K - 1, each of them in use. A CuPy array for a graph on a GPU.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, or an order is unknown, has a wrong shape or contains
        NaN.
    TypeError
        If an order has the wrong type.

    See Also
    --------
    is_star_coloring : Check a coloring with an independent method.
    acyclic_coloring : Fewer colors, recovery by substitution.

    Notes
    -----
    Deterministic: the same colors on every machine; one thread, on the CPU. The time is proportional to the sum, over
    all edges, of the number of colors around their ends. Work memory: 9 bytes per entry and 8 per vertex (13 and 12
    with 64-bit ids), and that of the order.

    References
    ----------
    A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New Acyclic and Star Coloring Algorithms with Application to
    Computing Hessians", SIAM J. Sci. Comput. 29(3), 2007.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], symmetrize=True)
    >>> sg.star_coloring(path)
    array([0, 1, 0, 2, 0, 1], dtype=int32)
    >>> sg.is_star_coloring(path, [0, 1, 0, 1, 2, 0])
    False
    """
    return _color_symmetric(color_star, graph, order, seed)


@suggests_options
def acyclic_coloring(
    graph: GraphLike, *, order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None, seed: int = 0
) -> npt.NDArray[np.int32]:
    """Color the vertices so that adjacent ones differ and every cycle has at least three colors.

    >>> import stablegraph as sg
    >>> sg.acyclic_coloring(sg.gallery.grid((5,)))
    array([0, 1, 0, 1, 0], dtype=int32)

    A sparse Hessian is recovered by substitution from one product per color, if the columns of its matrix have such a
    coloring. `hessian_coloring` prepares the recovery.

    Parameters
    ----------
    graph, order, seed
        As for `star_coloring`.

    Returns
    -------
    int32 array (n,)
        Colors 0 .. K - 1, each of them in use. A CuPy array for a graph on a GPU.

    Raises
    ------
    ValueError, TypeError
        As for `star_coloring`.

    See Also
    --------
    is_acyclic_coloring : Check a coloring with an independent method.

    Notes
    -----
    Deterministic: the same colors on every machine; one thread, on the CPU. The time is nearly proportional to the sum,
    over all edges, of the number of colors around their ends. Work memory: 12 bytes per entry and 8 per vertex (20 and
    12 with 64-bit ids and offsets), and that of the order.

    References
    ----------
    A. Gebremedhin, A. Tarafdar, F. Manne, A. Pothen, "New Acyclic and Star Coloring Algorithms with Application to
    Computing Hessians", SIAM J. Sci. Comput. 29(3), 2007.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> sg.acyclic_coloring(cycle)
    array([0, 1, 0, 2], dtype=int32)
    """
    return _color_symmetric(color_acyclic, graph, order, seed)


def _color_symmetric(
    color: Callable[[Graph, Any], Any], graph: GraphLike, order: Any, seed: int
) -> npt.NDArray[np.int32]:
    """Return the coloring with the fewest colors among those in the given orders."""
    hashed = seed_hash(seed)
    graph = undirected(graph)
    simple = graph.to("cpu").simple()
    orders = checked_orders(TRIED_ORDERS if order is None else order, graph)
    visited = (np.ascontiguousarray(visiting_order(simple, one, "id", hashed)) for one in orders)
    best = with_fewest_colors(color(simple, vertices) for vertices in visited)
    return cast("npt.NDArray[np.int32]", graph.xp.asarray(best))
