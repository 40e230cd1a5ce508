"""Kernelization: reduction to a smaller graph whose best independent sets give those of the whole graph.

The best sets are the largest ones, or with weights the heaviest ones.

Result: a kernel, and a way to extend an independent set of the kernel to one of the whole graph. The extension adds the
same number of vertices or the same weight, `offset`, to every set; with weights more if the set of the kernel is not
maximal. Therefore a best set of the kernel becomes a best set of the graph, and a bound for the kernel gives a bound
for the graph.

Rule: the reductions of rules_by_size.py, or with weights those of rules_by_weight.py, tried on each vertex whose
surroundings have changed, until none fits. With weights, the vertices that a maximum flow decides (flow.py) then join
the set, and the reductions are tried again around them. In the code: `_try_waiting` and the loop of `_use_flows`.

Idea: if rows reach only across a fraction of a window (windows.py), the rules without weights are first applied in
windows of consecutive vertices, in parallel. A vertex is *inner* if all its neighbors are in its window. It remains
inner, because rows only become shorter, or rows of inner vertices are merged. The rules are tried on inner vertices
with inner neighbors, and examine further vertices only if these are inner. Therefore they read and write only data of
their own window. One thread then tries the remaining vertices. Thus the kernel does not depend on the assignment of
windows to workers.

State: see work_graph.py. A folded vertex gets a new row at the end of `rows`; the host enlarges `rows` when it is full.
Removed vertices are logged and decided in reverse.

Cost: near linear on sparse graphs; on one thread if there are no windows. A vertex is tried again only when it loses a
neighbor or is merged, and has at most `BUSY` neighbors. Work memory: about 70 bytes per vertex (with weights 90) and at
least 8 per entry.

Sources: see rules_by_size.py and rules_by_weight.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import Bools, Offsets, Rows, VertexTable, Vertices, chunked, kernel, prefetch, rule
from ..._core.runtime.primitives import compact
from .flow import decided_vertices
from .rules_by_size import reduce_by_size
from .rules_by_weight import MAX_LISTED, reduce_by_weight
from .windows import sort_rows, window_length
from .work_graph import (
    DEGREE,
    FIRST,
    FOLD,
    FULL,
    HEAD,
    IN,
    KIND,
    LENGTH,
    LOGGED,
    PARTNER,
    REFUSED,
    ROWS_END,
    SEARCHES,
    STAMP,
    TAIL,
    TWIN,
    VERTEX,
    Scratch,
    WorkGraph,
    enqueue,
    put_in_set,
)

_VERTICES_PER_CALL = 1 << 16  # most need little time; bounds the latency of Ctrl-C
_COUNTERS = 16  # of a window: two cache lines
_MAX_READ = 1 << 26  # entries, by all flows
_MAX_SEARCHES = 1 << 30  # then stamps restart at 0; they may have 32 bits, and a step makes far fewer searches


@rule
def _may_be_tried(v, work, inner):
    """Return whether v and its neighbors are inner, or there are no windows."""
    allowed = True
    if inner.size:
        allowed = inner[v]
        start, end = work.table[v, FIRST], work.table[v, FIRST] + work.table[v, LENGTH]
        for e in range(start, end):
            allowed &= inner[work.rows[e]]
    return allowed


@rule(inline=False)
def _try_waiting(limit, work, scratch):
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
        if _may_be_tried(v, work, scratch.inner):
            work.waiting[v] = False
            if table[v, DEGREE] >= 0:
                if work.weights.size:
                    reduce_by_weight(v, work, scratch)
                else:
                    reduce_by_size(v, work, scratch)
            if counters[FULL]:
                enqueue(v, work)
            if counters[REFUSED]:
                counters[REFUSED] = 0
                work.waiting[v] = True  # not in this queue; it waits for the pass without windows


@kernel(by="single")
def _apply_rules(limit: int, work: WorkGraph, scratch: Scratch):
    """Try at most `limit` waiting vertices."""
    _try_waiting(limit, work, scratch)


@kernel(by="edges")
def _mark_inner(v, rows: Rows, length: int, inner: Bools):
    """Mark v if all its neighbors are in its window; rows are sorted."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    low = v // length * length
    inner[v] = start == end or (rows.indices[start] >= low and rows.indices[end - 1] < low + length)


