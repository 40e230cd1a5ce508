"""A forest in the making: trees that grow together, and which edges are left between them.

State: ``parent[v]`` leads from every vertex to the root of its tree (``parent[r] == r``), and ``chosen[e]`` marks the
upper entries (from the smaller end to the larger one) of the forest's edges. Edges are ordered by (key of the weight,
position of the upper entry), so no two are equal and there is one minimum spanning forest.

The first step needs no list of edges: every row's lightest entry is an edge of the forest (Borůvka), which on most
graphs leaves less than a third of the trees. Then edges between trees are collected, the light ones first, up to a
limit found by sampling; when trees have been joined by these (kruskal.py, boruvka.py), hardly any of the many heavy
edges still run between two trees: one look at both ends tells.

`parent` is compressed by several workers at once. Each writes an ancestor in place of a parent, whatever the others do;
so a vertex may now and then stay more than one step away from its root, and an edge within a tree be collected. Both
cost time, and never change the forest.

Work memory: 1 byte an entry and 4 a vertex (8 with 64-bit indices), and 60 (80) for each edge that is collected: at a
time two for each tree, or a 32nd of all edges, whichever is more.

Source of the idea that light edges come first, in this form: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A
High-Performance MST Implementation for GPUs", SC 2023.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..graph import Graph
from ..parallel import at, edge_split, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module
from ..parallel.primitives import exclusive_scan
from .weights import LARGEST_KEY, Order, key_of

AHEAD_BY = 32  # vertices: what stands in rows of their neighbours is asked for so long before it is looked at
_LIGHT = 2  # light edges for each tree
_SHARE = 1 / 32  # of all edges, which are worth a pass over the graph
_SAMPLES = 4096
_STRIDE = 0x9E37_79B9_7F4A_7C15  # odd, so that samples are spread evenly
_SLACK = 2.6  # room for a guess that is too low, and for parts of the rows of which one has most edges,
_ROOM = 1024  # and so many edges more in each part


@rule
def root_of(v, parent):
    """The root of v's tree. Halves the way on which it is found."""
    above = int(parent[at(v)])
    beyond = int(parent[at(above)])
    while above != beyond:
        parent[at(v)] = beyond
        v = beyond
        above = int(parent[at(v)])
        beyond = int(parent[at(above)])
    return above


@rule
def find_in_row(u, v, indptr, indices):
    """The place of entry (u, v), which is there; rows are sorted."""
    low = int(indptr[at(u)])
    high = int(indptr[at(u + 1)]) - 1
    while low < high:
        middle = (low + high) >> 1
        if int(indices[at(middle)]) < v:
            low = middle + 1
        else:
            high = middle
    return low


@kernel(by="edges")
def choose_nearest(v, indptr, indices, bits, flip, bias, parent, chosen):
    """Point to the other end of v's lightest edge, or to v itself; choose the edge, if it leads upward.

    Of equal ones the edge to the smallest end is the first one, as rows are sorted.
    """
    nearest = v
    lightest = LARGEST_KEY
    place = 0
    for e in range(int(indptr[at(v)]), int(indptr[at(v + 1)])):
        u = int(indices[at(e)])
        key = key_of(int(bits[at(e)]), flip, bias)
        better = (u != v) & ((key < lightest) | (nearest == v))
        nearest = u if better else nearest
        lightest = key if better else lightest
        place = e if better else place
    parent[at(v)] = nearest
    if nearest > v:
        chosen[at(place)] = 1


@kernel
def break_pairs(v, indptr, indices, parent, chosen):
    """Where two vertices point to each other, the smaller one becomes a root; other edges that lead down are chosen.

    The larger one may find that already done. Then it chooses the edge once more.
    """
    n = parent.size
    prefetch(indptr, int(parent[at(min(v + 2 * AHEAD_BY, n - 1))]))
    prefetch(indices, int(indptr[at(parent[at(min(v + AHEAD_BY, n - 1))])]))
    u = int(parent[at(v)])
    if u != v:
        mutual = int(parent[at(u)]) == v
        if mutual & (v < u):
            parent[at(v)] = v
        elif (not mutual) & (v > u):
            chosen[at(find_in_row(u, v, indptr, indices))] = 1


