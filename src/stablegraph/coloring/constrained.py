"""Colorings with constraints: a number of colors, capacities, permitted colors, and fixed colors.

Result: a proper coloring that satisfies all constraints, or an error with the reason. It depends only on the graph, the
constraints, the order and the seed.

Rule: first fit within the constraints (first_fit.py), restricted vertices first. If vertices remain without a
color, a tabu search (tabu.py) and, on small graphs, an exhaustive search (exhaustive.py) color them. Then the
number of colors is reduced, if it is not given: the vertices of one color lose it, and the tabu search distributes
them over the other colors. Finally, the loads of the colors are made equal: by moves and swaps, then by a tabu search
with the lowest capacities for which it finds a coloring.

In the code: `color_within`.

Idea: fixed vertices are removed before the searches. Their colors are forbidden for their neighbors, and their sizes
count for the loads.

Cost: first fit, and the accesses of the searches: 2**20 per entry and vertex, at most 2**31, about ten seconds, if no
coloring is found; 2**14, at most 2**31, with ``reduce="thorough"``; and 2**8, at most 2**27, with "quick". Work memory:
9 bytes per vertex and color for a search, and 60 per vertex.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..graph import Graph
from .bounds import large_clique
from .constraints import ColoringNotFound, Constraints, ImpossibleColoring, loads_of
from .degeneracy import removal_order, with_simple_rows
from .first_fit import fit_within
from .infeasible import check_possible, free_colors, rooms_needed
from .reduction.exhaustive import search_all
from .reduction.tabu import HoleSearch, Seats
from .rules import NO_COLOR

# Accesses of searches, per entry and vertex of the graph (binary logarithms), and in total.
_MAX_ACCESSES = {"none": (0, 0), "quick": (8, 1 << 27), "thorough": (14, 1 << 31), "complete": (20, 1 << 31)}
_MAX_PAIRS = 1 << 25  # pairs of a vertex and a color in the tables of a search


@dataclass(frozen=True)
class _Problem:
    """The vertices without a fixed color, and the constraints."""

    graph: Graph  # of these vertices
    vertices: np.ndarray
    whole: Graph
    limits: Constraints
    seed: int

    def search(self, palette: np.ndarray, capacity: np.ndarray) -> HoleSearch | None:
        """Return a search with the colors of a palette; None if its tables are too large, or a vertex has no color."""
        if self.vertices.size * palette.size > _MAX_PAIRS:
            return None
        forbidden = ~free_colors(self.whole, self.limits, self.vertices, palette)
        sizes, (base, free) = self.limits.sizes[self.vertices], self.fixed_loads(palette)
        seats = Seats(self.limits.levels[self.vertices], free)
        return HoleSearch(self.graph, sizes, forbidden, base, capacity, seats, self.limits.gap, self.seed)

    def fixed_loads(self, palette: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the total size of the vertices that are fixed to each color of a palette, and the other rooms."""
        fixed = np.flatnonzero(self.limits.fixed >= 0)
        place = np.searchsorted(palette, self.limits.fixed[fixed])
        free = self.limits.free_rooms(fixed, place, palette.size)
        return loads_of(place, self.limits.sizes[fixed], palette.size), free

    def fill(self, colors: np.ndarray, palette: np.ndarray, capacity: np.ndarray, accesses: int) -> tuple[Any, int]:
        """Complete a coloring with the colors of a palette; return it or None, and the number of accesses."""
        search = self.search(palette, capacity)
        if search is None:
            return None, 0
        positions, used = search.fill(_positions(colors[self.vertices], palette), accesses)
        used += search.forbidden.size  # to fill the tables
        return (None if positions is None else self.complete(palette[positions])), used

    def complete(self, colors: np.ndarray) -> np.ndarray:
        """Return the colors of all vertices, given those without a fixed color."""
        result = self.limits.fixed.astype(np.int32, copy=True)
        result[self.vertices] = colors
        return result


def _positions(colors: np.ndarray, palette: np.ndarray) -> np.ndarray:
    """Return the place of each color in a palette, or the size of the palette for any other color."""
    place = np.searchsorted(palette, colors)
    return np.where(np.append(palette, -1)[place] == colors, place, palette.size).astype(np.int32)


