"""Arrays of partners: vertices without one."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Int32s, Int64s, by_device, chunk_bounds, kernel, worker_count
from .._core.runtime.device import array_module, device_of


def _cuda():
    from .cuda import rounds as rounds_cuda

    return rounds_cuda


@kernel(by="workers")
def _mark_alone(worker, workers, partners: Int32s, counts: Int64s):
    """Replace the partner of each vertex of a share that is its own partner by -1, and count these vertices."""
    count = 0
    start, end = chunk_bounds(partners.size, worker, workers)
    for v in range(start, end):
        if partners[v] == v:
            partners[v] = -1
            count += 1
    counts[worker] = count


@by_device(cuda=lambda: _cuda().mark_alone)
def mark_alone(partners: Any) -> int:
    """Replace the partner of each vertex that is its own partner by -1, in place; return the number of these."""
    device = device_of(partners)
    counts = array_module(device).empty(worker_count(device, partners.size), np.int64)
    _mark_alone(counts.size, partners, counts)
    return int(counts.sum())
