"""Conversion of SciPy matrices and pandas tables to backend graphs, without intermediate dictionaries, and back."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from ..._core.csr.arrays import index_type
from ..._core.runtime.primitives import sort_by_key
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


def from_pandas_edgelist(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> BackendGraph:
    """Return a graph of the edges in a table; nodes and neighbors have the order of their first occurrence."""
    import pandas as pd

    directed = create_using is nx.DiGraph
    ends = pd.concat([df[source], df[target]], ignore_index=True)
    m = len(df)
    along_edges = np.arange(2 * m).reshape(2, m).T.ravel()
    numbers, names = pd.factorize(ends.take(along_edges))
    if numbers.min(initial=0) < 0:
        raise NotImplementedError("an end of an edge is missing")
    n = len(names)
    numbers = numbers.astype(index_type(n))
    first, last = _distinct(numbers[::2].astype(np.int64), numbers[1::2].astype(np.int64), n, directed)
    u, v, w = numbers[::2][first], numbers[1::2][first], None if edge_attr is None else df[edge_attr].to_numpy()[last]

    rows, heads, edges = u, v, np.arange(first.size)
    if not directed:  # add each edge to the rows of both ends, but a loop only once
        both = np.ones((first.size, 2), bool)
        both[:, 1] = u != v
        rows, heads = np.column_stack([u, v])[both], np.column_stack([v, u])[both]
        edges = np.column_stack([edges, edges])[both]
    order = sort_by_key(rows)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
    graph = structure(indptr, np.ascontiguousarray(heads[order]), directed)
    return BackendGraph(graph, names.tolist(), Column(edge_attr, None if w is None else w[edges[order]]))


def _distinct(u: Any, v: Any, n: int, directed: bool) -> tuple[Any, Any]:
    """Return the first and the last row of each edge, in the order of first rows; the last row has its attribute."""
    key = u * n + v if directed else np.minimum(u, v) * n + np.maximum(u, v)
    _, first = np.unique(key, return_index=True)
    _, last = np.unique(key[::-1], return_index=True)
    order = np.argsort(first)
    return first[order], key.size - 1 - last[order]
