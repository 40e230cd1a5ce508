"""Kernelization: a smaller graph whose maximum independent sets give those of the whole graph.

Result: a kernel, and how an independent set of it becomes one of the whole graph that is as much larger as a maximum
one would be. Nothing is lost: what is proved of the kernel is proved of the graph.

Rule: to each vertex v whose surroundings have changed, the first of these that fits, until none does:

- *few neighbors*: with none, or one, or two that are adjacent, v joins the set and they leave.
- *fold*: two neighbors a, b that are not adjacent become one vertex a with the neighbors of both. If a is in the set
  then so are a and b; else v is.
- *domination*: a neighbor leaves that has all other neighbors of v as its own (v may be in the set instead). If all
  do, the neighborhood is a clique, and v joins the set.
- *twins*: v and another vertex w have the same three neighbors. If two of these are adjacent, v and w join the set;
  else the three become one vertex, as with a fold.
- *unconfined*: v leaves if a set with v can be exchanged for one without it that is not smaller. Starting with S = {v},
  look for a neighbor u of exactly one vertex of S; if all other neighbors of u are in S or next to it, then v is
  unconfined; if just one, w, is not, then w joins S, and so on.

In the code: `_apply_first`.

Idea: where rows reach little further than a window's fraction (locality.py), rules are first applied in windows of
consecutive vertices, side by side. A vertex is *inner* if its neighbors are in its window, and stays so: rows become
shorter, or those of two inner vertices one. Rules are tried on inner vertices with inner neighbors, and look further at
inner vertices only, so all that they read or write is in the window. One thread then tries what is left. So the kernel
does not depend on which worker handles which window when.

State: a row of four numbers a vertex::

    DEGREE    neighbors left, or one of IN, GONE
    FIRST, LENGTH   its row in `rows`; neighbors that left are dropped when the row is read
    STAMP     the number of the last search that met the vertex

A folded vertex gets a new row at the end of `rows`, which the host makes longer when it is full. Folds are written down
and undone in reverse.

Cost: near linear on sparse graphs, on one thread where there are no windows; a vertex is tried again only when it loses
a neighbor or is folded, and not while it has more than `_BUSY` neighbors. Work memory: some 60 bytes a vertex and 8 or
more an entry.

Source: the rules as in T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case Study of
Vertex Cover", Theoretical Computer Science 609, 2016; M. Xiao, H. Nagamochi, "Confining Sets and Avoiding Bottleneck
Cases: A Simple Maximum Independent Set Algorithm in Degree-3 Graphs", Theoretical Computer Science 469, 2013.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...csr.induced import induced_rows
from ...parallel import in_steps, kernel, prefetch, rule
from ...parallel.groups import Rows
from ...parallel.primitives import compact
from .locality import window_length

DEGREE, FIRST, LENGTH, STAMP = range(4)
IN, GONE = -1, -2
_HEAD, _TAIL, _LOGGED, _SEARCHES, _ROWS_END, _FULL, _REFUSED = range(7)  # what `counters` counts
_BUSY = 64  # neighbors; a vertex that still has more is not tried again when it loses one
_DOMINATING = 4  # neighbors at most, of a vertex that may dominate: with more it hardly ever does
_CONFINING = 16  # vertices that the set of the last rule may get
_STEP = 1 << 19  # vertices of one call: bounds the latency of Ctrl-C
_MOST_SEARCHES = 1 << 30  # then they are counted anew: a step makes far fewer, and stamps may have 32 bits


class WorkGraph(NamedTuple):
    """A graph that rules make smaller, and the vertices to try them on."""

    table: Any  # (n, 4): a row for each vertex, see the state above
    rows: Any  # the neighbors of all vertices, and room for the rows of folded ones
    waiting: Any  # (n,): whether a vertex is in the queue
    queue: Any  # (n + 1,): a ring of the vertices to try
    log: Any  # (folds, 5): v, its twin, and the two or three vertices that became one
    counters: Any  # see above
    inner: Any  # (n,): whether a vertex has its neighbors in its window; none if all may be touched


@rule
def _may_touch(v, work):
    """Whether v is inner, or there are no windows; if not, this is noted."""
    allowed = work.inner.size == 0 or work.inner[v]
    if not allowed:
        work.counters[_REFUSED] = 1
    return allowed


@rule
def _may_be_tried(v, work):
    """Whether v and its neighbors are inner, or there are no windows."""
    allowed = True
    if work.inner.size:
        allowed = work.inner[v]
        start, end = work.table[v, FIRST], work.table[v, FIRST] + work.table[v, LENGTH]
        for e in range(start, end):
            allowed &= work.inner[work.rows[e]]
    return allowed


@rule
def _row_of(v, table):
    """Where v's row begins and ends."""
    return table[v, FIRST], table[v, FIRST] + table[v, LENGTH]


