"""The rounds of residual.py: which vertices join, who goes out, how degrees fall, and the lists that grow by it.

Result, rule, idea and state are those of residual.py. Large rounds are kernels by workers, which change states by
compare-and-swap and take places at the ends of shared lists; small ones are a loop of one thread, without either.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...parallel import atomic_add, atomic_compare_and_swap, hash32, kernel, prefetch, rule, share
from ...parallel.groups import Rows
from ..worklists import LINE

OUT = -1
LOW = 2  # a vertex with so few undecided neighbors is a candidate
NONE = -1  # in a list: a place that was taken for nothing
_PREFETCH_DISTANCE = 16  # vertices of a list

# What each worker counts
UNDECIDED, LIMIT, CANDIDATES, NEXT, JOINED, DECIDED, LISTED, EDGES = range(8)
ON_LOW, ON_HIGH = range(2)


class Degrees(NamedTuple):
    """Which of two vertices is ahead."""

    residual: Any  # (n,): the residual degrees, which are the state as well
    seed: Any  # of the hashes that settle equal ones


class Lists(NamedTuple):
    """Lists of vertices. Each has room for one more, as in small rounds the next place is written in any case."""

    low: Any  # residual degrees up to 2
    high: Any  # up to `reach`
    spare: Any  # in small rounds, those that joined and then those that went out; in large ones, what becomes a list


class Growing(NamedTuple):
    """Both lists while workers add to them."""

    low: Any
    high: Any
    lengths: Any  # (2 * LINE,): how many places of each are taken, LINE apart; more than there are if it is incomplete
    reach: Any
    chunk: Any  # how many places a worker takes at a time


@rule
def _is_ahead_of_all(v, rows, degrees):
    """Whether v is ahead of all its neighbors, and how many entries were read to find out."""
    own, start, end = degrees.residual[v], rows.indptr[v], rows.indptr[v + 1]
    for e in range(start, end):
        u = rows.indices[e]
        other = degrees.residual[u]
        if (other >= 0) & (other <= own):
            if other < own:
                return False, e + 1 - start
            hash_u, hash_v = hash32(u + degrees.seed), hash32(v + degrees.seed)
            if hash_u > hash_v or (hash_u == hash_v and u > v):
                return False, e + 1 - start
    return True, end - start


# ------------------------------------------------------------------------------------------------------------- lists


@kernel(by="workers", types="int64[] int64[,] V[]")
def count_candidates(worker, workers, bounds, tally, residual):
    """Count a worker's undecided vertices, those that are candidates unless others have smaller degrees, and next ones.

    Of several smallest degrees, those up to 2 count as one; then the next one is 3.
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


@kernel(by="workers", types="int int64[] int64[,] O[] V[] V[] V[]")
def collect(worker, workers, reach, bounds, starts, residual, lists: Lists):
    """List a worker's vertices of low degree, and those whose degree is `reach`, each from a place of its own on."""
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
    """Some places at the end of a list: again the next one and the end, which are the same if the list is full."""
    if place == end:
        place = atomic_add(lists.lengths, which * LINE, lists.chunk)
        end = min(place + lists.chunk, size)
        place = min(place, end)
    return place, end


# ------------------------------------------------------------------------------------------------------- large rounds


@kernel(by="workers", types="V[] O[] int64[,]")
def find_smallest(worker, workers, listed, residual, tally):
    """The smallest degree above 2 in a worker's share of a list, and how many have it."""
    start, end = share(listed.size, worker, workers)
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


@kernel(by="workers", types="int O[] V[] V[] O[] int V[] V[] int64[] int int int64[,]")
def join(worker, workers, limit, rows: Rows, listed, degrees: Degrees, lists: Growing, tally):
    """Those of a worker's share of a list join that are candidates, and ahead of all their neighbors.

    They are packed to the beginning of its share; others that are undecided are added to the list of their kind.
    """
    start, end = share(listed.size, worker, workers)
    which = ON_LOW if limit <= LOW else ON_HIGH
    target = lists.low if limit <= LOW else lists.high
    k, edges, stays, place, last = start, 0, 0, 0, 0
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
                stays += 1
    for i in range(place, last):
        target[i] = NONE
    tally[worker, JOINED] = k - start
    tally[worker, DECIDED] = k - start
    tally[worker, LISTED] = stays if limit <= LOW else 0
    tally[worker, EDGES] += edges


