"""Reduce and search: exact reductions, local search and an upper bound, from the user's arguments to the result.

Result: an `IndependentSet` on the device of the graph: a set of nearly the largest size, or with weights of nearly the
largest weight, and an upper bound for all independent sets. If both are equal, no set is better. Ctrl-C raises
`SearchInterrupted` with the best set so far.

Rule: a sequence of steps, each on the graph that remains after the previous one. Without weights:

1. Apply exact rules for vertices with at most two neighbors (reducing_peeling.py).
2. Solve bipartite components by matching (bipartition.py, flow.py).
3. Renumber the remaining vertices so that neighbors have nearby numbers (windows.py), and apply more exact rules:
   folds, domination, twins, unconfined vertices (kernelization.py), in windows in parallel. The remaining graph is the
   kernel.
4. Find a first set of the kernel, by peeling (reducing_peeling.py) or by residual degree (residual.py), whichever is
   larger. Find an upper bound, by covering the kernel with cliques and cycles (upper_bound.py) or by peeling.
5. Improve the set by rounds of local search (local_search.py): components, and windows within them, in parallel.
6. Undo the steps in reverse; each one extends the set of its remaining graph to a set of its input. Add vertices until
   the set is maximal.

Without rounds, the graph that remains after step 2 is peeled, and the bound is the one given by peeling. This is fast.

With weights, which become integers (units.py), put the included vertices in, begin with step 3, whose rules then
include a maximum flow (flow.py), which solves bipartite components, and continue with step 5 and 6. In step 4, the
first set is the greedy set by weight / (degree + 1), and the bound is in each component the smaller one of the prices
of cliques (clique_bound.py) and the linear relaxation. If weights were rounded and the set reaches the bound, apply
steps 3 and 4 again, with the weights of the set rounded down instead of up. If it reaches this bound, too, no set is
heavier.

In the code: `_find_large_set` and `_find_heavy_set`.

Cost and work memory: those of the steps, and a copy of a graph that is on a GPU. The rounds of local search take most
of the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.csr.merge import exact_sum
from ..._core.engines.rounds import History
from ..._core.progress import reported
from ..._core.runtime import Bools, Bytes, Rows, kernel
from ..._core.runtime.primitives import compact
from ..._core.typing import GraphLike
from ..._core.validation import host_array
from ...components.union import label_components
from ...conversion import in_order, undirected
from ...graph import Graph
from ...traversal.bipartition import ODD, two_sides
from ..conditions import checked_conditions, checked_weights
from ..greedy.order import IN, OUT, Weighted
from ..greedy.priority import independent_set as greedy_set
from ..greedy.residual import independent_set as by_residual_degree
from ..greedy.serial import UNDECIDED, put_in_unless_out
from ..large_set import IndependentSet, SearchInterrupted
from .clique_bound import clique_bounds
from .flow import maximum_independent_set
from .kernelization import Kernelization
from .local_search import LocalSearch, SearchState, weigh_members
from .reducing_peeling import ShrinkingGraph
from .units import Units
from .upper_bound import independence_bound
from .windows import nearby_order, renumbered, sort_rows

Progress = Callable[[int, Any, Any], Any]


class SearchResult(NamedTuple):
    """A large or heavy set, an upper bound, and the number of rounds of local search."""

    mask: Bools
    upper_bound: int | float  # a float for float weights
    rounds: int
    interrupted: bool = False  # whether Ctrl-C ended the search
    proved: bool = False  # whether no set is heavier, although weight and bound may differ by rounding


@kernel(by="edges")
def _write_states(v, rows: Rows, mask: Bools, state: Bytes):
    """Write the state of v: in if it is in the set, undecided if neither v nor any neighbor is, else out."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    is_free = not mask[v]
    while is_free and e < end:
        is_free = not mask[rows.indices[e]]
        e += 1
    state[v] = IN if mask[v] else UNDECIDED if is_free else OUT


