"""Checks of edge weights: they can be ordered, and both entries of an edge have the same weight.

Idea: as in forest/weights.py, with the ids of the whole graph. Two sums of hashes over the entries, one for each
direction, are added up over all partitions. They are equal if the weights are; otherwise they differ, except with a
probability of about 2**-58. Only if they differ are the entries compared, to name the first one.

Cost: one pass over the entries, and one number for each partition.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.facts import first_hash, second_hash
from ..._core.csr.merge import merge_duplicates
from ..._core.runtime import Rows, edge_chunk_bounds, kernel, worker_count, wrapping_add, wrapping_multiply
from ..._core.runtime.array_types import Int32s, Int64Table
from ...forest.weights import Weights, check_type, hash_of_key, key_at, of_different, order_of, where_nan
from ...graph import Graph
from ..graph import DistributedGraph
from ..partition import Partition
from ..tasks import raise_first_message, run_alone
from ..workers import gather

_WIDTH = 8  # of a worker's results: a cache line


def check_weights(graph: DistributedGraph, maximum: bool) -> None:
    """Raise ValueError as on one machine if a weight is NaN or the two entries of an edge have different weights.

    Of repeated entries the lightest counts, or with `maximum` the heaviest.
    """
    if graph.weight_type is None:
        return
    check_type(np.dtype(graph.weight_type))
    result = gather(graph.client, graph.map_partitions(_directions, maximum))
    raise_first_message(result)
    if sum(result) % 2**63:
        _name_different(graph, maximum)


def tidied(part: Partition, maximum: bool) -> Graph:
    """Return the local graph with only the best one of repeated entries."""
    graph = part.graph
    if graph.weights is None or not graph.has_duplicates:
        return graph
    best = merge_duplicates(graph.indptr, graph.indices, graph.weights, "max" if maximum else "min")
    return Graph._trusted(*best, directed=True)


@kernel(by="workers", V="int32", O="int32")
def _hash_edges(worker, workers, rows: Rows, ids: Int32s, weights: Weights, results: Int64Table):
    """Sum hashes of the entries (u, v) of a worker's chunk, separately for u < v and for u > v.

    The two sums over all workers are equal if each edge has one weight.
    """
    start, end = edge_chunk_bounds(rows.indptr, rows.indptr.size - 1, worker, workers)
    upper = 0
    lower = 0
    for u in range(start, end):
        for e in range(rows.indptr[u], rows.indptr[u + 1]):
            v = rows.indices[e]
            first, second = first_hash(ids[min(u, v)]), second_hash(first_hash(ids[max(u, v)]))
            hashed = wrapping_multiply(wrapping_multiply(first, second), hash_of_key(key_at(e, weights)))
            if u < v:
                upper = wrapping_add(upper, hashed)
            elif u > v:
                lower = wrapping_add(lower, hashed)
    results[worker, 0] = upper
    results[worker, 1] = lower


def _directions(part: Partition, maximum: bool) -> int | str:
    """Return a number that adds up to 0 modulo 2**63 over all partitions if each edge has one weight.

    If a weight is NaN, return an error message instead.
    """
    graph = part.graph
    if graph.weights.dtype.kind == "f" and np.isnan(graph.weights).any():
        return where_nan(graph._replace(nodes=part.ids))
    graph = tidied(part, maximum)
    results = np.zeros((worker_count("cpu", graph.num_entries), _WIDTH), np.int64)
    rows = Rows(graph.indptr, graph.indices)
    _hash_edges(results.shape[0], rows, part.ids, order_of(graph, False).weights, results)
    upper, lower = results[:, :2].sum(axis=0).tolist()
    return int((upper - lower) % 2**63)


def _name_different(graph: DistributedGraph, maximum: bool) -> None:
    """Raise ValueError with the first entry whose opposite has another weight."""
    everyone, submit = range(graph.num_partitions), graph.client.submit
    pieces = [
        [submit(run_alone, _weights_in, part, graph.bounds[q : q + 2], maximum, pure=False) for q in everyone]
        for part in graph.parts
    ]
    for k, part in enumerate(graph.parts):
        result = gather(
            graph.client, [submit(run_alone, _first_different, part, [p[k] for p in pieces], maximum, pure=False)]
        )[0]
        if result is not None:
            u, v, weight, other = result
            raise ValueError(of_different(u, v, weight, other, None))


def _weights_in(part: Partition, ends: Any, maximum: bool) -> tuple[Any, Any, Any]:
    """Return the entries of a partition whose columns are in a range."""
    graph = tidied(part, maximum)
    rows, columns = part.ids[graph._rows()].astype(np.int64), part.ids[graph.indices].astype(np.int64)
    inside = (columns >= ends[0]) & (columns < ends[1])
    return rows[inside], columns[inside], graph.weights[inside]


def _first_different(part: Partition, pieces: list[Any], maximum: bool) -> Any:
    rows, columns, weights = _weights_in(part, (0, part.num_vertices), maximum)
    tails, heads, others = (np.concatenate(column) for column in zip(*pieces, strict=True))
    places = np.lexsort((tails, heads))  # the reversed entries, in the order of the rows of this partition
    different = np.flatnonzero(weights != others[places])
    if not different.size:
        return None
    e = different[0]
    return int(rows[e]), int(columns[e]), weights[e], others[places][e]
