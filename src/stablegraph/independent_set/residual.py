"""A large independent set: rounds by residual degree, the number of neighbours that are still undecided.

Result: a vertex without undecided neighbours is in at once. In a round, of the others only those may join whose
residual degree is at most max(2, the smallest there is): the candidates. A candidate joins if it is ahead of all its
undecided neighbours, by smaller residual degree, then larger hash32(v + seed), then larger id. The neighbours of those
that join are out, and the residual degrees of the neighbours of these fall.

Idea: the serial greedy algorithm that always takes a vertex of smallest residual degree finds large sets, because such
a vertex excludes few others. Rounds take many of them at once. Without the limit on candidates, vertices deep inside a
grid would join before the wave of low degrees that starts at its border gets there, and most of the gain would be lost.
Sets are about 2 % smaller than the serial ones; more where long paths are left, inside which everybody has degree 2 and
joins by chance: 3 % on a map of roads with 264,346 vertices, 11 % on one of 114,599 that is nearly all paths.

State, one number a vertex::

    residual[v] > 0    undecided, and so many of its neighbours are
    0                  in
    -1                 out
    -2                 out, but its neighbours do not know yet

Who joins writes 0 while others still look at it. That changes nothing: it is ahead of all its neighbours before and
after. So what a round does is a function of the state before it.

How rounds are run: a wave takes many rounds of few candidates each. So small rounds are run by one thread, many in a
call, from two lists that a vertex enters when its residual degree falls far enough: `low` for degrees up to 2, `high`
for those up to `reach`, the smallest degree at the time when the lists were made. Nobody enters a list twice, and who
is not eligible any more is dropped when the list is next gone through. In large rounds each worker looks for candidates
among all vertices of its share, and degrees fall by atomic subtraction; that costs a thread about twice as much for
each candidate, so a round must have many, fewer if there are many workers. On a GPU all rounds count as large.

Cost: the row of each vertex is read once when the vertex is decided, with a random access for each entry, and rows of
candidates until somebody is ahead: entries are looked at 1.0 to 1.5 times on average. Small rounds leave all threads
but one idle. Work memory: 16 bytes a vertex (32 with 64-bit indices); a graph with repeated entries is copied without
them.

Source for the serial algorithm: M. M. Halldórsson, J. Radhakrishnan, "Greed is Good: Approximating Independent Sets in
Sparse and Bounded-Degree Graphs", Algorithmica 18, 1997.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, atomic_add, hash32, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module
from .rounds import LINE, shares

_OUT, _JUST_OUT = -1, -2
_LOW = 2  # whoever has so few undecided neighbours is a candidate
_FEW = 1024  # candidates of a small round, in any case
_LARGE = 16  # a round is large if it has more candidates than this part of a worker's share of the vertices
_BUDGET = 1 << 25  # entries that one thread looks at between two chances to be interrupted
_AHEAD_BY = 16  # vertices: their rows are asked for so long before they are read

_UNDECIDED, _LIMIT, _CANDIDATES, _JOINED, _EDGES = range(5)  # what each worker of a large round counts


@rule
def _first_ahead(v, seed, indptr, indices, residual):
    """Where v's row has its first neighbour that is ahead of v; where it ends, if there is none."""
    own, end = int(residual[at(v)]), int(indptr[at(v + 1)])
    for e in range(indptr[at(v)], end):
        u = int(indices[at(e)])
        other = int(residual[at(u)])
        if (other >= 0) & (other <= own):
            if other < own:
                return e
            hash_u, hash_v = hash32(u + seed), hash32(v + seed)
            if hash_u > hash_v or (hash_u == hash_v and u > v):
                return e
    return end


# ------------------------------------------------------------------------------------------------------- large rounds


@kernel(by="workers")
def _survey(worker, workers, bounds, residual, tally):
    """Count a worker's undecided vertices, and those that are candidates unless others have smaller degrees."""
    undecided = candidates = 0
    limit = residual.size + _LOW
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = int(residual[at(v)])
        if degree > 0:
            undecided += 1
            degree = max(degree, _LOW)
            if degree < limit:
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    tally[worker, _UNDECIDED] = undecided
    tally[worker, _LIMIT] = limit
    tally[worker, _CANDIDATES] = candidates


@kernel(by="workers")
def _join(worker, workers, limit, seed, indptr, indices, bounds, residual, decided, tally):
    """Those of a worker's candidates join that are ahead of all their neighbours."""
    first = k = bounds[worker]
    edges = 0
    for v in range(first, bounds[worker + 1]):
        degree = int(residual[at(v)])
        if (degree > 0) & (degree <= limit):
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            e = _first_ahead(v, seed, indptr, indices, residual)
            edges += min(e + 1, end) - start
            if e == end:
                residual[at(v)] = 0
                decided[at(k)] = v
                k += 1
    tally[worker, _JOINED] = k - first
    tally[worker, _EDGES] += edges


