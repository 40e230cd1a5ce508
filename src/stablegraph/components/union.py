"""Components by union of trees: Afforest, with Rem's union by compare-and-swap.

Result: `parent`, a tree for each component, whose root is the component's smallest vertex.

Idea: every vertex has a parent that is not larger than itself; a root is its own. To unite the ends of an edge, climb
from both and hang the larger root below the smaller one. So every tree's root is its smallest vertex at all times, and
the roots at the end are the components' smallest vertices on every schedule. Few edges settle most of it:

1. *within*: each worker takes a range of vertices and unites each with its first two neighbours, as far as these are
   smaller and in the range too. Nobody else touches the range, so that takes no atomics; and as vertices come in
   ascending order, those before are already near their roots: most of it is two loads to see that two roots are equal.
2. *across*: the vertices with a first neighbour before the range are united with it by compare-and-swap.
3. *rest*: by now nearly all vertices of a large component hang below one root, which a sample of vertices finds. They
   are passed over; all others are united with all of their neighbours. An edge between both kinds is seen from the other
   side, if the pattern is symmetric; of a directed graph nobody is passed over.

On the way a climb makes each second vertex, or each one, point to its grandparent (halving, splitting). Such writes may
overwrite each other, but what they write is an ancestor in any case. Only roots are hung, by compare-and-swap.

Cost: two neighbours of each vertex, and all of the few vertices beside the large component. Work memory: the parents.

Sources: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling",
IPDPS 2018; M. Patwary, J. Blair, F. Manne, "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure",
SEA 2010.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, atomic_compare_and_swap, edge_split, hash32, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module

_AHEAD_BY = 32  # vertices: their rows are asked for so long before they are looked at
_SAMPLES = 1024
_CLIMB = 32  # steps, for the sample; who is not at a root then, counts for where it is


@rule
def _root_alone(v, parent):
    """The root above v, where nobody else is at work."""
    p = int(parent[at(v)])
    above = int(parent[at(p)])
    while above != p:
        parent[at(v)] = above
        v = above
        p = int(parent[at(v)])
        above = int(parent[at(p)])
    return p


@rule
def _unite(u, v, parent):
    """Bring u and v into one tree, while others do the same elsewhere."""
    p, q = int(parent[at(u)]), int(parent[at(v)])
    while p != q:
        if p < q:
            u, v, p, q = v, u, q, p
        if p == u:
            p = int(atomic_compare_and_swap(parent, u, u, q))
            if p == u:
                break
        else:
            above = int(parent[at(p)])
            parent[at(u)] = above
            u, p = p, above


@kernel(by="workers")
def _unite_within(worker, workers, n, indptr, indices, parent, waiting, counts):
    """Unite each vertex of a worker's range with its first two neighbours, as far as they come before it in the range.

    Those that have one before the range are put into `waiting`, in the worker's own range of it.
    """
    first = edge_split(indptr, n, worker, workers)
    beyond = edge_split(indptr, n, worker + 1, workers)
    waits = first
    last = int(indptr[n]) - 1
    for v in range(first, beyond):
        prefetch(indices, int(indptr[at(min(v + _AHEAD_BY, beyond))]))
        e, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        a = int(indices[at(min(e, last))]) if e < end else v
        b = int(indices[at(e + 1)]) if e + 1 < end else v
        parent[at(v)] = v
        waiting[at(waits)] = v
        waits += int((a < first) | (b < first))
        r = _root_alone(a if (a >= first) & (a < v) else v, parent)
        s = _root_alone(b if (b >= first) & (b < v) else v, parent)
        low = min(r, s)
        parent[at(max(r, s))] = low
        parent[at(v)] = low
    counts[worker] = waits - first


@kernel(by="workers")
def _unite_across(worker, workers, n, indptr, indices, waiting, counts, parent):
    other = workers - 1 - worker
    for owner in range(min(worker, other), max(worker, other) + 1, max(1, abs(worker - other))):
        first = edge_split(indptr, n, owner, workers)
        half = counts[owner] * int(worker > other) // 2
        beyond = counts[owner] // (1 + int(worker < other))
        for i in range(first + half, first + beyond):
            v = int(waiting[at(i)])
            e = int(indptr[at(v)])
            for k in range(e, min(e + 2, int(indptr[at(v + 1)]))):
                u = int(indices[at(k)])
                if u < first:
                    _unite(v, u, parent)


@kernel(by="edges")
def _unite_rest(v, indptr, indices, giant, parent):
    """Unite a vertex with all of its neighbours, but for those that hang below `giant`."""
    u, p = v, int(parent[at(v)])
    while (p != u) & (p != giant):
        u, p = p, int(parent[at(p)])
    if p == giant:
        parent[at(v)] = p
    else:
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            _unite(v, int(indices[at(e)]), parent)


def trees(graph: Graph, waiting: Any) -> Any:
    """A parent for each vertex; `waiting` is work memory, a number for each vertex."""
    xp, n = array_module(graph.device), graph.num_vertices
    parent = xp.empty(n, waiting.dtype)
    if graph.num_entries == 0:
        parent[:] = xp.arange(n)
        return parent
    workers = worker_count(graph.device, n + graph.num_entries)
    counts = xp.empty(workers, np.int64)
    _unite_within(workers, n, graph.indptr, graph.indices, parent, waiting, counts)
    _unite_across(workers, n, graph.indptr, graph.indices, waiting, counts, parent)
    giant = -1 if graph.directed else _largest_tree(parent)
    _unite_rest(n, graph.indptr, graph.indices, giant, parent)
    return parent


def _largest_tree(parent: Any) -> int:
    """A vertex below which most of a sample of vertices hang."""
    xp = array_module("cuda" if hasattr(parent, "__cuda_array_interface__") else "cpu")
    sample = parent[xp.arange(_SAMPLES) * 0x9E3779B1 % parent.size]
    for _ in range(_CLIMB):
        sample = parent[sample]
    values, counts = xp.unique(sample, return_counts=True)
    return int(values[counts.argmax()])
