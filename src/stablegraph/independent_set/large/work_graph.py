"""A graph that is being reduced: its state, and the operations that the exact rules share.

Result: a smaller graph, from whose best independent sets (the largest ones, or with weights the heaviest ones) those of
the whole graph follow (kernelization.py).

Rule: these operations serve graphs with and without weights; without, all weights w are 1.

- *put_in_set*, *leave*: v joins the set, and its neighbors leave the graph; v leaves the graph.
- *fold*: the neighbors of v, which are independent, become one vertex with the neighbors of all of them. In the end, if
  the merged vertex is in the set, all of them are in; otherwise v is in.
- *is_unconfined*: v can leave if some best set does not contain v. Assume that all best sets I contain v, and collect a
  set S of vertices that all of them contain. Start with S = {v}. For a neighbor u of S let d = w(u) - w(N(u) & S), and
  R the neighbors of u that are neither in S nor adjacent to S. Replacing the neighbors of u in I by u makes I worse, so
  I contains more than d of the weight of R:

      w(R) <= d             =>  the assumption is wrong: v is unconfined
      w(R) - w(x) <= d      =>  x, the heaviest vertex of R, is in I, and joins S

State: a row of four numbers per vertex::

    DEGREE    the number of remaining neighbors, or one of IN, GONE
    FIRST, LENGTH   its row in `rows`; neighbors that left are dropped when the row is read
    STAMP     the number of the last search that met the vertex

The log has a row for each removed vertex that is decided in the end: the vertex, the rule (FOLD, CLIQUE or TWIN), and
the partner of a twin. A removed vertex keeps its row.

Cost: an operation reads the rows of v and of its neighbors; is_unconfined the rows of at most 16 vertices of S, and of
all their neighbors.

Source: M. Xiao, H. Nagamochi, "Confining Sets and Avoiding Bottleneck Cases: A Simple Maximum Independent Set Algorithm
in Degree-3 Graphs", Theoretical Computer Science 469, 2013; M. Xiao, S. Huang, Y. Zhou, B. Ding, "Efficient Reductions
and a Fast Algorithm of Maximum Weighted Independent Set", WWW 2021. The second line of is_unconfined extends its
condition that R has one vertex.
"""

from __future__ import annotations

from typing import NamedTuple

from ..._core.runtime import Bools, Int64s, OffsetTable, VertexTable, Vertices, rule

DEGREE, FIRST, LENGTH, STAMP = range(4)
IN, GONE = -1, -2
HEAD, TAIL, LOGGED, SEARCHES, ROWS_END, FULL, REFUSED = range(7)  # places in `counters`
CLIQUE, FOLD, TWIN = range(3)  # kinds of rows of the log
VERTEX, KIND, PARTNER = range(3)  # columns of the log
BUSY = 64  # neighbors; a vertex with more is not tried again when it loses one
_MAX_CONFINING = 16  # the maximum number of vertices that join S
_MAX_READ = 1 << 12  # entries; with weights, a test that reads more ends, or hubs would take all the time


class WorkGraph(NamedTuple):
    """A graph that is being reduced, and the vertices on which rules are to be tried."""

    table: OffsetTable  # (n, 4): a row for each vertex; see State above
    rows: Vertices  # the neighbors of all vertices, and room for the rows of folded ones
    waiting: Bools  # (n,): whether a vertex waits to be tried
    queue: Vertices  # (n + 1,): a ring of the vertices to try
    log: VertexTable  # (n, 3): removed vertices that are decided in the end; see State above
    counters: Int64s  # see above
    weights: Int64s  # (n,): the current weights; or empty: all are 1


class Scratch(NamedTuple):
    """Memory for the rules, and the vertices to which they are limited."""

    met: Vertices  # (n,): vertices around v
    sums: Int64s  # (n,): the weight of the neighbors in S
    masks: Int64s  # adjacency within N(v), one bit per neighbor
    listed: Int64s  # the weight of each subset of N(v); -1 if it is not independent
    inner: Bools  # (n,): whether all neighbors of a vertex are in its window; empty without windows


@rule
def may_touch(v, work, scratch):
    """Return whether v is inner or there are no windows; if not, record the refusal."""
    allowed = scratch.inner.size == 0 or scratch.inner[v]
    if not allowed:
        work.counters[REFUSED] = 1
    return allowed


@rule
def row_of(v, table):
    """Return the range of v's row."""
    return table[v, FIRST], table[v, FIRST] + table[v, LENGTH]


