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

A wave takes many rounds of few candidates each. So small rounds are run by one thread, many in a call, from two lists
that a vertex enters when its residual degree falls far enough: `low` for degrees up to 2, `high` for those up to
`reach`, the smallest degree at the time when the lists were made. A vertex enters a list once only, and one that is not
eligible any more is dropped when the list is next gone through. In large rounds each worker searches all vertices of
its share for candidates, and degrees fall by atomic subtraction; that costs a thread about twice as much for each
candidate, so a round must have many, fewer if there are many workers. On a GPU all rounds count as large; unless they
are counted, they are those of residual.cu, from lists that all its threads go through.

State, one number a vertex::

    residual[v] > 0    undecided, and so many of its neighbors are
    0                  in
    -1                 out
    -2                 out, but the residual degrees of its neighbors have not fallen yet

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
from ...parallel import atomic_add, hash32, kernel, prefetch, rule
from ...parallel.groups import Rows
from ..history import History
from ..worklists import LINE, shares, workers_for

_OUT, _JUST_OUT = -1, -2
_LOW = 2  # a vertex with so few undecided neighbors is a candidate
_FEW = 1024  # candidates of a small round, in any case
_LARGE = 16  # a round is large if it has more candidates than this part of a worker's share of the vertices
_BUDGET = 1 << 25  # entries of one call: bounds the latency of Ctrl-C
_PREFETCH_DISTANCE = 16  # vertices of a list

_UNDECIDED, _LIMIT, _CANDIDATES, _JOINED, _EDGES = range(5)  # what each worker of a large round counts


class Degrees(NamedTuple):
    """Which of two vertices is ahead."""

    residual: Any  # (n,): the residual degrees, which are the state as well
    seed: Any  # of the hashes that settle equal ones


class Shares(NamedTuple):
    """What the workers of a large round have each."""

    bounds: Any  # (workers + 1,): where each worker's share of the vertices begins
    decided: Any  # (n + 1,): the vertices that joined, at the beginning of its share
    tally: Any  # (workers, LINE): what it counts


class Lists(NamedTuple):
    """The lists of vertices in small rounds. Each has room for one more, as the next place is written in any case."""

    low: Any  # residual degrees up to 2
    high: Any  # up to `reach`
    decided: Any  # those that joined in a round, and then those that went out


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


# ------------------------------------------------------------------------------------------------------- large rounds


@kernel(by="workers")
def _survey(worker, workers, shares: Shares, residual):
    """Count a worker's undecided vertices, and those that are candidates unless others have smaller degrees."""
    undecided = candidates = 0
    limit = residual.size + _LOW
    for v in range(shares.bounds[worker], shares.bounds[worker + 1]):
        degree = residual[v]
        if degree > 0:
            undecided += 1
            degree = max(degree, _LOW)
            if degree < limit:
                limit, candidates = degree, 0
            candidates += int(degree == limit)
    shares.tally[worker, _UNDECIDED] = undecided
    shares.tally[worker, _LIMIT] = limit
    shares.tally[worker, _CANDIDATES] = candidates


@kernel(by="workers")
def _join(worker, workers, limit, rows: Rows, shares: Shares, degrees: Degrees):
    """Those of a worker's candidates join that are ahead of all their neighbors."""
    start = k = shares.bounds[worker]
    edges = 0
    for v in range(start, shares.bounds[worker + 1]):
        degree = degrees.residual[v]
        if (degree > 0) & (degree <= limit):
            joins, read = _is_ahead_of_all(v, rows, degrees)
            edges += read
            if joins:
                degrees.residual[v] = 0
                shares.decided[k] = v
                k += 1
    shares.tally[worker, _JOINED] = k - start
    shares.tally[worker, _EDGES] += edges


@kernel(by="workers")
def _put_out(worker, workers, rows: Rows, shares: Shares, residual):
    """Put out the neighbors of the vertices that joined."""
    start, edges = shares.bounds[worker], 0
    for i in range(start, start + shares.tally[worker, _JOINED]):
        v = shares.decided[i]
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        edges += row_end - row
        for e in range(row, row_end):
            u = rows.indices[e]
            if residual[u] > 0:
                residual[u] = _JUST_OUT
    shares.tally[worker, _EDGES] += edges


