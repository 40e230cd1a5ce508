"""Maximal independent set by fixed priorities: the algorithm of ECL-MIS.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the order given; it is a property
of the graph and the order, not of the schedule.

Rule: v is in the set  <=>  no neighbor that is ahead of v is in it. The oracle is `greedy_independent_set` in
tests/support/naive.py.

In the code: `_look` in rounds.py, the line that sets `joins`; for what is left at last, `_visit` in serial.py.

Idea: rounds in which every vertex joins that is ahead of all its undecided neighbors (rounds.py), with one order for
all rounds. What is left when few vertices are, or when the order leaves no parallelism, one thread visits in order.

In the order "natural" one thread alone visits six vertices, by id, in the time in which it tries one in rounds. So with
fewer threads there are none, nor where a sample of the vertices says that a round would decide few: next to none in the
natural order of a mesh, where only one vertex has no smaller neighbor.

The synchronous form does without that: it takes rounds until no vertex is undecided, each on the states that the one
before has left. Their number too is a property of the graph and the order. It is at most the largest depth (depth.py),
because each round decides the vertices that only decided ones are ahead of.

State: that of rounds.py.

Cost: after the first round some 10 to 30 % of the vertices are left, and each further round leaves about as small a
part of those. Work memory: that of rounds.py.

Source: see rounds.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import Graph
from ...parallel import kernel
from ...parallel.groups import Rows
from ..history import History
from ..worklists import workers_for
from .instrumented import begin_rounds, members
from .order import BY_SMALLER_ID, Order, in_order, make_order, write_bytes
from .rounds import Rounds
from .serial import impose, visit, visit_by_id

# Measured in the order "degree" on one thread (G2, R4, RM): 0 to 4096 for _FEW, 4 to 64 for _STALLED and 8 to 64 for
# _LONG are alike within 9 %; a _LONG of 4 takes 20 % longer on R4.
_FEW = 512  # with no more undecided vertices than this, one thread finishes in order
_STALLED = 16  # so does it when a round decides less than this part of its vertices
_NATURAL_WORKERS = 6  # fewer workers than these are slower in rounds than one that visits all vertices by id
_SAMPLES = 2048  # vertices, to guess
_DECIDED = 3 / 8  # of which the first round must decide at least this part; measured: 0 to 0.24 of it, or 0.65 and more
_STRIDE = 0x9E3779B1  # of the sample: out of step with any pattern
_LONG = 16  # entries; longer rows wait for the second round: hubs seldom win, and most are out by then, unread

_UNDECIDED = np.uint8(1)


def independent_set(
    graph: Graph,
    included: Any,
    excluded: Any,
    history: History,
    *,
    priority: str | np.ndarray,
    seed: int,
    synchronous: bool,
) -> Any:
    """The mask of the greedy set in an order.

    `included` and `excluded` are vertices in ascending order; no two included ones are adjacent.
    """
    history.enter("prepare")
    order = make_order(graph, priority, seed)
    if order.by == BY_SMALLER_ID and not synchronous and not _worth_rounds(graph):
        return _visit_all_by_id(graph, included, excluded, history)
    rounds = begin_rounds(graph, history)
    state = rounds.state
    write_bytes(order, rounds.lists.bounds, state)
    impose(graph, included, excluded, state)

    history.enter("rounds")
    if synchronous:
        _decide_all(rounds, order)
    else:
        _decide_most(rounds, order)

    history.enter("finish")
    rest = rounds.rest()
    if rest.size:
        visit(graph, in_order(order, rest, state), state)
    return members(graph, state, history)


@kernel(by="single", types="O[] V[] int64[]")
def _guess_decided(rows: Rows, found):
    """How many vertices of a sample join at once in the order of ids, and all that they put out."""
    n, decided = rows.indptr.size - 1, 0
    for i in range(min(n, _SAMPLES)):
        v = i * _STRIDE % n
        e, end = rows.indptr[v], rows.indptr[v + 1]
        while e < end and rows.indices[e] >= v:
            e += 1
        degree = end - rows.indptr[v]
        if (e == end) & (degree <= _LONG):
            decided += 1 + degree
    found[0] = decided


def _worth_rounds(graph: Graph) -> bool:
    """Whether rounds in the order of ids are faster than one thread without them."""
    if workers_for(graph) < _NATURAL_WORKERS:
        return False
    found = graph.xp.empty(1, np.int64)
    _guess_decided(Rows(graph.indptr, graph.indices), found)
    return int(found[0]) >= _DECIDED * min(graph.num_vertices, _SAMPLES)


def first_by_id(graph: Graph, included: Any, excluded: Any, history: History, *, synchronous: bool) -> Any:
    """The mask of the lexicographically first set."""
    return independent_set(graph, included, excluded, history, priority="natural", seed=0, synchronous=synchronous)


def _decide_all(rounds: Rounds, order: Order) -> None:
    """Rounds until no vertex is undecided."""
    while rounds.undecided[-1]:
        rounds.decide(order, rounds.graph.num_entries)


def _decide_most(rounds: Rounds, order: Order) -> None:
    """Rounds until few vertices are left, or a round decides few of its vertices."""
    undecided, stalled = rounds.undecided, False
    while undecided[-1] > _FEW and not stalled:
        first = len(undecided) == 1
        rounds.decide(order, _LONG if first else rounds.graph.num_entries)
        # The first round says nothing: it leaves out long rows.
        stalled = not first and (undecided[-2] - undecided[-1]) * _STALLED < undecided[-2]


def _visit_all_by_id(graph: Graph, included: Any, excluded: Any, history: History) -> Any:
    """The mask of the lexicographically first set, by one thread without rounds."""
    history.undecided = [graph.num_vertices]
    state = graph.xp.full(graph.num_vertices, _UNDECIDED)
    impose(graph, included, excluded, state)

    history.enter("rounds")
    history.enter("finish")
    visit_by_id(graph, state)
    return members(graph, state, history)
