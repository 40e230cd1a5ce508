"""Component labels 0, 1, .. in the order of the smallest vertices of the components.

Result: the number of components, and the label of each vertex.

Rule: label(v) = the number of components with a smaller vertex than that of v. In the code: `_number_roots`.

Idea: the smallest vertex of a component is its root. The roots of each worker's range are counted, then they get
consecutive numbers, which the other vertices copy. The roots are known from trees (union.py), or from any numbers that
are equal within a component.

Cost: two or three passes over the vertices. Work memory: at most two numbers per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.csr.arrays import index_type
from .._core.csr.groups import find_smallest
from .._core.engines.union import flatten
from .._core.runtime import Int32s, Int64s, Vertices, array_module, chunk_bounds, device_of, kernel, worker_count
from .._core.runtime.primitives import exclusive_scan


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


def number_components(parent: Any) -> tuple[int, Any]:
    """Return the number of trees, and for each vertex the number of its tree. Flattens the trees.

    No parent may be larger than its vertex; a root is its own parent.
    """
    device, n = device_of(parent), parent.size
    xp = array_module(device)
    counts = xp.empty(worker_count(device, n), np.int64)
    _flatten_trees(counts.size, parent, counts)
    numbers = exclusive_scan(counts)
    count = int(numbers[-1])
    if count <= 1:
        return count, xp.zeros(n, parent.dtype)
    labels = xp.empty_like(parent)
    _number_roots(counts.size, parent, numbers, labels)
    _copy_from_root(n, parent, labels)
    return count, labels


@kernel
def _link_to_smallest(v, keys: Vertices, smallest: Int32s, parent: Int32s):
    """Set the parent of a vertex to the smallest vertex with the same key."""
    parent[v] = smallest[keys[v]]


def by_smallest_vertex(keys: Any) -> tuple[int, Any]:
    """Count the different keys (from 0 to n), and number them by the smallest vertex that has them."""
    xp, n = array_module(device_of(keys)), keys.size
    smallest = xp.full(n + 1, n, index_type(n))
    find_smallest(n, keys, smallest)
    parent = xp.empty(n, smallest.dtype)
    _link_to_smallest(n, keys, smallest, parent)
    return number_components(parent)
