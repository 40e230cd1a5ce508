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
all vertices reachable from it are searched first. Vertices from which a path leads back to it wait until the end, and
belong to this component. The search starts only from vertices that are not known; workers list them.

State, one number per vertex::

    rank[v] = 0          not entered
    1 .. n               entered: low(v) as far as it is known, v's own rank while v is on the path
    from n downward      the number of its component

Members of the known part have the rank 1, and n after the vertices reachable from it are searched; trimmed vertices
(dangling.py) have the rank n. Both kinds of numbers can be compared directly: ranks are reused when a component is
complete, so they stay below all numbers of components. The path grows from the bottom of an array, and the waiting
vertices are at the top of the same array.

Cost: each entry is read once, with random memory accesses; when a vertex is entered, the ranks and rows that the next
steps may need are therefore prefetched. One thread. Work memory: 12 bytes per vertex that is not known (24 with 64-bit
indices).

Sources: R. Tarjan, "Depth-First Search and Linear Graph Algorithms", SIAM Journal on Computing 1(2), 1972; D. Pearce,
"A Space-Efficient Algorithm for Finding Strongly Connected Components", Information Processing Letters 116(1), 2016.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Rows, atomic_or, chunk_bounds, chunked, count_ones, kernel, prefetch, rule, worker_count
from .._core.runtime.array_types import Int32s, Int64s, Int64Table, Offsets, UInt32s, Vertices
from .._core.runtime.primitives import exclusive_scan
from ..graph import Graph
from .dangling import Known
from .vertex_bits import ALL, bit_of, contains

_ENTERED = 1  # the rank of vertices that are known to be in one component
_PREFETCHED_HEADS = 8  # heads whose ranks and rows are prefetched when a vertex is entered
_OPERATIONS_PER_CALL = 1 << 19  # operations per kernel call, up to 1 us each: bounds the latency of Ctrl-C

_ROOT, _DEPTH, _WAITING, _RANK, _NUMBER = range(5)  # the fields of `progress`


class Path(NamedTuple):
    """The path from a root of the search to the current vertex, as columns of a stack."""

    vertices: Vertices  # the path from the bottom, the waiting vertices at the top
    entries: Offsets  # the next arc of each vertex on the path
    lows: Vertices  # the lowest rank found for each vertex so far


class Remaining(NamedTuple):
    """The components of the vertices outside of a known component, except for trimmed vertices."""

    vertices: Vertices  # the vertices; those that are members of the known component have the rank 1 or n
    rank: Int32s  # (n,): for the other ones, the number of the component
    count: Any  # the numbers of the components are n - 1, n - 2, ..; there are `count` of them


@rule
def _push(depth, v, e, low, path):
    """Push v onto the path; return the new depth."""
    path.vertices[depth] = v
    path.entries[depth] = e
    path.lows[depth] = low
    return depth + 1


@kernel(by="single")
def _search_depth_first(budget: int, rows: Rows, roots: Vertices, rank: Vertices, path: Path, progress: Int64s):
    """Enter the roots of rank 0, and the vertices that they reach.

    Stop after about `budget` operations: vertices entered or left, entries read, waiting vertices numbered. A row is
    read without interruption to its end, or to the next vertex to enter. `progress` and `path` keep the state of the
    search between calls.
    """
    indptr, indices, stack = rows.indptr, rows.indices, path.vertices
    n = rank.size
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
            while root < roots.size and rank[roots[root]] != 0:
                root += 1
            if root == roots.size:
                break
            entered = roots[root]
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
            for ahead in range(e, min(e + _PREFETCHED_HEADS, end)):
                u = indices[ahead]
                prefetch(rank, u)
                prefetch(indptr, u)
            rank[v] = low = next_rank
            next_rank += 1
            budget -= 1
            continue
        # Leave v: it completes a component with all waiting vertices below it, or it waits.
        if low == rank[v]:
            while waiting < stack.size and budget > 0 and rank[stack[waiting]] >= low:
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


@kernel(by="workers")
def _count_remaining(worker, workers, known: Known, counts: Int64Table):
    """Count a worker's vertices that are neither members nor trimmed: the reached ones, and the other ones."""
    start, end = chunk_bounds(known.reached.size, worker, workers)
    reached = others = 0
    for word in range(start, end):
        remaining = ALL ^ int(known.members[word] | known.trimmed[word])
        reached += count_ones(remaining & int(known.reached[word]))
        others += count_ones(remaining & (ALL ^ int(known.reached[word])))
    counts[0, worker] = reached
    counts[1, worker] = others


