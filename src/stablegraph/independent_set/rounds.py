"""Rounds of ECL-MIS on frozen states: for all algorithms in which vertices join that are ahead of their neighbours.

Idea: whoever is ahead of all its undecided neighbours joins the set, and its neighbours are out; repeat with those
still undecided. No locks are needed.

State, one byte a vertex::

    0          out (beats nobody)
    1..253     undecided, with the place in the order (see order.py); equal bytes are settled by `outranks`
    255        in

A round has two launches. In *look* every worker goes through its own undecided vertices; a look is the largest byte
among the neighbours, four at a time, until it is known that somebody is ahead. The winners then mark their neighbours
and themselves, each worker in an array of its own (a *lane*), because writing to lines that other cores hold costs far
more than the marks. In *settle* each worker collects the marks of all lanes for its own vertices, records them and
packs what is left. States only move from undecided to decided, and within *look* nobody writes them at all, so a round
is a function of the graph and the order.

Most of the time of such loops is waiting for memory and mispredicted branches. So rows are asked for ahead of time,
and the first four neighbours of all vertices in a chunk are looked at without any branch (a short row reads its last
neighbour again, lists are packed by adding a truth value); only those whom they do not beat are looked at further.

Work memory: 5 bytes a vertex (9 with 64-bit indices), and 1 more per worker, up to eight.

Source: M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018. There each thread writes its neighbours'
bytes directly and asynchronously, which suits a GPU; the result is the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, edge_split, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module
from .order import IN, OUT, Order, outranks

AHEAD_BY = 64  # vertices: their rows are asked for so long before they are looked at
LINE = 8  # counters of different workers lie this many int64 apart: a cache line each
_MOST_LANES = 8
_CHUNK = 1024  # vertices between marking phases: their rows are still in the cache then
_CUDA_CHUNK = 16  # there the workers are many, and each has room for a chunk

_OUT = np.uint8(OUT)
_AHEAD = np.uint8(254)
_WON = np.uint8(128)  # the mark of a winner; its neighbours' is 1


@kernel
def _split_evenly(worker, indptr, bounds):
    """Where a worker's contiguous share of vertices begins: shares are even in vertices + edges."""
    bounds[worker] = edge_split(indptr, indptr.size - 1, worker, bounds.size - 1)


@rule
def largest_of_four(e, last, indices, state):
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
        strongest = max(strongest, largest_of_four(e, end - 1, indices, state))
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
    longest,
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
    beyond = bounds[worker + 1] if everything else first + counts[worker * LINE]
    own = worker * chunk_size  # where this worker's part of `winners` and `strongest` begins
    for chunk in range(first, beyond, chunk_size):
        # Who is not beaten by its first four neighbours, is a candidate: no branches, so that the processor can run far
        # ahead and wait for many cache lines at once.
        k = own
        for i in range(chunk, min(chunk + chunk_size, beyond)):
            v = i if everything else int(undecided[at(i)])
            ahead = min(i + AHEAD_BY, beyond - 1)
            prefetch(indices, int(indptr[at(ahead if everything else undecided[at(ahead)])]))
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            if end - start > longest:
                continue
            byte = state[at(v)]
            largest = largest_of_four(start, max(end, 1) - 1, indices, state)
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
    counts[worker * LINE] = k - first


@kernel(by="workers")
def _settle(worker, workers, bounds, undecided, counts, marks, state):
    """Record what was marked among a worker's undecided vertices, and pack those that remain."""
    n = state.size
    first = k = bounds[worker]
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        marked = marks[at(v)]
        for lane in range(1, marks.size // n):
            marked |= marks[at(lane * n + v)]
        byte = _settled(state[at(v)], marked)
        state[at(v)] = byte
        undecided[at(k)] = v
        k += int((byte != OUT) & (byte != IN))
    counts[worker * LINE] = k - first


def shares(graph: Graph, workers: int) -> Any:
    """Where the contiguous shares of so many workers begin, and where the last one ends."""
    bounds = array_module(graph.device).empty(workers + 1, np.int64)
    _split_evenly(workers + 1, graph.indptr, bounds)
    return bounds


class Rounds:
    """A set in the making: the states of all vertices, each worker's list of undecided ones, and rounds to decide more.

    The caller fills `state` with the bytes of an order before the first round.
    """

    entries, counting = 0, 0.0  # looked at, and the seconds that counting them took: see counted.py

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.workers = worker_count(graph.device, graph.num_vertices + graph.num_entries)
        self.bounds = shares(graph, self.workers)
        # One block, because C libraries keep one for the next call, but hand several back to the system, and the page
        # faults of a fresh start take as long as a round.
        xp, n, id_type = array_module(graph.device), graph.num_vertices, graph.indices.dtype
        lanes, listed = min(self.workers, _MOST_LANES), n * id_type.itemsize
        block = xp.empty(listed + n + lanes * n, np.uint8)
        self.undecided = block[:listed].view(id_type)  # each worker's in its own share, packed to its beginning
        self.state = block[listed : listed + n]
        self._marks = block[listed + n :]
        self.counts = xp.zeros(self.workers * LINE, np.int64)  # of each worker's undecided vertices
        self.left = [n]  # at the beginning and after each round

    def decide(self, order: Order, longest: int) -> None:
        """One round. Vertices with more than `longest` neighbours do not join in it."""
        graph = self.graph
        if graph.num_entries == 0:  # whoever is not out, has been in from the start
            self.left.append(0)
            return
        everything = len(self.left) == 1
        if everything:
            self._marks[:] = 0
            xp = array_module(graph.device)
            self._chunk = _CHUNK if graph.device == "cpu" else _CUDA_CHUNK
            self._winners = xp.empty(self.workers * self._chunk, graph.indices.dtype)
            self._strongest = xp.empty(self.workers * self._chunk, np.uint8)
        _look(
            self.workers,
            graph.indptr,
            graph.indices,
            self.bounds,
            self._chunk,
            longest,
            everything,
            self.undecided,
            self.counts,
            self._winners,
            self._strongest,
            self._marks,
            self.state,
            *order.arguments,
        )
        settle = _settle_all if everything else _settle
        settle(self.workers, self.bounds, self.undecided, self.counts, self._marks, self.state)
        self.left.append(int(self.counts.sum()))

    def rest(self) -> Any:
        """The vertices that are still undecided, by id."""
        xp = array_module(self.graph.device)
        if len(self.left) == 1 or self.graph.device == "cuda":
            found = xp.flatnonzero((self.state != OUT) & (self.state != IN))
            return found.astype(self.graph.indices.dtype)
        starts, lengths = self.bounds[:-1].tolist(), self.counts[::LINE].tolist()
        return xp.concatenate([self.undecided[first : first + k] for first, k in zip(starts, lengths, strict=True)])
