"""Maximal independent sets: no two vertices adjacent, and no further vertex can join."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from .._arguments import distinct_vertices, hashed_seed, host_array
from ..graph import Graph, as_graph
from ..parallel import at, kernel
from ..parallel.device import array_module
from ..verify import explain, is_independent_set
from . import distance_k, distance_two, karp_wigderson, locked, luby, luby_select, residual
from . import priority as by_priority
from .depth import depths
from .large import DEFAULT_ROUNDS, IndependentSet, Progress, SearchInterrupted
from .large import independent_set as _large_set
from .order import NAMED_ORDERS, make_order
from .words import WORD_ORDERS

__all__ = ["IndependentSet", "dependence_depth", "large_independent_set", "maximal_independent_set"]


# Each takes `graph`, `included` and `excluded`, and by their names those of the options that it has. `seed` is the hash
# of the caller's.
_ALGORITHMS: dict[str, Callable[..., tuple[Any, dict[str, Any]]]] = {
    "priority": by_priority.independent_set,
    "lexicographic": by_priority.first_by_id,
    "luby": luby.independent_set,
    "luby-select": luby_select.independent_set,
    "locked": locked.independent_set,
    "karp-wigderson": karp_wigderson.independent_set,
    "residual": residual.independent_set,
}


def _at_distance(
    graph: Graph, k: int, included: Any, excluded: Any, priority: str, seed: int
) -> tuple[Any, dict[str, Any]]:
    if k == 2:
        return distance_two.independent_set(graph, seed, included, excluded, priority=priority)
    return distance_k.independent_set(graph, k, included, excluded, priority, seed)


_ALGORITHMS_AT_DISTANCE: dict[str, Callable[..., tuple[Any, dict[str, Any]]]] = {"priority": _at_distance}


def maximal_independent_set(
    graph: Any,
    k: int = 1,
    *,
    algorithm: str = "priority",
    priority: str | Any | None = None,
    seed: int = 0,
    include: Any | None = None,
    exclude: Any | None = None,
    synchronous: bool | None = None,
    adaptive: bool | None = None,
    return_info: bool = False,
) -> Any:
    """Find a maximal independent set: no two of its vertices are adjacent, and no further vertex can join.

    With ``k=2`` no two of them have a common neighbour either: such sets are the roots of aggregates in multigrid
    methods. Maximal is not maximum: the set cannot be extended, but a larger one may exist. Loops and repeated entries
    are ignored; a vertex without neighbours is always in the set.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern.
    k : int
        Members are more than `k` edges apart, and every other vertex is within `k` of a member.
    algorithm : {"priority", "lexicographic", "luby", "luby-select", "locked", "karp-wigderson", "residual"}
        - "priority" is the parallel algorithm of ECL-MIS. Its result is the set that the serial greedy algorithm finds
          when it visits the vertices in the order that `priority` gives.
        - "lexicographic": the same with ``priority="natural"``; the lexicographically first set.
        - "luby": Luby's algorithm: rounds in which vertices join that are ahead of their neighbours in a random order
          drawn anew each time. Its sets are about as large as those of ``priority="random"``.
        - "luby-select": Luby's random selection: rounds in which a few vertices are drawn, those of low degree more
          often; of two neighbours the one of higher degree stays. Small sets.
        - "locked": every vertex tries to lock itself and its neighbours. **Its set depends on the schedule**, and
          changes from run to run: the only exception in this package. It is always independent and maximal.
        - "karp-wigderson": the algorithm of 1985 that first took a polylogarithmic number of rounds. For study: it
          runs on one thread, in some seconds for a million vertices.
        - "residual": rounds in which vertices join that have few undecided neighbours left. Large sets: near those of
          the serial greedy algorithm that always takes a vertex of smallest residual degree. Takes longer.

        For k of 2 and more there is "priority" alone: Luby's algorithm on the k-th power of the graph, in the form of
        Kokkos Kernels.
    priority : {"degree", "ecl", "random", "natural", "high-degree"} or array (n,), optional
        The order, for ``algorithm="priority"``; the first vertex in it is always in the set.

        - "degree" (the default for ``k=1``): few neighbours first, then the larger hash of vertex and seed, then the
          larger id. Gives large sets.
        - "ecl": bit for bit the order of ECL-MIS v1.3, which depends on the average degree (see PATENTS.md).
        - "random": by the hash alone.
        - "natural": by id; the set is the lexicographically first one. One thread does this fastest, so with few
          threads the others do not help.
        - "high-degree": many neighbours first, then the larger id. Gives small sets. The set that a thesis (see
          luby_select.py) calls lexicographically first.
        - an array of real numbers, one a vertex: the larger number first, then hash and id.

        For k of 2 and more, "random" (the default there) draws new random numbers for every round; with seed 0 the sets
        for ``k=2`` are bit for bit those of Kokkos Kernels. "degree" puts few neighbours first (four classes to each
        power of two), and draws within a class; its sets are larger, on irregular graphs by 5 to 20 %, and it takes
        about as long. There are no other orders.
    seed : int
        Of all hashes: any integer. Other seeds give other sets, which have nothing in common, also for seeds 0, 1, 2
        on a lattice.
    include, exclude : array of distinct vertices, or bool (n,), optional
        Vertices that must be in the set, and vertices that must not; the set is then maximal on the others.
    synchronous : bool, optional
        For "priority" and "lexicographic": take rounds until nobody is undecided, each on the states that the one
        before has left, and let no single thread finish what is left. The set is the same. The number of rounds then is
        that of the order's synchronous algorithm, on any number of threads; it is at most `dependence_depth`'s maximum,
        which may be large ("natural" on a path: half as many as vertices). False unless stated.
    adaptive : bool, optional
        For "luby-select": draw everybody as soon as fewer than half of the vertices are left, which saves rounds. True
        unless stated.
    return_info : bool
        Also return what was done.

    Returns
    -------
    mask : bool (n,)
        True for the vertices of the set; a CuPy array for a graph on a GPU.
    info : dict
        With ``return_info=True``:

        - "algorithm": its name.
        - "rounds": their number; what one thread finishes in order is not in it. For k of 2 and more those of Kokkos
          Kernels, where vertices are out one round after a member has come near.
        - "undecided": the number of vertices, and how many are undecided after each round.
        - "edges": how many entries were looked at, those looked at again in another round counted again. With
          "karp-wigderson" how many edges its steps went through. For ``k=1``.
        - "seconds" for "prepare", "rounds" and, where one thread finishes, "finish". Counting the entries takes extra
          time, which is in none of them.
        - "inner", with "karp-wigderson": the steps inside each round.

        All but the seconds depend on the graph and the options alone, with the exceptions that "locked" brings, and
        that few threads take ``priority="natural"`` without rounds.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, `k` < 1, an option has an unknown value or the algorithm
        does not have it, a priority is NaN, vertices are out of range or named twice, two included vertices are within
        distance `k`, or one is included and excluded.
    TypeError
        If an option has the wrong type.

    See Also
    --------
    is_maximal_independent_set : Check such a set with other means.

    Notes
    -----
    Deterministic (but for "locked"): the mask depends on the graph, the options and the seed alone, not on threads,
    devices or dtypes. For the orders "degree", "ecl" and "random" a round decides most of the vertices that are left,
    and each looks at a few neighbours only. Orders that leave no parallelism (such as "natural" on a grid) are finished
    serially, in O(n + m). Work memory: 5 bytes a vertex (9 if ids take 64 bits) and 1 more per thread, up to eight;
    numeric priorities take 25 bytes a vertex more, loops or duplicates here and there 8, and sorting what is left for
    one thread some 40 for each such vertex; "locked" 13 bytes a vertex, "residual" 16, "karp-wigderson" some 60 for
    each vertex and edge. For ``k=2`` about ten rounds, and 12 bytes a vertex beside the one per
    thread; for larger k up to 2 k sweeps over the entries in each of as many rounds, and 16 bytes a vertex.

    References
    ----------
    M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
    Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018; for ``k=2`` B. Kelley, S. Rajamanickam,
    "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph Coarsening", IPDPS 2022.

    Examples
    --------
    >>> import stablegraph as sg
    >>> star = sg.from_edges([0, 0, 0], [1, 2, 3], symmetrize=True)
    >>> sg.maximal_independent_set(star)
    array([False,  True,  True,  True])
    >>> sg.maximal_independent_set(star, priority="natural")
    array([ True, False, False, False])
    >>> path = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5], symmetrize=True)
    >>> sg.maximal_independent_set(path, k=2)
    array([False, False,  True, False, False,  True])
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"k must be an integer, got {k!r}")
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    algorithms, where = (_ALGORITHMS, "") if k == 1 else (_ALGORITHMS_AT_DISTANCE, f" for k = {k}")
    if not isinstance(algorithm, str) or algorithm not in algorithms:
        raise ValueError(f"algorithm must be one of {', '.join(algorithms)}{where}; got {algorithm!r}")
    hashed = hashed_seed(seed)
    run = algorithms[algorithm]
    known = inspect.signature(run).parameters
    options = {"priority": priority, "seed": seed or None, "synchronous": synchronous, "adaptive": adaptive}
    for name, value in options.items():
        if value is not None and name not in known:
            has = ", ".join([*(option for option in options if option in known), "include", "exclude"])
            raise ValueError(f"algorithm {algorithm!r} has no option {name}{where}; it has {has}")
    graph = as_graph(graph)
    included, excluded = _checked_vertices(include, "include", graph), _checked_vertices(exclude, "exclude", graph)
    _check_choice(graph, included, excluded, int(k))
    settings = {
        "graph": graph,
        "k": int(k),
        "included": included,
        "excluded": excluded,
        "priority": _checked_priority(priority, graph.num_vertices) if k == 1 else _checked_word_order(priority, where),
        "seed": hashed,
        "synchronous": _checked_truth(synchronous, "synchronous", False),
        "adaptive": _checked_truth(adaptive, "adaptive", True),
        "counted": bool(return_info),
    }
    mask, info = run(**{name: settings[name] for name in known})
    return (mask, {"algorithm": algorithm, **info}) if return_info else mask


