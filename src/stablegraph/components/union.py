"""Connected components by union-find: Afforest, with Rem's union by compare-and-swap.

Result: a parent for each vertex, such that each component is a tree with its smallest vertex as the root, independent
of the schedule.

Rule: root(u) == root(v)  <=>  a path connects u and v. To achieve this, the larger of two roots is linked below the
smaller one. The oracle is `connected_components` in tests/support/naive.py. In the code: `unite` in
_core/engines/union.py, and the line of `_unite_first` that writes ``parent[max(r, s)]``; labels: `number_trees`.

Idea: no vertex has a parent larger than itself, and a union links the larger root below the smaller vertex
(engines/union.py). The root of a tree is therefore always its smallest vertex, and in the end the smallest vertex
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

Added edges: the components of an earlier graph together with new edges need only its labels, and the new edges.
`trees_of` links each vertex to the smallest vertex with its label; new vertices, which have no label yet, are trees of
one vertex. Then all new edges are united, as in the step *rest*.

Cost: two neighbors of each vertex (with several workers of every other vertex, and four of roots), and all neighbors of
vertices outside the large component. Counted with 16 workers that run in turn, on a random graph and a triangulation,
the steps for several workers take at most a sixteenth of the compare-and-swaps that uniting all first neighbors takes,
and about half as many cache lines from other workers. Work memory: the parents. With added edges:
three passes over the vertices, and one over the new entries; 12 bytes per vertex.

Sources: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling",
IPDPS 2018; M. Patwary, J. Blair, F. Manne, "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure",
SEA 2010.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.csr.groups import smallest_members
from .._core.engines.union import find, largest_tree, link_to_roots, number_trees, unite
from .._core.runtime import Int32s, Rows, edge_chunk_bounds, kernel, prefetch, worker_count
from .._core.runtime.partitioning import ENTRIES_PER_CALL
from .._core.runtime.primitives import extent
from .._core.validation import host_array
from .._core.vertex_names import refuse_other_order, shown_vertex
from .._core.vertex_values import vertices_of_keys
from ..graph import Graph

_PREFETCH_DISTANCE = 32  # prefetch distance, in vertices
MIN_LINKING_WORKERS = 4  # fewer workers are no faster than one worker,
_SMALL = 1 << 22  # on a graph with fewer vertices and entries than this
_BLOCK = 4096  # vertices; smaller vertices are roots more often, so blocks are dealt to the workers in turn
_EVERY = 2  # of this number of vertices one is united with its second neighbor,
_MOST = 15 / 16  # unless this fraction is already below one root


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
    """Link the vertices of a worker's range directly to their roots, except for vertices on long paths."""
    start, stop = edge_chunk_bounds(rows.indptr, parent.size, worker, workers)
    link_to_roots(start, stop, parent)


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


def label_components(graph: Graph) -> tuple[int, Any]:
    """Return the number of components, and the label of each vertex."""
    return number_trees(parents(graph))


def parents(graph: Graph) -> Any:
    """Return the parent of each vertex, whose trees are the components."""
    xp, n, entries = graph.xp, graph.num_vertices, graph.num_entries
    rows = Rows(graph.indptr, graph.indices)
    parent = xp.empty(n, index_type(n))
    workers = worker_count(graph.device, n + entries)
    if workers == 1 or (workers < MIN_LINKING_WORKERS and n + entries < _SMALL):
        _unite_first(rows, parent)
    else:
        _link_down(workers, rows, parent)
        _link_roots(workers, rows, parent)
        _compress(workers, rows, parent)
        if largest_tree(parent)[1] < _MOST:
            _unite_second(workers, rows, parent)
    return unite_remaining(graph, parent)


def unite_remaining(graph: Graph, parent: Any) -> Any:
    """Unite the trees of all entries, except for entries inside the largest tree; return the parents."""
    rows = Rows(graph.indptr, graph.indices)
    giant = largest_tree(parent)[0] if graph.facts.get("symmetric") else -1
    steps: Any = np.arange(ENTRIES_PER_CALL, graph.num_entries, ENTRIES_PER_CALL, dtype=rows.indptr.dtype)
    for start, end in pairwise([0, *np.searchsorted(rows.indptr, steps).tolist(), graph.num_vertices]):
        some_rows = Rows(rows.indptr[start : end + 1], rows.indices)
        _unite_rest(end - start, some_rows, start, giant, parent)
    return parent


def after_added_edges(graph: Graph, start: Any) -> tuple[int, Any]:
    """Return the same for the earlier graph with the labels `start` and the edges of this graph."""
    count, labels = number_trees(unite_remaining(graph.to("cpu"), trees_of(graph, start)))
    return count, graph.xp.asarray(labels)


def trees_of(graph: Graph, start: Any) -> Any:
    """Return the parents of the trees that the earlier labels define, in host memory."""
    n = graph.num_vertices
    if isinstance(start, Mapping):  # of some vertices; their labels may be any names
        parents: Any = np.arange(n, dtype=index_type(n))
        first: dict[Any, int] = {}
        for v, label in sorted(zip(vertices_of_keys(start, "start", graph), start.values(), strict=True)):
            if label is None or label != label:
                raise ValueError(f"start has no label for vertex {shown_vertex(v, graph.nodes)}: leave it out")
            parents[v] = first.setdefault(label, v)
        return parents
    refuse_other_order(start, "start", graph)
    labels = host_array(start, "start")
    if labels.ndim != 1 or labels.size > n:
        raise ValueError(
            f"start must be the labels of the first vertices, at most {n}, got shape {labels.shape}; if the graph has "
            "fewer vertices than before, pass n= to from_edges"
        )
    if labels.size and labels.dtype.kind not in "iu":
        raise TypeError(f"start must be labels of integers, got {labels.dtype}")
    lowest, highest = map(int, extent(np.ascontiguousarray(labels))) if labels.size else (0, 0)
    if lowest < 0 or highest >= max(labels.size, 1):
        v = int(labels.argmin() if lowest < 0 else labels.argmax())
        raise ValueError(
            f"start[{v}], the label of vertex {shown_vertex(v, graph.nodes)}, is {labels[v]}, but labels are at least "
            f"0 and less than {labels.size}, their number; pass labels of connected_components"
        )
    kind = index_type(n)
    members = smallest_members(np.ascontiguousarray(labels, kind))
    return np.concatenate([members, np.arange(labels.size, n, dtype=kind)]) if labels.size < n else members
