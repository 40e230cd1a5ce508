"""Strong components by depth-first search: Tarjan's algorithm in Pearce's form, without recursion.

Result: a number for each vertex, equal within a component and different between components.

Rule: vertices get ranks in the order in which the search enters them. When it leaves a vertex, the search knows the
lowest rank to which an arc from the vertex or from its descendants leads,

    low(v) = the minimum of rank(v), rank(u) for arcs (v, u), and low(w) for children w of v in the search tree

and v completes a component, with all waiting vertices below it  <=>  low(v) = rank(v). Otherwise v joins the waiting
vertices. The oracle is `strong_components` in tests/support/naive.py. In the code: the line of `_search_depth_first`
that compares `low` with ``rank[v]``.

Idea: the path of the search is kept in an explicit stack, so it may have any length. A part of one component may be
known in advance. Its vertices have rank 1, as if they were one vertex that has been entered but not left. In this case
all vertices reachable from it are searched first (`reached`). Vertices from which a path leads back to it wait until
the end, and belong to this component.

State, one number per vertex::

    rank[v] = 0          not entered
    1 .. n               entered: low(v) as far as it is known, v's own rank while v is on the path
    from n downward      the number of its component

Both kinds of numbers can be compared directly: ranks are reused when a component is complete, so they stay below all
numbers of components. The path grows from the bottom of an array, and the waiting vertices are at the top of the same
array.

Cost: each entry is read once, with random memory accesses; when a vertex is entered, the ranks and rows that the next
steps may need are therefore prefetched. One thread. Work memory: 12 bytes per vertex (24 with 64-bit indices).

Sources: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing 1(2), 1972; D. Pearce,
"A Space-Efficient Algorithm for Finding Strongly Connected Components", Information Processing Letters 116(1), 2016.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Rows, kernel, prefetch, rule
from ..graph import Graph
from .dangling import trim

_ENTERED = 1  # the rank of vertices that are known to be in one component
_PREFETCHED = 8  # heads whose ranks and rows are prefetched when a vertex is entered
_STEP = 1 << 19  # operations per kernel call, up to 1 us each: bounds the latency of Ctrl-C

_ROOT, _DEPTH, _WAITING, _RANK, _NUMBER = range(5)  # the fields of `progress`


class Path(NamedTuple):
    """The path from a root of the search to the current vertex, as columns of a stack."""

    vertices: Any  # (n,): the path from the bottom, the waiting vertices at the top
    entries: Any  # (n,): the next arc of each vertex on the path
    lows: Any  # (n,): the lowest rank found for each vertex so far


@rule
def _push(depth, v, e, low, path):
    """Push v onto the path; return the new depth."""
    path.vertices[depth] = v
    path.entries[depth] = e
    path.lows[depth] = low
    return depth + 1


@kernel(by="single", types="int O[] V[] uint8[] V[] V[] O[] V[] int64[]")
def _search_depth_first(budget, rows: Rows, reached, rank, path: Path, progress):
    """Enter vertices of rank 0; if `reached` is not empty, only from roots that are marked in it.

    Stop after about `budget` operations: vertices entered or left, entries read, waiting vertices numbered. A row is
    read without interruption to its end, or to the next vertex to enter. `progress` and `path` keep the state of the
    search between calls.
    """
    indptr, indices, stack = rows.indptr, rows.indices, path.vertices
    n, only_reached = rank.size, reached.size > 0
    root, depth, waiting = progress[_ROOT], progress[_DEPTH], progress[_WAITING]
    next_rank, number = progress[_RANK], progress[_NUMBER]
    v, e, end, low = -1, 0, 0, 0  # -1: the path is empty
    if depth > 0:
        depth -= 1
        v, e, low = stack[depth], path.entries[depth], path.lows[depth]
        end = indptr[v + 1]
    while budget > 0:
        # Find the next vertex to enter: a root, or the head of v's next arc to a vertex that is not entered.
        entered = -1
        if v < 0:
            while root < n and (rank[root] != 0 or (only_reached and reached[root] == 0)):
                root += 1
            if root == n:
                break
            entered = root
        first = e
        while e < end:
            u = indices[e]
            e += 1
            seen = rank[u]
            if seen == 0:
                entered = u
                break
            low = min(low, seen)
        budget -= e - first
        # Enter it; v stays on the path.
        if entered >= 0:
            if v >= 0:
                depth = _push(depth, v, e, low, path)
            v = entered
            e, end = indptr[v], indptr[v + 1]
            for ahead in range(e, min(e + _PREFETCHED, end)):
                u = indices[ahead]
                prefetch(rank, u)
                prefetch(indptr, u)
            rank[v] = low = next_rank
            next_rank += 1
            budget -= 1
            continue
        # Leave v: it completes a component with all waiting vertices below it, or it waits.
        if low == rank[v]:
            while waiting < n and budget > 0 and rank[stack[waiting]] >= low:
                rank[stack[waiting]] = number
                next_rank -= 1
                waiting += 1
                budget -= 1
            if budget <= 0:
                continue  # the next call continues the numbering
            rank[v] = number
            next_rank -= 1
            number -= 1
            low = n + 1  # above all ranks: no arc leads back from this component
        else:
            rank[v] = low
            waiting -= 1
            stack[waiting] = v
        # Continue with the previous vertex of the path.
        budget -= 1
        v = -1
        if depth > 0:
            depth -= 1
            v, e, low = stack[depth], path.entries[depth], min(low, path.lows[depth])
            end = indptr[v + 1]
    if v >= 0:
        depth = _push(depth, v, e, low, path)
    progress[_ROOT], progress[_DEPTH], progress[_WAITING] = root, depth, waiting
    progress[_RANK], progress[_NUMBER] = next_rank, number


def components(graph: Graph) -> Any:
    """Return a number from 1 to n for each vertex; along arcs the numbers of different components increase."""
    rank = np.zeros(graph.num_vertices, graph.indices.dtype)
    _DepthFirstSearch(graph, rank, next_rank=_ENTERED, number=rank.size).run()
    return rank


def remaining_components(graph: Graph, reached: Any, rank: Any) -> None:
    """Give a number from 1 to n to each vertex. Some vertices of one component have rank 1, the rest 0.

    At least two vertices must have rank 1. `reached` is 1 for exactly those vertices that can be reached from their
    component, otherwise 0.
    """
    n = rank.size
    number = n - 1 - trim(graph, reached, rank)
    search = _DepthFirstSearch(graph, rank, next_rank=_ENTERED + 1, number=number)
    search.run(reached)
    rank[search.path.vertices[int(search.progress[_WAITING]) :]] = _ENTERED
    rank[rank == _ENTERED] = n
    search.progress[[_ROOT, _WAITING, _RANK]] = 0, n, _ENTERED
    search.run()


class _DepthFirstSearch:
    """A search that runs in several calls; `rank` becomes the result."""

    def __init__(self, graph: Graph, rank: Any, next_rank: int, number: int) -> None:
        n = rank.size
        self.rows, self.rank = Rows(graph.indptr, graph.indices), rank
        self.path = Path(np.empty(n, rank.dtype), np.empty(n, graph.indptr.dtype), np.empty(n, rank.dtype))
        self.progress = np.array([0, 0, n, next_rank, number])

    def run(self, reached: Any | None = None) -> None:
        """Enter all vertices of rank 0, or only those that are reached."""
        n, starts = self.rank.size, np.empty(0, np.uint8) if reached is None else reached
        while self.progress[_ROOT] < n or self.progress[_DEPTH] > 0:
            _search_depth_first(_STEP, self.rows, starts, self.rank, self.path, self.progress)