def large_independent_set(
    graph: Any,
    *,
    rounds: int = DEFAULT_ROUNDS,
    seed: int = 0,
    include: Any | None = None,
    progress: Progress | None = None,
) -> IndependentSet:
    """Find an independent set that is nearly as large as possible, and prove how large one can be.

    To find a maximum independent set is hard; large graphs often give in all the same. Exact rules shrink the graph,
    bipartite components are solved by matching, and local search goes through what is left. A bound says how far from
    a maximum the result can be.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries do not matter.
    rounds : int
        Rounds of local search; the more, the larger the set, and the slower the search cools down. A round takes some
        milliseconds, on graphs with many millions of vertices left more. 0 gives a fast answer by reducing-peeling
        alone, with a weaker bound.
    seed : int
        For the local search, any integer: other seeds give other sets of about the same size.
    include : array of distinct vertices, or bool (n,), optional
        Vertices that must be in the set.
    progress : callable, optional
        Called as ``progress(rounds_done, size, upper_bound)`` after each round; if it returns False, the search ends.

    Returns
    -------
    IndependentSet
        ``mask`` (bool (n,); a CuPy array for a graph on a GPU), ``size``, ``upper_bound``, ``optimal`` (whether the two
        are equal) and ``rounds`` (those done). NumPy, and all functions of this package, take it as its mask.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, `rounds` is negative, included vertices are out of range,
        named twice, or adjacent.
    TypeError
        If an option has the wrong type.
    KeyboardInterrupt
        If Ctrl-C is pressed. During the local search nothing is lost by that: the exception's attribute ``best`` is the
        best IndependentSet so far.

    See Also
    --------
    maximal_independent_set : Smaller sets, much faster.

    Notes
    -----
    Deterministic: the set depends on the graph and the options alone, not on threads. Most steps but the local search
    run on one thread. For a graph on a GPU everything is done on the CPU. Cost: near linear without rounds (some 50
    edge sweeps); see docs/large-sets.md. Work memory: some 100 bytes a vertex and 30 an entry.

    References
    ----------
    L. Chang, W. Li, W. Zhang, "Computing a Near-Maximum Independent Set in Linear Time by Reducing-Peeling", SIGMOD
    2017; T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case Study of Vertex Cover",
    Theoretical Computer Science 609, 2016.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], symmetrize=True)
    >>> result = sg.large_independent_set(cycle)
    >>> result
    <IndependentSet of 2 vertices, a maximum one>
    >>> bool(sg.is_maximal_independent_set(cycle, result)), len(np.flatnonzero(result))
    (True, 2)
    """
    hashed = hashed_seed(seed)
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)):
        raise TypeError(f"rounds must be an integer, got {rounds!r}")
    if rounds < 0:
        raise ValueError(f"rounds must not be negative, got {rounds}")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress must be a function of (rounds done, size, upper bound), got {progress!r}")
    graph = as_graph(graph)
    included = _checked_vertices(include, "include", graph)
    _check_choice(graph, included, included[:0], 1)
    device = graph.device
    host = graph.to("cpu").simple() if graph.has_duplicates else graph.to("cpu")
    found, stopped = _large_set(host, int(rounds), hashed, host_array(included, "include"), progress or _no_report)
    found = replace(found, mask=array_module(device).asarray(found.mask))
    if stopped:
        raise SearchInterrupted(found)
    return found


