"""Maximal independent set by fixed priorities on several GPUs: the driver of spread_sets.cu.

Counted and synchronous runs begin with the rounds of ../greedy/priority.py: each card finds the winners among its
vertices, cards exchange the marks of all vertices, and each card applies them. Then the states are those after the same
round on one device. Instead of one thread, the cards decide the remaining vertices without rounds.

Cost of such a round: that of priority.py for the rows of a card, and an exchange of a byte per vertex. Work memory: a
byte and an id per vertex on each card.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import BEATEN, History, Rounds, States
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.cards import finish, joined, moved
from ..._core.runtime.cuda.exchange import VertexExchange
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..greedy.order import IN, OUT, make_order, write_bytes
from ..greedy.priority import _WON, OrderRounds, run_all
from ..greedy.serial import impose
from ..rules import BY_SMALLER_ID, Order
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
    history.enter("prepare")
    n, xp = graph.num_vertices, graph.xp
    history.undecided = [n]
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
        in_rounds = synchronous or (history.counted and order.by != BY_SMALLER_ID)
        rounds = _CardRounds(part, order, history, states.view(np.uint8)[:n], (first, end)) if in_rounds else None
        if included.size or excluded.size:
            impose(part, moved(included, xp), moved(excluded, xp), states.view(np.uint8)[:n])
        run = SOURCE.for_graph(part, BY=int(order.by), SEVERAL_CARDS=1)
        watched = xp.full(end - first, -1, part.indices.dtype)
        rows = first, end, part.indptr, part.indices, *one_card.arguments_of(order), values
        return run, states, watched, rows, rounds

    places = graph._on_each_card(start)
    history.enter("rounds")
    if places[0][-1] is not None:
        _run_rounds(graph, [rounds for *_, rounds in places], bool(included.size), history, synchronous)
    history.enter("finish")

    def decide(k: int, part: Graph, first: int, end: int) -> None:
        (run, states, watched, rows, _), report, outbox = places[k], graph.cards[k].report.blank(), exchange.outbox(k)
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
        if history.counted:
            history.count_rows(part, xp.flatnonzero(mask) + first)
        return mask

    while True:
        graph._on_each_card(decide)
        if not exchange.read()[0]:
            history.enter("")
            return joined(graph.cards, graph._on_each_card(members), xp)
        exchange.deliver(take)


class _CardRounds(OrderRounds):
    """The rounds of one card: it lists the vertices of its own rows, and has the states and marks of all vertices."""

    def __init__(self, part: Graph, order: Order, history: History, state: Any, ends: tuple[int, int]) -> None:
        Rounds.__init__(self, part)
        write_bytes(order, self.lists.bounds, state)
        self.lists = self.lists._replace(bounds=self.lists.bounds.clip(*ends))
        self.states = States(state, part.xp.zeros(state.size, np.uint8))
        self.order, self.history, self.state, self.undecided = order, history, state, history.undecided

    def settle(self) -> int:
        """Apply the marks of all cards; return how many own vertices remain."""
        marks = self.states.marks
        self.state[marks == BEATEN] = OUT
        self.state[marks == _WON] = IN
        return super().settle()


def _run_rounds(
    graph: SpreadGraph, rounds: list[_CardRounds], has_included: bool, history: History, synchronous: bool
) -> None:
    """Run the rounds of all cards."""
    if has_included:  # a card has put the neighbors of included vertices out in its own rows
        graph._combine([one.state for one in rounds], graph.xp.minimum)

    def decide(longest: int) -> int:
        graph._on_each_card(lambda k, *_: rounds[k].find(rounds[k].order, longest))
        graph._combine([one.states.marks for one in rounds], graph.xp.maximum)
        return sum(graph._on_each_card(lambda k, *_: rounds[k].settle()))

    run_all(history.undecided, decide, graph.num_entries, synchronous)
