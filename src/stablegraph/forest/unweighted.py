"""Spanning forest of a graph without weights: Borůvka's algorithm on the rows, without a list of edges.

Result: the minimum spanning forest in the order of forest_state.py if all weights are equal. It is unique.

Rule: in this order, edges come by (smaller end, larger end). In a sorted row they come in the order of the row, so the
first edge of a vertex to another tree is its lightest. In a round, every tree T chooses the first edge

    best(T) = the minimum of (smaller end, larger end) over the edges (u, v) with u in T and v not in T

In the code: `offer` finds the minima, and `hook` unites trees along them.

In the first round, every vertex is a tree, and chooses its first edge (`join_first`).

Idea: an edge inside a tree stays inside. Each vertex therefore has a place in its row that only moves forward, and all
rounds together read a row once. If one tree has most vertices of a large component, it is found from a sample. It never
chooses an edge, because the other trees choose the edges that lead to it, and its remaining entries are never read. So
that this tree emerges early, the lightest edges, whose smaller ends are below a limit, are processed first: the forest
of these edges is a part of the whole forest. Of most rows they are few entries at the beginning.

State: ``parent[v]`` leads to the root of the tree of v; ``places[v]`` is the first entry of row v that may lead to
another tree; ``best[r]`` is the key of the first edge of the tree with root r. When r is hooked below another root,
``best[r]`` keeps the edge, so that at the end the forest consists of the edges of all vertices that are no roots. Two
trees with the same best edge would be hooked to each other: the one with the smaller root remains.

Cost: a round at least halves the number of trees that are not complete, and reads the vertices that may have an edge
to another tree. Work memory: 20 bytes per vertex (28 with 64-bit indices), and 16 bytes for each edge of the forest.

Source: O. Borůvka, "O jistém problému minimálním", 1926; the skipped tree is from M. Sutton, T. Ben-Nun, A. Barak,
"Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS 2018.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.converters.matrices import mark_forest
from .._core.csr.arrays import index_type
from .._core.runtime import Rows, atomic_min, kernel, rule
from .._core.runtime.primitives import compact
from .._core.runtime.sorting import sorted_words
from .._core.runtime.union_find import find
from ..graph import Graph

MAX_VERTICES = 2**31  # so that the ends of an edge fit into a key
_NO_EDGE = 2**63 - 1
_SAMPLES = 1024
# Entries per vertex in the first rows, whose edges come first. A large tree emerges in the first part of random graphs,
# in the second part of triangulations with random numbers, and in no part of grids that are numbered in order.
_PARTS = 0.75, 1.5
_LARGE = 1 / 8  # of the samples: the fraction in a tree that is worth skipping


class Trees(NamedTuple):
    """The trees found so far."""

    parent: Any  # (n,)
    places: Any  # (n,): entries
    best: Any  # (n,) int64: keys of edges, at roots


@rule
def key_of_edge(u, v):
    """Return a key with the order of (smaller end, larger end)."""
    return np.int64(min(u, v)) << 32 | np.int64(max(u, v))


@rule
def _first_entry(v, rows):
    """Return the first entry of a row that is no loop, or the end of the row."""
    e, end = rows.indptr[v], rows.indptr[v + 1]
    while e < end and rows.indices[e] == v:
        e += 1
    return e


@rule
def _counts(v, e, limit, rows):
    """Return whether e is an entry of row v, of an edge whose smaller end is below the limit."""
    return e < rows.indptr[v + 1] and (v < limit or rows.indices[e] < limit)


@kernel(types="O[] V[] V[] O[] int64[]")
def join_first(v, rows: Rows, trees: Trees):
    """Run the first round, in which each vertex is a tree, and its best edge is its first one."""
    e = _first_entry(v, rows)
    trees.places[v] = e
    trees.parent[v] = v
    trees.best[v] = _NO_EDGE
    if e < rows.indptr[v + 1]:
        u = rows.indices[e]
        if u < v or rows.indices[_first_entry(u, rows)] != v:
            trees.parent[v] = u
            trees.best[v] = key_of_edge(v, u)


@kernel(types="int int O[] V[] V[] O[] int64[] bool[]")
def find_active(v, skipped, limit, rows: Rows, trees: Trees, active):
    """Find the vertices that may have an edge to another tree and are not in `skipped`."""
    active[v] = _counts(v, trees.places[v], limit, rows) and find(v, trees.parent) != skipped


@kernel(types="int int V[] O[] V[] V[] O[] int64[]")
def offer(i, skipped, limit, active, rows: Rows, trees: Trees):
    """Find the first edge of a vertex to another tree, and offer it to its own tree."""
    v = active[i]
    root = find(v, trees.parent)
    if root != skipped:
        e = trees.places[v]
        while _counts(v, e, limit, rows) and find(rows.indices[e], trees.parent) == root:
            e += 1
        trees.places[v] = e
        if _counts(v, e, limit, rows):
            key = key_of_edge(v, rows.indices[e])
            if key < trees.best[root]:
                atomic_min(trees.best, root, key)


@kernel(types="int int V[] O[] V[] V[] O[] int64[]")
def hook(i, skipped, limit, active, rows: Rows, trees: Trees):
    """Hook the tree of a vertex along its best edge, if this vertex is its end, below the current root of the other.

    The other tree may have been hooked already. A chain of best edges returns to a tree only if two trees have the same
    best edge.
    """
    v = active[i]
    root = find(v, trees.parent)
    e = trees.places[v]
    if root != skipped and _counts(v, e, limit, rows):
        u = rows.indices[e]
        best = trees.best[root]
        if best == key_of_edge(v, u):
            other = find(u, trees.parent)
            if other != root and (other < root or trees.best[other] != best):
                trees.parent[root] = other


@kernel(types="int int V[] O[] V[] V[] O[] int64[] bool[]")
def settle(i, skipped, limit, active, rows: Rows, trees: Trees, remains):
    """Forget the best edges of roots; a vertex remains if it had an edge to another tree and is not in `skipped`."""
    v = active[i]
    root = find(v, trees.parent)
    if trees.best[root] != _NO_EDGE:  # otherwise all threads would write to the root of a large tree
        trees.best[root] = _NO_EDGE
    remains[i] = root != skipped and _counts(v, trees.places[v], limit, rows)


@kernel(types="int64[] O[] V[]")
def write_edge(i, edges, rows: Rows):
    """Write the i-th of the sorted keys to the rows, and the start of each row after that of the edge before it."""
    u = edges[i] >> 32
    previous = edges[i - 1] >> 32 if i > 0 else -1
    for v in range(previous + 1, u + 1):
        rows.indptr[v] = i
    rows.indices[i] = edges[i] & 0xFFFF_FFFF


def spanning_forest(graph: Graph) -> Any:
    """Return the forest of a graph with sorted rows: each edge once, from its smaller end, with ones of int8."""
    n, rows, id_type = graph.num_vertices, Rows(graph.indptr, graph.indices), graph.indices.dtype
    trees = Trees(np.empty(n, id_type), np.empty(n, rows.indptr.dtype), np.empty(n, np.int64))
    join_first(n, rows, trees)
    skipped, is_active = n, np.empty(n, bool)
    for limit in (*np.searchsorted(rows.indptr, [int(n * part) for part in _PARTS]).tolist(), n):
        find_active(n, skipped, limit, rows, trees, is_active)
        active = compact(is_active).astype(id_type)
        while active.size:
            offer(active.size, skipped, limit, active, rows, trees)
            hook(active.size, skipped, limit, active, rows, trees)
            if skipped == n:
                skipped = _large_tree(trees.parent)
            remains = np.empty(active.size, bool)
            settle(active.size, skipped, limit, active, rows, trees, remains)
            active = active[compact(remains)]
    return _matrix_of(trees.best[compact(trees.best != _NO_EDGE)], n, id_type)


def _matrix_of(edges: Any, n: int, dtype: Any) -> Any:
    """Return the matrix of edges with these keys."""
    edges = sorted_words(edges.view(np.uint64)).view(np.int64)
    indptr = np.full(n + 1, edges.size, np.promote_types(dtype, index_type(edges.size)))
    forest = Rows(indptr, np.empty(edges.size, dtype))
    write_edge(edges.size, edges, forest)
    return mark_forest(sp.csr_array((np.ones(edges.size, np.int8), forest.indices, indptr), shape=(n, n)))


def _large_tree(parent: Any) -> int:
    """Return the root of the tree that has most of a sample of vertices, or the number of vertices if it is small."""
    n = parent.size
    sample = np.arange(min(n, _SAMPLES)) * (n // min(n, _SAMPLES))
    while not np.array_equal(above := parent[sample], sample):
        sample = above
    roots, counts = np.unique(sample, return_counts=True)
    return int(roots[counts.argmax()]) if counts.max() >= _LARGE * counts.sum() else n
