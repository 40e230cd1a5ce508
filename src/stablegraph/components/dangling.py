"""Trimming in one direction: vertices whose arcs all lead to other components, found by all threads.

Result: components of one vertex; the other vertices remain for Tarjan's search.

Rule: v is a component by itself  <=  each of its arcs is a loop, or leads to a vertex that is trimmed or that cannot
lead back to v. A vertex that is reached from the large component cannot lead to one that is not. In the code: `_trim`.

Idea: outside of a large component, most vertices are in trees and leave the search after one look at their row. Passes
end when one of them trims few vertices. The rows of incoming arcs are not needed.

State: `rank`, see tarjan.py; n for a trimmed vertex, until each of them gets a number of its own. The numbers rise with
the vertices, so that threads that write to an array of numbers do not share its cache lines.

Cost: a few passes over the rows of the vertices outside of the known component, up to the first arc that decides.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Rows, chunk_bounds, kernel, worker_count
from ..graph import Graph

_MAX_PASSES = 8
_SMALL_GAIN = 64  # a pass that trims less than 1 / _SMALL_GAIN of all vertices is the last one


@kernel(by="workers", types="O[] V[] uint8[] V[] int64[]")
def _trim(worker, workers, rows: Rows, reached, rank, counts):
    """Trim vertices of a worker's range, from the last one to the first, and count them."""
    n, trimmed = rank.size, 0
    start, end = chunk_bounds(n, worker, workers)
    for i in range(end - start):
        v = end - 1 - i
        if rank[v] == 0:
            leaves = True
            for e in range(rows.indptr[v], rows.indptr[v + 1]):
                u = rows.indices[e]
                leaves &= (rank[u] == n) | (u == v) | (reached[u] > reached[v])
                if not leaves:
                    break
            if leaves:
                rank[v] = n
                trimmed += 1
    counts[worker] += trimmed


@kernel(by="workers", types="int int64[] V[]")
def _number(worker, workers, highest, counts, rank):
    """Give numbers to the trimmed vertices of a worker's range, up to `highest` less those of all later workers."""
    n = rank.size
    start, end = chunk_bounds(n, worker, workers)
    number = highest
    for later in range(worker + 1, workers):
        number -= counts[later]
    for i in range(end - start):
        v = end - 1 - i
        if rank[v] == n:
            rank[v] = number
            number -= 1


def trim(graph: Graph, reached: Any, rank: Any) -> int:
    """Give numbers from n - 1 downward to vertices of rank 0 that are components; return how many there are.

    `reached` is 1 for the vertices that a known component reaches, and 0 for all other vertices.
    """
    n = rank.size
    counts = np.zeros(worker_count("cpu", n + graph.num_entries), np.int64)
    before, total = 0, 0
    for _ in range(_MAX_PASSES):
        _trim(counts.size, Rows(graph.indptr, graph.indices), reached, rank, counts)
        before, total = total, int(counts.sum())
        if (total - before) * _SMALL_GAIN < n:
            break
    _number(counts.size, n - 1, counts, rank)
    return total
