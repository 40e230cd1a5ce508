"""Reduce and search with weights: exact reductions, local search and an upper bound.

Result: an independent set of nearly the largest weight, and an upper bound for the weight of all independent sets. If
weight and bound are equal, no set is heavier.

Rule: a sequence of steps, each on the graph that remains after the previous one:

1. Put the included vertices in. Renumber the vertices so that neighbors have nearby numbers
   (../near_maximum/locality.py), and apply exact rules and a maximum flow (kernelization.py, flow.py), which solves
   bipartite components. The remaining graph is the kernel.
2. Find a first set of the kernel: the greedy set by weight / (degree + 1). Find an upper bound: in each component the
   smaller one of the prices of cliques (clique_bound.py) and the linear relaxation.
3. Improve the set by rounds of local search (local_search.py): components, and windows within them, in parallel.
4. Undo the steps in reverse, and add vertices until the set is maximal.
5. If weights were rounded (units.py) and the set reaches the bound, apply steps 1 and 2 again, with the weights of the
   set rounded down instead of up. If it reaches this bound, too, no set is heavier.

In the code: `find_heavy_set`.

Cost and work memory: those of the steps. The rounds of local search take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.runtime import Rows
from ...components.union import components
from ...graph import Graph
from ..greedy.order import Weighted
from ..greedy.priority import independent_set as greedy_set
from ..history import History
from ..near_maximum.locality import nearby_numbers, renumbered, sort_rows
from ..near_maximum.reduce_and_search import SearchResult, make_maximal
from .clique_bound import clique_bounds
from .kernelization import Kernelization
from .local_search import LocalSearch, weigh_members
from .units import Units


def _kernel_and_bound(reduced: Kernelization) -> tuple[Graph, int]:
    """Return the kernel, and an upper bound for the weight of its independent sets."""
    graph = Graph._trusted(reduced.indptr, reduced.indices, facts={"loops": 0, "duplicates": 0})
    count, labels = components(graph)
    bounds = clique_bounds(graph.indptr, graph.indices, reduced.weights, count, labels)
    if reduced.is_half:
        totals = np.zeros(count, np.int64)
        np.add.at(totals, labels, reduced.weights)
        bounds = np.minimum(bounds, totals // 2)
    return graph, int(bounds.sum())


def find_heavy_set(
    graph: Graph, weights: Any, rounds: int, seed: int, included: Any, progress: Callable[[int, Any, Any], Any]
) -> SearchResult:
    """Find a heavy independent set of a graph with sorted rows without repeated entries, in host memory."""
    units = Units(weights)
    graph = graph.simple()
    indptr, indices = graph.indptr, graph.indices
    number, order = nearby_numbers(indptr, indices)
    near = renumbered(indptr, indices, number, order)
    rows, included = (near[0], sort_rows(*near)), number[included]
    reduced = Kernelization(*rows, units.values[order], included)
    kernel_graph, bound = _kernel_and_bound(reduced)

    no_vertices = np.empty(0, indices.dtype)
    by_ratio = Weighted("ratio", reduced.weights, int(reduced.weights.max(initial=0)))
    greedy = greedy_set(kernel_graph, no_vertices, no_vertices, History(), priority=by_ratio, seed=0, synchronous=False)
    local = LocalSearch(kernel_graph, reduced.weights, greedy, rounds=rounds, seed=seed)

    def found() -> Any:
        return make_maximal(indptr, indices, reduced.lift(local.best)[number])

    def is_heaviest(mask: Any) -> bool:
        reaches_bound = bool(units.values[mask].sum() == reduced.offset + bound)
        if not (reaches_bound and units.rounded.any()):
            return reaches_bound
        against, around = units.against(mask), np.empty(mask.size, np.int64)
        weigh_members(mask.size, Rows(indptr, indices), against, mask, around)
        if not included.size and (against > around)[~mask].any():  # a cheap test: a vertex can replace its neighbors
            return False
        again = Kernelization(*rows, against[order], included)
        return bool(against[mask].sum() == again.offset + _kernel_and_bound(again)[1])

    upper_bound = units.bound(reduced.offset + bound)
    done = 0
    try:
        while done < rounds and local.weight < bound:
            local.step()
            done += 1
            continues = progress(done, units.at_least(reduced.offset + local.weight), upper_bound)
            if isinstance(continues, (bool, np.bool_)) and not continues:
                break
        mask = found()
        return SearchResult(mask, upper_bound, done, False, is_heaviest(mask))
    except KeyboardInterrupt:
        return SearchResult(found(), upper_bound, done, True)
