"""Luby's algorithm with random selection: each round draws a few vertices, and the degree decides conflicts.

Result: a maximal independent set, which depends only on the graph, the seed and `adaptive`. The sets are small, because
the larger degree prevails. (If the selection S below always contained all undecided vertices, the result would be the
greedy set by descending (degree, id).)

Rule: vertices without neighbors are in at once. A round draws a selection S of the undecided vertices. Let d(v) be the
number of v's neighbors in the whole graph. Then

    v in S   <=>  hash32(v + hash32(seed + draw)) < 2**32 / (2 d(v)),    draw = 0, 1, ...
    v joins  <=>  v in S, and (d(v), v) > (d(u), u) for every neighbor u of v in S

and the neighbors of the joined vertices are out. An empty S is drawn again with the next number `draw`. There are two
cases in which S contains all undecided vertices: with `adaptive`, as soon as fewer than half of all vertices are
undecided; and after 64 empty draws in a row, which happens if only vertices of high degree remain. Thus S is never
empty, so each round decides a vertex and the algorithm ends. The oracle is `luby_select` in
tests/support/set_oracles.py.

In the code: `_selected` draws, and `_choose` sets `joins`, if `_first_prevailing` has found no neighbor.

Idea: an iteration writes only the state of its own vertex, and reads the states of its neighbors. A round takes one
launch for each draw and two more. *choose*: each drawn vertex searches its row for a drawn neighbor that prevails. If
there is none, the vertex is in at once, but its neighbors still treat it as drawn; they can do so because no undecided
vertex had a neighbor in the set before the round. *settle*: each remaining vertex searches for a neighbor that is in,
and changes only from undecided to out, which does not affect other searches. Therefore the result does not depend on
the schedule. (Iterating over a list of edges instead takes longer.)

State, one byte per vertex::

    0          out
    1          undecided, not drawn
    2          undecided, drawn
    255        in

Cost: each round reads the neighbors of each undecided vertex until it finds one that is in. With `adaptive`, few rounds
are needed. Otherwise a vertex of degree d waits for about 2 d draws, each of which is a pass over all undecided
vertices. Work memory: 5 bytes per vertex (9 with 64-bit indices), and 4 (or 8) for the degrees, which the graph caches.

Sources: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", SIAM Journal on Computing
15(4), 1986. Degrees of the whole graph and adaptive selection are as in R. Cichra, "Parallel graph algorithms for GPU",
bachelor's thesis, Czech Technical University in Prague, 2024. Differences: S does not change while conflicts are
resolved, and random numbers are hashes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.rounds import History, Rounds, run_rounds, visits
from .._core.runtime import Bytes, Offsets, Rows, Vertices, hash32, kernel, rule
from ..graph import Graph
from ..independent_set.greedy.order import IN, OUT
from ..independent_set.greedy.serial import impose

_LEFT, _DRAWN = 1, 2
_MAX_EMPTY_DRAWS = 64  # in a row; the remaining vertices are then likely to have high degrees


@kernel
def _mark_undecided(v, degrees: Vertices, state: Bytes):
    """Make v undecided if it has neighbors, and put it in if it has none."""
    state[v] = _LEFT if degrees[v] > 0 else IN


@visits(everywhere=True)
def _list_undecided(v, rows: Rows, state: Bytes):
    """List v if it is undecided."""
    return state[v] == _LEFT, 0


@rule
def _selected(v, draw_seed, degree):
    """Return whether hash * 2 d < 2**32, without a product that could overflow."""
    return hash32(v + draw_seed) <= (2**31 - 1) // degree


class Draw(NamedTuple):
    """A draw of S."""

    degrees: Offsets  # (n,)
    seed: int


@visits()
def _draw_selection(v, draw: Draw, state: Bytes):
    """Draw v or not, and count drawn vertices."""
    chosen = int(_selected(v, draw.seed, draw.degrees[v]))
    state[v] = _LEFT + chosen
    return True, chosen


@rule
def _first_prevailing(v, rows, minimum, degrees, state):
    """Return the position in v's row of the first neighbor in S with larger (degree, id), or the row's end."""
    degree, end = degrees[v], rows.indptr[v + 1]
    for e in range(rows.indptr[v], end):
        u = rows.indices[e]
        if state[u] >= minimum:
            other = degrees[u]
            if other > degree or (other == degree and u > v):
                return e
    return end


class Selection(NamedTuple):
    """The states, and S: the undecided vertices with states of at least `minimum`."""

    degrees: Offsets  # (n,)
    minimum: int
    current: Bytes  # (n,)


@visits()
def _choose(v, rows: Rows, selection: Selection):
    """Put v in if it prevails in S."""
    degrees, minimum, state = selection
    entries = 0
    if state[v] >= minimum:
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        e = _first_prevailing(v, rows, minimum, degrees, state)
        entries = min(e + 1, row_end) - row
        joins = e == row_end
        if joins:
            state[v] = IN
    return True, entries


@rule
def _first_inside(v, rows, state):
    """Return the position in v's row of the first neighbor that is in, or the row's end."""
    end = rows.indptr[v + 1]
    for e in range(rows.indptr[v], end):
        if state[rows.indices[e]] == IN:
            return e
    return end


@visits()
def _put_out(v, rows: Rows, state: Bytes):
    """Put v out if it has a neighbor that joined."""
    remains, entries = False, 0
    if state[v] != IN:
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        e = _first_inside(v, rows, state)
        entries = min(e + 1, row_end) - row
        remains = e == row_end
        if not remains:
            state[v] = OUT
    return remains, entries


def begin(graph: Graph, included: Any, excluded: Any, state: Any) -> None:
    """Write the initial states; included and excluded vertices and the neighbors of included ones are decided."""
    _mark_undecided(graph.num_vertices, graph.degrees, state)
    impose(graph, included, excluded, state)


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int, adaptive: bool) -> Any:
    """Return the mask of the set found by Luby's algorithm with selection."""
    history.enter("prepare")
    n, degrees, rounds = graph.num_vertices, graph.degrees, Rounds(graph)
    workers, lists, rows, state = rounds.workers, rounds.lists, rounds.rows, graph.xp.empty(n, np.uint8)
    begin(graph, included, excluded, state)
    _list_undecided(workers, lists, rows, state)
    history.undecided = rounds.undecided
    draw = drawn = 0

    def run_round() -> int:
        nonlocal draw, drawn
        lowest = _LEFT
        if not (adaptive and 2 * rounds.count() < n):
            for _ in range(_MAX_EMPTY_DRAWS):
                before = rounds.counted()
                _draw_selection(workers, lists, Draw(degrees, hash32((seed + draw) % 2**32)), state)
                draw += 1
                if rounds.counted() > before:
                    drawn += rounds.counted() - before
                    lowest = _DRAWN
                    break
        _choose(workers, lists, rows, Selection(degrees, lowest, state))
        _put_out(workers, lists, rows, state)
        return rounds.count()

    history.enter("rounds")
    if rounds.count():
        run_rounds(rounds.undecided, run_round)
    history.enter("")
    history.count(rounds.counted() - drawn)
    history.count_rows(graph, included)
    return state == IN
