"""Connected components by union-find: Afforest, with Rem's union by compare-and-swap.

Result: a parent for each vertex, that makes a tree of each component with its smallest vertex as the root, whatever
the schedule was.

Rule: root(u) == root(v)  <=>  a path connects u and v; for that the larger of two roots is linked below the smaller
one. The oracle is `connected_components` in tests/support/naive.py. In the code: `unite` in parallel/union_find.py,
and for the first neighbors the line of `_unite_within` that writes ``parent[max(r, s)]``.

Idea: no vertex has a parent larger than itself, and union links the larger root below the smaller vertex
(parallel/union_find.py). So a tree's root is its smallest vertex at all times, and at the end that of its component,
whatever the schedule was. Few edges settle most of it:

1. *within*: a worker takes a range of vertices, and unites each with its first two neighbors, as far as these come
   before it in the range. No other worker touches the range, so this takes no atomics; and since vertices come in
   ascending order, those before are near their roots: mostly the two roots are seen to be equal at once.
2. *across*: vertices with a first neighbor before the range are united with it, now by compare-and-swap.
3. *rest*: by now most of a large component is below one root, which is found from a sample of vertices. Vertices below
   it are skipped, all others are united with all their neighbors. An edge between the two kinds is seen from the other
   end, where the pattern is symmetric; where it is not, no vertex is skipped.

Cost: two neighbors of each vertex, and all neighbors of those outside the large component. Work memory: the parents.

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
from ..parallel import edge_share, edge_split, edge_splits, kernel, prefetch, worker_count
from ..parallel.groups import Rows
from ..parallel.union_find import find, unite
from .numbering import number_components

_AHEAD_BY = 32  # prefetch distance, in vertices
_SAMPLES = 1024  # vertices, to find the largest tree
_CLIMB = 32  # steps of a sample towards its root: one that is not there by then counts for where it is
_STRIDE = 0x9E3779B1  # of the sample: far apart, and out of step with any pattern
_STEP = 1 << 27  # entries per kernel call: bounds the latency of Ctrl-C


@kernel(by="workers")
def _unite_within(worker, workers, rows: Rows, parent, waiting, counts):
    """Unite the vertices of a worker's range with first neighbors there; list those with one before the range."""
    indptr, indices = rows.indptr, rows.indices
    start, stop = edge_share(indptr, parent.size, worker, workers)
    waits = start
    for v in range(start, stop):
        prefetch(indices, indptr[min(v + _AHEAD_BY, stop)])
        e, end = indptr[v], indptr[v + 1]
        a = indices[e] if e < end else v
        b = indices[e + 1] if e + 1 < end else v
        waiting[waits] = v
        waits += int((a < start) | (b < start))
        parent[v] = v
        r = find(a if (a >= start) & (a < v) else v, parent)
        s = find(b if (b >= start) & (b < v) else v, parent)
        parent[max(r, s)] = min(r, s)
        parent[v] = min(r, s)
    counts[worker] = waits - start


@kernel(by="workers")
def _unite_across(worker, workers, rows: Rows, waiting, counts, parent):
    """Unite those in two lists with their first neighbors before the range: half of each list, its first or second.

    Later ranges have longer lists, so the first worker and the last one share theirs, the second and the last but one,
    and so on.
    """
    partner = workers - 1 - worker
    for i in range(2 if worker != partner else 1):
        owner = worker if i == 0 else partner
        first = edge_split(rows.indptr, parent.size, owner, workers)
        middle = first + counts[owner] // 2
        start = middle if worker > partner else first
        end = middle if worker < partner else first + counts[owner]
        for k in range(start, end):
            v = waiting[k]
            e = rows.indptr[v]
            for f in range(e, min(e + 2, rows.indptr[v + 1])):
                u = rows.indices[f]
                if u < first:
                    unite(v, u, parent)


@kernel(by="edges")
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
    labels = graph.xp.empty(graph.num_vertices, index_type(graph.num_vertices))
    return number_components(parents(graph, labels), labels)


def parents(graph: Graph, waiting: Any) -> Any:
    """The parent of each vertex; `waiting` is work memory, a number for each vertex."""
    xp, n, entries = graph.xp, graph.num_vertices, graph.num_entries
    rows = Rows(graph.indptr, graph.indices)
    parent = xp.empty(n, waiting.dtype)
    workers = worker_count(graph.device, n + entries)
    counts = xp.empty(workers, np.int64)
    _unite_within(workers, rows, parent, waiting, counts)
    _unite_across(workers, rows, waiting, counts, parent)
    giant = _largest_tree(parent, xp) if graph.facts.get("symmetric") and n else -1
    steps = 1 + entries // _STEP
    for start, end in pairwise(edge_splits(rows.indptr, steps)):
        some_rows = Rows(rows.indptr[start : end + 1], rows.indices)
        _unite_rest(end - start, some_rows, start, giant, parent)
    return parent


def _largest_tree(parent: Any, xp: Any) -> int:
    """The vertex that most of a sample lead to: the root of the largest tree, unless that tree is very deep."""
    sample = xp.arange(_SAMPLES, dtype=np.int64) * _STRIDE % parent.size
    for _ in range(_CLIMB):
        sample = parent[sample]
    vertices, counts = xp.unique(sample, return_counts=True)
    return int(vertices[counts.argmax()])
