"""Matchings in rounds on several GPUs: the driver of spread_rounds.cu; see rounds.py for the result.

Work memory on each card: 5 bytes per vertex, 10 and two ids per own row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.groups import entries_of_pairs
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.cards import finish, joined, moved, wait
from ..._core.runtime.cuda.exchange import StateExchange
from ..._core.runtime.cuda.row_lists import PARTS
from ..._core.runtime.primitives import compact
from ...forest.cuda.spread_forest import checked_orders
from ...forest.weights import Weights
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..rounds import is_due, listed_edges, match_remaining
from . import rounds as one_card

SOURCE = CudaSource(
    __file__,
    "spread_rounds.cu",
    also=(*one_card.ALSO, "rounds.cu", "../../_core/runtime/cuda/exchange.cuh"),
    variants=one_card.VARIANTS,
)


def with_weights(graph: SpreadGraph) -> tuple[SpreadGraph, list[Weights] | None]:
    """Return the graph without repeated entries, and the checked weights of each card if there are weights."""
    graph, orders = checked_orders(graph, maximum=True)
    return graph, None if graph.parts[0].weights is None else [order.weights for order in orders]


def weights_of_pairs(graph: SpreadGraph, mate: Any) -> Any:
    """Return the weights of the matched edges on the current GPU, in the order of the rows."""
    finish()  # before other cards copy the mates

    def own_weights(k: int, part: Graph, *_: int) -> Any:
        return part.weights[entries_of_pairs(part._rows(), part.indices, moved(mate, graph.xp), None)]

    return joined(graph.cards, graph._on_each_card(own_weights), graph.xp)


def find_partners(graph: SpreadGraph, weights: list[Weights] | None, seed: int) -> tuple[Any, list[int]]:
    """Return the partners on the current GPU, and the number of undecided vertices after each round."""
    bits = np.dtype(np.int32) if weights is None else weights[0].bits.dtype
    n, xp, cards, ids = graph.num_vertices, graph.xp, graph.cards, graph.parts[0].indices.dtype
    exchange = StateExchange(cards, graph.bounds, xp, ids, np.int32, sent=-1)

    def start(k: int, part: Graph, first: int, end: int) -> tuple[Any, ...]:
        run = SOURCE.for_graph(part, **one_card.macros(weights is not None, bits))
        rounds = one_card.Rounds(part, run, seed, None if weights is None else weights[k])
        run("begin_others", n, n, first, end, rounds.free, rounds.best)
        return run, rounds

    places = graph._on_each_card(start)
    all_best = [rounds.best for _, rounds in places]

    def point(k: int, part: Graph, first: int, end: int) -> None:
        (run, rounds), report, outbox = places[k], cards[k].report.blank(), exchange.outbox(k)
        lengths = rounds.turns.lengths[rounds.turns.turn, -PARTS:]
        rounds.turns.make_room(1)
        rounds.point()
        run("report_pointers", end - first, first, end - first, rounds.best, *outbox)
        run("hand_in_rows", 1, lengths, outbox[-1], report)

    def take(k: int, listed: int, vertices: Any, values: Any) -> None:
        places[k][0]("take_pointers", listed, listed, vertices, values, all_best[k])

    def settle(k: int, part: Graph, first: int, end: int) -> None:
        run, rounds = places[k]
        rounds.settle()
        run("settle_others", n, n, first, end, rounds.free, rounds.best)

    undecided = [n] if n else [0, 0]
    while True:
        graph._on_each_card(point)
        exchange.read()
        if exchange.rounds:  # before the first round, vertices without entries are not listed
            undecided.append(sum(exchange.remaining))
        if not undecided[-1] or is_due(undecided):
            break
        exchange.deliver(all_best, take)
        wait(cards)  # other cards copy the pointers themselves, which the next round changes
        graph._on_each_card(settle)
    best = graph._joined_rows(all_best)
    if undecided[-1]:

        def remaining(k: int, part: Graph, first: int, end: int) -> tuple[Any, Any]:
            rounds = places[k][1]
            vertices = (compact(rounds.free[first:end]) + first).astype(np.int32)
            return vertices, listed_edges(part, rounds.matching(), vertices)

        vertices, edges = zip(*graph._on_each_card(remaining), strict=True)
        match_remaining(vertices, edges, best)
    return best, undecided
