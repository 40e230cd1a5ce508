"""Balanced coloring: move vertices from large color classes to small ones.

Result: a proper coloring with the same number of colors. For the level n / K, rounded up or down, no vertex of a class
above the level could move to a class below it. The result depends only on the graph and the coloring.

Rule: each round draws a target by a hash for every vertex of a class above the level (`draw_target`). The target is one
of the classes below the level that contain no neighbor of the vertex. Of adjacent vertices with the same target, the
one with the larger hash (then the larger id) keeps it (`resolve_conflict`). The remaining vertices move in the order of
their hashes. A class loses at most its surplus above the level, and gains at most its deficit.

Idea: a round reads the colors as they were before the round, so its outcome is a function of these colors. A set of 62
classes fits in a register; if there are more classes, the rounds process them in groups of 62. The algorithm ends when
each group had a round without a move. Every move brings the sizes closer to the level, so the algorithm terminates.

Cost: each round reads the edges of all vertices in classes above the level; 2 to 20 rounds. Work memory: 8 to 12 bytes
per vertex, and about 50 for each vertex with a target.

Source of the problem, and other solutions: H. Lu, M. Halappanavar, D. Chavarría-Miranda, A. H. Gebremedhin, A. Panyala,
A. Kalyanaraman, "Algorithms for Balanced Graph Colorings with Applications in Parallel Computing", IEEE Transactions on
Parallel and Distributed Systems 28(5), 2017.
"""

from __future__ import annotations

from typing import Any

from ..._core.runtime import Int32s, Int64s, Rows, array_module, device_of, hash32, kernel
from ..._core.runtime.primitives import compact, histogram, sort_by_key
from ...graph import Graph

_WINDOW = 62  # target classes per round: bits in a signed word
_NO_TARGET = -1


@kernel(by="edges", types="int32[] int64[] int32[] int int int32[]")
def draw_target(v, rows: Rows, colors, surplus, position, width, draw, targets):
    """Draw one of `width` classes for a vertex that may leave its class; position[c]: index of color c among them."""
    choice = _NO_TARGET
    if surplus[colors[v]] > 0:
        free = (1 << width) - 1
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            taken = position[colors[rows.indices[e]]]
            if taken >= 0:
                free &= ~(1 << taken)
        if free:
            choice = hash32(v + draw) % width
            while not (free >> choice) & 1:
                choice = choice + 1 if choice + 1 < width else 0
    targets[v] = choice


@kernel
def resolve_conflict(i, movers: Int64s, rows: Rows, draw: int, targets: Int32s, draws: Int64s):
    """Write the hash of a vertex, or -1 if a neighbor with the same target is ahead of it."""
    v = movers[i]
    draw_of_v = hash32(v + draw)
    result = draw_of_v
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if targets[u] == targets[v]:
            draw_of_u = hash32(u + draw)
            if draw_of_u > draw_of_v or (draw_of_u == draw_of_v and u > v):
                result = -1
    draws[i] = result


def is_even(colors: Any) -> bool:
    """Return whether class sizes differ by at most one, so that no move can improve them."""
    sizes = histogram(colors, int(colors.max()) + 1) if colors.size else colors
    return bool(sizes.size == 0 or int(sizes.max()) - int(sizes.min()) <= 1)


def even_out(graph: Graph, colors: Any) -> Any:
    """Return the coloring (int32, proper, no color empty) with more equal class sizes."""
    colors = colors.copy()
    n = graph.num_vertices
    count = int(colors.max()) + 1 if n else 1
    number, moved = 0, count > 1
    while moved:
        moved = False
        for level in (-(-n // count), n // count):
            for first in range(0, count, _WINDOW):
                number += 1
                moved |= _round(graph, colors, count, level, first, hash32(number))
    return colors


def _round(graph: Graph, colors: Any, count: int, level: int, first: int, draw: int) -> bool:
    """Move vertices to the classes below the level, of these from the `first` on; return whether a vertex moved."""
    xp = graph.xp
    n, rows = graph.num_vertices, Rows(graph.indptr, graph.indices)
    sizes = histogram(colors, count)
    surplus = (sizes - level).clip(0)
    small = xp.flatnonzero(sizes < level)[first : first + _WINDOW].astype(xp.int32)
    if small.size == 0 or not bool(surplus.any()):
        return False
    position = xp.full(count, -1, xp.int32)
    position[small] = xp.arange(small.size)
    targets = xp.empty(n, xp.int32)
    draw_target(n, rows, colors, surplus, position, int(small.size), draw, targets)
    movers = compact(targets != _NO_TARGET)
    draws = xp.empty(movers.size, xp.int64)
    resolve_conflict(int(movers.size), movers, rows, draw, targets, draws)
    ahead = draws >= 0
    movers = movers[ahead][sort_by_key(draws[ahead])]
    movers = movers[_first_of_each(colors[movers], surplus)]
    new_colors = small[targets[movers]]
    chosen = _first_of_each(new_colors, level - sizes)
    colors[movers[chosen]] = new_colors[chosen]
    return bool(chosen.any())


def _first_of_each(groups: Any, maximum: Any) -> Any:
    """Return for each element whether it is among the first ``most[g]`` elements of its group g."""
    order = sort_by_key(groups)
    sizes = histogram(groups, int(maximum.size))
    rank = array_module(device_of(groups)).empty(groups.size, "int64")
    rank[order] = array_module(device_of(groups)).arange(groups.size) - (sizes.cumsum() - sizes)[groups[order]]
    return rank < maximum[groups]
