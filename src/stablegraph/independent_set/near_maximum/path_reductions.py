"""Exact reductions for vertices with at most two remaining neighbors; the last ones reduce whole paths and cycles.

Result: a smaller graph, from whose maximum independent sets those of the whole graph follow (reducing_peeling.py).

Rule: by the number of remaining neighbors of a vertex:

- None: the vertex joins the set.
- One: the vertex joins, and its neighbor leaves the graph. (In any set that contains the neighbor, the vertex can
  replace it.)
- Two: vertices with two neighbors form paths and cycles. One vertex of a cycle leaves, no matter which. A path ends at
  two vertices L and R that have more neighbors:

  ==================  ====================  ===================================================  ========
  length of the path  L and R are adjacent  L and R are not adjacent                             L = R
  ==================  ====================  ===================================================  ========
  odd                 L and R leave         the path leaves, except for its first vertex, which  L leaves
                                            becomes adjacent to L and R
  even                the path leaves       the path leaves, and L and R become adjacent         L leaves
  ==================  ====================  ===================================================  ========

  Half of the vertices that left a path can join, regardless of the rest of the set. They are recorded in a log and
  decided at the end, in reverse.

In the code: `reduce_queued` and `_reduce_path`.

State: a table row of four numbers per vertex, so that an access costs one cache line::

    DEGREE   the number of remaining neighbors; 0: in the set; negative: gone
    LINK     the exclusive-or of the remaining neighbors. If there is one, LINK is that neighbor. A walk along a path
             computes the next vertex from LINK and the previous vertex, without searching rows.
    START, END   the range of its row in `rows`, a copy of the graph's indices. Neighbors that left stay in rows, and
             the end of a path gets its new neighbor at the place of the old one, so rows never grow.

Cost: O(m) for the rules without paths (each edge is removed once). Each path adds the length walked and the rows of its
ends, which are searched.

Source: L. Chang, W. Li, W. Zhang, "Computing a Near-Maximum Independent Set in Linear Time by Reducing-Peeling", SIGMOD
2017. The exclusive-or links were added in this implementation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core.runtime import prefetch, rule

DEGREE, LINK, START, END = range(4)
GONE = -(1 << 30)  # or slightly less, because neighbors that leave later are still subtracted
QUEUE_HEAD, QUEUE_TAIL, LOGGED, PEELED, LEVEL = range(5)  # places in `counters`
_LONG = 1 << 13  # entries; longer rows are not searched for one-vertex paths: there may be millions between two hubs


class WorkGraph(NamedTuple):
    """A graph that is being reduced."""

    table: Any  # (n, 4): a row for each vertex; see State above
    rows: Any  # the neighbors of all vertices
    queue: Any  # the vertices whose number of neighbors has fallen to one or two
    log: Any  # (n, 3): a vertex that left a path, and its neighbors on both sides
    counters: Any  # (5,): QUEUE_HEAD .. LEVEL


@rule
def _lose(v, neighbor, table, queue, tail):
    """Remove one neighbor from v; queue v if one or two remain. No branches: most vertices met here have left."""
    degree = table[v, DEGREE] - 1
    table[v, DEGREE] = degree
    table[v, LINK] ^= neighbor
    queue[tail] = v
    return tail + int((degree == 1) | (degree == 2))


@rule
def leave(v, work):
    """Remove a vertex from the graph."""
    table, rows = work.table, work.rows
    table[v, DEGREE] = GONE
    tail = first_new = work.counters[QUEUE_TAIL]
    for e in range(table[v, START], table[v, END]):
        tail = _lose(rows[e], v, table, work.queue, tail)
    for i in range(first_new, tail):
        u = work.queue[i]
        prefetch(rows, table[u, START])
        prefetch(table, table[u, LINK])
    work.counters[QUEUE_TAIL] = tail


@rule
def _any_neighbor(v, table, rows):
    """Return one of the remaining neighbors."""
    e = table[v, START]
    while table[rows[e], DEGREE] <= 0:
        e += 1
    return rows[e]


@rule
def _row_length(v, table):
    """Return the number of entries in v's row, including vertices that left."""
    return table[v, END] - table[v, START]


