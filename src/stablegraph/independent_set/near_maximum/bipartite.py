"""Bipartite components: a search for them, and a maximum independent set of them by matching.

Result: two colors for the vertices of bipartite components; of these, by matching (see matching.py), as many vertices
as can be independent.

Rule: a component is bipartite  <=>  no edge joins two vertices of one color, where a vertex that is met from v gets
the color that v does not have. In the code: `_color_component`.

Idea: breadth first from each vertex that has no color yet. At the first edge between equal colors the component is
given up, and all its vertices met so far are marked; a search that meets one of those later gives up at once. Of a
graph that is far from bipartite little is ever read.

State, one byte a vertex: 0 unseen, 1 and 2 the colors, 3 in a component with an odd cycle.

Cost: O(n + m) for the coloring, where components are bipartite; on one thread. Work memory: 1 byte and a number a
vertex, and what matching takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...parallel import in_steps, kernel, rule
from ...parallel.groups import Rows
from .matching import maximum_sides

_UNSEEN, ODD = 0, 3


@rule
def _color_component(root, rows, colors, queue):
    """Color what can be reached from a vertex, or mark it if an odd cycle is found."""
    queue[0] = root
    colors[root] = 1
    head, tail, bipartite = 0, 1, True
    while head < tail and bipartite:
        v = queue[head]
        head += 1
        other = 3 - colors[v]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if colors[u] == _UNSEEN:
                colors[u] = other
                queue[tail] = u
                tail += 1
            elif colors[u] != other:
                bipartite = False
                break
    if not bipartite:
        for i in range(tail):
            colors[queue[i]] = ODD


@kernel(by="single")
def _color_components(start, end, rows: Rows, colors, queue):
    """Color the components of the unseen vertices of a range."""
    for v in range(start, end):
        if colors[v] == _UNSEEN:
            _color_component(v, rows, colors, queue)


def two_colors(indptr: Any, indices: Any) -> Any:
    """Colors 1 and 2 where components are bipartite, the smallest vertex of each with 1; 3 elsewhere. No loops."""
    n = indptr.size - 1
    colors, queue = np.zeros(n, np.uint8), np.empty(n, indices.dtype)
    for start, end in in_steps(n):
        _color_components(start, end, Rows(indptr, indices), colors, queue)
    return colors


def maximum_independent_set(indptr: Any, indices: Any, colors: Any) -> Any:
    """A maximum independent set of the vertices with colors 1 and 2, bool (n,)."""
    first_side = colors == 1
    as_left, as_right = maximum_sides(indptr, indices, np.flatnonzero(first_side).astype(indices.dtype))
    return np.where(first_side, as_left, as_right & (colors == 2))
