"""Maximal independent sets at distance two on several GPUs: the driver of spread_two.cu; result as in two.py.

Work memory for each of p cards: that of two.py for all vertices, and (p + 4) / 4 bytes per vertex, a key and a half and
an id per own row.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core.engines.rounds import History
from ..._core.runtime import CudaSource
from ..._core.runtime.arrays import differences
from ..._core.runtime.cuda.arrays import equals
from ..._core.runtime.cuda.cards import finish, moved
from ..._core.runtime.cuda.exchange import StateExchange, VertexExchange
from ..._core.runtime.cuda.row_lists import PARTS
from ..._core.runtime.device import empty_array
from ...graph import Graph
from ...spread_graph import SpreadGraph
from ..distance.round_keys import IN, KeySource, drawn_source
from . import two as one_card

SOURCE = CudaSource(
    __file__,
    "spread_two.cu",
    also=(*one_card.ALSO, "../../_core/runtime/cuda/exchange.cuh"),
    variants=one_card.VARIANTS,
)


def independent_set(
    graph: SpreadGraph, included: Any, excluded: Any, history: History, *, priority: str, seed: int
) -> Any:
    """Return the mask of the set for an order by name, on the current GPU; no vertex is included."""
    n, xp, cards, ids = graph.num_vertices, graph.xp, graph.cards, graph.parts[0].indices.dtype
    pointers, offset = graph._degree_pointers() if priority == "degree" else ([], 0)

    def source_on(k: int) -> KeySource:
        degrees = differences(pointers[k], offset) if pointers else empty_array(graph.parts[k].device, ids)
        return drawn_source(n, degrees, priority, seed)

    finish()  # before other cards copy the excluded vertices
    zeros, outs = (VertexExchange(cards, n, xp, ids) for _ in range(2))
    words = zeros.words

    def start(k: int, part: Graph, first: int, end: int) -> tuple[Any, ...]:
        source, allowed = source_on(k), 0
        if excluded.size:
            allowed = xp.ones(n, bool)
            allowed[moved(excluded, xp)] = False
        rounds, run = one_card.Rounds(part, source), SOURCE.for_graph(part, **one_card.macros(source.dtype))
        rounds.begin(allowed, 0)
        run("draw_others", n, n, first, end, *rounds.drawn, rounds.keys)
        return rounds, run, source

    places = graph._on_each_card(start)
    source = places[0][2]
    columns = StateExchange(cards, graph.bounds, xp, ids, source.dtype, sent=source.out)
    all_least = [rounds.least for rounds, *_ in places]

    def find_least(k: int, part: Graph, first: int, end: int) -> None:
        (rounds, run, _), outbox, report = places[k], columns.outbox(k), cards[k].report.blank()
        rounds.turns.make_room(1)
        rounds.sweep("find_least")
        run("report_least", end - first, first, end - first, rounds.least, *outbox)
        run("hand_in", 1, outbox[-1], report)

    def take_least(k: int, listed: int, vertices: Any, values: Any) -> None:
        places[k][1]("take_least", listed, listed, vertices, values, all_least[k])

    def report(k: int, exchange: VertexExchange, ends: tuple[int, int], is_out: int, keys: Any) -> None:
        (rounds, run, _), outbox = places[k], exchange.outbox(k)
        run("report_keys", words, *ends, is_out, keys, words, *outbox)
        lengths = rounds.turns.lengths[rounds.turns.turn, -PARTS:]
        run("hand_in_rows", 1, lengths, outbox[-1], cards[k].report.blank())

    def join(k: int, *_: Any) -> None:
        places[k][0].sweep("join")
        report(k, zeros, (0, n), 0, all_least[k])

    def settle(k: int, part: Graph, first: int, end: int) -> None:
        rounds, run, source = places[k]
        rounds.settle(int(source.at_once))
        run("draw_others", n, n, first, end, *rounds.drawn, rounds.keys)
        report(k, outs, (first, end), 1, rounds.keys)

    def take(is_out: int, k: int, messages: int, bits: Any, listed: int, vertices: Any) -> None:
        rounds, run, _ = places[k]
        known, keys = (outs if is_out else zeros).known[k], rounds.keys if is_out else rounds.least
        if messages:
            run("take_bits", words, words, messages, bits, known, is_out, keys)
        if listed:
            run("take_list", listed, listed, vertices, known, is_out, keys)

    remaining = True
    while remaining:
        graph._on_each_card(find_least)
        columns.read()
        columns.deliver(all_least, take_least)
        graph._on_each_card(join)
        zeros.read()
        zeros.deliver(partial(take, 0))
        graph._on_each_card(settle)
        remaining, _ = outs.read()
        outs.deliver(partial(take, 1))
    return equals(graph._joined_rows([rounds.keys for rounds, *_ in places]), IN)
