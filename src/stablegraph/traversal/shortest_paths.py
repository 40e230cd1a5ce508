"""Shortest paths with weights, by delta stepping: vertices nearer than a threshold are visited, then it is raised.

Result: the distance of each vertex from the nearest source, and its parent on a path with the fewest edges among the
shortest ones; the smallest of several parents. Both depend only on the graph, the weights and the sources.

Rule: distance(v) = the least distance(u) + weight(u, v), 0 for a source. An arc with distance(u) + weight(u, v) =
distance(v) is *tight*. With hops(v), the fewest tight arcs from a source to v,

    parent(v) = the smallest u with a tight arc to v and hops(u) = hops(v) - 1

The oracle is `shortest_paths` in tests/support/naive.py. In the code: `_relax`, where ``candidate < ...``, and
`_hang`, where ``v < tree.parent[u]``.

Idea: a sum does not decrease if one of its terms grows, also when it is rounded, and no weight is negative. Therefore
the first equation has exactly one solution, and repeated improvements find it in any order. The order only determines
how often a vertex is visited. Vertices below a threshold are *near*; the engine of frontiers visits them in any order
until none is left. All other vertices that have been found are *far*. Then the threshold grows by a step, and a pass
over the far vertices selects those that are near now.

The first step is a typical smallest weight of a row. The step doubles while the visits take less time than a call of a
kernel, or than the passes, and shrinks again while they take much longer. If the visits below one threshold exceed half
the graph, the remaining vertices become far again, and the step is divided by 16. Repeated visits could otherwise grow
exponentially if the sizes of weights differ by orders of magnitude. After enough divisions only the nearest vertices
are visited, so the total work is polynomial.

A breadth-first search on the tight arcs finds the parents; its levels are the hops. Zero weights, and weights that
vanish in a sum, can make cycles of tight arcs. Hops increase along every path of parents, so parents form no cycle.

State: `bits` has the distances as integers: the bits of float64 numbers that are not negative have the same order, so
one atomic minimum serves both types of weights. `values` is the same memory with the type of the weights. A vertex
without a path has the number after the limit. `flags` states in which lists a vertex is; each list has it at most once.
A worker removes a vertex from the near list before it reads its distance, so a later improvement lists it again.

Cost: each entry is usually read 1 to 1.3 times, and once more for the parents, by one thread. On one thread, for 10^6
vertices of a grid: about 80 MB through the caches, 5 M branches that depend on distances, 1.3 M atomic minima. For
random neighbors also 8 M cache misses, most of which are hidden by prefetches. Work memory: 17 bytes per vertex (33
with 64-bit ids) in addition to the result.

Sources: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of Algorithms 49(1),
2003. A. Davidson, S. Baxter, M. Garland, J. D. Owens, "Work-Efficient Parallel GPU Methods for Single-Source Shortest
Paths", IPDPS 2014 (near and far).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.frontier import Frontier, in_queue, new_queue, push, without_levels
from .._core.runtime import (
    Rows,
    atomic_add,
    atomic_and,
    atomic_min,
    atomic_or,
    chunk_bounds,
    fence,
    float64_bits,
    kernel,
    plugged,
    prefetch,
    rule,
)
from .._core.runtime.array_types import ArrayT, Bytes, Int64s, Vertices
from .._core.runtime.partitioning import PREFETCH_DISTANCE
from .._core.vertex_names import shown_vertex
from ..graph import Graph

_NEAR, _FAR = 1, 2  # the bits of a vertex's flags
_SETTLED, _THRESHOLD, _FAR_COUNT, _SMALLEST, _SELECTED, _REMAINING = range(6)  # the fields of `numbers`
LARGEST = {"i": 2**62 - 1, "f": int(float64_bits(np.finfo(np.float64).max))}  # bits of distances, by kind of weights
_SAMPLE = 200  # rows; the median of their smallest weights is the first step
_READ = 16  # entries of such a row
_WORK = 1 << 11  # vertices and entries of a worker below one threshold: with fewer the step doubles
_MIN_PATIENCE = 1 << 16  # vertices and entries below one threshold: with more, or half the graph, see `_put_back`
_MIN_SHARE = 4096  # far vertices of a worker


class Search(NamedTuple):
    """The distances so far, and the far vertices."""

    bits: Int64s  # (n,)
    values: ArrayT  # (n,): the same memory
    weights: ArrayT  # (number of entries,)
    flags: Bytes  # (n,)
    far: Vertices  # (n,)
    numbers: Int64s  # (6,): all vertices with distances below `_SETTLED` are settled


class Tree(NamedTuple):
    """The final distances, -1 for vertices without a path, and the tree so far."""

    values: ArrayT  # (n,)
    weights: ArrayT
    hops: Vertices  # (n,): n for a vertex that has not been found
    parent: Vertices  # (n,)


@rule
def bits_of(value):
    """Return the bits of a distance: for an integer the integer itself."""
    return value


@rule
def _prefetch_value(u, state):
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


@kernel(by="workers")
def _select_near(
    worker, workers, bits: Int64s, flags: Bytes, numbers: Int64s, far: Vertices, near: Vertices, spare: Vertices
):
    """Divide a worker's far vertices by the threshold; drop those that an earlier threshold has settled."""
    settled, threshold = numbers[_SETTLED], numbers[_THRESHOLD]
    start, end = chunk_bounds(numbers[_FAR_COUNT], worker, workers)
    smallest, selected, remaining = numbers[_SMALLEST], 0, 0
    for i in range(start, end):
        prefetch(bits, far[min(i + PREFETCH_DISTANCE, end - 1)])
        distance = bits[far[i]]
        selected += int(settled <= distance < threshold)
        if distance >= threshold:
            remaining += 1
            smallest = min(smallest, distance)
    atomic_min(numbers, _SMALLEST, smallest)
    selected = int(atomic_add(numbers, _SELECTED, selected))
    remaining = int(atomic_add(numbers, _REMAINING, remaining))
    for i in range(start, end):
        v = far[i]
        if bits[v] >= threshold:
            spare[remaining] = v
            remaining += 1
        elif bits[v] >= settled:
            flags[v] = _NEAR
            near[selected] = v
            selected += 1
        else:
            flags[v] = 0


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