@kernel(by="workers")
def _put_out(worker, workers, indptr, indices, bounds, residual, decided, tally):
    """Put out the neighbours of those who joined."""
    first, edges = bounds[worker], 0
    for i in range(first, first + tally[worker, _JOINED]):
        v = int(decided[at(i)])
        start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        edges += end - start
        for e in range(start, end):
            u = indices[at(e)]
            if residual[at(u)] > 0:
                residual[at(u)] = _JUST_OUT
    tally[worker, _EDGES] += edges


@kernel(by="workers")
def _lower(worker, workers, indptr, indices, bounds, residual, tally):
    """Lower the degrees of the neighbours of those who just went out."""
    edges = 0
    for v in range(bounds[worker], bounds[worker + 1]):
        if residual[at(v)] == _JUST_OUT:
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            edges += end - start
            for e in range(start, end):
                u = int(indices[at(e)])
                if residual[at(u)] > 0:
                    atomic_add(residual, u, -1)
            residual[at(v)] = _OUT
    tally[worker, _EDGES] += edges


# ------------------------------------------------------------------------------------------------------- small rounds


@rule(inline=False)
def _smallest(high, size, reach, residual):
    """Drop who is decided or low. How many are left, the smallest degree among them, and how many have it."""
    limit, candidates, k = reach + 1, 0, 0
    for i in range(size):
        v = high[at(i)]
        degree = int(residual[at(v)])
        high[at(k)] = v
        if degree > _LOW:
            k += 1
            if degree < limit:
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    return k, limit, candidates


@rule(inline=False)
def _join_listed(listed, size, limit, seed, indptr, indices, residual, decided):
    """As `_join`, for candidates on a list. How many others stay on it, how many joined, and entries looked at."""
    k = joined = edges = 0
    for i in range(size):
        v = int(listed[at(i)])
        prefetch(indices, int(indptr[at(listed[at(min(i + _AHEAD_BY, size - 1))])]))
        degree = int(residual[at(v)])
        listed[at(k)] = v
        k += int(degree > 0)
        if (degree > 0) & (degree <= limit):
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            e = _first_ahead(v, seed, indptr, indices, residual)
            edges += min(e + 1, end) - start
            if e == end:
                residual[at(v)] = 0
                decided[at(joined)] = v
                joined += 1
                k -= 1
    return k, joined, edges


@rule(inline=False)
def _put_out_listed(decided, joined, indptr, indices, residual):
    """As `_put_out`, with those who go out listed behind those who joined. How many both are, and entries looked at."""
    k, edges = joined, 0
    for i in range(joined):
        v = decided[at(i)]
        start, end = int(indptr[at(v)]), int(indptr[at(int(v) + 1)])
        edges += end - start
        for e in range(start, end):
            u = indices[at(e)]
            if residual[at(u)] > 0:
                residual[at(u)] = _OUT
                prefetch(indices, int(indptr[at(u)]))
                decided[at(k)] = u
                k += 1
    return k, edges


@kernel(by="single")
def _small_rounds(largest, budget, reach, seed, indptr, indices, residual, low, high, decided, left, sizes):
    """Rounds on lists, until one has more than `largest` candidates, the lists are empty or the budget is spent.

    `sizes` has the lengths of both lists and the number of undecided vertices; it gets the number of rounds and of
    entries looked at. `left` gets the number of undecided vertices after each round; when it is full, that is all.
    """
    lows, highs, undecided = int(sizes[0]), int(sizes[1]), int(sizes[2])
    rounds = edges = 0
    while rounds < left.size and edges < budget:
        limit, candidates = _LOW, lows
        if lows == 0:
            highs, limit, candidates = _smallest(high, highs, reach, residual)
        if candidates == 0 or candidates > largest:
            break
        if lows:
            lows, joined, seen = _join_listed(low, lows, limit, seed, indptr, indices, residual, decided)
        else:
            highs, joined, seen = _join_listed(high, highs, limit, seed, indptr, indices, residual, decided)
        edges += seen
        k, seen = _put_out_listed(decided, joined, indptr, indices, residual)
        edges += seen
        undecided -= k
        for i in range(joined, k):
            v = int(decided[at(i)])
            prefetch(indices, int(indptr[at(decided[at(min(i + _AHEAD_BY, k - 1))])]))
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            edges += end - start
            for e in range(start, end):  # no branches, which nobody could predict: lists keep only whom they are for
                u = indices[at(e)]
                degree = int(residual[at(u)])
                residual[at(u)] = degree - int(degree > 0)
                low[at(lows)] = u
                lows += int(degree == _LOW + 1)
                high[at(highs)] = u
                highs += int(degree == reach + 1)
                undecided -= int(degree == 1)
        left[at(rounds)] = undecided
        rounds += int(joined > 0)  # nobody joins when all on the list were decided before
    sizes[3] = rounds
    sizes[4] = edges


