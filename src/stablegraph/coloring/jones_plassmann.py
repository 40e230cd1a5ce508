"""Jones-Plassmann coloring with shortcuts: the parallel algorithm of ECL-GC.

Result: the first-fit coloring in the given order. It depends only on the graph and the order, not on the schedule.

Rule: color(v) = min({0, 1, 2, ...} - {color(u) : u adjacent to v and ahead of it}). The oracles are `first_fit` and
`coloring_steps` in tests/support/naive.py.

In the code: `_next_small`, where it returns ``~lowest`` (`_next_large` for long palettes).

Idea: a vertex depends on its neighbors ahead in the order. With k of them it needs at most k + 1 colors, so its initial
palette has the first k + 1 colors. Passes then process all uncolored vertices. When a neighbor is colored, its color is
removed from the palette, and the dependence ends. If the palette does not have this color, its highest color is removed
instead: with one neighbor less, one color less is needed. A vertex without dependences takes the lowest color of its
palette. Two shortcuts end dependences early and never change a color:

1. the lowest color of a vertex is in no palette of the vertices it depends on: it takes that color at once;
2. two palettes are disjoint: the dependence ends, and the highest color is removed.

Colors are only ever removed, so an outdated state of a neighbor costs time but is never wrong. Within one pass the
workers may therefore run in any order, or one after another. The first uncolored vertex of the order can always be
colored, so the passes terminate. `steps` counts passes that read the states of the previous pass: these are the steps
of unlimited processors.

In this file vertices are numbered by their ranks in the order, so each vertex depends on smaller numbers. State, one
number per vertex::

    negative         colored, with color ~state
    below 2**32      fewer than 32 dependences at the start: the palette, color 0 at bit 31
    from 2**32 on    more: highest color << 32 | lowest color, and the palette as words of color_sets.py

Cost: a pass over the entries, then a few accesses for each dependence. Work memory: 4 bytes per edge (8 with 64-bit
ids), about 30 per vertex.

Source: G. Alabandi, E. Powers, M. Burtscher, "Increasing the Parallelism of Graph Coloring via Shortcutting", PPoPP
2020.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import kernel, leading_zeros, rule, worker_count
from .._core.runtime.device import array_module
from .._core.runtime.primitives import exclusive_scan, histogram, sort_by_key
from .._core.runtime.structs import Rows
from ..graph import Graph
from .color_sets import FULL, WORD, bit_of, lowest_of

_SMALL = 32  # colors of a palette that is stored in the state
_LOW = 0xFFFFFFFF
_RUN = 64  # consecutive vertices of the order whose states one CPU worker writes: a few cache lines
_LINE = 8  # distance between the counters of two workers, in int64: a cache line each


class Dependences(NamedTuple):
    """The neighbors that each vertex depends on: ``neighbors[offsets[v]:offsets[v] + counts[v]]``."""

    offsets: Any  # (n + 1,)
    neighbors: Any  # only the worker that owns v changes v's part
    counts: Any  # (n,)


class Palettes(NamedTuple):
    """The palettes of the vertices with `_SMALL` dependences or more at the start."""

    offsets: Any  # (n + 1,): the position of each vertex's first word
    words: Any


class Worklists(NamedTuple):
    """The uncolored vertices, with one list per worker."""

    offsets: Any  # (workers + 1,): the beginning of each list
    lengths: Any  # (8 * workers,): a cache line for each worker
    vertices: Any


@rule
def _colors_between(lowest, highest):
    """Return the palette of all colors from `lowest` to `highest`, limited to the size of a palette."""
    if lowest >= _SMALL:
        return 0
    return (_LOW >> lowest) & ((_LOW << (_SMALL - 1 - min(highest, _SMALL - 1))) & _LOW)


@rule
def _strike_out(mine, others):
    """Remove `others` from a palette; if it has none of them, remove its highest color."""
    return mine & ~others if mine & others else mine & (mine - 1)


@rule
def _may_take(color, state):
    """Return whether a vertex in some state may take or has a color, judged by its lowest and highest color."""
    if state < 0:
        return color == ~state
    if state < 1 << 32:
        return leading_zeros(state) - 32 <= color <= leading_zeros(state & -state) - 32
    return state & _LOW <= color <= state >> 32


@kernel(by="edges", types="O[] V[] V[] V[]")
def _count_dependences(v, rows: Rows, ranks, counts):
    """Count the neighbors ahead of a vertex."""
    rank, count = ranks[v], 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += ranks[rows.indices[e]] < rank
    counts[rank] = count


@kernel(by="edges", types="O[] V[] V[] int64[] V[] V[] int64[]")
def _list_dependences(v, rows: Rows, ranks, dependences: Dependences, states):
    """List the neighbors ahead of an uncolored vertex."""
    rank = ranks[v]
    if states[rank] >= 0:
        place = dependences.offsets[rank]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = ranks[rows.indices[e]]
            if u < rank:
                dependences.neighbors[place] = u
                place += 1


@kernel(types="V[] int64[]")
def _first_palette(v, counts, states):
    """Set the initial palette 0 .. k of an uncolored vertex with k dependences."""
    count = counts[v]
    if states[v] >= 0:
        if count == 0:
            states[v] = ~0
        else:
            states[v] = _colors_between(0, count) if count < _SMALL else count << 32


@rule
def _next_small(v, shortcuts, dependences, seen, states):
    """Compute the next state of a vertex with a small palette, from the states `seen` of its neighbors."""
    offsets, neighbors, counts = dependences
    mine, theirs = states[v], 0
    start = kept = offsets[v]
    for i in range(start, start + counts[v]):
        u = neighbors[i]
        other = seen[u]
        if other < 0:
            mine = _strike_out(mine, _colors_between(~other, ~other))
            continue
        if other >= 1 << 32:
            other = _colors_between(other & _LOW, other >> 32)
        if shortcuts and mine & other == 0:  # shortcut 2
            mine &= mine - 1
            continue
        theirs |= other
        neighbors[kept] = u
        kept += 1
    counts[v] = kept - start
    lowest = leading_zeros(mine) - 32
    if kept == start or (shortcuts and theirs & ((1 << 31) >> lowest) == 0):  # shortcut 1
        return ~lowest
    return mine


@rule
def _next_large(v, shortcuts, dependences, palettes, seen, states):
    """Compute the next state of a vertex with a palette in words, from the states `seen` of its neighbors."""
    offsets, neighbors, counts = dependences
    # Remove the colors of colored neighbors; keep the other neighbors.
    highest = states[v] >> 32
    start = kept = offsets[v]
    base = palettes.offsets[v]
    for i in range(start, start + counts[v]):
        u = neighbors[i]
        other = seen[u]
        if other >= 0:
            neighbors[kept] = u
            kept += 1
        elif ~other <= highest:
            palettes.words[base + (~other >> 6)] &= ~bit_of(~other & 63)
    counts[v] = kept - start
    # Take the lowest remaining color if no neighbor may take it: shortcut 1.
    lowest = lowest_of(palettes.words, base)
    free = kept == start or shortcuts
    i = start
    while free and i < kept:
        free = not _may_take(lowest, seen[neighbors[i]])
        i += 1
    return ~lowest if free else highest << 32 | lowest


@kernel(by="workers", types="bool int64[] int64[] V[] int64[] V[] V[] int64[] uint64[] int64[] int64[]")
def _pass(worker, workers, shortcuts, worklists: Worklists, dependences: Dependences, palettes: Palettes, seen, states):
    """Compute new states for the vertices of a worker's list, and keep the uncolored ones in the list."""
    vertices = worklists.vertices
    start = kept = worklists.offsets[worker]
    for i in range(start, start + worklists.lengths[worker * _LINE]):
        v = vertices[i]
        if states[v] < 1 << 32:
            state = _next_small(v, shortcuts, dependences, seen, states)
        else:
            state = _next_large(v, shortcuts, dependences, palettes, seen, states)
        states[v] = state
        vertices[kept] = v
        kept += state >= 0
    worklists.lengths[worker * _LINE] = kept - start