def _typical_weight(indptr: Any, weights: Any) -> float:
    """Return the median of the smallest weights of some rows, of which the first entries are read, or their mean."""
    starts, last = (rows[:: 1 + (indptr.size - 1) // _SAMPLE] for rows in (indptr[:-1], indptr[1:] - 1))
    has_entries = starts <= last
    if not has_entries.any():
        return 0.0
    read = np.minimum(starts[has_entries, None] + np.arange(_READ), last[has_entries, None])
    with np.errstate(over="ignore"):
        return float(np.median(weights[read].min(axis=1))) or float(weights.mean())


class _DeltaStepping:
    """A search that raises the threshold until no far vertex remains."""

    def __init__(self, graph: Graph, weights: Any, limit: int) -> None:
        n, id_type = graph.num_vertices, graph.indices.dtype
        self.rows, self.frontier = Rows(graph.indptr, graph.indices), Frontier(graph)
        bits, flags, self.numbers = np.full(n, limit + 1), np.zeros(n, np.uint8), np.zeros(6, np.int64)
        far, self.spare = np.empty(n, id_type), np.empty(n, id_type)
        self.search = Search(bits, bits.view(weights.dtype), weights, flags, far, self.numbers)
        self.bounds = self.numbers.view(weights.dtype)  # the same memory
        self.relax, self.largest_step = _BY_KIND[weights.dtype.kind]
        self.smallest_step = self.step = min(_typical_weight(graph.indptr, weights), self.largest_step)
        self.patience = max(_MIN_PATIENCE, (n + graph.num_entries) // 2)
        self.work = _WORK * self.frontier.workers

    def run(self, sources: Any) -> Any:
        """Return the distances."""
        frontier, numbers, near = self.frontier, self.numbers, sources.size
        self.search.bits[sources], frontier.current[:near] = 0, sources
        self._set_threshold()
        while near:
            spent = 0
            while near and spent < self.patience:
                near, processed = frontier.step(self.relax, near, self.rows, self.search)
                spent += processed
            if near:
                self._put_back(frontier.current[:near])
            else:
                numbers[_SETTLED] = numbers[_THRESHOLD]
                if spent < self.work or 4 * spent < numbers[_FAR_COUNT]:
                    self.step = min(2 * self.step, self.largest_step)
                elif spent > 16 * self.work:
                    self.step = max(self.step * 16 * self.work / spent, self.smallest_step)
            near = self._select()
            if near == 0 and numbers[_FAR_COUNT]:
                numbers[_SETTLED] = numbers[_SMALLEST]
                near = self._select()
        return self.search.values

    def _put_back(self, vertices: Any) -> None:
        """Make near vertices far, and the step smaller: vertices are visited again and again."""
        far, flags, count = self.search.far, self.search.flags, int(self.numbers[_FAR_COUNT])
        added = vertices[flags[vertices] & _FAR == 0]
        far[count : count + added.size], flags[vertices] = added, _FAR
        self.numbers[_FAR_COUNT] += added.size
        self.step /= 16
        self.smallest_step = min(self.smallest_step, self.step)

    def _set_threshold(self) -> None:
        """Set the threshold a step above the settled distances."""
        numbers, bounds = self.numbers, self.bounds
        bounds[_THRESHOLD] = float(bounds[_SETTLED]) + self.step
        numbers[_THRESHOLD] = max(numbers[_THRESHOLD], numbers[_SETTLED] + 1)

    def _select(self) -> int:
        """Select the far vertices below a new threshold; return their number."""
        self._set_threshold()
        bits, _, _, flags, far, numbers = self.search
        numbers[_SMALLEST:] = 2**63 - 1, 0, 0
        workers = min(self.frontier.workers, 1 + int(numbers[_FAR_COUNT]) // _MIN_SHARE)
        _select_near(workers, bits, flags, numbers, far, self.frontier.current, self.spare)
        _, _, _, _, selected, remaining = numbers.tolist()
        far[:remaining], numbers[_FAR_COUNT] = self.spare[:remaining], remaining
        return int(selected)


def distances_and_parents(graph: Graph, weights: Any, sources: Any, limit: int) -> tuple[Any, Any]:
    """Return distances with at most the bits `limit`, and parents; -1 for vertices without such a path.

    `weights` are int64 or float64, finite and not negative; an integer above `LARGEST` counts as one that no path may
    contain. Raise ValueError if all paths to a vertex are longer than the largest distance, and this is the limit.
    """
    n, id_type, rows = graph.num_vertices, graph.indices.dtype, Rows(graph.indptr, graph.indices)
    distance = _DeltaStepping(graph, weights, limit).run(sources)
    largest = LARGEST[weights.dtype.kind]
    reached = distance.view(np.int64) <= limit
    distance[~reached] = -1
    if limit == largest and weights.size and not reached.all():
        bound = np.array(largest).view(weights.dtype).item()
        if n * weights.max().item() > bound / 2:  # otherwise no sum can be too large
            _refuse_overflow(graph, reached, bound)
    hops, parent = np.full(n, n, id_type), np.full(n, -1, id_type)
    hops[sources], parent[sources] = 0, sources
    _hang(rows, rows.indices[:0], Tree(distance, weights, hops, parent), new_queue(rows, sources))
    return distance, parent


def _refuse_overflow(graph: Graph, reached: Any, bound: float) -> None:
    """Raise ValueError if an arc leads from a reached vertex to another one: its sum was too large."""
    leads_out = np.flatnonzero(reached[graph._rows()] & ~reached[graph.indices])
    if leads_out.size:
        v = shown_vertex(int(graph.indices[leads_out[0]]), graph.nodes)
        raise ValueError(
            f"every path to vertex {v} is longer than {bound}, the largest distance of this dtype: divide all weights "
            "by the same number, or pass max_distance="
        )
