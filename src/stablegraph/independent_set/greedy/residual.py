"""Greedy by residual degree: rounds in which vertices join that have few undecided neighbors left. Large sets.

Result: a maximal independent set. It is a function of the graph and the seed alone, the same for any number of threads
and on a GPU. It is nearly as large as that of the serial greedy algorithm that always takes a vertex of smallest
residual degree; no bound is proved. Measured on graphs of some 100,000 vertices: 0 to 1.2 % smaller on grids,
triangulations, finite elements, random, scale-free and social graphs; 3 % on a map of roads, and 11 % on one that is
nearly all paths, inside which all vertices have degree 2 and join by chance. (Other algorithms: docs/large-sets.md.)

Rule: with d(v) the residual degree, the number of v's undecided neighbors, and h(v) = hash32(v + seed), a vertex with
d(v) = 0 is in at once; of the others

    v is a candidate  <=>  d(v) <= max(2, the smallest d there is)
    v joins           <=>  v is a candidate, and (d(v), -h(v), -v) < (d(u), -h(u), -u) for every undecided neighbor u

The neighbors of those that join are out, and the residual degrees of the neighbors of these fall. The oracle is
`residual` in tests/support/set_oracles.py.

In the code: `_is_ahead_of_all` searches a row for a neighbor that is ahead. `_join` (in large rounds) and
`_join_listed` (in small ones) set `joins`, where it has found none.

Idea: a vertex of small residual degree excludes few others, so the serial algorithm finds large sets. Rounds take many
such vertices at once. Without the limit on candidates, vertices deep inside a grid would join before the wave of low
degrees that starts at its border gets there, and most of the gain would be lost.

Candidates come from two lists, which a vertex enters when its residual degree falls far enough: `low` for degrees up
to 2, `high` for those up to `reach`, the smallest degree at the time when the lists were made. One that is not eligible
any more is dropped when the list is next gone through. All vertices are gone through only when both lists are
exhausted. On which place of a list a vertex stands changes the time alone.

A wave takes many rounds of few candidates each. So small rounds are run by one thread, many in a call. In large rounds
all workers share a list, and each goes through the rows of its own winners. What goes out and what falls is changed by
compare-and-swap, so the one that sees a degree fall from 3 to 2 lists the vertex, on a few places that it has taken for
itself at the end of the list. That costs a thread about twice as much for each candidate as in a small round, and two
or three launches: with four workers and more, some thousand candidates make a round large; with fewer, only a 16th of
all vertices. On a GPU all rounds count as large; unless they are counted, they are those of residual.cu, from lists
that all its threads go through.

State, one number a vertex::

    residual[v] > 0    undecided, and so many of its neighbors are
    0                  in
    -1                 out

A vertex that joins writes 0 while others still read it. That changes nothing: it is ahead of all its neighbors before
and after. So what a round does is a function of the state before it.

Cost: the row of each vertex is read once when the vertex is decided, with a random access for each entry, and rows of
candidates until a neighbor is ahead: entries are read 1.0 to 1.5 times on average. Small rounds leave all threads but
one idle. Work memory: 16 bytes a vertex (32 with 64-bit indices); a graph with repeated entries is copied without them.

Source for the serial algorithm: M. M. Halldórsson, J. Radhakrishnan, "Greed is Good: Approximating Independent Sets in
Sparse and Bounded-Degree Graphs", Algorithmica 18, 1997.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph import Graph
from ...parallel import atomic_add, atomic_compare_and_swap, hash32, kernel, prefetch, rule, share
from ...parallel.groups import Rows
from ..history import History
from ..worklists import LINE, shares, workers_for

_OUT = -1
_LOW = 2  # a vertex with so few undecided neighbors is a candidate
_FEW = 1024  # candidates of a small round, in any case,
_LARGE = 16  # and of few workers, which gain nothing by large ones, as many as this part of the vertices
_FEW_WORKERS = 3
_CHUNK = 16  # places in a list that a worker takes at a time: a cache line
_SPARE_CHUNKS = 2  # for each worker: so many may be taken in a round for little
_BUDGET = 1 << 25  # entries of one call: bounds the latency of Ctrl-C
_PREFETCH_DISTANCE = 16  # vertices of a list
_NONE = -1  # in a list: a place that was taken for nothing

# What each worker counts
_UNDECIDED, _LIMIT, _CANDIDATES, _NEXT, _JOINED, _DECIDED, _LISTED, _EDGES = range(8)
_ON_LOW, _ON_HIGH = range(2)


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


@kernel(by="workers")
def _survey(worker, workers, bounds, tally, residual):
    """Count a worker's undecided vertices, those that are candidates unless others have smaller degrees, and next ones.

    Of several smallest degrees, those up to 2 count as one; then the next one is 3.
    """
    undecided = candidates = following = 0
    limit = residual.size + _LOW
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = residual[v]
        if degree > 0:
            undecided += 1
            following += int(degree == _LOW + 1)
            degree = max(degree, _LOW)
            if degree < limit:
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    tally[worker, _UNDECIDED] = undecided
    tally[worker, _LIMIT] = limit
    tally[worker, _CANDIDATES] = candidates
    tally[worker, _NEXT] = following


@kernel(by="workers")
def _collect(worker, workers, reach, bounds, starts, residual, lists: Lists):
    """List a worker's vertices of low degree, and those whose degree is `reach`, each from a place of its own on."""
    k, j = starts[_ON_LOW, worker], starts[_ON_HIGH, worker]
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = residual[v]
        if degree > 0:
            if degree <= _LOW:
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


