"""Greedy colorings, and a check of colorings."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...coloring import api as native
from .graph import BackendGraph

# NetworkX's names of the supported orders, and the names in this package.
STRATEGIES = {
    "largest_first": "largest_first",
    "smallest_last": "smallest_last",
    "random_sequential": "random",
    "saturation_largest_first": "saturation",
    "DSATUR": "saturation",
}


def greedy_color(G: BackendGraph, strategy: str = "largest_first", interchange: bool = False) -> dict[Any, int]:
    """Color the nodes by first fit: "largest_first" as NetworkX does, other orders with exchanges that save colors."""
    order: Any = STRATEGIES[strategy]
    if order == "largest_first" and G.graph.has_loops:
        rows = G.graph._rows()
        order = G.graph.degrees.astype(np.int64)
        order[rows[rows == G.graph.indices]] += 2  # NetworkX counts a loop twice
    colors = native.vertex_coloring(
        G.graph,
        order=order,
        reduce="none" if strategy == "largest_first" else "quick",
        seed=random.getrandbits(31) if strategy == "random_sequential" else 0,
    )
    return dict(zip(G.nodes, colors.tolist(), strict=True))


def is_coloring(G: BackendGraph, coloring: Mapping[Any, Any]) -> bool:
    """Return whether the ends of each edge have different colors; all colors must be integers."""
    colors = [coloring.get(name) for name in G.nodes]
    if not all(isinstance(color, int) for color in colors):
        raise NotImplementedError("a node has a color that is no integer, or none")
    of_node = np.asarray(colors if colors else np.empty(0, np.int64))
    return bool((of_node[G.graph._rows()] != of_node[G.graph.indices]).all())
