"""ECL-GC-R's two ways to use fewer colors: give the vertices of the highest color another one, and make room for it.

Result: each pass turns a proper coloring into a proper one with no more vertices of the highest color h, changing
nothing but those vertices (*top*) and their neighbours (*near*).

One exchange for all (`_drop_highest`), for graphs with few such vertices: if no near vertex of color x has a neighbour
of color y, then all near vertices of color x take y, all top ones take x, and h is gone. Near vertices of one color are
not adjacent, so nothing clashes. The lexicographically smallest (x, y) is taken.

An exchange per group (`_thin_highest`), for graphs with many of them, such as roads: top vertices with a common
neighbour form a group, so a near vertex has top neighbours in one group only. Group s may take color i, if its near
vertices of color i may all take one other color: `spare[s, i]`, a set of 32 bits, has those that no neighbour of any of
them has. Near vertices of two groups may be adjacent and want the same color; then the one whose set is smaller (then
that of the larger group) gives up all that the other one might take. All such sets are compared as they were before, so
the outcome does not depend on who comes first. A group takes its lowest color i with a spare one left, and its near
vertices of color i the lowest of these; other groups stay as they are.

State: `place` holds the group of each top and near vertex, -1 elsewhere. Groups are numbered by the position of their
smallest vertex in `top`.

Passes go on until one recolors less than an eighth of the top vertices: the next ones would recolor next to none, at
the cost of the first.

Cost: one look at the edges of all top and near vertices, and a scan over all vertices; several looks for the second
way. Work memory: 5 bytes a vertex, h * h bytes for the first way, 4 + 16 min(h, 32) a top vertex for the second.

Source: G. Alabandi, M. Burtscher, "Improving the Speed and Quality of Parallel Graph Coloring", ACM Transactions on
Parallel Computing 9(3), 2022. There the comparison of the sets changes them on the way.
"""

from __future__ import annotations

from typing import Any

from ..graph import Graph
from ..parallel import at, atomic_and, atomic_compare_and_swap, atomic_load, kernel, rule
from ..parallel.device import array_module
from ..parallel.primitives import compact

_PALETTE = 32  # colors that groups exchange: a word has room for so many
_ENOUGH = 1 << 12  # near vertices: where there are many, so few mostly tell that there is no exchange for all
_FEW = 8  # a pass that recolors less than this part of the top vertices is not worth another one
_ALL = (1 << _PALETTE) - 1


@kernel
def mark_neighbours(i, vertices, indptr, indices, marks):
    """Mark the neighbours of vertices that are not adjacent to each other."""
    v = int(vertices[i])
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        marks[at(u)] = u != v


@kernel
def forbid_pairs(i, near, indptr, indices, colors, highest, taken):
    """Note which colors a near vertex's neighbours have."""
    v = int(near[i])
    row = int(colors[at(v)]) * highest
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        color = int(colors[at(indices[at(e)])])
        if color < highest:
            taken[at(row + color)] = True


@rule
def _find(parent, i):
    """The root of i's tree. Links only ever lead to smaller numbers, so that shortening them on the way is safe."""
    i = int(i)
    above = int(atomic_load(parent, i))
    while above != i:
        higher = int(atomic_load(parent, above))
        parent[at(i)] = higher
        i, above = above, higher
    return i


@rule
def _unite(parent, i, j):
    i, j = _find(parent, i), _find(parent, j)
    while i != j:
        larger, smaller = max(i, j), min(i, j)
        if atomic_compare_and_swap(parent, larger, larger, smaller) == larger:
            break
        i, j = _find(parent, larger), _find(parent, smaller)


@kernel
def unite_neighbours(i, near, indptr, indices, colors, highest, place, parent):
    """Put the top vertices around a near vertex into one group."""
    v = int(near[i])
    first = -1
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if colors[at(u)] == highest:
            if first < 0:
                first = int(place[at(u)])
            _unite(parent, first, place[at(u)])


@kernel
def flatten(i, parent):
    root = _find(parent, i)
    parent[i] = root