@kernel
def point_to_root(v, parent):
    parent[at(v)] = root_of(v, parent)


@kernel(by="workers")
def collect_entries(
    worker, workers, n, indptr, indices, bits, flip, bias, limited, limit, last, parent, begins, counts, ends, entries
):
    """Collect upper entries between trees that are not beyond the limit, in order; count on where the room ends.

    A worker has two parts of the rows, as the first rows have more upper entries than the last ones. Entries are
    written before it is known whether they are wanted: a processor cannot foresee it.
    """
    for part in (worker, 2 * workers - 1 - worker):
        first = k = int(begins[part])
        room = int(begins[part + 1]) - 1
        for u in range(edge_split(indptr, n, part, 2 * workers), edge_split(indptr, n, part + 1, 2 * workers)):
            root = parent[at(u)]
            e = int(indptr[at(u)])
            end = int(indptr[at(u + 1)])
            while e < end and int(indices[at(e)]) <= u:
                e += 1
            if limited:
                while e < end:
                    key = key_of(int(bits[at(e)]), flip, bias)
                    light = (key < limit) | ((key == limit) & (e <= last))
                    ends[at(min(k, room))] = u
                    entries[at(min(k, room))] = e
                    k += int((parent[at(indices[at(e)])] != root) & light)
                    e += 1
            else:
                while e < end:
                    ends[at(min(k, room))] = u
                    entries[at(min(k, room))] = e
                    k += int(parent[at(indices[at(e)])] != root)
                    e += 1
        counts[part] = k - first


@kernel
def fill_in(i, us, entries, indices, bits, flip, bias, parent, vs, keys):
    """The roots of both ends of an edge, and its key, from one end and the entry."""
    e = int(entries[at(i)])
    us[at(i)] = parent[at(us[at(i)])]
    vs[at(i)] = parent[at(indices[at(e)])]
    keys[at(i)] = key_of(int(bits[at(e)]), flip, bias)


@kernel(by="workers")
def count_chosen(worker, workers, n, indptr, chosen, counts):
    total = 0
    first = edge_split(indptr, n, worker, workers)
    beyond = edge_split(indptr, n, worker + 1, workers)
    for e in range(int(indptr[first]), int(indptr[beyond])):
        total += int(chosen[at(e)])
    counts[worker] = total


