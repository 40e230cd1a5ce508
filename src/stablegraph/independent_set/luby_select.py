"""Luby's algorithm with random selection: in every round a few vertices are drawn, and conflicts go by degree.

Result: vertices without neighbours are in at once. A round takes a selection S of the undecided vertices; a vertex
leaves S if S holds a neighbour with larger (degree, id). What remains of S joins, its neighbours are out. S is drawn:
with d(v) the number of v's neighbours in the whole graph, v is in S if

    hash32(v + hash32(seed + draw)) < 2**32 / (2 d(v)),    draw = 0, 1, ...

and drawn again, with the next number, while S is empty. With `adaptive`, S is everybody who is left as soon as those
are fewer than half of all vertices; so it also is after 64 empty draws in a row, which happens when only vertices of
high degree are left. Either way S is not empty, so each round decides somebody and the algorithm ends.

As larger degrees prevail the sets are small. With S = everybody throughout they are the greedy set by falling
(degree, id).

State, one byte a vertex::

    0          out
    1          undecided, not drawn
    2          undecided, drawn
    255        in

Idea: nobody writes but its own state, others are looked at. A round is a launch for each draw and two more. In *choose*
the drawn look for a drawn neighbour that prevails; one that finds none is in at once, and still counts as drawn for
those that look at it: no undecided vertex had a neighbour that was in before. In *settle* those that are left look for
a neighbour that is in, and only turn from undecided to out. So what others see is frozen in each launch, and the set is
a function of the graph, the seed and `adaptive`.

Cost: each round looks at the neighbours of those that are left, until it finds one that is in. With `adaptive` few
rounds are needed; else vertices of degree d wait for some 2 d draws, each going through the list of those left.
The edge-parallel form (see luby.py) was measured on the six benchmark graphs: 1.2 to 2.1 times as long (on G3 0.9 to
1.0); without `adaptive` 0.8 to 0.9 times on RM and KR, where hubs wait long, else 0.9 to 2.2 times. That is too little
for a second form, which takes 8 bytes an entry more.
Work memory: 5 bytes a vertex (9 with 64-bit indices), and the degrees, which the graph keeps: 4 (or 8).

Sources: M. Luby, "A Simple Parallel Algorithm for the Maximal Independent Set Problem", SIAM Journal on Computing
15(4), 1986; in the form (degrees of the whole graph, adaptive selection) of R. Cichra, "Parallel graph algorithms for
GPU", bachelor's thesis, Czech Technical University in Prague, 2024, but with S frozen while conflicts are settled, and
hashes for random numbers.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, hash32, kernel, rule, worker_count
from ..parallel.device import array_module
from .counted import entries_of
from .order import IN, OUT
from .rounds import LINE, shares
from .serial import impose

_LEFT, _DRAWN = 1, 2
_MOST_EMPTY_DRAWS = 64  # in a row: whoever is left then is likely to have a high degree


@kernel(by="workers")
def _begin(worker, workers, bounds, degrees, state):
    """All undecided, but for vertices without neighbours, which are in."""
    for v in range(bounds[worker], bounds[worker + 1]):
        state[at(v)] = _LEFT if degrees[at(v)] > 0 else IN


@kernel(by="workers")
def _list_undecided(worker, workers, bounds, undecided, counts, state):
    """A worker's undecided vertices, packed to the beginning of its share."""
    first = k = bounds[worker]
    for v in range(first, bounds[worker + 1]):
        undecided[at(k)] = v
        k += int(state[at(v)] == _LEFT)
    counts[worker * LINE] = k - first


@rule
def _selected(v, draw_seed, degree):
    """Whether random(v) * 2 d < 2**32, without a product that could overflow."""
    return hash32(v + draw_seed) <= (2**31 - 1) // degree


@kernel(by="workers")
def _draw(worker, workers, bounds, undecided, counts, degrees, draw_seed, drawn, state):
    """Draw among a worker's undecided vertices, and count those drawn."""
    first, found = bounds[worker], 0
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        chosen = int(_selected(v, draw_seed, int(degrees[at(v)])))
        state[at(v)] = _LEFT + chosen
        found += chosen
    drawn[worker * LINE] = found


