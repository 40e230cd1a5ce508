"""Parallel primitives: scan, compact, partition, reduce, histogram, sort by key, sort of words.

Each takes NumPy or CuPy arrays and returns arrays of the same library. On a GPU they are CuPy's functions. On the CPU
most are kernels by workers in two passes: the workers count in their shares, a short sum over the workers gives the
positions of their results, and then the workers write. Shares are contiguous and in order, so results equal those of
the serial loop.

Floating-point sums are computed in fixed blocks of 4096 elements, each from left to right, and then over the blocks, so
that the result does not depend on the number of threads. Work memory: a few numbers per worker, block or key value.

64-bit words are sorted by NumPy on few threads. On more, they are first distributed to parts by splitters from an
evenly spaced sample; then each part, which fits in a core's cache, is sorted by one thread, by counting. The result is
the sorted array for every choice of parts. Cost: two passes, and two for each byte in which words of a part differ.
Work memory: 9 bytes per word.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .array_types import ArrayT, Bools, Bytes, Int64s, Int64Table, Integers, UInt64s
from .atomics import atomic_add
from .declaration import rule
from .device import array_module, device_of
from .kernel import kernel, worker_count
from .partitioning import APART, chunk_bounds

_BLOCK = 4096
_DIGIT = 11
_ITEMS = 8  # items of a scan, a sum or a mask that take as long as one entry of a graph


@kernel(by="workers", T="bool int32 int64 int8 uint8")
def sum_shares(worker, workers, n: int, values: ArrayT, sums: Int64s):
    """Sum the elements of this worker's share."""
    total = 0
    start, end = chunk_bounds(n, worker, workers)
    for i in range(start, end):
        total += values[i]
    sums[worker] = total


@kernel(by="workers", T="int32 int64 int8 uint8")
def scan_shares(worker, workers, n: int, values: ArrayT, starts: Int64s, result: Integers):
    """Compute the prefix sums of this worker's share, excluding the element itself."""
    total = starts[worker]
    start, end = chunk_bounds(n, worker, workers)
    for i in range(start, end):
        result[i] = total
        total += values[i]
    if worker == workers - 1:
        result[n] = total


@kernel(by="workers", T="bool uint8")
def count_true(worker, workers, n: int, mask: ArrayT, counts: Int64s):
    """Count the positions of this worker's share at which the mask is true."""
    total = 0
    start, end = chunk_bounds(n, worker, workers)
    for i in range(start, end):
        total += mask[i] != 0
    counts[worker] = total


@kernel(by="workers", T="bool uint8")
def write_true(worker, workers, n: int, mask: ArrayT, starts: Int64s, counts: Int64s, result: Int64s):
    """Write the positions of this worker's share at which the mask is true."""
    place = starts[worker]
    end = place + counts[worker]
    i, _ = chunk_bounds(n, worker, workers)
    while place < end:  # without a branch on the mask, which would be mispredicted
        result[place] = i
        place += int(mask[i] != 0)
        i += 1


@kernel(by="workers")
def write_parts(worker, workers, n: int, values: Int64s, mask: Bools, starts: Int64s, total: int, result: Int64s):
    """Write a share's values where the mask is true to the first part, the other values to the second one."""
    start, end = chunk_bounds(n, worker, workers)
    first = starts[worker]
    second = total + start - first
    for i in range(start, end):
        if mask[i]:
            result[first] = values[i]
            first += 1
        else:
            result[second] = values[i]
            second += 1


@kernel(each=_BLOCK, T="float64 float32")
def sum_block(block, n: int, values: ArrayT, sums: ArrayT):
    """Sum a block from left to right."""
    total = values[block * _BLOCK]
    for i in range(block * _BLOCK + 1, min(n, (block + 1) * _BLOCK)):
        total += values[i]
    sums[block] = total


@kernel(each=_BLOCK, T="float64 int32 int64 uint32 float32")
def min_max_block(block, n: int, values: ArrayT, smallest: ArrayT, largest: ArrayT):
    """Find the smallest and the largest value of a block; both are NaN if it contains NaN."""
    low = values[block * _BLOCK]
    high = low
    for i in range(block * _BLOCK + 1, min(n, (block + 1) * _BLOCK)):
        if values[i] < low or values[i] != values[i]:
            low = values[i]
        if values[i] > high or values[i] != values[i]:
            high = values[i]
    smallest[block] = low
    largest[block] = high


class Digit(NamedTuple):
    """A range of bits of a key."""

    shift: int  # the position of its lowest bit
    mask: int  # with as many ones as the digit has bits; -1 for the whole key


