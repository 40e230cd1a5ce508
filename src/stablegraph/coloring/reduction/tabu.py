"""PartialCol: tabu search among partial proper colorings with k colors, also with capacities and permitted colors.

Result: a proper coloring with these colors, or none if none was found. With limits every vertex has one of its
permitted colors, and no color exceeds its capacity. It depends only on the graph with simple, sorted rows, the start,
the limits and the seed.

Rule: initially some vertices are uncolored (*holes*). In each step one hole takes a color, and its neighbors of this
color become holes. If the color is then too full, members of it become holes as well, until the hole fits. For some
steps, these vertices must not take this color again (*tabu*). Among the pairs of a hole and a permitted color that are
not tabu, or that leave fewer holes than ever before, the step takes the one that makes the fewest new holes. In a tie,
it takes the first pair from a position given by the step's hash. If all pairs are tabu, then that pair is taken without
limits, and none with limits. In the code: `search`.

With rooms, a vertex of level i fits in ``limits[i]`` rooms of a color, and all vertices of lower levels only in these.
By Hall's theorem, the members of a color have a room each if at most ``limits[i]`` of them have a level up to i, for
each i. A color is also too full if the hole would break this rule; then members of the levels that are full leave. With
a gap, the colors of neighbors must differ by at least this number, so that every color nearer to that of a neighbor is
a conflict.

Idea: if a color is full, remove the member that is cheapest to recolor. At most `_EXAMINED` members are compared. They
form a ring, and the next comparison starts after the last member, so that all members take part in turn.

State: ``conflicts[v, c]`` is the number of neighbors of v with color c, or nearer to c than the gap, plus `FORBIDDEN`
if v must not have it. ``barred[v, c]`` is the step until which v must not take color c again. The color of a hole is
the number of colors. Without limits there are no rings and no loads; `limited` and `gap` are constants of the compiled
code without rooms and with a gap of 1.

Cost per step: the colors of at most `_CANDIDATES` holes and `_EXAMINED` members, and the rows of the vertices that
change; one thread. Work memory: 8 bytes per vertex and color, and with limits 40 per vertex.

Source: I. Blöchliger, N. Zufferey, "A Graph Coloring Heuristic Using Partial Solutions and a Reactive Tabu Scheme",
Computers & Operations Research 35(3), 2008 (PartialCol with dynamic tenure). The rule for capacities is ours.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import BoolTable, Constant, Int32s, Int32Table, Int64s, Int64Table, Rows, hash32, kernel, rule
from ..._core.runtime.partitioning import ENTRIES_PER_CALL
from ...graph import Graph

FORBIDDEN = 1 << 30  # more than any number of neighbors
UNLIMITED = 1 << 62  # a capacity
_CANDIDATES = 256
_EXAMINED = 32
_NONE = 1 << 40  # more than any cost
_NOBODY = -1
_HOLES, _FEWEST, _STEPS, _ACCESSES = range(4)  # the fields of `progress`: holes, fewest holes so far, steps, accesses


class Classes(NamedTuple):
    """The members of each color, in a ring, and their total size; empty without limits."""

    loads: Int64s  # (k,): their total size, plus that of vertices outside the graph
    capacity: Int64s  # (k,)
    sizes: Int64s  # (n,)
    head: Int64s  # (k,): a member, or _NOBODY
    following: Int64s  # (n,): the next member of the ring
    preceding: Int64s  # (n,)


class Seats(NamedTuple):
    """The rooms of each color."""

    levels: Int64s  # (n,): the level of each vertex
    free: Int64Table  # (k, levels): how many more members with at most this level have rooms; no columns without rooms


class Moves(NamedTuple):
    """The moves of each vertex to each color."""

    conflicts: Int32Table  # (n, k): the neighbors that prevent it; at least FORBIDDEN if the color is forbidden
    barred: Int32Table  # (n, k): the step until which it is tabu


class State(NamedTuple):
    """The colors, the holes, and the progress."""

    colors: Int32s  # (n,)
    holes: Int64s  # (n,)
    progress: Int64s  # (4,)
    limited: Constant  # 0; or 1 if colors have capacities, or vertices lists of permitted colors; or 2 with rooms
    gap: Constant  # the smallest difference of the colors of neighbors


@kernel
def count_conflicts(v, gap: int, rows: Rows, colors: Int32s, conflicts: Int32Table):
    """Count the neighbors of a vertex by their colors, and by the colors nearer to these than the gap."""
    k = conflicts.shape[1]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        color = colors[rows.indices[e]]
        if color < k:
            for near in range(max(color - gap + 1, 0), min(color + gap, k)):
                conflicts[v, near] += 1


@rule
def _change_conflicts(v, color, change, rows, conflicts, gap):
    """Add `change` to the conflicts of v's neighbors with a color; return the number of v's entries."""
    start, end = rows.indptr[v], rows.indptr[v + 1]
    for e in range(start, end):
        if gap == 1:
            conflicts[rows.indices[e], color] += change
        else:
            for near in range(max(color - gap + 1, 0), min(color + gap, conflicts.shape[1])):
                conflicts[rows.indices[e], near] += change
    return end - start


@rule
def _change_rooms(v, color, change, seats):
    """Add `change` to the numbers of members of a color, of v's level and above."""
    for level in range(seats.levels[v], seats.free.shape[1]):
        seats.free[color, level] -= change


