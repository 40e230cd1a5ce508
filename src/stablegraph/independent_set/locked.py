"""A maximal independent set by locks: whoever holds its whole neighbourhood joins.

Result: some maximal independent set. Which one depends on the schedule: this is the only exception to this library's
promise of determinism. Always, on every schedule, the set is independent and maximal. One worker alone visits the
vertices in the order of their ids, and so finds the lexicographically first set.

Idea: an undecided vertex v takes its own lock, then those of its neighbours that are not out, and stops at the first
that somebody else has. If it has them all, v is in and its neighbours are out, and their locks are never given back.
Otherwise v gives back what it took and waits for the next round. Nobody waits for a lock, so workers may run one after
another. But neighbours can defeat each other again and again: after `_PATIENCE` rounds on end that decide hardly
anybody, one thread finishes by id.

State::

    flag[v]    0 out, 1 undecided, 255 in; moves once
    lock[v]    0 free, or 1 + the vertex that holds it. So v knows its own locks: a loop or a repeated entry does not
               defeat it, and what it gives back is its own.

Why it is right: a vertex is marked out only by a neighbour that is in. Two neighbours are never both in, as each of
them would hold its own lock for ever and would have needed the other's, unless the other was out; but who is out during
the rounds has its lock held by another vertex for ever, and who was out before them never tries. This rests on
compare-and-swap deciding each single lock. No thread concludes anything from the order in which it sees two elements
change, so relaxed atomics are enough: an old flag makes v ask for a lock that it will not get, and costs a round.

Cost: each round looks at the neighbours of each vertex that is left, until the first failure. Most vertices are decided
in the first round, as only neighbours that are tried at the same moment get in each other's way. Every lock is a write
to shared memory, which is why the algorithm of priority.py, without locks, is faster; this one is for comparison.
Work memory: 13 bytes a vertex (21 with 64-bit indices).

Source: M. Bashari, A. Koochakian, "A Parallel Solution to Maximal Independent Set Using CUDA", 2023. There a thread
tries again until it is decided, in one launch; that would not end where workers run one after another.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, atomic_compare_and_swap, atomic_load, atomic_store, kernel, rule, worker_count
from ..parallel.device import array_module
from .counted import entries_of
from .order import IN, OUT
from .rounds import LINE, shares
from .serial import impose, visit

_UNDECIDED = 1
_FREE = 0
_PATIENCE = 8  # rounds without progress
_STALLED = 16  # a round makes none if it decides less than this part of its vertices
_CUDA_SHARE = 256  # vertices; threads run in lockstep there, and all would fail if they tried neighbours at once


@rule
def _take(u, mine, lock):
    """Whether the lock of u is `mine` now; it may have been before."""
    before = int(atomic_compare_and_swap(lock, u, _FREE, mine))
    return before in (_FREE, mine)


@rule
def _give_back(u, mine, lock):
    """Free the lock of u if it is `mine`: nobody else changes it then, and whoever took it since keeps it."""
    if int(atomic_load(lock, u)) == mine:
        atomic_store(lock, u, _FREE)


@rule
def _try_to_join(v, indptr, indices, flag, lock):
    """Whether v got all its locks; then it is in and its neighbours are out, else all is as before.

    And how many entries it looked at.
    """
    mine = v + 1
    if not _take(v, mine, lock):
        return False, 0
    start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
    failed = end
    for e in range(start, end):
        u = int(indices[at(e)])
        if int(atomic_load(flag, u)) != OUT and not _take(u, mine, lock):
            failed = e
            break
    if failed < end:
        for e in range(start, failed):
            _give_back(int(indices[at(e)]), mine, lock)
        _give_back(v, mine, lock)  # a loop has done so already, and somebody else may have it by now
        return False, 2 * (failed - start) + 1
    atomic_store(flag, v, IN)
    for e in range(start, end):
        u = int(indices[at(e)])
        if u != v:
            atomic_store(flag, u, OUT)
    return True, 2 * (end - start)


@kernel(by="workers")
def _try_each(worker, workers, indptr, indices, bounds, undecided, counts, flag, lock):
    """Let each of a worker's undecided vertices try once, and pack those that remain."""
    first = k = bounds[worker]
    looked = 0
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        if int(atomic_load(flag, v)) == _UNDECIDED:
            joined, entries = _try_to_join(v, indptr, indices, flag, lock)
            looked += entries
            undecided[at(k)] = v
            k += int(not joined)
    counts[worker * LINE] = k - first
    counts[worker * LINE + 1] += looked


def independent_set(graph: Graph, included: Any, excluded: Any) -> tuple[Any, dict[str, Any]]:
    """A set that depends on the schedule, and what was done: rounds, undecided vertices after each, entries, seconds.

    `included` and `excluded` are vertices in ascending order; no two included ones are adjacent.
    """
    started = time.perf_counter()
    xp, n, id_type = array_module(graph.device), graph.num_vertices, graph.indices.dtype
    state = xp.full(n, _UNDECIDED, np.uint8)
    impose(graph, included, excluded, state)
    flag = state.astype(np.int32)  # CUDA has no atomics for bytes
    lock = xp.full(n, _FREE, id_type)
    workers = worker_count(graph.device, n + graph.num_entries)
    if graph.device == "cuda":
        workers = min(workers, 1 + n // _CUDA_SHARE)
    bounds = shares(graph, workers)
    undecided = xp.arange(n, dtype=id_type)  # each worker's in its own share, packed to its beginning
    counts = xp.zeros(workers * LINE, np.int64)  # of each worker's undecided vertices; then entries looked at
    counts[::LINE] = xp.diff(bounds)

    prepared = time.perf_counter()
    left, in_vain = [n], 0
    while left[-1] and in_vain < _PATIENCE:
        _try_each(workers, graph.indptr, graph.indices, bounds, undecided, counts, flag, lock)
        left.append(int(counts[::LINE].sum()))
        in_vain = in_vain + 1 if _STALLED * (left[-2] - left[-1]) < left[-2] else 0

    decided = time.perf_counter()
    state[:] = flag
    rest = xp.flatnonzero(state == _UNDECIDED).astype(id_type) if left[-1] else included[:0]
    visit(graph, rest, state)
    finished = time.perf_counter()
    seconds = {"prepare": prepared - started, "rounds": decided - prepared, "finish": finished - decided}
    visited = entries_of(graph, included) + entries_of(graph, rest[state[rest] == IN])
    edges = int(counts[1::LINE].sum()) + visited
    return state == IN, {"rounds": len(left) - 1, "undecided": left, "edges": edges, "seconds": seconds}
