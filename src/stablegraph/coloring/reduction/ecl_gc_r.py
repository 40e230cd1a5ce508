"""Color reduction by ECL-GC-R: recolor the vertices of the highest color, and recolor their neighbors to make room.

Result: each pass turns a proper coloring into one with no more vertices of the highest color h. It changes
only these vertices (*top*) and their neighbors (*near*). The result depends only on the graph and the coloring. The
definition that it must equal after each pass is in tests/coloring/test_reduce.py.

Example: a path a - t - b with the colors 0, 2, 1. Top is t, h = 2, near are a and b. If a takes the color 1, t can take
0, and h is no longer used: an exchange of (x, y) = (0, 1).

Rule: first, one exchange for all top vertices is tried, which helps if there are few of them:

    (x, y) is possible  <=>  no near vertex of color x has a neighbor of color y

The first possible (x, y) in lexicographic order is used: all near vertices of color x take y, and all top vertices take
x. Near vertices of one color are not adjacent, so there is no conflict.

If no pair is possible, each group of top vertices makes its own exchange. This helps in graphs with many top vertices,
such as road networks. Top vertices with a common neighbor form a group s, so the top neighbors of a near vertex are all
in one group, and

    spare[s, i]  =  the colors below h and below 32, except i, that no neighbor of a near vertex of s of color i has
    s takes i  <=>  i is the lowest color for which spare[s, i] is not empty

Then the top vertices of s take i, and the near vertices of s of color i, if there are any, take the lowest color of
spare[s, i]; groups without such a color do not change. Near vertices of two groups may be adjacent and must not take
the same color. Of their two sets, the one with fewer colors (in a tie, that of the larger group) therefore first loses
all colors of the other set. All sets are compared in their previous state, so the result does not depend on the
schedule. (In the example spare[t, 0] = {1}.)

In the code: `forbid_pairs` excludes pairs, and `_drop_highest` finds (x, y) in the line that sets `first`.
`forbid_taken` removes taken colors from the sets, and `resolve_conflicts` removes colors that other groups may take;
`_thin_highest` gives each group its color in the line that sets `choices`.

Passes repeat until one recolors less than an eighth of the top vertices. Further passes would recolor almost none, at
the same cost.

State: `groups` has the group of each top and near vertex, -1 for all other vertices. Groups are numbered by the
position of their smallest vertex in `top`. A set is 32 bits, color 0 in the lowest.

Cost: an access to the entries of all top and near vertices, and a scan over all vertices; several of them for exchanges
per group. Work memory: 5 bytes per vertex; h * h bytes for an exchange for all; 4 + 16 min(h, 32) bytes per top vertex
for exchanges per group.

Source: G. Alabandi, M. Burtscher, "Improving the Speed and Quality of Parallel Graph Coloring", ACM Transactions on
Parallel Computing 9(3), 2022. In the paper, the comparison modifies the sets while they are being compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.engines.union import flatten, unite
from ..._core.runtime import Bools, Int32s, Int64s, Rows, atomic_and, kernel, rule
from ..._core.runtime.arrays import largest
from ..._core.runtime.primitives import compact
from ...graph import Graph

_PALETTE = 32  # colors that groups exchange: a set of them is half a word, color 0 in the lowest bit
_ENOUGH = 1 << 12  # near vertices; if there are more, this number usually proves that there is no exchange for all
_MIN_SHARE = 8  # stop if a pass recolors less than 1 / _MIN_SHARE of the top vertices
_ALL = (1 << _PALETTE) - 1


class Spare(NamedTuple):
    """The colors that the near vertices of a group may all take: one set per group and old color."""

    sets: Int64s  # (groups * palette,)
    groups: Int32s  # (n,): the group of each top and near vertex, -1 for all other vertices


@kernel
def mark_neighbors(i, vertices: Int64s, rows: Rows, marks: Bools):
    """Mark the neighbors of vertices that are not adjacent to each other."""
    v = vertices[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        marks[u] = u != v


@kernel
def unmark(i, vertices: Int64s, marks: Bools):
    """Remove the mark of a vertex."""
    marks[vertices[i]] = False


@kernel
def forbid_pairs(i, near: Int64s, rows: Rows, colors: Int32s, highest: int, taken: Bools):
    """Mark the pairs of colors of a near vertex and its neighbors as impossible."""
    v = near[i]
    row = colors[v] * highest
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        color = colors[rows.indices[e]]
        if color < highest:
            taken[row + color] = True


@kernel
def start_group(i, top: Int64s, groups: Int32s, parent: Int32s):
    """Make the i-th top vertex a group of its own."""
    groups[top[i]] = i
    parent[i] = i


@kernel
def unite_neighbors(i, near: Int64s, rows: Rows, colors: Int32s, highest: int, groups: Int32s, parent: Int32s):
    """Unite the top vertices around a near vertex into one group."""
    v = near[i]
    first = -1
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if colors[u] == highest:
            if first < 0:
                first = groups[u]
            unite(first, groups[u], parent)


@kernel
def flatten_groups(i, parent: Int32s):
    """Link the i-th top vertex directly to the root of its group."""
    flatten(i, parent)


@kernel
def join_group(i, near: Int64s, rows: Rows, colors: Int32s, highest: int, groups: Int32s, parent: Int32s):
    """Write the group of a near vertex: the group of any of its top neighbors."""
    v = near[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if colors[u] == highest:
            groups[v] = parent[groups[u]]
            break


@kernel
def start_sets(i, palette: int, sets: Int64s):
    """Put all other colors into each set of the i-th group."""
    for color in range(palette):
        sets[i * palette + color] = ((1 << palette) - 1) & ~(1 << color)


@kernel
def forbid_taken(i, near: Int64s, rows: Rows, colors: Int32s, palette: int, spare: Spare):
    """Remove the colors around a near vertex from its set."""
    v = near[i]
    color_of_v = colors[v]
    if color_of_v < palette:
        taken = 0
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            color = colors[rows.indices[e]]
            if color < palette:
                taken |= 1 << color
        atomic_and(spare.sets, spare.groups[v] * palette + color_of_v, _ALL & ~taken)


@kernel
def copy_sets(i, palette: int, sets: Int64s, before: Int64s):
    """Copy the sets of the i-th group."""
    for place in range(i * palette, (i + 1) * palette):
        before[place] = sets[place]


@rule
def _count_bits(x):
    """Return the number of set bits of a 32-bit number."""
    x -= (x >> 1) & 0x55555555
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * 0x01010101 & _ALL) >> 24


@kernel
def resolve_conflicts(i, near: Int64s, rows: Rows, colors: Int32s, palette: int, before: Int64s, spare: Spare):
    """Remove from a near vertex's set the colors that an adjacent vertex of another group, which is ahead, may take."""
    v = near[i]
    groups = spare.groups
    group, color_of_v = groups[v], colors[v]
    if color_of_v >= palette:
        return
    size = _count_bits(before[group * palette + color_of_v])
    lost = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        other, color = groups[u], colors[u]
        if other >= 0 and other != group and color < palette:
            other_set = before[other * palette + color]
            other_size = _count_bits(other_set)
            if other_size > size or (other_size == size and other < group):
                lost |= other_set
    if lost:
        atomic_and(spare.sets, group * palette + color_of_v, _ALL & ~lost)


