"""Local search for large or heavy independent sets: annealing by swaps, in sweeps over windows of vertices.

Result: a maximal independent set, at least as large or heavy as the initial one. More rounds give better sets: without
weights, after some hundred sweeps, they are within 1 % of the best known sets, on graphs with millions of vertices.

Rule: a sweep visits all vertices, in a random order in each window, and makes these moves:

    *join*     a vertex that is not lighter than its neighbors in the set moves in, and these neighbors leave. Their
               neighbors that have become free join. Without weights: a vertex with at most one neighbor in the set
    *force*    without weights: before each sweep of a window, a few vertices with two neighbors in the set, drawn by
               hashes, move in: a share exp(-coldness) of all vertices
    *lose*     with weights: any other vertex moves in, too, if the loss, which is the weight of the neighbors that
               leave minus its own weight, is at most T * x
    *replace*  with weights: a member leaves, and neighbors join that have no other neighbor in the set, in the order of
               the row from a random place, if the loss is at most T * x

x >= 0 is a random number whose distribution is about exponential. The coldness increases from round to round, and the
temperature T falls. In the code: `_sweep_window` chooses the moves, and `_move_in` and `_replace` make them.

Idea: a vertex outside the set that has one neighbor in the set can replace this neighbor. The size of the set does not
change (a *plateau*), but other neighbors of the replaced vertex may have become free and join. The result is then a
(1, 2)-swap, the move of ARW, found by trying instead of by searching. With only such swaps, the set soon stops growing.
Therefore some moves make it smaller or lighter, so that later swaps can reach better sets: this is simulated annealing
in which moves without a loss are always accepted. With weights, the moves are the (omega, 1)-swaps and (1, 2)-swaps of
HILS; each kind reverses moves of the other kind. No move is queued, so one core makes three to five million moves per
second on graphs of a million vertices without weights.

A move changes neighbors of neighbors. Therefore vertices should be numbered so that these are nearby, and a sweep
processes *windows* of consecutive vertices (windows.py). Within a window, vertices are visited in a random order. In
ascending order, members would be shifted along the numbering, and the same order in each sweep would swap the same two
vertices back and forth.

Components are searched in parallel. Each has its own windows and hashes, drawn for its smallest vertex, and its best
set is kept independently of other components. In a large component whose rows reach only across a fraction of a window,
moves in a sweep do not touch vertices outside their window. Then windows are independent of each other, too; their
borders move from sweep to sweep. Therefore the result does not depend on the assignment of work to workers. Without
such locality (random graphs), one worker processes all windows of a component, and moves may cross borders.

State, one integer per vertex::

    -1         in the set
    t >= 0     outside; t neighbors are in the set, or with weights their weight is t (0: free, because no weight is 0)

Cost: a sweep visits all vertices; about 8 % of them move, and with weights the rows of all members are read. Every
random choice is a hash of (seed, component, sweep, position), and the random numbers are computed by exact operations
only. Work memory: about 20 bytes per vertex and 50 per component; with several components, also a copy of the entries.

Sources: D. Andrade, M. Resende, R. Werneck, "Fast local search for the maximum independent set problem", Journal of
Heuristics 18, 2012 (ARW); B. Nogueira, R. Pinheiro, A. Subramanian, "A Hybrid Iterated Local Search Heuristic for the
Maximum Weight Independent Set Problem", Optimization Letters 12, 2018 (HILS); M. Angelini, F. Ricci-Tersenghi, "Monte
Carlo algorithms are very effective in finding the largest independent set in sparse random graphs", Physical Review E
100, 2019.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import ArrayT, Bools, Constant, Int64s, Rows, hash32, kernel, rule, worker_count
from ...graph import Graph
from .windows import Pieces, SweepPlan, Tasks, by_components, touches_only, window_of

IN = -1
FIRST_COLDNESS, LAST_COLDNESS = 1.0, 11.0
_QUICK_ROUNDS = 32  # searches of more than twice this length first cool down in this time, for a quick result
HOT, COLD = 0.3, 0.01  # with weights, the first and the last temperature, as multiples of the average weight
_MAX_READ = 1 << 25, 1 << 23  # the maximum number of vertices and entries read per round, without and with weights
_LONG = 64  # neighbors; longer rows move proportionally less often, or large cliques would take all the time
_LARGEST_DRAW = 23.0  # times log(2): no random number is larger


class SearchState(NamedTuple):
    """The weights of the vertices, and their states."""

    weights: Int64s  # (n,), positive; or empty: all are 1
    state: ArrayT  # (n,): int64 with weights, int32 without
    weighted: Constant


@rule
def _weight_of(v, vertices):
    """Return the weight of v."""
    return vertices.weights[v] if vertices.weighted else 1


@rule
def _put_in_set(v, rows, vertices):
    """Put the free vertex v into the set."""
    state, weight = vertices.state, _weight_of(v, vertices)
    state[v] = IN
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        state[rows.indices[e]] += weight


@rule
def _move_in(v, low, high, rows, vertices):
    """Put v in, its neighbors out, and vertices that become free in; only if all rows to change are within bounds."""
    state = vertices.state
    start, end = rows.indptr[v], rows.indptr[v + 1]
    allowed = touches_only(low, high, v, rows)
    if allowed & (state[v] != 0):
        for e in range(start, end):
            u = rows.indices[e]
            if state[u] == IN:
                allowed &= touches_only(low, high, u, rows)
    if not allowed:
        return
    leaving, weight = state[v], _weight_of(v, vertices)
    _put_in_set(v, rows, vertices)
    for e in range(start, end if leaving else start):
        x = rows.indices[e]
        if state[x] == weight + IN:  # x was a member before v joined; other neighbors of v have at least `weight` now
            state[x] = weight
            lost = _weight_of(x, vertices)
            for f in range(rows.indptr[x], rows.indptr[x + 1]):
                y = rows.indices[f]
                if y != v:
                    around = state[y] - lost
                    state[y] = around
                    if around == 0 and touches_only(low, high, y, rows):
                        _put_in_set(y, rows, vertices)


@rule
def _replace(x, needed, first, low, high, rows, vertices):
    """Replace the member x by neighbors that have no other member around, if these weigh at least `needed`.

    They join in the order of the row, starting at the place `first`. All rows to change must be within bounds.
    """
    weights, state = vertices.weights, vertices.state
    start, end, weight = rows.indptr[x], rows.indptr[x + 1], weights[x]
    possible = 0
    for e in range(start, end):
        y = rows.indices[e]
        if state[y] == weight:
            possible += weights[y]
    if possible == 0 or possible < needed or not touches_only(low, high, x, rows):
        return
    state[x] = 0
    for e in range(start, end):
        state[rows.indices[e]] -= weight
    total = 0
    for k in range(end - start):
        y = rows.indices[start + (first + k) % (end - start)]
        if state[y] == 0 and touches_only(low, high, y, rows):
            _put_in_set(y, rows, vertices)
            total += weights[y]
    if total == 0 or total < needed:  # undo all changes
        for e in range(start, end):
            y = rows.indices[e]
            if state[y] == IN:
                state[y] = 0
                for f in range(rows.indptr[y], rows.indptr[y + 1]):
                    state[rows.indices[f]] -= weights[y]
        _put_in_set(x, rows, vertices)


@rule
def _exponential(bits):
    """Return a random number >= 0 for 32 random bits: the negative logarithm of a uniform one, linear between powers.

    Its unit is log(2), and its maximum `_LARGEST_DRAW`.
    """
    draw, top = 0.0, 1 << 31
    bits |= 1 << 9
    while bits < top:
        bits <<= 1
        draw += 1.0
    return draw + (2.0 - bits / top)


@rule
def _move_at_a_loss(v, random, number, temperature, low, high, rows, vertices):
    """Replace the member v, or move v in although its neighbors in the set are heavier, if the loss is small enough."""
    weights, around = vertices.weights, vertices.state[v]
    if around < 0:
        allowed = temperature * _exponential(number)
        first = random % (rows.indptr[v + 1] - rows.indptr[v])
        _replace(v, weights[v] - allowed, first, low, high, rows, vertices)
    else:
        loss = around - weights[v]
        possible = loss <= temperature * _LARGEST_DRAW  # tested first: cheaper than a random number
        if possible and loss <= temperature * _exponential(number):
            _move_in(v, low, high, rows, vertices)


@rule
def _sweep_window(i, piece, cut, pieces, seed, heat, rows, vertices):
    """Visit the vertices of a piece's i-th window.

    `heat` is the temperature; without weights the share of vertices to force in, times 2**32.
    """
    weighted, state = vertices.weighted, vertices.state
    start, count, low, high, random = window_of(i, piece, cut, pieces, seed)
    # Force in some vertices with two neighbors in the set.
    if count > 0 and not weighted:
        for j in range((count * int(heat) + random) >> 32):
            v = start + ((hash32(random + j) * count) >> 32)
            if state[v] == 2:
                _move_in(v, low, high, rows, vertices)
    # Visit all vertices, in a pseudorandom order of `span`, the next power of two; places beyond `count` are skipped.
    step, span = random | 1, 1
    while span < count:
        span *= 2
    for j in range(span):
        p = (j * step + (random >> 16)) & (span - 1)
        if p < count:
            v = start + p
            joins = 0 <= state[v] <= _weight_of(v, vertices)
            if joins or weighted:
                degree = rows.indptr[v + 1] - rows.indptr[v]
                if degree <= _LONG or (hash32(random ^ v) * degree) >> 32 < _LONG:
                    if joins:
                        _move_in(v, low, high, rows, vertices)
                    else:
                        _move_at_a_loss(v, random, hash32(random + j), heat, low, high, rows, vertices)


@kernel(by="workers", constants="0", T="int32 int64")
def _sweep(worker, workers, tasks: Tasks, pieces: Pieces, seed: int, heat: float, rows: Rows, vertices: SearchState):
    """Sweep the windows of every workers-th task."""
    for k in range(worker, tasks.pieces.size, workers):
        for i in range(tasks.first[k], tasks.end[k]):
            _sweep_window(i, tasks.pieces[k], tasks.cut, pieces, seed, heat, rows, vertices)


@kernel(by="workers", constants="0", T="int32 int64")
def _keep_best(
    worker, workers, chosen: Int64s, starts: Int64s, rows: Rows, vertices: SearchState, totals: Int64s, best: Bools
):
    """Make the sets of some pieces maximal, in the order of their vertices, and store sets better than the best."""
    state = vertices.state
    for k in range(worker, chosen.size, workers):
        piece = chosen[k]
        first, end = starts[piece], starts[piece + 1]
        total = 0
        for v in range(first, end):
            if state[v] == 0:
                _put_in_set(v, rows, vertices)
            if state[v] == IN:
                total += _weight_of(v, vertices)
        if total > totals[piece]:
            totals[piece] = total
            for v in range(first, end):
                best[v] = state[v] == IN


@kernel(by="edges", constants="0", T="int32 int64")
def weigh_members(v, rows: Rows, members: Bools, vertices: SearchState):
    """Compute the state of v from the members of the set."""
    total = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if members[u]:
            total += _weight_of(u, vertices)
    vertices.state[v] = IN if members[v] else total


class LocalSearch:
    """A step-by-step search for larger or heavier independent sets.

    Parameters
    ----------
    graph : Graph
        Undirected, without loops and repeated entries, with sorted rows. The search is fast if neighbors have nearby
        numbers (see windows.py).
    mask : array (n,)
        The initial independent set, nonzero for its members.
    weights : int64 (n,), optional
        Positive weights. Without them, the number of vertices is maximized.
    rounds : int
        The number of steps for which the cooling is planned. The search may stop earlier, or continue at the final
        temperature.
    seed : int
        Seed for all hashes.

    Attributes
    ----------
    best : bool (n,)
        The best set so far.
    total : int
        Its size or its weight.
    """

    def __init__(self, graph: Graph, mask: Any, weights: Any | None = None, *, rounds: int, seed: int = 0) -> None:
        n, self._weighted = graph.num_vertices, weights is not None
        self.rounds, self._seed, self._round = rounds, seed, 0
        self._rows, starts, self._order = by_components(graph)
        self._plan = SweepPlan(self._rows, starts, self._order, _MAX_READ[self._weighted])
        weights = np.empty(0, np.int64) if weights is None else weights[self._order]
        state = np.empty(n, np.int64 if self._weighted else np.int32)
        self._vertices = SearchState(weights, state, int(self._weighted))
        self._average = int(weights.sum()) / max(n, 1)
        self._best, self._totals = np.zeros(n, bool), np.full(starts.size - 1, -1, np.int64)
        weigh_members(n, self._rows, np.asarray(mask, bool)[self._order], self._vertices)
        self._keep_best(np.arange(starts.size - 1))

    @property
    def total(self) -> int:
        return int(self._totals.sum())

    @property
    def best(self) -> Any:
        mask = np.empty(self._best.size, bool)
        mask[self._order] = self._best
        return mask

    def _keep_best(self, chosen: Any) -> None:
        """Store the sets of some pieces that are better than the best ones."""
        starts = self._plan.pieces.starts
        workers = worker_count("cpu", int((starts[chosen + 1] - starts[chosen]).sum()))
        _keep_best(workers, chosen, starts, self._rows, self._vertices, self._totals, self._best)

    def _share(self, first: int, last: int) -> float:
        """Return the share of some rounds that is done."""
        return min((self._round - first) / max(last - first, 1), 1)

    def _heat(self) -> float:
        """Return the temperature; or the share of vertices to force in, which falls twice in a long search."""
        first, last = 0, self.rounds - 1
        if self._weighted:
            return float(self._average * HOT * (COLD / HOT) ** self._share(first, last))
        if self.rounds > 2 * _QUICK_ROUNDS:
            first, last = (0, _QUICK_ROUNDS - 1) if self._round < _QUICK_ROUNDS else (_QUICK_ROUNDS, last)
        coldness = FIRST_COLDNESS + (LAST_COLDNESS - FIRST_COLDNESS) * self._share(first, last)
        return float(int(math.exp(-coldness) * 2**32))

    def step(self) -> None:
        """Run one round of tens of milliseconds: many sweeps on a small graph, part of a sweep on a large one."""
        heat = self._heat()
        for workers, tasks in self._plan.tasks(self._round):
            _sweep(workers, tasks, self._plan.pieces, self._seed, heat, self._rows, self._vertices)
        self._round += 1
        self._keep_best(self._plan.swept(self._round - 1, last=self._round == self.rounds))
