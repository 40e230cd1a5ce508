"""First fit in an order on a GPU: the driver of jones_plassmann.cu; result as in first_fit.py.

If hashes break ties and there are more than `_MAX_IN_PLACE` vertices, the waiting vertices are listed in the first few
rounds. With ties by id this does not help: the chains are far longer than these rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import CudaSource, report
from ..._core.runtime.cuda.gpu_memory import WorkMemory, barrier_words
from ...graph import Graph
from .order import BY_DEGREE, comparison

SOURCE = CudaSource(
    __file__,
    "jones_plassmann.cu",
    also=("order.cuh",),
    block=512,
    cooperative=True,
    variants=({"HAS_LONG": 0}, {"HAS_LONG": 1}),
)

_WAITING = 2  # index in `lengths` of the first list of waiting vertices
_MAX_IN_PLACE = 4 << 20  # vertices
_ROUNDS = 4  # lists
_TURNS = 4096  # visits of a thread to its vertices per launch; bounds the latency of Ctrl-C
_SHORT, _CHUNK = 29, 1024  # entries, as in jones_plassmann.cu


def color(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    n, entries, id_size = graph.num_vertices, graph.num_entries, graph.indices.dtype.itemsize
    order_of = comparison(graph, order, ties, fixed, seed)
    has_long = graph._scanned().longest_row > _SHORT
    # If degrees are the lengths of rows, minus a constant, no short row is ahead of a long one.
    apart = not has_long or (order_of.by == BY_DEGREE and order_of.degree_ptr is graph.indptr)
    rounds = _ROUNDS if apart and order_of.hashed and n > _MAX_IN_PLACE else 0
    room = min(n, entries // (_SHORT + 1)) * has_long  # maximum number of long rows
    work = WorkMemory(
        words=4 * (n + (entries // 16 + 1) * has_long),
        waits=id_size * entries * has_long,
        listed=id_size * room,
        watched=id_size * room,
        counts=id_size * room,
        extra=2 * id_size * (entries // _CHUNK) * has_long,
        waiting=2 * id_size * n * (rounds > 0),
        lengths=8 * (_WAITING + rounds),
    )
    colors = graph.xp.empty(n, np.int32)
    run, first = SOURCE.for_graph(graph, HAS_LONG=int(has_long)), 1
    while True:
        run(
            "color", max(n, entries * has_long), n, graph.indptr, graph.indices, *order_of, first, int(apart), rounds,
            _TURNS, colors, work.words, work.waits, work.listed, work.watched, work.counts, work.extra, work.waiting,
            work.lengths, barrier_words(), report.blank(),
        )  # fmt: skip
        if report.read()[0] == 0:
            return colors
        first = 0
