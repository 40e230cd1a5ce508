"""Maximal independent sets at distance two: Luby's algorithm on the square of the graph, without building the square.

Result: a maximal set in which no two vertices are within distance 2. It depends only on the graph, the order and the
seed. In the random order it equals the result of Kokkos Kernels, bit for bit and round for round.

Rule: in each round every undecided vertex v draws a key x(v) (round_keys.py; no two are equal), and

    v joins  <=>  x(v) <= x(u) for every undecided u within distance 2 of v;    v is out  <=>  such a u joins

until no vertex is undecided. With weights or numbers, the keys are the places in one order, and the set is that of the
serial greedy algorithm. In the random order, a beaten vertex (one with a new member within distance 2) is out one
round later. For one more round it draws a key like the undecided vertices and may keep them from joining, but it cannot
join itself. (This is because Kokkos Kernels finds keys at distance 2 from minima of the previous round.) In all
other orders, a beaten vertex is out at once. The oracles in tests/support/naive.py are `set_at_distance`,
`distance_two_set` and, for weights and numbers, `greedy_set_at_distance`.

In the code: the three phases of `_find_winners` drop vertices that have a smaller key among their first four neighbors,
among all their neighbors, and among the neighbors' neighbors (`_is_smallest`). The remaining vertices join.

Idea: the paper stores the smallest key around each vertex, and computes the smallest key within distance 2 from these.
This implementation stores no minima. A vertex reads the keys of its neighbors and then of their neighbors until it
finds a smaller key. Keys are random, so this takes few reads (about the logarithm of the number of keys), and a long
row is seldom read to its end. A vertex that finds no smaller key joins and marks all vertices that it has read. No two
members are within distance 2, so their neighborhoods are disjoint, and all marking together reads each row at most
once.

A round has two launches on lists of the engine, *find* and *settle*, as in greedy/priority.py. *find* spends most of
its time waiting for the neighbors' rows. Therefore these are prefetched in two steps: first the positions of the rows,
and some vertices later the rows themselves.

State, one key per vertex::

    0            in
    between      undecided, or beaten in the round before; newly drawn for each round
    the largest  out, so that comparisons need no test of whether a vertex is undecided

Cost: about ten rounds. Work memory: 12 bytes per vertex (16 with the order "degree", 24 for 2**31 or more vertices),
and 1 byte per vertex for each worker, up to eight.

Source: B. Kelley, S. Rajamanickam, "Parallel, Portable Algorithms for Distance-2 Maximal Independent Set and Graph
Coarsening", IPDPS 2022.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core.engines.rounds import (
    BEATEN,
    LINE,
    PREFETCH_DISTANCE,
    WAITING,
    History,
    Rounds,
    States,
    Worklists,
    clear_marks,
    four_states,
    lane_of,
    lanes_in,
    listed,
    mark_neighbors,
    marks_of,
    run_rounds,
    visits,
)
from ..._core.runtime import ArrayS, Bools, Offsets, Rows, Vertices, kernel, prefetch, rule
from ...graph import Graph
from ..greedy.order import Choice
from .k import finished
from .round_keys import IN, KeySource, RoundKeys, draw_key, key_source, next_key

_ROWS_PREFETCH_DISTANCE = 8  # vertices of a chunk: the prefetch distance of their neighbors' rows
_ROWS_FETCHED = 8  # first neighbors whose rows are prefetched; few vertices of this phase read more rows
_LINES, _LINE_ENTRIES = 6, 16  # the prefetched part of a row, in cache lines of 4-byte entries

_WON = 128  # the mark of a winner


class Beginning(NamedTuple):
    """The starts of rows, the vertices that may join (all, if empty), and the keys."""

    indptr: Offsets
    allowed: Bools
    current: ArrayS


@rule
def _begin(v, key, keys, beginning):
    """Write the first key of v; return whether v is undecided. A vertex without neighbors is in at once."""
    indptr, allowed, state = beginning
    may_join = allowed.size == 0 or allowed[v]
    alone = indptr[v] == indptr[v + 1]
    first = IN if alone else key
    state[v] = first if may_join else keys.out
    return may_join and not alone


_TYPES = "int64[] V[] int64[] int int int int I[] O[] bool[] S[]"


@visits(everywhere=True, types=_TYPES, S="int64 uint32")
def _draw_first_key(v, keys: RoundKeys, beginning: Beginning):
    """Draw the first key of v, and list v if it is undecided."""
    return _begin(v, draw_key(v, v, keys), keys, beginning), 0


@visits(everywhere=True, types=_TYPES, S="int64 uint32")
def _keep_first_key(v, keys: RoundKeys, beginning: Beginning):
    """Keep the fixed key of v, and list v if it is undecided; one kernel for both takes a fifth longer."""
    return _begin(v, beginning.current[v], keys, beginning), 0


@rule
def _smallest_of_four(e, last, indices, state):
    """Return the smallest of the four keys that `four_states` reads."""
    a, b, c, d = four_states(e, last, indices, state)
    return min(min(a, b), min(c, d))


@rule
def _any_smaller(e, end, key, indices, state):
    """Return whether one of the neighbors at e .. end - 1 has a smaller key."""
    smallest = key
    while (e < end) & (smallest >= key):
        smallest = _smallest_of_four(e, end - 1, indices, state)
        e += 4
    return smallest < key


@rule
def _is_smallest(v, key, rows, through, state):
    """Return whether no neighbor of v's neighbors (those in `through`, unless it is empty) has a smaller key."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        start, end = rows.indptr[w], rows.indptr[w + 1]
        if (through.size == 0 or through[w]) and _any_smaller(start, end, key, rows.indices, state):
            return False
    return True


