"""First fit, the greedy coloring: each vertex in turn takes the lowest color that none of its neighbors has.

Result: a proper coloring that depends only on the graph and the order. The parallel algorithms of this package
reproduce it. It has at most one color more than the largest degree.

Rule: color(v) = min({0, 1, 2, ...} - {color(u) : u adjacent to v and ahead of it}). The oracle is `first_fit` in
tests/support/naive.py. In the code: `lowest_free_color` (rules.py).

Idea: the colors below 63 of the neighbors are a set in one register (rules.py). Only if all of them are taken, the row
is read again for the higher colors.

If the order is not by id, rows are scattered in memory and are prefetched, two cache lines each. Rows of four and six
entries, which are typical of grids, are read without a loop; this saves a third of the time on grids.

With three or more threads, first_fit_by_threads.py computes the same colors; with fewer threads, or one, its waiting
and positions take 1.3 to 3 times as long as these kernels. At distance 2 see nets.py. A GPU has its own schedules
(cuda/jones_plassmann.py, cuda/at_two.py, cuda/nets.py).

State: colors[v], `NO_COLOR` until v is colored.

Cost: O(n + m), one thread. Work memory: one number per possible color.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Rows, chunked, kernel, lower_bound, prefetch, rule, worker_count
from ..graph import Graph
from .first_fit_by_threads import color_on_threads
from .nets import fit_at_two
from .order import visiting_order
from .rules import NO_COLOR, lowest_free_color, numbers_to_mark

_AHEAD_BY = 64  # prefetch distance, in vertices
_LINE = 15  # entries of 4 bytes after which the next cache line has begun
_LONG = 256  # entries; in longer rows, searching for the diagonal is worthwhile
_STEP = 1 << 25  # entries and vertices per kernel call; bounds the latency of Ctrl-C
_MIN_THREADS = 3  # for fewer threads, waiting costs more than it gains
_LONGEST_ROW = 256  # limit for enumerating all pairs: a vertex may have this number squared within distance 2
_PAIRS = 0.5  # pairs that a thread checks in the time in which nets.py processes an entry


@kernel(by="single", types="int int V[] O[] V[] V[] int32[]")
def _color_listed(start, end, vertices, rows: Rows, marks, colors):
    """Color the vertices at positions `start` to `end`, in their order."""
    indptr, indices = rows
    last = vertices.size - 1
    for i in range(start, end):
        prefetch(indptr, vertices[min(i + 2 * _AHEAD_BY, last)])
        row = indptr[vertices[min(i + _AHEAD_BY, last)]]
        prefetch(indices, row)
        prefetch(indices, row + _LINE)
        v = vertices[i]
        colors[v] = lowest_free_color(v, indptr[v], indptr[v + 1], indices, marks, colors)


@rule(inline=False)
def _diagonal(v, start, end, indices):
    """Return the position in a sorted row of the first entry that is not below v."""
    return lower_bound(indices, start, end, v)


@kernel(by="single", types="int int int O[] V[] V[] int32[]")
def _color_by_id(start, end, longest, rows: Rows, marks, colors):
    """Color the vertices `start` to `end` by id; unlike in `_color_listed`, the processor prefetches by itself.

    Rows of more than `longest` entries, which must be sorted, are read only up to the diagonal: later ids are still
    uncolored.
    """
    indptr, indices = rows
    for v in range(start, end):
        row_start, row_end = indptr[v], indptr[v + 1]
        if row_end - row_start > longest:
            row_end = _diagonal(v, row_start, row_end, indices)
        colors[v] = lowest_free_color(v, row_start, row_end, indices, marks, colors)


def color_on_one_thread(graph: Graph, vertices: Any | None, colors: Any) -> None:
    """Do the same as `color_vertices` on one thread."""
    n, id_type = graph.num_vertices, graph.indices.dtype
    rows = Rows(graph.indptr, graph.indices)
    if vertices is not None:  # kernels are compiled for this form only
        vertices = np.ascontiguousarray(vertices, id_type)
    marks = np.full(numbers_to_mark(graph), -1, id_type)
    step = max(1, _STEP * n // max(1, n + graph.num_entries))
    for start, end in chunked(n if vertices is None else vertices.size, step):
        if vertices is None:
            _color_by_id(start, end, _LONG if graph.is_sorted else graph.num_entries, rows, marks, colors)
        else:
            _color_listed(start, end, vertices, rows, marks, colors)


def color_vertices(graph: Graph, vertices: Any | None, colors: Any) -> None:
    """Color the vertices in the given order, which has no repeats; None means all vertices by id.

    If `vertices` is given, other vertices may already be colored; their colors are kept and respected.
    """
    workers = worker_count("cpu", graph.num_vertices + graph.num_entries)
    if workers >= _MIN_THREADS:
        order = np.arange(graph.num_vertices, dtype=graph.indices.dtype) if vertices is None else vertices
        if color_on_threads(graph, order, colors, workers):
            return
    color_on_one_thread(graph, vertices, colors)


def color(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    colors = graph.xp.full(graph.num_vertices, NO_COLOR, np.int32)
    by_id = fixed is None and isinstance(order, str) and order == "natural"
    color_vertices(graph, None if by_id else _vertices_to_color(graph, order, ties, fixed, seed, colors), colors)
    return colors


def color_at_two(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32, like `color`, where vertices with a common neighbor also differ."""
    colors = graph.xp.full(graph.num_vertices, NO_COLOR, np.int32)
    vertices = _vertices_to_color(graph, order, ties, fixed, seed, colors)
    workers = worker_count("cpu", graph.num_vertices + graph.num_entries)
    if workers >= _MIN_THREADS and graph.facts["longest_row"] <= _LONGEST_ROW:
        pairs = int((graph.degrees.astype(np.int64) ** 2).sum())
        few = pairs <= _PAIRS * workers * graph.num_entries
        if few and color_on_threads(graph, vertices, colors, workers, 2, pairs):
            return colors
    fit_at_two(graph, vertices, colors)
    return colors


def _vertices_to_color(
    graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int, colors: Any
) -> Any:
    """Return the vertices without a fixed color, in their order; write the fixed colors to `colors`."""
    vertices = visiting_order(graph, order, ties, seed)
    if fixed is None:
        return vertices
    colors[fixed >= 0] = fixed[fixed >= 0]
    return vertices[colors[vertices] == NO_COLOR]
