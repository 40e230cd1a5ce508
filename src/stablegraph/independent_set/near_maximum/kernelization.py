"""Kernelization: reduction to a smaller graph whose maximum independent sets give those of the whole graph.

Result: a kernel, and a way to extend an independent set of the kernel to one of the whole graph. The extension adds the
same number of vertices to every set. Therefore a maximum set of the kernel becomes a maximum set of the graph, and a
bound for the kernel gives a bound for the graph.

Rule: to each vertex v whose surroundings have changed, apply the first rule that fits, until none fits:

- *few neighbors*: if v has no neighbor, one neighbor, or two adjacent neighbors, v joins the set and they leave.
- *fold*: two nonadjacent neighbors a, b become one vertex a with the neighbors of both. In the end, if the merged
  vertex a is in the set, both a and b are in; otherwise v is in.
- *domination*: a neighbor of v leaves if it is adjacent to all other neighbors of v (v may replace it in a set). If all
  neighbors are, the neighborhood is a clique, and v joins the set.
- *twins*: v and another vertex w have the same three neighbors. If two of these are adjacent, v and w join the set;
  otherwise the three neighbors become one vertex, as in a fold.
- *unconfined*: v leaves if any set with v can be replaced by a set without v that is not smaller. Start with S = {v},
  and look for a neighbor u of exactly one vertex of S. If all other neighbors of u are in S or adjacent to S, v is
  unconfined. If exactly one neighbor w of u is not, w joins S, and the search continues.

In the code: `_apply_first`.

Idea: if rows reach only across a fraction of a window (locality.py), the rules are first applied in windows of
consecutive vertices, in parallel. A vertex is *inner* if all its neighbors are in its window. It remains inner, because
rows only become shorter, or rows of inner vertices are merged. The rules are tried on inner vertices with inner
neighbors, and examine further vertices only if these are inner. Therefore they read and write only data of their own
window. One thread then tries the remaining vertices. Thus the kernel does not depend on the assignment of windows to
workers.

State: a row of four numbers per vertex::

    DEGREE    the number of remaining neighbors, or one of IN, GONE
    FIRST, LENGTH   its row in `rows`; neighbors that left are dropped when the row is read
    STAMP     the number of the last search that met the vertex

A folded vertex gets a new row at the end of `rows`; the host enlarges `rows` when it is full. Folds are logged and
undone in reverse.

Cost: near linear on sparse graphs; on one thread if there are no windows. A vertex is tried again only when it loses a
neighbor or is merged, and has at most `_BUSY` neighbors. Work memory: about 60 bytes per vertex and at least 8 per
entry.

Source: the rules as in T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case Study of
Vertex Cover", Theoretical Computer Science 609, 2016; M. Xiao, H. Nagamochi, "Confining Sets and Avoiding Bottleneck
Cases: A Simple Maximum Independent Set Algorithm in Degree-3 Graphs", Theoretical Computer Science 469, 2013.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import chunked, kernel, prefetch, rule
from ..._core.runtime.primitives import compact
from ..._core.runtime.structs import Rows
from .locality import window_length

DEGREE, FIRST, LENGTH, STAMP = range(4)
IN, GONE = -1, -2
_HEAD, _TAIL, _LOGGED, _SEARCHES, _ROWS_END, _FULL, _REFUSED = range(7)  # places in `counters`
_BUSY = 64  # neighbors; a vertex with more is not tried again when it loses one
_DOMINATING = 4  # the maximum number of neighbors for trying domination; with more it hardly ever applies
_CONFINING = 16  # the maximum number of vertices that join S in the last rule
_STEP = 1 << 19  # vertices per call: bounds the latency of Ctrl-C
_MAX_SEARCHES = 1 << 30  # then stamps restart at 0; they may have 32 bits, and a step makes far fewer searches


class WorkGraph(NamedTuple):
    """A graph that is being reduced, and the vertices on which rules are to be tried."""

    table: Any  # (n, 4): a row for each vertex; see State above
    rows: Any  # the neighbors of all vertices, and room for the rows of folded ones
    waiting: Any  # (n,): whether a vertex waits to be tried
    queue: Any  # (n + 1,): a ring of the vertices to try
    log: Any  # (folds, 5): v, its twin, and the two or three merged vertices
    counters: Any  # see above
    inner: Any  # (n,): whether all neighbors of a vertex are in its window; empty without windows


@rule
def _may_touch(v, work):
    """Return whether v is inner or there are no windows; if not, record the refusal."""
    allowed = work.inner.size == 0 or work.inner[v]
    if not allowed:
        work.counters[_REFUSED] = 1
    return allowed


@rule
def _may_be_tried(v, work):
    """Return whether v and its neighbors are inner, or there are no windows."""
    allowed = True
    if work.inner.size:
        allowed = work.inner[v]
        start, end = work.table[v, FIRST], work.table[v, FIRST] + work.table[v, LENGTH]
        for e in range(start, end):
            allowed &= work.inner[work.rows[e]]
    return allowed


@rule
def _row_of(v, table):
    """Return the range of v's row."""
    return table[v, FIRST], table[v, FIRST] + table[v, LENGTH]


