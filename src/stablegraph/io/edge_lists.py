"""What text edge lists and tables of edges share: ids with gaps, and the edges that are written."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..tables.numbering import number_integers
from .source import Source
from .symmetry import entries, has_symmetric_weights, upper_half

__all__ = ["check_node_count", "edge_list", "relabel"]


def relabel(
    source: Source, u: np.ndarray, v: np.ndarray, stated: int | None
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    """Number the ids 0 .. n - 1 in ascending order; the ids themselves are returned too, if they differ from that."""
    if stated is not None and max(int(u.max(initial=-1)), int(v.max(initial=-1))) < stated:
        return u, v, stated, None
    u, v, n, ids = number_integers(u, v)
    check_node_count(source, stated, n)
    return u, v, n, ids


def check_node_count(source: Source, stated: int | None, found: int) -> None:
    """Refuse another number of ids than the file announces."""
    if stated is not None and found != stated:
        raise source.error(
            f"the file announces {stated} nodes, but {found} different ids follow; "
            "get the whole file, or take that number out if it is wrong"
        )


def edge_list(graph: Any, kinds: str) -> tuple[np.ndarray, np.ndarray, np.ndarray | None, bool, np.ndarray | None]:
    """What an edge list says: ends, weights, whether each edge stands once, and the names of these dtype kinds."""
    u, v, w = entries(graph)
    undirected = not graph.directed and has_symmetric_weights(graph)
    if undirected:
        u, v, w = upper_half(u, v, w)
    names = _ascending_names(graph, kinds)
    if names is not None:
        isolated = np.ones(names.size, bool)
        isolated[u] = isolated[v] = False
        if isolated.any():
            raise ValueError(
                f"an edge list cannot hold the isolated vertex {names[isolated][0]} beside ids with gaps; "
                "write the format 'npz' instead"
            )
    return u, v, w, undirected, names


def _ascending_names(graph: Any, kinds: str) -> np.ndarray | None:
    """The nodes, if they are ascending texts, or ascending integers from 0 on that are not just 0 .. n - 1."""
    if graph.nodes is None:
        return None
    try:
        names = np.asarray(graph.nodes)
    except ValueError:
        return None
    if names.dtype.kind not in kinds or names.ndim != 1 or not names.size or (names[1:] <= names[:-1]).any():
        return None
    return names if names.dtype.kind == "U" or (int(names[0]) >= 0 and int(names[-1]) >= names.size) else None
