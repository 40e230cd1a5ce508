"""Local search for large independent sets: annealing by swaps, in sweeps over windows of vertices.

Result: from any independent set one at least as large, maximal, and better the more rounds there are: after some
hundred sweeps within a percent of the best sets known, on graphs with millions of vertices.

Rule: in a sweep, first a few vertices with two neighbors in the set, drawn by hashes, move in; then every vertex with
at most one does. Where v moves in, its neighbors in the set leave, and neighbors of these that are free then join. The
few are a share exp(-coldness) of all vertices. In the code: `_sweep` chooses, `_move_in` moves.

Idea: a vertex outside the set that has one neighbor in it may take that neighbor's place. The set stays as large
(a *plateau*), but other neighbors of the one that left may be free now and join: then that was a (1, 2)-swap, the
move of ARW, found by trying instead of by searching. That alone soon stops gaining; so the few are forced in, at the
price of one member each, which later swaps win back, with luck and interest. The coldness rises from round to round:
simulated annealing, in which equal sizes always pass. Nothing is queued, compared or undone, so a core does three to
five million moves a second on graphs of a million vertices.

A move touches the neighbors' neighbors. So vertices should be numbered such that these are near, and a sweep goes
through *windows* of consecutive vertices. Within a window it jumps about: in order of the numbers, members would be
pushed ahead like snow before a plough, and equal orders in each sweep would swap the same two back and forth.

Where rows reach little further than a window's fraction, no move in a sweep touches a vertex outside of its window.
Then windows are independent of each other, and the answer does not depend on which worker handles them when. Their
borders lie elsewhere in each sweep. Where there is no such locality (random graphs), one worker does all windows, and
moves may cross borders.

State, one integer a vertex::

    -1         in the set
    t >= 0     outside, with t neighbors in the set (0: free)

Cost: in a sweep all vertices are visited, some 8 % move; every random choice is a hash of (seed, sweep, place). Work
memory: the entries with rows sorted, and 9 bytes a vertex; at the beginning also 5 bytes an entry.

Sources: D. Andrade, M. Resende, R. Werneck, "Fast local search for the maximum independent set problem", Journal of
Heuristics 18, 2012 (ARW); M. Angelini, F. Ricci-Tersenghi, "Monte Carlo algorithms are very effective in finding the
largest independent set in sparse random graphs", Physical Review E 100, 2019.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ...parallel import hash32, in_steps, kernel, rule
from ...parallel.groups import Rows
from .locality import sorted_rows

IN = -1
FIRST_COLDNESS, LAST_COLDNESS = 1.0, 11.0
_QUICK_ROUNDS = 32  # more than twice as many rounds begin with so many that cool down quickly: a good set is there soon
# Vertices: graphs as large have one sweep in a round, k times smaller ones k**2, larger ones a part,
_ONE_SWEEP = 1 << 19
_MOST_SWEEPS = 256  # but no more than this,
_MOST_READ = 1 << 25  # and no more than so many vertices and entries
_LONG = 64  # neighbors: a vertex with more moves less often in proportion, or large cliques would take all the time
_WINDOW = 1 << 14  # vertices at least
_REACHES = 16  # a window that no move crosses is so many times as long as the rows' average reach


class Windows(NamedTuple):
    """Which windows are swept, and how long they are; both numbers are powers of two.

    The first window begins some vertices before vertex 0, and the last ones may lie after all vertices.
    """

    start: Any  # of the range of windows to sweep
    end: Any
    count: Any  # of all windows
    length: Any  # of a window, in vertices
    cut: Any  # whether moves stop at a window's borders


@rule
def _touches_only(low, high, v, rows):
    """Are all neighbors of v among low .. high - 1? (Rows are sorted.)"""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    last = max(end, 1) - 1
    return (start == end) | ((rows.indices[min(start, last)] >= low) & (rows.indices[last] < high))


@rule
def _join(v, rows, state):
    """Put v, which is free, into the set."""
    state[v] = IN
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        state[rows.indices[e]] += 1


@rule
def _move_in(v, low, high, rows, state):
    """Put v into the set and its neighbors out of it, and what is free then, in; if all touched are allowed."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    allowed = _touches_only(low, high, v, rows)
    if allowed & (state[v] != 0):
        for e in range(start, end):
            u = rows.indices[e]
            if state[u] == IN:
                allowed &= _touches_only(low, high, u, rows)
    if not allowed:
        return
    leaving = state[v]
    _join(v, rows, state)
    for e in range(start, end if leaving else start):
        x = rows.indices[e]
        if state[x] == IN + 1:  # a member before v joined: others next to v have a neighbor in the set now
            state[x] = 1
            for f in range(rows.indptr[x], rows.indptr[x + 1]):
                w = rows.indices[f]
                if w != v:
                    left = state[w] - 1
                    state[w] = left
                    if left == 0 and _touches_only(low, high, w, rows):
                        _join(w, rows, state)


