"""Nearly maximum independent sets: the public function. A maximal set does not import their search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core.dispatch import dispatches_on_graph
from .._core.typing import GraphLike, Numbers, Vertices
from .._core.validation import integer, seed_hash
from .large.search import search_large_set
from .large_set import IndependentSet

DEFAULT_ROUNDS = 100  # of local search


@dispatches_on_graph
def large_independent_set(
    graph: GraphLike,
    *,
    rounds: int = DEFAULT_ROUNDS,
    seed: int = 0,
    weights: Numbers | None = None,
    include: Vertices | None = None,
    progress: Callable[[int, Any, Any], Any] | bool | None = None,
) -> IndependentSet:
    """Find an independent set that is nearly as large, or as heavy, as possible, with a proven upper bound.

    >>> import stablegraph as sg
    >>> sg.large_independent_set(sg.gallery.grid((5,)))
    <IndependentSet of 3 vertices, a maximum one>

    Finding a maximum independent set is NP-hard, but many large sparse graphs can be solved exactly. Exact rules shrink
    the graph, bipartite components are solved by matching, and local search improves the set on the remaining graph.
    The upper bound limits how far the result can be from a maximum.

    With `weights`, the sum of the weights is maximized, by other rules and another bound. The vertices outside the set
    are then a vertex cover of nearly the smallest weight: each edge has at least one end outside the set. Its weight is
    the total weight minus that of the set, so that it is smallest if the set is heaviest.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries do not matter.
    rounds : int
        Rounds of local search. With more rounds, the search cools down more slowly and finds larger sets. A round takes
        a few milliseconds, and longer if many millions of vertices remain after the reductions. 0 gives a fast answer
        by reducing-peeling only, with a weaker bound; with `weights`, by exact rules and a greedy set, with the same
        bound.
    seed : int
        Seed for the local search; any integer. Other seeds give other sets of about the same size.
    weights : array (n,) or dict, optional
        The weight of each vertex (in a dict by name): integers, booleans or floats of at most 64 bits, finite and not
        negative. Without weights, the number of vertices is maximized.
    include : distinct vertices by number or name, or bool (n,), optional
        Vertices that must be in the set.
    progress : callable or bool, optional
        Called as ``progress(rounds_done, size, upper_bound)`` after each round, with `weights` as
        ``progress(rounds_done, weight, upper_bound)``, where `weight` is a lower bound for the weight of the result; if
        it returns False, the search ends. True shows a bar, in a terminal or a notebook (with ``stablegraph[cli]``).

    Returns
    -------
    IndependentSet
        ``mask`` (bool (n,); a CuPy array for a graph on a GPU), ``size``, ``weight`` (with `weights`), ``upper_bound``
        of the size or the weight, ``optimal`` (whether it is proved that no set is larger, or heavier) and ``rounds``
        (the number run). NumPy and all functions of this package accept it as a mask.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric, `rounds` is negative, a weight is negative, infinite
        or NaN, included vertices are out of range, listed twice, or adjacent, or the weights of the set overflow.
    TypeError
        If an option has the wrong type.
    KeyboardInterrupt
        If Ctrl-C is pressed. During the local search, the exception's attribute ``best`` is the best IndependentSet so
        far.

    See Also
    --------
    maximal_independent_set : Find smaller sets, much faster.

    Notes
    -----
    Deterministic: the set depends only on the graph and the options, not on threads. Connected components are searched
    in parallel. So are parts of a large component if its neighbors can be given nearby numbers, as on roads and meshes;
    on a random graph, one thread does most of the work. A graph on a GPU is processed on the CPU. Cost: near linear
    without rounds (about 50 edge sweeps); see docs/large-sets.md. Work memory: about 100 bytes per vertex and 30 per
    entry; with weights, about 160 bytes per vertex and 60 per entry.

    Weights are added and subtracted as 64-bit integers. Floats whose bits do not fit are rounded up, by less than
    n * 2**-59 of the largest weight; so are integers whose sum is 2**62 or more. ``optimal`` is a proof in exact
    arithmetic, and False if rounding hides which set is the heaviest. ``weight`` is the exact sum of the given weights,
    for floats rounded once; ``upper_bound`` is rounded up, to infinity above the largest float.

    References
    ----------
    L. Chang, W. Li, W. Zhang, "Computing a Near-Maximum Independent Set in Linear Time by Reducing-Peeling", SIGMOD
    2017; T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case Study of Vertex Cover",
    Theoretical Computer Science 609, 2016; with weights S. Lamm, C. Schulz, D. Strash, R. Williger, H. Zhang, "Exactly
    Solving the Maximum Weight Independent Set Problem on Large Real-World Graphs", ALENEX 2019; B. Nogueira, R.
    Pinheiro, A. Subramanian, "A Hybrid Iterated Local Search Heuristic for the Maximum Weight Independent Set Problem",
    Optimization Letters 12, 2018.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], symmetrize=True)
    >>> result = sg.large_independent_set(cycle)
    >>> result
    <IndependentSet of 2 vertices, a maximum one>
    >>> bool(sg.is_maximal_independent_set(cycle, result)), len(np.flatnonzero(result))
    (True, 2)
    >>> sg.large_independent_set(cycle, weights=[9, 1, 2, 3, 1])
    <IndependentSet of 2 vertices of weight 12; no set is heavier>
    """
    return search_large_set(graph, integer(rounds, "rounds", minimum=0), seed_hash(seed), weights, include, progress)
