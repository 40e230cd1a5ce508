"""The edges of a partition that are in the minimum spanning forest for sure, and those that may be in it.

Result: a function of only the graph and the partition's range.

Rule: an edge between vertices of the range may be in the forest of the graph only if it is in the forest of the range.
In the latter, it joins two trees of lighter edges. Suppose that no edge that leaves the range from one of these trees
is lighter. Then the edge is the lightest one that leaves this tree, so it is *sure* to be in the forest. In the code:
`_join_inside`. The edges of the range's forest that are not sure are *candidates*. Edges that leave the range are
candidates, too, of the partition of their smaller ends.

Weights are checked before: they can be ordered, and both entries of an edge have the same weight. As in
forest/weights.py, but with the ids of the whole graph, two sums of hashes over the entries, one for each direction, are
added up over all partitions. They are equal if the weights are; otherwise they differ, except with a probability of
about 2**-58. Only if they differ are the entries compared, to name the first one.

Cost: one pass over the entries for the check; the forest of the range, a sort of the candidates, and one pass over them
by one thread. Work memory: about 50 bytes per candidate, and 24 per vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.build import rows_of
from ..._core.csr.facts import first_hash, second_hash
from ..._core.csr.induced import induced_rows
from ..._core.csr.merge import merge_duplicates
from ..._core.engines.union import find
from ..._core.runtime import (
    Array,
    Bytes,
    Int32s,
    Int64s,
    Rows,
    chunked,
    edge_chunk_bounds,
    kernel,
    lower_bound,
    rule,
    worker_count,
    wrapping_add,
    wrapping_multiply,
)
from ..._core.runtime.array_types import Int64Table
from ..._core.runtime.primitives import compact
from ...forest import boruvka, kruskal
from ...forest.forest_state import chosen_rows, link_to_root
from ...forest.weights import (
    LARGEST_KEY,
    SYMMETRIC,
    Order,
    Weights,
    check_type,
    checked,
    hash_of_key,
    key_at,
    of_different,
    order_of,
    where_nan,
)
from ...graph import Graph
from ..building import compare_with_partners
from ..graph import DistributedGraph
from ..partition import Partition, entries_in_columns, take
from ..tasks import first_of, raise_first_message
from ..workers import gather
from .edge_buckets import Ordered, sort_edges

# Weights

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
    """Raise ValueError with the first entry whose partner has another weight."""
    settings = graph.client, graph.parts, graph.bounds
    different = first_of(compare_with_partners(*settings, _first_different, _weights_in, maximum))
    if different is not None:
        u, v, weight, other = different
        raise ValueError(f"{of_different(u, v, weight, other, None)}; pass symmetrize='min', 'max' or 'sum'")


def _weights_in(part: Partition, ends: Any, maximum: bool) -> tuple[Any, Any, Any]:
    """Return the entries of a partition whose columns are in a range, with their weights."""
    return entries_in_columns(part, ends, tidied(part, maximum))


def _first_different(part: Partition, pieces: list[Any], maximum: bool) -> Any:
    rows, columns, weights = _weights_in(part, (0, part.num_vertices), maximum)
    tails, heads, others = (np.concatenate(column) for column in zip(*pieces, strict=True))
    places = np.lexsort((tails, heads))  # the reversed entries, in the order of the rows of this partition
    different = np.flatnonzero(weights != others[places])
    if not different.size:
        return None
    e = different[0]
    return int(rows[e]), int(columns[e]), weights[e], others[places][e]


class Candidates(NamedTuple):
    """Edges with smaller ends in a partition's range, by ids.

    The numbers of the edges count both lists together, in the order of their ends.
    """

    edges: Ordered  # the edges that may be in the forest
    sure: Ordered  # the edges that are in the forest
    trees: Array  # (vertices of the range,): the first vertex of the tree of sure edges, relative to the range


class _Outer(NamedTuple):
    """The lightest edge out of the range, as its place in the order: first for each vertex, later for each tree."""

    keys: Int64s
    us: Int32s
    vs: Int32s


class _Trees(NamedTuple):
    """Parents of the vertices of the range, which begins at `first`."""

    first: int
    lighter: Int32s  # of the trees of lighter edges of the range
    sure: Int32s  # of the trees of sure edges


@rule
def _is_before(key, u, v, i, outer):
    """Return whether an edge is before the i-th outer one."""
    return (key < outer.keys[i]) | (
        (key == outer.keys[i]) & ((u < outer.us[i]) | ((u == outer.us[i]) & (v < outer.vs[i])))
    )


@kernel(by="edges", V="int32", O="int32")
def _look_outside(i, rows: Rows, trees: _Trees, weights: Weights, outer: _Outer, taken: Bytes):
    """Take the entries of the i-th vertex to larger vertices out of the range, each once; find its lightest outer edge.

    Rows are sorted.
    """
    u = trees.first + i
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        v = rows.indices[e]
        if (v < trees.first) | (v >= trees.first + trees.sure.size):
            taken[e] = (v > u) & ((e == rows.indptr[i]) | (rows.indices[max(e, 1) - 1] != v))
            key = key_at(e, weights)
            if _is_before(key, min(u, v), max(u, v), i, outer):
                outer.keys[i] = key
                outer.us[i] = min(u, v)
                outer.vs[i] = max(u, v)


@kernel(by="edges", V="int32", O="int32")
def _take_forest(i, forest: Rows, rows: Rows, first: int, taken: Bytes):
    """Take the entries of the i-th vertex that are in the range's forest."""
    for k in range(forest.indptr[i], forest.indptr[i + 1]):
        taken[lower_bound(rows.indices, rows.indptr[i], rows.indptr[i + 1], first + forest.indices[k])] = 1


