"""Maximal independent sets at a distance in one fixed order of the vertices: by weights, or by the user's numbers.

Result: the set of the serial greedy algorithm that visits the vertices in the order of their weights, ratios or numbers
(greedy/order.py); a vertex joins if no member is within distance k.

Rule: v is in the set  <=>  no vertex within distance k that is ahead of v is in it. The oracle is
`greedy_set_at_distance` in tests/support/naive.py. In the code: at distance 2 `_find_winners` in two.py, at larger
distances `_join_smallest` in k.py; for the serial finish `_visit_in_order`.

Idea: the vertices are sorted once, and their places in the order are keys for the rounds of two.py and k.py, in which
the vertex with the smallest key within distance k joins. For weights, the sorted words consist of 31 bits of the ratio
and a hash of 32 bits, from which the vertex is computed. Runs of equal bits are checked exactly. For other numbers, the
bits are the leading ones of their distances from the smallest number. Unlike random keys, orders may leave no
parallelism: if a round decides few vertices, one thread in host memory visits the remaining ones in order.

State: that of two.py, or of k.py.

Cost: a sort of n words, and rounds as in two.py and k.py. Work memory: 24 bytes per vertex while vertices are sorted,
then as in two.py and k.py.

Source: for the rounds, see two.py and k.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.arrays import on_host
from ..._core.engines.rounds import (
    BEATEN,
    LINE,
    History,
    Rounds,
    States,
    Worklists,
    has_stalled,
    lanes_in,
    listed,
    marks_of,
)
from ..._core.runtime import (
    ArrayT,
    Bools,
    Int64s,
    Offsets,
    Rows,
    UInt64s,
    Vertices,
    hash32,
    kernel,
    rule,
    with_gpu_form,
)
from ..._core.runtime.partitioning import VERTICES_PER_CALL
from ..._core.runtime.primitives import compact, sorted_words
from ...graph import Graph
from ..cuda import by_weight as by_weight_cuda
from ..greedy.order import Weighted, exactly_sorted, key_of_ratio, make_order, sort_by_order, weights_of
from ..rules import Order, outranks
from .k import _join_smallest, _least_within, _spread_all
from .round_keys import IN
from .two import _WON, _find_winners

_BITS = 31  # of a number, before the hash
_LONGEST_RUN = 256  # vertices; runs of equal bits that are longer are sorted together with all vertices
_EXACT_PRODUCT = 1 << 22  # relative differences above 2**-22 remain after rounding to 24 bits
_LOW_32 = 0xFFFF_FFFF
_INVERSE = pow(0x45D9F3B, -1, 1 << 32)  # of the multiplier of hash32


@rule
def _vertex_of_hash(hashed, seed):
    """Return the vertex v for which hash32(v + seed) has this value."""
    x = hashed
    x = (((x >> 16) ^ x) * _INVERSE) & _LOW_32
    x = (((x >> 16) ^ x) * _INVERSE) & _LOW_32
    return (((x >> 16) ^ x) - seed) & _LOW_32


@kernel(T="int64 float64")
def _write_words(v, order: Order, weights: ArrayT, are_large: bool, words: UInt64s):
    """Write the word of a vertex: the bits of its ratio, then its hash."""
    words[v] = (key_of_ratio(v, order, weights, are_large) << 32) | hash32(v + order.seed)


@kernel
def _append_hash(v, seed: int, words: UInt64s):
    """Append the hash of a vertex to its 31 bits."""
    words[v] = (np.int64(words[v]) << 32) | hash32(v + seed)


@kernel
def _read_word(i, words: UInt64s, seed: int, vertices: Vertices, tied: Bools):
    """Write the vertex of a word to its place, the largest word first, and whether the next place has equal bits."""
    n = words.size
    word = np.int64(words[n - 1 - i])
    vertices[i] = _vertex_of_hash(word & _LOW_32, seed)
    tied[i] = i + 1 < n and (np.int64(words[max(n - 2 - i, 0)]) >> 32) == (word >> 32)


@kernel
def _find_disorder(i, vertices: Vertices, tied: Bools, order: Order, wrong: Bools):
    """Store whether vertex i + 1 has the same bits as vertex i, but is ahead of it."""
    wrong[i] = tied[i] and outranks(vertices[min(i + 1, vertices.size - 1)], vertices[i], order)


@kernel(by="single")
def _sort_runs(places: Int64s, vertices: Vertices, tied: Bools, order: Order, too_long: Int64s):
    """Sort the runs of equal bits that contain these places by insertion; count runs that are too long."""
    done = 0
    for place in places:
        if place >= done:
            start = place
            while start > 0 and tied[start - 1]:
                start -= 1
            done = place + 1
            while tied[done]:
                done += 1
            if done - start > _LONGEST_RUN:
                too_long[0] += 1
            for i in range(start + 1, done + 1 if done - start <= _LONGEST_RUN else start):
                v, j = vertices[i], i
                while j > start and outranks(v, vertices[j - 1], order):
                    vertices[j] = vertices[j - 1]
                    j -= 1
                vertices[j] = v


@kernel(T="int64 uint32")
def _number(i, vertices: Vertices, keys: ArrayT):
    """Write the key of a vertex: its place in the order, from 1 on."""
    keys[vertices[i]] = i + 1


@kernel(by="workers", T="int64 uint32")
def _begin(worker, workers, indptr: Offsets, lists: Worklists, allowed: Bools, out: int, keys: ArrayT, state: ArrayT):
    """Write a worker's states, and list the vertices that may join; those without neighbors are in at once."""
    start = k = lists.bounds[worker]
    for v in range(start, lists.bounds[worker + 1]):
        is_alone = indptr[v] == indptr[v + 1]
        key = IN if is_alone else keys[v]
        state[v] = key if allowed[v] else out
        lists.undecided[k] = v
        k += int(allowed[v] and not is_alone)
    lists.counts[worker * LINE] = k - start