@kernel(by="workers")
def _find_smallest(worker, workers, size, listed, residual, tally):
    """The smallest degree above 2 in a worker's share of a list, and how many have it."""
    start, end = share(size, worker, workers)
    limit, candidates = residual.size + _LOW, 0
    for i in range(start, end):
        v = listed[i]
        if v != _NONE:
            degree = residual[v]
            if (degree > _LOW) & (degree < limit):
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    tally[worker, _LIMIT] = limit
    tally[worker, _CANDIDATES] = candidates


@kernel(by="workers")
def _join(worker, workers, limit, size, rows: Rows, listed, degrees: Degrees, lists: Growing, tally):
    """Those of a worker's share of a list join that are candidates, and ahead of all their neighbors.

    They are packed to the beginning of its share; others that are undecided are added to the list of their kind.
    """
    start, end = share(size, worker, workers)
    which = _ON_LOW if limit <= _LOW else _ON_HIGH
    target = lists.low if limit <= _LOW else lists.high
    k, edges, stays, place, last = start, 0, 0, 0, 0
    for i in range(start, end):
        v = listed[i]
        later = listed[min(i + _PREFETCH_DISTANCE, end - 1)]
        prefetch(rows.indices, rows.indptr[max(later, 0)])
        degree = degrees.residual[v] if v != _NONE else 0
        joins = False
        if (degree > 0) & (degree <= limit):
            joins, read = _is_ahead_of_all(v, rows, degrees)
            edges += read
        if joins:
            degrees.residual[v] = 0
            listed[k] = v
            k += 1
        elif (degree > 0) & ((degree > _LOW) == (limit > _LOW)):
            place, last = _more(place, last, which, target.size, lists)
            if place < last:
                target[place] = v
                place += 1
                stays += 1
    for i in range(place, last):
        target[i] = _NONE
    tally[worker, _JOINED] = k - start
    tally[worker, _DECIDED] = k - start
    tally[worker, _LISTED] = stays if limit <= _LOW else 0
    tally[worker, _EDGES] += edges


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
        seen = atomic_compare_and_swap(residual, v, degree, _OUT)
        if seen == degree:
            break
        degree = seen
    return degree > 0


@kernel(by="workers")
def _settle(worker, workers, size, rows: Rows, listed, residual, lists: Growing, tally):
    """Put out the neighbors of the vertices that joined, and lower the degrees around these; list whose are small now.

    A neighbor of one that joined does not fall to 0 before it is put out, as the one that joined does not go out.
    """
    start, _ = share(size, worker, workers)
    low, high = lists.low, lists.high
    k, last_low, j, last_high = 0, 0, 0, 0
    edges = decided = listed_low = 0
    for i in range(start, start + tally[worker, _JOINED]):
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
                    if degree == _LOW + 1:
                        k, last_low = _more(k, last_low, _ON_LOW, low.size, lists)
                        if k < last_low:
                            low[k] = w
                            k += 1
                            listed_low += 1
                    elif degree == lists.reach + 1:
                        j, last_high = _more(j, last_high, _ON_HIGH, high.size, lists)
                        if j < last_high:
                            high[j] = w
                            j += 1
    for i in range(k, last_low):
        low[i] = _NONE
    for i in range(j, last_high):
        high[i] = _NONE
    tally[worker, _DECIDED] += decided
    tally[worker, _LISTED] += listed_low
    tally[worker, _EDGES] += edges


