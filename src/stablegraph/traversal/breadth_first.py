"""Direction-optimizing breadth-first search: top-down from small frontiers, bottom-up from large ones.

Result: distances, and as the parent of each vertex the smallest neighbor that is one step closer to the sources. Both
depend only on the graph and the sources.

Rule: distance(v) = 1 + the smallest distance of a vertex with an arc to v, 0 for a source, and

    parent(v) = the smallest u with an arc (u, v) and distance(u) = distance(v) - 1

The oracle is `breadth_first` in tests/support/naive.py. In the code: top-down `_levels_alone`, where ``v < p``, and
`_visit`, where ``v < parent[u]``; bottom-up `_smallest_reached`. `_BreadthFirstSearch.run` chooses between them.

Idea: the direction is chosen by counting entries. The search goes bottom-up when the frontier's rows have more than
1/15 of the entries in unseen rows, and top-down again when the frontier shrinks and has at most 1/18 of the vertices.

*Top-down*, every vertex of the frontier visits all its neighbors. A new neighbor is appended to `queue`. A neighbor
that was already reached in the current level takes the smaller parent, so parents do not depend on the order of the
queue.

There are two kernels, and both process level after level in one call. `_levels_alone` runs on a single thread, because
a road network has thousands of levels of a few hundred vertices: dividing such a level between two threads takes longer
than processing it. The more threads there are, the smaller the levels that they divide. `_levels_together` divides each
level into pieces, which workers claim. The worker that finishes the last piece begins the next level; meanwhile the
other workers poll one word. Apart from its work, a level therefore costs a few microseconds, where a launch would cost
ten times as much. A worker waits only for pieces that other workers have claimed, so one worker after another can also
run the kernel: the first one processes all levels. A call ends after a few tenths of a second, so that a search can be
interrupted.

The worker that lowers a parent from n has found the vertex; no other decision depends on an atomic operation. A worker
collects its new vertices in its own chunk, and reserves space in the queue for a whole chunk. Chunks are large: if
small chunks of several workers alternate in the queue, workers write to the same cache lines in the next level. On a
grid two threads then take twice as long as one.

*Bottom-up*, every unreached vertex searches its row of incoming arcs for a reached vertex. When the frontier is large,
most entries of its rows lead to reached vertices. An unreached vertex, however, soon finds a neighbor in the frontier
and can stop its search. In an ascending row the first one found is also the smallest, and so the parent. If the pattern
is symmetric, these are the graph's own rows. Otherwise bottom-up levels are used only if the transpose is already
known, because computing it takes longer than a search.

State: `distance` and `parent` are n for unreached vertices, so the smaller number is always the better one. The state
of the search is in `progress`, with the field names below. The frontier is ``queue[head:end]``, and new vertices are
appended at `tail`. The word `CLAIMS` has the number of pieces of the level, and the number of claimed ones, which may
be too large. Bottom-up, `reached` has a bit for each vertex, as it was before the level. A reached vertex with an
unreached neighbor must be in the frontier, because otherwise the neighbor would have been reached earlier. No list of
the frontier is needed; after the last level, `_list_level` writes one.

Not in the engine of frontiers, whose searches have no levels: this one needs the level of a vertex for the smallest
parents, and changes its direction.

Cost: top-down reads each entry once; bottom-up reads a few entries of each vertex. Work memory: 4 bytes and two bits
per vertex (8 bytes with 64-bit indices).

Source: S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.engines.frontier import CLAIMS, DONE, ONE_PIECE, STOPPED, claim_piece, finish_piece
from .._core.runtime import Rows, chunk_bounds, edge_chunk_bounds, kernel, prefetch, rule, worker_count
from .._core.runtime.array_types import Bytes, Int32s, Int64s, Offsets, Vertices
from .._core.runtime.atomics import atomic_add, atomic_load, atomic_min, atomic_store, fence
from ..graph import Graph

_ALPHA, _BETA = 15, 18  # as in the GAP Benchmark Suite (the paper has 14 and 24)
_MAX_ALONE = 8192  # entries in the rows of a frontier, divided by the workers; below this, dividing does not pay off
_BUDGET = 1 << 25  # entries per call: bounds the latency of Ctrl-C
_CHUNK = 4096  # vertices that a worker appends to the queue at once

# The fields of `progress` in addition to CLAIMS and DONE, in three groups of 128 bytes: CLAIMS, written by each piece,
# written by each level.
_TAIL, _ENTRIES = DONE + 1, DONE + 2  # _ENTRIES: in the rows of new vertices
_HEAD, _END, _LEVEL, _SEEN, _SPENT = range(32, 37)  # _SEEN: entries in all earlier rows; _SPENT: those of this call
_FIELDS = 48

_PREFETCH_DISTANCE = 8  # prefetch distance, in vertices
_EARLY = 2048  # vertices; the rows of a smaller frontier are prefetched at once, and stay in the cache
_PIECE = 256  # entries of a piece, if there are more workers than pieces of this size
_LARGE_PIECE = 8192  # entries; if the workers' pieces would be larger, there are more of them, of different cost
_SHARES = 16  # of a worker in a bottom-up level, from all parts of the graph: unreached rows are often close together


class Tree(NamedTuple):
    """The breadth-first tree so far; n for unreached vertices."""

    distance: Int32s  # (n,)
    parent: Int32s  # (n,)


# ---- Top-down


class Chunk(NamedTuple):
    """A worker's part of the array of chunks."""

    vertices: Int32s  # the chunks of all workers
    start: int
    size: int


