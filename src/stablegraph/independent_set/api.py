"""Maximal independent sets: the public function, and the table of algorithms."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, TypedDict, Unpack, cast, get_args, overload

from .._core.csr.arrays import on_host
from .._core.csr.merge import exact_sum
from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.engines.rounds import History
from .._core.option_names import DistancePriority, Priority, SetAlgorithm, WeightedPriority
from .._core.runtime import by_device
from .._core.typing import GraphLike, Mask, Numbers, Vertices
from .._core.validation import (
    IN_PARTITIONS,
    ON_CARDS,
    Algorithm,
    PartitionedGraph,
    boolean,
    choice,
    integer,
    members_of,
    seed_hash,
    select_algorithm,
)
from ..conversion import undirected
from ..graph import Graph
from ..spread_graph import SpreadGraph
from ..study import karp_wigderson, locked, luby, luby_select
from ..study.cuda import luby_select as luby_select_cuda
from .conditions import checked_conditions, checked_priority, checked_weights
from .cuda import k as k_cuda
from .cuda import priority as priority_cuda
from .cuda import spread_sets, spread_two
from .cuda import two as two_cuda
from .distance import k, two
from .greedy import priority as greedy
from .greedy import residual

_in_order = by_device(greedy.independent_set, priority_cuda.independent_set, spread_sets.independent_set)


def _in_host_memory(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """Find a set by residual degree in host memory, and return its mask on the device of the graph."""
    host = on_host(included), on_host(excluded)
    return graph.xp.asarray(residual.independent_set(graph.to("cpu"), *host, history, seed=seed))


# Each algorithm takes the graph, the vertices that must be in the set, the vertices that must not, a `History` and its
# own options, and returns the mask of the set. The `seed` it receives is the hash of the user's seed.
ALGORITHMS: dict[SetAlgorithm, Algorithm] = {
    "priority": Algorithm(_in_order, ("priority", "seed", "synchronous", "weights")),
    "lexicographic": Algorithm(partial(_in_order, priority="natural", seed=0), ("synchronous",)),
    "luby": Algorithm(luby.independent_set, ("seed",)),
    "luby_select": Algorithm(
        by_device(luby_select.independent_set, luby_select_cuda.independent_set), ("seed", "adaptive")
    ),
    "locked": Algorithm(locked.independent_set),
    "karp_wigderson": Algorithm(karp_wigderson.independent_set, ("seed",)),
    "residual": Algorithm(_in_host_memory, ("seed",)),
}
SUPPORTED = Supported(  # for a graph in partitions
    {"distance": (1, 2), "algorithm": ("priority", "lexicographic")},
    dict.fromkeys(("weights", "synchronous", "adaptive"), ""),
)
SUPPORTED_ON_CARDS = Supported(
    {"distance": (1, 2), "algorithm": ("priority", "lexicographic", "residual")}, where=ON_CARDS
)
_within_two = by_device(two.independent_set, two_cuda.independent_set, spread_two.independent_set)
_within_k = by_device(k.independent_set, k_cuda.independent_set)
_COMMON_OPTIONS = ("include", "exclude")


def _algorithms_at(distance: int) -> dict[SetAlgorithm, Algorithm]:
    """Return the table of algorithms for a distance above 1."""
    # At distance 2, a search that stops early takes a quarter of the time of the sweeps for any distance.
    run = _within_two if distance == 2 else partial(_within_k, k=distance)
    return {"priority": Algorithm(run, ("priority", "seed", "weights"))}


class _Options(TypedDict, total=False):
    """The options of `maximal_independent_set`, for type checkers and editors."""

    algorithm: SetAlgorithm
    priority: Priority | WeightedPriority | Numbers | None
    weights: Numbers | None
    seed: int | None
    include: Vertices | None
    exclude: Vertices | None
    synchronous: bool | None
    adaptive: bool | None


@overload
def maximal_independent_set(
    graph: GraphLike, distance: int = 1, *, return_info: Literal[False] = False, **options: Unpack[_Options]
) -> Mask: ...


@overload
def maximal_independent_set(
    graph: GraphLike, distance: int = 1, *, return_info: Literal[True], **options: Unpack[_Options]
) -> tuple[Mask, dict[str, Any]]: ...


@overload
def maximal_independent_set(
    graph: GraphLike, distance: int = 1, *, return_info: bool, **options: Unpack[_Options]
) -> Mask | tuple[Mask, dict[str, Any]]: ...


@dispatches_on_graph
def maximal_independent_set(
    graph: GraphLike,
    distance: int = 1,
    *,
    algorithm: SetAlgorithm = "priority",
    priority: Priority | WeightedPriority | Numbers | None = None,
    weights: Numbers | None = None,
    seed: int | None = None,
    include: Vertices | None = None,
    exclude: Vertices | None = None,
    synchronous: bool | None = None,
    adaptive: bool | None = None,
    return_info: bool = False,
) -> Mask | tuple[Mask, dict[str, Any]]:
    """Find a maximal independent set: no two of its vertices are adjacent, and no further vertex can join.

    >>> import stablegraph as sg
    >>> sg.maximal_independent_set(sg.gallery.grid((5,)))
    array([ True, False,  True, False,  True])

    With ``distance=2`` no two members have a common neighbor either; multigrid methods use such sets as the roots of
    aggregates. Maximal is not maximum: the set cannot be extended, but a larger one may exist. Loops and repeated
    entries are ignored. A vertex without neighbors is in the set unless it is excluded.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern.
    distance : int
        Members are more than `distance` edges apart, and every other vertex is within `distance` of a member.
    algorithm : {"priority", "lexicographic", "luby", "luby_select", "locked", "karp_wigderson", "residual"}
        - "priority": the parallel algorithm of ECL-MIS. It finds the same set as the serial greedy algorithm that
          visits the vertices in the order given by `priority`.
        - "lexicographic": the lexicographically first set; the same as "priority" with ``priority="natural"``.
        - "luby": Luby's algorithm. Each round draws a new random order, and a vertex joins if it is ahead of its
          neighbors; O(log n) rounds in expectation. The sets are about as large as with ``priority="random"``.
        - "luby_select": Luby's random selection. Each round draws a few vertices, low degrees more often; of two
          adjacent drawn vertices, the one of higher degree stays. The sets are small.
        - "locked": every vertex tries to lock itself and its neighbors. **The set depends on the schedule** and
          changes from run to run; no other algorithm in this package does that. It is always independent and maximal.
        - "karp_wigderson": the algorithm of 1985 that was the first with a polylogarithmic number of rounds. It is
          meant for study: it runs on one thread and takes several seconds for a million vertices.
        - "residual": rounds in which vertices with few undecided neighbors join. It takes longer and finds large sets,
          close to those of the serial greedy algorithm that always takes a vertex of smallest residual degree. For a
          graph on a GPU, the set is computed in host memory and copied to the GPU.

        At distance 2 and more, only "priority" is supported: Luby's algorithm on a power of the graph, in the form
        used by Kokkos Kernels.
    priority : {"degree", "ecl", "random", "natural", "high_degree", "ratio", "weight"}, array (n,) or dict, optional
        The order of the vertices, for ``algorithm="priority"``. Without `include` and `exclude`, the first one is in
        the set.

        - "degree" (the default at distance 1): fewer neighbors first, then the larger hash of vertex and seed, then the
          larger id. The sets are large.
        - "ecl": bit for bit the order of ECL-MIS v1.3, which depends on the average degree (see PATENTS.md).
        - "random": the larger hash first, then the larger id.
        - "natural": by id; the set is the lexicographically first one. With few threads, one thread does all the work,
          because that is faster.
        - "high_degree": more neighbors first, then the larger id. The sets are small.
        - an array of real numbers, one per vertex, or a dict of them by name: the larger number first, then hash and
          id.

        With `weights`, there are other orders: "ratio" (the default), the larger weight / (number of neighbors + 1)
        first, and "weight", the larger weight first; then hash and id. Ratios are compared exactly.

        At distance 2 and more, an array has the same meaning, and the set is that of the serial greedy algorithm. Only
        two names are supported without weights. "random" (the default) draws new random
        numbers for every round; at distance 2 with seed 0, the sets are bit for bit those of Kokkos Kernels. "degree"
        puts vertices with fewer neighbors first (in four classes per power of two) and draws random numbers within a
        class. It takes about as long, and its sets are larger, by 5 to 20 % on irregular graphs.
    weights : array (n,) or dict, optional
        The weight of each vertex (in a dict by name), for ``algorithm="priority"`` at any distance: integers below
        2**63, booleans or floats of at most 64 bits, finite and not negative. The set is that of the serial greedy
        algorithm that visits heavy vertices with few neighbors first (or with ``priority="weight"`` heavy vertices). At
        every distance, neighbors are those at distance 1. The vertices outside the set are a vertex cover of small
        weight. For a graph on a GPU, weights in host memory are first copied to the GPU, which may take longer than the
        set.
    seed : int, optional
        Seed for all hashes; any integer, 0 by default. Sets of different seeds are uncorrelated, also for seeds 0, 1, 2
        on a lattice.
    include, exclude : distinct vertices by number or name, or bool (n,), optional
        Vertices that must be in the set, and vertices that must not. No vertex can then be added except for the
        excluded ones.
    synchronous : bool, optional
        For "priority" and "lexicographic": run rounds until no vertex is undecided, instead of letting one thread
        finish the remaining vertices. Each round reads the states at the end of the previous one. The set is the same.
        The number of rounds is then that of the synchronous algorithm for this order. It is at most
        `dependence_depth`'s maximum, and may be large (n / 2 for "natural" on a path). False by default.
    adaptive : bool, optional
        For "luby_select": once fewer than half of all vertices are undecided, select all of them in every round, which
        saves rounds. True by default.
    return_info : bool
        Also return statistics of the run.

    Returns
    -------
    mask : bool (n,)
        True for the vertices of the set; a CuPy array for a graph on a GPU.
    info : dict
        With ``return_info=True``:

        - "algorithm": the name of the algorithm.
        - "rounds": the number of parallel rounds, without the serial finish. At distance 2 and more, rounds are
          counted as in Kokkos Kernels, where a vertex is out one round after a vertex near it has joined.
        - "undecided": the number of undecided vertices, at the beginning and after each round.
        - "edges": the number of entries read; an entry that is read in several rounds counts several times. With
          "karp_wigderson", the number of edges that its steps read. Only at distance 1.
        - "seconds": the seconds for "prepare", "rounds" and, where one thread finishes, "finish" (for "residual"
          "small" and "large" instead of both). The extra time for counting the entries is not included.
        - "inner", with "karp_wigderson": the number of steps inside each round.
        - "weight", with `weights`: the sum of the weights of the set: an exact int for integers, a float for floats.

        Except for the seconds, these depend only on the graph and the options, not on threads or devices, except with
        "locked". ``priority="natural"`` has no rounds, unless it is `synchronous`. On several GPUs, "finish" is the
        time in which all of them decide the remaining vertices.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric, `distance` < 1, an option has an unknown value or is
        not supported by the algorithm, a priority is NaN, a weight is negative, infinite, NaN or an integer of 2**63 or
        more, a vertex is out of range or listed twice, two included vertices are within `distance` of each other, a
        vertex is both included and excluded, or the "weight" of info overflows. Without `return_info`, weights are
        compared only.
    TypeError
        If an option has the wrong type.

    See Also
    --------
    is_maximal_independent_set : Check a set by an independent method.

    Notes
    -----
    Deterministic (except for "locked"): the mask depends only on the graph, the options and the seed, not on threads,
    devices or dtypes. With the orders "degree", "ecl" and "random", a round decides most of the remaining vertices and
    reads only a few neighbors of each. If an order leaves no parallelism (such as "natural" on a grid), the set is
    finished serially, in O(n + m).

    Work memory: 5 bytes per vertex (9 with 64-bit ids) and 1 byte per vertex for each thread, up to eight. In addition:
    numeric priorities take 25 bytes per vertex, irregular loops or duplicates 8, and sorting the remaining vertices for
    the serial finish about 40 bytes for each of those; "locked" takes 13 bytes per vertex, "residual" 16, and
    "karp_wigderson" about 60 for each vertex and edge.

    At distance 2 there are about ten rounds; the work memory is 12 bytes per vertex in addition to the bytes per thread
    (on a GPU 24, with "degree" 32). At a larger distance k, each of about ten rounds has up to 2 k sweeps over the
    entries; the work memory is 16 bytes per vertex.

    With weights, the work memory is that of numeric priorities at distance 1. At a larger distance it is 32 bytes per
    vertex more, since all vertices are sorted first (by numbers, on one thread). If an order by weights or numbers
    leaves no parallelism, the set is finished serially at every distance, for a graph on a GPU in host memory at
    distance 2 and more.

    References
    ----------
    M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
    Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018; at distance 2 B. Kelley, S.
    Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph Coarsening", IPDPS
    2022.

    Examples
    --------
    >>> import stablegraph as sg
    >>> star = sg.from_edges([0, 0, 0], [1, 2, 3], symmetrize=True)
    >>> sg.maximal_independent_set(star)
    array([False,  True,  True,  True])
    >>> sg.maximal_independent_set(star, priority="natural")
    array([ True, False, False, False])
    >>> mask, info = sg.maximal_independent_set(star, weights=[9, 1, 2, 3], return_info=True)
    >>> mask, info["weight"]
    (array([ True, False, False, False]), 9)
    >>> path = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], symmetrize=True)
    >>> sg.maximal_independent_set(path, distance=2)
    array([False, False,  True, False, False,  True])
    """
    distance = integer(distance, "distance", minimum=1)
    table, where = (ALGORITHMS, "") if distance == 1 else (_algorithms_at(distance), f" at distance {distance}")
    options = {"priority": priority, "weights": weights, "seed": seed, "synchronous": synchronous, "adaptive": adaptive}
    entry = select_algorithm(table, algorithm, options, where=where, common=_COMMON_OPTIONS)
    settings: dict[str, Any] = {
        "seed": seed_hash(0 if seed is None else seed),
        "synchronous": False if synchronous is None else boolean(synchronous, "synchronous"),
        "adaptive": True if adaptive is None else boolean(adaptive, "adaptive"),
    }
    history = History(counted=boolean(return_info, "return_info"))
    graph = undirected(graph, partitions=True)
    if isinstance(graph, PartitionedGraph):
        SUPPORTED.check(distance=distance, algorithm=algorithm, **options)
        order = "natural" if algorithm == "lexicographic" else checked_priority(priority, graph, distance)
        if distance > 1:
            choice(order, "priority", get_args(DistancePriority), where=f" at distance {distance}{IN_PARTITIONS}")
        limits = [members_of(graph, include, "include"), members_of(graph, exclude, "exclude")]
        answer: Any = in_partitions(maximal_independent_set, graph, distance, order, settings["seed"], *limits)
        return (answer[0], {"algorithm": algorithm, **answer[1]}) if return_info else cast("Mask", answer[0])
    if isinstance(graph, SpreadGraph):
        SUPPORTED_ON_CARDS.check(distance=distance, algorithm=algorithm)
    included, excluded = checked_conditions(graph, include, exclude, distance)
    weighted = None if weights is None else checked_weights(weights, priority, graph)
    settings["priority"] = weighted or checked_priority(priority, graph, distance)
    chosen = {name: settings[name] for name in entry.options if name in settings}
    mask: Mask = entry.run(graph, included, excluded, history, **chosen)
    if not return_info:
        return mask
    weight = {} if weighted is None else {"weight": exact_sum(on_host(weighted.weights[mask]))}
    return mask, {"algorithm": algorithm, **history.info(), **weight}