def _no_report(done: int, size: int, upper_bound: int) -> None:
    pass


def dependence_depth(graph: Any, *, priority: str | Any | None = None, seed: int = 0) -> tuple[int, float]:
    """Measure how deep the dependences go that an order of the vertices imposes.

    Each edge makes the end that is later in the order wait for the earlier one. The depth of a vertex is 1 if it waits
    for nobody, else 1 more than the largest depth among those it waits for.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries do not matter.
    priority, seed
        The order, as for `maximal_independent_set`.

    Returns
    -------
    maximum : int
        The largest depth: the rounds that unlimited processors need at most. 0 for a graph without vertices.
    average : float
        The mean of all depths.

    Raises
    ------
    ValueError, TypeError
        As for `maximal_independent_set`.

    See Also
    --------
    maximal_independent_set : What the order is for.

    Notes
    -----
    Deterministic. A sort of the vertices and one pass over the entries, on one thread; work memory some 60 bytes a
    vertex.

    References
    ----------
    M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
    Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018, table 5.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.dependence_depth(path, priority="natural")
    (4, 2.5)
    """
    hashed = hashed_seed(seed)
    graph = as_graph(graph)
    depth = depths(graph, make_order(graph, _checked_priority(priority, graph.num_vertices), hashed))
    if depth.size == 0:
        return 0, 0.0
    return int(depth.max()), int(depth.sum(dtype=np.int64)) / graph.num_vertices