@rule
def _enqueue(v, work):
    """Append v to the ring of vertices to try, unless it is already waiting."""
    if not work.waiting[v]:
        work.waiting[v] = True
        tail = work.counters[_TAIL]
        work.queue[tail] = v
        work.counters[_TAIL] = tail + 1 if tail + 1 < work.queue.size else 0


@rule
def _lose_neighbor(v, work):
    """Remove one neighbor from v, unless v has left; v waits to be tried again if few neighbors remain."""
    table = work.table
    degree = table[v, DEGREE] - 1
    if degree >= 0:
        table[v, DEGREE] = degree
        if degree <= _BUSY:
            _enqueue(v, work)


@rule(inline=False)
def _leave(v, work):
    """Remove v from the graph."""
    work.table[v, DEGREE] = GONE
    start, end = _row_of(v, work.table)
    for e in range(start, end):
        _lose_neighbor(work.rows[e], work)


@rule(inline=False)
def _join(v, work):
    """Put v into the set, and remove its neighbors."""
    work.table[v, DEGREE] = IN
    start, end = _row_of(v, work.table)
    for e in range(start, end):
        u = work.rows[e]
        if work.table[u, DEGREE] >= 0:
            _leave(u, work)


@rule(inline=False)
def _tidy(v, table, rows):
    """Drop the neighbors that left from v's row, and return the beginning and the end of the row."""
    start, end = _row_of(v, table)
    if table[v, LENGTH] == table[v, DEGREE]:
        return start, end
    k = start
    for e in range(start, end):
        u = rows[e]
        rows[k] = u
        k += int(table[u, DEGREE] >= 0)
    table[v, LENGTH] = k - start
    return start, k


@rule
def _stamp_row(v, table, rows, counters):
    """Begin a new search by stamping v and its neighbors, and return the number of the search."""
    search = counters[_SEARCHES] + 1
    counters[_SEARCHES] = search
    start, end = _tidy(v, table, rows)
    table[v, STAMP] = search
    for e in range(start, end):
        table[rows[e], STAMP] = search
    return search


@rule
def _are_adjacent(u, v, table, rows):
    """Return whether u and v are adjacent, by searching the shorter of their rows."""
    if table[u, LENGTH] > table[v, LENGTH]:
        u, v = v, u
    e, end = _tidy(u, table, rows)
    while e < end and rows[e] != v:
        e += 1
    return e < end


@rule
def _room_for(a, table):
    """Return how many entries a's row may add to the row of a folded vertex; 0 if a is -1."""
    return table[a, LENGTH] if a >= 0 else 0


@rule
def _append_row(a, new, search, work):
    """Append a's neighbors that were not met before to the last row, and make them neighbors of `new` instead of a."""
    table, rows = work.table, work.rows
    start, end = _row_of(a, table)
    for e in range(start, end):
        u = rows[e]
        if table[u, DEGREE] <= 0:
            continue
        if table[u, STAMP] == search:
            _lose_neighbor(u, work)
            continue
        table[u, STAMP] = search
        rows[work.counters[_ROWS_END]] = u
        work.counters[_ROWS_END] += 1
        if a != new:
            place = table[u, FIRST]
            while rows[place] != a:
                place += 1
            rows[place] = new
        _enqueue(u, work)


@rule(inline=False)
def _fold(v, twin, a, b, c, work):
    """Merge the neighbors of v into one vertex, a. `twin` and `c` are -1 if there are none."""
    table, log, counters = work.table, work.log, work.counters
    # Check the room for a's new row. If it is too small, the host enlarges `rows` and v is tried again.
    needed = _room_for(a, table) + _room_for(b, table) + _room_for(c, table)
    if counters[_ROWS_END] + needed > work.rows.size:
        counters[_FULL] = 1
        return
    # Log the fold, and remove all its vertices except for a.
    logged = counters[_LOGGED]
    log[logged, 0] = v
    log[logged, 1] = twin
    log[logged, 2] = a
    log[logged, 3] = b
    log[logged, 4] = c
    counters[_LOGGED] = logged + 1
    for k in range(5):
        u = log[logged, k]
        if u >= 0 and u != a:
            table[u, DEGREE] = GONE
    # Write a's new row: the neighbors of all merged vertices, each once.
    search = counters[_SEARCHES] + 1
    counters[_SEARCHES] = search
    begin = counters[_ROWS_END]
    for k in range(2, 5):
        u = log[logged, k]
        if u >= 0:
            _append_row(u, a, search, work)
    table[a, FIRST] = begin
    table[a, LENGTH] = table[a, DEGREE] = counters[_ROWS_END] - begin
    _enqueue(a, work)


