"""Graphs of other libraries as lists of edges, each through the fastest door that the library has.

That is an array for rustworkx and PyTorch Geometric. The others hand out tuples, at a third of a microsecond to a whole
one for each edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..csr.checks import check_square

_PAIR = np.dtype((np.int64, 2))
_WEIGHTED_PAIR = np.dtype([("u", np.int64), ("v", np.int64), ("weight", np.float64)])


class EdgeList(NamedTuple):
    """Edges by the numbers of their ends."""

    u: Any
    v: Any
    weights: Any
    n: int  # vertices
    directed: bool  # if not, an edge stands for both entries
    nodes: Sequence[Any] | None = None


def of_networkx(graph: Any, weights: bool) -> EdgeList:
    """NetworkX: with the names of its nodes, and the attribute "weight" of edges, where all have one."""
    names = list(graph)
    number = {name: v for v, name in enumerate(names)}
    m = graph.number_of_edges()
    edges = list(graph.edges(data="weight"))
    u = np.fromiter((number[edge[0]] for edge in edges), np.int64, m)
    v = np.fromiter((number[edge[1]] for edge in edges), np.int64, m)
    values = _if_all_have_one([edge[2] for edge in edges]) if weights else None
    return EdgeList(u, v, values, len(names), graph.is_directed(), names)


def of_igraph(graph: Any, weights: bool) -> EdgeList:
    """igraph: with the attributes "name" of vertices, and "weight" of edges, where all have one."""
    u, v = np.fromiter(graph.get_edgelist(), _PAIR, graph.ecount()).T
    values = _if_all_have_one(graph.es["weight"]) if weights and "weight" in graph.es.attributes() else None
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    return EdgeList(u, v, values, graph.vcount(), graph.is_directed(), names)


def of_rustworkx(graph: Any, weights: bool) -> EdgeList:
    """rustworkx: what edges carry is their weight, if it is a number for all; texts that vertices carry are names."""
    ids = np.asarray(graph.node_indices()).astype(np.int64)
    pairs = np.asarray(graph.edge_list()).astype(np.int64)
    carried_by_edges = graph.edges() if weights else None
    numbers = carried_by_edges and all(isinstance(x, Real) for x in carried_by_edges)
    directed = type(graph).__name__ != "PyGraph"
    carried = graph.nodes()
    names = carried if carried and all(isinstance(x, str) for x in carried) else None
    values = np.array(carried_by_edges) if numbers else None
    return _without_gaps(ids, pairs[:, 0], pairs[:, 1], values, directed, names)


def of_networkit(graph: Any, weights: bool) -> EdgeList:
    """NetworKit: the weights of a weighted graph."""
    ids, m = np.fromiter(graph.iterNodes(), np.int64), graph.numberOfEdges()
    if weights and graph.isWeighted():
        edges = np.fromiter(graph.iterEdgesWeights(), _WEIGHTED_PAIR, m)
        return _without_gaps(ids, edges["u"], edges["v"], edges["weight"], graph.isDirected())
    pairs = np.fromiter(graph.iterEdges(), _PAIR, m)
    return _without_gaps(ids, pairs[:, 0], pairs[:, 1], None, graph.isDirected())


def of_torch_geometric(data: Any, weights: bool) -> EdgeList:
    """PyTorch Geometric: every column of `edge_index` is one entry, `edge_weight` has its weight."""
    if data.edge_index is None:
        raise ValueError(f"this {type(data).__name__} has no edge_index, so it has no edges")
    u, v = data.edge_index.detach().numpy()
    values = data.get("edge_weight") if weights else None
    return EdgeList(u, v, None if values is None else values.detach().numpy(), data.num_nodes, directed=True)


def of_edge_index(edge_index: Any, weights: bool) -> EdgeList:
    """PyTorch Geometric's tensor that says itself that it is an edge index."""
    u, v = edge_index.as_tensor().numpy()
    given = [size for size in edge_index.sparse_size() if size is not None]
    if len(given) == 2:
        check_square(given)
    return EdgeList(u, v, None, given[0] if given else max(edge_index.get_sparse_size()), directed=True)


def _if_all_have_one(values: list[Any]) -> np.ndarray | None:
    return None if not values or any(value is None for value in values) else np.array(values)


def _without_gaps(ids: Any, u: Any, v: Any, weights: Any, directed: bool, names: Any = None) -> EdgeList:
    """Edges between vertices with ascending ids; where ids are missing, they are numbered, and the ids are names."""
    n = int(ids.size)
    if n and int(ids[-1]) != n - 1:
        u, v = np.searchsorted(ids, u), np.searchsorted(ids, v)
        names = ids.tolist() if names is None else names
    return EdgeList(u, v, weights, n, directed, names)
