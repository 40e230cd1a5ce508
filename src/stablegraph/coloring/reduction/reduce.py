"""Color reduction: the algorithms of `vertex_coloring(reduce=...)`, applied to a proper coloring.

Result: a proper coloring with colors 0 .. K - 1, none of them empty, and at most as many colors as before. It depends
only on the graph without its loops and duplicates, the coloring and the seed.

Rule: reductions are tried in turn, each starting from the result of the previous one, until none saves a color.

`quick` gives two colors to bipartite components and continues with the exchanges of ECL-GC-R until they stop making
progress. Short Kempe chains often help then. `quick` ends when these do not save a color either.

`thorough` starts from this result, from a smallest-last coloring if it needs no more colors, or from a saturation
coloring if that needs fewer. It then searches repeatedly for a coloring with one color less, k colors. Only the k-core
(`cores` in degeneracy.py) has to be searched, which is often small. Three searches are tried until one succeeds:
iterated greedy, which is good on structured graphs; Kempe chains, which are good on planar and other sparse graphs; and
a tabu search, which is good on random graphs. It ends when none succeeds, or after 2**14 accesses per entry and vertex
of the graph, at most 2**31.

In the code: `quick`, `thorough`, and `_search_fewer_colors` for one color less.

Iterated greedy repeats first fit (first_fit.py), where the vertices of an earlier class come first; `_order_of_classes`
decides. Idea: if the vertices are grouped by their old colors, first fit never needs more colors than before, for any
order of the classes: the vertices of a class are not adjacent, so after i classes each can take one of the colors 0 ..
i. The order of the classes determines the gain. Three orders are chosen at random: from the last class to the first; by
decreasing size, which empties small classes; and a random order, to leave cycles of the other two. A pass is one first
fit and one sort by color.

Cost: `quick`: a few passes over the edges near vertices of the highest color, and short chains for an eighth of the
vertices. `thorough`: one to five seconds, and up to two more for the order by saturation. Work memory: that of the
individual reductions; 20 to 28 bytes per vertex for iterated greedy.

Source of iterated greedy: J. C. Culberson, "Iterated Greedy Graph Coloring and the Difficulty Landscape", TR 92-07,
University of Alberta, 1992.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.runtime import Bytes, Int32s, Rows, array_module, hash32, kernel
from ..._core.runtime.arrays import largest
from ..._core.runtime.primitives import histogram, sort_by_key
from ..._core.validation import host_array
from ...graph import Graph
from ...traversal.bipartition import two_sides
from ..degeneracy import cores
from ..first_fit import color_vertices
from ..order import visiting_order
from ..rules import NO_COLOR
from .ecl_gc_r import Exchange
from .kempe import free_highest
from .tabu import close_holes

_PASSES = 20  # of iterated greedy without a gain; more if they cost no more than 1 / _SHARE of the remaining accesses
_SHARE = 32
_PASS = 4  # accesses per vertex and entry, because rows are scattered in memory
_SHORT_CHAIN, _LONG_CHAIN = 100, 1000
_WORK_ON_SHORT_CHAINS = 1 << 14
_MAX_ACCESSES = 1 << 31
_MAX_CONFLICTS = 1 << 24  # numbers in the tables of the tabu search


@kernel
def _color_sides(v, sides: Bytes, colors: Int32s, result: Int32s):
    """Give a vertex of a bipartite component the color of its side; keep the colors of other vertices."""
    side = int(sides[v])
    result[v] = side - 1 if (side == 1) | (side == 2) else colors[v]


def two_color_components(graph: Graph, colors: Any) -> Any:
    """Use colors 0 and 1 in bipartite components that have more; 0 for the smallest vertex that had another color."""
    sides = two_sides(Rows(graph.indptr, graph.indices), colors >= 2)
    result = np.empty(colors.size, np.int32)
    _color_sides(colors.size, sides, colors, result)
    return result


def quick(graph: Graph, colors: Any, seed: int = 0) -> Any:
    """Reduce to two colors in bipartite components, then apply exchanges and short chains until no color is saved.

    This is not randomized: the seed is not used.
    """
    highest = largest(colors, 0)
    if highest < 2:
        return colors.copy()
    if highest**2 > 4 * graph.num_edges:
        # More colors than first fit ever needs, and too many for exchanges, which remove one color at a time.
        colors = recolor(graph, colors, np.arange(highest + 1))
    colors = without_gaps(two_color_components(graph, colors))
    work = _WORK_ON_SHORT_CHAINS + graph.num_vertices // 8
    while True:
        exchange = Exchange(graph, colors)
        while exchange.step():
            pass
        if exchange.highest < 3:
            return exchange.colors
        colors = free_highest(graph, exchange.colors, _SHORT_CHAIN, work)
        if largest(colors, -1) == exchange.highest:
            return colors


def thorough(graph: Graph, colors: Any, seed: int = 0, lower: int = 0) -> Any:
    """Apply `quick`, then save one color at a time, down to a `lower` bound if one is known."""
    if graph.device == "cuda":
        host = graph._replace(weights=None).to("cpu")
        return array_module("cuda").asarray(thorough(host, host_array(colors, "colors"), seed, lower))
    colors = quick(graph, colors)
    if graph.num_vertices == 0 or int(colors.max()) < max(lower, 3):
        return colors
    graph = graph.simple()
    order, core_numbers = cores(graph)
    colors = min((_first_fit(graph, order), colors), key=np.max)
    if int(colors.max()) >= max(lower, 3):
        colors = min((colors, _first_fit(graph, visiting_order(graph, "saturation", "id", seed))), key=np.max)

    accesses = min(_size(graph) << 14, _MAX_ACCESSES)
    while accesses > 0 and int(colors.max()) >= max(lower, 3):
        k = int(colors.max())
        core, outside = np.split(order, [np.count_nonzero(core_numbers >= k)])
        inside, accesses = _search_fewer_colors(graph.subgraph(core), without_gaps(colors[core]), k, accesses, seed)
        if inside is None:
            break
        colors[core] = inside
        colors[outside] = NO_COLOR
        color_vertices(graph, outside, colors)
        colors = without_gaps(colors)
    return colors


def without_gaps(colors: Any) -> Any:
    """Renumber the colors so that none is empty, and keep their order; the array itself if none is."""
    used = histogram(colors, largest(colors, -1) + 1) > 0
    if used.all():
        return colors
    numbers: Any = (used.cumsum() - 1).astype(np.int32)
    return numbers[colors]


def _first_fit(graph: Graph, order: Any) -> Any:
    colors = np.full(graph.num_vertices, NO_COLOR, np.int32)
    color_vertices(graph, order, colors)
    return quick(graph, colors)


def _search_fewer_colors(graph: Graph, colors: Any, k: int, accesses: int, seed: int) -> tuple[Any, int]:
    """Return a coloring with at most k colors, or None, and the number of remaining accesses."""
    cost = _PASS * _size(graph)
    passes = min(max(_PASSES, accesses // (_SHARE * cost)), accesses // cost)
    colors, passes = iterate(graph, colors, k, passes, seed)
    accesses -= passes * cost
    if int(colors.max()) >= k:
        colors = without_gaps(free_highest(graph, _larger_first(colors), _LONG_CHAIN, accesses >> 6))
    if int(colors.max()) < k:
        return colors, accesses
    if graph.num_vertices * k > _MAX_CONFLICTS:
        return None, accesses
    colors, used = close_holes(graph, colors, accesses, seed)
    return colors, accesses - used


# ---- Iterated greedy


def recolor(graph: Graph, colors: Any, classes: Any) -> Any:
    """Color the graph by first fit, one class after another in the given order."""
    rank = np.empty(classes.size, np.int64)
    rank[classes] = np.arange(classes.size)
    vertices = sort_by_key(rank[colors]).astype(graph.indices.dtype)
    colors = np.full_like(colors, NO_COLOR)
    color_vertices(graph, vertices, colors)
    return colors


def iterate(graph: Graph, colors: Any, target: int, passes: int, seed: int) -> tuple[Any, int]:
    """Recolor until there are at most `target` colors, or `passes` passes in a row saved none.

    Return the coloring and the number of passes.
    """
    count = int(colors.max()) + 1
    number = gained = 0
    while count > target and number - gained < passes:
        colors = recolor(graph, colors, _order_of_classes(histogram(colors, count), hash32((seed + number) % 2**32)))
        number += 1
        before, count = count, int(colors.max()) + 1
        if count < before:
            gained = number
    return colors, number


def _order_of_classes(sizes: Any, draw: int) -> Any:
    if draw % 10 < 5:
        return np.arange(sizes.size)[::-1]
    if draw % 10 < 8:
        return np.argsort(-sizes, kind="stable")
    return np.argsort(np.array([hash32(draw + color) for color in range(sizes.size)]), kind="stable")


# ---- Helpers


def _larger_first(colors: Any) -> Any:
    """Renumber the colors so that larger classes come first."""
    sizes = histogram(colors, int(colors.max()) + 1)
    numbers = np.empty(sizes.size, np.int32)
    numbers[np.argsort(-sizes, kind="stable")] = np.arange(sizes.size)
    return numbers[colors]


def _size(graph: Graph) -> int:
    return graph.num_vertices + graph.num_entries
