"""Kernelization with weights: reduction to a smaller graph whose heaviest independent sets give those of the graph.

Result: a kernel with weights, and a way to extend an independent set of the kernel to one of the graph. The extension
adds the same weight, `offset`, to every set, or more if the set of the kernel is not maximal. Therefore a heaviest set
of the kernel becomes a heaviest set of the graph, and a bound for the kernel gives a bound for the graph.

Rule: the reductions of reductions.py, tried on each vertex whose surroundings have changed, until none fits; then the
vertices that a maximum flow decides (flow.py) join the set, and the reductions are tried again around them. In the
code: `_apply_rules` and the loop of `Kernelization`.

State: see reductions.py. The host enlarges `rows` when there is no room for a merged vertex. The log is undone in
reverse.

Cost: near linear on sparse graphs, on one thread. Work memory: about 90 bytes per vertex and at least 8 per entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import chunked, kernel
from ..._core.runtime.primitives import compact
from ..near_maximum.locality import sort_rows
from ..near_maximum.reductions import (
    DEGREE,
    FIRST,
    FULL,
    HEAD,
    IN,
    LENGTH,
    LOGGED,
    ROWS_END,
    SEARCHES,
    STAMP,
    TAIL,
    enqueue,
    put_in_set,
)
from .flow import decided_vertices
from .reductions import FOLD, KIND, MAX_LISTED, PARTNER, TWIN, VERTEX, Scratch, WorkGraph, apply_first_rule

_STEP = 1 << 16  # vertices per call: bounds the latency of Ctrl-C
_MAX_READ = 1 << 26  # entries, by all flows
_MAX_SEARCHES = 1 << 30  # then stamps restart at 0; they may have 32 bits, and a step makes far fewer searches


@kernel(by="single", types="int O[,] V[] bool[] V[] V[,] int64[] int64[] V[] int64[] int64[] int64[]")
def _apply_rules(limit, work: WorkGraph, scratch: Scratch):
    """Try at most `limit` waiting vertices, and none after a merged vertex has found no room."""
    queue, counters = work.queue, work.counters
    for _ in range(limit):
        head = counters[HEAD]
        if head == counters[TAIL] or counters[FULL]:
            break
        v = queue[head]
        counters[HEAD] = head + 1 if head + 1 < queue.size else 0
        work.waiting[v] = False
        if work.table[v, DEGREE] >= 0:
            apply_first_rule(v, work, scratch)
        if counters[FULL]:
            enqueue(v, work)


@kernel(by="single", types="V[] O[,] V[] bool[] V[] V[,] int64[] int64[]")
def _include(vertices, work: WorkGraph):
    """Put vertices into the set, and remove their neighbors."""
    for i in range(vertices.size):
        put_in_set(vertices[i], work)


@kernel(by="single", types="int int V[,] O[,] V[] bool[]")
def _undo(start, end, log, table, rows, in_set):
    """Decide the removed vertices in a range of the log, in reverse."""
    for i in range(end - 1, start - 1, -1):
        v = log[i, VERTEX]
        if log[i, KIND] == TWIN:
            in_set[v] = in_set[log[i, PARTNER]]
            continue
        e = table[v, FIRST]
        row_end = e + table[v, LENGTH]
        if log[i, KIND] == FOLD:
            merged = in_set[rows[e]]
            for f in range(e, row_end):
                in_set[rows[f]] = merged
            in_set[v] = not merged
        else:
            while e < row_end and not in_set[rows[e]]:
                e += 1
            in_set[v] = e == row_end


class Kernelization:
    """The kernel of a graph: `indptr`, `indices` (sorted rows), `weights`; and the log for extending its sets.

    If `is_half`, the optimum of the linear relaxation of each component of the kernel is half of its weight.
    """

    def __init__(self, indptr: Any, indices: Any, weights: Any, included: Any) -> None:
        """Reduce a graph without loops and repeated entries to which the included vertices belong."""
        n, id_type = indptr.size - 1, indices.dtype
        table = np.zeros((n, 4), indptr.dtype)
        table[:, FIRST] = indptr[:-1]
        table[:, DEGREE] = table[:, LENGTH] = indptr[1:] - indptr[:-1]
        counters = np.zeros(7, np.int64)
        counters[ROWS_END] = indices.size
        queue, waiting = np.zeros(n + 1, id_type), np.ones(n, bool)
        log = np.empty((n, 3), id_type)
        self._work = WorkGraph(table, _with_room(indices), waiting, queue, log, counters, weights.copy())
        self._scratch = Scratch(
            np.empty(n, id_type),
            np.empty(n, np.int64),
            np.empty(MAX_LISTED, np.int64),
            np.empty(1 << MAX_LISTED, np.int64),
        )
        _include(included, self._work)
        remaining = compact(table[:, DEGREE] >= 0)
        queue[: remaining.size] = remaining
        counters[TAIL] = remaining.size
        self._reduce()
        self.is_half, room = False, _MAX_READ
        while self.vertices.size and not self.is_half:
            entries = self.indices.size + 1
            decided, phases = decided_vertices(self.indptr, self.indices, self.weights, room // entries)
            room -= phases * entries
            if decided is None:
                break
            self.is_half = decided.size == 0
            _include(self.vertices[decided].astype(id_type), self._work)
            self._reduce()
        in_log = log[: counters[LOGGED]]
        transferred = in_log[in_log[:, KIND] != TWIN, VERTEX]
        self._in_set = table[:, DEGREE] == IN
        self.offset = int(self._work.weights[self._in_set].sum() + self._work.weights[transferred].sum())

    def _reduce(self) -> None:
        """Apply the rules until no vertex waits, and extract the kernel."""
        table, counters = self._work.table, self._work.counters
        while counters[HEAD] != counters[TAIL]:
            _apply_rules(_STEP, self._work, self._scratch)
            if counters[FULL]:
                self._work = self._work._replace(rows=_with_room(self._work.rows))
                counters[FULL] = 0
            if counters[SEARCHES] > _MAX_SEARCHES:
                table[:, STAMP] = counters[SEARCHES] = 0
        self.vertices = compact(table[:, DEGREE] >= 0)
        start = table[:, FIRST].copy()
        self.indptr, columns = induced_rows(self.vertices, start, start + table[:, LENGTH], self._work.rows)
        self.indices = sort_rows(self.indptr, columns)
        self.weights = self._work.weights[self.vertices]

    def lift(self, mask: Any) -> Any:
        """Extend an independent set of the kernel to one of the whole graph."""
        in_set = self._in_set.copy()
        in_set[self.vertices] = mask
        work = self._work
        for start, end in reversed(list(chunked(int(work.counters[LOGGED])))):
            _undo(start, end, work.log, work.table, work.rows, in_set)
        return in_set


def _with_room(rows: Any) -> Any:
    """Return the rows in an array of at least twice the length."""
    longer = np.empty(2 * rows.size + 1, rows.dtype)
    longer[: rows.size] = rows
    return longer