@kernel
def join_group(i, near, indptr, indices, colors, highest, place, parent):
    """Note the group that a near vertex belongs to."""
    v = int(near[i])
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if colors[at(u)] == highest:
            place[at(v)] = parent[at(place[at(u)])]
            break


@kernel
def forbid_taken(i, near, indptr, indices, colors, palette, place, spare):
    """Take the colors around a near vertex out of its set."""
    v = int(near[i])
    own = int(colors[at(v)])
    if own < palette:
        taken = 0
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            color = int(colors[at(indices[at(e)])])
            if color < palette:
                taken |= 1 << color
        atomic_and(spare, int(place[at(v)]) * palette + own, _ALL & ~taken)


@rule
def _count_bits(x):
    x -= (x >> 1) & 0x55555555
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * 0x01010101 & _ALL) >> 24


@kernel
def yield_to_groups(i, near, indptr, indices, colors, palette, place, before, spare):
    """Take out of a near vertex's set what an adjacent vertex of another group might take, if that one is ahead."""
    v = int(near[i])
    group, own = int(place[at(v)]), int(colors[at(v)])
    if own >= palette:
        return
    size = _count_bits(int(before[at(group * palette + own)]))
    lost = 0
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        other, color = int(place[at(u)]), int(colors[at(u)])
        if other >= 0 and other != group and color < palette:
            theirs = int(before[at(other * palette + color)])
            their_size = _count_bits(theirs)
            if their_size > size or (their_size == size and other < group):
                lost |= theirs
    if lost:
        atomic_and(spare, group * palette + own, _ALL & ~lost)


@kernel
def make_room(i, near, palette, place, spare, choices, colors):
    """Give a near vertex its new color, if its group takes the one it has."""
    v = int(near[i])
    group, own = int(place[at(v)]), int(colors[at(v)])
    if choices[at(group)] == own:
        found = int(spare[at(group * palette + own)])
        colors[at(v)] = _count_bits((found & -found) - 1)


class Exchange:
    """A coloring, changed in place, whose highest color is to go."""

    def __init__(self, graph: Graph, colors: Any) -> None:
        xp = array_module(graph.device)
        self.graph, self.colors = graph, colors
        self.highest = int(colors.max())
        self._place = xp.full(graph.num_vertices, -1, "int32")
        self._marks = xp.zeros(graph.num_vertices, bool)

    def _top_and_near(self) -> tuple[Any, Any]:
        top = compact(self.colors == self.highest)
        mark_neighbours(int(top.size), top, self.graph.indptr, self.graph.indices, self._marks)
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
        taken = array_module(self.graph.device).eye(highest, dtype=bool).ravel()
        for part in (near[:_ENOUGH], near[_ENOUGH:]):
            forbid_pairs(int(part.size), part, self.graph.indptr, self.graph.indices, colors, highest, taken)
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
        graph, highest, colors, place = self.graph, self.highest, self.colors, self._place
        rows = graph.indptr, graph.indices, colors
        xp = array_module(graph.device)
        size, around = int(top.size), int(near.size)

        parent = xp.arange(size, dtype="int32")
        place[top] = parent
        unite_neighbours(around, near, *rows, highest, place, parent)
        flatten(size, parent)
        join_group(around, near, *rows, highest, place, parent)
        place[top] = -1

        palette = min(highest, _PALETTE)
        others = ((1 << palette) - 1) & ~(1 << xp.arange(palette))
        spare = xp.tile(others, size)
        forbid_taken(around, near, *rows, palette, place, spare)
        yield_to_groups(around, near, *rows, palette, place, spare.copy(), spare)

        possible = spare.reshape(size, palette) != 0
        choices = xp.where(possible.any(axis=1), possible.argmax(axis=1), highest).astype("int32")
        make_room(around, near, palette, place, spare, choices, colors)
        place[near] = -1
        chosen = choices[parent]
        colors[top] = chosen
        moved = chosen < highest
        if bool(moved.all()):
            self.highest -= 1
        return int(moved.sum()) * _FEW >= size
