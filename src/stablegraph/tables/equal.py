"""Equal texts among many: for each, the first one that equals it.

Texts are spread over parts by some bits of their hashes, stably; a part is small enough for its hash table to lie in a
core's cache. In each part texts are looked up one after another, by hash and then byte by byte, so the result does not
depend on the hash nor on the number of threads. Short texts have a faster way, in short.py.

Work memory: 12 bytes a text (16 from 2**31 texts on), as much again for a moment, and the tables.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..csr.arrays import index_type, read_only
from ..parallel import edge_share, hash32, kernel, prefetch, rule, worker_count, wrapping_multiply
from ..parallel.primitives import Digit, count_keys, scatter_keys

__all__ = ["Texts", "first_equals"]

_TEXTS_PER_PART = 1 << 14
_MOST_PART_BITS = 11
_HASH_BITS = 32
_AHEAD = 12  # texts whose bytes are asked for before they are compared
_MULTIPLIER = 0x100000001B3  # of the FNV hash


class Texts(NamedTuple):
    """Texts as bytes, one after another."""

    data: Any  # uint8
    offsets: Any  # (texts + 1,), int64: where each starts in the data


class Parts(NamedTuple):
    """Texts by the highest bits of their hashes, in each part in their old order."""

    starts: Any  # (parts + 1,)
    hashes: Any  # (texts,)
    texts: Any  # (texts,): which one


@kernel(types="uint8[] int64[] uint32[]")
def hash_text(i, texts: Texts, hashes):
    """32 bits that depend on all bytes of a text."""
    hashed = 0
    for k in range(texts.offsets[i], texts.offsets[i + 1]):
        hashed = wrapping_multiply(hashed ^ (int(texts.data[k]) + 1), _MULTIPLIER)
    hashes[i] = hash32((hashed >> 32) ^ hashed)


@rule
def are_equal(a, b, texts):
    """Whether two texts are the same, byte by byte."""
    start, other = texts.offsets[a], texts.offsets[b]
    length = texts.offsets[a + 1] - start
    if texts.offsets[b + 1] - other != length:
        return False
    for k in range(length):  # noqa: SIM110 - compiled
        if texts.data[start + k] != texts.data[other + k]:
            return False
    return True


@kernel(by="workers", types="uint8[] int64[] int64[] uint32[] int32[] int32[] int int32[]")
def look_up_parts(worker, workers, texts: Texts, parts: Parts, slots, room, firsts):
    """Look up each text of some parts in a hash table, of which each worker has one in `room` of the slots."""
    mine = worker * room
    first_part, end_part = edge_share(parts.starts, parts.starts.size - 1, worker, workers)
    for part in range(first_part, end_part):
        start, end = parts.starts[part], parts.starts[part + 1]
        size = 2
        while size < 2 * (end - start):
            size *= 2
        for slot in range(mine, mine + size):
            slots[slot] = -1
        for k in range(start, end):
            prefetch(texts.offsets, parts.texts[min(k + 2 * _AHEAD, end - 1)])
            prefetch(texts.data, texts.offsets[parts.texts[min(k + _AHEAD, end - 1)]])
            i = parts.texts[k]
            hashed = int(parts.hashes[k])
            slot = hashed & (size - 1)
            found = slots[mine + slot]
            while found >= 0 and not (parts.hashes[found] == hashed and are_equal(parts.texts[found], i, texts)):
                slot = (slot + 1) & (size - 1)
                found = slots[mine + slot]
            if found < 0:
                found = k
                slots[mine + slot] = k
            firsts[i] = parts.texts[found]


def first_equals(texts: Texts) -> np.ndarray:
    """For each text the number of the first text that equals it: its own, or a smaller one."""
    texts = Texts(*map(read_only, texts))
    n = int(texts.offsets.size) - 1
    position = index_type(n)
    hashes = np.empty(n, np.uint32)
    hash_text(n, texts, hashes)
    parts = _parts(hashes, np.arange(n, dtype=position))
    del hashes
    workers = worker_count("cpu", n)
    largest = int(np.diff(parts.starts).max(initial=0))
    room = 2 << max(0, 2 * largest - 1).bit_length()
    firsts: np.ndarray = np.empty(n, position)
    look_up_parts(workers, texts, parts, np.empty(workers * room, position), room, firsts)
    return firsts


def _parts(hashes: np.ndarray, numbers: np.ndarray) -> Parts:
    bits = min(_MOST_PART_BITS, max(0, (hashes.size // _TEXTS_PER_PART).bit_length()))
    digit = Digit(_HASH_BITS - bits, (1 << bits) - 1)
    workers = worker_count("cpu", int(hashes.size))
    counts = np.empty((workers, 1 << bits), np.int64)
    count_keys(workers, digit, hashes, counts)
    by_part = counts.T.ravel()
    places = np.ascontiguousarray((np.cumsum(by_part) - by_part).reshape(counts.T.shape).T)
    starts = np.append(places[0], hashes.size)
    parts = Parts(starts, np.empty_like(hashes), np.empty_like(numbers))
    scatter_keys(workers, digit, hashes, numbers, places, parts.hashes, parts.texts)
    return parts
