"""Connected components on several GPUs.

Result: the labels of union.py.

Rule: two vertices are connected in the graph if and only if they are connected by the forests of all cards together.

Idea: each card finds a forest of its rows, by the kernel for one GPU, in which other rows are empty. Then cards merge
their forests in pairs: a card takes the roots of all vertices from another one, and unites each vertex with its root.
The last forest is numbered.

The kernel skips the rows of vertices in the largest tree of the card (the giant), because the other end of an edge to
another tree has this edge, too. An edge is skipped at both ends if they are in the giants of two cards. This is correct
if all giants are in one component of the result. If they are not, all cards start again, and skip nothing.

Cost: that of union.py for the rows of a card, and log2(cards) copies and passes over n labels. Work memory: two labels
per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.cards import copy, joined, moved, wait
from ..._core.runtime.cuda.gpu_memory import WorkMemory
from ...graph import Graph
from ...spread_graph import SpreadGraph
from .union import STATE, launch, number_components, work_sizes

SOURCE = CudaSource(
    __file__,
    "spread_components.cu",
    also=("../../_core/runtime/cuda/union_find.cuh",),
    variants=({"LABEL": np.dtype(np.int32)}, {"LABEL": np.dtype(np.int64)}),
)


def components(graph: SpreadGraph) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex, on the current GPU."""
    if graph.num_vertices == 0:
        return 0, graph._no_vertices()
    count, labels, giants = _labeled(graph, not graph.directed or graph.facts.get("symmetric", False))
    if len(set(labels[giants].tolist())) > 1:
        count, labels, _ = _labeled(graph, False)
    return count, labels


def _labeled(graph: SpreadGraph, symmetric: bool) -> tuple[int, Any, Any]:
    """Return the number of components, the labels, and a vertex of each card's giant, or zeros without giants."""
    n, dtype, cards, xp = graph.num_vertices, np.dtype(index_type(graph.num_vertices)), graph.cards, graph.xp

    def find_forest(k: int, part: Graph, *_: int) -> tuple[Any, ...]:
        parent, labels, state = xp.empty(n, dtype), xp.empty(n, dtype), xp.zeros(STATE, np.int64)
        work = WorkMemory(**work_sizes(part, dtype))
        launch(part, labels, parent, state, work, symmetric, cards[k].report.blank())
        return parent, labels, state[:1]

    forests = graph._on_each_card(find_forest)
    wait(cards)
    step = 1
    while step < len(cards):
        for k in range(0, len(cards) - step, 2 * step):
            parent, other, _ = forests[k]
            with cards[k]:
                copy(other, forests[k + step][0])
                SOURCE.compiled(LABEL=dtype)("merge_trees", n, n, parent, other)
        wait(cards)
        step *= 2
    parent, labels = moved(forests[0][0], xp), xp.empty(n, dtype)
    giants = joined(cards, [state for *_, state in forests], xp)
    return *number_components(parent, labels), giants if symmetric else xp.zeros(1, np.int64)