def color_within(
    graph: Graph, limits: Constraints, order: np.ndarray, reduce: str, balance: bool, seed: int, clique: np.ndarray
) -> np.ndarray:
    """Return a coloring; the graph has simple, sorted rows in host memory, and the order contains all vertices."""
    check_possible(graph, limits, clique)
    free = np.flatnonzero(limits.fixed < 0)
    problem = _Problem(Graph._trusted(graph.indptr, graph.indices).subgraph(free), free, graph, limits, seed)
    accesses = {name: min(_size(graph) << shift, limit) for name, (shift, limit) in _MAX_ACCESSES.items()}
    palette = limits.palette(limits.fixed.size)
    colors = _first_coloring(problem, order, palette, limits.capacity_of(palette))
    if (colors == NO_COLOR).any():
        colors = _completed(problem, colors, order, accesses["quick"], accesses["complete"])
    if limits.count is None and accesses[reduce]:
        colors = _with_fewer_colors(problem, colors, fewest_colors(limits, clique.size)[0], accesses[reduce])
        colors = _renumbered(limits, colors)
    if balance or limits.count is not None:
        colors = _more_even(problem, colors, order, accesses["quick"])
    return colors


def color_with_constraints(
    original: Graph, pairs: Graph, limits: Constraints, orders: Iterable[Any], reduce: str, balance: bool, seed: int
) -> Any:
    """Return the best coloring of several orders, on the device of the graph; `pairs` has an edge for each conflict."""
    simple = with_simple_rows(pairs.to("cpu").simple())
    graph = Graph._trusted(simple.indptr, simple.indices, nodes=original.nodes)
    clique = large_clique(graph, *removal_order(graph)) if graph.num_vertices else np.empty(0, np.int64)
    colorings = (color_within(graph, limits, order, reduce, balance, seed, clique) for order in orders)
    return original.xp.asarray(min(colorings, key=lambda colors: limits.colors_in(colors).size))


