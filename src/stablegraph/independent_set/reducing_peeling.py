"""Reducing-peeling: a graph is taken apart by exact rules, and where none applies, by removing its busiest vertex.

Result: an independent set, mostly within 1 % of a maximum one, and a proof of how far from it it can be: the exact
rules lose nothing, and removing ("peeling") a vertex costs the largest set at most 1. If nothing was peeled, the set is
a maximum independent set.

The exact rules, for vertices by the number of neighbours they have left:

- None: it joins the set.
- One: it joins, and its neighbour leaves the graph. (Whatever set has the neighbour may have the vertex instead.)
- Two: vertices with two neighbours form paths and cycles. Of a cycle, any vertex leaves. A path ends at two vertices L
  and R that have more neighbours:

  ==================  ======================  ===================================================  ================
  length of the path  L and R are adjacent    they are not                                         they are one
  ==================  ======================  ===================================================  ================
  odd                 both leave              all but the path's first vertex leave, and that one  it leaves
                                              lies between L and R
  even                the path leaves         the path leaves, and L and R become adjacent         it leaves
  ==================  ======================  ===================================================  ================

  Whatever the rest of the set will be, half of the vertices that left a path can join: it is written down, and decided
  last, in reverse.

State: a row of four numbers a vertex, so that a look at it costs one cache line::

    DEGREE   neighbours left; 0: in the set; negative: gone
    LINK     the exclusive-or of the neighbours left. Of a vertex with one neighbour it is that neighbour, and who comes
             along a path from one side reads off the other: rows need not be searched for who is left.
    FIRST, BEYOND   where its row begins and ends in `rows`, a copy of the graph's indices; rows keep those who left,
             and a path's end gets its new neighbour in the place of the old one, so nothing ever grows.

Vertices that fall to one or two neighbours wait in a queue; each enters it at most twice. For peeling, vertices lie in
lists by degree; one found to have fallen moves to the list of its present degree, so nobody else has to move it.

Cost: O(m) for the rules that are not paths (each edge is removed once), the lengths of paths walked, and for a path
the rows of its ends, which are searched; on one thread.
Work memory: 48 bytes a vertex and 4 an entry (twice that where ids or entries take 64 bits).

Source: L. Chang, W. Li, W. Zhang, "Computing a Near-Maximum Independent Set in Linear Time by Reducing-Peeling", SIGMOD
2017. The links by exclusive-or, and the queue that makes prefetching possible, are ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, in_steps, kernel, prefetch, rule
from ..parallel.primitives import compact
from ..rows import rows_among

DEGREE, LINK, FIRST, BEYOND = range(4)
GONE = -(1 << 30)  # and a little less, as neighbours that leave later are still subtracted
_QUEUE_HEAD, _QUEUE_TAIL, _LOGGED, _PEELED, _LEVEL = range(5)  # what `counters` counts
_STEP = 1 << 20  # vertices between two chances to be interrupted
_LONG = 1 << 13  # entries; rows as long are not searched for a single vertex: between two hubs there may be millions


@kernel(by="edges")
def _copy_row(v, indptr, indices, rows, nodes):
    """Copy a row without loops, and describe it."""
    first = beyond = int(indptr[at(v)])
    link = 0
    for e in range(first, indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if u != v:
            rows[at(beyond)] = u
            beyond += 1
            link ^= u
    nodes[at(v), DEGREE] = beyond - first
    nodes[at(v), LINK] = link
    nodes[at(v), FIRST] = first
    nodes[at(v), BEYOND] = beyond


@rule
def _lose(v, neighbour, nodes, queue, tail):
    """Take one neighbour away from v; v queues if one or two are left. No branches: most of those met have left."""
    degree = nodes[at(v), DEGREE] - 1
    nodes[at(v), DEGREE] = degree
    nodes[at(v), LINK] ^= neighbour
    queue[at(tail)] = v
    return tail + int((degree == 1) | (degree == 2))


@rule
def leave(v, nodes, rows, queue, counters):
    """Remove a vertex from the graph."""
    nodes[at(v), DEGREE] = GONE
    tail = first_new = counters[_QUEUE_TAIL]
    for e in range(nodes[at(v), FIRST], nodes[at(v), BEYOND]):
        tail = _lose(rows[at(e)], v, nodes, queue, tail)
    for i in range(first_new, tail):
        u = queue[at(i)]
        prefetch(rows, int(nodes[at(u), FIRST]))
        prefetch(nodes, int(nodes[at(u), LINK]))
    counters[_QUEUE_TAIL] = tail


@rule
def _any_neighbour(v, nodes, rows):
    """One of the neighbours left."""
    e = nodes[at(v), FIRST]
    while nodes[at(rows[at(e)]), DEGREE] <= 0:
        e += 1
    return int(rows[at(e)])


@rule
def _row_length(v, nodes):
    return nodes[at(v), BEYOND] - nodes[at(v), FIRST]


@rule
def _are_adjacent(u, v, nodes, rows):
    if _row_length(u, nodes) > _row_length(v, nodes):
        u, v = v, u
    e, beyond = nodes[at(u), FIRST], nodes[at(u), BEYOND]
    while e < beyond and rows[at(e)] != v:
        e += 1
    return e < beyond


@rule
def _replace(v, old, new, nodes, rows):
    """Give v a new neighbour in the place of an old one."""
    nodes[at(v), LINK] ^= old ^ new
    e = nodes[at(v), FIRST]
    while rows[at(e)] != old:
        e += 1
    rows[at(e)] = new


@rule
def _next_on_path(previous, v, nodes):
    return int(nodes[at(v), LINK]) ^ previous


@rule
def _last_on_path(v, towards, nodes):
    """Walk from v in one direction while vertices have two neighbours: the last such vertex, and the end beyond."""
    last, end = v, towards
    while nodes[at(end), DEGREE] == 2 and end != v:
        last, end = end, _next_on_path(last, end, nodes)
    return last, end


@rule
def _unravel(end, nodes, rows, queue, counters):
    """If a path ends here, take it all at once: it would be walked again for each of its vertices in the queue."""
    while nodes[at(end), DEGREE] == 1:
        v = following = int(nodes[at(end), LINK])
        if nodes[at(v), DEGREE] == 2:
            following = _next_on_path(end, v, nodes)
        leave(v, nodes, rows, queue, counters)
        end = following


@rule(inline=False)
def _reduce_path(v, nodes, rows, queue, log, counters):
    """Apply the rules for the path or cycle on which v lies."""
    neighbour = _any_neighbour(v, nodes, rows)
    p, left = _last_on_path(v, neighbour, nodes)
    if left == v:  # a cycle
        leave(v, nodes, rows, queue, counters)
        return
    q, right = _last_on_path(v, _next_on_path(neighbour, v, nodes), nodes)
    if left == right:
        leave(left, nodes, rows, queue, counters)
        return
    if nodes[at(left), DEGREE] == 1 or nodes[at(right), DEGREE] == 1:
        _unravel(left, nodes, rows, queue, counters)
        _unravel(right, nodes, rows, queue, counters)
        return
    if p == q and min(_row_length(left, nodes), _row_length(right, nodes)) > _LONG:
        return  # it stays until one of its neighbours leaves
    odd = 1
    last, u = left, p
    while u != q:
        last, u = u, _next_on_path(last, u, nodes)
        odd ^= 1
    adjacent = _are_adjacent(left, right, nodes, rows)
    if odd and adjacent:
        leave(left, nodes, rows, queue, counters)
        leave(right, nodes, rows, queue, counters)
        return
    if p == q:
        return
    logged = counters[_LOGGED]
    last, u = right, q
    while u != left and not (odd and u == p):
        beyond = _next_on_path(last, u, nodes)
        log[at(logged), 0] = u
        log[at(logged), 1] = last
        log[at(logged), 2] = beyond
        logged += 1
        nodes[at(u), DEGREE] = GONE
        last, u = u, beyond
    counters[_LOGGED] = logged
    if odd:
        _replace(p, last, right, nodes, rows)
        _replace(right, q, p, nodes, rows)
    elif adjacent:
        tail = _lose(left, p, nodes, queue, counters[_QUEUE_TAIL])
        counters[_QUEUE_TAIL] = _lose(right, q, nodes, queue, tail)
    else:
        _replace(left, p, right, nodes, rows)
        _replace(right, q, left, nodes, rows)


@rule
def _reduce_queued(most, nodes, rows, queue, log, counters):
    """Apply the exact rules to at most so many vertices of the queue."""
    head = counters[_QUEUE_HEAD]
    stop = head + most
    while head < min(counters[_QUEUE_TAIL], stop):
        v = int(queue[at(head)])
        head += 1
        degree = nodes[at(v), DEGREE]
        if degree == 1:
            leave(int(nodes[at(v), LINK]), nodes, rows, queue, counters)
        elif degree == 2:
            _reduce_path(v, nodes, rows, queue, log, counters)
    if head == counters[_QUEUE_TAIL]:
        head = counters[_QUEUE_TAIL] = 0
    counters[_QUEUE_HEAD] = head


@kernel(by="single")
def _reduce(most, nodes, rows, queue, log, counters):
    _reduce_queued(most, nodes, rows, queue, log, counters)


@kernel(by="single")
def _include(vertices, nodes, rows, queue, counters):
    for i in range(vertices.size):
        v = vertices[at(i)]
        for e in range(nodes[at(v), FIRST], nodes[at(v), BEYOND]):
            u = int(rows[at(e)])
            if nodes[at(u), DEGREE] > 0:
                leave(u, nodes, rows, queue, counters)


@kernel(by="single")
def _sort_by_degree(nodes, of_degree, next_of_degree, counters):
    """Lists of the vertices by degree: the first one of each degree, and the next one after each vertex."""
    highest = 0
    for v in range(nodes.shape[0] - 1, -1, -1):
        degree = nodes[at(v), DEGREE]
        if degree > 0:
            next_of_degree[at(v)] = of_degree[at(degree)]
            of_degree[at(degree)] = v
            highest = max(highest, degree)
    counters[_LEVEL] = highest


@kernel(by="single")
def _peel(most, nodes, rows, queue, log, of_degree, next_of_degree, counters):
    """Peel at most so many vertices, and apply the exact rules after each."""
    level = counters[_LEVEL]
    stop = counters[_PEELED] + most
    while level > 2 and counters[_PEELED] < stop:
        v = int(of_degree[at(level)])
        if v < 0:
            level -= 1
            continue
        following = int(next_of_degree[at(v)])
        of_degree[at(level)] = following
        if following >= 0:  # its line was asked for one step ago
            prefetch(rows, int(nodes[at(following), FIRST]))
            second = int(next_of_degree[at(following)])
            prefetch(nodes, second)
            prefetch(next_of_degree, second)
        degree = nodes[at(v), DEGREE]
        if degree == level:
            counters[_PEELED] += 1
            leave(v, nodes, rows, queue, counters)
            _reduce_queued(nodes.shape[0] * 2, nodes, rows, queue, log, counters)
        elif degree > 2:
            next_of_degree[at(v)] = of_degree[at(degree)]
            of_degree[at(degree)] = v
    counters[_LEVEL] = level


@kernel(by="single")
def _decide_paths(log, first, beyond, nodes):
    """Decide the vertices that left paths, of a range of the log, the last one first."""
    for i in range(beyond - 1, first - 1, -1):
        before, after = nodes[at(log[at(i), 1]), DEGREE], nodes[at(log[at(i), 2]), DEGREE]
        nodes[at(log[at(i), 0]), DEGREE] = 0 if before != 0 and after != 0 else GONE


class ShrinkingGraph:
    """A graph that is taken apart, and the independent set that comes of it."""

    def __init__(self, indptr: Any, indices: Any) -> None:
        """From rows without repeated entries; loops are dropped."""
        n = indptr.size - 1
        self.rows = np.empty_like(indices)
        self.nodes = np.empty((n, 4), indptr.dtype)
        _copy_row(n, indptr, indices, self.rows, self.nodes)
        self._degrees = self.nodes[:, DEGREE]
        self._counters = np.zeros(5, np.int64)
        self._queue = np.empty(2 * n + 1, indices.dtype)
        self._log = np.empty((n, 3), indices.dtype)
        waiting = compact((self._degrees == 1) | (self._degrees == 2))
        self._queue[: waiting.size] = waiting
        self._counters[_QUEUE_TAIL] = waiting.size

    @property
    def left(self) -> Any:
        """The vertices that are neither in the set nor gone."""
        return compact(self._degrees > 0)

    @property
    def peeled(self) -> int:
        """How many vertices were peeled: by so much the set can be smaller than a maximum one."""
        return int(self._counters[_PEELED])

    @property
    def settled(self) -> int:
        """How many vertices are in the set whatever becomes of those left: half of those that left paths among them."""
        return int(np.count_nonzero(self._degrees == 0)) + int(self._counters[_LOGGED]) // 2

    def include(self, vertices: Any) -> None:
        """Put vertices into the set that are not adjacent; their neighbours leave."""
        _include(vertices, self.nodes, self.rows, self._queue, self._counters)

    def reduce(self) -> None:
        """Apply the exact rules until none applies any more."""
        while self._counters[_QUEUE_TAIL]:
            _reduce(_STEP, self.nodes, self.rows, self._queue, self._log, self._counters)

    def peel(self) -> None:
        """Take apart what is left, by peeling and the exact rules in turn."""
        self.reduce()
        highest = int(self._degrees.max(initial=0))
        of_degree = np.full(highest + 1, -1, self.rows.dtype)
        next_of_degree = np.empty(self.nodes.shape[0], self.rows.dtype)
        _sort_by_degree(self.nodes, of_degree, next_of_degree, self._counters)
        while self._counters[_LEVEL] > 2:
            _peel(_STEP, self.nodes, self.rows, self._queue, self._log, of_degree, next_of_degree, self._counters)

    def extract(self, vertices: Any) -> tuple[Any, Any]:
        """The rows (indptr, indices) of the graph that is left among some vertices without other neighbours.

        The vertices get new ids, in their order; rows need not be sorted.
        """
        first, beyond = self.nodes[:, FIRST].copy(), self.nodes[:, BEYOND].copy()
        return rows_among(vertices, first, beyond, self.rows)

    def decide(self, vertices: Any, mask: Any) -> None:
        """Say which of some vertices (without other neighbours) are in the set; all of them leave the graph."""
        self._degrees[vertices] = np.where(mask, 0, GONE)

    def result(self) -> Any:
        """The set, bool (n,), when no vertex is left. It need not be maximal if vertices were peeled."""
        for first, beyond in reversed(list(in_steps(int(self._counters[_LOGGED])))):
            _decide_paths(self._log, first, beyond, self.nodes)
        self._counters[_LOGGED] = 0
        return self._degrees == 0