@kernel(by="workers")
def copy_chosen(worker, workers, n, indptr, indices, bits, chosen, begins, new_indptr, new_indices, new_bits):
    k = int(begins[worker])
    for u in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        new_indptr[at(u)] = k
        for e in range(int(indptr[at(u)]), int(indptr[at(u + 1)])):
            if chosen[at(e)]:
                new_indices[at(k)] = indices[at(e)]
                new_bits[at(k)] = bits[at(e)]
                k += 1
    if worker == workers - 1:
        new_indptr[n] = k


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges between trees, by position: the roots of both ends, the keys, and the upper entries."""

    us: Any
    vs: Any
    keys: Any
    entries: Any


def _sample(xp: Any, size: int) -> Any:
    """Some of so many places, spread evenly."""
    spread = xp.arange(min(size, _SAMPLES), dtype=np.uint64) * np.uint64(_STRIDE)
    return (spread % np.uint64(max(size, 1))).astype(np.int64)


class Growing:
    """The forest so far. The graph has sorted rows and no repeated entries."""

    def __init__(self, graph: Graph, order: Order) -> None:
        xp, n = array_module(graph.device), graph.num_vertices
        self.graph, self.order = graph, order
        self.workers = worker_count(graph.device, n + graph.num_entries)
        self.parent = xp.empty(n, graph.indices.dtype)
        self.chosen = xp.zeros(graph.num_entries, np.uint8)
        self.some_vertices, self.some_entries = (_sample(xp, size) for size in (n, graph.num_entries))
        self.some_rows = xp.searchsorted(graph.indptr, self.some_entries, side="right") - 1

    def grow(self, join: Callable[[Growing, Edges], None]) -> None:
        """Join trees until no edge is left between two of them, light edges first.

        `join(growing, edges)` adds the minimum spanning forest of edges between trees, which are lighter than all
        others that are left.
        """
        graph, n = self.graph, self.graph.num_vertices
        rows = graph.indptr, graph.indices
        choose_nearest(n, *rows, *self.order.arguments, self.parent, self.chosen)
        break_pairs(n, *rows, self.parent, self.chosen)
        more = graph.num_entries
        while more:
            point_to_root(n, self.parent)
            limit, expected = self._limit()
            edges = self._collect(limit, expected)
            if edges.keys.size:
                join(self, edges)
            more = limit[0]

    def _limit(self) -> tuple[tuple[int, int, int], int]:
        """Which edges to collect next, from a sample of the entries; and how many to expect, with some slack.

        Whether only the light ones (or all), and the key and the upper entry of the last light one.
        """
        graph, parent, places = self.graph, self.parent, self.some_entries
        xp, m = array_module(graph.device), graph.num_entries
        between = places[parent[self.some_rows] != parent[graph.indices[places]]]
        trees = float((parent[self.some_vertices] == self.some_vertices).mean()) * parent.size
        left = between.size / places.size * m / 2
        wanted = max(_LIGHT * trees, _SHARE * m / 2)
        if left <= 2 * wanted:
            return (0, 0, 0), int(_SLACK * left)
        keys = self.order.keys(between)
        nth = xp.lexsort(xp.stack([between, keys]))[int(between.size * wanted / left)]
        return (1, int(keys[nth]), int(between[nth])), int(_SLACK * wanted)

    def _collect(self, limit: tuple[int, int, int], expected: int) -> Edges:
        """The edges between trees up to a limit, or all of them, by position."""
        graph, order, parts = self.graph, self.order.arguments, 2 * self.workers
        xp, n = array_module(graph.device), graph.num_vertices
        counts, room = xp.empty(parts, np.int64), expected // parts + _ROOM
        while True:
            begins = xp.arange(parts + 1) * room
            us, entries = xp.empty(parts * room, self.parent.dtype), xp.empty(parts * room, graph.indptr.dtype)
            rows = n, graph.indptr, graph.indices
            collect_entries(self.workers, *rows, *order, *limit, self.parent, begins, counts, us, entries)
            most = int(counts.max())
            if most < room:
                break
            room = most + 1
        filled = [slice(first, first + k) for first, k in zip(begins.tolist(), counts.tolist(), strict=False)]
        us, entries = (xp.concatenate([array[part] for part in filled]) for array in (us, entries))
        vs, keys = xp.empty_like(us), xp.empty(us.size, np.int64)
        fill_in(us.size, us, entries, graph.indices, *order, self.parent, vs, keys)
        return Edges(us, vs, keys, entries)

    def forest(self) -> Any:
        """The chosen edges as a matrix, each once, from the smaller to the larger end."""
        return chosen_edges(self.graph, self.order, self.chosen)


def chosen_edges(graph: Graph, order: Order, chosen: Any) -> Any:
    """The matrix of chosen upper entries."""
    xp, n = array_module(graph.device), graph.num_vertices
    workers = worker_count(graph.device, n + graph.num_entries)
    counts = xp.empty(workers, np.int64)
    count_chosen(workers, n, graph.indptr, chosen, counts)
    begins = exclusive_scan(counts)
    size, id_type = int(begins[-1]), graph.indices.dtype
    indptr, indices, bits = xp.zeros(n + 1, id_type), xp.empty(size, id_type), xp.empty(size, order.bits.dtype)
    copy_chosen(workers, n, graph.indptr, graph.indices, order.bits, chosen, begins, indptr, indices, bits)
    weights = order.weights(bits)
    if graph.device == "cpu":
        return sp.csr_array((weights, indices, indptr), shape=(n, n))
    if weights.dtype.kind in "iu":  # CuPy has no sparse matrices of integers
        weights = weights.astype(np.float64)
    return import_module("cupyx.scipy.sparse").csr_matrix((weights, indices, indptr), shape=(n, n))
