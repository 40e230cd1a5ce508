"""Sorting: of a part of an array within a kernel, and of 64-bit words with NumPy's sort, one part per thread.

NumPy sorts with vector instructions, on one thread, and releases the interpreter lock. The words are therefore first
distributed to parts by splitters from an evenly spaced sample, and each part is sorted by one thread. The result is the
sorted array for every choice of parts.

Cost: that of NumPy's sort, divided by the threads, and two passes before it. Work memory: 10 bytes per word.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .array_types import Bytes, UInt64s
from .declaration import rule
from .device import device_of
from .kernel import kernel, worker_count
from .partitioning import lower_bound
from .primitives import Digit, count_keys, places_of, scatter_keys

_MIN_THREADS = 4  # the two passes do not pay off with fewer
_SAMPLES = 64  # per part


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


@kernel
def _find_part(i, words: UInt64s, splitters: UInt64s, parts: Bytes):
    """Store the number of splitters below a word."""
    parts[i] = lower_bound(splitters, 0, splitters.size, words[i])


def sorted_words(words: Any) -> Any:
    """Sort words in ascending order.

    Parameters
    ----------
    words : uint64 array (n,)
        It may be overwritten with the result.

    Examples
    --------
    >>> import numpy as np
    >>> sorted_words(np.array([3, 1, 2], np.uint64))
    array([1, 2, 3], dtype=uint64)
    """
    device, n = device_of(words), int(words.size)
    workers = worker_count(device, n) if device == "cpu" else 1
    if workers < _MIN_THREADS or n < workers * _SAMPLES:
        words.sort()
        return words
    count = min(workers, 256)
    splitters = np.sort(words[:: n // (count * _SAMPLES) | 1])  # a power of two might meet only one column of a grid
    splitters = splitters[np.arange(1, count) * splitters.size // count]
    parts, counts = np.empty(n, np.uint8), np.empty((workers, count), np.int64)
    _find_part(n, words, splitters, parts)
    count_keys(workers, Digit(0, -1), parts, counts)
    result = np.empty_like(words)
    scatter_keys(workers, Digit(0, -1), parts, words, places_of(counts), np.empty_like(parts), result)
    bounds = counts.sum(axis=0).cumsum()
    with ThreadPoolExecutor(workers) as pool:
        for _ in pool.map(np.ndarray.sort, np.split(result, bounds[:-1])):
            pass
    return result
