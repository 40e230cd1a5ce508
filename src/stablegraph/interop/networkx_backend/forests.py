"""Spanning forests with the same edges, in the same order, as Kruskal's algorithm in NetworkX."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from networkx.algorithms.tree import mst

from ...conversion import from_edges
from ...forest.api import minimum_spanning_forest
from .graph import BackendGraph


def _kruskal_edges(G: BackendGraph, values: Any, ignore_nan: bool, minimum: bool) -> tuple[Any, Any, Any]:
    """Return the edges of the forest in the order in which Kruskal's algorithm adds them: their ends and entries.

    NetworkX sorts edges by weight, and edges of equal weight in the order of ``G.edges``. The ranks in this order are
    distinct, so the minimum spanning forest by rank is unique, and it is NetworkX's forest.
    """
    graph = G.graph
    u, v = graph._rows(), graph.indices
    edges = np.flatnonzero(u <= v)  # in the order of ``G.edges``
    nan = np.isnan(values[edges])
    if nan.any() and not ignore_nan:
        entry = int(edges[np.argmax(nan)])
        tail, head = G.nodes[u[entry]], G.nodes[v[entry]]
        raise ValueError(f"NaN found as an edge weight. Edge {(tail, head, G.of_edge(tail, head, entry))}")
    edges = edges[~nan]
    if minimum:
        edges = edges[np.argsort(values[edges], kind="stable")]
    else:  # reverse before and after the stable sort, so that edges of equal weight keep their order
        edges = edges[::-1]
        edges = edges[np.argsort(values[edges], kind="stable")][::-1]
    by_rank = from_edges(u[edges], v[edges], np.arange(edges.size), len(G), symmetrize=True)
    edges = edges[np.sort(minimum_spanning_forest(by_rank).data)]
    return u[edges], v[edges], edges


def _edges(G: BackendGraph, values: Any, data: bool, ignore_nan: bool, minimum: bool) -> Iterator[tuple[Any, ...]]:
    """Yield edges as NetworkX does; errors are raised when the first edge is requested."""
    tails, heads, entries = _kruskal_edges(G, values, ignore_nan, minimum)
    pairs = zip(G.names(tails), G.names(heads), strict=True)
    if not data:
        yield from pairs
    else:
        for (u, v), entry in zip(pairs, entries.tolist(), strict=True):
            yield u, v, G.of_edge(u, v, entry)


def _spanning_edges(
    G: BackendGraph,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
    *,
    minimum: bool,
) -> Iterator[tuple[Any, ...]]:
    """Yield the edges of a spanning forest, lightest first, or of a maximum spanning forest, heaviest first."""
    if algorithm not in mst.ALGORITHMS:
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    return _edges(G, G.values(weight), data, ignore_nan, minimum)


def _spanning_tree(
    G: BackendGraph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False, *, minimum: bool
) -> Any:
    """Return the spanning forest as a NetworkX graph, with all attributes."""
    tree = G.without_edges()
    tree.add_edges_from(_spanning_edges(G, algorithm, weight, ignore_nan=ignore_nan, minimum=minimum))
    return tree


minimum_spanning_edges = partial(_spanning_edges, minimum=True)
maximum_spanning_edges = partial(_spanning_edges, minimum=False)
minimum_spanning_tree = partial(_spanning_tree, minimum=True)
maximum_spanning_tree = partial(_spanning_tree, minimum=False)
