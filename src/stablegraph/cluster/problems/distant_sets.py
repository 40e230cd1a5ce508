"""Maximal independent sets at distance 2, in partitions.

Result: bit for bit the set of independent_set/distance/two.py; in the random order that of Kokkos Kernels.

Rule: that of independent_set/distance/two.py. In the code: `_least` and `_joins` compare keys, `_spread` and `_clear`
rule vertices out.

Idea: a vertex at distance 2 is a neighbor of a neighbor. So each round has four actions, each followed by an exchange
of the changes at boundaries: *smallest* (compute the smallest key of each vertex and its neighbors), *join* (vertices
join whose key is the smallest at all of their neighbors), *spread* (mark members and their neighbors as near), *clear*
(mark vertices with a near neighbor as out). In the order by degrees, each action is a superstep. In the random order,
vertices are out one round after they were beaten. Therefore *spread* shares a message with *smallest* of the next
round, and *clear* with *join*, so a round takes two supersteps.

State: `joined`, `near` and `out` only ever become true. Keys are computed anew from ids, for each round and whenever
they are compared. The smallest keys of owned vertices are kept for the next step, those of ghosts come with its
messages. A vertex without undecided vertices around it permanently has the largest key as its smallest one, and is not
visited again.

Cost: about ten rounds. In a round, a message has for each boundary vertex that is not near its smallest key, 4 or 8
bytes, and some bits. Work memory: 12 bytes per vertex (20 by degrees).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..._core.runtime import Array, ArrayT, Bools, Int32s, Rows, kernel
from ...independent_set.distance.round_keys import KeySource, RoundKeys, draw_key, drawn_source
from ..gpu_execution import device_agnostic
from ..graph import DistributedGraph
from ..messages import (
    apply_ghost_updates,
    messages_named,
    pack_boundary_updates,
    pack_changes,
    with_ghost_fields,
    with_ghost_values,
)
from ..partition import Partition, take
from ..supersteps import Supersteps

# The actions of each superstep of a round.
_ROUNDS = {
    "random": (("spread", "smallest"), ("clear", "join")),
    "degree": (("smallest",), ("join",), ("spread",), ("clear",)),
}
_SENT_MARKS = ("joined", "near", "out")


class _Marks(NamedTuple):
    """The known states of vertices, including ghosts."""

    joined: Bools  # (k,): members
    near: Bools  # (k,): members and their neighbors
    out: Bools  # (k,)
    through: Bools  # (k,): vertices that may be in the middle of a path of two edges


class _Marked(NamedTuple):
    marks: _Marks
    least: Array  # (owned vertices,): the smallest key of each one and its neighbors; the largest key if irrelevant
    remaining: Array  # the undecided owned vertices


@kernel(
    by="edges",
    types="int32[] int32[] int bool[] bool[] bool[] bool[] int32[] int int int int O[] T[]",
    T="int64 uint32",
)
def _least(i, rows: Rows, first, marks: _Marks, ids, keys: RoundKeys, least):
    """Compute the smallest key of the i-th own vertex and its neighbors.

    If the vertex is near, the result is the largest key, because all of these vertices are out soon.
    """
    if least[i] != keys.out:
        v = first + i
        smallest = keys.out
        if not marks.near[v]:
            if not (marks.out[v] | marks.joined[v]):
                smallest = draw_key(v, ids[v], keys)
            for e in range(rows.indptr[i], rows.indptr[i + 1]):
                w = rows.indices[e]
                if not (marks.out[w] | marks.joined[w]):
                    smallest = min(smallest, draw_key(w, ids[w], keys))
        least[i] = smallest


@kernel(
    types="int32[] int32[] int32[] bool[] bool[] bool[] bool[] int32[] int int int int O[] T[] bool[]", T="int64 uint32"
)
def _joins(i, undecided, rows: Rows, marks: _Marks, ids, keys: RoundKeys, least, joined):
    """Let the i-th remaining vertex join if no vertex within distance 2 has a smaller key."""
    v = undecided[i]
    key = draw_key(v, ids[v], keys)
    first = key <= least[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        first &= (key <= least[w]) | (not marks.through[w])
    if first:
        joined[v] = True


@kernel(by="edges", T="int64 uint32", V="int32", O="int32")
def _spread(i, rows: Rows, first: int, no_key: int, least: ArrayT, joined: Bools, near: Bools):
    """Mark the i-th own vertex as near if it or a neighbor is a member, unless no vertex around it is undecided."""
    v = first + i
    if least[i] != no_key and not near[v]:
        close = joined[v]
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            close |= joined[rows.indices[e]]
        near[v] = close


@kernel(V="int32", O="int32")
def _clear(i, undecided: Int32s, rows: Rows, marks: _Marks, out: Bools):
    """Mark the i-th remaining vertex as out if it or a neighbor is near."""
    v = undecided[i]
    beaten = marks.near[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        beaten |= marks.near[w] & marks.through[w]
    if beaten:
        out[v] = True


def independent_set(
    graph: DistributedGraph, priority: str, seed: int, allowed: list[Any] | None
) -> tuple[list[Any], dict[str, Any]]:
    """Return the masks of partitions, among the allowed vertices, and the statistics of the run."""
    run = Supersteps(graph, "mis2")
    return mask_pieces(run, priority, seed, allowed), run.info


def mask_pieces(
    run: Supersteps, priority: str, seed: int, among: list[Any] | None = None, induced: bool = False
) -> list[Any]:
    """Compute the mask of each partition, and return futures.

    With `among`, a mask for each partition, only those vertices may join. Distances are those in the whole graph or, if
    `induced`, in the subgraph induced by `among`.
    """
    number, remaining = 0, None
    if among is not None:
        run.step(_send_allowed, each=among)
        run.step(_begin_among, priority, seed, induced)
    while remaining != 0:
        for actions in _ROUNDS[priority]:
            counts = run.step(_act, actions, priority, seed, number, left=sum)
            remaining = sum(counts)
        number += 1
    return run.answers(_mask)


@device_agnostic
def _act(
    part: Partition, state: _Marked | None, inbox: Any, actions: tuple[str, ...], priority: str, seed: int, number: int
) -> Any:
    """Run one superstep: apply the neighbors' messages, run the actions, and pack the changes."""
    source = _source(part, priority, seed)
    keys = source.keys(number)
    state = _begin_marks(part, source) if state is None else _with_ghost_marks(part, state, inbox)
    before, message = state.marks, {}
    for action in actions:
        marks, least, remaining = state
        if action == "smallest":
            least = least.copy()
            _least(least.size, part.owned_rows, part.first, marks, part.ids, keys, least)
            boundary_keys = take(part.boundary - part.first, least)
            message["least"] = pack_changes(boundary_keys != source.out, boundary_keys)
        elif action == "join":
            smallest = part.with_owned(least, source.out)
            apply_ghost_updates(part, messages_named(inbox, "least"), smallest)
            marks = marks._replace(joined=marks.joined.copy())
            _joins(remaining.size, remaining, part.rows, marks, part.ids, keys, smallest, marks.joined)
        elif action == "spread":
            marks = marks._replace(near=marks.near.copy())
            _spread(least.size, part.owned_rows, part.first, source.out, least, marks.joined, marks.near)
        else:
            marks = marks._replace(out=marks.out.copy())
            _clear(remaining.size, remaining, part.rows, marks, marks.out)
        remaining = remaining[~(marks.joined[remaining] | marks.out[remaining])]
        state = _Marked(marks, least, remaining)
    for name in _SENT_MARKS:
        now, then = getattr(state.marks, name), getattr(before, name)
        if now is not then:
            after = take(part.boundary, now)
            message[name] = pack_changes(after & ~take(part.boundary, then), after)
    return state, message, int(state.remaining.size)


