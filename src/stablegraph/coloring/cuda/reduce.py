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
from ..reduction.reduce import _SHORT_CHAIN, _WORK_ON_SHORT_CHAINS
from .ecl_gc_r import Exchange

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


# Short Kempe chains; kempe.py defines their use

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
