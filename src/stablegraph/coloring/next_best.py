"""Orders that depend on what is colored already: the most colored neighbours next, or the most different colors.

Result: an order of all vertices, and with it first fit. "Saturation" is Brelaz's DSATUR; it needs two colors for
bipartite graphs. For reference: one thread, a priority queue.

Idea: a binary heap with the place of each vertex in it. The key is (number of colored neighbours, or of different
colors among them) and, for equals, the place in a given order; keys only grow. For different colors every vertex keeps
a bit for each color that it may take itself; whether a still higher one is new to it, its row says.

Cost: O(m log n) steps. Work memory: 40 bytes a vertex, and a bit an entry.

Source: D. Brelaz, "New Methods to Color the Vertices of a Graph", Communications of the ACM 22(4), 1979.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, in_steps, kernel, leading_zeros, rule
from ..parallel.device import array_module

_STEP = 1 << 17  # vertices between two chances to be interrupted
_FIRST = np.uint64(1 << 63)
_TAKEN, _TIE = -1, 1 << 32


@rule
def _raise(v, key, keys, heap, places):
    """Give v a larger key, and let it rise in the heap."""
    keys[v] = key
    place = int(places[v])
    while place > 0:
        above = (place - 1) >> 1
        u = int(heap[above])
        if keys[u] >= key:
            break
        heap[place] = u
        places[u] = place
        place = above
    heap[place] = v
    places[v] = place


@rule
def _take_largest(size, keys, heap, places):
    """Take the first vertex out of the heap, and let the last one sink from its place."""
    best, v = int(heap[0]), int(heap[size - 1])
    places[best] = _TAKEN
    place, below, size = 0, 1, size - 1
    while below < size:
        if below + 1 < size and keys[heap[below + 1]] > keys[heap[below]]:
            below += 1
        u = int(heap[below])
        if keys[u] <= keys[v]:
            break
        heap[place] = u
        places[u] = place
        place, below = below, 2 * below + 1
    if size:
        heap[place] = v
        if v != best:
            places[v] = place
    return best


@rule
def _lowest_missing(first, sets):
    """The lowest color that is not in a set of words; there always is one."""
    color = 0
    while sets[first] == ~np.uint64(0):
        first += 1
        color += 64
    return color + leading_zeros(~sets[first])


@rule
def _is_new(u, v, color, indptr, indices, set_ptr, sets, colors):
    """Whether u has no other neighbour than v of v's color; remembers it."""
    place = int(set_ptr[u]) + (color >> 6)
    if place < set_ptr[u + 1]:
        before = sets[place]
        sets[place] = before | (_FIRST >> np.uint64(color & 63))
        return sets[place] != before
    for e in range(indptr[at(u)], indptr[at(u + 1)]):
        w = int(indices[at(e)])
        if colors[at(w)] == color and w != v:
            return False
    return True


@kernel(by="single")
def _take(first, beyond, n, different, indptr, indices, set_ptr, sets, keys, heap, places, seen, colors, order):
    """Take vertices number `first` to `beyond` - 1 out of the heap, and raise their neighbours."""
    for i in range(first, beyond):
        v = _take_largest(n - i, keys, heap, places)
        order[i] = v
        color = _lowest_missing(int(set_ptr[v]), sets) if different else 0
        colors[v] = color
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            u = int(indices[at(e)])
            if places[u] == _TAKEN or seen[u] == v:
                continue
            seen[u] = v  # an edge that is stored twice counts once
            if not different or _is_new(u, v, color, indptr, indices, set_ptr, sets, colors):
                _raise(u, keys[u] + _TIE, keys, heap, places)


def next_best(graph: Graph, first_order: Any, different: bool) -> Any:
    """All vertices in the order in which they are taken; `first_order` settles ties."""
    home, xp = graph.device, array_module(graph.device)
    if home == "cuda":  # one thread of a GPU would take far longer
        return xp.asarray(next_best(graph.to("cpu"), first_order.get(), different))
    n = graph.num_vertices
    keys = np.empty(n, np.int64)
    keys[first_order] = np.arange(n - 1, -1, -1)  # below _TIE
    heap = first_order.astype(np.int64)
    places = np.empty(n, np.int64)
    places[heap] = np.arange(n)
    words = (graph.degrees().astype(np.int64) + 64) // 64 if different else np.zeros(n, np.int64)
    set_ptr = np.concatenate([[0], np.cumsum(words)])
    sets = np.zeros(int(set_ptr[-1]), np.uint64)
    seen, colors = np.full(n, -1, np.int64), np.full(n, -1, np.int32)
    order = np.empty(n, graph.indices.dtype)
    for piece in in_steps(n, _STEP):
        _take(*piece, n, different, graph.indptr, graph.indices, set_ptr, sets, keys, heap, places, seen, colors, order)
    return order
