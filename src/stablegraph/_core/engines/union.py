"""The engine for trees that are united: union-find on an array of parents, for one worker and for concurrent workers.

State: ``parent[v]`` leads from every vertex towards the root of its tree; a root is its own parent, ``parent[r] == r``.

`unite` links the larger root below the smaller vertex. If all links are made by `unite`, no parent is therefore larger
than its vertex, and the root of a tree is its smallest vertex, for every schedule.

Paths are shortened during the climb by plain writes of an ancestor as the parent. Such writes may race, and a later one
may undo an earlier one. That costs only time, since every written value is an ancestor. Roots are linked by
compare-and-swap.

When a few edges have been united, most vertices of many graphs are in one tree. `largest_tree` finds it from a sample,
so that a problem need not read the edges inside it.

`number_trees` numbers the trees by their roots, which are the smallest vertices: the roots of each worker's range are
counted, then they get consecutive numbers, which the other vertices copy.

Serial algorithms unite the edges of a list in order: `roots_of` finds both ends of an edge, and `link_roots` unites
them.

Sources: M. Patwary, J. Blair, F. Manne, "Experiments on Union-Find Algorithms for the Disjoint-Set Data Structure", SEA
2010 (Rem's algorithm with splicing); R. Tarjan, J. van Leeuwen, "Worst-case Analysis of Set Union Algorithms", Journal
of the ACM 31(2), 1984 (path halving).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime import array_module, chunk_bounds, device_of, kernel, prefetch, rule, worker_count
from ..runtime.array_types import Int32s, Int64s
from ..runtime.atomics import atomic_compare_and_swap, atomic_min
from ..runtime.partitioning import PREFETCH_DISTANCE

_SAMPLES = 1024  # vertices, to find the largest tree
_CLIMB = 32  # maximum number of steps of a sample towards its root; it then counts for the vertex it has reached
_STRIDE = 0x9E3779B1  # of the sample: large, and not aligned with any pattern


@rule
def find(v, parent):
    """Return the root of v's tree and halve the path to it. Other workers may shorten paths, but not link roots."""
    p = parent[v]
    above = parent[p]
    while above != p:
        parent[v] = above
        v = above
        p = parent[v]
        above = parent[p]
    return p


@rule
def unite(u, v, parent):
    """Unite the trees of u and v, concurrently with other workers: Rem's algorithm, climbing on the larger side."""
    p, q = parent[u], parent[v]
    while p != q:
        if p < q:
            u, v, p, q = v, u, q, p
        above = parent[p]
        if above == p:
            above = atomic_compare_and_swap(parent, p, p, q)
            if above == p:
                break
        else:
            parent[u] = above
        u, p = p, above


@rule
def flatten(v, parent):
    """Link v directly to its root and return the root, concurrently with workers that do the same for other vertices.

    No parent may be larger than its vertex. Paths are shortened by atomic minima, which never undo a link to a root.
    """
    above = parent[v]
    root = parent[above]
    while root != above:  # rarely; every step also shortens the next climb
        higher = parent[root]
        atomic_min(parent, above, higher)
        above, root = root, higher
    parent[v] = root
    return root


@rule
def link_to_roots(start, end, parent):
    """Link the vertices from `start` to `end` directly to their roots, and vertices on long paths to grandparents.

    Only parents in this range are written. Otherwise, an earlier ancestor might replace a root that another worker has
    written. The last vertices come first, because links from the next range mostly lead to them.
    """
    for k in range(end - start):
        v = end - 1 - k
        p = parent[parent[v]]
        above = parent[p]
        while above != p:
            higher = parent[above]
            if start <= p < end:
                parent[p] = higher
            p, above = above, higher
        parent[v] = p


@rule
def roots_of(i, end, us, vs, parent):
    """Return the roots of the ends of the i-th edge of a list up to `end`, and prefetch the parents of a later edge."""
    ahead = min(i + PREFETCH_DISTANCE, end - 1)
    prefetch(parent, us[ahead])
    prefetch(parent, vs[ahead])
    return find(us[i], parent), find(vs[i], parent)


@rule
def link_roots(u, v, parent):
    """Link the larger one of two roots below the smaller one, without other workers."""
    parent[max(u, v)] = min(u, v)


def largest_tree(parent: Any) -> tuple[int, float]:
    """Return the vertex that most samples lead to (the root of the largest tree, if not deep), and their fraction."""
    if not parent.size:
        return -1, 1.0
    xp = array_module(device_of(parent))
    sample = xp.arange(_SAMPLES, dtype=np.int64) * _STRIDE % parent.size
    for _ in range(_CLIMB):
        sample, below = parent[sample], sample
        if (sample == below).all():
            break
    vertices, counts = xp.unique(sample, return_counts=True)
    position = int(counts.argmax())
    return int(vertices[position]), float(counts[position]) / _SAMPLES


@kernel(by="workers")
def _flatten_trees(worker, workers, parent: Int32s, counts: Int64s):
    """Link every vertex of a worker's range directly to its root, and count the roots."""
    start, end = chunk_bounds(parent.size, worker, workers)
    roots = 0
    for v in range(start, end):
        roots += int(flatten(v, parent) == v)
    counts[worker] = roots


@kernel(by="workers")
def _number_roots(worker, workers, parent: Int32s, numbers: Int64s, labels: Int32s):
    """Give the roots of a worker's range consecutive labels, starting with the worker's first number."""
    start, end = chunk_bounds(parent.size, worker, workers)
    number = numbers[worker]
    for v in range(start, end):
        if parent[v] == v:
            labels[v] = number
            number += 1


@kernel
def _copy_from_root(v, parent: Int32s, labels: Int32s):
    """Copy the label of a vertex from its root."""
    root = parent[v]
    if root != v:
        labels[v] = labels[root]


def number_trees(parent: Any) -> tuple[int, Any]:
    """Return the number of trees, and for each vertex the number of its tree. Flattens the trees.

    No parent may be larger than its vertex; a root is its own parent. The numbers may be in the array of parents.
    """
    device, n = device_of(parent), parent.size
    xp = array_module(device)
    counts = xp.empty(worker_count(device, n), np.int64)
    _flatten_trees(counts.size, parent, counts)
    ends = xp.cumsum(counts)
    count = int(ends[-1])
    if count <= 1:  # the root is vertex 0
        return count, parent
    labels = xp.empty_like(parent)
    _number_roots(counts.size, parent, ends - counts, labels)
    _copy_from_root(n, parent, labels)
    return count, labels
