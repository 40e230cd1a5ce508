"""Numbers for trees: 0, 1, .. by their roots, which are their smallest vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, atomic_min, kernel, worker_count
from ..parallel.device import array_module, device_of
from ..parallel.primitives import exclusive_scan


@kernel(by="workers")
def _flatten(worker, workers, parent, counts):
    """Hang every vertex of a worker's share directly below its root, and count the roots."""
    n = parent.size
    roots = 0
    for v in range(n * worker // workers, n * (worker + 1) // workers):
        above = int(parent[at(v)])
        root = int(parent[at(above)])
        while root != above:  # rarely; every step also shortens the next climb
            higher = int(parent[at(root)])
            atomic_min(parent, above, higher)
            above, root = root, higher
        parent[at(v)] = root
        roots += int(root == v)
    counts[worker] = roots


@kernel(by="workers")
def _number_roots(worker, workers, parent, numbers, labels):
    n = parent.size
    number = numbers[worker]
    for v in range(n * worker // workers, n * (worker + 1) // workers):
        if parent[at(v)] == v:
            labels[at(v)] = number
            number += 1


@kernel
def _copy_from_root(v, parent, labels):
    root = parent[at(v)]
    if root != v:
        labels[at(v)] = labels[at(root)]


def number_components(parent: Any, labels: Any) -> tuple[int, Any]:
    """How many trees there are, and for each vertex the number of its tree, in `labels`. Flattens the trees.

    No parent may be larger than its vertex; a root is its own.
    """
    device, n = device_of(parent), parent.size
    counts = array_module(device).empty(worker_count(device, n), np.int64)
    _flatten(counts.size, parent, counts)
    numbers = exclusive_scan(counts)
    count = int(numbers[-1])
    if count <= 1:
        labels[:] = 0
    else:
        _number_roots(counts.size, parent, numbers, labels)
        _copy_from_root(n, parent, labels)
    return count, labels
