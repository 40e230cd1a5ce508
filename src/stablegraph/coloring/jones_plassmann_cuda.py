"""First fit in an order on a GPU; jones_plassmann.cu says how, in_order.py what."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel.cuda_source import CudaSource
from .order_cuda import BY_DEGREE, comparison

SOURCE = CudaSource(__file__, "jones_plassmann.cu", also=("order.cuh",))

_LONG_ROWS, _SHORT_ROWS = 1, 2
_LEFT = 2  # the place in `lengths` of whether vertices are left
_TURNS = 4096  # of a thread through its vertices in one launch, so that Ctrl-C is heard
_SHORT, _CHUNK = 29, 1024  # entries, as in the source
_COLOR = np.uint32((1 << 31) - 1)  # of the state of a colored vertex


def color(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """The colors as int32; those of `fixed` that are not negative stay, and their vertices are ahead of all others."""
    xp, n, entries = graph.xp, graph.num_vertices, graph.num_entries
    run, ids = SOURCE.for_graph(graph), graph.indices.dtype
    order_of = comparison(graph, order, ties, fixed, seed)
    head = (n, graph.indptr, graph.indices, *order_of)
    states, words = xp.empty(n, np.uint32), xp.empty(n + entries // 32 + 1, np.uint32)
    lengths = xp.zeros(3, np.int64)
    waits = listed = watched = counts = extra = 0
    phases = [_SHORT_ROWS]
    if graph._scanned().longest_row > _SHORT:
        most = min(n, entries // (_SHORT + 1))  # rows that are long
        waits = xp.empty(entries, ids)
        listed, watched, counts = xp.empty((3, most), ids)
        extra = xp.empty(2 * (entries // _CHUNK), ids)
        # Where degrees are lengths of rows, less a constant, no short row is ahead of a long one.
        apart = order_of.by == BY_DEGREE and order_of.degree_ptr is graph.indptr
        phases = [_LONG_ROWS, _SHORT_ROWS] if apart else [_LONG_ROWS | _SHORT_ROWS]
    run("start", n, *head, states, words, listed, watched, counts, extra, lengths)
    if phases[0] & _LONG_ROWS:
        run("list_waits", entries // 4, *head, words, waits, listed, counts, extra, lengths)
    eager = int(not order_of.hashed)  # ids in turn: whom a vertex waits for are mostly near it
    while True:
        for which in phases:
            threads = entries if which & _LONG_ROWS else n
            run(
                "color", threads, n, which, eager, _TURNS, graph.indptr, graph.indices, states, words, waits, listed,
                watched, counts, lengths,
            )  # fmt: skip
        if int(lengths[_LEFT]) == 0:
            break
        lengths[_LEFT] = 0
    states &= _COLOR
    return states.view(np.int32)
