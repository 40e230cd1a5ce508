"""Two colors for the bipartite components of a colored graph.

Result: every component that needs no more than two colors, but has more, gets the colors 0 and 1, the former at its
smallest vertex among those colored with 2 or more. All others keep theirs.

Idea: breadth-first search from each vertex with a color of 2 or more, until the component is done or an odd cycle turns
up. In the latter case the vertices seen so far are marked as such, and later searches stop when they run into one of
them. So each vertex is visited once, and where odd cycles are short, which is nearly everywhere but in graphs that are
bipartite, hardly any is.

State, one byte a vertex: 0 not seen, 1 and 2 the two sides, 3 in a component with an odd cycle.

Cost: at most one look at each edge, by one thread. Work memory: 1 + 8 bytes a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel

_ODD = 3
_STEP = 1 << 24  # entries that are looked at between two chances to be interrupted


@kernel(by="single")
def search_components(step, indptr, indices, side, queue, progress, colors):
    """Go on with the search for `step` entries; `progress` is the vertex to start from next, then the queue's ends."""
    n = indptr.size - 1
    start, head, tail = int(progress[0]), int(progress[1]), int(progress[2])
    looked = 0
    while looked < step and (start < n or head < tail):
        if head == tail:
            head = tail = 0
            if colors[at(start)] >= 2 and side[at(start)] == 0:
                side[at(start)] = 1
                queue[0] = start
                tail = 1
            start += 1
            looked += 1
            continue
        v = int(queue[at(head)])
        head += 1
        own = int(side[at(v)])
        odd = False
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = int(indices[at(e)])
            looked += 1
            if side[at(u)] == 0:
                side[at(u)] = 3 - own
                queue[at(tail)] = u
                tail += 1
            elif side[at(u)] != 3 - own and u != v:
                odd = True
                break
        if odd:
            for i in range(tail):
                side[at(queue[at(i)])] = _ODD
            head = tail
        elif head == tail:
            for i in range(tail):
                u = int(queue[at(i)])
                colors[at(u)] = int(side[at(u)]) - 1
    progress[0], progress[1], progress[2] = start, head, tail


def two_color_components(graph: Graph, colors: Any) -> Any:
    """The coloring (int32, proper) that was told above."""
    n = graph.num_vertices
    colors = colors.copy()
    side = np.zeros(n, np.uint8)
    queue = np.empty(n, np.int64)
    progress = np.zeros(3, np.int64)
    while progress[0] < n or progress[1] < progress[2]:
        search_components(_STEP, graph.indptr, graph.indices, side, queue, progress, colors)
    return colors
