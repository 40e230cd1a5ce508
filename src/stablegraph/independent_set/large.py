"""Large independent sets: exact reductions, reducing-peeling, local search, and a bound on what is possible.

Result: an independent set near a maximum one, and a number that no independent set exceeds. If they are equal, the set
is a maximum independent set.

The ladder, each step on what the one before leaves:

1. Exact rules for vertices with at most two neighbours (reducing_peeling.py).
2. Bipartite components are solved by matching (bipartite.py).
3. The rest gets numbers that make neighbours lie near one another (locality.py), and more exact rules are applied:
   folds, domination, twins, unconfined vertices (kernelization.py). What is left is the kernel.
4. A first set of the kernel, by peeling (reducing_peeling.py) or by residual degree (residual.py), whichever is larger;
   a bound for all its sets, by covering it with cliques and cycles (upper_bound.py) or by peeling.
5. Local search in the kernel (local_search.py), in rounds.
6. The way back: each step completes the set of what it left.

Without rounds, what is left after 2 is peeled, and the bound is what that proves: a fast answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from ..graph import Graph
from ..parallel import at, in_steps, kernel
from ..parallel.primitives import compact
from ..rows import rows_among
from . import bipartite
from .kernelization import Kernelization
from .local_search import LocalSearch
from .locality import nearby_numbers, renumbered
from .reducing_peeling import ShrinkingGraph
from .residual import independent_set as by_residual_degree
from .upper_bound import independence_bound

Progress = Callable[[int, int, int], Any]  # rounds done, size of the best set, upper bound

DEFAULT_ROUNDS = 100


@dataclass(frozen=True, eq=False)
class IndependentSet:
    """A large independent set, and how large one can be at most.

    NumPy takes it as its mask, and so do all functions that take a mask: ``numpy.flatnonzero(result)`` are its
    vertices, ``values[result]`` what belongs to them. ``len(result)`` is their number, `size`.

    Attributes
    ----------
    mask : bool (n,)
        True for the vertices of the set.
    size : int
        Their number.
    upper_bound : int
        No independent set of the graph (that contains what was to be included) has more vertices.
    rounds : int
        The rounds of local search that were done: fewer than asked for if the search was stopped, or was at its goal.

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

    mask: Any
    size: int
    upper_bound: int
    rounds: int

    @property
    def optimal(self) -> bool:
        """Whether this is a maximum independent set, by proof."""
        return self.size == self.upper_bound

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.mask, dtype, copy=copy)  # type: ignore[arg-type]

    @property
    def __cuda_array_interface__(self) -> Any:
        return self.mask.__cuda_array_interface__  # there is none where the mask is a NumPy array

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


class SearchInterrupted(KeyboardInterrupt):
    """Ctrl-C during the local search. `best` is the best set so far."""

    def __init__(self, best: IndependentSet) -> None:
        super().__init__()
        self.best = best


@kernel(by="single")
def _join_free(first, beyond, indptr, indices, mask):
    """Each vertex of a range joins if it has no neighbour in the set."""
    for v in range(first, beyond):
        e, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        while e < end and (indices[at(e)] == v or not mask[at(indices[at(e)])]):
            e += 1
        mask[at(v)] |= e == end


def _maximal(indptr: Any, indices: Any, mask: Any) -> Any:
    """The set, and whoever is free to join it."""
    mask = mask.copy()
    for first, beyond in in_steps(mask.size):
        _join_free(first, beyond, indptr, indices, mask)
    return mask


def _peeled(indptr: Any, indices: Any) -> tuple[Any, int]:
    """A maximal set by reducing-peeling, and a bound."""
    rest = ShrinkingGraph(indptr, indices)
    rest.peel()
    exact = rest.result()
    return _maximal(indptr, indices, exact), int(np.count_nonzero(exact)) + rest.peeled


class _Search:
    """Local search in the kernel of a graph: a set that grows, and a bound."""

    def __init__(self, indptr: Any, indices: Any, rounds: int, seed: int) -> None:
        self._number, order = nearby_numbers(indptr, indices)
        self._kernel = Kernelization(*renumbered(indptr, indices, self._number, order))
        indptr, indices = self._kernel.indptr, self._kernel.indices
        first, bound = _peeled(indptr, indices)
        nobody = np.empty(0, indices.dtype)
        greedy, _ = by_residual_degree(Graph._trusted(indptr, indices), seed, nobody, nobody)
        start = max(first, greedy, key=np.count_nonzero)
        self._local = LocalSearch(indptr, indices, start, rounds=rounds, seed=seed)
        self._outside = int(np.count_nonzero(self.mask)) - self._local.size
        self.upper_bound = self._outside + min(bound, independence_bound(indptr, indices))
        self.done = 0  # rounds

    @property
    def size(self) -> int:
        return self._outside + self._local.size

    @property
    def mask(self) -> Any:
        return self._kernel.lift(self._local.best)[self._number]

    def run(self, rounds: int, progress: Progress, settled: int) -> bool:
        """Search until so many rounds are done, the bound is met, or `progress` says False. Whether Ctrl-C ended it."""
        try:
            while self.done < rounds and self.size < self.upper_bound:
                self._local.step()
                self.done += 1
                go_on = progress(self.done, settled + self.size, settled + self.upper_bound)
                if isinstance(go_on, (bool, np.bool_)) and not go_on:
                    break
        except KeyboardInterrupt:
            return True
        return False


def independent_set(
    graph: Graph, rounds: int, seed: int, included: Any, progress: Progress
) -> tuple[IndependentSet, bool]:
    """A large independent set of a graph without repeated entries, in host memory, and whether Ctrl-C was pressed."""
    outer = ShrinkingGraph(graph.indptr, graph.indices)
    outer.include(included)
    outer.reduce()
    left = outer.left
    indptr, indices = outer.extract(left)

    colors = bipartite.two_colors(indptr, indices)
    odd = compact(colors == bipartite.ODD)
    mask = np.zeros(left.size, bool)
    if odd.size < left.size:
        mask = bipartite.maximum_independent_set(indptr, indices, colors)
        indptr, indices = rows_among(odd, indptr[:-1], indptr[1:], indices)

    settled = outer.settled + int(np.count_nonzero(mask))
    done, stopped = 0, False
    if rounds == 0:
        mask[odd], bound = _peeled(indptr, indices)
    else:
        search = _Search(indptr, indices, rounds, seed)
        stopped = search.run(rounds, progress, settled)
        mask[odd], bound, done = search.mask, search.upper_bound, search.done
    outer.decide(left, mask)
    whole = _maximal(graph.indptr, graph.indices, outer.result())
    return IndependentSet(whole, int(np.count_nonzero(whole)), settled + bound, done), stopped
