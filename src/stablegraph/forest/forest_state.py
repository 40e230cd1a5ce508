"""The state of a minimum spanning forest: the trees found so far, and the remaining edges between them.

Result: the minimum spanning forest. Links are ordered by the key of the weight, then by the position of the *upper
entry*, the entry from the smaller end to the larger one. No two edges are equal in this order, so the forest is unique.

Rule: edge e is in the forest  <=>  no path of edges before e in the order connects its ends. The first step needs no
list of edges: every row's lightest entry is an edge of the forest (Borůvka). In the code: `choose_nearest` and
`break_pairs`; kruskal.py and boruvka.py find the other edges.

Idea: on most graphs, the number of trees after the first step is less than a third of the number of vertices. Then
edges between trees are collected, light edges first, up to a limit found by sampling. After trees have been joined by
these, hardly any of the many heavy edges still connect two trees; this is checked by comparing the parents of both
ends.

State: ``parent[v]`` leads from every vertex to the root of its tree (``parent[r] == r``), and ``chosen[e]`` marks the
upper entries of the forest's edges. Several workers compress `parent` concurrently. Each of them replaces a parent by
an ancestor, which is correct regardless of other workers. A vertex may occasionally remain more than one step from its
root, and then an edge within a tree may be collected. Both cost time, but never change the forest.

Cost: a few sweeps over the entries, and the cost of joining. Work memory: 1 byte per entry, 4 bytes per vertex (8 with
64-bit indices) and 60 bytes (80) per collected edge. The number of edges that are collected at a time is twice the
number of trees or a 32nd of all edges, whichever is more.

Source of processing light edges first, in this form: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A High-Performance
MST Implementation for GPUs", SC 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy

from .._core.csr.arrays import index_type, mark_forest
from .._core.engines.union import find
from .._core.runtime import Rows, edge_chunk_bounds, kernel, lower_bound, prefetch, rule, worker_count
from .._core.runtime.array_types import Bytes, Int64s, Offsets, Vertices
from .._core.runtime.device import array_module, device_of, plain
from .._core.runtime.primitives import exclusive_scan
from ..graph import Graph
from .weights import LARGEST_KEY, Order, Weights, key_at

_PREFETCH_DISTANCE = 32  # prefetch distance, in vertices
_LIGHT = 2  # light edges per tree
_SHARE = 1 / 32  # of all edges: the minimum to collect in a pass over the graph
_SAMPLES = 4096  # vertices and entries, to estimate the numbers of remaining trees and edges
_STRIDE = 0x9E37_79B9_7F4A_7C15  # odd, so that samples are spread evenly
_SLACK = 2.6  # room divided by the estimate, because the estimate may be too low and the parts may be uneven
_ROOM = 1024  # edges of additional room in each part
_GAP = 32  # unused slots after each part: 128 bytes, or two cache lines, which processors often fetch together


class Links(NamedTuple):
    """A list of edges between trees, by position."""

    us: Vertices  # the roots of both ends
    vs: Vertices
    entries: Offsets  # the upper entries


class Collected(NamedTuple):
    """The collected edges, in parts of equal room, two per worker, with `_GAP` unused slots after each part.

    Every entry is written to the next slot of a part, or to its last slot if the part is full. Without the gap, two
    workers would write to the same cache line, one to the last slot of its part and one to the first slot of the next
    part.
    """

    starts: Int64s  # (parts + 1,): the first slots of the parts
    counts: Int64s  # (parts,): the number of edges in each part
    ends: Vertices  # the smaller ends of the edges
    entries: Offsets  # their upper entries
    firsts: Int64s  # (parts,): the first place of each part in the combined list


@kernel(by="edges")
def choose_nearest(v, rows: Rows, weights: Weights, parent: Vertices, chosen: Bytes):
    """Link v to the other end of its lightest edge, or to v itself; choose the edge if that end is larger.

    Rows are sorted, so the first of several edges of equal weight is the one to the smallest end.
    """
    nearest = v
    lightest = LARGEST_KEY
    place = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        key = key_at(e, weights)
        better = (u != v) & ((key < lightest) | (nearest == v))
        nearest = u if better else nearest
        lightest = key if better else lightest
        place = e if better else place
    parent[v] = nearest
    if nearest > v:
        chosen[place] = 1


@kernel
def break_pairs(v, rows: Rows, parent: Vertices, chosen: Bytes):
    """Make the smaller of two vertices that are linked to each other a root; choose the edges of other links downward.

    A race is harmless: the larger vertex may find that the smaller one is already a root. Then it chooses the edge
    again.
    """
    indptr, indices, last = rows.indptr, rows.indices, parent.size - 1
    prefetch(indptr, parent[min(v + 2 * _PREFETCH_DISTANCE, last)])
    prefetch(indices, indptr[parent[min(v + _PREFETCH_DISTANCE, last)]])
    u = parent[v]
    if u != v:
        mutual = parent[u] == v
        if mutual & (v < u):
            parent[v] = v
        elif (not mutual) & (v > u):
            chosen[lower_bound(indices, indptr[u], indptr[u + 1] - 1, v)] = 1


@kernel
def link_to_root(v, parent: Vertices):
    """Link v directly to its root."""
    parent[v] = find(v, parent)


@rule
def _first_upper(u, rows):
    """Return the first entry of row u to a larger vertex."""
    e, end = rows.indptr[u], rows.indptr[u + 1]
    while e < end and rows.indices[e] <= u:
        e += 1
    return e


@rule
def _range_and_room(part, workers, rows, parts):
    """Return the range of vertices of a part of the rows, and its first and last slot for an edge."""
    start, end = edge_chunk_bounds(rows.indptr, rows.indptr.size - 1, part, 2 * workers)
    return start, end, parts.starts[part], parts.starts[part + 1] - _GAP - 1


class Limit(NamedTuple):
    """The last light edge: edges that are heavier, or equal and after it, are not collected."""

    exists: bool
    key: int
    entry: int  # the upper entry


@kernel(by="workers")
def collect(worker, workers, rows: Rows, weights: Weights, limit: Limit, parent: Vertices, parts: Collected):
    """Collect the upper entries between trees up to a limit, in order; if there is not enough room, continue to count.

    A worker has two parts of the rows, because the first rows have more upper entries than the last ones. All entries
    are written, and the position advances only for entries between trees, because a branch could not be predicted.
    """
    for part in (worker, 2 * workers - 1 - worker):
        start, end, k, last = _range_and_room(part, workers, rows, parts)
        for u in range(start, end):
            root = parent[u]
            for e in range(_first_upper(u, rows), rows.indptr[u + 1]):
                light = True
                if limit.exists:
                    key = key_at(e, weights)
                    light = (key < limit.key) | ((key == limit.key) & (e <= limit.entry))
                parts.ends[min(k, last)] = u
                parts.entries[min(k, last)] = e
                k += int((parent[rows.indices[e]] != root) & light)
        parts.counts[part] = k - parts.starts[part]


@kernel(by="workers", types="V[] V[] int64[]")
def fill_in(worker, workers, parts: Collected, indices, weights: Weights, parent, edges: Links, keys):
    """Copy a worker's parts to the combined list, with the roots of both ends of each edge and its key."""
    for part in (worker, 2 * workers - 1 - worker):
        start = parts.starts[part]
        for k in range(parts.counts[part]):
            i, e = parts.firsts[part] + k, parts.entries[start + k]
            edges.us[i] = parent[parts.ends[start + k]]
            edges.vs[i] = parent[indices[e]]
            edges.entries[i] = e
            keys[i] = key_at(e, weights)


