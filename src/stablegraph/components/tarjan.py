"""Strong components by depth-first search: Tarjan's algorithm in Pearce's form, without recursion.

Result: a number for each vertex, equal within a component and different between components.

Idea: whoever is entered gets the next rank. On its way back the search tells each vertex the lowest rank that an arc
from below it leads to. Where that is the vertex's own rank, the vertex and all that still wait below it are a
component; otherwise the vertex joins those that wait.

A component may be known in part beforehand: its vertices have rank 1, as if they were one vertex that has been entered
and not been left. Then whatever the search can enter from there comes first (`reached`); who finds a way back waits to
the end, and belongs to them.

State, one number a vertex::

    rank[v] = 0          not entered
    1 .. n               entered: the lowest rank known to be reached, v's own while v is on the path
    from n downward      the number of its component

Both kinds can be told apart by comparing them alone: ranks are given back when a component is complete, so they stay
below all numbers of components. The path grows from the bottom of one array, those who wait lie at its top.

Cost: one look at each entry. It is a walk from one place in memory to another; the ranks and rows that the next steps
may need are asked for when a vertex is entered. One thread. Work memory: 12 bytes a vertex (24 with 64-bit indices).

Sources: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing 1(2), 1972; D. Pearce,
"A Space-Efficient Algorithm for Finding Strongly Connected Components", Information Processing Letters 116(1), 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel, prefetch, rule

_ENTERED = 1  # the rank of vertices that are known to be in one component
_ASKED = 8  # neighbours of a vertex that are asked for when it is entered
_STEP = 1 << 24  # vertices and entries, on average, between two chances to be interrupted

_ROOT, _DEPTH, _WAITING, _RANK, _NUMBER = range(5)  # what is kept from one call to the next


@rule
def _put_on_path(depth, v, e, low, stack, entries, lows):
    stack[at(depth)] = v
    entries[at(depth)] = e
    lows[at(depth)] = low
    return depth + 1


@kernel(by="single")
def _search(budget, only_reached, indptr, indices, reached, rank, stack, entries, lows, progress):
    """Enter up to `budget` vertices of rank 0, beginning with all of them, or with the reached ones."""
    n = rank.size
    root, depth, waiting = int(progress[_ROOT]), int(progress[_DEPTH]), int(progress[_WAITING])
    next_rank, number = int(progress[_RANK]), int(progress[_NUMBER])
    v, e, end, low = -1, 0, 0, 0  # -1: nobody is on the path
    if depth > 0:
        depth -= 1
        v, e, low = int(stack[at(depth)]), int(entries[at(depth)]), int(lows[at(depth)])
        end = int(indptr[at(v + 1)])
    while True:
        entered = -1
        if v < 0:
            while root < n and (rank[at(root)] != 0 or (only_reached and reached[at(root)] == 0)):
                root += 1
            if root == n:
                break
            entered = root
        while e < end:
            u = int(indices[at(e)])
            e += 1
            seen = int(rank[at(u)])
            if seen == 0:
                entered = u
                break
            low = min(low, seen)
        if entered >= 0:
            if v >= 0:
                depth = _put_on_path(depth, v, e, low, stack, entries, lows)
            v = entered
            e, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            for ahead in range(e, min(e + _ASKED, end)):
                u = int(indices[at(ahead)])
                prefetch(rank, u)
                prefetch(indptr, u)
            rank[at(v)] = low = next_rank
            next_rank += 1
            budget -= 1
            if budget == 0:
                depth = _put_on_path(depth, v, e, low, stack, entries, lows)
                break
            continue
        if low == rank[at(v)]:
            rank[at(v)] = number
            next_rank -= 1
            while waiting < n and rank[at(stack[at(waiting)])] >= low:
                rank[at(stack[at(waiting)])] = number
                next_rank -= 1
                waiting += 1
            number -= 1
            low = n + 1  # nothing that leads back
        else:
            rank[at(v)] = low
            waiting -= 1
            stack[at(waiting)] = v
        v = -1
        if depth > 0:
            depth -= 1
            v, e, low = int(stack[at(depth)]), int(entries[at(depth)]), min(low, int(lows[at(depth)]))
            end = int(indptr[at(v + 1)])
    progress[_ROOT], progress[_DEPTH], progress[_WAITING] = root, depth, waiting
    progress[_RANK], progress[_NUMBER] = next_rank, number


def components(graph: Graph) -> Any:
    """A number from 1 to n for each vertex; from component to component the numbers rise along arcs."""
    rank = np.zeros(graph.num_vertices, graph.indices.dtype)
    _Search(graph, rank, next_rank=_ENTERED, number=rank.size).run()
    return rank


def remaining_components(graph: Graph, reached: Any, rank: Any) -> None:
    """Give a number from 1 to n to each vertex, where at least two vertices of one component have rank 1, others 0.

    `reached` is not 0 for just those vertices that can be reached from that component.
    """
    n = rank.size
    search = _Search(graph, rank, next_rank=_ENTERED + 1, number=n - 1)
    search.run(reached)
    rank[search.stack[int(search.progress[_WAITING]) :]] = _ENTERED
    rank[rank == _ENTERED] = n
    search.progress[[_ROOT, _WAITING, _RANK]] = 0, n, _ENTERED
    search.run()


class _Search:
    def __init__(self, graph: Graph, rank: Any, next_rank: int, number: int) -> None:
        n = rank.size
        self.graph, self.rank = graph, rank
        self.stack, self.lows = np.empty(n, rank.dtype), np.empty(n, rank.dtype)
        self.entries = np.empty(n, graph.indptr.dtype)
        self.progress = np.array([0, 0, n, next_rank, number])

    def run(self, reached: Any | None = None) -> None:
        """Enter all vertices of rank 0, or those that are reached."""
        graph, n = self.graph, self.rank.size
        budget = max(1, _STEP * n // max(1, n + graph.num_entries))
        starts = np.empty(0, np.uint8) if reached is None else reached
        lists = self.rank, self.stack, self.entries, self.lows, self.progress
        while self.progress[_ROOT] < n or self.progress[_DEPTH] > 0:
            _search(budget, reached is not None, graph.indptr, graph.indices, starts, *lists)
