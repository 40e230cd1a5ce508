"""The order of the edges at a vertex: by weight, then by hashes of the ends.

Result: a strict order of the edges at each vertex; a function of the weights and the seed.

Rule: edge (u, v) is before edge (u, w)  <=>  it is heavier, or equally heavy and

    h(u) xor h(v) > h(u) xor h(w),    where h(v) is a hash of 31 bits of v + seed

The oracle is `edge_order` in tests/support/naive_matchings.py.

Idea: h maps the numbers below 2**31 one to one. Therefore the values at a vertex are distinct, the value of a loop is
0, and the neighbor can be computed from the value. A search for the largest value needs no other variable, so it is
compiled to vector instructions. Both ends of an edge compute the same value.

Cost: two multiplications per value.
"""

from __future__ import annotations

import numpy as np

from .._core.runtime import rule
from ..forest.weights import LARGEST_KEY, key_at

_MASK = 0x7FFF_FFFF
_MULTIPLIER = 0x45D9F3B
_INVERSE = pow(_MULTIPLIER, -1, 1 << 31)
_NONE = np.int32(0)


@rule
def _mix(x, multiplier):
    """Mix the 31 bits of x; `_mix(., _INVERSE)` is the inverse function of `_mix(., _MULTIPLIER)`."""
    x = np.int32(int(x) & _MASK)
    x = np.int32((int((x >> 16) ^ x) * multiplier) & _MASK)
    x = np.int32((int((x >> 16) ^ x) * multiplier) & _MASK)
    return np.int32((x >> 16) ^ x)


@rule
def hash_of(v, seed):
    """Return the hash h(v), 31 bits."""
    return _mix(v + seed, _MULTIPLIER)


@rule
def first_by_hash(v, rows, free, seed):
    """Return the free neighbor of v whose edge is the first by the hashes, or v; all are free if `free` is empty."""
    own = hash_of(v, seed)
    best = _NONE
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        value = np.int32(hash_of(u, seed) ^ own)
        if free.size:
            value = value if free[u] else _NONE
        best = max(best, value)
    return (int(_mix(best ^ own, _INVERSE)) - seed) & _MASK


@rule
def first_by_weight(v, rows, weights, free, seed):
    """Return the free neighbor of v whose edge is the first by weight and hashes, or v; negative weights do not count.

    The smallest keys are those of the heaviest edges, and `weights.bias` is the key of weight 0. The first loop finds
    the weight, and the second one, in which few entries have this weight, the edge.
    """
    heaviest = LARGEST_KEY
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        key = key_at(e, weights) if u != v else LARGEST_KEY
        if free.size:
            key = key if free[u] else LARGEST_KEY
        heaviest = min(heaviest, key)
    own = hash_of(v, seed)
    best = _NONE
    if heaviest <= weights.bias:
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            if key_at(e, weights) == heaviest:
                u = rows.indices[e]
                value = np.int32(hash_of(u, seed) ^ own)
                if free.size:
                    value = value if free[u] else _NONE
                best = max(best, value)
    return (int(_mix(best ^ own, _INVERSE)) - seed) & _MASK
