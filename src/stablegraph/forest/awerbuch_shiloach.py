"""The algorithm of Awerbuch and Shiloach: trees of depth one find their lightest edges and hook, all at once.

Result: the minimum spanning forest in the order of growing.py.

Idea: a *star* is a tree in which every vertex is its root or points to it. In a round each star finds its lightest edge
to another tree and hooks its root to the parent at the other end; trees that are not stars only become flatter. So a
cycle can only be two stars that have chosen the same edge, and one of them takes its hook back. Edges are ordered by
(key of the weight, position of the upper entry), so equal weights make no longer cycles.

Every step of a round reads what the step before has left, and nothing that it writes itself (but for marks that all
writers set to the same value): rounds and result depend on the graph alone.

Cost: O(log n) rounds with three passes over all entries each: this one is for study and comparison. Work memory: 25
bytes a vertex (33 with 64-bit indices), 1 an entry.

Source: B. Awerbuch, Y. Shiloach, "New Connectivity and MSF Algorithms for Shuffle-Exchange Network and PRAM", IEEE
Transactions on Computers C-36(10), 1987. R. Cichra, "Parallel Graph Algorithms for GPU", bachelor's thesis, CTU Prague
2024, has versions in which also trees hook that are no stars, and equal weights are not told apart; they may not end.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, atomic_min, kernel
from ..parallel.device import array_module
from .growing import chosen_edges
from .weights import LARGEST_KEY, Order, key_of


@kernel
def find_deep(v, parent, star):
    """A vertex whose parent is no root says that its tree is no star: to itself and to its grandparent."""
    u = int(parent[at(v)])
    root = int(parent[at(u)])
    if u != root:
        star[at(v)] = 0
        star[at(root)] = 0


@kernel
def learn_from_parent(v, parent, star):
    """Vertices one step below a root know what the root knows; roots know it already, those below are told before."""
    star[at(v)] &= star[at(parent[at(v)])]


@kernel(by="edges")
def offer_keys(u, indptr, indices, bits, flip, bias, parent, star, best):
    """Offer u's edges that lead upward to the stars at both ends."""
    for e in range(int(indptr[at(u)]), int(indptr[at(u + 1)])):
        v = int(indices[at(e)])
        one = int(parent[at(u)])
        other = int(parent[at(v)])
        if v > u and one != other:
            key = key_of(int(bits[at(e)]), flip, bias)
            if star[at(u)]:
                atomic_min(best, one, key)
            if star[at(v)]:
                atomic_min(best, other, key)


@kernel(by="edges")
def offer_entries(u, indptr, indices, bits, flip, bias, parent, star, best, entries):
    """Among edges of equal keys the first entry wins."""
    for e in range(int(indptr[at(u)]), int(indptr[at(u + 1)])):
        v = int(indices[at(e)])
        one = int(parent[at(u)])
        other = int(parent[at(v)])
        if v > u and one != other:
            key = key_of(int(bits[at(e)]), flip, bias)
            if star[at(u)] and key == int(best[at(one)]):
                atomic_min(entries, one, e)
            if star[at(v)] and key == int(best[at(other)]):
                atomic_min(entries, other, e)


@kernel(by="edges")
def hook_stars(u, indptr, indices, parent, entries, hooks):
    """Hook the roots that have chosen one of u's edges; each root has one edge, so it is written once."""
    for e in range(int(indptr[at(u)]), int(indptr[at(u + 1)])):
        v = int(indices[at(e)])
        if v > u:
            one = int(parent[at(u)])
            other = int(parent[at(v)])
            if int(entries[at(one)]) == e:
                hooks[at(one)] = other
            if int(entries[at(other)]) == e:
                hooks[at(other)] = one


@kernel
def take_back(r, parent, hooks, entries, chosen, new_parent):
    """Where two stars have hooked each other, the smaller root stays one; whoever else has hooked adds its edge."""
    other = int(hooks[at(r)])
    new_parent[at(r)] = other
    if other != int(parent[at(r)]):
        if int(hooks[at(other)]) == r and r < other:
            new_parent[at(r)] = r
        else:
            chosen[at(entries[at(r)])] = 1


@kernel
def shorten(v, hooked, parent):
    parent[at(v)] = hooked[at(hooked[at(v)])]


def minimum_spanning_forest(graph: Graph, order: Order) -> tuple[Any, int]:
    """The forest, and the number of rounds."""
    xp, n, rows = array_module(graph.device), graph.num_vertices, (graph.indptr, graph.indices)
    chosen = xp.zeros(graph.num_entries, np.uint8)
    parent = xp.arange(n, dtype=graph.indices.dtype)
    star, hooked = xp.empty(n, np.uint8), xp.empty_like(parent)
    best, entries = xp.empty(n, np.int64), xp.empty(n, np.int64)
    rounds, moving = 0, n > 0
    while moving:
        star[:] = 1
        find_deep(n, parent, star)
        learn_from_parent(n, parent, star)
        best[:] = entries[:] = LARGEST_KEY
        offer_keys(n, *rows, *order.arguments, parent, star, best)
        offer_entries(n, *rows, *order.arguments, parent, star, best, entries)
        hooks = parent.copy()
        hook_stars(n, *rows, parent, entries, hooks)
        take_back(n, parent, hooks, entries, chosen, hooked)
        shorten(n, hooked, hooks)
        moving = not bool((hooks == parent).all())
        parent, rounds = hooks, rounds + 1
    return chosen_edges(graph, order, chosen), rounds
