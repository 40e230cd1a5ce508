"""Numbering of short ids: each becomes a key of 16 bytes, which is looked up in a small hash table.

Idea: a key contains the bytes of an id and, in its last byte, the length of a text, so that keys, compared as
big-endian 128-bit numbers, have the order of the ids. Keys are distributed to parts by some bits of their hashes. A
part is small enough for its hash table and its distinct keys to fit in a core's cache. Only the distinct keys are
sorted, and the names are made from them. The ids themselves are read twice, sequentially, and are not copied.

Result: the rank of each id, which depends neither on the hash nor on the number of threads.

Work memory: 24 bytes per id (28 from 2**31 ids on), and 40 bytes per distinct id.

Why not pyarrow: `dictionary_encode` and `sort_indices` hash and sort on one thread. For 10**7 names in one process, on
two threads of a shared two-core machine (pyarrow 26, minimum of three alternating runs, wall and CPU seconds):

| names | this module (short), numbering.py (long) | pyarrow |
|---|---|---|
| short (at most 15 bytes), 10**6 distinct | 2.2 wall, 0.6 CPU | 10.1 wall, 3.7 CPU |
| short, 4.3 * 10**6 distinct | 3.2 wall, 1.1 CPU | 20.6 wall, 11.3 CPU |
| long (about 35 bytes), 10**6 distinct | 5.5 wall, 1.9 CPU | 15.1 wall, 5.6 CPU |
| long, 4.3 * 10**6 distinct | 5.6 wall, 4.3 CPU | 18.6 wall, 15.7 CPU |

For integers with gaps, `np.unique` takes 0.9 to 1.2 times the wall time and 0.9 to 1.9 times the CPU time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import (
    chunk_bounds,
    edge_chunk_bounds,
    hash32,
    kernel,
    prefetch,
    rule,
    worker_count,
    wrapping_multiply,
)
from .._core.runtime.array_types import Bytes, ByteTable, Int32s, Int64s, Int64Table, Integers, UInt32s
from .._core.runtime.primitives import Digit, count_keys, places_of, sort_by_key

KEY_BYTES = 16
LONGEST_TEXT = KEY_BYTES - 1  # the last byte is the length
PIECE = 1 << 18  # ids whose keys are made at a time, in a buffer that is used again
_LONGEST_IN_VIEW = 12  # bytes; longer texts are stored outside the view
_IDS_PER_PART = 1 << 14
_MAX_PART_BITS = 11
_HASH_BITS = 32
_PREFETCH_DISTANCE = 16  # ids whose slots are prefetched before they are looked up
_MULTIPLIERS = (0x1E3779B97F4A7C15, 0x3F58476D1CE4E5B9)  # odd, below 2**63


class Spans(NamedTuple):
    """Concatenated texts."""

    data: Bytes
    offsets: Integers  # (texts + 1,): the start of each text in the data


class KeyParts(NamedTuple):
    """Keys grouped by the highest bits of their hashes."""

    starts: Int64s  # (parts + 1,)
    words: Int64Table  # (ids, 2), int64: the keys
    ids: Int32s  # (ids,): the number of each key's id


@kernel
def copy_to_keys(i, texts: Spans, keys: ByteTable):
    """Write the key of text i: its bytes, zeros, and its length."""
    start = texts.offsets[i]
    length = texts.offsets[i + 1] - start
    for k in range(length):
        keys[i, k] = texts.data[start + k]
    for k in range(length, LONGEST_TEXT):
        keys[i, k] = 0
    keys[i, LONGEST_TEXT] = length


@kernel
def copy_views_to_keys(i, views: ByteTable, keys: ByteTable):
    """Write the key of a text in a view: a view has 16 bytes, a length of 4 and, for short texts, 12 bytes of text."""
    length = views[i, 0]
    for k in range(_LONGEST_IN_VIEW):
        byte = views[i, 4 + k]
        keys[i, k] = byte if k < length else 0
    for k in range(_LONGEST_IN_VIEW, LONGEST_TEXT):
        keys[i, k] = 0
    keys[i, LONGEST_TEXT] = length


@kernel(I="int64")
def copy_from_keys(i, keys: ByteTable, texts: Spans):
    """Write the bytes of text i from its key."""
    start = texts.offsets[i]
    for k in range(keys[i, LONGEST_TEXT]):
        texts.data[start + k] = keys[i, k]


def read_keys(keys: Any) -> tuple[Any, Any]:
    """Return the concatenated texts of keys, and the start of each text, (texts + 1,)."""
    offsets = np.zeros(len(keys) + 1, np.int64)
    np.cumsum(keys[:, LONGEST_TEXT], out=offsets[1:])
    data = np.empty(int(offsets[-1]), np.uint8)
    copy_from_keys(len(keys), keys, Spans(data, offsets))
    return data, offsets


@rule
def hash_of_key(a, b):
    """Return a 32-bit hash of all bits of two words."""
    hashed = wrapping_multiply(int(a), _MULTIPLIERS[0])
    hashed = wrapping_multiply((hashed >> 31) ^ hashed ^ int(b), _MULTIPLIERS[1])
    return hash32(hashed >> 31)


@kernel
def hash_key(i, words: Int64Table, hashes: UInt32s):
    """Compute the hash of each key."""
    hashes[i] = hash_of_key(words[i, 0], words[i, 1])


@kernel(by="workers", types="int int64[,] uint32[] int64[,]")
def scatter_piece(worker, workers, first, digit: Digit, words, hashes, places, parts: KeyParts):
    """Write the keys of this worker's chunk of a piece to their parts; the piece's first id has the number `first`."""
    start, end = chunk_bounds(hashes.size, worker, workers)
    for i in range(start, end):
        part = (hashes[i] >> digit.shift) & digit.mask
        place = places[worker, part]
        places[worker, part] = place + 1
        parts.words[place, 0] = words[i, 0]
        parts.words[place, 1] = words[i, 1]
        parts.ids[place] = first + i


@rule
def clear_table(slots, first, entries):
    """Clear a table that begins at slot `first`; return its size, a power of two of at least twice the entries."""
    size = 2
    while size < 2 * entries:
        size *= 2
    for slot in range(first, first + size):
        slots[slot] = -1
    return size


@kernel(by="workers")
def look_up_keys(worker, workers, parts: KeyParts, slots: Int32s, room: int, places: Int32s, counts: Int64s):
    """Move the distinct keys of each part to its beginning; store for each key the index of its equal among them.

    Each worker uses one hash table, of `room` slots, for all of its parts.
    """
    first_slot = worker * room
    first_part, end_part = edge_chunk_bounds(parts.starts, parts.starts.size - 1, worker, workers)
    for part in range(first_part, end_part):
        start, end = parts.starts[part], parts.starts[part + 1]
        size = clear_table(slots, first_slot, end - start)
        distinct = 0
        for k in range(start, end):
            ahead = min(k + _PREFETCH_DISTANCE, end - 1)
            prefetch(slots, first_slot + (hash_of_key(parts.words[ahead, 0], parts.words[ahead, 1]) & (size - 1)))
            a, b = parts.words[k, 0], parts.words[k, 1]
            slot = hash_of_key(a, b) & (size - 1)
            index = slots[first_slot + slot]
            while index >= 0 and not (parts.words[start + index, 0] == a and parts.words[start + index, 1] == b):
                slot = (slot + 1) & (size - 1)
                index = slots[first_slot + slot]
            if index < 0:
                index = distinct
                distinct += 1
                slots[first_slot + slot] = index
                parts.words[start + index, 0] = a
                parts.words[start + index, 1] = b
            places[k] = index
        counts[part] = distinct


@kernel(by="workers")
def write_ranks(worker, workers, parts: KeyParts, bases: Int64s, places: Int32s, ranks: Int32s, numbers: Int32s):
    """Write the rank of each id; `bases` has the offset of each part's distinct keys in `ranks`."""
    first_part, end_part = edge_chunk_bounds(parts.starts, parts.starts.size - 1, worker, workers)
    for part in range(first_part, end_part):
        base = bases[part]
        for k in range(parts.starts[part], parts.starts[part + 1]):
            numbers[parts.ids[k]] = ranks[base + places[k]]


