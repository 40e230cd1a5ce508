"""The k-core: the part of a graph for which a coloring with k colors is hard to find.

Result: the vertices in a smallest-last order, ready to be colored, and their core numbers, which are descending. The
k-core therefore comes first, up to the last number that is at least k.

Rule: core number(v) = max over the vertices removed up to v of their numbers of remaining neighbors at removal. In the
code: the last line of `cores`.

Idea: remove vertices with fewer than k remaining neighbors until there are none; the remaining vertices are the k-core.
The other vertices can be colored after the core, in reverse order of removal: each of them then has fewer than k colors
around it, whatever these are. Only the core must be colored with care, and the core of a large graph is often small.

Cost: a smallest-last order and an access to each entry. Work memory: 16 to 24 bytes per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import kernel
from .._core.runtime.structs import Rows
from ..graph import Graph
from .degeneracy import removal_order


@kernel(by="edges", types="O[] V[] int64[] int64[]")
def count_later(v, rows: Rows, rank, later):
    """Count the neighbors of a vertex that come after it."""
    own, count = rank[v], 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += rank[rows.indices[e]] > own
    later[own] = count


def cores(graph: Graph) -> tuple[Any, Any]:
    """Return the vertices of a simple graph in smallest-last order, and the core number of each."""
    removed, _ = removal_order(graph)
    n = graph.num_vertices
    rank, later = np.empty(n, np.int64), np.empty(n, np.int64)
    rank[removed] = np.arange(n)
    count_later(n, Rows(graph.indptr, graph.indices), rank, later)
    return removed[::-1].copy(), np.maximum.accumulate(later)[::-1]
