"""Orders of the vertices: one byte per vertex, and an exact rule, `outranks`, for equal bytes.

Result: a strict order of all vertices, which depends only on the graph, the priority and the seed. With "degree", the
place of a vertex depends on its own degree; with "ecl", also on the average degree (see PATENTS.md).

Rule: u is ahead of v  <=>  the first of these that differs is larger for u::

    degree       -(number of neighbors), hash, id
    random       hash, id
    ecl          the byte of ECL-MIS v1.3, id
    natural      -id
    high_degree  number of neighbors, id
    values       the user's number, hash, id
    ratio        weight / (number of neighbors + 1), compared exactly (ratios.py), hash, id

The hash is hash32(vertex + seed), where `seed` is the hash of the user's seed. The oracle is `priority_key` in
tests/support/naive.py. In the code: `outranks`, and for "ecl" `ecl_byte` (rules.py).

Idea: the byte is a monotone image of the order in 1..253 (0 and 255 are reserved for decided vertices). Nearly all
comparisons are decided by the bytes, and `outranks` decides between equal bytes. The resolution of the bytes changes
the time, but never the result. Therefore they are fitted to a sample. For "degree", the range of degrees in the sample
is spread over the bytes logarithmically, together with the hash; for "high_degree", together with the id. (The bits of
a float are a piecewise linear approximation of its logarithm.) For numbers and ratios, the byte is the number of
quantiles of a sample that are not larger, so that each byte has about the same number of vertices.

To add a priority, change these places; the tests fail until all are complete, except for ../cuda/priority.py:

- The name: _core/option_names.py, and the docstring of `maximal_independent_set` (independent_set/api.py).
- One machine: `NAMED_ORDERS`; the rule in `outranks` (rules.py) and `sort_by_order`; the bytes in `write_bytes`.
- A GPU: the rule in order.cuh, the bytes in priority.cu, and `variants` and `scale_of` in ../cuda/priority.py.
- Partitions: `_ORDERS` in cluster/problems/sets.py; a new key or tie in rules.py.
- The oracle, `priority_key` in tests/support/naive.py; if the priority ignores the seed, also tests/pins/calls.py.
- The pages algorithms.md, command-line.md, orders.md and determinism.md in docs/.

Cost: a pass over the vertices. Work memory: 25 bytes per vertex for the user's numbers, 8 if only some rows contain
loops or duplicates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import array_module, device_of, float32_bits, hash32, kernel, rule, unhash32
from ..._core.runtime.array_types import Array, ArrayT, Bools, Bytes, Int64s, UInt32s, UInt64s, Vertices
from ..._core.runtime.device import empty_array
from ..._core.runtime.primitives import compact, sorted_words
from ...graph import Graph
from ..ratios import EXACT, score
from ..rules import (
    BY_DEGREE,
    BY_FLOAT_RATIO,
    BY_HASH,
    BY_ID,
    BY_LARGER_DEGREE,
    BY_RATIO,
    BY_SMALLER_ID,
    BY_VALUE,
    TOP,
    Order,
    degree_of,
    ecl_byte,
    hash_byte,
    outranks,
)

OUT, IN = 0, 255

NAMED_ORDERS = {
    "degree": BY_DEGREE,
    "ecl": BY_ID,
    "random": BY_HASH,
    "natural": BY_SMALLER_ID,
    "high_degree": BY_LARGER_DEGREE,
}

_SAMPLE = 4096  # vertices; the resolution of the bytes changes only the time
_QUANTILE_BITS = 8
_WORD_BITS = 31  # of a number, before the hash
_FARTHEST = 256  # places that a vertex is moved by insertion; the other vertices are merged
_EXACT_PRODUCT = 1 << 22  # relative differences above 2**-22 remain after rounding to 24 bits
_LOW_32 = 0xFFFF_FFFF


class Weighted(NamedTuple):
    """An order by weights: the heaviest vertex first, or that with the largest ratio of weight and neighbors + 1."""

    by: str  # one of `names.WeightedPriority`
    weights: Array  # int64 or float64 (n,), on the graph's device, finite and not negative, without -0.0
    largest: int | float  # weight, or 0


Choice = str | np.ndarray | Weighted  # of an order: one of `NAMED_ORDERS`, one number per vertex, or weights


class Window(NamedTuple):
    """The range of degrees in a sample, as bits of floats, which is spread over the bytes."""

    highest: int
    span: int  # from the lowest to the highest
    scale: int  # 2**32 times the number of bytes per step


@rule
def _byte_in(window, steps):
    """Return the byte for a number of steps into a window; negative numbers of steps give 1."""
    return ((min(max(steps, 0), window.span) * window.scale) >> 32) + 1


@kernel(by="workers")
def _degree_bytes(worker, workers, bounds: Int64s, order: Order, window: Window, state: Bytes):
    """Compute bytes of "degree": larger for smaller (degree + 1 - hash / 2**32), on a logarithmic scale."""
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = degree_of(v, order)
        fraction = np.float32(hash32(v + order.seed)) * np.float32(2.0**-32)
        bits = float32_bits(np.float32(np.float32(degree + 1) - fraction))
        state[v] = _byte_in(window, window.highest - int(bits)) if degree > 0 else IN


@kernel(by="workers")
def _high_degree_bytes(worker, workers, bounds: Int64s, order: Order, window: Window, place: int, state: Bytes):
    """Compute bytes of "high_degree": larger for larger (degree + id / n), on a logarithmic scale."""
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = degree_of(v, order)
        fraction = np.float32(v * place) * np.float32(2.0**-32)  # at most 1
        bits = float32_bits(np.float32(np.float32(degree) + fraction))
        lowest = window.highest - window.span
        state[v] = _byte_in(window, int(bits) - lowest) if degree > 0 else IN


@kernel(by="workers")
def _hash_bytes(worker, workers, bounds: Int64s, order: Order, state: Bytes):
    """Compute bytes of "random": larger for larger hashes."""
    for v in range(bounds[worker], bounds[worker + 1]):
        state[v] = hash_byte(v, order.seed) if degree_of(v, order) > 0 else IN


@kernel(by="workers")
def _natural_bytes(worker, workers, bounds: Int64s, order: Order, scale: int, state: Bytes):
    """Compute bytes of "natural": larger for smaller ids."""
    for v in range(bounds[worker], bounds[worker + 1]):
        byte = TOP - min((v * scale) >> 32, TOP - 1)
        state[v] = byte if degree_of(v, order) > 0 else IN


@kernel(by="workers")
def _ecl_bytes(worker, workers, bounds: Int64s, order: Order, average: float, state: Bytes):
    """Compute bytes of "ecl"; these bytes themselves define the order."""
    for v in range(bounds[worker], bounds[worker + 1]):
        degree = degree_of(v, order)
        state[v] = IN
        if degree > 0:  # without edges the average is zero, so the divisor may be zero
            state[v] = ecl_byte(degree, hash32(v + order.seed), average)


@rule
def _byte_among(key, quantiles):
    """Return 1 plus the number of quantiles that are at most a key, by a binary search without branches."""
    low = 0
    for step in range(_QUANTILE_BITS):
        half = (1 << _QUANTILE_BITS - 1) >> step
        low += half * int(quantiles[low + half - 1] <= key)
    return low + 1


@rule
def _key_of_value(value):
    """Return the upper 62 bits of a number."""
    return np.int64(value >> np.uint64(2))


@rule
def key_of_ratio(v, order, weights, are_large):
    """Return the bits of a vertex's ratio in single precision, which never decrease where the ratio increases."""
    return int(float32_bits(np.float32(score(weights[v], degree_of(v, order) + 1, are_large))))


