"""Kempe chains: swap two colors on one side of a vertex, so that one of them becomes free for it.

Result: a proper coloring in which vertices of the highest color have another color if one was found; no other vertex
gets the highest color.

Rule: for a vertex v of the highest color and two other colors a < b, the chain is the set of vertices that can be
reached from v's neighbors of color a through vertices of the colors a and b, and

    v takes a  <=>  (a, b) is the first pair whose chain has no neighbor of v of color b, and is not too long

Then the two colors are swapped in the chain, so that a is free for v. In the code: `_follow` collects the chain,
`swap_chains` tries the pairs.

Idea: a useless chain is charged with the maximum length, independent of when the search stopped, so that the cost does
not depend on the row order. If neighbors of v of the two colors are adjacent, as in a clique, the chain is useless. One
pass over the rows of the neighbors of color a finds this for all b.

State: ``near[u]`` is whether u is a neighbor of v, ``blocked[b]`` the first chain of the last (v, a) for which b is
useless. The vertices of a chain are in a list and in a hash table, whose entries are stamped with the number of the
chain, so that it is never cleared and stays in the cache.

Cost: the edges of the allowed number of vertices in chains, the edges of the neighbors of the vertices of the highest
color, and the squared number of colors for each of these vertices; one thread. Work memory: 1 byte per vertex, and some
hundred bytes for each vertex of the longest chain.

Source: A. B. Kempe, "On the Geographical Problem of the Four Colours", American Journal of Mathematics 2(3), 1879.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Bytes, Int64s, Rows, kernel, prefetch, rule
from ..._core.runtime.arrays import largest
from ..._core.runtime.partitioning import ITEMS_PER_CALL
from ..._core.runtime.primitives import compact
from ...graph import Graph

_ODD = 0x9E3779B1  # spreads the vertices over the table
_DISTANCE = 8  # vertices of a chain that are prefetched


class Chains(NamedTuple):
    """The neighbors of v, and the current chain; stamps are never cleared."""

    near: Bytes  # (n,): 1 for the neighbors of the current vertex of the highest color
    blocked: Int64s  # (colors,): the first chain of the last pair (v, a) for which this color is useless
    vertices: Int64s  # the vertices of the chain
    table: Int64s  # the vertices of the chain, by hash
    stamps: Int64s  # the last chain that used a place in the table


@rule
def _append(u, length, mark, chains):
    """Append u to a chain unless it contains u; return the length of the chain."""
    place = (u * _ODD >> 16) & (chains.table.size - 1)
    while chains.stamps[place] == mark and chains.table[place] != u:
        place = (place + 1) & (chains.table.size - 1)
    if chains.stamps[place] != mark:
        chains.stamps[place], chains.table[place], chains.vertices[length] = mark, u, u
        length += 1
    return length


@rule
def _follow(v, a, b, mark, longest, rows, chains, colors):
    """Collect the chain around v's neighbors of color a; return its length, or -1 if it is useless."""
    indptr, indices = rows
    length = 0
    for e in range(indptr[v], indptr[v + 1]):
        if colors[indices[e]] == a:
            length = _append(indices[e], length, mark, chains)
    most = max(length, longest)
    done = 0
    while done < length:
        prefetch(indptr, chains.vertices[min(done + _DISTANCE, length - 1)])
        prefetch(indices, indptr[chains.vertices[min(done + _DISTANCE // 2, length - 1)]])
        w = chains.vertices[done]
        done += 1
        other_color = a + b - colors[w]
        for e in range(indptr[w], indptr[w + 1]):
            u = indices[e]
            if colors[u] == other_color:
                length = _append(u, length, mark, chains)
                if length > most or (other_color == b and chains.near[u]):
                    return -1
    return length


@rule
def _find_blocked(v, a, stamp, rows, chains, colors):
    """Stamp the colors b for which neighbors of v of the colors a and b are adjacent, and so in the same chain."""
    indptr, indices = rows
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        if colors[u] == a:
            for f in range(indptr[u], indptr[u + 1]):
                w = indices[f]
                if chains.near[w]:
                    chains.blocked[colors[w]] = stamp


@rule
def _set_near(v, value, rows, chains):
    """Set the marks of v's neighbors."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        chains.near[rows.indices[e]] = value


@kernel(by="single", types="int int int int64[] int64[] int32[]")
def swap_chains(limit, longest, highest, top, rows: Rows, chains: Chains, progress, colors):
    """Process the next vertices of `top`; `progress` counts the vertices, chains, and vertices in chains."""
    i, mark, work = progress[0], progress[1], progress[2]
    while i < top.size and work < limit:
        v = top[i]
        _set_near(v, 1, rows, chains)
        # Try all pairs of colors in order, until one succeeds.
        a, succeeds = 0, False
        while a < highest - 1 and not succeeds:
            stamp = mark + 1
            _find_blocked(v, a, stamp, rows, chains, colors)
            b = a + 1
            while b < highest and not succeeds:
                mark += 1
                length = -1
                if chains.blocked[b] != stamp:
                    length = _follow(v, a, b, mark, longest, rows, chains, colors)
                succeeds = length >= 0
                work += length + 1 if succeeds else longest
                if succeeds:  # swap the colors of the chain, so that a is free for v
                    for j in range(length):
                        w = chains.vertices[j]
                        colors[w] = a + b - colors[w]
                    colors[v] = a
                b += 1
            a += 1
        _set_near(v, 0, rows, chains)
        i += 1
    progress[0], progress[1], progress[2] = i, mark, work


def free_highest(graph: Graph, colors: Any, longest: int, work: int) -> Any:
    """Swap chains of at most `longest` vertices around vertices of the highest color, in total `work`; in place."""
    n, highest = graph.num_vertices, largest(colors, -1)
    top = compact(colors == highest)
    rows, blocked = Rows(graph.indptr, graph.indices), np.zeros(highest + 1, np.int64)
    size = longest + 2 + largest(rows.indptr[top + 1] - rows.indptr[top], 0)
    table = np.zeros(1 << (2 * size).bit_length(), np.int64)
    chains = Chains(np.zeros(n, np.uint8), blocked, np.empty(size, np.int64), table, np.zeros_like(table))
    progress = np.zeros(3, np.int64)
    while progress[0] < top.size and progress[2] < work:
        limit = min(int(progress[2]) + ITEMS_PER_CALL, work)
        swap_chains(limit, longest, highest, top, rows, chains, progress, colors)
    return colors
