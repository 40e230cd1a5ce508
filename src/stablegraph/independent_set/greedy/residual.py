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

In the code (residual_rounds.py): `_is_ahead_of_all` searches a row for a neighbor that is ahead. `join` (in large
rounds) and `_join_listed` (in small ones) set `joins`, where it has found none.

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

from typing import Any

import numpy as np

from ...graph import Graph
from ...parallel.groups import Rows
from ..history import History
from ..worklists import LINE, shares, workers_for
from .residual_rounds import (
    CANDIDATES,
    DECIDED,
    EDGES,
    JOINED,
    LIMIT,
    LISTED,
    LOW,
    NEXT,
    NONE,
    ON_HIGH,
    ON_LOW,
    OUT,
    UNDECIDED,
    Degrees,
    Growing,
    Lists,
    collect,
    count_candidates,
    find_smallest,
    join,
    lower_around,
    settle,
    small_rounds,
)

_FEW = 1024  # candidates of a small round, in any case,
_LARGE = 16  # and of few workers, which gain nothing by large ones, as many as this part of the vertices
_FEW_WORKERS = 3
_CHUNK = 16  # places in a list that a worker takes at a time: a cache line
_SPARE_CHUNKS = 2  # for each worker: so many may be taken in a round for little
_BUDGET = 1 << 25  # entries of one call: bounds the latency of Ctrl-C


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
            residual[excluded] = OUT
            residual[included] = 0
            lower_around(self.workers, excluded, self.rows, residual, self.tally)
            self.tally[0, JOINED] = included.size
            settle(1, self.rows, included, residual, self._growing(self.lists), self.tally)

    def _growing(self, lists: Lists) -> Growing:
        """Both lists, to be added to from their lengths on."""
        lengths = self.xp.zeros(2 * LINE, np.int64)
        lengths[ON_LOW * LINE], lengths[ON_HIGH * LINE] = self.lows, self.highs
        return Growing(lists.low, lists.high, lengths, self.reach, self.chunk)

    def survey(self) -> None:
        """Count the undecided vertices, and list those of low degree, and of the next one."""
        tally, residual = self.tally, self.degrees.residual
        count_candidates(self.workers, self.bounds, tally, residual)
        self.left = int(tally[:, UNDECIDED].sum())
        self.limit = int(tally[:, LIMIT].min())
        candidates = tally[:, CANDIDATES] * (tally[:, LIMIT] == self.limit)
        self.reach = max(self.limit, LOW + 1)
        counts = self.xp.zeros((2, self.workers), np.int64)
        if self.limit == LOW:
            counts[ON_LOW], counts[ON_HIGH] = candidates, tally[:, NEXT]
        else:
            counts[ON_HIGH] = candidates
        self.lows, self.highs = counts.sum(axis=1).tolist()
        self.low, self.candidates = self.lows, int(candidates.sum())
        if self.left:
            starts = self.xp.cumsum(counts, axis=1) - counts
            collect(self.workers, self.reach, self.bounds, starts, residual, self.lists)

    def find_candidates(self) -> None:
        """Up to which degree listed vertices are candidates, and how many are; new lists, if none is."""
        self.limit, self.candidates = LOW, self.low
        if not self.low:
            self.lows = 0
            find_smallest(self.workers, self.lists.high[: self.highs], self.degrees.residual, self.tally)
            limits = self.tally[:, LIMIT]
            self.limit = int(limits.min())
            self.candidates = int(self.tally[limits == self.limit, CANDIDATES].sum())
        if not self.candidates:
            self.survey()

    def large_round(self) -> None:
        """One round by all workers."""
        low, high, spare = self.lists
        if self.limit == LOW:
            listed, self.lows, self.lists = low[: self.lows], 0, Lists(spare, high, low)
        else:
            listed, self.highs, self.lists = high[: self.highs], 0, Lists(low, spare, high)
        growing, tally = self._growing(self.lists), self.tally
        join(self.workers, self.limit, self.rows, listed, self.degrees, growing, tally)
        settle(self.workers, self.rows, listed, self.degrees.residual, growing, tally)
        self.lows, self.highs = int(growing.lengths[ON_LOW * LINE]), int(growing.lengths[ON_HIGH * LINE])
        self.low = int(tally[:, LISTED].sum())
        if max(self.lows, self.highs) > high.size:  # a list was full, and is to be made anew
            self.low = self.lows = self.highs = 0
        if int(tally[:, JOINED].sum()):
            self.left -= int(tally[:, DECIDED].sum())
            self.undecided.append(self.left)

    def small_rounds(self) -> None:
        """Some rounds with at most `largest` candidates."""
        sizes = self.xp.zeros(5, np.int64)
        for i, (listed, length) in enumerate(((self.lists.low, self.lows), (self.lists.high, self.highs))):
            vertices = listed[:length][listed[:length] != NONE]
            listed[: vertices.size] = vertices
            sizes[i] = vertices.size
        sizes[2] = self.left
        small_rounds(self.largest, _BUDGET, self.reach, self.rows, self.degrees, self.lists, self.after, sizes)
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
    history.count(rounds.edges + int(rounds.tally[:, EDGES].sum()))
    return rounds.degrees.residual == 0
