"""Strong components by forward and backward search: first most of the largest component, then the other vertices.

Result: components are numbered 0, 1, .. by their smallest vertices.

Rule: for a pivot p,

    component(p) = {v reachable from p} & {v that reach p}

The oracle is `strong_components` in tests/support/naive.py. In the code: `_pull`, where v becomes a member if it is
reached and leads to a member.

Idea: most directed graphs have one large strong component. With a pivot in this component, all threads find both sets,
and a depth-first search finds the other components.

1. The *pivot*: a sample of arcs is drawn. Of the heads of these arcs, the pivot is the one with the largest product of
   incoming arcs (in the sample) and outgoing arcs.
2. *Forward*: in a round each worker marks the heads of the arcs of its part of the frontier in a separate set (a lane).
   With a common set, writing to cache lines that other cores hold would cost far more than the marks themselves. Then
   each worker collects the marks of all lanes for its range of vertices; the new ones are the next frontier. A search
   without rounds (`_extend`) replaces the rounds when the frontier is small: at the end, or on long paths.
3. *Backward*, among the reached vertices: in a pass each worker searches the rows of its vertices that are not yet
   members for an arc to a member. Most of them have one among the first four arcs. This needs no transposed graph.
   Passes end when one adds less than an eighth; the next step does not need all members. On long paths, where two
   passes do not find most members, the search without rounds continues on the transposed graph.
4. *The other vertices*: by Tarjan's search, which treats the known part of the large component as one vertex, after
   most vertices outside of it are trimmed.
5. *Labels*: v is the smallest vertex of its component  <=>  it is trimmed, or the first member of the large component,
   or the smallest of the remaining vertices with the same number from Tarjan's search. The label of such a vertex is
   the number of such vertices before it, which are bits of a set; the other vertices copy it (`_label_components`).

Searches without rounds on long paths take two to three times the work of Tarjan's search, so with less than six threads
that search processes all vertices. The rounds before this decision take little time.

The search without rounds needs no distances, so it has no levels (engines/frontier.py): a worker that reaches a vertex
first follows its arcs next. It has a number per vertex, 0 or 1 (reached), which is only ever set. With a bit per
vertex, the cores would write to the same cache lines too often. In the code: `_reach`.

State: `reached` and `members`, sets of vertices (tarjan.py); they only grow.

Cost: each arc once forward, a few arcs of each vertex backward, and the last two steps. Work memory: 9 bytes per
vertex, a bit for each worker up to 64, and 12 bytes for each vertex that remains for Tarjan's search (8 and 24 with
64-bit indices); on long paths 8 more (16), and the transposed graph.

Sources: L. Fleischer, B. Hendrickson, A. Pinar, "On Identifying Strongly Connected Components in Parallel", IPDPS 2000
workshops; in this package for a single component, without the transposed graph. The search without rounds: see
engines/frontier.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.csr.groups import by_smallest_vertex
from .._core.engines.frontier import Frontier, push, without_levels
from .._core.runtime import Rows, atomic_min, atomic_or, edge_splits, kernel, prefetch, rule, worker_count
from .._core.runtime.array_types import Bytes, Int32s, Int64s, UInt32s, Vertices
from .._core.runtime.partitioning import CACHE_LINE, PREFETCH_DISTANCE
from .._core.runtime.primitives import compact, exclusive_scan
from .._core.typing import Labels
from ..graph import Graph
from . import tarjan
from .tarjan import Known, Remaining, bit_of, empty_set, pack, trim, unpack

_SMALL = 1 << 15  # vertices and entries; one thread processes smaller graphs faster than several launches would
_SAMPLE = 1024  # arcs
_MIN_ROUNDS = 12  # of the forward search, before a small frontier indicates long paths
_SMALL_FRONTIER = 64  # a frontier of less than 1 / _SMALL_FRONTIER of all vertices is small
MIN_PATH_WORKERS = 6  # with fewer workers, Tarjan's search is faster on graphs with long paths
_PATH_PASSES = 2  # backward, if paths are long
_SMALL_GAIN = 8  # a backward pass that adds less than 1 / _SMALL_GAIN of the members is the last one
_MAX_LANES = 64  # more workers share these lanes, because each needs a bit per vertex
_STRIDE = CACHE_LINE // 8  # distance between the counters of two workers, in int64


class Marked(NamedTuple):
    """The frontier: each worker's part of it is in the worker's range of the array."""

    vertices: Vertices  # (32 * words,)
    bounds: Int64s  # (workers + 1,): the beginning of each range, a multiple of 32
    counts: Int64s  # (workers * _STRIDE,): the number of vertices of the frontier in each part


class Members(NamedTuple):
    """Members of the component in two forms: to skip them, and to find them, which is faster with bytes."""

    words: UInt32s  # the set
    flags: Bytes  # (n,): a byte per vertex


@kernel(by="workers")
def _mark_heads(worker, workers, rows: Rows, frontier: Marked, marks: UInt32s):
    """Mark the heads of the arcs of a worker's part of the frontier."""
    indptr, indices, vertices = rows.indptr, rows.indices, frontier.vertices
    start = frontier.bounds[worker]
    end = start + frontier.counts[worker * _STRIDE]
    words = vertices.size >> 5
    lanes = marks.size // words
    lane = worker % lanes * words
    for i in range(start, end):
        prefetch(indices, indptr[vertices[min(i + PREFETCH_DISTANCE, end - 1)]])
        v = vertices[i]
        if lanes == workers:
            for e in range(indptr[v], indptr[v + 1]):
                marks[lane + (indices[e] >> 5)] |= bit_of(indices[e])
        else:
            for e in range(indptr[v], indptr[v + 1]):
                atomic_or(marks, lane + (indices[e] >> 5), bit_of(indices[e]))


