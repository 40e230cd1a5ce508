"""Connected components by union-find: Afforest, with Rem's union by compare-and-swap.

Result: a parent for each vertex, such that each component is a tree with its smallest vertex as the root, independent
of the schedule.

Rule: root(u) == root(v)  <=>  a path connects u and v. To achieve this, the larger of two roots is linked below the
smaller one. The oracle is `connected_components` in tests/support/naive.py. In the code: `unite` in
_core/runtime/union_find.py, and the line of `_unite_first` that writes ``parent[max(r, s)]``.

Idea: no vertex has a parent larger than itself, and a union links the larger root below the smaller vertex
(runtime/union_find.py). The root of a tree is therefore always its smallest vertex, and in the end the smallest vertex
of its component, independent of the schedule. A few edges determine most of the result; the choice of these edges
changes only the time.

One worker unites each vertex with those of its first two neighbors that come before it. Vertices are processed in
ascending order, so earlier vertices are near their roots: usually the two roots are found to be equal at once. This
method is also used if two or three workers would share a small graph.

Several workers would nearly always unite vertices of other workers by compare-and-swap. Each such write takes the cache
line away from all other workers that use the same few roots. Therefore as many trees as possible are linked by plain
writes, each by the worker that owns the vertex:

1. *down*: a worker takes a range of vertices. It links each below the smaller of its first two neighbors, or below the
   parent of that neighbor if the neighbor is in the range. This reads nothing that another worker writes. One tree
   remains for each vertex that is smaller than its first two neighbors: about 10 to 20 % of the vertices in random
   order, one in a grid.
2. *roots*: a root is linked below the smallest parent of its first four neighbors. Even if another worker changes that
   parent, it is a smaller vertex of the same component. At most about a third of the trees remain.
3. *compress*: all vertices are linked to their roots.
4. *second*: every other vertex is united with its second neighbor by compare-and-swap, unless nearly all vertices of a
   sample are already in one tree. This starts from the parents, so that only former roots are written.

With both methods, most of a large component is now below one root, which is found from a sample of vertices. In the
step *rest*, vertices below this root are skipped, and all other vertices are united with all their neighbors. If the
pattern is symmetric, an edge between the two kinds is seen from the other end; otherwise no vertex is skipped.

Cost: two neighbors of each vertex (with several workers of every other vertex, and four of roots), and all neighbors of
vertices outside the large component. Counted with 16 workers that run in turn, on a random graph and a triangulation,
the steps for several workers take at most a sixteenth of the compare-and-swaps that uniting all first neighbors takes,
and about half as many cache lines from other workers. Work memory: the parents.

Sources: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling",
IPDPS 2018; M. Patwary, J. Blair, F. Manne, "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure",
SEA 2010.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import Int32s, Rows, edge_chunk_bounds, edge_splits, kernel, prefetch, worker_count
from .._core.runtime.partitioning import ENTRIES_PER_CALL
from .._core.runtime.union_find import find, unite
from ..graph import Graph
from .numbering import number_components

_PREFETCH_DISTANCE = 32  # prefetch distance, in vertices
_FEW_WORKERS = 3  # up to this number, workers are no faster than one worker
_SMALL = 1 << 22  # on a graph with fewer vertices and entries
_BLOCK = 4096  # vertices; smaller vertices are roots more often, so blocks are dealt to the workers in turn
_EVERY = 2  # of this number of vertices one is united with its second neighbor,
_MOST = 15 / 16  # unless this fraction is already below one root
_SAMPLES = 1024  # vertices, to find the largest tree
_CLIMB = 32  # maximum number of steps of a sample towards its root; it then counts for the vertex it has reached
_STRIDE = 0x9E3779B1  # of the sample: large, and not aligned with any pattern


@kernel(by="single")
def _unite_first(rows: Rows, parent: Int32s):
    """Unite all vertices with those of their first two neighbors that come before them."""
    indptr, indices, n = rows.indptr, rows.indices, parent.size
    for v in range(n):
        prefetch(indices, indptr[min(v + _PREFETCH_DISTANCE, n)])
        e, end = indptr[v], indptr[v + 1]
        a = indices[e] if e < end else v
        b = indices[e + 1] if e + 1 < end else v
        parent[v] = v
        r = find(a if a < v else v, parent)
        s = find(b if b < v else v, parent)
        parent[max(r, s)] = min(r, s)
        parent[v] = min(r, s)


@kernel(by="workers")
def _link_down(worker, workers, rows: Rows, parent: Int32s):
    """Link the vertices of a worker's range below the smaller of their first two neighbors, or its parent.

    Neighbors before the range may not have a parent yet. Neighbors in the range have a parent outside it, or a root.
    """
    indptr, indices = rows.indptr, rows.indices
    start, stop = edge_chunk_bounds(indptr, parent.size, worker, workers)
    for v in range(start, stop):
        prefetch(indices, indptr[min(v + _PREFETCH_DISTANCE, stop)])
        e, last = indptr[v], indptr[v + 1] - 1
        u = min(v, min(indices[e], indices[min(e + 1, last)])) if e <= last else v
        parent[v] = v
        parent[v] = parent[u] if u >= start else u


@kernel(by="workers")
def _link_roots(worker, workers, rows: Rows, parent: Int32s):
    """Link each root in a worker's blocks below the smallest parent of its first four neighbors."""
    indptr, indices = rows.indptr, rows.indices
    for block in range(worker * _BLOCK, parent.size, workers * _BLOCK):
        for v in range(block, min(block + _BLOCK, parent.size)):
            e, last = indptr[v], indptr[v + 1] - 1
            if (parent[v] == v) & (e <= last):
                p, q = parent[indices[e]], parent[indices[min(e + 1, last)]]
                r, s = parent[indices[min(e + 2, last)]], parent[indices[min(e + 3, last)]]
                parent[v] = min(v, min(min(p, q), min(r, s)))