@kernel(by="workers")
def _apply_rules_inside(window, workers, limit: int, length: int, indptr: Offsets, work: WorkGraph, scratch: Scratch):
    """Try at most `limit` waiting vertices of a window.

    A window has its own counters, and its own parts of the queue, of the log, and of the room for rows of folded
    vertices, which is half the number of entries in its rows.
    """
    met = scratch.met
    first, end = window * length, min((window + 1) * length, met.size)
    room = indptr[indptr.size - 1] + indptr[end] // 2
    queue, log = work.queue[first + window : end + window + 1], work.log[first:end]
    counters = work.counters[window * _COUNTERS : (window + 1) * _COUNTERS]
    part = WorkGraph(work.table, work.rows[:room], work.waiting, queue, log, counters, work.weights)
    memory = Scratch(met[first:end], scratch.sums, scratch.masks, scratch.listed, scratch.inner)
    _try_waiting(limit, part, memory)


@kernel(by="single")
def _include(vertices: Vertices, work: WorkGraph):
    """Put vertices into the set, and remove their neighbors."""
    for i in range(vertices.size):
        put_in_set(vertices[i], work)


@kernel(by="single")
def _undo(start: int, end: int, log: VertexTable, rows: Rows, in_set: Bools):
    """Decide the removed vertices in a range of the log, in reverse; each has its last row."""
    for i in range(end - 1, start - 1, -1):
        v, e, row_end = log[i, VERTEX], rows.indptr[i], rows.indptr[i + 1]
        if log[i, KIND] == TWIN:
            in_set[v] = in_set[log[i, PARTNER]]
        elif log[i, KIND] == FOLD:
            merged = in_set[rows.indices[e]]
            for f in range(e, row_end):
                in_set[rows.indices[f]] = merged
            in_set[v] = not merged
        else:
            while e < row_end and not in_set[rows.indices[e]]:
                e += 1
            in_set[v] = e == row_end