@rule
def _enqueue(v, work):
    """Put v at the end of the ring of vertices to try, unless it is there already."""
    if not work.waiting[v]:
        work.waiting[v] = True
        tail = work.counters[_TAIL]
        work.queue[tail] = v
        work.counters[_TAIL] = tail + 1 if tail + 1 < work.queue.size else 0


@rule
def _lose_neighbor(v, work):
    """Take one neighbor away from v, if it has any; v then waits to be tried again if few are left."""
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
    """Put v into the set; its neighbors leave."""
    work.table[v, DEGREE] = IN
    start, end = _row_of(v, work.table)
    for e in range(start, end):
        u = work.rows[e]
        if work.table[u, DEGREE] >= 0:
            _leave(u, work)


@rule(inline=False)
def _tidy(v, table, rows):
    """Drop the neighbors that left from v's row; where it begins and ends."""
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
    """A new search that has met v and its neighbors; its number."""
    search = counters[_SEARCHES] + 1
    counters[_SEARCHES] = search
    start, end = _tidy(v, table, rows)
    table[v, STAMP] = search
    for e in range(start, end):
        table[rows[e], STAMP] = search
    return search


@rule
def _are_adjacent(u, v, table, rows):
    """Whether the shorter row of the two holds the other vertex."""
    if table[u, LENGTH] > table[v, LENGTH]:
        u, v = v, u
    e, end = _tidy(u, table, rows)
    while e < end and rows[e] != v:
        e += 1
    return e < end


@rule
def _room_for(a, table):
    """How many entries a's row may add to that of a folded vertex."""
    return table[a, LENGTH] if a >= 0 else 0


@rule
def _append_row(a, new, search, work):
    """Append a's neighbors to the last row, but those met before; they become neighbors of `new` instead of a."""
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
    """Make the neighbors of v one vertex, a. `twin` and `c` are -1 if there are none."""
    table, log, counters = work.table, work.log, work.counters
    # Is there room for a's new row? If not, the host makes `rows` longer and v is tried again.
    needed = _room_for(a, table) + _room_for(b, table) + _room_for(c, table)
    if counters[_ROWS_END] + needed > work.rows.size:
        counters[_FULL] = 1
        return
    # The fold is recorded; all but a leave.
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
    # a's new row: the neighbors of all two or three, each once.
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
    """Remove a neighbor of v that has all other neighbors of v as its own; whether there was one."""
    table, rows = work.table, work.rows
    start, end = _row_of(v, table)
    least = rows[start]
    for e in range(start + 1, end):
        if table[rows[e], DEGREE] < table[least, DEGREE]:
            least = rows[e]
    # Candidates: what dominates v is the neighbor with fewest neighbors, or adjacent to it, and has enough of its own.
    search = _stamp_row(least, table, rows, work.counters)
    candidates = 0
    for e in range(start, end):
        a = rows[e]
        if table[a, STAMP] == search and table[a, DEGREE] >= end - start:
            met[candidates] = a
            candidates += 1
    # A candidate leaves that has the whole row of v among its own neighbors.
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
    """Apply the rule of twins to v, which has three neighbors; whether it applied."""
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
                _join(v, work)  # and w, when it is tried
            else:
                _fold(v, w, a, b, c, work)
            return True
    return False


