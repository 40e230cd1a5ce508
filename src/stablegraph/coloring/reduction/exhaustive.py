"""Exhaustive search for a coloring with capacities, rooms, a gap and permitted colors, for small graphs.

Result: a coloring, a proof that there is none, or neither if the limit of the work is reached. It depends only on the
graph.

Rule: color the vertex with the fewest possible colors next, the smaller id in a tie; try its colors in ascending order,
and go back if a vertex has none. Of the unused colors with equal limits, only the first one is tried.

State: the possible colors of a vertex are the bits of an integer.

Cost: at most `_MAX_WORK` visits of a vertex, about a second, in Python. Work memory: one integer per vertex.

Source: D. Brélaz, "New Methods to Color the Vertices of a Graph", Communications of the ACM 22(4), 1979.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import Graph
from .tabu import HoleSearch

_MAX_WORK = 1_000_000
_MAX_VERTICES = 300  # the depth of the recursion


class _WorkLimitReached(Exception):
    """The search has not ended within its limit."""


def search_all(graph: Graph, vertices: np.ndarray, limits: HoleSearch) -> tuple[np.ndarray | None, bool]:
    """Return a coloring of some vertices or None, and whether the search is complete; the graph has simple rows.

    The limits are those of a search that has not begun.
    """
    if vertices.size > _MAX_VERTICES:
        return None, False
    search = _Backtracking(graph.subgraph(vertices), vertices, limits)
    try:
        found = search.extend(vertices.size)
    except _WorkLimitReached:
        return None, False
    return (np.array(search.colors, np.int32) if found else None), True


class _Backtracking:
    def __init__(self, graph: Graph, vertices: np.ndarray, limits: HoleSearch) -> None:
        forbidden, seats = limits.forbidden[vertices], limits.seats
        n, k = forbidden.shape
        starts, indices = graph.indptr.tolist(), graph.indices.tolist()
        self.neighbors = [[u for u in indices[starts[v] : starts[v + 1]] if u != v] for v in range(n)]
        self.sizes, self.room = limits.sizes[vertices].tolist(), (limits.capacity - limits.base).tolist()
        self.levels, self.rooms = seats.levels[vertices].tolist(), seats.free.tolist()
        windows = [range(max(c - limits.gap + 1, 0), min(c + limits.gap, k)) for c in range(k)]
        self.near = [sum(1 << c for c in window) for window in windows]
        self.possible = [sum(1 << c for c in np.flatnonzero(~row).tolist()) for row in forbidden]
        self.colors, self.members = [-1] * n, [0] * k
        equal: dict[Any, int] = {}
        of_color = zip(forbidden.T.tolist(), self.room, self.rooms, range(k), strict=True)
        distinct = limits.gap > 1  # then no two colors are equivalent
        self.group = [equal.setdefault((*map(str, one), c * distinct), c) for *one, c in of_color]
        self.work = 0

    def extend(self, remaining: int) -> bool:
        """Color the remaining vertices; return False, with the state as before, if this is not possible."""
        if remaining == 0:
            return True
        self.work += len(self.colors)
        if self.work > _MAX_WORK:
            raise _WorkLimitReached
        v = min(
            (u for u, color in enumerate(self.colors) if color < 0), key=lambda u: (self.possible[u].bit_count(), u)
        )
        tried = set()
        for color in range(len(self.room)):
            if not self.possible[v] >> color & 1 or self.sizes[v] > self.room[color]:
                continue
            if min(self.rooms[color][self.levels[v] :], default=1) <= 0:
                continue
            if self.members[color] == 0:
                if self.group[color] in tried:
                    continue
                tried.add(self.group[color])
            if self._color(v, color, remaining):
                return True
        return False

    def _color(self, v: int, color: int, remaining: int) -> bool:
        """Color v and the remaining vertices; return False, with the state as before, if this is not possible."""
        near = self.near[color]
        changed = [(u, self.possible[u]) for u in self.neighbors[v] if self.colors[u] < 0 and self.possible[u] & near]
        self.colors[v] = color
        self.members[color] += 1
        self._occupy(v, color, 1)
        for u, possible in changed:
            self.possible[u] = possible & ~near
        if all(self.possible[u] for u, _ in changed) and self.extend(remaining - 1):
            return True
        for u, possible in changed:
            self.possible[u] = possible
        self._occupy(v, color, -1)
        self.members[color] -= 1
        self.colors[v] = -1
        return False

    def _occupy(self, v: int, color: int, change: int) -> None:
        """Subtract `change` times v from the capacity and the rooms of a color."""
        self.room[color] -= change * self.sizes[v]
        for level in range(self.levels[v], len(self.rooms[color])):
            self.rooms[color][level] -= change
