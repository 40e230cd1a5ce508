"""Breadth-first searches that visit nodes in NetworkX's order: queue order, neighbors in the order of adjacency.

`breadth_first_search` of this package computes the distances. The order of visits is inherently serial. It comes from
SciPy's search, which reads rows in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order

from ...graph import Graph
from ...traversal.api import breadth_first_search
from .graph import BackendGraph


def _visits(graph: Graph, sources: list[int]) -> tuple[Any, Any, Any]:
    """Return the vertices in the order of visits, and the predecessor and the distance of each of them."""
    indptr, indices, n = graph.indptr, graph.indices, graph.num_vertices
    # Start from an additional vertex whose neighbors are the sources.
    indptr = np.append(indptr, indptr[-1] + len(sources)).astype(indptr.dtype)
    indices = np.append(indices, sources).astype(indices.dtype)
    matrix = sp.csr_array((np.ones(indices.size), indices, indptr), shape=(n + 1, n + 1))
    order, predecessors = breadth_first_order(matrix, n)
    order = order[1:]
    return order, predecessors[order], breadth_first_search(graph, np.array(sources, np.int64))[0][order]


def _within(distance: Any, limit: float | None) -> Any:
    """Return the number of visits of a search that does not expand vertices at distance `limit` or more."""
    if limit is None:
        return distance.size
    return np.searchsorted(distance, max(0, np.ceil(limit)), side="right")


def bfs_edges(
    G: BackendGraph,
    source: Hashable,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Yield the edges through which the search first reaches each node."""
    if source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")
    order, predecessors, distance = _visits(G.graph, [G.numbers[source]])
    end = _within(distance, depth_limit)
    yield from zip(G.names(predecessors[1:end]), G.names(order[1:end]), strict=True)


def bfs_tree(
    G: BackendGraph,
    source: Hashable,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Any:
    """Return the same edges as a NetworkX graph."""
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, depth_limit=depth_limit))
    return tree


def bfs_layers(G: BackendGraph, sources: Any) -> Iterator[list[Any]]:
    """Yield the list of nodes at each distance from the sources."""
    nodes: Iterable[Any] = set([sources] if sources in G else sources)  # NetworkX uses the order of this set
    for source in nodes:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    order, _, distance = _visits(G.graph, [G.numbers[source] for source in nodes])
    names, ends = G.names(order), np.cumsum(np.bincount(distance)).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        yield names[start:end]


def single_source_shortest_path_length(
    G: BackendGraph, source: Hashable, cutoff: float | None = None
) -> dict[Any, int]:
    """Return the distance of every node that can be reached, within the cutoff if there is one."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    order, _, distance = _visits(G.graph, [G.numbers[source]])
    end = _within(distance, cutoff)
    return dict(zip(G.names(order[:end]), distance[:end].tolist(), strict=True))
