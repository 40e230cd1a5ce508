"""Connected components by union-find: Afforest, with Rem's union by compare-and-swap.

Result: a parent for each vertex, that makes a tree of each component with its smallest vertex as the root, whatever
the schedule was.

Rule: root(u) == root(v)  <=>  a path connects u and v; for that the larger of two roots is linked below the smaller
one. The oracle is `connected_components` in tests/support/naive.py. In the code: `unite` in parallel/union_find.py,
and the line of `_unite_first` that writes ``parent[max(r, s)]``.

Idea: no vertex has a parent larger than itself, and union links the larger root below the smaller vertex
(parallel/union_find.py). So a tree's root is its smallest vertex at all times, and at the end that of its component,
whatever the schedule was. Few edges settle most of it; which ones they are changes the time alone.

One worker unites each vertex with its first two neighbors, as far as these come before it. Since vertices come in
ascending order, those before are near their roots: mostly the two roots are seen to be equal at once. So it is done,
too, where two or three workers would share a small graph.

Several workers would unite across each other's vertices nearly always, by compare-and-swap, and each such write takes
the cache line from all others that go by the same few roots. So as many trees as possible are linked by plain writes,
each by the worker whose vertex gets a parent:

1. *down*: a worker takes a range of vertices, and links each below the smaller of its first two neighbors, or if that
   one is in the range, below its parent. This reads nothing that another worker writes, and leaves a tree for each
   vertex that is smaller than those two: some 10 to 20 % of the vertices in random order, one in a grid.
2. *roots*: a root is linked below the smallest parent of its first four neighbors. Whether others have changed that
   parent or not, it is a smaller vertex of the same component. A third of the trees is left, or less.
3. *compress*: all vertices are linked to their roots.
4. *second*: every other vertex is united with its second neighbor, by compare-and-swap, unless nearly all of a sample
   are in one tree by now. This goes from the parents on, so that only what was a root is written to.

For both, by now most of a large component is below one root, which is found from a sample of vertices. In the *rest*
vertices below it are skipped, all others are united with all their neighbors. An edge between the two kinds is seen
from the other end, where the pattern is symmetric; where it is not, no vertex is skipped.

Cost: two neighbors of each vertex (of every other one, of several workers, and four of roots), and all neighbors of
those outside the large component. Counted with 16 workers in turn, on a random graph and a triangulation, the steps for
several take a sixteenth or less of the compare-and-swaps that uniting all first neighbors takes, and about half as
many cache lines from other workers. Work memory: the parents.

Sources: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling",
IPDPS 2018; M. Patwary, J. Blair, F. Manne, "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure",
SEA 2010.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..csr.arrays import index_type
from ..graph import Graph
from ..parallel import edge_share, edge_splits, kernel, prefetch, worker_count
from ..parallel.groups import Rows
from ..parallel.union_find import find, unite
from .numbering import number_components

_AHEAD_BY = 32  # prefetch distance, in vertices
_FEW_WORKERS = 3  # these take as long as one alone
_SMALL = 1 << 22  # on a graph with fewer vertices and entries
_BLOCK = 4096  # vertices; as smaller ones are roots more often, blocks are dealt out in turn
_EVERY = 2  # of so many vertices one is united with its second neighbor,
_MOST = 15 / 16  # unless already so many are below one root
_SAMPLES = 1024  # vertices, to find the largest tree
_CLIMB = 32  # steps of a sample towards its root: one that is not there by then counts for where it is
_STRIDE = 0x9E3779B1  # of the sample: far apart, and out of step with any pattern
_STEP = 1 << 27  # entries per kernel call: bounds the latency of Ctrl-C


@kernel(by="single", types="O[] V[] int32[]")
def _unite_first(rows: Rows, parent):
    """Unite all vertices with their first two neighbors, as far as these come before them."""
    indptr, indices, n = rows.indptr, rows.indices, parent.size
    for v in range(n):
        prefetch(indices, indptr[min(v + _AHEAD_BY, n)])
        e, end = indptr[v], indptr[v + 1]
        a = indices[e] if e < end else v
        b = indices[e + 1] if e + 1 < end else v
        parent[v] = v
        r = find(a if a < v else v, parent)
        s = find(b if b < v else v, parent)
        parent[max(r, s)] = min(r, s)
        parent[v] = min(r, s)


@kernel(by="workers", types="O[] V[] int32[]")
def _link_down(worker, workers, rows: Rows, parent):
    """Link the vertices of a worker's range below the smaller of their first two neighbors, or its parent.

    Neighbors before the range may not have a parent yet; those in it have one outside, or a root.
    """
    indptr, indices = rows.indptr, rows.indices
    start, stop = edge_share(indptr, parent.size, worker, workers)
    for v in range(start, stop):
        prefetch(indices, indptr[min(v + _AHEAD_BY, stop)])
        e, last = indptr[v], indptr[v + 1] - 1
        u = min(v, min(indices[e], indices[min(e + 1, last)])) if e <= last else v
        parent[v] = v
        parent[v] = parent[u] if u >= start else u


@kernel(by="workers", types="O[] V[] int32[]")
def _link_roots(worker, workers, rows: Rows, parent):
    """Link each root in a worker's blocks below the smallest parent of its first four neighbors."""
    indptr, indices = rows.indptr, rows.indices
    for block in range(worker * _BLOCK, parent.size, workers * _BLOCK):
        for v in range(block, min(block + _BLOCK, parent.size)):
            e, last = indptr[v], indptr[v + 1] - 1
            if (parent[v] == v) & (e <= last):
                p, q = parent[indices[e]], parent[indices[min(e + 1, last)]]
                r, s = parent[indices[min(e + 2, last)]], parent[indices[min(e + 3, last)]]
                parent[v] = min(v, min(min(p, q), min(r, s)))


