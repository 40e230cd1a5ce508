"""The sides of bipartite components on a GPU, by bipartition.cu."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource
from ...graph import Graph

SOURCE = CudaSource(__file__, "bipartition.cu")

_LONG = 9  # entries; bipartition.cu lists only longer rows (far longer ones on a GPU, where it is not emulated)


def is_bipartite(graph: Graph) -> bool:
    """Return whether every edge joins two different sides."""
    return not _united(graph, stops=True)[1]


def sides(graph: Graph) -> Any:
    """Return the side of each vertex, 0 or 1, or None if an edge joins two vertices of one side."""
    (parent, _, _), is_odd = _united(graph, stops=True)
    return None if is_odd else (parent & 1).astype(np.int32)  # roots are the smallest vertices


def united(graph: Graph) -> tuple[Any, Any, Any]:
    """Return the roots of the components with sides, an array that contains n for each vertex, and odd components."""
    return _united(graph, stops=False)[0]


def _united(graph: Graph, *, stops: bool) -> tuple[tuple[Any, Any, Any], bool]:
    """Return the arrays of `united`, which are not complete if an odd component stops it; and whether there is one."""
    xp, n, ids, run = graph.xp, graph.num_vertices, graph.indices.dtype, SOURCE.for_graph(graph)
    rows = (graph.indptr, graph.indices)
    parent, first, odd = xp.empty(n, np.uint32 if ids == np.int32 else np.uint64), xp.empty(n, ids), xp.empty(n, bool)
    listed, state = xp.empty(graph.num_entries // _LONG + 1, ids), xp.empty(2, np.int64)
    run("hang", n, n, *rows, parent, odd, first, state)
    run("hook_second", n, n, *rows, parent, odd, state, int(stops))
    run("link_second", n, n, *rows, parent, odd, state, int(stops))
    run("unite_rest", n, n, *rows, parent, odd, listed, state, int(stops))
    run("unite_hubs", graph.num_entries, *rows, parent, odd, listed, state, int(stops))
    run("settle", n, n, parent, odd, state, int(stops))
    return (parent, first, odd), stops and state.tolist()[1] != 0
