"""Where a coloring with k colors is hard: the k-core.

Result: the vertices in a smallest-last order, ready to be colored, and their core numbers, which descend. So the k-core
comes first, up to the last number that is at least k.

Idea: take away whoever has fewer than k neighbours left, until nobody has; what remains is the k-core. Those outside
can be colored after the core, the last one to be taken away first: there are fewer than k colors around it, whatever
they are. So only the core must be colored with thought, and that of a large graph is often small.

When a vertex is taken away, its core number is the largest number of neighbours that anyone so far had left.

Cost: a smallest-last order and a look at each edge. Work memory: 16 to 24 bytes a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel
from .degeneracy import removal_order


@kernel(by="edges")
def count_later(v, indptr, indices, place, later):
    """Count the neighbours of a vertex that come after it."""
    own, count = int(place[at(v)]), 0
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        count += int(place[at(indices[at(e)])] > own)
    later[at(own)] = count


def cores(graph: Graph) -> tuple[Any, Any]:
    """The order and the core numbers, along the order, of a simple graph's vertices."""
    removed, _ = removal_order(graph)
    n = graph.num_vertices
    place, later = np.empty(n, np.int64), np.empty(n, np.int64)
    place[removed] = np.arange(n)
    count_later(n, graph.indptr, graph.indices, place, later)
    return removed[::-1].copy(), np.maximum.accumulate(later)[::-1]
