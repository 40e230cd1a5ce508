"""Sets of vertices as bits.

Result: an array of words, in which word w has the vertices from 32 w to 32 w + 31, the lowest bit the first of them.

Rule: v is in the set  <=>  bit v mod 32 of word v div 32 is 1. In the code: `contains`.

Idea: a set of a million vertices takes 128 KiB, which fits into the cache of each core. A worker that changes only
words of its own range needs no atomic operations.

Cost: one bit per vertex.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import ArrayT, UInt32s, kernel, rule

ALL = 0xFFFF_FFFF  # a word with all bits


@rule
def bit_of(v):
    """Return the bit of a vertex within its word."""
    return 1 << (int(v) & 31)


@rule
def contains(words, v):
    """Return whether a set contains a vertex."""
    return (words[int(v) >> 5] >> (int(v) & 31)) & 1 != 0


def empty_set(n: int) -> Any:
    """Return a set without vertices."""
    return np.zeros(-(-n // 32), np.uint32)


@kernel(T="int32 int64")
def unpack(v, words: UInt32s, flags: ArrayT):
    """Write 1 for a vertex of the set, otherwise 0."""
    flags[v] = contains(words, v)


@kernel(each=32, T="int32 int64")
def pack(word, flags: ArrayT, words: UInt32s):
    """Write the word of 32 vertices, of which those with the flag 1 are in the set."""
    bits = 0
    for j in range(32):
        bits |= int(flags[32 * word + j]) << j
    words[word] = bits
