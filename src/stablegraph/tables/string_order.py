"""Sorting of distinct texts by their bytes, seven at a time.

Result: the order of the texts by bytes, which is the order of code points in UTF-8.

Rule: order = that of (bytes 0 to 6, bytes 7 to 13, ...), in which missing bytes are zeros.

Idea: seven bytes are an integer, and integers are sorted by counting on all threads. Only texts that are still equal
are sorted again, by their next bytes, within their groups. Texts that are equal in all rounds have long common
beginnings, or differ only in zeros at their ends; the caller sorts these.

Cost: one round for most texts. Work memory: about 60 bytes per text.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._core.runtime import Int64s, Vertices, kernel
from .._core.runtime.primitives import sort_by_key
from .string_equality import Texts

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
