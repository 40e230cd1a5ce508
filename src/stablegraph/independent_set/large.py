"""Large independent sets: the public function and its result type."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from .._core.dispatch import dispatches_on_graph
from .._core.html import facts_as_html
from .._core.progress import reported
from .._core.typing import GraphLike, Mask, Vertices
from .._core.validation import host_array, integer, seed_hash
from ..conversion import in_order, undirected
from .conditions import checked_conditions
from .near_maximum.reduce_and_search import find

Progress = Callable[[int, int, int], Any]  # rounds done, size of the best set, upper bound

DEFAULT_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class IndependentSet:
    """A large independent set, with an upper bound on the size of any such set.

    NumPy and all functions that accept a mask use the object like its mask: ``numpy.flatnonzero(result)`` gives the
    vertices, and ``values[result]`` selects their values. ``len(result)`` is the number of vertices, `size`.

    Attributes
    ----------
    mask : bool (n,)
        True for the vertices of the set.
    size : int
        The number of vertices in the set.
    upper_bound : int
        No independent set of the graph (that contains the included vertices) has more vertices.
    rounds : int
        The number of rounds of local search that were run: fewer than requested if the search was stopped or reached
        the bound.

    Examples
    --------
    >>> import stablegraph as sg
    >>> result = sg.large_independent_set(sg.gallery.grid((3, 3)))
    >>> result.size, result.upper_bound, result.optimal
    (5, 5, True)
    >>> import numpy as np
    >>> np.flatnonzero(result)
    array([0, 2, 4, 6, 8])
    >>> np.arange(9.0)[result], np.asarray(result, int)
    (array([0., 2., 4., 6., 8.]), array([1, 0, 1, 0, 1, 0, 1, 0, 1]))
    """

    mask: Mask
    size: int
    upper_bound: int
    rounds: int

    @property
    def optimal(self) -> bool:
        """Return whether this is proven to be a maximum independent set."""
        return self.size == self.upper_bound

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.mask, dtype, copy=copy)  # type: ignore[arg-type]

    @property
    def __cuda_array_interface__(self) -> Any:
        return self.mask.__cuda_array_interface__  # type: ignore[attr-defined]  # a NumPy array has none

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> NoReturn:
        raise TypeError(
            "an IndependentSet is not iterable, as it could mean its vertices or its mask: take "
            "numpy.flatnonzero(result), or result.mask"
        )

    def __repr__(self) -> str:
        if self.optimal:
            return f"<IndependentSet of {self.size} vertices, a maximum one>"
        return f"<IndependentSet of {self.size} vertices; no set has more than {self.upper_bound}>"

    def _repr_html_(self) -> str:
        n = len(self.mask)
        bound = "the same: a maximum set" if self.optimal else f"{self.upper_bound:,}"
        share = f" of {n:,} vertices ({self.size / n:.1%})" if n else ""
        facts = {"size": f"{self.size:,}{share}", "upper bound": bound, "rounds of search": f"{self.rounds:,}"}
        return facts_as_html("Independent set", facts)


class SearchInterrupted(KeyboardInterrupt):
    """Raised by Ctrl-C during the local search. `best` is the best set so far."""

    def __init__(self, best: IndependentSet) -> None:
        super().__init__()
        self.best = best


@dispatches_on_graph
def large_independent_set(
    graph: GraphLike,
    *,
    rounds: int = DEFAULT_ROUNDS,
    seed: int = 0,
    include: Vertices | None = None,
    progress: Progress | bool | None = None,
) -> IndependentSet:
    """Find an independent set that is nearly as large as possible, with a proven upper bound on its size.

    Finding a maximum independent set is NP-hard, but many large sparse graphs can be solved exactly. Exact rules shrink
    the graph, bipartite components are solved by matching, and local search improves the set on the remaining graph.
    The upper bound limits how far the result can be from a maximum.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries do not matter.
    rounds : int
        Rounds of local search. With more rounds, the search cools down more slowly and finds larger sets. A round takes
        a few milliseconds, and longer if many millions of vertices remain after the reductions. 0 gives a fast answer
        by reducing-peeling only, with a weaker bound.
    seed : int
        Seed for the local search; any integer. Other seeds give other sets of about the same size.
    include : distinct vertices by number or name, or bool (n,), optional
        Vertices that must be in the set.
    progress : callable or bool, optional
        Called as ``progress(rounds_done, size, upper_bound)`` after each round; if it returns False, the search ends.
        True shows a bar, in a terminal or a notebook (with ``pip install "stablegraph[cli]"``).

    Returns
    -------
    IndependentSet
        ``mask`` (bool (n,); a CuPy array for a graph on a GPU), ``size``, ``upper_bound``, ``optimal`` (whether size
        and bound are equal) and ``rounds`` (the number run). NumPy and all functions of this package accept it as a
        mask.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric, `rounds` is negative, or included vertices are out of
        range, listed twice, or adjacent.
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
    entry.

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
    hashed, rounds = seed_hash(seed), integer(rounds, "rounds", least=0)

    def moves(done: int, size: int, bound: int) -> dict[str, Any]:
        return {"completed": done, "total": rounds, "text": f"{size:,} of at most {bound:,} vertices"}

    with reported(progress, moves, "rounds done, size, upper bound") as report:
        graph = undirected(graph)
        included, _ = checked_conditions(graph, include, None, 1)
        host = in_order(graph.to("cpu"))  # removals follow the order of entries, which must not depend on the storage
        found = find(host, rounds, hashed, host_array(included, "include"), report or _no_report)
    size = int(np.count_nonzero(found.mask))
    best = IndependentSet(graph.xp.asarray(found.mask), size, found.upper_bound, found.rounds)
    if found.interrupted:
        raise SearchInterrupted(best)
    return best


def _no_report(done: int, size: int, upper_bound: int) -> None:
    pass