@kernel(by="workers")
def _lower_around(worker, workers, out, rows: Rows, residual, tally):
    """Lower the degrees around a worker's share of some vertices that are out."""
    start, end = share(out.size, worker, workers)
    for i in range(start, end):
        row, row_end = rows.indptr[out[i]], rows.indptr[out[i] + 1]
        tally[worker, _EDGES] += row_end - row
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
        if degree > _LOW:
            k += 1
            if degree < limit:
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    return k, limit, candidates


@rule(inline=False)
def _join_listed(listed, size, limit, rows, degrees, decided):
    """As `_join`, for candidates on a list. How many others stay on it, how many joined, and entries read."""
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
                residual[u] = _OUT
                prefetch(rows.indices, rows.indptr[u])
                decided[k] = u
                k += 1
    return k, edges


@kernel(by="single")
def _small_rounds(largest, budget, reach, rows: Rows, degrees: Degrees, lists: Lists, left, sizes):
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
        limit, candidates = _LOW, lows
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
                lows += int(degree == _LOW + 1)
                high[highs] = u
                highs += int(degree == reach + 1)
                undecided -= int(degree == 1)
        left[rounds] = undecided
        rounds += int(joined > 0)  # none joins when all on the list were decided before
    sizes[0] = lows
    sizes[1] = highs
    sizes[3] = rounds
    sizes[4] = edges


# ---------------------------------------------------------------------------------------------------------- all rounds


