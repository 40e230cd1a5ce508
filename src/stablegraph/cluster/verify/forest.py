"""Verifiers of forests for graphs in partitions: each partition checks the edges whose smaller ends are its own.

The checks and explanations are those of `stablegraph.verify` on one machine. The forest must be a forest of edges of
the graph, and must span each component of the graph. Its weights must be those of the graph. No edge of the graph may
be lighter than the heaviest edge between its ends in the forest.

Idea: one task joins trees by the forest's edges in ascending order, always the smaller tree below the root of the
larger one. It stores for each vertex its parent, and the number of the edge that joined them. Paths are never
shortened. On the paths from two vertices up to their lowest common ancestor, the numbers of the edges ascend. So the
last edge is the heaviest one between the two vertices. No path up is longer than log2(n). The method shares only the
buckets of edges (edge_buckets.py) with the algorithm that finds the forest. It compares weights by integers of its own
(`_key`), and checks that weights ascend in the order of the buckets.

Cost: two rounds for each bucket, and three more; for each edge of the graph the paths up from its ends. One worker
holds two numbers for each vertex, twice, and the weights of the forest; the other workers read these once, from a file.
"""

from __future__ import annotations

from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import Rows, chunked, edge_chunk_bounds, kernel, lower_bound, rule, worker_count
from ..._core.runtime.array_types import Int32s, Int64s, Integers
from ..._core.vertex_names import shown_entry
from ..graph import DistributedForest, DistributedGraph
from ..partition import Partition, take
from ..problems.edge_buckets import (
    BucketLimits,
    Buckets,
    Ordered,
    Place,
    Weights,
    merge_in_order,
    rank_of,
    sample_edges,
    sample_size,
    sort_edges,
)
from ..supersteps import Supersteps
from ..tasks import first_of, raise_first_message, run_to_disk, submit, submit_each
from ..workers import gather

_WIDTH = 8  # of a worker's results: a cache line


class _Edges(NamedTuple):
    """The edges of a forest whose smaller ends are a partition's own."""

    edges: Any  # Ordered, with the graph's weights; None if they are not distinct edges of the graph
    messages: dict[str, str]  # explanations of their errors, by kind


class _Ranked(NamedTuple):
    """The tree paths, and the edges that were joined."""

    above: Int32s  # (n,): the parent; at a root, the negative number of vertices of its tree
    since: Int32s  # (n,): the number of the edge to the parent; at a root the largest number of the dtype
    ranked: list[Any]  # the forest's edges in order: the bits of their weights
    cycle: tuple[int, int] | None  # the first edge that closes a cycle


class _Paths(NamedTuple):
    """The tree paths, as partitions read them."""

    above: Int32s
    since: Int32s
    ranked: Integers


class _Order(NamedTuple):
    """The weights of entries, and how their bits determine the order."""

    dtype: np.dtype[Any]  # of the weights
    weights: Weights

    def values(self, bits: Any) -> Any:
        """Return the weights with these bits."""
        return bits.view(_stored(self.dtype)).astype(self.dtype, copy=False)


@rule
def _key(bits, flip, bias):
    """Return an integer that orders weights: a float has a sign and a magnitude, the bits of `flip`."""
    return (-(bits & flip) if (flip != 0) & (bits < 0) else bits) ^ bias


def _type_of(dtype: Any) -> np.dtype[Any]:
    """Return the dtype of a forest's weights for that of the graph's weights, or None without weights."""
    return np.dtype(np.int8 if dtype is None else np.float32 if dtype == np.float16 else dtype)