@rule
def _fall(residual, v):
    """Lower the residual degree of v, if it is undecided. What it was, or what else v is."""
    degree = residual[v]
    while degree > 0:
        seen = atomic_compare_and_swap(residual, v, degree, degree - 1)
        if seen == degree:
            break
        degree = seen
    return degree


@rule
def _put_out(residual, v):
    """Put v out, if it is undecided; whether that was done here."""
    degree = residual[v]
    while degree > 0:
        seen = atomic_compare_and_swap(residual, v, degree, OUT)
        if seen == degree:
            break
        degree = seen
    return degree > 0


@kernel(by="workers", types="O[] V[] T[] O[] V[] V[] int64[] int int int64[,]", T="int32 int64")
def settle(worker, workers, rows: Rows, listed, residual, lists: Growing, tally):
    """Put out the neighbors of the vertices that joined, and lower the degrees around these; list whose are small now.

    A neighbor of one that joined does not fall to 0 before it is put out, as the one that joined does not go out.
    """
    start, _ = share(listed.size, worker, workers)
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


@kernel(by="workers", types="T[] O[] V[] O[] int64[,]", T="int32 int64")
def lower_around(worker, workers, out, rows: Rows, residual, tally):
    """Lower the degrees around a worker's share of some vertices that are out."""
    start, end = share(out.size, worker, workers)
    for i in range(start, end):
        row, row_end = rows.indptr[out[i]], rows.indptr[out[i] + 1]
        tally[worker, EDGES] += row_end - row
        for e in range(row, row_end):
            _fall(residual, rows.indices[e])


# ------------------------------------------------------------------------------------------------------- small rounds


@rule(inline=False)
def _smallest(high, size, reach, residual):
    """Drop what is decided or low. How many are left, the smallest degree among them, and how many have it."""
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
    """As `join`, for candidates on a list. How many others stay on it, how many joined, and entries read."""
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
    """Put out the neighbors of those that joined, and list them behind those. How many both are, and entries read."""
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


@kernel(by="single", types="int int int O[] V[] O[] int V[] V[] V[] int64[] int64[]")
def small_rounds(largest, budget, reach, rows: Rows, degrees: Degrees, lists: Lists, left, sizes):
    """Rounds on lists, until one has more than `largest` candidates, the lists are empty or the budget is spent.

    `sizes` has the lengths of both lists and the number of undecided vertices; it gets the new lengths, and the number
    of rounds and of entries read. `left` gets the number of undecided vertices after each round; when it is full, that
    is all.
    """
    residual, low, high, decided = degrees.residual, lists.low, lists.high, lists.spare
    lows, highs, undecided = sizes[0], sizes[1], sizes[2]
    rounds = edges = 0
    while rounds < left.size and edges < budget:
        # Candidates: all on the list `low`, or else those of the smallest degree on `high`.
        limit, candidates = LOW, lows
        if lows == 0:
            highs, limit, candidates = _smallest(high, highs, reach, residual)
        if candidates == 0 or candidates > largest:
            break
        # Candidates join that are ahead of all their neighbors, which go out.
        if lows:
            lows, joined, read = _join_listed(low, lows, limit, rows, degrees, decided)
        else:
            highs, joined, read = _join_listed(high, highs, limit, rows, degrees, decided)
        edges += read
        k, read = _put_out_listed(decided, joined, rows, residual)
        edges += read
        undecided -= k
        # Residual degrees fall around the vertices that went out. No branches, which would be mispredicted: what is
        # written to a list stays there only if it belongs there.
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
        left[rounds] = undecided
        rounds += int(joined > 0)  # none joins when all on the list were decided before
    sizes[0] = lows
    sizes[1] = highs
    sizes[3] = rounds
    sizes[4] = edges