@kernel(by="workers", T="int64 uint32")
def _apply_marks(worker, workers, lists: Worklists, out: int, states: States):
    """Apply the marks to a worker's undecided vertices, and pack the remaining ones."""
    start, end = listed(worker, lists)
    k, lanes = start, lanes_in(states)
    for i in range(start, end):
        v = lists.undecided[i]
        marked = marks_of(v, lanes, states)
        if marked >= _WON:
            states.current[v] = IN
        elif marked == BEATEN:
            states.current[v] = out
        lists.undecided[k] = v
        k += int(marked == 0)
    lists.counts[worker * LINE] = k - start


@kernel(by="single")
def _visit_in_order(vertices: Vertices, rows: Rows, k: int, distance: Vertices, queue: Vertices):
    """Put in each vertex that is farther than k from the set, and update the distances around it up to k."""
    for i in range(vertices.size):
        if distance[vertices[i]] > k:
            queue[0] = vertices[i]
            distance[vertices[i]] = 0
            head, tail = 0, 1
            while head < tail:
                v = queue[head]
                head += 1
                level = distance[v] + 1
                for e in range(rows.indptr[v], rows.indptr[v + 1] if level <= k else rows.indptr[v]):
                    u = rows.indices[e]
                    if distance[u] > level:
                        distance[u] = level
                        queue[tail] = u
                        tail += 1


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, k: int, priority: Weighted | np.ndarray, seed: int
) -> Any:
    """Return the mask of the set in the order of weights, or of an array of numbers.

    `included` and `excluded` are vertices; no two included vertices are within distance k.
    """
    history.enter("prepare")
    xp, n = graph.xp, graph.num_vertices
    vertices = _sorted_vertices(graph, priority, seed)
    rounds, k = rounds_within_two if k == 2 else rounds_within_k, min(k, n)  # no distance is larger than n
    keys = xp.empty(n, np.uint32 if n < 2**31 else np.int64)
    _number(n, vertices, keys)
    allowed = None
    if included.size or excluded.size:
        allowed = distances_from(graph, k, included) > k
        allowed[excluded] = False

    history.enter("rounds")
    members, undecided = rounds(graph, k, keys, allowed, included, history)

    history.enter("finish")
    if not history.undecided[-1]:
        return members
    distance = distances_from(graph, k, members)
    return _visited(graph, k, vertices[undecided[vertices]], distance) == 0


def distances_from(graph: Graph, k: int, members: Any) -> Any:
    """Return the distances from vertices, ids or a mask; k + 1 if they are larger than k."""
    distance = graph.xp.full(graph.num_vertices, k + 1, graph.indices.dtype)
    if members.size:
        distance[members] = 0
        _spread_all(graph, k, distance, graph.xp.zeros(1, np.int64))
    return distance


