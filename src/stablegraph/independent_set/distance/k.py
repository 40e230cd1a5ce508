"""Maximal independent sets at any distance k: Luby's algorithm with k sweeps to compare keys and k to exclude vertices.

Result: a maximal set in which no two vertices are within distance k. For k = 2 it is the set of two.py, found in the
same number of rounds.

Rule: as in two.py, with k instead of 2. The oracles in tests/support/naive.py are `set_at_distance` and, for weights
and numbers, `greedy_set_at_distance`. In the code: `_join_smallest`; for a fixed order that stalls, `_visit`.

Idea: the smallest key within distance j of a vertex is the least of the smallest keys within distance j - 1 of the
vertex and of its neighbors. Therefore k sweeps over the rows find the smallest key within distance k of each vertex.
A vertex joins if this is its own key, and k more sweeps spread distances from the new members. If the keys are places
in a fixed order, the set is that of the serial greedy algorithm. Such an order may leave no parallelism: if a round
decides few vertices, one thread in host memory visits the remaining ones in order.

State: the key of each vertex, and its distance from the set; k + 1 means more than k. A vertex within distance k - j of
an undecided vertex is farther than j from the set. Therefore the j-th sweep reads only rows of vertices farther than j,
for keys as well as for distances, and the sweeps become shorter as the set grows. No sweep reads values that it writes.

Cost: at most 2 k sweeps per round, fewer if a sweep changes nothing. Work memory: 16 bytes per vertex (28 with the
order "degree", 32 for 2**31 or more vertices).

Sources: N. Bell, S. Dalton, L. N. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods", SIAM
Journal on Scientific Computing 34(4), 2012, for the sweeps; for the keys and the time of exclusion, see two.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import on_host
from ..._core.engines.order import in_turn
from ..._core.engines.rounds import History, run_rounds
from ..._core.runtime import ArrayT, Int64s, Rows, Vertices, kernel
from ...graph import Graph
from ..greedy.order import Choice
from .round_keys import IN, KeySource, RoundKeys, key_source, next_key


@kernel(by="edges", T="int64 uint32")
def _least_around(v, rows: Rows, level: int, distance: Vertices, before: ArrayT, after: ArrayT, changed: Int64s):
    """Find the smallest key among v and its neighbors, if v is farther than `level` from the set."""
    if distance[v] > level:
        least = key = before[v]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            least = min(least, before[rows.indices[e]])
        after[v] = least
        if least != key:
            changed[0] = 1


@kernel(by="edges")
def _spread_distance(v, rows: Rows, level: int, distance: Vertices, changed: Int64s):
    """Set v's distance to `level`, if v is farther from the set and has a neighbor at distance `level` - 1."""
    if distance[v] > level:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            if distance[rows.indices[e]] == level - 1:
                distance[v] = level
                changed[0] = 1
                break


@kernel(T="int64 uint32")
def _write_first_keys(v, keys: RoundKeys, k: int, distance: Vertices, state: ArrayT):
    """Write the first keys of all vertices that are farther than k from the set."""
    state[v] = next_key(v, state[v], keys) if distance[v] > k else keys.out


@kernel(T="int64 uint32")
def _join_smallest(v, out: int, k: int, distance: Vertices, least: ArrayT, state: ArrayT):
    """Put in the vertices with the smallest key; vertices that were beaten one round ago are out."""
    if state[v] != out:
        beaten = distance[v] <= k
        joins = not beaten and least[v] == state[v]
        if joins:
            distance[v] = 0
        if beaten or distance[v] == 0:
            state[v] = out


@kernel(T="int64 uint32")
def _redraw(v, at_once: bool, keys: RoundKeys, k: int, distance: Vertices, state: ArrayT):
    """Draw new keys for the remaining vertices; newly beaten vertices still draw, unless they are out `at_once`."""
    if state[v] != keys.out:
        is_undecided = distance[v] > k or not at_once
        state[v] = next_key(v, state[v], keys) if is_undecided else keys.out


