"""First fit in an order on several GPUs: the driver of spread_coloring.cu; result as in first_fit.py.

Cost: as for one GPU, divided among the cards; each exchange takes a pass over the states of a card's rows. Work memory
on each card: 8 bytes per vertex, four ids and 20 bytes per own row; with long rows an id and two bits per entry. For
orders that must be computed first (smallest last, saturation) the graph is copied to host memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.exchange import StateExchange
from ..._core.runtime.cuda.gpu_memory import WorkMemory, barrier_words
from ...graph import Graph
from ...independent_set.greedy.order import monotone_bits
from ...spread_graph import SpreadGraph
from .jones_plassmann import BY_NUMBER, SHORT, TURNS, kind_of_order, priority_numbers, work_sizes

SOURCE = CudaSource(
    __file__,
    "spread_coloring.cu",
    also=("order.cuh", "jones_plassmann.cu", "../../_core/runtime/cuda/exchange.cuh"),
    block=512,
    cooperative=True,
    variants=({"HAS_LONG": 0, "SEVERAL_CARDS": 1}, {"HAS_LONG": 1, "SEVERAL_CARDS": 1}),
)

CALM_TURNS = 2  # without a new color on a card, after which a warp with few waiting vertices ends
_ROUNDS = 4  # lists in the first launch, as in spread_coloring.cu


def color_in_order(graph: SpreadGraph, order: str | np.ndarray, ties: str, fixed: None, seed: int) -> Any:
    """Return the colors as int32 on the current GPU, for an order by name or by numbers."""
    n, xp, has_long = graph.num_vertices, graph.xp, graph._scanned().longest_row > SHORT
    pointers, offset = graph._degree_pointers()
    exchange = StateExchange(graph.cards, graph.bounds, xp, graph.parts[0].indices.dtype)
    by, hashed = kind_of_order(order, ties)
    values: Any = None
    if by == BY_NUMBER:
        values = (
            priority_numbers(graph.to("cpu"), order, ties, seed) if isinstance(order, str) else monotone_bits(order)
        )
    launch = 0

    def start(k: int, part: Graph, first: int, end: int) -> tuple[Any, ...]:
        numbers = xp.asarray(values) if by == BY_NUMBER else 0
        run = SOURCE.for_graph(part, HAS_LONG=int(has_long), SEVERAL_CARDS=1)
        run("find_boundary", end - first, first, end, part.indptr, part.indices, exchange.outbox(k)[0])
        sizes = work_sizes(part, has_long, _ROUNDS) | {"waiting": 4 * part.indices.dtype.itemsize * (end - first)}
        return (
            run,
            (by, int(hashed), int(seed), pointers[k], offset, numbers),
            WorkMemory(**sizes),
            xp.empty(n, np.int32),
        )

    places = graph._on_each_card(start)
    all_states = [place[-1] for place in places]

    def color(k: int, part: Graph, first: int, end: int) -> None:
        (run, order_of, work, states), report, outbox = places[k], graph.cards[k].report.blank(), exchange.outbox(k)
        threads = max(end - first, part.num_entries * has_long, n * (launch == 0))
        run(
            "color_rows", threads, n, part.indptr, part.indices, *order_of, first, end, launch, TURNS, CALM_TURNS,
            states, work.words, work.waits, work.listed, work.watched, work.counts, work.extra, work.waiting,
            work.lengths, outbox[-1][1:], barrier_words(), report,
        )  # fmt: skip
        last = 1 if launch else _ROUNDS - 1
        run("report_states", end - first, first, end - first, last, states, work.lengths, *outbox)
        run("hand_in", 1, outbox[-1], report)

    def take(k: int, listed: int, vertices: Any, values: Any) -> None:
        places[k][0]("take_states", listed, listed, vertices, values, all_states[k])

    while True:
        graph._on_each_card(color)
        launch += 1
        if not exchange.read()[0]:
            return graph._joined_rows(all_states)
        exchange.deliver(all_states, take)
