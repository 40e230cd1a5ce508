"""Fixed colors: check colors that are given in advance, and reject them if they are in conflict.

Cost of the check: a pass over the entries; at distance 2 also a sort of the entries that lead to a fixed vertex.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._core.validation import host_array, integer
from .._core.vertex_names import shown_vertex
from ..graph import Graph
from .first_fit import NO_COLOR


def checked_colors(fixed: Any, graph: Graph, distance: int) -> Any:
    """Return the fixed colors as int32, -1 for all other vertices, on the device of the graph."""
    n = graph.num_vertices
    colors = _from_mapping(fixed, graph) if isinstance(fixed, Mapping) else host_array(fixed, "fixed")
    if colors.dtype.kind not in "iu" and colors.size:
        raise TypeError(f"fixed must be integers, -1 for vertices without a color; got dtype {colors.dtype}")
    if colors.shape != (n,):
        raise ValueError(f"fixed must have one color or -1 for each of the {n} vertices, got shape {colors.shape}")
    wrong = (colors < -1) | (colors >= NO_COLOR)
    if wrong.any():
        v = int(wrong.argmax())
        at = shown_vertex(v, graph.nodes)
        raise ValueError(f"fixed colors must be from -1 to {NO_COLOR - 1}, got {colors[v]} at vertex {at}")
    colors = colors.astype(np.int32)
    clash = _conflict(graph.to("cpu"), colors, distance)
    if clash is not None:
        first, second = (shown_vertex(v, graph.nodes) for v in clash)
        where = "adjacent" if distance == 1 else "within distance 2 of each other"
        raise ValueError(f"vertices {first} and {second} are both fixed to color {colors[clash[0]]}, but {where}")
    return graph.xp.asarray(colors)


def _from_mapping(fixed: Mapping[Any, Any], graph: Graph) -> np.ndarray:
    """Return a color or -1 for each vertex, from colors by name, or by number if the vertices have no names."""
    n = graph.num_vertices
    colors = np.full(n, -1, np.int64)
    if graph.nodes is not None:
        vertices = graph.index(list(fixed))
    else:
        vertices = [integer(v, "a vertex in fixed (vertices have no names)", least=0, most=n - 1) for v in fixed]
    for v, color in zip(vertices, fixed.values(), strict=True):
        name = f"the fixed color of vertex {shown_vertex(v, graph.nodes)}"
        colors[v] = integer(color, name, least=0, most=NO_COLOR - 1)
    return colors


def _conflict(graph: Graph, colors: np.ndarray, distance: int) -> tuple[int, int] | None:
    """Return two vertices with the same fixed color that are too close to each other, or None."""
    given = colors[graph.indices] >= 0
    u, v = graph._rows()[given], graph.indices[given]  # u has a neighbor v with a fixed color
    if distance == 2:  # u and all its neighbors must differ: sort, so that equal colors are consecutive
        fixed = np.flatnonzero(colors >= 0).astype(v.dtype)
        u, v = np.concatenate([u, fixed]), np.concatenate([v, fixed])
        order = np.lexsort((v, colors[v], u))
        u, v = u[order], v[order]
        same = u[1:] == u[:-1]
        u, v = v[:-1][same], v[1:][same]
    clashes = np.flatnonzero((colors[u] == colors[v]) & (u != v))
    return (int(u[clashes[0]]), int(v[clashes[0]])) if clashes.size else None
