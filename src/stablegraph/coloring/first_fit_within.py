"""First fit with capacities and lists of permitted colors.

Result: a partial coloring that depends only on the graph, the order and the limits. A vertex remains without a color if
no permitted color is free.

Rule: color(v) = the lowest permitted color that no neighbor of v has and that has room for the size of v

State: ``marks[c]`` is the last vertex with a neighbor of color c. The permitted colors of v are
``table[kinds[v], column[c]]``, so that vertices with equal lists share a row.

Cost: the entries, and for each vertex the colors up to its own, one thread. Colors without room are skipped from the
lowest one on. Work memory: 32 bytes per color.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Rows, chunked, kernel
from .._core.runtime.partitioning import VERTICES_PER_CALL
from ..graph import Graph
from .rules import NO_COLOR


class Room(NamedTuple):
    """The permitted colors of each vertex, and the room of each color."""

    kinds: Any  # int32 (n,)
    table: Any  # bool (kinds, columns)
    column: Any  # int32 (k,)
    capacity: Any  # int64 (k,)
    sizes: Any  # int64 (n,)
    loads: Any  # int64 (k,)


@kernel(by="single", types="V[] O[] V[] int32[] bool[,] int32[] int64[] int64[] int64[] int64[] int32[]")
def _fit(vertices, rows: Rows, room: Room, marks, colors):
    """Color the vertices in their order."""
    k = marks.size
    lowest = 0
    for i in range(vertices.size):
        v = vertices[i]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            color = colors[rows.indices[e]]
            if color < k:
                marks[color] = v
        while lowest < k and room.loads[lowest] >= room.capacity[lowest]:
            lowest += 1
        size, kind = room.sizes[v], room.kinds[v]
        color = lowest if size > 0 else 0
        while color < k and (
            marks[color] == v
            or not room.table[kind, room.column[color]]
            or room.loads[color] + size > room.capacity[color]
        ):
            color += 1
        if color < k:
            colors[v] = color
            room.loads[color] += size


def fit_within(graph: Graph, vertices: np.ndarray, room: Room, colors: np.ndarray) -> None:
    """Color vertices in their order, with the positions of `room`; other vertices keep the colors that they have."""
    marks = np.full(room.capacity.size, -1, np.int64)
    rows = Rows(graph.indptr, graph.indices)
    colored = np.flatnonzero(colors != NO_COLOR)
    np.add.at(room.loads, colors[colored], room.sizes[colored])
    vertices = vertices.astype(graph.indices.dtype, copy=False)
    for start, end in chunked(vertices.size, VERTICES_PER_CALL):
        _fit(np.ascontiguousarray(vertices[start:end]), rows, room, marks, colors)
