"""Orders of vertices that every partition can evaluate for its own vertices and its ghosts.

Result: a strict order, that of the single machine, restricted to the vertices of a partition.

Rule: u is before v <=> the first of these that differs is larger for u: its key, its tie (a hash, or the id, with
smaller or larger ids first), and its id. In the code: `is_before` in rules.py.

Idea: a byte that ascends with the order, as in independent_set/greedy/order.py, decides nearly all comparisons. Its
scale is fitted to a sample of the keys, and ties between equal keys are spread evenly. The quality of the fit changes
only the time. No other data is stored per vertex; if two bytes are equal, keys and ties are computed from degrees and
ids.

State: local numbers ascend with ids, so kernels compare local numbers instead of ids.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Bytes, Int64s, Integers, array_module, device_of, kernel, lower_bound
from ..._core.runtime.primitives import sort_by_key
from ...independent_set.greedy.order import monotone_bits
from ...independent_set.rules import BY_HASH, BY_SMALLER_ID, VALUES, LocalOrder, key_of, tie_of
from ..partition import Partition

_LOWEST, _HIGHEST = 1, 253  # bytes
_SAMPLE = 4096  # vertices
_MANY = 1 << 14  # keys; a larger range is searched instead of looked up in a table
_UNIT = 1 << 16  # of a byte: the resolution of the sample's distribution


class Ranking(NamedTuple):
    """An order of the vertices of the whole graph."""

    by: int
    ties: int
    seed: int = 0  # the hash of the user's seed
    average: float = 0.0  # degree, for the bytes of ECL-MIS


class _Steps(NamedTuple):
    """The distribution of the keys in a sample, as steps of bytes."""

    keys: Int64s  # ascending
    starts: Int64s  # one more than keys: the byte, in units, at which each key begins
    scale: int  # 2**32 / k
    below: Int64s  # for each number between the extreme keys, the number of smaller keys; empty if too many


@kernel
def _draw(i, vertices: Integers, order: LocalOrder, keys: Int64s, ties: Int64s):
    """Compute the key and the tie of a vertex."""
    keys[i] = key_of(vertices[i], order)
    ties[i] = tie_of(vertices[i], order)


@kernel
def _write_byte(v, order: LocalOrder, steps: _Steps, bytes_: Bytes):
    """Compute the byte of the vertex's place in the order."""
    key, k = key_of(v, order), steps.keys.size
    if steps.below.size == 0:
        k = lower_bound(steps.keys, 0, k, key)
    elif key <= steps.keys[k - 1]:
        k = steps.below[max(key, steps.keys[0]) - steps.keys[0]]
    place = steps.starts[k] << 32
    if k < steps.keys.size and steps.keys[k] == key:
        tie = tie_of(v, order)
        if order.ties != BY_HASH:
            tie = tie * steps.scale + ((1 << 32) - 1 if order.ties == BY_SMALLER_ID else 0)
        place += (steps.starts[k + 1] - steps.starts[k]) * tie
    bytes_[v] = _LOWEST + place // (_UNIT << 32)


def order_of(part: Partition, ranking: Ranking, values: Any = None) -> LocalOrder:
    """Return the order of a partition's vertices; an order by values needs `values` from `comparable`."""
    return LocalOrder(*ranking, part.degrees, part.ids, part.xp.empty(0, np.int64) if values is None else values)


def comparable(values: Any) -> Any:
    """Convert numbers of any real dtype to integers in the same order."""
    return (monotone_bits(values) ^ np.uint64(1 << 63)).view(np.int64)


def bytes_of(order: LocalOrder) -> Any:
    """Return a byte for each vertex, from 1 to 253: the larger, the earlier."""
    xp, size = array_module(device_of(order.ids)), order.ids.size
    sample = xp.arange(0, size, max(1, size // _SAMPLE), dtype=order.ids.dtype)
    keys, counts = np.unique(_keys_and_ties(order, sample)[0], return_counts=True)
    ends = np.cumsum(counts) * ((_HIGHEST - _LOWEST) * _UNIT) // max(sample.size, 1)
    bytes_ = xp.empty(size, np.uint8)
    starts = xp.concatenate([xp.zeros(1, ends.dtype), ends])
    every = int(keys[-1]) - int(keys[0]) + 1 if size else 0
    below = np.searchsorted(keys, keys[:1] + xp.arange(every if every <= _MANY else 0))
    _write_byte(size, order, _Steps(keys, starts, 2**32 // max(size, 1), below), bytes_)
    return bytes_


def _keys_and_ties(order: LocalOrder, vertices: Any) -> tuple[Any, Any]:
    keys, ties = array_module(device_of(vertices)).empty((2, vertices.size), np.int64)
    _draw(vertices.size, vertices, order, keys, ties)
    return keys, ties


def keys_of(order: LocalOrder, vertices: Any) -> Any:
    """Return the keys of some vertices."""
    return _keys_and_ties(order, vertices)[0]


def all_in_order(ranking: Ranking, ids: Any, keys: Any) -> Any:
    """Return the positions in `ids`, which ascend, sorted by the keys from the owners of the vertices."""
    order = LocalOrder(VALUES, ranking.ties, ranking.seed, 0.0, np.empty(0, np.int32), ids, keys)
    return in_order(order, np.arange(ids.size))


def in_order(order: LocalOrder, vertices: Any) -> Any:
    """Sort vertices, which are in ascending order, so that each comes after those before it in the order."""
    ranking = np.arange(vertices.size)[::-1]
    for column in reversed(_keys_and_ties(order, vertices)):  # the tie before the key, because each sort is stable
        if column.size and column.min() < column.max():
            ranking = ranking[sort_by_key(_falling(column)[ranking])]
    return vertices[ranking]


def _falling(numbers: Any) -> Any:
    """Map integers to non-negative ones in reversed order."""
    highest, lowest = int(numbers.max()), int(numbers.min())
    if highest - lowest >= 2**63:
        return np.unique(-1 - numbers, return_inverse=True)[1]  # -1 - x has no overflow
    return highest - numbers
