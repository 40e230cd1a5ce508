"""Worklists: what the workers of a round go through.

A write into a cache line that another core holds costs 100 to 170 ns, as much as several reads from memory. So each
worker writes to memory of its own: it packs its undecided vertices to the beginning of its share of one array, and
marks vertices in a lane of its own (states.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..graph import Graph
from ..parallel import edge_split, kernel, rule, worker_count
from .states import MOST_LANES, States

LINE = 8  # int64 in a cache line: counters of different workers lie so far apart
PREFETCH_DISTANCE = 64  # vertices of a worklist
# Vertices between two phases of a round: their rows are still in the cache then. Measured on a grid, a random graph
# and RMAT (G2, R4, RM): 256 to 4096 are alike within 6 %; 16,384 take 12 to 20 % longer.
_CHUNK = 1024
_CUDA_CHUNK = 16  # there the workers are many, and each has room for a chunk


class Worklists(NamedTuple):
    """The undecided vertices, each worker's in its own share."""

    bounds: Any  # (workers + 1,): where each worker's share begins
    undecided: Any  # (n,): the list of a worker stands at the beginning of its share
    counts: (
        Any  # (workers * LINE,): how long the list of worker w is, at w * LINE; some algorithms count more behind it
    )


@kernel(types="O[] int64[]")
def _split_evenly(worker, indptr, bounds):
    """Where a worker's contiguous share of vertices begins: shares are even in vertices + edges."""
    bounds[worker] = edge_split(indptr, indptr.size - 1, worker, bounds.size - 1)


@rule
def listed(worker, lists):
    """The range of a worker's list of undecided vertices."""
    start = lists.bounds[worker]
    return start, start + lists.counts[worker * LINE]


def shares(graph: Graph, workers: int) -> Any:
    """Where the contiguous shares of so many workers begin, and where the last one ends."""
    bounds = graph.xp.empty(workers + 1, np.int64)
    _split_evenly(workers + 1, graph.indptr, bounds)
    return bounds


def workers_for(graph: Graph) -> int:
    """How many workers a pass over all vertices and entries is worth."""
    return worker_count(graph.device, graph.num_vertices + graph.num_entries)


def no_counts(graph: Graph, workers: int) -> Any:
    """Counters for `Worklists`, all zero."""
    return graph.xp.zeros(workers * LINE, np.int64)


def chunk_size(graph: Graph) -> int:
    """How many vertices a worker takes between two phases of a round."""
    return _CHUNK if graph.device == "cpu" else _CUDA_CHUNK


def allocate(graph: Graph, state_type: Any, spare: int = 0) -> tuple[Worklists, States, Any]:
    """Worklists, states and marks, not yet filled; and so many more arrays for lists, (spare, n).

    They are one block, because C libraries keep one for the next call, but hand several back to the system, and the
    page faults of a fresh start take as long as a round.
    """
    n, id_type, state_type = graph.num_vertices, graph.indices.dtype, np.dtype(state_type)
    workers = workers_for(graph)
    ids, states = (1 + spare) * n * id_type.itemsize, n * state_type.itemsize
    block = graph.xp.empty(ids + states + min(workers, MOST_LANES) * n, np.uint8)
    vertices = block[:ids].view(id_type).reshape(1 + spare, n)
    lists = Worklists(shares(graph, workers), vertices[0], no_counts(graph, workers))
    return lists, States(block[ids : ids + states].view(state_type), block[ids + states :]), vertices[1:]
