"""Maximal independent sets at distance two: Luby's algorithm on the square of the graph, without building the square.

Result: in round r = 0, 1, ... each undecided vertex v has a fresh word, smaller ones first,

    h(r, v) * 2**b + v + 1    modulo 2**32, with b bits for numbers up to n + 1,    h(r, v) = f(f(v) xor f(r)),

where f is 32 bits of xorshift64*. Vertices join whose word is the smallest within distance 2, and those within distance
2 of them are out. They notice that one round later: until then they draw words as all others do, and may stand in the
way of others, but can not join any more. It ends when nobody is left. For seed 0 this is, bit for bit and round for
round, what Kokkos Kernels computes (where distances are bridged by minima that are a round old); other seeds draw the
numbers of other rounds. From 2**31 vertices on words have 63 bits: their width depends on the number of vertices alone.

Idea: the paper keeps for each vertex the smallest word around it, from which the smallest within distance 2 is found.
Here nobody keeps anything: a vertex looks at its neighbours, and then at theirs, until it finds a smaller word. As
words are random, that is after few looks (the logarithm of how many there are to look at), and a long row is seldom
read to its end. Whoever finds none joins, and marks all that it has seen. As no two members are within distance 2,
their neighbourhoods are disjoint: all marking together goes through each row at most once.

State, one word a vertex::

    0             in
    1 ..          undecided or beaten in the round before, drawn anew for each round
    2**32 - 1     out: larger than all others, so that nobody needs to ask whether a vertex is undecided

A round has two launches, *look* and *settle*; how workers, their lists and their lanes of marks work together is told
in rounds.py.

Work memory: 12 bytes a vertex (24 from 2**31 vertices on), and 1 more per worker, up to eight.

Source: B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
Coarsening", IPDPS 2022.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, hash32, kernel, rule, worker_count, wrapping_multiply
from ..parallel.device import array_module
from .rounds import LINE, shares

IN = 0
_MOST_LANES = 8
_OUT_MARK, _WON_MARK = 1, 128


@rule
def scrambled(x):
    """Bits 16 to 47 of xorshift64*, for a number below 2**38."""
    x ^= x >> 12
    x ^= x << 25
    x ^= x >> 27
    return ((wrapping_multiply(x, 2685821657736338717) - 1) >> 16) & 0xFFFFFFFF


@rule
def fresh_word(v, drawn, bits, out):
    """The word of an undecided vertex in the round that `drawn` belongs to; `out`, all ones, is the largest word."""
    return (scrambled(scrambled(v) ^ drawn) << bits) & out | (v + 1)


@kernel(by="workers")
def _begin(worker, workers, indptr, bounds, allowed, drawn, bits, out, undecided, counts, words):
    """The first words, and a worker's list of undecided vertices; those without neighbours are in at once."""
    first = k = bounds[worker]
    for v in range(first, bounds[worker + 1]):
        asked = allowed.size == 0 or allowed[at(v)]
        alone = indptr[at(v)] == indptr[at(v + 1)]
        words[at(v)] = (IN if alone else fresh_word(v, drawn, bits, out)) if asked else out
        undecided[at(k)] = v
        k += int(asked and not alone)
    counts[worker * LINE] = k - first


@rule
def _smaller_in_row(w, word, indptr, indices, words):
    """Whether a neighbour of w has a smaller word."""
    for e in range(indptr[at(w)], indptr[at(w + 1)]):  # noqa: SIM110 (Numba knows no any)
        if words[at(indices[at(e)])] < word:
            return True
    return False


@rule
def _leads(v, indptr, indices, through, words):
    """Whether nobody within distance 2 of v, by way of vertices in `through`, has a smaller word."""
    word = words[at(v)]
    if _smaller_in_row(v, word, indptr, indices, words):
        return False
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        w = int(indices[at(e)])
        if (through.size == 0 or through[at(w)]) and _smaller_in_row(w, word, indptr, indices, words):
            return False
    return True