@rule
def _are_adjacent(u, v, table, rows):
    """Return whether u and v are adjacent, by searching the shorter of their rows."""
    if _row_length(u, table) > _row_length(v, table):
        u, v = v, u
    e, end = table[u, START], table[u, END]
    while e < end and rows[e] != v:
        e += 1
    return e < end


@rule
def _replace(v, old, new, table, rows):
    """Replace a neighbor of v by a new one."""
    table[v, LINK] ^= old ^ new
    e = table[v, START]
    while rows[e] != old:
        e += 1
    rows[e] = new


@rule
def _next_on_path(previous, v, table):
    """Return the neighbor of v that is not `previous`, if v has two neighbors."""
    return table[v, LINK] ^ previous


@rule
def _last_on_path(v, towards, table):
    """Walk from v while vertices have two neighbors; return the last such vertex, and the vertex after it."""
    last, end = v, towards
    while table[end, DEGREE] == 2 and end != v:
        last, end = end, _next_on_path(last, end, table)
    return last, end


@rule
def _unravel(end, work):
    """Reduce the whole path that ends at a vertex of degree 1; otherwise each queued vertex would walk it again."""
    table = work.table
    while table[end, DEGREE] == 1:
        v = following = table[end, LINK]
        if table[v, DEGREE] == 2:
            following = _next_on_path(end, v, table)
        leave(v, work)
        end = following


@rule(inline=False)
def _reduce_path(v, work):
    """Apply the rules for v's cycle, or for v's path, which runs from p to q between `left` (L) and `right` (R)."""
    table, rows, log, counters = work.table, work.rows, work.log, work.counters
    neighbor = _any_neighbor(v, table, rows)
    p, left = _last_on_path(v, neighbor, table)
    if left == v:  # a cycle: any vertex leaves
        leave(v, work)
        return
    q, right = _last_on_path(v, _next_on_path(neighbor, v, table), table)
    if left == right:  # L and R are one: it leaves
        leave(left, work)
        return
    # L or R has no other neighbor: reduce the path from that end.
    if table[left, DEGREE] == 1 or table[right, DEGREE] == 1:
        _unravel(left, work)
        _unravel(right, work)
        return
    if p == q and min(_row_length(left, table), _row_length(right, table)) > _LONG:
        return  # the path of one vertex stays until one of its neighbors leaves
    # Is the length odd, and are L and R adjacent?
    odd = 1
    last, u = left, p
    while u != q:
        last, u = u, _next_on_path(last, u, table)
        odd ^= 1
    adjacent = _are_adjacent(left, right, table, rows)
    if odd and adjacent:  # both leave
        leave(left, work)
        leave(right, work)
        return
    if p == q:
        return
    # The path leaves, except for its first vertex, p, if the length is odd. It is logged, to be decided at the end.
    logged = counters[LOGGED]
    last, u = right, q
    while u != left and not (odd and u == p):
        following = _next_on_path(last, u, table)
        log[logged, 0], log[logged, 1], log[logged, 2] = u, last, following
        logged += 1
        table[u, DEGREE] = GONE
        last, u = u, following
    counters[LOGGED] = logged
    # Odd: connect p with L and R. Even: connect L and R; if they were adjacent before, each has lost a neighbor.
    if odd:
        _replace(p, last, right, table, rows)
        _replace(right, q, p, table, rows)
    elif adjacent:
        tail = _lose(left, p, table, work.queue, counters[QUEUE_TAIL])
        counters[QUEUE_TAIL] = _lose(right, q, table, work.queue, tail)
    else:
        _replace(left, p, right, table, rows)
        _replace(right, q, left, table, rows)


@rule
def reduce_queued(limit, work):
    """Apply the exact rules to at most `limit` vertices of the queue."""
    table, counters = work.table, work.counters
    head = counters[QUEUE_HEAD]
    stop = head + limit
    while head < min(counters[QUEUE_TAIL], stop):
        v = work.queue[head]
        head += 1
        degree = table[v, DEGREE]
        if degree == 1:
            leave(table[v, LINK], work)
        elif degree == 2:
            _reduce_path(v, work)
    if head == counters[QUEUE_TAIL]:
        head = counters[QUEUE_TAIL] = 0
    counters[QUEUE_HEAD] = head
