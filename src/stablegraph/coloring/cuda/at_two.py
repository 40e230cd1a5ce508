"""First fit at distance 2 on a GPU, without the graph of all pairs: the driver of at_two.cu and nets.cu.

Result: as in ../nets.py.

If 64 colors are not enough, or a few vertices have far more neighbors than most, checking all pairs takes longer than
storing the colors with each vertex's neighborhood: then nets.cu colors by nets.

If vertices mostly wait for each other, one after another, as on a path with consecutive numbers and ties by id, the CPU
takes less time. How long these chains are is not known beforehand. So after each launch the whole time is estimated
from the share of vertices that have a color. On a grid numbered in order, colors spread like a wave from a corner, and
this share grows with the square of the time. If a time estimated by this rule is too long, the CPU colors the remaining
vertices. Colored vertices are ahead of all uncolored vertices within distance 2, so they have the same effect as
vertices with fixed colors.

By nets, too, the vertices of sparse graphs mostly wait for each other, one after another. Such graphs are copied to the
CPU, which takes a third of the time for this (17 instead of 83 ms for the conflict graph of a formula with 3.2 million
entries, on 16 cores); with longer rows the GPU takes less time than the CPU (23 instead of 62 ms on a social network).
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from ..._core.runtime import CudaSource
from ..._core.runtime.cuda.arrays import largest
from ..._core.validation import host_array
from ...graph import Graph
from .. import first_fit
from ..nets import longest_list
from ..order import visiting_order
from ..rules import WORD
from .jones_plassmann import comparison

SOURCE = CudaSource(__file__, "at_two.cu", also=("order.cuh",))
NETS = CudaSource(__file__, "nets.cu")

_MAX_COLORS = 64
_TURNS = 256  # visits of a thread to its vertices per launch; bounds the latency of Ctrl-C
_MAX_SECONDS = 7.5e-9  # per vertex and per entry: a quarter more than a CPU with 16 cores takes
_BATCH, _WINDOW, _MEMBERS = 1024, 32, 32  # vertices, and words of each, as in nets.cu
_MAX_BATCHES = 64  # batches between two checks of the progress: bounds the latency of Ctrl-C
_WAITS = np.uint32(1 << 31)  # in the state of an uncolored vertex; the other bits are its position in the order
_MAX_VERTICES = 1 << 31  # vertices
_SPARSE = 12  # entries per vertex, up to which the CPU takes less time


def color_at_two(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    xp, n = graph.xp, graph.num_vertices
    if graph._scanned().longest_row > 2 * _MAX_COLORS:  # a vertex and its neighbors need more than 64 colors
        return color_by_nets(graph, order, ties, fixed, seed)
    run, order_of = SOURCE.for_graph(graph), comparison(graph, order, ties, fixed, seed)
    colors, taken, places = xp.empty(n, np.uint32), xp.empty(n, np.uint64), xp.empty(n, np.uint64)
    watched = xp.empty(n, graph.indices.dtype)
    flags = xp.zeros(2, np.uint32)
    run("start", n, n, order_of.fixed, colors, watched, taken, places)
    eager = int(not order_of.hashed)  # in order of ids, vertices mostly wait for vertices with close ids
    limit, start = _MAX_SECONDS * (n + graph.num_entries), perf_counter()
    while True:
        run("color", n, n, eager, _TURNS, graph.indptr, graph.indices, *order_of, colors, watched, taken, places, flags)
        uncolored, full = flags.tolist()
        if full:
            return color_by_nets(graph, order, ties, fixed, seed)
        if not uncolored:
            return colors.view(np.int32)
        if (perf_counter() - start) ** 2 * n > limit**2 * (n - uncolored):
            break
        flags[:] = 0
    return color_on_cpu(graph, order, ties, colors.view(np.int32), seed)


def color_by_nets(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Do the same as `color_at_two` by nets, for any number of colors."""
    xp, n, ids = graph.xp, graph.num_vertices, graph.indices.dtype
    if n > _MAX_VERTICES or graph.num_entries <= _SPARSE * n:
        return color_on_cpu(graph, order, ties, fixed, seed)
    states = xp.zeros(n, np.uint32)  # vertices without neighbors keep color 0
    waits = graph.degrees > 0
    if fixed is not None:
        states[:] = xp.maximum(fixed, 0)
        waits &= fixed < 0
    vertices = visiting_order(graph, order, ties, seed)
    vertices = vertices[waits[vertices]]
    count = vertices.size
    states[vertices] = xp.arange(count, dtype=np.uint32) | _WAITS

    sizes = xp.diff(graph.indptr) + 1
    members_of = xp.flatnonzero(sizes > longest_list(sizes))
    nets = members_of.size
    large = xp.full(n, -1, ids)  # the row of a large net
    large[members_of] = xp.arange(nets, dtype=ids)
    members, hints = xp.zeros((2, nets, _MEMBERS), np.uint32), xp.zeros(nets, np.int32)
    windows, common = xp.empty((_BATCH, _WINDOW), np.uint64), xp.empty((_BATCH, _MEMBERS), np.uint32)
    starts, turn = xp.empty(_BATCH, np.int32), xp.zeros(4, np.int64)
    width = largest(sizes, 0) // WORD + 1  # usually no net needs more colors than the largest one
    words = xp.zeros((nets, width), np.uint64)
    run, rows = NETS.for_graph(graph), (graph.indptr, graph.indices, large)
    threads, first, full = _BATCH * NETS.block, 0, 0
    while first < count:
        if fixed is not None and (first == 0 or full):
            run("store_fixed", n * _MEMBERS, n, *rows, fixed, width, words)
        head = (count, _BATCH, vertices, *rows, nets, width, states, words, members, hints, turn)
        for _ in range(min(_MAX_BATCHES, -(-(count - first) // _BATCH))):
            run("advance", 2 * threads, *head)
            run("gather", threads, *head, windows, common, starts)
            run("resolve", 1, count, _BATCH, vertices, width, states, windows, common, starts, turn)
        first, _, _, full = turn.tolist()
        if full:
            words, width = xp.concatenate([words, xp.zeros_like(words)], axis=1), 2 * width
            turn[3] = 0
    return states.view(np.int32)


def color_on_cpu(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors that the CPU finds, in the memory of the graph."""
    known = None if fixed is None else host_array(fixed, "fixed")
    host = graph._replace(weights=None).to("cpu")
    return graph.xp.asarray(first_fit.color_at_two(host, order, ties, known, seed))
