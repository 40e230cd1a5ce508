"""Maximal independent sets at any distance k on a GPU: the driver of k.cu; see k.py for the rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import History, run_rounds
from ..._core.runtime import CudaSource
from ...graph import Graph
from ..distance.k import finished
from ..distance.round_keys import RoundKeys, key_source
from ..greedy.order import Choice
from . import two as two_cuda
from .two import ALSO, VARIANTS, drawing, macros

SOURCE = CudaSource(__file__, "k.cu", also=ALSO, variants=VARIANTS)

_LEVELS = 8  # the interval, in sweeps, at which the driver checks whether the last sweep changed anything


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, k: int, priority: Choice, seed: int
) -> Any:
    """Return the mask of the set; the arguments are those of k.py."""
    history.enter("prepare")
    xp, n = graph.xp, graph.num_vertices
    k = min(k, n)
    source = key_source(graph, priority, seed)
    sweeps = DistanceSearch(graph, source.dtype, k)
    distance, state = sweeps.distance, xp.empty(n, source.dtype)
    distance[included] = 0
    if included.size:
        sweeps.spread()
    source.write(state)
    sweeps.run("begin", n, n, k, distance, *drawing(source.keys(0)), state)
    state[excluded] = source.out
    undecided = [n]

    def run_round() -> int:
        return sweeps.round(state, int(source.at_once), source.keys(len(undecided)))

    is_last = source.begin(history, undecided, lambda: int(xp.count_nonzero(state != source.out)))
    run_rounds(undecided, run_round, is_last=is_last)
    return finished(graph, k, source, state, distance == 0, history)


def least_keys_within(graph: Graph, k: int, keys: Any) -> Any:
    """Return the smallest of the keys within distance k of each vertex."""
    return DistanceSearch(graph, keys.dtype, k).least_within(keys)


class DistanceSearch:
    """Distances from the set, and the sweeps of k.cu over all rows."""

    def __init__(self, graph: Graph, key_type: Any, k: int) -> None:
        xp, n, entries = graph.xp, graph.num_vertices, graph.indices.size
        self.run = SOURCE.for_graph(graph, **macros(key_type))
        self.distance = xp.full(n, k + 1, graph.indices.dtype)
        self._k, self._scratch = k, xp.empty((2, n), key_type)
        self._changed, self._tick = xp.zeros(1, np.int64), 0
        self._remaining, self._remaining_before = xp.zeros(1, np.int64), 0  # the sums over all rounds
        self._threads = max(n, entries // two_cuda._ENTRIES_A_THREAD)
        lengths, rows = xp.zeros(3, np.int64), xp.empty(n + entries // two_cuda._LONG_ROW, graph.indices.dtype)
        self.run("list_rows", n, n, graph.indptr, rows, lengths)
        self._rows = n, graph.indptr, graph.indices, rows, lengths

    def least_within(self, keys: Any) -> Any:
        """Return the smallest keys within distance k, for the vertices that are farther than k from the set."""
        before = keys
        for level in range(1, self._k + 1):
            after = self._scratch[level % 2]
            self._tick += 1
            self.run(
                "least_around", self._threads, *self._rows, level, self.distance, before, after, self._changed,
                self._tick,
            )  # fmt: skip
            before = after
            if self._was_last(level):
                break
        return before

    def spread(self) -> None:
        """Compute distances up to k from the vertices at distance 0."""
        for level in range(1, self._k + 1):
            self._tick += 1
            self.run("spread", self._threads, *self._rows, level, self.distance, self._changed, self._tick)
            if self._was_last(level):
                break

    def round(self, state: Any, at_once: int, keys: RoundKeys) -> int:
        """Run a round, in which the remaining vertices then draw from `keys`; return how many remain."""
        n, k, distance = self._rows[0], self._k, self.distance
        self.run("join", n, n, k, distance, self.least_within(state), state)
        self.spread()
        self.run("redraw", n, n, k, at_once, distance, *drawing(keys), state, self._remaining)
        remaining, before = int(self._remaining[0]), self._remaining_before
        self._remaining_before = remaining
        return remaining - before

    def _was_last(self, level: int) -> bool:
        """Return whether a sweep is known to have changed nothing; checked rarely, and not after the last sweep."""
        return level % _LEVELS == 0 and level < self._k and int(self._changed[0]) != self._tick
