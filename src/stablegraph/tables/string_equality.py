"""Search for equal texts: the first equal text for each text, by parallel hash tables.

Idea: texts are distributed to parts by some bits of their hashes, in stable order. A part is small enough for its hash
table to fit in a core's cache. Within each part the texts are looked up one after another, by hash and then word by
word, so that the result depends neither on the hash nor on the number of threads. Short texts have a faster method, in
short_strings.py.

Work memory: 12 bytes per text (16 from 2**31 texts on), temporarily twice as much, and the hash tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import edge_chunk_bounds, hash32, kernel, prefetch, rule, worker_count, wrapping_multiply
from .._core.runtime.array_types import Bytes, Int32s, Int64s, UInt32s
from .._core.runtime.primitives import Digit, count_keys, places_of, scatter_keys

_TEXTS_PER_PART = 1 << 14
_MAX_PART_BITS = 11
_HASH_BITS = 32
_PREFETCH_DISTANCE = 12  # texts whose bytes are prefetched before they are compared
_MULTIPLIER = 0x1E3779B97F4A7C15  # odd, below 2**63
_WORD = 8  # bytes


class Texts(NamedTuple):
    """Concatenated texts as bytes."""

    data: Bytes
    offsets: Int64s  # (texts + 1,), int64: the start of each text in the data


class Parts(NamedTuple):
    """Texts grouped by the highest bits of their hashes, in their original order within each part."""

    starts: Int64s  # (parts + 1,)
    hashes: UInt32s  # (texts,)
    texts: Int32s  # (texts,): numbers of the texts


@rule
def clear_table(slots, first, entries):
    """Clear a table that begins at slot `first`; return its size, a power of two of at least twice the entries."""
    size = 2
    while size < 2 * entries:
        size *= 2
    for slot in range(first, first + size):
        slots[slot] = -1
    return size


@rule
def word_at(data, place):
    """Return eight bytes as an integer; the compiler reads them at once."""
    word = 0
    for k in range(_WORD):
        word |= int(data[place + k]) << (8 * k)
    return word


@rule
def mix(hashed, word):
    """Return the hash of a text that is longer by a word."""
    hashed = wrapping_multiply(hashed ^ word, _MULTIPLIER)
    return (hashed >> 31) ^ hashed


@kernel
def hash_text(i, texts: Texts, hashes: UInt32s):
    """Compute a 32-bit hash of all bytes of a text, and of its length."""
    place, end = texts.offsets[i], texts.offsets[i + 1]
    hashed = int(end - place)
    while place + _WORD <= end:
        hashed = mix(hashed, word_at(texts.data, place))
        place += _WORD
    word = 0
    for k in range(place, end):
        word = (word << 8) | int(texts.data[k])
    hashed = mix(hashed, word)
    hashes[i] = hash32((hashed >> 32) ^ hashed)


@rule
def are_equal(a, b, texts):
    """Return whether two texts are equal, word by word."""
    start, other = texts.offsets[a], texts.offsets[b]
    length = texts.offsets[a + 1] - start
    if texts.offsets[b + 1] - other != length:
        return False
    k = 0
    while k + _WORD <= length:
        if word_at(texts.data, start + k) != word_at(texts.data, other + k):
            return False
        k += _WORD
    for j in range(k, length):  # noqa: SIM110 - compiled
        if texts.data[start + j] != texts.data[other + j]:
            return False
    return True


@kernel(by="workers")
def look_up_parts(worker, workers, texts: Texts, parts: Parts, slots: Int32s, room: int, firsts: Int32s):
    """Look up each text of a worker's parts in a hash table; each worker has one table, of `room` slots."""
    first_slot = worker * room
    first_part, end_part = edge_chunk_bounds(parts.starts, parts.starts.size - 1, worker, workers)
    for part in range(first_part, end_part):
        start, end = parts.starts[part], parts.starts[part + 1]
        size = clear_table(slots, first_slot, end - start)
        for k in range(start, end):
            prefetch(texts.offsets, parts.texts[min(k + 2 * _PREFETCH_DISTANCE, end - 1)])
            prefetch(texts.data, texts.offsets[parts.texts[min(k + _PREFETCH_DISTANCE, end - 1)]])
            i = parts.texts[k]
            hashed = int(parts.hashes[k])
            slot = hashed & (size - 1)
            first = slots[first_slot + slot]
            while first >= 0 and not (parts.hashes[first] == hashed and are_equal(parts.texts[first], i, texts)):
                slot = (slot + 1) & (size - 1)
                first = slots[first_slot + slot]
            if first < 0:
                first = k
                slots[first_slot + slot] = k
            firsts[i] = parts.texts[first]


def first_equals(texts: Texts) -> np.ndarray:
    """Return for each text the number of the first text that equals it, which is at most its own number."""
    n = int(texts.offsets.size) - 1
    position = index_type(n)
    hashes = np.empty(n, np.uint32)
    hash_text(n, texts, hashes)
    parts = _group_by_hash(hashes, position)
    del hashes
    workers = worker_count("cpu", n)
    largest = int(np.diff(parts.starts).max(initial=0))
    room = 2 << max(0, 2 * largest - 1).bit_length()
    firsts: np.ndarray = np.empty(n, position)
    look_up_parts(workers, texts, parts, np.empty(workers * room, position), room, firsts)
    return firsts


def _group_by_hash(hashes: np.ndarray, position: type) -> Parts:
    bits = min(_MAX_PART_BITS, max(0, (hashes.size // _TEXTS_PER_PART).bit_length()))
    digit = Digit(_HASH_BITS - bits, (1 << bits) - 1)
    workers = worker_count("cpu", int(hashes.size))
    counts = np.empty((workers, 1 << bits), np.int64)
    count_keys(workers, digit, hashes, counts)
    places = places_of(counts)
    starts = np.append(places[0], hashes.size)
    parts = Parts(starts, np.empty_like(hashes), np.empty(hashes.size, position))
    scatter_keys(workers, digit, hashes, np.empty(0, position), places, parts.hashes, parts.texts)
    return parts