def make_maximal(indptr: Any, indices: Any, mask: Any) -> Any:
    """Return a maximal set that contains a given one; free vertices join in the order of their ids."""
    rows, state = Rows(indptr, indices), np.empty(mask.size, np.uint8)
    _write_states(mask.size, rows, mask, state)
    put_in_unless_out(rows, compact(state == UNDECIDED).astype(indices.dtype), state)
    return state == IN


def _peeled(indptr: Any, indices: Any) -> tuple[Any, int]:
    """Return a maximal set found by reducing-peeling, and an upper bound."""
    shrinking = ShrinkingGraph(indptr, indices)
    shrinking.peel()
    exact = shrinking.result()
    return make_maximal(indptr, indices, exact), int(np.count_nonzero(exact)) + shrinking.peeled


def _nearby(indptr: Any, indices: Any) -> tuple[Rows, Any, Any]:
    """Return rows whose neighbors have nearby numbers, sorted, the number of each vertex, and the vertices in order."""
    rows = Rows(indptr, indices)
    order = nearby_order(rows)
    number = np.empty_like(order)
    number[order] = np.arange(order.size, dtype=order.dtype)
    return renumbered(rows, order), number, order


def _simple_graph(indptr: Any, columns: Any) -> Graph:
    """Return a graph without loops and repeated entries; its rows are sorted in place."""
    return Graph._trusted(indptr, sort_rows(indptr, columns), facts={"loops": 0, "duplicates": 0})


def _improve(
    local: LocalSearch,
    rounds: int,
    bounds: tuple[int, Any],
    report: Callable[[int, int], Any],
    finish: Callable[[Any], Any],
    is_best: Callable[[Any], bool] = lambda mask: False,
) -> SearchResult:
    """Search until the rounds are done, the bound is met, `report` returns False, or Ctrl-C is pressed.

    `bounds`: for the search and for the result. `finish` extends a set to the whole graph, and `is_best` proves it.
    """
    done = 0
    try:
        while done < rounds and local.total < bounds[0]:
            local.step()
            done += 1
            continues = report(done, local.total)
            if isinstance(continues, (bool, np.bool_)) and not continues:
                break
        mask = finish(local.best)
        return SearchResult(mask, bounds[1], done, proved=is_best(mask))
    except KeyboardInterrupt:
        return SearchResult(finish(local.best), bounds[1], done, interrupted=True)


def _find_large_set(graph: Graph, rounds: int, seed: int, included: Any, progress: Progress) -> SearchResult:
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

    def finish(mask_of_odd: Any) -> Any:
        mask[odd] = mask_of_odd
        outer.decide(remaining, mask)
        return make_maximal(graph.indptr, graph.indices, outer.result())

    if rounds == 0:
        peeled, bound = _peeled(indptr, indices)
        return SearchResult(finish(peeled), settled + bound, 0)

    rows, number, _ = _nearby(indptr, indices)
    reduced = Kernelization(rows)
    indptr, indices = reduced.indptr, reduced.indices
    kernel_graph = _simple_graph(indptr, indices.copy())
    first, bound = _peeled(indptr, indices)
    no_vertices = np.empty(0, indices.dtype)
    greedy = by_residual_degree(kernel_graph, no_vertices, no_vertices, History(), seed=seed)
    local = LocalSearch(kernel_graph, max(first, greedy, key=np.count_nonzero), rounds=rounds, seed=seed)
    bound, settled = min(bound, independence_bound(indptr, indices)), settled + reduced.offset

    def report(done: int, size: int) -> Any:
        return progress(done, settled + size, settled + bound)

    return _improve(local, rounds, (bound, settled + bound), report, lambda best: finish(reduced.lift(best)[number]))


