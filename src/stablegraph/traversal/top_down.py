"""Breadth-first levels, top-down: every vertex of the frontier visits all its neighbors.

Result: the next level, with the smallest parents, independent of the schedule.

Rule: a neighbor u of a vertex v of the frontier is new  <=>  it has no parent; and

    parent(u) = the smallest v with an arc (v, u) and distance(v) = distance(u) - 1

In the code: `levels_alone`, where ``v < p``, and `level_top_down`, where ``v < parent[u]``.

Idea: a new neighbor is appended to `queue`. A neighbor that was already reached in the current level takes the smaller
parent, so parents do not depend on the order of the queue.

There are two kernels. One processes level after level on a single thread, because a road network has thousands of
levels of a few hundred vertices: dividing such a level among threads takes longer than processing it. The other kernel
divides one level among all workers. The worker that lowers a parent from n has found the vertex; no other decision
depends on an atomic operation. A worker collects its new vertices in its own chunk, and reserves space in the queue for
a whole chunk. Chunks are large: if small chunks of several workers alternate in the queue, workers write to the same
cache lines in the next level. On a grid two threads then take twice as long as one.

State: `distance` and `parent` are n for unreached vertices, so the smaller number is always the better one. The state
of the search is in `progress`, five numbers with the field names below. The frontier is ``queue[head:tail]``.

Cost: the rows of the frontier.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core.runtime import Rows, atomic_add, atomic_min, chunk_bounds, kernel, prefetch, rule

HEAD, TAIL, LEVEL, ENTRIES, SEEN = range(5)  # ENTRIES: in the frontier's rows; SEEN: in all earlier rows
_AHEAD_BY = 8  # prefetch distance, in vertices


class Tree(NamedTuple):
    """The breadth-first tree so far; n for unreached vertices."""

    distance: Any  # (n,)
    parent: Any  # (n,)


@kernel(by="single", types="O[] V[] int int int int int64[] int32[] int32[] int32[]")
def levels_alone(rows: Rows, last_level, most_entries, ratio, budget, progress, queue, tree: Tree):
    """Process one level after another until the last one, an empty frontier, or the end of the budget of entries.

    Except for the first level, stop before a level whose rows have more than `most_entries` entries, or for which
    `ratio` times this number exceeds the entries of all unseen rows: other kernels are faster for such levels.
    """
    indptr, indices, distance, parent = rows.indptr, rows.indices, tree.distance, tree.parent
    n = distance.size
    head, tail, level = progress[HEAD], progress[TAIL], progress[LEVEL]
    entries, seen = progress[ENTRIES], progress[SEEN]
    done = 0
    while (
        head < tail
        and level < last_level
        and (done == 0 or (done < budget and entries <= most_entries and entries * ratio <= indices.size - seen))
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
def _append(start, count, chunks, indptr, progress, queue):
    """Append a worker's new vertices to the queue, and count the entries of their rows."""
    place = int(atomic_add(progress, TAIL, count))
    entries = 0
    for i in range(count):
        u = chunks[start + i]
        queue[place + i] = u
        entries += indptr[u + 1] - indptr[u]
    atomic_add(progress, ENTRIES, entries)


@kernel(by="workers", types="O[] V[] int32[] int32[] int64[] int32[] int32[] int32[]")
def level_top_down(worker, workers, rows: Rows, frontier, chunks, progress, queue, tree: Tree):
    """Find the vertices at distance ``progress[LEVEL]``; each worker processes a part of the frontier."""
    indptr, indices, distance, parent = rows.indptr, rows.indices, tree.distance, tree.parent
    n, level, chunk = distance.size, progress[LEVEL], chunks.size // workers
    begin, count = worker * chunk, 0
    start, end = chunk_bounds(frontier.size, worker, workers)
    for i in range(start, end):
        prefetch(indices, indptr[frontier[min(i + _AHEAD_BY, end - 1)]])
        v = frontier[i]
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if v < parent[u] and distance[u] >= level and atomic_min(parent, u, v) == n:
                distance[u] = level
                chunks[begin + count] = u
                count += 1
                if count == chunk:
                    _append(begin, count, chunks, indptr, progress, queue)
                    count = 0
    if count > 0:
        _append(begin, count, chunks, indptr, progress, queue)
