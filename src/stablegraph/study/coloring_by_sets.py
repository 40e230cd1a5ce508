"""Luby's coloring: each color is a maximal independent set of the remaining vertices.

Result: a proper coloring that depends only on the graph and the seed. It has at most one color more than the largest
degree: an uncolored vertex has a neighbor of each color used so far.

Rule: color(v) = c  <=>  v is in the set that Luby's algorithm (study/luby.py) finds among the vertices
without a color below c, with new random numbers for each c. The oracle is `luby_coloring` in tests/support/naive.py.

Cost: one independent set per color, each on the whole graph. For comparison: first fit is faster and needs fewer
colors.

Source: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", SIAM Journal on Computing 15(4),
1986.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.engines.rounds import History
from .._core.runtime import hash32
from ..graph import Graph
from . import luby


def color(graph: Graph, seed: int) -> Any:
    """Return the colors; `seed` is the hash of the user's seed."""
    xp = graph.xp
    colors = xp.full(graph.num_vertices, -1, np.int32)
    number = 0
    while bool((colors < 0).any()):
        settled = xp.flatnonzero(colors >= 0).astype(graph.indices.dtype)
        colors[luby.independent_set(graph, settled[:0], settled, History(), seed=hash32(seed + number))] = number
        number += 1
    return colors
