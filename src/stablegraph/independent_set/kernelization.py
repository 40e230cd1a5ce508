"""Kernelization: a smaller graph whose maximum independent sets give those of the whole graph.

Result: a kernel, and how an independent set of it becomes one of the whole graph that is as much larger as a maximum
one would be. Nothing is lost: what is proved of the kernel is proved of the graph.

The exact rules, applied to each vertex v whose surroundings have changed, until none applies:

- *few neighbours*: with none, or one, or two that are adjacent, v joins the set and they leave.
- *fold*: two neighbours a, b that are not adjacent become one vertex a with the neighbours of both. If a is in the set
  then so are a and b; else v is.
- *domination*: a neighbour leaves that has all other neighbours of v as its own (v may be in the set instead). If all
  do, the neighbourhood is a clique, and v joins the set.
- *twins*: v and another vertex w have the same three neighbours. If two of these are adjacent, v and w join the set;
  else the three become one vertex, as with a fold.
- *unconfined*: v leaves if a set with v can be exchanged for one without it that is not smaller. Starting with S = {v},
  look for a neighbour u of exactly one vertex of S; if all other neighbours of u are in S or next to it, then v is
  unconfined; if just one, w, is not, then w joins S, and so on.

State: a row of four numbers a vertex::

    DEGREE    neighbours left, or one of IN, GONE
    FIRST, LENGTH   its row in `rows`; those who left are dropped when the row is read
    STAMP     the number of the last search that met the vertex

A folded vertex gets a new row at the end of `rows`, which the host makes longer when it is full. Folds are written down
and undone in reverse.

Cost: near linear on sparse graphs, on one thread; a vertex is looked at again only when it loses a neighbour or is
folded, and not while it has more than `_BUSY` neighbours. Work memory: some 60 bytes a vertex and 8 or more an entry.

Source: the rules as in T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case Study of
Vertex Cover", Theoretical Computer Science 609, 2016; M. Xiao, H. Nagamochi, "Confining Sets and Avoiding Bottleneck
Cases: A Simple Maximum Independent Set Algorithm in Degree-3 Graphs", Theoretical Computer Science 469, 2013.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, in_steps, kernel, prefetch, rule
from ..parallel.primitives import compact
from ..rows import rows_among

DEGREE, FIRST, LENGTH, STAMP = range(4)
IN, GONE = -1, -2
_HEAD, _TAIL, _LOGGED, _SEARCHES, _ROWS_END, _FULL = range(6)  # what `counters` counts
_BUSY = 64  # neighbours; a vertex that still has more is not looked at again when it loses one
_DOMINATING = 4  # neighbours at most, of a vertex that may dominate: with more it hardly ever does
_CONFINING = 16  # vertices that the set of the last rule may get
_STEP = 1 << 19  # vertices looked at between two chances to be interrupted
_MOST_SEARCHES = 1 << 30  # then they are counted anew: a step makes far fewer, and stamps may have 32 bits


@rule
def _enqueue(v, waiting, queue, counters):
    """Put v at the end of the ring of those to look at, unless it is there already."""
    if not waiting[at(v)]:
        waiting[at(v)] = True
        tail = counters[_TAIL]
        queue[at(tail)] = v
        counters[_TAIL] = tail + 1 if tail + 1 < queue.size else 0


@rule
def _lose_neighbour(v, nodes, waiting, queue, counters):
    degree = nodes[at(v), DEGREE] - 1
    nodes[at(v), DEGREE] = degree
    if degree <= _BUSY:
        _enqueue(v, waiting, queue, counters)


@rule(inline=False)
def _leave(v, nodes, rows, waiting, queue, counters):
    """Remove v from the graph."""
    nodes[at(v), DEGREE] = GONE
    first = nodes[at(v), FIRST]
    for e in range(first, first + nodes[at(v), LENGTH]):
        u = rows[at(e)]
        if nodes[at(u), DEGREE] > 0:
            _lose_neighbour(u, nodes, waiting, queue, counters)


@rule(inline=False)
def _join(v, nodes, rows, waiting, queue, counters):
    """Put v into the set; its neighbours leave."""
    nodes[at(v), DEGREE] = IN
    first = nodes[at(v), FIRST]
    for e in range(first, first + nodes[at(v), LENGTH]):
        u = rows[at(e)]
        if nodes[at(u), DEGREE] >= 0:
            _leave(u, nodes, rows, waiting, queue, counters)


@rule(inline=False)
def _tidy(v, nodes, rows):
    """Drop those who left from v's row."""
    first = nodes[at(v), FIRST]
    if nodes[at(v), LENGTH] != nodes[at(v), DEGREE]:
        k = first
        for e in range(first, first + nodes[at(v), LENGTH]):
            u = rows[at(e)]
            rows[at(k)] = u
            k += int(nodes[at(u), DEGREE] >= 0)
        nodes[at(v), LENGTH] = k - first
    return first, first + nodes[at(v), LENGTH]


