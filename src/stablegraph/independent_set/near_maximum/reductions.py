"""Exact reductions of a graph: rules that remove vertices, and keep a maximum independent set within reach.

Result: a smaller graph, from whose maximum independent sets those of the whole graph follow (kernelization.py).

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

In the code: `apply_first_rule`.

State: a row of four numbers per vertex::

    DEGREE    the number of remaining neighbors, or one of IN, GONE
    FIRST, LENGTH   its row in `rows`; neighbors that left are dropped when the row is read
    STAMP     the number of the last search that met the vertex

Cost: a rule reads the rows of v and of its neighbors, the last one also rows around them.

Source: the rules as in T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case Study of
Vertex Cover", Theoretical Computer Science 609, 2016; M. Xiao, H. Nagamochi, "Confining Sets and Avoiding Bottleneck
Cases: A Simple Maximum Independent Set Algorithm in Degree-3 Graphs", Theoretical Computer Science 469, 2013.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core.runtime import prefetch, rule

DEGREE, FIRST, LENGTH, STAMP = range(4)
IN, GONE = -1, -2
HEAD, TAIL, LOGGED, SEARCHES, ROWS_END, FULL, REFUSED = range(7)  # places in `counters`
_BUSY = 64  # neighbors; a vertex with more is not tried again when it loses one
_DOMINATING = 4  # the maximum number of neighbors for trying domination; with more it hardly ever applies
_CONFINING = 16  # the maximum number of vertices that join S in the last rule


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
        work.counters[REFUSED] = 1
    return allowed


@rule
def may_be_tried(v, work):
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
def enqueue(v, work):
    """Append v to the ring of vertices to try, unless it is already waiting."""
    if not work.waiting[v]:
        work.waiting[v] = True
        tail = work.counters[TAIL]
        work.queue[tail] = v
        work.counters[TAIL] = tail + 1 if tail + 1 < work.queue.size else 0


@rule
def _lose_neighbor(v, work):
    """Remove one neighbor from v, unless v has left; v waits to be tried again if few neighbors remain."""
    table = work.table
    degree = table[v, DEGREE] - 1
    if degree >= 0:
        table[v, DEGREE] = degree
        if degree <= _BUSY:
            enqueue(v, work)


@rule(inline=False)
def leave(v, work):
    """Remove v from the graph."""
    work.table[v, DEGREE] = GONE
    start, end = _row_of(v, work.table)
    for e in range(start, end):
        _lose_neighbor(work.rows[e], work)


@rule(inline=False)
def put_in_set(v, work):
    """Put v into the set, and remove its neighbors."""
    work.table[v, DEGREE] = IN
    start, end = _row_of(v, work.table)
    for e in range(start, end):
        u = work.rows[e]
        if work.table[u, DEGREE] >= 0:
            leave(u, work)


@rule(inline=False)
def tidy(v, table, rows):
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
def stamp_row(v, table, rows, counters):
    """Begin a new search by stamping v and its neighbors, and return the number of the search."""
    search = counters[SEARCHES] + 1
    counters[SEARCHES] = search
    start, end = tidy(v, table, rows)
    table[v, STAMP] = search
    for e in range(start, end):
        table[rows[e], STAMP] = search
    return search


@rule
def _are_adjacent(u, v, table, rows):
    """Return whether u and v are adjacent, by searching the shorter of their rows."""
    if table[u, LENGTH] > table[v, LENGTH]:
        u, v = v, u
    e, end = tidy(u, table, rows)
    while e < end and rows[e] != v:
        e += 1
    return e < end


@rule
def room_for(a, table):
    """Return how many entries a's row may add to the row of a folded vertex; 0 if a is -1."""
    return table[a, LENGTH] if a >= 0 else 0


@rule
def append_row(a, new, search, work):
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
        rows[work.counters[ROWS_END]] = u
        work.counters[ROWS_END] += 1
        if a != new:
            place = table[u, FIRST]
            while rows[place] != a:
                place += 1
            rows[place] = new
        enqueue(u, work)


