"""Reducing-peeling: a graph is reduced by exact rules and, if none applies, by removing a vertex of largest degree.

Result: an independent set, mostly within 1 % of a maximum one, and a bound on the difference: exact rules lose nothing,
and removing ("peeling") a vertex makes the largest set smaller by at most 1. If no vertex was peeled, the set is a
maximum independent set.

Rule: if no exact rule of path_reductions.py applies, peel a vertex with the most remaining neighbors. In the code:
`_peel`.

State: see path_reductions.py. Vertices whose number of neighbors falls to one or two wait in a queue; each enters it at
most twice. For peeling, vertices are in linked lists by degree. A vertex whose degree has decreased is moved to the
list of its current degree only when it is reached.

Cost: that of the rules (path_reductions.py), and O(m) for peeling, on one thread. Work memory: 48 bytes per vertex and
4 per entry (twice that for 64-bit ids or entries).

Source: L. Chang, W. Li, W. Zhang, "Computing a Near-Maximum Independent Set in Linear Time by Reducing-Peeling", SIGMOD
2017. The exclusive-or links and the queue that allows prefetching were added in this implementation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import Rows, chunked, kernel, prefetch
from ..._core.runtime.primitives import compact
from .path_reductions import (
    DEGREE,
    END,
    GONE,
    LEVEL,
    LINK,
    LOGGED,
    PEELED,
    QUEUE_TAIL,
    START,
    WorkGraph,
    leave,
    reduce_queued,
)

_STEP = 1 << 20  # vertices per call: bounds the latency of Ctrl-C


@kernel(by="edges", types="O[] V[] V[] O[,]")
def _copy_row(v, original: Rows, rows, table):
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


@kernel(types="int int V[,] bool[]")
def _mark_degrees(v, low, high, table, marks):
    """Mark v if its degree is between `low` and `high`, inclusive."""
    marks[v] = low <= table[v, DEGREE] <= high


@kernel(types="int64[] V[,] V[] V[]")
def _copy_bounds(i, vertices, table, starts, ends):
    """Copy the bounds of the row of the i-th of some vertices."""
    v = vertices[i]
    starts[v] = table[v, START]
    ends[v] = table[v, END]


@kernel(types="int64[] bool[] V[,]")
def _decide(i, vertices, mask, table):
    """Put the i-th of some vertices into the set or out of it."""
    table[vertices[i], DEGREE] = 0 if mask[i] else GONE


@kernel(by="single", types="int O[,] V[] V[] V[,] int64[]")
def _reduce(limit, work: WorkGraph):
    """Apply the exact rules to at most `limit` vertices of the queue."""
    reduce_queued(limit, work)


@kernel(by="single", types="V[] O[,] V[] V[] V[,] int64[]")
def _include(vertices, work: WorkGraph):
    """Put vertices into the set by removing their neighbors."""
    table = work.table
    for i in range(vertices.size):
        v = vertices[i]
        for e in range(table[v, START], table[v, END]):
            u = work.rows[e]
            if table[u, DEGREE] > 0:
                leave(u, work)


@kernel(by="single", types="O[,] V[] V[] int64[]")
def _sort_by_degree(table, of_degree, next_of_degree, counters):
    """Build linked lists of the vertices by degree: the first vertex of each degree, and the next after each vertex."""
    highest = 0
    for v in range(table.shape[0] - 1, -1, -1):
        degree = table[v, DEGREE]
        if degree > 0:
            next_of_degree[v] = of_degree[degree]
            of_degree[degree] = v
            highest = max(highest, degree)
    counters[LEVEL] = highest


@kernel(by="single", types="int O[,] V[] V[] V[,] int64[] V[] V[]")
def _peel(limit, work: WorkGraph, of_degree, next_of_degree):
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
            leave(v, work)
            reduce_queued(table.shape[0] * 2, work)
        elif degree > 2:
            next_of_degree[v] = of_degree[degree]
            of_degree[degree] = v
    counters[LEVEL] = level


@kernel(by="single", types="V[,] int int O[,]")
def _decide_paths(log, start, end, table):
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
        self._work = WorkGraph(table, rows, queue, log, np.zeros(5, np.int64))
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
            _reduce(_STEP, self._work)

    def peel(self) -> None:
        """Reduce the remaining graph by peeling and exact rules until no vertex remains."""
        self.reduce()
        table, id_type = self._work.table, self._work.rows.dtype
        highest = int(table[:, DEGREE].max(initial=0))
        of_degree, next_of_degree = np.full(highest + 1, -1, id_type), np.empty(table.shape[0], id_type)
        _sort_by_degree(table, of_degree, next_of_degree, self._counters)
        while self._counters[LEVEL] > 2:
            _peel(_STEP, self._work, of_degree, next_of_degree)

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
        self._work = WorkGraph(degrees, no_rows, no_rows, logged, counters)
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
