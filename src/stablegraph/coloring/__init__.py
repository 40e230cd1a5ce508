"""Coloring: adjacent vertices get different colors, and few colors are used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, cast, get_args

import numpy as np
import numpy.typing as npt

from .._arguments import Algorithm, boolean, choice, hashed_seed, integer, ranking
from ..conversion import undirected
from ..elsewhere import or_elsewhere
from ..graph import Graph
from ..names import ColoringAlgorithm, Order, Reduction, Ties
from ..parallel.arrays import largest
from ..parallel.cuda_source import by_device
from ..typing import ArrayLike, GraphLike, Numbers
from ..unknown_options import suggests_options
from . import in_order, luby
from .balance import even_out, is_even
from .bounds import color_bounds
from .fixed import checked_colors
from .jones_plassmann import steps
from .order import ORDERS, visiting_order
from .reduce import quick, thorough
from .square import square

__all__ = ["coloring_steps", "vertex_coloring"]


def _thorough(graph: Graph, colors: Any, seed: int) -> Any:
    """No search for fewer colors than a clique needs."""
    return thorough(graph, colors, seed, color_bounds(graph)[0])


_MANY_PAIRS = 64  # within distance 2, for each entry: so many are usual where rows are of even lengths
_REDUCTIONS: dict[Reduction, Callable[[Graph, Any, int], Any] | None] = {
    "none": None,
    "quick": by_device(quick, ".reduce_cuda", __package__),
    "thorough": _thorough,
}


@or_elsewhere
def vertex_coloring(
    graph: GraphLike,
    *,
    distance: int = 1,
    algorithm: ColoringAlgorithm = "priority",
    order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None,
    ties: Ties | None = None,
    reduce: Reduction | None = None,
    balance: bool = False,
    fixed: ArrayLike | Sequence[int] | Mapping[Any, int] | None = None,
    seed: int = 0,
) -> npt.NDArray[np.int32]:
    """Color the vertices with few colors, so that no two adjacent ones have the same.

    Finding the fewest colors is hard; these are colorings by first fit in a good order, then improved. Loops and
    repeated entries are ignored.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern.
    distance : {1, 2}
        With 2, vertices with a common neighbor have different colors, too.
    algorithm : {"priority", "mis"}
        - "priority": each vertex has the lowest color that none of its neighbors ahead of it in the `order` has. On a
          GPU this is found by the parallel algorithm of ECL-GC, with its shortcuts.
        - "mis": Luby's coloring: each color is a maximal independent set of what is left, found with random numbers.
          For comparison.
    order : str, array (n,), or a list of these, optional
        For "priority": the order in which vertices take colors. Of a list, the order that needs the fewest in the end.

        - "largest_first" (the default): those of larger degree first.
        - "largest_log_first": the same for the number of binary digits of the degree.
        - "smallest_last": in turn, a vertex of smallest degree is taken away; they are colored in reverse order. Needs
          at most degeneracy + 1 colors. "smallest_last_in_rounds" is nearly the same, found in parallel.
        - "saturation": always a vertex with the most different colors around it (DSATUR); "incidence": with the most
          colored neighbors. Slow, for reference.
        - "natural": by id. "random": by a hash of vertex and seed.
        - an array of real numbers, one a vertex: the larger number first.
    ties : {"id", "hash"}, optional
        What settles what the order leaves equal: the smaller id (the default), which keeps memory accesses local and
        finds two colors on grids that are numbered row by row, or the larger hash of vertex and seed, which leaves more
        to do at once.
    reduce : {"none", "quick", "thorough"}, optional
        How to save colors afterwards: not at all, by the exchanges of ECL-GC-R until no color is gained and two colors
        for bipartite components, or also by recoloring, longer exchanges and a search, which take far longer. Nothing
        is tried where the fullest neighborhood proves that no color can be saved at distance 2. "quick" unless stated,
        but "none" where colors are `fixed`, and at distance 2 where hubs make the pairs within it more than 64 times
        (4 times the average degree, if that is more) as many as the entries.
    balance : bool
        Even out how many vertices have each color, without another color.
    fixed : integer array (n,) or dict, optional
        Colors given beforehand: an array with -1 for vertices without one, or a dict ``{name: color}`` (``{vertex:
        color}`` if the vertices have no names) of those with one. These colors stay, and come before all other colors;
        they may leave gaps between the colors.
    seed : int
        Seed of all hashes; any integer. Colorings by different seeds have nothing in common, also for seeds 0, 1, 2.

    Returns
    -------
    colors : int32 (n,)
        From 0 on, with no color left out (but see `fixed`); a CuPy array for a graph on a GPU.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, an option has an unknown value or does not go with
        another one, an array has a wrong shape or is NaN somewhere, or fixed colors are in conflict.
    TypeError
        If an option has the wrong type.

    See Also
    --------
    is_proper_coloring : Check a coloring with other means.
    coloring_steps : How much an order leaves to do in parallel.

    Notes
    -----
    Deterministic: the colors depend on the graph, the options and the seed alone. By first fit in O(n + m), also at
    distance 2 if 64 colors are enough, and a little more beyond.

    Work memory in bytes a vertex, where ids take 32 bits (up to twice as much with 64): 40 with the default options (5
    on bipartite graphs). With ``reduce="none"`` 5 in the order "largest_first"; 20 in other sorted orders, as "random",
    or with ties by hash; 12 for "smallest_last"; 60 for "smallest_last_in_rounds", "incidence" and arrays; 70 for
    "saturation"; 60 to 100 with `fixed` colors or `balance`. With ``reduce="thorough"`` 100, and 8 for each color.

    At distance 2 another 8 a vertex, with more than 64 colors 40, 8 an entry, and a bit for each color in each of the
    fullest rows. Reducing and balancing at distance 2 need the graph of all pairs within it, as much time and memory as
    that has entries: with hubs far too many for either.

    References
    ----------
    G. Alabandi, E. Powers, M. Burtscher, "Increasing the Parallelism of Graph Coloring via Shortcutting", PPoPP 2020.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], symmetrize=True)
    >>> sg.vertex_coloring(cycle)
    array([0, 1, 0, 1, 2], dtype=int32)
    >>> sg.vertex_coloring(cycle, distance=2)
    array([0, 1, 2, 3, 4], dtype=int32)
    >>> sg.vertex_coloring(cycle, fixed={0: 2, 3: 0})
    array([2, 0, 1, 0, 1], dtype=int32)
    """
    distance = integer(distance, "distance")
    if distance not in (1, 2):
        raise ValueError(f"distance must be 1 or 2, got {distance}")
    chosen = _ALGORITHMS[choice(algorithm, "algorithm", _ALGORITHMS)]
    given = {"order": order, "ties": ties, "fixed": fixed, "distance": None if distance == 1 else distance}
    chosen.refuse_others(f"algorithm {algorithm!r}", [name for name, value in given.items() if value is not None])
    equals = "id" if ties is None else choice(ties, "ties", get_args(Ties))
    hashed = hashed_seed(seed)
    if reduce is not None:
        choice(reduce, "reduce", _REDUCTIONS)
    balance = boolean(balance, "balance")
    if fixed is not None and (reduce not in (None, "none") or balance):
        raise ValueError("reduce and balance move colors around, so they do not go with fixed ones")
    graph = undirected(graph)
    orders = _checked_orders(order, graph.num_vertices)
    colors_fixed = None if fixed is None else checked_colors(fixed, graph, distance)

    near = _Within(graph, distance)
    if reduce is None:
        reduce = "none" if fixed is not None or near.out_of_proportion else "quick"
    improve = _REDUCTIONS[reduce]
    best: Any = None
    for one in orders:
        colors = chosen.run(near, one, equals, colors_fixed, hashed)
        if improve is not None and colors.size and largest(colors, -1) >= near.fewest_colors:
            colors = improve(near.graph, colors, hashed)
        if best is None or largest(colors, -1) < largest(best, -1):
            best = colors
    if balance and not is_even(best):
        best = even_out(near.graph, best)
    return cast(npt.NDArray[np.int32], best)


@suggests_options
def coloring_steps(
    graph: GraphLike,
    order: Order | Numbers = "largest_first",
    ties: Ties = "id",
    shortcuts: bool = True,
    *,
    seed: int = 0,
) -> int:
    """Count the steps in which unlimited processors would color a graph in an order.

    In a step each vertex without a color looks once at the neighbors that it waits for, as they were before the step.
    Without shortcuts the steps are the arcs of the longest chain of vertices of which each waits for the next one.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries do not matter.
    order, ties, seed
        As for `vertex_coloring`; one order. Ties settled by hash make the chains short.
    shortcuts : bool
        Whether vertices take colors early, and end waits, where that cannot change a color.

    Returns
    -------
    int
        Giving the first vertices of the order their color is not counted.

    Raises
    ------
    ValueError, TypeError
        As for `vertex_coloring`.

    Notes
    -----
    Deterministic. A few looks at each edge, and in each step one at every vertex without a color: quadratic where an
    order makes long chains, as ids do on a path. Work memory 4 bytes an edge (8 if ids take 64 bits) and 50 a vertex.

    References
    ----------
    G. Alabandi, E. Powers, M. Burtscher, "Increasing the Parallelism of Graph Coloring via Shortcutting", PPoPP 2020,
    table 4.

    Examples
    --------
    >>> import stablegraph as sg
    >>> grid = sg.gallery.grid((10, 10))
    >>> sg.coloring_steps(grid), sg.coloring_steps(grid, ties="hash")
    (16, 5)
    >>> sg.coloring_steps(grid, ties="hash", shortcuts=False)
    9
    """
    choice(ties, "ties", get_args(Ties))
    hashed, shortcuts = hashed_seed(seed), boolean(shortcuts, "shortcuts")
    graph = undirected(graph)
    orders = _checked_orders(order, graph.num_vertices)
    if len(orders) != 1:
        raise ValueError(f"order must be one order, got {len(orders)}")
    order = visiting_order(graph, orders[0], ties, hashed)
    return steps(graph.simple() if graph.has_duplicates else graph, order, shortcuts)


class _Within:
    """A graph whose vertices must differ within a distance; the graph of all such pairs is made when it is needed."""

    def __init__(self, graph: Graph, distance: int) -> None:
        self.given, self.distance = graph, distance

    @cached_property
    def graph(self) -> Graph:
        """In which the vertices that must differ are adjacent."""
        return self.given if self.distance == 1 else square(self.given)

    @cached_property
    def fewest_colors(self) -> int:
        """A bound that costs next to nothing: at distance 2 a vertex and its neighbors all differ."""
        return 1 if self.distance == 1 else int(self.given.degrees.max()) + 1

    @cached_property
    def out_of_proportion(self) -> bool:
        """Whether there are far more pairs than entries: a few vertices have far more neighbors than most."""
        if self.distance == 1:
            return False
        degrees = self.given.degrees
        entries = int(degrees.sum(dtype=np.int64))
        usual = max(_MANY_PAIRS, 4 * entries // max(self.given.num_vertices, 1))
        return float((degrees.astype(np.float64) ** 2).sum()) > float(usual * entries)


_at_one = by_device(in_order.color, ".jones_plassmann_cuda", __package__)
_at_two = by_device(in_order.color_at_two, ".at_two_cuda", __package__)


def _by_priority(near: _Within, order: Any, ties: str, fixed: Any | None, seed: int) -> Any:
    color = _at_one if near.distance == 1 else _at_two
    return color(near.given, order, ties, fixed, seed)


_ALGORITHMS: dict[ColoringAlgorithm, Algorithm] = {
    "priority": Algorithm(_by_priority, ("distance", "order", "ties", "reduce", "balance", "fixed", "seed")),
    "mis": Algorithm(
        lambda near, order, ties, fixed, seed: luby.color(near.given, seed), ("reduce", "balance", "seed")
    ),
}


def _checked_orders(order: Any, n: int) -> list[Any]:
    """The orders to try: names, and arrays in host memory."""
    if order is None:
        return ["largest_first"]
    several = isinstance(order, (list, tuple)) and any(isinstance(one, str) or np.ndim(one) for one in order)
    otherwise = ", an array of numbers, or a list of these"
    return [ranking(one, "order", ORDERS, n, otherwise=otherwise) for one in (order if several else [order])]
