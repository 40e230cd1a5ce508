"""Maximal independent sets at any distance k: Luby's algorithm with k sweeps to compare keys and k to exclude vertices.

Result: a maximal set in which no two vertices are within distance k. For k = 2 it is the set of two.py, found in the
same number of rounds.

Rule: as in two.py, with k instead of 2. The oracle is `set_at_distance` in tests/support/naive.py. In the code:
`_join_smallest`.

Idea: the smallest key within distance j of a vertex is the least of the smallest keys within distance j - 1 of the
vertex and of its neighbors. Therefore k sweeps over the rows find the smallest key within distance k of each vertex.
A vertex joins if this is its own key, and k more sweeps spread distances from the new members.

State: the key of each vertex, and its distance from the set; k + 1 means more than k. A vertex within distance k - j of
an undecided vertex is farther than j from the set. Therefore the j-th sweep reads only rows of vertices farther than j,
for keys as well as for distances, and the sweeps become shorter as the set grows. No sweep reads values that it writes.

Cost: at most 2 k sweeps per round, fewer if a sweep changes nothing. Work memory: 16 bytes per vertex (28 with the
order "degree", 32 for 2**31 or more vertices).

Sources: N. Bell, S. Dalton, L. N. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods", SIAM
Journal on Scientific Computing 34(4), 2012, for the sweeps; for the keys and the time of exclusion, see two.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.engines.rounds import History, run_rounds
from ..._core.runtime import ArrayT, Int64s, Rows, Vertices, kernel
from ...graph import Graph
from .round_keys import RoundKeys, draw_key, key_source


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
def _draw_first_keys(v, keys: RoundKeys, k: int, distance: Vertices, state: ArrayT):
    """Draw the first keys of all vertices that are farther than k from the set."""
    state[v] = draw_key(v, v, keys) if distance[v] > k else keys.out


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
        state[v] = draw_key(v, v, keys) if is_undecided else keys.out


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, k: int, priority: str, seed: int
) -> Any:
    """Return the mask of the set.

    `included` and `excluded` are vertices; no two included vertices are within distance k.
    """
    history.enter("prepare")
    xp, n = graph.xp, graph.num_vertices
    k = min(k, n)  # connected vertices are never farther apart
    source, at_once = key_source(graph, priority, seed), priority == "degree"
    distance = xp.full(n, k + 1, graph.indices.dtype)
    state, *scratch = (xp.empty(n, source.dtype) for _ in range(3))
    changed = xp.zeros(1, np.int64)
    distance[included] = 0
    _spread_all(graph, k, distance, changed)
    _draw_first_keys(n, source.keys(0), k, distance, state)
    state[excluded] = source.out

    def run_round() -> int:
        least = _least_within(graph, k, distance, state, scratch, changed)
        _join_smallest(n, source.out, k, distance, least, state)
        _spread_all(graph, k, distance, changed)
        _redraw(n, at_once, source.keys(len(undecided)), k, distance, state)
        return int(xp.count_nonzero(state != source.out))

    history.enter("rounds")
    history.undecided = undecided = [n]
    run_rounds(undecided, run_round)
    return distance == 0


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
