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

In the code: `find_heavy_set`.

Cost and work memory: those of the steps. The rounds of local search take most of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...components.union import components
from ...graph import Graph
from ..greedy.order import Weighted
from ..greedy.priority import independent_set as greedy_set
from ..history import History
from ..near_maximum.locality import nearby_numbers, renumbered, sort_rows
from ..near_maximum.reduce_and_search import SearchResult, make_maximal
from .clique_bound import clique_bounds
from .kernelization import Kernelization
from .local_search import LocalSearch
from .units import Units


def _bound(graph: Graph, reduced: Kernelization) -> int:
    """Return an upper bound for the weight of independent sets of the kernel."""
    count, labels = components(graph)
    bounds = clique_bounds(graph.indptr, graph.indices, reduced.weights, count, labels)
    if reduced.is_half:
        totals = np.zeros(count, np.int64)
        np.add.at(totals, labels, reduced.weights)
        bounds = np.minimum(bounds, totals // 2)
    return int(bounds.sum())


def find_heavy_set(
    graph: Graph, weights: Any, rounds: int, seed: int, included: Any, progress: Callable[[int, Any, Any], Any]
) -> SearchResult:
    """Find a heavy independent set of a graph with sorted rows without repeated entries, in host memory."""
    units = Units(weights)
    graph = graph.simple()
    indptr, indices = graph.indptr, graph.indices
    number, order = nearby_numbers(indptr, indices)
    near = renumbered(indptr, indices, number, order)
    reduced = Kernelization(near[0], sort_rows(*near), units.values[order], number[included])

    kernel_graph = Graph._trusted(reduced.indptr, reduced.indices, facts={"loops": 0, "duplicates": 0})
    no_vertices = np.empty(0, indices.dtype)
    by_ratio = Weighted("ratio", reduced.weights, int(reduced.weights.max(initial=0)))
    greedy = greedy_set(kernel_graph, no_vertices, no_vertices, History(), priority=by_ratio, seed=0, synchronous=False)
    bound = _bound(kernel_graph, reduced)
    local = LocalSearch(kernel_graph, reduced.weights, greedy, rounds=rounds, seed=seed)

    upper_bound = units.bound(reduced.offset + bound)
    done, interrupted = 0, False
    try:
        while done < rounds and local.weight < bound:
            local.step()
            done += 1
            continues = progress(done, units.bound(reduced.offset + local.weight), upper_bound)
            if isinstance(continues, (bool, np.bool_)) and not continues:
                break
    except KeyboardInterrupt:
        interrupted = True
    mask = make_maximal(indptr, indices, reduced.lift(local.best)[number])
    return SearchResult(mask, upper_bound, done, interrupted)
