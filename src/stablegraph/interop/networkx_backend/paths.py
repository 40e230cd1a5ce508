"""Shortest paths by weight, and the nodes that paths lead to.

Lengths are NetworkX's. Its dictionaries are in the order of a heap, the dictionaries here in the order of the lengths,
equal ones in the order of the nodes. Among several shortest paths, NetworkX returns the first one that it finds, and
this package one with the fewest edges, with the first possible predecessors in the order of the nodes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx
import numpy as np

from ..._core.vertex_values import checked_weights
from ...traversal.api import bfs_path, lengths_and_parents, reachable
from .connectivity import single_source_shortest_path_length
from .graph import BackendGraph


def _search(G: BackendGraph, source: Hashable, weight: Any, cutoff: float | None = None) -> tuple[dict[Any, Any], Any]:
    """Return the lengths by node, and the predecessors of the vertices."""
    if source not in G:
        raise nx.NodeNotFound(f"Node {source} not found in graph")
    start, weights = np.array([G.numbers[source]]), checked_weights(G.graph, G.values(weight), "weight=None")
    lengths, parents = lengths_and_parents(G.graph, start, weights, None if cutoff is None else max(0, cutoff))
    reached = start if cutoff is not None and cutoff < 0 else np.flatnonzero(parents >= 0)
    order = reached[np.argsort(lengths[reached], kind="stable")]
    return dict(zip(G.names(order), lengths[order].tolist(), strict=True)), parents


def single_source_dijkstra(
    G: BackendGraph, source: Hashable, target: Any = None, cutoff: float | None = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return the lengths and the paths: for one target, or by node."""
    lengths, parents = _search(G, source, weight, cutoff)
    if target is not None:
        if target not in lengths:
            raise nx.NetworkXNoPath(f"No path to {target}.")
        return lengths[target], G.names(bfs_path(parents, G.numbers[target]))
    above, paths = parents.tolist(), {G.numbers[source]: [source]}
    for name in lengths:
        v, missing = G.numbers[name], []
        while v not in paths:  # a predecessor at the same distance may come later
            missing.append(v)
            v = above[v]
        for u in reversed(missing):
            paths[u] = [*paths[above[u]], G.nodes[u]]
    return lengths, {name: paths[G.numbers[name]] for name in lengths}


def single_source_dijkstra_path(
    G: BackendGraph, source: Hashable, cutoff: float | None = None, weight: Any = "weight"
) -> Any:
    """Return the paths by node."""
    return single_source_dijkstra(G, source, None, cutoff, weight)[1]


def single_source_dijkstra_path_length(
    G: BackendGraph, source: Hashable, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return the lengths by node."""
    return _search(G, source, weight, cutoff)[0]


def dijkstra_path(G: BackendGraph, source: Hashable, target: Hashable, weight: Any = "weight") -> Any:
    """Return a shortest path to a node."""
    return single_source_dijkstra(G, source, target, weight=weight)[1]


def dijkstra_path_length(G: BackendGraph, source: Hashable, target: Hashable, weight: Any = "weight") -> Any:
    """Return the length of a shortest path to a node."""
    lengths = _search(G, source, weight)[0]
    if target not in lengths:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return lengths[target]


def shortest_path(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """Return shortest paths by node."""
    return single_source_dijkstra_path(G, source, None, weight)


def shortest_path_length(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """Return the length of a shortest path to a target, or lengths by node."""
    if weight is None:
        return single_source_shortest_path_length(G, source)
    if target is None:
        return single_source_dijkstra_path_length(G, source, None, weight)
    return dijkstra_path_length(G, source, target, weight)


def descendants(G: BackendGraph, source: Hashable, *, reverse: bool = False) -> set[Any]:
    """Return the other nodes to which paths lead from a node, or from which with `reverse`."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the {'digraph' if G.is_directed() else 'graph'}.")
    graph = G.graph.transpose() if reverse else G.graph
    return set(G.names(np.flatnonzero(reachable(graph, G.numbers[source])))) - {source}


def ancestors(G: BackendGraph, source: Hashable) -> set[Any]:
    """Return the other nodes from which paths lead to a node."""
    return descendants(G, source, reverse=True)
