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

from typing import Any

import numpy as np

from .._core.runtime import Bools, Bytes, Int64s, Rows, Vertices, kernel, rule, worker_count
from .._core.runtime.partitioning import VERTICES_PER_CALL
from ..graph import Graph
from .breadth_first import search

_UNSEEN, ODD = 0, 3
_FIRST_STEP = 1 << 11  # the same before the first pass: enough for an odd cycle in most graphs that have one
_WORKERS = 6  # with fewer workers, passes are slower than searches
_SHORT = 16  # entries; longer rows are not searched for triangles


@kernel(by="single")
def _search_sides(step: int, rows: Rows, starts: Bools, sides: Bytes, queue: Vertices, progress: Int64s):
    """Continue the search for up to `step` vertices.

    `progress` holds the next candidate for a start and three positions in the queue, which contains all vertices found
    so far: those of the current search begin at `first`, and those from `head` to `tail` are still to be visited.
    """
    root, first, head, tail = progress[0], progress[1], progress[2], progress[3]
    last_root, pause, every = min(root + step, sides.size), head + step, starts.size == 0
    while head < min(tail, pause) or (head == tail and root < last_root):
        # The neighbors of the next vertex in the queue get the other side.
        while head < min(tail, pause):
            v = queue[head]
            head += 1
            other = 3 - sides[v]
            odd = False
            for e in range(rows.indptr[v], rows.indptr[v + 1]):
                u = rows.indices[e]
                if sides[u] == _UNSEEN:
                    sides[u] = other
                    queue[tail] = u
                    tail += 1
                elif sides[u] != other and u != v:
                    odd = True
                    break
            if odd:
                for i in range(first, tail):
                    sides[queue[i]] = ODD
                head = tail
        # The queue is empty: start the next search.
        while head == tail and root < last_root:
            if sides[root] == _UNSEEN and (every or starts[root]):
                sides[root] = 1
                queue[tail] = root
                first = tail
                tail += 1
            root += 1
    progress[0], progress[1], progress[2], progress[3] = root, first, head, tail


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
    n = rows.indptr.size - 1
    starts = np.empty(0, bool) if starts is None else starts
    sides, queue, progress = np.zeros(n, np.uint8), np.empty(n, rows.indices.dtype), np.zeros(4, np.int64)
    if starts.size and worker_count("cpu", n + rows.indices.size) >= _WORKERS:
        _search_sides(_FIRST_STEP, rows, starts, sides, queue, progress)
        if (sides[queue[: progress[3]]] == ODD).any():
            for in_triangles in (False, True, False):
                _spread_odd(n, rows, in_triangles, sides)
    while progress[0] < n or progress[2] < progress[3]:
        _search_sides(VERTICES_PER_CALL, rows, starts, sides, queue, progress)
    return sides


def odd_cycle(graph: Graph, source: int) -> Any:
    """Return a cycle of odd length in the component of a vertex, which is not bipartite; graph in host memory.

    A breadth-first search from the vertex has an edge between vertices at equal distances. The cycle consists of the
    first such edge, by distance and vertices, and the paths from its ends to the first vertex that both have in common.
    """
    distance, parent = search(graph, np.array([source]), graph.num_vertices)
    rows, columns = graph._rows(), graph.indices
    level = np.flatnonzero((rows < columns) & (distance[rows] == distance[columns]) & (distance[rows] >= 0))
    first = level[np.lexsort((columns[level], rows[level], distance[rows[level]]))[0]]
    left, right = [int(rows[first])], [int(columns[first])]
    while left[-1] != right[-1]:
        left.append(int(parent[left[-1]]))
        right.append(int(parent[right[-1]]))
    return np.array([*reversed(left), *right[:-1]])
