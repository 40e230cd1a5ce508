"""Rounds of ECL-MIS on frozen states: the vertices that are ahead of all their undecided neighbors join the set.

Result: what a round decides is a function of the graph and the order. With one order for all rounds (order.py) the set
is that of the serial greedy algorithm (priority.py); with one drawn anew for each it is Luby's (luby.py).

Rule: of the vertices that are still undecided,

    v joins  <=>  every undecided neighbor of v is behind it;    v is out  <=>  a neighbor of v joins

The oracle in tests/support/naive.py, `in_rounds`, says the same in a few lines.

In the code: `_look` sets `joins`. It compares bytes; which of two vertices with equal bytes is ahead, `outranks`
(order.py) says.

Idea: no locks. In *look* every worker goes through its own undecided vertices: it takes the largest byte among the
neighbors of each, four at a time, until one is found that is ahead. The winners then mark their neighbors and
themselves. In *settle* each worker records the marks of its own vertices and packs those that are left (worklists.py).
States only move from undecided to decided, and within *look* they are not written at all.

Most of the time of such loops is waiting for memory and mispredicted branches. So rows are prefetched, and the first
four neighbors of all vertices in a chunk are read without any branch (a short row reads its last neighbor again, lists
are packed by adding a truth value); only vertices that are ahead of these four read on.

State, one byte a vertex::

    0          out (ahead of no other vertex)
    1..253     undecided: the place in the order; equal bytes are settled by `outranks`
    255        in

Cost: two launches a round, which read a few neighbors of each vertex that is left. Work memory: 5 bytes a vertex (9
with 64-bit indices), and 1 more per worker, up to eight.

Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018. There each thread writes its neighbors'
bytes directly and asynchronously, which suits a GPU; the result is the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...graph import Graph
from ...parallel import kernel, prefetch, rule
from ...parallel.groups import Rows
from ..states import States, four_states, lane_of, lanes_in, mark_neighbors, marks_of
from ..worklists import LINE, PREFETCH_DISTANCE, Worklists, allocate, chunk_size, listed
from .order import IN, OUT, Order, outranks

_OUT = np.uint8(OUT)
_AHEAD = np.uint8(254)
_WON = np.uint8(128)  # the mark of a winner


class Scope(NamedTuple):
    """Which vertices a round tries."""

    everything: Any  # whether at all, as in the first round, when there are no worklists yet
    longest: Any  # but at none that has a row longer than this


class Candidates(NamedTuple):
    """The vertices of a chunk that may still join."""

    most: Any  # in a chunk; worker w has its own from place w * most on
    vertices: Any  # (workers * most,)
    largest: Any  # the largest byte that was found among the neighbors of each


@rule
def largest_of_four(e, last, indices, state):
    """The largest byte of those that `four_states` reads."""
    a, b, c, d = four_states(e, last, indices, state)
    return max(max(a, b), max(c, d))


@rule(inline=False)
def _among_equals(v, rows, state, order):
    """Above v's byte if a neighbor is ahead of v, else below, when the largest byte among them is v's own."""
    byte = state[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        other = state[u]
        if other > byte or (other == byte and outranks(u, v, order)):
            return _AHEAD
    return _OUT


@rule
def _after_four(v, byte, largest, rows, state, order):
    """Above v's byte if a neighbor is ahead of v, else below; reads on only until that is known."""
    e, end = rows.indptr[v] + 4, rows.indptr[v + 1]
    while (e < end) & (largest <= byte):
        largest = max(largest, largest_of_four(e, end - 1, rows.indices, state))
        e += 4
    if largest == byte:
        largest = _among_equals(v, rows, state, order)
    return largest


