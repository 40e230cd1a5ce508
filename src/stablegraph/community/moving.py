"""Local moving in synchronous sub-rounds: every vertex moves to its best community, many at a time.

Result: communities in which no vertex of the final worklist improves the objective by moving; a function of the level,
its first communities and the salts.

Rule: v moves to the community of the largest worth around it (or becomes a singleton), if that is a gain, and if it is
still better after the moves of all neighbors that precede it. In the code: `best_move` (rules.py), and `still_better`.
The oracles are `local_moving` and `move_in_turn` in tests/support/naive_communities.py.

Idea: a *sweep* lists the active vertices, at first all, and divides them at random into two classes (16 in the constant
Potts model, for which fewer are not good enough). Each class is one sub-round of passes over its vertices; no pass
reads what another vertex writes in it:

1. *propose*: v becomes inactive, sums its links by community, and writes its best community and the gain.
2. *accept* (the "afterburner"): v reads its row once more, as if the neighbors that precede it, by gain, had already
   moved, and moves only if its new community is still better. In the constant Potts model, where the mass of a vertex
   weighs as much as its links, many vertices that do not know each other would overfill a community. So the gain must
   also exceed what the masses cost that move to the same community before v, in a random order; their expected sum is a
   random fraction of the masses of all vertices that propose it. The first of them is not refused for this reason.
3. *relabel*: accepted vertices write their labels, and change the masses of both communities.
4. *wake*: neighbors of a moved vertex outside its new community become active, and so does a refused vertex.

After 32 sweeps the remaining vertices move one after another, on one thread (`move_in_turn`): the active vertices move
to their best communities in a random order, then those that have become active, and so on. Every move raises the
objective by more than the rounding error, so the list becomes empty after a finite number of moves; it needs no limit.
The order of a list is a function of its vertices, not of the order of entries in a row.

One thread does small sweeps, all passes in one kernel; this changes only the time.

State: the arrays of `Moves` and the label of each vertex, and the mass of each community.

Cost: 6 to 9 looks at a vertex in a whole run; a look reads a row of the graph up to three times. Work memory: 54 bytes
per vertex, and the tables of rules.py.

Sources: V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large networks",
Journal of Statistical Mechanics, 2008; V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden", Scientific Reports
9, 2019; L. Gottesbüren et al., "Scalable Shared-Memory Hypergraph Partitioning", ALENEX 2021 (the afterburner).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import atomic_add, atomic_min, chunk_bounds, chunked, edge_chunk_bounds, kernel, rule
from .._core.runtime.array_types import Bytes, Float64s, Int32s, Int64s
from .._core.runtime.device import array_module, device_of
from .._core.runtime.partitioning import VERTICES_PER_CALL
from .._core.runtime.primitives import compact, exclusive_scan, histogram, sort_by_key
from .rules import (
    NEVER,
    UNIT,
    Communities,
    Level,
    Tables,
    Terms,
    best_move,
    draw,
    for_one_thread,
    precedes,
    salt_of,
    turn,
    weight_of,
    worth,
)

SWEEPS = 32  # in sub-rounds; then vertices move one after another
FIXED = 2  # the activity of a vertex that never moves
_CLASSES = 2
_CROWD_CLASSES = 16  # in the constant Potts model
_MIN_CLASS = 8  # vertices


class Moves(NamedTuple):
    """What vertices propose in a sub-round."""

    active: Bytes  # (n,): 1 if a vertex is to look for a better community, 2 if it is fixed
    target: Int32s  # (n,): the proposed community, or -1
    gain: Float64s  # (n,): the gain of the proposal
    arrivals: Int64s  # (n,): the mass of all vertices that propose a community; only for the constant Potts model
    first: Int64s  # (n,): the first turn of all vertices that propose a community; only for the constant Potts model


class Worklist(NamedTuple):
    """The vertices of a sweep."""

    vertices: Int64s  # (n,); the first ones are used
    spare: Int64s  # (n,)
    accepted: Bytes  # (n,), by position in the list
    counts: Int64s  # (2,): the number of vertices in the list, and of moves
    starts: Int64s  # (classes + 1,): the start of each class


class Span(NamedTuple):
    """A class of vertices: a range of a list, and the salt of the step."""

    vertices: Int64s  # the list
    first: int
    end: int
    salt: int


@rule
def propose(v, level, communities, moves, terms, tables, base, salt):
    """Write the proposal of v."""
    moves.active[v] = 0
    best, gain = best_move(v, level, communities, terms, tables, base)
    if best != communities.label[v]:
        moves.gain[v] = gain
        moves.target[v] = best
        if terms.crowds:
            atomic_add(moves.arrivals, best, level.mass[v])
            atomic_min(moves.first, best, turn(v, salt))


@rule
def still_better(v, level, communities, moves, terms, salt):
    """Return whether the target of v is better than its community after the moves of neighbors that precede v."""
    label, mass, target = communities.label, level.mass, moves.target
    own, new = label[v], target[v]
    rate = terms.scale * float(mass[v])
    if terms.crowds and moves.first[new] != turn(v, salt):
        before = (float(draw(v, salt)) * UNIT) * float(moves.arrivals[new] - mass[v]) + float(mass[v])
        if rate * before >= moves.gain[v]:
            return False
    own_links, new_links = 0, 0
    own_mass, new_mass = communities.total[own] - mass[v], communities.total[new]
    changed = False
    for e in range(level.indptr[v], level.indptr[v + 1]):
        u = level.indices[e]
        c = label[u]
        if target[u] >= 0 and precedes(moves.gain[u], u, moves.gain[v], v):
            changed = True
            own_mass -= mass[u] if c == own else 0
            new_mass -= mass[u] if c == new else 0
            c = target[u]
            own_mass += mass[u] if c == own else 0
            new_mass += mass[u] if c == new else 0
        weight = weight_of(e, level.weights)
        own_links += weight if c == own else 0
        new_links += weight if c == new else 0
    return not changed or worth(new_links, rate, new_mass) > worth(own_links, rate, own_mass)


@rule
def move(v, communities, mass, target):
    """Move v to the community that it proposed."""
    atomic_add(communities.total, communities.label[v], -mass[v])
    atomic_add(communities.total, target[v], mass[v])
    communities.label[v] = target[v]


@kernel(by="workers")
def propose_moves(
    worker, workers, level: Level, communities: Communities, moves: Moves, terms: Terms, tables: Tables, span: Span
):
    """Write the proposals of a worker's share of a class."""
    start, end = chunk_bounds(span.end - span.first, worker, workers)
    for i in range(span.first + start, span.first + end):
        propose(span.vertices[i], level, communities, moves, terms, tables, worker * tables.places, span.salt)