@kernel(by="workers", T="int32 int64 uint32 uint8")
def count_keys(worker, workers, digit: Digit, keys: ArrayT, counts: Int64Table):
    """Count the occurrences of each value of a digit in this worker's share."""
    for k in range(counts.shape[1]):
        counts[worker, k] = 0
    start, end = chunk_bounds(keys.size, worker, workers)
    for i in range(start, end):
        counts[worker, (keys[i] >> digit.shift) & digit.mask] += 1


@kernel(by="workers", types="T[] S[] int64[,] T[] S[]", S="int32 int64 uint64", T="int32 int64 uint32 uint8")
def scatter_keys(worker, workers, digit: Digit, keys, order, places, new_keys, new_order):
    """Write each key of this worker's share to the next place of its digit, and its position to the same place.

    `order` has the positions of the keys; if it is empty, the keys are still at their original positions. If `new_keys`
    is empty, only the positions are written.
    """
    start, end = chunk_bounds(keys.size, worker, workers)
    for i in range(start, end):
        k = (keys[i] >> digit.shift) & digit.mask
        place = places[worker, k]
        places[worker, k] = place + 1
        if new_keys.size:
            new_keys[place] = keys[i]
        if order.size:
            new_order[place] = order[i]
        else:
            new_order[place] = i


def places_of(counts: Any) -> Any:
    """Return the place of each worker's first key of each value, from the counts (workers, values)."""
    by_key = counts.T.ravel()
    return np.ascontiguousarray((np.cumsum(by_key) - by_key).reshape(counts.T.shape).T)


def _starts(counts: Any) -> tuple[Any, int]:
    """Return the start of each worker's results, and the total number of results."""
    ends = np.cumsum(counts)
    return ends - counts, int(ends[-1])


