"""Numbering of ids: converts ids of any type to numbers 0 .. n - 1, in ascending order of id; and names in an array.

Numbers follow the order of the ids, not of the rows, so that a graph and its results depend only on the edges, and not
on the order in which an engine returns its rows. Only the distinct ids are sorted. Texts are sorted by code points, as
in Python. Short texts have a faster method, in short_strings.py.

Search for equal texts (`first_equals`):

Idea: texts are distributed to parts by some bits of their hashes, in stable order. A part is small enough for its hash
table to fit in a core's cache. Within each part the texts are looked up one after another, by hash and then word by
word, so that the result depends neither on the hash nor on the number of threads.

Work memory: 12 bytes per text (16 from 2**31 texts on), temporarily twice as much, and the hash tables.

Sorting of distinct texts (`sort_texts`):

Result: the order of the texts by bytes, which is the order of code points in UTF-8.

Rule: order = that of (bytes 0 to 6, bytes 7 to 13, ...), in which missing bytes are zeros.

Idea: seven bytes are an integer, and integers are sorted by counting on all threads. Only texts that are still equal
are sorted again, by their next bytes, within their groups. Texts that are equal in all rounds have long common
beginnings, or differ only in zeros at their ends; the caller sorts these.

Cost: one round for most texts. Work memory: about 60 bytes per text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from operator import index
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import index_type
from .._core.runtime import (
    Int32s,
    Int64s,
    Vertices,
    edge_chunk_bounds,
    hash32,
    kernel,
    prefetch,
    rule,
    worker_count,
    wrapping_multiply,
)
from .._core.runtime.array_types import Bytes, UInt32s
from .._core.runtime.primitives import compact, count_keys, places_of, scatter_keys, sort_by_key
from .._core.texts import printable, short_repr
from .._core.validation import host_array
from .short_strings import PIECE, clear_table, digit_of_parts, hash_tables, number_short

_PREFETCH_DISTANCE = 12  # texts whose bytes are prefetched before they are compared
_MULTIPLIER = 0x1E3779B97F4A7C15  # odd, below 2**63
_WORD = 8  # bytes


class Texts(NamedTuple):
    """Concatenated texts as bytes."""

    data: Bytes
    offsets: Int64s  # (texts + 1,), int64: the start of each text in the data


class TextParts(NamedTuple):
    """Texts grouped by the highest bits of their hashes, in their original order within each part."""

    starts: Int64s  # (parts + 1,)
    hashes: UInt32s  # (texts,)
    texts: Int32s  # (texts,): numbers of the texts


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
def look_up_parts(worker, workers, texts: Texts, parts: TextParts, slots: Int32s, room: int, firsts: Int32s):
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
    slots, room = hash_tables(workers, parts.starts, position)
    firsts: np.ndarray = np.empty(n, position)
    look_up_parts(workers, texts, parts, slots, room, firsts)
    return firsts


def _group_by_hash(hashes: np.ndarray, position: type) -> TextParts:
    digit, workers = digit_of_parts(int(hashes.size)), worker_count("cpu", int(hashes.size))
    counts = np.empty((workers, digit.mask + 1), np.int64)
    count_keys(workers, digit, hashes, counts)
    places = places_of(counts)
    starts = np.append(places[0], hashes.size)
    parts = TextParts(starts, np.empty_like(hashes), np.empty(hashes.size, position))
    scatter_keys(workers, digit, hashes, np.empty(0, position), places, parts.hashes, parts.texts)
    return parts


_MAX_CHEAP_ID = 1 << 24  # largest id for which an array with a mark per possible id is always cheap


@kernel
def write_rank(i, firsts: Int32s, ranks: Int32s, numbers: Int32s):
    """Write the rank of the first text that equals text i."""
    numbers[i] = ranks[firsts[i]]


def number_texts(texts: Texts, ascending: Callable[[np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return the rank of each text among the distinct texts, and the positions of the distinct texts in that order.

    `ascending` returns the order that sorts the texts at the given positions, for texts with long common beginnings.
    """
    firsts = first_equals(texts)
    distinct = compact(firsts == np.arange(firsts.size, dtype=firsts.dtype))
    distinct = distinct[sort_texts(texts, distinct, ascending)]
    ranks = np.empty_like(firsts)
    ranks[distinct] = np.arange(distinct.size, dtype=firsts.dtype)
    numbers = np.empty_like(firsts)
    write_rank(firsts.size, firsts, ranks, numbers)
    return numbers, distinct


