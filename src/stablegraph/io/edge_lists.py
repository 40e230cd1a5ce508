"""The edges and the names of the vertices of a graph, as the writers need them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .._core.vertex_names import shown_name, shown_vertex

_LARGEST_SIGNED = 2**63 - 1


def entries(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return row, column and weight of every stored entry."""
    rows = np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr))
    return rows, graph.indices, graph.weights


def check_text_weights(u: np.ndarray, v: np.ndarray, w: np.ndarray | None) -> None:
    """Refuse weights that the parser could not read back: it reads signed 64-bit integers, decimals and infinity."""
    if w is None:
        return
    if w.dtype.kind not in "iubf":
        raise ValueError(f"weights in a text file are real numbers, not {w.dtype}; write the format 'npz' instead")
    wrong = np.isnan(w) if w.dtype.kind == "f" else (w > _LARGEST_SIGNED) | (w < -_LARGEST_SIGNED)
    if wrong.any():
        k = int(np.argmax(wrong))
        kind = "numbers" if w.dtype.kind == "f" else "integers of 64 bits with a sign"
        raise ValueError(
            f"weights in a text file are {kind}, but entry ({int(u[k])}, {int(v[k])}) weighs {w[k]}; write the format "
            "'npz' instead"
        )


def upper_half(u: np.ndarray, v: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the entries with u <= v, that is each edge of an undirected graph once."""
    is_upper = u <= v
    return u[is_upper], v[is_upper], None if w is None else w[is_upper]


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


def edge_list(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool, np.ndarray | None]:
    """Return the content of an edge list: ends, weights, whether each edge is listed once, ascending integer names."""
    u, v, w, undirected = _edges(graph)
    names = _ascending_integers(graph)
    if names is not None:
        _check_isolated(graph, u, v, names, "an edge list cannot hold", " together with ids that have gaps")
    return u, v, w, undirected, names


def table_edges(graph: Any, *, counted: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool, Any]:
    """Return the content of a table of edges: ends, weights, whether each edge is listed once, and names of vertices.

    Names are integers, texts, or an Arrow array; None if they are 0 .. n - 1. `counted` indicates whether the table
    states the number of vertices, so that it can hold isolated ones that have no names.
    """
    u, v, w, undirected = _edges(graph)
    names = graph.nodes
    if names is not None and not hasattr(names, "at"):
        names = plain_names(names)
        distinct, first = np.unique(names, return_index=True)
        if distinct.size < names.size:
            repeated = names[np.setdiff1d(np.arange(names.size), first)[0]]
            raise ValueError(f"several vertices are called {str(repeated)!r}; write the format 'npz' instead")
        if names.dtype.kind in "iu":
            names = None if np.array_equal(names, np.arange(names.size)) else names
    if names is not None or not counted:
        _check_isolated(graph, u, v, names, "a table of edges cannot hold", "")
    return u, v, w, undirected, names


def names_at(names: Any, vertices: np.ndarray) -> Any:
    """Return the names of the given vertices as an array; without names, their numbers as int64."""
    if names is None:
        return vertices.astype(np.int64, copy=False)
    return names.array.take(vertices) if hasattr(names, "at") else names[vertices]


def _edges(graph: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool]:
    """Return ends and weights of the edges, and whether each edge is listed once."""
    u, v, w = entries(graph)
    undirected = not graph.directed and has_symmetric_weights(graph)
    return (*(upper_half(u, v, w) if undirected else (u, v, w)), undirected)


def _check_isolated(graph: Any, u: np.ndarray, v: np.ndarray, names: Any, cannot: str, where: str) -> None:
    isolated = np.ones(graph.num_vertices, bool)
    isolated[u] = isolated[v] = False
    if isolated.any():
        name = shown_vertex(int(isolated.argmax()), names)
        raise ValueError(f"{cannot} the isolated vertex {name}{where}; write the format 'npz' instead")


def _ascending_integers(graph: Any) -> np.ndarray | None:
    """Return the node names if they are ascending non-negative integers other than 0 .. n - 1, otherwise None."""
    if graph.nodes is None:
        return None
    try:
        names = np.asarray(graph.nodes)
    except ValueError:
        return None
    if names.dtype.kind not in "iu" or names.ndim != 1 or not names.size or (names[1:] <= names[:-1]).any():
        return None
    smallest, largest = int(names[0]), int(names[-1])
    return names if smallest >= 0 and names.size <= largest <= _LARGEST_SIGNED else None


def plain_names(nodes: Any) -> np.ndarray:
    """Return node names as an array that needs no pickle: integers if possible, otherwise texts."""
    if isinstance(nodes, np.ndarray) and nodes.dtype.kind in "iuU":
        return nodes
    if all(isinstance(node, (int, np.integer)) and abs(int(node)) < 2**63 for node in nodes):
        return np.array([int(node) for node in nodes], np.int64)
    texts = [str(node) for node in nodes]
    if wrong := next((text for text in texts if text.endswith("\0")), None):
        raise ValueError(f"the name {shown_name(wrong)} ends in NUL, which an array of texts drops; rename the vertex")
    return np.array(texts, np.str_)
