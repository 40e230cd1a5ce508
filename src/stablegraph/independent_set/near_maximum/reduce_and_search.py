"""Reduce and search: exact reductions, reducing-peeling, local search, and an upper bound.

Result: an independent set near a maximum one, and a number that no independent set exceeds. If they are equal, the set
is a maximum independent set.

Rule: a ladder, each step on what the one before leaves:

1. Exact rules for vertices with at most two neighbors (reducing_peeling.py).
2. Bipartite components are solved by matching (bipartition.py, matching.py).
3. The rest gets numbers that make neighbors lie near one another (locality.py), and more exact rules are applied:
   folds, domination, twins, unconfined vertices (kernelization.py), in windows side by side. What is left is the
   kernel.
4. A first set of the kernel, by peeling (reducing_peeling.py) or by residual degree (residual.py), whichever is larger;
   a bound for all its sets, by covering it with cliques and cycles (upper_bound.py) or by peeling.
5. Local search in the kernel (local_search.py), in rounds: in its components side by side, and in windows of them.
6. The way back: each step completes the set of what it left.

Without rounds, what is left after 2 is peeled, and the bound is what that proves: a fast answer. In the code: `find`.

Cost: that of the steps; the rounds of local search take most of the time. Work memory: that of the steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...bipartition import ODD, two_sides
from ...csr.induced import induced_rows
from ...graph import Graph
from ...parallel import in_steps, kernel
from ...parallel.groups import Rows
from ...parallel.primitives import compact
from ..greedy.residual import independent_set as by_residual_degree
from ..history import History
from .kernelization import Kernelization
from .local_search import LocalSearch
from .locality import nearby_numbers, renumbered, sort_rows
from .matching import maximum_independent_set
from .reducing_peeling import ShrinkingGraph
from .upper_bound import independence_bound


class Found(NamedTuple):
    """A large set, what no set exceeds, how many rounds of local search were done, and whether Ctrl-C ended it."""

    mask: Any
    upper_bound: int
    rounds: int
    interrupted: bool


@kernel(by="edges", types="O[] V[] bool[] bool[]")
def _mark_free(v, rows: Rows, mask, free):
    """Whether neither v nor any neighbor is in the set."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    is_free = not mask[v]
    while is_free and e < end:
        is_free = not mask[rows.indices[e]]
        e += 1
    free[v] = is_free


@kernel(by="single", types="int int int64[] O[] V[] bool[]")
def _join_free(start, end, vertices, rows: Rows, mask):
    """Each of a range of vertices joins if it has no neighbor in the set."""
    for i in range(start, end):
        v = vertices[i]
        e, row_end = rows.indptr[v], rows.indptr[v + 1]
        while e < row_end and not mask[rows.indices[e]]:
            e += 1
        mask[v] = e == row_end


def _maximal(indptr: Any, indices: Any, mask: Any) -> Any:
    """The set with all vertices that are free to join it, in the order of their ids."""
    mask, free, rows = mask.copy(), np.empty(mask.size, bool), Rows(indptr, indices)
    _mark_free(mask.size, rows, mask, free)
    vertices = compact(free)
    for start, end in in_steps(vertices.size):
        _join_free(start, end, vertices, rows, mask)
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
        indptr, indices = renumbered(indptr, indices, self._number, order)
        self._reduced = Kernelization(indptr, sort_rows(indptr, indices))
        indptr, indices = self._reduced.indptr, self._reduced.indices
        left = Graph._trusted(indptr, sort_rows(indptr, indices.copy()), facts={"loops": 0, "duplicates": 0})
        first, bound = _peeled(indptr, indices)
        none = np.empty(0, indices.dtype)
        greedy = by_residual_degree(left, none, none, History(), seed=seed)
        start = max(first, greedy, key=np.count_nonzero)
        self._local = LocalSearch(left, start, rounds=rounds, seed=seed)
        self._outside = int(np.count_nonzero(self.mask)) - self._local.size
        self.upper_bound = self._outside + min(bound, independence_bound(indptr, indices))
        self.done = 0  # rounds

    @property
    def size(self) -> int:
        return self._outside + self._local.size

    @property
    def mask(self) -> Any:
        return self._reduced.lift(self._local.best)[self._number]

    def run(self, rounds: int, progress: Callable[[int, int, int], Any], settled: int) -> bool:
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


def find(graph: Graph, rounds: int, seed: int, included: Any, progress: Callable[[int, int, int], Any]) -> Found:
    """A large independent set of a graph without repeated entries, in host memory."""
    outer = ShrinkingGraph(graph.indptr, graph.indices)
    outer.include(included)
    outer.reduce()
    left = outer.left
    indptr, indices = outer.extract(left)

    sides = two_sides(Rows(indptr, indices))
    odd = compact(sides == ODD)
    mask = np.zeros(left.size, bool)
    if odd.size < left.size:
        mask = maximum_independent_set(indptr, indices, sides)
        indptr, indices = induced_rows(odd, indptr[:-1], indptr[1:], indices)

    settled = outer.settled + int(np.count_nonzero(mask))
    done, interrupted = 0, False
    if rounds == 0:
        mask[odd], bound = _peeled(indptr, indices)
    else:
        search = _Search(indptr, indices, rounds, seed)
        interrupted = search.run(rounds, progress, settled)
        mask[odd], bound, done = search.mask, search.upper_bound, search.done
    outer.decide(left, mask)
    whole = _maximal(graph.indptr, graph.indices, outer.result())
    return Found(whole, settled + bound, done, interrupted)
