"""The sides of bipartite components on a GPU, by bipartition.cu."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import CudaSource
from ..graph import Graph

SOURCE = CudaSource(__file__, "bipartition.cu")

_LONG = 9  # entries; bipartition.cu lists only longer rows (far longer ones on a GPU, where it is not emulated)


def sides(graph: Graph) -> Any:
    """Return the side of each vertex, 0 or 1, or None if an edge joins two vertices of one side."""
    parent, _, odd = united(graph)
    return None if bool(odd.any()) else (parent & 1).astype(np.int32)  # roots are the smallest vertices


def united(graph: Graph) -> tuple[Any, Any, Any]:
    """Return the roots of the components with sides, an array that contains n for each vertex, and odd components."""
    xp, n, ids, run = graph.xp, graph.num_vertices, graph.indices.dtype, SOURCE.for_graph(graph)
    rows = (graph.indptr, graph.indices)
    parent, first, odd = xp.empty(n, np.uint32 if ids == np.int32 else np.uint64), xp.empty(n, ids), xp.empty(n, bool)
    listed, hubs = xp.empty(graph.num_entries // _LONG + 1, ids), xp.empty(1, np.int64)
    run("hang", n, n, *rows, parent, odd, first, hubs)
    run("link_second", n, n, *rows, parent, odd)
    run("unite_rest", n, n, *rows, parent, odd, listed, hubs)
    run("unite_hubs", graph.num_entries, *rows, parent, odd, listed, hubs)
    run("settle", n, n, parent, odd)
    return parent, first, odd
