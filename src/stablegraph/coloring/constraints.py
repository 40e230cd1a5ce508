"""Constraints of colorings, checked and combined: numbers of colors, capacities, rooms, gaps, lists, fixed colors.

Vertices with equal lists of permitted colors have the same *kind*. Kind k may have a color if ``table[k, column]`` is
true, where the column is the color's position among the colors that lists name, or the last column for all others.

Rooms are a condition on nested sets: a room that is large enough for a vertex is large enough for a smaller one. The
*level* of a vertex is the position of its number of large enough rooms among all these numbers, `rooms`. The vertices
of a color have a room each if and only if at most ``rooms[i]`` of them have a level up to i, for each i. The condition
is necessary, because these vertices share ``rooms[i]`` rooms. If it holds, each vertex, from the largest on, can take
the smallest free room that is large enough: at most ``rooms[i] - 1`` vertices come before a vertex of level i, so that
one of its rooms is free.

A vertex that is fixed in a room counts as one that needs all seats of this room. The other vertices of its color have
rooms if and only if the condition holds for their levels, because each fixed vertex with a level up to i has one of the
``rooms[i]`` rooms. The condition for a level that only fixed vertices have follows from that for the next lower
level of another vertex: the rooms of the first level that are not rooms of the second contain one fixed vertex each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.csr.arrays import on_host
from .._core.csr.merge import exact_sum
from .._core.texts import short_repr
from .._core.validation import host_array, integer
from .._core.vertex_names import shown_name, shown_vertex
from .._core.vertex_values import in_vertex_order, vertices_of_keys
from ..graph import Graph
from .reduction.tabu import UNLIMITED
from .rules import NO_COLOR

_MAX_COLORS = 1 << 24  # colors that capacities or masks may describe


class ImpossibleColoring(ValueError):
    """No coloring satisfies the constraints of `vertex_coloring` or `schedule`; the message is a proof.

    >>> import stablegraph as sg
    >>> try:
    ...     sg.vertex_coloring(sg.from_edges([0, 1, 2], [1, 2, 0], symmetrize=True), colors=2)
    ... except sg.ImpossibleColoring as error:
    ...     print(error)
    2 colors are not enough: the 3 vertices 0, 1, 2 are pairwise adjacent and need 3 colors
    """


class ColoringNotFound(ValueError):
    """The search of `vertex_coloring` or `schedule` reached its limit without a coloring; there may be one.

    >>> import stablegraph as sg
    >>> issubclass(sg.ColoringNotFound, ValueError), issubclass(sg.ColoringNotFound, sg.ImpossibleColoring)
    (True, False)
    """


@dataclass(frozen=True)
class Constraints:
    """The constraints of one coloring; colors are numbers from 0 on."""

    count: int | None  # the colors to be used, as evenly as possible
    width: int | None  # the colors that exist, or None if there is no limit
    capacity: np.ndarray | None  # of each color, or of all: one number
    sizes: np.ndarray  # int64 (n,)
    needed: np.ndarray  # int64 (n,): the seats that a vertex needs: its size, or those of the room in which it is fixed
    kinds: np.ndarray  # int32 (n,)
    named: np.ndarray  # the colors that lists name, ascending
    table: np.ndarray  # bool (kinds, named + 1)
    fixed: np.ndarray  # int32 (n,), -1 for none
    gap: int  # the smallest difference of the colors of neighbors
    seats: np.ndarray | None  # int64: of each room, ascending
    rooms: np.ndarray  # int64 (levels,): the number of rooms for vertices of each level; empty without rooms
    levels: np.ndarray  # int64 (n,)

    @property
    def colors_differ(self) -> bool:
        """Return whether colors have different limits or distances, so that they must not be renumbered."""
        return self.table.shape[0] > 1 or (self.capacity is not None and self.capacity.size > 1) or self.gap > 1

    def free_rooms(self, vertices: np.ndarray, colors: np.ndarray, k: int) -> np.ndarray:
        """Return how many more vertices of each level have rooms in each of k colors that some vertices have."""
        used = np.zeros((k, self.rooms.size), np.int64)
        if self.rooms.size:
            np.add.at(used, (colors, self.levels[vertices]), 1)
        return self.rooms - np.cumsum(used, axis=1)

    def colors_in(self, colors: np.ndarray) -> np.ndarray:
        """Return the colors in use, ascending; with a gap all colors up to the largest one."""
        return np.unique(colors).astype(np.int64) if self.gap == 1 else np.arange(int(colors.max(initial=-1)) + 1)

    def capacity_of(self, palette: np.ndarray) -> np.ndarray:
        """Return the capacity of each color of a palette."""
        if self.capacity is None:
            return np.full(palette.size, UNLIMITED)
        return self.capacity[palette] if self.capacity.size > 1 else np.repeat(self.capacity, palette.size)

    def columns_of(self, palette: np.ndarray) -> np.ndarray:
        """Return the column of the table for each color of a palette."""
        place = np.searchsorted(self.named, palette)
        is_named = np.append(self.named, -1)[place] == palette
        columns: np.ndarray = np.where(is_named, place, self.named.size).astype(np.int32)
        return columns

    def palette(self, more: int) -> np.ndarray:
        """Return the colors that exist, ascending; without a limit those with a meaning, and `more` other colors."""
        if self.width is not None:
            return np.arange(self.width)
        meant = np.union1d(self.named, self.fixed[self.fixed >= 0]).astype(np.int64)
        if self.gap > 1:  # each vertex keeps its color, and those nearer than the gap, from other vertices
            return np.arange(int(meant.max(initial=-1)) + 1 + more * (2 * self.gap - 1))
        return np.union1d(meant, np.setdiff1d(np.arange(meant.size + more), meant)[:more])


def loads_of(colors: np.ndarray, sizes: np.ndarray, k: int) -> np.ndarray:
    """Return the total size of the vertices of each color below k."""
    loads = np.zeros(k, np.int64)
    np.add.at(loads, colors, sizes)
    return loads


def checked_constraints(
    graph: Graph, colors: Any, capacity: Any, sizes: Any, rooms: Any, gap: Any, fixed: Any, kept: Any, **lists: Any
) -> Constraints:
    """Check the arguments of `vertex_coloring` with these names, and combine them.

    `lists` are `allowed` and `forbidden`. `fixed` is already checked, and `kept` is the result of `kept_rooms`.
    """
    n = graph.num_vertices
    count = None if colors is None else integer(colors, "colors", minimum=0, maximum=_MAX_COLORS)
    limit = None if capacity is None else _checked_capacity(capacity)
    if sizes is not None and capacity is None and count is None and rooms is None:
        raise ValueError("sizes need a capacity per color, or a number of colors to distribute them: pass capacity=")
    gap = 1 if gap is None else integer(gap, "gap", minimum=1)
    if gap > 1 and 2 * gap * n > _MAX_COLORS:
        raise ValueError(f"gap must be at most {_MAX_COLORS // (2 * n)} for {n} vertices, got {short_repr(gap)}")
    masks = [(name, _checked_lists(values, name, graph)) for name, values in lists.items() if values is not None]
    widths: dict[str, int] = {} if count is None else {"colors": count}
    if limit is not None and np.ndim(capacity):
        widths["capacity"] = limit.size
    widths |= {name: values.shape[1] for name, values in masks if isinstance(values, np.ndarray)}
    for name, number in widths.items():
        first = next(iter(widths))
        if number != widths[first]:
            raise ValueError(f"{first} describes {widths[first]} colors, but {name} describes {number}")
    width = next(iter(widths.values()), None)
    kinds, named, table = _kinds_of(graph, masks, width)
    fixed = np.full(n, -1, np.int32) if fixed is None else on_host(fixed)
    if width is not None and n and int(fixed.max()) >= width:
        v = int(fixed.argmax())
        shown = shown_vertex(v, graph.nodes)
        raise ValueError(f"vertex {shown} is fixed to color {fixed[v]}, but the colors are 0 to {width - 1}")
    if limit is not None and np.ndim(capacity) == 0:
        limit = limit[:1]
    amounts, seats = checked_sizes(sizes, graph), None
    needed, levels, numbers = amounts.copy(), np.zeros(n, np.int64), np.empty(0, np.int64)
    if rooms is not None:
        at_most = {name: min(number, UNLIMITED) for name, number in checked_rooms(rooms).items()}
        seats = np.sort(np.array(list(at_most.values()), np.int64))
        needed[list(kept)] = [at_most[room] for _, room in kept.values()]
        numbers, levels = np.unique(seats.size - np.searchsorted(seats, needed), return_inverse=True)
    of_rooms = (seats, numbers, levels.astype(np.int64))
    return Constraints(count, width, limit, amounts, needed, kinds, named, table, fixed, gap, *of_rooms)


def kept_rooms(graph: Graph, fixed: Any, sizes: Any, rooms: Any) -> dict[int, tuple[int, Any]]:
    """Return the color and the room of the vertices that are fixed as (color, room), after checking these rooms."""
    if not isinstance(fixed, Mapping):
        return {}
    values = zip(vertices_of_keys(fixed, "fixed", graph), fixed.values(), strict=True)
    kept = {v: value for v, value in values if isinstance(value, tuple) and len(value) == 2}
    if kept and rooms is None:
        raise ValueError("fixed has colors with rooms: pass rooms=, or fix only the colors")
    amounts, seats = checked_sizes(sizes, graph), checked_rooms(rooms) if kept else {}
    taken: dict[Any, str] = {}
    for v, (color, room) in kept.items():
        name, shown = shown_vertex(v, graph.nodes), shown_name(room)
        if room not in seats:
            raise ValueError(f"vertex {name} is fixed in room {shown}, which is not in rooms=; fix only its color")
        if amounts[v] > seats[room]:
            lack = f"needs {amounts[v]} seats, but is fixed in room {shown}, which has {seats[room]}"
            raise ImpossibleColoring(f"vertex {name} {lack}")
        if taken.setdefault((color, room), name) != name:
            both = f"vertices {taken[color, room]} and {name}"
            raise ImpossibleColoring(f"{both} are both fixed to color {color} and room {shown}")
    return kept


def checked_rooms(rooms: Any) -> dict[Any, int]:
    """Return the seats of each room as integers."""
    if not isinstance(rooms, Mapping):
        raise TypeError(f"rooms must be a dict of seats, such as {{'hall': 120, 'lab': 40}}; got {short_repr(rooms)}")
    return {name: integer(seats, f"the seats of room {shown_name(name)}", minimum=0) for name, seats in rooms.items()}


def _checked_capacity(capacity: Any) -> np.ndarray:
    """Return the capacities as int64, one number or one per color."""
    if np.ndim(capacity) == 0 and not isinstance(capacity, Mapping):
        return np.array([min(integer(capacity, "capacity", minimum=0), UNLIMITED)])
    values = host_array(capacity, "capacity")
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        raise TypeError(f"capacity must be an integer or an integer for each color, got {short_repr(capacity)}")
    if values.size and int(values.min()) < 0:
        raise ValueError(f"capacity must not be negative, got {values.min()} for color {int(values.argmin())}")
    return np.array([min(value, UNLIMITED) for value in values.tolist()], np.int64)


def checked_sizes(sizes: Any, graph: Graph) -> np.ndarray:
    """Return the size of each vertex as int64; 1 by default."""
    n = graph.num_vertices
    if sizes is None:
        return np.ones(n, np.int64)
    values = host_array(in_vertex_order(sizes, "sizes", graph), "sizes")
    if values.shape != (n,):
        raise ValueError(f"sizes must have one number for each of the {n} vertices, got shape {values.shape}")
    if n and values.dtype.kind not in "iu":
        raise TypeError(f"sizes must be integers, got dtype {values.dtype}; multiply fractions by a common number")
    if n and int(values.min()) < 0:
        v = int(values.argmin())
        raise ValueError(f"sizes must not be negative, got {values[v]} at vertex {shown_vertex(v, graph.nodes)}")
    if n and exact_sum(values) >= UNLIMITED // 2:
        raise ValueError("the sum of the sizes must be below 2**61")
    return values.astype(np.int64)


def _checked_lists(values: Any, name: str, graph: Graph) -> np.ndarray | dict[int, np.ndarray]:
    """Return a mask (n, colors), or the listed colors of some vertices."""
    if isinstance(values, Mapping):
        vertices = vertices_of_keys(values, name, graph)
        colors = [_listed(one, name, v, graph) for v, one in zip(vertices, values.values(), strict=True)]
        return dict(zip(vertices, colors, strict=True))
    mask = host_array(in_vertex_order(values, name, graph), name)
    if mask.dtype != bool or mask.ndim != 2 or mask.shape[0] != graph.num_vertices:
        raise TypeError(
            f"{name} must be a dict of vertices and their colors, or a boolean array of shape ({graph.num_vertices}, "
            f"colors); got {short_repr(values)}"
        )
    return mask


def _listed(colors: Any, name: str, v: int, graph: Graph) -> np.ndarray:
    """Return the colors that a dict lists for a vertex: one color or several."""
    where = f"a color in {name} of vertex {shown_vertex(v, graph.nodes)}"
    if isinstance(colors, str) or not isinstance(colors, Iterable):
        colors = [colors]
    return np.unique([integer(color, where, minimum=0, maximum=NO_COLOR - 1) for color in colors]).astype(np.int64)


def _kinds_of(
    graph: Graph, lists: list[tuple[str, np.ndarray | dict[int, np.ndarray]]], width: int | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the kind of each vertex, the colors that lists name, and the table of kinds.

    Kind 0 may have all colors.
    """
    n = graph.num_vertices
    named = np.empty(0, np.int64)
    for _, values in lists:
        colors = (
            np.arange(values.shape[1]) if isinstance(values, np.ndarray) else np.concatenate([named, *values.values()])
        )
        named = np.union1d(named, colors)
    if width is not None:
        named = named[named < width]  # colors beyond the limit do not exist
    restricted = np.arange(n)
    if not any(isinstance(values, np.ndarray) for _, values in lists):
        restricted = np.unique([v for _, values in lists for v in values]).astype(np.int64)
    place = np.full(n, -1)
    place[restricted] = np.arange(restricted.size)
    may = np.ones((restricted.size, named.size + 1), bool)
    for name, values in lists:
        if isinstance(values, np.ndarray):
            may[:, :-1] &= values if name == "allowed" else ~values
            continue
        for v, colors in values.items():
            in_list = np.append(np.isin(named, colors), False)
            may[place[v]] &= in_list if name == "allowed" else ~in_list
    table, inverse = np.unique(np.concatenate([np.ones((1, named.size + 1), bool), may]), axis=0, return_inverse=True)
    # The row of ones is the last one; it becomes kind 0.
    kinds = np.full(n, 0, np.int32)
    kinds[restricted] = (table.shape[0] - 1 - inverse.ravel()[1:]).astype(np.int32)
    return kinds, named, np.ascontiguousarray(table[::-1])


