"""Luby's algorithm with random priorities: fresh random numbers in every round.

Result: in round r = 0, 1, ... each undecided vertex v draws hash32(v + hash32(seed + r)); those that are ahead of all
their undecided neighbours (larger number, then larger id) join, and their neighbours are out. It ends when nobody is
left.

Idea: a round of fixed random priorities (rounds.py), with the order drawn anew before each. Fresh numbers make the
rounds independent, which is what the analysis needs: O(log n) rounds are expected. A fixed random order needs about as
many in practice, and the sets are about as large; this one is for study and comparison.

The edge-parallel form (a list of the edges between undecided vertices, each marking the end that is behind; the list is
packed after each round) was measured on the six benchmark graphs: 2.8 to 5.8 times as long with the list given, 3.5 to
10 times with the time to write it. Here a vertex looks at a few neighbours only, there every edge has its say.

State, work memory: those of rounds.py. Cost: each round looks at a few neighbours of each vertex that is left.

Source: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", SIAM Journal on Computing 15(4),
1986.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from ..graph import Graph
from ..parallel import at, hash32, kernel
from .counted import CountedRounds, entries_of
from .order import IN, hash_byte, make_order, write_bytes
from .rounds import LINE, Rounds
from .serial import impose


@kernel(by="workers")
def _redraw(worker, workers, bounds, undecided, counts, seed, state):
    """Give a worker's undecided vertices new bytes."""
    first = bounds[worker]
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        state[at(v)] = hash_byte(v, seed)


def independent_set(graph: Graph, seed: int, included: Any, excluded: Any, counted: bool) -> tuple[Any, dict[str, Any]]:
    """Luby's set, and what was done: rounds, undecided vertices after each, seconds per phase, entries if `counted`."""
    started = time.perf_counter()
    rounds = CountedRounds(graph) if counted else Rounds(graph)
    state, left = rounds.state, rounds.left
    order = make_order(graph, "random", hash32(seed))
    write_bytes(order, rounds.bounds, state)
    impose(graph, included, excluded, state)

    prepared = time.perf_counter()
    while left[-1]:
        if len(left) > 1:
            order = replace(order, seed=hash32((seed + len(left) - 1) % 2**32))
            _redraw(rounds.workers, rounds.bounds, rounds.undecided, rounds.counts, order.seed, state)
        rounds.decide(order, graph.num_entries)
    decided = time.perf_counter()
    mask = state == IN
    seconds = {"prepare": prepared - started, "rounds": decided - prepared - rounds.counting}
    info = {"rounds": len(left) - 1, "undecided": left, "seconds": seconds}
    if counted:
        info["edges"] = rounds.entries + entries_of(graph, mask)
    return mask, info
