"""The rules of orders: which of two vertices comes first, on one machine and in a partition.

Rule: u is ahead of v  <=>  the first of these that differs is larger for u: its key, its tie, its id. greedy/order.py
lists keys and ties by the names of orders. In the code: `outranks` for orders on one machine, `is_before` in a
partition, which computes keys and ties one by one because orders of colorings use it, too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core.runtime import Int32s, Int64s, Offsets, UInt64s, hash32, leading_zeros, rule
from .ratios import compare_ratios

TOP = 253  # undecided vertices have bytes 1..253; 254 means "ahead of any undecided vertex"
_ECL_RANGE = 126  # 0xFE / 2 - 1 in ECL-MIS

# Orders. BY_HASH, BY_ID (larger ids first) and BY_SMALLER_ID are also the ties between vertices with equal keys.
BY_DEGREE, BY_HASH, BY_ID, BY_SMALLER_ID, BY_LARGER_DEGREE, BY_VALUE, BY_RATIO, BY_FLOAT_RATIO = range(8)

# Keys of vertices in partitions
NOTHING, FEW_NEIGHBORS, MANY_NEIGHBORS, DIGITS, ECL, VALUES = range(6)


class Order(NamedTuple):
    """A strict order of the vertices, as needed by `outranks`."""

    by: int  # one of BY_DEGREE, ...
    seed: int  # the hash of the user's seed
    degree_ptr: Offsets  # (n + 1,): differences minus `offset` are the degrees without loops and duplicates
    offset: int
    values: UInt64s  # (n,): numbers in their order for BY_VALUE, bits of weights for ratios, else empty


class LocalOrder(NamedTuple):
    """The order of the vertices of a partition, as needed by `is_before`."""

    by: int
    ties: int
    seed: int
    average: float
    degrees: Int32s  # (k,)
    ids: Int32s  # (k,)
    values: Int64s  # int64 (k,) for VALUES, else empty


@rule
def degree_of(v, order):
    """Return the number of v's neighbors."""
    return order.degree_ptr[v + 1] - order.degree_ptr[v] - order.offset


@rule
def outranks(u, v, order):
    """Return whether u is ahead of v; only needed if their bytes are equal."""
    u, v = int(u), int(v)
    if order.by == BY_SMALLER_ID:
        return u < v
    if order.by in (BY_DEGREE, BY_LARGER_DEGREE):
        degree_u, degree_v = degree_of(u, order), degree_of(v, order)
        if degree_u != degree_v:
            return (degree_u < degree_v) == (order.by == BY_DEGREE)
    if order.by == BY_VALUE and order.values[u] != order.values[v]:
        return order.values[u] > order.values[v]
    if order.by >= BY_RATIO:
        x, y = np.int64(order.values[u]), np.int64(order.values[v])
        a, b = degree_of(u, order) + 1, degree_of(v, order) + 1
        sign = compare_ratios(x, a, y, b, order.by == BY_FLOAT_RATIO)
        if sign != 0:
            return sign > 0
    if order.by not in (BY_ID, BY_LARGER_DEGREE):
        hash_u, hash_v = hash32(u + order.seed), hash32(v + order.seed)
        if hash_u != hash_v:
            return hash_u > hash_v
    return u > v


@rule
def hash_byte(v, seed):
    """Return the byte of a vertex in a random order."""
    return ((hash32(v + seed) * TOP) >> 32) + 1


@rule
def ecl_byte(degree, hashed, average):
    """Return the byte of ECL-MIS for a vertex; every step is in single precision."""
    scaled = np.float32(_ECL_RANGE) * np.float32(average)
    fraction = np.float32(hashed) * np.float32(2.0**-32)
    x = np.float32(degree) - fraction
    return 2 * round(np.float32(scaled / np.float32(np.float32(average) + x))) | 1


@rule
def key_of(v, order):
    """Return the key of a vertex: the larger, the earlier."""
    key = 0
    if order.by == VALUES:
        key = order.values[v]
    elif order.by == FEW_NEIGHBORS:
        key = -int(order.degrees[v])
    elif order.by == MANY_NEIGHBORS:
        key = int(order.degrees[v])
    elif order.by == DIGITS:
        key = 64 - leading_zeros(order.degrees[v])
    elif order.by == ECL and order.degrees[v] > 0:  # without edges the average is zero, and so may be the divisor
        key = int(ecl_byte(order.degrees[v], hash32(order.ids[v] + order.seed), order.average))
    return key


@rule
def tie_of(v, order):
    """Return the tie of a vertex, which orders vertices with equal keys: the larger, the earlier."""
    if order.ties == BY_HASH:
        return int(hash32(order.ids[v] + order.seed))
    return int(v) if order.ties == BY_ID else -int(v)


@rule(inline=False)
def is_before(u, v, order):
    """Return whether u is before v in the order."""
    key_u, key_v = key_of(u, order), key_of(v, order)
    if key_u != key_v:
        return key_u > key_v
    tie_u, tie_v = tie_of(u, order), tie_of(v, order)
    return tie_u > tie_v or (tie_u == tie_v and u > v)