@kernel(by="workers")
def _compress(worker, workers, rows: Rows, parent: Int32s):
    """Link the vertices of a worker's range directly to their roots, and vertices on long paths to grandparents.

    The last vertices come first, because links from the next range mostly lead to them.
    """
    start, stop = edge_chunk_bounds(rows.indptr, parent.size, worker, workers)
    for k in range(stop - start):
        v = stop - 1 - k
        p = parent[parent[v]]
        above = parent[p]
        while above != p:
            higher = parent[above]
            if p >= start:
                parent[p] = higher
            p, above = above, higher
        parent[v] = p


@kernel(by="workers")
def _unite_second(worker, workers, rows: Rows, parent: Int32s):
    """Unite every other vertex of a worker's range with its second neighbor, starting from their parents.

    Only former roots are therefore written.
    """
    indptr, indices = rows.indptr, rows.indices
    start, stop = edge_chunk_bounds(indptr, parent.size, worker, workers)
    for v in range(start, stop, _EVERY):
        ahead = min(v + _PREFETCH_DISTANCE, stop - 1)
        e = indptr[ahead] + 1
        if e < indptr[ahead + 1]:
            prefetch(parent, indices[e])
        e = indptr[v] + 1
        if e < indptr[v + 1]:
            unite(parent[v], parent[indices[e]], parent)


@kernel(by="edges")
def _unite_rest(i, rows: Rows, first: int, giant: int, parent: Int32s):
    """Unite vertex first + i, whose row is the i-th of `rows`, with all its neighbors, if it is not below `giant`."""
    v = first + i
    u, p = v, parent[v]
    while (p != u) & (p != giant):
        above = parent[p]
        parent[u] = above
        u, p = p, above
    if p == giant:
        parent[v] = p
    else:
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            unite(v, rows.indices[e], parent)


def components(graph: Graph) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex."""
    return number_components(parents(graph))


def parents(graph: Graph) -> Any:
    """Return the parent of each vertex, whose trees are the components."""
    xp, n, entries = graph.xp, graph.num_vertices, graph.num_entries
    rows = Rows(graph.indptr, graph.indices)
    parent = xp.empty(n, index_type(n))
    workers = worker_count(graph.device, n + entries)
    if workers <= (_FEW_WORKERS if n + entries < _SMALL else 1):
        _unite_first(rows, parent)
    else:
        _link_down(workers, rows, parent)
        _link_roots(workers, rows, parent)
        _compress(workers, rows, parent)
        if _largest_tree(parent, xp)[1] < _MOST:
            _unite_second(workers, rows, parent)
    return unite_remaining(graph, parent)


def unite_remaining(graph: Graph, parent: Any) -> Any:
    """Unite the trees of all entries, except for entries inside the largest tree; return the parents."""
    rows = Rows(graph.indptr, graph.indices)
    giant = _largest_tree(parent, graph.xp)[0] if graph.facts.get("symmetric") else -1
    steps = 1 + graph.num_entries // ENTRIES_PER_CALL
    for start, end in pairwise(edge_splits(rows.indptr, steps).tolist()):
        some_rows = Rows(rows.indptr[start : end + 1], rows.indices)
        _unite_rest(end - start, some_rows, start, giant, parent)
    return parent


def _largest_tree(parent: Any, xp: Any) -> tuple[int, float]:
    """Return the vertex that most samples lead to (the root of the largest tree, if not deep), and their fraction."""
    if not parent.size:
        return -1, 1.0
    sample = xp.arange(_SAMPLES, dtype=np.int64) * _STRIDE % parent.size
    for _ in range(_CLIMB):
        sample, below = parent[sample], sample
        if (sample == below).all():
            break
    vertices, counts = xp.unique(sample, return_counts=True)
    position = int(counts.argmax())
    return int(vertices[position]), float(counts[position]) / _SAMPLES
