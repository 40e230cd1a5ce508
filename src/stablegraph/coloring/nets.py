"""Partial distance-2 coloring by first fit: the members of each net get different colors.

Result: colors that differ within each net; they depend only on the nets and the order. A column of a matrix is a member
of the nets (rows) in which it has entries; this colors columns for sparse Jacobians. At distance 2 every vertex v is
both a column and a net, whose members are v and its neighbors.

Rule: color(v) = min({0, 1, 2, ...} - {color(u) : u ahead of v, in a net of v}). The oracle is `first_fit` in
tests/support/naive.py, for matrices the one in tests/derivatives/test_plans.py.

In the code: `_fit_low` for colors below 64, `_fit` for all colors.

Idea: each net stores the colors of its members, so that pairs of vertices are never enumerated. In phase 1 this is a
set of the colors below 64, one word per net. A vertex unites the words of its nets, takes the lowest missing color, and
adds it to these words. Most sparse matrices need no more colors. Phase 2 begins at the first vertex for which all 64
colors are taken, and also stores higher colors. A *large* net has a row of words (bit c of the row: color c is taken)
and its lowest missing color; any other net has a list. The search begins at the largest of these lowest missing colors.
The colors of the lists are marked. Then the words of the large nets are united, one word of 64 colors after the other,
from the largest net on, because its word is most likely to be full. (The nets are in a heap: sorting them would cost
more than it saves.)

State: ``low[u]``, and in phase 2 the record ``records[u]`` of four words: the colors below 64; the row in ``words``, or
the position in ``lists`` where the net's list begins; the length of the list; the lowest missing color from 64 on, 0
for nets that are not large. Sets are as in rules.py. ``marks[c]`` is the last vertex with color c in a list of its
nets. Vertices with a fixed color only store it with their nets.

Cost: two accesses for each entry. In phase 2 also the lists of a vertex's nets, which are at most as long as the
largest net that is not large, and a few words for each 64 colors between the start of the search and its end. One
thread. Work memory: 8 bytes per net; in phase 2 another 32 bytes per net, 4 bytes per entry, 8 bytes per color, and for
each large net a bit per color. Large nets have more than 64 members. If their bits would need more than 4 bytes per
entry, with one color for each member of the largest net, then only the largest of them are treated as large nets.

Source of first fit by nets: A. Gebremedhin, F. Manne, A. Pothen, "What Color Is Your Jacobian?", SIAM Review 47(4),
2005. The words were developed for this library.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import Pattern
from .._core.csr.patterns import product_pattern, with_diagonal
from .._core.memory import allocate_or_raise
from .._core.runtime import Int32s, Int64s, Rows, UInt64Table, kernel, prefetch, rule
from .._core.runtime.partitioning import ITEMS_PER_CALL
from .._core.runtime.primitives import exclusive_scan
from ..conversion import as_graph
from ..graph import Graph
from .rules import EMPTY, FULL, NO_COLOR, WORD, bit_of, lowest_missing

_MIN_WORDS = 16  # initial number of words; doubled when colors run out
_BYTES_AN_ENTRY = 4  # for the words of large nets, if the estimate of the number of colors is right
_MANY_PAIRS = 64  # pairs within distance 2, per entry; usual where all rows have similar lengths
_PURPOSE = "all pairs within distance 2; pass reduce='none' and balance=False, which do without them"
_ROWS_PREFETCH_DISTANCE, _NETS_PREFETCH_DISTANCE = 16, 4  # prefetch distances, in vertices

_NEXT, _SPENT, _FULL = range(3)  # the fields of `progress`: a vertex, accesses, whether there was no space
_LOW, _PLACE, _COUNT, _MISSING = range(4)  # the fields of a record


class Nets(NamedTuple):
    """The colors of the members of each net, in phase 2."""

    records: UInt64Table  # (nets, 4): see `_LOW` and the following names
    lists: Int32s  # the colors from 64 on in nets that are not large
    words: UInt64Table  # (large nets, words): the set of colors in each large net, with no color below 64


class Taken(NamedTuple):
    """Work memory for the colors from 64 on in the nets of one vertex."""

    large: Int64s  # a heap of the rows of large nets in `Nets.words`, the largest net on top
    marks: Int64s  # (colors,): the last vertex with this color in a list of its nets


@rule
def _bit(color):
    """Return the bit of a color in its word."""
    return bit_of(color & (WORD - 1))


@rule
def _turn(i, vertices, rows, nets):
    """Return the i-th vertex, and the beginning and end of its row.

    A row that is needed soon is prefetched, and so are the nets of a row that is needed very soon.
    """
    indptr, indices = rows
    last = vertices.size - 1
    prefetch(indices, indptr[vertices[min(i + _ROWS_PREFETCH_DISTANCE, last)]])
    soon = vertices[min(i + _NETS_PREFETCH_DISTANCE, last)]
    for e in range(indptr[soon], indptr[soon + 1]):
        prefetch(nets, indices[e])
    v = vertices[i]
    return v, indptr[v], indptr[v + 1]


@kernel(by="single", types="int int V[] uint64[] int32[] int64[]")
def _fit_low(reflexive, pause, vertices, rows: Rows, low, colors, progress):
    """Run phase 1 until a vertex needs a color from 64 on, or `pause` accesses have been spent."""
    maximum = vertices.size  # first fit never needs a higher color, so a higher fixed color never matters
    i, spent = progress[_NEXT], progress[_SPENT]
    while i < vertices.size and spent < pause:
        v, start, end = _turn(i, vertices, rows, low)
        color = colors[v]
        if color == NO_COLOR:
            taken = low[v] if reflexive else EMPTY
            for e in range(start, end):
                taken |= low[rows.indices[e]]
            color = lowest_missing(taken)
        if WORD <= color <= maximum:
            progress[_FULL] = 1
            break
        if color < WORD:
            colors[v] = color
            if reflexive:
                low[v] |= _bit(color)
            for e in range(start, end):
                low[rows.indices[e]] |= _bit(color)
        spent += 1 + end - start
        i += 1
    progress[_NEXT], progress[_SPENT] = i, spent


@rule(inline=False)
def _mark_listed_colors(v, reflexive, rows, nets, taken):
    """Mark the colors in the lists of v's nets, and put its large nets into a heap with the largest net on top.

    Return the number of large nets, the color from which to search, and the number of accesses to lists.
    """
    records, lists, _ = nets
    large, marks = taken
    count, base, listed = 0, np.int64(WORD), np.int64(0)
    start, end = rows.indptr[v], rows.indptr[v + 1]
    for e in range(start - reflexive, end):
        u = v if e < start else rows.indices[e]
        if records[u, _MISSING] > 0:
            row, hole = np.int64(records[u, _PLACE]), count
            while hole > 0 and large[(hole - 1) >> 1] > row:
                large[hole] = large[(hole - 1) >> 1]
                hole = (hole - 1) >> 1
            large[hole] = row
            count += 1
            base = max(base, np.int64(records[u, _MISSING]))
        else:
            place = np.int64(records[u, _PLACE])
            for i in range(place, place + np.int64(records[u, _COUNT])):
                marks[lists[i]] = v
            listed += np.int64(records[u, _COUNT])
    return count, base, listed


@rule(inline=False)
def _lowest_beyond_low(v, base, count, words, taken):
    """Return the lowest color from `base` on that is neither in the words of the large nets nor marked.

    If there is none, return a color beyond all words.
    """
    word = base // WORD
    union = ~(FULL >> np.uint64(base & (WORD - 1)))
    while word < words.shape[1]:
        for i in range(count):
            union |= words[taken.large[i], word]
            if union == FULL:
                break
        while union != FULL:
            color = word * WORD + lowest_missing(union)
            if taken.marks[color] != v:
                return color
            union |= _bit(color)
        word += 1
        union = EMPTY
    return word * WORD


@rule(inline=False)
def _store(color, v, reflexive, rows, nets):
    """Store a color from 64 on with v's nets."""
    records, lists, words = nets
    start, end = rows.indptr[v], rows.indptr[v + 1]
    for e in range(start - reflexive, end):
        u = v if e < start else rows.indices[e]
        missing = np.int64(records[u, _MISSING])
        if missing > 0:
            row = np.int64(records[u, _PLACE])
            words[row, color // WORD] |= _bit(color)
            if color == missing:
                while (words[row, missing // WORD] & _bit(missing)) != EMPTY:
                    missing += 1
                records[u, _MISSING] = missing
        else:
            lists[records[u, _PLACE] + records[u, _COUNT]] = color
            records[u, _COUNT] += np.uint64(1)


@kernel(by="single", types="int int V[] int32[] int64[]")
def _fit(reflexive, pause, vertices, rows: Rows, nets: Nets, taken: Taken, colors, progress):
    """Run phase 2 until the words have no space for a color, or `pause` accesses have been spent."""
    records = nets.records
    maximum = vertices.size  # as in phase 1
    i, spent = progress[_NEXT], progress[_SPENT]
    room = (nets.words.shape[1] - 1) * WORD  # so that the row of a net always ends with a missing color
    while i < vertices.size and spent < pause:
        v, start, end = _turn(i, vertices, rows, records)
        color = colors[v]
        if color == NO_COLOR:
            # Find the lowest color missing in v's nets: first below 64, then among the higher colors.
            low = records[v, _LOW] if reflexive else EMPTY
            for e in range(start, end):
                low |= records[rows.indices[e], _LOW]
            color = lowest_missing(low)
            if color >= WORD:
                count, base, listed = _mark_listed_colors(v, reflexive, rows, nets, taken)
                color = _lowest_beyond_low(v, base, count, nets.words, taken)
                spent += listed + (color - base) // 8
        if room <= color <= maximum:
            progress[_FULL] = 1
            break
        # Store the color with the nets.
        if color < WORD:
            if reflexive:
                records[v, _LOW] |= _bit(color)
            for e in range(start, end):
                records[rows.indices[e], _LOW] |= _bit(color)
        elif color <= maximum:
            _store(color, v, reflexive, rows, nets)
        colors[v] = color
        spent += 1 + end - start
        i += 1
    progress[_NEXT], progress[_SPENT] = i, spent


def fit(rows: Rows, count: int, sizes_of: Callable[[], Any], vertices: Any, colors: Any, *, reflexive: bool) -> None:
    """Color the uncolored vertices in the given order; the colors of all other vertices are stored with their nets.

    Parameters
    ----------
    rows : Rows
        The nets of each vertex.
    count : int
        The number of nets.
    sizes_of : callable
        Returns the number of members of each net; repeated members count repeatedly. Called in phase 2 only.
    vertices : integer array, of the dtype of `indices`
        The vertices to process. All colored vertices come first.
    colors : int32 array
        `NO_COLOR` for vertices without one.
    own : bool
        Whether each vertex is also a net, and a member of it.
    """
    progress = np.zeros(3, np.int64)
    low = np.zeros(count, np.uint64)

    def run(phase: Any, *arrays: Any) -> bool:
        """Call a kernel until it is done or has no space for a color; return whether it is done."""
        progress[_FULL] = 0
        while progress[_NEXT] < vertices.size and not progress[_FULL]:
            pause = int(progress[_SPENT]) + ITEMS_PER_CALL
            phase(int(reflexive), pause, vertices, rows, *arrays, colors, progress)
        return not progress[_FULL]

    if run(_fit_low, low):
        return
    sizes = sizes_of()
    is_large = sizes > longest_list(sizes)
    by_size = np.flatnonzero(is_large)[np.argsort(-sizes[is_large], kind="stable")]
    records = np.zeros((count, 4), np.uint64)
    offsets = exclusive_scan(np.where(is_large, 0, sizes).astype(np.int64))
    records[:, _LOW], records[:, _PLACE] = low, offsets[:-1]
    records[by_size, _PLACE], records[by_size, _MISSING] = np.arange(by_size.size), WORD
    lists = np.empty(int(offsets[-1]), np.int32)
    large = np.empty(int(np.diff(rows.indptr).max()) + 1, np.int64)
    width = _MIN_WORDS
    words, marks = np.zeros((by_size.size, width), np.uint64), np.full(width * WORD, -1, np.int64)
    while not run(_fit, Nets(records, lists, words), Taken(large, marks)):
        words = np.pad(words, ((0, 0), (0, width)))
        marks = np.pad(marks, (0, width * WORD), constant_values=-1)
        width *= 2


def longest_list(sizes: Any) -> int:
    """Return the maximum number of members of a net that keeps a list; nets with more members are large."""
    room = 8 * _BYTES_AN_ENTRY * int(sizes.sum(dtype=np.int64))
    row_count = room // (int(sizes.max()) + 1)  # the number of rows of words
    if row_count >= sizes.size:
        return WORD
    return max(WORD, int(np.partition(sizes, sizes.size - 1 - row_count)[sizes.size - 1 - row_count]))


def fit_at_two(graph: Graph, vertices: Any, colors: Any) -> None:
    """Color the given vertices by first fit at distance 2, in the given order; all colored vertices come first."""
    settled = np.flatnonzero(colors != NO_COLOR)
    order = np.concatenate([settled, vertices]).astype(graph.indices.dtype, copy=False)
    rows = Rows(graph.indptr, graph.indices)
    fit(rows, graph.num_vertices, lambda: np.diff(graph.indptr) + 1, order, colors, reflexive=True)


# ---- All pairs, for reductions and constraints


def square(graph: Graph) -> Graph:
    """Return the square, with a loop at each vertex. Memory: up to the sum of the squared degrees, in entries."""
    host, n = graph.to("cpu"), graph.num_vertices
    fullest = int(host.degrees.max()) + 1 if n else 0
    allocate_or_raise(fullest * fullest, host.indices.dtype, _PURPOSE)  # a lower bound, checked before any work is done
    rows = Pattern(host.indptr, host.indices)
    pairs = product_pattern(with_diagonal(rows, purpose=_PURPOSE), rows, n, purpose=_PURPOSE)
    return as_graph(pairs).to(graph.device)


def has_many_pairs(graph: Graph) -> bool:
    """Return whether there are far more pairs than entries, because a few vertices have very many neighbors."""
    degrees = graph.degrees
    entries = int(degrees.sum(dtype=np.int64))
    usual = max(_MANY_PAIRS, 4 * entries // max(graph.num_vertices, 1))
    return float((degrees.astype(np.float64) ** 2).sum()) > float(usual * entries)