@kernel(by="workers")
def _collect(worker, workers, frontier: Marked, marks: UInt32s, reached: UInt32s):
    """Add the marked vertices of a worker's range to `reached`; the new ones become its part of the frontier."""
    start = k = frontier.bounds[worker]
    for word in range(start >> 5, frontier.bounds[worker + 1] >> 5):
        marked = marks[word]
        for place in range(word + reached.size, marks.size, reached.size):
            marked |= marks[place]
        new = marked ^ reached[word]  # marks are never cleared, so all reached vertices are marked
        if new != 0:
            reached[word] = marked
            for j in range(32):
                frontier.vertices[k] = 32 * word + j
                k += (new >> j) & 1
    frontier.counts[worker * _STRIDE] = k - start


@rule
def _leads_to(e, last, indices, members):
    """Return whether one of the four arcs from e on, up to `last`, leads to a member."""
    a = members[indices[e]]
    b = members[indices[min(e + 1, last)]]
    c = members[indices[min(e + 2, last)]]
    d = members[indices[min(e + 3, last)]]
    return (a | b | c | d) != 0


@kernel(by="workers")
def _pull(worker, workers, rows: Rows, bounds: Int64s, reached: UInt32s, members: Members, counts: Int64s):
    """Make members of a worker's reached vertices that have an arc to a member, and count them."""
    joined = 0
    for word in range(bounds[worker] >> 5, bounds[worker + 1] >> 5):
        candidates = reached[word] ^ members.words[word]
        if candidates != 0:
            for j in range(32):
                if (candidates >> j) & 1 != 0:
                    v = 32 * word + j
                    e, end = rows.indptr[v], rows.indptr[v + 1]
                    is_member = False
                    while (e < end) & (not is_member):
                        is_member = _leads_to(e, end - 1, rows.indices, members.flags)
                        e += 4
                    if is_member:
                        members.words[word] |= bit_of(v)
                        members.flags[v] = 1
                        joined += 1
    counts[worker * _STRIDE] = joined