def digit_of_parts(n: int) -> Digit:
    """Return the highest bits of the hashes of n ids, which state the part of an id."""
    bits = min(_MAX_PART_BITS, max(0, (n // _IDS_PER_PART).bit_length()))
    return Digit(_HASH_BITS - bits, (1 << bits) - 1)


def hash_tables(workers: int, starts: np.ndarray, position: type) -> tuple[np.ndarray, int]:
    """Return room for a hash table per worker, in which the largest part fits, and the slots of each."""
    room = 2 << max(0, 2 * int(np.diff(starts).max(initial=0)) - 1).bit_length()
    return np.empty(workers * room, position), room


def number_short(n: int, pieces: Callable[[], Iterator[np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank of each of n ids among the distinct ids, and the keys of the distinct ids in ascending order.

    Each call of `pieces` yields the keys of all ids in pieces, as arrays of 16 columns, which it may overwrite later.
    """
    position = index_type(n)
    parts = _parts(n, pieces)
    number = parts.starts.size - 1
    workers = worker_count("cpu", n)
    slots, room = hash_tables(workers, parts.starts, position)
    places: np.ndarray = np.empty(n, position)
    counts = np.empty(number, np.int64)
    look_up_keys(workers, parts, slots, room, places, counts)
    del slots
    words = [parts.words[start : start + count] for start, count in zip(parts.starts, counts, strict=False)]
    distinct = np.concatenate([*words, np.empty((0, 2), np.int64)])
    parts = parts._replace(words=np.empty((0, 2), np.int64))
    del words
    order = ascending(distinct)
    ranks: np.ndarray = np.empty(order.size, position)
    ranks[order] = np.arange(order.size, dtype=position)
    numbers: np.ndarray = np.empty(n, position)
    write_ranks(workers, parts, np.cumsum(counts) - counts, places, ranks, numbers)
    return numbers, distinct[order].view(np.uint8)


def _parts(n: int, pieces: Callable[[], Iterator[np.ndarray]]) -> KeyParts:
    """Return the keys grouped by part. The keys are made twice: to count them, and to write them."""
    digit, workers = digit_of_parts(n), worker_count("cpu", min(n, PIECE))
    counts = []
    for _, hashes in _hashed(pieces):
        counts.append(np.empty((workers, digit.mask + 1), np.int64))
        count_keys(workers, digit, hashes, counts[-1])
    by_worker = np.concatenate([*counts, np.zeros((1, digit.mask + 1), np.int64)])  # rows in the order of the pieces
    places = places_of(by_worker)
    parts = KeyParts(np.append(places[0], n), np.empty((n, 2), np.int64), np.empty(n, index_type(n)))
    first = 0
    for piece, (words, hashes) in enumerate(_hashed(pieces)):
        piece_places = places[piece * workers : (piece + 1) * workers]
        scatter_piece(workers, first, digit, words, hashes, piece_places, parts)
        first += hashes.size
    return parts


def _hashed(pieces: Callable[[], Iterator[np.ndarray]]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    buffer = np.empty(PIECE, np.uint32)
    for keys in pieces():
        words = keys.view(np.int64)
        hashes = buffer[: len(words)]
        hash_key(len(words), words, hashes)
        yield words, hashes


def ascending(distinct: np.ndarray) -> np.ndarray:
    """Return the order that sorts distinct keys.

    They are sorted by 63 bits, starting at the first bit that differs among them; keys that are equal in these bits are
    then sorted by all bits.
    """
    high, low = distinct.view(">u8").astype(np.uint64).T
    if not high.size:
        return np.empty(0, np.int64)
    shift = 64 - int(np.bitwise_or.reduce(high ^ high[0])).bit_length()
    first = low if shift == 64 else high if shift == 0 else (high << shift) | (low >> (64 - shift))
    first = (first >> 1).astype(np.int64)
    order: np.ndarray = sort_by_key(first)
    first = first[order]
    equal = np.zeros(first.size, bool)
    equal[1:] = first[1:] == first[:-1]
    equal[:-1] |= equal[1:]
    tied = order[equal]
    order[equal] = tied[np.lexsort((low[tied], high[tied]))]
    return order


# Conversion of columns of ids to keys, piece by piece from Arrow's buffers, and of keys back to ids.


def are_short(column: Any) -> bool:
    """Return whether all ids of a column fit into keys."""
    if _is_fixed(column.type):
        return bool(column.type.byte_width <= KEY_BYTES)
    if _is_view(column.type):
        lengths = (_views(piece).view(np.int32)[:, 0] for piece in column.chunks)
        return all(int(length.max(initial=0)) <= _LONGEST_IN_VIEW for length in lengths)
    return all(int(np.diff(_offsets(piece)).max(initial=0)) <= LONGEST_TEXT for piece in _pieces([column]))


def short_keys(columns: Sequence[Any]) -> Iterator[np.ndarray]:
    """Yield the keys of all ids in pieces, as arrays of 16 columns, which share one buffer."""
    buffer = np.zeros((PIECE, KEY_BYTES), np.uint8)
    for piece in _pieces(columns):
        keys = buffer[: len(piece)]
        if _is_fixed(piece.type):
            width = piece.type.byte_width
            keys[:, :width] = _rows(piece, width)
            keys[:, width:] = 0
        elif _is_view(piece.type):
            copy_views_to_keys(len(piece), _views(piece), keys)
        else:
            texts = np.frombuffer(piece.buffers()[2] or b"", np.uint8)
            copy_to_keys(len(piece), Spans(texts, _offsets(piece)), keys)
        yield keys


def of_keys(keys: np.ndarray, kind: Any) -> Any:
    """Return ids as an Arrow array of type `kind` if its values have a fixed size, else as large texts or bytes."""
    import pyarrow as pa

    if _is_fixed(kind):
        data = np.ascontiguousarray(keys[:, : kind.byte_width])
        return pa.FixedSizeBinaryArray.from_buffers(kind, len(keys), [None, pa.py_buffer(data)])
    data, offsets = read_keys(keys)
    large = pa.large_string() if "string" in str(kind) else pa.large_binary()
    return pa.Array.from_buffers(large, len(keys), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _is_fixed(kind: Any) -> bool:
    return str(kind).startswith("fixed_size_binary")


def _is_view(kind: Any) -> bool:
    return str(kind).endswith("_view")


def _pieces(columns: Sequence[Any]) -> Iterator[Any]:
    for column in columns:
        for chunk in column.chunks:
            for start in range(0, len(chunk), PIECE):
                yield chunk[start : start + PIECE]


def _rows(piece: Any, width: int) -> Any:
    """Return the bytes of values of a fixed width, in rows."""
    return np.frombuffer(piece.buffers()[1] or b"", np.uint8, width * len(piece), width * piece.offset).reshape(
        -1, width
    )


def _views(piece: Any) -> Any:
    return _rows(piece, KEY_BYTES)


def _offsets(piece: Any) -> Any:
    """Return the starts of a piece's texts in its buffer, and the end of the last one."""
    width = np.dtype(np.int64 if str(piece.type).startswith("large") else np.int32)
    if not len(piece):
        return np.zeros(1, width)
    return np.frombuffer(piece.buffers()[1], width, len(piece) + 1, width.itemsize * piece.offset)
