"""Maximal independent sets at any distance k: Luby's algorithm by sweeps, k to compare and k to rule out.

Result: as in distance_two.py, with k in place of 2; for k = 2 the same sets, after as many rounds.

Idea: the smallest word within distance j of a vertex is the smallest among those within distance j - 1 of it and of its
neighbours. So k sweeps over the rows find for each vertex the smallest word within distance k. Those whose own it is
join, and k sweeps more spread distances from them.

State: for each vertex its word, and its distance from the set, k + 1 for all that is more than k. Whoever is within
k - j of an undecided vertex is farther than j from the set. So the j-th sweep only reads rows of vertices farther than
j, both times: the sweeps become shorter as the set grows. Within a sweep nobody reads what it writes.

Cost: at most 2 k sweeps a round, fewer if a sweep changes nothing. Work memory: 16 bytes a vertex (28 by degrees, 32
from 2**31 vertices on).

Sources: N. Bell, S. Dalton, L. N. Olson, "Exposing Fine-Grained Parallelism in Algebraic Multigrid Methods", SIAM
Journal on Scientific Computing 34(4), 2012, for the sweeps; for the words, and when vertices are ruled out, see
distance_two.py.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel
from ..parallel.device import array_module
from .words import fresh_word, make_words


@kernel(by="edges")
def _least_around(v, indptr, indices, level, distance, before, after, changed):
    """The smallest word among v's and its neighbours', if v is farther than `level` from the set."""
    if distance[at(v)] > level:
        least = own = before[at(v)]
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            least = min(least, before[at(indices[at(e)])])
        after[at(v)] = least
        if least != own:
            changed[0] = 1


@kernel(by="edges")
def _spread(v, indptr, indices, level, distance, changed):
    """Put v at distance `level` from the set, if it is farther and has a neighbour one step nearer."""
    if distance[at(v)] > level:
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            if distance[at(indices[at(e)])] == level - 1:
                distance[at(v)] = level
                changed[0] = 1
                break


@kernel
def _begin(v, out, drawn, bits, kept, degrees, k, distance, words):
    """The first words of all that no vertex of the set is near."""
    words[at(v)] = fresh_word(v, drawn, bits, kept, degrees) if distance[at(v)] > k else out


@kernel
def _join(v, out, k, distance, least, words):
    """Who has the smallest word joins; who had been beaten before is out."""
    if words[at(v)] != out:
        beaten = distance[at(v)] <= k
        if not beaten and least[at(v)] == words[at(v)]:
            distance[at(v)] = 0
        if beaten or distance[at(v)] == 0:
            words[at(v)] = out


@kernel
def _redraw(v, at_once, out, drawn, bits, kept, degrees, k, distance, words):
    """New words for those that are left; those just beaten still draw, unless they are out `at_once`."""
    if words[at(v)] != out:
        stays = distance[at(v)] > k or not at_once
        words[at(v)] = fresh_word(v, drawn, bits, kept, degrees) if stays else out


def independent_set(
    graph: Graph, k: int, included: Any, excluded: Any, priority: str, seed: int
) -> tuple[Any, dict[str, Any]]:
    """The set, and what was done: rounds, vertices left after each, seconds per phase.

    `included` and `excluded` are vertices; no two included ones are within distance k.
    """
    started = time.perf_counter()
    xp, n = array_module(graph.device), graph.num_vertices
    k = min(k, n)  # nothing is farther apart, but for what is not connected at all
    drawing, at_once = make_words(graph, priority, seed), priority == "degree"
    distance = xp.full(n, k + 1, graph.indices.dtype)
    words, *scratch = (xp.empty(n, drawing.dtype) for _ in range(3))
    changed = xp.zeros(1, np.int64)
    distance[included] = 0
    _spread_all(graph, k, distance, changed)
    _begin(n, drawing.out, *drawing.draw(0), k, distance, words)
    words[excluded] = drawing.out

    prepared = time.perf_counter()
    left = [n]
    while left[-1]:
        least = _least_within(graph, k, distance, words, scratch, changed)
        _join(n, drawing.out, k, distance, least, words)
        _spread_all(graph, k, distance, changed)
        _redraw(n, at_once, drawing.out, *drawing.draw(len(left)), k, distance, words)
        left.append(int(xp.count_nonzero(words != drawing.out)))
    seconds = {"prepare": prepared - started, "rounds": time.perf_counter() - prepared}
    return distance == 0, {"rounds": len(left) - 1, "undecided": left, "seconds": seconds}


def _least_within(graph: Graph, k: int, distance: Any, words: Any, scratch: list[Any], changed: Any) -> Any:
    """The smallest words within distance k of those vertices that are farther than that from the set."""
    before = words
    for level in range(1, k + 1):
        after = scratch[level % 2]
        changed[0] = 0
        _least_around(graph.num_vertices, graph.indptr, graph.indices, level, distance, before, after, changed)
        before = after
        if not int(changed[0]):
            break
    return before


def _spread_all(graph: Graph, k: int, distance: Any, changed: Any) -> None:
    """Distances up to k from the vertices at distance 0."""
    for level in range(1, k + 1):
        changed[0] = 0
        _spread(graph.num_vertices, graph.indptr, graph.indices, level, distance, changed)
        if not int(changed[0]):
            break
