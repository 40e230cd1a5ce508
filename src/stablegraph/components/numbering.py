"""Component labels from trees: 0, 1, .. in the order of the roots, which are the smallest vertices of their trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import array_module, chunk_bounds, device_of, kernel, worker_count
from .._core.runtime.primitives import exclusive_scan
from .._core.runtime.union_find import flatten


@kernel(by="workers", types="int32[] int64[]")
def _flatten_trees(worker, workers, parent, counts):
    """Link every vertex of a worker's range directly to its root, and count the roots."""
    start, end = chunk_bounds(parent.size, worker, workers)
    roots = 0
    for v in range(start, end):
        roots += int(flatten(v, parent) == v)
    counts[worker] = roots


@kernel(by="workers", types="int32[] int64[] int32[]")
def _number_roots(worker, workers, parent, numbers, labels):
    """Give the roots of a worker's range consecutive labels, starting with the worker's first number."""
    start, end = chunk_bounds(parent.size, worker, workers)
    number = numbers[worker]
    for v in range(start, end):
        if parent[v] == v:
            labels[v] = number
            number += 1


@kernel(types="int32[] int32[]")
def _copy_from_root(v, parent, labels):
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
