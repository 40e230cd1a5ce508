"""Maximal independent sets at distance two: Luby's algorithm on the square of the graph, without building the square.

Result: in each round every undecided vertex has a fresh word (words.py). Vertices join whose word is the smallest
within distance 2, and those within distance 2 of them are beaten. In the random order they notice that one round later:
until then they draw words as all others do, and may stand in the way of others, but cannot join any more. So it is, bit
for bit and round for round, what Kokkos Kernels computes, where distances are bridged by minima that are a round old.
In the order by degrees they are out at once. It ends when nobody is left.

Idea: the paper keeps for each vertex the smallest word around it, from which the smallest within distance 2 is found.
Here nobody keeps anything: a vertex looks at its neighbours, and then at theirs, until it finds a smaller word. As
words are random, that is after few looks (the logarithm of how many there are to look at), and a long row is seldom
read to its end. Whoever finds none joins, and marks all that it has seen. As no two members are within distance 2,
their neighbourhoods are disjoint: all marking together goes through each row at most once.

State, one word a vertex::

    0            in
    between      undecided, or beaten in the round before; drawn anew for each round
    the largest  out: nobody needs to ask whether a vertex is undecided

A round has two launches, *look* and *settle*; how workers, their lists and their lanes of marks work together is told
in rounds.py. What takes the time of *look* is waiting for rows of neighbours of neighbours, so those are asked for in
two steps: first where they begin, some vertices later the rows.

Work memory: 12 bytes a vertex (16 by degrees, 24 from 2**31 vertices on), and 1 more per worker, up to eight.

Source: B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
Coarsening", IPDPS 2022.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel, prefetch, rule, worker_count
from ..parallel.device import array_module
from .rounds import AHEAD_BY, LINE, shares
from .words import IN, fresh_word, make_words

_MOST_LANES = 8
_CHUNK = 1024  # vertices between phases: their rows are still in the cache then
_CUDA_CHUNK = 16  # as in rounds.py
_ROWS_AHEAD = 8  # leaders: their neighbours' rows are asked for so long before they are read
_ROWS_ASKED_FOR = 8  # of the first neighbours: few leaders read more
_LINES, _LINE_ENTRIES = 6, 16  # of such a row: cache lines, of entries of 4 bytes

_BEATEN, _WON = 1, 128  # marks


@kernel(by="workers")
def _begin(worker, workers, indptr, bounds, allowed, out, drawn, bits, kept, degrees, undecided, counts, words):
    """The first words, and a worker's list of undecided vertices; those without neighbours are in at once."""
    first = k = bounds[worker]
    for v in range(first, bounds[worker + 1]):
        asked = allowed.size == 0 or allowed[at(v)]
        alone = indptr[at(v)] == indptr[at(v + 1)]
        word = IN if alone else fresh_word(v, drawn, bits, kept, degrees)
        words[at(v)] = word if asked else out
        undecided[at(k)] = v
        k += int(asked and not alone)
    counts[worker * LINE] = k - first


@rule
def _smallest_of_four(e, last, indices, words):
    """The smallest word among the neighbours at e .. e + 3, where those beyond `last` stand for the one at `last`."""
    a = words[at(indices[at(min(e, last))])]
    b = words[at(indices[at(min(e + 1, last))])]
    c = words[at(indices[at(min(e + 2, last))])]
    d = words[at(indices[at(min(e + 3, last))])]
    return min(min(a, b), min(c, d))


@rule
def _any_smaller(e, end, word, indices, words):
    """Whether one of the neighbours at e .. end - 1 has a smaller word."""
    smallest = word
    while (e < end) & (smallest >= word):
        smallest = _smallest_of_four(e, end - 1, indices, words)
        e += 4
    return smallest < word


@rule
def _leads(v, word, indptr, indices, through, words):
    """Whether nobody who is next to a neighbour of v (one in `through`, if it is not empty) has a smaller word."""
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        w = int(indices[at(e)])
        start, end = int(indptr[at(w)]), int(indptr[at(w + 1)])
        if (through.size == 0 or through[at(w)]) and _any_smaller(start, end, word, indices, words):
            return False
    return True


@rule
def _mark_neighbours(w, lane, indptr, indices, marks):
    """Mark w's neighbours, four at a time, a short row's last one repeatedly."""
    e, end = int(indptr[at(w)]), int(indptr[at(w + 1)])
    while e < end:
        for i in range(4):
            marks[at(lane + int(indices[at(min(e + i, end - 1))]))] = _BEATEN
        e += 4


@rule
def _ask_for_places(v, indptr, indices):
    """Ask where the rows of v's first neighbours begin."""
    start = int(indptr[at(v)])
    for e in range(start, min(start + _ROWS_ASKED_FOR, int(indptr[at(v + 1)]))):
        prefetch(indptr, int(indices[at(e)]))


@rule
def _ask_for_rows(v, indptr, indices):
    """Ask for the first lines of the rows of v's first neighbours."""
    start = int(indptr[at(v)])
    for e in range(start, min(start + _ROWS_ASKED_FOR, int(indptr[at(v + 1)]))):
        w = int(indices[at(e)])
        row, end = int(indptr[at(w)]), int(indptr[at(w + 1)])
        for line in range(_LINES):
            prefetch(indices, min(row + line * _LINE_ENTRIES, end))


