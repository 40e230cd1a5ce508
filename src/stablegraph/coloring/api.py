"""Vertex coloring: adjacent vertices get different colors, with as few colors as possible."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypedDict, Unpack, cast, get_args, overload

import numpy as np
import numpy.typing as npt

from .._core.csr.arrays import on_host
from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.option_names import ColoringAlgorithm, Order, Reduction, Ties
from .._core.runtime import by_device
from .._core.runtime.arrays import largest
from .._core.typing import ArrayLike, GraphLike, Numbers
from .._core.unknown_options import suggests_options
from .._core.validation import ON_CARDS, Algorithm, PartitionedGraph, boolean, choice, integer, seed_hash
from ..conversion import undirected
from ..graph import Graph
from ..spread_graph import SpreadGraph
from ..study import luby
from ..study.jones_plassmann import color_in_steps
from . import first_fit
from .bounds import color_bounds
from .constrained import color_with_constraints
from .constraints import Constraints, checked_constraints, checked_fixed_colors, kept_rooms
from .cuda import at_two as at_two_cuda
from .cuda import jones_plassmann as jones_plassmann_cuda
from .cuda import reduce as reduce_cuda
from .cuda import spread_coloring
from .nets import has_many_pairs, square
from .order import checked_orders, visiting_order, with_fewest_colors
from .reduction.balance import even_out, is_even
from .reduction.reduce import quick, thorough
from .summary import coloring_info

__all__ = ["coloring_steps", "vertex_coloring"]


def _thorough(graph: Graph, colors: Any, seed: int) -> Any:
    """Run `thorough`, which stops once it reaches the number of colors that a clique needs."""
    if isinstance(graph, SpreadGraph):
        return graph.xp.asarray(_thorough(graph.to("cpu"), on_host(colors), seed))
    return thorough(graph, colors, seed, color_bounds(graph)[0])


_REDUCTIONS: dict[Reduction, Callable[[Graph, Any, int], Any] | None] = {
    "none": None,
    "quick": by_device(quick, reduce_cuda.quick),
    "thorough": _thorough,
}


class _ColoringOptions(TypedDict, total=False):
    """The options of `vertex_coloring`, for type checkers and editors."""

    distance: int
    algorithm: ColoringAlgorithm
    order: Order | Numbers | list[Any] | tuple[Any, ...] | None
    ties: Ties | None
    reduce: Reduction | None
    balance: bool
    fixed: ArrayLike | Sequence[int] | Mapping[Any, int | tuple[int, Any]] | None
    colors: int | None
    capacity: int | ArrayLike | Sequence[int] | None
    sizes: ArrayLike | Sequence[int] | Mapping[Any, int] | None
    allowed: ArrayLike | Mapping[Any, Any] | None
    forbidden: ArrayLike | Mapping[Any, Any] | None
    rooms: Mapping[Any, int] | None
    gap: int
    seed: int


@overload
def vertex_coloring(
    graph: GraphLike, *, return_info: Literal[False] = False, **options: Unpack[_ColoringOptions]
) -> npt.NDArray[np.int32]: ...


@overload
def vertex_coloring(
    graph: GraphLike, *, return_info: Literal[True], **options: Unpack[_ColoringOptions]
) -> tuple[npt.NDArray[np.int32], dict[str, Any]]: ...


@overload
def vertex_coloring(
    graph: GraphLike, *, return_info: bool, **options: Unpack[_ColoringOptions]
) -> npt.NDArray[np.int32] | tuple[npt.NDArray[np.int32], dict[str, Any]]: ...


@dispatches_on_graph
def vertex_coloring(
    graph: GraphLike,
    *,
    distance: int = 1,
    algorithm: ColoringAlgorithm = "priority",
    order: Order | Numbers | list[Any] | tuple[Any, ...] | None = None,
    ties: Ties | None = None,
    reduce: Reduction | None = None,
    balance: bool = False,
    fixed: ArrayLike | Sequence[int] | Mapping[Any, int | tuple[int, Any]] | None = None,
    colors: int | None = None,
    capacity: int | ArrayLike | Sequence[int] | None = None,
    sizes: ArrayLike | Sequence[int] | Mapping[Any, int] | None = None,
    allowed: ArrayLike | Mapping[Any, Any] | None = None,
    forbidden: ArrayLike | Mapping[Any, Any] | None = None,
    rooms: Mapping[Any, int] | None = None,
    gap: int = 1,
    seed: int = 0,
    return_info: bool = False,
) -> npt.NDArray[np.int32] | tuple[npt.NDArray[np.int32], dict[str, Any]]:
    """Color the vertices with few colors so that adjacent vertices differ.

    >>> import stablegraph as sg
    >>> sg.vertex_coloring(sg.gallery.grid((5,)))
    array([1, 0, 1, 0, 1], dtype=int32)

    Finding the minimum number of colors is NP-hard. This function colors by first fit in a good order and then tries to
    reduce the number of colors. Loops and repeated entries are ignored.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern.
    distance : {1, 2}
        With 2, vertices with a common neighbor also get different colors.
    algorithm : {"priority", "mis"}
        - "priority": each vertex gets the lowest color that no neighbor ahead of it in the `order` has. On a GPU the
          parallel algorithm of ECL-GC, with its shortcuts, computes the same colors.
        - "mis": Luby's coloring. Each color is a maximal independent set of the remaining vertices, found with random
          numbers. For comparison.
    order : str, array (n,), or a list of these, optional
        For "priority": the order in which vertices are colored. With a list, every order is tried, and the coloring
        with the fewest colors after the reduction is returned.

        - "largest_first" (the default): by decreasing degree.
        - "largest_log_first": by decreasing number of binary digits of the degree.
        - "smallest_last": a vertex of smallest degree is removed repeatedly; the vertices are colored in reverse order
          of removal. Needs at most degeneracy + 1 colors. "smallest_last_in_rounds" is similar and is computed in
          parallel.
        - "saturation": the next vertex is the one with the most different colors around it (DSATUR). "incidence": the
          one with the most colored neighbors. Both are slow and are meant for reference.
        - "natural": by id. "random": by a hash of vertex and seed.
        - an array of real numbers, one per vertex, or a dict of them by name: by decreasing number.
    ties : {"id", "hash"}, optional
        How ties in the order are broken. "id" (the default) puts the smaller id first; this keeps memory accesses local
        and finds two colors on grids that are numbered row by row. "hash" puts the larger hash of vertex and seed
        first; this allows more parallelism.
    reduce : {"none", "quick", "thorough"}, optional
        How the number of colors is reduced afterwards. "none": not at all. "quick": two colors for bipartite
        components, then the exchanges of ECL-GC-R until no color is saved. "thorough": also recoloring, longer
        exchanges and a search, which take far longer. At distance 2 the reduction is skipped if the largest
        neighborhood proves that no color can be saved. The default is "quick". It is "none" if colors are `fixed`
        without another constraint, and at distance 2 if a few vertices of very high degree produce more than 64 pairs
        within distance 2 per entry (4 times the average degree, if that is larger).
    balance : bool
        Make the numbers of vertices per color, or their total `sizes`, more equal without adding a color.
    fixed : integer array (n,) or dict, optional
        Colors chosen in advance: an array with -1 for the other vertices, or a dict ``{name: color}`` (``{vertex:
        color}`` if the vertices have no names). These vertices keep their colors and come before all other vertices in
        the order. The resulting colors may have gaps. With `rooms`, a value ``(color, room)`` of a dict also fixes the
        room.
    colors : int, optional
        The number of colors to use, as evenly as possible: 0 to ``colors - 1``.
    capacity : int or integer array (k,), optional
        The maximum number of vertices per color, or of their total `sizes`: one number for all colors, or one number
        for each of the k colors that exist.
    sizes : integer array (n,) or dict, optional
        The size of each vertex, such as the number of students of an exam; 1 by default. Not negative. A dict ``{name:
        size}`` (``{vertex: size}`` if the vertices have no names) has one for every vertex.
    allowed, forbidden : dict or bool array (n, k), optional
        Colors that vertices may have or must not have: a dict ``{name: colors}`` (``{vertex: colors}`` if the vertices
        have no names) for some vertices, or a mask for all vertices and the k colors that exist.
    rooms : dict, optional
        ``{name: seats}``: each vertex of a color needs a room of its own with at least its size in seats. The rooms
        exist for every color. `schedule_table` assigns them. Fixed rooms are not available for other vertices.
    gap : int
        The smallest difference of the colors of adjacent vertices (at distance 2, of those with a common neighbor,
        too). With a gap above 1, colors without vertices are counted, up to the largest color in use.
    seed : int
        Seed for all hashes; any integer. Colorings with different seeds are unrelated, also for seeds 0, 1, 2.
    return_info : bool
        Also return bounds and the loads of the colors.

    Returns
    -------
    colors : int32 (n,)
        Colors from 0 on. Unused colors below the largest one are possible only with `fixed`, `allowed`, `forbidden`,
        `gap`, or a capacity per color. A CuPy array for a graph on a GPU.
    info : dict
        With ``return_info=True``: "colors", the number of different colors in use (with a `gap` above 1, the largest
        color + 1); "lower_bound", the number of colors
        that every coloring with these constraints has at least, and "reason", which states why; "upper_bound", the
        number that the order "smallest_last" needs at most without constraints, or None if other constraints than
        `fixed` are passed or at distance 2; "optimal", whether "colors" equals "lower_bound", which proves that no
        coloring has fewer; "smallest" and "largest", the smallest and largest load (number of vertices, or total size)
        of the colors in use, with the option `colors` of all of them; "suggestion", options, other than those used,
        that may need fewer colors, or None.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, an option has an unknown value or cannot be combined with
        another option, or an array has a wrong shape or contains NaN.
    ImpossibleColoring
        If the constraints cannot be satisfied, with the reason, such as adjacent vertices that are fixed to one color,
        a vertex without a color, or too large sizes. A ValueError.
    ColoringNotFound
        If the search found no coloring that satisfies the constraints. A ValueError.
    TypeError
        If an option has the wrong type.

    See Also
    --------
    is_proper_coloring : Check a coloring with an independent method.
    coloring_steps : Count the parallel steps that an order needs.

    Notes
    -----
    Deterministic: the colors depend only on the graph, the options and the seed. First fit takes O(n + m), also at
    distance 2 if 64 colors are enough, and slightly more otherwise.

    Work memory in bytes per vertex, with 32-bit ids (up to twice as much with 64-bit ids): 40 with the default options
    (5 on bipartite graphs). With ``reduce="none"``: 5 for the order "largest_first"; 20 for other sorted orders, such
    as "random", or with ties by hash; 12 for "smallest_last"; 45 for "smallest_last_in_rounds"; 60 for "incidence" and
    arrays; 70 for "saturation"; 60 to 100 with `fixed` colors or `balance`. With ``reduce="thorough"``: 100, plus 8 per
    color.

    Distance 2 needs another 8 bytes per vertex. With more than 64 colors it needs 40 per vertex, 8 per entry, and one
    bit per color for each of the longest rows. Reducing and balancing at distance 2 build the graph of all pairs within
    distance 2. Their time and memory are proportional to its entries, which are too many if the graph has vertices of
    very high degree.

    With `colors`, `capacity`, `allowed`, `forbidden`, `rooms`, `gap`, or with `fixed` and a reduction or `balance`, one
    thread of the CPU colors by first fit and by a tabu search; graphs on a GPU are copied. The search needs 9 bytes per
    vertex and color. It is skipped above 2**25 pairs of a vertex and a color. ``reduce="thorough"`` searches for fewer
    colors longer than "quick". If a coloring exists, the search may miss it. If an error states that there is none,
    this is proved. With `rooms`, first fit takes another 16 bytes per vertex and different number of rooms that are
    large enough for a vertex.

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
    >>> sg.vertex_coloring(cycle, capacity=2, allowed={0: [1, 2]}, reduce="none")
    array([1, 0, 1, 0, 2], dtype=int32)
    >>> sg.vertex_coloring(cycle, rooms={"hall": 90, "lab": 20}, sizes=[50, 30, 10, 10, 10])
    array([0, 1, 0, 1, 2], dtype=int32)
    >>> sg.vertex_coloring(cycle, gap=2)
    array([0, 2, 0, 2, 4], dtype=int32)
    >>> sg.vertex_coloring(cycle, return_info=True)[1]["reason"]
    'at least 2 colors: 2 vertices are pairwise adjacent'
    """
    distance = integer(distance, "distance")
    if distance not in (1, 2):
        raise ValueError(f"distance must be 1 or 2, got {distance}")
    entry = ALGORITHMS[choice(algorithm, "algorithm", ALGORITHMS)]
    options = {"order": order, "ties": ties, "fixed": fixed, "distance": None if distance == 1 else distance}
    limits = {"colors": colors, "capacity": capacity, "sizes": sizes, "allowed": allowed, "forbidden": forbidden}
    limits |= {"rooms": rooms, "gap": None if integer(gap, "gap", minimum=1) == 1 else gap}
    passed = [name for name, value in (options | limits).items() if value is not None]
    entry.reject_unsupported_options(f"algorithm {algorithm!r}", passed)
    equals = "id" if ties is None else choice(ties, "ties", get_args(Ties))
    hashed = seed_hash(seed)
    if reduce is not None:
        choice(reduce, "reduce", _REDUCTIONS)
    balance, return_info = boolean(balance, "balance"), boolean(return_info, "return_info")
    graph = undirected(graph, partitions=True)
    orders = checked_orders(order, graph)
    if isinstance(graph, PartitionedGraph):
        chosen = {"algorithm": algorithm, "order": orders[0] if len(orders) == 1 else orders, "reduce": reduce}
        SUPPORTED.check(distance=distance, **chosen, balance=balance, fixed=fixed, **limits)
        answer, info = in_partitions(vertex_coloring, graph, orders[0], equals, hashed)
        return (answer, info) if return_info else cast("npt.NDArray[np.int32]", answer)
    is_changed = fixed is not None and (balance or reduce not in (None, "none"))
    is_limited = is_changed or any(value is not None for value in limits.values())
    if isinstance(graph, SpreadGraph) and not is_limited:
        SUPPORTED_ON_CARDS.check(distance=distance, algorithm=algorithm, reduce=reduce, balance=balance, fixed=fixed)
    kept = kept_rooms(graph, fixed, sizes, rooms)
    colors_fixed = None if fixed is None else checked_fixed_colors(fixed, graph, distance)
    constraints: Constraints | None = None
    if is_limited:
        constraints = checked_constraints(graph, fixed=colors_fixed, kept=kept, **limits)

    pairs = cache(lambda: graph if distance == 1 else square(graph))  # the edges of all conflicts
    if reduce is None:
        only_fixed = fixed is not None and all(value is None for value in limits.values())
        reduce = "none" if only_fixed or (distance == 2 and has_many_pairs(graph)) else "quick"
    if constraints is not None:
        host = graph.to("cpu")
        visited = (visiting_order(host, one, equals, hashed) for one in orders)
        best = color_with_constraints(graph, pairs(), constraints, visited, reduce, balance, hashed)
    else:
        improve = _REDUCTIONS[reduce]
        fewest = 1 if distance == 1 else 1 + largest(graph.degrees, 0)

        def reduced(colors: Any) -> Any:
            if improve is not None and colors.size and largest(colors, -1) >= fewest:
                return improve(pairs(), colors, hashed)
            return colors

        colorings = (entry.run(graph, distance, one, equals, colors_fixed, hashed) for one in orders)
        best = with_fewest_colors(map(reduced, colorings))
        if balance and not is_even(best):
            best = even_out(pairs(), best)
    answer = cast("npt.NDArray[np.int32]", best)
    how = {"algorithm": algorithm, "order": orders, "reduce": reduce}
    return (answer, coloring_info(graph, distance, answer, constraints, how)) if return_info else answer


@suggests_options
def coloring_steps(
    graph: GraphLike,
    order: Order | Numbers = "largest_first",
    ties: Ties = "id",
    shortcuts: bool = True,
    *,
    seed: int = 0,
) -> int:
    """Count the parallel steps in which unlimited processors would color a graph in an order.

    >>> import stablegraph as sg
    >>> sg.coloring_steps(sg.gallery.grid((10, 10)))
    16

    In each step every uncolored vertex checks once the neighbors that it waits for, in their states before the step.
    Without shortcuts the number of steps is the number of arcs of the longest chain of vertices in which each vertex
    waits for the next one.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries do not matter.
    order, ties, seed
        As for `vertex_coloring`, but a single order. With ties by hash the chains are short.
    shortcuts : bool
        Let vertices take colors early, and end waits early, where this cannot change a color.

    Returns
    -------
    int
        The number of steps. Coloring the first vertices of the order is not counted.

    Raises
    ------
    ValueError, TypeError
        As for `vertex_coloring`.

    Notes
    -----
    Deterministic. Each edge is checked a few times, and each uncolored vertex once per step. This is quadratic if an
    order creates long chains, as ids do on a path. Work memory: 4 bytes per edge (8 with 64-bit ids) and 50 per vertex.

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
    hashed, shortcuts = seed_hash(seed), boolean(shortcuts, "shortcuts")
    graph = undirected(graph)
    orders = checked_orders(order, graph)
    if len(orders) != 1:
        raise ValueError(f"order must be one order, got {len(orders)}")
    vertices = visiting_order(graph, orders[0], ties, hashed)
    return color_in_steps(graph.simple() if graph.has_duplicates else graph, vertices, shortcuts)[1]