@kernel
def _value_bytes(v, order: Order, quantiles: Int64s, state: Bytes):
    """Compute bytes of numbers: larger for larger numbers."""
    state[v] = _byte_among(_key_of_value(order.values[v]), quantiles) if degree_of(v, order) > 0 else IN


@kernel(T="int64 float64")
def _ratio_keys(i, step: int, order: Order, weights: ArrayT, are_large: bool, keys: Int64s):
    """Compute the key of every step-th vertex."""
    keys[i] = key_of_ratio(i * step, order, weights, are_large)


@kernel(T="int64 float64")
def _ratio_bytes(v, order: Order, weights: ArrayT, are_large: bool, quantiles: Int64s, state: Bytes):
    """Compute bytes of ratios: larger for larger ratios."""
    state[v] = _byte_among(key_of_ratio(v, order, weights, are_large), quantiles) if degree_of(v, order) > 0 else IN


def make_order(graph: Graph, priority: Choice, seed: int, pointers: tuple[Any, int] | None = None) -> Order:
    """Return the chosen order on a graph; `pointers` are its degree_ptr and offset, if the caller knows them."""
    xp = graph.xp
    degree_ptr, offset = pointers or (graph.indptr, graph._simple_degree_offset())
    if offset is None:  # some rows contain loops or duplicates, so degrees are not row lengths
        degrees = graph.degrees
        degree_ptr = xp.zeros(degrees.size + 1, graph.indptr.dtype)
        xp.cumsum(degrees, out=degree_ptr[1:])
        offset = 0
    if isinstance(priority, str):
        return Order(NAMED_ORDERS[priority], seed, degree_ptr, offset, empty_array(graph.device, np.uint64))
    if isinstance(priority, Weighted):
        ratio = BY_FLOAT_RATIO if priority.weights.dtype.kind == "f" else BY_RATIO
        bits = priority.weights.view(np.uint64)  # in the order of the weights, as these are not negative
        return Order(ratio if priority.by == "ratio" else BY_VALUE, seed, degree_ptr, offset, bits)
    return Order(BY_VALUE, seed, degree_ptr, offset, xp.asarray(monotone_bits(priority)))