@kernel(by="workers")
def _lower(worker, workers, rows: Rows, shares: Shares, residual):
    """Lower the degrees of the neighbors of the vertices that just went out."""
    edges = 0
    for v in range(shares.bounds[worker], shares.bounds[worker + 1]):
        if residual[v] == _JUST_OUT:
            row, row_end = rows.indptr[v], rows.indptr[v + 1]
            edges += row_end - row
            for e in range(row, row_end):
                u = rows.indices[e]
                if residual[u] > 0:
                    atomic_add(residual, u, -1)
            residual[v] = _OUT
    shares.tally[worker, _EDGES] += edges


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
    """As `_put_out`, with those that go out listed behind those that joined. How many both are, and entries read."""
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

    `sizes` has the lengths of both lists and the number of undecided vertices; it gets the number of rounds and of
    entries read. `left` gets the number of undecided vertices after each round; when it is full, that is all.
    """
    residual, low, high, decided = degrees.residual, lists.low, lists.high, lists.decided
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
        self.lists = Lists(*(self.xp.empty(n + 1, id_type) for _ in range(3)))
        tally = self.xp.zeros((self.workers, LINE), np.int64)
        self.shares = Shares(shares(graph, self.workers), self.lists.decided, tally)
        self.largest = max(_FEW, n // (_LARGE * self.workers))
        if graph.device == "cuda":
            self.largest = 0  # one thread of a GPU alone is slow
        self.after = self.xp.empty(_FEW + n // 64, np.int64)  # undecided vertices after each small round of a call
        self.undecided = [n]  # how many, at the beginning and after each round
        self.edges = 0  # entries read in small rounds

    def impose(self, included: Any, excluded: Any) -> None:
        """Decide the vertices that must be in or out, and their neighbors."""
        if included.size or excluded.size:
            residual = self.degrees.residual
            residual[excluded] = _JUST_OUT
            residual[included] = 0
            self.shares.decided[: included.size] = included
            self.shares.tally[0, _JOINED] = included.size
            _put_out(1, self.rows, self.shares, residual)
            _lower(self.workers, self.rows, self.shares, residual)

    def survey(self) -> tuple[int, int, int]:
        """How many vertices are undecided, up to which degree they are candidates, and how many are."""
        _survey(self.workers, self.shares, self.degrees.residual)
        limits = self.shares.tally[:, _LIMIT]
        limit = int(limits.min())
        candidates = self.shares.tally[limits == limit, _CANDIDATES]
        return int(self.shares.tally[:, _UNDECIDED].sum()), limit, int(candidates.sum())

    def large_round(self, limit: int) -> None:
        """One round by all workers."""
        _join(self.workers, limit, self.rows, self.shares, self.degrees)
        _put_out(self.workers, self.rows, self.shares, self.degrees.residual)
        _lower(self.workers, self.rows, self.shares, self.degrees.residual)

    def small_rounds(self, undecided: int, limit: int) -> None:
        """Some rounds with at most `largest` candidates."""
        residual, reach = self.degrees.residual, max(limit, _LOW + 1)
        listed = self.xp.flatnonzero((residual > 0) & (residual <= reach))
        is_low = residual[listed] <= _LOW
        low, high = listed[is_low], listed[~is_low]
        self.lists.low[: low.size], self.lists.high[: high.size] = low, high
        sizes = self.xp.asarray([low.size, high.size, undecided, 0, 0])
        _small_rounds(self.largest, _BUDGET, reach, self.rows, self.degrees, self.lists, self.after, sizes)
        self.undecided += self.after[: int(sizes[3])].tolist()
        self.edges += int(sizes[4])


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
    undecided, limit, candidates = rounds.survey()
    while undecided:
        large = candidates > rounds.largest
        history.enter("large" if large else "small")
        if large:
            rounds.large_round(limit)
        else:
            rounds.small_rounds(undecided, limit)
        undecided, limit, candidates = rounds.survey()
        if large:
            rounds.undecided.append(undecided)
    history.enter("")
    history.count(rounds.edges + int(rounds.shares.tally[:, _EDGES].sum()))
    return rounds.degrees.residual == 0