@rule(inline=False)
def _is_unconfined(v, work, met, times):
    """Whether a set with v can be exchanged for one without it. `met`: the vertices next to S; `times`: to how many."""
    table, rows = work.table, work.rows
    # S = {v}: its neighbors are met once.
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
        # Of the neighbors of exactly one vertex of S: has one none outside, or a single one, w?
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
        pass  # domination: v has lost a neighbor, so it waits again
    elif degree == 3 and _merge_twin(v, work):
        pass  # twins
    elif _is_unconfined(v, work, met, times):
        _leave(v, work)


@rule(inline=False)
def _try_waiting(most, work, met, times):
    """Try no more than so many of the vertices that wait, and none after a fold finds no room."""
    table, rows, queue, counters = work.table, work.rows, work.queue, work.counters
    for _ in range(most):
        head = counters[_HEAD]
        if head == counters[_TAIL] or counters[_FULL]:
            break
        v = queue[head]
        counters[_HEAD] = head + 1 if head + 1 < queue.size else 0
        if head + 8 < queue.size:  # what is read when the next ones are tried; nothing is lost where the ring ends
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
                work.waiting[v] = True  # though not in this queue: for the time without windows


@kernel(by="single", types="int O[,] V[] bool[] V[] V[,] int64[] bool[] V[] V[]")
def _apply_rules(most, work: WorkGraph, met, times):
    """Try no more than so many of the vertices that wait."""
    _try_waiting(most, work, met, times)


@kernel(by="edges", types="O[] V[] int bool[]")
def _mark_inner(v, rows: Rows, length, inner):
    """Whether all neighbors of v are in its window; rows are sorted."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    low = v // length * length
    inner[v] = start == end or (rows.indices[start] >= low and rows.indices[end - 1] < low + length)


@kernel(by="workers", types="int int O[] O[,] V[] bool[] V[] V[,] int64[,] bool[] V[] V[]")
def _apply_rules_inside(window, workers, most, length, indptr, work: WorkGraph, met, times):
    """Try no more than so many of the vertices of a window that wait.

    It has its own row of counters, and its own parts of the queue, of the log, and of the room for rows of folded
    vertices, half as many entries as its rows have.
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
    """Decide the folded vertices of a range of the log, the last fold first."""
    for i in range(end - 1, start - 1, -1):
        merged = in_set[log[i, 2]]
        for k in range(5):
            u = log[i, k]
            if u >= 0:
                in_set[u] = merged if k >= 2 else not merged


class Kernelization:
    """What the rules leave of a graph (`indptr`, `indices`, rows in no order), and the way back."""

    def __init__(self, indptr: Any, indices: Any) -> None:
        """From rows without loops and repetitions, sorted."""
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
            if counters[_SEARCHES] > _MOST_SEARCHES:
                table[:, STAMP] = counters[_SEARCHES] = 0
        self._log = log
        self._folds = int(counters[_LOGGED])
        self._in_set = table[:, DEGREE] == IN
        self.vertices = compact(table[:, DEGREE] > 0)
        start = table[:, FIRST].copy()
        self.indptr, self.indices = induced_rows(self.vertices, start, start + table[:, LENGTH], rows)

    def lift(self, mask: Any) -> Any:
        """An independent set of the whole graph from one of the kernel."""
        in_set = self._in_set.copy()
        in_set[self.vertices] = mask
        for start, end in reversed(list(in_steps(self._folds))):
            _undo_folds(self._log, start, end, in_set)
        return in_set


def _with_room(rows: Any) -> Any:
    """The rows, and as much room behind them."""
    longer = np.empty(2 * rows.size, rows.dtype)
    longer[: rows.size] = rows
    return longer


def _reduce_windows(indptr: Any, length: int, windows: int, work: WorkGraph, met: Any, times: Any) -> None:
    """Apply the rules in windows of so many vertices; `counters` is then what one thread goes on with."""
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
    # The logs move together.
    logged = 0
    for window, (first, folds) in enumerate(zip(firsts, counters[:, _LOGGED], strict=True)):
        start = first // 2 + window
        work.log[logged : logged + folds] = work.log[start : start + folds].copy()
        logged += int(folds)
    work.counters[_LOGGED] = logged
    work.counters[_SEARCHES] = counters[:, _SEARCHES].max()
    work.counters[_ROWS_END] = entries + entries // 2
