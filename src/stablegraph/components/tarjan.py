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
have the rank n. Both kinds of numbers can be compared directly: ranks are reused when a component is
complete, so they stay below all numbers of components. The path grows from the bottom of an array, and the waiting
vertices are at the top of the same array.

Trimming: before a search around a known component, all threads remove vertices that are components by themselves,

    v is one  <=  each of its arcs is a loop, or leads to a vertex that is trimmed or that cannot lead back to v

A vertex that is reached from the known component cannot lead to one that is not. Outside of a large component, most
vertices are in trees and leave the search after one look at their row. Passes end when one of them trims few vertices.
The rows of incoming arcs are not needed. In the code: `_trim`.

Sets of vertices are bits: word w has the vertices from 32 w to 32 w + 31, the lowest bit the first of them. A set of a
million vertices takes 128 KiB, which fits into the cache of each core. A worker that changes only words of its own
range needs no atomic operations.

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
from .._core.runtime.array_types import ArrayT, Int32s, Int64s, Int64Table, Offsets, UInt32s, Vertices
from .._core.runtime.primitives import exclusive_scan
from ..graph import Graph

_ALL = 0xFFFF_FFFF  # a word with all bits
_MAX_PASSES = 8
_SMALL_GAIN = 64  # a pass that trims less than 1 / _SMALL_GAIN of all vertices is the last one
_ENTERED = 1  # the rank of vertices that are known to be in one component
_PREFETCHED_HEADS = 8  # heads whose ranks and rows are prefetched when a vertex is entered
_OPERATIONS_PER_CALL = 1 << 19  # operations per kernel call, up to 1 us each: bounds the latency of Ctrl-C

_ROOT, _DEPTH, _WAITING, _RANK, _NUMBER = range(5)  # the fields of `progress`


# ---- Sets of vertices


@rule
def bit_of(v):
    """Return the bit of a vertex within its word."""
    return 1 << (int(v) & 31)


@rule
def has_bit(words, v):
    """Return whether a set contains a vertex."""
    return (words[int(v) >> 5] >> (int(v) & 31)) & 1 != 0


def empty_set(n: int) -> Any:
    """Return a set without vertices."""
    return np.zeros(-(-n // 32), np.uint32)


@kernel(T="int32 int64")
def unpack(v, words: UInt32s, flags: ArrayT):
    """Write 1 for a vertex of the set, otherwise 0."""
    flags[v] = has_bit(words, v)


@kernel(each=32, T="int32 int64")
def pack(word, flags: ArrayT, words: UInt32s):
    """Write the word of 32 vertices, of which those with the flag 1 are in the set."""
    bits = 0
    for j in range(32):
        bits |= int(flags[32 * word + j]) << j
    words[word] = bits


# ---- Trimming


class Known(NamedTuple):
    """Sets of vertices, as bits. The bits beyond the last vertex are set in `trimmed`."""

    reached: UInt32s  # vertices that a known component reaches
    members: UInt32s  # vertices that are known to be in it
    trimmed: UInt32s  # vertices that are components by themselves


@kernel(by="workers")
def _trim(worker, workers, rows: Rows, known: Known, counts: Int64s):
    """Trim vertices of a worker's range, from the last one to the first, and count them."""
    start, end = chunk_bounds(known.reached.size, worker, workers)
    trimmed = 0
    for i in range(end - start):
        word = end - 1 - i
        if known.members[word] | known.trimmed[word] != _ALL:
            for j in range(32):
                v = 32 * word + 31 - j
                if not (has_bit(known.members, v) or has_bit(known.trimmed, v)):
                    leaves, is_reached = True, has_bit(known.reached, v)
                    e, last = rows.indptr[v], rows.indptr[v + 1]
                    while leaves and e < last:
                        u = rows.indices[e]
                        to_other_side = has_bit(known.reached, u) and not is_reached
                        leaves = to_other_side or u == v or has_bit(known.trimmed, u)
                        e += 1
                    if leaves:
                        known.trimmed[word] |= bit_of(v)
                        trimmed += 1
    counts[worker] = trimmed


def trim(graph: Graph, reached: Any, members: Any) -> Known:
    """Trim vertices that are not members."""
    n = graph.num_vertices
    known = Known(reached, members, empty_set(n))
    if n % 32:
        known.trimmed[-1] = _ALL << n % 32 & _ALL
    counts = np.zeros(worker_count("cpu", n + graph.num_entries), np.int64)
    for _ in range(_MAX_PASSES):
        _trim(counts.size, Rows(graph.indptr, graph.indices), known, counts)
        if int(counts.sum()) * _SMALL_GAIN < n:
            break
    return known


# ---- Depth-first search


class Path(NamedTuple):
    """The path from a root of the search to the current vertex, as columns of a stack."""

    vertices: Vertices  # the path from the bottom, the waiting vertices at the top
    entries: Offsets  # the next arc of each vertex on the path
    lows: Vertices  # the lowest rank found for each vertex so far


class Remaining(NamedTuple):
    """The components of the vertices outside of a known component, except for trimmed vertices."""

    vertices: Vertices  # the vertices; those that are members of the known component have the rank 1 or n
    rank: Int32s  # (n,): for the other ones, the number of the component
    components: int  # the numbers of the components are n - 1, n - 2, ..; there are `components` of them


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
        remaining = _ALL ^ int(known.members[word] | known.trimmed[word])
        reached += count_ones(remaining & int(known.reached[word]))
        others += count_ones(remaining & (_ALL ^ int(known.reached[word])))
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
        if members | trimmed != _ALL:
            for v in range(32 * word, min(32 * word + 32, n)):
                if rank[v] == 0 and has_bit(known.reached, v):
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


def component_numbers(graph: Graph) -> Any:
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
