"""Luby's algorithm with random selection: in every round a few vertices are drawn, and conflicts go by degree.

Result: a maximal independent set, a function of the graph, the seed and `adaptive` alone. As larger degrees prevail the
sets are small. (Were S below all undecided vertices throughout, it would be the greedy set by falling (degree, id).)

Rule: vertices without neighbors are in at once. A round draws a selection S of the undecided vertices. With d(v) the
number of v's neighbors in the whole graph,

    v in S   <=>  hash32(v + hash32(seed + draw)) < 2**32 / (2 d(v)),    draw = 0, 1, ...
    v joins  <=>  v in S, and (d(v), v) > (d(u), u) for every neighbor u of v in S

and the neighbors of those that join are out. S is drawn again, with the next number, while it is empty. With
`adaptive`, S is all undecided vertices as soon as those are fewer than half of all vertices; so it also is after 64
empty draws in a row, which happens when only vertices of high degree are left. Either way S is not empty, so each round
decides a vertex and the algorithm ends. The oracle is `luby_select` in tests/support/set_oracles.py.

In the code: `_selected` draws, and `_choose` sets `joins`, where `_first_prevailing` has found no neighbor.

Idea: an iteration writes the state of its own vertex only, and reads those of the neighbors. A round is a launch for
each draw and two more. In *choose* each drawn vertex searches its row for a drawn neighbor that prevails; if there is
none it is in at once, and still counts as drawn for its neighbors: no undecided vertex had a neighbor that was in
before. In *settle* those that are left search for a neighbor that is in, and only turn from undecided to out. So what
is read is frozen in each launch. (Going through a list of edges instead takes longer: docs/ablations.md.)

State, one byte a vertex::

    0          out
    1          undecided, not drawn
    2          undecided, drawn
    255        in

Cost: each round reads the neighbors of those that are left, until it finds one that is in. With `adaptive` few
rounds are needed; else vertices of degree d wait for some 2 d draws, each going through the list of those left.
Work memory: 5 bytes a vertex (9 with 64-bit indices), and the degrees, which the graph keeps: 4 (or 8).

Sources: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", SIAM Journal on Computing
15(4), 1986; in the form (degrees of the whole graph, adaptive selection) of R. Cichra, "Parallel graph algorithms for
GPU", bachelor's thesis, Czech Technical University in Prague, 2024, but with S frozen while conflicts are settled, and
hashes for random numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import Graph
from ...parallel import hash32, kernel, rule
from ...parallel.groups import Rows
from ..history import History
from ..worklists import LINE, Worklists, listed, no_counts, shares, workers_for
from .instrumented import entries_of
from .order import IN, OUT
from .serial import impose

_LEFT, _DRAWN = 1, 2
_MOST_EMPTY_DRAWS = 64  # in a row: what is left then is likely to have a high degree


@kernel(types="V[] uint8[]")
def _mark_undecided(v, degrees, state):
    """All undecided, but for vertices without neighbors, which are in."""
    state[v] = _LEFT if degrees[v] > 0 else IN


@kernel(by="workers", types="int64[] V[] int64[] uint8[]")
def _list_undecided(worker, workers, lists: Worklists, state):
    """A worker's undecided vertices, packed to the beginning of its share."""
    start = k = lists.bounds[worker]
    for v in range(start, lists.bounds[worker + 1]):
        lists.undecided[k] = v
        k += int(state[v] == _LEFT)
    lists.counts[worker * LINE] = k - start


@rule
def _selected(v, draw_seed, degree):
    """Whether random(v) * 2 d < 2**32, without a product that could overflow."""
    return hash32(v + draw_seed) <= (2**31 - 1) // degree


@kernel(by="workers", types="int64[] V[] int64[] O[] int int64[] uint8[]")
def _draw(worker, workers, lists: Worklists, degrees, draw_seed, drawn, state):
    """Draw among a worker's undecided vertices, and count those drawn."""
    start, end = listed(worker, lists)
    found = 0
    for i in range(start, end):
        v = lists.undecided[i]
        chosen = int(_selected(v, draw_seed, degrees[v]))
        state[v] = _LEFT + chosen
        found += chosen
    drawn[worker * LINE] = found