_at_distance = {
    1: by_device(first_fit.color_in_order, jones_plassmann_cuda.color_in_order, spread_coloring.color_in_order),
    2: by_device(first_fit.color_at_two, at_two_cuda.color_at_two),
}
ALGORITHMS: dict[ColoringAlgorithm, Algorithm] = {
    "priority": Algorithm(
        lambda graph, distance, *order: _at_distance[distance](graph, *order),
        (
            *("distance", "order", "ties", "reduce", "balance", "fixed"),
            *("colors", "capacity", "sizes", "allowed", "forbidden", "rooms", "gap", "seed"),
        ),
    ),
    "mis": Algorithm(
        lambda graph, distance, order, ties, fixed, seed: luby.color_by_sets(graph, seed), ("reduce", "balance", "seed")
    ),
}
SUPPORTED = Supported(  # for a graph in partitions
    {
        "distance": (1,),
        "algorithm": ("priority",),
        "order": ("largest_first", "largest_log_first", "natural", "random"),
        "reduce": ("none",),
    },
    dict.fromkeys(("balance", "fixed", "colors", "capacity", "sizes", "allowed", "forbidden", "rooms", "gap"), ""),
)
SUPPORTED_ON_CARDS = Supported(  # without constraints; with them, colors are found in host memory
    {"distance": (1,), "algorithm": ("priority",), "reduce": ("none", "thorough")},
    {"balance": "", "fixed": ""},
    where=ON_CARDS,
)