class Limits(NamedTuple):
    """When a call ends."""

    last_level: int
    alone: int  # one thread processes frontiers with at most this number of entries in their rows
    ratio: int  # if this times the entries of a frontier exceeds those of all unseen rows, the level is bottom-up
    budget: int  # entries per call


@kernel(by="single")
def _levels_alone(rows: Rows, limits: Limits, progress: Int64s, queue: Int32s, tree: Tree):
    """Process one level after another until a limit is exceeded or the frontier is empty, but at least one level."""
    indptr, indices, distance, parent = rows.indptr, rows.indices, tree.distance, tree.parent
    n = distance.size
    head, tail, level = progress[_HEAD], progress[_TAIL], progress[_LEVEL]
    entries, seen = progress[_ENTRIES], progress[_SEEN]
    done = 0
    while (
        head < tail
        and level < limits.last_level
        and (
            done == 0
            or (done < limits.budget and entries <= limits.alone and entries * limits.ratio <= indices.size - seen)
        )
    ):
        # Visit all neighbors of the frontier; new vertices follow it in the queue.
        level += 1
        end = tail
        for i in range(head, end):
            prefetch(indices, indptr[queue[min(i + _PREFETCH_DISTANCE, end - 1)]])
            v = queue[i]
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                p = parent[u]
                if v < p:
                    if p == n:
                        distance[u] = level
                        parent[u] = v
                        queue[tail] = u
                        tail += 1
                    elif distance[u] == level:
                        parent[u] = v
        # The new vertices are the next frontier: count the entries of its rows.
        head = end
        seen += entries
        done += entries + 1
        entries = 0
        early = tail - head <= _EARLY
        for i in range(head, tail):
            v = queue[i]
            e = indptr[v]
            if early:
                prefetch(indices, e)
            entries += indptr[v + 1] - e
    progress[_HEAD], progress[_TAIL], progress[_LEVEL] = head, tail, level
    progress[_ENTRIES], progress[_SEEN] = entries, seen


@rule
def _append(count, chunk, indptr, progress, queue):
    """Append a worker's new vertices to the queue, and count the entries of their rows."""
    place = int(atomic_add(progress, _TAIL, count))
    entries = 0
    for i in range(count):
        u = chunk.vertices[chunk.start + i]
        queue[place + i] = u
        entries += indptr[u + 1] - indptr[u]
    atomic_add(progress, _ENTRIES, entries)


@rule(inline=False)
def _visit(start, end, chunk, rows, progress, queue, tree):
    """Visit the neighbors of a part of the queue, and collect new vertices in the worker's chunk."""
    indptr, indices, distance, parent = rows.indptr, rows.indices, tree.distance, tree.parent
    n, level, count = distance.size, progress[_LEVEL], 0
    for i in range(start, end):
        prefetch(indices, indptr[queue[min(i + _PREFETCH_DISTANCE, end - 1)]])
        v = queue[i]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if v < parent[u] and distance[u] >= level and atomic_min(parent, u, v) == n:
                distance[u] = level
                chunk.vertices[chunk.start + count] = u
                count += 1
                if count == chunk.size:
                    _append(count, chunk, indptr, progress, queue)
                    count = 0
    if count > 0:
        _append(count, chunk, indptr, progress, queue)


