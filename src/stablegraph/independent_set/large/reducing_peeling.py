"""Reducing-peeling: a graph is reduced by exact rules and, if none applies, by removing a vertex of largest degree.

Result: an independent set, mostly within 1 % of a maximum one, and a bound on the difference: exact rules lose nothing,
and removing ("peeling") a vertex makes the largest set smaller by at most 1. If no vertex was peeled, the set is a
maximum independent set.

Rule: if no exact rule applies, peel a vertex with the most remaining neighbors. The exact rules, by the number of
remaining neighbors of a vertex; the last ones reduce whole paths and cycles:

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

In the code: `_reduce_queued`, `_reduce_path` and `_peel`.

State: a table row of four numbers per vertex, so that an access costs one cache line::

    DEGREE   the number of remaining neighbors; 0: in the set; negative: gone
    LINK     the exclusive-or of the remaining neighbors. If there is one, LINK is that neighbor. A walk along a path
             computes the next vertex from LINK and the previous vertex, without searching rows.
    START, END   the range of its row in `rows`, a copy of the graph's indices. Neighbors that left stay in rows, and
             the end of a path gets its new neighbor at the place of the old one, so rows never grow.

Vertices whose number of neighbors falls to one or two wait in a queue; each enters it at most twice. For peeling,
vertices are in linked lists by degree. A vertex whose degree has decreased is moved to the list of its current degree
only when it is reached.

Cost: O(m) for the rules without paths (each edge is removed once) and for peeling, on one thread. Each path adds the
length walked and the rows of its ends, which are searched. Work memory: 48 bytes per vertex and 4 per entry (twice that
for 64-bit ids or entries).

Source: L. Chang, W. Li, W. Zhang, "Computing a Near-Maximum Independent Set in Linear Time by Reducing-Peeling", SIGMOD
2017. The exclusive-or links and the queue that allows prefetching were added in this implementation.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import Bools, Int64s, OffsetTable, Rows, VertexTable, Vertices, chunked, kernel, prefetch, rule
from ..._core.runtime.primitives import compact

DEGREE, LINK, START, END = range(4)
GONE = -(1 << 30)  # or slightly less, because neighbors that leave later are still subtracted
QUEUE_HEAD, QUEUE_TAIL, LOGGED, PEELED, LEVEL = range(5)  # places in `counters`
_LONG = 1 << 13  # entries; longer rows are not searched for one-vertex paths: there may be millions between two hubs
_VERTICES_PER_CALL = 1 << 20  # most need little time; bounds the latency of Ctrl-C


class PathGraph(NamedTuple):
    """A graph that is being reduced."""

    table: OffsetTable  # (n, 4): a row for each vertex; see State above
    rows: Vertices  # the neighbors of all vertices
    queue: Vertices  # the vertices whose number of neighbors has fallen to one or two
    log: VertexTable  # (n, 3): a vertex that left a path, and its neighbors on both sides
    counters: Int64s  # (5,): QUEUE_HEAD .. LEVEL


@rule
def _lose(v, neighbor, table, queue, tail):
    """Remove one neighbor from v; queue v if one or two remain. No branches: most vertices met here have left."""
    degree = table[v, DEGREE] - 1
    table[v, DEGREE] = degree
    table[v, LINK] ^= neighbor
    queue[tail] = v
    return tail + int((degree == 1) | (degree == 2))


@rule
def _leave(v, work):
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
def _have_edge(u, v, table, rows):
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
        _leave(v, work)
        end = following


@rule(inline=False)
def _reduce_path(v, work):
    """Apply the rules for v's cycle, or for v's path, which runs from p to q between `left` (L) and `right` (R)."""
    table, rows, log, counters = work.table, work.rows, work.log, work.counters
    neighbor = _any_neighbor(v, table, rows)
    p, left = _last_on_path(v, neighbor, table)
    if left == v:  # a cycle: any vertex leaves
        _leave(v, work)
        return
    q, right = _last_on_path(v, _next_on_path(neighbor, v, table), table)
    if left == right:  # L and R are one: it leaves
        _leave(left, work)
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
    adjacent = _have_edge(left, right, table, rows)
    if odd and adjacent:  # both leave
        _leave(left, work)
        _leave(right, work)
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
def _reduce_queued(limit, work):
    """Apply the exact rules to at most `limit` vertices of the queue."""
    table, counters = work.table, work.counters
    head = counters[QUEUE_HEAD]
    stop = head + limit
    while head < min(counters[QUEUE_TAIL], stop):
        v = work.queue[head]
        head += 1
        degree = table[v, DEGREE]
        if degree == 1:
            _leave(table[v, LINK], work)
        elif degree == 2:
            _reduce_path(v, work)
    if head == counters[QUEUE_TAIL]:
        head = counters[QUEUE_TAIL] = 0
    counters[QUEUE_HEAD] = head


@kernel(by="edges")
def _copy_row(v, original: Rows, rows: Vertices, table: OffsetTable):
    """Copy a row without loops, and fill the vertex's row of the table."""
    start = end = original.indptr[v]
    link = 0
    for e in range(start, original.indptr[v + 1]):
        u = original.indices[e]
        if u != v:
            rows[end] = u
            end += 1
            link ^= u
    table[v, DEGREE], table[v, LINK] = end - start, link
    table[v, START], table[v, END] = start, end