class Uncolored:
    """The uncolored vertices and their dependences.

    `vertices` are all vertices in their order; the first `settled` of them have their colors in `colors`.
    """

    def __init__(self, graph: Graph, vertices: Any, settled: int, colors: Any, shortcuts: bool) -> None:
        xp, n, id_type = graph.xp, graph.num_vertices, graph.indices.dtype
        ranks = xp.empty(n, id_type)
        ranks[vertices] = xp.arange(n, dtype=id_type)
        rows, counts = Rows(graph.indptr, graph.indices), xp.empty(n, id_type)
        _count_dependences(n, rows, ranks, counts)
        offsets = exclusive_scan(counts)
        self._dependences = Dependences(offsets, xp.empty(int(offsets[-1]), id_type), counts)
        words = exclusive_scan(xp.where(counts < _SMALL, 0, counts // WORD + 1))
        self._palettes = Palettes(words, xp.full(int(words[-1]), FULL))
        self.states = xp.zeros(n, np.int64)
        self.states[:settled] = ~colors[vertices[:settled]].astype(np.int64)
        _list_dependences(n, rows, ranks, self._dependences, self.states)
        _first_palette(n, counts, self.states)
        self._shortcuts = shortcuts
        self._make_worklists(xp.flatnonzero(self.states >= 0).astype(id_type), graph.device)

    def _make_worklists(self, uncolored: Any, device: str) -> None:
        """Deal runs of the order to the workers in turn, so that all workers advance through it together."""
        self._workers = worker_count(device, int(uncolored.size))
        xp = array_module(device)
        owners = xp.arange(uncolored.size) // (_RUN if device == "cpu" else 1) % self._workers
        sizes = histogram(owners, self._workers)
        lengths = xp.zeros(self._workers * _LINE, np.int64)
        lengths[::_LINE] = sizes
        self._worklists = Worklists(exclusive_scan(sizes), lengths, uncolored[sort_by_key(owners)])

    def run_pass(self, seen: Any) -> None:
        """Run one pass that reads the states in `seen`."""
        _pass(self._workers, self._shortcuts, self._worklists, self._dependences, self._palettes, seen, self.states)

    @property
    def count(self) -> int:
        """Return the number of uncolored vertices."""
        return int(self._worklists.lengths.sum())


def visit_in_parallel(graph: Graph, vertices: Any, settled: int, colors: Any, shortcuts: bool = True) -> None:
    """Color all vertices except the first `settled` in parallel, with the colors of serial first fit."""
    uncolored = Uncolored(graph, vertices, settled, colors, shortcuts)
    while uncolored.count:
        uncolored.run_pass(uncolored.states)
    colors[vertices] = ~uncolored.states


def steps(graph: Graph, vertices: Any, shortcuts: bool) -> int:
    """Count the passes on frozen states until all vertices are colored; the initial palettes are not counted."""
    uncolored = Uncolored(graph, vertices, 0, vertices, shortcuts)
    passes = 0
    while uncolored.count:
        uncolored.run_pass(uncolored.states.copy())
        passes += 1
    return passes
