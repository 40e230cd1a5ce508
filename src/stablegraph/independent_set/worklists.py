"""Worklists: the undecided vertices that each worker processes in a round.

A write to a cache line that another core holds costs 100 to 170 ns, as much as several reads from memory. Therefore
each worker only writes to its own memory: it packs its undecided vertices to the beginning of its share of one array,
and marks vertices in its own lane (states.py).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int64s, Vertices, edge_splits, rule, worker_count
from .._core.runtime.partitioning import CACHE_LINE
from ..graph import Graph
from .states import MAX_LANES, States

LINE = CACHE_LINE // 8  # int64 per cache line; counters of different workers are this far apart to avoid false sharing
PREFETCH_DISTANCE = 64  # vertices of a worklist
# Vertices per chunk: small enough that their rows are still in the cache in the next phase of a round. Measured on a
# grid, a random graph and RMAT (G2, R4, RM): 256 to 4096 differ by less than 6 %; 16,384 takes 12 to 20 % longer.
_CHUNK = 1024
_CUDA_CHUNK = 16  # small, because a GPU has many workers and each allocates a chunk


class Worklists(NamedTuple):
    """The undecided vertices, with a separate share of the array for each worker."""

    bounds: Int64s  # (workers + 1,): the start of each worker's share
    undecided: Vertices  # (n,): each worker's list is at the beginning of its share
    counts: Int64s  # (workers * LINE,): the length of worker w's list is at w * LINE; the places after it are free


@rule
def listed(worker, lists):
    """Return the range of a worker's list of undecided vertices."""
    start = lists.bounds[worker]
    return start, start + lists.counts[worker * LINE]


def workers_for(graph: Graph) -> int:
    """Return the number of workers for a pass over all vertices and entries."""
    return worker_count(graph.device, graph.num_vertices + graph.num_entries)


def no_counts(graph: Graph, workers: int) -> Any:
    """Return counters for `Worklists`, all zero."""
    return graph.xp.zeros(workers * LINE, np.int64)


def chunk_size(graph: Graph) -> int:
    """Return how many vertices a worker processes before it begins the next phase of a round."""
    return _CHUNK if graph.device == "cpu" else _CUDA_CHUNK


def allocate(graph: Graph, state_type: Any, spare: int = 0) -> tuple[Worklists, States, Any]:
    """Allocate worklists, states with marks, and `spare` more arrays for lists, (spare, n); none is initialized.

    They are one block. C libraries keep a single block for the next call, but return several blocks to the system, and
    the page faults for new memory take as long as a round.
    """
    n, id_type, state_type = graph.num_vertices, graph.indices.dtype, np.dtype(state_type)
    workers = workers_for(graph)
    ids, states = (1 + spare) * n * id_type.itemsize, n * state_type.itemsize
    block = graph.xp.empty(ids + states + min(workers, MAX_LANES) * n, np.uint8)
    vertices = block[:ids].view(id_type).reshape(1 + spare, n)
    lists = Worklists(edge_splits(graph.indptr, workers), vertices[0], no_counts(graph, workers))
    return lists, States(block[ids : ids + states].view(state_type), block[ids + states :]), vertices[1:]
