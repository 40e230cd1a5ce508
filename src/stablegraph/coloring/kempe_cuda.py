"""Short Kempe chains on a GPU: the driver of kempe.cu; see kempe.py for the rule."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import CudaSource, report
from .._core.runtime.arrays_cuda import positions
from ..graph import Graph

SOURCE = CudaSource(__file__, "kempe.cu", cooperative=True)

_WINDOW = 32  # vertices that are tried at once, as in kempe.cu
_CLASSES = 4  # of colors, as in kempe.cu
_ROUNDS = 1000  # per launch: bounds the latency of Ctrl-C
_CONTROL = 4 + 2 * (_WINDOW + 1)  # numbers
_HEAD, _WORK, _FREED = range(3)  # positions of counters, as in kempe.cu


def free_highest(graph: Graph, colors: Any, highest: int, longest: int, work: int) -> bool:
    """Swap chains around vertices of the highest color, in place; return whether none of them has it any more."""
    xp, n = graph.xp, graph.num_vertices
    run, top = SOURCE.for_graph(graph), positions(colors, highest)
    tops, pairs = int(top.size), highest * (highest - 1) // 2
    near, mark, control = xp.empty(n, np.uint64), xp.empty(_CLASSES * n, np.uint32), xp.empty(_CONTROL, np.int64)
    blocked, barrier = xp.empty((highest + 1) ** 2, np.uint32), xp.empty(2, np.uint32)
    run("prepare", n, n, int(blocked.size), near, mark, blocked, control, barrier)
    limits = (longest, work, _ROUNDS)
    arguments = (graph.indptr, graph.indices, highest, tops, top, *limits, near, mark, blocked, control)
    while True:
        run("swap_chains", 32 * pairs * min(tops, _WINDOW), *arguments, barrier, colors, report.blank())
        numbers = report.read()
        if numbers[_HEAD] == tops or numbers[_WORK] >= work:
            return numbers[_FREED] == tops
