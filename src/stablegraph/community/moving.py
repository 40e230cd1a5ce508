"""Local moving in synchronous sub-rounds: every vertex moves to its best community, many at a time.

Result: communities in which few vertices improve the objective by moving; a function of the level, its first
communities and the salts. After `move_in_turn`, no listed vertex does.

Rule: v moves to the community of the largest worth around it (or becomes a singleton), if that is a gain. In the code:
`best_move` (rules.py). The oracles are `local_moving` and `move_in_turn` in tests/support/naive_communities.py.

Idea: a *sweep* lists the active vertices, at first all, and divides them at random into 8 classes (16 in the constant
Potts model). Each class is one sub-round of passes over its vertices; no pass reads what another vertex writes in it:

1. *propose*: v becomes inactive, sums its links by community, and writes its best community and its slack.
2. *relabel*: v moves, and changes the masses of both communities. In the constant Potts model, where the mass of a
   vertex weighs as much as its links, many vertices that do not know each other would overfill a community. So there
   the gain must exceed what the masses cost that move to the same community before v, in a random order; their expected
   sum is a random fraction of the masses of all vertices that propose it. The first of them is not refused.
3. *wake*: for each neighbor outside the new community of a moved vertex, the community of the neighbor may have become
   worse, or another one better, by the weight of the edge; twice the weight, if the vertex came from its community. The
   neighbor becomes active when the sum of these losses exceeds its slack. A refused vertex becomes active, too.

Neighbors that move at the same time may both be wrong. This is rare, as a class has an eighth of the active vertices,
and they wake each other. Each of less than 64 vertices (128 in the constant Potts model) is a class of its own, in a
random order. Without slacks, a hub would be looked at again in every sweep, because some neighbor always moves. Changes
of masses wake no vertex. Sweeps end when no vertex is active, or after 32.

With a maximum size of communities, and at the end of a call without a number of iterations, vertices move one after
another, on one thread (`move_in_turn`): the active vertices move to their best communities in a random order, then
those that have become active, and so on. Every move raises the objective by more than the rounding error, so the list
becomes empty after a finite number of moves; it needs no limit. The order of a list is a function of its vertices, not
of the order of entries in a row.

One thread does small sweeps, all passes in one kernel; this changes only the time.

State: the arrays of `Moves` and the label of each vertex, and the mass of each community.

Cost: 4 to 6 looks at a vertex in a whole run; a look reads a row of the graph, and once more after a move. Work memory:
30 bytes per vertex, and the tables of rules.py.

Sources: V. Blondel, J.-L. Guillaume, R. Lambiotte, E. Lefebvre, "Fast unfolding of communities in large networks",
Journal of Statistical Mechanics, 2008; V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden", Scientific Reports
9, 2019 (the queue of vertices).
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import atomic_add, atomic_min, chunk_bounds, chunked, edge_chunk_bounds, kernel, rule
from .._core.runtime.array_types import Bytes, Float64s, Int32s, Int64s
from .._core.runtime.device import array_module, device_of
from .._core.runtime.partitioning import VERTICES_PER_CALL
from .._core.runtime.primitives import compact
from .classes import MIN_CLASS, Span, in_classes, workers_for
from .rules import (
    NEVER,
    SHARES,
    UNIT,
    Communities,
    Level,
    Tables,
    Terms,
    best_move,
    draw,
    for_one_thread,
    next_share,
    ready,
    salt_of,
    turn,
    weight_of,
)

SWEEPS = 32
FIXED = 2  # the activity of a vertex that never moves
_CLASSES = 8
_CROWD_CLASSES = 16  # in the constant Potts model


class Moves(NamedTuple):
    """What vertices propose in a sub-round. The last three arrays are empty except in the constant Potts model."""

    active: Bytes  # (n,): 1 if a vertex is to look for a better community, 2 if it is fixed
    target: Int32s  # (n,): the proposed community, or -1; after relabel the former community of a moved vertex
    slack: Int64s  # (n,): what inactive vertices can lose before they look again
    gain: Float64s  # (n,): the gain of the proposal
    arrivals: Int64s  # (n,): the mass of all vertices that propose a community
    first: Int64s  # (n,): the first turn of all vertices that propose a community


class Worklist(NamedTuple):
    """The vertices of a sweep."""

    vertices: Int64s  # (n,); the first ones are used
    spare: Int64s  # (n,)
    moved: Bytes  # (n,), by position in the list: whether a vertex has moved
    counts: Int64s  # (2,): the number of vertices in the list, and of moves
    starts: Int64s  # (at least classes + 1,): the start of each class


@rule
def propose(v, level, communities, moves, terms, tables, base, salt):
    """Write the proposal of v."""
    moves.active[v] = 0
    best, gain, slack = best_move(v, level, communities, terms, tables, base)
    moves.slack[v] = int(slack)
    moves.target[v] = best if best != communities.label[v] else -1
    if terms.crowds and moves.target[v] >= 0:
        moves.gain[v] = gain
        atomic_add(moves.arrivals, best, level.mass[v])
        atomic_min(moves.first, best, turn(v, salt))


@rule
def is_refused(v, mass, moves, terms, salt):
    """Return whether the masses that move to the target of v before v cost more than its gain."""
    new = moves.target[v]
    if not terms.crowds or moves.first[new] == turn(v, salt):
        return False
    before = (float(draw(v, salt)) * UNIT) * float(moves.arrivals[new] - mass[v]) + float(mass[v])
    return terms.scale * float(mass[v]) * before >= moves.gain[v]


@rule
def move(v, communities, mass, moves, terms, salt):
    """Move v to the community that it proposed, or refuse to; return whether it moves."""
    new = moves.target[v]
    if new < 0:
        return False
    if is_refused(v, mass, moves, terms, salt):
        moves.active[v] = 1
        return False
    old = communities.label[v]
    atomic_add(communities.total, old, -mass[v])
    atomic_add(communities.total, new, mass[v])
    communities.label[v] = new
    moves.target[v] = old
    return True


@rule
def forget(v, label, moves, moved):
    """Clear the marks of v at the community that it proposed."""
    if moves.arrivals.size and moves.target[v] >= 0:
        new = label[v] if moved else moves.target[v]
        moves.arrivals[new] = 0
        moves.first[new] = NEVER


@rule
def disturb(u, weight, old, new, label, moves):
    """Reduce the slack of an inactive vertex by what the move of a neighbor may cost it; return whether it wakes."""
    c = label[u]
    if c == new or moves.active[u] != 0:
        return False
    loss = 2 * weight if c == old else weight
    if atomic_add(moves.slack, u, -loss) >= loss:
        return False
    moves.active[u] = 1
    return True


@kernel(by="workers")
def propose_moves(
    worker, workers, level: Level, communities: Communities, moves: Moves, terms: Terms, tables: Tables, span: Span
):
    """Write the proposals of a class."""
    shares = workers * SHARES
    share = next_share(worker, workers, tables)
    while share < shares:
        start, end = chunk_bounds(span.end - span.first, share, shares)
        for i in range(span.first + start, span.first + end):
            propose(span.vertices[i], level, communities, moves, terms, tables, worker * tables.places, span.salt)
        share = next_share(worker, workers, tables)


@kernel(by="workers")
def relabel(
    worker, workers, communities: Communities, mass: Int64s, moves: Moves, terms: Terms, span: Span, moved: Bytes
):
    """Move the vertices of a worker's share that have made a proposal."""
    start, end = chunk_bounds(span.end - span.first, worker, workers)
    for i in range(span.first + start, span.first + end):
        moved[i] = move(span.vertices[i], communities, mass, moves, terms, span.salt)


