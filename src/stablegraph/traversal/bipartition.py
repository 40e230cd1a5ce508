"""The two sides of bipartite components, by breadth-first search.

Result: the side of each vertex in a bipartite component. The smallest vertex of a component that is allowed as a start
is on side 1. The result depends on the graph and the starts only.

Rule: a component is bipartite  <=>  no edge joins two vertices of the same side, where a vertex discovered from v gets
the side opposite to that of v. In the code: the line of `_search_sides` that sets `odd`.

Idea: run a search from each allowed start that has no side yet. At the first edge inside a side, abandon the component
and mark all its vertices found so far. A later search that finds a marked vertex stops at once. Each vertex is
therefore visited at most once; where odd cycles are short, as in most graphs that are not bipartite, few vertices are
visited.

If only some vertices are starts, nearly all searches end at once in a large component with odd cycles. When the first
searches have found an odd cycle, several threads therefore mark other vertices in three passes: vertices next to marked
ones, then vertices in triangles, then again vertices next to marked ones.

State, one byte per vertex: 0 not seen, 1 and 2 the two sides, 3 in a component with an odd cycle.

Cost: each entry is read at most once by one thread, and in each pass rows up to the first marked vertex. Work memory:
one byte and one id per vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.frontier import in_queue, new_queue
from .._core.runtime import Bools, Bytes, Rows, kernel, rule, worker_count
from ..graph import Graph
from .breadth_first import distances_and_parents

_UNSEEN, ODD = 0, 3
_FIRST_STEP = 1 << 14  # vertices and entries before the first pass: enough for an odd cycle in most graphs with one
MIN_MARKING_WORKERS = 6  # with fewer workers, passes are slower than searches
_SHORT = 16  # entries; longer rows are not searched for triangles


class Sides(NamedTuple):
    """The side of each vertex, and the vertices that are allowed as starts."""

    of: Bytes  # (n,)
    starts: Bools  # (n,); empty if all are allowed


@rule
def _start_on_first_side(v, state):
    """Put an allowed vertex without a side on side 1."""
    begins = state.of[v] == _UNSEEN and (state.starts.size == 0 or state.starts[v])
    if begins:
        state.of[v] = 1
    return begins


@in_queue(make_root=_start_on_first_side)
def _search_sides(v, first, tail, rows: Rows, queue, state: Sides):
    """Put the neighbors of v on the other side; if one is on the same side, mark all vertices of this search."""
    sides = state.of
    other = 3 - sides[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if sides[u] == _UNSEEN:
            sides[u] = other
            queue[tail] = u
            tail += 1
        elif sides[u] != other and u != v:
            for i in range(first, tail):
                sides[queue[i]] = ODD
            return first
    return tail


@rule
def _is_in_triangle(v, rows):
    """Return whether v and its first neighbor have a common neighbor; only short rows are searched."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    found = False
    if start < end:
        u = rows.indices[start]
        first, last = rows.indptr[u], rows.indptr[u + 1]
        if (u != v) & (end - start <= _SHORT) & (last - first <= _SHORT):
            for f in range(first, last):
                w = rows.indices[f]
                for e in range(start, end):
                    found |= (rows.indices[e] == w) & (w != u) & (w != v)
    return found


@kernel(by="edges")
def _spread_odd(v, rows: Rows, in_triangles: bool, sides: Bytes):
    """Mark an unseen vertex next to a marked one, or in a triangle: its component has an odd cycle."""
    if sides[v] == _UNSEEN:
        e, end = rows.indptr[v], rows.indptr[v + 1]
        while e < end and sides[rows.indices[e]] != ODD:
            e += 1
        if e < end or (in_triangles and _is_in_triangle(v, rows)):
            sides[v] = ODD


def two_sides(rows: Rows, starts: Any = None) -> Any:
    """Return side 1 or 2 for each vertex of a bipartite component; its smallest start is on side 1.

    `starts`, bool (n,), marks the vertices that are allowed as starts, by default all. Loops are ignored. Vertices of
    bipartite components without a start are 0. In a component with an odd cycle the vertices that were found are 3, the
    remaining ones 0; if all vertices are starts, all of its vertices are found.
    """
    n, queue = rows.indptr.size - 1, new_queue(rows)
    state = Sides(np.zeros(n, np.uint8), np.empty(0, bool) if starts is None else starts)
    if starts is not None and worker_count("cpu", n + rows.indices.size) >= MIN_MARKING_WORKERS:
        _search_sides.step(_FIRST_STEP, rows, None, state, queue)
        if (state.of == ODD).any():
            for in_triangles in (False, True, False):
                _spread_odd(n, rows, in_triangles, state.of)
    _search_sides(rows, None, state, queue)
    return state.of


def odd_cycle(graph: Graph, source: int) -> Any:
    """Return a cycle of odd length in the component of a vertex, which is not bipartite; graph in host memory.

    A breadth-first search from the vertex has an edge between vertices at equal distances. The cycle consists of the
    first such edge, by distance and vertices, and the paths from its ends to the first vertex that both have in common.
    """
    distance, parent = distances_and_parents(graph, np.array([source]), graph.num_vertices)
    rows, columns = graph._rows(), graph.indices
    level = np.flatnonzero((rows < columns) & (distance[rows] == distance[columns]) & (distance[rows] >= 0))
    first = level[np.lexsort((columns[level], rows[level], distance[rows[level]]))[0]]
    left, right = [int(rows[first])], [int(columns[first])]
    while left[-1] != right[-1]:
        left.append(int(parent[left[-1]]))
        right.append(int(parent[right[-1]]))
    return np.array([*reversed(left), *right[:-1]])
