"""Orders in which vertices are colored. All of them are strict: `ties` breaks the ties of an order.

Result: all vertices, in the order in which they are colored. It depends only on the graph, the order, the ties and the
seed.

Rule: the criterion by which a vertex comes first. The oracle is `coloring_order` in tests/support/naive.py.

====================  =============================================================================================
natural               by id
random                by the larger hash of (vertex + seed), then the larger id
largest_first         by the larger degree
largest_log_first     by the larger number of binary digits of the degree: ceil(log2(degree + 1))
smallest_last         reverse of removing a vertex of the smallest degree left (degeneracy.py)
smallest_last_in_...  ..rounds: nearly that, found in parallel; by round, then by the larger degree
incidence             most colored neighbors next (dsatur.py)
saturation            most different colors among its neighbors next (dsatur.py)
numbers               by the larger one
====================  =============================================================================================

Ties are broken by the smaller id (ties "id": memory is accessed nearly in order, and grids that are numbered row by row
get two colors), or by the larger hash and then the larger id (ties "hash", the order of ECL-GC: chains of dependences
are short). "incidence" and "saturation" break ties by the order largest_first. Degrees do not count loops and
duplicates. The seed is the hash of the user's seed.

In the code: `ORDERS` has a function for each order; functions that sort by a number set `keys`, or pass it to
`_sorted`.

Idea: one counting pass sorts by degree and id. With hashes, all criteria are packed into one 64-bit number, if they
fit.

Cost: a sort of the vertices; for "smallest_last...", "incidence" and "saturation" see their files. Work memory: 4 bytes
per vertex (8 with 64-bit ids), and 8 to 16 more during the sort.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._core.runtime import array_module, device_of, hash32, kernel, leading_zeros, worker_count
from .._core.runtime.array_types import Bytes, Int32s, Int64s, Integers, UInt64s, Vertices
from .._core.runtime.arrays import largest
from .._core.runtime.partitioning import CACHE_LINE
from .._core.runtime.primitives import (
    Digit,
    count_keys,
    exclusive_scan,
    places_of,
    scatter_keys,
    sort_by_key,
    sorted_words,
)
from .._core.vertex_values import ranking
from ..graph import Graph
from ..independent_set.greedy.order import draw_hashes
from .degeneracy import removal_order, smallest_last
from .dsatur import dsatur_order

_MAX_DEGREES = 1 << 12  # with more different degrees, the counters would not fit in the cache


@kernel
def _pack(v, n: int, seed: int, shift: int, keys: Integers, packed: UInt64s):
    """Pack the key, hash and id of v into one number that is smaller for vertices that come earlier; last ids first."""
    hashed = np.uint64(0xFFFFFFFF - hash32(v + seed))
    packed[n - 1 - v] = ((np.uint64(keys[v]) << np.uint64(32) | hashed) << np.uint64(shift)) | np.uint64(n - 1 - v)


@kernel
def _unpack(i, n: int, shift: int, packed: UInt64s, vertices: Vertices):
    """Extract the vertex from a packed number."""
    vertices[i] = n - 1 - np.int64(packed[i] & np.uint64((1 << shift) - 1))


@kernel
def _log_keys(v, degrees: Vertices, keys: Int32s):
    """Compute a key that is smaller for degrees with more binary digits."""
    keys[v] = leading_zeros(degrees[v])


@kernel
def _mark_key(v, keys: Integers, is_used: Bytes):
    """Mark the key of v as used; most vertices have a key that is marked, and whose cache line all threads share."""
    if is_used[keys[v]] == 0:
        is_used[keys[v]] = 1


@kernel
def _number_key(v, keys: Integers, numbers: Int64s, result: Int64s):
    """Write the number of v's key."""
    result[v] = numbers[keys[v]]


def _renumber_keys(keys: Any) -> Any:
    """Return keys in the same order that are as small as possible; unchanged if they are large for their number."""
    xp, n, highest = array_module(device_of(keys)), int(keys.size), largest(keys, 0)
    if highest >= 4 * n:
        return keys
    is_used, result = xp.zeros(highest + 1, np.uint8), xp.empty(n, np.int64)
    _mark_key(n, keys, is_used)
    _number_key(n, keys, exclusive_scan(is_used), result)
    return result


def _fits(keys: Any, bits: int) -> bool:
    return largest(keys, 0).bit_length() <= bits


def _by_hash_then_key(graph: Graph, keys: Any, seed: int) -> Any:
    """Return the vertices by ascending key, in a tie by hash and id, using two sorts."""
    xp, n = graph.xp, graph.num_vertices
    backwards, hashes = xp.arange(n - 1, -1, -1, graph.indices.dtype), xp.empty(n, np.uint32)
    draw_hashes(n, backwards, seed, hashes)
    tied = backwards[sort_by_key(np.uint32(0xFFFFFFFF) - hashes)]
    return tied[sort_by_key(keys[tied])]