def _weighted_kernel(reduced: Kernelization) -> tuple[Graph, int]:
    """Return the kernel, and an upper bound for the weight of its independent sets."""
    graph = _simple_graph(reduced.indptr, reduced.indices)
    count, labels = label_components(graph)
    bounds = clique_bounds(graph.indptr, graph.indices, reduced.weights, count, labels)
    if reduced.is_half:
        totals = np.zeros(count, np.int64)
        np.add.at(totals, labels, reduced.weights)
        bounds = np.minimum(bounds, totals // 2)
    return graph, int(bounds.sum())


def _find_heavy_set(
    graph: Graph, weights: Any, rounds: int, seed: int, included: Any, progress: Progress
) -> SearchResult:
    """Find a heavy independent set of a graph with sorted rows without repeated entries, in host memory."""
    units = Units(weights)
    graph = graph.simple()
    rows, number, order = _nearby(graph.indptr, graph.indices)
    included = number[included]
    reduced = Kernelization(rows, units.values[order], included)
    kernel_graph, bound = _weighted_kernel(reduced)

    no_vertices = np.empty(0, graph.indices.dtype)
    by_ratio = Weighted("ratio", reduced.weights, int(reduced.weights.max(initial=0)))
    greedy = greedy_set(kernel_graph, no_vertices, no_vertices, History(), priority=by_ratio, seed=0, synchronous=False)
    local = LocalSearch(kernel_graph, greedy, reduced.weights, rounds=rounds, seed=seed)
    upper_bound = units.bound(reduced.offset + bound)

    def report(done: int, weight: int) -> Any:
        return progress(done, units.at_least(reduced.offset + weight), upper_bound)

    def finish(best: Any) -> Any:
        return make_maximal(graph.indptr, graph.indices, reduced.lift(best)[number])

    def is_heaviest(mask: Any) -> bool:
        reaches_bound = bool(units.values[mask].sum() == reduced.offset + bound)
        if not (reaches_bound and units.rounded.any()):
            return reaches_bound
        against, around = units.against(mask), np.empty(mask.size, np.int64)
        weigh_members(mask.size, Rows(graph.indptr, graph.indices), mask, SearchState(against, around, 1))
        if not included.size and (against > around)[~mask].any():  # a cheap test: a vertex can replace its neighbors
            return False
        again = Kernelization(rows, against[order], included)
        return bool(against[mask].sum() == again.offset + _weighted_kernel(again)[1])

    return _improve(local, rounds, (bound, upper_bound), report, finish, is_heaviest)


def search_large_set(
    graph: GraphLike, rounds: int, seed: int, weights: Any | None, include: Any | None, progress: Progress | bool | None
) -> IndependentSet:
    """Check the graph, the weights and the included vertices, and search; `seed` is the hash of the user's seed."""

    def moves(done: int, value: Any, bound: Any) -> dict[str, Any]:
        if weights is None:
            return {"completed": done, "total": rounds, "text": f"{value:,} of at most {bound:,} vertices"}
        return {"completed": done, "total": rounds, "text": f"weight {value:,} of at most {bound:,}"}

    with reported(progress, moves, "rounds done, size, upper bound") as report:
        graph = undirected(graph)
        included, _ = checked_conditions(graph, include, None, 1)
        host = in_order(graph.to("cpu"))  # removals follow the order of entries, which must not depend on the storage
        progress_of = report or (lambda *numbers: None)
        ids, weight = host_array(included, "include"), None
        if weights is None:
            result = _find_large_set(host, rounds, seed, ids, progress_of)
        else:
            numbers = checked_weights(weights, None, host).weights
            result = _find_heavy_set(host, numbers, rounds, seed, ids, progress_of)
            weight, rounded_up = _sum(numbers[result.mask])
            if result.proved:
                result = result._replace(upper_bound=rounded_up)
    size = int(np.count_nonzero(result.mask))
    mask = graph.xp.asarray(result.mask)
    best = IndependentSet(mask, size, result.upper_bound, result.rounds, weight, result.proved)
    if result.interrupted:
        raise SearchInterrupted(best)
    return best


def _sum(weights: Any) -> tuple[int | float, int | float]:
    """Return the sum of weights, which is rounded once for floats, and the smallest number of its type not below it."""
    if weights.dtype.kind != "f":
        return (exact_sum(weights),) * 2
    members = weights.tolist()
    try:
        total = math.fsum(members)
    except OverflowError:
        raise ValueError(
            "the sum of the weights of the set is larger than the largest float64, 1.8e308; scale the weights, for "
            "example down to weights * 2.0**-32"
        ) from None
    members.append(-total)
    return total, math.nextafter(total, math.inf) if math.fsum(members) > 0 else total
