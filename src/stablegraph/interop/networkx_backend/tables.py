"""Conversion of pandas edge tables to backend graphs, without intermediate dictionaries."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime.primitives import sort_by_key
from .graph import BackendGraph, Column, structure


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
