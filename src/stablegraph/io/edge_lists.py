"""Edges and vertex names for the writers of text edge lists and tables of edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.vertex_names import shown_vertex
from .npz import plain_names
from .symmetry import entries, has_symmetric_weights, upper_half

__all__ = ["edge_list", "names_at", "table_edges"]

_LARGEST_SIGNED = 2**63 - 1


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
            again = names[np.setdiff1d(np.arange(names.size), first)[0]]
            raise ValueError(f"several vertices are called {str(again)!r}; write the format 'npz' instead")
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
    least, largest = int(names[0]), int(names[-1])
    return names if least >= 0 and names.size <= largest <= _LARGEST_SIGNED else None
