"""Exchanges of ECL-GC-R on a GPU: the driver of ecl_gc_r.cu; see ecl_gc_r.py for the rule.

A pass transfers two results: the numbers of vertices after the exchange for all, and the number of moved vertices.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.arrays import copied
from ...graph import Graph
from ..reduction.ecl_gc_r import _MIN_SHARE, _PALETTE

_CHUNK = 1024  # entries of a row that a team reads
_SHORT = 16  # entries on average; up to this length, eight threads read a row instead of 32
_TOP, _NEAR, _FIRST, _MOVED = range(4)  # positions of counters, as in ecl_gc_r.cu

SOURCE = CudaSource(
    __file__,
    "ecl_gc_r.cu",
    also=("../../_core/runtime/cuda/union_find.cuh",),
    variants=tuple({"TEAM": team, "CHUNK": _CHUNK} for team in (8, 32)),
)


class Exchange:
    """A coloring that is changed in place to eliminate its highest color."""

    def __init__(self, graph: Graph, colors: Any, highest: int) -> None:
        xp, n, ids = graph.xp, graph.num_vertices, graph.indices.dtype
        self.graph, self.colors, self.highest = graph, colors, highest
        self._lanes = 8 if graph.num_entries <= _SHORT * n else 32
        self._run = SOURCE.for_graph(graph, TEAM=self._lanes, CHUNK=_CHUNK)
        self._pieces = -(-graph._scanned().longest_row // _CHUNK)
        self._owner, self._parent, self._place, self._top, self._near = xp.empty((5, n), ids)
        self._taken, self._state = xp.empty(highest * highest, bool), xp.empty(4, np.int64)
        self._run("clear", n, n, self._owner)

    def step(self) -> bool:
        """Make one exchange for all if possible, else one for each possible group; return whether to continue."""
        if self.highest < 2:
            return False
        run, n, highest, graph = self._run, self.graph.num_vertices, self.highest, self.graph
        rows, pieces, entries = (graph.indptr, graph.indices), self._pieces, graph.num_entries
        pairs = highest * highest
        state = self._state
        run("begin", pairs, highest, self._taken, state)
        run("find_top", n, n, highest, self.colors, self._top, self._place, self._parent, state)
        run("find_near", entries, pieces, *rows, self._top, self._parent, self._owner, self._near, state)
        run("strike_pairs", entries, pieces, *rows, self.colors, highest, self._near, self._taken, state)
        run("find_pair", pairs, pairs, self._taken, state)
        run("exchange_all", n, highest, self._top, self._near, self._owner, self.colors, state, report.blank())
        numbers = report.read()
        if numbers[_FIRST] < pairs:
            self.highest -= 1
            return True
        return self._thin_highest(numbers[_TOP], numbers[_NEAR])

    def _thin_highest(self, tops: int, nears: int) -> bool:
        """Recolor the top vertices for which an exchange per group is possible; return whether they were many."""
        run, xp, highest, palette = self._run, self.graph.xp, self.highest, min(self.highest, _PALETTE)
        rows, pieces, teams = (self.graph.indptr, self.graph.indices), self._pieces, nears * self._lanes
        sets, choices = xp.empty(tops * palette, np.uint32), xp.empty(tops, np.int32)
        head = (pieces, nears, palette, *rows, self.colors, self._near, self._place)
        run("fill_sets", tops * palette, tops, palette, sets)
        run("strike_taken", teams * pieces, *head, self._parent, self._owner, sets)
        run("resolve", teams * pieces, *head, self._owner, copied(sets), sets)
        run("choose", tops, tops, palette, highest, sets, choices)
        lists = (self._top, self._near, self._place, self._parent, self._owner)
        state = (sets, choices, self.colors, self._state)
        run("exchange_groups", max(tops, nears), tops, nears, palette, highest, *lists, *state)
        run("copy_counters", 1, self._state, report.blank())
        moved = report.read()[_MOVED]
        if moved == tops:
            self.highest -= 1
        return moved * _MIN_SHARE >= tops
