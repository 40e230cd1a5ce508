"""Rounds that count how many entries of the graph they look at, for those who ask.

A counter in the kernels of rounds.py would cost everybody some time (2 to 6 %, measured on grids). But states are
frozen while a round looks at them, so another kernel can tell beforehand where each look will end. It takes about as
long as the round; that time is kept apart.

What is counted: each vertex looks at its neighbours, four at a time, until one of them is ahead; what it reads again to
settle equal bytes counts once. And each member of the set goes through its whole row once, to put its neighbours out.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel
from ..parallel.device import array_module
from .order import IN, Order
from .rounds import LINE, Rounds, largest_of_four


@kernel(by="workers")
def _count_looks(worker, workers, indptr, indices, bounds, longest, everything, undecided, counts, state, looked):
    """Add up how many entries a worker will look at in the next round."""
    first, total = bounds[worker], 0
    for i in range(first, bounds[worker + 1] if everything else first + counts[worker * LINE]):
        v = i if everything else int(undecided[at(i)])
        start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        if start < end and end - start <= longest:
            byte = state[at(v)]
            strongest, e = largest_of_four(start, end - 1, indices, state), start + 4
            while (e < end) & (strongest <= byte) & (byte != IN):
                strongest = max(strongest, largest_of_four(e, end - 1, indices, state))
                e += 4
            total += min(e, end) - start
    looked[worker] = total


class CountedRounds(Rounds):
    """Rounds that know how many entries they looked at, and how many seconds it took to find out."""

    def decide(self, order: Order, longest: int) -> None:
        """One round, counted."""
        started = time.perf_counter()
        graph, everything = self.graph, len(self.left) == 1
        looked = array_module(graph.device).zeros(self.workers, np.int64)
        arrays = self.undecided, self.counts, self.state, looked
        _count_looks(self.workers, graph.indptr, graph.indices, self.bounds, longest, everything, *arrays)
        self.entries += int(looked.sum())
        self.counting += time.perf_counter() - started
        super().decide(order, longest)


def entries_of(graph: Graph, vertices: Any) -> int:
    """How many entries the rows of some vertices (a mask, or their ids) have."""
    return int((graph.indptr[1:][vertices] - graph.indptr[:-1][vertices]).sum())
