"""Kernelization: reduction to a smaller graph whose maximum independent sets give those of the whole graph.

Result: a kernel, and a way to extend an independent set of the kernel to one of the whole graph. The extension adds the
same number of vertices to every set. Therefore a maximum set of the kernel becomes a maximum set of the graph, and a
bound for the kernel gives a bound for the graph.

Rule: the reductions of reductions.py, tried on each vertex whose surroundings have changed, until none fits. In the
code: `_try_waiting`.

Idea: if rows reach only across a fraction of a window (locality.py), the rules are first applied in windows of
consecutive vertices, in parallel. A vertex is *inner* if all its neighbors are in its window. It remains inner, because
rows only become shorter, or rows of inner vertices are merged. The rules are tried on inner vertices with inner
neighbors, and examine further vertices only if these are inner. Therefore they read and write only data of their own
window. One thread then tries the remaining vertices. Thus the kernel does not depend on the assignment of windows to
workers.

State: see reductions.py. A folded vertex gets a new row at the end of `rows`; the host enlarges `rows` when it is full.
Folds are logged and undone in reverse.

Cost: near linear on sparse graphs; on one thread if there are no windows. A vertex is tried again only when it loses a
neighbor or is merged, and has at most `_BUSY` neighbors. Work memory: about 60 bytes per vertex and at least 8 per
entry.

Sources: see reductions.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import Rows, chunked, kernel, prefetch, rule
from ..._core.runtime.primitives import compact
from .locality import window_length
from .reductions import (
    DEGREE,
    FIRST,
    FULL,
    HEAD,
    IN,
    LENGTH,
    LOGGED,
    REFUSED,
    ROWS_END,
    SEARCHES,
    STAMP,
    TAIL,
    WorkGraph,
    apply_first_rule,
    enqueue,
    may_be_tried,
)

_STEP = 1 << 19  # vertices per call: bounds the latency of Ctrl-C
_MAX_SEARCHES = 1 << 30  # then stamps restart at 0; they may have 32 bits, and a step makes far fewer searches


@rule(inline=False)
def _try_waiting(limit, work, met, times):
    """Try at most `limit` waiting vertices, and none after a fold has found no room."""
    table, rows, queue, counters = work.table, work.rows, work.queue, work.counters
    for _ in range(limit):
        head = counters[HEAD]
        if head == counters[TAIL] or counters[FULL]:
            break
        v = queue[head]
        counters[HEAD] = head + 1 if head + 1 < queue.size else 0
        if head + 8 < queue.size:  # data of the next vertices; not prefetched at the end of the ring
            prefetch(table, queue[head + 8])
            prefetch(rows, table[queue[head + 4], FIRST])
            following = queue[head + 2]
            begin = table[following, FIRST]
            for e in range(begin, begin + min(table[following, LENGTH], 16)):
                prefetch(table, rows[e])
        if may_be_tried(v, work):
            work.waiting[v] = False
            if table[v, DEGREE] >= 0:
                apply_first_rule(v, work, met, times)
            if counters[FULL]:
                enqueue(v, work)
            if counters[REFUSED]:
                counters[REFUSED] = 0
                work.waiting[v] = True  # not in this queue; it waits for the pass without windows


@kernel(by="single", types="int O[,] V[] bool[] V[] V[,] int64[] bool[] V[] V[]")
def _apply_rules(limit, work: WorkGraph, met, times):
    """Try at most `limit` waiting vertices."""
    _try_waiting(limit, work, met, times)


@kernel(by="edges", types="O[] V[] int bool[]")
def _mark_inner(v, rows: Rows, length, inner):
    """Mark v if all its neighbors are in its window; rows are sorted."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    low = v // length * length
    inner[v] = start == end or (rows.indices[start] >= low and rows.indices[end - 1] < low + length)


