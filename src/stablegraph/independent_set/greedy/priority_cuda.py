"""Maximal independent set by fixed priorities on a GPU: the driver of priority.cu; see priority.py for the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource, report
from ..._core.runtime.arithmetic import float32_bits
from ...graph import Graph
from ..history import History
from ..ratios import EXACT
from ..rules import BY_DEGREE, BY_ID, BY_LARGER_DEGREE, BY_RATIO, BY_SMALLER_ID, BY_VALUE, TOP, Order
from . import priority as general
from .order import Weighted, make_order
from .serial import impose

SOURCE = CudaSource(__file__, "priority.cu", also=("order.cuh",), variants=tuple({"BY": by} for by in range(8)))


def independent_set(
    graph: Graph,
    included: Any,
    excluded: Any,
    history: History,
    *,
    priority: str | np.ndarray | Weighted,
    seed: int,
    synchronous: bool,
) -> Any:
    """Return the mask of the greedy set for an order; counted or synchronous runs use the general form."""
    if history.counted or synchronous:
        return general.independent_set(
            graph, included, excluded, history, priority=priority, seed=seed, synchronous=synchronous
        )
    xp, n = graph.xp, graph.num_vertices
    order = make_order(graph, priority, seed)
    run = SOURCE.for_graph(graph, BY=int(order.by))
    words, mask = xp.empty(n // 4 + 1, np.uint32), xp.empty(n, bool)
    if order.by >= BY_VALUE:
        are_large = int(isinstance(priority, Weighted) and order.by == BY_RATIO and priority.largest >= EXACT)
        quantiles, of = xp.empty(TOP + 2, np.uint64), (*_order(order), order.values, are_large)
        run("find_quantiles", 1, n, *of, quantiles)
        run("write_quantile_bytes", n, n, *of, quantiles, words)
    else:
        _write_bytes(graph, run, order, words)
    if included.size or excluded.size:
        impose(graph, included, excluded, words.view(np.uint8)[:n])
    while True:
        run("decide", n, n, graph.indptr, graph.indices, *_order(order), order.values, words, report.blank())
        run("members", n, n, words, mask)
        (undecided, *_) = report.read()
        if not undecided:
            return mask


def _order(order: Order) -> tuple[Any, ...]:
    """Return the kernel arguments for an order, except for the user's numbers."""
    return int(order.seed), order.degree_ptr, int(order.offset)


def _write_bytes(graph: Graph, run: Any, order: Order, words: Any) -> None:
    """Write the byte of every vertex for its place in an order that has a formula for it."""
    n = graph.num_vertices
    a = b = 0
    if order.by == BY_SMALLER_ID:
        a = (TOP << 32) // max(n, 1)
    elif order.by == BY_ID:
        average = np.float32(graph.num_edges * 2) / np.float32(max(n, 1))
        a = int(np.float32(average).view(np.uint32))
    elif order.by in (BY_DEGREE, BY_LARGER_DEGREE):
        one = int(float32_bits(np.float32(1)))
        a = int(float32_bits(np.float32(graph._scanned().longest_row + 1)))
        b = (TOP << 32) // (a - one + 1)
    run("write_bytes", n, n, *_order(order), a, b, words)
