"""What belongs to which worker, and where a value stands in a sorted list: the searches that kernels share.

All ranges are half open. A kernel by workers asks for its own: ``start, end = share(n, worker, workers)``.
"""

from __future__ import annotations

from .declaration import edge_split, rule


@rule
def share(n, worker, workers):
    """The range of one worker when n items are split into equal numbers."""
    return n * worker // workers, n * (worker + 1) // workers


@rule
def edge_share(indptr, n, worker, workers):
    """The range of vertices of one worker when vertices + edges are split evenly."""
    return edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)


@rule
def lower_bound(values, low, high, value):
    """The first position from `low` on, up to `high`, where sorted `values` are not below `value`."""
    while low < high:
        middle = (low + high) >> 1
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