def checked_fixed_colors(fixed: Any, graph: Graph, distance: int) -> Any:
    """Return the fixed colors as int32, -1 for all other vertices, on the device of the graph.

    Cost: a pass over the entries; at distance 2 also a sort of the entries that lead to a fixed vertex.
    """
    n = graph.num_vertices
    values = (
        _colors_from_mapping(fixed, graph) if isinstance(fixed, Mapping) else in_vertex_order(fixed, "fixed", graph)
    )
    colors = host_array(values, "fixed")
    if colors.dtype.kind not in "iu" and colors.size:
        raise TypeError(f"fixed must be integers, -1 for vertices without a color; got dtype {colors.dtype}")
    if colors.shape != (n,):
        raise ValueError(f"fixed must have one color or -1 for each of the {n} vertices, got shape {colors.shape}")
    wrong = (colors < -1) | (colors >= NO_COLOR)
    if wrong.any():
        v = int(wrong.argmax())
        place = shown_vertex(v, graph.nodes)
        raise ValueError(f"fixed colors must be from -1 to {NO_COLOR - 1}, got {colors[v]} at vertex {place}")
    colors = colors.astype(np.int32)
    clash = _conflict(graph.to("cpu"), colors, distance)
    if clash is not None:
        first, second = (shown_vertex(v, graph.nodes) for v in clash)
        where = "adjacent" if distance == 1 else "within distance 2 of each other"
        raise ImpossibleColoring(
            f"vertices {first} and {second} are both fixed to color {colors[clash[0]]}, but {where}"
        )
    return graph.xp.asarray(colors)


