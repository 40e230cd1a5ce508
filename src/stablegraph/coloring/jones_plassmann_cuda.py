"""First fit in an order on a GPU: the driver of jones_plassmann.cu; result as in first_fit.py.

If hashes break ties and there are more than `_MAX_IN_PLACE` vertices, the waiting vertices are listed in the first few
rounds. With ties by id this does not help: the chains are far longer than these rounds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import CudaSource, report
from ..graph import Graph
from .order_cuda import BY_DEGREE, comparison

SOURCE = CudaSource(__file__, "jones_plassmann.cu", also=("order.cuh",))

_WAITING = 2  # index in `lengths` of the first list of waiting vertices
_MAX_IN_PLACE = 4 << 20  # vertices
_ROUNDS = 4  # lists
_TURNS = 4096  # visits of a thread to its vertices per launch; bounds the latency of Ctrl-C
_SHORT, _CHUNK = 29, 1024  # entries, as in jones_plassmann.cu


def color(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    xp, n, entries = graph.xp, graph.num_vertices, graph.num_entries
    run, ids = SOURCE.for_graph(graph), graph.indices.dtype
    order_of = comparison(graph, order, ties, fixed, seed)
    head = (n, graph.indptr, graph.indices, *order_of)
    has_long = graph._scanned().longest_row > _SHORT
    # If degrees are the lengths of rows, minus a constant, no short row is ahead of a long one.
    apart = not has_long or (order_of.by == BY_DEGREE and order_of.degree_ptr is graph.indptr)
    rounds = _ROUNDS if apart and order_of.hashed and n > _MAX_IN_PLACE else 0
    eager = int(not order_of.hashed)  # in order of ids, vertices mostly wait for vertices with close ids
    states, words = xp.empty(n, np.uint32), xp.empty(n + (entries // 16 + 1) * has_long, np.uint32)
    lengths = xp.zeros(_WAITING + rounds, np.int64) if has_long or rounds else 0
    arrays = (graph.indptr, graph.indices, states, words)
    if has_long:
        room = min(n, entries // (_SHORT + 1))  # maximum number of long rows
        waits, extra = xp.empty(entries, ids), xp.empty(2 * (entries // _CHUNK), ids)
        listed, watched, counts = xp.empty((3, room), ids)
        lists = (waits, listed, watched, counts, lengths)
        run("start", n, *head, states, words, listed, watched, counts, extra, lengths)
        run("list_waits", entries // 4, *head, words, waits, listed, counts, extra, lengths)
    else:
        run("start", n, *head, states, words, 0, 0, 0, 0, 0)
    waiting = xp.empty((2, n), ids) if rounds else (0, 0)  # alternately, one is read and the other is written
    first_pass = True
    while True:
        remaining = report.blank()
        if has_long and apart:
            run("color_long", entries, n, _TURNS, graph.indptr, states, words, *lists, remaining)
        elif has_long:
            run("color_all", entries, n, eager, _TURNS, *arrays, *lists, remaining)
        if apart:
            for turn in range(rounds if first_pass else 0):
                run("list_short", n, n, turn, *arrays, waiting[(turn + 1) % 2], waiting[turn % 2], lengths)
            run("color_short", n, n, rounds, waiting[(rounds + 1) % 2], eager, _TURNS, *arrays, lengths, remaining)
        first_pass = False
        if report.read()[0] == 0:
            return states.view(np.int32)
