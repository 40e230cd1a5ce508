"""The rounds of residual.py: kernels that let vertices join, put neighbors out, decrease degrees, and extend the lists.

Result, rule, idea and state: see residual.py. Large rounds are kernels over workers, which change states by
compare-and-swap and reserve places at the ends of shared lists. Small rounds are a loop in one thread and need neither.
"""

from __future__ import annotations

from typing import NamedTuple

from ..._core.engines.rounds import LINE
from ..._core.runtime import Rows, atomic_add, atomic_compare_and_swap, chunk_bounds, hash32, kernel, prefetch, rule
from ..._core.runtime.array_types import Int64s, Int64Table, Integers, Offsets, Vertices

OUT = -1
LOW = 2  # a vertex with at most this number of undecided neighbors is a candidate
NONE = -1  # in a list: an unused place of a reserved chunk
_PREFETCH_DISTANCE = 16  # vertices of a list

# Counters of each worker
UNDECIDED, LIMIT, CANDIDATES, NEXT, JOINED, DECIDED, LISTED, EDGES = range(8)
ON_LOW, ON_HIGH = range(2)


class Degrees(NamedTuple):
    """The residual degrees and the seed, which decide which of two vertices is ahead."""

    residual: Offsets  # (n,): the residual degrees, which are also the states
    seed: int  # of the hashes that decide between equal degrees


class Lists(NamedTuple):
    """Lists of vertices. Each has room for one more, because small rounds always write to the next place."""

    low: Vertices  # residual degrees up to 2
    high: Vertices  # up to `reach`
    spare: Vertices  # small rounds: joined vertices, then vertices put out; large rounds: memory for the next list


class Growing(NamedTuple):
    """Both lists while workers append to them."""

    low: Vertices
    high: Vertices
    lengths: Int64s  # (2 * LINE,): reserved places of each list, LINE apart; larger than a list if it has overflowed
    reach: int
    chunk: int  # the number of places that a worker reserves at a time


@rule
def _is_ahead_of_all(v, rows, degrees):
    """Return whether v is ahead of all its neighbors, and the number of entries read."""
    degree, start, end = degrees.residual[v], rows.indptr[v], rows.indptr[v + 1]
    for e in range(start, end):
        u = rows.indices[e]
        other_degree = degrees.residual[u]
        if (other_degree >= 0) & (other_degree <= degree):
            if other_degree < degree:
                return False, e + 1 - start
            hash_u, hash_v = hash32(u + degrees.seed), hash32(v + degrees.seed)
            if hash_u > hash_v or (hash_u == hash_v and u > v):
                return False, e + 1 - start
    return True, end - start


# ------------------------------------------------------------------------------------------------------------- lists


@kernel(by="workers")
def count_candidates(worker, workers, bounds: Int64s, tally: Int64Table, residual: Vertices):
    """Count a worker's undecided vertices, those with the smallest degree in its share, and those with degree 3.

    Degrees up to 2 count as 2. If the smallest degree of all workers is 2, the vertices of degree 3 are the next ones.
    """
    undecided = candidates = following = 0
    limit = residual.size + LOW
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = residual[v]
        if degree > 0:
            undecided += 1
            following += int(degree == LOW + 1)
            degree = max(degree, LOW)
            if degree < limit:
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    tally[worker, UNDECIDED] = undecided
    tally[worker, LIMIT] = limit
    tally[worker, CANDIDATES] = candidates
    tally[worker, NEXT] = following


@kernel(by="workers")
def collect(worker, workers, reach: int, bounds: Int64s, starts: Int64Table, residual: Offsets, lists: Lists):
    """List a worker's vertices of low degree and of degree `reach`, from the worker's start in each list."""
    k, j = starts[ON_LOW, worker], starts[ON_HIGH, worker]
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = residual[v]
        if degree > 0:
            if degree <= LOW:
                lists.low[k] = v
                k += 1
            elif degree == reach:
                lists.high[j] = v
                j += 1


@rule
def _more(place, end, which, size, lists):
    """Reserve a chunk of the list if needed; return the next place and the chunk's end, equal if the list is full."""
    if place == end:
        place = atomic_add(lists.lengths, which * LINE, lists.chunk)
        end = min(place + lists.chunk, size)
        place = min(place, end)
    return place, end


# ------------------------------------------------------------------------------------------------------- large rounds


