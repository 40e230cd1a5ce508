"""The greedy matching on sorted edges, by one thread in host memory: it finishes the edges that rounds leave.

Result: the partners that the greedy algorithm gives to the remaining vertices.

Rule: edges are visited in the order of rules.py, and an edge is taken  <=>  both of its ends are free.

Idea: where weights rise along a path, only one edge of it matches in a round. A sort takes less time than many rounds.
Edges without a common end may have the same weight and value; their order does not matter.

Cost: a sort of the edges between remaining vertices. Work memory: about 60 bytes for each of these edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import on_host
from .._core.engines.order import in_turn
from .._core.engines.rounds import has_stalled
from .._core.runtime import Int32s, Int32Table, Int64Table, Rows, kernel, rule
from .._core.runtime.primitives import exclusive_scan
from ..forest.weights import Weights, key_at
from ..graph import Graph
from .rules import hash_of

_STALLED = 128  # a round that decides less than 1 / _STALLED of its vertices is the last one


class Listed(NamedTuple):
    """The listed edges."""

    ends: Int32Table  # (2, edges): the smaller end and the larger one
    keys: Int64Table  # (2, edges): the order of the edges, first by the last row


@rule
def _remains(v, e, rows, weights, free):
    """Return whether the entry e of row v is an upper entry between two free vertices, with a weight that counts."""
    u = rows.indices[e]
    return (u > v) & (free[u] == 1) & ((weights.bits.size == 0) or key_at(e, weights) <= weights.bias)


@kernel(types="int32[] O[] V[] T[] int int uint8[] int64[]", T="int32 int64")
def _count_edges(i, vertices, rows: Rows, weights: Weights, free, counts):
    """Count the remaining edges from a vertex to larger ones."""
    v = vertices[i]
    count = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        count += int(_remains(v, e, rows, weights, free))
    counts[i] = count


@kernel(types="int32[] O[] V[] T[] int int uint8[] int64[] int int32[,] int64[,]", T="int32 int64")
def _list_edges(i, vertices, rows: Rows, weights: Weights, free, starts, seed, edges: Listed):
    """Write the remaining edges from a vertex to larger ones, their weight keys and values."""
    v = vertices[i]
    k = starts[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        if _remains(v, e, rows, weights, free):
            u = rows.indices[e]
            edges.ends[0, k] = v
            edges.ends[1, k] = u
            edges.keys[0, k] = -int(hash_of(u, seed) ^ hash_of(v, seed))
            edges.keys[1, k] = key_at(e, weights) if weights.bits.size else 0
            k += 1


@in_turn()
def _match(worker, edge, ends: Int32Table, best: Int32s):
    """Match the ends of an edge if both are their own partners."""
    u, v = ends[0, edge], ends[1, edge]
    if (best[u] == u) & (best[v] == v):
        best[u] = v
        best[v] = u
    return True


def is_due(undecided: list[int]) -> bool:
    """Return whether the last round decided few vertices, given the numbers before the rounds and after each."""
    return has_stalled(undecided, _STALLED, skipped=0)


def finish(graph: Graph, weights: Weights, vertices: Any, free: Any, best: Any, seed: int) -> None:
    """Set the partners of the remaining vertices; those without a partner point to themselves."""
    xp, rows = graph.xp, Rows(graph.indptr, graph.indices)
    counts = xp.empty(vertices.size, np.int64)
    _count_edges(vertices.size, vertices, rows, weights, free, counts)
    starts = exclusive_scan(counts)
    size = int(starts[-1])
    edges = Listed(xp.empty((2, size), np.int32), xp.empty((2, size), np.int64))
    _list_edges(vertices.size, vertices, rows, weights, free, starts, seed, edges)
    ends, keys, partners = map(on_host, (*edges, best))
    remaining = on_host(vertices)
    partners[remaining] = remaining
    _match(ends, np.lexsort(keys), partners)
    best[vertices] = xp.asarray(partners[remaining])