def _source(part: Partition, priority: str, seed: int) -> KeySource:
    degrees = part.degrees if priority == "degree" else part.degrees[:0]
    return drawn_source(part.num_vertices, degrees, priority, seed)


@device_agnostic
def _send_allowed(part: Partition, state: Any, inbox: Any, among: Any) -> Any:
    """Send which vertices may join."""
    allowed = part.with_owned(part.xp.asarray(among), False)
    return allowed, pack_boundary_updates(part, allowed, allowed), None


@device_agnostic
def _begin_among(part: Partition, state: Any, inbox: Any, priority: str, seed: int, induced: bool) -> Any:
    allowed = with_ghost_values(part, state, inbox)
    state = _begin_marks(part, _source(part, priority, seed))
    through = allowed if induced else state.marks.through
    marks = state.marks._replace(out=~allowed, through=through)
    return state._replace(marks=marks, remaining=state.remaining[allowed[state.remaining]]), {}, None


def _begin_marks(part: Partition, source: KeySource) -> _Marked:
    no_marks, least = part.xp.zeros(part.size, bool), part.xp.zeros(part.stop - part.start, source.dtype)
    remaining = part.xp.arange(part.owned.start, part.owned.stop, dtype=part.graph.indices.dtype)
    return _Marked(_Marks(no_marks, no_marks, no_marks, ~no_marks), least, remaining)


def _with_ghost_marks(part: Partition, state: _Marked, inbox: Any) -> _Marked:
    sent = [name for name in _SENT_MARKS if any(name in message for message in inbox.values())]
    return state._replace(marks=with_ghost_fields(part, state.marks, inbox, *sent))


def _mask(part: Partition, state: _Marked) -> Any:
    return state.marks.joined[part.owned]
