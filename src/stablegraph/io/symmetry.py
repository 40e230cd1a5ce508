"""The entries of a graph as three columns, for the writers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["entries", "has_symmetric_weights", "upper_half"]


def entries(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Row, column and weight of every stored entry."""
    rows = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr))
    return rows, graph.indices, graph.weights


def upper_half(u: np.ndarray, v: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """The entries with u <= v: each edge of an undirected graph once."""
    kept = u <= v
    return u[kept], v[kept], None if w is None else w[kept]


def has_symmetric_weights(graph: Any) -> bool:
    """Whether each entry of an undirected graph weighs as much as its partner (True without weights)."""
    if graph.weights is None:
        return True
    n = graph.num_vertices
    rows = sp.csr_array((graph.weights, graph.indices, graph.indptr), shape=(n, n))
    columns = rows.T.tocsr()
    if not graph.facts.get("sorted", False):
        rows = rows.copy()
        rows.sort_indices()
    return np.array_equal(rows.indices, columns.indices) and np.array_equal(rows.data, columns.data)