def number_integers(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    """Return both columns as vertex numbers, the number of distinct ids, and the ids (None if they are 0 .. n - 1)."""
    least, most = least_and_largest(u, v)
    ids: np.ndarray
    if least >= 0 and most < max(_MAX_CHEAP_ID, 8 * u.size):
        present = np.zeros(most + 1, bool)
        present[u] = True
        present[v] = True
        ids = np.flatnonzero(present)
        if ids.size != most + 1:
            rank = np.cumsum(present) - 1
            u, v = rank[u], rank[v]
        return u, v, ids.size, None if ids.size == most + 1 else ids
    numbers, keys = number_short(u.size + v.size, lambda: _keys_of_integers(u, v))
    ids = (keys.view(">u8")[:, 0] ^ _sign_bit(u)).astype(u.dtype)
    return numbers[: u.size], numbers[u.size :], ids.size, ids


def least_and_largest(*columns: np.ndarray) -> tuple[int, int]:
    """Return the least and the largest integer of all columns; 0 and -1 if they are empty."""
    filled = [column for column in columns if column.size]
    smallest = min((int(column.min()) for column in filled), default=0)
    return smallest, max((int(column.max()) for column in filled), default=-1)


def _keys_of_integers(*columns: np.ndarray) -> Iterator[np.ndarray]:
    """Yield keys in pieces, whose order is the order of the integers, and which share one buffer."""
    buffer = np.zeros((PIECE, 2), ">u8")
    for column in columns:
        for start in range(0, column.size, PIECE):
            piece = column[start : start + PIECE].view(np.uint64)
            words = buffer[: piece.size]
            words[:, 0] = piece ^ _sign_bit(column)
            yield words.view(np.uint8)


def _sign_bit(column: np.ndarray) -> np.uint64:
    """Return the sign bit, which is flipped so that negative integers come first; 0 for unsigned columns."""
    return np.uint64(1 << 63 if column.dtype.kind == "i" else 0)


_BYTES = 7  # of a text in a round: 56 bits
_ROUNDS = 8


@kernel
def read_bytes(i, texts: Texts, chosen: Vertices, first: int, keys: Int64s):
    """Read seven bytes of a chosen text, from byte `first` on, as an integer."""
    start = texts.offsets[chosen[i]] + first
    end = texts.offsets[chosen[i] + 1]
    key = 0
    for k in range(start, start + _BYTES):
        key = (key << 8) | (int(texts.data[k]) if k < end else 0)
    keys[i] = key


def sort_texts(texts: Texts, chosen: np.ndarray, ascending: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return the order that sorts the chosen texts, which differ from each other.

    `ascending` returns the order that sorts the texts at some positions; it receives those that remain equal.
    """
    order, tied = np.arange(chosen.size), np.arange(chosen.size)  # `tied` has the places of equal texts in the order
    groups = np.zeros(chosen.size, np.int64)
    for first in range(0, _BYTES * _ROUNDS, _BYTES):
        if not tied.size:
            return order
        members = order[tied]
        keys = np.empty(tied.size, np.int64)
        read_bytes(tied.size, texts, chosen[members], first, keys)
        by_key = sort_by_key(keys - keys.min())
        by_group = by_key[sort_by_key(groups[by_key])]
        order[tied] = members[by_group]
        keys, groups = keys[by_group], groups[by_group]
        begins = np.ones(tied.size + 1, bool)  # of a group of equal texts
        begins[1:-1] = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
        remains = ~(begins[1:] & begins[:-1])
        groups, tied = np.cumsum(begins[:-1])[remains], tied[remains]
    order[tied] = order[tied][ascending(chosen[order[tied]])]
    return order


_BLOCK = 1 << 16


class ArrowNames(Sequence[Any]):
    """Distinct names in ascending order, one for each vertex; the Python object of a name is created only on access.

    A name is found by bisection, without a dictionary.

    ``names[v]`` is the name of vertex v as a Python object, or a NumPy array with the names of the vertices in an array
    or a mask. ``names.array`` is the whole pyarrow array.
    """

    def __init__(self, array: Any) -> None:
        self.array = array

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, v: Any) -> Any:
        if isinstance(v, slice):
            return self.array[v].to_pylist()
        if isinstance(v, list) or getattr(v, "ndim", 0) > 0:
            return self._names_in(host_array(v, "nodes[...]"))
        try:
            return self.array[index(v)].as_py()
        except TypeError:
            raise TypeError(
                f"nodes[...] takes the number of a vertex, an array of numbers, or a mask; got {short_repr(v)}"
            ) from None

    def _names_in(self, vertices: np.ndarray) -> np.ndarray:
        """Return an array of the same shape with the names of vertices, or the names in a mask."""
        n = len(self)
        if vertices.dtype == bool:
            if vertices.shape != (n,):
                raise IndexError(f"nodes[...] got a mask of shape {vertices.shape}, but there are {n} vertices")
            vertices = np.flatnonzero(vertices)
        if vertices.size and vertices.dtype.kind not in "iu":
            raise TypeError(f"nodes[...] takes numbers of vertices or a mask of bool, got {vertices.dtype}")
        outside = (vertices < 0) | (vertices >= n)
        if outside.any():
            v = vertices[outside][0]
            none = "; -1 means no vertex, so leave such places out" if v == -1 else ""
            raise IndexError(f"nodes[...] got {v}, but there are {n} vertices, numbered from 0{none}")
        names = self.array.take(vertices.astype(np.int64).ravel()).to_pylist()
        return np.array(names, None if names else object).reshape(vertices.shape)

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), _BLOCK):
            yield from self[start : start + _BLOCK]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ArrowNames):
            return bool(self.array.equals(other.array)) or list(self) == list(other)
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = self[:3] + (["..."] if len(self) > 3 else [])
        return printable(f"<ArrowNames: {len(self):,} of type {self.array.type}, {', '.join(map(str, shown))}>")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(list(self), dtype)

    def get(self, name: Any) -> int | None:
        """Return the number of the vertex with this name; None if no vertex has it."""
        try:
            v = bisect_left(self, name)
        except TypeError:  # of another type
            return None
        return v if v < len(self) and self[v] == name else None

    def __contains__(self, name: Any) -> bool:
        return self.get(name) is not None

    def at(self, vertices: np.ndarray) -> Sequence[Any]:
        """Return the names of the given vertices: as ArrowNames if the vertices ascend, otherwise as a list."""
        taken = self.array.take(vertices)
        return ArrowNames(taken) if (vertices[1:] > vertices[:-1]).all() else taken.to_pylist()