@kernel(by="workers")
def wake(worker, workers, level: Level, label: Int32s, moves: Moves, tables: Tables, span: Span, moved: Bytes):
    """Let the neighbors of the moved vertices of a class lose slack."""
    shares = workers * SHARES
    share = next_share(worker, workers, tables)
    while share < shares:
        start, end = chunk_bounds(span.end - span.first, share, shares)
        for i in range(span.first + start, span.first + end):
            v = span.vertices[i]
            if moved[i]:
                old, new = moves.target[v], label[v]
                for e in range(level.indptr[v], level.indptr[v + 1]):
                    disturb(level.indices[e], weight_of(e, level.weights), old, new, label, moves)
            forget(v, label, moves, moved[i])
        share = next_share(worker, workers, tables)


@kernel(by="workers")
def find_wishes(worker, workers, level: Level, communities: Communities, terms: Terms, tables: Tables, active: Bytes):
    """Store for each vertex whether it has a reason to move."""
    shares = workers * SHARES
    share = next_share(worker, workers, tables)
    while share < shares:
        start, end = edge_chunk_bounds(level.indptr, active.size, share, shares)
        for v in range(start, end):
            best, _, _ = best_move(v, level, communities, terms, tables, worker * tables.places)
            active[v] = best != communities.label[v]
        share = next_share(worker, workers, tables)


