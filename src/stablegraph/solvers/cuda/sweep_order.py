"""The order of a Gauss-Seidel sweep by clusters on a GPU: the order of sweep_order.py, by another method.

Unlike on a CPU, the graph of the clusters is built as a product of patterns. `vertex_coloring` then colors it by first
fit in the order of its vertices. Rows are sorted by transposing a pattern.

Cost: two products of patterns and a coloring. Work memory: that of the products.
"""

from __future__ import annotations

from typing import Any

from ..._core.csr.arrays import Pattern
from ..._core.csr.cuda.patterns import product_pattern, transposed
from ...coloring.api import vertex_coloring
from ...coloring.schedule import color_classes
from ...graph import Graph
from ..sweep_order import SweepOrder

_PURPOSE = "the graph of clusters"


def cluster_order(graph: Graph, count: int, labels: Any) -> SweepOrder:
    """Return the order for clusters with labels 0 .. count - 1."""
    xp, n = graph.xp, graph.num_vertices
    kind = graph.indices.dtype

    def rows_by(numbers: Any) -> Pattern:
        """Return the rows of each cluster, ascending, by the clusters' numbers."""
        return transposed(Pattern(xp.arange(n + 1, dtype=kind), numbers[labels]), count)

    # Clusters are colored in descending order of their smallest rows, so they are numbered in this order.
    unordered = rows_by(xp.arange(count, dtype=kind))
    numbers = xp.empty(count, kind)
    numbers[xp.argsort(unordered.indices[unordered.indptr[:-1]])] = xp.arange(count - 1, -1, -1, dtype=kind)
    members = rows_by(numbers)
    cluster_of = Pattern(xp.arange(n + 1, dtype=graph.indptr.dtype), numbers[labels])
    adjacent = product_pattern(Pattern(graph.indptr, graph.indices), cluster_of, count, purpose=_PURPOSE)
    clusters = product_pattern(members, adjacent, count, purpose=_PURPOSE)
    colors = vertex_coloring(Graph._trusted(*clusters), order="natural", reduce="none")

    # The sweep visits them in ascending order.
    offsets, ascending = color_classes(xp.ascontiguousarray(colors[::-1]))
    places = xp.empty(count, kind)
    places[count - 1 - ascending] = xp.arange(count, dtype=kind)
    swept = rows_by(places[numbers])
    return SweepOrder(swept.indices, swept.indptr, offsets.tolist())
