"""Maximal independent set by fixed priorities: the algorithm of ECL-MIS.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the order given; it is a property
of the graph and the order, not of the schedule.

Idea: rounds in which every vertex joins that is ahead of all its undecided neighbours (rounds.py), with one order for
all rounds. What is left when few vertices are, or when the order leaves no parallelism, one thread visits in order.

Cost: after the first round some 10 to 30 % of the vertices are left, and each further round leaves about as small a
part of those. State, work memory, source: see rounds.py.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import worker_count
from ..parallel.device import array_module
from .order import BY_SMALLER_ID, IN, Order, in_order, write_bytes
from .rounds import Rounds
from .serial import impose, visit, visit_by_id

_FEW = 512  # with no more undecided vertices than this, one thread finishes in order
_STALLED = 16  # so does it when a round decides less than this part of its vertices
_NATURAL_WORKERS = 6  # fewer workers than these are slower in rounds than one that visits all vertices by id
_LONG = 16  # longer rows wait for the second round: hubs seldom win, and most are out by then without a look

_UNDECIDED = np.uint8(1)


def independent_set(graph: Graph, order: Order, included: Any, excluded: Any) -> tuple[Any, dict[str, Any]]:
    """The greedy set in an order, and what was done: rounds, undecided vertices after each, seconds per phase.

    `included` and `excluded` are vertices in ascending order; no two included ones are adjacent.
    """
    started = time.perf_counter()
    n = graph.num_vertices
    by_id = order.rule == BY_SMALLER_ID and worker_count(graph.device, n + graph.num_entries) < _NATURAL_WORKERS
    if by_id:
        state, left = array_module(graph.device).full(n, _UNDECIDED), [n]
    else:
        rounds = Rounds(graph)
        state, left = rounds.state, rounds.left
        write_bytes(order, rounds.bounds, state)
    impose(graph, included, excluded, state)

    prepared = time.perf_counter()
    if not by_id:
        _decide(rounds, order)

    decided = time.perf_counter()
    if by_id:
        visit_by_id(graph, state)
    else:
        rest = rounds.rest()
        if rest.size:
            visit(graph, in_order(order, rest, state), state)
    finished = time.perf_counter()
    seconds = {"prepare": prepared - started, "rounds": decided - prepared, "finish": finished - decided}
    return state == IN, {"rounds": len(left) - 1, "undecided": left, "seconds": seconds}


def _decide(rounds: Rounds, order: Order) -> None:
    """Rounds until few vertices are left, or a round decides few of its vertices."""
    graph, left = rounds.graph, rounds.left
    stalled = graph.num_entries == 0
    while left[-1] > _FEW and not stalled:
        first = len(left) == 1
        rounds.decide(order, _LONG if first else graph.num_entries)
        # The first round says nothing: it does not look at long rows.
        stalled = not first and (left[-2] - left[-1]) * _STALLED < left[-2]
