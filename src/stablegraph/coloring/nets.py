"""First fit where the members of each net must differ: a partial coloring at distance 2.

A column of a matrix is a member of the nets (rows) in which it has entries: colorings of columns for sparse Jacobians.
At distance 2 every vertex v is such a column, and a net, too: its members are v and its neighbors.

Result: each vertex in turn takes the lowest color that no earlier member of any of its nets has.

Idea: a net remembers the colors of its members, so that nobody goes through all pairs. In phase 1 this is a set of the
colors below 64, one word a net: a vertex unites the words of its nets, takes the lowest color that is missing, and adds
it to them. Most sparse matrices need no more. The first vertex that finds all 64 taken begins phase 2, in which nets
also remember higher colors: *large* nets as a row of words (bit c of the row: color c is taken) with the lowest color
that is missing, all others as a list. The search begins at the greatest of these lowest colors; the colors of lists are
marked; then the words of the large nets are united, one word of 64 colors after the other, from the largest net on as
its word is most likely to be full. (They come in a heap: sorting them would cost more than it saves.)

State: ``low[u]``, and from phase 2 on the record ``nets[u]`` of four words: the colors below 64; the row in ``words``,
or the place in ``lists`` where the net's list begins; the length of the list; the lowest color from 64 on that is
missing, 0 for nets that are not large. Color 64 w + b is bit 63 - b of word w. ``marks[c]`` is the vertex that
saw color c in a list last. Colors may be given beforehand: such vertices only tell theirs to their nets.

Cost: two accesses for each entry; in phase 2 also the lists of a vertex's nets, which are at most as long as the
largest net that is not large, and few words for each 64 colors between the start of the search and its end. One thread.
Work memory: 8 bytes a net; in phase 2 another 32 bytes a net, 4 bytes an entry, 8 bytes a color, and for the large nets
a bit for each color. Large are those of more than 64 members, or as many of the largest as fit into 4 bytes an entry
if as many colors are needed as the largest net has members.

Sources: A. Gebremedhin, F. Manne, A. Pothen, "What Color Is Your Jacobian?", SIAM Review 47(4), 2005, for first fit by
nets. The words are this library's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel, leading_zeros, prefetch, rule
from ..parallel.primitives import exclusive_scan
from ..rows import read_only
from .first_fit import NO_COLOR

_WORD = 64  # colors
_FIRST = np.uint64(1 << 63)
_NOTHING = np.uint64(0)
_EVERYTHING = np.uint64((1 << 64) - 1)
_FEWEST_WORDS = 16  # to begin with; doubled when colors run out
_BYTES_AN_ENTRY = 4  # for the words of large nets, if the guess of how many colors are needed is right
_ROWS_AHEAD, _NETS_AHEAD = 16, 4  # prefetch distances, in vertices
_STEP = 1 << 24  # accesses between two chances to be interrupted

_NEXT, _SPENT, _FULL = range(3)  # what `progress` says: a vertex, accesses, and whether it found no room for a color
_LOW, _PLACE, _COUNT, _MISSING = range(4)  # the fields of a record


@rule
def _bit(color):
    return _FIRST >> np.uint64(color & (_WORD - 1))


@rule
def _prefetch_nets(i, vertices, indptr, indices, nets):
    """Ask for a row that is needed soon, and for the nets of one that is needed very soon."""
    last = vertices.size - 1
    prefetch(indices, int(indptr[at(vertices[at(min(i + _ROWS_AHEAD, last))])]))
    v = int(vertices[at(min(i + _NETS_AHEAD, last))])
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        prefetch(nets, int(indices[at(e)]))


@kernel(by="single")
def _fit_low(own, most, pause, vertices, indptr, indices, low, colors, progress):
    """Phase 1, until a vertex has a color from 64 on, or `pause` accesses were spent."""
    i, spent = int(progress[_NEXT]), int(progress[_SPENT])
    while i < vertices.size and spent < pause:
        _prefetch_nets(i, vertices, indptr, indices, low)
        v = int(vertices[at(i)])
        start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        color = int(colors[at(v)])
        if color == NO_COLOR:
            taken = low[at(v)] if own else _NOTHING
            for e in range(start, end):
                taken |= low[at(indices[at(e)])]
            color = leading_zeros(~taken)
        if _WORD <= color <= most:
            progress[_FULL] = 1
            break
        if color < _WORD:
            colors[at(v)] = color
            if own:
                low[at(v)] |= _bit(color)
            for e in range(start, end):
                low[at(indices[at(e)])] |= _bit(color)
        spent += 1 + end - start
        i += 1
    progress[_NEXT], progress[_SPENT] = i, spent


@rule(inline=False)
def _gather(v, start, end, own, indices, nets, lists, large, marks):
    """Mark what is in the lists of v's nets, and put the large ones into a heap with the largest on top.

    Returns how many these are, the color from which to search, and the accesses to lists.
    """
    count, base, listed = 0, np.int64(_WORD), np.int64(0)
    for e in range(start - own, end):
        u = v if e < start else int(indices[at(e)])
        if nets[at(u), _MISSING] > 0:
            row, hole = np.int64(nets[at(u), _PLACE]), count
            while hole > 0 and large[at((hole - 1) >> 1)] > row:
                large[at(hole)] = large[at((hole - 1) >> 1)]
                hole = (hole - 1) >> 1
            large[at(hole)] = row
            count += 1
            base = max(base, np.int64(nets[at(u), _MISSING]))
        else:
            place = np.int64(nets[at(u), _PLACE])
            for i in range(place, place + np.int64(nets[at(u), _COUNT])):
                marks[at(lists[at(i)])] = v
            listed += np.int64(nets[at(u), _COUNT])
    return count, base, listed


@rule(inline=False)
def _lowest_missing(v, base, count, large, words, marks):
    """The lowest color from `base` on that is neither in the words of the large nets nor marked.

    A color beyond all words, if there is none.
    """
    word = base // _WORD
    taken = ~(_EVERYTHING >> np.uint64(base & (_WORD - 1)))
    while word < words.shape[1]:
        for i in range(count):
            taken |= words[at(large[at(i)]), at(word)]
            if taken == _EVERYTHING:
                break
        while taken != _EVERYTHING:
            color = word * _WORD + leading_zeros(~taken)
            if marks[at(color)] != v:
                return color
            taken |= _bit(color)
        word += 1
        taken = _NOTHING
    return word * _WORD


@rule(inline=False)
def _remember(color, v, start, end, own, indices, nets, lists, words):
    """Add a color from 64 on to v's nets."""
    for e in range(start - own, end):
        u = v if e < start else int(indices[at(e)])
        missing = np.int64(nets[at(u), _MISSING])
        if missing > 0:
            row = np.int64(nets[at(u), _PLACE])
            words[at(row), at(color // _WORD)] |= _bit(color)
            if color == missing:
                while (words[at(row), at(missing // _WORD)] & _bit(missing)) != _NOTHING:
                    missing += 1
                nets[at(u), _MISSING] = missing
        else:
            lists[at(nets[at(u), _PLACE] + nets[at(u), _COUNT])] = color
            nets[at(u), _COUNT] += np.uint64(1)


@kernel(by="single")
def _fit(own, most, pause, vertices, indptr, indices, nets, lists, words, large, marks, colors, progress):
    """Phase 2, until the words have no room for a color, or `pause` accesses were spent."""
    i, spent = int(progress[_NEXT]), int(progress[_SPENT])
    room = (words.shape[1] - 1) * _WORD  # so that a net's row always ends with a color that is missing
    while i < vertices.size and spent < pause:
        _prefetch_nets(i, vertices, indptr, indices, nets)
        v = int(vertices[at(i)])
        start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        color = int(colors[at(v)])
        if color == NO_COLOR:
            taken = nets[at(v), _LOW] if own else _NOTHING
            for e in range(start, end):
                taken |= nets[at(indices[at(e)]), _LOW]
            color = leading_zeros(~taken)
            if color >= _WORD:
                count, base, listed = _gather(v, start, end, own, indices, nets, lists, large, marks)
                color = _lowest_missing(v, base, count, large, words, marks)
                spent += listed + (color - base) // 8
        if room <= color <= most:
            progress[_FULL] = 1
            break
        if color < _WORD:
            if own:
                nets[at(v), _LOW] |= _bit(color)
            for e in range(start, end):
                nets[at(indices[at(e)]), _LOW] |= _bit(color)
        elif color <= most:
            _remember(color, v, start, end, own, indices, nets, lists, words)
        colors[at(v)] = color
        spent += 1 + end - start
        i += 1
    progress[_NEXT], progress[_SPENT] = i, spent


def fit(
    rows: tuple[Any, Any], count: int, sizes_of: Callable[[], Any], vertices: Any, colors: Any, *, own: bool
) -> None:
    """Color the vertices without a color, in the order given; those with one tell it to their nets.

    Parameters
    ----------
    rows : (indptr, indices)
        The nets of each vertex.
    count : int
        How many nets there are.
    sizes_of : callable
        Gives how many members each net has; one that is repeated counts as often. Called in phase 2 only.
    vertices : integer array, of the dtype of `indices`
        First of all those that have a color.
    colors : int32 array
        `NO_COLOR` for vertices without one.
    own : bool
        Whether each vertex is a net, too, and a member of it.
    """
    indptr, indices, vertices = (read_only(array) for array in (*rows, vertices))
    progress = np.zeros(3, np.int64)
    low = np.zeros(count, np.uint64)

    def go_on(look: Any, *arrays: Any) -> bool:
        """Call a kernel until it is done or has no room for a color, and say whether it is done."""
        progress[_FULL] = 0
        while progress[_NEXT] < vertices.size and not progress[_FULL]:
            pause = int(progress[_SPENT]) + _STEP
            # No color of first fit is above their number: one that is given and higher is in no vertex's way.
            look(int(own), int(vertices.size), pause, vertices, indptr, indices, *arrays, colors, progress)
        return not progress[_FULL]

    if go_on(_fit_low, low):
        return
    sizes = sizes_of()
    is_large = sizes > _smallest_large(sizes)
    by_size = np.flatnonzero(is_large)[np.argsort(-sizes[is_large], kind="stable")]
    nets = np.zeros((count, 4), np.uint64)
    offsets = exclusive_scan(np.where(is_large, 0, sizes).astype(np.int64))
    nets[:, _LOW], nets[:, _PLACE] = low, offsets[:-1]
    nets[by_size, _PLACE], nets[by_size, _MISSING] = np.arange(by_size.size), _WORD
    lists = np.empty(int(offsets[-1]), np.int32)
    large = np.empty(int(np.diff(indptr).max()) + 1, np.int64)
    width = _FEWEST_WORDS
    words, marks = np.zeros((by_size.size, width), np.uint64), np.full(width * _WORD, -1, np.int64)
    while not go_on(_fit, nets, lists, words, large, marks):
        words = np.pad(words, ((0, 0), (0, width)))
        marks = np.pad(marks, (0, width * _WORD), constant_values=-1)
        width *= 2


def _smallest_large(sizes: Any) -> int:
    """Nets with more members than this are large."""
    room = 8 * _BYTES_AN_ENTRY * int(sizes.sum(dtype=np.int64))
    most = room // (int(sizes.max()) + 1)  # so many rows of words
    if most >= sizes.size:
        return _WORD
    return max(_WORD, int(np.partition(sizes, sizes.size - 1 - most)[sizes.size - 1 - most]))


def fit_at_two(graph: Graph, vertices: Any, colors: Any) -> None:
    """First fit at distance 2, in the order given, with all vertices that have a color ahead of these."""
    settled = np.flatnonzero(colors != NO_COLOR)
    order = np.concatenate([settled, vertices]).astype(graph.indices.dtype, copy=False)
    rows = graph.indptr, graph.indices
    fit(rows, graph.num_vertices, lambda: np.diff(graph.indptr) + 1, order, colors, own=True)
