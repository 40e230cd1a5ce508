"""Minimum spanning forest by Awerbuch and Shiloach: all trees of depth one hook along their lightest edges in parallel.

Result: the minimum spanning forest in the order of forest_state.py, which is unique. The forest and the number of
rounds depend only on the graph.

Rule: a *star* is a tree in which every vertex is the root or points to it. In a round, each star finds its lightest
edge to another tree, and hooks its root to the parent of the edge's other end. If two stars have chosen the same edge,
only the larger root is hooked to the smaller one. The oracle is `minimum_spanning_forest` in tests/support/naive.py. In
the code: `hook_stars`, where ``entries[one] == e``, and `unhook_pairs`.

Idea: trees that are not stars only become flatter, so the only possible cycle is two stars that have chosen the same
edge. Edges are ordered by (key of the weight, position of the upper entry), so equal weights cannot cause longer
cycles.

Every step of a round reads only values from earlier steps, and no values that it writes itself (except for flags that
all writers set to the same value). Therefore the rounds and the result depend only on the graph.

State: parents; a flag for each vertex of a star; the lightest key of each root, and the entry of that edge.

Cost: O(log n) rounds of three passes over all entries each; the algorithm is for study and comparison. Work memory: 25
bytes per vertex (33 with 64-bit indices), 1 byte per entry.

Source: B. Awerbuch, Y. Shiloach, "New Connectivity and MSF Algorithms for Shuffle-Exchange Network and PRAM", IEEE
Transactions on Computers C-36(10), 1987. R. Cichra, "Parallel Graph Algorithms for GPU", bachelor's thesis, CTU Prague
2024, contains versions in which all trees hook and ties are not broken; they may not terminate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Bytes, Int64s, Rows, Vertices, atomic_min, kernel, rule
from ..forest.forest_state import chosen_edges
from ..forest.weights import LARGEST_KEY, Order, Weights, key_at
from ..graph import Graph


@kernel
def find_deep(v, parent: Vertices, star: Bytes):
    """Clear the star flags of v and of its grandparent if the parent of v is not a root."""
    u = parent[v]
    root = parent[u]
    if u != root:
        star[v] = 0
        star[root] = 0


@kernel
def copy_star_from_parent(v, parent: Vertices, star: Bytes):
    """Copy the star flag from the parent; flags of roots are final, and `find_deep` has cleared deeper vertices."""
    star[v] &= star[parent[v]]


@rule
def offer(root, e, key, ties, best, entries):
    """Update the lightest key of a star, or with `ties` the first entry with this key."""
    if not ties:
        atomic_min(best, root, key)
    elif key == best[root]:
        atomic_min(entries, root, e)


@kernel(by="edges", types="bool V[] uint8[] int64[] int64[]")
def offer_edges(u, rows: Rows, weights: Weights, ties, parent, star, best, entries):
    """Offer the edges from u to larger vertices in other trees to the stars at both ends."""
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        one, other = parent[u], parent[v]
        if v > u and one != other:
            key = key_at(e, weights)
            if star[u]:
                offer(one, e, key, ties, best, entries)
            if star[v]:
                offer(other, e, key, ties, best, entries)


@kernel(by="edges")
def hook_stars(u, rows: Rows, parent: Vertices, entries: Int64s, hooks: Vertices):
    """Hook the roots that have chosen an edge of u; each root has chosen one edge, so it is written once."""
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        v = rows.indices[e]
        if v > u:
            one = parent[u]
            other = parent[v]
            if entries[one] == e:
                hooks[one] = other
            if entries[other] == e:
                hooks[other] = one


@kernel
def unhook_pairs(r, parent: Vertices, hooks: Vertices, entries: Int64s, chosen: Bytes, new_parent: Vertices):
    """Keep the smaller root as a root if two stars have hooked each other; choose the edges of all other hooks."""
    other = hooks[r]
    new_parent[r] = other
    if other != parent[r]:
        if hooks[other] == r and r < other:
            new_parent[r] = r
        else:
            chosen[entries[r]] = 1


@kernel
def shortcut(v, hooked: Vertices, parent: Vertices):
    """Link v to its grandparent."""
    parent[v] = hooked[hooked[v]]


def minimum_spanning_forest(graph: Graph, order: Order) -> tuple[Any, int]:
    """Return the forest and the number of rounds."""
    xp, n, rows = graph.xp, graph.num_vertices, Rows(graph.indptr, graph.indices)
    chosen = xp.zeros(graph.num_entries, np.uint8)
    parent = xp.arange(n, dtype=graph.indices.dtype)
    star, hooked = xp.empty(n, np.uint8), xp.empty_like(parent)
    best, entries = xp.empty(n, np.int64), xp.empty(n, np.int64)
    rounds, moving = 0, n > 0
    while moving:
        star[:] = 1
        find_deep(n, parent, star)
        copy_star_from_parent(n, parent, star)
        best[:] = entries[:] = LARGEST_KEY
        for ties in (False, True):
            offer_edges(n, rows, order.weights, ties, parent, star, best, entries)
        hooks = parent.copy()
        hook_stars(n, rows, parent, entries, hooks)
        unhook_pairs(n, parent, hooks, entries, chosen, hooked)
        shortcut(n, hooked, hooks)
        moving = not bool((hooks == parent).all())
        parent, rounds = hooks, rounds + 1
    return chosen_edges(graph, order, chosen), rounds