def exclusive_scan(values: Any, *, narrow: bool = False) -> Any:
    """Compute the sums of all earlier elements, and the total at the end: counts become offsets.

    Parameters
    ----------
    values : integer array (n,)
    narrow : bool
        Whether the result is int32 if the total fits.

    Returns
    -------
    int64 array (n + 1,)
        ``result[i]`` is the sum of ``values[:i]``.

    Examples
    --------
    >>> import numpy as np
    >>> exclusive_scan(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    device, n = device_of(values), int(values.size)
    if device == "cuda":
        xp = array_module(device)
        result = xp.zeros(n + 1, dtype="int64")
        xp.cumsum(values, out=result[1:], dtype="int64")
        return result.astype(np.int32) if narrow and int(result[-1]) < 2**31 else result
    workers = worker_count(device, n // _ITEMS)
    sums = np.empty(workers, np.int64)
    sum_shares(workers, n, values, sums)
    starts, total = _starts(sums)
    result = np.empty(n + 1, np.int32 if narrow and total < 2**31 else np.int64)
    scan_shares(workers, n, values, starts, result)
    return result


def compact(mask: Any) -> Any:
    """Find the positions at which a mask is true, in ascending order.

    Returns
    -------
    int64 array

    Examples
    --------
    >>> import numpy as np
    >>> compact(np.array([True, False, True]))
    array([0, 2])
    """
    device = device_of(mask)
    if device == "cuda":
        return array_module(device).flatnonzero(mask)
    n = int(mask.size)
    workers = worker_count(device, n // _ITEMS)
    counts = np.empty(workers, np.int64)
    count_true(workers, n, mask, counts)
    starts, total = _starts(counts)
    result = np.empty(total, np.int64)
    write_true(workers, n, mask, starts, counts, result)
    return result


def partition(values: Any, mask: Any) -> tuple[Any, int]:
    """Move the values where a mask is true to the front, keeping the order in both parts; also return their number.

    Examples
    --------
    >>> import numpy as np
    >>> partition(np.array([7, 8, 9]), np.array([False, True, True]))
    (array([8, 9, 7]), 2)
    """
    device = device_of(values)
    if values.shape != mask.shape:
        raise ValueError(f"values and mask must have equal shapes, got {values.shape} and {mask.shape}")
    if device == "cuda":
        xp = array_module(device)
        return xp.concatenate([values[mask], values[~mask]]), int(mask.sum())
    n = int(mask.size)
    workers = worker_count(device, n // _ITEMS)
    counts = np.empty(workers, np.int64)
    count_true(workers, n, mask, counts)
    starts, total = _starts(counts)
    result = np.empty_like(values)
    write_parts(workers, n, values, mask, starts, total, result)
    return result, total


def reduce(values: Any, how: str) -> Any:
    """Compute the sum, or find the smallest or largest element; the result is the same for any number of threads.

    Parameters
    ----------
    values : numeric array (n,)
    how : {"sum", "min", "max"}

    Returns
    -------
    scalar
        Of the dtype of `values`; sums of integers and booleans are int64 and must fit. NaN if an element is NaN.

    Raises
    ------
    ValueError
        For the "min" or "max" of an empty array.

    Examples
    --------
    >>> import numpy as np
    >>> float(reduce(np.array([0.5, 2.0, 1.0]), "sum"))
    3.5
    """
    if how not in ("sum", "min", "max"):
        raise ValueError(f"how must be 'sum', 'min' or 'max', got {how!r}")
    device, n = device_of(values), int(values.size)
    if n == 0 and how != "sum":
        raise ValueError(f"an empty array has no {how}")
    whole = values.dtype.kind in "iub"
    if device == "cuda" and (whole or how != "sum"):
        return values.sum(dtype="int64") if how == "sum" else getattr(values, how)()
    if how == "sum" and whole:
        sums = np.empty(worker_count(device, n // _ITEMS), np.int64)
        sum_shares(sums.size, n, values, sums)
        return sums.sum()
    if how != "sum":
        return extent(values)[how == "max"]
    while True:
        partial = array_module(device).empty(-(-n // _BLOCK), values.dtype)
        sum_block(partial.size, n, values, partial)
        if partial.size <= _BLOCK:
            return (partial if device == "cpu" else partial.get()).sum()
        values, n = partial, partial.size


def extent(values: Any) -> tuple[Any, Any]:
    """Find the smallest and the largest element of an array that is not empty; both are NaN if it contains NaN.

    Examples
    --------
    >>> import numpy as np
    >>> smallest, largest = extent(np.array([3, 1, 2]))
    >>> int(smallest), int(largest)
    (1, 3)
    """
    device = device_of(values)
    if device == "cuda":
        return values.min(), values.max()
    n = int(values.size)
    smallest = np.empty(-(-n // _BLOCK), values.dtype)
    largest = np.empty_like(smallest)
    min_max_block(smallest.size, n, values, smallest, largest)
    return smallest.min(), largest.max()


def histogram(keys: Any, bins: int) -> Any:
    """Count the occurrences of each of 0 .. bins - 1.

    Parameters
    ----------
    keys : integer array (n,)
        Every key in [0, bins).
    bins : int

    Returns
    -------
    int64 array (bins,)

    Notes
    -----
    Work memory: `bins` numbers per worker, so it is intended for few bins.

    Examples
    --------
    >>> import numpy as np
    >>> histogram(np.array([1, 1, 3]), 4)
    array([0, 2, 0, 1])
    """
    device, n = device_of(keys), int(keys.size)
    smallest, largest = map(int, extent(keys)) if n else (0, 0)
    if smallest < 0 or largest >= max(bins, 1):
        raise ValueError(f"keys must be between 0 and {bins - 1}, got {smallest} to {largest}")
    if device == "cuda":
        return array_module(device).bincount(keys, minlength=bins).astype("int64")
    workers = worker_count(device, n)
    counts = np.empty((workers, bins + APART), np.int64)
    count_keys(workers, Digit(0, -1), keys, counts)
    return counts.sum(axis=0)[:bins]


def sort_by_key(keys: Any, *, overwrite: bool = False) -> Any:
    """Return the order that sorts non-negative integer keys; equal keys keep their order.

    Parameters
    ----------
    keys : integer array (n,)
        Not negative, and below 2**63.
    overwrite : bool
        Whether the array of keys may be overwritten.

    Returns
    -------
    int64 array (n,)
        ``keys[result]`` is ascending, with the original keys.

    Notes
    -----
    Stable counting passes of 11 bits each; the largest key determines their number. Work memory: 16 bytes and two keys
    per element, or one key if the input may be overwritten.

    Examples
    --------
    >>> import numpy as np
    >>> sort_by_key(np.array([3, 1, 3, 0]))
    array([3, 1, 0, 2])
    """
    device, n = device_of(keys), int(keys.size)
    smallest, largest = map(int, extent(keys)) if n else (0, 0)
    if smallest < 0:
        raise ValueError(f"keys must not be negative, got {smallest}")
    if device == "cuda":
        return array_module(device).argsort(keys, kind="stable")
    order, spare_order, new_keys = np.empty(0, np.int64), np.empty(0, np.int64), np.empty_like(keys)
    workers, mask = worker_count(device, n), (1 << _DIGIT) - 1
    counts = np.empty((workers, 1 << _DIGIT), np.int64)
    for shift in range(0, largest.bit_length(), _DIGIT):
        digit = Digit(shift, mask)
        count_keys(workers, digit, keys, counts)
        new_order = spare_order if spare_order.size else np.empty(n, np.int64)
        scatter_keys(workers, digit, keys, order, places_of(counts), new_keys, new_order)
        spare = keys if shift or overwrite else np.empty_like(keys)
        keys, new_keys, order, spare_order = new_keys, spare, new_order, order
    return order if order.size else np.arange(n)


@rule
def sort_between(values, start, end):
    """Sort the values from `start` to `end` by Shell's method, which uses the same loop for few and many values."""
    gap = 1
    while 9 * gap < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, end):
            value, place = values[i], i
            while place >= start + gap and values[place - gap] > value:
                values[place] = values[place - gap]
                place -= gap
            values[place] = value
        gap //= 3


