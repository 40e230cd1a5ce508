"""Rules for colors: the lowest free color of a vertex, and sets of colors.

Rule: `lowest_free_color` decides in first fit, on one thread and in partitions.

Sets of colors are 64-bit words, with color 0 in the highest bit: the lowest missing color is a count of leading bits.

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

NO_COLOR = 2**31 - 1  # larger than any color, so that `min` over neighbors needs no special case
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
def lowest_unmarked(v, marks, color):
    """Return the lowest color from `color` on that v has not marked."""
    while marks[color] == v:
        color += 1
    return color


@rule
def _two(e, indices, colors):
    """Return the set of the colors of two entries, and the higher color."""
    one, other = colors[indices[e]], colors[indices[e + 1]]
    return bit_in_register(one) | bit_in_register(other), max(one, other)


@rule
def colors_around(start, end, indices, colors):
    """Return the set of the colors of the entries from `start` to `end`, and the highest color."""
    if end - start == 4 or end - start == 6:
        taken, highest = _two(start, indices, colors)
        more, high = _two(start + 2, indices, colors)
        taken, highest = taken | more, max(highest, high)
        if end - start == 6:
            more, high = _two(start + 4, indices, colors)
            taken, highest = taken | more, max(highest, high)
    else:
        taken, highest = EMPTY, np.int32(0)
        for e in range(start, end):
            color = colors[indices[e]]
            taken |= bit_in_register(color)
            highest = max(highest, color)
    return taken, highest


@rule(inline=False)
def mark_colors(v, start, end, indices, marks, colors):
    """Mark the colors of v's entries from `start` to `end`."""
    for e in range(start, end):
        mark(colors[indices[e]], v, marks)


@rule
def lowest_free_color(v, start, end, indices, marks, colors):
    """Return the lowest color that no entry of v's row from `start` to `end` has."""
    taken, _ = colors_around(start, end, indices, colors)
    color = lowest_missing(taken)
    if color >= IN_REGISTER:
        mark_colors(v, start, end, indices, marks, colors)
        color = lowest_unmarked(v, marks, IN_REGISTER)
    return color
