"""Breadth-first levels, top-down: every vertex of the frontier visits all its neighbors.

Result: the next levels, with the smallest parents, independent of the schedule.

Rule: a neighbor u of a vertex v of the frontier is new  <=>  it has no parent; and

    parent(u) = the smallest v with an arc (v, u) and distance(v) = distance(u) - 1

In the code: `levels_alone`, where ``v < p``, and `_visit`, where ``v < parent[u]``.

Idea: a new neighbor is appended to `queue`. A neighbor that was already reached in the current level takes the smaller
parent, so parents do not depend on the order of the queue.

There are two kernels, and both process level after level in one call. `levels_alone` runs on a single thread, because a
road network has thousands of levels of a few hundred vertices: dividing such a level among threads takes longer than
processing it. `levels_together` divides each level into pieces, which workers claim. The worker that finishes the last
piece begins the next level; meanwhile the other workers poll one word. Apart from its work, a level therefore costs a
few microseconds, where a launch would cost ten times as much. A worker waits only for pieces that other workers have
claimed, so one worker after another can also run the kernel: the first one processes all levels.

The worker that lowers a parent from n has found the vertex; no other decision depends on an atomic operation. A worker
collects its new vertices in its own chunk, and reserves space in the queue for a whole chunk. Chunks are large: if
small chunks of several workers alternate in the queue, workers write to the same cache lines in the next level. On a
grid two threads then take twice as long as one.

State: `distance` and `parent` are n for unreached vertices, so the smaller number is always the better one. The state
of the search is in `progress`, with the field names below. The frontier is ``queue[head:end]``, and new vertices are
appended at `tail`. The word `CLAIMS` has the number of pieces of the level, and the number of claimed ones, which may
be too large.

Cost: the rows of the frontiers.
"""

from __future__ import annotations

from typing import NamedTuple

from .._core.runtime import (
    Rows,
    atomic_add,
    atomic_load,
    atomic_min,
    atomic_store,
    chunk_bounds,
    fence,
    kernel,
    prefetch,
    rule,
    yield_thread,
)
from .._core.runtime.array_types import Int32s, Int64s

# The fields of `progress`, in three groups of 128 bytes: written by each claim, by each piece, by each level.
CLAIMS = 0
TAIL, ENTRIES, DONE = range(16, 19)  # ENTRIES: in the rows of the new vertices; DONE: the number of finished pieces
HEAD, END, LEVEL, SEEN, SPENT = range(32, 37)  # SEEN: entries in all earlier rows; SPENT: those of this call
FIELDS = 48

_PREFETCH_DISTANCE = 8  # prefetch distance, in vertices
_PIECE = 512  # entries of a piece, if there are more workers than pieces of this size
_LARGE_PIECE = 8192  # entries; if the workers' pieces would be larger, there are more of them, of different cost
_POLLS = 4096  # of a word, before a waiting worker offers its processor to other threads: about 10 microseconds
_BITS = 30  # of each of the two numbers of pieces in `CLAIMS`
ONE_PIECE = 1 << _BITS
_STOPPED = 1 << 2 * _BITS


class Tree(NamedTuple):
    """The breadth-first tree so far; n for unreached vertices."""

    distance: Int32s  # (n,)
    parent: Int32s  # (n,)


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
def levels_alone(rows: Rows, limits: Limits, progress: Int64s, queue: Int32s, tree: Tree):
    """Process one level after another until a limit is exceeded or the frontier is empty, but at least one level."""
    indptr, indices, distance, parent = rows.indptr, rows.indices, tree.distance, tree.parent
    n = distance.size
    head, tail, level = progress[HEAD], progress[TAIL], progress[LEVEL]
    entries, seen = progress[ENTRIES], progress[SEEN]
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
        for i in range(head, tail):
            v = queue[i]
            e = indptr[v]
            prefetch(indices, e)
            entries += indptr[v + 1] - e
    progress[HEAD], progress[TAIL], progress[LEVEL] = head, tail, level
    progress[ENTRIES], progress[SEEN] = entries, seen


@rule
def _append(count, chunk, indptr, progress, queue):
    """Append a worker's new vertices to the queue, and count the entries of their rows."""
    place = int(atomic_add(progress, TAIL, count))
    entries = 0
    for i in range(count):
        u = chunk.vertices[chunk.start + i]
        queue[place + i] = u
        entries += indptr[u + 1] - indptr[u]
    atomic_add(progress, ENTRIES, entries)


@rule(inline=False)
def _visit(start, end, chunk, rows, progress, queue, tree):
    """Visit the neighbors of a part of the queue, and collect new vertices in the worker's chunk."""
    indptr, indices, distance, parent = rows.indptr, rows.indices, tree.distance, tree.parent
    n, level, count = distance.size, progress[LEVEL], 0
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
    entries, tail = int(atomic_load(progress, ENTRIES)), int(atomic_load(progress, TAIL))
    head, level, seen, spent = progress[END], progress[LEVEL], progress[SEEN], progress[SPENT]
    progress[HEAD] = head
    if (
        head == tail
        or level == limits.last_level
        or entries <= limits.alone // 4  # far fewer than at the beginning, so that calls do not alternate
        or entries * limits.ratio > size - seen
        or spent >= limits.budget
    ):
        fence()
        atomic_store(progress, CLAIMS, _STOPPED)
    else:
        parts = workers * 4 if entries > workers * _LARGE_PIECE else min(workers, 1 + entries // _PIECE)
        progress[END], progress[LEVEL] = tail, level + 1
        progress[SEEN], progress[SPENT] = seen + entries, spent + entries
        atomic_store(progress, ENTRIES, 0)
        atomic_store(progress, DONE, 0)
        fence()
        atomic_store(progress, CLAIMS, parts * ONE_PIECE)


@kernel(by="workers", types="int32[] int64[] int32[]")
def levels_together(worker, workers, rows: Rows, limits: Limits, chunks, progress, queue, tree: Tree):
    """Process one level after another until a limit is exceeded or the frontier is empty."""
    size = chunks.size // workers
    chunk = Chunk(chunks, worker * size, size)
    word = atomic_load(progress, CLAIMS)
    while word < _STOPPED:
        if word % ONE_PIECE < word // ONE_PIECE:
            word = atomic_add(progress, CLAIMS, 1)
        pieces, piece = word // ONE_PIECE, word % ONE_PIECE
        if word < _STOPPED and piece < pieces:
            fence()
            head = progress[HEAD]
            start, end = chunk_bounds(progress[END] - head, piece, pieces)
            _visit(head + start, head + end, chunk, rows, progress, queue, tree)
            fence()
            if atomic_add(progress, DONE, 1) + 1 == pieces:
                fence()
                _begin_level(workers, rows.indices.size, limits, progress)
        else:
            polls, seen = 0, word
            while word == seen:
                word = atomic_load(progress, CLAIMS)
                polls += 1
                if polls % _POLLS == 0:
                    yield_thread()
            continue
        word = atomic_load(progress, CLAIMS)
