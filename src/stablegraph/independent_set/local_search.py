"""Local search for large independent sets: annealing by swaps, in sweeps over windows of vertices.

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

Memory: a move touches the neighbours' neighbours. So vertices should be numbered such that these are near, and a sweep
goes through *windows* of consecutive vertices. Within a window it jumps about: in order of the numbers, members would
be pushed ahead like snow before a plough, and equal orders in each sweep would swap the same two back and forth.

Parallelism: where rows reach little further than a window's fraction, nobody moves in a sweep who touches a vertex
outside of the own window. Then windows are independent of each other, and the answer does not depend on who handles
them when. Their borders lie elsewhere in each sweep. Where there is no such locality (random graphs), one worker does
all windows, and moves may cross borders.

Every random choice is a hash of (seed, sweep, place). Cost of a sweep: all vertices are looked at, some 8 % move.
Work memory: the entries with rows sorted, and 9 bytes a vertex; at the beginning also 5 bytes an entry.

Sources: D. Andrade, M. Resende, R. Werneck, "Fast local search for the maximum independent set problem", Journal of
Heuristics 18, 2012 (ARW); M. Angelini, F. Ricci-Tersenghi, "Monte Carlo algorithms are very effective in finding the
largest independent set in sparse random graphs", Physical Review E 100, 2019.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..parallel import at, hash32, in_steps, kernel, rule
from .locality import sorted_rows

IN = -1
FIRST_COLDNESS, LAST_COLDNESS = 1.0, 11.0
_QUICK_ROUNDS = 32  # more than twice as many rounds begin with so many that cool down quickly: a good set is there soon
_ONE_SWEEP = (
    1 << 19
)  # vertices: graphs as large have one sweep in a round, k times smaller ones k**2, larger ones a part,
_MOST_SWEEPS = 256  # but no more than this,
_MOST_READ = 1 << 25  # and no more than so many vertices and entries
_LONG = 64  # neighbours: whoever has more, moves less often in proportion, or large cliques would take all the time
_WINDOW = 1 << 14  # vertices at least
_REACHES = 16  # a window that nobody crosses is so many times as long as the rows' average reach


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
def _sweep(worker, workers, begin, end, window, windows, cut, heat, key, indptr, indices, state):
    """Force some vertices in, then move in all with at most one neighbour in the set, in the windows `begin` .. `end`.

    `window` and `windows` are powers of two. The first window begins `offset` vertices before vertex 0, and the last
    ones may lie beyond all vertices. `heat` is the share of vertices to force in, times 2**32.
    """
    n = state.size
    offset = hash32(key) & (window - 1)
    shuffle = hash32(key + 1)
    for i in range(begin + worker, end, workers):
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
                    length = int(indptr[at(v + 1)]) - int(indptr[at(v)])
                    if length <= _LONG or (hash32(random ^ v) * length) >> 32 < _LONG:
                        _move_in(v, low, high, indptr, indices, state)


class LocalSearch:
    """A search for larger independent sets, step by step.

    Parameters
    ----------
    indptr, indices : int32 or int64 arrays
        A graph in CSR form: symmetric, no loops, no duplicates, rows in any order. The search is fast if neighbours
        have near numbers (see locality.py).
    mask : array (n,)
        An independent set to start from, nonzero for its members.
    rounds : int
        The number of steps that the cooling is planned for. One may stop earlier, or go on, cold.
    seed : int

    Attributes
    ----------
    best : bool (n,)
        The largest set so far.
    size : int
        The number of its vertices.
    """

    def __init__(self, indptr: Any, indices: Any, mask: Any, *, rounds: int, seed: int = 0) -> None:
        n = indptr.size - 1
        self.rounds, self.seed = rounds, seed
        self._round = self._sweeps = self._windows_done = 0
        self._indptr, self._indices = indptr, sorted_rows(indptr, indices)
        members = np.asarray(mask, bool)
        self._state = self._tightness(members)
        self._window, self._cut = self._choose_windows()
        self._windows = _power_of_two(n / self._window + 1)
        sweeps = min((_ONE_SWEEP / max(n, 1)) ** 2, _MOST_SWEEPS, _MOST_READ / (n + indices.size + 1))
        self._windows_per_round = max(int(sweeps * self._windows), 1)
        self.best = members
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
        for first, beyond in in_steps(n):
            _join_free(first, beyond, self._indptr, self._indices, self._state)
        members = self._state == IN
        size = int(np.count_nonzero(members))
        if size > self.size:
            self.size, self.best = size, members

    def _coldness(self) -> float:
        first, last = 0, self.rounds - 1
        if self.rounds > 2 * _QUICK_ROUNDS:
            first, last = (0, _QUICK_ROUNDS - 1) if self._round < _QUICK_ROUNDS else (_QUICK_ROUNDS, last)
        share = min((self._round - first) / max(last - first, 1), 1)
        return FIRST_COLDNESS + (LAST_COLDNESS - FIRST_COLDNESS) * share

    def step(self) -> None:
        """One round: some tens of milliseconds; many sweeps over a small graph, a part of one over a large one."""
        windows = self._windows
        heat = int(math.exp(-self._coldness()) * 2**32)
        todo, swept = self._windows_per_round, False
        while todo:
            begin, end = self._windows_done, min(self._windows_done + todo, windows)
            workers = end - begin if self._cut else 1
            key = hash32(self._sweeps + self.seed)
            part = begin, end, self._window, windows, self._cut
            _sweep(workers, *part, heat, key, self._indptr, self._indices, self._state)
            todo -= end - begin
            self._windows_done = end % windows
            if end == windows:
                self._sweeps += 1
                swept = True
        self._round += 1
        if swept or self._round == self.rounds:
            self._keep_best()


def _power_of_two(x: float) -> int:
    """The smallest one that is at least x."""
    return 1 << max(math.ceil(x) - 1, 0).bit_length()
