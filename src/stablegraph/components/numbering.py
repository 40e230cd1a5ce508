"""Numbers for components: 0, 1, .. by their smallest vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, kernel, worker_count
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
        while root != above:
            above = root
            root = int(parent[at(root)])
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
    """How many trees there are, and for each vertex the number of its tree, in `labels`.

    A vertex's parent is not larger than itself. Flattens the trees.
    """
    device, n = device_of(parent), parent.size
    xp = array_module(device)
    workers = worker_count(device, n)
    counts = xp.zeros(workers, np.int64)
    _flatten(workers, parent, counts)
    numbers = exclusive_scan(counts)
    count = int(numbers[-1])
    if count <= 1:
        return count, xp.zeros_like(labels)
    _number_roots(workers, parent, numbers, labels)
    _copy_from_root(n, parent, labels)
    return count, labels