@rule
def _prefetch_flag(e, u, reached):
    """Prefetch whether a vertex is reached."""
    prefetch(reached, u)


@without_levels(prefetch_head=_prefetch_flag)
def _reach(v, depth, bottom, lists, rows: Rows, state: Vertices):
    """Reach the heads of v's arcs."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if state[u] == 0 and atomic_or(state, u, 1) == 0:
            prefetch(rows.indptr, u)
            depth = push(u, depth, bottom, lists)
    return depth


class Labeling(NamedTuple):
    """What determines the labels of members and of the smallest vertices of other components."""

    roots: UInt32s  # the set of the smallest vertices of all components
    starts: Int64s  # for each word, the number of roots before it
    members: UInt32s  # the set of members of the known component
    label: int  # of the known component


@kernel
def _find_smallest(i, vertices: Vertices, rank: Vertices, smallest: Int32s):
    """Lower the smallest vertex with the number of the i-th remaining vertex."""
    v = vertices[i]
    place = rank.size - 1 - rank[v]
    if 0 <= place < smallest.size and v < smallest[place]:
        atomic_min(smallest, place, v)


@kernel
def _add_roots(i, smallest: Int32s, roots: UInt32s):
    """Add the smallest vertex of a component to the set."""
    atomic_or(roots, smallest[i] >> 5, bit_of(smallest[i]))


@kernel(each=32)
def _write_labels(word, labeling: Labeling, labels: Int32s):
    """Write the labels of the roots and members of a word; other vertices get any number."""
    roots, members, number = labeling.roots[word], labeling.members[word], labeling.starts[word]
    for v in range(32 * word, min(32 * word + 32, labels.size)):
        labels[v] = labeling.label if (members >> (v & 31)) & 1 != 0 else number
        number += (roots >> (v & 31)) & 1


@kernel
def _copy_labels(i, vertices: Vertices, rank: Vertices, smallest: Int32s, labels: Int32s):
    """Copy the label of the i-th remaining vertex from the smallest vertex with its number."""
    v = vertices[i]
    place = rank.size - 1 - rank[v]
    if 0 <= place < smallest.size and smallest[place] != v:
        labels[v] = labels[smallest[place]]


def _pivot(graph: Graph) -> int:
    """Return a vertex with many incoming and outgoing arcs."""
    heads, counts = np.unique(graph.indices[np.arange(_SAMPLE) * 0x9E3779B1 % graph.num_entries], return_counts=True)
    return int(heads[(counts * (graph.indptr[heads + 1] - graph.indptr[heads])).argmax()])


class _PivotComponent:
    """The search for the component of a pivot."""

    def __init__(self, graph: Graph) -> None:
        n = graph.num_vertices
        self.graph, self.rows = graph, Rows(graph.indptr, graph.indices)
        self.workers = worker_count("cpu", n + graph.num_entries)
        self.reached, self.members = empty_set(n), Members(empty_set(n), np.zeros(n, np.uint8))
        self.vertices = np.empty(32 * self.reached.size, graph.indices.dtype)  # of the frontier, or their flags
        self.bounds = (edge_splits(graph.indptr, self.workers) + 31) // 32 * 32
        self.counts = np.zeros(self.workers * _STRIDE, np.int64)
        self.has_long_paths = False

    def forward(self, pivot: int) -> bool:
        """Find the vertices that the pivot reaches; return False if other methods are faster on such a graph."""
        words = self.reached.size
        frontier = Marked(self.vertices, self.bounds, self.counts)
        marks = np.zeros(words * min(self.workers, _MAX_LANES), np.uint32)
        marks[pivot >> 5] = bit_of(pivot)
        rounds = total = 0
        while True:
            _collect(self.workers, frontier, marks, self.reached)
            size = int(self.counts.sum())
            total += size
            rounds += 1
            if size == 0:
                return True
            if rounds > _MIN_ROUNDS and size * _SMALL_FRONTIER < self.graph.num_vertices:
                self.has_long_paths = 2 * total < self.graph.num_vertices
                if self.has_long_paths and self.workers < MIN_PATH_WORKERS:
                    return False
                starts, ends = self.bounds[:-1], self.bounds[:-1] + self.counts[::_STRIDE]
                parts = [frontier.vertices[start:end] for start, end in zip(starts, ends, strict=True)]
                self._extend(self.graph, np.concatenate(parts), self.reached)
                return True
            _mark_heads(self.workers, self.rows, frontier, marks)

    def backward(self, pivot: int) -> bool:
        """Find reached vertices that reach the pivot; return whether one is found."""
        self.members.words[pivot >> 5] = bit_of(pivot)
        self.members.flags[pivot] = 1
        size, passes = 1, 0
        while True:
            _pull(self.workers, self.rows, self.bounds, self.reached, self.members, self.counts)
            joined = int(self.counts.sum())
            size += joined
            passes += 1
            if joined * _SMALL_GAIN < size or (self.has_long_paths and passes == _PATH_PASSES):
                break
        if self.has_long_paths and self._misses_most(size):
            seen = self.members.words | ~self.reached
            self._extend(self.graph.transpose(), compact(self.members.flags), seen)
            self.members.words[:] = seen & self.reached
        return size > 1

    def _extend(self, graph: Graph, vertices: Any, words: Any) -> None:
        """Add all vertices to a set that can be reached from some of its vertices, without rounds."""
        unpack(self.vertices.size, words, self.vertices)
        Frontier(graph).exhaust(_reach, vertices, Rows(graph.indptr, graph.indices), self.vertices)
        pack(words.size, self.vertices, words)

    def _misses_most(self, size: int) -> bool:
        """Return whether most reached vertices are not among the `size` members, and the pivot reaches many."""
        reached = int(np.bitwise_count(self.reached).sum())
        return 2 * size < reached and reached * _SMALL_FRONTIER > self.graph.num_vertices


def _label_components(known: Known, remaining: Remaining) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex."""
    vertices, rank, count = remaining
    n = rank.size
    smallest: Any = np.full(count, n, index_type(n))
    _find_smallest(vertices.size, vertices, rank, smallest)

    word = int((known.members != 0).argmax())  # that of the first member
    first = int(known.members[word]) & -int(known.members[word])
    roots = known.trimmed.copy()
    if n % 32:
        roots[-1] &= (1 << n % 32) - 1
    roots[word] |= first
    _add_roots(count, smallest, roots)
    starts = exclusive_scan(np.bitwise_count(roots))

    labels = np.empty(n, smallest.dtype)
    label = int(starts[word]) + (int(roots[word]) & (first - 1)).bit_count()
    _write_labels(roots.size, Labeling(roots, starts[:-1], known.members, label), labels)
    _copy_labels(vertices.size, vertices, rank, smallest, labels)
    return int(starts[-1]), labels


def strong_components(graph: Graph) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex."""
    if graph.num_entries:
        search, pivot = _PivotComponent(graph), _pivot(graph)
        if search.forward(pivot) and search.backward(pivot):
            known = trim(graph, search.reached, search.members.words)
            return _label_components(known, tarjan.remaining_components(graph, known))
    return by_smallest_vertex(tarjan.component_numbers(graph))


def on_one_thread(graph: Graph) -> tuple[int, Any]:
    """Return the number of components and the label of each vertex, found by Tarjan's search on the CPU."""
    count, labels = by_smallest_vertex(tarjan.component_numbers(graph.to("cpu")))
    return count, graph.xp.asarray(labels)


def directed_components(graph: Graph) -> tuple[int, Labels]:
    """Return the number of components and the label of each vertex, using the fastest method."""
    small = graph.num_vertices + graph.num_entries <= _SMALL
    return (on_one_thread if small else strong_components)(graph)