@kernel
def accept_moves(i, level: Level, communities: Communities, moves: Moves, terms: Terms, span: Span, accepted: Bytes):
    """Decide on the proposal of a vertex."""
    v = span.vertices[span.first + i]
    accepted[span.first + i] = moves.target[v] >= 0 and still_better(v, level, communities, moves, terms, span.salt)


@kernel
def relabel(i, communities: Communities, mass: Int64s, target: Int32s, span: Span, accepted: Bytes):
    """Move an accepted vertex."""
    if accepted[span.first + i]:
        move(span.vertices[span.first + i], communities, mass, target)


@kernel
def wake(i, level: Level, label: Int32s, moves: Moves, span: Span, accepted: Bytes):
    """Activate the neighbors of a moved vertex outside its new community, or a refused vertex."""
    v = span.vertices[span.first + i]
    if moves.target[v] >= 0:
        if moves.arrivals.size:
            moves.arrivals[moves.target[v]] = 0
            moves.first[moves.target[v]] = NEVER
        moves.target[v] = -1
        if accepted[span.first + i]:
            for e in range(level.indptr[v], level.indptr[v + 1]):
                u = level.indices[e]
                if label[u] != label[v] and moves.active[u] == 0:
                    moves.active[u] = 1
        else:
            moves.active[v] = 1


