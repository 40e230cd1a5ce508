"""Edges of all partitions in one common order, in buckets: by weight, then by the smaller and the larger end.

Result: *buckets*, ranges of that order of about the requested number of edges. A partition sorts its list of edges
once; its edges in a bucket are a slice of this list.

Idea: each partition sends some evenly spaced edges of its list. From these samples the client estimates the number of
edges before each of them, and chooses the end of a bucket. To merge the slices of all partitions, they are concatenated
by partition and sorted by weight only. The sort is stable, and the smaller ends of a partition's edges are in its
range, so equal weights remain in the order of the ends.

Cost: a sort of each list, 24 bytes for each sample, and 48 for each edge of a part of a bucket while the part is
sorted.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import index_type
from ..._core.runtime import Array, Int64s, kernel
from ...forest.kruskal import order_of_keys
from ...forest.weights import Weights as Weights
from ...forest.weights import key_at, key_of
from ..partition import take
from ..supersteps import Supersteps
from ..workers import room_of

SAMPLED_EDGES = 1 << 14  # sampled edges, of all lists together
MIN_BUCKET = 1 << 16  # minimal number of edges of a bucket
_BYTES_AN_EDGE = 48  # of a bucket
_PARTS = 4  # in which a bucket is sorted
_SLACK = 3 / 4  # because the sizes of buckets are estimated from samples

Place = tuple[int, int, int]  # in the order: the key of a weight, the smaller end, the larger end


class Ordered(NamedTuple):
    """Edges in order."""

    u: Array  # the smaller ends
    v: Array
    weights: Weights
    numbers: Any = None  # of the edges, or None

    def select(self, which: Any, ids: Any | None = None) -> Ordered:
        """Select the edges at some places; if `ids` is given, replace the numbers of their ends by these ids."""
        u, v = (take(which, ends) if ids is None else take(take(which, ends), ids) for ends in (self.u, self.v))
        numbers = None if self.numbers is None else take(which, self.numbers)
        return Ordered(u, v, self.weights._replace(bits=take(which, self.weights.bits)), numbers)


@kernel
def _write_key(i, weights: Weights, keys: Int64s):
    """Compute the key of the i-th weight."""
    keys[i] = key_at(i, weights)


def sort_edges(u: Any, v: Any, weights: Weights) -> Ordered:
    """Sort edges that are in ascending order of their ends, or that are concatenated lists.

    Their numbers are their positions in the input.
    """
    keys = np.empty(u.size, np.int64)
    _write_key(keys.size, weights, keys)
    order = order_of_keys(keys)
    del keys
    return Ordered(u, v, weights).select(order)._replace(numbers=order.astype(index_type(order.size)))


def sample_size(lists: int) -> int:
    """Return the number of edges that are sampled from each of this number of lists."""
    return max(SAMPLED_EDGES // lists, 16)


def sample_edges(edges: Ordered, count: int) -> Any:
    """Return the keys and ends of evenly spaced edges, including the last one: int64 array (at most `count`, 3)."""
    size = edges.u.size
    places = np.arange(1, min(size, count) + 1) * size // max(min(size, count), 1) - 1
    sample = edges.select(places)
    keys = key_of(sample.weights.bits.astype(np.int64), sample.weights.flip, sample.weights.bias)
    return np.stack([keys, sample.u.astype(np.int64), sample.v.astype(np.int64)], axis=1)


def rank_of(edges: Ordered, last: Place | None) -> int:
    """Return how many edges of a list are not after `last`; all of them, if it is None."""
    if last is None:
        return int(edges.u.size)
    bits, flip, bias = edges.weights
    return bisect_right(
        range(edges.u.size), last, key=lambda i: (key_of(int(bits[i]), flip, bias), int(edges.u[i]), int(edges.v[i]))
    )


class Buckets:
    """The ends of buckets, as estimated from the `sizes` of lists and a sample of each."""

    def __init__(self, sizes: list[int], samples: list[Any]) -> None:
        places = np.concatenate(samples)
        order = np.lexsort(places.T[::-1])
        self._places = places[order]
        each = [size / max(len(sample), 1) for size, sample in zip(sizes, samples, strict=True)]
        self._ranks = np.repeat(each, list(map(len, samples)))[order].cumsum()
        self._used = 0  # the number of sampled edges in earlier buckets

    def next(self, wanted: float) -> Place | None:
        """Return the last place of the next bucket of about this number of edges; None if it is the last bucket."""
        before = self._ranks[self._used - 1] if self._used else 0
        self._used = max(int(np.searchsorted(self._ranks, before + wanted, "right")), self._used + 1)
        if self._used >= self._ranks.size:
            return None
        key, u, v = map(int, self._places[self._used - 1])
        return key, u, v


class BucketLimits:
    """The limits of buckets for the one task that receives all of them.

    The task also stores some bytes for each vertex of the graph.
    """

    def __init__(self, run: Supersteps, bytes_a_vertex: int) -> None:
        n, room = run.graph.num_vertices, room_of(run.graph.client)
        self._run, self._vertex_bytes = run, bytes_a_vertex * n
        self.check(MIN_BUCKET)
        fitting = n if room is None else int(_SLACK * (room - self._vertex_bytes)) // _BYTES_AN_EDGE
        self.edges_per_bucket = max(min(n // 2, fitting), MIN_BUCKET)
        self.edges_per_sort = max(self.edges_per_bucket // _PARTS, MIN_BUCKET)

    def check(self, edges: int) -> None:
        """Raise MemoryError if a bucket does not fit."""
        self._run.check_memory_of_one_worker(
            self._vertex_bytes + _BYTES_AN_EDGE * edges, "numbers for all vertices, and some edges,"
        )


def columns_of(edges: Ordered) -> tuple[Any, Any, Any, Any]:
    """Return the numbers, both ends, and the bits of weights."""
    return edges.numbers, edges.u, edges.v, edges.weights.bits


def merge_in_order(lists: list[Ordered], wanted: int) -> Iterator[tuple[list[slice], Ordered]]:
    """Merge the lists of all partitions in order, in pieces of about `wanted` edges.

    Yield the slices of the lists, and their edges in order. The number of an edge is its position in the concatenated
    slices.
    """
    count = sample_size(len(lists))
    buckets = Buckets([edges.u.size for edges in lists], [sample_edges(edges, count) for edges in lists])
    starts, last = [0] * len(lists), buckets.next(wanted)
    while True:
        ends = [rank_of(edges, last) for edges in lists]
        parts = list(map(slice, starts, ends))
        pieces = zip(lists, parts, strict=True)
        columns = zip(*([column[part] for column in columns_of(edges)[1:]] for edges, part in pieces), strict=True)
        u, v, bits = map(np.concatenate, columns)
        yield parts, sort_edges(u, v, lists[0].weights._replace(bits=bits))
        if last is None:
            return
        starts, last = ends, buckets.next(wanted)
