"""The k-core: the part of a graph in which a coloring with k colors is hard to find.

Result: the vertices in a smallest-last order, ready to be colored, and their core numbers, which descend. So the k-core
comes first, up to the last number that is at least k.

Rule: core number(v) = max over the vertices removed up to v of the number of neighbors that were left then. In the
code: the last line of `cores`.

Idea: remove vertices with fewer than k neighbors left, until there are none; what remains is the k-core. The vertices
outside can be colored after the core, the last one removed first: there are fewer than k colors around it, whatever
they are. So only the core must be colored with care, and that of a large graph is often small.

Cost: a smallest-last order and an access to each entry. Work memory: 16 to 24 bytes a vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import kernel
from ..parallel.groups import Rows
from .degeneracy import removal_order


@kernel(by="edges", types="O[] V[] int64[] int64[]")
def count_later(v, rows: Rows, rank, later):
    """Count the neighbors of a vertex that come after it."""
    own, count = rank[v], 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += rank[rows.indices[e]] > own
    later[own] = count


def cores(graph: Graph) -> tuple[Any, Any]:
    """The order and the core numbers, along the order, of a simple graph's vertices."""
    removed, _ = removal_order(graph)
    n = graph.num_vertices
    rank, later = np.empty(n, np.int64), np.empty(n, np.int64)
    rank[removed] = np.arange(n)
    count_later(n, Rows(graph.indptr, graph.indices), rank, later)
    return removed[::-1].copy(), np.maximum.accumulate(later)[::-1]
