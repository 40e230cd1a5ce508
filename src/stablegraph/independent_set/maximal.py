"""Maximal independent sets: the public function, and the table of algorithms."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, TypedDict, Unpack, get_args, overload

from .._arguments import Algorithm, boolean, choice, hashed_seed, integer
from ..conversion import undirected
from ..elsewhere import or_elsewhere
from ..names import DistancePriority, Priority, SetAlgorithm
from ..parallel.cuda_source import by_device
from ..typing import GraphLike, Mask, Numbers, Vertices
from .conditions import checked_conditions, checked_priority
from .distance import k, two
from .greedy import karp_wigderson, locked, luby, luby_select, residual
from .greedy import priority as by_priority
from .history import History

# Each takes the graph, the vertices that must be in the set, those that must not, a `History`, and its own options, and
# returns the mask of the set. Its `seed` is the hash of the caller's.
_in_order, _by_id = (
    by_device(form, ".greedy.priority_cuda", __package__)
    for form in (by_priority.independent_set, by_priority.first_by_id)
)
_luby_select = by_device(luby_select.independent_set, ".greedy.luby_select_cuda", __package__)
_residual = by_device(residual.independent_set, ".greedy.residual_cuda", __package__)
_at_two = by_device(two.independent_set, ".distance.two_cuda", __package__)
_at_k = by_device(k.independent_set, ".distance.k_cuda", __package__)
ALGORITHMS: dict[SetAlgorithm, Algorithm] = {
    "priority": Algorithm(_in_order, ("priority", "seed", "synchronous")),
    "lexicographic": Algorithm(_by_id, ("synchronous",)),
    "luby": Algorithm(luby.independent_set, ("seed",)),
    "luby_select": Algorithm(_luby_select, ("seed", "adaptive")),
    "locked": Algorithm(locked.independent_set),
    "karp_wigderson": Algorithm(karp_wigderson.independent_set, ("seed",)),
    "residual": Algorithm(_residual, ("seed",)),
}
_ALL_HAVE = ("include", "exclude")


def _algorithms_at(distance: int) -> dict[SetAlgorithm, Algorithm]:
    """What there is at a distance of at least 2."""
    run = _at_two if distance == 2 else partial(_at_k, k=distance)
    return {"priority": Algorithm(run, ("priority", "seed"))}


class _Options(TypedDict, total=False):
    """The options of `maximal_independent_set`, for what type checkers and editors know of its calls."""

    algorithm: SetAlgorithm
    priority: Priority | Numbers | None
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


@or_elsewhere
def maximal_independent_set(
    graph: GraphLike,
    distance: int = 1,
    *,
    algorithm: SetAlgorithm = "priority",
    priority: Priority | Numbers | None = None,
    seed: int | None = None,
    include: Vertices | None = None,
    exclude: Vertices | None = None,
    synchronous: bool | None = None,
    adaptive: bool | None = None,
    return_info: bool = False,
) -> Mask | tuple[Mask, dict[str, Any]]:
    """Find a maximal independent set: no two of its vertices are adjacent, and no further vertex can join.

    With ``distance=2`` no two of them have a common neighbor either: such sets are the roots of aggregates in
    multigrid methods. Maximal is not maximum: the set cannot be extended, but a larger one may exist. Loops and
    repeated entries are ignored; a vertex without neighbors is always in the set.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern.
    distance : int
        Members are more than `distance` edges apart, and every other vertex is within `distance` of a member.
    algorithm : {"priority", "lexicographic", "luby", "luby_select", "locked", "karp_wigderson", "residual"}
        - "priority" is the parallel algorithm of ECL-MIS. Its result is the set that the serial greedy algorithm finds
          when it visits the vertices in the order that `priority` gives.
        - "lexicographic": the same with ``priority="natural"``; the lexicographically first set.
        - "luby": Luby's algorithm: rounds in which vertices join that are ahead of their neighbors in a random order
          drawn anew each time, O(log n) in expectation. Its sets are about as large as those of ``priority="random"``.
        - "luby_select": Luby's random selection: rounds in which a few vertices are drawn, those of low degree more
          often; of two neighbors the one of higher degree stays. Small sets.
        - "locked": every vertex tries to lock itself and its neighbors. **Its set depends on the schedule**, and
          changes from run to run: the only exception in this package. It is always independent and maximal.
        - "karp_wigderson": the algorithm of 1985 that first took a polylogarithmic number of rounds. For study: it
          runs on one thread, in some seconds for a million vertices.
        - "residual": rounds in which vertices join that have few undecided neighbors left. Large sets: near those of
          the serial greedy algorithm that always takes a vertex of smallest residual degree. Takes longer.

        From distance 2 on there is "priority" alone: Luby's algorithm on a power of the graph, in the form of Kokkos
        Kernels.
    priority : {"degree", "ecl", "random", "natural", "high_degree"} or array (n,), optional
        The order, for ``algorithm="priority"``; the first vertex in it is always in the set.

        - "degree" (the default at distance 1): few neighbors first, then the larger hash of vertex and seed, then the
          larger id. Gives large sets.
        - "ecl": bit for bit the order of ECL-MIS v1.3, which depends on the average degree (see PATENTS.md).
        - "random": by the hash alone.
        - "natural": by id; the set is the lexicographically first one. One thread does this fastest, so with few
          threads the others do not help.
        - "high_degree": many neighbors first, then the larger id. Gives small sets.
        - an array of real numbers, one a vertex: the larger number first, then hash and id.

        From distance 2 on, "random" (the default there) draws new random numbers for every round; with seed 0 the sets
        at distance 2 are bit for bit those of Kokkos Kernels. "degree" puts few neighbors first (four classes to each
        power of two), and draws within a class; its sets are larger, on irregular graphs by 5 to 20 %, and it takes
        about as long. There are no other orders.
    seed : int, optional
        Seed of all hashes; any integer, 0 by default. Other seeds give other sets, which have nothing in common, also
        for seeds 0, 1, 2 on a lattice.
    include, exclude : distinct vertices by number or name, or bool (n,), optional
        Vertices that must be in the set, and vertices that must not; the set is then maximal on the others.
    synchronous : bool, optional
        For "priority" and "lexicographic": take rounds until no vertex is undecided, each on the states that the one
        before has left, and let no single thread finish what is left. The set is the same. The number of rounds then is
        that of the order's synchronous algorithm, on any number of threads; it is at most `dependence_depth`'s maximum,
        which may be large ("natural" on a path: half as many as vertices). False unless stated.
    adaptive : bool, optional
        For "luby_select": draw all vertices as soon as fewer than half of the vertices are left, which saves rounds.
        True unless stated.
    return_info : bool
        Also return what was done.

    Returns
    -------
    mask : bool (n,)
        True for the vertices of the set; a CuPy array for a graph on a GPU.
    info : dict
        With ``return_info=True``:

        - "algorithm": its name.
        - "rounds": their number; what one thread finishes in order is not in it. From distance 2 on those of Kokkos
          Kernels, where vertices are out one round after a member has come near.
        - "undecided": the number of vertices, and how many are undecided after each round.
        - "edges": how many entries were read, those read again in another round counted again. With
          "karp_wigderson" how many edges its steps went through. At distance 1.
        - "seconds" for "prepare", "rounds" and, where one thread finishes, "finish". Counting the entries takes extra
          time, which is in none of them.
        - "inner", with "karp_wigderson": the steps inside each round.

        All but the seconds depend on the graph and the options alone, with the exceptions that "locked" brings, and
        that few threads take ``priority="natural"`` without rounds.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, `distance` < 1, an option has an unknown value or the
        algorithm does not have it, a priority is NaN, vertices are out of range or named twice, two included vertices
        are within that distance, or one is included and excluded.
    TypeError
        If an option has the wrong type.

    See Also
    --------
    is_maximal_independent_set : Check such a set with other means.

    Notes
    -----
    Deterministic (but for "locked"): the mask depends on the graph, the options and the seed alone, not on threads,
    devices or dtypes. For the orders "degree", "ecl" and "random" a round decides most of the vertices that are left,
    and each reads a few neighbors only. Orders that leave no parallelism (such as "natural" on a grid) are finished
    serially, in O(n + m). Work memory: 5 bytes a vertex (9 if ids take 64 bits) and 1 more per thread, up to eight;
    numeric priorities take 25 bytes a vertex more, loops or duplicates here and there 8, and sorting what is left for
    one thread some 40 for each such vertex; "locked" 13 bytes a vertex, "residual" 16 (on a GPU 24), "karp_wigderson"
    some 60 for each vertex and edge. At distance 2 about ten rounds, and 12 bytes a vertex beside the one per thread
    (on a GPU 24, by degrees 32); at a larger distance k up to 2 k sweeps over the entries in each of as many rounds,
    and 16 bytes a vertex.

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
    >>> path = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], symmetrize=True)
    >>> sg.maximal_independent_set(path, distance=2)
    array([False, False,  True, False, False,  True])
    """
    distance = integer(distance, "distance", least=1)
    table, where = (ALGORITHMS, "") if distance == 1 else (_algorithms_at(distance), f" at distance {distance}")
    chosen = table[choice(algorithm, "algorithm", table, where=where)]
    options = {"priority": priority, "seed": seed, "synchronous": synchronous, "adaptive": adaptive}
    given = [name for name, value in options.items() if value is not None]
    chosen.refuse_others(f"algorithm {algorithm!r}", given, where=where, common=_ALL_HAVE)
    graph = undirected(graph)
    included, excluded = checked_conditions(graph, include, exclude, distance)
    settings = {
        "priority": _checked_priority(priority, distance, graph.num_vertices),
        "seed": hashed_seed(0 if seed is None else seed),
        "synchronous": False if synchronous is None else boolean(synchronous, "synchronous"),
        "adaptive": True if adaptive is None else boolean(adaptive, "adaptive"),
    }
    history = History(counted=boolean(return_info, "return_info"))
    mask: Mask = chosen.run(graph, included, excluded, history, **{name: settings[name] for name in chosen.options})
    return (mask, {"algorithm": algorithm, **history.info()}) if return_info else mask


def _checked_priority(priority: Any, distance: int, n: int) -> Any:
    if distance == 1:
        return checked_priority(priority, n)
    where = f" at distance {distance}"
    return "random" if priority is None else choice(priority, "priority", get_args(DistancePriority), where=where)
