"""Maximal independent sets at distance two on several GPUs: the driver of spread_two.cu; result as in two.py.

Work memory for each of p cards: that of two.py for all vertices, and (p + 4) / 4 bytes per vertex, a key and a half and
an id per own row; for an order by numbers or weights an id and a key per vertex.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

from ..._core.csr.arrays import on_host
from ..._core.engines.rounds import History, run_rounds
from ..._core.runtime import CudaSource
from ..._core.runtime.arrays import differences
from ..._core.runtime.cuda.arrays import equals
from ..._core.runtime.cuda.cards import finish, moved
from ..._core.runtime.cuda.exchange import StateExchange, VertexExchange
from ..._core.runtime.cuda.row_lists import PARTS
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..distance.k import finished
from ..distance.round_keys import IN, KeySource, drawn_source, key_source
from ..greedy.order import Choice
from . import two as one_card

SOURCE = CudaSource(
    __file__,
    "spread_two.cu",
    also=(*one_card.ALSO, "../../_core/runtime/cuda/exchange.cuh"),
    variants=one_card.VARIANTS,
)


def independent_set(
    graph: SpreadGraph, included: Any, excluded: Any, history: History, *, priority: Choice, seed: int
) -> Any:
    """Return the mask of the set, on the current GPU."""
    history.enter("prepare")
    allowed: Any = 0
    if excluded.size:
        allowed = graph.xp.ones(graph.num_vertices, bool)
        allowed[excluded] = False
    return _find_set(graph, included, allowed, 0, priority, seed, history)


def set_among(graph: SpreadGraph, among: Any = None, *, induced: bool = False, priority: Choice = "random") -> Any:
    """Return the mask of the set; the arguments are those of distance/two.py, on the current GPU."""
    allowed, through = 0 if among is None else among, among if induced else 0
    return _find_set(graph, graph._no_vertices(), allowed, through, priority, 0, History())


def _find_set(
    graph: SpreadGraph, included: Any, allowed: Any, through: Any, priority: Choice, seed: int, history: History
) -> Any:
    """Return the mask of the set; the masks may be 0, instead of all vertices."""
    n, xp, cards, ids = graph.num_vertices, graph.xp, graph.cards, graph.parts[0].indices.dtype
    is_named = isinstance(priority, str)
    pointers, offset = ([], 0) if is_named and priority == "random" else graph._degree_pointers()
    if isinstance(priority, str):
        source = drawn_source(n, graph._no_vertices(), priority, seed)
    else:
        source = key_source(graph, priority, seed, (moved(pointers[0], xp), offset))

    def source_on(k: int) -> KeySource:
        if isinstance(priority, str):
            degrees = differences(pointers[k], offset) if pointers else source.any_round.degrees
            return drawn_source(n, degrees, priority, seed)
        return replace(source, order=moved(source.order, xp))

    def on_card(mask: Any) -> Any:
        return mask if isinstance(mask, int) else moved(mask, xp)

    finish()  # before other cards copy the order and the masks
    zeros, outs = (VertexExchange(cards, n, xp, ids) for _ in range(2))
    words = zeros.words

    def start(k: int, part: Graph, first: int, end: int) -> tuple[Any, ...]:
        rounds, run = one_card.Rounds(part, source_on(k)), SOURCE.for_graph(part, **one_card.macros(source.dtype))
        fixed = 0 if source.order is None else rounds.keys.copy()
        rounds.begin(on_card(allowed), on_card(through))
        run("draw_others", n, n, first, end, *rounds.drawn, fixed, rounds.keys)
        return rounds, run

    places = graph._on_each_card(start)
    columns = StateExchange(cards, graph.bounds, xp, ids, source.dtype, sent=source.out)
    all_least = [rounds.least for rounds, _ in places]

    def find_least(k: int, part: Graph, first: int, end: int) -> None:
        (rounds, run), outbox, report = places[k], columns.outbox(k), cards[k].report.blank()
        rounds.turns.make_room(1)
        rounds.sweep("find_least")
        run("report_least", end - first, first, end - first, rounds.least, *outbox)
        run("hand_in", 1, outbox[-1], report)

    def take_least(k: int, listed: int, vertices: Any, values: Any) -> None:
        places[k][1]("take_least", listed, listed, vertices, values, all_least[k])

    def report(k: int, exchange: VertexExchange, ends: tuple[int, int], is_out: int, keys: Any) -> None:
        (rounds, run), outbox = places[k], exchange.outbox(k)
        run("report_keys", words, *ends, is_out, keys, words, *outbox)
        lengths = rounds.turns.lengths[rounds.turns.turn, -PARTS:]
        run("hand_in_rows", 1, lengths, outbox[-1], cards[k].report.blank())

    def join(k: int, *_: Any) -> None:
        places[k][0].sweep("join")
        report(k, zeros, (0, n), 0, all_least[k])

    def plant(k: int, *_: Any) -> None:
        places[k][0].plant_around(moved(included, xp))
        report(k, zeros, (0, n), 0, all_least[k])

    def settle(is_first: bool, k: int, part: Graph, first: int, end: int) -> None:
        rounds, run = places[k]
        rounds.settle_first() if is_first else rounds.settle(int(source.at_once))
        run("draw_others", n, n, first, end, *rounds.drawn, 0, rounds.keys)
        report(k, outs, (first, end), 1, rounds.keys)

    def take(is_out: int, k: int, *messages: Any) -> None:
        rounds, run = places[k]
        exchange, keys = (outs, rounds.keys) if is_out else (zeros, rounds.least)
        exchange.apply(run, (is_out, keys), k, *messages)

    def run_round(join: Callable[..., None] = join) -> int:
        graph._on_each_card(find_least)
        columns.read()
        columns.deliver(all_least, take_least)
        graph._on_each_card(join)
        zeros.read()
        zeros.deliver(partial(take, 0))
        graph._on_each_card(partial(settle, join is plant))
        outs.read()
        outs.deliver(partial(take, 1))
        return sum(outs.remaining)

    if included.size:
        run_round(plant)
    undecided = [n]
    is_last = source.begin(
        history, undecided, lambda: sum(graph._on_each_card(lambda k, *_: places[k][0].turns.listed))
    )
    run_rounds(undecided, run_round, is_last=is_last)
    keys = graph._joined_rows([rounds.keys for rounds, _ in places])
    members, whole = equals(keys, IN), cast(Graph, graph)
    if undecided[-1]:
        whole, keys, members = graph.to("cpu"), on_host(keys), on_host(members)
        source = replace(source, order=on_host(source.order))
    return xp.asarray(finished(whole, 2, source, keys, members, history))
