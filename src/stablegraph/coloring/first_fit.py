"""First fit, the greedy coloring: each vertex in turn takes the lowest color that none of its neighbors has.

Result: a proper coloring that depends only on the graph and the order. The parallel algorithms of this package
reproduce it. It has at most one color more than the largest degree. Within capacities and lists of permitted colors it
is a partial coloring: a vertex remains without a color if no permitted color is free.

Rule: color(v) = min({0, 1, 2, ...} - {color(u) : u adjacent to v and ahead of it}), or the lowest such color that is
permitted and has room for the size of v. The oracle is `first_fit` in tests/support/naive.py. In the code:
`lowest_free_color` (rules.py) on one thread, `_fit_or_wait` on several, `_fit_within` with limits; the engine is
_core/engines/order.py.

Idea: the colors below 63 of the neighbors are a set in one register (rules.py). Only if all of them are taken, the row
is read again for the higher colors. Rows of four and six entries, which are typical of grids, are read without a loop;
this saves a third of the time on grids.

On threads, a vertex that needs the color of a neighbor which is ahead and uncolored waits: another thread is coloring
it or will do so soon. Three things keep waits short:

- At any time only about a thousand vertices are in progress, so in most graphs few vertices have to wait.
- A vertex reads its whole row before it waits, and afterwards reads only the vertices that it waits for. If long rows
  depend on one another, most of the reading is therefore still done in parallel.
- Pieces are short: 64 vertices, or fewer if rows are long.

With fewer than three threads, waiting and positions take 1.3 to 3 times as long as the rule for one thread. At distance
2 see nets.py. A GPU has its own schedules (cuda/jones_plassmann.py, cuda/at_two.py).

State: colors[v], `NO_COLOR` until v is colored. On threads an uncolored v has ``NO_COLOR - 1 - (position of v in the
order)``: above all colors, and larger for earlier positions. Each element changes only once, so relaxed loads and
stores are enough. ``marks[c]`` is the last vertex with a neighbor of color c. Vertices with equal lists of permitted
colors share a row of a table.

Cost: O(n + m), divided among the threads. With limits also, for each vertex, the colors up to its own; one thread.
Work memory: one number per possible color and thread. With limits 16 bytes per vertex and 24 per color.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.order import in_pieces, in_turn
from .._core.runtime import (
    BoolTable,
    Int32s,
    Int64s,
    Int64Table,
    Rows,
    VertexTable,
    Vertices,
    atomic_load,
    atomic_store,
    kernel,
    lower_bound,
    rule,
    yield_thread,
)
from .._core.runtime.partitioning import CACHE_LINE
from ..graph import Graph
from .constraints import Constraints, loads_of
from .nets import fit_at_two
from .order import visiting_order
from .reduction.tabu import lacks_room
from .rules import (
    EMPTY,
    IN_REGISTER,
    NO_COLOR,
    bit_in_register,
    colors_around,
    lowest_free_color,
    lowest_missing,
    lowest_unmarked,
    mark,
    mark_colors,
)

_LONG = 256  # entries; in longer rows, searching for the diagonal is worthwhile
_ENTRIES = 1024  # of a piece
_SHORT = 32  # entries; reading longer rows takes longer than waiting
_MAX_WAITS = 128  # postponed vertices; if there are more, the thread waits for some of them before it continues
_FREE_MARKS = 1 << 20  # marks that are always acceptable
_STRIDE = CACHE_LINE // 4  # numbers between the work memories of two workers, so that they share no cache line


def numbers_to_mark(graph: Graph) -> int:
    """Return the size of the array of marks for the colors around one vertex."""
    maximum = min(graph.num_vertices, int(graph.facts["longest_row"]))  # vertices around it
    return max(maximum, IN_REGISTER) + 2  # one for a free color, and one for all colors beyond the array


# ---- One thread


class Coloring(NamedTuple):
    """The state of a coloring by one thread."""

    colors: Int32s
    marks: Vertices
    longest: int  # by id, longer rows are read only up to the diagonal: later ids are still uncolored


@rule(inline=False)
def _diagonal(v, start, end, indices):
    """Return the position in a sorted row of the first entry that is not below v."""
    return lower_bound(indices, start, end, v)


@in_turn(by_id=True)
def _fit(worker, v, rows: Rows, state: Coloring):
    """Color v with the lowest color that no neighbor has."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    if end - start > state.longest:
        end = _diagonal(v, start, end, rows.indices)
    state.colors[v] = lowest_free_color(v, start, end, rows.indices, state.marks, state.colors)
    return True


