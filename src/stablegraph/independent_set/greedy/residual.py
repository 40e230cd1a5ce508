"""Greedy by residual degree: rounds in which vertices with few undecided neighbors join. The sets are large.

Result: a maximal independent set. It depends only on the graph and the seed, and is the same for any number of
threads. It is nearly as large as the set of the serial greedy algorithm that always takes a vertex of smallest
residual degree; no bound is proved. Measured on graphs of about 100,000 vertices: 0 to 1.2 % smaller on grids,
triangulations, finite elements, random, scale-free and social graphs; 3 % on a road map; 11 % on a road map that
consists mostly of paths, where inner vertices all have degree 2 and join at random. (Other algorithms:
docs/large-sets.md.)

Rule: let d(v) be the residual degree, the number of v's undecided neighbors, and h(v) = hash32(v + seed). A vertex with
d(v) = 0 is in at once. For the other undecided vertices

    v is a candidate  <=>  d(v) <= max(2, the smallest d of all undecided vertices)
    v joins           <=>  v is a candidate, and (d(v), -h(v), -v) < (d(u), -h(u), -u) for every undecided neighbor u

The neighbors of the joined vertices are out, and the residual degrees of their neighbors decrease. The oracle is
`residual` in tests/support/set_oracles.py.

In the code (residual_rounds.py): `_is_ahead_of_all` searches a row for a neighbor that is ahead. `join_candidates` (in
large rounds) and `_join_listed` (in small rounds) set `joins` if it finds none.

Idea: a vertex of small residual degree excludes few vertices, so the serial algorithm finds large sets. A round takes
many such vertices at once. Without the limit on candidates, vertices in the middle of a grid would join before the wave
of low degrees from its border arrives, and most of the gain would be lost.

Candidates come from two lists. A vertex is added when its residual degree falls to the limit of the list: 2 for `low`,
and `reach`, the smallest degree when the lists were created, for `high`. Vertices that are no longer eligible are
dropped in the next pass over the list. A pass over all vertices is needed only when both lists are empty. The positions
of vertices in a list affect only the time.

A wave takes many rounds with few candidates each. Therefore one thread runs small rounds, many in one call. In large
rounds, all workers share a list, and each worker reads the rows of its own winners. Vertices are put out and degrees
are decreased by compare-and-swap. The worker that decreases a degree from 3 to 2 appends the vertex to the list, at a
position in a chunk that it has reserved at the end of the list. A large round takes about twice as much thread time per
candidate as a small round, and two or three launches. With four or more workers, a round is large if it has more than
about a thousand candidates; with fewer workers, if it has more than a 16th of all vertices. All rounds run in
host memory: a form for GPUs was slower on graphs with hubs.

State, one number per vertex::

    residual[v] > 0    undecided; the number of undecided neighbors
    0                  in
    -1                 out

A vertex that joins writes 0 while its neighbors may still read its degree. This is harmless, because the vertex is
ahead of all its neighbors with either value. Therefore the result of a round depends only on the state before it.

Cost: the row of each vertex is read once when the vertex is decided, with a random access for each entry, and rows of
candidates are read until a neighbor is ahead. On average an entry is read 1.0 to 1.5 times. Small rounds use only one
thread. Work memory: 16 bytes per vertex (32 with 64-bit indices); a graph with repeated entries is copied without them.

Source for the serial algorithm: M. M. Halldórsson, J. Radhakrishnan, "Greed is Good: Approximating Independent Sets in
Sparse and Bounded-Degree Graphs", Algorithmica 18, 1997.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import LINE, History, workers_for
from ..._core.runtime import Rows, edge_splits
from ...graph import Graph
from . import residual_rounds as steps

_SMALL_ROUND = 1024  # a round with at most this number of candidates is small
_LARGE = 16  # with few workers, for which large rounds do not pay, up to n / _LARGE candidates are also small
_FEW_WORKERS = 3
_CHUNK = 16  # places in a list that a worker reserves at a time: a cache line
_SPARE_CHUNKS = 2  # per worker: additional room in a list for chunks that are reserved but hardly used
_BUDGET = 1 << 25  # entries per call: bounds the latency of Ctrl-C


class _Residual:
    """The residual degrees of a graph, and rounds that decrease them."""

    def __init__(self, graph: Graph, seed: int) -> None:
        n, id_type = graph.num_vertices, graph.indices.dtype
        self.rows = Rows(graph.indptr, graph.indices)
        self.workers = workers_for(graph)
        self.degrees = steps.Degrees(graph.degrees.copy(), seed)
        room = n + 1 + _SPARE_CHUNKS * self.workers * _CHUNK
        self.lists = steps.Lists(*(np.empty(room, id_type) for _ in range(3)))
        self.lows = self.highs = 0  # the lengths of both lists, with unused places
        self.low = 0  # the number of vertices on the list `low`
        self.reach = self.limit = self.candidates = 0
        self.bounds = edge_splits(graph.indptr, self.workers)
        self.tally = np.zeros((self.workers, LINE), np.int64)
        self.largest = _SMALL_ROUND if self.workers > _FEW_WORKERS else max(_SMALL_ROUND, n // _LARGE)
        self.after = np.empty(_SMALL_ROUND + n // 64, np.int64)  # undecided after each small round of a call
        self.num_undecided = n  # undecided vertices
        self.undecided = [n]  # the number of vertices, at the beginning and after each round
        self.edges = 0  # entries read in small rounds

    def impose(self, included: Any, excluded: Any) -> None:
        """Decide the included vertices with their neighbors, and the excluded vertices."""
        if included.size or excluded.size:
            residual = self.degrees.residual
            residual[excluded] = steps.OUT
            residual[included] = 0
            steps.lower_around(self.workers, excluded, self.rows, residual, self.tally)
            self.tally[0, steps.JOINED] = included.size
            steps.put_out_neighbors(1, self.rows, included, residual, self._growing(self.lists), self.tally)

    def _growing(self, lists: steps.Lists) -> steps.Growing:
        """Return both lists in a form to which workers can append."""
        lengths = np.zeros(2 * LINE, np.int64)
        lengths[steps.ON_LOW * LINE], lengths[steps.ON_HIGH * LINE] = self.lows, self.highs
        return steps.Growing(lists.low, lists.high, lengths, self.reach, _CHUNK)

    def survey(self) -> None:
        """Count the undecided vertices, and rebuild the lists from the lowest degrees."""
        tally, residual = self.tally, self.degrees.residual
        steps.count_candidates(self.workers, self.bounds, tally, residual)
        self.num_undecided = int(tally[:, steps.UNDECIDED].sum())
        self.limit = int(tally[:, steps.LIMIT].min())
        candidates = tally[:, steps.CANDIDATES] * (tally[:, steps.LIMIT] == self.limit)
        self.reach = max(self.limit, steps.LOW + 1)
        counts = np.zeros((2, self.workers), np.int64)
        if self.limit == steps.LOW:
            counts[steps.ON_LOW], counts[steps.ON_HIGH] = candidates, tally[:, steps.NEXT]
        else:
            counts[steps.ON_HIGH] = candidates
        self.lows, self.highs = counts.sum(axis=1).tolist()
        self.low, self.candidates = self.lows, int(candidates.sum())
        if self.num_undecided:
            starts = np.cumsum(counts, axis=1) - counts
            steps.collect(self.workers, self.reach, self.bounds, starts, residual, self.lists)

    def find_candidates(self) -> None:
        """Find the largest degree of candidates on the lists, and their number; rebuild the lists if there are none."""
        self.limit, self.candidates = steps.LOW, self.low
        if not self.low:
            self.lows = 0
            steps.find_smallest_degree(self.workers, self.lists.high[: self.highs], self.degrees.residual, self.tally)
            limits = self.tally[:, steps.LIMIT]
            self.limit = int(limits.min())
            self.candidates = int(self.tally[limits == self.limit, steps.CANDIDATES].sum())
        if not self.candidates:
            self.survey()

    def large_round(self) -> None:
        """Run one round with all workers."""
        low, high, spare = self.lists
        if self.limit == steps.LOW:
            listed, self.lows, self.lists = low[: self.lows], 0, steps.Lists(spare, high, low)
        else:
            listed, self.highs, self.lists = high[: self.highs], 0, steps.Lists(low, spare, high)
        growing, tally = self._growing(self.lists), self.tally
        steps.join_candidates(self.workers, self.limit, self.rows, listed, self.degrees, growing, tally)
        steps.put_out_neighbors(self.workers, self.rows, listed, self.degrees.residual, growing, tally)
        self.lows, self.highs = int(growing.lengths[steps.ON_LOW * LINE]), int(growing.lengths[steps.ON_HIGH * LINE])
        self.low = int(tally[:, steps.LISTED].sum())
        if max(self.lows, self.highs) > high.size:  # a list was full and must be rebuilt
            self.low = self.lows = self.highs = 0
        if int(tally[:, steps.JOINED].sum()):
            self.num_undecided -= int(tally[:, steps.DECIDED].sum())
            self.undecided.append(self.num_undecided)

    def small_rounds(self) -> None:
        """Run several rounds with at most `largest` candidates each."""
        sizes = np.zeros(5, np.int64)
        for i, (listed, length) in enumerate(((self.lists.low, self.lows), (self.lists.high, self.highs))):
            vertices = listed[:length][listed[:length] != steps.NONE]
            listed[: vertices.size] = vertices
            sizes[i] = vertices.size
        sizes[2] = self.num_undecided
        steps.small_rounds(self.largest, _BUDGET, self.reach, self.rows, self.degrees, self.lists, self.after, sizes)
        self.lows, self.highs, _, rounds, edges = sizes.tolist()
        self.low = self.lows
        self.undecided += self.after[:rounds].tolist()
        self.num_undecided = self.undecided[-1]
        self.edges += edges


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """Return the mask of a large set."""
    history.enter("prepare")
    rounds = _Residual(graph.simple() if graph.has_duplicates else graph, seed)
    rounds.impose(included, excluded)
    history.undecided = rounds.undecided
    rounds.survey()
    while rounds.num_undecided:
        large = rounds.candidates > rounds.largest
        history.enter("large" if large else "small")
        if large:
            rounds.large_round()
        else:
            rounds.small_rounds()
        rounds.find_candidates()
    history.enter("")
    history.count(rounds.edges + int(rounds.tally[:, steps.EDGES].sum()))
    return rounds.degrees.residual == 0
