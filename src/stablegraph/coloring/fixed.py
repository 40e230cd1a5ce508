"""Colors that are given beforehand: checked, and refused where they are in conflict.

Cost of the check: a pass over the entries, and at distance 2 a sort of those that lead to a vertex with a given color.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arguments import host_array
from ..graph import Graph
from .first_fit import NO_COLOR


def checked_colors(fixed: Any, graph: Graph, distance: int) -> Any:
    """The given colors as int32, -1 for vertices without one, where the graph lives."""
    colors, n = host_array(fixed, "fixed"), graph.num_vertices
    if colors.dtype.kind not in "iu" and colors.size:
        raise TypeError(f"fixed must be integers, -1 for vertices without a color; got dtype {colors.dtype}")
    if colors.shape != (n,):
        raise ValueError(f"fixed must have one color or -1 for each of the {n} vertices, got shape {colors.shape}")
    wrong = (colors < -1) | (colors >= NO_COLOR)
    if wrong.any():
        v = int(wrong.argmax())
        raise ValueError(f"fixed colors must be from -1 to {NO_COLOR - 1}, got {colors[v]} at vertex {v}")
    colors = colors.astype(np.int32)
    clash = _conflict(graph.to("cpu"), colors, distance)
    if clash is not None:
        u, v = clash
        where = "adjacent" if distance == 1 else "within distance 2 of each other"
        raise ValueError(f"vertices {u} and {v} are both fixed to color {colors[v]}, but {where}")
    return graph.xp.asarray(colors)


def _conflict(graph: Graph, colors: np.ndarray, distance: int) -> tuple[int, int] | None:
    """Two vertices of one given color that are too near each other, or None."""
    given = colors[graph.indices] >= 0
    u, v = graph._rows()[given], graph.indices[given]  # u has a neighbor v with a given color
    if distance == 2:  # all neighbors of u, and u itself, must differ: those of one color follow one another
        fixed = np.flatnonzero(colors >= 0).astype(v.dtype)
        u, v = np.concatenate([u, fixed]), np.concatenate([v, fixed])
        order = np.lexsort((v, colors[v], u))
        u, v = u[order], v[order]
        same = u[1:] == u[:-1]
        u, v = v[:-1][same], v[1:][same]
    clashes = np.flatnonzero((colors[u] == colors[v]) & (u != v))
    return (int(u[clashes[0]]), int(v[clashes[0]])) if clashes.size else None
