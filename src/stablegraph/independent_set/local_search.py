"""Local search for large independent sets: annealing by swaps, in sweeps over vertices numbered so that memory is near.

Result: from any independent set one at least as large, maximal, and better the more rounds there are: after some
hundred sweeps within a percent of the best sets known, on graphs with millions of vertices.

Idea: a vertex outside the set that has one neighbour in it may take that neighbour's place. The set stays as large
(a *plateau*), but other neighbours of the one that left may be free now and join: then that was a (1, 2)-swap, the
move of ARW, found by trying instead of by searching. In a sweep every vertex with at most one neighbour in the set
moves in. That alone soon stops gaining; so before, a few vertices with two neighbours in the set are forced in, at the
price of one member each, which later swaps win back, with luck and interest. They are a share exp(-coldness) of all
vertices, and the coldness rises from round to round: simulated annealing, in which equal sizes always pass. Nothing
is queued, compared or undone, so a core does three to five million moves a second on graphs of a million vertices.

State, one integer a vertex::

    -1         in the set
    t >= 0     outside, with t neighbours in the set (0: free)

Memory: a move touches the neighbours' neighbours. So vertices are numbered breadth first, from far away, and a sweep
goes through *windows* of consecutive vertices. Within a window it jumps about: in order of the numbers, members would
be pushed ahead like snow before a plough, and equal orders in each sweep would swap the same two back and forth.

Parallelism: where rows reach little further than a window's fraction, nobody moves in a sweep who touches a vertex
outside of the own window. Then windows are independent of each other, and the answer does not depend on who handles
them when. Their borders lie elsewhere in each sweep. Where there is no such locality (random graphs), one worker does
all windows, and moves may cross borders.

Every random choice is a hash of (seed, sweep, place). Cost of a sweep: all vertices are looked at, some 8 % move.
Work memory: the renumbered graph, and 9 bytes a vertex; at the beginning also 5 bytes an entry.

Sources: D. Andrade, M. Resende, R. Werneck, "Fast local search for the maximum independent set problem", Journal of
Heuristics 18, 2012 (ARW); M. Angelini, F. Ricci-Tersenghi, "Monte Carlo algorithms are very effective in finding the
largest independent set in sparse random graphs", Physical Review E 100, 2019.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..parallel import at, hash32, kernel, rule

IN = -1
FIRST_COLDNESS, LAST_COLDNESS = 2.0, 12.0
_ONE_SWEEP = 1 << 20  # vertices: graphs as large have one sweep in a round, k times smaller ones k**1.5,
_MOST_SWEEPS = 64  # but no more than this
_WINDOW = 1 << 14  # vertices at least
_REACHES = 16  # a window that nobody crosses is so many times as long as the rows' average reach
_STEP = 1 << 24  # vertices that one thread goes through between two chances to be interrupted


@kernel(by="single")
def _number_breadth_first(seeds, beyond, indptr, indices, number, order, progress):
    """Number vertices in the order of a breadth-first search until so many rows are read.

    It starts anew at the first of `seeds` not yet numbered. `progress` counts seeds, rows and vertices done.
    """
    seed, row, count = int(progress[0]), int(progress[1]), int(progress[2])
    while row < beyond:
        if row == count:
            while number[at(seeds[at(seed)])] >= 0:
                seed += 1
            v = seeds[at(seed)]
            number[at(v)] = count
            order[at(count)] = v
            count += 1
        v = int(order[at(row)])
        row += 1
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = indices[at(e)]
            if number[at(u)] < 0:
                number[at(u)] = count
                order[at(count)] = u
                count += 1
    progress[0], progress[1], progress[2] = seed, row, count


@kernel(by="single")
def _renumber(first, beyond, indptr, indices, number, order, ends, near):
    """Write each vertex, in the order of its new number, into its neighbours' new rows: so rows are sorted."""
    for v in range(first, beyond):
        old = int(order[at(v)])
        for e in range(indptr[at(old)], indptr[at(old + 1)]):
            u = number[at(indices[at(e)])]
            near[at(ends[at(u)])] = v
            ends[at(u)] += 1


