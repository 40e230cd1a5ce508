"""Jones-Plassmann coloring with shortcuts: the parallel algorithm of ECL-GC.

Result: the first-fit coloring in the given order; it is a property of the graph and the order, not of the schedule.

Idea: a vertex waits for the neighbours ahead of it in the order. With k of them it needs at most k + 1 colors, so it
starts with the set of the first k + 1, and passes go through all that wait. Of a neighbour that has its color, that
color is struck out (or else the highest one: one neighbour less, one color less is needed), and it is waited for no
longer. Who waits for nobody takes the lowest color left. Two shortcuts end waits early and never change a color:

1. the lowest color of a vertex is in no set of those it waits for: it takes that color at once;
2. two sets have nothing in common: the wait ends, and the highest color is struck out.

Colors are only ever struck out, so an old view of a neighbour costs time, never truth, and within one pass the workers
may go in any order, or one after another. The first of those that wait can always decide, so passes come to an end.

Vertices are numbered by their places in the order here, so each waits for smaller numbers. State, one number each::

    negative         colored, with color ~state
    below 2**32      waiting for fewer than 32: the set of its colors, color 0 at bit 31
    from 2**32 on    waiting for more: highest color << 32 | lowest color, and the set as words of 64 bits in `sets`

`ahead` lists for each vertex whom it waits for; only its owner packs the list. Cost: a pass over the entries, then a
few looks at each wait. Work memory: 4 bytes for each edge (8 if ids take 64 bits), some 30 for each vertex.

`steps` counts passes in which all vertices see the states of the pass before: the steps of unlimited processors.

Source: G. Alabandi, E. Powers, M. Burtscher, "Increasing the Parallelism of Graph Coloring via Shortcutting", PPoPP
2020.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel, leading_zeros, rule, worker_count
from ..parallel.device import array_module
from ..parallel.primitives import exclusive_scan, histogram, sort_by_key

_SMALL = 32  # the colors of one set that is its own state
_LOW = 0xFFFFFFFF
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_FIRST = np.uint64(1 << 63)
_RUN = 64  # vertices next to each other in the order whose states one worker of the CPU writes: some cache lines
_LINE = 8  # counters of different workers lie this many int64 apart: a cache line each


@rule
def _colors_between(lowest, highest):
    """The set of all colors from `lowest` to `highest`, as far as it has room for them."""
    if lowest >= _SMALL:
        return 0
    return (_LOW >> lowest) & ((_LOW << (_SMALL - 1 - min(highest, _SMALL - 1))) & _LOW)


@rule
def _strike_out(mine, others):
    """A set without `others`, or if it has none of them without its highest color."""
    return mine & ~others if mine & others else mine & (mine - 1)


@rule
def _may_take(color, state):
    """Whether a vertex in some state may take or have a color, as far as its lowest and highest one tell."""
    if state < 0:
        return color == ~state
    if state < 1 << 32:
        return leading_zeros(state) - 32 <= color <= leading_zeros(state & -state) - 32
    return state & _LOW <= color <= state >> 32


@kernel(by="edges")
def _count_ahead(v, indptr, indices, ranks, counts):
    rank, count = ranks[at(v)], 0
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        count += ranks[at(indices[at(e)])] < rank
    counts[at(rank)] = count


@kernel(by="edges")
def _list_ahead(v, indptr, indices, ranks, ahead_ptr, ahead, states):
    rank = ranks[at(v)]
    if states[at(rank)] >= 0:
        place = int(ahead_ptr[at(rank)])
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = ranks[at(indices[at(e)])]
            if u < rank:
                ahead[at(place)] = u
                place += 1


@kernel
def _first_set(v, counts, states):
    """Who has no color yet may take as many as it waits for, and one more."""
    count = int(counts[at(v)])
    if states[at(v)] >= 0:
        if count == 0:
            states[at(v)] = ~0
        else:
            states[at(v)] = _colors_between(0, count) if count < _SMALL else count << 32


@rule
def _look_small(v, shortcuts, ahead_ptr, ahead, counts, seen, states):
    """One look of a vertex whose set is its state: the new state."""
    mine, theirs = int(states[at(v)]), 0
    first = kept = int(ahead_ptr[at(v)])
    for i in range(first, first + counts[at(v)]):
        u = ahead[at(i)]
        other = int(seen[at(u)])
        if other < 0:
            mine = _strike_out(mine, _colors_between(~other, ~other))
            continue
        if other >= 1 << 32:
            other = _colors_between(other & _LOW, other >> 32)
        if shortcuts and mine & other == 0:
            mine &= mine - 1
            continue
        theirs |= other
        ahead[at(kept)] = u
        kept += 1
    counts[at(v)] = kept - first
    lowest = leading_zeros(mine) - 32
    if kept == first or (shortcuts and theirs & ((1 << 31) >> lowest) == 0):
        return ~lowest
    return mine


@rule
def _look_large(v, shortcuts, ahead_ptr, ahead, counts, set_ptr, sets, seen, states):
    """One look of a vertex whose set has words of its own: the new state."""
    highest = int(states[at(v)]) >> 32
    first = kept = int(ahead_ptr[at(v)])
    base = int(set_ptr[at(v)])
    for i in range(first, first + counts[at(v)]):
        u = ahead[at(i)]
        other = int(seen[at(u)])
        if other >= 0:
            ahead[at(kept)] = u
            kept += 1
        elif ~other <= highest:
            word = base + (~other >> 6)
            sets[at(word)] &= ~(_FIRST >> np.uint64(~other & 63))
    counts[at(v)] = kept - first
    word = base
    while sets[at(word)] == 0:
        word += 1
    lowest = ((word - base) << 6) + leading_zeros(sets[at(word)])
    free = kept == first or shortcuts
    i = first
    while free and i < kept:
        free = not _may_take(lowest, int(seen[at(ahead[at(i)])]))
        i += 1
    return ~lowest if free else highest << 32 | lowest


@kernel(by="workers")
def _pass(worker, workers, shortcuts, bounds, lengths, waiting, ahead_ptr, ahead, counts, set_ptr, sets, seen, states):
    """Look at all that wait in a worker's list, and keep those there that go on waiting."""
    first = kept = int(bounds[worker])
    for i in range(first, first + lengths[worker * _LINE]):
        v = int(waiting[at(i)])
        if states[at(v)] < 1 << 32:
            state = _look_small(v, shortcuts, ahead_ptr, ahead, counts, seen, states)
        else:
            state = _look_large(v, shortcuts, ahead_ptr, ahead, counts, set_ptr, sets, seen, states)
        states[at(v)] = state
        waiting[at(kept)] = v
        kept += state >= 0
    lengths[worker * _LINE] = kept - first


