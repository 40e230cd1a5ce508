"""Breadth-first search on several GPUs; algorithm in spread_search.cu, result as in breadth_first.py.

Cost: each level takes the host 0.1 to 0.3 ms, whatever its size, so a search with thousands of levels is slower than on
one GPU. Work memory for each of p cards: a label per vertex and a label per own row, and (p + 5) / 8 bytes per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.cards import joined
from ..._core.runtime.cuda.exchange import VertexExchange
from ...graph import Graph
from ...spread_graph import SpreadGraph

SOURCE = CudaSource(
    __file__,
    "spread_search.cu",
    also=("../../_core/runtime/cuda/exchange.cuh",),
    variants=({"LABEL": "u32"}, {"LABEL": "u64"}),
)

_ALPHA, _BETA = 15, 18  # as on one GPU
_GROUP = 8  # lanes per row
_CUT = 1024  # longer rows are divided into pieces of a quarter of this length
_STATE = 4  # numbers; see spread_search.cu


def search(graph: SpreadGraph, sources: Any, last_level: int) -> tuple[Any, Any]:
    """Return distances of at most `last_level`, and parents, on the current GPU; both are -1 for all other vertices."""
    n, xp, ids, cards = graph.num_vertices, graph.xp, index_type(graph.num_vertices), graph.cards
    exchange = VertexExchange(cards, n, xp, graph.parts[0].indices.dtype)
    words, symmetric, ascending = exchange.words, graph.facts.get("symmetric", False), int(graph.is_sorted)
    starts, longest, entries = np.asarray(sources), graph._scanned().longest_row, graph.num_entries

    def start(k: int, part: Graph, first: int, end: int) -> tuple[Any, ...]:
        run = SOURCE.for_graph(part, LABEL="u32" if ids is np.int32 else "u64")
        listed = xp.asarray(starts.astype(part.indices.dtype))
        parent, distance, state = xp.full(n, -1, ids), xp.full(end - first, -1, ids), xp.zeros(_STATE, np.int64)
        parent[listed] = listed.astype(ids)
        queue = xp.empty(end - first, part.indices.dtype)
        pieces = xp.empty(2 * (part.num_entries * 5 // _CUT + 1) if longest > _CUT else 0, np.int64)
        rest = part.indptr, distance, queue, state
        run("take_list", int(listed.size), int(listed.size), listed, 0, exchange.known[k], first, end, 0, *rest)
        return run, parent, distance, queue, state, pieces

    places = graph._on_each_card(start)
    level, found, seen, is_inward, grows = 0, int(starts.size), 0, False, False
    used: set[tuple[int, int]] = set()  # outboxes whose bits are not zero, and that other cards may still copy

    def visit(k: int, part: Graph, first: int, end: int) -> None:
        (run, parent, _, queue, state, pieces), report, outbox = places[k], cards[k].report.blank(), exchange.outbox(k)
        rows, outbox_id = (part.indptr, part.indices), (k, exchange.rounds % 2)
        if outbox_id in used:
            outbox[1].fill(0)
            used.remove(outbox_id)
        if is_inward:
            run("inward", end - first, first, end, ascending, *rows, outbox[0], parent, *outbox[1:])
        else:
            threads = _GROUP * min(found, end - first)
            run("outward", threads, _CUT, *rows, queue, state, pieces, outbox[0], parent, *outbox[1:])
            if longest > _CUT:
                threads = part.num_entries // _GROUP
                run("outward_by_pieces", threads, _CUT, *rows, state, pieces, outbox[0], parent, *outbox[1:])
        run("end_level", 1, state, outbox[-1], report)

    def take(k: int, messages: int, bits: Any, listed: int, vertices: Any) -> None:
        run, _, distance, queue, state, _ = places[k]
        rest = *graph.bounds[k : k + 2], level + 1, graph.parts[k].indptr, distance, queue, state
        (known, own_bits, own_list, room, _), own = exchange.outbox(k), exchange.counts[k]
        if messages or own > room:
            run("take_bits", words, words, messages, bits, own_bits, known, *rest)
            used.add((k, exchange.rounds % 2))
        elif own:
            run("take_list", own, own, own_list, own_bits, known, *rest)
        if listed:
            run("take_list", listed, listed, vertices, 0, known, *rest)

    def entries_of_frontier() -> int:
        graph._on_each_card(lambda k, *_: places[k][0]("tell_frontier", 1, places[k][4], cards[k].report.blank()))
        return exchange.read()[1]

    while found and level < last_level:
        if is_inward:
            is_inward = grows or found * _BETA > n
        elif symmetric and found * longest * _ALPHA > entries - seen:  # perhaps: the host must know the exact number
            work = entries_of_frontier()
            is_inward = work * _ALPHA > entries - seen
            seen += work
        graph._on_each_card(visit)
        before, (_, found) = found, exchange.read()
        grows = found > before
        exchange.deliver(take)
        level += 1
    parents = [place[1] for place in places]
    graph._reduce_rows([parent.view(f"u{parent.itemsize}") for parent in parents], xp.minimum)  # -1 is the largest
    return joined(cards, [place[2] for place in places], xp), graph._joined_rows(parents)