class Ball(NamedTuple):
    """Distances from the set, up to k + 1, and memory for a search."""

    k: int
    distance: Vertices  # (n,)
    queue: Vertices  # (n,)


@in_turn(accesses=8)
def _visit(worker, first, rows: Rows, ball: Ball):
    """Put a vertex in if it is farther than k from the set, and update the distances around it up to k."""
    k, distance, queue = ball
    if distance[first] > k:
        queue[0] = first
        distance[first] = 0
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
    return True


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, k: int, priority: Choice, seed: int
) -> Any:
    """Return the mask of the set in an order: one of `names.DistancePriority`, weights, or an array of numbers.

    `included` and `excluded` are vertices; no two included vertices are within distance k.
    """
    history.enter("prepare")
    xp, n = graph.xp, graph.num_vertices
    k = min(k, n)  # connected vertices are never farther apart
    source, changed = key_source(graph, priority, seed), xp.zeros(1, np.int64)
    distance = distances_from(graph, k, included)
    state, *scratch = (xp.empty(n, source.dtype) for _ in range(3))
    source.write(state)
    _write_first_keys(n, source.keys(0), k, distance, state)
    state[excluded] = source.out

    def count() -> int:
        return int(xp.count_nonzero(state != source.out))

    def run_round() -> int:
        least = _least_within(graph, k, distance, state, scratch, changed)
        _join_smallest(n, source.out, k, distance, least, state)
        _spread_all(graph, k, distance, changed)
        _redraw(n, source.at_once, source.keys(len(undecided)), k, distance, state)
        return count()

    undecided = [n]
    run_rounds(undecided, run_round, is_last=source.begin(history, undecided, count))
    return finished(graph, k, source, state, distance == 0, history)


def finished(graph: Graph, k: int, source: KeySource, state: Any, members: Any, history: History) -> Any:
    """Return the mask of the set; if rounds in a fixed order have stalled, one thread visits the remaining vertices."""
    if source.order is not None:
        history.enter("finish")
    if not history.undecided[-1]:
        return members
    host, is_undecided = graph.to("cpu"), (state != IN) & (state != source.out)
    vertices = on_host(source.order[is_undecided[source.order]])
    distance = on_host(distances_from(graph, k, members))
    _visit(Rows(host.indptr, host.indices), vertices, Ball(k, distance, np.empty_like(distance)))
    return graph.xp.asarray(distance) == 0


def distances_from(graph: Graph, k: int, members: Any) -> Any:
    """Return the distances from vertices, ids or a mask; k + 1 if they are larger than k."""
    distance = graph.xp.full(graph.num_vertices, k + 1, graph.indices.dtype)
    if members.size:
        distance[members] = 0
        _spread_all(graph, k, distance, graph.xp.zeros(1, np.int64))
    return distance


def least_keys_within(graph: Graph, k: int, keys: Any) -> Any:
    """Return the smallest of the keys within distance k of each vertex."""
    xp, n = graph.xp, graph.num_vertices
    not_in_set, changed = xp.full(n, k + 1, graph.indices.dtype), xp.zeros(1, np.int64)
    return _least_within(graph, k, not_in_set, keys, [xp.empty_like(keys), xp.empty_like(keys)], changed)


def _least_within(graph: Graph, k: int, distance: Any, keys: Any, scratch: list[Any], changed: Any) -> Any:
    """Return the smallest keys within distance k, for the vertices that are farther than k from the set."""
    before, rows = keys, Rows(graph.indptr, graph.indices)
    for level in range(1, k + 1):
        after = scratch[level % 2]
        changed[0] = 0
        _least_around(graph.num_vertices, rows, level, distance, before, after, changed)
        before = after
        if not int(changed[0]):
            break
    return before


def _spread_all(graph: Graph, k: int, distance: Any, changed: Any) -> None:
    """Compute distances up to k from the vertices at distance 0."""
    for level in range(1, k + 1):
        changed[0] = 0
        _spread_distance(graph.num_vertices, Rows(graph.indptr, graph.indices), level, distance, changed)
        if not int(changed[0]):
            break
