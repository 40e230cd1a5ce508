"""First fit at distance 2 on a GPU, without the graph of all pairs: the driver of at_two.cu; result as in first_fit.py.

If 64 colors are not enough, or a few vertices have far more neighbors than most, checking all pairs takes longer than
storing the colors with each vertex's neighborhood. These cases use nets.py.

If vertices mostly wait for each other, one after another, as on a path with consecutive numbers and ties by id, the CPU
takes less time. How long these chains are is not known beforehand. So after each launch the whole time is estimated
from the share of vertices that have a color. On a grid numbered in order, colors spread like a wave from a corner, and
this share grows with the square of the time. If a time estimated by this rule is too long, the CPU colors the remaining
vertices. Colored vertices are ahead of all uncolored vertices within distance 2, so they have the same effect as
vertices with fixed colors.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np

from ..._core.runtime import CudaSource
from ...graph import Graph
from . import nets as nets_cuda
from .order import comparison

SOURCE = CudaSource(__file__, "at_two.cu", also=("order.cuh",))

_MAX_COLORS = 64
_TURNS = 256  # visits of a thread to its vertices per launch; bounds the latency of Ctrl-C
_MAX_SECONDS = 7.5e-9  # per vertex and per entry: a quarter more than a CPU with 16 cores takes


def color_at_two(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    xp, n = graph.xp, graph.num_vertices
    if graph._scanned().longest_row > 2 * _MAX_COLORS:  # a vertex and its neighbors need more than 64 colors
        return nets_cuda.color_at_two(graph, order, ties, fixed, seed)
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
            return nets_cuda.color_at_two(graph, order, ties, fixed, seed)
        if not uncolored:
            return colors.view(np.int32)
        if (perf_counter() - start) ** 2 * n > limit**2 * (n - uncolored):
            break
        flags[:] = 0
    return nets_cuda.color_on_cpu(graph, order, ties, colors.view(np.int32), seed)
