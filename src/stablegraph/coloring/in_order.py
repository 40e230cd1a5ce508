"""First fit in a named order, or in an order given by numbers, at distance 1 and 2.

Result: the colors that first_fit.py and nets.py define. With three or more threads, first_fit_by_threads.py is used;
with fewer threads it is no faster than one thread. A GPU has its own implementations (jones_plassmann_cuda.py,
at_two_cuda.py, nets_cuda.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import worker_count
from ..graph import Graph
from . import first_fit, first_fit_by_threads
from .first_fit import NO_COLOR
from .nets import fit_at_two
from .order import visiting_order

_MIN_THREADS = 3  # for fewer threads, waiting costs more than it gains
_LONGEST_ROW = 256  # limit for enumerating all pairs: a vertex may have this number squared within distance 2
_PAIRS = 1  # pairs that a thread checks in the time in which nets.py processes an entry


def visit(graph: Graph, vertices: Any | None, colors: Any) -> None:
    """Color the vertices in the given order, which has no repeats; None means all vertices by id.

    If `vertices` is given, other vertices may already be colored; their colors are kept and respected.
    """
    workers = worker_count("cpu", graph.num_vertices + graph.num_entries)
    if workers >= _MIN_THREADS:
        order = np.arange(graph.num_vertices, dtype=graph.indices.dtype) if vertices is None else vertices
        if first_fit_by_threads.visit(graph, order, colors, workers):
            return
    first_fit.visit(graph, vertices, colors)


def color(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    colors = graph.xp.full(graph.num_vertices, NO_COLOR, np.int32)
    if fixed is None and isinstance(order, str) and order == "natural":
        visit(graph, None, colors)
        return colors
    visit(graph, _free(graph, order, ties, fixed, seed, colors), colors)
    return colors


def color_at_two(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32, like `color`, where vertices with a common neighbor also differ."""
    colors = graph.xp.full(graph.num_vertices, NO_COLOR, np.int32)
    vertices = _free(graph, order, ties, fixed, seed, colors)
    workers = worker_count("cpu", graph.num_vertices + graph.num_entries)
    if workers >= _MIN_THREADS and graph.facts["longest_row"] <= _LONGEST_ROW:
        pairs = int((graph.degrees.astype(np.int64) ** 2).sum())
        few = pairs <= _PAIRS * workers * graph.num_entries
        if few and first_fit_by_threads.visit(graph, vertices, colors, workers, 2, pairs):
            return colors
    fit_at_two(graph, vertices, colors)
    return colors


def _free(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int, colors: Any) -> Any:
    """Return the vertices without a fixed color, in their order; write the fixed colors to `colors`."""
    vertices = visiting_order(graph, order, ties, seed)
    if fixed is None:
        return vertices
    colors[fixed >= 0] = fixed[fixed >= 0]
    return vertices[colors[vertices] == NO_COLOR]
