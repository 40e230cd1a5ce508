"""Reduce and search: exact reductions, reducing-peeling, local search and an upper bound.

Result: an independent set of nearly maximum size, and an upper bound for the size of all independent sets. If size and
bound are equal, the set is a maximum independent set.

Rule: a sequence of steps, each on the graph that remains after the previous one:

1. Apply exact rules for vertices with at most two neighbors (reducing_peeling.py).
2. Solve bipartite components by matching (bipartition.py, matching.py).
3. Renumber the remaining vertices so that neighbors have nearby numbers (locality.py), and apply more exact rules:
   folds, domination, twins, unconfined vertices (kernelization.py), in windows in parallel. The remaining graph is the
   kernel.
4. Find a first set of the kernel, by peeling (reducing_peeling.py) or by residual degree (residual.py), whichever is
   larger. Find an upper bound, by covering the kernel with cliques and cycles (upper_bound.py) or by peeling.
5. Improve the set by rounds of local search (local_search.py): components, and windows within them, in parallel.
6. Undo the steps in reverse; each one extends the set of its remaining graph to a set of its input.

Without rounds, the graph that remains after step 2 is peeled, and the bound is the one given by peeling. This is fast.
In the code: `find_large_set`.

Cost and work memory: those of the steps. The rounds of local search take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import Rows, chunked, kernel
from ..._core.runtime.primitives import compact
from ...graph import Graph
from ...traversal.bipartition import ODD, two_sides
from ..greedy.residual import independent_set as by_residual_degree
from ..history import History
from .kernelization import Kernelization
from .local_search import LocalSearch
from .locality import nearby_numbers, renumbered, sort_rows
from .matching import maximum_independent_set
from .reducing_peeling import ShrinkingGraph
from .upper_bound import independence_bound


class SearchResult(NamedTuple):
    """A large set, an upper bound, and the number of rounds of local search."""

    mask: Any
    upper_bound: Any  # a float for float weights
    rounds: int
    interrupted: bool  # whether Ctrl-C ended the search
    proved: bool = False  # whether no set is heavier, although weight and bound may differ by rounding


@kernel(by="edges", types="O[] V[] bool[] bool[]")
def _mark_free(v, rows: Rows, mask, free):
    """Mark v if neither v nor any neighbor is in the set."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    is_free = not mask[v]
    while is_free and e < end:
        is_free = not mask[rows.indices[e]]
        e += 1
    free[v] = is_free


@kernel(by="single", types="int int int64[] O[] V[] bool[]")
def _join_free(start, end, vertices, rows: Rows, mask):
    """Put in each of a range of vertices that has no neighbor in the set."""
    for i in range(start, end):
        v = vertices[i]
        e, row_end = rows.indptr[v], rows.indptr[v + 1]
        while e < row_end and not mask[rows.indices[e]]:
            e += 1
        mask[v] = e == row_end


def make_maximal(indptr: Any, indices: Any, mask: Any) -> Any:
    """Return a maximal set that contains a given one; free vertices join in the order of their ids."""
    mask, free, rows = mask.copy(), np.empty(mask.size, bool), Rows(indptr, indices)
    _mark_free(mask.size, rows, mask, free)
    vertices = compact(free)
    for start, end in chunked(vertices.size):
        _join_free(start, end, vertices, rows, mask)
    return mask


def _peeled(indptr: Any, indices: Any) -> tuple[Any, int]:
    """Return a maximal set found by reducing-peeling, and an upper bound."""
    shrinking = ShrinkingGraph(indptr, indices)
    shrinking.peel()
    exact = shrinking.result()
    return make_maximal(indptr, indices, exact), int(np.count_nonzero(exact)) + shrinking.peeled


class _KernelSearch:
    """Local search in the kernel of a graph: the best set so far, and an upper bound."""

    def __init__(self, indptr: Any, indices: Any, rounds: int, seed: int) -> None:
        self._number, order = nearby_numbers(indptr, indices)
        indptr, indices = renumbered(indptr, indices, self._number, order)
        self._reduced = Kernelization(indptr, sort_rows(indptr, indices))
        indptr, indices = self._reduced.indptr, self._reduced.indices
        kernel_graph = Graph._trusted(indptr, sort_rows(indptr, indices.copy()), facts={"loops": 0, "duplicates": 0})
        first, bound = _peeled(indptr, indices)
        no_vertices = np.empty(0, indices.dtype)
        greedy = by_residual_degree(kernel_graph, no_vertices, no_vertices, History(), seed=seed)
        start = max(first, greedy, key=np.count_nonzero)
        self._local = LocalSearch(kernel_graph, start, rounds=rounds, seed=seed)
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
        """Search until `rounds` are done, the bound is met, or `progress` returns False; return True after Ctrl-C."""
        try:
            while self.done < rounds and self.size < self.upper_bound:
                self._local.step()
                self.done += 1
                continues = progress(self.done, settled + self.size, settled + self.upper_bound)
                if isinstance(continues, (bool, np.bool_)) and not continues:
                    break
        except KeyboardInterrupt:
            return True
        return False


def find_large_set(
    graph: Graph, rounds: int, seed: int, included: Any, progress: Callable[[int, int, int], Any]
) -> SearchResult:
    """Find a large independent set of a graph without repeated entries, in host memory."""
    outer = ShrinkingGraph(graph.indptr, graph.indices)
    outer.include(included)
    outer.reduce()
    remaining = outer.remaining
    indptr, indices = outer.extract(remaining)

    sides = two_sides(Rows(indptr, indices))
    odd = compact(sides == ODD)
    mask = np.zeros(remaining.size, bool)
    if odd.size < remaining.size:
        mask = maximum_independent_set(indptr, indices, sides)
        indptr, indices = induced_rows(odd, indptr[:-1], indptr[1:], indices)

    settled = outer.settled + int(np.count_nonzero(mask))
    done, interrupted = 0, False
    if rounds == 0:
        mask[odd], bound = _peeled(indptr, indices)
    else:
        search = _KernelSearch(indptr, indices, rounds, seed)
        interrupted = search.run(rounds, progress, settled)
        mask[odd], bound, done = search.mask, search.upper_bound, search.done
    outer.decide(remaining, mask)
    whole = make_maximal(graph.indptr, graph.indices, outer.result())
    return SearchResult(whole, settled + bound, done, interrupted)