class _Residual:
    """The residual degrees of a graph, and rounds that lower them."""

    def __init__(self, graph: Graph, seed: int) -> None:
        n, id_type = graph.num_vertices, graph.indices.dtype
        self.xp = graph.xp
        self.rows = Rows(graph.indptr, graph.indices)
        self.workers = workers_for(graph)
        self.degrees = Degrees(graph.degrees.copy(), seed)
        self.chunk = _CHUNK if graph.device == "cpu" else 1  # there the workers are many
        room = n + 1 + _SPARE_CHUNKS * self.workers * self.chunk
        self.lists = Lists(*(self.xp.empty(room, id_type) for _ in range(3)))
        self.lows = self.highs = 0  # the lengths of both
        self.low = 0  # how many vertices are on the first
        self.reach = self.limit = self.candidates = 0
        self.bounds = shares(graph, self.workers)
        self.tally = self.xp.zeros((self.workers, LINE), np.int64)
        self.largest = _FEW if self.workers > _FEW_WORKERS else max(_FEW, n // _LARGE)
        if graph.device == "cuda":
            self.largest = 0  # one thread of a GPU alone is slow
        self.after = self.xp.empty(_FEW + n // 64, np.int64)  # undecided vertices after each small round of a call
        self.left = n  # undecided vertices
        self.undecided = [n]  # how many, at the beginning and after each round
        self.edges = 0  # entries read in small rounds

    def impose(self, included: Any, excluded: Any) -> None:
        """Decide the vertices that must be in or out, and their neighbors."""
        if included.size or excluded.size:
            residual = self.degrees.residual
            residual[excluded] = _OUT
            residual[included] = 0
            _lower_around(self.workers, excluded, self.rows, residual, self.tally)
            self.tally[0, _JOINED] = included.size
            _settle(1, included.size, self.rows, included, residual, self._growing(self.lists), self.tally)

    def _growing(self, lists: Lists) -> Growing:
        """Both lists, to be added to from their lengths on."""
        lengths = self.xp.zeros(2 * LINE, np.int64)
        lengths[_ON_LOW * LINE], lengths[_ON_HIGH * LINE] = self.lows, self.highs
        return Growing(lists.low, lists.high, lengths, self.reach, self.chunk)

    def survey(self) -> None:
        """Count the undecided vertices, and list those of low degree, and of the next one."""
        tally, residual = self.tally, self.degrees.residual
        _survey(self.workers, self.bounds, tally, residual)
        self.left = int(tally[:, _UNDECIDED].sum())
        self.limit = int(tally[:, _LIMIT].min())
        candidates = tally[:, _CANDIDATES] * (tally[:, _LIMIT] == self.limit)
        self.reach = max(self.limit, _LOW + 1)
        counts = self.xp.zeros((2, self.workers), np.int64)
        if self.limit == _LOW:
            counts[_ON_LOW], counts[_ON_HIGH] = candidates, tally[:, _NEXT]
        else:
            counts[_ON_HIGH] = candidates
        self.lows, self.highs = counts.sum(axis=1).tolist()
        self.low, self.candidates = self.lows, int(candidates.sum())
        if self.left:
            starts = self.xp.cumsum(counts, axis=1) - counts
            _collect(self.workers, self.reach, self.bounds, starts, residual, self.lists)

    def find_candidates(self) -> None:
        """Up to which degree listed vertices are candidates, and how many are; new lists, if none is."""
        self.limit, self.candidates = _LOW, self.low
        if not self.low:
            self.lows = 0
            _find_smallest(self.workers, self.highs, self.lists.high, self.degrees.residual, self.tally)
            limits = self.tally[:, _LIMIT]
            self.limit = int(limits.min())
            self.candidates = int(self.tally[limits == self.limit, _CANDIDATES].sum())
        if not self.candidates:
            self.survey()

    def large_round(self) -> None:
        """One round by all workers."""
        low, high, spare = self.lists
        if self.limit == _LOW:
            listed, size, self.lows, self.lists = low, self.lows, 0, Lists(spare, high, low)
        else:
            listed, size, self.highs, self.lists = high, self.highs, 0, Lists(low, spare, high)
        growing, tally = self._growing(self.lists), self.tally
        _join(self.workers, self.limit, size, self.rows, listed, self.degrees, growing, tally)
        _settle(self.workers, size, self.rows, listed, self.degrees.residual, growing, tally)
        self.lows, self.highs = int(growing.lengths[_ON_LOW * LINE]), int(growing.lengths[_ON_HIGH * LINE])
        self.low = int(tally[:, _LISTED].sum())
        if max(self.lows, self.highs) > high.size:  # a list was full, and is to be made anew
            self.low = self.lows = self.highs = 0
        if int(tally[:, _JOINED].sum()):
            self.left -= int(tally[:, _DECIDED].sum())
            self.undecided.append(self.left)

    def small_rounds(self) -> None:
        """Some rounds with at most `largest` candidates."""
        sizes = self.xp.zeros(5, np.int64)
        for i, (listed, length) in enumerate(((self.lists.low, self.lows), (self.lists.high, self.highs))):
            vertices = listed[:length][listed[:length] != _NONE]
            listed[: vertices.size] = vertices
            sizes[i] = vertices.size
        sizes[2] = self.left
        _small_rounds(self.largest, _BUDGET, self.reach, self.rows, self.degrees, self.lists, self.after, sizes)
        self.lows, self.highs, _, rounds, edges = sizes.tolist()
        self.low = self.lows
        self.undecided += self.after[:rounds].tolist()
        self.left = self.undecided[-1]
        self.edges += edges


def residual_degrees(graph: Graph, included: Any, excluded: Any) -> Any:
    """The degrees, in a graph without repeats, when the vertices are decided that must be in or out."""
    if not (included.size or excluded.size):
        return graph.degrees.copy()
    rounds = _Residual(graph, 0)
    rounds.impose(included, excluded)
    return rounds.degrees.residual


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """The mask of a large set."""
    history.enter("prepare")
    rounds = _Residual(graph.simple() if graph.has_duplicates else graph, seed)
    rounds.impose(included, excluded)
    history.undecided = rounds.undecided
    rounds.survey()
    while rounds.left:
        large = rounds.candidates > rounds.largest
        history.enter("large" if large else "small")
        if large:
            rounds.large_round()
        else:
            rounds.small_rounds()
        rounds.find_candidates()
    history.enter("")
    history.count(rounds.edges + int(rounds.tally[:, _EDGES].sum()))
    return rounds.degrees.residual == 0
