"""Sets of colors as 64-bit words, with color 0 in the highest bit: the lowest missing color is a count of leading bits.

In a register: the colors below 63 of a vertex's neighbors. Bit 63 means every color that is higher, or not yet
assigned. Only if all 63 colors are taken, the neighbors are read again, and their higher colors are marked in an array.
A mark is the vertex that wrote it, so that marks are never cleared: ``marks[c]`` is the last vertex with a neighbor of
color c. The last element is shared by all colors beyond the array. First fit never needs a color above the vertex's
degree, so the array has marks for the colors up to the largest degree, and the last element.

In several words, consecutive in an array: color c is bit c % 64 of word c // 64.
"""

from __future__ import annotations

import numpy as np

from .._core.runtime import leading_zeros, rule

WORD = 64  # colors per word
IN_REGISTER = 63
EMPTY = np.uint64(0)
FULL = np.uint64((1 << 64) - 1)
_FIRST = np.uint64(1 << 63)


@rule
def bit_of(color):
    """Return the set with one color, from 0 to 63."""
    return _FIRST >> np.uint64(color)


@rule
def bit_in_register(color):
    """Return the set with one color; all colors from `IN_REGISTER` on share one bit."""
    return bit_of(min(color, IN_REGISTER))


@rule
def lowest_missing(taken):
    """Return the lowest color that is not in a word; 64 if all are in it."""
    return leading_zeros(~taken)


@rule
def lowest_of(words, start):
    """Return the lowest color of a non-empty set whose words begin at `start`."""
    place = start
    while words[place] == EMPTY:
        place += 1
    return (place - start) * WORD + leading_zeros(words[place])


@rule
def mark(color, v, marks):
    """Record that v has a neighbor of this color; all colors beyond the array share the last mark."""
    marks[min(color, marks.size - 1)] = v


@rule
def lowest_unmarked(v, marks):
    """Return the lowest color from `IN_REGISTER` on that v has not marked."""
    color = IN_REGISTER
    while marks[color] == v:
        color += 1
    return color