def _stored(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype whose bits are compared."""
    return dtype if dtype.itemsize >= 4 else np.dtype(np.int32)


class _Bucket(NamedTuple):
    """The edges after one place in the order up to another one."""

    after: Place | None
    last: Place | None
    before: int  # the number of edges in earlier buckets


def explain_spanning_forest(graph: DistributedGraph, forest: Any) -> str | None:
    """Run `stablegraph.verify.explain_spanning_forest` for a graph in partitions and a `DistributedForest` of it."""
    return _explain(graph, forest, False, False)


def explain_minimum_spanning_forest(graph: DistributedGraph, forest: Any, maximum: bool) -> str | None:
    """Run `stablegraph.verify.explain_minimum_spanning_forest` for a graph in partitions and a `DistributedForest`."""
    return _explain(graph, forest, maximum, True)


def _explain(graph: DistributedGraph, forest: Any, maximum: bool, by_weight: bool) -> str | None:
    if not isinstance(forest, DistributedForest):
        raise TypeError(f"the forest of a graph in partitions is a DistributedForest, got {type(forest).__name__}")
    if forest.num_vertices != graph.num_vertices:
        raise ValueError(f"the forest has {forest.num_vertices} vertices, but the graph has {graph.num_vertices}")
    pieces = _by_owner(graph, forest)
    lists = graph.map_and_store(_edges_of, maximum, by_weight, each=pieces)
    messages = gather(graph.client, graph.map_futures(lists, attrgetter("messages")))
    invalid: str | None = first_of(result.get(kind) for kind in ("loop", "twice", "unknown") for result in messages)
    if invalid is not None:
        return invalid
    joining = _Joining(graph, lists, maximum, by_weight)
    if joining.cycle is not None:
        if by_weight:  # report the first edge by ends instead of by weight
            joining = _Joining(graph, graph.map_and_store(_edges_of, False, False, each=pieces), False, False)
        return f"{_named(joining.cycle)} closes a cycle in the forest"
    paths = submit(graph.client, _paths, joining.trees, run=run_to_disk)
    checked = joining.run.step(_check_edges, paths, maximum, by_weight)
    wrong: str | None = first_of([*(one.get("cut") for one in checked), *(one.get("different") for one in messages)])
    if wrong is not None:
        return wrong
    better = next((result["better"] for result in checked if "better" in result), None)
    if better is None:
        return None
    edge, weight, number = better
    other, heavier = joining.edge(number)
    return (
        f"{_named(edge)} has weight {weight} and is not in the forest, but "
        f"{_named(other)} of weight {heavier} is, on the path between its ends"
    )


# The edges of the forest, by their owners


def _by_owner(graph: DistributedGraph, forest: DistributedForest) -> list[list[Any]]:
    """Return for each partition the pieces of a forest that have edges whose smaller ends are its own: futures."""
    client = graph.client
    columns = [client.compute(array.to_delayed().ravel().tolist()) for array in (forest.u, forest.v, forest.weights)]
    split = submit_each(client, _split_edges, columns, graph.bounds)
    owners = gather(client, submit_each(client, _owners, [split]))
    raise_first_message(owners)
    pairs = list(zip(split, owners, strict=True))
    return [
        submit_each(client, itemgetter(k), [[pieces for pieces, parts in pairs if k in parts]])
        for k in range(graph.num_partitions)
    ]


def _split_edges(u: Any, v: Any, weights: Any, bounds: Any) -> dict[int, tuple[Any, Any, Any]] | str:
    """Split edges by the partitions of their smaller ends, or explain that an end is not a vertex."""
    u, v = u.astype(np.int64, copy=False), v.astype(np.int64, copy=False)
    u, v = np.minimum(u, v), np.maximum(u, v)
    wrong = np.flatnonzero((u < 0) | (v >= bounds[-1]))
    if wrong.size:
        e = wrong[0]
        return f"the forest has an edge ({u[e]}, {v[e]}), but the graph has {bounds[-1]} vertices"
    kind = index_type(int(bounds[-1]))
    u, v = u.astype(kind, copy=False), v.astype(kind, copy=False)
    if (u[1:] < u[:-1]).any():
        order = np.argsort(u, kind="stable")
        u, v, weights = u[order], v[order], weights[order]
    cuts = np.searchsorted(u, bounds.astype(kind)).tolist()
    slices = map(slice, cuts[:-1], cuts[1:])
    return {k: (u[part], v[part], weights[part]) for k, part in enumerate(slices) if part.start < part.stop}


def _owners(pieces: dict[int, Any] | str) -> list[int] | str:
    return pieces if isinstance(pieces, str) else list(pieces)


@kernel(V="int32", O="int32")
def _find_entry(i, us: Int32s, vs: Int32s, ids: Int32s, rows: Rows, weights: Weights, entries: Int64s):
    """Find the best entry of the i-th edge in the row of its smaller end; -1 if there is none."""
    v = lower_bound(ids, 0, ids.size, vs[i])
    start, end = rows.indptr[us[i]], rows.indptr[us[i] + 1]
    result, least = -1, 0
    if v < ids.size and ids[v] == vs[i]:
        e = lower_bound(rows.indices, start, end, v)
        while e < end and rows.indices[e] == v:
            key = _key(weights.bits[e], weights.flip, weights.bias)
            if result < 0 or key < least:
                result, least = e, key
            e += 1
    entries[i] = result


def _order_of(part: Partition, maximum: bool, by_weight: bool) -> _Order:
    weights = part.graph.weights if by_weight else None
    if weights is None:
        weights = np.ones(part.graph.num_entries, np.int8)
    dtype = _type_of(weights.dtype)
    weights = weights.astype(_stored(dtype), copy=False)
    sign = 1 << 8 * weights.dtype.itemsize - 1
    bias = (-sign if weights.dtype.kind == "u" else 0) ^ -int(maximum)
    return _Order(
        dtype, Weights(weights.view(f"i{weights.dtype.itemsize}"), sign - 1 if dtype.kind == "f" else 0, bias)
    )


def _edges_of(part: Partition, pieces: list[Any], maximum: bool, by_weight: bool) -> _Edges:
    """Return a partition's edges of the forest in order, and explanations of their errors."""
    if not pieces:
        pieces = [(np.empty(0, part.ids.dtype), np.empty(0, part.ids.dtype), np.empty(0))]
    u, v, weights = (np.concatenate(column) for column in zip(*pieces, strict=True))
    if not ((u[1:] > u[:-1]) | ((u[1:] == u[:-1]) & (v[1:] >= v[:-1]))).all():
        places = np.lexsort((v, u))
        u, v, weights = u[places], v[places], weights[places]
    loops = np.flatnonzero(u == v)
    if loops.size:
        return _Edges(None, {"loop": f"the forest has a loop at vertex {u[loops[0]]}"})
    twice = np.flatnonzero((u[1:] == u[:-1]) & (v[1:] == v[:-1]))
    if twice.size:
        return _Edges(None, {"twice": f"{_named((u[twice[0]], v[twice[0]]))} is in the forest more than once"})
    order, entries = _order_of(part, maximum, by_weight), np.empty(u.size, np.int64)
    _find_entry(u.size, u - part.start, v, part.ids, part.owned_rows, order.weights, entries)
    if entries.min(initial=0) < 0:
        e = entries.argmin()
        return _Edges(None, {"unknown": f"{_named((u[e], v[e]))} is in the forest, but not in the graph"})
    bits = take(entries, order.weights.bits)
    del entries
    right, messages = order.values(bits), {}
    different = np.flatnonzero(weights != right)
    if by_weight and different.size:
        e = different[0]
        messages["different"] = (
            f"{_named((u[e], v[e]))} has weight {weights[e]} in the forest, but {right[e]} in the graph"
        )
    return _Edges(sort_edges(u, v, order.weights._replace(bits=bits))._replace(numbers=None), messages)


def _named(ends: tuple[int, int]) -> str:
    return f"edge {shown_entry(*ends, nodes=None)}"


# Joining trees


class _Joining:
    """The trees that all edges of a forest, in order, make."""

    def __init__(self, graph: DistributedGraph, lists: list[Any], maximum: bool, by_weight: bool) -> None:
        self.run, self._lists = Supersteps(graph, "verify"), lists
        self._dtype = _type_of(graph.weight_type if by_weight else None)
        n, width = graph.num_vertices, np.dtype(index_type(graph.num_vertices)).itemsize
        self._limits = BucketLimits(self.run, 4 * width + 8)
        counts = self.run.step(_send_sample, sample_size(graph.num_partitions), each=lists)
        buckets = Buckets(*map(list, zip(*counts, strict=True)))
        self._buckets: list[_Bucket] = []
        self.trees, after, before = None, None, 0
        while not self._buckets or after is not None:
            last = buckets.next(self._limits.edges_per_bucket)
            self._buckets.append(_Bucket(after, last, before))
            before += sum(self.run.step(_send_bucket, after, last, each=lists))
            self.trees = self.run.run_on_one_worker(
                _join_ranked, self.trees, n, self._limits.edges_per_sort, self._dtype, maximum
            )
            after = last
        self.cycle = gather(graph.client, graph.map_futures([self.trees], attrgetter("cycle")))[0]

    def edge(self, number: int) -> tuple[tuple[int, int], Any]:
        """Return the ends of an edge of the forest, given by its number, and its weight."""
        bucket = next(bucket for bucket in reversed(self._buckets) if bucket.before <= number)
        self.run.step(_send_bucket, bucket.after, bucket.last, each=self._lists)
        edge: tuple[tuple[int, int], Any] = self.run.compute_on_one_worker(
            _nth, number - bucket.before, self._limits.edges_per_sort, self._dtype
        )
        return edge


def _send_sample(part: Partition, state: Any, inbox: Any, count: int, forest: _Edges) -> Any:
    return None, None, (forest.edges.u.size, sample_edges(forest.edges, count))


def _send_bucket(
    part: Partition, state: Any, inbox: Any, after: Place | None, last: Place | None, forest: _Edges
) -> Any:
    bucket = slice(0 if after is None else rank_of(forest.edges, after), rank_of(forest.edges, last))
    u, v, weights, _ = forest.edges
    return None, Ordered(u[bucket], v[bucket], weights._replace(bits=weights.bits[bucket])), bucket.stop - bucket.start


@kernel(by="single", types="int int int32[] int32[] int int32[] int32[] int64[]")
def _join_by_size(start, end, us, vs, number, above, since, cycle):
    """Join the trees of the ends of edges, and find the first edge that closes a cycle.

    `number` is the number of the edge at position 0.
    """
    for i in range(start, end):
        u = us[i]
        v = vs[i]
        while above[u] >= 0:
            u = above[u]
        while above[v] >= 0:
            v = above[v]
        if u == v:
            if cycle[0] < 0:
                cycle[0] = i
        else:
            if above[u] < above[v]:
                u, v = v, u
            above[v] += above[u]
            above[u] = v
            since[u] = number + i


def _join_ranked(
    messages: list[Ordered], trees: _Ranked | None, n: int, edges_per_sort: int, dtype: Any, maximum: bool
) -> _Ranked:
    """Join trees by the edges of a bucket."""
    kind = index_type(n)
    if trees is None:
        trees = _Ranked(np.full(n, -1, kind), np.full(n, np.iinfo(kind).max, kind), [], None)
    above, since, ranked, cycle = trees.above.copy(), trees.since.copy(), list(trees.ranked), trees.cycle
    number = sum(bits.size for bits in ranked)
    for _, edges in merge_in_order(messages, edges_per_sort):
        first = np.full(1, -1)
        for start, end in chunked(edges.u.size):
            _join_by_size(start, end, edges.u, edges.v, number, above, since, first)
        if cycle is None and first[0] >= 0:
            cycle = int(edges.u[first[0]]), int(edges.v[first[0]])
        _check_order([bits[-1:] for bits in ranked[-1:]] + [edges.weights.bits], _Order(dtype, edges.weights), maximum)
        ranked.append(edges.weights.bits)
        number += edges.u.size
    return _Ranked(above, since, ranked, cycle)


def _check_order(pieces: list[Any], order: _Order, maximum: bool) -> None:
    """Raise RuntimeError if weights do not ascend (or, for `maximum`, descend), by their own values."""
    weights = order.values(np.concatenate(pieces))
    if ((weights[1:] > weights[:-1]) if maximum else (weights[1:] < weights[:-1])).any():
        raise RuntimeError("the edges of a forest are not in order, so nothing can be verified")


def _paths(trees: _Ranked) -> _Paths:
    return _Paths(trees.above, trees.since, np.concatenate(trees.ranked))


def _nth(messages: list[Ordered], number: int, edges_per_sort: int, dtype: Any) -> tuple[tuple[int, int], Any]:
    """Return the edge with a number in a bucket, and its weight."""
    for _, edges in merge_in_order(messages, edges_per_sort):
        if number < edges.u.size:
            weight = _Order(dtype, edges.weights).values(edges.weights.bits[number : number + 1])[0]
            return (int(edges.u[number]), int(edges.v[number])), weight
        number -= edges.u.size
    raise IndexError(number)


# Checking the edges of the graph


@rule
def _last_between(u, v, paths):
    """Return the number of the heaviest edge between two vertices; less than 0 if they are not connected."""
    last = 0
    while u != v and last >= 0:
        if paths.since[u] > paths.since[v]:
            u, v = v, u
        last = paths.since[u] if paths.above[u] >= 0 else -1
        u = paths.above[u]
    return last


@kernel(by="workers", types="int int32[] int64[,]", V="int32", O="int32")
def _look_between(worker, workers, rows: Rows, first, ids, weights: Weights, paths: _Paths, results):
    """Find the first entry between trees in a worker's chunk of the rows, and the first that is too light.

    An entry is too light if its weight is less than that of the heaviest edge between its ends in the forest.
    """
    start, end = edge_chunk_bounds(rows.indptr, rows.indptr.size - 1, worker, workers)
    results[worker, 0] = -1
    results[worker, 1] = -1
    for i in range(start, end):
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            if rows.indices[e] > first + i and results[worker, 0] < 0:
                last = _last_between(ids[first + i], ids[rows.indices[e]], paths)
                if last < 0:
                    results[worker, 0] = e
                elif results[worker, 1] < 0:
                    flip, bias = weights.flip, weights.bias
                    if _key(weights.bits[e], flip, bias) < _key(paths.ranked[last], flip, bias):
                        results[worker, 1] = e
                        results[worker, 2] = last


def _check_edges(part: Partition, state: Any, inbox: Any, paths: _Paths, maximum: bool, by_weight: bool) -> Any:
    """Explain errors at the edges of the graph whose smaller ends are a partition's own."""
    order, rows = _order_of(part, maximum, by_weight), part.owned_rows
    results = np.empty((worker_count("cpu", part.graph.num_entries), _WIDTH), np.int64)
    _look_between(results.shape[0], rows, part.first, part.ids, order.weights, paths, results)
    messages: dict[str, Any] = {}
    for column, kind in ((0, "cut"), (1, "better")):
        hits = results[results[:, column] >= 0]
        if hits.size:
            e, number = int(hits[0, column]), int(hits[0, 2])
            row = int(np.searchsorted(rows.indptr, e, side="right")) - 1
            u, v = int(part.ids[part.first + row]), int(part.ids[rows.indices[e]])
            if kind == "cut":
                messages[kind] = f"vertices {u} and {v} are adjacent, but not connected in the forest"
            else:
                same = np.flatnonzero(rows.indices[e : rows.indptr[row + 1]] == rows.indices[e]) + e
                weights = order.values(order.weights.bits[same])
                messages[kind] = (u, v), weights.max() if maximum else weights.min(), number
    return None, None, messages