@kernel
def _mark_degrees(v, low: int, high: int, table: VertexTable, marks: Bools):
    """Mark v if its degree is between `low` and `high`, inclusive."""
    marks[v] = low <= table[v, DEGREE] <= high


@kernel
def _copy_bounds(i, vertices: Int64s, table: VertexTable, starts: Vertices, ends: Vertices):
    """Copy the bounds of the row of the i-th of some vertices."""
    v = vertices[i]
    starts[v] = table[v, START]
    ends[v] = table[v, END]


@kernel
def _decide(i, vertices: Int64s, mask: Bools, table: VertexTable):
    """Put the i-th of some vertices into the set or out of it."""
    table[vertices[i], DEGREE] = 0 if mask[i] else GONE


@kernel(by="single")
def _reduce(limit: int, work: PathGraph):
    """Apply the exact rules to at most `limit` vertices of the queue."""
    _reduce_queued(limit, work)


@kernel(by="single")
def _include(vertices: Vertices, work: PathGraph):
    """Put vertices into the set by removing their neighbors."""
    table = work.table
    for i in range(vertices.size):
        v = vertices[i]
        for e in range(table[v, START], table[v, END]):
            u = work.rows[e]
            if table[u, DEGREE] > 0:
                _leave(u, work)


@kernel(by="single")
def _sort_by_degree(table: OffsetTable, of_degree: Vertices, next_of_degree: Vertices, counters: Int64s):
    """Build linked lists of the vertices by degree: the first vertex of each degree, and the next after each vertex."""
    highest = 0
    for v in range(table.shape[0] - 1, -1, -1):
        degree = table[v, DEGREE]
        if degree > 0:
            next_of_degree[v] = of_degree[degree]
            of_degree[degree] = v
            highest = max(highest, degree)
    counters[LEVEL] = highest


@kernel(by="single")
def _peel(limit: int, work: PathGraph, of_degree: Vertices, next_of_degree: Vertices):
    """Peel at most `limit` vertices, and apply the exact rules after each."""
    table, counters = work.table, work.counters
    level = counters[LEVEL]
    stop = counters[PEELED] + limit
    while level > 2 and counters[PEELED] < stop:
        v = of_degree[level]
        if v < 0:
            level -= 1
            continue
        following = next_of_degree[v]
        of_degree[level] = following
        if following >= 0:  # its cache line was prefetched in the previous step
            prefetch(work.rows, table[following, START])
            second = next_of_degree[following]
            prefetch(table, second)
            prefetch(next_of_degree, second)
        degree = table[v, DEGREE]
        if degree == level:
            counters[PEELED] += 1
            _leave(v, work)
            _reduce_queued(table.shape[0] * 2, work)
        elif degree > 2:
            next_of_degree[v] = of_degree[degree]
            of_degree[degree] = v
    counters[LEVEL] = level


@kernel(by="single")
def _decide_paths(log: VertexTable, start: int, end: int, table: OffsetTable):
    """Decide the vertices in a range of the log of paths, in reverse."""
    for i in range(end - 1, start - 1, -1):
        before, after = table[log[i, 1], DEGREE], table[log[i, 2], DEGREE]
        table[log[i, 0], DEGREE] = 0 if before != 0 and after != 0 else GONE


