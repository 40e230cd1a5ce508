"""Local search for large independent sets: annealing by swaps, in sweeps over windows of vertices.

Result: a maximal independent set, at least as large as the initial one. More rounds give larger sets: after some
hundred sweeps, they are within 1 % of the best known sets, on graphs with millions of vertices.

Rule: a sweep has two parts. First, a few vertices with two neighbors in the set, drawn by hashes, move in. Then every
vertex with at most one neighbor in the set moves in. When v moves in, its neighbors in the set leave, and their
neighbors that have become free join. The first part draws a share exp(-coldness) of all vertices. In the code:
`_sweep_window` chooses the vertices, and `_move_in` moves them.

Idea: a vertex outside the set that has one neighbor in the set can replace this neighbor. The size of the set does not
change (a *plateau*), but other neighbors of the replaced vertex may have become free and join. The result is then a
(1, 2)-swap, the move of ARW, found by trying instead of by searching. With only such swaps, the set soon stops growing.
Therefore a few vertices are forced in at a loss of one member each, so that later swaps can reach larger sets. The
coldness increases from round to round: this is simulated annealing in which moves of equal size are always accepted.
No move is queued, compared or undone, so one core makes three to five million moves per second on graphs of a million
vertices.

A move changes neighbors of neighbors. Therefore vertices should be numbered so that these are nearby, and a sweep
processes *windows* of consecutive vertices. Within a window, vertices are visited in a random order. In ascending
order, members would be shifted along the numbering, and the same order in each sweep would swap the same two vertices
back and forth.

Components are searched in parallel. Each has its own windows and hashes, drawn for its smallest vertex, and its best
set is kept independently of other components. In a large component whose rows reach only across a fraction of a window,
moves in a sweep do not touch vertices outside their window. Then windows are independent of each other, too; their
borders move from sweep to sweep. Therefore the result does not depend on the assignment of work to workers. Without
such locality (random graphs), one worker processes all windows of a component, and moves may cross borders.

State, one integer per vertex::

    -1         in the set
    t >= 0     outside, with t neighbors in the set (0: free)

Cost: a sweep visits all vertices, and about 8 % of them move. Every random choice is a hash of (seed, component, sweep,
position). Work memory: about 20 bytes per vertex and 50 per component; with several components, also a copy of the
entries.

Sources: D. Andrade, M. Resende, R. Werneck, "Fast local search for the maximum independent set problem", Journal of
Heuristics 18, 2012 (ARW); M. Angelini, F. Ricci-Tersenghi, "Monte Carlo algorithms are very effective in finding the
largest independent set in sparse random graphs", Physical Review E 100, 2019.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.runtime import Rows, hash32, kernel, rule, worker_count
from ...graph import Graph
from .windows import Pieces, SweepPlan, Tasks, by_components, touches_only, window_of

IN = -1
FIRST_COLDNESS, LAST_COLDNESS = 1.0, 11.0
_QUICK_ROUNDS = 32  # searches of more than twice this length first cool down in this time, for a quick result
_LONG = 64  # neighbors; longer rows move proportionally less often, or large cliques would take all the time


@rule
def _put_in_set(v, rows, state):
    """Put the free vertex v into the set."""
    state[v] = IN
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        state[rows.indices[e]] += 1


@rule
def _move_in(v, low, high, rows, state):
    """Put v in, its neighbors out, and vertices that become free in; only if all rows to change are within bounds."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    allowed = touches_only(low, high, v, rows)
    if allowed & (state[v] != 0):
        for e in range(start, end):
            u = rows.indices[e]
            if state[u] == IN:
                allowed &= touches_only(low, high, u, rows)
    if not allowed:
        return
    leaving = state[v]
    _put_in_set(v, rows, state)
    for e in range(start, end if leaving else start):
        x = rows.indices[e]
        if state[x] == IN + 1:  # x was a member before v joined; other neighbors of v have a positive count now
            state[x] = 1
            for f in range(rows.indptr[x], rows.indptr[x + 1]):
                w = rows.indices[f]
                if w != v:
                    members_around = state[w] - 1
                    state[w] = members_around
                    if members_around == 0 and touches_only(low, high, w, rows):
                        _put_in_set(w, rows, state)


@rule
def _sweep_window(i, piece, cut, pieces, seed, heat, rows, state):
    """Force some vertices in, then move in all vertices with at most one neighbor in the set, in a piece's i-th window.

    `heat` is the share of vertices to force in, times 2**32.
    """
    start, count, low, high, random = window_of(i, piece, cut, pieces, seed)
    # Force in some vertices with two neighbors in the set.
    if count > 0:
        for j in range((count * heat + random) >> 32):
            v = start + ((hash32(random + j) * count) >> 32)
            if state[v] == 2:
                _move_in(v, low, high, rows, state)
    # Move in all vertices with at most one, in a pseudorandom order of `span`, the next power of two; places beyond
    # `count` are skipped.
    step, span = random | 1, 1
    while span < count:
        span *= 2
    for j in range(span):
        p = (j * step + (random >> 16)) & (span - 1)
        if p < count:
            v = start + p
            if 0 <= state[v] <= 1:
                degree = rows.indptr[v + 1] - rows.indptr[v]
                if degree <= _LONG or (hash32(random ^ v) * degree) >> 32 < _LONG:
                    _move_in(v, low, high, rows, state)


