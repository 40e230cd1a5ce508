"""Minimum spanning forest by Borůvka's algorithm on lists of edges: all trees find their lightest edges at once.

Result: the minimum spanning forest in the order of forest_state.py, which is unique; it depends on the graph alone.

Rule: in a round, every tree T chooses its lightest edge to another tree,

    best(T) = the minimum of (key, position) over the edges (u, v) with u in T and v not in T

The oracle is `minimum_spanning_forest` in tests/support/naive.py. In the code: `offer` finds the minima, `has_won` the
edges that have them.

Idea: the minimum over the edges at a tree is an atomic one, of 64 bits. What is compared must be unique, or cycles
would arise: the key of the weight, and below it the edge's place in the list, which follows the position. Where both
fit into 63 bits (as weights of 32 bits do) a round has one pass of minima; where they don't, a second one breaks ties
by the place. Then each tree is hooked along its edge (the larger root to the smaller, where two trees have chosen the
same edge), the ends of the edges are replaced by their new roots, and edges within a tree are dropped. Each worker has
a share of the list, and packs what is left to its beginning: edges stay in order, and no step of a round is serial. The
root of a large tree is an end of most edges; what is already as it should be there is not written again, as a write
takes the cache line from all other cores.

State: that of forest_state.py, and best(T) at the root of T.

Cost: at most log2(trees) rounds, each over the edges that are left. Work memory: 8 bytes a vertex, or 16 with the
second pass, beside what forest_state.py has.

Source: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023; the
second pass is added, and keys of weights below zero are right.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Graph
from ..parallel import atomic_min, kernel, rule, share, worker_count
from ..parallel.primitives import extent
from ..parallel.union_find import find
from .forest_state import Edges, ForestState
from .weights import LARGEST_KEY, Order


@rule
def own(worker, workers, edges, counts):
    """The range of a worker's edges: those that are left stand at the beginning of its share."""
    start, _ = share(edges.us.size, worker, workers)
    return start, start + counts[worker]


class Minima(NamedTuple):
    """What is known of the lightest edge at each tree, by its root."""

    best: Any  # (n,): its key
    places: Any  # (n,): its place in the list; empty where keys are different, as they have places in them


@rule
def forget(r, minima):
    """Reset the minima of a tree; the first to do so writes, as many edges end at the same root."""
    best, places = minima
    if best[r] != LARGEST_KEY:
        best[r] = LARGEST_KEY
    if places.size and places[r] != LARGEST_KEY:
        places[r] = LARGEST_KEY


@kernel(by="workers", types="V[] V[] O[] int int int64[] int64[] int64[] int64[]")
def begin(worker, workers, edges: Edges, smallest, bits, keys, minima: Minima, counts):
    """A worker has all edges of its share, and no tree a minimum. Places go below the keys, in so many bits."""
    start, end = share(edges.us.size, worker, workers)
    for i in range(start, end):
        if bits:
            keys[i] = ((keys[i] - smallest) << bits) + i
        forget(edges.us[i], minima)
        forget(edges.vs[i], minima)
    counts[worker] = end - start


@kernel(by="workers", types="V[] V[] O[] int64[] int64[] int64[]")
def offer(worker, workers, edges: Edges, keys, counts, best):
    """The lightest key of the trees at both ends of an edge; a read first saves most atomic operations."""
    start, end = own(worker, workers, edges, counts)
    for i in range(start, end):
        key, u, v = keys[i], edges.us[i], edges.vs[i]
        if key < best[u]:
            atomic_min(best, u, key)
        if key < best[v]:
            atomic_min(best, v, key)


@kernel(by="workers", types="V[] V[] O[] int64[] int64[] int64[] int64[]")
def offer_places(worker, workers, edges: Edges, keys, counts, minima: Minima):
    """The first place of the lightest key, for the trees at both ends of an edge."""
    best, places = minima
    start, end = own(worker, workers, edges, counts)
    for i in range(start, end):
        key, u, v = keys[i], edges.us[i], edges.vs[i]
        if key == best[u]:
            atomic_min(places, u, i)
        if key == best[v]:
            atomic_min(places, v, i)


@rule
def has_won(i, r, keys, minima):
    """Whether edge i is the lightest one of tree r."""
    best, places = minima
    return places[r] == i if places.size else best[r] == keys[i]


@kernel(by="workers", types="V[] V[] O[] int64[] int64[] int64[] int64[] V[] uint8[]")
def hook(worker, workers, edges: Edges, keys, counts, minima: Minima, parent, chosen):
    """Choose an edge that has won a tree, and hook that tree to the other one. Each root is hooked by one edge."""
    start, end = own(worker, workers, edges, counts)
    for i in range(start, end):
        u, v = edges.us[i], edges.vs[i]
        won_u = has_won(i, u, keys, minima)
        won_v = has_won(i, v, keys, minima)
        if won_u | won_v:
            chosen[edges.entries[i]] = 1
            if won_u & won_v:
                parent[max(u, v)] = min(u, v)
            elif won_u:
                parent[u] = v
            else:
                parent[v] = u


@kernel(by="workers", types="V[] V[] O[] int64[] int64[] int64[] V[] int64[]")
def move_to_roots(worker, workers, edges: Edges, keys, minima: Minima, parent, counts):
    """Reset the minima of both ends of an edge, replace the ends by their roots, and drop it where these are one.

    Edges stay in order, so places still tell which of equal ones is the first.
    """
    start, end = own(worker, workers, edges, counts)
    k = start
    for i in range(start, end):
        u, v = edges.us[i], edges.vs[i]
        forget(u, minima)
        forget(v, minima)
        r, s = find(u, parent), find(v, parent)
        edges.us[k], edges.vs[k], edges.entries[k], keys[k] = r, s, edges.entries[i], keys[i]
        k += int(r != s)
    counts[worker] = k - start


def minimum_spanning_forest(graph: Graph, order: Order) -> Any:
    """The forest."""
    state = ForestState(graph, order)
    state.complete(join)
    return state.forest()


def join(state: ForestState, edges: Edges, keys: Any) -> None:
    """Join trees by the minimum spanning forest of some edges, which are lighter than all others that are left."""
    xp, n, size = state.graph.xp, state.parent.size, int(keys.size)
    smallest, largest = map(int, extent(keys))
    bits = size.bit_length()
    packed = (largest - smallest).bit_length() + bits < 63
    minima = Minima(xp.empty(n, np.int64), xp.empty(0 if packed else n, np.int64))
    workers = worker_count(state.graph.device, size)
    counts = xp.empty(workers, np.int64)
    begin(workers, edges, smallest, bits if packed else 0, keys, minima, counts)
    while int(counts.sum()):
        offer(workers, edges, keys, counts, minima.best)
        if not packed:
            offer_places(workers, edges, keys, counts, minima)
        hook(workers, edges, keys, counts, minima, state.parent, state.chosen)
        move_to_roots(workers, edges, keys, minima, state.parent, counts)