def weights_of(order: Order) -> tuple[Any, bool]:
    """Return the weights of an order by ratios, and whether integers are too large for exact float64."""
    if order.by == BY_FLOAT_RATIO:
        return order.values.view(np.float64), False
    weights = order.values.view(np.int64)
    return weights, bool(weights.size) and int(weights.max()) >= EXACT


def write_bytes(order: Order, bounds: Any, state: Any) -> None:
    """Write the byte of every vertex for its place in the order; vertices without neighbors are in at once."""
    workers, n = bounds.size - 1, state.size
    if order.by == BY_DEGREE:
        _degree_bytes(workers, bounds, order, _window(order), state)
    elif order.by == BY_LARGER_DEGREE:
        _high_degree_bytes(workers, bounds, order, _window(order), 2**32 // max(n, 1), state)
    elif order.by == BY_HASH:
        _hash_bytes(workers, bounds, order, state)
    elif order.by == BY_SMALLER_ID:
        _natural_bytes(workers, bounds, order, (TOP << 32) // max(n, 1), state)
    elif order.by == BY_ID:
        entries = int(order.degree_ptr[-1]) - n * order.offset
        _ecl_bytes(workers, bounds, order, float(np.float32(entries) / np.float32(max(n, 1))), state)
    elif order.by == BY_VALUE:
        sample = order.values[:: max(1, n // _SAMPLE)] >> np.uint64(2)
        _value_bytes(n, order, _quantiles(sample.astype(np.int64)), state)
    else:
        weights, are_large = weights_of(order)
        xp = array_module(device_of(state))
        step = max(1, n // _SAMPLE)
        keys = xp.empty(-(-n // step), np.int64)
        _ratio_keys(keys.size, step, order, weights, are_large, keys)
        _ratio_bytes(n, order, weights, are_large, _quantiles(keys), state)


def _quantiles(keys: Any) -> Any:
    """Return 252 quantiles of a sample of keys, ascending, and at the end numbers that are larger than every key."""
    xp = array_module(device_of(keys))
    quantiles = xp.full((1 << _QUANTILE_BITS) - 1, np.iinfo(np.int64).max)
    if keys.size:
        quantiles[: TOP - 1] = xp.sort(keys)[xp.linspace(0, keys.size - 1, TOP - 1).astype(np.int64)]
    return quantiles


def _window(order: Order) -> Window:
    """Return the window from the smallest to the largest degree of a sample."""
    step = max(1, (order.degree_ptr.size - 1) // _SAMPLE)
    degrees = order.degree_ptr[1::step] - order.degree_ptr[:-1:step] - order.offset
    degrees = degrees[degrees > 0]
    smallest, largest = (int(degrees.min()), int(degrees.max())) if degrees.size else (1, 1)
    lowest, highest = np.array([smallest, largest + 1], np.float32).view(np.int32).tolist()
    span = highest - lowest
    return Window(highest, span, (TOP << 32) // (span + 1))


def monotone_bits(values: np.ndarray) -> np.ndarray:
    """Map numbers of any real dtype to unsigned 64-bit integers in the same order (-0.0 counts as 0.0)."""
    if values.dtype.kind in "bu":
        return values.astype(np.uint64)
    if values.dtype.kind == "i":
        return values.astype(np.int64).view(np.uint64) ^ np.uint64(1 << 63)
    bits = (values.astype(np.float64) + 0.0).view(np.uint64)
    negative = (bits >> np.uint64(63)).astype(bool)
    return np.where(negative, ~bits, bits ^ np.uint64(1 << 63))


@kernel
def draw_hashes(i, vertices: Vertices, seed: int, out: UInt32s):
    """Compute the hash of a vertex and a seed."""
    out[i] = hash32(vertices[i] + seed)


def sort_by_order(order: Order, vertices: Any, state: Any) -> Any:
    """Sort undecided vertices by the order, first vertex first; the input is ascending by id."""
    if order.by == BY_SMALLER_ID:
        return vertices
    xp = array_module(device_of(state))
    keys = []  # the least significant key first; each sort is stable
    if order.by not in (BY_ID, BY_LARGER_DEGREE):
        hashes = xp.empty(vertices.size, xp.uint32)
        draw_hashes(vertices.size, vertices, order.seed, hashes)
        keys.append(hashes)
    if order.by == BY_DEGREE:
        keys.append(order.degree_ptr[vertices] - order.degree_ptr[vertices + 1])
    if order.by == BY_LARGER_DEGREE:
        keys.append(order.degree_ptr[vertices + 1] - order.degree_ptr[vertices])
    if order.by == BY_VALUE:
        keys.append(order.values[vertices])
    if order.by >= BY_RATIO:
        keys.append(_scores(order, vertices))
    keys.append(state[vertices])
    ranking = xp.arange(vertices.size)
    for key in keys:
        ranking = ranking[xp.argsort(key[ranking], kind="stable")]
    in_order = vertices[ranking[::-1]]
    return exactly_sorted(order, in_order) if order.by >= BY_RATIO else in_order


def _scores(order: Order, vertices: Any) -> Any:
    """Return the ratios of some vertices as float64, which never decrease where the ratios increase."""
    weights, are_large = weights_of(order)
    divisors = order.degree_ptr[vertices + 1] - order.degree_ptr[vertices] - order.offset + 1
    return (weights[vertices] // divisors).astype(np.float64) if are_large else weights[vertices] / divisors


@kernel
def _find_disorder(i, words: UInt64s, vertices: Vertices, order: Order, wrong: Bools):
    """Store whether vertex i + 1 of a list is ahead of vertex i; words, if there are any, must have equal bits."""
    is_possible = True
    if words.size:
        is_possible = np.int64(words[words.size - 1 - i]) >> 32 == np.int64(words[words.size - 2 - i]) >> 32
    wrong[i] = is_possible and outranks(vertices[i + 1], vertices[i], order)


@kernel(by="single")
def _insert(places: Int64s, vertices: Vertices, order: Order, too_far: Bools):
    """Sort vertices by insertion, if their order is wrong only after these places; end if one is too far away."""
    i = 0
    for place in places:
        i = max(i, place + 1)
        moves = True
        while moves and i < vertices.size:
            v, j = vertices[i], i
            while j > 0 and outranks(v, vertices[j - 1], order):
                vertices[j] = vertices[j - 1]
                j -= 1
            vertices[j] = v
            moves = j < i
            if i - j > _FARTHEST:
                too_far[0] = True
                return
            i += 1


@kernel(by="single")
def _merge_sort(vertices: Vertices, spare: Vertices, order: Order):
    """Sort vertices by the order, first vertex first, by merging runs of 1, 2, 4, ... vertices; many are in order."""
    n, width = vertices.size, 1
    while width < n:
        for start in range(0, n - width, 2 * width):
            middle, end = start + width, min(start + 2 * width, n)
            if outranks(vertices[middle], vertices[middle - 1], order):
                i, j = start, middle
                for k in range(start, end):
                    first = i < middle and (j == end or not outranks(vertices[j], vertices[i], order))
                    spare[k] = vertices[i if first else j]
                    i += int(first)
                    j += int(not first)
                for k in range(start, end):
                    vertices[k] = spare[k]
        width *= 2


@kernel
def _merge_runs(i, width: int, vertices: Vertices, order: Order, merged: Vertices):
    """Move a vertex of a sorted run of `width` vertices to its place in the union with the next or previous run."""
    run = i // width
    start, other = run * width, (run ^ 1) * width
    low, high = min(other, vertices.size), min(other + width, vertices.size)
    ahead = -low
    while low < high:  # search the first vertex of the other run that is behind this one
        middle = (low + high) >> 1
        if outranks(vertices[middle], vertices[i], order):
            low = middle + 1
        else:
            high = middle
    merged[min(start, other) + i - start + ahead + low] = vertices[i]


@kernel
def _append_hash(v, seed: int, words: UInt64s):
    """Append the hash of a vertex to its 31 bits."""
    words[v] = (np.int64(words[v]) << 32) | hash32(v + seed)


@kernel
def _read_word(i, words: UInt64s, seed: int, vertices: Vertices):
    """Write the vertex of a word to its place, the largest word first."""
    vertices[i] = (unhash32(np.int64(words[words.size - 1 - i]) & _LOW_32) - seed) & _LOW_32


def all_sorted(
    graph: Graph, priority: np.ndarray | Weighted, seed: int, pointers: tuple[Any, int] | None = None
) -> Any:
    """Return all vertices, the first one in the order first.

    Words are sorted. They consist of 31 bits of the ratio, or of the distance of the number from the smallest one, and
    a hash of 32 bits, from which the vertex is computed.
    """
    xp, n = graph.xp, graph.num_vertices
    vertices, words = xp.empty(n, graph._no_vertices().dtype), xp.empty(n, np.uint64)
    if isinstance(priority, Weighted):
        order = make_order(graph, priority._replace(by="ratio"), seed, pointers)
        if priority.by == "weight":  # the ratio for a divisor of 1
            order = order._replace(degree_ptr=xp.zeros_like(order.degree_ptr), offset=0)
        _ratio_keys(n, 1, order, *weights_of(order), words.view(np.int64))
        # Different ratios x / a and y / b of integers differ by at least 1 / (a b), so by 1 / (x b) times x / a.
        divisor = graph._scanned().longest_row + 1 if priority.by == "ratio" else 1
        are_exact = priority.weights.dtype.kind == "i" and priority.largest * divisor < _EXACT_PRODUCT
    else:
        order = make_order(graph, priority, seed, pointers)
        least = int(order.values.min()) if n else 0
        dropped = max(0, (int(order.values.max()) - least).bit_length() - _WORD_BITS) if n else 0
        words = (order.values - np.uint64(least)) >> np.uint64(dropped)
        are_exact = not dropped
    _append_hash(n, seed, words)
    words = sorted_words(words)
    _read_word(n, words, seed, vertices)
    return vertices if are_exact else exactly_sorted(order, vertices, words)


def exactly_sorted(order: Order, vertices: Any, words: Any = None) -> Any:
    """Sort vertices that are nearly sorted: except for keys that are equal after rounding, but differ.

    `words` are sorted keys, each in the upper 32 bits; without them, wrong orders are rare.
    """
    place, n = device_of(vertices), int(vertices.size)
    xp = array_module(place)
    wrong, spare = xp.empty(max(0, n - 1), bool), xp.empty_like(vertices)
    _find_disorder(wrong.size, xp.empty(0, np.uint64) if words is None else words, vertices, order, wrong)
    places = compact(wrong)
    if not places.size:
        return vertices
    if place == "cpu":
        too_far = np.zeros(1, bool)
        _insert(places, vertices, order, too_far)
        if too_far[0]:
            _merge_sort(vertices, spare, order)
        return vertices
    width = 1
    while width < n:  # a single thread of a GPU would take seconds
        _merge_runs(n, width, vertices, order, spare)
        vertices, spare, width = spare, vertices, 2 * width
    return vertices
