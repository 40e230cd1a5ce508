"""Steps of the Jones-Plassmann coloring with shortcuts, the parallel algorithm of ECL-GC, with unlimited processors.

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

A pass reads the states of the previous pass: passes are the steps of unlimited processors. The first uncolored vertex
of the order can always be colored, so the passes terminate. Colors are only ever removed, so an outdated state of a
neighbor costs time but is never wrong; jones_plassmann.cu uses this and has no passes. Only `coloring_steps` uses this
file: on the CPU, first_fit.py colors faster.

In this file vertices are numbered by their ranks in the order, so each vertex depends on smaller numbers. State, one
number per vertex::

    negative         colored, with color ~state
    below 2**32      fewer than 32 dependences at the start: the palette, color 0 at bit 31
    from 2**32 on    more: highest color << 32 | lowest color, and the palette as words of rules.py

Cost: a pass over the entries, then a few accesses for each dependence, and a copy of all states per pass. Work memory:
4 bytes per edge (8 with 64-bit ids), about 30 per vertex.

Source: G. Alabandi, E. Powers, M. Burtscher, "Increasing the Parallelism of Graph Coloring via Shortcutting", PPoPP
2020.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int64s, Rows, UInt64s, Vertices, kernel, leading_zeros, rule
from .._core.runtime.primitives import compact, exclusive_scan
from ..coloring.rules import FULL, WORD, bit_of, lowest_of
from ..graph import Graph

_SMALL = 32  # colors of a palette that is stored in the state
_LOW = 0xFFFFFFFF


class Dependences(NamedTuple):
    """The neighbors that each vertex depends on: ``neighbors[offsets[v]:offsets[v] + counts[v]]``."""

    offsets: Int64s  # (n + 1,)
    neighbors: Vertices
    counts: Vertices  # (n,)


class Palettes(NamedTuple):
    """The palettes of the vertices with `_SMALL` dependences or more at the start."""

    offsets: Int64s  # (n + 1,): the position of each vertex's first word
    words: UInt64s


@rule
def _colors_between(lowest, highest):
    """Return the palette of all colors from `lowest` to `highest`, limited to the size of a palette."""
    if lowest >= _SMALL:
        return 0
    return (_LOW >> lowest) & ((_LOW << (_SMALL - 1 - min(highest, _SMALL - 1))) & _LOW)


@rule
def _strike_out(palette, colors):
    """Remove `colors` from a palette; if it has none of them, remove its highest color."""
    return palette & ~colors if palette & colors else palette & (palette - 1)


@rule
def _may_take(color, state):
    """Return whether a vertex in some state may take or has a color, judged by its lowest and highest color."""
    if state < 0:
        return color == ~state
    if state < 1 << 32:
        return leading_zeros(state) - 32 <= color <= leading_zeros(state & -state) - 32
    return state & _LOW <= color <= state >> 32


@kernel(by="edges")
def _count_dependences(v, rows: Rows, ranks: Vertices, counts: Vertices):
    """Count the neighbors ahead of a vertex."""
    rank, count = ranks[v], 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += ranks[rows.indices[e]] < rank
    counts[rank] = count


@kernel(by="edges")
def _start_palettes(v, rows: Rows, ranks: Vertices, dependences: Dependences, states: Int64s):
    """List the k neighbors ahead of a vertex, and set its initial palette 0 .. k, or color 0 without dependences."""
    rank = ranks[v]
    start = place = dependences.offsets[rank]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = ranks[rows.indices[e]]
        if u < rank:
            dependences.neighbors[place] = u
            place += 1
    count = place - start
    if count == 0:
        states[rank] = ~0
    else:
        states[rank] = _colors_between(0, count) if count < _SMALL else count << 32


@rule
def _next_small(v, shortcuts, dependences, seen, states):
    """Compute the next state of a vertex with a small palette, from the states `seen` of its neighbors."""
    offsets, neighbors, counts = dependences
    palette, palettes_around = states[v], 0
    start = end = offsets[v]
    for i in range(start, start + counts[v]):
        u = neighbors[i]
        other = seen[u]
        if other < 0:
            palette = _strike_out(palette, _colors_between(~other, ~other))
            continue
        if other >= 1 << 32:
            other = _colors_between(other & _LOW, other >> 32)
        if shortcuts and palette & other == 0:  # shortcut 2
            palette &= palette - 1
            continue
        palettes_around |= other
        neighbors[end] = u
        end += 1
    counts[v] = end - start
    lowest = leading_zeros(palette) - 32
    if end == start or (shortcuts and palettes_around & ((1 << 31) >> lowest) == 0):  # shortcut 1
        return ~lowest
    return palette


@rule
def _next_large(v, shortcuts, dependences, palettes, seen, states):
    """Compute the next state of a vertex with a palette in words, from the states `seen` of its neighbors."""
    offsets, neighbors, counts = dependences
    # Remove the colors of colored neighbors; keep the other neighbors.
    highest = states[v] >> 32
    start = end = offsets[v]
    base = palettes.offsets[v]
    for i in range(start, start + counts[v]):
        u = neighbors[i]
        other = seen[u]
        if other >= 0:
            neighbors[end] = u
            end += 1
        elif ~other <= highest:
            palettes.words[base + (~other >> 6)] &= ~bit_of(~other & 63)
    counts[v] = end - start
    # Take the lowest remaining color if no neighbor may take it: shortcut 1.
    lowest = lowest_of(palettes.words, base)
    free = end == start or shortcuts
    i = start
    while free and i < end:
        free = not _may_take(lowest, seen[neighbors[i]])
        i += 1
    return ~lowest if free else highest << 32 | lowest


@kernel(types="int64[] bool int64[] int64[]")
def _run_step(i, uncolored, shortcuts, dependences: Dependences, palettes: Palettes, seen, states):
    """Compute the next state of the i-th uncolored vertex."""
    v = uncolored[i]
    if states[v] < 1 << 32:
        states[v] = _next_small(v, shortcuts, dependences, seen, states)
    else:
        states[v] = _next_large(v, shortcuts, dependences, palettes, seen, states)


def color_in_steps(graph: Graph, vertices: Any, shortcuts: bool) -> tuple[Any, int]:
    """Return the colors for an order of all vertices, and the number of passes; initial palettes are not counted."""
    xp, n, id_type = graph.xp, graph.num_vertices, graph.indices.dtype
    ranks, counts, rows = xp.empty(n, id_type), xp.empty(n, id_type), Rows(graph.indptr, graph.indices)
    ranks[vertices] = xp.arange(n, dtype=id_type)
    _count_dependences(n, rows, ranks, counts)
    offsets = exclusive_scan(counts)
    dependences = Dependences(offsets, xp.empty(int(offsets[-1]), id_type), counts)
    words = exclusive_scan(xp.where(counts < _SMALL, 0, counts // WORD + 1))
    palettes = Palettes(words, xp.full(int(words[-1]), FULL))
    states, colors = xp.empty(n, np.int64), xp.empty(n, np.int32)
    _start_palettes(n, rows, ranks, dependences, states)
    uncolored, passes = compact(states >= 0), 0
    while uncolored.size:
        _run_step(int(uncolored.size), uncolored, shortcuts, dependences, palettes, states.copy(), states)
        uncolored = uncolored[states[uncolored] >= 0]
        passes += 1
    colors[vertices] = ~states
    return colors, passes
