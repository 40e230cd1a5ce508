"""Local search for large independent sets: annealing by swaps, in sweeps over windows of vertices.

Result: from any independent set one at least as large, maximal, and better the more rounds there are: after some
hundred sweeps within a percent of the best sets known, on graphs with millions of vertices.

Rule: in a sweep, first a few vertices with two neighbors in the set, drawn by hashes, move in; then every vertex with
at most one does. Where v moves in, its neighbors in the set leave, and neighbors of these that are free then join. The
few are a share exp(-coldness) of all vertices. In the code: `_sweep_window` chooses, `_move_in` moves.

Idea: a vertex outside the set that has one neighbor in it may take that neighbor's place. The set stays as large
(a *plateau*), but other neighbors of the one that left may be free now and join: then that was a (1, 2)-swap, the
move of ARW, found by trying instead of by searching. That alone soon stops gaining; so the few are forced in, at the
price of one member each, which later swaps win back, with luck and interest. The coldness rises from round to round:
simulated annealing, in which equal sizes always pass. Nothing is queued, compared or undone, so a core does three to
five million moves a second on graphs of a million vertices.

A move touches the neighbors' neighbors. So vertices should be numbered such that these are near, and a sweep goes
through *windows* of consecutive vertices. Within a window it jumps about: in order of the numbers, members would be
pushed ahead like snow before a plough, and equal orders in each sweep would swap the same two back and forth.

Components are searched side by side: each has windows and hashes of its own, drawn for its smallest vertex, and its
best set is kept whatever the others have. In a large component with rows that reach little further than
a window's fraction, no move in a sweep touches a vertex outside of its window. Then windows are independent of each
other, too, and their borders lie elsewhere in each sweep. So the answer does not depend on which worker handles what
when. Where there is no such locality (random graphs), one worker does all windows of a component, and moves may cross
borders.

State, one integer a vertex::

    -1         in the set
    t >= 0     outside, with t neighbors in the set (0: free)

Cost: in a sweep all vertices are visited, some 8 % move; every random choice is a hash of (seed, component,
sweep, place). Work memory: some 20 bytes a vertex and 50 a component; where there are several, also the entries once
more.

Sources: D. Andrade, M. Resende, R. Werneck, "Fast local search for the maximum independent set problem", Journal of
Heuristics 18, 2012 (ARW); M. Angelini, F. Ricci-Tersenghi, "Monte Carlo algorithms are very effective in finding the
largest independent set in sparse random graphs", Physical Review E 100, 2019.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ...components.union import components
from ...graph import Graph
from ...parallel import hash32, kernel, rule, worker_count
from ...parallel.groups import Rows
from ...parallel.primitives import sort_by_key
from . import locality
from .locality import power_of_two, renumbered, window_length

IN = -1
FIRST_COLDNESS, LAST_COLDNESS = 1.0, 11.0
_QUICK_ROUNDS = 32  # more than twice as many rounds begin with so many that cool down quickly: a good set is there soon
# Vertices: graphs as large have one sweep in a round, k times smaller ones k**2, larger ones a part,
_ONE_SWEEP = 1 << 19
_MOST_SWEEPS = 256  # but no more than this,
_MOST_READ = 1 << 25  # and no more than so many vertices and entries
_LONG = 64  # neighbors: a vertex with more moves less often in proportion, or large cliques would take all the time


class Pieces(NamedTuple):
    """The components, one after another, and the windows that each is swept in.

    The first window begins some vertices before the component, and the last ones may lie after it.
    """

    starts: Any  # (pieces + 1,): the first vertex of each
    roots: Any  # (pieces,): the smallest vertex, as the caller numbers them
    windows: Any  # (pieces,): how many windows make a sweep, a power of two
    lengths: Any  # (pieces,): of a window, in vertices, a power of two


class Tasks(NamedTuple):
    """What can be done side by side: some windows of a piece, one after another, counted from the first sweep on."""

    pieces: Any
    first: Any
    beyond: Any
    cut: Any  # whether moves stop at a window's borders, for all tasks alike


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


@rule
def _sweep_window(i, piece, cut, pieces, seed, heat, rows, state):
    """Force some vertices in, then move in all with at most one neighbor in the set, in a piece's i-th window.

    `heat` is the share of vertices to force in, times 2**32.
    """
    first, end = pieces.starts[piece], pieces.starts[piece + 1]
    windows, length = pieces.windows[piece], pieces.lengths[piece]
    # The window: windows are taken in a random order, and begin elsewhere in each sweep.
    key = hash32(i // windows + seed + hash32(pieces.roots[piece]))
    offset = hash32(key) & (length - 1)
    shuffle = hash32(key + 1)
    place = ((i & (windows - 1)) * (shuffle | 1) + (shuffle >> 16)) & (windows - 1)
    start = first + max(place * length - offset, 0)
    count = min(first + (place + 1) * length - offset, end) - start
    low, high = (start, start + count) if cut else (first, end)
    random = hash32(key ^ hash32(place))
    # Force some in that have two neighbors in the set.
    if count > 0:
        for j in range((count * heat + random) >> 32):
            v = start + ((hash32(random + j) * count) >> 32)
            if state[v] == 2:
                _move_in(v, low, high, rows, state)
    # Move in all that have at most one, in a random order: that of some power of two, which jumps over what is beyond.
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
    """Sweep the windows of the tasks, of which each worker takes some."""
    for k in range(worker, tasks.pieces.size, workers):
        for i in range(tasks.first[k], tasks.beyond[k]):
            _sweep_window(i, tasks.pieces[k], tasks.cut, pieces, seed, heat, rows, state)


@kernel(by="workers", types="int64[] int64[] O[] V[] int32[] int64[] bool[]")
def _keep_best(worker, workers, chosen, starts, rows: Rows, state, sizes, best):
    """Make the sets of some pieces maximal, in the order of their vertices, and remember those larger than before."""
    for k in range(worker, chosen.size, workers):
        piece = chosen[k]
        first, end = starts[piece], starts[piece + 1]
        size = 0
        for v in range(first, end):
            if state[v] == 0:
                _join(v, rows, state)
            size += int(state[v] == IN)
        if size > sizes[piece]:
            sizes[piece] = size
            for v in range(first, end):
                best[v] = state[v] == IN


@kernel(by="edges", types="O[] V[] bool[] int32[]")
def _count_members(v, rows: Rows, members, state):
    """The state of v when just these are members."""
    count = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += int(members[rows.indices[e]])
    state[v] = IN if members[v] else count


class LocalSearch:
    """A search for larger independent sets, step by step.

    Parameters
    ----------
    graph : Graph
        Undirected, without loops and repeated entries, rows sorted. The search is fast if neighbors have near numbers
        (see locality.py).
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

    def __init__(self, graph: Graph, mask: Any, *, rounds: int, seed: int = 0) -> None:
        n = graph.num_vertices
        self.rounds, self._seed, self._round = rounds, seed, 0
        self._rows, starts, self._order = _by_components(graph)
        windows, lengths, cut = _windows(self._rows, starts)
        self._pieces = Pieces(starts, self._order[starts[:-1]], windows, lengths)
        large_first = np.argsort(starts[:-1] - starts[1:], kind="stable")  # so that workers get equal shares
        self._cut, self._whole = np.flatnonzero(cut), large_first[~cut[large_first]]
        sweeps = min((_ONE_SWEEP / max(n, 1)) ** 2, _MOST_SWEEPS, _MOST_READ / (n + graph.num_entries + 1))
        pace = sweeps * windows
        self._pace = np.where(pace < 1, pace, np.floor(pace))  # windows of each piece in a round
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
        """Remember the sets of some pieces that are larger than before."""
        starts = self._pieces.starts
        workers = worker_count("cpu", int((starts[chosen + 1] - starts[chosen]).sum()))
        _keep_best(workers, chosen, starts, self._rows, self._state, self._sizes, self._best)

    def _coldness(self) -> float:
        """Rises from the first round to the last planned one, twice if there are many."""
        first, last = 0, self.rounds - 1
        if self.rounds > 2 * _QUICK_ROUNDS:
            first, last = (0, _QUICK_ROUNDS - 1) if self._round < _QUICK_ROUNDS else (_QUICK_ROUNDS, last)
        share = min((self._round - first) / max(last - first, 1), 1)
        return FIRST_COLDNESS + (LAST_COLDNESS - FIRST_COLDNESS) * share

    def step(self) -> None:
        """One round: some tens of milliseconds; many sweeps over a small graph, a part of one over a large one."""
        heat = int(math.exp(-self._coldness()) * 2**32)
        windows, begin, end = self._pieces.windows, self._done(self._round), self._done(self._round + 1)
        whole = self._whole
        work = int(((end - begin) * self._pieces.lengths)[whole].sum())
        self._sweep(worker_count("cpu", work), Tasks(whole, begin[whole], end[whole], False), heat)
        for tasks in _one_sweep_after_another(self._cut, windows[self._cut], begin[self._cut], end[self._cut]):
            self._sweep(tasks.pieces.size, tasks, heat)
        self._round += 1
        swept = (begin // windows < end // windows) | (self._round == self.rounds)
        self._keep_best(np.flatnonzero(swept))

    def _done(self, rounds: int) -> Any:
        """How many windows of each piece are swept in so many rounds."""
        return (self._pace * rounds).astype(np.int64)

    def _sweep(self, workers: int, tasks: Tasks, heat: int) -> None:
        _sweep(workers, tasks, self._pieces, self._seed, heat, self._rows, self._state)


def _by_components(graph: Graph) -> tuple[Rows, Any, Any]:
    """The rows with components one after another, where each starts, and the vertices in this order."""
    n, id_type = graph.num_vertices, graph.indices.dtype
    count, labels = components(graph)
    if count <= 1:
        return Rows(graph.indptr, graph.indices), np.array([0, n][: count + 1]), np.arange(n, dtype=id_type)
    order = sort_by_key(labels).astype(id_type)
    number = np.empty(n, id_type)
    number[order] = np.arange(n, dtype=id_type)
    starts = np.searchsorted(labels[order], np.arange(count + 1))
    return Rows(*renumbered(graph.indptr, graph.indices, number, order)), starts, order


def _windows(rows: Rows, starts: Any) -> tuple[Any, Any, Any]:
    """How many windows each component has, how long they are, and whether moves stop at their borders."""
    sizes = starts[1:] - starts[:-1]
    windows, lengths = np.full_like(sizes, 2), 1 << np.frexp(sizes - 1)[1].astype(np.int64)
    cut = np.zeros(sizes.size, bool)
    for piece in np.flatnonzero(sizes > locality.WINDOW):
        local = window_length(rows.indptr[starts[piece] : starts[piece + 1] + 1], rows.indices)
        cut[piece] = local > 0
        lengths[piece] = local or locality.WINDOW
        windows[piece] = power_of_two(int(sizes[piece]) / lengths[piece] + 1)
    return windows, lengths, cut


def _one_sweep_after_another(pieces: Any, windows: Any, begin: Any, end: Any) -> Iterator[Tasks]:
    """Windows of some pieces as tasks of their own: those of a piece that can be swept at once, together."""
    start = begin
    while (start < end).any():
        stop = np.minimum(end, (start // windows + 1) * windows)
        counts = stop - start
        first = np.repeat(stop - np.cumsum(counts), counts) + np.arange(counts.sum())
        yield Tasks(np.repeat(pieces, counts), first, first + 1, True)
        start = stop