@rule
def _touches_only(low, high, v, indptr, indices):
    """Are all neighbours of v among low .. high - 1? (Rows are sorted.)"""
    start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
    last = max(end, 1) - 1
    return (start == end) | ((indices[at(min(start, last))] >= low) & (indices[at(last)] < high))


@rule
def _join(v, indptr, indices, state):
    """Put v, who is free, into the set."""
    state[at(v)] = IN
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        state[at(indices[at(e)])] += 1


@rule
def _move_in(v, low, high, indptr, indices, state):
    """Put v into the set and its neighbours out of it, and whoever is free then, in; if all touched are allowed."""
    start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
    allowed = _touches_only(low, high, v, indptr, indices)
    if allowed & (state[at(v)] != 0):
        for e in range(start, end):
            u = int(indices[at(e)])
            if state[at(u)] == IN:
                allowed &= _touches_only(low, high, u, indptr, indices)
    if not allowed:
        return
    leaving = int(state[at(v)])
    _join(v, indptr, indices, state)
    for e in range(start, end if leaving else start):
        x = int(indices[at(e)])
        if state[at(x)] == IN + 1:  # a member before v joined: others next to v have a neighbour in the set now
            state[at(x)] = 1
            for f in range(indptr[at(x)], indptr[at(x + 1)]):
                w = int(indices[at(f)])
                if w != v:
                    left = int(state[at(w)]) - 1
                    state[at(w)] = left
                    if left == 0 and _touches_only(low, high, w, indptr, indices):
                        _join(w, indptr, indices, state)


@kernel(by="single")
def _join_free(first, beyond, indptr, indices, state):
    """Put free vertices into the set, in the order of their numbers."""
    for v in range(first, beyond):
        if state[at(v)] == 0:
            _join(v, indptr, indices, state)


@kernel(by="workers")
def _sweep(worker, workers, window, windows, cut, heat, key, indptr, indices, state):
    """Force some vertices in, then move in all with at most one neighbour in the set, window by window.

    `window` and `windows` are powers of two. The first window begins `offset` vertices before vertex 0, and the last
    ones may lie beyond all vertices. `heat` is the share of vertices to force in, times 2**32.
    """
    n = state.size
    offset = hash32(key) & (window - 1)
    shuffle = hash32(key + 1)
    for i in range(worker, windows, workers):
        place = (i * (shuffle | 1) + (shuffle >> 16)) & (windows - 1)
        first = max(place * window - offset, 0)
        count = min((place + 1) * window - offset, n) - first
        low, high = (first, first + count) if cut else (0, n)
        random = hash32(key ^ hash32(place))
        if count > 0:
            for j in range((count * heat + random) >> 32):
                v = first + ((hash32(random + j) * count) >> 32)
                if state[at(v)] == 2:
                    _move_in(v, low, high, indptr, indices, state)
        step = random | 1
        for j in range(window if count > 0 else 0):
            p = (j * step + (random >> 16)) & (window - 1)
            if p < count:
                v = first + p
                if 0 <= state[at(v)] <= 1:
                    _move_in(v, low, high, indptr, indices, state)