@kernel(by="workers")
def _look(worker, workers, indptr, indices, bounds, chunk_size, through, undecided, counts, leaders, marks, words):
    """Find the winners among a worker's undecided vertices, and mark them and all within distance 2 of them."""
    lane = worker % (marks.size // words.size) * words.size
    first = bounds[worker]
    beyond = first + counts[worker * LINE]
    own = worker * chunk_size  # where this worker's part of `leaders` begins
    for chunk in range(first, beyond, chunk_size):
        # Each phase packs those who have no smaller word so far: among the first four neighbours, all of them, theirs.
        k = own
        for i in range(chunk, min(chunk + chunk_size, beyond)):
            v = int(undecided[at(i)])
            prefetch(indices, int(indptr[at(undecided[at(min(i + AHEAD_BY, beyond - 1))])]))
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            leaders[at(k)] = v
            k += int(_smallest_of_four(start, end - 1, indices, words) >= words[at(v)])
        found, k = k, own
        for i in range(own, found):
            v = int(leaders[at(i)])
            _ask_for_places(v, indptr, indices)
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            leaders[at(k)] = v
            k += int(not _any_smaller(start + 4, end, words[at(v)], indices, words))
        found, k = k, own
        for i in range(own, found):
            _ask_for_rows(int(leaders[at(min(i + _ROWS_AHEAD, found - 1))]), indptr, indices)
            v = int(leaders[at(i)])
            leaders[at(k)] = v
            k += int(_leads(v, words[at(v)], indptr, indices, through, words))
        for i in range(own, k):
            v = int(leaders[at(i)])
            for e in range(indptr[at(v)], indptr[at(v + 1)]):
                w = int(indices[at(e)])
                marks[at(lane + w)] = _BEATEN
                if through.size == 0 or through[at(w)]:
                    _mark_neighbours(w, lane, indptr, indices, marks)
            marks[at(lane + v)] = _WON  # last, as v is its neighbours' neighbour


@kernel(by="workers")
def _settle(
    worker,
    workers,
    bounds,
    at_once,
    out,
    drawn,
    bits,
    kept,
    degrees,
    undecided,
    beaten,
    counts,
    marks,
    words,
):
    """Record what was marked among a worker's undecided vertices, and draw anew for those that remain.

    Those that were beaten remain for one more round, in a list of their own, unless they are out `at_once`.
    """
    n = words.size
    first = bounds[worker]
    for i in range(first, first + counts[worker * LINE + 1]):
        words[at(beaten[at(i)])] = out
    j = k = first
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        marked = marks[at(v)]
        for lane in range(1, marks.size // n):
            marked |= marks[at(lane * n + v)]
        word = IN if marked >= _WON else fresh_word(v, drawn, bits, kept, degrees)
        lost = marked == _BEATEN
        words[at(v)] = out if lost & at_once else word
        undecided[at(k)] = v
        k += int(marked == 0)
        beaten[at(j)] = v
        j += int(lost and not at_once)
    counts[worker * LINE] = k - first
    counts[worker * LINE + 1] = j - first


@kernel
def _forbid_around(i, vertices, indptr, indices, allowed):
    """Nobody within distance 2 of the given vertices may join."""
    v = int(vertices[at(i)])
    allowed[at(v)] = False
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        w = int(indices[at(e)])
        allowed[at(w)] = False
        for f in range(indptr[at(w)], indptr[at(w + 1)]):
            allowed[at(indices[at(f)])] = False


def independent_set(
    graph: Graph,
    seed: int = 0,
    included: Any = None,
    excluded: Any = None,
    *,
    priority: str = "random",
    rows: Any = None,
    induced: bool = False,
) -> tuple[Any, dict[str, Any]]:
    """The set, and what was done: rounds, vertices left after each, seconds per phase.

    `included` and `excluded` are vertices; no two included ones are within distance 2. With `rows`, a mask, only
    those may join; distances are those in the whole graph or, if `induced`, in the subgraph that they induce.
    """
    started = time.perf_counter()
    xp, n, id_type = array_module(graph.device), graph.num_vertices, graph.indices.dtype
    indptr, indices = graph.indptr, graph.indices
    nobody = xp.empty(0, id_type)
    included, excluded = nobody if included is None else included, nobody if excluded is None else excluded
    allowed = through = xp.empty(0, bool)
    if rows is not None or included.size or excluded.size:
        allowed = xp.ones(n, bool) if rows is None else rows.copy()
        through = allowed.copy() if induced else through
        allowed[excluded] = False
        _forbid_around(included.size, included, indptr, indices, allowed)

    drawing = make_words(graph, priority, seed)
    workers = worker_count(graph.device, n + graph.num_entries)
    bounds = shares(graph, workers)
    # One block, as in rounds.py. Each worker's lists are in its own share, packed to its beginning.
    listed, drawn = n * id_type.itemsize, n * np.dtype(drawing.dtype).itemsize
    block = xp.empty(2 * listed + drawn + min(workers, _MOST_LANES) * n, np.uint8)
    undecided, beaten = block[: 2 * listed].view(id_type).reshape(2, n)
    words = block[2 * listed : 2 * listed + drawn].view(drawing.dtype)
    marks = block[2 * listed + drawn :]
    marks[:] = 0
    chunk = _CHUNK if graph.device == "cpu" else _CUDA_CHUNK
    leaders = xp.empty(workers * chunk, id_type)
    counts = xp.zeros(workers * LINE, np.int64)  # of each worker's undecided vertices; then of those beaten
    _begin(workers, indptr, bounds, allowed, drawing.out, *drawing.draw(0), undecided, counts, words)
    words[included] = IN

    prepared = time.perf_counter()
    left, at_once = [n], priority == "degree"
    while left[-1]:
        _look(workers, indptr, indices, bounds, chunk, through, undecided, counts, leaders, marks, words)
        draw = drawing.draw(len(left))
        _settle(workers, bounds, at_once, drawing.out, *draw, undecided, beaten, counts, marks, words)
        left.append(int(counts.sum()))
    seconds = {"prepare": prepared - started, "rounds": time.perf_counter() - prepared}
    return words == IN, {"rounds": len(left) - 1, "undecided": left, "seconds": seconds}
