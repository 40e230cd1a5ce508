"""Maximal independent set by fixed priorities: the algorithm of ECL-MIS, in rounds on frozen states.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the given order (order.py). It
depends on the graph and the order, but not on the schedule. With a new random order in each round, the same rounds find
the set of Luby's algorithm (luby.py).

Rule: v is in the set  <=>  no neighbor that is ahead of v is in it. In a round, for every undecided vertex v,

    v joins  <=>  every undecided neighbor of v is behind it;    v is out  <=>  a neighbor of v joins

so that the decisions of a round depend only on the states before it, the graph and the order. The oracles in
tests/support/naive.py are `greedy_independent_set` and `in_rounds`, which implements the same rounds in a few lines.

In the code: `_find_winners` sets `joins`. It compares bytes; `outranks` (rules.py) decides between vertices with equal
bytes. For the serial finish, `put_in_unless_out` in serial.py.

Idea: two lock-free passes per round. *find*: each worker scans its undecided vertices and reads the neighbors' bytes,
four at a time, until it finds a neighbor that is ahead. A vertex without such a neighbor wins and marks itself and its
neighbors. *settle*: each worker applies the marks to its own vertices and packs its list of undecided ones. The lists
and lanes of marks are those of the engine (_core/engines/rounds.py). A state only changes from undecided to decided,
and *find* does not write states at all.

Such loops spend most of their time waiting for memory and on mispredicted branches. Therefore rows are prefetched, and
the first four neighbors of all vertices in a chunk are read without any branch: a short row reads its last neighbor
repeatedly, and lists are packed by adding a boolean to the position. Only vertices that are ahead of these four
neighbors read more.

When few vertices remain, or the order leaves no parallelism, one thread visits the remaining vertices in order. In the
order "natural", a single thread that visits vertices by id processes six of them in the time in which one worker tries
one vertex in a round. Vertices are therefore decided by id, on all threads or by one (serial.py).

The synchronous form has no serial finish. It runs rounds until no vertex is undecided. Therefore the number of rounds
also depends only on the graph and the order. It is at most the largest depth (depth.py), because each round decides
every vertex whose neighbors ahead are all decided.

State, one byte per vertex::

    0          out (ahead of no other vertex)
    1..253     undecided: the place in the order; `outranks` decides between equal bytes
    255        in

Cost: two launches per round, which read a few neighbors of each undecided vertex. About 10 to 30 % of the vertices
remain after the first round, and each further round leaves about the same fraction of the remaining ones. Work memory:
5 bytes per vertex (9 with 64-bit indices), and 1 byte per vertex for each worker, up to eight.

Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018. In the paper each thread writes its
neighbors' bytes directly and asynchronously, which suits a GPU; the result is the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._core.engines.rounds import (
    LINE,
    PREFETCH_DISTANCE,
    History,
    Rounds,
    States,
    Worklists,
    clear_marks,
    four_states,
    has_stalled,
    lane_of,
    lanes_in,
    listed,
    mark_neighbors,
    marks_of,
    run_rounds,
    visits,
)
from ..._core.runtime import Bytes, Int64s, Rows, Vertices, kernel, prefetch, rule
from ...graph import Graph
from ..rules import BY_SMALLER_ID, Order, outranks
from .order import IN, OUT, Choice, make_order, sort_by_order, write_bytes
from .serial import UNDECIDED, StatesById, decide_by_id, impose, visit

# Measured in the order "degree" on one thread (G2, R4, RM): 0 to 4096 for the first constant, 4 to 64 for STALLED of
# the engine and 8 to 64 for _LONG differ by less than 9 %; with a _LONG of 4, R4 takes 20 % longer.
_SERIAL_BELOW_VERTICES = 512  # with at most this number of undecided vertices, one thread finishes in order
_LONG = 16  # entries; longer rows wait until the second round: hubs seldom win, and most are out by then, unread

_OUT = np.uint8(OUT)
_IS_AHEAD = np.uint8(254)
_WON = np.uint8(128)  # the mark of a winner


class Scope(NamedTuple):
    """The vertices that a round tries."""

    everything: bool  # whether it tries all vertices, as in the first round, when worklists do not exist yet
    longest: int  # vertices with longer rows are skipped


class Contenders(NamedTuple):
    """The vertices of a chunk that may still join."""

    most: int  # the size of a chunk; worker w uses the places from w * most
    vertices: Vertices  # (workers * most,)
    largest: Bytes  # the largest byte found so far among the neighbors of each candidate


@rule
def largest_of_four(e, last, indices, state):
    """Return the largest of the four bytes that `four_states` reads."""
    a, b, c, d = four_states(e, last, indices, state)
    return max(max(a, b), max(c, d))


@rule(inline=False)
def _among_equals(v, rows, state, order):
    """Return a byte above v's if a neighbor is ahead of v, else one below; called if the largest byte equals v's."""
    byte = state[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        other = state[u]
        if other > byte or (other == byte and outranks(u, v, order)):
            return _IS_AHEAD
    return _OUT


@rule
def _after_four(v, byte, largest, rows, state, order):
    """Return a byte above v's if a neighbor is ahead of v, else one below; read only until this is known."""
    e, end = rows.indptr[v] + 4, rows.indptr[v + 1]
    while (e < end) & (largest <= byte):
        largest = max(largest, largest_of_four(e, end - 1, rows.indices, state))
        e += 4
    if largest == byte:
        largest = _among_equals(v, rows, state, order)
    return largest


