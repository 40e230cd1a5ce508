"""First fit in an order on a GPU; jones_plassmann.cu says how, in_order.py what."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel.cuda_source import CudaSource
from .order_cuda import BY_DEGREE, comparison

SOURCE = CudaSource(__file__, "jones_plassmann.cu", also=("order.cuh",))

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
    eager = int(not order_of.hashed)  # ids in turn: whom a vertex waits for are mostly near it
    short = (n, eager, _TURNS, graph.indptr, graph.indices, states, words)
    if graph._scanned().longest_row <= _SHORT:
        run("start", n, *head, states, words, 0, 0, 0, 0, lengths)
        launches: list[tuple[Any, ...]] = [("color_short", n, *short, lengths)]
    else:
        most = min(n, entries // (_SHORT + 1))  # rows that are long
        waits, extra = xp.empty(entries, ids), xp.empty(2 * (entries // _CHUNK), ids)
        listed, watched, counts = xp.empty((3, most), ids)
        run("start", n, *head, states, words, listed, watched, counts, extra, lengths)
        run("list_waits", entries // 4, *head, words, waits, listed, counts, extra, lengths)
        lists = (waits, listed, watched, counts, lengths)
        if order_of.by == BY_DEGREE and order_of.degree_ptr is graph.indptr:
            # Degrees are lengths of rows, less a constant: no short row is ahead of a long one.
            launches = [
                ("color_long", entries, _TURNS, graph.indptr, states, words, *lists),
                ("color_short", n, *short, lengths),
            ]
        else:
            launches = [("color_all", entries, *short, *lists)]
    while True:
        for launch in launches:
            run(*launch)
        if int(lengths[_LEFT]) == 0:
            break
        lengths[_LEFT] = 0
    states &= _COLOR
    return states.view(np.int32)