@kernel(by="workers", types="O[] V[] int32[]")
def _compress(worker, workers, rows: Rows, parent):
    """Link the vertices of a worker's range directly to their roots, and those on long ways there to grandparents.

    The last ones first: links out of the next range mostly lead to them.
    """
    start, stop = edge_share(rows.indptr, parent.size, worker, workers)
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


@kernel(by="workers", types="O[] V[] int32[]")
def _unite_second(worker, workers, rows: Rows, parent):
    """Unite every other vertex of a worker's range with its second neighbor, from their parents on.

    So only what was a root is written to.
    """
    indptr, indices = rows.indptr, rows.indices
    start, stop = edge_share(indptr, parent.size, worker, workers)
    for v in range(start, stop, _EVERY):
        ahead = min(v + _AHEAD_BY, stop - 1)
        e = indptr[ahead] + 1
        if e < indptr[ahead + 1]:
            prefetch(parent, indices[e])
        e = indptr[v] + 1
        if e < indptr[v + 1]:
            unite(parent[v], parent[indices[e]], parent)


@kernel(by="edges", types="O[] V[] int int int32[]")
def _unite_rest(i, rows: Rows, first, giant, parent):
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
    """How many components there are, and the label of each vertex."""
    return number_components(parents(graph))


def parents(graph: Graph) -> Any:
    """The parent of each vertex."""
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
    giant = _largest_tree(parent, xp)[0] if graph.facts.get("symmetric") else -1
    steps = 1 + entries // _STEP
    for start, end in pairwise(edge_splits(rows.indptr, steps)):
        some_rows = Rows(rows.indptr[start : end + 1], rows.indices)
        _unite_rest(end - start, some_rows, start, giant, parent)
    return parent


def _largest_tree(parent: Any, xp: Any) -> tuple[int, float]:
    """The vertex that most of a sample lead to, the root of the largest tree unless that is very deep; and how many."""
    if not parent.size:
        return -1, 1.0
    sample = xp.arange(_SAMPLES, dtype=np.int64) * _STRIDE % parent.size
    for _ in range(_CLIMB):
        sample, below = parent[sample], sample
        if (sample == below).all():
            break
    vertices, counts = xp.unique(sample, return_counts=True)
    most = int(counts.argmax())
    return int(vertices[most]), float(counts[most]) / _SAMPLES
