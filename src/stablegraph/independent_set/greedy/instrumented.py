"""Instrumented rounds, which count the entries of the graph that they read if the user asks for it.

A counter in the kernels of rounds.py would slow down every call (by 2 to 6 %, measured on grids). However, states are
frozen while a round reads them, so a separate kernel can compute in advance where each search will end. It takes about
as long as the round; this time is not included in the reported phases.

Counted entries: each vertex reads its neighbors, four at a time, until one of them is ahead; entries that are read
again to compare equal bytes count once. In addition, each member of the set reads its whole row once to mark its
neighbors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import kernel
from ..._core.runtime.structs import Rows
from ...graph import Graph
from ..history import History
from ..worklists import Worklists, listed
from .order import IN, Order
from .rounds import Rounds, Scope, largest_of_four


@kernel(by="workers", types="O[] V[] int64[] V[] int64[] bool int uint8[] int64[]")
def _count_entries(worker, workers, rows: Rows, lists: Worklists, scope: Scope, state, entries):
    """Count the entries that a worker will read in the next round."""
    start, end = listed(worker, lists)
    if scope.everything:
        end = lists.bounds[worker + 1]
    total = 0
    for i in range(start, end):
        v = i if scope.everything else lists.undecided[i]
        row, row_end = rows.indptr[v], rows.indptr[v + 1]
        if row < row_end and row_end - row <= scope.longest:
            byte = state[v]
            largest, e = largest_of_four(row, row_end - 1, rows.indices, state), row + 4
            while (e < row_end) & (largest <= byte) & (byte != IN):
                largest = max(largest, largest_of_four(e, row_end - 1, rows.indices, state))
                e += 4
            total += min(e, row_end) - row
    entries[worker] = total


class InstrumentedRounds(Rounds):
    """Rounds that count the entries they read, in a phase that is not reported."""

    def __init__(self, graph: Graph, history: History) -> None:
        super().__init__(graph)
        self._history = history

    def decide(self, order: Order, longest: int) -> None:
        """Count the entries of one round, and run it."""
        self._history.enter("")
        entries = self.graph.xp.zeros(self.workers, np.int64)
        _count_entries(self.workers, self.rows, self.lists, self.scope(longest), self.state, entries)
        self._history.count(int(entries.sum()))
        self._history.enter("rounds")
        super().decide(order, longest)


def make_rounds(graph: Graph, history: History) -> Rounds:
    """Return rounds that record the undecided vertices in a history, and count entries if the history asks for it."""
    rounds = InstrumentedRounds(graph, history) if history.counted else Rounds(graph)
    history.undecided = rounds.undecided
    return rounds


def members(graph: Graph, state: Any, history: History) -> Any:
    """Return the mask of the set after all vertices are decided, and count the rows of its members."""
    history.enter("")
    mask = state == IN
    if history.counted:
        history.count(entries_of(graph, mask))
    return mask


def entries_of(graph: Graph, vertices: Any) -> int:
    """Return the number of entries in the rows of some vertices (a mask, or ids)."""
    return int((graph.indptr[1:][vertices] - graph.indptr[:-1][vertices]).sum())
