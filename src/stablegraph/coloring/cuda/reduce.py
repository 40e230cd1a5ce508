"""The reduction `quick` on a GPU: bipartite components by reduce.cu, then exchanges and chains in their GPU forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.arrays import copied, largest, positions
from ..._core.runtime.cuda.gpu_memory import barrier_words
from ..._core.validation import host_array
from ...graph import Graph
from ...traversal.cuda.bipartition import united
from ..reduction import reduce as general
from ..reduction.ecl_gc_r import _MIN_SHARE, _PALETTE
from ..reduction.reduce import _SHORT_CHAIN, _WORK_ON_SHORT_CHAINS

SOURCE = CudaSource(__file__, "reduce.cu")

_MAX_COLORS = 4096  # with more, tables of pairs of colors would be large; such a coloring is reduced on the CPU
_MAX_VERTICES = 1 << 29  # chains may take at most 2**27 rounds


def quick(graph: Graph, colors: Any, seed: int = 0) -> Any:
    """Return the result of `quick` in reduce.py."""
    highest = largest(colors, 0)
    if highest < 2:
        return copied(colors)
    too_many = highest > _MAX_COLORS or highest**2 > 4 * graph.num_edges or graph.num_vertices > _MAX_VERTICES
    if too_many or graph.has_duplicates:
        host = graph._replace(weights=None).to("cpu")
        return graph.xp.asarray(general.quick(host, host_array(colors, "colors"), seed))
    colors, highest = two_color_components(graph, colors, highest)
    work = _WORK_ON_SHORT_CHAINS + graph.num_vertices // 8
    exchange = Exchange(graph, colors, highest)
    while True:
        while exchange.step():
            pass
        if exchange.highest < 3 or not free_highest(graph, colors, exchange.highest, _SHORT_CHAIN, work):
            return colors
        exchange.highest -= 1


def two_color_components(graph: Graph, colors: Any, highest: int) -> tuple[Any, int]:
    """Return the coloring with two colors in bipartite components and without gaps, and its highest color."""
    xp, n, run = graph.xp, graph.num_vertices, SOURCE.for_graph(graph)
    colors = xp.ascontiguousarray(colors, np.int32)
    result, used, numbers = xp.empty(n, np.int32), xp.zeros(highest + 1, bool), xp.empty(highest + 1, np.int32)
    parent, first, odd = united(graph)
    run("find_starts", n, n, parent, odd, colors, first)
    run("recolor", n, n, parent, odd, first, colors, result, used)
    run("number_used", 1, highest + 1, used, numbers, report.blank())
    count = report.read()[0]
    if count <= highest:
        run("renumber", n, n, numbers, result)
    return result, count - 1


# ---- Exchanges of ECL-GC-R; ../reduction/ecl_gc_r.py has the rule. A pass transfers two results: the numbers of
# vertices after the exchange for all, and the number of moved vertices.

_CHUNK = 1024  # entries of a row that a team reads
_SHORT = 16  # entries on average; up to this length, eight threads read a row instead of 32
_TOP, _NEAR, _FIRST, _MOVED = range(4)  # positions of counters, as in ecl_gc_r.cu

EXCHANGES = CudaSource(
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
        self._run = EXCHANGES.for_graph(graph, TEAM=self._lanes, CHUNK=_CHUNK)
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


# ---- Short Kempe chains; ../reduction/kempe.py defines their use

KEMPE = CudaSource(__file__, "kempe.cu", cooperative=True)

_WINDOW = 32  # vertices that are tried at once, as in kempe.cu
_CLASSES = 4  # of colors, as in kempe.cu
_ROUNDS = 1000  # per launch: bounds the latency of Ctrl-C
_CONTROL = 4 + 2 * (_WINDOW + 1)  # numbers
_HEAD, _WORK, _FREED = range(3)  # positions of counters, as in kempe.cu


def free_highest(graph: Graph, colors: Any, highest: int, longest: int, work: int) -> bool:
    """Swap chains around vertices of the highest color, in place; return whether none of them has it any more."""
    xp, n = graph.xp, graph.num_vertices
    run, top = KEMPE.for_graph(graph), positions(colors, highest)
    tops, pairs = int(top.size), highest * (highest - 1) // 2
    near, mark, control = xp.empty(n, np.uint64), xp.empty(_CLASSES * n, np.uint32), xp.empty(_CONTROL, np.int64)
    blocked = xp.empty((highest + 1) ** 2, np.uint32)
    run("prepare", n, n, int(blocked.size), near, mark, blocked, control)
    limits = (longest, work, _ROUNDS)
    arguments = (graph.indptr, graph.indices, highest, tops, top, *limits, near, mark, blocked, control)
    while True:
        run("swap_chains", 32 * pairs * min(tops, _WINDOW), *arguments, barrier_words(), colors, report.blank())
        numbers = report.read()
        if numbers[_HEAD] == tops or numbers[_WORK] >= work:
            return numbers[_FREED] == tops
