"""Iterated greedy coloring (Culberson): first fit again and again, class by class.

Result: after each pass a proper coloring, with no more colors than before; a function of the graph, the coloring and
the seed alone.

Rule: first fit (first_fit.py), where a vertex of an earlier class comes first. In the code: `_order_of_classes`.

Idea: if the vertices are grouped by their old colors, first fit needs no more colors than there were, in any order of
the classes: the vertices of a class are not adjacent, so if i classes came before, one of the colors 0 .. i is free for
each of them. The order decides what is gained. Three kinds take turns at random: the classes from last to first; the
largest first, which empties small ones; and a random order, to leave the cycles of the others.

Cost: a first fit and a sort by color in each pass, by one thread. Work memory: 20 to 28 bytes a vertex.

Source: J. C. Culberson, "Iterated Greedy Graph Coloring and the Difficulty Landscape", TR 92-07, University of Alberta,
1992.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import hash32
from ..parallel.primitives import histogram, sort_by_key
from .first_fit import NO_COLOR
from .in_order import visit


def recolor(graph: Graph, colors: Any, classes: Any) -> Any:
    """First fit, one class after another in the order given."""
    rank = np.empty(classes.size, np.int64)
    rank[classes] = np.arange(classes.size)
    vertices = sort_by_key(rank[colors]).astype(graph.indices.dtype)
    colors = np.full_like(colors, NO_COLOR)
    visit(graph, vertices, colors)
    return colors


def iterate(graph: Graph, colors: Any, target: int, passes: int, seed: int) -> tuple[Any, int]:
    """Recolor until there are at most `target` colors, or so many passes have gained none; and how many it took."""
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
