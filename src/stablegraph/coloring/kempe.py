"""Kempe's exchanges: swap two colors on one side of a vertex, so that one of them becomes free for it.

Result: a proper coloring in which vertices of the highest color have got another one where that was found; no other
vertex has got the highest color.

Idea: take a vertex v of the highest color and two other colors, a and b. What can be reached from v's neighbours of
color a through vertices of the colors a and b is a chain; if no neighbour of v of color b is in it, the two colors are
swapped there, and a is free for v. All pairs are tried in order, until one does it. A chain is given up when it gets
long.

A chain that is of no use counts as one of the greatest length, whenever that was found out, so the order in which rows
are stored does not matter. Where neighbors of v of the two colors are adjacent, as all are in a clique, the chain is of
no use: for all b at once this is found by one look at the rows of the neighbors of color a.

State: ``near[u]`` is the vertex of the highest color whose neighbor u was last, ``seen[u]`` the last chain that u was
in, ``blocked[b]`` the first chain of the last (v, a) for which b is of no use.

Cost: the edges of as many vertices as allowed, those of the neighbors of the vertices of the highest color, and the
squared number of colors for each of these, by one thread. Work memory: 24 bytes a vertex.

Source: A. B. Kempe, "On the Geographical Problem of the Four Colours", American Journal of Mathematics 2(3), 1879.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel, rule

_STEP = 1 << 22  # vertices in chains between two chances to be interrupted


@rule
def _follow(v, a, b, mark, longest, indptr, indices, near, seen, chain, colors):
    """Collect the chain around v's neighbours of color a: its length, or -1 if it is of no use."""
    length = 0
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if colors[at(u)] == a and seen[at(u)] != mark:
            seen[at(u)] = mark
            chain[at(length)] = u
            length += 1
    done = 0
    while done < length:
        w = int(chain[at(done)])
        done += 1
        wanted = a + b - colors[at(w)]
        for e in range(indptr[at(w)], indptr[at(w + 1)]):
            u = int(indices[at(e)])
            if colors[at(u)] == wanted and seen[at(u)] != mark:
                if (wanted == b and near[at(u)] == v) or length >= longest:
                    return -1
                seen[at(u)] = mark
                chain[at(length)] = u
                length += 1
    return length


@rule
def _find_blocked(v, a, stamp, indptr, indices, colors, near, blocked):
    """Stamp the colors b for which a neighbor of v of color a is adjacent to one of color b: their chain is one."""
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if colors[at(u)] == a:
            for f in range(indptr[at(u)], indptr[at(u + 1)]):
                w = int(indices[at(f)])
                if near[at(w)] == v:
                    blocked[at(colors[at(w)])] = stamp


@kernel(by="single")
def exchange_chains(most, longest, highest, top, indptr, indices, near, blocked, seen, chain, progress, colors):
    """Go on with the vertices of `top`; `progress` counts them, chains, and vertices in chains."""
    i, mark, work = int(progress[0]), int(progress[1]), int(progress[2])
    while i < top.size and work < most:
        v = int(top[at(i)])
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            near[at(indices[at(e)])] = v
        a, found = 0, False
        while a < highest - 1 and not found:
            stamp = mark + 1
            _find_blocked(v, a, stamp, indptr, indices, colors, near, blocked)
            b = a + 1
            while b < highest and not found:
                mark += 1
                length = -1
                if blocked[at(b)] != stamp:
                    length = _follow(v, a, b, mark, longest, indptr, indices, near, seen, chain, colors)
                found = length >= 0
                work += length + 1 if found else longest
                if found:
                    for j in range(length):
                        w = int(chain[at(j)])
                        colors[at(w)] = a + b - colors[at(w)]
                    colors[at(v)] = a
                b += 1
            a += 1
        i += 1
    progress[0], progress[1], progress[2] = i, mark, work


def free_highest(graph: Graph, colors: Any, longest: int, work: int) -> Any:
    """Exchange chains of at most so many vertices around those of the highest color; stop after so many in all."""
    n, highest = graph.num_vertices, int(colors.max())
    colors = colors.copy()
    top = np.flatnonzero(colors == highest)
    near, seen, chain = np.full(n, -1), np.zeros(n, np.int64), np.empty(n, np.int64)
    blocked = np.zeros(highest + 1, np.int64)
    progress = np.zeros(3, np.int64)
    while progress[0] < top.size and progress[2] < work:
        most = min(int(progress[2]) + _STEP, work)
        marks = near, blocked, seen, chain
        exchange_chains(most, longest, highest, top, graph.indptr, graph.indices, *marks, progress, colors)
    return colors