@rule
def _mark_around(v, lane, indptr, indices, through, marks):
    """Mark everybody within distance 2 of a winner, and itself."""
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        w = int(indices[at(e)])
        marks[at(lane + w)] = _OUT_MARK
        if through.size == 0 or through[at(w)]:
            for f in range(indptr[at(w)], indptr[at(w + 1)]):
                marks[at(lane + int(indices[at(f)]))] = _OUT_MARK
    marks[at(lane + v)] = _WON_MARK


@kernel(by="workers")
def _look(worker, workers, indptr, indices, bounds, through, undecided, counts, marks, words):
    """Find the winners among a worker's undecided vertices, and mark them and all within distance 2 of them."""
    lane = worker % (marks.size // words.size) * words.size
    first = bounds[worker]
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        if _leads(v, indptr, indices, through, words):
            _mark_around(v, lane, indptr, indices, through, marks)


@kernel(by="workers")
def _settle(worker, workers, bounds, drawn, bits, out, undecided, beaten, counts, marks, words):
    """Record what was marked among a worker's undecided vertices, and draw anew for those that remain.

    Those that were marked remain for one more round, in a list of their own.
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
        won = marked >= _WON_MARK
        words[at(v)] = IN if won else fresh_word(v, drawn, bits, out)
        undecided[at(k)] = v
        k += int(marked == 0)
        beaten[at(j)] = v
        j += int((marked != 0) & (not won))
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
            allowed[at(int(indices[at(f)]))] = False


def independent_set(
    graph: Graph,
    seed: int = 0,
    included: Any = None,
    excluded: Any = None,
    *,
    rows: Any = None,
    induced: bool = False,
) -> tuple[Any, dict[str, Any]]:
    """The set, and what was done: rounds, undecided vertices after each, seconds.

    `included` and `excluded` are vertices; no two included ones are within distance 2. With `rows`, a mask or vertices,
    only those may join; distances are those in the whole graph or, if `induced`, in the subgraph that they induce.
    """
    started = time.perf_counter()
    xp, n, id_type = array_module(graph.device), graph.num_vertices, graph.indices.dtype
    indptr, indices = graph.indptr, graph.indices
    allowed = xp.empty(0, bool)
    if rows is not None or included is not None or excluded is not None:
        allowed = xp.full(n, rows is None)
        if rows is not None:
            allowed[rows] = True
    through = allowed.copy() if induced else xp.empty(0, bool)
    if excluded is not None:
        allowed[excluded] = False
    if included is not None and included.size:
        _forbid_around(included.size, included, indptr, indices, allowed)

    bits = (n + 1).bit_length()
    out = 2**32 - 1 if n < 2**31 else 2**63 - 1
    workers = worker_count(graph.device, n + graph.num_entries)
    bounds = shares(graph, workers)
    words = xp.empty(n, np.uint32 if n < 2**31 else np.int64)
    undecided, beaten = xp.empty((2, n), id_type)  # each worker's in its own share, packed to its beginning
    marks = xp.zeros(min(workers, _MOST_LANES) * n, np.uint8)
    counts = xp.zeros(workers * LINE, np.int64)
    base = hash32(seed % 2**32)
    _begin(workers, indptr, bounds, allowed, scrambled(base), bits, out, undecided, counts, words)
    if included is not None:
        words[included] = IN

    prepared = time.perf_counter()
    left, remaining = [n], int(counts.sum())
    while remaining:
        _look(workers, indptr, indices, bounds, through, undecided, counts, marks, words)
        drawn = scrambled((base + len(left)) % 2**32)
        _settle(workers, bounds, drawn, bits, out, undecided, beaten, counts, marks, words)
        remaining = int(counts.sum())
        left.append(remaining)
    seconds = {"prepare": prepared - started, "rounds": time.perf_counter() - prepared}
    return words == IN, {"rounds": len(left) - 1, "undecided": left, "seconds": seconds}