@kernel(
    by="workers", types="O[] V[] int64[] V[] int64[] bool int int V[] uint8[] uint8[] uint8[] int int O[] int uint64[]"
)
def _look(
    worker, workers, rows: Rows, lists: Worklists, scope: Scope, candidates: Candidates, states: States, order: Order
):
    """Find the winners among a worker's undecided vertices, or all of its share; mark them and their neighbors."""
    state, vertices = states.now, candidates.vertices
    lane = lane_of(worker, states)
    start, end = listed(worker, lists)
    if scope.everything:
        end = lists.bounds[worker + 1]
    own = worker * candidates.most
    for chunk in range(start, end, candidates.most):
        # Candidates: vertices that are ahead of their first four neighbors. Without branches, so that the processor can
        # run far ahead and wait for many cache lines at once.
        k = own
        for i in range(chunk, min(chunk + candidates.most, end)):
            v = i if scope.everything else lists.undecided[i]
            later = min(i + PREFETCH_DISTANCE, end - 1)
            prefetch(rows.indices, rows.indptr[later if scope.everything else lists.undecided[later]])
            row, row_end = rows.indptr[v], rows.indptr[v + 1]
            if row_end - row > scope.longest:
                continue
            byte = state[v]
            largest = largest_of_four(row, max(row_end, 1) - 1, rows.indices, state)
            vertices[k] = v
            candidates.largest[k] = largest
            k += int((largest <= byte) & (byte != IN))
        # Winners: candidates that are ahead of all their neighbors. (Those that are out have byte 0.)
        found, k = k, own
        for i in range(own, found):
            v = vertices[i]
            byte = state[v]
            # v joins: every neighbor has a smaller byte, or an equal one and is behind v by `outranks`.
            joins = _after_four(v, byte, candidates.largest[i], rows, state, order) < byte
            vertices[k] = v
            k += int(joins)
        # Marks: of the winners and of their neighbors.
        for i in range(own, k):
            v = vertices[i]
            mark_neighbors(v, lane, rows, states.marks)
            states.marks[lane + v] = _WON  # last, as v may have a loop


@rule
def _settled(byte, marks):
    """The byte of a vertex after its marks (of all lanes together) are taken into account."""
    kept = (int(marks) & 1) - 1  # all bits, or none
    won = -(int(marks) >> 7)
    return np.uint8(((int(byte) & kept) | won) & 255)


@kernel(by="workers", types="int64[] V[] int64[] uint8[] uint8[]")
def _settle_all(worker, workers, lists: Worklists, states: States):
    """As `_settle`, for all vertices of a worker's share; lane by lane, which vectorizes."""
    state, n = states.now, states.now.size
    start = k = lists.bounds[worker]
    end = lists.bounds[worker + 1]
    for lane in range(lanes_in(states)):
        for v in range(start, end):
            state[v] = _settled(state[v], states.marks[lane * n + v])
    for v in range(start, end):
        byte = state[v]
        lists.undecided[k] = v
        k += int((byte != OUT) & (byte != IN))
    lists.counts[worker * LINE] = k - start


@kernel(by="workers", types="int64[] V[] int64[] uint8[] uint8[]")
def _settle(worker, workers, lists: Worklists, states: States):
    """Record what was marked among a worker's undecided vertices, and pack those that remain."""
    start, end = listed(worker, lists)
    k, lanes = start, lanes_in(states)
    for i in range(start, end):
        v = lists.undecided[i]
        byte = _settled(states.now[v], marks_of(v, lanes, states))
        states.now[v] = byte
        lists.undecided[k] = v
        k += int((byte != OUT) & (byte != IN))
    lists.counts[worker * LINE] = k - start


class Rounds:
    """A set in the making: the states of all vertices, the worklists, and rounds that decide more.

    The caller fills `state` with the bytes of an order before the first round.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph, self.rows = graph, Rows(graph.indptr, graph.indices)
        self.lists, self._states, _ = allocate(graph, np.uint8)
        self.workers, self.state = self.lists.bounds.size - 1, self._states.now
        self.undecided = [graph.num_vertices]  # how many, at the beginning and after each round

    def scope(self, longest: int) -> Scope:
        """Which vertices the next round tries."""
        return Scope(len(self.undecided) == 1, longest)

    def decide(self, order: Order, longest: int) -> None:
        """One round. Vertices with more than `longest` neighbors do not join in it."""
        graph = self.graph
        if graph.num_entries == 0:  # vertices that are not out have been in from the start
            self.undecided.append(0)
            return
        scope = self.scope(longest)
        if scope.everything:
            self._states.marks[:] = 0
            most, xp = chunk_size(graph), graph.xp
            size = self.workers * most
            self._candidates = Candidates(most, xp.empty(size, graph.indices.dtype), xp.empty(size, np.uint8))
        _look(self.workers, self.rows, self.lists, scope, self._candidates, self._states, order)
        settle = _settle_all if scope.everything else _settle
        settle(self.workers, self.lists, self._states)
        self.undecided.append(int(self.lists.counts.sum()))

    def rest(self) -> Any:
        """The vertices that are still undecided, by id."""
        xp = self.graph.xp
        if len(self.undecided) == 1 or self.graph.device == "cuda":
            found = xp.flatnonzero((self.state != OUT) & (self.state != IN))
            return found.astype(self.graph.indices.dtype)
        starts, lengths = self.lists.bounds[:-1].tolist(), self.lists.counts[::LINE].tolist()
        lists = zip(starts, lengths, strict=True)
        return xp.concatenate([self.lists.undecided[start : start + length] for start, length in lists])
