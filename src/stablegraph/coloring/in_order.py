"""First fit in an order that is named, or given by numbers, at distance 1.

Result: the colors that first_fit.py defines. One thread visits the vertices in turn: the passes of jones_plassmann.py
take 16 threads to come near it, and it stays ahead where rows are short. A GPU has a form of its own
(jones_plassmann_cuda.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from . import first_fit
from .first_fit import NO_COLOR
from .order import visiting_order


def color(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """The colors as int32; those of `fixed` that are not negative stay, and their vertices are ahead of all others."""
    colors = graph.xp.full(graph.num_vertices, NO_COLOR, np.int32)
    if fixed is None and isinstance(order, str) and order == "natural":
        first_fit.visit(graph, None, colors)
        return colors
    vertices = visiting_order(graph, order, ties, seed)
    if fixed is not None:
        colors[fixed >= 0] = fixed[fixed >= 0]
        vertices = vertices[colors[vertices] == NO_COLOR]
    first_fit.visit(graph, vertices, colors)
    return colors
