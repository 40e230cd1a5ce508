"""Tabu search among colorings of a part of the graph, to do with one color less.

Result: a proper coloring with k colors, or none if none was found.

Idea: leave the vertices of color k without a color. In each step one of them takes the color that the fewest of its
neighbours have, and these lose it; for some steps they may not have it back. So the hole wanders until it closes. The
table `conflicts` holds how many neighbours of each vertex have each color. Ties go to whom the step's hash meets first.

Cost: the colors of at most `_CANDIDATES` vertices without one, and the rows of the vertices that change, for each step,
by one thread. Work memory: 8 k bytes a vertex.

Source: I. Blöchliger, N. Zufferey, "A Graph Coloring Heuristic Using Partial Solutions and a Reactive Tabu Scheme",
Computers & Operations Research 35(3), 2008 (PartialCol with dynamic tenure).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, hash32, kernel, rule

_STEP = 1 << 26  # looks at a color or a neighbour between two chances to be interrupted
_CANDIDATES = 256
_NONE = 1 << 40  # more than any number of conflicts


@kernel
def count_conflicts(v, k, indptr, indices, colors, conflicts):
    """Count the neighbours of a vertex by their colors."""
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        color = int(colors[at(indices[at(e)])])
        if color < k:
            conflicts[at(v * k + color)] += 1


@rule
def _tell_neighbours(v, k, color, change, indptr, indices, conflicts):
    """Count v in, or out, among its neighbours' neighbours of a color; return how many they are."""
    start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
    for e in range(start, end):
        conflicts[at(int(indices[at(e)]) * k + color)] += change
    return end - start


@kernel(by="single")
def search(step, k, seed, indptr, indices, conflicts, barred, holes, progress, colors):
    """Go on for so many looks; `progress` is the number of holes, the fewest so far, and how many steps and looks."""
    count, fewest, number, left = int(progress[0]), int(progress[1]), int(progress[2]), step
    while count > 0 and left > 0:
        draw = hash32(number + seed)
        number += 1
        i, first_color = draw % count, hash32(draw) % k
        hole, new, cost = i, first_color, _NONE
        for _ in range(min(count, _CANDIDATES)):
            base = int(holes[at(i)]) * k
            color = first_color
            for _ in range(k):
                conflict = int(conflicts[at(base + color)])
                if conflict < cost and (barred[at(base + color)] < number or count - 1 + conflict < fewest):
                    hole, new, cost = i, color, conflict
                color = color + 1 if color + 1 < k else 0
            left -= k
            i = i + 1 if i + 1 < count else 0
            if cost == 0:
                break

        v = int(holes[at(hole)])
        count -= 1
        holes[at(hole)] = holes[at(count)]
        colors[at(v)] = new
        left -= _tell_neighbours(v, k, new, 1, indptr, indices, conflicts)
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = int(indices[at(e)])
            if colors[at(u)] == new:
                colors[at(u)] = k
                holes[at(count)] = u
                count += 1
                left -= _tell_neighbours(u, k, new, -1, indptr, indices, conflicts)
                barred[at(u * k + new)] = number + 3 * count // 5 + hash32(draw + u) % 10
        fewest = min(fewest, count)
    progress[0], progress[1], progress[2] = count, fewest, number
    progress[3] += step - left


def close_holes(graph: Graph, colors: Any, looks: int, seed: int) -> tuple[Any, int]:
    """A coloring of a simple graph without the highest color, or None if so many looks found none; how many it took."""
    n, k = graph.num_vertices, int(colors.max())
    rows = graph.indptr, graph.indices
    colors = colors.copy()
    conflicts, barred = np.zeros(n * k, np.int32), np.zeros(n * k, np.int32)
    count_conflicts(n, k, *rows, colors, conflicts)
    top = np.flatnonzero(colors == k)
    holes = np.empty(n, np.int64)
    holes[: top.size] = top
    progress = np.array([top.size, top.size, 0, 0])
    while progress[0] and progress[3] < looks:
        step = min(looks - int(progress[3]), _STEP)
        search(step, k, hash32(seed % 2**32), *rows, conflicts, barred, holes, progress, colors)
    return (None if progress[0] else colors), int(progress[3])
