"""Minimum spanning forest by Borůvka's algorithm on lists of edges: all trees find their lightest edges in parallel.

Result: the minimum spanning forest in the order of forest_state.py, which is unique; it depends only on the graph.

Rule: in a round, every tree T chooses its lightest edge to another tree,

    best(T) = the minimum of (key, position) over the edges (u, v) with u in T and v not in T

The oracle is `minimum_spanning_forest` in tests/support/naive.py. In the code: `offer` finds the minima, and `has_won`
finds the edges with these minima.

Idea: the lightest edge of each tree is found by 64-bit atomic minima. The compared values must be unique, because equal
ones could cause cycles. They consist of the key of the weight and, in the lower bits, the edge's place in the list,
which has the same order as the position. If both fit into 63 bits (as with weights of 32 bits), a round has one pass of
minima. Otherwise a second pass breaks ties by the place. Then each tree is hooked along its edge (if two trees have
chosen the same edge, the larger root to the smaller one), the ends of the edges are replaced by their new roots, and
edges within a tree are dropped. Each worker has a share of the list, and packs the remaining edges to its beginning.
Thus edges stay in order, and no step of a round is serial. The root of a large tree is an end of most edges. Values at
roots are written only if they change, because a write takes the cache line from all other cores.

State: that of forest_state.py, and best(T) at the root of T.

Cost: at most log2(trees) rounds, each over the remaining edges. Work memory: 8 bytes per vertex (16 with the second
pass), in addition to that of forest_state.py.

Source: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023. This
implementation adds the second pass and supports negative weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.engines.union import find
from .._core.runtime import Bytes, Int64s, Vertices, atomic_min, chunk_bounds, kernel, rule, worker_count
from .._core.runtime.device import has_gpu_forms
from .._core.runtime.primitives import extent
from ..graph import Graph
from .forest_state import ForestState, Links
from .weights import LARGEST_KEY, Order

MIN_BORUVKA_WORKERS = 8  # with fewer workers, joining edges one by one takes less time than rounds


@rule
def remaining_range(worker, workers, edges, counts):
    """Return the range of a worker's remaining edges, which are at the beginning of its share."""
    start, _ = chunk_bounds(edges.us.size, worker, workers)
    return start, start + counts[worker]


class Minima(NamedTuple):
    """The lightest edge found so far for each tree, indexed by its root."""

    best: Int64s  # (n,): the key of the edge
    places: Int64s  # (n,): the place of the edge in the list; empty if keys contain places


@rule
def forget(r, minima):
    """Reset the minima of a tree, unless they are reset already: many edges end at the same root."""
    best, places = minima
    if best[r] != LARGEST_KEY:
        best[r] = LARGEST_KEY
    if places.size and places[r] != LARGEST_KEY:
        places[r] = LARGEST_KEY


@kernel(by="workers")
def begin_rounds(worker, workers, edges: Links, smallest: int, bits: int, keys: Int64s, minima: Minima, counts: Int64s):
    """Assign a worker all edges of its share, and reset all minima; with `bits`, append places to the keys."""
    start, end = chunk_bounds(edges.us.size, worker, workers)
    for i in range(start, end):
        if bits:
            keys[i] = ((keys[i] - smallest) << bits) + i
        forget(edges.us[i], minima)
        forget(edges.vs[i], minima)
    counts[worker] = end - start


@kernel(by="workers")
def offer(worker, workers, edges: Links, keys: Int64s, counts: Int64s, best: Int64s):
    """Update the lightest keys of the trees at both ends of each edge; reading first saves most atomic operations."""
    start, end = remaining_range(worker, workers, edges, counts)
    for i in range(start, end):
        key, u, v = keys[i], edges.us[i], edges.vs[i]
        if key < best[u]:
            atomic_min(best, u, key)
        if key < best[v]:
            atomic_min(best, v, key)


@kernel(by="workers")
def offer_places(worker, workers, edges: Links, keys: Int64s, counts: Int64s, minima: Minima):
    """Update the first place with the lightest key, for the trees at both ends of each edge."""
    best, places = minima
    start, end = remaining_range(worker, workers, edges, counts)
    for i in range(start, end):
        key, u, v = keys[i], edges.us[i], edges.vs[i]
        if key == best[u]:
            atomic_min(places, u, i)
        if key == best[v]:
            atomic_min(places, v, i)


@rule
def has_won(i, r, keys, minima):
    """Return whether edge i is the lightest edge of tree r."""
    best, places = minima
    return places[r] == i if places.size else best[r] == keys[i]


@kernel(by="workers")
def hook(worker, workers, edges: Links, keys: Int64s, counts: Int64s, minima: Minima, parent: Vertices, chosen: Bytes):
    """Choose the lightest edge of each tree, and hook the tree to the other one; one edge hooks each root."""
    start, end = remaining_range(worker, workers, edges, counts)
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


@kernel(by="workers")
def move_to_roots(worker, workers, edges: Links, keys: Int64s, minima: Minima, parent: Vertices, counts: Int64s):
    """Reset the minima of both ends of each edge, replace the ends by their roots, and drop edges with equal roots.

    Links stay in order, so the order of places remains valid.
    """
    start, end = remaining_range(worker, workers, edges, counts)
    k = start
    for i in range(start, end):
        u, v = edges.us[i], edges.vs[i]
        forget(u, minima)
        forget(v, minima)
        r, s = find(u, parent), find(v, parent)
        edges.us[k], edges.vs[k], edges.entries[k], keys[k] = r, s, edges.entries[i], keys[i]
        k += int(r != s)
    counts[worker] = k - start


def is_faster(graph: Graph) -> bool:
    """Return whether this algorithm is faster than that of kruskal.py."""
    workers = worker_count(graph.device, graph.num_vertices + graph.num_entries)
    return has_gpu_forms(graph.device) or workers >= MIN_BORUVKA_WORKERS


def minimum_spanning_forest(graph: Graph, order: Order) -> Any:
    """Return the forest."""
    return ForestState(graph, order).complete(join_in_rounds)


def join_in_rounds(state: ForestState, edges: Links, keys: Any) -> None:
    """Join trees by the minimum spanning forest of some edges, which are lighter than all other remaining edges."""
    xp, n, size = state.graph.xp, state.parent.size, int(keys.size)
    smallest, largest = map(int, extent(keys))
    bits = size.bit_length()
    packed = (largest - smallest).bit_length() + bits < 63
    minima = Minima(xp.empty(n, np.int64), xp.empty(0 if packed else n, np.int64))
    workers = worker_count(state.graph.device, size)
    counts = xp.empty(workers, np.int64)
    begin_rounds(workers, edges, smallest, bits if packed else 0, keys, minima, counts)
    while int(counts.sum()):
        offer(workers, edges, keys, counts, minima.best)
        if not packed:
            offer_places(workers, edges, keys, counts, minima)
        hook(workers, edges, keys, counts, minima, state.parent, state.chosen)
        move_to_roots(workers, edges, keys, minima, state.parent, counts)
