"""Shortest paths with weights, by delta stepping: vertices nearer than a threshold are visited, then it is raised.

Result: the distance of each vertex from the nearest source, and its parent on a path with the fewest edges among the
shortest ones; the smallest of several parents. Both depend only on the graph, the weights and the sources.

Rule: distance(v) = the least distance(u) + weight(u, v), 0 for a source. An arc with distance(u) + weight(u, v) =
distance(v) is *tight*. With hops(v), the fewest tight arcs from a source to v,

    parent(v) = the smallest u with a tight arc to v and hops(u) = hops(v) - 1

The oracle is `shortest_paths` in tests/support/naive.py. In the code: `_relax`, where ``candidate < ...``, and
`_hang`, where ``v < state.parent[u]``.

Idea: a sum does not decrease if one of its terms grows, also when it is rounded, and no weight is negative. Therefore
the first equation has exactly one solution, and repeated improvements find it in any order. The order only determines
how often a vertex is visited. Vertices below a threshold are *near*; the engine of frontiers visits them in any order
until none is left. All other vertices that have been found are *far*. Then the threshold grows by a step, and a pass
over the far vertices selects those that are near now.

The first step is about the median of the smallest weights of the rows. The step doubles while the visits take less time
than a pass and a call of a kernel, and shrinks again while they take much longer. If the visits below one threshold
exceed half the graph, the remaining vertices become far again, and the step is divided by 16. Repeated visits could
otherwise grow exponentially if the sizes of weights differ by orders of magnitude. After enough divisions only the
nearest vertices are visited, so the total work is polynomial.

A breadth-first search on the tight arcs finds the parents; its levels are the hops. Zero weights, and weights that
vanish in a sum, can make cycles of tight arcs. Hops increase along every path of parents, so parents form no cycle.

State: `bits` has the distances as integers: the bits of float64 numbers that are not negative have the same order, so
one atomic minimum serves both types of weights. `values` is the same memory with the type of the weights. A vertex
without a path has the number after the limit. `flags` states in which lists a vertex is; each list has it at most once.
A worker removes a vertex from the near list before it reads its distance, so a later improvement lists it again.

Cost: each entry is usually read 1 to 1.3 times, and once more for the parents, by one thread. On one thread, for 10^6
vertices of a grid: about 80 MB through the caches, 5 M branches that depend on distances, 1.3 M atomic minima. For
random neighbors also 8 M cache misses, most of which are hidden by prefetches. Work memory: 23 bytes per vertex (39
with 64-bit ids) in addition to the result.

Sources: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of Algorithms 49(1),
2003. A. Davidson, S. Baxter, M. Garland, J. D. Owens, "Work-Efficient Parallel GPU Methods for Single-Source Shortest
Paths", IPDPS 2014 (near and far).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.frontier import Frontier, in_queue, new_queue, push, without_levels
from .._core.runtime import Rows, float64_bits, plugged, prefetch, rule
from .._core.runtime.array_types import ArrayT, Int32s, Int64s, Vertices
from .._core.runtime.atomics import atomic_add, atomic_and, atomic_min, atomic_or, fence
from .._core.vertex_names import shown_vertex
from ..graph import Graph

_NEAR, _FAR = 1, 2  # the bits of a vertex's flags
_SETTLED, _THRESHOLD, _FAR_COUNT = range(3)  # the fields of `numbers`
LARGEST = {"i": 2**62 - 1, "f": int(float64_bits(np.finfo(np.float64).max))}  # bits of distances, by kind of weights
_WORK = 1 << 11  # vertices and entries of a worker below one threshold: with fewer the step doubles
_MIN_PATIENCE = 1 << 16  # vertices and entries below one threshold: with more, or half the graph, see `_put_back`


class Search(NamedTuple):
    """The distances so far, and the far vertices."""

    bits: Int64s  # (n,)
    values: ArrayT  # (n,): the same memory
    weights: ArrayT  # (number of entries,)
    flags: Int32s  # (n,)
    far: Vertices  # (n,)
    numbers: Int64s  # (3,): all vertices with distances below the first number are settled


class Tree(NamedTuple):
    """The final distances, -1 for vertices without a path, and the tree so far."""

    values: ArrayT  # (n,)
    weights: ArrayT
    hops: Vertices  # (n,): n for a vertex that has not been found
    parent: Vertices  # (n,)


bits_of = rule(lambda value: value)  # the bits of a distance that is an integer


@rule
def _prefetch_value(e, u, state):
    prefetch(state.weights, e)
    prefetch(state.values, u)


def _relax(v, depth, bottom, lists, rows: Rows, state: Search):
    """Lower the distances of the heads of v's arcs, and list them."""
    atomic_and(state.flags, v, _FAR)
    fence()
    distance = state.values[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        candidate = distance + state.weights[e]
        if candidate < state.values[u]:
            bits = bits_of(candidate)
            if atomic_min(state.bits, u, bits) > bits:
                fence()
                kind = _NEAR if bits < state.numbers[_THRESHOLD] else _FAR
                if atomic_or(state.flags, u, kind) & kind == 0:
                    if kind == _NEAR:
                        depth = push(u, depth, bottom, lists)
                    else:
                        state.far[int(atomic_add(state.numbers, _FAR_COUNT, 1))] = u
    return depth


_relax_integers = without_levels(prefetch_head=_prefetch_value, T="int64")(_relax)
_relax_floats = without_levels(prefetch_head=_prefetch_value, T="float64")(
    plugged(_relax, f"{__name__}._relax_floats", bits_of=float64_bits)
)


_BY_KIND = {"i": (_relax_integers, 2.0**60), "f": (_relax_floats, 2.0**1020)}  # the rule and the largest step


@in_queue(T="int64 float64")
def _hang(v, first, tail, rows: Rows, queue, state: Tree):
    """Make v the parent of the heads of its tight arcs, unless they have a better one."""
    distance, hops = state.values[v], state.hops[v] + 1
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if distance + state.weights[e] == state.values[u]:
            if hops < state.hops[u]:
                state.hops[u] = hops
                state.parent[u] = v
                queue[tail] = u
                tail += 1
            elif hops == state.hops[u] and v < state.parent[u]:
                state.parent[u] = v
    return tail


def _first_step(n: int, weights: Any) -> float:
    """Estimate the median of the smallest weights of the rows from a sample of all weights."""
    if not weights.size:
        return 0.0
    with np.errstate(over="ignore"):
        sample = weights[:: 1 + weights.size // 1000].astype(np.float64)
        return float(np.quantile(sample, min(1.0, 0.7 * n / weights.size))) or float(weights.mean())


def _select_near(search: Search, frontier: Frontier) -> int:
    """Move the far vertices below the threshold to the list of the frontier; return their number.

    Far vertices that an earlier threshold has settled are dropped. If all vertices remain far, those below the smallest
    of their distances are settled.
    """
    settled, threshold, count = search.numbers.tolist()
    listed = search.far[:count]
    distances = search.bits[listed]
    is_far = distances >= threshold
    search.flags[listed[~is_far]] = 0
    near, far = listed[~is_far & (distances >= settled)], listed[is_far]
    search.flags[near] = _NEAR
    search.far[: far.size], search.numbers[_FAR_COUNT] = far, far.size
    frontier.current[: near.size] = near
    if far.size and not near.size:
        search.numbers[_SETTLED] = distances[is_far].min()
    return int(near.size)


def _put_back(search: Search, vertices: Any) -> None:
    """Make near vertices far; those that were far before are still in the list."""
    start, added = int(search.numbers[_FAR_COUNT]), vertices[search.flags[vertices] & _FAR == 0]
    search.far[start : start + added.size], search.flags[vertices] = added, _FAR
    search.numbers[_FAR_COUNT] += added.size


def _distances(graph: Graph, rows: Rows, weights: Any, sources: Any, limit: int) -> Any:
    """Return the distances; those of vertices without a path have bits above the limit."""
    n, ids, kind, frontier = graph.num_vertices, graph.indices.dtype, weights.dtype, Frontier(graph)
    relax, largest_step = _BY_KIND[kind.kind]
    bits, numbers = np.full(n, limit + 1), np.array([0, 0, sources.size])
    search = Search(bits, bits.view(kind), weights, np.zeros(n, np.int32), np.empty(n, ids), numbers)
    bounds = numbers.view(kind)  # the same memory
    bits[sources], search.far[: sources.size] = 0, sources
    step = smallest_step = min(_first_step(n, weights), largest_step)
    patience, work = max(_MIN_PATIENCE, (n + graph.num_entries) // 2), _WORK * frontier.workers
    while numbers[_FAR_COUNT]:
        bounds[_THRESHOLD] = float(bounds[_SETTLED]) + step
        numbers[_THRESHOLD] = max(numbers[_THRESHOLD], numbers[_SETTLED] + 1)
        near, spent = _select_near(search, frontier), 0
        if not near:
            continue
        while near and spent < patience:
            near, processed = frontier.step(relax, near, rows, search)
            spent += processed
        if near:  # vertices are visited again and again
            _put_back(search, frontier.current[:near])
            step /= 16
            smallest_step = min(smallest_step, step)
            continue
        numbers[_SETTLED] = numbers[_THRESHOLD]
        if spent < work or 4 * spent < numbers[_FAR_COUNT]:
            step = min(2 * step, largest_step)
        elif spent > 16 * work:
            step = max(step * 16 * work / spent, smallest_step)
    return search.values


def distances_and_parents(graph: Graph, weights: Any, sources: Any, limit: int) -> tuple[Any, Any]:
    """Return distances with at most the bits `limit`, and parents; -1 for vertices without such a path.

    `weights` are int64 or float64, finite and not negative; an integer above `LARGEST` counts as one that no path may
    contain. Raise ValueError if all paths to a vertex are longer than the largest distance, and this is the limit.
    """
    n, id_type, rows = graph.num_vertices, graph.indices.dtype, Rows(graph.indptr, graph.indices)
    distance = _distances(graph, rows, weights, sources, limit)
    reached = distance.view(np.int64) <= limit
    distance[~reached] = -1
    if limit == LARGEST[weights.dtype.kind] and not reached.all():
        _refuse_overflow(graph, reached, np.array(limit).view(weights.dtype).item(), weights)
    hops, parent = np.full(n, n, id_type), np.full(n, -1, id_type)
    hops[sources], parent[sources] = 0, sources
    _hang(rows, rows.indices[:0], Tree(distance, weights, hops, parent), new_queue(rows, sources))
    return distance, parent


def _refuse_overflow(graph: Graph, reached: Any, bound: float, weights: Any) -> None:
    """Raise ValueError if an arc leads from a reached vertex to another one: its sum was too large."""
    if graph.num_vertices * float(weights.max(initial=0)) > bound / 2:  # otherwise no sum can be too large
        leads_out = np.flatnonzero(reached[graph._rows()] & ~reached[graph.indices])
        if leads_out.size:
            v = shown_vertex(int(graph.indices[leads_out[0]]), graph.nodes)
            raise ValueError(
                f"every path to vertex {v} is longer than {bound}, the largest distance of this dtype: divide all "
                "weights by the same number, or pass max_distance="
            )
