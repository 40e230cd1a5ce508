"""Karp and Wigderson's algorithm: a subset of the vertices with nearly the largest degree joins at once.

Result: a maximal independent set, which depends only on the graph and the seed.

Rule: in round r = 0, 1, ..., let H be the undecided vertices, d(u) the degree of u inside the current set (K or H), and
L = max(1, ceil(log2 |H|)):

- HEAVYFIND: K = H, and for i = L - 1, L - 2, ..., 0: heavy = {u in K: d(u) >= 2^i - 1}. If there are at least |H| / L
  heavy vertices, or i = 0, stop; otherwise remove them from K.
- SCOREFIND: D = the largest degree in K. If D = 0, T = heavy. Otherwise draw 8 subsets of max(1, |heavy| // (8 D))
  heavy vertices: draw b = 0, ..., 7 takes the vertices with the smallest hash32(v + hash32(b + hash32(r + seed))), then
  smaller id. T is the subset with the best score; the first one drawn, if several are best.
- INDFIND: every edge inside T excludes its end with the larger id. The remaining vertices of T join, and their
  neighbors are out.

The oracle is `karp_wigderson` in tests/support/set_oracles.py. In the code: one function for each of the three steps.

Idea: few rounds suffice if each round decides a large part of all vertices. The score is a lower bound on the number of
vertices that T decides: each member counts itself and its neighbors, minus the double counts for adjacent members and
shared neighbors. If all members have about equal degrees, a T of the size above has a good score on average, so the
best of several random ones also has one. There are at most L classes of degrees, so HEAVYFIND finds a large one. At
least one vertex joins in each round: the vertex of T with the smallest id.

State: an induced subgraph with its own vertex numbers, in the order of the ids, and each edge once. H, K and T are such
subgraphs, each of which is taken from the previous one.

Cost: each round takes up to L passes over the remaining edges, and 8 more, in NumPy, on one CPU thread. O(log^2 n)
rounds in theory; 1 on a star or a clique, but often more than a hundred on a large graph. The algorithm is for study,
not for speed. Work memory: about 60 bytes for each vertex and each edge.

Source: R. M. Karp, A. Wigderson, "A Fast Parallel Algorithm for the Maximal Independent Set Problem", Journal of the
ACM 32(4), 1985. The paper chooses T deterministically, from block designs; drawing it by a hash is simpler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.engines.rounds import History
from .._core.runtime import hash32
from .._core.validation import host_array
from ..graph import Graph
from ..independent_set.greedy.order import draw_hashes

_DRAWS = 8
_SPARSENESS = 8  # a drawn subset has 1 / (_SPARSENESS * largest degree) of the heavy vertices


@dataclass(frozen=True)
class _Induced:
    """An induced subgraph: some vertices of the graph, and the edges between them."""

    ids: np.ndarray  # the vertices, ascending; vertex i of the subgraph is vertex ids[i] of the graph
    u: np.ndarray  # the ends of each edge, u < v, as vertices of the subgraph; no loops, no duplicates
    v: np.ndarray

    def degrees(self) -> np.ndarray:
        return np.bincount(self.u, minlength=self.ids.size) + np.bincount(self.v, minlength=self.ids.size)

    def on(self, selected: np.ndarray) -> _Induced:
        """Return the subgraph on the vertices selected by a mask."""
        number = np.cumsum(selected) - 1
        inside = selected[self.u] & selected[self.v]
        return _Induced(self.ids[selected], number[self.u[inside]], number[self.v[inside]])

    def away_from(self, members: np.ndarray) -> _Induced:
        """Return the subgraph without the members (a mask over the whole graph) and their neighbors."""
        member = members[self.ids]
        decided = member.copy()
        decided[self.u[member[self.v]]] = True
        decided[self.v[member[self.u]]] = True
        return self.on(~decided)


def _whole(graph: Graph) -> _Induced:
    n = graph.num_vertices
    u = np.repeat(np.arange(n), np.diff(graph.indptr))
    v = graph.indices.astype(np.int64)
    once = u < v  # an undirected edge is stored in both rows; this also drops loops
    u, v = u[once], v[once]
    if graph.has_duplicates:
        u, v = np.divmod(np.unique(u * n + v), n)
    return _Induced(np.arange(n, dtype=graph.indices.dtype), u, v)


def _find_heavy(undecided: _Induced) -> tuple[_Induced, np.ndarray, list[int]]:
    """Run HEAVYFIND: return K, a mask of its heavy vertices, and the number of edges of K in each step."""
    h = undecided.ids.size
    classes = max(1, (h - 1).bit_length())
    remaining, steps = undecided, []
    for i in reversed(range(classes)):
        steps.append(remaining.u.size)
        heavy = remaining.degrees() >= 2**i - 1
        if i == 0 or np.count_nonzero(heavy) * classes >= h:
            break
        if heavy.any():
            remaining = remaining.on(~heavy)
    return remaining, heavy, steps


def _score(graph: _Induced, degrees: np.ndarray, chosen: np.ndarray) -> int:
    """Return a lower bound on the number of vertices decided by a subset T: T and its neighbors, minus overlaps.

    Each pair of adjacent members subtracts the larger of their counts, because one of the two is excluded. Each vertex
    subtracts 1 for every pair of members among its neighbors, because both members counted it.
    """
    u, v, n = graph.u, graph.v, graph.ids.size
    from_u, from_v = chosen[u], chosen[v]
    member_neighbors = np.bincount(v[from_u], minlength=n) + np.bincount(u[from_v], minlength=n)
    clash = from_u & from_v
    brought = (1 + degrees[chosen]).sum()
    killed = (1 + np.maximum(degrees[u[clash]], degrees[v[clash]])).sum()
    shared = (member_neighbors * (member_neighbors - 1) // 2).sum()
    return int(brought - killed - shared)


def _draw_subset(ids: np.ndarray, size: int, seed: int) -> np.ndarray:
    """Return the positions of the `size` ids with the smallest hashes, then smaller ids."""
    hashes = np.empty(ids.size, np.uint32)
    draw_hashes(ids.size, ids, seed, hashes)
    return np.argsort(hashes, kind="stable")[:size]


def _find_score(graph: _Induced, heavy: np.ndarray, seed: int) -> _Induced:
    """Run SCOREFIND: return the best of several random subsets of the heavy vertices."""
    degrees = graph.degrees()
    largest = int(degrees.max())
    if largest == 0:
        return graph.on(heavy)
    places = np.flatnonzero(heavy)
    size = max(1, places.size // (_SPARSENESS * largest))
    subsets = np.zeros((_DRAWS, heavy.size), bool)
    for draw, chosen in enumerate(subsets):
        chosen[places[_draw_subset(graph.ids[places], size, hash32(draw + seed))]] = True
    scores = [_score(graph, degrees, chosen) for chosen in subsets]
    return graph.on(subsets[np.argmax(scores)])


def _find_independent(candidates: _Induced) -> np.ndarray:
    """Run INDFIND: return the ids of the candidates that no edge excludes."""
    alive = np.ones(candidates.ids.size, bool)
    alive[candidates.v] = False
    return candidates.ids[alive]


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """Return the mask of the set found by Karp and Wigderson's algorithm.

    The history records the number of HEAVYFIND's steps in each round as "inner". It counts the edges that all steps
    read: one pass over the edges inside H, K or T for each step of HEAVYFIND, for each draw, for INDFIND, and for
    removing the decided vertices.
    """
    history.enter("prepare")
    whole = _whole(graph.to("cpu"))
    n = graph.num_vertices
    members, allowed = np.zeros(n, bool), np.ones(n, bool)
    members[host_array(included, "include")] = True
    allowed[host_array(excluded, "exclude")] = False
    undecided = whole.on(allowed).away_from(members)
    history.undecided = counts = [n]
    history.more["inner"] = inner = []
    history.count(0)

    history.enter("rounds")
    while undecided.ids.size:
        remaining, heavy, steps = _find_heavy(undecided)
        candidates = _find_score(remaining, heavy, hash32((len(counts) - 1 + seed) % 2**32))
        members[_find_independent(candidates)] = True
        history.count(sum(steps) + _DRAWS * remaining.u.size + candidates.u.size + undecided.u.size)
        undecided = undecided.away_from(members)
        counts.append(undecided.ids.size)
        inner.append(len(steps))
    return graph.xp.asarray(members)
