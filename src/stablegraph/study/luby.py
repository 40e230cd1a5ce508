"""Luby's algorithm with random priorities: fresh random numbers in every round. A coloring by its sets.

Result: a maximal independent set, after O(log n) rounds in expectation. It depends only on the graph and the seed, and
is the same for any number of threads and on a GPU.

Rule: in round r = 0, 1, ... each undecided vertex v draws the number x(v) = hash32(v + hash32(seed + r)), and

    v joins  <=>  (x(v), v) > (x(u), u) for every undecided neighbor u of v;    v is out  <=>  a neighbor of v joins

until no vertex is undecided. (`seed` is the hash of the user's seed.) The oracle, `luby` in tests/support/naive.py, has
about a dozen lines.

In the code: `independent_set` below is the loop. `write_bytes` (order.py) writes each x(v) of round 0, rounded to a
byte, and `_draw_byte` those of the later rounds. The line of
`_find_winners` in priority.py that sets `joins` compares the bytes; for equal bytes, `outranks` (rules.py) compares
(x(v), v).

Idea: the rounds are those of fixed priorities (priority.py), but each uses a new random order. New numbers make the
rounds independent, as the analysis requires. In practice a fixed random order needs about the same number of rounds,
and the sets are about as large; this algorithm is for study and comparison. (Iterating over a list of edges instead
takes longer.)

State: see priority.py.

The coloring: each color is a maximal independent set of the remaining vertices. It has at most one color more than the
largest degree, because an uncolored vertex has a neighbor of each color used so far:

    color(v) = c  <=>  v is in the set that the algorithm finds among the vertices without a color below c,

with new random numbers for each c. The oracle is `luby_coloring` in tests/support/naive.py. For comparison: first fit
is faster and needs fewer colors.

Cost: each round reads a few neighbors of each undecided vertex; the coloring, one set on the whole graph per color.
Work memory: see priority.py.

Source: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", SIAM Journal on Computing 15(4),
1986.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.engines.rounds import History, run_rounds, visits
from .._core.runtime import Bytes, hash32
from ..graph import Graph
from ..independent_set.greedy.order import make_order, write_bytes
from ..independent_set.greedy.priority import OrderRounds, members
from ..independent_set.greedy.serial import impose
from ..independent_set.rules import hash_byte


@visits()
def _draw_byte(v, seed: int, state: Bytes):
    """Write the byte of v in a new random order."""
    state[v] = hash_byte(v, seed)
    return True, 0


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """Return the mask of the set found by Luby's algorithm."""
    history.enter("prepare")
    rounds = OrderRounds(graph, history)
    order = make_order(graph, "random", hash32(seed))
    write_bytes(order, rounds.lists.bounds, rounds.state)
    impose(graph, included, excluded, rounds.state)

    def run_round() -> int:
        r = len(rounds.undecided) - 1
        drawn = order._replace(seed=hash32((seed + r) % 2**32))
        if r > 0:
            _draw_byte(rounds.workers, rounds.lists, drawn.seed, rounds.state)
        return rounds.decide(drawn, graph.num_entries)

    history.enter("rounds")
    run_rounds(rounds.undecided, run_round)
    return members(graph, rounds.state, history)


def color_by_sets(graph: Graph, seed: int) -> Any:
    """Return the colors; `seed` is the hash of the user's seed."""
    xp = graph.xp
    colors = xp.full(graph.num_vertices, -1, np.int32)
    number = 0
    while bool((colors < 0).any()):
        settled = xp.flatnonzero(colors >= 0).astype(graph.indices.dtype)
        colors[independent_set(graph, settled[:0], settled, History(), seed=hash32(seed + number))] = number
        number += 1
    return colors
