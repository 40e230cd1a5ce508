"""The greedy algorithm in the order of ids, on one thread and on several; and in a list, for a few vertices.

Result: the lexicographically first set among the undecided vertices; of a list, the set in its order.

Rule: v is in  <=>  no smaller neighbor is in. The oracle is `greedy_independent_set` in tests/support/naive.py. In the
code: `put_in_unless_out` on one thread, `decide_by_id` on several. The engine is _core/engines/order.py.

Idea: a member puts its neighbors out, so one thread reads only the rows of members. On several threads each state is
written by one thread only: a vertex with a neighbor in the set is out, whatever its other neighbors are; otherwise it
needs the states of all its smaller neighbors, and waits if one of them is not known. On a single thread this takes
about twice the time.

State: see priority.py; in the order of ids, every undecided vertex has the byte `UNDECIDED`. On threads, states change
only once, so a stale read costs time, but never changes the answer.

Cost: on one thread an access to the rows of members. On several, an access to the row of each undecided vertex, up to
its first neighbor in the set or (in an ascending row) to its last smaller neighbor. Work memory: none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.engines.order import in_pieces, in_turn
from ..._core.engines.rounds import PREFETCH_DISTANCE
from ..._core.runtime import Bytes, Rows, rule
from ...graph import Graph
from .order import IN, OUT

UNDECIDED = np.uint8(1)
_MAX_PIECE = 256  # vertices
_DECIDED = 4  # neighbors; of this number of decided ones, one is likely in
_SHORT_ROW = 24  # bytes; if rows are at most this long on average, hardware prefetching suffices for visits by id

# ---- One thread


@in_turn(by_id=True)
def put_in_unless_out(worker, v, rows: Rows, state: Bytes):
    """Put v in and its neighbors out, unless v is out."""
    if state[v] != OUT:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            state[rows.indices[e]] = OUT
        state[v] = IN
    return True


def visit(graph: Graph, vertices: Any | None, state: Any) -> None:
    """Visit vertices in the given order: put each one in and its neighbors out, unless it is out.

    If `vertices` is None, visit all vertices in the order of their ids.
    """
    distance = PREFETCH_DISTANCE if graph.indices.nbytes > _SHORT_ROW * graph.num_vertices else 0
    put_in_unless_out(Rows(graph.indptr, graph.indices), vertices, state, distance=distance)


def impose(graph: Graph, included: Any, excluded: Any, state: Any) -> None:
    """Put the excluded vertices out, the included ones in, and the neighbors of the included ones out."""
    if excluded.size:
        state[excluded] = OUT
    if included.size:
        state[included] = IN
        visit(graph, included, state)


# ---- Several threads


class StatesById(NamedTuple):
    """The states, and whether rows are in ascending order."""

    ascending: bool
    states: Bytes


@rule
def _waits(v, window, rows, state):
    """Return whether v is likely to wait.

    It has a neighbor shortly before it, and few neighbors before these vertices, which are decided, and of which one
    may be in.
    """
    in_progress = decided = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        in_progress += int(v - 2 * window < u < v)
        decided += int(u <= v - 2 * window)
    return (in_progress > 0) & (decided < _DECIDED)


@in_pieces(waits=_waits, by_id=True, piece=_MAX_PIECE, slowdown=2)
def decide_by_id(worker, v, rows: Rows, state: StatesById):
    """Put v out if a neighbor is in, and in if all smaller neighbors are out; otherwise v waits."""
    ascending, states = state
    largest, waiting = OUT, False
    if states[v] == UNDECIDED:
        e, end, u = rows.indptr[v], rows.indptr[v + 1], 0
        while (e < end) & (largest != IN) & ((u < v) | (not ascending)):
            for i in range(4):  # without branches, which would be mispredicted
                u = rows.indices[min(e + i, end - 1)]
                byte = int(states[u])
                largest = max(largest, byte)
                waiting |= (byte == UNDECIDED) & (u < v)
            e += 4
        states[v] = OUT if largest == IN else UNDECIDED if waiting else IN
    return (largest == IN) | (not waiting)