class Waiting:
    """All vertices that wait for their colors, and whom they wait for.

    `vertices` are all in their order; the first `settled` have their colors in `colors`.
    """

    def __init__(self, graph: Graph, vertices: Any, settled: int, colors: Any, shortcuts: bool) -> None:
        xp, n, id_type = array_module(graph.device), graph.num_vertices, graph.indices.dtype
        ranks = xp.empty(n, id_type)
        ranks[vertices] = xp.arange(n, dtype=id_type)
        counts = xp.empty(n, id_type)
        _count_ahead(n, graph.indptr, graph.indices, ranks, counts)
        ahead_ptr = exclusive_scan(counts)
        ahead = xp.empty(int(ahead_ptr[-1]), id_type)
        set_ptr = exclusive_scan(xp.where(counts < _SMALL, 0, counts // 64 + 1))
        sets = xp.full(int(set_ptr[-1]), _ALL)
        self.states = xp.zeros(n, np.int64)
        self.states[:settled] = ~colors[vertices[:settled]].astype(np.int64)
        _list_ahead(n, graph.indptr, graph.indices, ranks, ahead_ptr, ahead, self.states)
        _first_set(n, counts, self.states)
        self._lists = ahead_ptr, ahead, counts, set_ptr, sets
        self._shortcuts = shortcuts
        self._deal(xp.flatnonzero(self.states >= 0).astype(id_type), graph.device)

    def _deal(self, waiting: Any, device: str) -> None:
        """Give every worker a list of its own: runs of the order in turn, so that all go through it side by side."""
        self._workers = worker_count(device, int(waiting.size))
        xp = array_module(device)
        owners = xp.arange(waiting.size) // (_RUN if device == "cpu" else 1) % self._workers
        self._waiting = waiting[sort_by_key(owners)]
        sizes = histogram(owners, self._workers)
        self._bounds = exclusive_scan(sizes)
        self._lengths = xp.zeros(self._workers * _LINE, np.int64)
        self._lengths[::_LINE] = sizes

    def look(self, seen: Any) -> int:
        """One pass on states as they stand in `seen`: how many still wait."""
        waits = self._bounds, self._lengths, self._waiting
        _pass(self._workers, self._shortcuts, *waits, *self._lists, seen, self.states)
        return self.left

    @property
    def left(self) -> int:
        return int(self._lengths.sum())


def visit_in_parallel(graph: Graph, vertices: Any, settled: int, colors: Any, shortcuts: bool = True) -> None:
    """Color all vertices but the first `settled` as if they came one after another, in parallel."""
    waiting = Waiting(graph, vertices, settled, colors, shortcuts)
    while waiting.left:
        waiting.look(waiting.states)
    colors[vertices] = ~waiting.states


def steps(graph: Graph, vertices: Any, shortcuts: bool) -> int:
    """The passes on frozen states until everybody has a color; the first sets are not counted."""
    waiting = Waiting(graph, vertices, 0, vertices, shortcuts)
    passes = 0
    while waiting.left:
        waiting.look(waiting.states.copy())
        passes += 1
    return passes
