"""Karp and Wigderson's algorithm: many vertices with nearly the largest degree, of which a whole subset joins at once.

Result: a maximal independent set, a function of the graph and the seed alone.

Rule: in round r = 0, 1, ..., with H the undecided vertices, degrees d counted inside the set that is named, and
L = max(1, ceil(log2 |H|)):

- HEAVYFIND: K = H, and for i = L - 1, L - 2, ..., 0: heavy = {u in K: d(u) >= 2^i - 1}. If these are at least |H| / L,
  or i = 0, stop; else take them out of K.
- SCOREFIND: D = the largest degree in K. If D = 0, T = heavy. Otherwise draw 8 subsets of max(1, |heavy| // (8 D))
  heavy vertices: in draw b = 0, ..., 7 those with the smallest hash32(v + hash32(b + hash32(r + seed))), then smaller
  id. T is the subset with the best score; of equal ones, the one drawn first.
- INDFIND: every edge inside T kills its end with the larger id. The others join, and their neighbors are out.

The oracle is `karp_wigderson` in tests/support/set_oracles.py. In the code: a function for each of the three.

Idea: to be done soon, a round should decide a fair share of all vertices. The score is a lower bound on how many T
decides: each member counts for itself and its neighbors, less what adjacent members and shared neighbors count
twice. If all members have about equal degrees, T of the size above has a good score on average, so the best of some
random ones has; and of at most L classes of degrees, one must be large when its turn comes. A vertex always joins: of
T's vertices, the one with the smallest id.

State: an induced subgraph with vertices of its own numbers, in the order of their ids, and each edge once. H, K and T
are such subgraphs, each cut out of the one before.

Cost: each round takes up to L passes over the edges that are left, and 8 more, in NumPy, on one thread of the host.
O(log^2 n) rounds in theory, 1 on a star and on a clique, but often more than a hundred on a large graph: this one is
for study, not for speed. Work memory: some 60 bytes for each vertex and each edge.

Source: R. M. Karp, A. Wigderson, "A Fast Parallel Algorithm for the Maximal Independent Set Problem", Journal of the
ACM 32(4), 1985. They choose T without chance, from block designs; drawing it by a hash is the simpler form.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._arguments import host_array
from ...graph import Graph
from ...parallel import hash32
from ..history import History
from .order import draw_hashes

_DRAWS = 8
_SPARSENESS = 8  # a drawn subset has one in (this times the largest degree) of the heavy vertices


@dataclass(frozen=True)
class _Induced:
    """Some vertices of the graph, and the edges between them."""

    ids: np.ndarray  # the vertices, ascending; vertex i here is ids[i] there
    u: np.ndarray  # the ends of each edge, u < v, as numbers here: without loops and duplicates
    v: np.ndarray

    def degrees(self) -> np.ndarray:
        return np.bincount(self.u, minlength=self.ids.size) + np.bincount(self.v, minlength=self.ids.size)

    def on(self, kept: np.ndarray) -> _Induced:
        """The subgraph on the vertices that a mask keeps."""
        number = np.cumsum(kept) - 1
        inside = kept[self.u] & kept[self.v]
        return _Induced(self.ids[kept], number[self.u[inside]], number[self.v[inside]])

    def away_from(self, members: np.ndarray) -> _Induced:
        """The subgraph on the vertices that are neither members nor neighbors of members (a mask of the graph's)."""
        member = members[self.ids]
        decided = member.copy()
        decided[self.u[member[self.v]]] = True
        decided[self.v[member[self.u]]] = True
        return self.on(~decided)


def _whole(graph: Graph) -> _Induced:
    n = graph.num_vertices
    u = np.repeat(np.arange(n), np.diff(graph.indptr))
    v = graph.indices.astype(np.int64)
    once = u < v  # an undirected edge is stored from both ends, a loop from one
    u, v = u[once], v[once]
    if graph.has_duplicates:
        u, v = np.divmod(np.unique(u * n + v), n)
    return _Induced(np.arange(n, dtype=graph.indices.dtype), u, v)


def _find_heavy(undecided: _Induced) -> tuple[_Induced, np.ndarray, list[int]]:
    """HEAVYFIND: K, a mask of its heavy vertices, and how many edges K had in each step."""
    h = undecided.ids.size
    classes = max(1, (h - 1).bit_length())
    rest, steps = undecided, []
    for i in reversed(range(classes)):
        steps.append(rest.u.size)
        heavy = rest.degrees() >= 2**i - 1
        if i == 0 or np.count_nonzero(heavy) * classes >= h:
            break
        if heavy.any():
            rest = rest.on(~heavy)
    return rest, heavy, steps


def _score(graph: _Induced, degrees: np.ndarray, chosen: np.ndarray) -> int:
    """A lower bound on how many vertices are decided if the chosen ones are tried: T and its neighbors, less overlaps.

    Two members that are adjacent cost what the larger one of them brings, as one of them will be killed; each vertex
    costs 1 for every two members among its neighbors, as it was counted for both.
    """
    u, v, n = graph.u, graph.v, graph.ids.size
    from_u, from_v = chosen[u], chosen[v]
    members_beside = np.bincount(v[from_u], minlength=n) + np.bincount(u[from_v], minlength=n)
    clash = from_u & from_v
    brought = (1 + degrees[chosen]).sum()
    killed = (1 + np.maximum(degrees[u[clash]], degrees[v[clash]])).sum()
    shared = (members_beside * (members_beside - 1) // 2).sum()
    return int(brought - killed - shared)


def _draw(ids: np.ndarray, size: int, seed: int) -> np.ndarray:
    """The places of so many of the ids: those with the smallest hashes, of equal ones those with smaller ids."""
    hashes = np.empty(ids.size, np.uint32)
    draw_hashes(ids.size, ids, seed, hashes)
    return np.argsort(hashes, kind="stable")[:size]


def _find_score(graph: _Induced, heavy: np.ndarray, seed: int) -> _Induced:
    """SCOREFIND: the best of some subsets of the heavy vertices."""
    degrees = graph.degrees()
    largest = int(degrees.max())
    if largest == 0:
        return graph.on(heavy)
    places = np.flatnonzero(heavy)
    size = max(1, places.size // (_SPARSENESS * largest))
    subsets = np.zeros((_DRAWS, heavy.size), bool)
    for draw, chosen in enumerate(subsets):
        chosen[places[_draw(graph.ids[places], size, hash32(draw + seed))]] = True
    scores = [_score(graph, degrees, chosen) for chosen in subsets]
    return graph.on(subsets[np.argmax(scores)])


def _find_independent(candidates: _Induced) -> np.ndarray:
    """INDFIND: the ids of those that no edge kills."""
    alive = np.ones(candidates.ids.size, bool)
    alive[candidates.v] = False
    return candidates.ids[alive]


def independent_set(graph: Graph, included: Any, excluded: Any, history: History, *, seed: int) -> Any:
    """The mask of Karp and Wigderson's set.

    The history has the number of HEAVYFIND's steps in each round, "inner"; its entries are the edges that all steps
    went through: one pass over the edges inside H, K or T for each of HEAVYFIND's steps, for each draw, for INDFIND,
    and for what is left.
    """
    history.enter("prepare")
    whole = _whole(graph.to("cpu"))
    n = graph.num_vertices
    members, allowed = np.zeros(n, bool), np.ones(n, bool)
    members[host_array(included, "include")] = True
    allowed[host_array(excluded, "exclude")] = False
    undecided = whole.on(allowed).away_from(members)
    history.undecided = left = [n]
    history.more["inner"] = inner = []
    history.count(0)

    history.enter("rounds")
    while undecided.ids.size:
        rest, heavy, steps = _find_heavy(undecided)
        candidates = _find_score(rest, heavy, hash32((len(left) - 1 + seed) % 2**32))
        members[_find_independent(candidates)] = True
        history.count(sum(steps) + _DRAWS * rest.u.size + candidates.u.size + undecided.u.size)
        undecided = undecided.away_from(members)
        left.append(undecided.ids.size)
        inner.append(len(steps))
    return graph.xp.asarray(members)