class ShrinkingGraph:
    """A graph that is reduced step by step, and the resulting independent set."""

    def __init__(self, indptr: Any, indices: Any) -> None:
        """Initialize from rows without repeated entries; loops are dropped."""
        n = indptr.size - 1
        rows, table = np.empty_like(indices), np.empty((n, 4), indptr.dtype)
        _copy_row(n, Rows(indptr, indices), rows, table)
        queue, log = np.empty(2 * n + 1, indices.dtype), np.empty((n, 3), indices.dtype)
        self._work = PathGraph(table, rows, queue, log, np.zeros(5, np.int64))
        self._counters = self._work.counters
        waiting = compact(self._with_degrees(1, 2))
        queue[: waiting.size] = waiting
        self._counters[QUEUE_TAIL] = waiting.size

    def _with_degrees(self, low: int, high: int) -> Any:
        """Return the mask, bool (n,), of vertices with `low` to `high` remaining neighbors (0: in the set)."""
        table = self._work.table
        marks = np.empty(table.shape[0], bool)
        _mark_degrees(marks.size, low, high, table, marks)
        return marks

    @property
    def remaining(self) -> Any:
        """Return the vertices that are neither in the set nor gone."""
        return compact(self._with_degrees(1, self._work.table.shape[0]))

    @property
    def peeled(self) -> int:
        """Return the number of peeled vertices; a maximum set is larger by at most this number."""
        return int(self._counters[PEELED])

    @property
    def settled(self) -> int:
        """Return the size of the set without the remaining vertices; it includes half of the logged path vertices."""
        return int(np.count_nonzero(self._with_degrees(0, 0))) + int(self._counters[LOGGED]) // 2

    def include(self, vertices: Any) -> None:
        """Put pairwise nonadjacent vertices into the set; their neighbors leave."""
        _include(vertices, self._work)

    def reduce(self) -> None:
        """Apply the exact rules until none applies."""
        while self._counters[QUEUE_TAIL]:
            _reduce(_VERTICES_PER_CALL, self._work)

    def peel(self) -> None:
        """Reduce the remaining graph by peeling and exact rules until no vertex remains."""
        self.reduce()
        table, id_type = self._work.table, self._work.rows.dtype
        highest = int(table[:, DEGREE].max(initial=0))
        of_degree, next_of_degree = np.full(highest + 1, -1, id_type), np.empty(table.shape[0], id_type)
        _sort_by_degree(table, of_degree, next_of_degree, self._counters)
        while self._counters[LEVEL] > 2:
            _peel(_VERTICES_PER_CALL, self._work, of_degree, next_of_degree)

    def extract(self, vertices: Any) -> tuple[Any, Any]:
        """Return the rows (indptr, indices) of the remaining graph on some vertices that have no other neighbors.

        The vertices get new ids, in their order; the rows may be unsorted. Afterwards this graph cannot be reduced
        further: all memory is freed except for the column of degrees and the log, which are needed to decide vertices.
        """
        table, rows, _, log, counters = self._work
        starts, ends = np.empty(table.shape[0], table.dtype), np.empty(table.shape[0], table.dtype)
        _copy_bounds(vertices.size, vertices, table, starts, ends)
        degrees, logged, no_rows = table[:, DEGREE : DEGREE + 1].copy(), log[: counters[LOGGED]].copy(), rows[:0].copy()
        del table, log  # before more memory is allocated
        self._work = PathGraph(degrees, no_rows, no_rows, logged, counters)
        return induced_rows(vertices, starts, ends, rows)

    def decide(self, vertices: Any, mask: Any) -> None:
        """Decide which of some vertices (without other neighbors) are in the set; all of them leave the graph."""
        _decide(vertices.size, vertices, mask, self._work.table)

    def result(self) -> Any:
        """Return the mask of the set, bool (n,), once no vertex remains; not always maximal if vertices were peeled."""
        for start, end in reversed(list(chunked(int(self._counters[LOGGED])))):
            _decide_paths(self._work.log, start, end, self._work.table)
        self._counters[LOGGED] = 0
        return self._with_degrees(0, 0)