@rule
def _prefetch_places(v, rows):
    """Prefetch the row positions of v's first neighbors."""
    start = rows.indptr[v]
    for e in range(start, min(start + _ROWS_FETCHED, rows.indptr[v + 1])):
        prefetch(rows.indptr, rows.indices[e])


@rule
def _prefetch_rows(v, rows):
    """Prefetch the first cache lines of the rows of v's first neighbors."""
    start = rows.indptr[v]
    for e in range(start, min(start + _ROWS_FETCHED, rows.indptr[v + 1])):
        w = rows.indices[e]
        row, end = rows.indptr[w], rows.indptr[w + 1]
        for line in range(_LINES):
            prefetch(rows.indices, min(row + line * _LINE_ENTRIES, end))


@kernel(by="workers", types="int V[] bool[]", T="int64 uint32")
def _find_winners(worker, workers, rows: Rows, lists: Worklists, chunk, leaders, through, states: States):
    """Find the winners among a worker's undecided vertices, and mark them and all vertices within distance 2."""
    state, lane = states.current, lane_of(worker, states)
    start, end = listed(worker, lists)
    base = worker * chunk  # the beginning of this worker's part of `leaders`
    for begin in range(start, end, chunk):
        # Leaders: vertices with no smaller key among the first four neighbors.
        k = base
        for i in range(begin, min(begin + chunk, end)):
            v = lists.undecided[i]
            prefetch(rows.indices, rows.indptr[lists.undecided[min(i + PREFETCH_DISTANCE, end - 1)]])
            row, row_end = rows.indptr[v], rows.indptr[v + 1]
            leaders[k] = v
            k += int(_smallest_of_four(row, row_end - 1, rows.indices, state) >= state[v])
        # Leaders with no smaller key among all neighbors.
        count, k = k, base
        for i in range(base, count):
            v = leaders[i]
            _prefetch_places(v, rows)
            row, row_end = rows.indptr[v], rows.indptr[v + 1]
            leaders[k] = v
            k += int(not _any_smaller(row + 4, row_end, state[v], rows.indices, state))
        # Winners: leaders with no smaller key among the neighbors' neighbors.
        count, k = k, base
        for i in range(base, count):
            _prefetch_rows(leaders[min(i + _ROWS_PREFETCH_DISTANCE, count - 1)], rows)
            v = leaders[i]
            joins = _is_smallest(v, state[v], rows, through, state)
            leaders[k] = v
            k += int(joins)
        # Marks: of the winners and of all vertices within distance 2.
        for i in range(base, k):
            v = leaders[i]
            for e in range(rows.indptr[v], rows.indptr[v + 1]):
                w = rows.indices[e]
                states.marks[lane + w] = BEATEN
                if through.size == 0 or through[w]:
                    mark_neighbors(w, lane, rows, states.marks)
            states.marks[lane + v] = _WON  # last, as v is its neighbors' neighbor