def _sorted(graph: Graph, keys: Any, ties: str, seed: int) -> Any:
    """Return the vertices by ascending key. Keys must not be negative."""
    xp, n = graph.xp, graph.num_vertices
    if ties == "id" or n == 0:
        return sort_by_key(keys)
    shift = (n - 1).bit_length()
    if not _fits(keys, 32 - shift):
        keys = _renumber_keys(keys)
        if not _fits(keys, 32 - shift):
            return _by_hash_then_key(graph, keys, seed)
    packed, vertices = xp.empty(n, np.uint64), xp.empty(n, graph.indices.dtype)
    _pack(n, n, seed, shift, keys, packed)
    _unpack(n, n, shift, sorted_words(packed, shift), vertices)
    return vertices


def _largest_first(graph: Graph, ties: str, seed: int) -> Any:
    degrees, n = graph.degrees, graph.num_vertices
    largest = int(degrees.max()) if n else 0
    if ties == "hash" or graph.device == "cuda" or largest >= _MAX_DEGREES:
        return _sorted(graph, largest - degrees, ties, seed)
    workers = worker_count("cpu", n)
    padded, digit = np.empty((workers, largest + 1 + CACHE_LINE // 8), np.int64), Digit(0, -1)
    count_keys(workers, digit, degrees, padded)
    counts = padded[:, : largest + 1]
    counts[:] = places_of(counts[:, ::-1])[:, ::-1]  # now the counts become places: the largest degree first
    vertices = np.empty(n, graph.indices.dtype)
    scatter_keys(workers, digit, degrees, vertices[:0], padded, degrees[:0], vertices)
    return vertices


def _largest_log_first(graph: Graph, ties: str, seed: int) -> Any:
    xp, n = graph.xp, graph.num_vertices
    keys = xp.empty(n, np.int32)
    _log_keys(n, graph.degrees, keys)
    return _sorted(graph, keys, ties, seed)


def _smallest_last(graph: Graph, ties: str, seed: int) -> Any:
    order, _ = removal_order(graph)
    return graph.xp.asarray(order[::-1].copy())


def _smallest_last_in_rounds(graph: Graph, ties: str, seed: int) -> Any:
    numbers, _ = smallest_last(graph)
    return _sorted(graph, largest(numbers, 0) - numbers, ties, seed)


ORDERS: dict[str, Callable[[Graph, str, int], Any]] = {
    "natural": lambda graph, ties, seed: graph.xp.arange(graph.num_vertices),
    "random": lambda graph, ties, seed: _sorted(graph, graph.xp.zeros(graph.num_vertices, np.int32), "hash", seed),
    "largest_first": _largest_first,
    "largest_log_first": _largest_log_first,
    "smallest_last": _smallest_last,
    "smallest_last_in_rounds": _smallest_last_in_rounds,
    "incidence": lambda graph, ties, seed: dsatur_order(graph, _largest_first(graph, ties, seed), different=False),
    "saturation": lambda graph, ties, seed: dsatur_order(graph, _largest_first(graph, ties, seed), different=True),
}


def by_numbers(graph: Graph, numbers: Any, ties: str, seed: int) -> Any:
    """Return the vertices by descending number."""
    if numbers.dtype.kind != "i" or largest(numbers, 0) >= 2**61 or (numbers <= -(2**61)).any():
        numbers = graph.xp.unique(numbers, return_inverse=True)[1].reshape(-1)
    keys = numbers.astype(np.int64, copy=False)
    return _sorted(graph, largest(keys, 0) - keys, ties, seed)


def visiting_order(graph: Graph, order: str | np.ndarray, ties: str, seed: int) -> Any:
    """Return all vertices in the order in which they are colored, with the dtype of the graph's indices."""
    if isinstance(order, str):
        vertices = ORDERS[order](graph, ties, seed)
    else:
        vertices = by_numbers(graph, graph.xp.asarray(order), ties, seed)
    return vertices.astype(graph.indices.dtype, copy=False)


def checked_orders(order: Any, graph: Any) -> list[Any]:
    """Return the orders to try: names, and arrays as from `ranking`."""
    if order is None:
        return ["largest_first"]
    several = isinstance(order, (list, tuple)) and any(isinstance(one, str) or np.ndim(one) for one in order)
    otherwise = ", an array of numbers, or a list of these"
    return [ranking(one, "order", ORDERS, graph, otherwise=otherwise) for one in (order if several else [order])]


def with_fewest_colors(colorings: Iterable[Any]) -> Any:
    """Return the first coloring with the fewest colors, of those in several orders."""
    return min(colorings, key=lambda colors: largest(colors, -1))