@rule
def _stamp_row(v, nodes, rows, counters):
    """A new search that has met v and its neighbours; its number."""
    search = counters[_SEARCHES] + 1
    counters[_SEARCHES] = search
    first, end = _tidy(v, nodes, rows)
    nodes[at(v), STAMP] = search
    for e in range(first, end):
        nodes[at(rows[at(e)]), STAMP] = search
    return search


@rule
def _are_adjacent(u, v, nodes, rows):
    if nodes[at(u), LENGTH] > nodes[at(v), LENGTH]:
        u, v = v, u
    e, end = _tidy(u, nodes, rows)
    while e < end and rows[at(e)] != v:
        e += 1
    return e < end


@rule
def _room_for(a, nodes):
    return nodes[at(a), LENGTH] if a >= 0 else 0


@rule
def _append_row(a, new, search, nodes, rows, waiting, queue, counters):
    """Append a's neighbours to the last row, but those met before; they become neighbours of `new` instead of a."""
    first, end = nodes[at(a), FIRST], nodes[at(a), FIRST] + nodes[at(a), LENGTH]
    for e in range(first, end):
        u = int(rows[at(e)])
        if nodes[at(u), DEGREE] <= 0:
            continue
        if nodes[at(u), STAMP] == search:
            _lose_neighbour(u, nodes, waiting, queue, counters)
            continue
        nodes[at(u), STAMP] = search
        rows[at(counters[_ROWS_END])] = u
        counters[_ROWS_END] += 1
        if a != new:
            place = nodes[at(u), FIRST]
            while rows[at(place)] != a:
                place += 1
            rows[at(place)] = new
        _enqueue(u, waiting, queue, counters)


@rule(inline=False)
def _fold(v, twin, a, b, c, nodes, rows, waiting, queue, log, counters):
    """Make the neighbours of v one vertex, a. `twin` and `c` are -1 if there are none."""
    needed = _room_for(a, nodes) + _room_for(b, nodes) + _room_for(c, nodes)
    if counters[_ROWS_END] + needed > rows.size:
        counters[_FULL] = 1
        return
    logged = counters[_LOGGED]
    log[at(logged), 0] = v
    log[at(logged), 1] = twin
    log[at(logged), 2] = a
    log[at(logged), 3] = b
    log[at(logged), 4] = c
    counters[_LOGGED] = logged + 1
    search = counters[_SEARCHES] + 1
    counters[_SEARCHES] = search
    begin = counters[_ROWS_END]
    for k in range(5):
        u = log[at(logged), k]
        if u >= 0 and u != a:
            nodes[at(u), DEGREE] = GONE
    for k in range(2, 5):
        u = int(log[at(logged), k])
        if u >= 0:
            _append_row(u, a, search, nodes, rows, waiting, queue, counters)
    nodes[at(a), FIRST] = begin
    nodes[at(a), LENGTH] = nodes[at(a), DEGREE] = counters[_ROWS_END] - begin
    _enqueue(a, waiting, queue, counters)