@kernel(by="workers")
def find_wishes(worker, workers, level: Level, communities: Communities, terms: Terms, tables: Tables, active: Bytes):
    """Store for a worker's share of the vertices whether they have a reason to move."""
    start, end = edge_chunk_bounds(level.indptr, active.size, worker, workers)
    for v in range(start, end):
        best, _ = best_move(v, level, communities, terms, tables, worker * tables.places)
        active[v] = best != communities.label[v]


@kernel
def write_classes(i, vertices: Int64s, salt: int, classes: int, result: Int32s):
    """Store the class of a vertex; their number is a power of two."""
    result[i] = draw(vertices[i], salt) & (classes - 1)


@kernel(by="single", types="int int")
def sweep_alone(
    level: Level, communities: Communities, moves: Moves, terms: Terms, tables: Tables, lists: Worklist, classes, salt
):
    """Do all passes of a sweep, and replace the list by the vertices that are active at its end."""
    label, active, target = communities.label, moves.active, moves.target
    vertices, ordered, accepted = lists.vertices, lists.spare, lists.accepted
    count = lists.counts[0]
    starts = lists.starts
    for k in range(classes + 1):
        starts[k] = 0
    for i in range(count):
        starts[draw(vertices[i], salt) & (classes - 1)] += 1
    for k in range(classes):
        starts[k + 1] += starts[k]
    for i in range(count):
        k = draw(vertices[i], salt) & (classes - 1)
        starts[k] -= 1
        ordered[starts[k]] = vertices[i]
    starts[classes] = count
    listed, moved = 0, 0
    for k in range(classes):
        first, end = starts[k], starts[k + 1]
        for i in range(first, end):
            propose(ordered[i], level, communities, moves, terms, tables, 0, salt)
        for i in range(first, end):
            v = ordered[i]
            accepted[i] = target[v] >= 0 and still_better(v, level, communities, moves, terms, salt)
        for i in range(first, end):
            if accepted[i]:
                move(ordered[i], communities, level.mass, target)
                moved += 1
        for i in range(first, end):
            v = ordered[i]
            if target[v] >= 0:
                if terms.crowds:
                    moves.arrivals[target[v]] = 0
                    moves.first[target[v]] = NEVER
                target[v] = -1
                if accepted[i]:
                    for e in range(level.indptr[v], level.indptr[v + 1]):
                        u = level.indices[e]
                        if label[u] != label[v] and active[u] == 0:
                            active[u] = 1
                            vertices[listed] = u
                            listed += 1
                elif active[v] == 0:
                    active[v] = 1
                    vertices[listed] = v
                    listed += 1
    lists.counts[0] = listed
    lists.counts[1] += moved


def classes_of(terms: Terms) -> int:
    """Return the number of classes of many vertices."""
    return _CROWD_CLASSES if terms.crowds else _CLASSES


def number_of_classes(count: int, most: int) -> int:
    """Return the number of classes of some vertices: a power of two, at most the power of two `most`."""
    while most > 1 and count < most * _MIN_CLASS:
        most //= 2
    return most


def in_classes(vertices: Any, classes: int, salt: int) -> tuple[Any, Any]:
    """Return vertices in the order of random classes, and the start of each class."""
    if classes == 1:
        return vertices, np.array([0, vertices.size])
    keys = array_module(device_of(vertices)).empty(vertices.size, np.int32)
    write_classes(int(vertices.size), vertices, salt, classes, keys)
    return vertices[sort_by_key(keys)], exclusive_scan(histogram(keys, classes))


