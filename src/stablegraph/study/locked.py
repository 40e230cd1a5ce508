"""A maximal independent set by locks: a vertex joins if it holds the locks of its whole neighborhood.

Result: a maximal independent set. Not deterministic: the set depends on the schedule. All other algorithms of this
library are deterministic. The set is independent and maximal on every schedule. A single worker visits the vertices in
the order of their ids, so it finds the lexicographically first set.

Rule: v joins  <=>  v holds its own lock and those of all its neighbors that are not out. In the code: `_try_to_join`;
`failed` is the position in the row of the first neighbor whose lock another vertex holds.

Idea: an undecided vertex v takes its own lock, then the locks of its neighbors that are not out. It stops at the first
lock that another vertex holds. If v holds all locks, v is in and its neighbors are out, and their locks are never
released. Otherwise v releases its locks and tries again in the next round. No worker waits for a lock, so workers may
run one after another. However, neighbors can make each other fail again and again. After `_PATIENCE` rounds in a row
that decide hardly any vertices, one thread finishes by id.

Correctness: a vertex is marked out only by a neighbor that is in. Two neighbors are never both in. Each of them would
hold its own lock forever, and would have needed the lock of the other one, unless that one was out. But the lock of a
vertex that went out during the rounds is held by another vertex forever, and a vertex that was out before the rounds
never tries. The argument requires that compare-and-swap decides each single lock. No thread relies on the order in
which it sees changes of two elements, so relaxed atomics are enough: an outdated flag makes v try a lock that it cannot
get, which costs a round.

State::

    flag[v]    0 out, 1 undecided, 255 in; changes at most once
    lock[v]    0 free, or 1 + the vertex that holds it. So v recognizes its own locks: it does not fail at a loop or
               a repeated entry, and it releases only its own locks.

Cost: each round reads the neighbors of each undecided vertex until the first failure. Most vertices are decided in the
first round, because only neighbors that are tried at the same time make each other fail. Every lock is a write to
shared memory, so the algorithm of priority.py, which has no locks, is faster; this one is for comparison. Work memory:
13 bytes per vertex (21 with 64-bit indices).

Source: M. Bashari, A. Koochakian, "A Parallel Solution to Maximal Independent Set Using CUDA", 2023. In the paper a
thread tries again until its vertex is decided, in one launch; this may not end if workers run one after another.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._core.engines.rounds import History, Rounds, has_stalled, run_rounds, visits, workers_for
from .._core.runtime import Rows, atomic_compare_and_swap, atomic_load, atomic_store, rule
from .._core.runtime.array_types import Int32s, Vertices
from ..graph import Graph
from ..independent_set.greedy.order import IN, OUT
from ..independent_set.greedy.serial import impose, visit

_UNDECIDED = 1
_FREE = 0
_PATIENCE = 8  # rounds without progress, which decide less than 1 / STALLED of their vertices (the engine's)
_CUDA_SHARE = 256  # vertices; GPU threads run in lockstep, and all would fail if they tried neighbors at once


@rule
def _take_lock(u, holder, lock):
    """Try to take the lock of u, and return whether its value is `holder` now; it may have been before."""
    before = int(atomic_compare_and_swap(lock, u, _FREE, holder))
    return before in (_FREE, holder)


@rule
def _release_lock(u, holder, lock):
    """Free the lock of u if its value is `holder`: then no other vertex changes it. Otherwise it has a new holder."""
    if int(atomic_load(lock, u)) == holder:
        atomic_store(lock, u, _FREE)


@rule
def _try_to_join(v, rows, flag, lock):
    """Put v in and its neighbors out if v gets all its locks, or else release them.

    Returns whether v joined, and the number of entries read.
    """
    holder = v + 1
    if not _take_lock(v, holder, lock):
        return False, 0
    # Take the locks of the neighbors that are not out, up to the first failure.
    start, end = rows.indptr[v], rows.indptr[v + 1]
    failed = end
    for e in range(start, end):
        u = rows.indices[e]
        if int(atomic_load(flag, u)) != OUT and not _take_lock(u, holder, lock):
            failed = e
            break
    # Failed: release the locks that were taken.
    if failed < end:
        for e in range(start, failed):
            _release_lock(rows.indices[e], holder, lock)
        _release_lock(v, holder, lock)  # with a loop, it was released above, and another vertex may hold it now
        return False, 2 * (failed - start) + 1
    # v holds all locks and joins.
    atomic_store(flag, v, IN)
    for e in range(start, end):
        u = rows.indices[e]
        if u != v:
            atomic_store(flag, u, OUT)
    return True, 2 * (end - start)


class Locks(NamedTuple):
    """The states and locks of all vertices."""

    flag: Int32s
    lock: Vertices


@visits()
def _try_once(v, rows: Rows, locks: Locks):
    """Let v try once, if it is undecided."""
    joined, entries = True, 0
    if int(atomic_load(locks.flag, v)) == _UNDECIDED:
        joined, entries = _try_to_join(v, rows, locks.flag, locks.lock)
    return not joined, entries


def independent_set(graph: Graph, included: Any, excluded: Any, history: History) -> Any:
    """Return the mask of a set that depends on the schedule.

    `included` and `excluded` are vertices in ascending order; no two included vertices are adjacent.
    """
    history.enter("prepare")
    xp, n, id_type = graph.xp, graph.num_vertices, graph.indices.dtype
    state = xp.full(n, _UNDECIDED, np.uint8)
    impose(graph, included, excluded, state)
    flag = state.astype(np.int32)  # CUDA has no atomics for bytes
    lock = xp.full(n, _FREE, id_type)
    workers = workers_for(graph)
    rounds = Rounds(graph, workers=workers if graph.device == "cpu" else min(workers, 1 + n // _CUDA_SHARE))
    rounds.list_all()
    history.undecided = undecided = rounds.undecided

    def run_round() -> int:
        _try_once(rounds.workers, rounds.lists, rounds.rows, Locks(flag, lock))
        return rounds.count()

    def in_vain(undecided: list[int]) -> bool:
        last = undecided[-_PATIENCE - 1 :]
        return len(last) > _PATIENCE and all(has_stalled([*pair], skipped=0) for pair in pairwise(last))

    history.enter("rounds")
    run_rounds(undecided, run_round, is_last=in_vain)

    history.enter("finish")
    state[:] = flag
    remaining = xp.flatnonzero(state == _UNDECIDED).astype(id_type) if undecided[-1] else included[:0]
    visit(graph, remaining, state)
    history.enter("")
    history.count(rounds.counted())
    history.count_rows(graph, included)
    history.count_rows(graph, remaining[state[remaining] == IN])
    return state == IN