@kernel(by="workers")
def find_smallest_degree(worker, workers, listed: Vertices, residual: Offsets, tally: Int64Table):
    """Find the smallest degree above 2 in a worker's share of a list, and count the vertices of that degree."""
    start, end = chunk_bounds(listed.size, worker, workers)
    limit, candidates = residual.size + LOW, 0
    for i in range(start, end):
        v = listed[i]
        if v != NONE:
            degree = residual[v]
            if (degree > LOW) & (degree < limit):
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    tally[worker, LIMIT] = limit
    tally[worker, CANDIDATES] = candidates


@kernel(by="workers", types="int V[] int64[,]")
def join_candidates(worker, workers, limit, rows: Rows, listed, degrees: Degrees, lists: Growing, tally):
    """Put in the candidates in a worker's share of a list that are ahead of all their neighbors.

    They are packed to the beginning of the share. The other undecided vertices are appended to the new list, unless
    their degree has become too low for it.
    """
    start, end = chunk_bounds(listed.size, worker, workers)
    which = ON_LOW if limit <= LOW else ON_HIGH
    target = lists.low if limit <= LOW else lists.high
    k, edges, appended, place, last = start, 0, 0, 0, 0
    for i in range(start, end):
        v = listed[i]
        later = listed[min(i + _PREFETCH_DISTANCE, end - 1)]
        prefetch(rows.indices, rows.indptr[max(later, 0)])
        degree = degrees.residual[v] if v != NONE else 0
        joins = False
        if (degree > 0) & (degree <= limit):
            joins, read = _is_ahead_of_all(v, rows, degrees)
            edges += read
        if joins:
            degrees.residual[v] = 0
            listed[k] = v
            k += 1
        elif (degree > 0) & ((degree > LOW) == (limit > LOW)):
            place, last = _more(place, last, which, target.size, lists)
            if place < last:
                target[place] = v
                place += 1
                appended += 1
    for i in range(place, last):
        target[i] = NONE
    tally[worker, JOINED] = k - start
    tally[worker, DECIDED] = k - start
    tally[worker, LISTED] = appended if limit <= LOW else 0
    tally[worker, EDGES] += edges


@rule
def _fall(residual, v):
    """Decrease the residual degree of v if v is undecided; return the previous degree, or the state of a decided v."""
    degree = residual[v]
    while degree > 0:
        seen = atomic_compare_and_swap(residual, v, degree, degree - 1)
        if seen == degree:
            break
        degree = seen
    return degree


@rule
def _put_out(residual, v):
    """Put v out if it is undecided; return whether this call did so."""
    degree = residual[v]
    while degree > 0:
        seen = atomic_compare_and_swap(residual, v, degree, OUT)
        if seen == degree:
            break
        degree = seen
    return degree > 0


@kernel(by="workers", types="I[] O[] int64[,]")
def put_out_neighbors(worker, workers, rows: Rows, listed, residual, lists: Growing, tally):
    """Put out the neighbors of the joined vertices, decrease the degrees around them, and list the new low degrees.

    A neighbor of a joined vertex cannot reach degree 0 before it is put out, because the joined vertex never goes out.
    """
    start, _ = chunk_bounds(listed.size, worker, workers)
    low, high = lists.low, lists.high
    k, last_low, j, last_high = 0, 0, 0, 0
    edges = decided = listed_low = 0
    for i in range(start, start + tally[worker, JOINED]):
        v = listed[i]
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        edges += row_end - row
        for e in range(row, row_end):
            prefetch(rows.indices, rows.indptr[rows.indices[e]])
        for e in range(row, row_end):
            u = rows.indices[e]
            if _put_out(residual, u):
                decided += 1
                first, end = rows.indptr[u], rows.indptr[u + 1]
                edges += end - first
                for f in range(first, end):
                    w = rows.indices[f]
                    degree = _fall(residual, w)
                    decided += int(degree == 1)
                    if degree == LOW + 1:
                        k, last_low = _more(k, last_low, ON_LOW, low.size, lists)
                        if k < last_low:
                            low[k] = w
                            k += 1
                            listed_low += 1
                    elif degree == lists.reach + 1:
                        j, last_high = _more(j, last_high, ON_HIGH, high.size, lists)
                        if j < last_high:
                            high[j] = w
                            j += 1
    for i in range(k, last_low):
        low[i] = NONE
    for i in range(j, last_high):
        high[i] = NONE
    tally[worker, DECIDED] += decided
    tally[worker, LISTED] += listed_low
    tally[worker, EDGES] += edges