@kernel(by="workers", types="int int O[] O[,] V[] bool[] V[] V[,] int64[,] bool[] V[] V[]")
def _apply_rules_inside(window, workers, limit, length, indptr, work: WorkGraph, met, times):
    """Try at most `limit` waiting vertices of a window.

    A window has its own row of counters, and its own parts of the queue, of the log, and of the room for rows of folded
    vertices, which is half the number of entries in its rows.
    """
    first, end = window * length, min((window + 1) * length, met.size)
    room = indptr[indptr.size - 1] + indptr[end] // 2
    part = WorkGraph(
        work.table,
        work.rows[:room],
        work.waiting,
        work.queue[first + window : end + window + 1],
        work.log[first // 2 + window : end // 2 + window + 1],
        work.counters[window],
        work.inner,
    )
    _try_waiting(limit, part, met[first:end], times)


@kernel(by="single", types="V[,] int int bool[]")
def _undo_folds(log, start, end, in_set):
    """Decide the folded vertices in a range of the log, in reverse."""
    for i in range(end - 1, start - 1, -1):
        merged = in_set[log[i, 2]]
        for k in range(5):
            u = log[i, k]
            if u >= 0:
                in_set[u] = merged if k >= 2 else not merged


class Kernelization:
    """The kernel of a graph (`indptr`, `indices`, unsorted rows), and the log for extending its sets to the graph."""

    def __init__(self, indptr: Any, indices: Any) -> None:
        """Reduce a graph with sorted rows, without loops and repeated entries."""
        n, id_type = indptr.size - 1, indices.dtype
        table = np.zeros((n, 4), indptr.dtype)
        table[:, FIRST] = indptr[:-1]
        table[:, DEGREE] = table[:, LENGTH] = indptr[1:] - indptr[:-1]
        rows = _with_room(indices)
        met, times = np.empty(n, id_type), np.empty(n, id_type)
        length = window_length(indptr, indices)
        windows = -(-n // length) if length else 0
        queue, waiting = np.zeros(n + windows + 1, id_type), np.ones(n, bool)
        log = np.empty((n // 2 + windows + 1, 5), id_type)
        counters = np.zeros(7, np.int64)
        counters[ROWS_END] = indices.size
        if windows:
            work = WorkGraph(table, rows, waiting, queue, log, counters, np.empty(n, bool))
            _mark_inner(n, Rows(indptr, indices), length, work.inner)
            _reduce_windows(indptr, length, windows, work, met, times)
        remaining = compact(waiting)
        queue[: remaining.size] = remaining
        counters[TAIL] = remaining.size
        all_vertices = np.empty(0, bool)
        while counters[HEAD] != counters[TAIL]:
            _apply_rules(_STEP, WorkGraph(table, rows, waiting, queue, log, counters, all_vertices), met, times)
            if counters[FULL]:
                rows = _with_room(rows)
                counters[FULL] = 0
            if counters[SEARCHES] > _MAX_SEARCHES:
                table[:, STAMP] = counters[SEARCHES] = 0
        self._log = log
        self._folds = int(counters[LOGGED])
        self._in_set = table[:, DEGREE] == IN
        self.vertices = compact(table[:, DEGREE] > 0)
        start = table[:, FIRST].copy()
        self.indptr, self.indices = induced_rows(self.vertices, start, start + table[:, LENGTH], rows)

    def lift(self, mask: Any) -> Any:
        """Extend an independent set of the kernel to one of the whole graph."""
        in_set = self._in_set.copy()
        in_set[self.vertices] = mask
        for start, end in reversed(list(chunked(self._folds))):
            _undo_folds(self._log, start, end, in_set)
        return in_set


def _with_room(rows: Any) -> Any:
    """Return the rows in an array of twice the length."""
    longer = np.empty(2 * rows.size, rows.dtype)
    longer[: rows.size] = rows
    return longer


def _reduce_windows(indptr: Any, length: int, windows: int, work: WorkGraph, met: Any, times: Any) -> None:
    """Apply the rules in windows of `length` vertices, and merge the windows' counters for the pass of one thread."""
    n, entries = met.size, int(indptr[-1])
    counters = np.zeros((windows, 16), np.int64)  # two cache lines each
    firsts = np.arange(windows) * length
    ends = np.minimum(firsts + length, n)
    counters[:, TAIL] = ends - firsts
    counters[:, ROWS_END] = entries + indptr[firsts] // 2
    for window, (first, end) in enumerate(zip(firsts, ends, strict=True)):
        work.queue[first + window : end + window] = np.arange(first, end)
    limit = max(_STEP // windows, 1)
    while ((counters[:, HEAD] != counters[:, TAIL]) & (counters[:, FULL] == 0)).any():
        _apply_rules_inside(windows, limit, length, indptr, work._replace(counters=counters), met, times)
    # Move the logs of the windows together.
    logged = 0
    for window, (first, folds) in enumerate(zip(firsts, counters[:, LOGGED], strict=True)):
        start = first // 2 + window
        work.log[logged : logged + folds] = work.log[start : start + folds].copy()
        logged += int(folds)
    work.counters[LOGGED] = logged
    work.counters[SEARCHES] = counters[:, SEARCHES].max()
    work.counters[ROWS_END] = entries + entries // 2