@rule(inline=False)
def _remove_dominated(v, nodes, rows, met, waiting, queue, counters):
    """Remove a neighbour of v that has all other neighbours of v as its own; whether there was one."""
    first, end = nodes[at(v), FIRST], nodes[at(v), FIRST] + nodes[at(v), LENGTH]
    least = int(rows[at(first)])
    for e in range(first + 1, end):
        if nodes[at(rows[at(e)]), DEGREE] < nodes[at(least), DEGREE]:
            least = int(rows[at(e)])
    search = _stamp_row(least, nodes, rows, counters)  # whoever dominates is `least`, or next to it
    candidates = 0
    for e in range(first, end):
        a = rows[at(e)]
        if nodes[at(a), STAMP] == search and nodes[at(a), DEGREE] >= end - first:
            met[at(candidates)] = a
            candidates += 1
    for i in range(candidates):
        a = int(met[at(i)])
        search = _stamp_row(a, nodes, rows, counters)
        e = first
        while e < end and nodes[at(rows[at(e)]), STAMP] == search:
            e += 1
        if e == end:
            _leave(a, nodes, rows, waiting, queue, counters)
            return True
    return False


@rule(inline=False)
def _merge_twin(v, nodes, rows, waiting, queue, log, counters):
    """Apply the rule of twins to v, which has three neighbours; whether it applied."""
    first = nodes[at(v), FIRST]
    a, b, c = int(rows[at(first)]), int(rows[at(first + 1)]), int(rows[at(first + 2)])
    of_a, end_of_a = _tidy(a, nodes, rows)
    for e in range(of_a, end_of_a):
        w = int(rows[at(e)])
        if w == v or nodes[at(w), DEGREE] != 3:
            continue
        of_w, _ = _tidy(w, nodes, rows)
        same = 0
        for k in range(of_w, of_w + 3):
            u = rows[at(k)]
            same += int((u == a) | (u == b) | (u == c))
        if same == 3:
            adjacent = _are_adjacent(a, b, nodes, rows) or _are_adjacent(a, c, nodes, rows)
            if adjacent or _are_adjacent(b, c, nodes, rows):
                _join(v, nodes, rows, waiting, queue, counters)  # and w, when it is looked at
            else:
                _fold(v, w, a, b, c, nodes, rows, waiting, queue, log, counters)
            return True
    return False


@rule(inline=False)
def _is_unconfined(v, nodes, rows, met, times, counters):
    """Whether a set with v can be exchanged for one without it. `met`: the vertices next to S; `times`: to how many."""
    search = _stamp_row(v, nodes, rows, counters)
    times[at(v)] = 0
    count = 0
    first, end = nodes[at(v), FIRST], nodes[at(v), FIRST] + nodes[at(v), LENGTH]
    for e in range(first, end):
        u = rows[at(e)]
        met[at(count)] = u
        times[at(u)] = 1
        count += 1
    for _ in range(_CONFINING):
        joins = -1
        for i in range(count):
            u = int(met[at(i)])
            if times[at(u)] != 1:
                continue
            outside, w = 0, -1
            of_u, end_of_u = nodes[at(u), FIRST], nodes[at(u), FIRST] + nodes[at(u), LENGTH]
            while of_u < end_of_u and outside < 2:
                x = int(rows[at(of_u)])
                if nodes[at(x), STAMP] != search and nodes[at(x), DEGREE] >= 0:
                    outside += 1
                    w = x
                of_u += 1
            if outside == 0:
                return True
            if outside == 1:
                joins = w
        if joins < 0:
            return False
        nodes[at(joins), STAMP] = search
        times[at(joins)] = 0
        first, end = _tidy(joins, nodes, rows)
        for e in range(first, end):
            u = int(rows[at(e)])
            if nodes[at(u), STAMP] == search:
                times[at(u)] += 1
            else:
                nodes[at(u), STAMP] = search
                times[at(u)] = 1
                met[at(count)] = u
                count += 1
    return False


