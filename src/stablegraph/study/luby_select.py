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
the schedule. (Iterating over a list of edges instead takes longer: docs/ablations.md.)

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

from typing import Any

import numpy as np

from .._core.runtime import Bytes, Offsets, Rows, Vertices, edge_splits, hash32, kernel, rule
from ..graph import Graph
from ..independent_set.greedy.order import IN, OUT
from ..independent_set.greedy.serial import impose
from ..independent_set.history import History
from ..independent_set.worklists import LINE, Worklists, listed, no_counts, workers_for

_LEFT, _DRAWN = 1, 2
_MAX_EMPTY_DRAWS = 64  # in a row; the remaining vertices are then likely to have high degrees


@kernel
def _mark_undecided(v, degrees: Vertices, state: Bytes):
    """Make v undecided if it has neighbors, and put it in if it has none."""
    state[v] = _LEFT if degrees[v] > 0 else IN


@kernel(by="workers")
def _list_undecided(worker, workers, lists: Worklists, state: Bytes):
    """Pack a worker's undecided vertices to the beginning of its share."""
    start = k = lists.bounds[worker]
    for v in range(start, lists.bounds[worker + 1]):
        lists.undecided[k] = v
        k += int(state[v] == _LEFT)
    lists.counts[worker * LINE] = k - start


@rule
def _selected(v, draw_seed, degree):
    """Return whether hash * 2 d < 2**32, without a product that could overflow."""
    return hash32(v + draw_seed) <= (2**31 - 1) // degree


@kernel(by="workers", types="O[] int int64[] uint8[]")
def _draw_selection(worker, workers, lists: Worklists, degrees, draw_seed, selection_sizes, state):
    """Draw among a worker's undecided vertices, and count the drawn ones."""
    start, end = listed(worker, lists)
    count = 0
    for i in range(start, end):
        v = lists.undecided[i]
        chosen = int(_selected(v, draw_seed, degrees[v]))
        state[v] = _LEFT + chosen
        count += chosen
    selection_sizes[worker * LINE] = count


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


@kernel(by="workers")
def _choose(worker, workers, rows: Rows, lists: Worklists, degrees: Offsets, minimum: int, state: Bytes):
    """Put in a worker's vertices that prevail in S, the undecided vertices with states of at least `minimum`."""
    start, end = listed(worker, lists)
    entries = 0
    for i in range(start, end):
        v = lists.undecided[i]
        if state[v] >= minimum:
            row, row_end = rows.indptr[v], rows.indptr[v + 1]
            e = _first_prevailing(v, rows, minimum, degrees, state)
            entries += min(e + 1, row_end) - row
            joins = e == row_end
            if joins:
                state[v] = IN
    lists.counts[worker * LINE + 1] += entries


@rule
def _first_inside(v, rows, state):
    """Return the position in v's row of the first neighbor that is in, or the row's end."""
    end = rows.indptr[v + 1]
    for e in range(rows.indptr[v], end):
        if state[rows.indices[e]] == IN:
            return e
    return end


@kernel(by="workers")
def _put_out_neighbors(worker, workers, rows: Rows, lists: Worklists, state: Bytes):
    """Put out the vertices with a neighbor that joined, and pack the vertices that remain undecided."""
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
    """Write the initial states; included and excluded vertices and the neighbors of included ones are decided."""
    _mark_undecided(graph.num_vertices, graph.degrees, state)
    impose(graph, included, excluded, state)


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int, adaptive: bool) -> Any:
    """Return the mask of the set found by Luby's algorithm with selection."""
    history.enter("prepare")
    xp, n, degrees = graph.xp, graph.num_vertices, graph.degrees
    workers = workers_for(graph)
    state = xp.empty(n, np.uint8)
    rows, selection_sizes = Rows(graph.indptr, graph.indices), no_counts(graph, workers)
    # Each worker counts its undecided vertices, and after them the entries it has read.
    lists = Worklists(edge_splits(graph.indptr, workers), xp.empty(n, graph.indices.dtype), no_counts(graph, workers))

    begin(graph, included, excluded, state)
    _list_undecided(workers, lists, state)
    history.undecided = [n]
    remaining, draw = int(lists.counts[::LINE].sum()), 0

    history.enter("rounds")
    while remaining:
        lowest = _LEFT
        if not (adaptive and 2 * remaining < n):
            for _ in range(_MAX_EMPTY_DRAWS):
                _draw_selection(workers, lists, degrees, hash32((seed + draw) % 2**32), selection_sizes, state)
                draw += 1
                if int(selection_sizes.sum()):
                    lowest = _DRAWN
                    break
        _choose(workers, rows, lists, degrees, lowest, state)
        _put_out_neighbors(workers, rows, lists, state)
        remaining = int(lists.counts[::LINE].sum())
        history.undecided.append(remaining)
    history.enter("")
    history.count(int(lists.counts[1::LINE].sum()))
    history.count_rows(graph, included)
    return state == IN