def color_on_one_thread(graph: Graph, vertices: Any | None, colors: Any) -> None:
    """Do the same as `color_vertices` on one thread."""
    id_type = graph.indices.dtype
    if vertices is not None:  # kernels are compiled for this form only
        vertices = np.ascontiguousarray(vertices, id_type)
    longest = _LONG if graph.is_sorted and vertices is None else graph.num_entries
    state = Coloring(colors, np.full(numbers_to_mark(graph), -1, id_type), longest)
    _fit(Rows(graph.indptr, graph.indices), vertices, state)


# ---- Several threads


class SharedColoring(NamedTuple):
    """The state of a coloring by threads, with work memory for each worker."""

    colors: Int32s
    waited: VertexTable  # (workers, _MAX_WAITS + _STRIDE): the vertices that a worker waits for
    marks: VertexTable  # (workers, colors)


@kernel
def _store_position(i, vertices: Vertices, colors: Int32s):
    """Store the position of a vertex instead of a color."""
    colors[vertices[i]] = NO_COLOR - 1 - i


@kernel
def _clear_position(i, vertices: Vertices, colors: Int32s):
    """Remove the position of a vertex."""
    colors[vertices[i]] = NO_COLOR


@rule
def _waits(v, window, rows, state):
    """Return whether v needs the color of a vertex at most `window` positions before it; long rows do not count."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    result = False
    if end - start <= _SHORT:
        for e in range(start, end):
            result |= 0 < state.colors[rows.indices[e]] - state.colors[v] <= window
    return result


@rule(inline=False)
def _scan_entries(position, start, end, indices, colors, waited, count):
    """Collect the colors of the entries from `start` to `end`, and list the uncolored vertices that are ahead."""
    taken = EMPTY
    for e in range(start, end):
        color = atomic_load(colors, indices[e])
        if color > position:
            waited[count] = indices[e]
            count += 1
        else:
            taken |= bit_in_register(color)
    return taken, count


@rule(inline=False)
def _wait(u, position, colors):
    """Wait until vertex u, which is ahead of a position, has a color; return the color."""
    color = atomic_load(colors, u)
    while color > position:
        yield_thread()
        color = atomic_load(colors, u)
    return color


@in_pieces(waits=_waits, entries=_ENTRIES)
def _fit_or_wait(worker, v, rows: Rows, state: SharedColoring):
    """Color v with the lowest color that no vertex ahead of it has; wait for these vertices if necessary."""
    indices, colors, waited, marks = rows.indices, state.colors, state.waited[worker], state.marks[worker]
    position, row_start, row_end = colors[v], rows.indptr[v], rows.indptr[v + 1]
    taken, count = EMPTY, 0
    for start in range(row_start, row_end, _MAX_WAITS // 2):
        end = min(start + _MAX_WAITS // 2, row_end)
        known, highest = colors_around(start, end, indices, colors)
        if highest > position:
            while count > _MAX_WAITS // 2:
                count -= 1
                taken |= bit_in_register(_wait(waited[count], position, colors))
            known, count = _scan_entries(position, start, end, indices, colors, waited, count)
        taken |= known
    is_full = lowest_missing(taken) >= IN_REGISTER
    if is_full:
        mark_colors(v, row_start, row_end, indices, marks, colors)  # meanwhile threads color the missing vertices
    for w in range(count):
        color = _wait(waited[w], position, colors)
        taken |= bit_in_register(color)
        mark(color, v, marks)
    color = lowest_missing(taken)
    if color >= IN_REGISTER:
        if not is_full:
            mark_colors(v, row_start, row_end, indices, marks, colors)
        color = lowest_unmarked(v, marks, IN_REGISTER)
    atomic_store(colors, v, color)
    return True


def color_on_threads(graph: Graph, vertices: Any, colors: Any, workers: int) -> bool:
    """Color the vertices in the given order; the colors of all other vertices are kept and respected.

    Return whether the vertices were colored. They are not if threads would mostly wait, if a row is so long that the
    marks of all threads would take more memory than the graph, or if given colors are as high as the numbers that
    represent positions.
    """
    n, id_type, numbers = graph.num_vertices, graph.indices.dtype, numbers_to_mark(graph) + _STRIDE
    highest = int(np.where(colors == NO_COLOR, 0, colors).max()) if vertices.size < n else 0  # of the other vertices
    if workers * numbers > max(_FREE_MARKS, n + graph.num_entries) or highest >= NO_COLOR - vertices.size:
        return False
    _store_position(vertices.size, vertices, colors)
    waited = np.empty((workers, _MAX_WAITS + _STRIDE), id_type)
    state = SharedColoring(colors, waited, np.full((workers, numbers), -1, id_type))
    if not _fit_or_wait(Rows(graph.indptr, graph.indices), vertices, state, workers):
        _clear_position(vertices.size, vertices, colors)
        return False
    return True


# ---- One thread, with limits

_KIND, _SIZE = range(2)  # of a vertex: its row in the table of permitted colors + 2**32 times its level; its size
_LOWEST, _GAP = range(2)
_COLUMN, _ROOM, _MARK = range(3)  # the fields of a color: its column in this table, the size that still fits, a mark


class Limits(NamedTuple):
    """The state of a coloring with limits: the colors, and their positions in the palette."""

    colors: Int32s
    vertices: Int64Table  # (n, 2)
    palette: Int64Table  # (k, 3)
    table: BoolTable  # (kinds, columns): the permitted colors
    free: Int64Table  # (k, levels): rooms, as in tabu.py
    bounds: Int64s  # (2,): the first color with room, and the gap


@in_turn(accesses=128)
def _fit_within(worker, v, rows: Rows, state: Limits):
    """Color v with the lowest permitted color that no neighbor has or is near, and that has room for v, if any."""
    colors, vertices, palette, table, free, bounds = state
    k, gap = palette.shape[0], bounds[_GAP]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        color = colors[rows.indices[e]]
        if color < k:
            palette[color, _MARK] = v
            if gap > 1:
                for near in range(max(color - gap + 1, 0), min(color + gap, k)):
                    palette[near, _MARK] = v
    while bounds[_LOWEST] < k and palette[bounds[_LOWEST], _ROOM] <= 0:
        bounds[_LOWEST] += 1
    kind, size = vertices[v, _KIND], vertices[v, _SIZE]
    kind, level = kind & 0xFFFFFFFF, kind >> 32
    color = bounds[_LOWEST] if size > 0 else 0
    while color < k and (
        palette[color, _MARK] == v
        or not table[kind, palette[color, _COLUMN]]
        or size > palette[color, _ROOM]
        or lacks_room(color, level, free)
    ):
        color += 1
    if color < k:
        colors[v] = color
        palette[color, _ROOM] -= size
        for higher in range(level, free.shape[1]):
            free[color, higher] -= 1
    return True


def fit_within(
    graph: Graph, vertices: Any, colors: Any, limits: Constraints, palette: np.ndarray, capacity: np.ndarray
) -> None:
    """Color the vertices in their order, with positions in a palette; the colors of other vertices are kept."""
    colored = np.flatnonzero(colors != NO_COLOR)
    room = capacity - loads_of(colors[colored], limits.sizes[colored], capacity.size)
    fields = np.stack([limits.columns_of(palette), room, np.full(room.size, -1)], axis=1)
    of_vertices = np.stack([limits.kinds + (limits.levels << 32), limits.sizes], axis=1)
    free = limits.free_rooms(colored, colors[colored], capacity.size)
    state = Limits(colors, of_vertices, fields, limits.table, free, np.array([0, limits.gap]))
    _fit_within(Rows(graph.indptr, graph.indices), vertices.astype(graph.indices.dtype, copy=False), state)


# ---- The order


def color_vertices(graph: Graph, vertices: Any | None, colors: Any) -> None:
    """Color the vertices in the given order, which has no repeats; None means all vertices by id.

    If `vertices` is given, other vertices may already be colored; their colors are kept and respected.
    """
    if workers := _fit_or_wait.workers(Rows(graph.indptr, graph.indices)):
        order = np.arange(graph.num_vertices, dtype=graph.indices.dtype) if vertices is None else vertices
        if color_on_threads(graph, order, colors, workers):
            return
    color_on_one_thread(graph, vertices, colors)


def color_in_order(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32; non-negative colors in `fixed` are kept, and their vertices come first."""
    colors = graph.xp.full(graph.num_vertices, NO_COLOR, np.int32)
    by_id = fixed is None and isinstance(order, str) and order == "natural"
    color_vertices(graph, None if by_id else _vertices_to_color(graph, order, ties, fixed, seed, colors), colors)
    return colors


def color_at_two(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Any:
    """Return the colors as int32, like `color_in_order`, where vertices with a common neighbor also differ."""
    colors = graph.xp.full(graph.num_vertices, NO_COLOR, np.int32)
    vertices = _vertices_to_color(graph, order, ties, fixed, seed, colors)
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
