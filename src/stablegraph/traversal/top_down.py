"""Breadth-first levels from the frontier outward: every vertex of the last level looks at all its neighbours.

State: `distance` and `parent` hold n where nothing is known yet, so that the smaller number always is the better one.
A neighbour that has no parent yet is new: it goes to the end of `queue`. One that was reached in this very level takes
the smaller parent, so parents do not depend on the order of the queue.

Where the search stands is in `progress`, five numbers by the names below. The frontier is ``queue[head:tail]``.

Two kernels do the same. One runs level after level on a single thread, because a road network has thousands of levels of
a few hundred vertices: sharing each would take longer than doing it. The other shares one level among all workers. Who
is first to lower a parent from n has found the vertex: that is the only thing settled by an atomic. What a worker has
found it collects in a chunk of its own, and reserves places in the queue for a whole chunk.
"""

from __future__ import annotations

from ..parallel import at, atomic_add, atomic_min, kernel, prefetch, rule

HEAD, TAIL, LEVEL, ENTRIES, SEEN = range(5)  # ENTRIES: of the frontier's rows; SEEN: of all rows before it
_AHEAD_BY = 8  # vertices: their rows are asked for so long before they are looked at


@rule
def _ask_for_row(i, tail, indptr, indices, queue):
    ahead = queue[at(min(i + _AHEAD_BY, tail - 1))]
    prefetch(indices, int(indptr[at(ahead)]))


@kernel(by="single")
def levels_alone(indptr, indices, most_entries, share, budget, progress, queue, distance, parent):
    """Level after level, until nobody is left, or the next one is better done otherwise, or the budget is used up.

    That is one whose rows have more than `most_entries` entries, or `share` times more than all rows not yet seen. But
    for the last condition, the first level is done in any case.
    """
    n = distance.size
    unseen = indices.size - progress[SEEN]
    head, tail, level, entries = progress[HEAD], progress[TAIL], progress[LEVEL], progress[ENTRIES]
    done = 0
    while (head < tail) & ((done == 0) | ((entries <= most_entries) & (done < budget) & (entries * share <= unseen))):
        level += 1
        end = tail
        for i in range(head, end):
            _ask_for_row(i, end, indptr, indices, queue)
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
        unseen -= entries
        done += entries + 1
        entries = 0
        for i in range(head, tail):
            v = queue[at(i)]
            entries += int(indptr[at(v + 1)]) - int(indptr[at(v)])
    progress[HEAD], progress[TAIL], progress[LEVEL], progress[ENTRIES] = head, tail, level, entries
    progress[SEEN] = indices.size - unseen


@rule
def _hand_in(own, found, chunks, indptr, progress, queue):
    """Move what a worker has found into the queue, and count the entries of these rows."""
    place = int(atomic_add(progress, TAIL, found))
    entries = 0
    for i in range(found):
        u = chunks[at(own + i)]
        entries += int(indptr[at(u + 1)]) - int(indptr[at(u)])
        queue[at(place + i)] = u
    atomic_add(progress, ENTRIES, entries)


@kernel(by="workers")
def level_shared(worker, workers, head, tail, level, chunk, chunks, indptr, indices, progress, queue, distance, parent):
    """One level, from the frontier ``queue[head:tail]`` to `level`."""
    n = distance.size
    own, found = worker * chunk, 0
    size = tail - head
    beyond = head + size * (worker + 1) // workers
    for i in range(head + size * worker // workers, beyond):
        _ask_for_row(i, beyond, indptr, indices, queue)
        v = int(queue[at(i)])
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = indices[at(e)]
            if (v < parent[at(u)]) and (distance[at(u)] >= level) and atomic_min(parent, u, v) == n:
                distance[at(u)] = level
                chunks[at(own + found)] = u
                found += 1
                if found == chunk:
                    _hand_in(own, found, chunks, indptr, progress, queue)
                    found = 0
    _hand_in(own, found, chunks, indptr, progress, queue)