@rule(inline=False)
def _begin_level(workers, size, limits, progress):
    """Begin the next level, or stop; `size` is the number of entries of the graph."""
    entries, tail = int(atomic_load(progress, _ENTRIES)), int(atomic_load(progress, _TAIL))
    head, level, seen, spent = progress[_END], progress[_LEVEL], progress[_SEEN], progress[_SPENT]
    progress[_HEAD] = head
    if (
        head == tail
        or level == limits.last_level
        or entries <= limits.alone // 4  # far fewer than at the beginning, so that calls do not alternate
        or entries * limits.ratio > size - seen
        or spent >= limits.budget
    ):
        fence()
        atomic_store(progress, CLAIMS, STOPPED)
    else:
        parts = workers * 4 if entries > workers * _LARGE_PIECE else min(workers, 1 + entries // _PIECE)
        progress[_END], progress[_LEVEL] = tail, level + 1
        progress[_SEEN], progress[_SPENT] = seen + entries, spent + entries
        atomic_store(progress, _ENTRIES, 0)
        atomic_store(progress, DONE, 0)
        fence()
        atomic_store(progress, CLAIMS, parts * ONE_PIECE)


@kernel(by="workers", types="int32[] int64[] int32[]")
def _levels_together(worker, workers, rows: Rows, limits: Limits, chunks, progress, queue, tree: Tree):
    """Process one level after another until a limit is exceeded or the frontier is empty."""
    size = chunks.size // workers
    chunk = Chunk(chunks, worker * size, size)
    word = claim_piece(progress)
    while word < STOPPED:
        pieces, piece, head = word // ONE_PIECE, word % ONE_PIECE, progress[_HEAD]
        start, end = chunk_bounds(progress[_END] - head, piece, pieces)
        _visit(head + start, head + end, chunk, rows, progress, queue, tree)
        if finish_piece(pieces, progress):
            _begin_level(workers, rows.indices.size, limits, progress)
        word = claim_piece(progress)


# ---- Bottom-up

_ALL = 255


class InwardRows(NamedTuple):
    """The rows of incoming arcs of each vertex."""

    indptr: Offsets
    indices: Vertices
    ascending: bool  # whether each row is sorted


@kernel(each=8)
def _mark_reached(group, distance: Int32s, reached: Bytes):
    """Compute the bits of eight vertices; positions after the last vertex count as reached."""
    n = distance.size
    bits = 0
    for i in range(8):
        v = 8 * group + i
        bits |= int(v >= n or distance[v] < n) << i
    reached[group] = bits


@rule
def _smallest_reached(v, rows, reached, no_vertex):
    """Return the smallest reached vertex in a row, or `no_vertex`."""
    smallest = no_vertex
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if (np.int64(reached[u >> 3]) >> (u & 7)) & 1:
            smallest = min(smallest, u)
            if rows.ascending:
                break
    return smallest


@rule
def _groups_of(worker, workers, rows):
    """Return a worker's range of groups of eight vertices."""
    start, end = edge_chunk_bounds(rows.indptr, rows.indptr.size - 1, worker, workers)
    return (start + 7) >> 3, (end + 7) >> 3


@kernel(by="workers", types="int uint8[] uint8[] int64[]")
def _level_bottom_up(worker, workers, rows: InwardRows, level, reached, reached_now, tree: Tree, counts):
    """Find the vertices at distance `level`, each from its own row; count the vertices that each worker found."""
    n = tree.distance.size
    start, end = _groups_of(worker, workers, rows)
    count = 0
    for group in range(start, end):
        bits = np.int64(reached[group])
        if bits != _ALL:
            for i in range(8):
                v = 8 * group + i
                if not (bits >> i) & 1:
                    u = _smallest_reached(v, rows, reached, n)
                    if u < n:
                        tree.distance[v] = level
                        tree.parent[v] = u
                        bits |= 1 << i
                        count += 1
        reached_now[group] = bits
    counts[worker] = count


class Changes(NamedTuple):
    """Which vertices are reached, a bit for each, before a level and after it."""

    before: Bytes  # (ceil(n / 8),)
    after: Bytes


@kernel(by="workers", types="O[] int64[] int64[] int32[]")
def _list_level(worker, workers, rows: InwardRows, indptr, level: Changes, ends, entries, queue):
    """Write a worker's vertices of the last level to the queue, and count the entries of their rows.

    `ends` are the positions after each worker's vertices.
    """
    start, end = _groups_of(worker, workers, rows)
    place, total = ends[worker], 0
    for group in range(start, end):
        bits = np.int64(level.before[group]) ^ np.int64(level.after[group])
        for i in range(8):
            if (bits >> i) & 1:
                v = 8 * group + i
                place -= 1
                queue[place] = v
                total += indptr[v + 1] - indptr[v]
    entries[worker] = total


# ---- The search


@kernel
def _mark_all(v, tree: Tree):
    """Write n, which means "not reached yet"."""
    tree.distance[v] = tree.distance.size
    tree.parent[v] = tree.distance.size


@kernel
def _mark_unreached(v, tree: Tree):
    """Replace n by -1."""
    if tree.distance[v] == tree.distance.size:
        tree.distance[v] = -1
        tree.parent[v] = -1


class _BreadthFirstSearch:
    """A search that proceeds level by level."""

    def __init__(self, graph: Graph, sources: Any, last_level: int) -> None:
        n, id_type = graph.num_vertices, index_type(graph.num_vertices)
        self.graph, self.rows = graph, Rows(graph.indptr, graph.indices)
        self.inward = graph if graph.facts.get("symmetric") else graph._known_transpose
        self.tree = Tree(np.empty(n, id_type), np.empty(n, id_type))
        _mark_all(n, self.tree)
        self.tree.distance[sources], self.tree.parent[sources] = 0, sources
        self.workers = worker_count("cpu", n + graph.num_entries)
        alone = _MAX_ALONE // self.workers if self.workers > 1 else graph.num_entries
        self.limits = Limits(min(last_level, n), alone, 0 if self.inward is None else _ALPHA, _BUDGET)
        self.chunks: Any = np.empty(self.workers * _CHUNK, id_type)
        self.queue: Any = np.empty(n, id_type)
        self.progress: Any = np.zeros(_FIELDS, np.int64)
        self.queue[: sources.size] = sources
        entries = int((graph.indptr[sources + 1] - graph.indptr[sources]).sum(dtype=np.int64))
        self._start_from(sources.size, 0, entries, 0)
        self.found = sources.size  # vertices in earlier frontiers, and in the one at the beginning of the queue

    def _start_from(self, size: int, level: int, entries: int, seen: int) -> None:
        """Set the frontier, the first `size` vertices of the queue; the rows seen before have `seen` entries."""
        self.progress[[_HEAD, _TAIL, _LEVEL, _ENTRIES, _SEEN]] = 0, size, level, entries, seen
        self.first = size

    def run(self) -> Tree:
        """Process all levels."""
        rows, queue, tree, limits, progress = self.rows, self.queue, self.tree, self.limits, self.progress
        while True:
            state = progress.tolist()
            tail, level, entries, seen = state[_TAIL], state[_LEVEL], state[_ENTRIES], state[_SEEN]
            if state[_HEAD] == tail or level == limits.last_level:
                break
            if self.inward is not None and entries * limits.ratio > rows.indices.size - seen:
                self._run_bottom_up(self.inward, tail - state[_HEAD], level, seen)
            elif entries <= limits.alone:
                _levels_alone(rows, limits, progress, queue, tree)
            else:
                # Begin with one piece, which is empty: the worker that claims it begins the level.
                progress[[_END, _SPENT, DONE, CLAIMS]] = state[_HEAD], 0, 0, ONE_PIECE
                _levels_together(self.workers, rows, limits, self.chunks, progress, queue, tree)
        if self.found + tail - self.first < queue.size:
            _mark_unreached(queue.size, tree)
        return tree

    def _run_bottom_up(self, inward: Graph, size: int, level: int, seen: int) -> None:
        """Process bottom-up levels from a frontier of `size` vertices, while frontiers grow or are large."""
        n, last_level = self.queue.size, self.limits.last_level
        self.found += int(self.progress[_TAIL]) - self.first
        reached, reached_now = np.empty((n + 7) // 8, np.uint8), np.empty((n + 7) // 8, np.uint8)
        _mark_reached(reached.size, self.tree.distance, reached)
        shares = self.workers * _SHARES if self.workers > 1 else 1
        counts, rows = np.empty(shares, np.int64), InwardRows(inward.indptr, inward.indices, inward.is_sorted)
        before = 0
        while size > 0 and level < last_level and (size >= before or size * _BETA > n):
            level += 1
            _level_bottom_up(shares, rows, level, reached, reached_now, self.tree, counts)
            reached, reached_now = reached_now, reached
            before, size = size, int(counts.sum())
            self.found += size
        entries = np.zeros(shares, np.int64)
        if size > 0 and level < last_level:
            last = Changes(reached_now, reached)
            _list_level(shares, rows, self.rows.indptr, last, counts.cumsum(), entries, self.queue)
        self._start_from(size, level, int(entries.sum()), seen)


def distances_and_parents(graph: Graph, sources: Any, last_level: int) -> tuple[Any, Any]:
    """Return distances of at most `last_level`, and parents; both are -1 for all other vertices.

    `sources` are distinct vertices in ascending order. The graph and the sources are in host memory.
    """
    distance, parent = _BreadthFirstSearch(graph, sources, last_level).run()
    return distance, parent