@kernel(by="workers", types="int64[] int64[] int64[] bool int64[] V[] int64[] int64[] int int O[] V[] int32[]")
def _sweep(worker, workers, tasks: Tasks, pieces: Pieces, seed, heat, rows: Rows, state):
    """Sweep the windows of every workers-th task."""
    for k in range(worker, tasks.pieces.size, workers):
        for i in range(tasks.first[k], tasks.end[k]):
            _sweep_window(i, tasks.pieces[k], tasks.cut, pieces, seed, heat, rows, state)


@kernel(by="workers", types="int64[] int64[] O[] V[] int32[] int64[] bool[]")
def _keep_best(worker, workers, chosen, starts, rows: Rows, state, sizes, best):
    """Make the sets of some pieces maximal, in the order of their vertices, and store sets larger than the best."""
    for k in range(worker, chosen.size, workers):
        piece = chosen[k]
        first, end = starts[piece], starts[piece + 1]
        size = 0
        for v in range(first, end):
            if state[v] == 0:
                _put_in_set(v, rows, state)
            size += int(state[v] == IN)
        if size > sizes[piece]:
            sizes[piece] = size
            for v in range(first, end):
                best[v] = state[v] == IN


@kernel(by="edges", types="O[] V[] bool[] int32[]")
def _count_members(v, rows: Rows, members, state):
    """Compute the state of v from the members of the set."""
    count = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += int(members[rows.indices[e]])
    state[v] = IN if members[v] else count


class LocalSearch:
    """A step-by-step search for larger independent sets.

    Parameters
    ----------
    graph : Graph
        Undirected, without loops and repeated entries, with sorted rows. The search is fast if neighbors have nearby
        numbers (see locality.py).
    mask : array (n,)
        The initial independent set, nonzero for its members.
    rounds : int
        The number of steps for which the cooling is planned. The search may stop earlier, or continue at the final
        coldness.
    seed : int
        Seed for all hashes.

    Attributes
    ----------
    best : bool (n,)
        The largest set so far.
    size : int
        The number of vertices in the largest set so far.
    """

    def __init__(self, graph: Graph, mask: Any, *, rounds: int, seed: int = 0) -> None:
        n = graph.num_vertices
        self.rounds, self._seed, self._round = rounds, seed, 0
        self._rows, starts, self._order = by_components(graph)
        self._plan = SweepPlan(self._rows, starts, self._order)
        self._state, self._best = np.empty(n, np.int32), np.zeros(n, bool)
        self._sizes = np.zeros(starts.size - 1, np.int64)
        _count_members(n, self._rows, np.asarray(mask, bool)[self._order], self._state)
        self._keep_best(np.arange(starts.size - 1))

    @property
    def size(self) -> int:
        return int(self._sizes.sum())

    @property
    def best(self) -> Any:
        mask = np.empty(self._best.size, bool)
        mask[self._order] = self._best
        return mask

    def _keep_best(self, chosen: Any) -> None:
        """Store the sets of some pieces that are larger than the best ones."""
        starts = self._plan.pieces.starts
        workers = worker_count("cpu", int((starts[chosen + 1] - starts[chosen]).sum()))
        _keep_best(workers, chosen, starts, self._rows, self._state, self._sizes, self._best)

    def _coldness(self) -> float:
        """Return the coldness, which rises from the first to the last planned round, and twice in a long search."""
        first, last = 0, self.rounds - 1
        if self.rounds > 2 * _QUICK_ROUNDS:
            first, last = (0, _QUICK_ROUNDS - 1) if self._round < _QUICK_ROUNDS else (_QUICK_ROUNDS, last)
        share = min((self._round - first) / max(last - first, 1), 1)
        return FIRST_COLDNESS + (LAST_COLDNESS - FIRST_COLDNESS) * share

    def step(self) -> None:
        """Run one round of tens of milliseconds: many sweeps on a small graph, part of a sweep on a large one."""
        heat = int(math.exp(-self._coldness()) * 2**32)
        for workers, tasks in self._plan.tasks(self._round):
            self._sweep(workers, tasks, heat)
        self._round += 1
        self._keep_best(self._plan.swept(self._round - 1, last=self._round == self.rounds))

    def _sweep(self, workers: int, tasks: Tasks, heat: int) -> None:
        _sweep(workers, tasks, self._plan.pieces, self._seed, heat, self._rows, self._state)