@rule
def weight_of(v, work):
    """Return the current weight of v."""
    return work.weights[v] if work.weights.size else 1


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
        if degree <= BUSY:
            enqueue(v, work)


@rule(inline=False)
def leave(v, work):
    """Remove v from the graph."""
    work.table[v, DEGREE] = GONE
    start, end = row_of(v, work.table)
    for e in range(start, end):
        _lose_neighbor(work.rows[e], work)


@rule(inline=False)
def put_in_set(v, work):
    """Put v into the set, and remove its neighbors."""
    work.table[v, DEGREE] = IN
    start, end = row_of(v, work.table)
    for e in range(start, end):
        u = work.rows[e]
        if work.table[u, DEGREE] >= 0:
            leave(u, work)


@rule(inline=False)
def tidy(v, table, rows):
    """Drop the neighbors that left from v's row, and return the beginning and the end of the row."""
    start, end = row_of(v, table)
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
def log_removal(v, kind, partner, work):
    """Append a row to the log."""
    logged = work.counters[LOGGED]
    work.log[logged, VERTEX], work.log[logged, KIND], work.log[logged, PARTNER] = v, kind, partner
    work.counters[LOGGED] = logged + 1


@rule
def has_room(v, work):
    """Return whether there is room to fold v; if not, the host enlarges `rows`, and v is tried again."""
    start, end = row_of(v, work.table)
    needed = work.counters[ROWS_END]
    for e in range(start, end):
        needed += work.table[work.rows[e], LENGTH]
    if needed > work.rows.size:
        work.counters[FULL] = 1
    return needed <= work.rows.size


@rule
def _append_row(a, new, search, work):
    """Append a's neighbors that were not met before to the last row, and make them neighbors of `new` instead of a."""
    table, rows = work.table, work.rows
    start, end = row_of(a, table)
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
def fold(v, work):
    """Merge the neighbors of v, which are independent, into the first of them, and return it. There must be room."""
    table, rows, counters = work.table, work.rows, work.counters
    start, end = tidy(v, table, rows)
    log_removal(v, FOLD, v, work)
    table[v, DEGREE] = GONE
    a = rows[start]
    for e in range(start + 1, end):
        table[rows[e], DEGREE] = GONE
    # Write a's new row: the neighbors of all merged vertices, each once.
    search = counters[SEARCHES] + 1
    counters[SEARCHES] = search
    begin = counters[ROWS_END]
    for e in range(start, end):
        _append_row(rows[e], a, search, work)
    table[a, FIRST] = begin
    table[a, LENGTH] = table[a, DEGREE] = counters[ROWS_END] - begin
    enqueue(a, work)
    return a


@rule(inline=False)
def is_unconfined(v, work, scratch):
    """Return whether v is unconfined. `met`: the vertices adjacent to S; `sums`: the weights of their members of S."""
    table, rows, met, sums = work.table, work.rows, scratch.met, scratch.sums
    search = stamp_row(v, table, rows, work.counters)
    count = read = 0
    start, end = row_of(v, table)
    for e in range(start, end):
        u = rows[e]
        met[count] = u
        sums[u] = weight_of(v, work)
        count += 1
    for _ in range(_MAX_CONFINING):
        joins = -1
        for i in range(count):
            u = met[i]
            spare = weight_of(u, work) - sums[u]
            if spare < 0 or (read > _MAX_READ and work.weights.size) or not may_touch(u, work, scratch):
                continue
            # Add up R, except for its heaviest vertex.
            others, heaviest, x = 0, 0, -1
            e, end = row_of(u, table)
            while e < end and others <= spare:
                y = rows[e]
                if table[y, STAMP] != search and table[y, DEGREE] >= 0:
                    weight = weight_of(y, work)
                    if weight > heaviest:
                        others += heaviest
                        heaviest, x = weight, y
                    else:
                        others += weight
                e += 1
                read += 1
            if others + heaviest <= spare:
                return True
            if others <= spare and may_touch(x, work, scratch):
                joins = x
        if joins < 0:
            return False
        # `joins` becomes a member of S.
        table[joins, STAMP] = search
        start, end = tidy(joins, table, rows)
        for e in range(start, end):
            u = rows[e]
            if table[u, STAMP] == search:
                sums[u] += weight_of(joins, work)
            else:
                table[u, STAMP] = search
                sums[u] = weight_of(joins, work)
                met[count] = u
                count += 1
    return False