# ---------------------------------------------------------------------------------------------------------- all rounds


class _Residual:
    """The residual degrees of a graph, and rounds that lower them."""

    def __init__(self, graph: Graph, seed: int) -> None:
        n, id_type = graph.num_vertices, graph.indices.dtype
        self.xp, self.seed = array_module(graph.device), seed
        self.rows = graph.indptr, graph.indices
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self.bounds = shares(graph, self.workers)
        self.residual = graph.degrees().copy()
        # One more place than vertices: in lists of everybody somebody else is still written, if not kept.
        self.low, self.high, self.decided = (self.xp.empty(n + 1, id_type) for _ in range(3))
        self.tally = self.xp.zeros((self.workers, LINE), np.int64)
        self.largest = max(_FEW, n // (_LARGE * self.workers))
        if graph.device == "cuda":
            self.largest = 0  # one thread of a GPU alone is slow
        self.after = self.xp.empty(_FEW + n // 64, np.int64)  # undecided vertices after each small round of a call
        self.left = [n]  # undecided vertices at the beginning and after each round
        self.edges = 0  # entries looked at in small rounds

    def impose(self, included: Any, excluded: Any) -> None:
        """Decide who must be in or out, and their neighbours."""
        if included.size or excluded.size:
            self.residual[excluded] = _JUST_OUT
            self.residual[included] = 0
            self.decided[: included.size] = included
            self.tally[0, _JOINED] = included.size
            _put_out(1, *self.rows, self.bounds, self.residual, self.decided, self.tally)
            _lower(self.workers, *self.rows, self.bounds, self.residual, self.tally)

    def survey(self) -> tuple[int, int, int]:
        """How many vertices are undecided, up to which degree they are candidates, and how many are."""
        _survey(self.workers, self.bounds, self.residual, self.tally)
        limits = self.tally[:, _LIMIT]
        limit = int(limits.min())
        candidates = self.tally[limits == limit, _CANDIDATES]
        return int(self.tally[:, _UNDECIDED].sum()), limit, int(candidates.sum())

    def large_round(self, limit: int) -> None:
        common = self.bounds, self.residual
        _join(self.workers, limit, self.seed, *self.rows, *common, self.decided, self.tally)
        _put_out(self.workers, *self.rows, *common, self.decided, self.tally)
        _lower(self.workers, *self.rows, *common, self.tally)

    def small_rounds(self, undecided: int, limit: int) -> None:
        """Some rounds with at most `largest` candidates."""
        reach = max(limit, _LOW + 1)
        listed = self.xp.flatnonzero((self.residual > 0) & (self.residual <= reach))
        is_low = self.residual[listed] <= _LOW
        low, high = listed[is_low], listed[~is_low]
        self.low[: low.size], self.high[: high.size] = low, high
        sizes = self.xp.asarray([low.size, high.size, undecided, 0, 0])
        lists = self.low, self.high, self.decided, self.after
        _small_rounds(self.largest, _BUDGET, reach, self.seed, *self.rows, self.residual, *lists, sizes)
        self.left += self.after[: int(sizes[3])].tolist()
        self.edges += int(sizes[4])


def independent_set(graph: Graph, seed: int, included: Any, excluded: Any) -> tuple[Any, dict[str, Any]]:
    """A large set, and what was done: rounds, undecided vertices after each, entries looked at, seconds per phase."""
    started = time.perf_counter()
    rounds = _Residual(graph.simple() if graph.has_duplicates else graph, seed)
    rounds.impose(included, excluded)
    undecided, limit, candidates = rounds.survey()
    now = time.perf_counter()
    seconds = {"prepare": now - started, "large": 0.0, "small": 0.0}
    while undecided:
        phase, started = "large" if candidates > rounds.largest else "small", now
        if phase == "large":
            rounds.large_round(limit)
        else:
            rounds.small_rounds(undecided, limit)
        undecided, limit, candidates = rounds.survey()
        if phase == "large":
            rounds.left.append(undecided)
        now = time.perf_counter()
        seconds[phase] += now - started
    edges = rounds.edges + int(rounds.tally[:, _EDGES].sum())
    return rounds.residual == 0, {
        "rounds": len(rounds.left) - 1,
        "undecided": rounds.left,
        "edges": edges,
        "seconds": seconds,
    }
