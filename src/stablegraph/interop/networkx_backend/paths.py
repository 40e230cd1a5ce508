"""Shortest paths by weight or by number of edges, and answers that follow from reachable nodes and components.

Lengths are NetworkX's. Its dictionaries are in the order of a heap, the dictionaries here in the order of the lengths,
equal ones in the order of the nodes. Among several shortest paths, NetworkX returns the first one that it finds, and
this package one with the fewest edges, with the first possible predecessors in the order of the nodes.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from ...traversal.api import checked_weights, lengths_and_parents, reachable
from .connectivity import number_connected_components, single_source_shortest_path_length
from .graph import BackendGraph


class _Search(NamedTuple):
    """The result of a search."""

    names: list[Any]  # of all vertices
    order: list[int]  # the reached vertices by distance
    lengths: list[Any]  # of all vertices
    parents: list[int]

    def length_of_each(self) -> dict[Any, Any]:
        """Return the lengths by name."""
        return {self.names[v]: self.lengths[v] for v in self.order}

    def path_of_each(self) -> dict[Any, list[Any]]:
        """Return the paths by name; each is the path of the predecessor and one more name."""
        paths: dict[int, list[Any]] = {}
        for end in self.order:
            missing, v = [], end
            while v not in paths and self.parents[v] != v:
                missing.append(v)
                v = self.parents[v]
            paths.setdefault(v, [self.names[v]])
            for v in reversed(missing):
                paths[v] = [*paths[self.parents[v]], self.names[v]]
        return {self.names[v]: paths[v] for v in self.order}

    def path_to(self, v: int) -> list[Any]:
        """Return the path to one vertex."""
        path = [v]
        while self.parents[path[-1]] != path[-1]:
            path.append(self.parents[path[-1]])
        return [self.names[u] for u in reversed(path)]


def _search(G: BackendGraph, sources: Any, weight: Any, cutoff: float | None) -> _Search:
    """Search from nodes of the graph, by an attribute of edges or, if `weight` is None, by their number."""
    starts = np.unique([G.numbers[source] for source in sources])
    weights = None if weight is None else checked_weights(G.graph, G.values(weight), "weight=None")
    limit = None if cutoff is None else max(0, cutoff)
    lengths, parents = lengths_and_parents(G.graph, starts, weights, limit)
    reached = starts if cutoff is not None and cutoff < 0 else np.flatnonzero(parents >= 0)
    order = reached[np.argsort(lengths[reached], kind="stable")]
    return _Search(G.names(np.arange(len(G))), order.tolist(), lengths.tolist(), parents.tolist())


def _require(G: BackendGraph, source: Hashable, message: str) -> None:
    """Raise NetworkX's error unless a node is in the graph."""
    if source not in G:
        raise nx.NodeNotFound(message.format(source))


def _from_sources(G: BackendGraph, sources: Any, weight: Any, cutoff: float | None) -> _Search:
    if not sources:
        raise ValueError("sources must not be empty")
    for source in sources:
        _require(G, source, "Node {} not found in graph")
    return _search(G, sources, weight, cutoff)


