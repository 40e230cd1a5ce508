"""Verification of colorings at distance 1 and 2, and of their constraints.

Constraints are fixed colors, allowed and forbidden colors, capacities, rooms and gaps. Names of vertices are looked up
one by one, so that no code is shared with the coloring functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, host_array, integer
from .._core.vertex_names import python_objects, refuse_other_order, shown_name
from ..conversion import undirected
from ..graph import Graph
from .checks import by_vertex, ends_of_entries, first_entry, in_host_memory, integer_each, nearness, vertex, vertices

_SUPPORTED = Supported(  # for a graph in partitions
    {"distance": (1,)},
    dict.fromkeys(("capacity", "sizes", "allowed", "forbidden", "fixed", "rooms", "assigned", "gap"), ""),
)


@suggests_options
def is_proper_coloring(
    graph: Any,
    colors: ArrayLike,
    distance: int = 1,
    *,
    capacity: Any = None,
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    allowed: Any = None,
    forbidden: Any = None,
    fixed: Any = None,
    rooms: Mapping[Any, int] | None = None,
    assigned: Any = None,
    gap: int = 1,
) -> bool:
    """Return whether any two adjacent vertices have different colors, and the colors satisfy the constraints.

    >>> import stablegraph as sg
    >>> sg.is_proper_coloring(sg.gallery.grid((4,)), [0, 1, 0, 1])
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    colors : (n,) integer array
        The color of every vertex, which is any non-negative number; a negative number means that it has no color.
    distance : {1, 2}, optional
        If 2, vertices with a common neighbor must have different colors, too.
    capacity : int or integer array (k,), optional
        The maximum number of vertices per color, or of their total size; one number for all colors, or one for each.
    sizes : integer array (n,) or dict, optional
        The size of each vertex for `capacity`; a dict by name.
    allowed, forbidden : dict or bool array (n, k), optional
        Colors that vertices may have or must not have: a dict of lists by vertex (by name if vertices have names), or a
        mask for the colors 0 to k - 1. With a mask or a capacity per color, there are no other colors.
    fixed : integer array (n,) or dict, optional
        The color that a vertex must have; -1 in an array means any color. A value of a dict may be ``(color, room)``,
        for `rooms` or `assigned`.
    rooms : dict, optional
        ``{name: seats}``: the vertices of a color need different rooms with at least their `sizes` in seats.
    assigned : sequence (n,) or dict, optional
        The room of each vertex, such as the column `room` of `schedule_table`: one of the `rooms`, if they are passed,
        with enough seats, and different from those of the other vertices of its color.
    gap : int
        The smallest difference of the colors of two vertices within the distance.

    Returns
    -------
    bool
        Whether the coloring is proper and satisfies all constraints. If not, `explain_coloring` names the violation.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, the colors are not n integers, the distance is neither 1 nor 2, or a constraint has a
        wrong shape or type.

    Notes
    -----
    One sweep over the entries, with work memory of 10 bytes per entry; at distance 2 a sort of the entries, with about
    50 bytes per entry. A graph on a GPU is checked on the GPU at distance 1, and copied to host memory at distance 2.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_proper_coloring(path, [0, 1, 0, 1])
    True
    >>> sg.is_proper_coloring(path, [0, 1, 0, 1], distance=2)
    False
    >>> sg.explain(sg.is_proper_coloring, path, [0, 1, 1, 0])
    'vertices 1 and 2 are adjacent, but both have color 1'
    >>> sg.explain(sg.is_proper_coloring, path, [0, 1, 0, 2], capacity=1)
    'color 0 has 2 vertices, but its capacity is 1'
    """
    limits = {"capacity": capacity, "sizes": sizes, "allowed": allowed, "forbidden": forbidden, "fixed": fixed}
    limits |= {"rooms": rooms, "assigned": assigned, "gap": gap}
    return explain_coloring(graph, colors, distance, **limits) is None


@dispatches_on_graph
def explain_coloring(
    graph: Any,
    colors: ArrayLike,
    distance: int = 1,
    *,
    capacity: Any = None,
    sizes: ArrayLike | Mapping[Any, int] | None = None,
    allowed: Any = None,
    forbidden: Any = None,
    fixed: Any = None,
    rooms: Mapping[Any, int] | None = None,
    assigned: Any = None,
    gap: int = 1,
) -> str | None:
    """Explain which two vertices are too close for having the same color, or which constraint is violated.

    Return None for a proper coloring that satisfies the constraints.

    Parameters and errors are those of `is_proper_coloring`.
    """
    graph = undirected(graph, partitions=True)
    if integer(distance, "distance", minimum=1) > 2:
        raise ValueError(f"distance must be 1 or 2, got {distance}")
    if distance == 2:
        graph = in_host_memory(graph)
    array = integer_each(colors, graph, "colors")
    limits = {"capacity": capacity, "sizes": sizes, "allowed": allowed, "forbidden": forbidden, "fixed": fixed}
    limits |= {"rooms": rooms, "assigned": assigned}
    gap = integer(gap, "gap", minimum=1)
    if isinstance(graph, PartitionedGraph):
        _SUPPORTED.check(distance=distance, gap=gap if gap > 1 else None, **limits)
        return in_partitions(explain_coloring, graph, array)
    uncolored, clash = color_faults(graph, array, distance, gap=gap)
    if uncolored or clash:
        return uncolored or clash
    if all(limit is None for limit in limits.values()):
        return None
    host = array if isinstance(array, np.ndarray) else array.get()
    return explain_limits(graph.to("cpu"), host, **limits)


def color_faults(
    graph: Graph, colors: Any, distance: int, among: slice = slice(None), gap: int = 1
) -> tuple[str | None, str | None]:
    """Explain which vertex of a range has no color, and which two vertices have too near ones; else return None."""
    uncolored = clash = None
    without = colors[among] < 0
    if without.any():
        v = int(without.argmax()) + (among.start or 0)
        uncolored = f"{vertex(graph, v)} has no color, but {int(colors[v])}: colors are numbers from 0 on"
    pair = None if uncolored else pair_of_near_colors(graph, colors, distance, gap)
    if pair is not None:
        first, second = (int(colors[v]) for v in pair)
        near = f"their colors {first} and {second} differ by less than {gap}"
        what = f"both have color {second}" if first == second else near
        clash = f"{vertices(graph, *pair)} are {nearness(distance)}, but {what}"
    return uncolored, clash


def pair_of_near_colors(graph: Graph, colors: Any, distance: int, gap: int) -> tuple[int, int] | None:
    """Return two vertices within distance 1 or 2 whose colors differ by less than the gap, or None.

    Negative colors are ignored.
    """

    def clash(u: Any, v: Any) -> Any:
        near = colors[u] == colors[v] if gap == 1 else abs(colors[u].astype(np.int64) - colors[v]) < gap
        return near & (u != v) & (colors[u] >= 0)

    if distance == 1:
        return first_entry(graph, clash)
    # The neighbors of a vertex and the vertex itself must all differ; in order of colors, the next one is the nearest.
    rows, columns = ends_of_entries(graph)
    every = np.arange(graph.num_vertices, dtype=columns.dtype)
    rows, columns = np.concatenate([rows, every]), np.concatenate([columns, every])
    order = np.lexsort((columns, colors[columns], rows))
    rows, columns = rows[order], columns[order]
    same_row = rows[1:] == rows[:-1]
    u, v = columns[:-1][same_row], columns[1:][same_row]
    clashes = np.flatnonzero(clash(u, v))
    return (int(u[clashes[0]]), int(v[clashes[0]])) if clashes.size else None


# Constraints


def explain_limits(
    graph: Graph, colors: np.ndarray, capacity: Any, sizes: Any, rooms: Any, assigned: Any, **lists: Any
) -> str | None:
    """Explain which constraint a coloring violates, or return None; the graph and the colors are in host memory."""
    if sizes is not None and capacity is None and rooms is None:
        raise ValueError("sizes need a capacity per color: pass capacity=")
    kept = _kept_rooms(graph, lists["fixed"])
    return (
        (None if lists["fixed"] is None else _changed_color(graph, colors, lists["fixed"]))
        or (None if lists["allowed"] is None else _wrong_color(graph, colors, lists["allowed"], True))
        or (None if lists["forbidden"] is None else _wrong_color(graph, colors, lists["forbidden"], False))
        or (None if capacity is None else _full_color(graph, colors, capacity, sizes))
        or (_wrong_room(graph, colors, assigned, rooms, sizes, kept) if kept or assigned is not None else None)
        or (None if rooms is None else _without_room(graph, colors, rooms, sizes, kept))
    )


def _changed_color(graph: Graph, colors: np.ndarray, fixed: Any) -> str | None:
    """Name a vertex whose color is not the fixed one."""
    if isinstance(fixed, Mapping):
        pairs = list(by_vertex(graph, fixed, "fixed"))
    else:
        array = integer_each(fixed, graph, "fixed")
        pairs = [(int(v), int(array[v])) for v in np.flatnonzero((array >= 0) & (array != colors))[:1]]
    for v, value in pairs:
        color = value[0] if isinstance(value, tuple) and len(value) == 2 else value
        if colors[v] != color:
            return f"{vertex(graph, v)} is fixed to color {color}, but has color {colors[v]}"
    return None


def _wrong_color(graph: Graph, colors: np.ndarray, lists: Any, must_contain: bool) -> str | None:
    """Name a vertex whose color is not in its list of allowed colors, or is in its list of forbidden colors."""
    name = "allowed" if must_contain else "forbidden"
    wrong: int | None = None
    if isinstance(lists, Mapping):
        for v, values in by_vertex(graph, lists, name):
            listed_colors = list(values) if isinstance(values, Iterable) else [values]
            if (int(colors[v]) in listed_colors) != must_contain:
                wrong = v
                break
    else:
        refuse_other_order(lists, name, graph)
        mask = host_array(lists, name)
        if mask.dtype != bool or mask.ndim != 2 or mask.shape[0] != graph.num_vertices:
            raise ValueError(
                f"{name} must be a dict, or a boolean array of shape ({graph.num_vertices}, colors); got an array of "
                f"{mask.dtype} of shape {mask.shape}"
            )
        exists = colors < mask.shape[1]
        listed = np.zeros(colors.size, bool)
        listed[exists] = mask[exists, colors[exists]]
        culprits = np.flatnonzero(listed != must_contain if must_contain else listed | ~exists)
        wrong = int(culprits[0]) if culprits.size else None
    if wrong is None:
        return None
    return (
        f"{vertex(graph, wrong)} has color {colors[wrong]}, which is {'not allowed' if must_contain else 'forbidden'}"
    )


def _amounts(graph: Graph, sizes: Any) -> list[int]:
    return [1] * graph.num_vertices if sizes is None else integer_each(sizes, graph, "sizes").tolist()


def _kept_rooms(graph: Graph, fixed: Any) -> dict[int, Any]:
    """Return the rooms of the vertices that are fixed as (color, room)."""
    pairs = by_vertex(graph, fixed, "fixed") if isinstance(fixed, Mapping) else ()
    return {v: value[1] for v, value in pairs if isinstance(value, tuple) and len(value) == 2}


def _without_room(
    graph: Graph, colors: np.ndarray, rooms: Mapping[Any, int], sizes: Any, kept: Mapping[int, Any]
) -> str | None:
    """Name a vertex that finds no room when the largest vertices of its color take the largest rooms.

    A vertex that keeps a room takes part with the seats of this room.
    """
    if not isinstance(rooms, Mapping):
        raise TypeError(f"rooms must be a dict of names and seats, got {type(rooms).__name__}")
    seats = sorted((integer(number, "the seats of a room", minimum=0) for number in rooms.values()), reverse=True)
    amounts, taken = _amounts(graph, sizes), dict[int, int]()
    for v, room in kept.items():
        amounts[v] = rooms[room]
    for v in sorted(range(len(amounts)), key=lambda v: -amounts[v]):
        color = int(colors[v])
        i = taken[color] = taken.get(color, -1) + 1
        if i >= len(seats) or amounts[v] > seats[i]:
            name = f"{vertex(graph, v)} of size {amounts[v]}"
            return f"{name} has no room in color {color}: {i} of its vertices are not smaller"
    return None


def _wrong_room(
    graph: Graph, colors: np.ndarray, assigned: Any, rooms: Any, sizes: Any, kept: Mapping[int, Any]
) -> str | None:
    """Name a vertex whose room does not exist, is too small, or is that of another vertex of its color.

    A vertex must have the room that it keeps. Without `assigned`, only these rooms are checked.
    """
    names = kept
    if assigned is not None:
        refuse_other_order(assigned, "assigned", graph)
        is_dict = isinstance(assigned, Mapping)
        names = dict(by_vertex(graph, assigned, "assigned")) if is_dict else dict(enumerate(python_objects(assigned)))
        if len(names) != len(graph):
            raise ValueError(f"assigned must have a room for each of the {len(graph)} vertices, got {len(names)}")
    amounts, taken = _amounts(graph, sizes), dict[Any, int]()
    for v in sorted(names):
        room, color = names[v], int(colors[v])
        if v in kept and room != kept[v]:
            return f"{vertex(graph, v)} is fixed in room {shown_name(kept[v])}, but has the room {shown_name(room)}"
        if rooms is not None and room not in rooms:
            return f"{vertex(graph, v)} has the room {shown_name(room)}, which does not exist"
        if rooms is not None and amounts[v] > rooms[room]:
            return f"{vertex(graph, v)} of size {amounts[v]} has the room {shown_name(room)} with {rooms[room]} seats"
        other = taken.setdefault((color, room), v)
        if other != v:
            return f"{vertices(graph, other, v)} have color {color} and the same room {shown_name(room)}"
    return None


def _full_color(graph: Graph, colors: np.ndarray, capacity: Any, sizes: Any) -> str | None:
    """Name a color whose vertices exceed its capacity."""
    if isinstance(capacity, int):
        capacity = min(capacity, 2**63 - 1)  # Python's integers may be larger than those of NumPy
    limits = host_array(capacity, "capacity")
    if limits.ndim > 1 or limits.dtype.kind not in "iu":
        raise TypeError(f"capacity must be an integer or an integer for each color, got dtype {limits.dtype}")
    amounts = _amounts(graph, sizes)
    loads: dict[int, int] = {}
    for color, amount in zip(colors.tolist(), amounts, strict=True):
        loads[color] = loads.get(color, 0) + amount
    for color, load in sorted(loads.items()):
        if limits.ndim and color >= limits.size:
            return f"color {color} is in use, but capacity has only {limits.size} colors"
        room = int(limits[color] if limits.ndim else limits)
        if load > room:
            what = "vertices" if sizes is None else "in total size"
            return f"color {color} has {load} {what}, but its capacity is {room}"
    return None