def _checked_truth(value: bool | None, option: str, default: bool) -> bool:
    if value is None:
        return default
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{option} must be True or False, got {value!r}")
    return bool(value)


def _checked_priority(priority: str | Any | None, n: int) -> str | np.ndarray:
    if priority is None:
        return "degree"
    names = ", ".join(NAMED_ORDERS)
    if isinstance(priority, str):
        if priority not in NAMED_ORDERS:
            raise ValueError(f"priority must be one of {names}, or an array of numbers; got {priority!r}")
        return priority
    values = host_array(priority, "priority")
    if values.dtype.kind not in "buif" or values.dtype.itemsize > 8:
        raise TypeError(f"priority must be one of {names}, or an array of real numbers; got dtype {values.dtype}")
    if values.shape != (n,):
        raise ValueError(f"priority must have one number for each of the {n} vertices, got shape {values.shape}")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise ValueError(f"priority of vertex {int(np.isnan(values).argmax())} is NaN, which has no place in an order")
    return values


def _checked_word_order(priority: Any, where: str) -> str:
    if priority is None:
        return "random"
    if not isinstance(priority, str) or priority not in WORD_ORDERS:
        raise ValueError(f"priority must be one of {', '.join(WORD_ORDERS)}{where}; got {priority!r}")
    return priority


def _checked_vertices(vertices: Any | None, option: str, graph: Graph) -> Any:
    """Vertices in ascending order, from a mask or from ids in any order, where the graph lives."""
    n, id_type, xp = graph.num_vertices, graph.indices.dtype, array_module(graph.device)
    if vertices is None:
        return xp.empty(0, id_type)
    return xp.asarray(np.sort(distinct_vertices(vertices, option, n)).astype(id_type))


@kernel
def _find_included_neighbours(i, included, indptr, indices, chosen, partners):
    """For each included vertex another one that is its neighbour, if there is any."""
    v = int(included[i])
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if chosen[at(u)] and u != v:
            partners[i] = u
            break


def _check_choice(graph: Graph, included: Any, excluded: Any, k: int) -> None:
    if included.size == 0:
        return
    xp = array_module(graph.device)
    chosen = xp.zeros(graph.num_vertices, bool)
    chosen[included] = True
    both = excluded[chosen[excluded]]
    if both.size:
        raise ValueError(f"vertex {int(both[0])} stands both in include and in exclude")
    if k > 1:
        if wrong := explain(is_independent_set, graph, chosen, k):
            raise ValueError(f"include cannot be kept: {wrong}")
        return
    partners = xp.full(included.size, -1, np.int64)
    _find_included_neighbours(included.size, included, graph.indptr, graph.indices, chosen, partners)
    adjacent = xp.flatnonzero(partners >= 0)
    if adjacent.size:
        v, u = int(included[adjacent[0]]), int(partners[adjacent[0]])
        raise ValueError(f"vertices {v} and {u} stand in include, but are adjacent")
