"""Spanning forests: Kruskal's, edge by edge and in his order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from networkx.algorithms.tree import mst

from ...conversion import from_edges
from ...forest import minimum_spanning_forest
from ...graph import Graph
from .graph import BackendGraph


def _kruskal_entries(G: BackendGraph, values: Any, ignore_nan: bool, minimum: bool) -> Any:
    """The entries that are edges of the forest, in the order in which Kruskal's algorithm takes them.

    NetworkX sorts edges by weight, equal ones in the order of ``G.edges``. Their ranks in that order are all different,
    so the minimum spanning forest by rank is the one that it finds.
    """
    graph = G.graph
    u, v = graph._rows(), graph.indices
    edges = np.flatnonzero(u <= v)  # as ``G.edges`` lists them
    nan = np.isnan(values[edges])
    if nan.any() and not ignore_nan:
        entry = int(edges[np.argmax(nan)])
        tail, head = G.nodes[u[entry]], G.nodes[v[entry]]
        raise ValueError(f"NaN found as an edge weight. Edge {(tail, head, G.of_edge(tail, head, entry))}")
    edges = edges[~nan]
    if minimum:
        edges = edges[np.argsort(values[edges], kind="stable")]
    else:  # the other way round twice, so that equal ones stay in their order
        edges = edges[::-1]
        edges = edges[np.argsort(values[edges], kind="stable")][::-1]
    by_rank = from_edges(u[edges], v[edges], np.arange(edges.size), len(G), symmetrize=True)
    return edges[np.sort(minimum_spanning_forest(by_rank).data)]


def _edges(G: BackendGraph, values: Any, data: bool, ignore_nan: bool, minimum: bool) -> Iterator[tuple[Any, ...]]:
    """Edges as NetworkX yields them, and errors when the first one is asked for."""
    entries = _kruskal_entries(G, values, ignore_nan, minimum)
    pairs = zip(G.names(_rows_of(G.graph, entries)), G.names(G.graph.indices[entries]), strict=True)
    if not data:
        yield from pairs
    else:
        for (u, v), entry in zip(pairs, entries.tolist(), strict=True):
            yield u, v, G.of_edge(u, v, entry)


def _rows_of(graph: Graph, entries: Any) -> Any:
    """The row of each of some entries."""
    return np.searchsorted(graph.indptr, entries, side="right") - 1


def _spanning_edges(
    G: BackendGraph, algorithm: str, weight: Any, data: bool, ignore_nan: bool, minimum: bool
) -> Iterator[tuple[Any, ...]]:
    if algorithm not in mst.ALGORITHMS:
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    return _edges(G, G.values(weight), data, ignore_nan, minimum)


def minimum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    """The edges of a minimum spanning forest, lightest first."""
    return _spanning_edges(G, algorithm, weight, data, ignore_nan, minimum=True)


def maximum_spanning_edges(G, algorithm="kruskal", weight="weight", keys=True, data=True, ignore_nan=False):
    """The edges of a maximum spanning forest, heaviest first."""
    return _spanning_edges(G, algorithm, weight, data, ignore_nan, minimum=False)


def minimum_spanning_tree(
    G: BackendGraph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """The same as a graph of NetworkX's, with all attributes."""
    tree = G.without_edges()
    tree.add_edges_from(minimum_spanning_edges(G, algorithm, weight, ignore_nan=ignore_nan))
    return tree


def maximum_spanning_tree(
    G: BackendGraph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False
) -> Any:
    """The same as a graph of NetworkX's, with all attributes."""
    tree = G.without_edges()
    tree.add_edges_from(maximum_spanning_edges(G, algorithm, weight, ignore_nan=ignore_nan))
    return tree
