"""The entries of a graph as three columns, and their symmetry, for the writers."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

__all__ = ["check_text_weights", "entries", "has_symmetric_weights", "upper_half"]

_LARGEST = 2**63 - 1


def entries(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return row, column and weight of every stored entry."""
    rows = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr))
    return rows, graph.indices, graph.weights


def check_text_weights(u: np.ndarray, v: np.ndarray, w: np.ndarray | None) -> None:
    """Refuse weights that the byte parser could not read back: it reads signed 64-bit integers and finite decimals."""
    if w is None:
        return
    if w.dtype.kind not in "iubf":
        raise ValueError(f"weights in a text file are real numbers, not {w.dtype}; write the format 'npz' instead")
    wrong = ~np.isfinite(w) if w.dtype.kind == "f" else (w > _LARGEST) | (w < -_LARGEST)
    if wrong.any():
        k = int(np.argmax(wrong))
        kind = "finite" if w.dtype.kind == "f" else "integers of 64 bits with a sign"
        raise ValueError(
            f"weights in a text file are {kind}, but entry ({int(u[k])}, {int(v[k])}) weighs {w[k]}; write the format "
            "'npz' instead"
        )


def upper_half(u: np.ndarray, v: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the entries with u <= v, that is each edge of an undirected graph once."""
    kept = u <= v
    return u[kept], v[kept], None if w is None else w[kept]


def has_symmetric_weights(graph: Any) -> bool:
    """Return whether each entry of an undirected graph has the weight of its partner (True without weights)."""
    if graph.weights is None:
        return True
    n = graph.num_vertices
    rows = sp.csr_array((graph.weights, graph.indices, graph.indptr), shape=(n, n))
    columns = rows.T.tocsr()
    if not graph.facts.get("sorted", False):
        rows = rows.copy()
        rows.sort_indices()
    return np.array_equal(rows.indices, columns.indices) and np.array_equal(rows.data, columns.data)
