"""Edges of all partitions in one common order, some at a time: by weight, then by the smaller and the larger end.

Result: *buckets*, ranges of that order with about as many edges as are wanted. What a partition has in a bucket is a
slice of its list, which it has put in order once.

Idea: each partition shows some edges of its list, evenly spaced; so the client knows about how many edges lie before
any of these, and where to end a bucket. Whoever has slices of all partitions in one list, by partitions, sorts them by
weight alone: the sort keeps equal ones as they were, and those of a partition have smaller ends in its range.

Cost: a sort of each list, 24 bytes for each edge that is shown, and 48 for each edge of a bucket where it is sorted, a
part at a time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..csr.arrays import index_type
from ..forest.kruskal import order_of_keys
from ..forest.weights import Weights, key_at, key_of
from ..parallel import kernel
from .copies import at
from .supersteps import Supersteps
from .workers import room_of

SHOWN = 1 << 14  # edges of all lists together
LEAST = 1 << 16  # edges of a bucket
_BYTES_AN_EDGE = 48  # of a bucket
_PARTS = 4  # in which it is sorted
_SLACK = 3 / 4  # as what is known of buckets is known by samples

Place = tuple[int, int, int]  # in the order: the key of a weight, the smaller end, the larger end


class Ordered(NamedTuple):
    """Edges in order."""

    u: Any  # the smaller ends
    v: Any
    weights: Weights
    numbers: Any = None  # of the edges, where they have any

    def some(self, which: Any, ids: Any | None = None) -> Ordered:
        """Those at some places; if `ids` is given, with these in place of the numbers of the ends."""
        u, v = (at(which, ends) if ids is None else at(at(which, ends), ids) for ends in (self.u, self.v))
        numbers = None if self.numbers is None else at(which, self.numbers)
        return Ordered(u, v, self.weights._replace(bits=at(which, self.weights.bits)), numbers)


@kernel(types="T[] int int int64[]", T="int32 int64")
def _write_key(i, weights: Weights, keys):
    """The key of the i-th weight."""
    keys[i] = key_at(i, weights)


def in_order(u: Any, v: Any, weights: Weights) -> Ordered:
    """Edges that are given by their ends in ascending order, or in the order of any list; numbered as they are."""
    keys = np.empty(u.size, np.int64)
    _write_key(keys.size, weights, keys)
    order = order_of_keys(keys)
    del keys
    return Ordered(u, v, weights).some(order)._replace(numbers=order.astype(index_type(order.size)))


def shown_of(lists: int) -> int:
    """How many edges are shown of each of so many lists."""
    return max(SHOWN // lists, 16)


def shown(edges: Ordered, count: int) -> Any:
    """The places of evenly spaced edges, the last one among them: int64 array (at most `count`, 3)."""
    size = edges.u.size
    places = np.arange(1, min(size, count) + 1) * size // max(min(size, count), 1) - 1
    some = edges.some(places)
    keys = key_of(some.weights.bits.astype(np.int64), some.weights.flip, some.weights.bias)
    return np.stack([keys, some.u.astype(np.int64), some.v.astype(np.int64)], axis=1)


def beyond(edges: Ordered, last: Place | None) -> int:
    """How many edges of a list are not after a place; all, if there is none."""
    if last is None:
        return int(edges.u.size)
    bits, flip, bias = edges.weights
    return bisect_right(
        range(edges.u.size), last, key=lambda i: (key_of(int(bits[i]), flip, bias), int(edges.u[i]), int(edges.v[i]))
    )


class Buckets:
    """Where buckets end, as far as is known from `sizes` of lists and what of each is `shown`."""

    def __init__(self, sizes: list[int], shown: list[Any]) -> None:
        places = np.concatenate(shown)
        order = np.lexsort(places.T[::-1])
        self._places = places[order]
        each = [size / max(len(some), 1) for size, some in zip(sizes, shown, strict=True)]
        self._upto = np.repeat(each, list(map(len, shown)))[order].cumsum()
        self._taken = 0  # of the places

    def next(self, wanted: float) -> Place | None:
        """The last place of the next bucket of about so many edges; None if it is the last bucket."""
        before = self._upto[self._taken - 1] if self._taken else 0
        self._taken = max(int(np.searchsorted(self._upto, before + wanted, "right")), self._taken + 1)
        if self._taken >= self._upto.size:
            return None
        key, u, v = map(int, self._places[self._taken - 1])
        return key, u, v


class OnePlace:
    """The task that is handed all buckets, and keeps some bytes for each vertex of the graph."""

    def __init__(self, run: Supersteps, bytes_a_vertex: int) -> None:
        n, room = run.graph.num_vertices, room_of(run.graph.client)
        self._run, self._kept = run, bytes_a_vertex * n
        self.check(LEAST)
        most = n if room is None else int(_SLACK * (room - self._kept)) // _BYTES_AN_EDGE
        self.wanted = max(min(n // 2, most), LEAST)  # edges of a bucket
        self.at_once = max(self.wanted // _PARTS, LEAST)  # of these, so many are sorted at a time

    def check(self, edges: int) -> None:
        """Refuse a bucket that does not fit."""
        self._run.check_one_place(self._kept + _BYTES_AN_EDGE * edges, "numbers for all vertices, and some edges,")


def columns_of(edges: Ordered) -> tuple[Any, Any, Any, Any]:
    """Numbers, both ends, and the bits of weights."""
    return edges.numbers, edges.u, edges.v, edges.weights.bits


def merged(lists: list[Ordered], wanted: int) -> Iterator[tuple[list[slice], Ordered]]:
    """All edges of some lists, by partitions, in order: slices of the lists of about so many edges, and these sorted.

    An edge has the number that it has in the slices, one after another.
    """
    count = shown_of(len(lists))
    buckets = Buckets([edges.u.size for edges in lists], [shown(edges, count) for edges in lists])
    starts, last = [0] * len(lists), buckets.next(wanted)
    while True:
        ends = [beyond(edges, last) for edges in lists]
        parts = list(map(slice, starts, ends))
        pieces = zip(lists, parts, strict=True)
        columns = zip(*([column[part] for column in columns_of(edges)[1:]] for edges, part in pieces), strict=True)
        u, v, bits = map(np.concatenate, columns)
        yield parts, in_order(u, v, lists[0].weights._replace(bits=bits))
        if last is None:
            return
        starts, last = ends, buckets.next(wanted)
