"""Breadth-first search on several GPUs; algorithm in spread_search.cu, result as in breadth_first.py.

Cost: each level takes the host 0.1 to 0.3 ms, whatever its size, so a search with thousands of levels is slower than on
one GPU. Work memory for each of p cards: a label per vertex and a label per own row, and (p + 5) / 8 bytes per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.cards import joined, moved, wait
from ..._core.runtime.cuda.exchange import VertexExchange
from ...graph import Graph
from ...spread_graph import SpreadGraph

SOURCE = CudaSource(
    __file__,
    "spread_search.cu",
    also=("../../_core/runtime/cuda/exchange.cuh",),
    variants=({"LABEL": "u32"}, {"LABEL": "u64"}),
)

_ALPHA, _BETA = 15, 18  # as on one GPU, but numbers of vertices instead of entries


def search(graph: SpreadGraph, sources: Any, last_level: int) -> tuple[Any, Any]:
    """Return distances of at most `last_level`, and parents, on the current GPU; both are -1 for all other vertices."""
    n, xp, ids = graph.num_vertices, graph.xp, index_type(graph.num_vertices)
    exchange = VertexExchange(graph.cards, n, xp, graph.parts[0].indices.dtype)
    words, symmetric, ascending = exchange.words, graph.facts.get("symmetric", False), int(graph.is_sorted)
    starts = np.asarray(sources)

    def start(k: int, part: Graph, first: int, end: int) -> tuple[Any, ...]:
        run = SOURCE.for_graph(part, LABEL="u32" if ids is np.int32 else "u64")
        listed = xp.asarray(starts.astype(part.indices.dtype))
        parent, distance, frontier = xp.full(n, -1, ids), xp.full(end - first, -1, ids), xp.zeros(words, np.uint32)
        parent[listed] = listed.astype(ids)
        rest = first, end, 0, exchange.known[k], frontier, distance
        run("take_list", int(listed.size), int(listed.size), listed, *rest)
        return run, parent, distance, frontier

    places = graph._on_each_card(start)
    level, found, remaining, is_inward = 0, int(starts.size), n - int(starts.size), False

    def visit(k: int, part: Graph, first: int, end: int) -> None:
        (run, parent, _, frontier), report, outbox = places[k], graph.cards[k].report.blank(), exchange.outbox(k)
        rows = end - first, first, end, part.indptr, part.indices
        if is_inward:
            run("inward", *rows, ascending, exchange.known[k], parent)
        else:
            run("outward", *rows, frontier, exchange.known[k], parent)
        run("report_reached", words, *((first, end) if is_inward else (0, n)), words, parent, *outbox)
        run("hand_in", 1, outbox[-1], report)

    def take(k: int, messages: int, bits: Any, listed: int, vertices: Any) -> None:
        run, _, distance, frontier = places[k]
        rest = *graph.bounds[k : k + 2], level + 1, exchange.known[k], frontier, distance
        run("take_bits", words, words, messages, bits, exchange.outbox(k)[1], *rest)
        if listed:
            run("take_list", listed, listed, vertices, *rest)

    while found and level < last_level:
        is_inward = symmetric and found * (_BETA if is_inward else _ALPHA) > (n if is_inward else remaining)
        graph._on_each_card(visit)
        _, found = exchange.read()
        exchange.deliver(take)
        level, remaining = level + 1, max(0, remaining - found)
    wait(graph.cards)

    def smallest_candidates(k: int, part: Graph, first: int, end: int) -> Any:
        smallest = places[k][1][first:end]
        for other in [*places[:k], *places[k + 1 :]]:
            candidates = moved(other[1][first:end], xp)
            places[k][0]("take_smaller", end - first, end - first, candidates, smallest)
        return smallest

    parents = graph._on_each_card(smallest_candidates)
    return joined(graph.cards, [place[2] for place in places], xp), joined(graph.cards, parents, xp)
