"""Numbering of ids: converts ids of any type to numbers 0 .. n - 1, in ascending order of id.

Numbers follow the order of the ids, not of the rows, so that a graph and its results depend only on the edges, and not
on the order in which an engine returns its rows. Only the distinct ids are sorted. Texts are sorted by code points, as
in Python.

Sorting of distinct texts (`sort_texts`):

Result: the order of the texts by bytes, which is the order of code points in UTF-8.

Rule: order = that of (bytes 0 to 6, bytes 7 to 13, ...), in which missing bytes are zeros.

Idea: seven bytes are an integer, and integers are sorted by counting on all threads. Only texts that are still equal
are sorted again, by their next bytes, within their groups. Texts that are equal in all rounds have long common
beginnings, or differ only in zeros at their ends; the caller sorts these.

Cost: one round for most texts. Work memory: about 60 bytes per text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from .._core.runtime import Int32s, Int64s, Vertices, kernel
from .._core.runtime.primitives import compact, sort_by_key
from .short_strings import PIECE, number_short
from .string_equality import Texts, first_equals

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
