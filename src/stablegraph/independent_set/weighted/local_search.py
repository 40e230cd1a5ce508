"""Local search for heavy independent sets: annealing by moves that may lose weight, in sweeps over windows of vertices.

Result: a maximal independent set, at least as heavy as the initial one. More rounds give heavier sets.

Rule: a sweep visits all vertices, in a random order in each window. A move is made if its loss of weight is at most
T * x, with a random number x >= 0 whose distribution is about exponential, and a temperature T that falls from round to
round:

    v outside the set   moves in; its neighbors in the set leave, and their neighbors that have become free join.
                        The loss is the weight of the neighbors that leave minus w(v)
    v in the set        leaves, and neighbors join that have no other neighbor in the set, in the order of the row from
                        a random place. The loss is w(v) minus the weight of these neighbors

In the code: `_sweep_window` chooses the moves, and `_move_in` and `_replace` make them.

Idea: these are the (omega, 1)-swaps and (1, 2)-swaps of the iterated local search HILS, used for simulated annealing
instead of perturbations. Each kind of move reverses moves of the other kind. Components and windows are searched in
parallel (../near_maximum/windows.py).

State, one integer per vertex::

    -1         in the set
    t >= 0     outside; the weight of the neighbors in the set is t (0: free, because no weight is 0)

Cost: a sweep visits all vertices and reads the rows of all members. Every random choice is a hash of (seed, component,
sweep, position), and the random numbers are computed by exact operations only. Work memory: about 24 bytes per vertex
and 50 per component; with several components, also a copy of the entries.

Sources: B. Nogueira, R. Pinheiro, A. Subramanian, "A Hybrid Iterated Local Search Heuristic for the Maximum Weight
Independent Set Problem", Optimization Letters 12, 2018 (HILS); M. Angelini, F. Ricci-Tersenghi, "Monte Carlo Algorithms
Are Very Effective in Finding the Largest Independent Set in Sparse Random Graphs", Physical Review E 100, 2019.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Rows, hash32, kernel, rule, worker_count
from ...graph import Graph
from ..near_maximum.windows import Pieces, SweepPlan, Tasks, by_components, touches_only, window_of

IN = -1
HOT, COLD = 0.3, 0.01  # the first and the last temperature, as multiples of the average weight
_MAX_READ = 1 << 23  # the maximum number of vertices and entries read per round
_LONG = 64  # neighbors; longer rows move proportionally less often
_LARGEST_DRAW = 23.0  # times log(2): no random number is larger


class Vertices(NamedTuple):
    """The weights of the vertices, and their states."""

    weights: Any  # int64 (n,), positive
    state: Any  # int64 (n,)


@rule
def _put_in_set(v, rows, weights, state):
    """Put the free vertex v into the set."""
    state[v] = IN
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        state[rows.indices[e]] += weights[v]


@rule
def _move_in(v, low, high, rows, weights, state):
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
    leaving, weight = state[v], weights[v]
    _put_in_set(v, rows, weights, state)
    for e in range(start, end if leaving else start):
        x = rows.indices[e]
        if state[x] == weight + IN:  # x was a member before v joined; other neighbors of v have at least `weight` now
            state[x] = weight
            for f in range(rows.indptr[x], rows.indptr[x + 1]):
                y = rows.indices[f]
                if y != v:
                    around = state[y] - weights[x]
                    state[y] = around
                    if around == 0 and touches_only(low, high, y, rows):
                        _put_in_set(y, rows, weights, state)


@rule
def _replace(x, needed, first, low, high, rows, weights, state):
    """Replace the member x by neighbors that have no other member around, if these weigh at least `needed`.

    They join in the order of the row, starting at the place `first`. All rows to change must be within bounds.
    """
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
            _put_in_set(y, rows, weights, state)
            total += weights[y]
    if total == 0 or total < needed:  # undo all changes
        for e in range(start, end):
            y = rows.indices[e]
            if state[y] == IN:
                state[y] = 0
                for f in range(rows.indptr[y], rows.indptr[y + 1]):
                    state[rows.indices[f]] -= weights[y]
        _put_in_set(x, rows, weights, state)


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
def _sweep_window(i, piece, cut, pieces, seed, temperature, rows, vertices):
    """Visit the vertices of a piece's i-th window."""
    weights, state = vertices.weights, vertices.state
    start, count, low, high, random = window_of(i, piece, cut, pieces, seed)
    # A pseudorandom order of `span`, the next power of two; places beyond `count` are skipped.
    step, span = random | 1, 1
    while span < count:
        span *= 2
    for j in range(span):
        p = (j * step + (random >> 16)) & (span - 1)
        if p >= count:
            continue
        v = start + p
        degree = rows.indptr[v + 1] - rows.indptr[v]
        if degree > _LONG and (hash32(random ^ v) * degree) >> 32 >= _LONG:
            continue
        around = state[v]
        if around < 0:
            allowed = temperature * _exponential(hash32(random + j))
            _replace(v, weights[v] - allowed, random % degree, low, high, rows, weights, state)
        elif around <= weights[v]:
            _move_in(v, low, high, rows, weights, state)
        else:
            loss = around - weights[v]
            possible = loss <= temperature * _LARGEST_DRAW  # tested first: cheaper than a random number
            if possible and loss <= temperature * _exponential(hash32(random + j)):
                _move_in(v, low, high, rows, weights, state)