@kernel(by="workers", T="uint8")
def _find_winners(
    worker, workers, rows: Rows, lists: Worklists, scope: Scope, contenders: Contenders, states: States, order: Order
):
    """Find the winners among a worker's undecided vertices (or its whole share), and mark them and their neighbors."""
    state, vertices = states.current, contenders.vertices
    lane = lane_of(worker, states)
    start, end = listed(worker, lists)
    if scope.everything:
        end = lists.bounds[worker + 1]
    base = worker * contenders.most
    for chunk in range(start, end, contenders.most):
        # Contenders: vertices that are ahead of their first four neighbors. The loop has no unpredictable branches, so
        # the processor can run far ahead and wait for many cache lines at once.
        k = base
        for i in range(chunk, min(chunk + contenders.most, end)):
            v = i if scope.everything else lists.undecided[i]
            later = min(i + PREFETCH_DISTANCE, end - 1)
            prefetch(rows.indices, rows.indptr[later if scope.everything else lists.undecided[later]])
            row, row_end = rows.indptr[v], rows.indptr[v + 1]
            if row_end - row > scope.longest:
                continue
            byte = state[v]
            largest = largest_of_four(row, max(row_end, 1) - 1, rows.indices, state)
            vertices[k] = v
            contenders.largest[k] = largest
            k += int((largest <= byte) & (byte != IN))
        # Winners: contenders that are ahead of all their neighbors. (Neighbors that are out have byte 0.)
        count, k = k, base
        for i in range(base, count):
            v = vertices[i]
            byte = state[v]
            # v joins: every neighbor has a smaller byte, or an equal byte and is behind v by `outranks`.
            joins = _after_four(v, byte, contenders.largest[i], rows, state, order) < byte
            vertices[k] = v
            k += int(joins)
        # Marks: of the winners and of their neighbors.
        for i in range(base, k):
            v = vertices[i]
            mark_neighbors(v, lane, rows, states.marks)
            states.marks[lane + v] = _WON  # last, as v may have a loop


@rule
def _settled(byte, marks):
    """Return the byte of a vertex after its marks (combined from all lanes) are applied."""
    keep_mask = (int(marks) & 1) - 1  # all bits or none
    win_mask = -(int(marks) >> 7)
    return np.uint8(((int(byte) & keep_mask) | win_mask) & 255)


@kernel(by="workers", T="uint8")
def _apply_all_marks(worker, workers, lists: Worklists, states: States):
    """Do the same as `_settle` for all vertices of a worker's share, lane by lane, which vectorizes.

    As a visit of the engine it takes up to 4 % longer (Kronecker graphs).
    """
    state, n = states.current, states.current.size
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


@visits(T="uint8")
def _settle(v, rows: Rows, states: States):
    """Apply v's marks; v remains if it is undecided."""
    byte = _settled(states.current[v], marks_of(v, lanes_in(states), states))
    states.current[v] = byte
    return (byte != OUT) & (byte != IN), 0