@rule(inline=False)
def _remove_dominated(v, work, met):
    """Remove a neighbor of v that is adjacent to all other neighbors of v; return whether there was one."""
    table, rows = work.table, work.rows
    start, end = _row_of(v, table)
    least = rows[start]
    for e in range(start + 1, end):
        if table[rows[e], DEGREE] < table[least, DEGREE]:
            least = rows[e]
    # Candidates: only the neighbor of smallest degree or vertices adjacent to it, with enough neighbors, can qualify.
    search = _stamp_row(least, table, rows, work.counters)
    candidates = 0
    for e in range(start, end):
        a = rows[e]
        if table[a, STAMP] == search and table[a, DEGREE] >= end - start:
            met[candidates] = a
            candidates += 1
    # Remove the first candidate that is adjacent to all other vertices in v's row.
    for i in range(candidates):
        a = met[i]
        search = _stamp_row(a, table, rows, work.counters)
        e = start
        while e < end and table[rows[e], STAMP] == search:
            e += 1
        if e == end:
            _leave(a, work)
            return True
    return False


@rule(inline=False)
def _merge_twin(v, work):
    """Try the rule of twins on v, which has three neighbors; return whether it applied."""
    table, rows = work.table, work.rows
    start = table[v, FIRST]
    a, b, c = rows[start], rows[start + 1], rows[start + 2]
    of_a, end_of_a = _tidy(a, table, rows)
    for e in range(of_a, end_of_a):
        w = rows[e]
        if w == v or table[w, DEGREE] != 3 or not _may_touch(w, work):
            continue
        of_w, _ = _tidy(w, table, rows)
        same = 0
        for k in range(of_w, of_w + 3):
            u = rows[k]
            same += int((u == a) | (u == b) | (u == c))
        if same == 3:
            adjacent = _are_adjacent(a, b, table, rows) or _are_adjacent(a, c, table, rows)
            if adjacent or _are_adjacent(b, c, table, rows):
                _join(v, work)  # w joins when it is tried
            else:
                _fold(v, w, a, b, c, work)
            return True
    return False


@rule(inline=False)
def _is_unconfined(v, work, met, times):
    """Return whether v is unconfined. `met`: the vertices adjacent to S; `times`: to how many members of S."""
    table, rows = work.table, work.rows
    # S = {v}: each neighbor is adjacent to one member of S.
    search = _stamp_row(v, table, rows, work.counters)
    times[v] = 0
    count = 0
    start, end = _row_of(v, table)
    for e in range(start, end):
        u = rows[e]
        met[count] = u
        times[u] = 1
        count += 1
    for _ in range(_CONFINING):
        # Search the neighbors of exactly one vertex of S for one with no neighbor outside, or a single one, w.
        joins = -1
        for i in range(count):
            u = met[i]
            if times[u] != 1 or not _may_touch(u, work):
                continue
            outside, w = 0, -1
            of_u, end_of_u = _row_of(u, table)
            while of_u < end_of_u and outside < 2:
                x = rows[of_u]
                if table[x, STAMP] != search and table[x, DEGREE] >= 0:
                    outside += 1
                    w = x
                of_u += 1
            if outside == 0:
                return True
            if outside == 1 and _may_touch(w, work):
                joins = w
        if joins < 0:
            return False
        # w joins S.
        table[joins, STAMP] = search
        times[joins] = 0
        start, end = _tidy(joins, table, rows)
        for e in range(start, end):
            u = rows[e]
            if table[u, STAMP] == search:
                times[u] += 1
            else:
                table[u, STAMP] = search
                times[u] = 1
                met[count] = u
                count += 1
    return False