_MIN_THREADS = 4  # with fewer, NumPy's sort is faster
_PARTS = 256  # as many as a byte can number, and more than threads, because their sizes differ
_SAMPLES = 16  # per part
_BYTE = 256


@kernel(by="workers")
def _find_parts(worker, workers, words: UInt64s, splitters: UInt64s, parts: Bytes, counts: Int64Table):
    """Store and count the number of splitters below each word of this worker's share."""
    for part in range(_PARTS):
        counts[worker, part] = 0
    start, end = chunk_bounds(words.size, worker, workers)
    for i in range(start, end):
        part, half = 0, _PARTS // 2
        while half > 0:  # without a branch on the comparison, which would be mispredicted
            part += half * int(splitters[part + half - 1] < words[i])
            half >>= 1
        parts[i] = part
        counts[worker, part] += 1


@rule(inline=False)
def _sort_bytewise(start, end, lowest, words, spare, places):
    """Sort the words from `start` to `end` by one byte after another; bytes in which they are all equal are skipped."""
    differing = np.uint64(0)
    for i in range(start + 1, end):
        differing |= words[i] ^ words[start]
    passes = 0
    for shift in range(lowest, 64, 8):
        if (differing >> np.uint64(shift)) & np.uint64(_BYTE - 1):
            source, target = (spare, words) if passes & 1 else (words, spare)
            for byte in range(_BYTE):
                places[byte] = 0
            for i in range(start, end):
                places[np.int64((source[i] >> np.uint64(shift)) & np.uint64(_BYTE - 1))] += 1
            place = start
            for byte in range(_BYTE):
                place, places[byte] = place + places[byte], place
            for i in range(start, end):
                digit = np.int64((source[i] >> np.uint64(shift)) & np.uint64(_BYTE - 1))
                target[places[digit]] = source[i]
                places[digit] += 1
            passes += 1
    if passes & 1:
        for i in range(start, end):
            words[i] = spare[i]


@kernel(by="workers")
def _sort_parts(
    worker, workers, shift: int, bounds: Int64s, taken: Int64s, words: UInt64s, spare: UInt64s, places: Int64Table
):
    """Take parts, one after another, and sort the words of each."""
    part = atomic_add(taken, 0, 1)
    while part < _PARTS:
        _sort_bytewise(bounds[part], bounds[part + 1], shift, words, spare, places[worker])
        part = atomic_add(taken, 0, 1)


def sorted_words(words: Any, shift: int = 0) -> Any:
    """Sort words in ascending order.

    Parameters
    ----------
    words : uint64 array (n,)
        It may be overwritten.
    shift : int
        The number of lowest bits by which words already ascend if their other bits are equal.

    Examples
    --------
    >>> import numpy as np
    >>> sorted_words(np.array([3, 1, 2], np.uint64))
    array([1, 2, 3], dtype=uint64)
    """
    device, n = device_of(words), int(words.size)
    workers = worker_count(device, n) if device == "cpu" else 1
    if workers < _MIN_THREADS or n < _PARTS * _SAMPLES:
        words.sort()
        return words
    splitters = np.sort(words[:: n // (_PARTS * _SAMPLES) | 1])  # a power of two might meet only one column of a grid
    splitters = splitters[np.arange(1, _PARTS) * splitters.size // _PARTS]
    parts, counts = np.empty(n, np.uint8), np.empty((workers, _PARTS), np.int64)
    _find_parts(workers, words, splitters, parts, counts)
    bounds = np.concatenate([[0], counts.sum(axis=0).cumsum()])
    places, result = places_of(counts), np.empty_like(words)
    scatter_keys(workers, Digit(0, -1), parts, words, places, parts[:0], result)
    _sort_parts(workers, shift, bounds, np.zeros(1, np.int64), result, words, counts)
    return result
