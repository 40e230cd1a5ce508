"""Breadth-first levels outward: every vertex of the frontier looks at all its neighbours.

State: `distance` and `parent` hold n where nothing is known yet, so the smaller number is the better one throughout. A
neighbour without a parent is new: it goes to the end of `queue`. One that was reached in this very level takes the
smaller parent, so parents do not depend on the order of the queue.

Where the search stands is in `progress`, five numbers by the names below. The frontier is ``queue[head:tail]``.

Two kernels do the same. One runs level after level on a single thread, because a road network has thousands of levels
of a few hundred vertices: to share such a level takes longer than to do it. The other shares one level among all
workers. Whoever lowers a parent from n has found the vertex: nothing else is settled by an atomic. A worker collects
what it has found in a chunk of its own, and reserves places in the queue for a whole chunk. Chunks are large: where
those of several workers take turns in the queue, workers write to the same cache lines in the next level. On a grid two
threads then take twice as long as one.
"""

from __future__ import annotations

from ..parallel import at, atomic_add, atomic_min, kernel, prefetch, rule

HEAD, TAIL, LEVEL, ENTRIES, SEEN = range(5)  # entries in the frontier's rows, and in all rows before it
_AHEAD_BY = 8  # vertices: their rows are asked for so long before they are looked at


@kernel(by="single")
def levels_alone(indptr, indices, most_entries, share, budget, progress, queue, distance, parent):
    """One level after the other, until nobody is left or the budget of entries is used up.

    But for the first, none is begun whose rows have more than `most_entries` entries, or of which `share` times as many
    are more than all rows not yet seen: those are better done in other ways.
    """
    n = distance.size
    head, tail, level, entries, seen = (
        progress[HEAD],
        progress[TAIL],
        progress[LEVEL],
        progress[ENTRIES],
        progress[SEEN],
    )
    done = 0
    while head < tail and (
        done == 0 or (done < budget and entries <= most_entries and entries * share <= indices.size - seen)
    ):
        level += 1
        end = tail
        for i in range(head, end):
            v = int(queue[at(i)])
            for e in range(indptr[at(v)], indptr[at(v + 1)]):
                u = indices[at(e)]
                p = int(parent[at(u)])
                if v < p:
                    if p == n:
                        distance[at(u)] = level
                        parent[at(u)] = v
                        queue[at(tail)] = u
                        tail += 1
                    elif distance[at(u)] == level:
                        parent[at(u)] = v
        head = end
        seen += entries
        done += entries + 1
        entries = 0
        for i in range(head, tail):
            v = int(queue[at(i)])
            e = int(indptr[at(v)])
            prefetch(indices, e)
            entries += int(indptr[at(v + 1)]) - e
    progress[HEAD], progress[TAIL], progress[LEVEL], progress[ENTRIES], progress[SEEN] = (
        head,
        tail,
        level,
        entries,
        seen,
    )


@rule
def _hand_in(first, found, chunks, indptr, progress, queue):
    """Move what a worker has found into the queue, and count the entries of these rows."""
    place = int(atomic_add(progress, TAIL, found))
    entries = 0
    for i in range(found):
        u = int(chunks[at(first + i)])
        queue[at(place + i)] = u
        entries += int(indptr[at(u + 1)]) - int(indptr[at(u)])
    atomic_add(progress, ENTRIES, entries)


@kernel(by="workers")
def level_shared(worker, workers, head, tail, level, chunk, chunks, indptr, indices, progress, queue, distance, parent):
    """The vertices at distance `level`, next to the frontier ``queue[head:tail]``."""
    n = distance.size
    first, found = worker * chunk, 0
    beyond = head + (tail - head) * (worker + 1) // workers
    for i in range(head + (tail - head) * worker // workers, beyond):
        ahead = queue[at(min(i + _AHEAD_BY, beyond - 1))]
        prefetch(indices, int(indptr[at(ahead)]))
        v = int(queue[at(i)])
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = indices[at(e)]
            if v < parent[at(u)] and distance[at(u)] >= level and atomic_min(parent, u, v) == n:
                distance[at(u)] = level
                chunks[at(first + found)] = u
                found += 1
                if found == chunk:
                    _hand_in(first, found, chunks, indptr, progress, queue)
                    found = 0
    if found > 0:
        _hand_in(first, found, chunks, indptr, progress, queue)
