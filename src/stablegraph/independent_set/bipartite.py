"""Bipartite components: which they are, and a maximum independent set of them.

Result: two colors for the vertices of bipartite components; of these, by matching (see matching.py), as many vertices
as can be independent.

Idea of the coloring: breadth first from each vertex that has no color yet; neighbours get the other color. At the first
edge between equal colors the component is given up, and all its vertices met so far are marked; who meets one of those
later gives up at once. Of a graph that is far from bipartite little is ever read.

State, one byte a vertex: 0 unseen, 1 and 2 the colors, 3 in a component with an odd cycle.

Cost: O(n + m) for the coloring, where components are bipartite; on one thread. Work memory: 1 byte and a number a
vertex, and what matching takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, in_steps, kernel, rule
from .matching import maximum_sides

_UNSEEN, ODD = 0, 3


@rule
def _color_component(root, indptr, indices, colors, queue):
    queue[0] = root
    colors[at(root)] = 1
    head, tail, bipartite = 0, 1, True
    while head < tail and bipartite:
        v = int(queue[at(head)])
        head += 1
        other = 3 - int(colors[at(v)])
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = indices[at(e)]
            if colors[at(u)] == _UNSEEN:
                colors[at(u)] = other
                queue[at(tail)] = u
                tail += 1
            elif colors[at(u)] != other:
                bipartite = False
                break
    if not bipartite:
        for i in range(tail):
            colors[at(queue[at(i)])] = ODD


@kernel(by="single")
def _color_components(first, beyond, indptr, indices, colors, queue):
    for v in range(first, beyond):
        if colors[at(v)] == _UNSEEN:
            _color_component(v, indptr, indices, colors, queue)


def two_colors(indptr: Any, indices: Any) -> Any:
    """Colors 1 and 2 where components are bipartite, the smallest vertex of each with 1; 3 elsewhere. No loops."""
    n = indptr.size - 1
    colors, queue = np.zeros(n, np.uint8), np.empty(n, indices.dtype)
    for first, beyond in in_steps(n):
        _color_components(first, beyond, indptr, indices, colors, queue)
    return colors


def maximum_independent_set(indptr: Any, indices: Any, colors: Any) -> Any:
    """A maximum independent set of the vertices with colors 1 and 2, bool (n,)."""
    first_side = colors == 1
    as_left, as_right = maximum_sides(indptr, indices, np.flatnonzero(first_side).astype(indices.dtype))
    return np.where(first_side, as_left, as_right & (colors == 2))