@rule(inline=False)
def _fold(v, twin, a, b, c, work):
    """Merge the neighbors of v into one vertex, a. `twin` and `c` are -1 if there are none."""
    table, log, counters = work.table, work.log, work.counters
    # Check the room for a's new row. If it is too small, the host enlarges `rows` and v is tried again.
    needed = room_for(a, table) + room_for(b, table) + room_for(c, table)
    if counters[ROWS_END] + needed > work.rows.size:
        counters[FULL] = 1
        return
    # Log the fold, and remove all its vertices except for a.
    logged = counters[LOGGED]
    log[logged, 0], log[logged, 1] = v, twin
    log[logged, 2], log[logged, 3], log[logged, 4] = a, b, c
    counters[LOGGED] = logged + 1
    for k in range(5):
        u = log[logged, k]
        if u >= 0 and u != a:
            table[u, DEGREE] = GONE
    # Write a's new row: the neighbors of all merged vertices, each once.
    search = counters[SEARCHES] + 1
    counters[SEARCHES] = search
    begin = counters[ROWS_END]
    for k in range(2, 5):
        u = log[logged, k]
        if u >= 0:
            append_row(u, a, search, work)
    table[a, FIRST] = begin
    table[a, LENGTH] = table[a, DEGREE] = counters[ROWS_END] - begin
    enqueue(a, work)


@rule(inline=False)
def _remove_dominated(v, work, met):
    """Remove a neighbor of v that is adjacent to all other neighbors of v; return whether there was one."""
    table, rows = work.table, work.rows
    start, end = _row_of(v, table)
    smallest = rows[start]
    for e in range(start + 1, end):
        if table[rows[e], DEGREE] < table[smallest, DEGREE]:
            smallest = rows[e]
    # Candidates: only the neighbor of smallest degree or vertices adjacent to it, with enough neighbors, can qualify.
    search = stamp_row(smallest, table, rows, work.counters)
    candidates = 0
    for e in range(start, end):
        a = rows[e]
        if table[a, STAMP] == search and table[a, DEGREE] >= end - start:
            met[candidates] = a
            candidates += 1
    # Remove the first candidate that is adjacent to all other vertices in v's row.
    for i in range(candidates):
        a = met[i]
        search = stamp_row(a, table, rows, work.counters)
        e = start
        while e < end and table[rows[e], STAMP] == search:
            e += 1
        if e == end:
            leave(a, work)
            return True
    return False


@rule(inline=False)
def _merge_twin(v, work):
    """Try the rule of twins on v, which has three neighbors; return whether it applied."""
    table, rows = work.table, work.rows
    start = table[v, FIRST]
    a, b, c = rows[start], rows[start + 1], rows[start + 2]
    of_a, end_of_a = tidy(a, table, rows)
    for e in range(of_a, end_of_a):
        w = rows[e]
        if w == v or table[w, DEGREE] != 3 or not _may_touch(w, work):
            continue
        of_w, _ = tidy(w, table, rows)
        same = 0
        for k in range(of_w, of_w + 3):
            u = rows[k]
            same += int((u == a) | (u == b) | (u == c))
        if same == 3:
            adjacent = _are_adjacent(a, b, table, rows) or _are_adjacent(a, c, table, rows)
            if adjacent or _are_adjacent(b, c, table, rows):
                put_in_set(v, work)  # w joins when it is tried
            else:
                _fold(v, w, a, b, c, work)
            return True
    return False


@rule(inline=False)
def _is_unconfined(v, work, met, times):
    """Return whether v is unconfined. `met`: the vertices adjacent to S; `times`: to how many members of S."""
    table, rows = work.table, work.rows
    # S = {v}: each neighbor is adjacent to one member of S.
    search = stamp_row(v, table, rows, work.counters)
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
        start, end = tidy(joins, table, rows)
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
def apply_first_rule(v, work, met, times):
    """Apply the first rule that fits v."""
    table, rows = work.table, work.rows
    start, end = tidy(v, table, rows)
    for e in range(start, end):
        prefetch(rows, table[rows[e], FIRST])
    degree = end - start
    if degree <= 1:  # few neighbors
        put_in_set(v, work)
    elif degree == 2:  # few neighbors, or a fold
        a, b = rows[start], rows[start + 1]
        if _are_adjacent(a, b, table, rows):
            put_in_set(v, work)
        else:
            _fold(v, -1, a, b, -1, work)
    elif degree <= _DOMINATING and _remove_dominated(v, work, met):
        pass  # domination: v has lost a neighbor, so it waits to be tried again
    elif degree == 3 and _merge_twin(v, work):
        pass  # twins
    elif _is_unconfined(v, work, met, times):
        leave(v, work)
