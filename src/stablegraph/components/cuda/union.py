"""Connected components by union-find on a GPU, with the algorithm of union.cu, and the numbering of components."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.gpu_memory import WorkMemory, barrier_words
from ...graph import Graph

_NUMBERING = ("../../_core/runtime/cuda/shares.cuh", "numbering.cuh")
_LABELS = ({"LABEL": np.dtype(np.int32)}, {"LABEL": np.dtype(np.int64)})
SOURCE = CudaSource(
    __file__,
    "union.cu",
    also=("../../_core/runtime/cuda/union_find.cuh", *_NUMBERING),
    block=512,
    cooperative=True,
    variants=_LABELS,
)
NUMBERING = CudaSource(__file__, "numbering.cu", also=_NUMBERING, block=512, cooperative=True, variants=_LABELS)

STATE = 18  # numbers, as in union.cu
_ENTRIES = 512  # minimum number of entries per piece of a long row, on average: half of LONG in union.cu
_MAX_SHARES = 1024  # each adds up the counts of all shares before it
_MIN_SHARE = 512  # vertices


def components(graph: Graph) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex."""
    n, dtype = graph.num_vertices, np.dtype(index_type(graph.num_vertices))
    labels = graph.xp.empty(n, dtype)
    if n == 0:
        return 0, labels
    work = WorkMemory(parent=dtype.itemsize * n, state=8 * STATE, **work_sizes(graph, dtype))
    symmetric = not graph.directed or bool(graph.facts.get("symmetric", False))
    launch(graph, labels, work.parent, work.state, work, symmetric, report.blank())
    return report.read()[0], labels


def work_sizes(graph: Graph, dtype: Any) -> dict[str, int]:
    """Return the sizes of the work arrays that only the kernel uses, in bytes."""
    return {"counts": dtype.itemsize * _shares(graph.num_vertices), "pieces": 16 * (graph.num_entries // _ENTRIES + 1)}


def launch(graph: Graph, labels: Any, parent: Any, state: Any, work: WorkMemory, symmetric: bool, total: Any) -> None:
    """Launch the kernel: `labels` and `total` get the result, `parent` flat trees, and `state` first the giant root."""
    n = graph.num_vertices
    SOURCE.for_graph(graph, LABEL=labels.dtype)(
        "label_components", n, n, graph.indptr, graph.indices, int(symmetric), _shares(n),
        parent, labels, work.counts, work.pieces, state, barrier_words(), total,
    )  # fmt: skip


def number_components(parent: Any, labels: Any) -> tuple[int, Any]:
    """Return the number of trees, and for each vertex the number of its tree, in `labels`. Flattens the trees.

    No parent may be larger than its vertex; a root is its own parent.
    """
    n = int(parent.size)
    if n == 0:
        return 0, labels
    shares = _shares(n)
    work = WorkMemory(counts=parent.dtype.itemsize * shares)
    run = NUMBERING.compiled(LABEL=parent.dtype)
    run("label_trees", n, n, shares, parent, work.counts, labels, barrier_words(), report.blank())
    return report.read()[0], labels


def _shares(n: int) -> int:
    """Return the number of ranges of n vertices to number."""
    return min(_MAX_SHARES, -(-n // _MIN_SHARE))
