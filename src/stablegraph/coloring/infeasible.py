"""Reasons why no coloring satisfies its constraints, as errors that name the vertices or the colors.

Result: an error that proves that there is no coloring, or none. It depends only on the graph and the constraints.

Rule: a coloring is impossible if

* a fixed color is not permitted, or the vertices fixed to a color exceed its capacity or its rooms;
* fixed colors of neighbors are nearer to each other than the gap;
* a vertex has no color: each is not permitted, too small for its size, or nearer than the gap to a neighbor's;
* a vertex is too large for each room;
* vertices with equal lists of colors, and with parts of these lists, have a larger total size than these colors, or
  need more rooms of some size than these colors have;
* adjacent vertices (a clique) have fewer permitted colors than vertices, or than the gaps between them need.

These conditions are not all: exhaustive.py examines small graphs completely.

Cost: a pass over the entries of the fixed vertices, a search for a clique (bounds.py), and the permitted colors of its
members. Work memory: that of the search for a clique, and one byte per vertex of a chunk and color.
"""

from __future__ import annotations

import numpy as np

from .._core.vertex_names import shown_vertex
from ..graph import Graph
from .constraints import Constraints, ImpossibleColoring, loads_of

_CHUNK = 1 << 24  # pairs of a vertex and a color that are checked at a time
_MAX_KINDS = 256  # of which all pairs are compared
_SHOWN = 20  # vertices in a message


