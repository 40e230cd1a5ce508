"""Connected components by union-find on a GPU, with the algorithm of union.cu, and the numbering of components."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import CudaSource, array_module, device_of, report
from ..graph import Graph

_LABELS = ({"LABEL": np.dtype(np.int32)}, {"LABEL": np.dtype(np.int64)})
SOURCE = CudaSource(__file__, "union.cu", also=("../_core/runtime/union_find.cuh",), variants=_LABELS)

_ENTRIES = 512  # minimum number of entries per piece of a long row, on average: half of LONG in union.cu


def components(graph: Graph) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex: eight launches, one read of the count."""
    xp, n = graph.xp, graph.num_vertices
    labels = xp.empty(n, index_type(n))
    if n == 0:
        return 0, labels
    run = SOURCE.for_graph(graph, LABEL=labels.dtype)
    parent, state = xp.empty(n, labels.dtype), xp.empty(2, np.int64)
    pieces = xp.empty(2 * (graph.num_entries // _ENTRIES + 1), np.int64)
    run("hang", n, n, graph.indptr, graph.indices, parent, labels, state)
    run("link_waiting", n, n, labels, parent)
    if graph.facts.get("symmetric"):
        run("find_giant", 1, n, parent, state)
    run("unite_rest", n, n, graph.indptr, graph.indices, parent, pieces, state)
    run("unite_pieces", n, graph.indptr, graph.indices, parent, pieces, state)
    return number_components(parent, labels)


# Component labels from trees; the result is that of numbering.py

NUMBERING = CudaSource(__file__, "numbering.cu", variants=_LABELS)
_MAX_SHARES = 1024  # each adds up the counts of all shares before it
_MIN_SHARE = 512  # vertices


def number_components(parent: Any, labels: Any) -> tuple[int, Any]:
    """Return the number of trees, and for each vertex the number of its tree, in `labels`. Flattens the trees.

    No parent may be larger than its vertex; a root is its own parent.
    """
    n, xp = int(parent.size), array_module(device_of(parent))
    if n == 0:
        return 0, labels
    run = NUMBERING.compiled(LABEL=parent.dtype)
    shares = min(_MAX_SHARES, -(-n // _MIN_SHARE))
    counts = xp.empty(shares, parent.dtype)
    run("flatten_trees", shares * NUMBERING.block, n, shares, parent, counts)
    run("number_roots", shares * NUMBERING.block, n, shares, parent, counts, labels, report.blank())
    run("copy_from_roots", n, n, parent, labels)
    return report.read()[0], labels