@with_gpu_form(by_weight_cuda.rounds_within_two)
def rounds_within_two(
    graph: Graph, k: int, keys: Any, allowed: Any | None, included: Any, history: History
) -> tuple[Any, Any]:
    """Run rounds of two.py; return the masks of the members and of the undecided vertices.

    Only vertices in the mask `allowed` may join, in addition to the included ones.
    """
    out = int(np.iinfo(keys.dtype).max)
    xp, rounds = graph.xp, Rounds(graph, keys.dtype)
    rows, chunk, lists, states = rounds.rows, rounds.chunk_size(), rounds.lists, rounds.states
    states.marks[:] = 0
    workers, through = lists.bounds.size - 1, xp.empty(0, bool)
    leaders = xp.empty(workers * chunk, graph.indices.dtype)
    allowed = xp.ones(keys.size, bool) if allowed is None else allowed
    _begin(workers, graph.indptr, lists, allowed, out, keys, states.current)
    states.current[included] = IN
    history.undecided = undecided = [graph.num_vertices, int(lists.counts.sum())]
    while undecided[-1] and not has_stalled(undecided):
        _find_winners(workers, rows, lists, chunk, leaders, through, states)
        _apply_marks(workers, lists, out, states)
        undecided.append(int(lists.counts.sum()))
    return states.current == IN, (states.current != IN) & (states.current != out)


@with_gpu_form(by_weight_cuda.rounds_within_k)
def rounds_within_k(
    graph: Graph, k: int, keys: Any, allowed: Any | None, included: Any, history: History
) -> tuple[Any, Any]:
    """Run rounds of k.py; the arguments and results are those of `rounds_within_two`."""
    xp, n, changed, out = graph.xp, graph.num_vertices, graph.xp.zeros(1, np.int64), int(np.iinfo(keys.dtype).max)
    distance = distances_from(graph, k, included)
    if allowed is not None:
        keys[~allowed] = out
    scratch = [xp.empty_like(keys), xp.empty_like(keys)]
    history.undecided = undecided = [n, int(xp.count_nonzero(keys != out))]
    while undecided[-1] and not has_stalled(undecided):
        least = _least_within(graph, k, distance, keys, scratch, changed)
        _join_smallest(n, out, k, distance, least, keys)
        _spread_all(graph, k, distance, changed)
        keys[distance <= k] = out
        undecided.append(int(xp.count_nonzero(keys != out)))
    return distance == 0, keys != out


def _visited(graph: Graph, k: int, vertices: Any, distance: Any) -> Any:
    """Visit the remaining vertices in order, in host memory; return all distances."""
    host, vertices, distances = graph.to("cpu"), on_host(vertices), on_host(distance)
    queue = np.empty(host.num_vertices, distances.dtype)
    for start in range(0, vertices.size, VERTICES_PER_CALL):
        rows = Rows(host.indptr, host.indices)
        _visit_in_order(vertices[start : start + VERTICES_PER_CALL], rows, k, distances, queue)
    return graph.xp.asarray(distances)


def _sorted_vertices(graph: Graph, priority: Weighted | np.ndarray, seed: int) -> Any:
    """Return all vertices, the first one in the order first."""
    xp, n = graph.xp, graph.num_vertices
    vertices, tied, wrong = xp.empty(n, graph.indices.dtype), xp.empty(n, bool), xp.empty(n, bool)
    if isinstance(priority, Weighted):
        order = make_order(graph, priority._replace(by="ratio"), seed)
        if priority.by == "weight":  # the ratio for a divisor of 1
            order = order._replace(degree_ptr=xp.zeros(n + 1, graph.indptr.dtype), offset=0)
        words = xp.empty(n, np.uint64)
        _write_words(n, order, *weights_of(order), words)
        are_exact = _bits_suffice(graph, priority)
    else:
        order = make_order(graph, priority, seed)
        least = int(order.values.min()) if n else 0
        dropped = max(0, (int(order.values.max()) - least).bit_length() - _BITS) if n else 0
        words = (order.values - np.uint64(least)) >> np.uint64(dropped)
        _append_hash(n, seed, words)
        are_exact = not dropped
    _read_word(n, sorted_words(words), seed, vertices, tied)
    if are_exact:
        return vertices
    _find_disorder(n, vertices, tied, order, wrong)
    places, too_long = compact(wrong), xp.zeros(1, np.int64)
    if places.size and not isinstance(priority, Weighted):
        tied[1:] |= tied[:-1]  # all members of runs, which are in the right order of the runs
        members = xp.sort(vertices[tied])
        vertices[tied] = sort_by_order(order, members, xp.zeros(n, np.uint8))
    elif places.size:
        _sort_runs(places, vertices, tied, order, too_long)
    return exactly_sorted(order, vertices) if int(too_long[0]) else vertices


def _bits_suffice(graph: Graph, priority: Weighted) -> bool:
    """Return whether different ratios of integers differ in single precision, because weights and degrees are small.

    The difference of x / a and y / b is at least 1 / (a b), so it is at least 1 / (x b) times x / a.
    """
    divisor = graph._scanned().longest_row + 1 if priority.by == "ratio" else 1
    return priority.weights.dtype.kind == "i" and priority.largest * divisor < _EXACT_PRODUCT
