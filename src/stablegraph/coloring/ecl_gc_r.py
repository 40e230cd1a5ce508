"""Color reduction by ECL-GC-R: recolor the vertices of the highest color, and their neighbors to make room for that.

Result: each pass turns a proper coloring into a proper one with no more vertices of the highest color h, changing
nothing but those vertices (*top*) and their neighbors (*near*). It is a function of the graph and the coloring alone.
The definition that it must equal, pass by pass, is in tests/test_coloring_reduce.py.

For example a path a - t - b with the colors 0, 2, 1. Top is t, h = 2, near are a and b. If a took the color 1, t could
take 0, and h would be gone: an exchange of (x, y) = (0, 1).

Rule: one exchange for all is tried first, which helps where top vertices are few:

    (x, y) is possible  <=>  no near vertex of color x has a neighbor of color y

The first possible (x, y), in lexicographic order, is taken: all near vertices of color x take y, all top ones take x.
Near vertices of one color are not adjacent, so there is no conflict.

If none is possible, an exchange per group, for graphs with many top vertices, such as roads. Top vertices with a common
neighbor form a group s (so a near vertex has top neighbors in one group only), and

    spare[s, i]  =  the colors below h and below 32, but for i, that no neighbor of a near vertex of s of color i has
    s takes i  <=>  i is the lowest color for which spare[s, i] is not empty

Then the top vertices of s take i, and its near ones of color i, if there are any, the lowest color of spare[s, i];
other groups stay as they are. Near vertices of two groups may be adjacent, and must not take the same color: of their
two sets the one that has fewer colors (of equal ones that of the larger group) first loses all colors of the other one.
All sets are compared as they were before, so the outcome does not depend on the schedule. (In the example spare[t, 0] =
{1}.)

In the code: `_drop_highest` finds (x, y), in the line that sets `first`, among the pairs that `forbid_pairs` has left.
`forbid_taken` strikes what is taken out of the sets, `resolve_conflicts` what other groups may take; `_thin_highest`
gives each group its color, in the line that sets `choices`.

Passes go on until one recolors less than an eighth of the top vertices: the next ones would recolor next to none, at
the cost of the first.

State: `groups` holds the group of each top and near vertex, -1 elsewhere. Groups are numbered by the position of their
smallest vertex in `top`. A set is 32 bits, color 0 the lowest.

Cost: an access to the entries of all top and near vertices, and a scan over all vertices; several for the second kind.
Work memory: 5 bytes a vertex, h * h bytes for the first kind, 4 + 16 min(h, 32) a top vertex for the second.

Source: G. Alabandi, M. Burtscher, "Improving the Speed and Quality of Parallel Graph Coloring", ACM Transactions on
Parallel Computing 9(3), 2022. There the comparison of the sets changes them on the way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..graph import Graph
from ..parallel import atomic_and, kernel, rule
from ..parallel.groups import Rows
from ..parallel.primitives import compact
from ..parallel.union_find import flatten, unite

_PALETTE = 32  # colors that groups exchange: a set of them is half a word, color 0 at the lowest bit
_ENOUGH = 1 << 12  # near vertices: where there are many, so few mostly show that there is no exchange for all
_FEW = 8  # a pass that recolors less than this part of the top vertices is not worth another one
_ALL = (1 << _PALETTE) - 1


class Spare(NamedTuple):
    """The colors that the near vertices of a group may all take: a set for each group and color that they have."""

    sets: Any  # (groups * palette,)
    groups: Any  # (n,): the group of each top and near vertex, -1 elsewhere


@kernel(types="int64[] O[] V[] bool[]")
def mark_neighbors(i, vertices, rows: Rows, marks):
    """Mark the neighbors of vertices that are not adjacent to each other."""
    v = vertices[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        marks[u] = u != v


@kernel(types="int64[] O[] V[] int32[] int bool[]")
def forbid_pairs(i, near, rows: Rows, colors, highest, taken):
    """Note that near vertices of one color have neighbors of another one."""
    v = near[i]
    row = colors[v] * highest
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        color = colors[rows.indices[e]]
        if color < highest:
            taken[row + color] = True


@kernel(types="int64[] O[] V[] int32[] int int32[] int32[]")
def unite_neighbors(i, near, rows: Rows, colors, highest, groups, parent):
    """Put the top vertices around a near vertex into one group."""
    v = near[i]
    first = -1
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if colors[u] == highest:
            if first < 0:
                first = groups[u]
            unite(first, groups[u], parent)


@kernel(types="int32[]")
def flatten_groups(i, parent):
    """Link the i-th top vertex directly to the root of its group."""
    flatten(i, parent)


@kernel(types="int64[] O[] V[] int32[] int int32[] int32[]")
def join_group(i, near, rows: Rows, colors, highest, groups, parent):
    """Write the group of a near vertex: that of any of its top neighbors."""
    v = near[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if colors[u] == highest:
            groups[v] = parent[groups[u]]
            break


@kernel(types="int64[] O[] V[] int32[] int int64[] int32[]")
def forbid_taken(i, near, rows: Rows, colors, palette, spare: Spare):
    """Strike the colors around a near vertex out of its set."""
    v = near[i]
    own = colors[v]
    if own < palette:
        taken = 0
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            color = colors[rows.indices[e]]
            if color < palette:
                taken |= 1 << color
        atomic_and(spare.sets, spare.groups[v] * palette + own, _ALL & ~taken)


@rule
def _count_bits(x):
    """How many of 32 bits are set."""
    x -= (x >> 1) & 0x55555555
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * 0x01010101 & _ALL) >> 24


@kernel(types="int64[] O[] V[] int32[] int int64[] int64[] int32[]")
def resolve_conflicts(i, near, rows: Rows, colors, palette, before, spare: Spare):
    """Strike out of a near vertex's set what an adjacent one of another group might take, if the latter is ahead."""
    v = near[i]
    groups = spare.groups
    group, own = groups[v], colors[v]
    if own >= palette:
        return
    size = _count_bits(before[group * palette + own])
    lost = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        other, color = groups[u], colors[u]
        if other >= 0 and other != group and color < palette:
            theirs = before[other * palette + color]
            their_size = _count_bits(theirs)
            if their_size > size or (their_size == size and other < group):
                lost |= theirs
    if lost:
        atomic_and(spare.sets, group * palette + own, _ALL & ~lost)


