"""Sets of colors as words of 64 bits, with color 0 at the highest bit: the lowest missing one is a count of zeros.

In a register: the colors below 63 that a vertex's neighbors have, of which bit 63 stands for every color that is higher
or not given yet. Only where all 63 are taken, the neighbors are read again, and the higher colors are marked in an
array with the vertex that saw them, so that marks need not be erased: ``marks[c]`` is the last vertex with a neighbor
of color c; the last element is for all colors beyond. No vertex of first fit needs a color above its degree, so marks
for that many colors, and one more, are enough.

In several words, one after the other in an array: color c is bit c % 64 of word c // 64.
"""

from __future__ import annotations

import numpy as np

from ..parallel import leading_zeros, rule

WORD = 64  # colors of a word
IN_REGISTER = 63
EMPTY = np.uint64(0)
FULL = np.uint64((1 << 64) - 1)
_FIRST = np.uint64(1 << 63)


@rule
def bit_of(color):
    """The set of one color, from 0 to 63."""
    return _FIRST >> np.uint64(color)


@rule
def bit_in_register(color):
    """The set of one color, in which all from `IN_REGISTER` on are alike."""
    return bit_of(min(color, IN_REGISTER))


@rule
def lowest_missing(taken):
    """The lowest color that is not in a word; 64 if there is none."""
    return leading_zeros(~taken)


@rule
def lowest_of(words, start):
    """The lowest color of a set whose words begin at `start`; the set is not empty."""
    place = start
    while words[place] == EMPTY:
        place += 1
    return (place - start) * WORD + leading_zeros(words[place])


@rule
def mark(color, v, marks):
    """Note that v has a neighbor of some color, if that may be in v's way."""
    marks[min(color, marks.size - 1)] = v


@rule
def lowest_unmarked(v, marks):
    """The lowest color from `IN_REGISTER` on that v has not marked."""
    color = IN_REGISTER
    while marks[color] == v:
        color += 1
    return color
