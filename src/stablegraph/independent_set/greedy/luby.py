"""Luby's algorithm with random priorities: fresh random numbers in every round.

Promise: a maximal independent set, after O(log n) rounds in expectation. It is a function of the graph and the seed
alone, the same for any number of threads and on a GPU.

Rule: in round r = 0, 1, ... each undecided vertex v draws the number x(v) = hash32(v + hash32(seed + r)), and

    v joins  <=>  (x(v), v) > (x(u), u) for every undecided neighbor u of v;    v is out  <=>  a neighbor of v joins

until no vertex is undecided. (`seed` is the hash of the caller's.) In the code: `independent_set` below is the loop,
`_draw` draws the numbers, and the line of `_look` in rounds.py that sets `joins` decides. The oracle in
tests/support/naive.py, `luby`, is a dozen lines.

Idea: a round is one of those of fixed priorities (rounds.py), with a random order that is drawn anew before each. Fresh
numbers make the rounds independent, which is what the analysis needs. A fixed random order needs about as many rounds
in practice, and the sets are about as large; this one is for study and comparison.

The edge-parallel form (a list of the edges between undecided vertices, each marking the end that is behind; the list is
packed after each round) was measured on the six benchmark graphs: 2.8 to 5.8 times as long with the list given, 3.5 to
10 times with the time to write it. Here a vertex reads a few neighbors only, there every edge is read.

State, work memory: those of rounds.py. Cost: each round reads a few neighbors of each vertex that is left.

Source: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", SIAM Journal on Computing 15(4),
1986.
"""

from __future__ import annotations

from typing import Any

from ...graph import Graph
from ...parallel import hash32, kernel
from ..history import History
from ..worklists import Worklists, listed
from .instrumented import begin_rounds, members
from .order import hash_byte, make_order, write_bytes
from .serial import impose


@kernel(by="workers")
def _draw(worker, workers, lists: Worklists, seed, state):
    """Give a worker's undecided vertices the bytes of a new random order."""
    start, end = listed(worker, lists)
    for i in range(start, end):
        v = lists.undecided[i]
        state[v] = hash_byte(v, seed)


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """The mask of Luby's set."""
    history.enter("prepare")
    rounds = begin_rounds(graph, history)
    order = make_order(graph, "random", hash32(seed))
    write_bytes(order, rounds.lists.bounds, rounds.state)
    impose(graph, included, excluded, rounds.state)

    history.enter("rounds")
    while rounds.undecided[-1]:
        r = len(rounds.undecided) - 1
        if r > 0:
            order = order._replace(seed=hash32((seed + r) % 2**32))
            _draw(rounds.workers, rounds.lists, order.seed, rounds.state)
        rounds.decide(order, graph.num_entries)
    return members(graph, rounds.state, history)
