"""Conversion between SciPy matrices and backend graphs, without intermediate dictionaries."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from ...conversion import as_graph, from_edges
from ...graph import Graph
from .graph import BackendGraph, Column, structure


def from_scipy_sparse_array(
    A: Any, parallel_edges: bool = False, create_using: Any = None, edge_attribute: Any = "weight"
) -> BackendGraph:
    """Return a graph whose nodes are the row numbers of a matrix."""
    if A.shape[0] != A.shape[1]:
        raise nx.NetworkXError(f"Adjacency matrix not square: nx,ny={A.shape}")
    arcs = as_graph(A, directed=True)
    graph = arcs if create_using is nx.DiGraph else _lower_triangle_first(arcs)
    rows = structure(graph.indptr, graph.indices, graph.directed)
    return BackendGraph(rows, range(len(graph)), Column(edge_attribute, graph.weights))


def _lower_triangle_first(arcs: Graph) -> Graph:
    """Return the undirected graph of entries; of (u, v) and (v, u) the one on or below the diagonal is used.

    NetworkX does the same, because it reads that entry last.
    """
    u, v, w, n = arcs._rows().astype(np.int64), arcs.indices.astype(np.int64), arcs.weights, len(arcs)
    below = u >= v
    alone = ~below
    if arcs.is_symmetric:
        alone[:] = False
    else:
        alone[alone] = np.isin(v[alone] * n + u[alone], u[below] * n + v[below], invert=True)
    taken = below | alone
    return from_edges(u[taken], v[taken], w[taken], n, symmetrize=True)


def to_scipy_sparse_array(
    G: BackendGraph, nodelist: None = None, dtype: Any = None, weight: Any = "weight", format: str = "csr"
) -> Any:
    """Return the adjacency matrix, with sorted rows."""
    n = len(G)
    if not n:
        raise nx.NetworkXError("Graph has no nodes or edges")
    values = np.array(G.values(weight) if G.graph.num_entries else [], dtype)  # no edges: float64, as in NetworkX
    matrix: Any = sp.csr_array((values, G.graph.indices.copy(), G.graph.indptr.copy()), shape=(n, n))
    matrix.sort_indices()
    try:
        return matrix.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error
