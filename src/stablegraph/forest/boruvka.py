"""Minimum spanning forest by Borůvka's algorithm on lists of edges: all trees find their lightest edges at once.

Result: the minimum spanning forest in the order of forest_state.py, which is unique; it depends on the graph alone.

Rule: in a round, every tree T chooses its lightest edge to another tree,

    best(T) = the minimum of (key, position) over the edges (u, v) with u in T and v not in T

The oracle is `minimum_spanning_forest` in tests/support/naive.py. In the code: `offer` finds the minima, `hook` the
edges that have won (``won_u``, ``won_v``).

Idea: the minimum over the edges at a tree is an atomic one, of 64 bits. What is compared must be unique, or cycles
would arise: the key of the weight, and below it the edge's place in the list, which follows the position. Where both
fit into 63 bits (as weights of 32 bits do) a round has one pass of minima; where they don't, a second one breaks ties
by the place. Then each tree is hooked along its edge (the larger root to the smaller, where two trees have chosen the
same edge), the ends of the edges are replaced by their new roots, and edges within a tree are dropped.

State: that of forest_state.py, and best(T) at the root of T.

Cost: at most log2(trees) rounds, each over the edges that are left. Work memory: 8 bytes a vertex, or 16 with the
second pass, beside what forest_state.py has.

Source: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023; the
second pass is added, and keys of weights below zero are right.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import atomic_min, kernel
from ..parallel.primitives import compact, reduce
from ..parallel.union_find import find
from .forest_state import Edges, ForestState
from .weights import LARGEST_KEY, Order


@kernel
def offer(i, edges: Edges, keys, best):
    """The lightest key of the trees at both ends of an edge; a read first saves most atomic operations."""
    key, u, v = keys[i], edges.us[i], edges.vs[i]
    if key < best[u]:
        atomic_min(best, u, key)
    if key < best[v]:
        atomic_min(best, v, key)


@kernel
def offer_places(i, edges: Edges, keys, best, places):
    """The first place of the lightest key, for the trees at both ends of an edge."""
    key, u, v = keys[i], edges.us[i], edges.vs[i]
    if key == best[u]:
        atomic_min(places, u, i)
    if key == best[v]:
        atomic_min(places, v, i)


@kernel
def hook(i, edges: Edges, marks, winners, parent, chosen):
    """Choose an edge that has won a tree, and hook that tree to the other one. Each root is hooked by one edge."""
    u, v, mark = edges.us[i], edges.vs[i], marks[i]
    won_u = winners[u] == mark
    won_v = winners[v] == mark
    if won_u | won_v:
        chosen[edges.entries[i]] = 1
        if won_u & won_v:
            parent[max(u, v)] = min(u, v)
        elif won_u:
            parent[u] = v
        else:
            parent[v] = u


@kernel
def move_to_roots(i, edges: Edges, best, places, parent, between):
    """Reset the minima of both ends of an edge, replace the ends by their roots, and note whether these differ."""
    for ends in (edges.us, edges.vs):
        r = ends[i]
        best[r] = LARGEST_KEY
        if places.size:
            places[r] = LARGEST_KEY
        ends[i] = find(r, parent)
    between[i] = edges.us[i] != edges.vs[i]


def minimum_spanning_forest(graph: Graph, order: Order) -> Any:
    """The forest."""
    state = ForestState(graph, order)
    state.complete(join)
    return state.forest()


def join(state: ForestState, edges: Edges, keys: Any) -> None:
    """Join trees by the minimum spanning forest of some edges, which are lighter than all others that are left."""
    xp, n = state.graph.xp, state.parent.size
    smallest, bits = int(reduce(keys, "min")), int(keys.size).bit_length()
    packed = (int(reduce(keys, "max")) - smallest).bit_length() + bits < 63
    if packed:
        keys = ((keys - smallest) << bits) + xp.arange(keys.size)
    best = xp.full(n, LARGEST_KEY, np.int64)
    places = xp.full(0 if packed else n, LARGEST_KEY, np.int64)
    while size := int(keys.size):
        offer(size, edges, keys, best)
        if packed:
            hook(size, edges, keys, best, state.parent, state.chosen)
        else:
            offer_places(size, edges, keys, best, places)
            hook(size, edges, xp.arange(size), places, state.parent, state.chosen)
        between = xp.empty(size, bool)
        move_to_roots(size, edges, best, places, state.parent, between)
        left = compact(between)
        edges, keys = Edges(*(array[left] for array in edges)), keys[left]