class Kernelization:
    """The kernel of a graph (`indptr`, `indices`, unsorted rows), and the log for extending its sets to the graph.

    With weights, the kernel has `weights`, and if `is_half`, the optimum of the linear relaxation of each of its
    components is half of its weight.
    """

    def __init__(self, original: Rows, weights: Any | None = None, included: Any | None = None) -> None:
        """Reduce a graph with sorted rows, without loops and repeated entries, to which the included vertices belong.

        Weights are int64, and not negative.
        """
        indptr, indices = original
        n, id_type = indptr.size - 1, indices.dtype
        table = np.zeros((n, 4), indptr.dtype)
        table[:, FIRST] = indptr[:-1]
        table[:, DEGREE] = table[:, LENGTH] = indptr[1:] - indptr[:-1]
        counters = np.zeros(7, np.int64)
        counters[ROWS_END] = indices.size
        length = 0 if weights is not None else window_length(indptr, indices)
        windows = -(-n // length) if length else 0
        queue, waiting, log = np.zeros(n + windows + 1, id_type), np.ones(n, bool), np.empty((n, 3), id_type)
        current = np.empty(0, np.int64) if weights is None else weights.copy()
        self._work = WorkGraph(table, indices, waiting, queue, log, counters, current)
        self._enlarge_rows()
        listed, inner = np.empty(MAX_LISTED + (1 << MAX_LISTED), np.int64), np.empty(n if windows else 0, bool)
        met, sums = np.empty(n, id_type), np.empty(n, np.int64)
        self._scratch = Scratch(met, sums, listed[:MAX_LISTED], listed[MAX_LISTED:], inner)
        if included is not None:
            _include(included, self._work)
        if windows:
            _mark_inner(n, original, length, inner)
            _reduce_windows(indptr, length, windows, self._work, self._scratch)
            self._scratch = self._scratch._replace(inner=inner[:0])
        remaining = compact(waiting & (table[:, DEGREE] >= 0))
        queue[: remaining.size] = remaining
        counters[TAIL] = remaining.size
        self._reduce()
        self.is_half = False
        if weights is not None:
            self._use_flows()
        # Keep the rows of the logged vertices only.
        self._log, self._in_set = log[: counters[LOGGED]].copy(), table[:, DEGREE] == IN
        logged = self._log[:, VERTEX]
        ends = np.zeros(logged.size + 1, np.int64)
        np.cumsum(table[logged, LENGTH], out=ends[1:])
        places = np.repeat(table[logged, FIRST] - ends[:-1], table[logged, LENGTH]) + np.arange(ends[-1])
        self._rows = Rows(ends, self._work.rows[places])
        if weights is None:
            self.offset = int(np.count_nonzero(self._in_set)) + logged.size
        else:
            transferred = logged[self._log[:, KIND] != TWIN]
            self.offset = int(current[self._in_set].sum() + current[transferred].sum())
        del self._work, self._scratch

    def _enlarge_rows(self) -> None:
        """Double the room for rows; with weights, add one more entry."""
        rows = self._work.rows
        longer = np.empty(2 * rows.size + (self._work.weights.size > 0), rows.dtype)
        longer[: rows.size] = rows  # the room takes no memory before it is used
        self._work = self._work._replace(rows=longer)

    def _reduce(self) -> None:
        """Apply the rules until no vertex waits, and extract the kernel."""
        table, counters = self._work.table, self._work.counters
        while counters[HEAD] != counters[TAIL]:
            _apply_rules(_VERTICES_PER_CALL, self._work, self._scratch)
            if counters[FULL]:
                self._enlarge_rows()
                counters[FULL] = 0
            if counters[SEARCHES] > _MAX_SEARCHES:
                table[:, STAMP] = counters[SEARCHES] = 0
        self.vertices = compact(table[:, DEGREE] >= 0)
        start = table[:, FIRST].copy()
        self.indptr, self.indices = induced_rows(self.vertices, start, start + table[:, LENGTH], self._work.rows)
        self.weights = self._work.weights[self.vertices] if self._work.weights.size else self._work.weights

    def _use_flows(self) -> None:
        """Put in the vertices that a maximum flow decides, and apply the rules, until none is decided."""
        room = _MAX_READ
        while self.vertices.size and not self.is_half:
            entries = self.indices.size + 1
            columns = sort_rows(self.indptr, self.indices)
            decided, phases = decided_vertices(self.indptr, columns, self.weights, room // entries)
            room -= phases * entries
            if decided is None:
                break
            self.is_half = decided.size == 0
            _include(self.vertices[decided].astype(columns.dtype), self._work)
            self._reduce()

    def lift(self, mask: Any) -> Any:
        """Extend an independent set of the kernel to one of the whole graph."""
        in_set = self._in_set.copy()
        in_set[self.vertices] = mask
        for start, end in reversed(list(chunked(len(self._log)))):
            _undo(start, end, self._log, self._rows, in_set)
        return in_set


def _reduce_windows(indptr: Any, length: int, windows: int, work: WorkGraph, scratch: Scratch) -> None:
    """Apply the rules in windows of `length` vertices, and merge the windows' counters for the pass of one thread."""
    n, entries = scratch.met.size, int(indptr[-1])
    counters = np.zeros((windows, _COUNTERS), np.int64)
    firsts = np.arange(windows) * length
    ends = np.minimum(firsts + length, n)
    counters[:, TAIL] = ends - firsts
    counters[:, ROWS_END] = entries + indptr[firsts] // 2
    for window, (first, end) in enumerate(zip(firsts, ends, strict=True)):
        work.queue[first + window : end + window] = np.arange(first, end)
    limit = max(_VERTICES_PER_CALL // windows, 1)
    while ((counters[:, HEAD] != counters[:, TAIL]) & (counters[:, FULL] == 0)).any():
        _apply_rules_inside(windows, limit, length, indptr, work._replace(counters=counters.ravel()), scratch)
    # Move the logs of the windows together.
    logged = 0
    for first, count in zip(firsts, counters[:, LOGGED], strict=True):
        work.log[logged : logged + count] = work.log[first : first + count].copy()
        logged += int(count)
    work.counters[LOGGED] = logged
    work.counters[SEARCHES] = counters[:, SEARCHES].max()
    work.counters[ROWS_END] = entries + entries // 2
