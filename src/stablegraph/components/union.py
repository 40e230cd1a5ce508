"""Components by uniting trees: Afforest, with Rem's union by compare-and-swap.

Result: a parent for each vertex, that makes a tree of each component with its smallest vertex as the root.

Idea: no vertex has a parent larger than itself; a root is its own. To unite two trees, climb in both and hang the
larger root below the smaller vertex that the other climb has come to. So a tree's root is its smallest vertex at all
times, and at the end that of its component, whatever the schedule was. Few edges settle most of it:

1. *within*: a worker takes a range of vertices, and unites each with its first two neighbours, as far as these come
   before it in the range. Nobody else touches the range, so this takes no atomics; and since vertices come in ascending
   order, those before are near their roots: mostly it is seen at once that two roots are equal.
2. *across*: vertices with a first neighbour before the range are united with it, now by compare-and-swap.
3. *rest*: by now most of a large component hangs below one root, which a sample of vertices tells. Who hangs there is
   passed over, all others are united with all their neighbours. An edge between the two kinds is seen from the other
   end, where the pattern is symmetric; where it is not, nobody is passed over.

On the way up, vertices are hung below their grandparents. Such writes may cross, and a later one may undo an earlier
one: what they write is above the vertex in any case. Only roots are hung elsewhere, by compare-and-swap.

Cost: two neighbours of each vertex, and all neighbours of those beside the large component. Work memory: the parents.

Sources: M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling",
IPDPS 2018; M. Patwary, J. Blair, F. Manne, "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure",
SEA 2010.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, atomic_compare_and_swap, edge_split, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module

_AHEAD_BY = 32  # vertices: their rows are asked for so long before they are looked at
_SAMPLES = 1024
_CLIMB = 32  # steps for the sample: who is not at a root then, counts for where it is
_STRIDE = 0x9E3779B1  # of the sample: far apart, and out of step with any pattern
_STEP = 1 << 27  # entries between two chances to be interrupted


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
    """Bring u and v into one tree, while others are at work."""
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
    """Unite the vertices of a worker's range with first neighbours there; list those with one before the range."""
    first, beyond = edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)
    waits = first
    for v in range(first, beyond):
        prefetch(indices, int(indptr[at(min(v + _AHEAD_BY, beyond))]))
        e, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        a = int(indices[at(e)]) if e < end else v
        b = int(indices[at(e + 1)]) if e + 1 < end else v
        waiting[at(waits)] = v
        waits += int((a < first) | (b < first))
        parent[at(v)] = v
        r = _root_alone(a if (a >= first) & (a < v) else v, parent)
        s = _root_alone(b if (b >= first) & (b < v) else v, parent)
        parent[at(max(r, s))] = min(r, s)
        parent[at(v)] = min(r, s)
    counts[worker] = waits - first


@kernel(by="workers")
def _unite_across(worker, workers, n, indptr, indices, waiting, counts, parent):
    """Unite those in two lists with their first neighbours before the range: half of each list, its first or second.

    Later ranges have longer lists, so the first worker and the last one share theirs, the second and the last but one,
    and so on.
    """
    partner = workers - 1 - worker
    for i in range(2 if worker != partner else 1):
        owner = worker if i == 0 else partner
        first = edge_split(indptr, n, owner, workers)
        middle = first + counts[owner] // 2
        begin = middle if worker > partner else first
        end = middle if worker < partner else first + counts[owner]
        for k in range(begin, end):
            v = int(waiting[at(k)])
            e = int(indptr[at(v)])
            for f in range(e, min(e + 2, int(indptr[at(v + 1)]))):
                u = int(indices[at(f)])
                if u < first:
                    _unite(v, u, parent)


@kernel(by="edges")
def _unite_rest(i, indptr, first, indices, giant, parent):
    """Unite vertex first + i, whose row is the i-th of `indptr`, with all its neighbours, if not below `giant`."""
    v = first + i
    u, p = v, int(parent[at(v)])
    while (p != u) & (p != giant):
        above = int(parent[at(p)])
        parent[at(u)] = above
        u, p = p, above
    if p == giant:
        parent[at(v)] = p
    else:
        for e in range(indptr[at(i)], indptr[at(i + 1)]):
            _unite(v, int(indices[at(e)]), parent)


def trees(graph: Graph, waiting: Any) -> Any:
    """The parents; `waiting` is work memory, a number for each vertex."""
    xp, n, entries = array_module(graph.device), graph.num_vertices, graph.num_entries
    indptr, indices = graph.indptr, graph.indices
    parent = xp.empty(n, waiting.dtype)
    workers = worker_count(graph.device, n + entries)
    counts = xp.empty(workers, np.int64)
    _unite_within(workers, n, indptr, indices, parent, waiting, counts)
    _unite_across(workers, n, indptr, indices, waiting, counts, parent)
    giant = _largest_tree(parent, xp) if graph.facts.get("symmetric") and n else -1
    steps = 1 + entries // _STEP
    for first, beyond in pairwise(edge_split(indptr, n, i, steps) for i in range(steps + 1)):
        _unite_rest(beyond - first, indptr[first : beyond + 1], first, indices, giant, parent)
    return parent


def _largest_tree(parent: Any, xp: Any) -> int:
    """A vertex below which most of a sample hang."""
    sample = xp.arange(_SAMPLES, dtype=np.int64) * _STRIDE % parent.size
    for _ in range(_CLIMB):
        sample = parent[sample]
    vertices, counts = xp.unique(sample, return_counts=True)
    return int(vertices[counts.argmax()])
