"""Maximal independent set by fixed priorities on several GPUs: the driver of spread_sets.cu."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import History
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.cards import finish, joined, moved
from ..._core.runtime.cuda.exchange import VertexExchange
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..greedy.order import make_order
from ..greedy.serial import impose
from . import priority as one_card

SOURCE = CudaSource(
    __file__,
    "spread_sets.cu",
    also=("order.cuh", "priority.cu", "../../_core/runtime/cuda/exchange.cuh"),
    block=1024,
    variants=tuple({"BY": by, "SEVERAL_CARDS": 1} for by in range(8)),
)

CALM_TURNS = 2  # without a decision on a card, after which a warp with few waiting vertices ends


def independent_set(
    graph: SpreadGraph, included: Any, excluded: Any, history: History, *, priority: Any, seed: int, synchronous: bool
) -> Any:
    """Return the mask of the greedy set for an order, on the current GPU."""
    n, xp = graph.num_vertices, graph.xp
    pointers, offset = graph._degree_pointers()
    finish()  # before other cards copy the conditions
    exchange = VertexExchange(graph.cards, n, xp, graph.parts[0].indices.dtype)
    words = exchange.words

    def start(k: int, part: Graph, first: int, end: int) -> tuple[Any, ...]:
        order = make_order(part, priority, seed, (pointers[k], offset))
        if order.values.size:  # checks have read them, so they are complete
            order = order._replace(values=moved(order.values, xp))
        states = xp.empty(8 * words, np.uint32)
        write = one_card.SOURCE.for_graph(part, BY=int(order.by))
        values = one_card.write_states(write, graph, order, priority, states)
        if included.size or excluded.size:
            impose(part, moved(included, xp), moved(excluded, xp), states.view(np.uint8)[:n])
        run = SOURCE.for_graph(part, BY=int(order.by), SEVERAL_CARDS=1)
        watched = xp.full(end - first, -1, part.indices.dtype)
        return run, states, watched, (first, end, part.indptr, part.indices, *one_card.arguments_of(order), values)

    places = graph._on_each_card(start)

    def decide(k: int, part: Graph, first: int, end: int) -> None:
        (run, states, watched, rows), report, outbox = places[k], graph.cards[k].report.blank(), exchange.outbox(k)
        run("decide_rows", end - first, *rows, states, watched, CALM_TURNS, outbox[-1][1:], report)
        run("report_out", words, n, words, states, *outbox)
        run("hand_in", 1, outbox[-1], report)

    def take(k: int, *messages: Any) -> None:
        run, states, *_ = places[k]
        exchange.apply(run, (states,), k, *messages)

    def members(k: int, part: Graph, first: int, end: int) -> Any:
        mask = xp.empty(end - first, bool)
        run = one_card.SOURCE.for_graph(part, BY=0)
        run("members", end - first, end - first, places[k][1][first // 4 :], mask)
        return mask

    while True:
        graph._on_each_card(decide)
        if not exchange.read()[0]:
            return joined(graph.cards, graph._on_each_card(members), xp)
        exchange.deliver(take)