@kernel(by="workers", T="int64 uint32")
def _apply_marks(worker, workers, lists: Worklists, beaten: Vertices, at_once: bool, keys: RoundKeys, states: States):
    """Apply the marks to a worker's undecided vertices, and write new keys of the remaining ones.

    Beaten vertices remain for one more round, in a separate list, unless they are out `at_once`.
    """
    start, end = listed(worker, lists)
    # Vertices beaten one round ago are out.
    for i in range(start, start + lists.counts[worker * LINE + WAITING]):
        states.current[beaten[i]] = keys.out
    # Undecided vertices are now in, beaten, or still undecided with a new key.
    lanes = lanes_in(states)
    j = k = start
    for i in range(start, end):
        v = lists.undecided[i]
        marked = marks_of(v, lanes, states)
        key = IN if marked >= _WON else next_key(v, states.current[v], keys)
        lost = marked == BEATEN
        states.current[v] = keys.out if lost & at_once else key
        lists.undecided[k] = v
        k += int(marked == 0)
        beaten[j] = v
        j += int(lost and not at_once)
    lists.counts[worker * LINE] = k - start
    lists.counts[worker * LINE + WAITING] = j - start


@kernel
def _forbid_around(i, vertices: Vertices, rows: Rows, allowed: Bools):
    """Forbid the vertices within distance 2 of given vertices to join."""
    v = vertices[i]
    allowed[v] = False
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        allowed[w] = False
        for f in range(rows.indptr[w], rows.indptr[w + 1]):
            allowed[rows.indices[f]] = False


def independent_set(
    graph: Graph, included: Any, excluded: Any, history: History, *, priority: Choice, seed: int
) -> Any:
    """Return the mask of the set; the arguments are those of k.py."""
    history.enter("prepare")
    allowed = no_mask = graph.xp.empty(0, bool)
    if included.size or excluded.size:
        allowed = graph.xp.ones(graph.num_vertices, bool)
        allowed[excluded] = False
        _forbid_around(included.size, included, Rows(graph.indptr, graph.indices), allowed)
    return _find_set(graph, included, allowed, no_mask, key_source(graph, priority, seed), history)


def set_among(graph: Graph, among: Any = None, *, induced: bool = False, priority: Choice = "random") -> Any:
    """Return the mask of the set with seed 0, in which only vertices of the mask `among` may join.

    Distances are measured in the whole graph or, if `induced`, in the subgraph induced by `among`; an order by numbers
    with `induced` needs the subgraph itself, because one thread may have to finish the set.
    """
    no_mask = graph.xp.empty(0, bool)
    allowed, through = no_mask if among is None else among, among if induced else no_mask
    return _find_set(graph, graph.indices[:0], allowed, through, key_source(graph, priority, 0), History())


def _find_set(graph: Graph, included: Any, allowed: Any, through: Any, source: KeySource, history: History) -> Any:
    """Return the mask of the set; the masks may be empty, instead of all vertices."""
    rounds = Rounds(graph, source.dtype, spare=1)
    workers, lists, states, (beaten,) = rounds.workers, rounds.lists, rounds.states, rounds.spare
    clear_marks(workers, states.marks)
    chunk = rounds.chunk_size()
    leaders = graph.xp.empty(workers * chunk, graph.indices.dtype)
    source.write(states.current)
    begin = _draw_first_key if source.order is None else _keep_first_key
    begin(workers, lists, source.keys(0), Beginning(graph.indptr, allowed, states.current))
    states.current[included] = IN

    def run_round() -> int:
        _find_winners(workers, rounds.rows, lists, chunk, leaders, through, states)
        _apply_marks(workers, lists, beaten, source.at_once, source.keys(len(rounds.undecided)), states)
        return rounds.count()

    run_rounds(rounds.undecided, run_round, is_last=source.begin(history, rounds.undecided, rounds.count))
    return finished(graph, 2, source, states.current, states.current == IN, history)