@rule
def lacks_room(color, level, free):
    """Return whether another vertex of a level would leave a member of a color without a room."""
    lacks = False
    for higher in range(level, free.shape[1]):
        lacks |= free[color, higher] <= 0
    return lacks


@rule
def _is_full(v, color, classes, seats, state):
    """Return whether a color has no capacity or no room for v."""
    full = classes.loads[color] + classes.sizes[v] > classes.capacity[color]
    if state.limited == 2:
        full |= lacks_room(color, seats.levels[v], seats.free)
    return full


@rule
def _enter(v, color, classes, seats):
    """Make v a member of a color."""
    first = classes.head[color]
    if first == _NOBODY:
        classes.head[color] = v
        classes.following[v] = v
        classes.preceding[v] = v
    else:
        last = classes.preceding[first]
        classes.following[last] = v
        classes.preceding[v] = last
        classes.following[v] = first
        classes.preceding[first] = v
    classes.loads[color] += classes.sizes[v]
    _change_rooms(v, color, 1, seats)


@rule
def _leave(v, color, classes, seats):
    """End v's membership of a color."""
    after, before = classes.following[v], classes.preceding[v]
    classes.following[before] = after
    classes.preceding[after] = before
    if classes.head[color] == v:
        classes.head[color] = after if after != v else _NOBODY
    classes.loads[color] -= classes.sizes[v]
    _change_rooms(v, color, -1, seats)


@rule
def _new_holes(v, color, classes, seats, state, conflicts):
    """Return the number of holes that v makes with a color, or a little less; from FORBIDDEN on it must not have it."""
    conflict = conflicts[v, color]
    return max(conflict, 1) if _is_full(v, color, classes, seats, state) else conflict


@rule
def _leaving_member(hole, color, number, classes, seats, state, moves):
    """Return the member of a color, too full for a hole, that can take another color at the lowest cost.

    If only rooms are missing, members that do not free one for the hole stay.
    """
    highest = seats.free.shape[1]
    if state.limited == 2 and classes.loads[color] + classes.sizes[hole] <= classes.capacity[color]:
        highest = seats.levels[hole]
        while seats.free[color, highest] > 0:
            highest += 1
    v = classes.head[color]
    leaving, lowest = v, _NONE
    for _ in range(_EXAMINED):
        if state.limited < 2 or seats.levels[v] <= highest:
            for other in range(moves.conflicts.shape[1]):
                cost = _new_holes(v, other, classes, seats, state, moves.conflicts)
                if other != color and cost < lowest and moves.barred[v, other] < number:
                    leaving, lowest = v, cost
        v = classes.following[v]
        if v == classes.head[color] or lowest == 0:
            break
    classes.head[color] = v
    return leaving


@rule
def _make_hole(v, color, draw, rows, classes, seats, state, moves):
    """Take its color from v, and bar it for some steps; return the number of v's entries."""
    progress = state.progress
    if state.limited:
        _leave(v, color, classes, seats)
    state.colors[v] = moves.conflicts.shape[1]
    state.holes[progress[_HOLES]] = v
    progress[_HOLES] += 1
    others = progress[_HOLES] - min(state.limited, 1)  # the number of holes includes this one, except with limits
    moves.barred[v, color] = progress[_STEPS] + 3 * others // 5 + hash32(draw + v) % 10
    return _change_conflicts(v, color, -1, rows, moves.conflicts, state.gap)