@kernel(
    by="workers",
    types="int64[] int64[] int64[] bool int64[] V[] int64[] int64[] int float O[] V[] int64[] int64[]",
)
def _sweep(worker, workers, tasks: Tasks, pieces: Pieces, seed, temperature, rows: Rows, vertices: Vertices):
    """Sweep the windows of every workers-th task."""
    for k in range(worker, tasks.pieces.size, workers):
        for i in range(tasks.first[k], tasks.end[k]):
            _sweep_window(i, tasks.pieces[k], tasks.cut, pieces, seed, temperature, rows, vertices)


@kernel(by="workers", types="int64[] int64[] O[] V[] int64[] int64[] int64[] bool[]")
def _keep_best(worker, workers, chosen, starts, rows: Rows, vertices: Vertices, totals, best):
    """Make the sets of some pieces maximal, in the order of their vertices, and store sets heavier than the best."""
    weights, state = vertices.weights, vertices.state
    for k in range(worker, chosen.size, workers):
        piece = chosen[k]
        first, end = starts[piece], starts[piece + 1]
        total = 0
        for v in range(first, end):
            if state[v] == 0:
                _put_in_set(v, rows, weights, state)
            if state[v] == IN:
                total += weights[v]
        if total > totals[piece]:
            totals[piece] = total
            for v in range(first, end):
                best[v] = state[v] == IN


@kernel(by="edges", types="O[] V[] int64[] bool[] int64[]")
def weigh_members(v, rows: Rows, weights, members, state):
    """Compute the state of v from the members of the set."""
    total = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if members[u]:
            total += weights[u]
    state[v] = IN if members[v] else total


class LocalSearch:
    """A step-by-step search for heavier independent sets.

    Parameters
    ----------
    graph : Graph
        Undirected, without loops and repeated entries, with sorted rows.
    weights : int64 (n,)
        Positive weights.
    mask : array (n,)
        The initial independent set, nonzero for its members.
    rounds : int
        The number of steps for which the cooling is planned.
    seed : int
        Seed for all hashes.

    Attributes
    ----------
    best : bool (n,)
        The heaviest set so far.
    weight : int
        Its weight.
    """

    def __init__(self, graph: Graph, weights: Any, mask: Any, *, rounds: int, seed: int = 0) -> None:
        n = graph.num_vertices
        self.rounds, self._seed, self._round = rounds, seed, 0
        self._rows, starts, self._order = by_components(graph)
        self._plan = SweepPlan(self._rows, starts, self._order, _MAX_READ)
        self._vertices = Vertices(weights[self._order], np.empty(n, np.int64))
        self._average = int(weights.sum()) / max(n, 1)
        self._best = np.zeros(n, bool)
        self._totals = np.full(starts.size - 1, -1, np.int64)
        weigh_members(n, self._rows, self._vertices.weights, np.asarray(mask, bool)[self._order], self._vertices.state)
        self._keep_best(np.arange(starts.size - 1))

    @property
    def weight(self) -> int:
        return int(self._totals.sum())

    @property
    def best(self) -> Any:
        mask = np.empty(self._best.size, bool)
        mask[self._order] = self._best
        return mask

    def _keep_best(self, chosen: Any) -> None:
        """Store the sets of some pieces that are heavier than the best ones."""
        starts = self._plan.pieces.starts
        workers = worker_count("cpu", int((starts[chosen + 1] - starts[chosen]).sum()))
        _keep_best(workers, chosen, starts, self._rows, self._vertices, self._totals, self._best)

    def step(self) -> None:
        """Run one round of tens of milliseconds: many sweeps on a small graph, part of a sweep on a large one."""
        share = min(self._round / max(self.rounds - 1, 1), 1)
        temperature = self._average * HOT * (COLD / HOT) ** share
        for workers, tasks in self._plan.tasks(self._round):
            _sweep(workers, tasks, self._plan.pieces, self._seed, temperature, self._rows, self._vertices)
        self._round += 1
        self._keep_best(self._plan.swept(self._round - 1, last=self._round == self.rounds))
