"""The order by id on several threads, which wait for each other when necessary.

Result: the lexicographically first set, the same as that of serial.py.

Rule: v is in  <=>  no smaller neighbor is in. The oracle is `greedy_independent_set` in tests/support/naive.py. In the
code: `_decided`.

Idea: threads take pieces of consecutive vertices, in ascending order, and decide the vertices of a piece in turn. A
vertex with a neighbor in the set is out, whatever its other neighbors are; otherwise it needs the states of all its
smaller neighbors. Only some thousand vertices are in progress at any time, so nearly all of these states are known. A
vertex that lacks one is postponed to the end of its piece, when the other pieces that were in progress are mostly
finished; then it waits. There is no deadlock, because the thread with the first unfinished piece never waits for
another thread.

Each state is written by one thread only. The serial algorithm, in contrast, writes the states of neighbors. It reads
only the rows of members and needs about half the time of this one on a single thread.

If vertices need vertices shortly before them, as in a grid that is numbered in order, threads would mostly wait. This
is detected from a sample; then one thread visits all vertices (serial.py).

State: see rounds.py; every undecided vertex has the byte `UNDECIDED`. States change only once, so a stale read costs
time, but never changes the answer.

Cost: an access to the row of each undecided vertex, up to its first neighbor in the set or (in an ascending row) to its
last smaller neighbor. Work memory: the states, 1 byte per vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Rows, atomic_add, chunked, kernel, prefetch, rule, yield_thread
from ...graph import Graph
from .order import IN, OUT

UNDECIDED = np.uint8(1)
_LINE = 64  # states in a cache line; a piece is one or more lines
_MAX_PIECE = 256  # vertices
_MIN_PIECES = 32  # per worker, so that at most a small part of the vertices is in progress
_SAMPLES = 512  # vertices in the sample
_MANY = 0.25  # fraction of the sample
_DECIDED = 4  # neighbors; of this number of decided ones, one is likely in
_STRIDE = 0x9E3779B1  # between sampled vertices: large and odd, to avoid patterns in the numbering
_AHEAD_BY = 16  # prefetch distance, in vertices
_STEP = 1 << 27  # vertices and entries per kernel call: bounds the latency of Ctrl-C


class Queue(NamedTuple):
    """Pieces of consecutive vertices."""

    next: Any  # (1,): the first piece that no worker has taken
    end: int  # the number of pieces up to which this call takes pieces
    size: int  # the number of vertices of a piece


@kernel(by="single", types="int O[] V[] int64[]")
def _count_waits(window, rows: Rows, result):
    """Count the vertices of a sample that are likely to wait.

    They have a neighbor less than `window` vertices before them, and few neighbors before these vertices, which are
    decided, and of which one may be in.
    """
    n, count = rows.indptr.size - 1, 0
    for i in range(min(n, _SAMPLES)):
        v = i * _STRIDE % n
        in_progress = decided = 0
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            in_progress += int(v - window < u < v)
            decided += int(u <= v - window)
        count += int((in_progress > 0) & (decided < _DECIDED))
    result[0] = count


@rule
def _decided(v, rows, ascending, state):
    """Return OUT if a neighbor is in, IN if all smaller neighbors are out, and UNDECIDED otherwise."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    largest, waits, u = OUT, False, 0
    while (e < end) & (largest != IN) & ((u < v) | (not ascending)):
        for i in range(4):  # without branches, which would be mispredicted
            u = rows.indices[min(e + i, end - 1)]
            byte = int(state[u])
            largest = max(largest, byte)
            waits |= (byte == UNDECIDED) & (u < v)
        e += 4
    return OUT if largest == IN else UNDECIDED if waits else IN


@kernel(by="workers", types="O[] V[] int64[] int int bool uint8[]")
def _decide_pieces(worker, workers, rows: Rows, queue: Queue, ascending, state):
    """Take pieces from the queue, and decide their vertices in turn."""
    n = state.size
    piece = atomic_add(queue.next, 0, 1)
    while piece < queue.end:
        start, end = piece * queue.size, min((piece + 1) * queue.size, n)
        for v in range(start, end):
            prefetch(rows.indices, rows.indptr[min(v + _AHEAD_BY, n)])
            if state[v] == UNDECIDED:
                state[v] = _decided(v, rows, ascending, state)
        for v in range(start, end):
            while state[v] == UNDECIDED:
                state[v] = _decided(v, rows, ascending, state)
                if state[v] == UNDECIDED:
                    yield_thread()
        piece = atomic_add(queue.next, 0, 1)


def _piece_size(graph: Graph, workers: int) -> int:
    return max(_LINE, min(graph.num_vertices // (_MIN_PIECES * workers), _MAX_PIECE) // _LINE * _LINE)


def is_worth_threads(graph: Graph, workers: int) -> bool:
    """Return whether few vertices are expected to wait for vertices that are in progress."""
    result = np.empty(1, np.int64)
    _count_waits(2 * workers * _piece_size(graph, workers), Rows(graph.indptr, graph.indices), result)
    return int(result[0]) <= _MANY * min(graph.num_vertices, _SAMPLES)


def decide_by_id(graph: Graph, workers: int, state: Any) -> None:
    """Decide all undecided vertices in the order of their ids."""
    rows, size = Rows(graph.indptr, graph.indices), _piece_size(graph, workers)
    pieces = -(-graph.num_vertices // size)
    step = max(1, _STEP * pieces // max(1, graph.num_vertices + graph.num_entries))
    for first, last in chunked(pieces, step):
        _decide_pieces(workers, rows, Queue(np.array([first]), last, size), graph.is_sorted, state)