@kernel(by="single", types="int int")
def sweep_alone(
    level: Level, communities: Communities, moves: Moves, terms: Terms, tables: Tables, lists: Worklist, classes, salt
):
    """Do all passes of a sweep, and replace the list by the vertices that are active at its end."""
    label = communities.label
    vertices, ordered, moved = lists.vertices, lists.spare, lists.moved
    count = lists.counts[0]
    starts = lists.starts
    starts[0] = 0
    if classes == count:
        for i in range(count):
            word, place = turn(vertices[i], salt), i
            while place > 0 and turn(ordered[place - 1], salt) > word:
                ordered[place] = ordered[place - 1]
                place -= 1
            ordered[place] = vertices[i]
            starts[i + 1] = i + 1
    else:
        for k in range(1, classes + 1):
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
    listed, sum_of_moves = 0, 0
    for k in range(classes):
        first, end = starts[k], starts[k + 1]
        for i in range(first, end):
            propose(ordered[i], level, communities, moves, terms, tables, 0, salt)
        for i in range(first, end):
            v = ordered[i]
            moved[i] = move(v, communities, level.mass, moves, terms, salt)
            sum_of_moves += moved[i]
            if moves.active[v]:  # refused
                vertices[listed] = v
                listed += 1
        for i in range(first, end):
            v = ordered[i]
            if moved[i]:
                old, new = moves.target[v], label[v]
                for e in range(level.indptr[v], level.indptr[v + 1]):
                    u = level.indices[e]
                    if disturb(u, weight_of(e, level.weights), old, new, label, moves):
                        vertices[listed] = u
                        listed += 1
            forget(v, label, moves, moved[i])
    lists.counts[0] = listed
    lists.counts[1] += sum_of_moves


def classes_for(count: int, terms: Terms) -> int:
    """Return the number of classes of some active vertices: a power of two, or one for each of a few vertices."""
    classes = _CROWD_CLASSES if terms.crowds else _CLASSES
    return classes if count >= classes * MIN_CLASS else count


def no_moves(active: Any, terms: Terms, full: Callable[..., Any] = np.full) -> Moves:
    """Return the state before the first sub-round; `full` makes arrays of one number."""
    xp, n = array_module(device_of(active)), int(active.size)
    crowded = n if terms.crowds else 0
    target, gain, arrivals = xp.empty(n, np.int32), xp.empty(crowded, np.float64), xp.zeros(crowded, np.int64)
    return Moves(active, target, xp.zeros(n, np.int64), gain, arrivals, full(crowded, NEVER, np.int64))


def move_vertices(
    level: Level, communities: Communities, active: Any, terms: Terms, tables: Any, seed: int, depth: int
) -> tuple[int, int]:
    """Move active vertices to better communities; return the numbers of moves and of sub-rounds.

    `communities` are changed. `seed` and `depth` are those of `salt_of`; `tables` is a pair as from `Workspace.tables`.
    """
    if terms.limit:
        return move_in_turn(level, communities, active, terms, tables, salt_of(seed, depth, SWEEPS)), 0
    n = int(active.size)
    workers, buffers = tables
    moves = no_moves(active, terms)
    moved, counts = np.empty(n, np.uint8), np.zeros(2, np.int64)
    lists, sum_of_moves, sub_rounds = None, 0, 0
    vertices = compact(active == 1)
    for sweep in range(SWEEPS):
        count = int(vertices.size) if lists is None else int(counts[0])
        if count == 0:
            break
        salt = salt_of(seed, depth, sweep)
        classes = classes_for(count, terms)
        sub_rounds += classes
        if classes == count or for_one_thread(level, count):
            if lists is None:
                starts, (first, second) = np.empty(_CROWD_CLASSES * MIN_CLASS, np.int64), np.empty((2, n), np.int64)
                lists = Worklist(first, second, moved, counts, starts)
                lists.vertices[:count] = vertices
                counts[0] = count
            sweep_alone(level, communities, moves, terms, buffers, lists, classes, salt)
            continue
        if lists is not None:
            vertices, lists = compact(active == 1), None
        vertices, starts = in_classes(vertices, classes, salt)
        for first, end in pairwise(starts.tolist()):
            span = Span(vertices, first, end, salt)
            propose_moves(workers, level, communities, moves, terms, ready(buffers), span)
            relabel(workers_for(end - first, workers), communities, level.mass, moves, terms, span, moved)
            wake(workers, level, communities.label, moves, ready(buffers), span, moved)
        sum_of_moves += int(np.count_nonzero(moved[:count]))
        vertices = compact(active == 1)
    return sum_of_moves + int(counts[1]), sub_rounds


def wish_to_move(level: Level, communities: Communities, terms: Terms, tables: Any) -> Any:
    """Return 1 for each vertex that has a reason to move, otherwise 0."""
    workers, buffers = tables
    active = array_module(device_of(level.mass)).empty(level.mass.size, np.uint8)
    find_wishes(workers, level, communities, terms, ready(buffers), active)
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
        new, _, _ = best_move(v, level, communities, terms, tables, 0)
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
