"""Shortest paths with weights, by delta stepping: vertices nearer than a threshold are visited, then it is raised.

Result: the distance of each vertex from the nearest source, and its parent on a path with the fewest edges among the
shortest ones; the smallest of several parents. Both depend only on the graph, the weights and the sources.

Rule: distance(v) = the least distance(u) + weight(u, v), 0 for a source. An arc with distance(u) + weight(u, v) =
distance(v) is *tight*. With hops(v), the fewest tight arcs from a source to v,

    parent(v) = the smallest u with a tight arc to v and hops(u) = hops(v) - 1

The oracle is `shortest_paths` in tests/support/naive.py. In the code: `_visit_piece`, where ``candidate < ...``, and
`_choose_parents` and `_hang`, where ``v < ...``.

Idea: a sum does not decrease if one of its terms grows, also when it is rounded, and no weight is negative. Therefore
the first equation has exactly one solution, and repeated improvements find it in any order. The order only determines
how often a vertex is visited. Vertices below a threshold are *near*; workers visit them in any order until none
remains. All other vertices that have been found are *far*. Then the threshold grows by a step, and a pass over the far
vertices selects those that are near now.

All this is one kernel, because a road network has hundreds of thresholds, and a launch would take longer than the work
below one of them. It proceeds in phases, whose list is divided into pieces that workers claim. A worker visits the near
vertices of its piece, then those that it has found itself, which are in a queue of its own, as long as they take little
time; the remaining ones are the list of the next phase. If there are none, the next list has the far vertices. The
worker that finishes the last piece of a phase begins the next one. If that has only one piece, it processes it without
waking the other workers.

The first step is about the median of the smallest weights of the rows. The step doubles while the visits take less time
than a pass and a phase, and shrinks again while they take much longer. If the visits below one threshold exceed the
graph, all vertices that are not settled become far again, and the step is divided by 16. Repeated visits could
otherwise grow exponentially if the sizes of weights differ by orders of magnitude. After enough divisions only the
nearest vertices are visited, each of them once, so the total work is polynomial.

Hops: with integer weights, the search minimizes (distance, hops) in one number, whose last bits are the hops; weights
of 1 << width, plus 1 per arc. Then each arc shows by itself whether it leads from a parent, in one pass over all arcs.
If distances are too large for that, or floats, several workers mark the tight arcs and search again, with one hop per
tight arc; one worker follows the tight arcs in a queue, whose order is that of hops. Zero weights, and weights that
vanish in a sum, can make cycles of tight arcs. Hops increase along every path of parents, so parents form no cycle.

State: `bits` has the distances as integers: the bits of float64 numbers that are not negative have the same order, so
one atomic minimum serves both types of weights. `values` is the same memory with the type of the distances. A vertex
without a path has the number after the limit. A vertex enters the list of far vertices when it gets its first distance,
and is dropped from it if it has become near in the meantime, which `flags` shows. Flags also ensure that each vertex
waits at most once in the near lists. A worker removes it from them before it reads its distance, so a later improvement
lists it again.

Cost: each entry is usually read 1 to 1.3 times, and once more for the parents. On one thread, for 10^6 vertices of a
grid: about 80 MB through the caches, 5 M branches that depend on distances, 1.3 M minima. For random neighbors also 8 M
cache misses, most of which are hidden by prefetches. Work memory: 21 bytes per vertex (37 with 64-bit ids) in addition
to the result; for floats on several threads 28 (44), and 1 byte per entry.

Sources: U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of Algorithms 49(1),
2003. A. Davidson, S. Baxter, M. Garland, J. D. Owens, "Work-Efficient Parallel GPU Methods for Single-Source Shortest
Paths", IPDPS 2014 (near and far). Y. Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt", CGO 2020
(vertices that a worker has found below the threshold are visited in the same phase).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.frontier import CLAIMS, DONE, ONE_PIECE, STOPPED, claim_piece, finish_piece, in_queue, new_queue
from .._core.runtime import Rows, Rule, chunk_bounds, float64_bits, kernel, plugged, prefetch, rule, worker_count
from .._core.runtime.array_types import ArrayS, ArrayT, Bytes, Float64s, Int32s, Int64s, Vertices
from .._core.runtime.atomics import (
    atomic_add,
    atomic_and,
    atomic_compare_and_swap,
    atomic_load,
    atomic_min,
    atomic_or,
    atomic_store,
    fence,
)
from .._core.runtime.primitives import reduce
from .._core.vertex_names import shown_vertex
from ..graph import Graph

_NEAR, _MOVED = 1, 2  # the bits of a vertex's flags: it waits in a near list; it has been near

# The fields of `numbers` in addition to CLAIMS and DONE, in three groups of 128 bytes: CLAIMS; written by each piece:
# the ends of the next lists, the least new distance of a far vertex, the work below the threshold; by each phase: its
# list, the begins of the next ones, thresholds, and the work of the call.
_NEAR_END, _FAR_END, _MIN_FAR, _SPENT = range(DONE + 1, DONE + 5)
_FIRST, _COUNT, _NEAR_BEGIN, _FAR_BEGIN, _SETTLED, _BASE, _THRESHOLD, _TOTAL = range(32, 40)
_LIMIT, _UNIT, _HOP, _PATIENCE, _LOCAL = range(40, 45)  # constant
_FIELDS = 48
_STEP, _MIN_STEP, _MAX_STEP = range(3)  # the fields of `steps`

LARGEST = {"i": 2**62 - 1, "f": int(float64_bits(np.finfo(np.float64).max))}  # bits of distances, by kind of weights
_WORK = 1 << 9  # vertices and entries of a worker below one threshold: with fewer the step doubles
_MIN_PATIENCE = 1 << 16  # vertices and entries below one threshold: with more, and than the graph has, see `_put_back`
_BUDGET = 1 << 25  # vertices and entries per call: bounds the latency of Ctrl-C
_MAX_LOCAL = 1 << 11  # vertices and entries after which a piece hands over the vertices that it found
_PIECE = 64  # listed vertices of a piece
_ROOM = 512  # near vertices in the queue of a worker
_CHUNK = 256  # far vertices that a worker appends at once
_DELAY = 8  # vertices whose rows are prefetched, and heads whose distances are
_PREFETCHED_HEADS = 16  # of a row
_DISTANCE = 32  # entries: of prefetches of a pass over all entries


class Search(NamedTuple):
    """The distances so far, and the lists."""

    bits: Int64s  # (n,)
    values: ArrayS  # (n,): the same memory
    weights: ArrayT  # (number of entries,)
    flags: Int32s  # (n,)
    lists: Vertices  # (4 n,) two lists of near and two of far vertices; then the queues and chunks of the workers
    numbers: Int64s  # (_FIELDS,)


class Tree(NamedTuple):
    """The final distances, -1 for vertices without a path, and the tree so far."""

    values: ArrayT  # (n,)
    weights: ArrayT
    hops: Vertices  # (n,): n for a vertex that has not been found
    parent: Vertices  # (n,)


@rule
def sum_of(length, weight, unit, hop):
    """Return the bits of the length of a path that is longer by an arc, for integers."""
    return length + weight * unit + hop


@rule
def _sum_of_floats(length, weight, unit, hop):
    return float64_bits(length + weight)


# ---- A phase


@rule(inline=False)
def _append(begin, size, start, count, end, lists, numbers):
    """Append `count` vertices of a ring of `size` to the list whose end is the given number."""
    place = int(atomic_add(numbers, end, count))
    for i in range(count):
        lists[place + i] = lists[begin + ((start + i) & (size - 1))]


@rule
def _enqueue(u, head, tail, begin, lists, numbers):
    """Append u to the worker's queue, half of which becomes part of the next list if it is full; return its end."""
    if tail - head == _ROOM:
        tail -= _ROOM // 2
        _append(begin, _ROOM, tail, _ROOM // 2, _NEAR_END, lists, numbers)
    lists[begin + tail % _ROOM] = u
    return tail + 1


@rule
def _list_far(u, far, chunk, lists, numbers):
    """Put u into the worker's chunk of `far` vertices, and append it to the list if it is full; return its length."""
    lists[chunk + far] = u
    if far + 1 == _CHUNK:
        _append(chunk, _CHUNK, 0, _CHUNK, _FAR_END, lists, numbers)
        return 0
    return far + 1


@rule
def _visit_piece(piece, pieces, worker, workers, rows, state):
    """Visit the near vertices of a piece of the current list and those that they find, and list all others.

    `queue` and `chunk` are the places of the worker's near vertices, a ring from `head` to `tail`, and of its new far
    ones.
    """
    bits, flags, lists, numbers = state.bits, state.flags, state.lists, state.numbers
    indptr, indices, n = rows.indptr, rows.indices, state.flags.size
    threshold, limit, unit, hop = numbers[_THRESHOLD], numbers[_LIMIT], numbers[_UNIT], numbers[_HOP]
    start, end = chunk_bounds(numbers[_COUNT], piece, pieces)
    i, last = numbers[_FIRST] + start, numbers[_FIRST] + end
    selects = numbers[_FIRST] >= 2 * n  # the list is one of far vertices
    queue = 4 * n + worker * (_ROOM + _CHUNK)
    chunk = queue + _ROOM
    head, tail, far, smallest, spent, local = 0, 0, 0, limit + 1, 0, numbers[_LOCAL]
    while i < last or (head < tail and spent < local):
        while i < last and (tail - head < _DELAY or spent >= local):
            u = lists[i]
            i += 1
            if selects:
                prefetch(bits, lists[min(i + _DELAY, last - 1)])
                if bits[u] >= threshold:
                    smallest = min(smallest, bits[u])
                    far = _list_far(u, far, chunk, lists, numbers)
                    continue
                if flags[u] != 0 or atomic_compare_and_swap(flags, u, 0, _NEAR | _MOVED) != 0:
                    continue  # it has been near
            prefetch(indptr, u)
            tail = _enqueue(u, head, tail, queue, lists, numbers)
        if head < tail and spent < local:
            v = lists[queue + head % _ROOM]
            head += 1
            if head + _DELAY < tail:
                prefetch(indices, indptr[lists[queue + (head + _DELAY) % _ROOM]])
            if head + _DELAY // 2 < tail:
                u = lists[queue + (head + _DELAY // 2) % _ROOM]
                for e in range(indptr[u], min(indptr[u + 1], indptr[u] + _PREFETCHED_HEADS)):
                    prefetch(state.weights, e)
                    prefetch(bits, indices[e])
            spent += 1 + indptr[v + 1] - indptr[v]
            atomic_and(flags, v, _MOVED)
            fence()
            length = state.values[v]
            for e in range(indptr[v], indptr[v + 1]):
                u = indices[e]
                candidate = sum_of(length, state.weights[e], unit, hop)
                if candidate < bits[u]:
                    before = atomic_min(bits, u, candidate)
                    if candidate < before:
                        if candidate < threshold:
                            fence()
                            if atomic_or(flags, u, _NEAR | _MOVED) & _NEAR == 0:
                                prefetch(indptr, u)
                                tail = _enqueue(u, head, tail, queue, lists, numbers)
                        else:
                            smallest = min(smallest, candidate)
                            if before > limit:
                                far = _list_far(u, far, chunk, lists, numbers)
    _append(queue, _ROOM, head, tail - head, _NEAR_END, lists, numbers)
    _append(chunk, _CHUNK, 0, far, _FAR_END, lists, numbers)
    atomic_min(numbers, _MIN_FAR, smallest)
    atomic_add(numbers, _SPENT, spent)


@rule(inline=False)
def _begin_phase(workers, steps, bounds, state):
    """Choose the next list; return the word of a phase of one piece, or 0 if the phase or the end has been published.

    The remaining near vertices are the next list. If there are none, the threshold grows by a step, and the next list
    has all far vertices.
    """
    numbers, n = state.numbers, state.flags.size
    near = atomic_load(numbers, _NEAR_END) - numbers[_NEAR_BEGIN]
    far = atomic_load(numbers, _FAR_END) - numbers[_FAR_BEGIN]
    spent, work = atomic_load(numbers, _SPENT), _WORK * workers
    if near > 0:
        numbers[_FIRST], numbers[_COUNT] = numbers[_NEAR_BEGIN], near
        numbers[_NEAR_BEGIN] = n - numbers[_NEAR_BEGIN]
        atomic_store(numbers, _NEAR_END, numbers[_NEAR_BEGIN])
    else:
        numbers[_FIRST], numbers[_COUNT] = numbers[_FAR_BEGIN], far
        numbers[_FAR_BEGIN] = 5 * n - numbers[_FAR_BEGIN]
        atomic_store(numbers, _FAR_END, numbers[_FAR_BEGIN])
        if spent < work or 4 * spent < far:
            steps[_STEP] = min(2 * steps[_STEP], steps[_MAX_STEP])
        elif spent > 16 * work:
            steps[_STEP] = max(steps[_STEP] * 16 * work / spent, steps[_MIN_STEP])
        numbers[_SETTLED] = numbers[_THRESHOLD]
        numbers[_BASE] = max(numbers[_THRESHOLD], atomic_load(numbers, _MIN_FAR))
        bounds[_THRESHOLD] = bounds[_BASE] + steps[_STEP]
        numbers[_THRESHOLD] = max(numbers[_THRESHOLD], numbers[_BASE] + 1)
        atomic_store(numbers, _MIN_FAR, numbers[_LIMIT] + 1)
        atomic_store(numbers, _SPENT, 0)
        numbers[_TOTAL] += spent
        spent = 0
    atomic_store(numbers, DONE, 0)
    pieces = 1 if workers == 1 else min(1 + numbers[_COUNT] // _PIECE, 8 * workers + numbers[_COUNT] // 1024)
    ends = numbers[_COUNT] == 0 or spent >= numbers[_PATIENCE] or spent + numbers[_TOTAL] >= _BUDGET
    word = STOPPED if ends else pieces * ONE_PIECE
    if word == ONE_PIECE:
        return word
    fence()
    atomic_store(numbers, CLAIMS, word)
    return 0


def _search(worker, workers, rows: Rows, steps: Float64s, bounds: ArrayS, state: Search):
    """Process one phase after another until no vertex is listed, or a limit is exceeded."""
    word = claim_piece(state.numbers)
    while word < STOPPED:
        pieces = word // ONE_PIECE
        _visit_piece(word % ONE_PIECE, pieces, worker, workers, rows, state)
        word = 0
        if finish_piece(pieces, state.numbers):
            word = _begin_phase(workers, steps, bounds, state)
        if word == 0:
            word = claim_piece(state.numbers)


_visit_with_floats = plugged(_visit_piece.function, f"{__name__}._visit_with_floats", sum_of=_sum_of_floats)
_search_floats = plugged(_search, f"{__name__}._search_floats", _visit_piece=Rule(_visit_with_floats))
_BY_KIND = {  # the search and the largest step
    "i": (kernel(by="workers", T="int32 int64 uint8", S="int64")(_search), 2.0**60),
    "f": (kernel(by="workers", T="float64", S="float64")(_search_floats), 2.0**1020),
}


# ---- Parents


@kernel(by="edges", T="int32 int64 uint8", S="int64")
def _choose_parents(v, rows: Rows, state: Search, parent: Vertices):
    """Lower the parents of the heads of v's tight arcs."""
    length, numbers, last = state.bits[v], state.numbers, rows.indices.size - 1
    if length <= numbers[_LIMIT]:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            prefetch(state.bits, rows.indices[min(e + _DISTANCE, last)])
            u = rows.indices[e]
            if sum_of(length, state.weights[e], numbers[_UNIT], numbers[_HOP]) == state.bits[u] and v < parent[u]:
                atomic_min(parent, u, v)


@kernel(by="edges", T="int64 float64")
def _mark_loose(v, rows: Rows, values: ArrayT, weights: ArrayT, is_loose: Bytes):
    """Mark the arcs from v that are not tight."""
    last = rows.indices.size - 1
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        prefetch(values, rows.indices[min(e + _DISTANCE, last)])
        is_loose[e] = values[v] < 0 or values[v] + weights[e] != values[rows.indices[e]]


@kernel
def _finish(v, limit: int, width: int, bits: Int64s, parent: Vertices):
    """Remove the hops from a distance; replace a distance after the limit and parent n by -1."""
    bits[v] = bits[v] >> width if bits[v] <= limit else -1
    if parent[v] == parent.size:
        parent[v] = -1


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


# ---- The search


def _first_step(n: int, weights: Any) -> float:
    """Estimate the median of the smallest weights of the rows from a sample of all weights."""
    if not weights.size:
        return 0.0
    with np.errstate(over="ignore"):
        sample = weights[:: 1 + weights.size // 1000].astype(np.float64)
        return float(np.quantile(sample, min(1.0, 0.7 * n / weights.size))) or float(weights.mean())


def _put_back(search: Search) -> None:
    """Make all vertices far that are not settled, also visited ones; the next phase selects near ones."""
    bits, numbers, n = search.bits, search.numbers, search.flags.size
    far = np.flatnonzero((bits >= numbers[_SETTLED]) & (bits <= numbers[_LIMIT]))
    search.flags[:], search.lists[2 * n : 2 * n + far.size] = 0, far
    numbers[[_THRESHOLD, _FAR_BEGIN, _FAR_END]] = numbers[_SETTLED], 2 * n, 2 * n + far.size
    numbers[[_NEAR_BEGIN, _NEAR_END, _MIN_FAR, _COUNT, _SPENT]] = 0


def _find_distances(graph: Graph, weights: Any, sources: Any, limit: int, unit: int, hop: int, step: float) -> Search:
    """Search from the sources; bits of vertices without a path are above the limit."""
    n, rows = graph.num_vertices, Rows(graph.indptr, graph.indices)
    workers = worker_count("cpu", n + graph.num_entries)
    kind = np.dtype(np.float64 if weights.dtype.kind == "f" else np.int64)
    bits, numbers = np.full(n, limit + 1), np.zeros(_FIELDS, np.int64)
    lists = np.empty(4 * n + workers * (_ROOM + _CHUNK), graph.indices.dtype)
    search = Search(bits, bits.view(kind), weights, np.empty(n, np.int32), lists, numbers)
    bits[sources] = 0
    patience = max(_MIN_PATIENCE, 1 + n + graph.num_entries)
    numbers[[_LIMIT, _UNIT, _HOP, _PATIENCE]] = limit, unit, hop, patience
    numbers[_LOCAL] = _MAX_LOCAL if workers > 1 else patience
    _put_back(search)
    run, max_step = _BY_KIND[kind.kind]
    steps = np.array([min(step, max_step) / 2, min(step, max_step), max_step])
    while True:
        numbers[CLAIMS], numbers[DONE], numbers[_TOTAL] = (1 + numbers[_COUNT] // _PIECE) * ONE_PIECE, 0, 0
        run(workers, rows, steps, numbers.view(kind), search)
        if numbers[_COUNT] == 0:
            return search
        if numbers[_SPENT] >= patience:  # vertices are visited again and again
            _put_back(search)
            steps[_STEP] /= 16
            steps[_MIN_STEP] = min(steps[:2])


def _parents(graph: Graph, search: Search, sources: Any, width: int) -> Any:
    """Return the smallest tails of tight arcs, -1 if there are none; remove the hops from the distances."""
    n = graph.num_vertices
    parent = np.full(n, n, graph.indices.dtype)
    parent[sources] = sources
    _choose_parents(n, Rows(graph.indptr, graph.indices), search, parent)
    _finish(n, int(search.numbers[_LIMIT]), width, search.bits, parent)
    return parent


def _with_hops(graph: Graph, weights: Any, sources: Any, limit: int) -> tuple[Any, Any] | None:
    """Search by integer distances and hops at the same time; return None if a number could not contain both."""
    n = graph.num_vertices
    width = n.bit_length()
    bound = (1 << 62 - width) - 1
    if weights.itemsize == 8 and weights.size and reduce(weights, "max") > bound:
        return None
    last = ((min(limit, bound) + 1) << width) - 1
    step = _first_step(n, weights) * (1 << width)
    search = _find_distances(graph, weights, sources, last, 1 << width, 1, step)
    parent = _parents(graph, search, sources, width)
    if limit > bound and _leads_too_far(graph, weights, parent >= 0, bound) is not None:
        return None
    return search.bits, parent


def distances_and_parents(graph: Graph, weights: Any, sources: Any, limit: int) -> tuple[Any, Any]:
    """Return distances with at most the bits `limit`, and parents; -1 for vertices without such a path.

    `weights` are int32, int64 or float64, finite and not negative; an integer above `LARGEST` counts as one that no
    path may contain. Raise ValueError if all paths to a vertex are longer than the largest distance, and this is the
    limit.
    """
    n, id_type, rows = graph.num_vertices, graph.indices.dtype, Rows(graph.indptr, graph.indices)
    if weights.dtype.kind == "i" and (found := _with_hops(graph, weights, sources, limit)):
        return found
    weights = weights.astype(np.result_type(weights, np.int64), copy=False)
    distance = _find_distances(graph, weights, sources, limit, 1, 0, _first_step(n, weights)).values
    distance[distance.view(np.int64) > limit] = -1
    bound = np.array(limit).view(weights.dtype).item()
    v = _leads_too_far(graph, weights, distance >= 0, bound) if limit == LARGEST[weights.dtype.kind] else None
    if v is not None:
        raise ValueError(
            f"every path to vertex {shown_vertex(v, graph.nodes)} is longer than {bound}, the largest distance of this "
            "dtype: divide all weights by the same number, or pass max_distance="
        )
    if worker_count("cpu", n + graph.num_entries) > 1:
        is_loose = np.empty(graph.num_entries, np.uint8)
        _mark_loose(n, rows, distance, weights, is_loose)
        return distance, _parents(graph, _find_distances(graph, is_loose, sources, n, 1 << 61, 1, 16.0), sources, 0)
    hops, parent = np.full(n, n, id_type), np.full(n, -1, id_type)
    hops[sources], parent[sources] = 0, sources
    _hang(rows, rows.indices[:0], Tree(distance, weights, hops, parent), new_queue(rows, sources))
    return distance, parent


def _leads_too_far(graph: Graph, weights: Any, reached: Any, bound: float) -> int | None:
    """Return the head of the first arc from a reached vertex to another one: its sum was above the bound."""
    if reached.all() or not weights.size:
        return None
    if graph.num_vertices * float(reduce(weights, "max")) <= bound / 2:  # no sum can be too large
        return None
    leads_out = np.flatnonzero(reached[graph._rows()] & ~reached[graph.indices])
    return int(graph.indices[leads_out[0]]) if leads_out.size else None