def multi_source_dijkstra(
    G: BackendGraph, sources: Any, target: Any = None, cutoff: float | None = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return the lengths and the paths from the nearest source: for one target, or by node."""
    found = _from_sources(G, sources, weight, cutoff)
    if target is None:
        return found.length_of_each(), found.path_of_each()
    if target in sources:
        return 0, [target]
    v = G.numbers[target] if target in G else None
    if v is None or found.parents[v] < 0:
        raise nx.NetworkXNoPath(f"No path to {target}.")
    return found.lengths[v], found.path_to(v)


def multi_source_dijkstra_path(
    G: BackendGraph, sources: Any, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    """Return the paths from the nearest source by node."""
    return _from_sources(G, sources, weight, cutoff).path_of_each()


def multi_source_dijkstra_path_length(
    G: BackendGraph, sources: Any, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return the lengths from the nearest source by node."""
    return _from_sources(G, sources, weight, cutoff).length_of_each()


def single_source_dijkstra(
    G: BackendGraph, source: Hashable, target: Any = None, cutoff: float | None = None, weight: Any = "weight"
) -> tuple[Any, Any]:
    """Return the lengths and the paths: for one target, or by node."""
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def single_source_dijkstra_path(
    G: BackendGraph, source: Hashable, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Any, list[Any]]:
    """Return the paths by node."""
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra_path_length(
    G: BackendGraph, source: Hashable, cutoff: float | None = None, weight: Any = "weight"
) -> dict[Any, Any]:
    """Return the lengths by node."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def dijkstra_path(G: BackendGraph, source: Hashable, target: Hashable, weight: Any = "weight") -> list[Any]:
    """Return a shortest path to a node."""
    path: list[Any] = single_source_dijkstra(G, source, target, weight=weight)[1]
    return path


def dijkstra_path_length(G: BackendGraph, source: Hashable, target: Hashable, weight: Any = "weight") -> Any:
    """Return the length of a shortest path to a node."""
    try:
        return single_source_dijkstra(G, source, target, weight=weight)[0]
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath(f"Node {target} not reachable from {source}") from None


def single_source_shortest_path(G: BackendGraph, source: Hashable, cutoff: float | None = None) -> dict[Any, list[Any]]:
    """Return paths with the fewest edges by node."""
    _require(G, source, "Source {} not in G")
    steps = cutoff if cutoff is None or math.isinf(cutoff) else math.ceil(cutoff)
    return _search(G, [source], None, steps).path_of_each()


def shortest_path(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """Return shortest paths by node, or by weight to a target."""
    if weight is None:
        return single_source_shortest_path(G, source)
    if target is None:
        return single_source_dijkstra_path(G, source, None, weight)
    _require(G, source, "Source {} is not in G")
    _require(G, target, "Target {} is not in G")
    try:
        return dijkstra_path(G, source, target, weight)
    except nx.NetworkXNoPath:
        raise nx.NetworkXNoPath(f"No path between {source} and {target}.") from None


def shortest_path_length(
    G: BackendGraph, source: Any = None, target: Any = None, weight: Any = None, method: str = "dijkstra"
) -> Any:
    """Return lengths by node, or by weight to a target."""
    if weight is None:
        return single_source_shortest_path_length(G, source)
    if target is None:
        return single_source_dijkstra_path_length(G, source, None, weight)
    return dijkstra_path_length(G, source, target, weight)


def _others(G: BackendGraph, graph: Any, source: Hashable) -> set[Any]:
    """Return the other nodes that are reachable in a graph with the same nodes."""
    if source not in G:
        raise nx.NetworkXError(f"The node {source} is not in the {'digraph' if G.is_directed() else 'graph'}.")
    mask = reachable(graph, G.numbers[source])
    mask[G.numbers[source]] = False
    return set(G.names(np.flatnonzero(mask)))


def descendants(G: BackendGraph, source: Hashable) -> set[Any]:
    """Return the other nodes to which paths lead from a node."""
    return _others(G, G.graph, source)


def ancestors(G: BackendGraph, source: Hashable) -> set[Any]:
    """Return the other nodes from which paths lead to a node."""
    return _others(G, G.graph.transpose(), source)


def _number_of_edges(G: BackendGraph) -> int:
    """Return the number of edges; a loop counts once."""
    entries, loops = G.graph.num_entries, int(np.count_nonzero(G.graph._rows() == G.graph.indices))
    return entries if G.is_directed() else (entries + loops) // 2


def is_forest(G: BackendGraph) -> bool:
    """Return whether there are no cycles, if directions are ignored."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("G has no nodes.")
    return len(G) - number_connected_components(G) == _number_of_edges(G)


def is_tree(G: BackendGraph) -> bool:
    """Return whether the graph is connected and there are no cycles, if directions are ignored."""
    return is_forest(G) and len(G) - 1 == _number_of_edges(G)