# Counting: a counter in the kernels above would slow down every call (by 2 to 6 %, measured on grids). However, states
# are frozen while a round reads them, so a separate kernel can compute in advance where each search will end. It takes
# about as long as the round. Entries that are read again to compare equal bytes count once. Each member of the set also
# reads its whole row once, to mark its neighbors.


@kernel(by="workers")
def _count_entries(worker, workers, rows: Rows, lists: Worklists, scope: Scope, state: Bytes, entries: Int64s):
    """Count the entries that a worker will read in the next round."""
    start, end = listed(worker, lists)
    if scope.everything:
        end = lists.bounds[worker + 1]
    total = 0
    for i in range(start, end):
        v = i if scope.everything else lists.undecided[i]
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        if row < row_end and row_end - row <= scope.longest:
            byte = state[v]
            largest, e = largest_of_four(row, row_end - 1, rows.indices, state), row + 4
            while (e < row_end) & (largest <= byte) & (byte != IN):
                largest = max(largest, largest_of_four(e, row_end - 1, rows.indices, state))
                e += 4
            total += min(e, row_end) - row
    entries[worker] = total


class OrderRounds(Rounds):
    """A partial set: the states of all vertices, the lists, and the method that runs a round.

    The caller fills `state` with the bytes of an order before the first round. The history records the undecided
    vertices and, if the user asks for it, the entries of the graph that are read.
    """

    def __init__(self, graph: Graph, history: History) -> None:
        super().__init__(graph, np.uint8)
        self.history, self.state = history, self.states.current
        history.undecided = self.undecided

    def decide(self, order: Order, longest: int) -> int:
        """Run one round; return how many vertices remain.

        Vertices with more than `longest` entries in their row do not join in it.
        """
        self.find(order, longest)
        return self.settle()

    def find(self, order: Order, longest: int) -> None:
        """Mark the winners of a round and their neighbors."""
        graph = self.graph
        scope = Scope(len(self.undecided) == 1, longest)
        if self.history.counted:
            self._count_entries(scope)
        if scope.everything:
            clear_marks(self.workers, self.states.marks)
            maximum, xp = self.chunk_size(), graph.xp
            size = self.workers * maximum
            self._contenders = Contenders(maximum, xp.empty(size, graph.indices.dtype), xp.empty(size, np.uint8))
        if graph.num_entries:
            _find_winners(self.workers, self.rows, self.lists, scope, self._contenders, self.states, order)

    def settle(self) -> int:
        """Apply the marks of a round; return how many vertices remain."""
        if len(self.undecided) == 1:
            _apply_all_marks(self.workers, self.lists, self.states)
        else:
            _settle(self.workers, self.lists, self.rows, self.states)
        return self.count()

    def _count_entries(self, scope: Scope) -> None:
        """Count the entries that the next round will read; the time is not reported."""
        self.history.enter("")
        entries = self.graph.xp.zeros(self.workers, np.int64)
        _count_entries(self.workers, self.rows, self.lists, scope, self.state, entries)
        self.history.count(int(entries.sum()))
        self.history.enter("rounds")

    def remaining(self) -> Any:
        """Return the vertices that are still undecided, by id."""
        if len(self.undecided) > 1 and self.graph.device == "cpu":
            return super().remaining()
        return self.graph.xp.flatnonzero((self.state != OUT) & (self.state != IN)).astype(self.graph.indices.dtype)


def members(graph: Graph, state: Any, history: History) -> Any:
    """Return the mask of the set after all vertices are decided, and count the rows of its members."""
    history.enter("")
    mask = state == IN
    if history.counted:
        history.count_rows(graph, mask)
    return mask


def run_all(undecided: list[int], decide: Callable[[int], int], entries: int, synchronous: bool) -> None:
    """Run rounds until one thread finishes, or until all vertices are decided; `decide` takes the longest row."""

    def run_round() -> int:
        return decide(_LONG if len(undecided) == 1 and not synchronous else entries)

    # The first round does not stall, because it skips long rows.
    run_rounds(undecided, run_round, *(() if synchronous else (_SERIAL_BELOW_VERTICES, has_stalled)))


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
    run_all(rounds.undecided, lambda longest: rounds.decide(order, longest), entries, synchronous)

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
    if not (workers and decide_by_id(rows, None, StatesById(graph.is_sorted, state), workers)):
        visit(graph, None, state)
    return members(graph, state, history)