@rule
def _first_prevailing(v, start, end, least, indices, degrees, state):
    """Where in its row v has a neighbour in S with larger (degree, id); `end` if nowhere."""
    degree = degrees[at(v)]
    for e in range(start, end):
        u = int(indices[at(e)])
        if state[at(u)] >= least:
            other = degrees[at(u)]
            if other > degree or (other == degree and u > v):
                return e
    return end


@kernel(by="workers")
def _choose(worker, workers, indptr, indices, bounds, undecided, counts, degrees, least, state):
    """Those join who prevail in S: the undecided vertices with states of at least `least`."""
    first, looked = bounds[worker], 0
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        if state[at(v)] >= least:
            start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
            e = _first_prevailing(v, start, end, least, indices, degrees, state)
            looked += min(e + 1, end) - start
            if e == end:
                state[at(v)] = IN
    counts[worker * LINE + 1] += looked


@rule
def _first_inside(start, end, indices, state):
    """Where in a row a neighbour is that is in; `end` if nowhere."""
    for e in range(start, end):
        u = indices[at(e)]
        if state[at(u)] == IN:
            return e
    return end


@kernel(by="workers")
def _settle(worker, workers, indptr, indices, bounds, undecided, counts, state):
    """Put out who has a neighbour that joined, and pack those that remain undecided."""
    first = k = bounds[worker]
    looked = 0
    for i in range(first, first + counts[worker * LINE]):
        v = int(undecided[at(i)])
        if state[at(v)] == IN:
            continue
        start, end = int(indptr[at(v)]), int(indptr[at(v + 1)])
        e = _first_inside(start, end, indices, state)
        looked += min(e + 1, end) - start
        if e < end:
            state[at(v)] = OUT
        else:
            undecided[at(k)] = v
            k += 1
    counts[worker * LINE] = k - first
    counts[worker * LINE + 1] += looked


def independent_set(
    graph: Graph, seed: int, adaptive: bool, included: Any, excluded: Any
) -> tuple[Any, dict[str, Any]]:
    """Luby's set by selection, and what was done: rounds, undecided vertices after each, entries looked at, seconds."""
    started = time.perf_counter()
    xp, n, degrees = array_module(graph.device), graph.num_vertices, graph.degrees()
    workers = worker_count(graph.device, n + graph.num_entries)
    bounds = shares(graph, workers)
    state = xp.empty(n, np.uint8)
    undecided = xp.empty(n, graph.indices.dtype)  # each worker's in its own share
    counts = xp.zeros(workers * LINE, np.int64)  # of each worker's undecided vertices; then entries looked at
    drawn = xp.zeros(workers * LINE, np.int64)

    _begin(workers, bounds, degrees, state)
    impose(graph, included, excluded, state)
    _list_undecided(workers, bounds, undecided, counts, state)
    remaining, left, draw = int(counts[::LINE].sum()), [n], 0

    prepared = time.perf_counter()
    while remaining:
        least = _LEFT
        if not (adaptive and 2 * remaining < n):
            for _ in range(_MOST_EMPTY_DRAWS):
                draw_seed = hash32((seed + draw) % 2**32)
                _draw(workers, bounds, undecided, counts, degrees, draw_seed, drawn, state)
                draw += 1
                if int(drawn.sum()):
                    least = _DRAWN
                    break
        _choose(workers, graph.indptr, graph.indices, bounds, undecided, counts, degrees, least, state)
        _settle(workers, graph.indptr, graph.indices, bounds, undecided, counts, state)
        remaining = int(counts[::LINE].sum())
        left.append(remaining)
    seconds = {"prepare": prepared - started, "rounds": time.perf_counter() - prepared}
    edges = int(counts[1::LINE].sum()) + entries_of(graph, included)
    return state == IN, {"rounds": len(left) - 1, "undecided": left, "edges": edges, "seconds": seconds}