def _colors_from_mapping(fixed: Mapping[Any, Any], graph: Graph) -> np.ndarray:
    """Return a color or -1 for each vertex, from colors by name, or by number if the vertices have no names."""
    n = graph.num_vertices
    colors = np.full(n, -1, np.int64)
    for v, value in zip(vertices_of_keys(fixed, "fixed", graph), fixed.values(), strict=True):
        color = value[0] if isinstance(value, tuple) and len(value) == 2 else value
        name = f"the fixed color of vertex {shown_vertex(v, graph.nodes)}"
        colors[v] = integer(color, name, minimum=0, maximum=NO_COLOR - 1)
    return colors


def _conflict(graph: Graph, colors: np.ndarray, distance: int) -> tuple[int, int] | None:
    """Return two vertices with the same fixed color that are too close to each other, or None."""
    is_fixed = colors[graph.indices] >= 0
    u, v = graph._rows()[is_fixed], graph.indices[is_fixed]  # u has a neighbor v with a fixed color
    if distance == 2:  # u and all its neighbors must differ: sort, so that equal colors are consecutive
        fixed = np.flatnonzero(colors >= 0).astype(v.dtype)
        u, v = np.concatenate([u, fixed]), np.concatenate([v, fixed])
        order = np.lexsort((v, colors[v], u))
        u, v = u[order], v[order]
        same = u[1:] == u[:-1]
        u, v = v[:-1][same], v[1:][same]
    clashes = np.flatnonzero((colors[u] == colors[v]) & (u != v))
    return (int(u[clashes[0]]), int(v[clashes[0]])) if clashes.size else None