@kernel(types="int64[] int int64[] int32[] int32[] int32[]")
def make_room(i, near, palette, spare: Spare, choices, colors):
    """Give a near vertex its new color, if its group takes the one it has."""
    v = near[i]
    group, own = spare.groups[v], colors[v]
    if choices[group] == own:
        found = spare.sets[group * palette + own]
        colors[v] = _count_bits((found & -found) - 1)


class Exchange:
    """A coloring, changed in place, whose highest color is to go."""

    def __init__(self, graph: Graph, colors: Any) -> None:
        xp = graph.xp
        self.graph, self.colors = graph, colors
        self.highest = int(colors.max())
        self._rows = Rows(graph.indptr, graph.indices)
        self._groups = xp.full(graph.num_vertices, -1, "int32")
        self._marks = xp.zeros(graph.num_vertices, bool)

    def _top_and_near(self) -> tuple[Any, Any]:
        top = compact(self.colors == self.highest)
        mark_neighbors(int(top.size), top, self._rows, self._marks)
        near = compact(self._marks)
        self._marks[near] = False
        return top, near

    def step(self) -> bool:
        """One exchange for all if there is one, else one for each group that has one; say whether to go on."""
        if self.highest < 2:
            return False
        top, near = self._top_and_near()
        return self._drop_highest(top, near) or self._thin_highest(top, near)

    def _drop_highest(self, top: Any, near: Any) -> bool:
        """Remove the highest color by one exchange for all; say whether there was one."""
        highest, colors = self.highest, self.colors
        taken = self.graph.xp.eye(highest, dtype=bool).ravel()
        for part in (near[:_ENOUGH], near[_ENOUGH:]):
            forbid_pairs(int(part.size), part, self._rows, colors, highest, taken)
            first = int(taken.argmin())
            if taken[first]:
                return False
        x, y = divmod(first, highest)
        colors[near[colors[near] == x]] = y
        colors[top] = x
        self.highest -= 1
        return True

    def _thin_highest(self, top: Any, near: Any) -> bool:
        """Recolor those vertices of the highest color that an exchange per group can; say whether they were many."""
        rows, highest, colors, groups = self._rows, self.highest, self.colors, self._groups
        xp = self.graph.xp
        num_top, num_near = int(top.size), int(near.size)

        parent = xp.arange(num_top, dtype="int32")
        groups[top] = parent
        unite_neighbors(num_near, near, rows, colors, highest, groups, parent)
        flatten_groups(num_top, parent)
        join_group(num_near, near, rows, colors, highest, groups, parent)
        groups[top] = -1

        palette = min(highest, _PALETTE)
        others = ((1 << palette) - 1) & ~(1 << xp.arange(palette))
        spare = Spare(xp.tile(others, num_top), groups)
        forbid_taken(num_near, near, rows, colors, palette, spare)
        resolve_conflicts(num_near, near, rows, colors, palette, spare.sets.copy(), spare)

        possible = spare.sets.reshape(num_top, palette) != 0
        choices = xp.where(possible.any(axis=1), possible.argmax(axis=1), highest).astype("int32")
        make_room(num_near, near, palette, spare, choices, colors)
        groups[near] = -1
        chosen = choices[parent]
        colors[top] = chosen
        moved = chosen < highest
        if bool(moved.all()):
            self.highest -= 1
        return int(moved.sum()) * _FEW >= num_top
