"""Iterated greedy coloring (Culberson): repeated first fit, class by class.

Result: after each pass a proper coloring with at most as many colors as before. It depends only on the graph, the
coloring and the seed.

Rule: first fit (first_fit.py), where the vertices of an earlier class come first. In the code: `_order_of_classes`.

Idea: if the vertices are grouped by their old colors, first fit never needs more colors than before, for any order of
the classes. The vertices of a class are not adjacent, so after i classes each can take one of the colors 0 .. i.
The order of the classes determines the gain. Three orders are chosen at random: from the last class to the first; by
decreasing size, which empties small classes; and a random order, to leave cycles of the other two.

Cost: one first fit and one sort by color per pass, on one thread. Work memory: 20 to 28 bytes per vertex.

Source: J. C. Culberson, "Iterated Greedy Graph Coloring and the Difficulty Landscape", TR 92-07, University of Alberta,
1992.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import hash32
from ..._core.runtime.primitives import histogram, sort_by_key
from ...graph import Graph
from ..first_fit import color_vertices
from ..rules import NO_COLOR


def recolor(graph: Graph, colors: Any, classes: Any) -> Any:
    """Color the graph by first fit, one class after another in the given order."""
    rank = np.empty(classes.size, np.int64)
    rank[classes] = np.arange(classes.size)
    vertices = sort_by_key(rank[colors]).astype(graph.indices.dtype)
    colors = np.full_like(colors, NO_COLOR)
    color_vertices(graph, vertices, colors)
    return colors


def iterate(graph: Graph, colors: Any, target: int, passes: int, seed: int) -> tuple[Any, int]:
    """Recolor until there are at most `target` colors, or `passes` passes in a row saved none.

    Return the coloring and the number of passes.
    """
    count = int(colors.max()) + 1
    number = gained = 0
    while count > target and number - gained < passes:
        colors = recolor(graph, colors, _order_of_classes(histogram(colors, count), hash32((seed + number) % 2**32)))
        number += 1
        before, count = count, int(colors.max()) + 1
        if count < before:
            gained = number
    return colors, number


def _order_of_classes(sizes: Any, draw: int) -> Any:
    if draw % 10 < 5:
        return np.arange(sizes.size)[::-1]
    if draw % 10 < 8:
        return np.argsort(-sizes, kind="stable")
    return np.argsort(np.array([hash32(draw + color) for color in range(sizes.size)]), kind="stable")