def move_vertices(
    level: Level, communities: Communities, active: Any, terms: Terms, tables: Any, seed: int, depth: int
) -> tuple[int, int]:
    """Move active vertices until none has a reason to; return the numbers of moves and of sub-rounds.

    `communities` are changed. `seed` and `depth` are those of `salt_of`; `tables` is a pair as from `make_tables`.
    """
    device, n = device_of(level.mass), int(level.mass.size)
    xp = array_module(device)
    label = communities.label
    workers, buffers = tables
    crowded = n if terms.crowds else 0
    moves = Moves(
        active, xp.full(n, -1, np.int32), xp.empty(n, np.float64), xp.zeros(crowded, np.int64), xp.full(crowded, NEVER)
    )
    accepted, counts = xp.empty(n, np.uint8), np.zeros(2, np.int64)
    lists, moved, sub_rounds = None, 0, 0
    vertices = compact(active == 1)
    for sweep in range(0 if terms.limit else SWEEPS):
        count = int(vertices.size) if lists is None else int(counts[0])
        if count == 0:
            break
        salt = salt_of(seed, depth, sweep)
        classes = number_of_classes(count, classes_of(terms))
        sub_rounds += classes
        if device == "cpu" and for_one_thread(level, count):
            if lists is None:
                starts, (first, second) = np.empty(_CROWD_CLASSES + 1, np.int64), np.empty((2, n), np.int64)
                lists = Worklist(first, second, accepted, counts, starts)
                lists.vertices[:count] = vertices
                counts[0] = count
            sweep_alone(level, communities, moves, terms, buffers, lists, classes, salt)
            continue
        if lists is not None:
            vertices, lists = compact(active == 1), None
        vertices, starts = in_classes(vertices, classes, salt)
        for first, end in pairwise(starts.tolist()):
            span, size = Span(vertices, first, end, salt), end - first
            propose_moves(workers, level, communities, moves, terms, buffers, span)
            accept_moves(size, level, communities, moves, terms, span, accepted)
            relabel(size, communities, level.mass, moves.target, span, accepted)
            wake(size, level, label, moves, span, accepted)
            moved += int(xp.count_nonzero(accepted[first:end]))
        vertices = compact(active == 1)
    moved += int(counts[1])
    moved += move_in_turn(level, communities, active, terms, tables, salt_of(seed, depth, SWEEPS))
    return moved, sub_rounds


def wish_to_move(level: Level, communities: Communities, terms: Terms, tables: Any) -> Any:
    """Return 1 for each vertex that has a reason to move, otherwise 0."""
    workers, buffers = tables
    active = array_module(device_of(level.mass)).empty(level.mass.size, np.uint8)
    find_wishes(workers, level, communities, terms, buffers, active)
    return active


# ---- One vertex after another


@kernel
def write_turns(i, vertices: Int64s, salt: int, words: Int64s):
    """Store the words whose order is the order of the queue."""
    words[i] = turn(vertices[i], salt)


@kernel(by="single", types="uint8[] int64[] int64[]")
def move_listed(level: Level, communities: Communities, terms: Terms, tables: Tables, active, vertices, moved):
    """Look at the listed vertices that are active, one after another, and move them."""
    label, total, used, mass = communities.label, communities.total, communities.used, level.mass
    for i in range(vertices.size):
        v = vertices[i]
        active[v] = 0
        new, _ = best_move(v, level, communities, terms, tables, 0)
        own = label[v]
        if new != own:
            total[own] -= mass[v]
            total[new] += mass[v]
            if terms.limit:
                used[own] -= level.sizes[v]
                used[new] += level.sizes[v]
            label[v] = new
            moved[0] += 1
            for e in range(level.indptr[v], level.indptr[v + 1]):
                u = level.indices[e]
                if label[u] != new and active[u] == 0:
                    active[u] = 1


def move_in_turn(level: Level, communities: Communities, active: Any, terms: Terms, tables: Any, salt: int) -> int:
    """Move the active vertices, and those that become active, one after another; return the number of moves."""
    xp, buffers = array_module(device_of(active)), tables[1]
    moved = xp.zeros(1, np.int64)
    while True:
        vertices = compact(active == 1)
        count = int(vertices.size)
        if count == 0:
            return int(moved[0])
        words = xp.empty(count, np.int64)
        write_turns(count, vertices, salt, words)
        vertices = vertices[xp.argsort(words)]
        for first, end in chunked(count, VERTICES_PER_CALL):
            move_listed(level, communities, terms, buffers, active, vertices[first:end], moved)
