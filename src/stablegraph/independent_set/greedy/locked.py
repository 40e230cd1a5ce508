"""A maximal independent set by locks: a vertex joins that holds the locks of its whole neighborhood.

Result: some maximal independent set. Which one depends on the schedule: this is the only exception to this library's
promise of determinism. Always, on every schedule, the set is independent and maximal. One worker alone visits the
vertices in the order of their ids, and so finds the lexicographically first set.

Rule: v joins  <=>  v holds its own lock and those of all its neighbors that are not out. In the code: `_try_to_join`;
`failed` is the first neighbor whose lock another vertex has.

Idea: an undecided vertex v takes its own lock, then those of its neighbors that are not out, and stops at the first
that another vertex has. If it has them all, v is in and its neighbors are out, and their locks are never given back.
Otherwise v gives back what it took and tries again in the next round. No worker waits for a lock, so workers may run
one after another. But neighbors can defeat each other again and again: after `_PATIENCE` rounds on end that decide
hardly a vertex, one thread finishes by id.

It is right: a vertex is marked out only by a neighbor that is in. Two neighbors are never both in, as each of
them would hold its own lock for ever and would have needed the other's, unless the other was out; but the lock of a
vertex that went out during the rounds is held by another vertex for ever, and one that was out before them never tries.
This rests on compare-and-swap deciding each single lock. No thread concludes anything from the order in which it sees
two elements change, so relaxed atomics are enough: an old flag makes v try a lock that it will not get, and costs a
round.

State::

    flag[v]    0 out, 1 undecided, 255 in; moves once
    lock[v]    0 free, or 1 + the vertex that holds it. So v can tell its own locks: a loop or a repeated entry does
               not defeat it, and what it gives back is its own.

Cost: each round reads the neighbors of each vertex that is left, until the first failure. Most vertices are decided
in the first round, as only neighbors that are tried at the same moment get in each other's way. Every lock is a write
to shared memory, which is why the algorithm of priority.py, without locks, is faster; this one is for comparison.
Work memory: 13 bytes a vertex (21 with 64-bit indices).

Source: M. Bashari, A. Koochakian, "A Parallel Solution to Maximal Independent Set Using CUDA", 2023. There a thread
tries again until it is decided, in one launch; that would not end where workers run one after another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import Graph
from ...parallel import atomic_compare_and_swap, atomic_load, atomic_store, kernel, rule
from ...parallel.groups import Rows
from ..history import History
from ..worklists import LINE, Worklists, listed, no_counts, shares, workers_for
from .instrumented import entries_of
from .order import IN, OUT
from .serial import impose, visit

_UNDECIDED = 1
_FREE = 0
_PATIENCE = 8  # rounds without progress
_STALLED = 16  # a round makes none if it decides less than this part of its vertices
_CUDA_SHARE = 256  # vertices; threads run in lockstep there, and all would fail if they tried neighbors at once


@rule
def _take(u, mine, lock):
    """Whether the lock of u is `mine` now; it may have been before."""
    before = int(atomic_compare_and_swap(lock, u, _FREE, mine))
    return before in (_FREE, mine)


@rule
def _give_back(u, mine, lock):
    """Free the lock of u if it is `mine`: no other vertex changes it then; one that took it since keeps it."""
    if int(atomic_load(lock, u)) == mine:
        atomic_store(lock, u, _FREE)


@rule
def _try_to_join(v, rows, flag, lock):
    """Whether v got all its locks; then it is in and its neighbors are out, else all is as before.

    And how many entries were read.
    """
    mine = v + 1
    if not _take(v, mine, lock):
        return False, 0
    # Take the locks of the neighbors that are not out, up to the first failure.
    start, end = rows.indptr[v], rows.indptr[v + 1]
    failed = end
    for e in range(start, end):
        u = rows.indices[e]
        if int(atomic_load(flag, u)) != OUT and not _take(u, mine, lock):
            failed = e
            break
    # Defeated: give back what was taken.
    if failed < end:
        for e in range(start, failed):
            _give_back(rows.indices[e], mine, lock)
        _give_back(v, mine, lock)  # a loop has done so already, and another vertex may have it by now
        return False, 2 * (failed - start) + 1
    # All locks are held: v joins.
    atomic_store(flag, v, IN)
    for e in range(start, end):
        u = rows.indices[e]
        if u != v:
            atomic_store(flag, u, OUT)
    return True, 2 * (end - start)


@kernel(by="workers", types="O[] V[] int64[] V[] int64[] int32[] V[]")
def _try_each(worker, workers, rows: Rows, lists: Worklists, flag, lock):
    """Let each of a worker's undecided vertices try once, and pack those that remain."""
    start, end = listed(worker, lists)
    k, total = start, 0
    for i in range(start, end):
        v = lists.undecided[i]
        if int(atomic_load(flag, v)) == _UNDECIDED:
            joined, entries = _try_to_join(v, rows, flag, lock)
            total += entries
            lists.undecided[k] = v
            k += int(not joined)
    lists.counts[worker * LINE] = k - start
    lists.counts[worker * LINE + 1] += total


def independent_set(graph: Graph, included: Any, excluded: Any, history: History) -> Any:
    """The mask of a set that depends on the schedule.

    `included` and `excluded` are vertices in ascending order; no two included ones are adjacent.
    """
    history.enter("prepare")
    xp, n, id_type = graph.xp, graph.num_vertices, graph.indices.dtype
    state = xp.full(n, _UNDECIDED, np.uint8)
    impose(graph, included, excluded, state)
    flag = state.astype(np.int32)  # CUDA has no atomics for bytes
    lock = xp.full(n, _FREE, id_type)
    workers = workers_for(graph)
    if graph.device == "cuda":
        workers = min(workers, 1 + n // _CUDA_SHARE)
    # The counts are those of each worker's undecided vertices, and behind them of the entries read.
    lists = Worklists(shares(graph, workers), xp.arange(n, dtype=id_type), no_counts(graph, workers))
    lists.counts[::LINE] = xp.diff(lists.bounds)

    history.enter("rounds")
    history.undecided = undecided = [n]
    in_vain = 0
    while undecided[-1] and in_vain < _PATIENCE:
        _try_each(workers, Rows(graph.indptr, graph.indices), lists, flag, lock)
        undecided.append(int(lists.counts[::LINE].sum()))
        in_vain = in_vain + 1 if _STALLED * (undecided[-2] - undecided[-1]) < undecided[-2] else 0

    history.enter("finish")
    state[:] = flag
    rest = xp.flatnonzero(state == _UNDECIDED).astype(id_type) if undecided[-1] else included[:0]
    visit(graph, rest, state)
    history.enter("")
    visited = entries_of(graph, included) + entries_of(graph, rest[state[rest] == IN])
    history.count(int(lists.counts[1::LINE].sum()) + visited)
    return state == IN
