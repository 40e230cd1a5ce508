"""The two sides of bipartite components, by breadth-first search.

Result: the side of each vertex in a bipartite component, its smallest vertex (of those that are wanted as starts) on
the first one. It is a function of the graph and the starts alone.

Rule: a component is bipartite  <=>  no edge joins two vertices of one side, where a vertex that is met from v gets the
side that v does not have. In the code: the line of `_search` that sets `odd`.

Idea: a search from each vertex that is wanted as a start and has no side yet. At the first edge inside a side the
component is given up, and all its vertices met so far are marked; a search that meets one of those later gives up at
once. So each vertex is visited once, and where odd cycles are short, which is nearly everywhere but in graphs that are
bipartite, hardly any is.

State, one byte a vertex: 0 not seen, 1 and 2 the two sides, 3 in a component with an odd cycle.

Cost: each entry is read at most once, by one thread. Work memory: a byte and an id a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .parallel import kernel
from .parallel.groups import Rows

_UNSEEN, ODD = 0, 3
_STEP = 1 << 21  # vertices of a kernel call; bounds the latency of Ctrl-C


@kernel(by="single", types="int O[] V[] bool[] uint8[] V[] int64[]")
def _search(step, rows: Rows, starts, sides, queue, progress):
    """Continue for `step` vertices; `progress` is the next one to start from, and three places in the queue.

    All vertices that are met stand there: those of the current search from `first` on, from `head` on to be visited.
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
        # The search is done, and another one starts.
        while head == tail and root < last_root:
            if sides[root] == _UNSEEN and (every or starts[root]):
                sides[root] = 1
                queue[tail] = root
                first = tail
                tail += 1
            root += 1
    progress[0], progress[1], progress[2], progress[3] = root, first, head, tail


def two_sides(rows: Rows, starts: Any = None) -> Any:
    """Sides 1 and 2 where components are bipartite, 1 at the smallest start of each; loops do not matter.

    `starts`, bool (n,), are all vertices unless given. Components without any are 0. Of one with an odd cycle, those
    vertices are 3 that a search has met, which are all if all are starts.
    """
    n = rows.indptr.size - 1
    starts = np.empty(0, bool) if starts is None else starts
    sides, queue, progress = np.zeros(n, np.uint8), np.empty(n, rows.indices.dtype), np.zeros(4, np.int64)
    while progress[0] < n or progress[2] < progress[3]:
        _search(_STEP, rows, starts, sides, queue, progress)
    return sides
