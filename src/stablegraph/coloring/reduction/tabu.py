"""PartialCol: tabu search among partial proper colorings with k colors.

Result: a proper coloring with k colors, or none if none was found. It depends only on the graph, the coloring and the
seed.

Rule: initially the vertices of color k become uncolored (*holes*). In each step one hole takes a color, and its
neighbors of this color become holes; for some steps they must not take this color again (*tabu*). Among the pairs of a
hole and a color that are not tabu, or that leave fewer holes than ever before, the search takes the one for which the
fewest neighbors have the color. In a tie, it takes the first pair from a position given by the step's hash. In the
code: the innermost loop of `search`.

State: ``conflicts[v, c]`` is the number of neighbors of v with color c, ``barred[v, c]`` the step until which v must
not take color c again. The search ends when there is no hole.

Cost per step: the colors of at most `_CANDIDATES` holes, and the rows of the vertices that change; one thread. Work
memory: 8 k bytes per vertex.

Source: I. Blöchliger, N. Zufferey, "A Graph Coloring Heuristic Using Partial Solutions and a Reactive Tabu Scheme",
Computers & Operations Research 35(3), 2008 (PartialCol with dynamic tenure).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import Int32s, Int32Table, Rows, hash32, kernel, rule
from ..._core.runtime.partitioning import ENTRIES_PER_CALL
from ...graph import Graph

_CANDIDATES = 256
_NONE = 1 << 40  # more than any number of conflicts


@kernel
def count_conflicts(v, rows: Rows, colors: Int32s, conflicts: Int32Table):
    """Count the neighbors of a vertex by their colors."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        color = colors[rows.indices[e]]
        if color < conflicts.shape[1]:
            conflicts[v, color] += 1


@rule
def _change_conflicts(v, color, change, rows, conflicts):
    """Add `change` to the conflicts of v's neighbors with a color; return the number of v's entries."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    for e in range(start, end):
        conflicts[rows.indices[e], color] += change
    return end - start


@kernel(by="single", types="int int int32[,] int32[,] int64[] int64[] int32[]")
def search(accesses, seed, rows: Rows, conflicts, barred, holes, progress, colors):
    """Continue the search for `accesses` accesses; `progress`: holes, fewest holes so far, steps and accesses."""
    k = conflicts.shape[1]
    count, fewest, number, budget = progress[0], progress[1], progress[2], accesses
    while count > 0 and budget > 0:
        # Find the move with the fewest conflicts that is not tabu, or leaves fewer holes than ever before.
        draw = hash32(number + seed)
        number += 1
        i, first_color = draw % count, hash32(draw) % k
        hole, new, cost = i, first_color, _NONE
        for _ in range(min(count, _CANDIDATES)):
            u = holes[i]
            color = first_color
            for _ in range(k):
                conflict = conflicts[u, color]
                if conflict < cost and (barred[u, color] < number or count - 1 + conflict < fewest):
                    hole, new, cost = i, color, conflict
                color = color + 1 if color + 1 < k else 0
            budget -= k
            i = i + 1 if i + 1 < count else 0
            if cost == 0:
                break

        # Fill the hole; its neighbors of this color become holes.
        v = holes[hole]
        count -= 1
        holes[hole] = holes[count]
        colors[v] = new
        budget -= _change_conflicts(v, new, 1, rows, conflicts)
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if colors[u] == new:
                colors[u] = k
                holes[count] = u
                count += 1
                budget -= _change_conflicts(u, new, -1, rows, conflicts)
                barred[u, new] = number + 3 * count // 5 + hash32(draw + u) % 10
        fewest = min(fewest, count)
    progress[0], progress[1], progress[2] = count, fewest, number
    progress[3] += accesses - budget


def close_holes(graph: Graph, colors: Any, accesses: int, seed: int) -> tuple[Any, int]:
    """Search a coloring of a simple graph without the highest color; return it or None, and the number of accesses."""
    n, k = graph.num_vertices, int(colors.max())
    rows = Rows(graph.indptr, graph.indices)
    colors = colors.copy()
    conflicts, barred = np.zeros((n, k), np.int32), np.zeros((n, k), np.int32)
    count_conflicts(n, rows, colors, conflicts)
    top = np.flatnonzero(colors == k)
    holes = np.empty(n, np.int64)
    holes[: top.size] = top
    progress = np.array([top.size, top.size, 0, 0])
    while progress[0] and progress[3] < accesses:
        step = min(accesses - int(progress[3]), ENTRIES_PER_CALL)
        search(step, hash32(seed % 2**32), rows, conflicts, barred, holes, progress, colors)
    return (None if progress[0] else colors), int(progress[3])
