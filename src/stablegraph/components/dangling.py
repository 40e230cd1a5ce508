"""Trimming in one direction: vertices whose arcs all lead to other components, found by all threads.

Result: components of one vertex; the other vertices remain for Tarjan's search.

Rule: v is a component by itself  <=  each of its arcs is a loop, or leads to a vertex that is trimmed or that cannot
lead back to v. A vertex that is reached from the large component cannot lead to one that is not. In the code: `_trim`.

Idea: outside of a large component, most vertices are in trees and leave the search after one look at their row. Passes
end when one of them trims few vertices. The rows of incoming arcs are not needed.

State: three sets of vertices, see `Known`.

Cost: a few passes over the rows of the vertices outside of the known component, up to the first arc that decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int64s, Rows, UInt32s, chunk_bounds, kernel, worker_count
from ..graph import Graph
from .vertex_bits import ALL, bit_of, contains, empty_set

_MAX_PASSES = 8
_SMALL_GAIN = 64  # a pass that trims less than 1 / _SMALL_GAIN of all vertices is the last one


class Known(NamedTuple):
    """Sets of vertices, as bits. The bits beyond the last vertex are set in `trimmed`."""

    reached: UInt32s  # vertices that a known component reaches
    members: UInt32s  # vertices that are known to be in it
    trimmed: UInt32s  # vertices that are components by themselves


@kernel(by="workers")
def _trim(worker, workers, rows: Rows, known: Known, counts: Int64s):
    """Trim vertices of a worker's range, from the last one to the first, and count them."""
    start, end = chunk_bounds(known.reached.size, worker, workers)
    trimmed = 0
    for i in range(end - start):
        word = end - 1 - i
        if known.members[word] | known.trimmed[word] != ALL:
            for j in range(32):
                v = 32 * word + 31 - j
                if not (contains(known.members, v) or contains(known.trimmed, v)):
                    leaves, is_reached = True, contains(known.reached, v)
                    e, last = rows.indptr[v], rows.indptr[v + 1]
                    while leaves and e < last:
                        u = rows.indices[e]
                        to_other_side = contains(known.reached, u) and not is_reached
                        leaves = to_other_side or u == v or contains(known.trimmed, u)
                        e += 1
                    if leaves:
                        known.trimmed[word] |= bit_of(v)
                        trimmed += 1
    counts[worker] = trimmed


def trim(graph: Graph, reached: Any, members: Any) -> Known:
    """Trim vertices that are not members."""
    n = graph.num_vertices
    known = Known(reached, members, empty_set(n))
    if n % 32:
        known.trimmed[-1] = ALL << n % 32 & ALL
    counts = np.zeros(worker_count("cpu", n + graph.num_entries), np.int64)
    for _ in range(_MAX_PASSES):
        _trim(counts.size, Rows(graph.indptr, graph.indices), known, counts)
        if int(counts.sum()) * _SMALL_GAIN < n:
            break
    return known
