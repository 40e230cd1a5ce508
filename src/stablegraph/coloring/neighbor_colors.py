"""The colors around each vertex, in tables that fit into the rows of the graph.

A vertex with d neighbors sees at most d different colors, so its table has d places: those of its row in CSR form. The
place of color c is c, modulo d, or the next free one. While there are at most d colors, the place is found at once,
and it is sufficient to read as many places as there are colors.

Rule: a color is in v's table if and only if a neighbor of v has it. In the code: `place_of_color`.

State: colors[place], `NO_COLOR` if the place is free. Users keep further facts about (vertex, color) in arrays of the
same size.

Cost: a lookup reads one place if d is at least the number of colors, and at most d places otherwise. Work memory: 4
bytes per entry.
"""

from __future__ import annotations

from .._core.runtime import rule
from .rules import NO_COLOR


@rule
def place_of_color(v, color, rows, colors):
    """Return the place of a color in v's table, or the free place where it belongs."""
    start = rows.indptr[v]
    size = rows.indptr[v + 1] - start
    step = color if color < size else color % size
    while colors[start + step] != NO_COLOR and colors[start + step] != color:
        step += 1
        if step == size:
            step = 0
    return start + step


@rule
def end_of_table(v, count, rows):
    """Return the end of the places of v's table that may be in use, for colors below `count`."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    return min(end, start + count)


@rule
def lowest_without(v, marks):
    """Return the lowest color that v has not marked."""
    color = 0
    while marks[color] == v:
        color += 1
    return color
