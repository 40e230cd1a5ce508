"""Maximal independent set by fixed priorities on a GPU: the driver of priority.cu; see priority.py for the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import History
from ..._core.runtime import CudaSource, report
from ..._core.runtime.arithmetic import float32_bits
from ...graph import Graph
from ..greedy import priority as general
from ..greedy.order import Choice, Weighted, make_order
from ..greedy.serial import impose
from ..ratios import EXACT
from ..rules import BY_DEGREE, BY_ID, BY_LARGER_DEGREE, BY_SMALLER_ID, BY_VALUE, TOP, Order

_BITS_OF_ONE = 0x3F800000  # as float32
SOURCE = CudaSource(
    __file__,
    "priority.cu",
    also=("order.cuh",),
    block=1024,
    variants=tuple({"BY": by} for by in range(8)),
)


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, priority: Choice, seed: int, synchronous: bool
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
    of = arguments_of(order)
    values = write_states(run, graph, order, priority, words)
    if included.size or excluded.size:
        impose(graph, included, excluded, words.view(np.uint8)[:n])
    while True:
        run("decide", n, n, graph.indptr, graph.indices, *of, values, words, report.blank())
        run("members", n, n, words, mask)
        (undecided, *_) = report.read()
        if not undecided:
            return mask


def write_states(run: Any, graph: Graph, order: Order, priority: Choice, words: Any) -> Any:
    """Write the bytes of all vertices, and return the numbers by which the order compares vertices, or 0."""
    n, of = graph.num_vertices, arguments_of(order)
    if order.by < BY_VALUE:
        run("write_bytes", n, n, *of, *scale_of(graph, order), words)
        return 0
    are_large = int(isinstance(priority, Weighted) and priority.largest >= EXACT)
    quantiles = graph.xp.empty(TOP + 2, np.uint64)
    run("find_quantiles", 1, n, *of, order.values, are_large, quantiles)
    run("write_quantile_bytes", n, n, *of, order.values, are_large, quantiles, words)
    return order.values


def arguments_of(order: Order) -> tuple[Any, ...]:
    """Return the kernel arguments for an order, except for the user's numbers."""
    return int(order.seed), order.degree_ptr, int(order.offset)


def scale_of(graph: Graph, order: Order) -> tuple[int, int]:
    """Return the numbers `a` and `b` of priority.cu for an order that has a formula for its bytes."""
    n = graph.num_vertices
    if order.by == BY_SMALLER_ID:
        return (TOP << 32) // max(n, 1), 0
    if order.by == BY_ID:
        return int(float32_bits(np.float32(graph.num_edges * 2) / np.float32(max(n, 1)))), 0
    if order.by in (BY_DEGREE, BY_LARGER_DEGREE):
        bits = int(float32_bits(np.float32(graph._scanned().longest_row + 1)))
        return bits, (TOP << 32) // (bits - _BITS_OF_ONE + 1)
    return 0, 0
