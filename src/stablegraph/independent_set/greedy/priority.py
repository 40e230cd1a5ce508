"""Maximal independent set by fixed priorities: the algorithm of ECL-MIS.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the given order. It depends on the
graph and the order, but not on the schedule.

Rule: v is in the set  <=>  no neighbor that is ahead of v is in it. The oracle is `greedy_independent_set` in
tests/support/naive.py.

In the code: `_find_winners` in rounds.py, the line that sets `joins`; for the serial finish, `put_in_unless_out` in
serial.py.

Idea: in each round, every vertex joins that is ahead of all its undecided neighbors (rounds.py). All rounds use the
same order. When few vertices remain, or the order leaves no parallelism, one thread visits the remaining vertices in
order.

In the order "natural", a single thread that visits vertices by id processes six of them in the time in which one worker
tries one vertex in a round. Vertices are therefore decided by id, on all threads or by one (serial.py).

The synchronous form has no serial finish. It runs rounds until no vertex is undecided, and each round reads the states
at the end of the previous one. Therefore the number of rounds also depends only on the graph and the order. It is at
most the largest depth (depth.py), because each round decides every vertex whose neighbors ahead are all decided.

State: see rounds.py.

Cost: about 10 to 30 % of the vertices remain after the first round, and each further round leaves about the same
fraction of the remaining ones. Work memory: see rounds.py.

Source: see rounds.py.
"""

from __future__ import annotations

from typing import Any

from ..._core.engines.rounds import History, has_stalled, run_rounds
from ..._core.runtime import Rows
from ...graph import Graph
from ..rules import BY_SMALLER_ID
from .order import Choice, make_order, sort_by_order, write_bytes
from .rounds import OrderRounds, members
from .serial import UNDECIDED, States, decide_by_id, impose, visit

# Measured in the order "degree" on one thread (G2, R4, RM): 0 to 4096 for the first constant, 4 to 64 for STALLED of
# the engine and 8 to 64 for _LONG differ by less than 9 %; with a _LONG of 4, R4 takes 20 % longer.
_SERIAL_BELOW_VERTICES = 512  # with at most this number of undecided vertices, one thread finishes in order
_LONG = 16  # entries; longer rows wait until the second round: hubs seldom win, and most are out by then, unread


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, priority: Choice, seed: int, synchronous: bool
) -> Any:
    """Return the mask of the greedy set for an order.

    `included` and `excluded` are vertices in ascending order; no two included vertices are adjacent.
    """
    history.enter("prepare")
    order = make_order(graph, priority, seed)
    if order.by == BY_SMALLER_ID and not synchronous:
        return _visit_all_by_id(graph, included, excluded, history)
    rounds = OrderRounds(graph, history)
    state, entries = rounds.state, graph.num_entries
    write_bytes(order, rounds.lists.bounds, state)
    impose(graph, included, excluded, state)

    history.enter("rounds")
    if synchronous:
        run_rounds(rounds.undecided, lambda: rounds.decide(order, entries))
    else:

        def run_round() -> int:
            return rounds.decide(order, _LONG if len(rounds.undecided) == 1 else entries)

        # The first round does not stall, because it skips long rows.
        run_rounds(rounds.undecided, run_round, _SERIAL_BELOW_VERTICES, has_stalled)

    history.enter("finish")
    remaining = rounds.remaining()
    if remaining.size:
        visit(graph, sort_by_order(order, remaining, state), state)
    return members(graph, state, history)


def _visit_all_by_id(graph: Graph, included: Any, excluded: Any, history: History) -> Any:
    """Return the mask of the lexicographically first set, found without rounds."""
    history.undecided = [graph.num_vertices]
    state = graph.xp.full(graph.num_vertices, UNDECIDED)
    impose(graph, included, excluded, state)

    history.enter("rounds")
    history.enter("finish")
    rows = Rows(graph.indptr, graph.indices)
    workers = decide_by_id.workers(rows)
    if not (workers and decide_by_id(rows, None, States(graph.is_sorted, state), workers)):
        visit(graph, None, state)
    return members(graph, state, history)