@rule
def _apply_first(v, work, met, times):
    """Apply the first rule that fits v."""
    table, rows = work.table, work.rows
    start, end = _tidy(v, table, rows)
    for e in range(start, end):
        prefetch(rows, table[rows[e], FIRST])
    degree = end - start
    if degree <= 1:  # few neighbors
        _join(v, work)
    elif degree == 2:  # few neighbors, or a fold
        a, b = rows[start], rows[start + 1]
        if _are_adjacent(a, b, table, rows):
            _join(v, work)
        else:
            _fold(v, -1, a, b, -1, work)
    elif degree <= _DOMINATING and _remove_dominated(v, work, met):
        pass  # domination: v has lost a neighbor, so it waits to be tried again
    elif degree == 3 and _merge_twin(v, work):
        pass  # twins
    elif _is_unconfined(v, work, met, times):
        _leave(v, work)


@rule(inline=False)
def _try_waiting(most, work, met, times):
    """Try at most `most` waiting vertices, and none after a fold has found no room."""
    table, rows, queue, counters = work.table, work.rows, work.queue, work.counters
    for _ in range(most):
        head = counters[_HEAD]
        if head == counters[_TAIL] or counters[_FULL]:
            break
        v = queue[head]
        counters[_HEAD] = head + 1 if head + 1 < queue.size else 0
        if head + 8 < queue.size:  # data of the next vertices; not prefetched at the end of the ring
            prefetch(table, queue[head + 8])
            prefetch(rows, table[queue[head + 4], FIRST])
            following = queue[head + 2]
            begin = table[following, FIRST]
            for e in range(begin, begin + min(table[following, LENGTH], 16)):
                prefetch(table, rows[e])
        if _may_be_tried(v, work):
            work.waiting[v] = False
            if table[v, DEGREE] >= 0:
                _apply_first(v, work, met, times)
            if counters[_FULL]:
                _enqueue(v, work)
            if counters[_REFUSED]:
                counters[_REFUSED] = 0
                work.waiting[v] = True  # not in this queue; it waits for the pass without windows


@kernel(by="single", types="int O[,] V[] bool[] V[] V[,] int64[] bool[] V[] V[]")
def _apply_rules(most, work: WorkGraph, met, times):
    """Try at most `most` waiting vertices."""
    _try_waiting(most, work, met, times)


@kernel(by="edges", types="O[] V[] int bool[]")
def _mark_inner(v, rows: Rows, length, inner):
    """Mark v if all its neighbors are in its window; rows are sorted."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    low = v // length * length
    inner[v] = start == end or (rows.indices[start] >= low and rows.indices[end - 1] < low + length)


@kernel(by="workers", types="int int O[] O[,] V[] bool[] V[] V[,] int64[,] bool[] V[] V[]")
def _apply_rules_inside(window, workers, most, length, indptr, work: WorkGraph, met, times):
    """Try at most `most` waiting vertices of a window.

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
    _try_waiting(most, part, met[first:end], times)


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
        counters[_ROWS_END] = indices.size
        if windows:
            work = WorkGraph(table, rows, waiting, queue, log, counters, np.empty(n, bool))
            _mark_inner(n, Rows(indptr, indices), length, work.inner)
            _reduce_windows(indptr, length, windows, work, met, times)
        left = compact(waiting)
        queue[: left.size] = left
        counters[_TAIL] = left.size
        everywhere = np.empty(0, bool)
        while counters[_HEAD] != counters[_TAIL]:
            _apply_rules(_STEP, WorkGraph(table, rows, waiting, queue, log, counters, everywhere), met, times)
            if counters[_FULL]:
                rows = _with_room(rows)
                counters[_FULL] = 0
            if counters[_SEARCHES] > _MAX_SEARCHES:
                table[:, STAMP] = counters[_SEARCHES] = 0
        self._log = log
        self._folds = int(counters[_LOGGED])
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
    counters[:, _TAIL] = ends - firsts
    counters[:, _ROWS_END] = entries + indptr[firsts] // 2
    for window, (first, end) in enumerate(zip(firsts, ends, strict=True)):
        work.queue[first + window : end + window] = np.arange(first, end)
    most = max(_STEP // windows, 1)
    while ((counters[:, _HEAD] != counters[:, _TAIL]) & (counters[:, _FULL] == 0)).any():
        _apply_rules_inside(windows, most, length, indptr, work._replace(counters=counters), met, times)
    # Move the logs of the windows together.
    logged = 0
    for window, (first, folds) in enumerate(zip(firsts, counters[:, _LOGGED], strict=True)):
        start = first // 2 + window
        work.log[logged : logged + folds] = work.log[start : start + folds].copy()
        logged += int(folds)
    work.counters[_LOGGED] = logged
    work.counters[_SEARCHES] = counters[:, _SEARCHES].max()
    work.counters[_ROWS_END] = entries + entries // 2
