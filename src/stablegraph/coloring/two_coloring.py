"""Two-coloring of the bipartite components of a colored graph, by breadth-first search.

Result: every component that needs no more than two colors, but has more, gets the colors 0 and 1, the former at its
smallest vertex among those colored with 2 or more. All others keep theirs.

Rule: a component is bipartite  <=>  no edge joins two vertices of one side, where neighbors get the other side. In the
code: the line of `search_components` that sets `odd`.

Idea: a search from each vertex with a color of 2 or more, until the component is done or an odd cycle is found. In the
latter case the vertices seen so far are marked as such, and later searches stop when they meet one of them. So each
vertex is visited once, and where odd cycles are short, which is nearly everywhere but in graphs that are
bipartite, hardly any is.

State, one byte a vertex: 0 not seen, 1 and 2 the two sides, 3 in a component with an odd cycle.

Cost: each entry is read at most once, by one thread. Work memory: 1 + 8 bytes a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import kernel
from ..parallel.groups import Rows

_ODD = 3
_STEP = 1 << 24  # entries of a kernel call; bounds the latency of Ctrl-C


@kernel(by="single")
def search_components(step, rows: Rows, side, queue, progress, colors):
    """Continue the search for `step` entries; `progress` is the next vertex to start from, and the queue's ends."""
    n = rows.indptr.size - 1
    root, head, tail = progress[0], progress[1], progress[2]
    entries_read = 0
    while entries_read < step and (root < n or head < tail):
        # No search is under way: one starts at the next vertex that needs it.
        if head == tail:
            head = tail = 0
            if colors[root] >= 2 and side[root] == 0:
                side[root] = 1
                queue[0] = root
                tail = 1
            root += 1
            entries_read += 1
            continue
        # The neighbors of the next vertex in the queue get the other side.
        v = queue[head]
        head += 1
        own = side[v]
        odd = False
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            entries_read += 1
            if side[u] == 0:
                side[u] = 3 - own
                queue[tail] = u
                tail += 1
            elif side[u] != 3 - own and u != v:
                odd = True
                break
        # The search ends with an odd cycle, or with sides for the whole component.
        if odd:
            for i in range(tail):
                side[queue[i]] = _ODD
            head = tail
        elif head == tail:
            for i in range(tail):
                u = queue[i]
                colors[u] = side[u] - 1
    progress[0], progress[1], progress[2] = root, head, tail


def two_color_components(graph: Graph, colors: Any) -> Any:
    """The coloring (int32, proper) with two colors in its bipartite components."""
    n = graph.num_vertices
    colors = colors.copy()
    side = np.zeros(n, np.uint8)
    queue = np.empty(n, np.int64)
    progress = np.zeros(3, np.int64)
    while progress[0] < n or progress[1] < progress[2]:
        search_components(_STEP, Rows(graph.indptr, graph.indices), side, queue, progress, colors)
    return colors
