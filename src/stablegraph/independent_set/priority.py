"""Maximal independent set by fixed priorities: the algorithm of ECL-MIS, in rounds on frozen states.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the order given; it is a property
of the graph and the order, not of the schedule.

Idea: whoever is ahead of all its undecided neighbours joins the set, and its neighbours are out; repeat with those
still undecided. No locks, and no random numbers beyond those in the order.

State, one byte a vertex::

    0          out (beats nobody)
    1..253     undecided, with the place in the order (see order.py); equal bytes are settled by `outranks`
    255        in

A round has two launches. In *look* every worker goes through its own undecided vertices; a look is the largest byte
among the neighbours, four at a time, until it is known that somebody is ahead. The winners then mark their neighbours
and themselves, each worker in an array of its own (a *lane*), because writing to lines that other cores hold costs far
more than the marks. In *settle* each worker collects the marks of all lanes for its own vertices, records them and
packs what is left. States only move from undecided to decided, and within *look* nobody writes them at all.

Most of the time of such loops is waiting for memory and mispredicted branches. So the first four neighbours of all
vertices in a chunk are looked at without any branch (a short row reads its last neighbour again, lists are packed by
adding a truth value), and only those that these four do not beat are looked at further.

Cost: after the first round some 10 to 30 % of the vertices are left, and each further round leaves about as small a
part of those. Work memory: 5 bytes a vertex (9 with 64-bit indices), and 1 more per worker, up to eight.

Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018. There each thread writes its neighbours'
bytes directly and asynchronously, which suits a GPU; the result is the same.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, edge_split, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module
from .order import BY_SMALLER_ID, IN, OUT, Order, in_order, outranks, write_bytes

_MOST_LANES = 8
_FEW = 512  # with no more undecided vertices than this, one thread finishes in order
_STALLED = 16  # so does it when a round decides less than this part of its vertices
_NATURAL_WORKERS = 6  # fewer workers than these are slower in rounds than one that visits all vertices by id
_STEP = 1 << 26  # entries, or vertices, that one thread goes through between two chances to be interrupted
_LONG = 16  # longer rows wait for the second round: hubs seldom win, and most are out by then without a look
_CHUNK = 1024  # vertices between marking phases: their rows are still in the cache then
_AHEAD_BY = 64  # vertices: their rows are asked for so long before they are looked at
_SHORT_ROW = 24  # bytes; where rows are no longer on average, in order of ids, the processor asks in time by itself
_CUDA_CHUNK = 16  # there the workers are many, and each has room for a chunk
_LINE = 8  # counters of different workers lie this many int64 apart: a cache line each

_OUT = np.uint8(OUT)
_UNDECIDED = np.uint8(1)
_AHEAD = np.uint8(254)
_WON = np.uint8(128)  # the mark of a winner; its neighbours' is 1


@kernel
def _split_evenly(worker, indptr, bounds):
    """Where a worker's contiguous share of vertices begins: shares are even in vertices + edges."""
    bounds[worker] = edge_split(indptr, indptr.size - 1, worker, bounds.size - 1)


@rule
def _largest_of_four(e, last, indices, state):
    """The largest byte among the neighbours at e .. e + 3, where those beyond `last` stand for the one at `last`."""
    a = state[at(indices[at(min(e, last))])]
    b = state[at(indices[at(min(e + 1, last))])]
    c = state[at(indices[at(min(e + 2, last))])]
    d = state[at(indices[at(min(e + 3, last))])]
    return max(max(a, b), max(c, d))


@rule(inline=False)
def _among_equals(v, indptr, indices, state, order_rule, seed, degree_ptr, values):
    """Above v's byte if a neighbour is ahead of v, else below, when the largest byte among them is v's own."""
    byte = state[at(v)]
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = indices[at(e)]
        other = state[at(u)]
        if other > byte or (other == byte and outranks(u, v, order_rule, seed, degree_ptr, values)):
            return _AHEAD
    return _OUT


@rule
def _beyond_four(v, byte, strongest, indptr, indices, state, order_rule, seed, degree_ptr, values):
    """Above v's byte if a neighbour is ahead of v, else below; reads on only until that is known."""
    e, end = int(indptr[at(v)]) + 4, int(indptr[at(v + 1)])
    while (e < end) & (strongest <= byte):
        strongest = max(strongest, _largest_of_four(e, end - 1, indices, state))
        e += 4
    if strongest == byte:
        strongest = _among_equals(v, indptr, indices, state, order_rule, seed, degree_ptr, values)
    return strongest


@rule
def _mark_neighbours(v, lane, indptr, indices, marks):
    """Mark v's neighbours, four at a time, a short row's last one repeatedly; v itself (a loop) is never marked."""
    e, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
    last = end - 1
    while e < end:
        for i in range(4):
            u = int(indices[at(min(e + i, last))])
            marks[at(lane + u)] = u != v
        e += 4