def fewest_colors(limits: Constraints, clique: int, reason: str = "") -> tuple[int, str]:
    """Return a lower bound of the number of colors, and its reason; `reason` is that of the size of a clique."""
    bounds = [(clique, reason)]
    if limits.gap > 1 and clique > 1:
        bounds += [((clique - 1) * limits.gap + 1, f"{reason}, with a gap of {limits.gap}")]
    fixed = limits.colors_in(limits.fixed[limits.fixed >= 0]).size
    bounds += [(fixed, f"{fixed} different colors are fixed" if limits.gap == 1 else f"color {fixed - 1} is fixed")]
    if limits.rooms.size:
        bounds += [rooms_needed(limits, np.arange(limits.sizes.size))]
    if limits.capacity is not None:
        total = int(limits.sizes.sum())
        if limits.capacity.size == 1:
            filled = -(-total // max(int(limits.capacity[0]), 1))
        else:
            filled = int(np.searchsorted(np.cumsum(np.sort(limits.capacity)[::-1]), total)) + (total > 0)
        bounds += [(filled, "fewer colors do not have the capacity for all vertices")]
    return max(bounds, key=lambda bound: bound[0])


def _size(graph: Graph) -> int:
    return graph.num_vertices + graph.num_entries


def _first_coloring(
    problem: _Problem, order: np.ndarray, palette: np.ndarray, capacity: np.ndarray, start: np.ndarray | None = None
) -> np.ndarray:
    """Return the coloring by first fit from a partial one; `NO_COLOR` for vertices without a possible color."""
    limits = problem.limits
    if start is None:
        start = np.where(limits.fixed < 0, NO_COLOR, limits.fixed)
    restricted = limits.kinds[order] > 0
    order = np.concatenate([order[restricted], order[~restricted]])
    positions = _positions(start, palette)
    positions[positions == palette.size] = NO_COLOR
    fit_within(problem.whole, order[positions[order] == NO_COLOR], positions, limits, palette, capacity)
    colors = np.full(start.size, NO_COLOR, np.int32)
    colored = positions != NO_COLOR
    colors[colored] = palette[positions[colored]]
    return colors


def _completed(problem: _Problem, colors: np.ndarray, order: np.ndarray, few: int, accesses: int) -> np.ndarray:
    """Return a complete coloring with the colors that exist, or raise an error.

    The exhaustive search runs after `few` accesses of the tabu search, and before the other accesses.
    """
    limits = problem.limits
    palette = limits.colors_in(np.union1d(colors[colors != NO_COLOR], limits.palette(0)))
    capacity = limits.capacity_of(palette)
    answer, _ = problem.fill(colors, palette, capacity, few)
    search = problem.search(palette, capacity)
    if answer is None and search is not None:
        # Without a limit for the colors, only vertices with a list may have no color.
        listed = np.flatnonzero(~limits.table[limits.kinds[problem.vertices], -1] | (limits.width is not None))
        positions, is_complete = search_all(problem.graph, listed, search)
        if positions is not None:
            start = problem.complete(np.full(problem.vertices.size, NO_COLOR))
            start[problem.vertices[listed]] = palette[positions]
            palette = limits.palette(limits.fixed.size)
            answer = _first_coloring(problem, order, palette, limits.capacity_of(palette), start)
        elif is_complete:
            raise ImpossibleColoring("no coloring satisfies the constraints: an exhaustive search found none")
        else:
            answer, _ = problem.fill(colors, palette, capacity, accesses)
    if answer is None:
        holes = int(np.count_nonzero(colors == NO_COLOR))
        what = "constraints" if limits.width is None else f"constraints with {limits.width} colors"
        raise ColoringNotFound(
            f"found no coloring that satisfies the {what}: first fit leaves {holes} of {colors.size} vertices without "
            "a color, and the search for another coloring reached its limit. There may be one: try another seed=, or "
            "relax colors=, capacity=, allowed= or fixed="
        )
    return np.asarray(answer)


def _with_fewer_colors(problem: _Problem, colors: np.ndarray, lower: int, accesses: int) -> np.ndarray:
    """Remove one color after another, until the search finds no coloring or reaches the lower bound."""
    limits = problem.limits
    while accesses > 0:
        palette = limits.colors_in(colors)
        if palette.size <= max(lower, 1):
            break
        loads = loads_of(np.searchsorted(palette, colors), limits.sizes, palette.size)
        candidates = np.flatnonzero(~np.isin(palette, limits.fixed))
        candidates = candidates[np.lexsort((-palette[candidates], loads[candidates]))]
        if limits.gap > 1:
            candidates = candidates[candidates == palette.size - 1]
        elif not limits.colors_differ:
            candidates = candidates[:1]  # all colors are equivalent
        fewer, share = None, accesses // max(candidates.size, 1)
        for candidate in candidates.tolist():
            kept = np.delete(palette, candidate)
            fewer, used = problem.fill(colors, kept, limits.capacity_of(kept), share)
            accesses -= max(used, 1)
            if fewer is not None:
                break
        if fewer is None:
            break
        colors = np.asarray(fewer)
    return colors


def _renumbered(limits: Constraints, colors: np.ndarray) -> np.ndarray:
    """Give the lowest numbers to the colors without fixed vertices, if all colors are equivalent."""
    if limits.colors_differ or not colors.size:
        return colors
    used = np.unique(colors)
    fixed = np.unique(limits.fixed[limits.fixed >= 0])
    others = np.setdiff1d(used, fixed)
    numbers = np.array(used)
    numbers[np.isin(used, others)] = np.setdiff1d(np.arange(used.size + fixed.size), fixed)[: others.size]
    return numbers[np.searchsorted(used, colors)].astype(np.int32)


def _more_even(problem: _Problem, colors: np.ndarray, order: np.ndarray, accesses: int) -> np.ndarray:
    """Make the loads of the colors more equal."""
    limits, vertices = problem.limits, problem.vertices
    palette = limits.colors_in(colors) if limits.count is None else np.arange(limits.count)
    if not vertices.size:
        return colors
    capacity, base, sizes = limits.capacity_of(palette), problem.fixed_loads(palette)[0], limits.sizes[vertices]
    search = problem.search(palette, capacity)
    best = _positions(colors[vertices], palette)
    if search is not None:
        best = search.level(best)
    for target in _targets(base, capacity, sizes, base + loads_of(best, sizes, palette.size)):
        if search is None:  # the graph and the palette are too large: first fit within lower capacities
            again = _positions(_first_coloring(problem, order, palette, target)[vertices], palette)
            positions = None if (again == palette.size).any() else again
        else:
            other = problem.search(palette, target)
            positions = None if other is None else other.fill(best, accesses)[0]
            positions = None if positions is None else search.level(positions)
        if positions is not None:
            best = min((best, positions), key=lambda one: _unevenness(base + loads_of(one, sizes, palette.size)))
            break
    return problem.complete(palette[best])


def _unevenness(loads: np.ndarray) -> tuple[int, int]:
    return int(loads.max() - loads.min()), sum(load * load for load in loads.tolist())


def _targets(base: np.ndarray, capacity: np.ndarray, sizes: np.ndarray, loads: np.ndarray) -> list[np.ndarray]:
    """Return capacities from the most even ones on: the lowest possible level, then higher ones."""
    total, highest = int(sizes.sum()), int(loads.max())

    def at(level: int) -> np.ndarray:
        return np.asarray(np.minimum(capacity, np.maximum(level, base)))

    low, high = 0, highest
    while low < high:  # the lowest level at which everything fits
        middle = (low + high) // 2
        if sum((at(middle) - base).tolist()) >= total:
            high = middle
        else:
            low = middle + 1
    targets = []
    if int(sizes.max()) <= 1:
        exact = at(low - 1)
        above = np.flatnonzero(at(low) > exact)
        exact[above[np.argsort(-loads[above], kind="stable")][: total - int((exact - base).sum())]] += 1
        if (loads == exact).all():
            return []
        targets.append(exact)
    slack = 0
    while low + slack < highest:
        targets.append(at(low + slack))
        slack = max(1, 2 * slack, low >> 8)
    return targets