@kernel(by="workers")
def count_chosen(worker, workers, indptr: Offsets, chosen: Bytes, counts: Int64s):
    """Count the chosen entries in a worker's share of the rows."""
    start, end = edge_chunk_bounds(indptr, indptr.size - 1, worker, workers)
    total = 0
    for e in range(indptr[start], indptr[end]):
        total += chosen[e]
    counts[worker] = total


@kernel(by="workers", types="O[] V[] I[] uint8[] int64[] V[] V[] I[]")
def copy_chosen(worker, workers, rows: Rows, bits, chosen, starts, new_rows: Rows, new_bits):
    """Copy the chosen entries of a worker's rows, and the bits of their weights, to the worker's start."""
    n = rows.indptr.size - 1
    start, end = edge_chunk_bounds(rows.indptr, n, worker, workers)
    k = starts[worker]
    for u in range(start, end):
        new_rows.indptr[u] = k
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            if chosen[e]:
                new_rows.indices[k] = rows.indices[e]
                new_bits[k] = bits[e]
                k += 1
    if worker == workers - 1:
        new_rows.indptr[n] = k


def _sample(xp: Any, size: int) -> Any:
    """Return an evenly spread sample of the places below `size`, ascending for fast access."""
    spread = xp.arange(min(size, _SAMPLES), dtype=np.uint64) * np.uint64(_STRIDE)
    return xp.sort((spread % np.uint64(max(size, 1))).astype(np.int64))