@kernel(by="workers")
def _list_remaining(worker, workers, known: Known, starts: Int64s, rank: Vertices, vertices: Vertices):
    """List these vertices, first the reached ones; set the ranks of all vertices."""
    start, end = chunk_bounds(known.reached.size, worker, workers)
    first, second, n = starts[worker], starts[workers + worker], rank.size
    for word in range(start, end):
        members, trimmed = known.members[word], known.trimmed[word]
        for v in range(32 * word, min(32 * word + 32, n)):
            rank[v] = ((members >> (v & 31)) & 1) * _ENTERED + ((trimmed >> (v & 31)) & 1) * n
        if members | trimmed != ALL:
            for v in range(32 * word, min(32 * word + 32, n)):
                if rank[v] == 0 and contains(known.reached, v):
                    vertices[first] = v
                    first += 1
                elif rank[v] == 0:
                    vertices[second] = v
                    second += 1


@kernel
def _add_members(i, vertices: Vertices, rank: Vertices, members: UInt32s):
    """Make a vertex a member of the known component."""
    v = vertices[i]
    rank[v] = _ENTERED
    atomic_or(members, v >> 5, bit_of(v))


@kernel(each=32)
def _finish_members(word, members: UInt32s, rank: Vertices):
    """Give the members a rank above those of all other vertices, so that the search ignores arcs to them."""
    n = rank.size
    for v in range(32 * word, min(32 * word + 32, n)):
        rank[v] += ((members[word] >> (v & 31)) & 1) * (n - _ENTERED)


def components(graph: Graph) -> Any:
    """Return a number from 1 to n for each vertex; along arcs the numbers of different components increase."""
    n = graph.num_vertices
    rank = np.zeros(n, graph.indices.dtype)
    search = _DepthFirstSearch(graph, rank, count=n, number=n)
    for start, end in chunked(n):
        search.run(np.arange(start, end, dtype=rank.dtype), _ENTERED)
    return rank


def remaining_components(graph: Graph, known: Known) -> Remaining:
    """Find the components of all vertices that are neither members nor trimmed; other members become members."""
    n, kind = graph.num_vertices, graph.indices.dtype
    counts = np.zeros((2, worker_count("cpu", n)), np.int64)
    _count_remaining(counts.shape[1], known, counts)
    starts = exclusive_scan(counts.ravel())
    vertices, rank = np.empty(int(starts[-1]), kind), np.empty(n, kind)
    _list_remaining(counts.shape[1], known, starts, rank, vertices)

    search = _DepthFirstSearch(graph, rank, count=vertices.size, number=n - 1)
    first = int(starts[counts.shape[1]])  # of the vertices that are not reached
    if first > 0:
        search.run(vertices[:first], _ENTERED + 1)
        joined = search.path.vertices[int(search.progress[_WAITING]) :]
        _add_members(joined.size, joined, rank, known.members)
    if first < vertices.size:
        _finish_members(known.members.size, known.members, rank)
        search.run(vertices[first:], _ENTERED)
    return Remaining(vertices, rank, n - 1 - int(search.progress[_NUMBER]))


class _DepthFirstSearch:
    """A search that runs in several calls; `rank` becomes the result."""

    def __init__(self, graph: Graph, rank: Any, count: int, number: int) -> None:
        self.rows, self.rank = Rows(graph.indptr, graph.indices), rank
        self.path = Path(np.empty(count, rank.dtype), np.empty(count, graph.indptr.dtype), np.empty(count, rank.dtype))
        self.progress = np.array([0, 0, count, 0, number])

    def run(self, roots: Any, next_rank: int) -> None:
        """Enter the roots of rank 0, and the vertices that they reach."""
        self.progress[[_ROOT, _WAITING, _RANK]] = 0, self.path.vertices.size, next_rank
        while self.progress[_ROOT] < roots.size or self.progress[_DEPTH] > 0:
            _search_depth_first(_OPERATIONS_PER_CALL, self.rows, roots, self.rank, self.path, self.progress)