def free_colors(graph: Graph, limits: Constraints, vertices: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Return a mask (vertices, palette) of the permitted colors that no neighbor is fixed to; rows may be large."""
    may: np.ndarray = limits.table[limits.kinds[vertices]][:, limits.columns_of(palette)]
    starts, lengths = graph.indptr[vertices], np.diff(graph.indptr)[vertices]
    row = np.repeat(np.arange(vertices.size), lengths)
    entry = np.arange(row.size) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
    color = limits.fixed[graph.indices[entry]]
    taken = (color >= 0) & (graph.indices[entry] != vertices[row])
    near = color[taken, None] + np.arange(1 - limits.gap, limits.gap)
    place = np.minimum(np.searchsorted(palette, near), max(palette.size - 1, 0))
    exists = palette[place] == near
    may[np.repeat(row[taken], near.shape[1])[exists.ravel()], place[exists]] = False
    fixed = limits.fixed[vertices]
    is_fixed = np.flatnonzero(fixed >= 0)
    may[is_fixed] &= palette == fixed[is_fixed, None]
    return may


def check_possible(graph: Graph, limits: Constraints, clique: np.ndarray) -> None:
    """Raise ImpossibleColoring if one of the conditions above proves that there is no coloring."""
    if limits.seats is not None:
        _check_largest(graph, limits, limits.seats)
    _check_fixed(graph, limits)
    palette = limits.palette(1)
    capacity = limits.capacity_of(palette)
    _check_total(graph, limits, palette, capacity)
    step = max(1, _CHUNK // max(1, palette.size))
    is_limited = limits.width is not None or limits.colors_differ or limits.capacity is not None
    for start in range(0, graph.num_vertices if is_limited else 0, step):
        vertices = np.arange(start, min(start + step, graph.num_vertices))
        _check_each_vertex(graph, limits, vertices, palette, capacity)
    _check_kinds(graph, limits, palette, capacity)
    _check_clique(graph, limits, clique, palette)


def _check_largest(graph: Graph, limits: Constraints, seats: np.ndarray) -> None:
    """Find a vertex that is too large for each room."""
    v = int(limits.sizes.argmax()) if limits.sizes.size else 0
    if limits.rooms.size and limits.rooms[limits.levels[v]] == 0:
        largest = f"the largest room has {seats[-1]}" if seats.size else "there are no rooms"
        raise ImpossibleColoring(f"vertex {shown_vertex(v, graph.nodes)} needs {limits.sizes[v]} seats, but {largest}")


def rooms_needed(limits: Constraints, vertices: np.ndarray) -> tuple[int, str]:
    """Return the number of colors whose rooms some vertices fill at least, and the reason."""
    needed = np.cumsum(np.bincount(limits.levels[vertices], minlength=limits.rooms.size))
    colors = -(-needed // np.maximum(limits.rooms, 1))
    if not colors.any():
        return 0, ""
    i = int(colors.argmax())
    largest, many = vertices[limits.levels[vertices] <= i], int(limits.rooms[i])
    need = "need" if np.array_equal(limits.needed[largest], limits.sizes[largest]) else "need or keep"
    return int(colors[i]), (
        f"{needed[i]} vertices {need} a room with {limits.needed[largest].min()} seats or more, and there "
        f"{'are' if many > 1 else 'is'} {many}"
    )


def _check_fixed(graph: Graph, limits: Constraints) -> None:
    vertices = np.flatnonzero(limits.fixed >= 0)
    colors = limits.fixed[vertices].astype(np.int64)
    wrong = ~limits.table[limits.kinds[vertices], limits.columns_of(colors)]
    if wrong.any():
        v = int(vertices[wrong.argmax()])
        raise ImpossibleColoring(
            f"vertex {shown_vertex(v, graph.nodes)} is fixed to color {limits.fixed[v]}, which is not allowed for it"
        )
    if limits.gap > 1 and vertices.size:
        rows, columns = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr)), graph.indices
        first, second = limits.fixed[rows].astype(np.int64), limits.fixed[columns]
        near = np.flatnonzero(
            (np.abs(first - second) < limits.gap) & (np.minimum(first, second) >= 0) & (rows != columns)
        )
        for e in near[:1]:
            ends = (f"{shown_vertex(end[e], graph.nodes)} to color {limits.fixed[end[e]]}" for end in (rows, columns))
            raise ImpossibleColoring(f"neighbors are fixed nearer than the gap of {limits.gap}: {', '.join(ends)}")
    for color in np.unique(colors) if limits.rooms.size else ():
        number, reason = rooms_needed(limits, vertices[colors == color])
        if number > 1:
            raise ImpossibleColoring(f"of the vertices that are fixed to color {color}, {reason}")
    if limits.capacity is not None and vertices.size:
        used, place = np.unique(colors, return_inverse=True)
        loads = loads_of(place, limits.sizes[vertices], used.size)
        over = loads > limits.capacity_of(used)
        if over.any():
            i = int(over.argmax())
            raise ImpossibleColoring(
                f"the vertices that are fixed to color {used[i]} have size {loads[i]} in total, but its capacity is "
                f"{limits.capacity_of(used)[i]}"
            )


def _check_total(graph: Graph, limits: Constraints, palette: np.ndarray, capacity: np.ndarray) -> None:
    if limits.width is None:
        return
    n, total, room = graph.num_vertices, int(limits.sizes.sum()), sum(capacity.tolist())
    number, reason = rooms_needed(limits, np.arange(n)) if limits.rooms.size else (0, "")
    if number > limits.width:
        raise ImpossibleColoring(f"{reason}: at least {number} colors, but there are only {limits.width}")
    if n and not limits.width:
        raise ImpossibleColoring(f"colors=0 is not enough for {n} vertices")
    if total > room:
        what = f"{n} vertices" if total == n else f"{n} vertices with a total size of {total}"
        raise ImpossibleColoring(
            f"{what} exceed the total capacity of {limits.width} colors, {room}: pass more colors or a larger capacity"
        )


def _check_each_vertex(
    graph: Graph, limits: Constraints, vertices: np.ndarray, palette: np.ndarray, capacity: np.ndarray
) -> None:
    may = free_colors(graph, limits, vertices, palette)
    without = ~(may & (limits.sizes[vertices, None] <= capacity)).any(axis=1)
    if not without.any():
        return
    v = int(vertices[without.argmax()])
    permitted = palette[limits.table[limits.kinds[v]][limits.columns_of(palette)]]
    if not permitted.size:
        raise ImpossibleColoring(f"vertex {shown_vertex(v, graph.nodes)} has no allowed color")
    free = may[without.argmax()]
    name = shown_vertex(v, graph.nodes)
    if free.any():
        raise ImpossibleColoring(
            f"vertex {name} has size {limits.sizes[v]}, but the largest capacity of its colors is "
            f"{capacity[free].max()}"
        )
    where = "fixed at" if limits.gap == 1 else f"nearer than the gap of {limits.gap} to fixed colors of"
    raise ImpossibleColoring(
        f"vertex {name} has no color: its allowed colors ({_few(permitted.tolist())}) are {where} its neighbors"
    )


def _check_kinds(graph: Graph, limits: Constraints, palette: np.ndarray, capacity: np.ndarray) -> None:
    """Compare the vertices whose lists are parts of one list with the capacity of this list."""
    if not (limits.capacity is not None or limits.rooms.size) or not 1 < limits.table.shape[0] <= _MAX_KINDS:
        return
    may = limits.table[:, limits.columns_of(palette)]
    loads = loads_of(limits.kinds, limits.sizes, may.shape[0])
    for kind in range(may.shape[0]):
        if limits.width is None and limits.table[kind, -1]:
            continue
        parts = ~(may & ~may[kind]).any(axis=1)
        if limits.rooms.size:
            number, reason = rooms_needed(limits, np.flatnonzero(parts[limits.kinds]))
            if number > np.count_nonzero(may[kind]):
                listed = _few(palette[may[kind]].tolist())
                raise ImpossibleColoring(f"of the vertices restricted to the colors {listed}, {reason} in each")
        room = sum(capacity[may[kind]].tolist())
        if int(loads[parts].sum()) > room:
            raise ImpossibleColoring(
                f"the vertices that are restricted to the colors {_few(palette[may[kind]].tolist())} have size "
                f"{loads[parts].sum()} in total, but the capacity of these colors is {room}"
            )


def _check_clique(graph: Graph, limits: Constraints, clique: np.ndarray, palette: np.ndarray) -> None:
    if not clique.size or (limits.width is None and not limits.colors_differ):
        return
    members = clique[~limits.table[limits.kinds[clique], -1]] if limits.width is None else clique
    may = limits.table[limits.kinds[members]][:, limits.columns_of(palette)]
    usable, needed = np.flatnonzero(may.any(axis=0)), (members.size - 1) * limits.gap + 1
    colors = usable.size if limits.gap == 1 else int(np.ptp(usable)) + 1 if usable.size else 0
    if needed > colors and members.size:
        names = _few([shown_vertex(v, graph.nodes) for v in members.tolist()])
        gap = "" if limits.gap == 1 else f" with a gap of {limits.gap}"
        raise ImpossibleColoring(
            f"{colors} colors are not enough: the {members.size} vertices {names} are pairwise adjacent and need "
            f"{needed} colors{gap}"
        )


def _few(items: list[object]) -> str:
    shown = ", ".join(map(str, items[:_SHOWN]))
    return shown if len(items) <= _SHOWN else f"{shown}, ... ({len(items)} in total)"
