"""Orders of vertices that every partition knows for its own vertices and its ghosts.

Result: a strict order, that of the single machine, restricted to the vertices of a partition.

Rule: u is before v  <=>  the first of these that differs is larger for u: its key, its hash if hashes settle ties, and
its id (the smaller id, if these settle ties alone and are to come first). In the code: `is_before`.

State: keys are degrees, bytes of ECL-MIS, or the caller's numbers. Where degrees leave room, the hash is part of the
key; else it is drawn when it is needed. Local numbers ascend as ids do, and stand for them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..independent_set.greedy.order import draw_hashes, ecl_byte, monotone_bits
from ..parallel import hash32, kernel, leading_zeros, rule
from ..parallel.primitives import sort_by_key
from .partition import Partition

BY_LARGER_ID, BY_SMALLER_ID, BY_HASH, BY_HASH_IN_KEY = range(4)

_ROOM = 1 << 31  # smaller degrees leave room for a hash


class Order(NamedTuple):
    """A strict order of the vertices of a partition."""

    keys: Any  # uint64 (k,): the larger, the earlier
    ids: Any  # (k,)
    ties: int
    seed: int  # the hash of the caller's


@rule
def is_before(u, v, order):
    """Whether u is before v in the order."""
    if order.keys[u] != order.keys[v]:
        return order.keys[u] > order.keys[v]
    if order.ties == BY_HASH:
        hash_u, hash_v = hash32(order.ids[u] + order.seed), hash32(order.ids[v] + order.seed)
        if hash_u != hash_v:
            return hash_u > hash_v
    return (u < v) == (order.ties == BY_SMALLER_ID)


@kernel
def _ecl_keys(v, ids, degrees, seed, average, keys):
    """The bytes of ECL-MIS; vertices without neighbors need none."""
    if degrees[v] > 0:
        keys[v] = ecl_byte(degrees[v], hash32(ids[v] + seed), average)


@kernel
def _digit_keys(v, degrees, keys):
    """The number of binary digits of the degree."""
    keys[v] = 64 - leading_zeros(degrees[v])


def how_to_settle(ties: int, by: str, max_degree: int) -> int:
    """How ties are settled for a graph: by hashes in the keys, if there is room for all."""
    return BY_HASH_IN_KEY if ties == BY_HASH and by != "values" and max_degree < _ROOM else ties


def order_of(part: Partition, by: str, ties: int, seed: int, average: float = 0.0, values: Any = None) -> Order:
    """The order of a partition's vertices: by one of the names below, or by "values", a number for each."""
    keys = np.zeros(part.size, np.uint64)
    degrees = part.degrees.astype(np.uint64)
    if by == "few_neighbors":
        keys = np.uint64(_ROOM if ties == BY_HASH_IN_KEY else 2**63) - degrees
    elif by == "many_neighbors":
        keys = degrees
    elif by == "digits":
        _digit_keys(part.size, part.degrees, keys)
    elif by == "ecl":
        _ecl_keys(part.size, part.ids, part.degrees, seed, average, keys)
    elif by == "values":
        keys = monotone_bits(values)
    if ties == BY_HASH_IN_KEY:
        hashes = np.empty(part.size, np.uint32)
        draw_hashes(part.size, part.ids, seed, hashes)
        keys <<= np.uint64(32)
        keys |= hashes
    return Order(keys, part.ids, ties, seed)  # by == "ties": nothing but these


def in_order(order: Order, vertices: Any) -> Any:
    """Vertices, which come in ascending order, sorted so that the one before all others comes first."""
    ranking = np.arange(vertices.size)
    if order.ties != BY_SMALLER_ID:
        ranking = ranking[::-1]
    if order.ties == BY_HASH:
        hashes = np.empty(vertices.size, np.uint32)
        draw_hashes(vertices.size, order.ids[vertices], order.seed, hashes)
        ranking = ranking[sort_by_key((~hashes).astype(np.int64)[ranking])]
    keys = order.keys[vertices]
    if keys.size and keys.min() < keys.max():
        later = keys.max() - keys
        if later.max() >= 2**63:
            later = np.unique(later, return_inverse=True)[1]
        ranking = ranking[sort_by_key(later.astype(np.int64)[ranking])]
    return vertices[ranking]