@kernel(by="single", types="int int int32[] int32[] bool[]")
def _join_inside(start, end, us, vs, weights: Weights, trees: _Trees, outer: _Outer, sure):
    """Run Kruskal's loop over edges of the range's forest, and mark those that are the lightest ones out of a tree."""
    for i in range(start, end):
        u = us[i] - trees.first
        v = vs[i] - trees.first
        if (v >= 0) & (v < trees.lighter.size):
            key = key_at(i, weights)
            a = find(u, trees.lighter)
            b = find(v, trees.lighter)
            sure[i] = _is_before(key, us[i], vs[i], a, outer) | _is_before(key, us[i], vs[i], b, outer)
            if sure[i]:
                p = find(u, trees.sure)
                q = find(v, trees.sure)
                trees.sure[max(p, q)] = min(p, q)
            low = min(a, b)
            high = max(a, b)
            trees.lighter[high] = low
            if _is_before(outer.keys[high], outer.us[high], outer.vs[high], low, outer):
                outer.keys[low] = outer.keys[high]
                outer.us[low] = outer.us[high]
                outer.vs[low] = outer.vs[high]


def candidates_of(part: Partition, maximum: bool) -> Candidates:
    """Return the candidates of a partition, whose weights have been checked."""
    graph, first, size = tidied(part, maximum), part.owned.start, part.stop - part.start
    order, id_type = order_of(graph, maximum), graph.indices.dtype
    weights = order.weights
    rows = Rows(graph.indptr[first : first + size + 1], graph.indices)
    trees = _Trees(first, np.arange(size, dtype=id_type), np.arange(size, dtype=id_type))
    taken = np.zeros(graph.num_entries, np.uint8)
    no_places = np.full(size, part.size, id_type)
    outer = _Outer(np.full(size, LARGEST_KEY), no_places, no_places.copy())
    _look_outside(size, rows, trees, weights, outer, taken)
    forest = _forest_inside(graph, order, first, size, maximum)
    _take_forest(size, forest, rows, first, taken)
    kept, bits = chosen_rows(rows, weights.bits, taken)
    del taken, forest
    us = rows_of(kept.indptr, kept.indices.size, id_type)
    us += id_type.type(first)
    every = sort_edges(us, kept.indices, weights._replace(bits=bits))
    del us, kept, bits

    sure = np.zeros(every.u.size, bool)
    for start, end in chunked(sure.size):
        _join_inside(start, end, every.u, every.v, every.weights, trees, outer, sure)
    link_to_root(size, trees.sure)
    return Candidates(every.select(compact(~sure), part.ids), every.select(compact(sure), part.ids), trees.sure)


def _forest_inside(graph: Graph, order: Order, first: int, size: int, maximum: bool) -> Rows:
    """Return the forest of the edges between vertices of the range, by their positions in the range."""
    range_, rows = np.arange(first, first + size), (graph.indptr[:-1], graph.indptr[1:], graph.indices)
    indptr, indices, entries = induced_rows(range_, *rows, origins=True)
    weights = None if graph.weights is None else order.from_bits(take(entries, order.weights.bits))
    del entries
    inside = Graph._trusted(indptr, indices, weights)
    inside._remember(**{SYMMETRIC: True})  # the whole graph has been checked
    inside = checked(inside, maximum)
    algorithm = boruvka if boruvka.is_faster(inside) else kruskal
    forest = algorithm.minimum_spanning_forest(inside, order_of(inside, maximum))
    return Rows(forest.indptr, forest.indices)
