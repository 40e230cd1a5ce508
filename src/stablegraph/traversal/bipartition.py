"""The two sides of bipartite components, by breadth-first search.

Result: the side of each vertex in a bipartite component. The smallest vertex of a component that is allowed as a start
is on side 1. The result depends on the graph and the starts only.

Rule: a component is bipartite  <=>  no edge joins two vertices of the same side, where a vertex discovered from v gets
the side opposite to that of v. In the code: the line of `_search_sides` that sets `odd`.

Idea: run a search from each allowed start that has no side yet. At the first edge inside a side, abandon the component
and mark all its vertices found so far. A later search that finds a marked vertex stops at once. Each vertex is
therefore visited at most once; where odd cycles are short, as in most graphs that are not bipartite, few vertices are
visited.

State, one byte per vertex: 0 not seen, 1 and 2 the two sides, 3 in a component with an odd cycle.

Cost: each entry is read at most once, by one thread. Work memory: one byte and one id per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Rows, kernel
from ..graph import Graph
from .breadth_first import search

_UNSEEN, ODD = 0, 3
_STEP = 1 << 21  # vertices of a kernel call; bounds the latency of Ctrl-C


@kernel(by="single", types="int O[] V[] bool[] uint8[] V[] int64[]")
def _search_sides(step, rows: Rows, starts, sides, queue, progress):
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


def two_sides(rows: Rows, starts: Any = None) -> Any:
    """Return side 1 or 2 for each vertex of a bipartite component; its smallest start is on side 1.

    `starts`, bool (n,), marks the vertices that are allowed as starts, by default all. Loops are ignored. Vertices of
    components without a start are 0. In a component with an odd cycle the vertices that a search found are 3; if all
    vertices are starts, these are all of its vertices.
    """
    n = rows.indptr.size - 1
    starts = np.empty(0, bool) if starts is None else starts
    sides, queue, progress = np.zeros(n, np.uint8), np.empty(n, rows.indices.dtype), np.zeros(4, np.int64)
    while progress[0] < n or progress[2] < progress[3]:
        _search_sides(_STEP, rows, starts, sides, queue, progress)
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