class ForestState:
    """The forest so far. The graph has sorted rows and no repeated entries."""

    def __init__(self, graph: Graph, order: Order) -> None:
        xp, n = graph.xp, graph.num_vertices
        self.graph, self.order = graph, order
        self.rows = Rows(graph.indptr, graph.indices)
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self.parent = xp.empty(n, graph.indices.dtype)
        self.chosen = xp.zeros(graph.num_entries, np.uint8)
        self.some_vertices, self.some_entries = (_sample(xp, size) for size in (n, graph.num_entries))
        entries = self.some_entries.astype(graph.indptr.dtype)  # with another dtype, all of `indptr` would be converted
        self.some_rows = xp.searchsorted(graph.indptr, entries, side="right") - 1

    def complete(self, join: Callable[[ForestState, Links, Any], None]) -> Any:
        """Join trees until no edge remains between two of them, light edges first; return the forest.

        `join(state, edges, keys)` adds the minimum spanning forest of edges between trees, which are lighter than all
        other remaining edges.
        """
        n, limited = self.parent.size, self.graph.num_entries > 0
        choose_nearest(n, self.rows, self.order.weights, self.parent, self.chosen)
        break_pairs(n, self.rows, self.parent, self.chosen)
        while limited:
            link_to_root(n, self.parent)
            limit, expected = self._limit()
            edges, keys = self._collect(limit, expected)
            if keys.size:
                join(self, edges, keys)
            limited = limit.exists
        return chosen_edges(self.graph, self.order, self.chosen)

    def _limit(self) -> tuple[Limit, int]:
        """Estimate the limit for the next edges from a sample of the entries, and their number, with some slack."""
        graph, parent, places = self.graph, self.parent, self.some_entries
        xp, m = graph.xp, graph.num_entries
        between = places[parent[self.some_rows] != parent[graph.indices[places]]]
        trees = float((parent[self.some_vertices] == self.some_vertices).mean()) * parent.size
        remaining = between.size / places.size * m / 2
        target = max(_LIGHT * trees, _SHARE * m / 2)
        if remaining <= 2 * target:
            return Limit(False, 0, 0), int(_SLACK * remaining)
        keys = self.order.keys(between)
        nth = xp.lexsort(xp.stack([between, keys]))[int(between.size * target / remaining)]
        return Limit(True, int(keys[nth]), int(between[nth])), int(_SLACK * target)

    def _collect(self, limit: Limit, expected: int) -> tuple[Links, Any]:
        """Return the edges between trees up to a limit, or all of them, by position; and their keys."""
        xp, weights, count = self.graph.xp, self.order.weights, 2 * self.workers
        counts, firsts, room = xp.empty(count, np.int64), xp.empty(count, np.int64), expected // count + _ROOM
        while True:
            starts = xp.arange(count + 1) * (room + _GAP)
            ends = xp.empty(count * (room + _GAP), self.parent.dtype)
            entries = xp.empty(ends.size, self.rows.indptr.dtype)
            parts = Collected(starts, counts, ends, entries, firsts)
            collect(self.workers, self.rows, weights, limit, self.parent, parts)
            maximum = int(counts.max())
            if maximum < room:
                break
            room = maximum + 1
        firsts[:] = xp.cumsum(counts) - counts
        size = int(counts.sum())
        us = xp.empty(size, self.parent.dtype)
        edges, keys = Links(us, xp.empty_like(us), xp.empty(size, parts.entries.dtype)), xp.empty(size, np.int64)
        fill_in(self.workers, parts, self.rows.indices, weights, self.parent, edges, keys)
        return edges, keys


def chosen_edges(graph: Graph, order: Order, chosen: Any) -> Any:
    """Return the matrix of the chosen edges: each once, from the smaller to the larger end."""
    rows, bits = chosen_rows(Rows(graph.indptr, graph.indices), order.weights.bits, chosen)
    return matrix_of(graph, order, *rows, bits)


def chosen_rows(rows: Rows, bits: Any, chosen: Any) -> tuple[Rows, Any]:
    """Return rows with only the chosen entries, and the bits of their weights."""
    device = device_of(chosen)
    xp, n, id_type = array_module(device), rows.indptr.size - 1, rows.indices.dtype
    workers = worker_count(device, n + rows.indices.size)
    counts = xp.empty(workers, np.int64)
    count_chosen(workers, rows.indptr, chosen, counts)
    starts = exclusive_scan(counts)
    size = int(starts[-1])
    new_rows = Rows(xp.zeros(n + 1, np.promote_types(id_type, index_type(size))), xp.empty(size, id_type))
    new_bits = xp.empty(size, bits.dtype)
    copy_chosen(workers, rows, bits, chosen, starts, new_rows, new_bits)
    return new_rows, new_bits


def matrix_of(graph: Graph, order: Order, indptr: Any, indices: Any, bits: Any) -> Any:
    """Return the matrix for the rows of a forest."""
    n = graph.num_vertices
    if graph.device == "cpu":
        return mark_forest(scipy.sparse.csr_array((order.from_bits(bits), indices, indptr), shape=(n, n)))
    from cupyx.scipy.sparse import csr_matrix

    weights = order.from_bits(bits, np.float64 if order.dtype.kind in "iu" else None)  # CuPy has no integer matrices
    indptr, indices, weights = map(plain, (indptr, indices, weights))
    if indices.dtype != np.int32:
        return mark_forest(csr_matrix((weights, indices, indptr), shape=(n, n)))
    matrix = csr_matrix((n, n), dtype=weights.dtype)
    matrix.data, matrix.indices, matrix.indptr = weights, indices, indptr  # the constructor would wait for the GPU
    return mark_forest(matrix)