@kernel(by="single", constants="0,1 1,1")
def search(accesses: int, seed: int, rows: Rows, classes: Classes, seats: Seats, state: State, moves: Moves):
    """Continue the search for `accesses` accesses."""
    conflicts, limited, gap = moves.conflicts, min(state.limited, 1), state.gap
    k = conflicts.shape[1]
    progress, holes, budget = state.progress, state.holes, accesses
    while progress[_HOLES] > 0 and budget > 0:
        # Find the move that makes the fewest holes and is not tabu, or leaves fewer holes than ever before.
        count, fewest, number = progress[_HOLES], progress[_FEWEST], progress[_STEPS]
        draw = hash32(number + seed)
        number += 1
        progress[_STEPS] = number
        i, first_color = draw % count, hash32(draw) % k
        hole, new, lowest = i, first_color, FORBIDDEN
        for _ in range(min(count, _CANDIDATES)):
            u = holes[i]
            color = first_color
            for _ in range(k):
                cost = _new_holes(u, color, classes, seats, state, conflicts) if limited else conflicts[u, color]
                if cost < lowest and (moves.barred[u, color] < number or count - 1 + cost < fewest):
                    hole, new, lowest = i, color, cost
                color = color + 1 if color + 1 < k else 0
            budget -= k
            i = i + 1 if i + 1 < count else 0
            if lowest == 0:
                break
        if lowest < FORBIDDEN or not limited:
            # Make holes of its neighbors of this color, or nearer to it than the gap, and of members until it fits.
            v = holes[hole]
            holes[hole] = holes[count - 1]
            progress[_HOLES] = count - 1
            if conflicts[v, new] > 0:
                budget -= limited * (rows.indptr[v + 1] - rows.indptr[v])
                for e in range(rows.indptr[v], rows.indptr[v + 1]):
                    u = rows.indices[e]
                    near = state.colors[u]
                    if near == new if gap == 1 else near < k and abs(near - new) < gap:
                        budget -= _make_hole(u, near, draw, rows, classes, seats, state, moves)
            if limited:
                while _is_full(v, new, classes, seats, state):
                    u = _leaving_member(v, new, number, classes, seats, state, moves)
                    budget -= k * _EXAMINED
                    budget -= _make_hole(u, new, draw, rows, classes, seats, state, moves)
                _enter(v, new, classes, seats)
            state.colors[v] = new
            budget -= _change_conflicts(v, new, 1, rows, conflicts, gap)
            progress[_FEWEST] = min(progress[_FEWEST], progress[_HOLES])
    progress[_ACCESSES] += accesses - budget


@rule
def _move(v, new, rows, classes, seats, state, conflicts):
    """Give a vertex another color."""
    old = state.colors[v]
    _leave(v, old, classes, seats)
    _change_conflicts(v, old, -1, rows, conflicts, state.gap)
    state.colors[v] = new
    _enter(v, new, classes, seats)
    _change_conflicts(v, new, 1, rows, conflicts, state.gap)
    state.progress[_ACCESSES] += 1


@rule
def _smallest_load(v, old, classes, seats, state, conflicts):
    """Return the color with the smallest load to which v can move so that the loads become more equal, or -1."""
    loads, size, new = classes.loads, classes.sizes[v], -1
    for color in range(conflicts.shape[1]):
        fits = conflicts[v, color] == 0 and not _is_full(v, color, classes, seats, state)
        is_better = color != old and size > 0 and loads[color] + size < loads[old]
        if fits and is_better and (new < 0 or loads[color] < loads[new]):
            new = color
    return new


@rule
def _smaller_partner(v, old, color, classes, seats, conflicts):
    """Return a member of a color that can swap with v so that the loads become more equal, or _NOBODY.

    With rooms, it has the level of v.
    """
    loads, partner = classes.loads, _NOBODY
    u = classes.head[color]
    if u != _NOBODY and conflicts[v, color] == 0 and color != old:
        for _ in range(_EXAMINED):
            gain = classes.sizes[v] - classes.sizes[u]
            is_better = gain > 0 and gain < loads[old] - loads[color]
            fits = is_better and conflicts[u, old] == 0 and loads[color] + gain <= classes.capacity[color]
            if fits and seats.levels[u] == seats.levels[v]:
                partner = u
                break
            u = classes.following[u]
            if u == classes.head[color]:
                break
    return partner


@kernel(by="single")
def level_out(rows: Rows, classes: Classes, seats: Seats, state: State, conflicts: Int32Table):
    """Move each vertex, or swap it with a smaller one, if this decreases the sum of the squared loads.

    One pass by ids; ``progress[_ACCESSES]`` counts the moves.
    """
    for v in range(state.colors.size):
        old = state.colors[v]
        new = _smallest_load(v, old, classes, seats, state, conflicts)
        if new >= 0:
            _move(v, new, rows, classes, seats, state, conflicts)
        else:
            for color in range(conflicts.shape[1]):
                u = _smaller_partner(v, old, color, classes, seats, conflicts)
                if u != _NOBODY:
                    _move(u, old, rows, classes, seats, state, conflicts)
                    _move(v, color, rows, classes, seats, state, conflicts)
                    break


