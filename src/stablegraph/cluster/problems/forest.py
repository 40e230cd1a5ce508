"""Minimum spanning forests, in partitions.

Result: the forest of minimum_spanning_forest on one machine: edges are ordered by weight, smaller end and larger end.

Rule: an edge is in the forest <=> no path of edges before it in the order connects its ends. In the code: `_unite`.

Idea: each partition determines which edges of its range are in the forest for sure, and which other edges may be
(forest_candidates.py). One task, which stores the tree of each vertex, processes the candidates of all partitions
in order, in buckets (edge_buckets.py), and joins trees like Kruskal's algorithm. It returns one bit for each candidate,
and the set of vertices in the largest tree. Partitions no longer send edges inside this tree. On a random graph these
are nearly all edges, once the number of candidates sent is somewhat larger than half the number of vertices.

State: the number of candidates of a partition that have been processed, and which of them are in the forest.

Cost: two rounds; if partitions share edges five, and two for each further bucket. A candidate that is sent takes 12
bytes (24 if numbers take 64 bits), a vertex 4 (8) once, and one bit for each bucket and partition. **One worker must
hold a number for each vertex of the graph**, twice, and about 50 bytes for each edge of a bucket; if this does not fit,
a `MemoryError` is raised before.
"""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import Array, Bools, Bytes, Int32s, chunked, kernel
from ..._core.runtime.primitives import compact, sort_by_key
from ...forest.forest_state import Links, link_to_root
from ...forest.kruskal import join_in_order
from ...forest.weights import Order, type_of_weights
from ..graph import DistributedForest, DistributedGraph
from ..partition import Partition, take
from ..supersteps import Supersteps, identity
from .edge_buckets import (
    BucketLimits,
    Buckets,
    Ordered,
    Place,
    columns_of,
    merge_in_order,
    rank_of,
    sample_edges,
    sample_size,
)
from .forest_candidates import Candidates, candidates_of, check_weights

_GROWTH = 8  # at most, from a bucket to the next one
_SAMPLES = 4096  # vertices, to estimate which tree is the largest


def minimum_spanning_forest(graph: DistributedGraph, maximum: bool) -> tuple[DistributedForest, dict[str, Any]]:
    """Compute `stablegraph.minimum_spanning_forest` for a graph in partitions: the forest, and statistics."""
    check_weights(graph, maximum)
    run, lists = Supersteps(graph, "forest"), graph.map_and_store(candidates_of, maximum)
    counts = run.step(_send_sample, sample_size(graph.num_partitions), each=lists)
    reply, kinds = None, (np.int64, np.int64, type_of_weights(graph.weight_type))
    if sum(size for size, _ in counts):
        reply = _join_all(run, lists, Buckets(*map(list, zip(*counts, strict=True))))
    sizes = run.step(_answer_edges, reply, kinds[2], each=lists)
    pieces = run.answers(identity)
    columns = [graph.map_futures(pieces, itemgetter(place)) for place in range(3)]
    u, v, weights = (graph.dask_array(column, dtype, sizes) for column, dtype in zip(columns, kinds, strict=True))
    return DistributedForest(u, v, weights, graph.num_vertices, pieces), run.info


class _Sent(NamedTuple):
    """The progress of a partition with its candidates."""

    processed: int  # the number of candidates that have been processed
    sent: Array  # the places of the candidates that were sent in the last round
    chosen: list[Any]  # the places of the candidates in the forest


class _Reply(NamedTuple):
    """The data that partitions receive after a bucket."""

    largest: Array  # bits: the vertices of the largest tree
    chosen: list[Any]  # bits, by partition: which of the candidates that it sent are in the forest


class _Planted(NamedTuple):
    """The state of the task that joins trees."""

    parent: Array  # (n,): leads to the root of each vertex's tree
    reply: _Reply

    @property
    def nbytes(self) -> int:
        """The number of bytes that are sent."""
        return int(self.reply.largest.nbytes + sum(bits.nbytes for bits in self.reply.chosen))


def _join_all(run: Supersteps, lists: list[Any], buckets: Buckets) -> Any:
    """Send all candidates bucket by bucket, and join trees by them; return the data after the last bucket."""
    graph = run.graph
    limits = BucketLimits(run, 2 * np.dtype(index_type(graph.num_vertices)).itemsize + 2)
    trees, last, share = run.run_on_one_worker(_plant, graph.bounds), buckets.next(limits.edges_per_bucket), 1.0
    while True:
        reply = graph.map_futures([trees], attrgetter("reply"))[0]
        counts = run.step(_send_bucket, reply, last, each=lists, left=_unprocessed)
        sent, processed, _ = (sum(column) for column in zip(*counts, strict=True))
        limits.check(sent)
        trees = run.run_on_one_worker(_unite, trees, limits.edges_per_sort)
        if last is None:
            return graph.map_futures([trees], attrgetter("reply"))[0]
        share = max(sent / max(processed, 1), share / _GROWTH)
        last = buckets.next(limits.edges_per_bucket / share)