@kernel(by="workers")
def lower_around(worker, workers, out: Integers, rows: Rows, residual: Offsets, tally: Int64Table):
    """Decrease the degrees around a worker's share of some vertices that are out."""
    start, end = chunk_bounds(out.size, worker, workers)
    for i in range(start, end):
        row, row_end = rows.indptr[out[i]], rows.indptr[out[i] + 1]
        tally[worker, EDGES] += row_end - row
        for e in range(row, row_end):
            _fall(residual, rows.indices[e])


# ------------------------------------------------------------------------------------------------------- small rounds


@rule(inline=False)
def _smallest(high, size, reach, residual):
    """Drop decided and low vertices; return the number remaining, their smallest degree, and how many have it."""
    limit, candidates, k = reach + 1, 0, 0
    for i in range(size):
        v = high[i]
        degree = residual[v]
        high[k] = v
        if degree > LOW:
            k += 1
            if degree < limit:
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    return k, limit, candidates


@rule(inline=False)
def _join_listed(listed, size, limit, rows, degrees, decided):
    """Do the same as `join_candidates` in one thread; return the numbers of remaining vertices, members and reads."""
    k = joined = edges = 0
    for i in range(size):
        v = listed[i]
        prefetch(rows.indices, rows.indptr[listed[min(i + _PREFETCH_DISTANCE, size - 1)]])
        degree = degrees.residual[v]
        listed[k] = v
        k += int(degree > 0)
        if (degree > 0) & (degree <= limit):
            joins, read = _is_ahead_of_all(v, rows, degrees)
            edges += read
            if joins:
                degrees.residual[v] = 0
                decided[joined] = v
                joined += 1
                k -= 1
    return k, joined, edges


@rule(inline=False)
def _put_out_listed(decided, joined, rows, residual):
    """Put out the neighbors of the joined vertices, and list them after those; return the total and entries read."""
    k, edges = joined, 0
    for i in range(joined):
        v = decided[i]
        start, end = rows.indptr[v], rows.indptr[v + 1]
        edges += end - start
        for e in range(start, end):
            u = rows.indices[e]
            if residual[u] > 0:
                residual[u] = OUT
                prefetch(rows.indices, rows.indptr[u])
                decided[k] = u
                k += 1
    return k, edges


@kernel(by="single", types="int int int int64[] int64[]")
def small_rounds(largest, budget, reach, rows: Rows, degrees: Degrees, lists: Lists, undecided_after, sizes):
    """Run rounds until one has more than `largest` candidates, the lists are empty or the budget is spent.

    `sizes` contains the lengths of both lists and the number of undecided vertices. The kernel stores the new lengths,
    the number of rounds and the number of entries read in it. `undecided_after` receives the number of undecided
    vertices after each round; the kernel ends when it is full.
    """
    residual, low, high, decided = degrees.residual, lists.low, lists.high, lists.spare
    lows, highs, undecided = sizes[0], sizes[1], sizes[2]
    rounds = edges = 0
    while rounds < undecided_after.size and edges < budget:
        # Candidates: all vertices on the list `low`; if it is empty, those of the smallest degree on `high`.
        limit, candidates = LOW, lows
        if lows == 0:
            highs, limit, candidates = _smallest(high, highs, reach, residual)
        if candidates == 0 or candidates > largest:
            break
        # Candidates that are ahead of all their neighbors join, and the neighbors go out.
        if lows:
            lows, joined, read = _join_listed(low, lows, limit, rows, degrees, decided)
        else:
            highs, joined, read = _join_listed(high, highs, limit, rows, degrees, decided)
        edges += read
        k, read = _put_out_listed(decided, joined, rows, residual)
        edges += read
        undecided -= k
        # Residual degrees decrease around the vertices that went out. Branches would be mispredicted, so every neighbor
        # is written to both lists, and it only stays in a list if the list's length is increased.
        for i in range(joined, k):
            v = decided[i]
            prefetch(rows.indices, rows.indptr[decided[min(i + _PREFETCH_DISTANCE, k - 1)]])
            start, end = rows.indptr[v], rows.indptr[v + 1]
            edges += end - start
            for e in range(start, end):
                u = rows.indices[e]
                degree = residual[u]
                residual[u] = degree - int(degree > 0)
                low[lows] = u
                lows += int(degree == LOW + 1)
                high[highs] = u
                highs += int(degree == reach + 1)
                undecided -= int(degree == 1)
        undecided_after[rounds] = undecided
        rounds += int(joined > 0)  # no vertex joins if all listed ones were already decided
    sizes[0] = lows
    sizes[1] = highs
    sizes[3] = rounds
    sizes[4] = edges
