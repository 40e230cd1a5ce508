"""Maximal independent sets at any distance k: Luby's algorithm by sweeps, k to compare and k to rule out.

Result: a maximal set of vertices of which no two are within distance k; for k = 2 that of two.py, after as many rounds.

Rule: as in two.py, with k in place of 2. The oracle is `set_at_distance` in tests/support/naive.py. In the code:
`_join`.

Idea: the smallest key within distance j of a vertex is the smallest among those within distance j - 1 of it and of its
neighbors. So k sweeps over the rows find for each vertex the smallest key within distance k. The vertices join that
have it themselves, and k sweeps more spread distances from them.

State: for each vertex its key, and its distance from the set, k + 1 for all that is more than k. A vertex within k - j
of an undecided one is farther than j from the set. So the j-th sweep only reads rows of vertices farther than j, both
times: the sweeps become shorter as the set grows. No sweep reads what it writes.

Cost: at most 2 k sweeps a round, fewer if a sweep changes nothing. Work memory: 16 bytes a vertex (28 by degrees, 32
from 2**31 vertices on).

Sources: N. Bell, S. Dalton, L. N. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods", SIAM
Journal on Scientific Computing 34(4), 2012, for the sweeps; for the keys, and when vertices are ruled out, see two.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...graph import Graph
from ...parallel import kernel
from ...parallel.groups import Rows
from ..history import History
from .round_keys import RoundKeys, draw_key, key_source


@kernel(by="edges", types="O[] V[] int V[] T[] T[] int64[]", T="int64 uint32")
def _least_around(v, rows: Rows, level, distance, before, after, changed):
    """The smallest key among v's and its neighbors', if v is farther than `level` from the set."""
    if distance[v] > level:
        least = own = before[v]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            least = min(least, before[rows.indices[e]])
        after[v] = least
        if least != own:
            changed[0] = 1


@kernel(by="edges", types="O[] V[] int V[] int64[]")
def _spread(v, rows: Rows, level, distance, changed):
    """Put v at distance `level` from the set, if it is farther and has a neighbor one step nearer."""
    if distance[v] > level:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            if distance[rows.indices[e]] == level - 1:
                distance[v] = level
                changed[0] = 1
                break


@kernel(types="int int int int O[] int V[] T[]", T="int64 uint32")
def _begin(v, keys: RoundKeys, k, distance, state):
    """The first keys of all vertices that are farther than k from the set."""
    state[v] = draw_key(v, v, keys) if distance[v] > k else keys.out


@kernel(types="int int V[] T[] T[]", T="int64 uint32")
def _join(v, out, k, distance, least, state):
    """The vertices join that have the smallest key; those that had been beaten before are out."""
    if state[v] != out:
        beaten = distance[v] <= k
        joins = not beaten and least[v] == state[v]
        if joins:
            distance[v] = 0
        if beaten or distance[v] == 0:
            state[v] = out


@kernel(types="bool int int int int O[] int V[] T[]", T="int64 uint32")
def _redraw(v, at_once, keys: RoundKeys, k, distance, state):
    """New keys for those that are left; those just beaten still draw, unless they are out `at_once`."""
    if state[v] != keys.out:
        stays = distance[v] > k or not at_once
        state[v] = draw_key(v, v, keys) if stays else keys.out


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, k: int, priority: str, seed: int
) -> Any:
    """The mask of the set.

    `included` and `excluded` are vertices; no two included ones are within distance k.
    """
    history.enter("prepare")
    xp, n = graph.xp, graph.num_vertices
    k = min(k, n)  # nothing is farther apart, but for what is not connected at all
    source, at_once = key_source(graph, priority, seed), priority == "degree"
    distance = xp.full(n, k + 1, graph.indices.dtype)
    state, *scratch = (xp.empty(n, source.dtype) for _ in range(3))
    changed = xp.zeros(1, np.int64)
    distance[included] = 0
    _spread_all(graph, k, distance, changed)
    _begin(n, source.keys(0), k, distance, state)
    state[excluded] = source.out

    history.enter("rounds")
    history.undecided = left = [n]
    while left[-1]:
        least = _least_within(graph, k, distance, state, scratch, changed)
        _join(n, source.out, k, distance, least, state)
        _spread_all(graph, k, distance, changed)
        _redraw(n, at_once, source.keys(len(left)), k, distance, state)
        left.append(int(xp.count_nonzero(state != source.out)))
    return distance == 0


def near_pair(graph: Graph, k: int, vertices: Any) -> tuple[int, int] | None:
    """Two of the given vertices (ascending) that are within distance k of each other, or None."""
    xp, n = graph.xp, graph.num_vertices
    key_type = np.uint32 if n < 2**31 else np.int64
    keys, *scratch = (xp.empty(n, key_type) for _ in range(3))
    keys[:] = n
    keys[vertices] = vertices.astype(key_type)
    none_in_set, changed = xp.full(n, min(k, n) + 1, graph.indices.dtype), xp.zeros(1, np.int64)
    least = _least_within(graph, min(k, n), none_in_set, keys, scratch, changed)
    beaten = xp.flatnonzero(least[vertices] != keys[vertices])
    return (int(least[vertices[beaten[0]]]), int(vertices[beaten[0]])) if beaten.size else None


def _least_within(graph: Graph, k: int, distance: Any, keys: Any, scratch: list[Any], changed: Any) -> Any:
    """The smallest keys within distance k of those vertices that are farther than that from the set."""
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
    """Distances up to k from the vertices at distance 0."""
    for level in range(1, k + 1):
        changed[0] = 0
        _spread(graph.num_vertices, Rows(graph.indptr, graph.indices), level, distance, changed)
        if not int(changed[0]):
            break