class LocalSearch:
    """A search for larger independent sets, step by step.

    Parameters
    ----------
    indptr, indices : int32 or int64 arrays
        A graph in CSR form: symmetric, no loops, no duplicates.
    mask : array (n,)
        An independent set to start from, nonzero for its members.
    rounds : int
        The number of steps that the cooling is planned for. One may stop earlier, or go on, cold.
    seed : int

    Attributes
    ----------
    size : int
        The number of vertices of the largest set so far.
    """

    def __init__(self, indptr: Any, indices: Any, mask: Any, *, rounds: int, seed: int = 0) -> None:
        n = indptr.size - 1
        self.rounds, self.seed = rounds, seed
        self._round = self._sweeps = 0
        self._sweeps_per_round = min(max(round((_ONE_SWEEP / max(n, 1)) ** 1.5), 1), _MOST_SWEEPS)
        backwards = np.arange(n, dtype=indices.dtype)[::-1]
        for _ in range(2):  # the second time from where the first one ended: far away, so that levels are small
            number, order = _breadth_first(backwards, indptr, indices)
            backwards = order[::-1]
        self._number = number
        self._indptr, self._indices = _renumbered(indptr, indices, number, order)
        members = np.asarray(mask, bool)[order]
        self._state = self._tightness(members)
        self._window, self._cut = self._choose_windows()
        self._best = members
        self.size = 0
        self._keep_best()

    def _tightness(self, members: Any) -> Any:
        """The state in which just these are members."""
        counts = np.zeros(self._indices.size + 1, np.int32)
        np.cumsum(members[self._indices], out=counts[1:])
        state = counts[self._indptr[1:]] - counts[self._indptr[:-1]]
        state[members] = IN
        return state

    def _choose_windows(self) -> tuple[int, bool]:
        """How long a window is, and whether moves stop at its borders."""
        starts, ends = self._indptr[:-1], self._indptr[1:]
        rows = starts < ends
        reach = (self._indices[ends[rows] - 1] - self._indices[starts[rows]]).mean() if rows.any() else 0
        window = max(min(_WINDOW, _power_of_two(self._state.size)), _power_of_two(_REACHES * reach))
        return (window, True) if 2 * window <= self._state.size else (min(window, _WINDOW), False)

    def _keep_best(self) -> None:
        n = self._state.size
        for first in range(0, n, _STEP):
            _join_free(first, min(first + _STEP, n), self._indptr, self._indices, self._state)
        members = self._state == IN
        size = int(np.count_nonzero(members))
        if size > self.size:
            self.size, self._best = size, members

    @property
    def best(self) -> Any:
        """The largest set so far, a mask: bool (n,)."""
        return self._best[self._number]

    def step(self) -> None:
        """One round: some tens of milliseconds, or one sweep over a graph of more than a million vertices."""
        n = self._state.size
        windows = _power_of_two(n / self._window + 1)
        share = min(self._round / max(self.rounds - 1, 1), 1)
        heat = int(math.exp(-FIRST_COLDNESS - (LAST_COLDNESS - FIRST_COLDNESS) * share) * 2**32)
        for _ in range(self._sweeps_per_round):
            key = hash32(self._sweeps + hash32(self.seed))
            workers = windows if self._cut else 1
            _sweep(workers, self._window, windows, self._cut, heat, key, self._indptr, self._indices, self._state)
            self._sweeps += 1
        self._round += 1
        self._keep_best()


def _power_of_two(x: float) -> int:
    """The smallest one that is at least x."""
    return 1 << max(math.ceil(x) - 1, 0).bit_length()


def _breadth_first(seeds: Any, indptr: Any, indices: Any) -> tuple[Any, Any]:
    """Each vertex's number in breadth-first order, and the vertices in that order."""
    n = seeds.size
    number, order = np.full(n, -1, indices.dtype), np.empty(n, indices.dtype)
    progress = np.zeros(3, np.int64)
    for first in range(0, n, _STEP):
        _number_breadth_first(seeds, min(first + _STEP, n), indptr, indices, number, order, progress)
    return number, order


def _renumbered(indptr: Any, indices: Any, number: Any, order: Any) -> tuple[Any, Any]:
    """The graph with other numbers, rows sorted."""
    starts = np.zeros_like(indptr)
    np.cumsum(np.diff(indptr)[order], out=starts[1:])
    near, ends = np.empty_like(indices), starts[:-1].copy()
    for first in range(0, order.size, _STEP):
        _renumber(first, min(first + _STEP, order.size), indptr, indices, number, order, ends, near)
    return starts, near
