"""Single linkage: the tree of clusters that form when the edges of a forest are added, the shortest edge first.

Result: SciPy's linkage matrix. Row i describes the join of two clusters, which become cluster n + i: the numbers of the
two, the smaller one first, their distance, and the number of vertices of the new cluster. It depends only on the
forest.

Rule: edges are added in the order of (distance, smaller end, larger end), and each joins the clusters of its two ends.
At the end, the component of each vertex is one cluster; these are joined at distance infinity, in the order of their
smallest vertices. The oracle is `single_linkage` in tests/support/naive.py. In the code: `_join_clusters`.

Idea: union-find, whose roots store the number of their cluster. The sort by distance runs on all threads. One thread
joins the clusters, because a number depends on all earlier joins; it needs two calls of `find` for each edge.

State: `parent` (_core/engines/union.py), and for each root its cluster.

Cost: a sort of the edges and two calls of `find` for each. Work memory: 16 bytes per vertex and 60 per edge, in
addition to the undirected graph of the forest.

Source: J. Gower, G. Ross, "Minimum Spanning Trees and Single Linkage Cluster Analysis", Journal of the Royal
Statistical Society C 18(1), 1969.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.union import link_roots, roots_of
from .._core.runtime import Float64s, Float64Table, Int64s, Vertices, chunked, kernel
from .._core.runtime.partitioning import ITEMS_PER_CALL
from .._core.vertex_names import shown_entry
from ..graph import Graph
from .kruskal import order_of_keys
from .weights import order_of

_JOINED, _CYCLE = 0, 1  # the elements of `Clusters.results`


class Clusters(NamedTuple):
    """The clusters, and the rows written so far."""

    parent: Vertices  # (n,)
    numbers: Int64s  # (n,): the number of a root's cluster
    linkage: Float64Table  # (n - 1, 4)
    results: Int64s  # (2,): the number of joins, and an edge that closes a cycle, or -1


@kernel(by="single")
def _join_clusters(start: int, end: int, us: Vertices, vs: Vertices, distances: Float64s, clusters: Clusters):
    """Join the clusters of the ends of each edge."""
    parent, numbers, linkage, n = clusters.parent, clusters.numbers, clusters.linkage, clusters.parent.size
    joined = clusters.results[_JOINED]
    for i in range(start, end):
        u, v = roots_of(i, end, us, vs, parent)
        if u == v:
            clusters.results[_CYCLE] = i
        else:
            a, b = min(numbers[u], numbers[v]), max(numbers[u], numbers[v])
            linkage[joined, 0] = a
            linkage[joined, 1] = b
            linkage[joined, 2] = distances[i]
            linkage[joined, 3] = (linkage[a - n, 3] if a >= n else 1) + (linkage[b - n, 3] if b >= n else 1)
            link_roots(u, v, parent)
            numbers[min(u, v)] = n + joined
            joined += 1
    clusters.results[_JOINED] = joined


def single_linkage(forest: Graph) -> Any:
    """Return the linkage matrix of a forest: an undirected graph in host memory, with sorted rows and no NaN."""
    n, rows = forest.num_vertices, forest._rows()
    upper = np.flatnonzero(rows < forest.indices)
    order = order_of(forest, maximum=False)
    by_distance = upper[order_of_keys(order.keys(upper))]
    us, vs = rows[by_distance], forest.indices[by_distance]
    distances = (np.ones(us.size) if forest.weights is None else forest.weights[by_distance]).astype(np.float64)
    if us.size and distances[0] < 0:
        edge = shown_entry(us[0], vs[0], forest.nodes)
        raise ValueError(
            f"edge {edge} has the weight {distances[0]}, but a distance is at least 0; make distances of similarities, "
            "for example the largest similarity minus each"
        )
    distances += 0.0  # -0.0 becomes 0.0
    vertices = np.arange(n, dtype=forest.indices.dtype)
    clusters = Clusters(vertices, np.arange(n), np.empty((max(n - 1, 0), 4)), np.array([0, -1]))
    _join_along(us, vs, distances, clusters)
    if clusters.results[_CYCLE] >= 0:
        e = clusters.results[_CYCLE]
        raise ValueError(
            f"edge {shown_entry(us[e], vs[e], forest.nodes)} closes a cycle; pass minimum_spanning_forest(graph)"
        )
    roots = np.flatnonzero(clusters.parent == np.arange(n)).astype(forest.indices.dtype)
    _join_along(roots[:-1], roots[1:], np.full(max(roots.size - 1, 0), np.inf), clusters)
    return clusters.linkage


def _join_along(us: Any, vs: Any, distances: Any, clusters: Clusters) -> None:
    for start, end in chunked(us.size, ITEMS_PER_CALL):
        _join_clusters(start, end, us, vs, distances, clusters)
