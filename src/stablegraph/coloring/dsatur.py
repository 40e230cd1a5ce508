"""DSATUR and incidence orders: the next vertex has the most different colors, or the most colored neighbors, around it.

Result: an order of all vertices, which also gives a first-fit coloring. "Saturation" is Brelaz's DSATUR; it needs two
colors for bipartite graphs. For reference: one thread, a priority queue.

Rule: the next vertex is the uncolored v with the largest |{color(u) : u adjacent to v, colored}| (saturation), or the
largest |{u adjacent to v, colored}| (incidence); in a tie, the first one in a given order. The oracle is
`coloring_order` in tests/support/naive.py. In the code: `_color_next` removes the top of the heap and raises the keys
of its neighbors.

Idea: a binary heap with the position of each vertex in it. The high bits of a key are the number in the rule, the low
bits the given order; keys only increase. To count different colors, each vertex has a set of the colors that it may
take itself and that no neighbor has. For higher colors, a scan of the row finds out whether the color is new.

State: the heap and the sets; a vertex that was removed from the heap is colored.

Cost: O(m log n) steps. Work memory: 40 bytes per vertex, and one bit per entry.

Source: D. Brelaz, "New Methods to Color the Vertices of a Graph", Communications of the ACM 22(4), 1979.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int32s, Int64s, Rows, UInt64s, chunked, kernel, rule
from .._core.runtime.partitioning import VERTICES_PER_CALL
from ..graph import Graph
from .rules import FULL, WORD, bit_of, lowest_of

_REMOVED, _ONE = -1, 1 << 32  # a position; the weight of a neighbor in a key, above all ranks in the given order


class Heap(NamedTuple):
    """A binary heap of vertices with the largest key on top."""

    keys: Int64s  # (n,)
    vertices: Int64s  # (n,): the heap
    positions: Int64s  # (n,): the position of each vertex in the heap


class Palettes(NamedTuple):
    """The colors of the vertices, and for each vertex the colors that no neighbor has."""

    colors: Int32s  # (n,): -1 if uncolored
    offsets: Int64s  # (n + 1,): where the words of each vertex begin
    words: UInt64s  # the sets of free colors, one vertex after another


@rule
def _raise(v, key, heap):
    """Increase the key of v, and move v up in the heap."""
    keys, vertices, positions = heap
    keys[v] = key
    hole = positions[v]
    while hole > 0:
        above = (hole - 1) >> 1
        u = vertices[above]
        if keys[u] >= key:
            break
        vertices[hole] = u
        positions[u] = hole
        hole = above
    vertices[hole] = v
    positions[v] = hole


@rule
def _remove_largest(size, heap):
    """Remove the top vertex from the heap; the last vertex takes its place and sinks."""
    keys, vertices, positions = heap
    best, v = vertices[0], vertices[size - 1]
    positions[best] = _REMOVED
    hole, below, size = 0, 1, size - 1
    while below < size:
        if below + 1 < size and keys[vertices[below + 1]] > keys[vertices[below]]:
            below += 1
        u = vertices[below]
        if keys[u] <= keys[v]:
            break
        vertices[hole] = u
        positions[u] = hole
        hole, below = below, 2 * below + 1
    if size:
        vertices[hole] = v
        if v != best:
            positions[v] = hole
    return best


@rule
def _is_new(u, v, color, rows, palettes):
    """Return whether v is the only neighbor of u with v's color; remove the color from u's palette."""
    colors, offsets, words = palettes
    place = offsets[u] + color // WORD
    if place < offsets[u + 1]:
        before = words[place]
        words[place] = before & ~bit_of(color & (WORD - 1))
        return words[place] != before
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        w = rows.indices[e]
        if colors[w] == color and w != v:
            return False
    return True


@kernel(by="single", types="int int bool int64[] V[]")
def _color_next(start, end, different, rows: Rows, palettes: Palettes, heap: Heap, seen, order):
    """Color the vertices at positions `start` to `end` of the order, and raise the keys of their neighbors."""
    for i in range(start, end):
        v = _remove_largest(order.size - i, heap)
        order[i] = v
        color = lowest_of(palettes.words, palettes.offsets[v]) if different else 0
        palettes.colors[v] = color
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if heap.positions[u] == _REMOVED or seen[u] == v:
                continue
            seen[u] = v  # an edge that is stored twice counts once
            if not different or _is_new(u, v, color, rows, palettes):
                _raise(u, heap.keys[u] + _ONE, heap)


def dsatur_order(graph: Graph, first_order: Any, different: bool) -> Any:
    """Return all vertices in the order in which they are colored; `first_order` breaks ties."""
    home, xp = graph.device, graph.xp
    if home == "cuda":  # a single GPU thread would take far longer
        return xp.asarray(dsatur_order(graph.to("cpu"), first_order.get(), different))
    n, rows = graph.num_vertices, Rows(graph.indptr, graph.indices)
    keys, positions = np.empty(n, np.int64), np.empty(n, np.int64)
    keys[first_order] = np.arange(n - 1, -1, -1)  # below _ONE
    heap = Heap(keys, first_order.astype(np.int64), positions)
    positions[heap.vertices] = np.arange(n)
    words = graph.degrees.astype(np.int64) // WORD + 1 if different else np.zeros(n, np.int64)
    offsets = np.concatenate([[0], np.cumsum(words)])
    palettes = Palettes(np.full(n, -1, np.int32), offsets, np.full(int(offsets[-1]), FULL))
    seen, order = np.full(n, -1, np.int64), np.empty(n, graph.indices.dtype)
    for start, end in chunked(n, VERTICES_PER_CALL):
        _color_next(start, end, different, rows, palettes, heap, seen, order)
    return order