@kernel(by="single")
def _join_free(start, end, rows: Rows, state):
    """Put free vertices into the set, in the order of their numbers."""
    for v in range(start, end):
        if state[v] == 0:
            _join(v, rows, state)


@kernel(by="workers")
def _sweep(worker, workers, windows: Windows, heat, key, rows: Rows, state):
    """Force some vertices in, then move in all with at most one neighbor in the set, window after window.

    `heat` is the share of vertices to force in, times 2**32.
    """
    n, length = state.size, windows.length
    offset = hash32(key) & (length - 1)
    shuffle = hash32(key + 1)
    for i in range(windows.start + worker, windows.end, workers):
        # The window: windows are taken in a random order, and begin elsewhere in each sweep.
        place = (i * (shuffle | 1) + (shuffle >> 16)) & (windows.count - 1)
        start = max(place * length - offset, 0)
        count = min((place + 1) * length - offset, n) - start
        low, high = (start, start + count) if windows.cut else (0, n)
        random = hash32(key ^ hash32(place))
        # Force some in that have two neighbors in the set.
        if count > 0:
            for j in range((count * heat + random) >> 32):
                v = start + ((hash32(random + j) * count) >> 32)
                if state[v] == 2:
                    _move_in(v, low, high, rows, state)
        # Move in all that have at most one, in a random order.
        step = random | 1
        for j in range(length if count > 0 else 0):
            p = (j * step + (random >> 16)) & (length - 1)
            if p < count:
                v = start + p
                if 0 <= state[v] <= 1:
                    degree = rows.indptr[v + 1] - rows.indptr[v]
                    if degree <= _LONG or (hash32(random ^ v) * degree) >> 32 < _LONG:
                        _move_in(v, low, high, rows, state)


class LocalSearch:
    """A search for larger independent sets, step by step.

    Parameters
    ----------
    indptr, indices : int32 or int64 arrays
        A graph in CSR form: symmetric, no loops, no duplicates, rows in any order. The search is fast if neighbors
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
        self._rows = Rows(indptr, sorted_rows(indptr, indices))
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
        indptr, indices = self._rows
        counts = np.zeros(indices.size + 1, np.int32)
        np.cumsum(members[indices], out=counts[1:])
        state = counts[indptr[1:]] - counts[indptr[:-1]]
        state[members] = IN
        return state

    def _choose_windows(self) -> tuple[int, bool]:
        """How long a window is, and whether moves stop at its borders."""
        indptr, indices = self._rows
        starts, ends = indptr[:-1], indptr[1:]
        filled = starts < ends
        reach = (indices[ends[filled] - 1] - indices[starts[filled]]).mean() if filled.any() else 0
        window = max(min(_WINDOW, _power_of_two(self._state.size)), _power_of_two(_REACHES * reach))
        return (window, True) if 2 * window <= self._state.size else (min(window, _WINDOW), False)

    def _keep_best(self) -> None:
        """Make the set maximal, and remember it if it is the largest so far."""
        n = self._state.size
        for start, end in in_steps(n):
            _join_free(start, end, self._rows, self._state)
        members = self._state == IN
        size = int(np.count_nonzero(members))
        if size > self.size:
            self.size, self.best = size, members

    def _coldness(self) -> float:
        """Rises from the first round to the last planned one, twice if there are many."""
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
            start, end = self._windows_done, min(self._windows_done + todo, windows)
            workers = end - start if self._cut else 1
            key = hash32(self._sweeps + self.seed)
            part = Windows(start, end, windows, self._window, self._cut)
            _sweep(workers, part, heat, key, self._rows, self._state)
            todo -= end - start
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