@kernel(by="single")
def enter_members(forbidden: BoolTable, colors: Int32s, sums: Int64s, classes: Classes, seats: Seats):
    """Make each vertex a member of its color; it becomes a hole if the color is forbidden, or too full before it."""
    for v in range(colors.size):
        color = colors[v]
        if color < sums.size:
            fits = not forbidden[v, color]
            if fits:
                sums[color] += classes.sizes[v]
                fits = sums[color] <= classes.capacity[color]
            if fits and not lacks_room(color, seats.levels[v], seats.free):
                _enter(v, color, classes, seats)
            else:
                colors[v] = sums.size


class HoleSearch:
    """A search on one graph; `forbidden` (n, k) marks the colors that a vertex must not have.

    `base` is the load of each color by vertices outside the graph, and `capacity` includes it; so do `seats`.
    """

    def __init__(
        self,
        graph: Graph,
        sizes: np.ndarray,
        forbidden: np.ndarray,
        base: np.ndarray,
        capacity: np.ndarray,
        seats: Seats,
        gap: int,
        seed: int,
    ) -> None:
        self.graph, self.sizes, self.base, self.capacity, self.seed = graph, sizes, base, capacity, seed
        self.seats, self.gap = seats, gap
        self.forbidden = forbidden | (sizes[:, None] > capacity - base)
        if seats.free.shape[1]:  # a level is full, or a higher one
            full = np.logical_or.accumulate((seats.free <= 0)[:, ::-1], axis=1)[:, ::-1]
            self.forbidden |= full.T[seats.levels]
        self.rows = Rows(graph.indptr, graph.indices)

    def fill(self, colors: np.ndarray, accesses: int) -> tuple[np.ndarray | None, int]:
        """Search from colors below k, or k for holes; return a coloring or None, and the number of accesses."""
        if self.forbidden.all(axis=1).any():
            return None, 0
        return _fill(self.rows, *self._begin(colors), accesses, self.seed)

    def level(self, colors: np.ndarray) -> np.ndarray:
        """Make the loads of a complete coloring more equal by moves and swaps."""
        classes, seats, state, conflicts = self._begin(colors)
        moves = -1
        while moves != state.progress[_ACCESSES]:
            moves = int(state.progress[_ACCESSES])
            level_out(self.rows, classes, seats, state, conflicts)
        return np.asarray(state.colors)

    def _begin(self, colors: np.ndarray) -> tuple[Classes, Seats, State, np.ndarray]:
        """Return the state with these colors; vertices become holes if their colors are forbidden or too full."""
        n, k = self.forbidden.shape
        colors, no_members, links = colors.copy(), np.full(k, _NOBODY), np.zeros((2, n), np.int64)
        classes = Classes(self.base.copy(), self.capacity, self.sizes, no_members, *links)
        seats = self.seats._replace(free=self.seats.free.copy())
        enter_members(self.forbidden, colors, self.base.copy(), classes, seats)
        conflicts = np.where(self.forbidden, np.int32(FORBIDDEN), np.int32(0))
        count_conflicts(n, self.gap, self.rows, colors, conflicts)
        return classes, seats, _state(colors, k, 2 if seats.free.shape[1] else 1, self.gap), conflicts


def close_holes(graph: Graph, colors: Any, accesses: int, seed: int) -> tuple[Any, int]:
    """Search a coloring of a simple graph without the highest color; return it or None, and the number of accesses."""
    n, k = graph.num_vertices, int(colors.max())
    rows, conflicts = Rows(graph.indptr, graph.indices), np.zeros((n, k), np.int32)
    count_conflicts(n, 1, rows, colors, conflicts)
    nothing = np.empty(0, np.int64)
    classes, seats = Classes(*[nothing] * 6), Seats(nothing, np.empty((0, 0), np.int64))
    return _fill(rows, classes, seats, _state(colors.copy(), k, 0, 1), conflicts, accesses, seed)


def _state(colors: np.ndarray, k: int, limited: int, gap: int) -> State:
    """Return the state at the start, where vertices of color k are holes."""
    holes, top = np.zeros(colors.size, np.int64), np.flatnonzero(colors == k)
    holes[: top.size] = top
    return State(colors, holes, np.array([top.size, top.size, 0, 0]), limited, gap)


def _fill(
    rows: Rows, classes: Classes, seats: Seats, state: State, conflicts: np.ndarray, accesses: int, seed: int
) -> tuple[np.ndarray | None, int]:
    """Search until there is no hole; return the coloring or None, and the number of accesses."""
    moves, progress = Moves(conflicts, np.zeros_like(conflicts)), state.progress
    while progress[_HOLES] and progress[_ACCESSES] < accesses:
        step = min(accesses - int(progress[_ACCESSES]), ENTRIES_PER_CALL)
        search(step, hash32(seed % 2**32), rows, classes, seats, state, moves)
    return (None if progress[_HOLES] else state.colors), int(progress[_ACCESSES])
