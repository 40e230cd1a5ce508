"""Maximal independent set by fixed priorities: the algorithm of ECL-MIS.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the order given; it is a property
of the graph and the order, not of the schedule.

Idea: rounds in which every vertex joins that is ahead of all its undecided neighbours (rounds.py), with one order for
all rounds. What is left when few vertices are, or when the order leaves no parallelism, one thread visits in order.

The synchronous form does without that: it takes rounds until nobody is undecided, each on the states that the one
before has left. Their number too is a property of the graph and the order. It is at most the largest depth (depth.py),
because each round decides those whom only decided vertices are ahead of.

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
from .counted import CountedRounds, entries_of
from .order import BY_SMALLER_ID, IN, Order, in_order, make_order, write_bytes
from .rounds import Rounds
from .serial import impose, visit, visit_by_id

_FEW = 512  # with no more undecided vertices than this, one thread finishes in order
_STALLED = 16  # so does it when a round decides less than this part of its vertices
_NATURAL_WORKERS = 6  # fewer workers than these are slower in rounds than one that visits all vertices by id
_LONG = 16  # longer rows wait for the second round: hubs seldom win, and most are out by then without a look

_UNDECIDED = np.uint8(1)


def independent_set(
    graph: Graph,
    included: Any,
    excluded: Any,
    priority: str | np.ndarray,
    seed: int,
    synchronous: bool,
    counted: bool,
) -> tuple[Any, dict[str, Any]]:
    """The greedy set in an order, and what was done: rounds, undecided vertices after each, seconds per phase.

    `included` and `excluded` are vertices in ascending order; no two included ones are adjacent. If `counted`, entries
    looked at ("edges") are told too.
    """
    started = time.perf_counter()
    order = make_order(graph, priority, seed)
    if order.rule == BY_SMALLER_ID and not synchronous:
        workers = worker_count(graph.device, graph.num_vertices + graph.num_entries)
        if workers < _NATURAL_WORKERS:
            return _visit_all_by_id(graph, included, excluded, counted)
    rounds = CountedRounds(graph) if counted else Rounds(graph)
    state, left = rounds.state, rounds.left
    write_bytes(order, rounds.bounds, state)
    impose(graph, included, excluded, state)

    prepared = time.perf_counter()
    if synchronous:
        _decide_all(rounds, order)
    else:
        _decide_most(rounds, order)

    decided = time.perf_counter()
    rest = rounds.rest()
    if rest.size:
        visit(graph, in_order(order, rest, state), state)
    finished = time.perf_counter()
    seconds = {
        "prepare": prepared - started,
        "rounds": decided - prepared - rounds.counting,
        "finish": finished - decided,
    }
    mask = state == IN
    info = {"rounds": len(left) - 1, "undecided": left, "seconds": seconds}
    if counted:
        info["edges"] = rounds.entries + entries_of(graph, mask)
    return mask, info


def first_by_id(
    graph: Graph, included: Any, excluded: Any, synchronous: bool, counted: bool
) -> tuple[Any, dict[str, Any]]:
    """The lexicographically first set, and what was done."""
    return independent_set(graph, included, excluded, "natural", 0, synchronous, counted)


def _decide_all(rounds: Rounds, order: Order) -> None:
    """Rounds until nobody is undecided."""
    while rounds.left[-1]:
        rounds.decide(order, rounds.graph.num_entries)


def _decide_most(rounds: Rounds, order: Order) -> None:
    """Rounds until few vertices are left, or a round decides few of its vertices."""
    left, stalled = rounds.left, False
    while left[-1] > _FEW and not stalled:
        first = len(left) == 1
        rounds.decide(order, _LONG if first else rounds.graph.num_entries)
        # The first round says nothing: it does not look at long rows.
        stalled = not first and (left[-2] - left[-1]) * _STALLED < left[-2]


def _visit_all_by_id(graph: Graph, included: Any, excluded: Any, counted: bool) -> tuple[Any, dict[str, Any]]:
    """The lexicographically first set by one thread, and what was done."""
    started = time.perf_counter()
    state = array_module(graph.device).full(graph.num_vertices, _UNDECIDED)
    impose(graph, included, excluded, state)

    prepared = time.perf_counter()
    visit_by_id(graph, state)
    finished = time.perf_counter()
    mask = state == IN
    seconds = {"prepare": prepared - started, "rounds": 0.0, "finish": finished - prepared}
    info = {"rounds": 0, "undecided": [graph.num_vertices], "seconds": seconds}
    if counted:
        info["edges"] = entries_of(graph, mask)
    return mask, info