@kernel
def make_room(i, near: Int64s, palette: int, spare: Spare, choices: Int32s, colors: Int32s):
    """Give a near vertex its new color, if its group takes its current one, and remove it from the group."""
    v = near[i]
    group, color_of_v = spare.groups[v], colors[v]
    if choices[group] == color_of_v:
        free_colors = spare.sets[group * palette + color_of_v]
        colors[v] = _count_bits((free_colors & -free_colors) - 1)
    spare.groups[v] = -1


@kernel
def _choose(i, palette: int, highest: int, sets: Int64s, choices: Int32s):
    """Choose the lowest color that the i-th group may take; `highest` if there is none."""
    color = 0
    while color < palette and sets[i * palette + color] == 0:
        color += 1
    choices[i] = color if color < palette else highest


@kernel
def _take(i, top: Int64s, parent: Int32s, choices: Int32s, groups: Int32s, chosen: Int32s, colors: Int32s):
    """Give the i-th top vertex the color that its group takes, and remove it from the group."""
    v = top[i]
    chosen[i] = choices[parent[i]]
    colors[v] = chosen[i]
    groups[v] = -1


class Exchange:
    """A coloring that is changed in place to eliminate its highest color."""

    def __init__(self, graph: Graph, colors: Any) -> None:
        self.colors, self.highest = colors, largest(colors, -1)
        self._rows = Rows(graph.indptr, graph.indices)
        self._groups = np.full(graph.num_vertices, -1, np.int32)
        self._marks = np.zeros(graph.num_vertices, bool)

    def _top_and_near(self) -> tuple[Any, Any]:
        top = compact(self.colors == self.highest)
        mark_neighbors(top.size, top, self._rows, self._marks)
        near = compact(self._marks)
        unmark(near.size, near, self._marks)
        return top, near

    def step(self) -> bool:
        """Make one exchange for all if possible, else one for each possible group; return whether to continue."""
        if self.highest < 2:
            return False
        top, near = self._top_and_near()
        return self._drop_highest(top, near) or self._thin_highest(top, near)

    def _drop_highest(self, top: Any, near: Any) -> bool:
        """Remove the highest color by one exchange for all; return whether it was possible."""
        highest, colors = self.highest, self.colors
        taken = np.eye(highest, dtype=bool).ravel()
        for part in (near[:_ENOUGH], near[_ENOUGH:]):
            forbid_pairs(part.size, part, self._rows, colors, highest, taken)
            first = int(taken.argmin())
            if taken[first]:
                return False
        x, y = divmod(first, highest)
        colors[near[colors[near] == x]] = y
        colors[top] = x
        self.highest -= 1
        return True

    def _thin_highest(self, top: Any, near: Any) -> bool:
        """Recolor the top vertices for which an exchange per group is possible; return whether they were many."""
        rows, highest, colors, groups = self._rows, self.highest, self.colors, self._groups
        parent = np.empty(top.size, np.int32)
        start_group(top.size, top, groups, parent)
        unite_neighbors(near.size, near, rows, colors, highest, groups, parent)
        flatten_groups(top.size, parent)
        join_group(near.size, near, rows, colors, highest, groups, parent)

        palette = min(highest, _PALETTE)
        spare, before = Spare(np.empty(top.size * palette, np.int64), groups), np.empty(top.size * palette, np.int64)
        start_sets(top.size, palette, spare.sets)
        forbid_taken(near.size, near, rows, colors, palette, spare)
        copy_sets(top.size, palette, spare.sets, before)
        resolve_conflicts(near.size, near, rows, colors, palette, before, spare)

        choices, chosen = np.empty((2, top.size), np.int32)
        _choose(top.size, palette, highest, spare.sets, choices)
        make_room(near.size, near, palette, spare, choices, colors)
        _take(top.size, top, parent, choices, groups, chosen, colors)
        moved = np.count_nonzero(chosen < highest)
        if moved == top.size:
            self.highest -= 1
        return bool(moved * _MIN_SHARE >= top.size)