@rule
def _first_prevailing(v, rows, least, degrees, state):
    """Where in its row v has a neighbor in S with larger (degree, id); the row's end if nowhere."""
    degree, end = degrees[v], rows.indptr[v + 1]
    for e in range(rows.indptr[v], end):
        u = rows.indices[e]
        if state[u] >= least:
            other = degrees[u]
            if other > degree or (other == degree and u > v):
                return e
    return end


@kernel(by="workers", types="O[] V[] int64[] V[] int64[] O[] int uint8[]")
def _choose(worker, workers, rows: Rows, lists: Worklists, degrees, least, state):
    """The vertices join that prevail in S, the undecided vertices with states of at least `least`."""
    start, end = listed(worker, lists)
    entries = 0
    for i in range(start, end):
        v = lists.undecided[i]
        if state[v] >= least:
            row, row_end = rows.indptr[v], rows.indptr[v + 1]
            e = _first_prevailing(v, rows, least, degrees, state)
            entries += min(e + 1, row_end) - row
            joins = e == row_end
            if joins:
                state[v] = IN
    lists.counts[worker * LINE + 1] += entries


@rule
def _first_inside(v, rows, state):
    """Where in its row v has a neighbor that is in; the row's end if nowhere."""
    end = rows.indptr[v + 1]
    for e in range(rows.indptr[v], end):
        if state[rows.indices[e]] == IN:
            return e
    return end


@kernel(by="workers", types="O[] V[] int64[] V[] int64[] uint8[]")
def _settle(worker, workers, rows: Rows, lists: Worklists, state):
    """Put out the vertices that have a neighbor that joined, and pack those that remain undecided."""
    start, end = listed(worker, lists)
    k, entries = start, 0
    for i in range(start, end):
        v = lists.undecided[i]
        if state[v] == IN:
            continue
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        e = _first_inside(v, rows, state)
        entries += min(e + 1, row_end) - row
        if e < row_end:
            state[v] = OUT
        else:
            lists.undecided[k] = v
            k += 1
    lists.counts[worker * LINE] = k - start
    lists.counts[worker * LINE + 1] += entries


def begin(graph: Graph, included: Any, excluded: Any, state: Any) -> None:
    """The states at first: of vertices that must be in or out, of their neighbors, and of the others."""
    _mark_undecided(graph.num_vertices, graph.degrees, state)
    impose(graph, included, excluded, state)


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int, adaptive: bool) -> Any:
    """The mask of Luby's set by selection."""
    history.enter("prepare")
    xp, n, degrees = graph.xp, graph.num_vertices, graph.degrees
    workers = workers_for(graph)
    state = xp.empty(n, np.uint8)
    rows, drawn = Rows(graph.indptr, graph.indices), no_counts(graph, workers)
    # The counts are those of each worker's undecided vertices, and behind them of the entries read.
    lists = Worklists(shares(graph, workers), xp.empty(n, graph.indices.dtype), no_counts(graph, workers))

    begin(graph, included, excluded, state)
    _list_undecided(workers, lists, state)
    history.undecided = [n]
    remaining, draw = int(lists.counts[::LINE].sum()), 0

    history.enter("rounds")
    while remaining:
        least = _LEFT
        if not (adaptive and 2 * remaining < n):
            for _ in range(_MOST_EMPTY_DRAWS):
                _draw(workers, lists, degrees, hash32((seed + draw) % 2**32), drawn, state)
                draw += 1
                if int(drawn.sum()):
                    least = _DRAWN
                    break
        _choose(workers, rows, lists, degrees, least, state)
        _settle(workers, rows, lists, state)
        remaining = int(lists.counts[::LINE].sum())
        history.undecided.append(remaining)
    history.enter("")
    history.count(int(lists.counts[1::LINE].sum()) + entries_of(graph, included))
    return state == IN