@kernel(by="workers")
def _look(
    worker,
    workers,
    indptr,
    indices,
    bounds,
    chunk_size,
    everything,
    undecided,
    counts,
    winners,
    strongest,
    marks,
    state,
    order_rule,
    seed,
    degree_ptr,
    values,
):
    """Find the winners among a worker's undecided vertices, or all of its own; mark them and their neighbours."""
    n = state.size
    lane = worker % (marks.size // n) * n
    first = bounds[worker]
    beyond = bounds[worker + 1] if everything else first + counts[worker * _LINE]
    own = worker * chunk_size  # where this worker's part of `winners` and `strongest` begins
    for chunk in range(first, beyond, chunk_size):
        # Who is not beaten by its first four neighbours, is a candidate: no branches, so that the processor can run far
        # ahead and wait for many cache lines at once.
        k = own
        for i in range(chunk, min(chunk + chunk_size, beyond)):
            v = i if everything else int(undecided[at(i)])
            ahead = min(i + _AHEAD_BY, beyond - 1)
            prefetch(indices, int(indptr[at(ahead if everything else undecided[at(ahead)])]))
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            if everything and end - start > _LONG:
                continue
            byte = state[at(v)]
            largest = _largest_of_four(start, max(end, 1) - 1, indices, state)
            winners[at(k)] = v
            strongest[at(k)] = largest
            k += int((largest <= byte) & (byte != IN))
        candidates, k = k, own
        for i in range(own, candidates):
            v = int(winners[at(i)])
            byte = state[at(v)]
            largest = _beyond_four(
                v, byte, strongest[at(i)], indptr, indices, state, order_rule, seed, degree_ptr, values
            )
            winners[at(k)] = v
            k += int(largest < byte)
        for i in range(own, k):
            v = int(winners[at(i)])
            _mark_neighbours(v, lane, indptr, indices, marks)
            marks[at(lane + v)] = _WON


@rule
def _settled(byte, marks):
    """The byte of a vertex after its marks (of all lanes together) are taken into account."""
    kept = (int(marks) & 1) - 1  # all bits, or none
    won = -(int(marks) >> 7)
    return np.uint8(((int(byte) & kept) | won) & 255)


@kernel(by="workers")
def _settle_all(worker, workers, bounds, undecided, counts, marks, state):
    """As `_settle`, for all vertices of a worker; lane by lane, which vectorises."""
    n = state.size
    first = k = bounds[worker]
    beyond = bounds[worker + 1]
    for lane in range(marks.size // n):
        for v in range(first, beyond):
            state[at(v)] = _settled(state[at(v)], marks[at(lane * n + v)])
    for v in range(first, beyond):
        byte = state[at(v)]
        undecided[at(k)] = v
        k += int((byte != OUT) & (byte != IN))
    counts[worker * _LINE] = k - first


@kernel(by="workers")
def _settle(worker, workers, bounds, undecided, counts, marks, state):
    """Record what was marked among a worker's undecided vertices, and pack those that remain."""
    n = state.size
    first = k = bounds[worker]
    for i in range(first, first + counts[worker * _LINE]):
        v = int(undecided[at(i)])
        marked = marks[at(v)]
        for lane in range(1, marks.size // n):
            marked |= marks[at(lane * n + v)]
        byte = _settled(state[at(v)], marked)
        state[at(v)] = byte
        undecided[at(k)] = v
        k += int((byte != OUT) & (byte != IN))
    counts[worker * _LINE] = k - first


@kernel
def find_included_neighbours(i, included, indptr, indices, chosen, partners):
    """For each included vertex another one that is its neighbour, if there is any."""
    v = int(included[i])
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if chosen[at(u)] and u != v:
            partners[i] = u
            break


@kernel(by="single")
def _greedy(vertices, indptr, indices, state):
    """The serial greedy algorithm on undecided vertices that come in order."""
    for i in range(vertices.size):
        _visit(int(vertices[at(i)]), indptr, indices, state)


@kernel(by="single")
def _greedy_by_id(first, beyond, ahead, indptr, indices, state):
    """The serial greedy algorithm on a range of vertices, in the order of their ids."""
    for v in range(first, beyond):
        if ahead:
            prefetch(indices, int(indptr[at(min(v + ahead, beyond))]))
        _visit(v, indptr, indices, state)


@rule
def _visit(v, indptr, indices, state):
    if state[at(v)] != OUT:
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            state[at(indices[at(e)])] = OUT
        state[at(v)] = IN


def independent_set(graph: Graph, order: Order, included: Any, excluded: Any) -> tuple[Any, dict[str, Any]]:
    """The greedy set in an order, and what was done: rounds, undecided vertices after each, seconds per phase.

    `included` and `excluded` are vertices in ascending order; no two included ones are adjacent.
    """
    started = time.perf_counter()
    xp = array_module(graph.device)
    n, indptr, indices = graph.num_vertices, graph.indptr, graph.indices
    workers = worker_count(graph.device, n + graph.num_entries)
    by_id = order.rule == BY_SMALLER_ID and workers < _NATURAL_WORKERS
    if by_id:
        state = xp.full(n, _UNDECIDED)
    else:
        lanes = min(workers, _MOST_LANES)
        undecided, state, marks = _work_memory(graph, lanes)
        bounds = _shares(graph, workers)
        write_bytes(order, bounds, state)
    if excluded.size:
        state[excluded] = OUT
    if included.size:
        state[included] = IN
        _visit_in_order(graph, included, state)

    prepared = time.perf_counter()
    left = [n]
    if not by_id:
        rest = _decide_in_rounds(graph, order, bounds, undecided, marks, state, left)

    decided = time.perf_counter()
    if by_id:
        ahead = _AHEAD_BY if indices.nbytes > _SHORT_ROW * n else 0
        steps = _shares(graph, 1 + (n + graph.num_entries) // _STEP).tolist()
        for first, beyond in pairwise(steps):
            _greedy_by_id(first, beyond, ahead, indptr, indices, state)
    elif rest.size:
        _visit_in_order(graph, in_order(order, rest, state), state)
    finished = time.perf_counter()
    seconds = {"prepare": prepared - started, "rounds": decided - prepared, "finish": finished - decided}
    return state == IN, {"rounds": len(left) - 1, "undecided": left, "seconds": seconds}


def _visit_in_order(graph: Graph, vertices: Any, state: Any) -> None:
    """The serial greedy algorithm, in calls of some `_STEP` vertices and entries where rows are of average length."""
    step = max(1, _STEP * graph.num_vertices // (graph.num_vertices + graph.num_entries))
    for first in range(0, vertices.size, step):
        _greedy(vertices[first : first + step], graph.indptr, graph.indices, state)


def _shares(graph: Graph, workers: int) -> Any:
    bounds = array_module(graph.device).empty(workers + 1, np.int64)
    _split_evenly(workers + 1, graph.indptr, bounds)
    return bounds


def _work_memory(graph: Graph, lanes: int) -> Any:
    """Room for undecided vertices, states and marks, in one block.

    C libraries keep one such block for the next call, but hand several back to the system, and the page faults of a
    fresh start take as long as a round.
    """
    n, id_type = graph.num_vertices, graph.indices.dtype
    listed = n * id_type.itemsize
    block = array_module(graph.device).empty(listed + n + lanes * n, np.uint8)
    return block[:listed].view(id_type), block[listed : listed + n], block[listed + n :]


def _undecided(graph: Graph, state: Any) -> Any:
    found = array_module(graph.device).flatnonzero((state != OUT) & (state != IN))
    return found.astype(graph.indices.dtype)


def _decide_in_rounds(
    graph: Graph, order: Order, bounds: Any, undecided: Any, marks: Any, state: Any, left: list[int]
) -> Any:
    """Rounds for all workers until few vertices are left, or a round decides few; returns those left, by id.

    The number left after each round is appended to `left`.
    """
    xp = array_module(graph.device)
    n, workers = graph.num_vertices, bounds.size - 1
    id_type = graph.indices.dtype
    if n <= _FEW or graph.num_entries == 0:
        return _undecided(graph, state)
    marks[:] = 0
    counts = xp.zeros(workers * _LINE, np.int64)
    chunk_size = _CHUNK if graph.device == "cpu" else _CUDA_CHUNK
    winners = xp.empty(workers * chunk_size, id_type)
    strongest = xp.empty(workers * chunk_size, np.uint8)
    everything, stalled = True, False
    while left[-1] > _FEW and not stalled:
        _look(
            workers,
            graph.indptr,
            graph.indices,
            bounds,
            chunk_size,
            everything,
            undecided,
            counts,
            winners,
            strongest,
            marks,
            state,
            *order.arguments,
        )
        settle = _settle_all if everything else _settle
        settle(workers, bounds, undecided, counts, marks, state)
        left.append(int(counts.sum()))
        # The first round says nothing: it does not look at long rows.
        stalled = not everything and (left[-2] - left[-1]) * _STALLED < left[-2]
        everything = False
    if graph.device == "cuda":
        return _undecided(graph, state)
    starts, lengths = bounds[:-1].tolist(), counts[::_LINE].tolist()
    return xp.concatenate([undecided[first : first + k] for first, k in zip(starts, lengths, strict=True)])