def _unprocessed(counts: Any) -> int:
    return sum(edges for _, _, edges in counts)


def _send_sample(part: Partition, state: Any, inbox: Any, count: int, candidates: Candidates) -> Any:
    edges = candidates.edges
    return _Sent(0, np.empty(0, np.int64), []), candidates.trees, (edges.u.size, sample_edges(edges, count))


@kernel
def _mark_outside(i, us: Int32s, vs: Int32s, largest: Bytes, outside: Bools):
    """Mark the i-th edge if one of its ends is outside the largest tree."""
    u = us[i]
    v = vs[i]
    outside[i] = ((largest[u >> 3] >> (u & 7)) & (largest[v >> 3] >> (v & 7)) & 1) == 0


def _send_bucket(
    part: Partition, state: _Sent, inbox: Any, reply: _Reply, last: Place | None, candidates: Candidates
) -> Any:
    """Send the candidates of a bucket, except for those inside the largest tree."""
    state, edges = _with_reply(part, state, reply), candidates.edges
    end = rank_of(edges, last)
    u, v = edges.u[state.processed : end], edges.v[state.processed : end]
    outside = np.empty(u.size, bool)
    _mark_outside(u.size, u, v, reply.largest, outside)
    sent = compact(outside) + state.processed
    counts = int(sent.size), end - state.processed, edges.u.size - end
    return state._replace(processed=end, sent=sent), edges._replace(numbers=None).select(sent), counts


def _with_reply(part: Partition, state: _Sent, reply: _Reply | None) -> _Sent:
    """Record which candidates of the last bucket are in the forest."""
    if reply is not None and state.sent.size:
        chosen = np.unpackbits(reply.chosen[part.number], count=state.sent.size).astype(bool)
        state = state._replace(sent=np.empty(0, np.int64), chosen=[*state.chosen, state.sent[chosen]])
    return state


def _answer_edges(
    part: Partition, state: _Sent, inbox: Any, reply: _Reply | None, dtype: Any, candidates: Candidates
) -> Any:
    """Return the edges of the forest, by their ends: int64, int64, and the weights."""
    state, sure = _with_reply(part, state, reply), candidates.sure
    chosen = candidates.edges.select(np.concatenate([np.empty(0, np.int64), *state.chosen]))
    numbers, *columns = map(np.concatenate, zip(columns_of(chosen), columns_of(sure), strict=True))
    order = sort_by_key(numbers)
    u, v, bits = (take(order, column) for column in columns)
    weights = Order(dtype, sure.weights).from_bits(bits)
    return (u.astype(np.int64), v.astype(np.int64), weights), None, int(order.size)


def _plant(messages: list[Any], bounds: Any) -> _Planted:
    """Make the trees of all edges that are sure to be in the forest."""
    kind = index_type(int(bounds[-1]))
    parent = np.concatenate(
        [trees.astype(kind) + kind(start) for trees, start in zip(messages, bounds[:-1], strict=True)]
    )
    return _Planted(parent, _Reply(_largest(parent), []))


def _unite(messages: list[Ordered], trees: _Planted, edges_per_sort: int) -> _Planted:
    """Join trees by the edges of a bucket, in order."""
    parent, chosen = trees.parent.copy(), [np.zeros(edges.u.size, bool) for edges in messages]
    for parts, edges in merge_in_order(messages, edges_per_sort):
        taken = np.zeros(edges.u.size, np.uint8)
        for start, end in chunked(taken.size):
            join_in_order(start, end, Links(edges.u, edges.v, edges.numbers), parent, taken)
        ends = np.cumsum([part.stop - part.start for part in parts])
        for mask, part, piece in zip(chosen, parts, np.split(taken, ends[:-1]), strict=True):
            mask[part] = piece
    link_to_root(parent.size, parent)
    return _Planted(parent, _Reply(_largest(parent), list(map(np.packbits, chosen))))


def _largest(parent: Any) -> Any:
    """Return the vertices of the tree that is the largest in a sample: bits, the lowest one first."""
    sample = parent[:: max(parent.size // _SAMPLES, 1)]
    roots, counts = np.unique(sample, return_counts=True)
    return np.packbits(parent == roots[counts.argmax()], bitorder="little")