@rule
def _look_at(v, nodes, rows, met, times, waiting, queue, log, counters):
    """Apply the first rule that fits v."""
    first, end = _tidy(v, nodes, rows)
    for e in range(first, end):
        prefetch(rows, int(nodes[at(rows[at(e)]), FIRST]))
    degree = end - first
    if degree <= 1:
        _join(v, nodes, rows, waiting, queue, counters)
    elif degree == 2:
        a, b = int(rows[at(first)]), int(rows[at(first + 1)])
        if _are_adjacent(a, b, nodes, rows):
            _join(v, nodes, rows, waiting, queue, counters)
        else:
            _fold(v, -1, a, b, -1, nodes, rows, waiting, queue, log, counters)
    elif degree <= _DOMINATING and _remove_dominated(v, nodes, rows, met, waiting, queue, counters):
        pass  # v has lost a neighbour, so it waits again
    elif degree == 3 and _merge_twin(v, nodes, rows, waiting, queue, log, counters):
        pass
    elif _is_unconfined(v, nodes, rows, met, times, counters):
        _leave(v, nodes, rows, waiting, queue, counters)


@kernel(by="single")
def _apply_rules(most, nodes, rows, met, times, waiting, queue, log, counters):
    """Look at no more than so many of the vertices that wait, and at none after a fold finds no room."""
    for _ in range(most):
        head = counters[_HEAD]
        if head == counters[_TAIL] or counters[_FULL]:
            break
        v = int(queue[at(head)])
        counters[_HEAD] = head + 1 if head + 1 < queue.size else 0
        if head + 8 < queue.size:  # what is read when the next ones are looked at; nothing is lost where the ring ends
            prefetch(nodes, int(queue[at(head + 8)]))
            prefetch(rows, int(nodes[at(queue[at(head + 4)]), FIRST]))
            following = queue[at(head + 2)]
            begin = nodes[at(following), FIRST]
            for e in range(begin, begin + min(nodes[at(following), LENGTH], 16)):
                prefetch(nodes, int(rows[at(e)]))
        waiting[at(v)] = False
        if nodes[at(v), DEGREE] >= 0:
            _look_at(v, nodes, rows, met, times, waiting, queue, log, counters)
        if counters[_FULL]:
            _enqueue(v, waiting, queue, counters)


@kernel(by="single")
def _undo_folds(log, first, beyond, in_set):
    """Decide the folded vertices of a range of the log, the last fold first."""
    for i in range(beyond - 1, first - 1, -1):
        merged = in_set[at(log[at(i), 2])]
        for k in range(5):
            u = log[at(i), k]
            if u >= 0:
                in_set[at(u)] = merged if k >= 2 else not merged


class Kernelization:
    """What the rules leave of a graph (`indptr`, `indices`, rows in no order), and the way back."""

    def __init__(self, indptr: Any, indices: Any) -> None:
        """From rows without loops and repetitions."""
        n, id_type = indptr.size - 1, indices.dtype
        nodes = np.zeros((n, 4), indptr.dtype)
        nodes[:, FIRST] = indptr[:-1]
        nodes[:, DEGREE] = nodes[:, LENGTH] = indptr[1:] - indptr[:-1]
        rows = np.concatenate([indices, np.empty_like(indices)])
        counters = np.zeros(6, np.int64)
        counters[_ROWS_END] = indices.size
        counters[_TAIL] = n
        queue = np.zeros(n + 1, id_type)
        queue[:n] = np.arange(n)
        waiting = np.ones(n, bool)
        met, times = np.empty(n, id_type), np.empty(n, id_type)
        self._log = np.empty((n // 2 + 1, 5), id_type)
        while counters[_HEAD] != counters[_TAIL]:
            _apply_rules(_STEP, nodes, rows, met, times, waiting, queue, self._log, counters)
            if counters[_FULL]:
                rows = np.concatenate([rows, np.empty_like(rows)])
                counters[_FULL] = 0
            if counters[_SEARCHES] > _MOST_SEARCHES:
                nodes[:, STAMP] = counters[_SEARCHES] = 0
        self._folds = int(counters[_LOGGED])
        self._in_set = nodes[:, DEGREE] == IN
        self.vertices = compact(nodes[:, DEGREE] > 0)
        first = nodes[:, FIRST].copy()
        self.indptr, self.indices = rows_among(self.vertices, first, first + nodes[:, LENGTH], rows)

    def lift(self, mask: Any) -> Any:
        """An independent set of the whole graph from one of the kernel."""
        in_set = self._in_set.copy()
        in_set[self.vertices] = mask
        for first, beyond in reversed(list(in_steps(self._folds))):
            _undo_folds(self._log, first, beyond, in_set)
        return in_set
