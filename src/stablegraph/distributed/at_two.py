"""Maximal independent sets at distance 2, in partitions.

Result: bit for bit the set of independent_set/distance/two.py; in the random order that of Kokkos Kernels.

Rule: as there. In the code: `_least` and `_joins` compare keys, `_spread` and `_clear` rule vertices out.

Idea: what is two steps away, is beside a neighbor. So each round has four actions, after each of which the boundary is
told what it changed: *smallest* (the smallest key at each vertex and its neighbors), *join* (the vertices join whose
key is the smallest at all their neighbors), *spread* (members and their neighbors are near), *clear* (vertices with a
neighbor that is near are out). By degrees each is a superstep. In the random order vertices are out one round after
they were beaten: so what spreads may travel with the smallest keys of the next round, and what is cleared with who
joins; two supersteps a round.

State: `joined`, `near` and `out` only ever become true. Keys are drawn anew for each round, by ids, whenever they are
compared. The smallest keys of own vertices go on to the next step, those of ghosts come with its boxes. A vertex around
which nobody is undecided has the largest key as its smallest one, for good, and is not looked at again.

Cost: some ten rounds. A round tells for each boundary vertex that is not near its smallest key, 4 or 8 bytes, and bits.
Work memory: 12 bytes a vertex (20 by degrees).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..independent_set.distance.round_keys import KeySource, RoundKeys, draw_key, keys_of
from ..parallel import kernel
from ..parallel.groups import Rows
from .boxes import changes, hear, tell
from .copies import at
from .graph import DistributedGraph
from .on_gpu import anywhere
from .partition import Partition
from .supersteps import Supersteps

# The actions of each superstep of a round.
_ROUNDS = {
    "random": (("spread", "smallest"), ("clear", "join")),
    "degree": (("smallest",), ("join",), ("spread",), ("clear",)),
}
_TOLD = ("joined", "near", "out")


class _Marks(NamedTuple):
    """What is known of vertices, ghosts among them."""

    joined: Any  # bool (k,): members
    near: Any  # bool (k,): members and their neighbors
    out: Any  # bool (k,)
    through: Any  # bool (k,): by which vertices steps of two may lead


class _State(NamedTuple):
    marks: _Marks
    least: Any  # (own vertices,): the smallest key at each one and its neighbors; the largest if that does not matter
    left: Any  # own vertices that are undecided


@kernel(
    by="edges",
    types="int32[] int32[] int bool[] bool[] bool[] bool[] int32[] int int int int O[] T[]",
    T="int64 uint32",
)
def _least(i, rows: Rows, first, marks: _Marks, ids, keys: RoundKeys, least):
    """The smallest key at the i-th own vertex and its neighbors. If it is near, all of these are out soon."""
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
def _joins(i, left, rows: Rows, marks: _Marks, ids, keys: RoundKeys, least, joined):
    """The i-th vertex that is left joins if nobody within distance 2 has a smaller key."""
    v = left[i]
    key = draw_key(v, ids[v], keys)
    first = key <= least[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        first &= (key <= least[w]) | (not marks.through[w])
    if first:
        joined[v] = True


@kernel(by="edges", types="int32[] int32[] int int T[] bool[] bool[]", T="int64 uint32")
def _spread(i, rows: Rows, first, nobody, least, joined, near):
    """Whether the i-th own vertex or a neighbor is a member, if somebody around it is undecided."""
    v = first + i
    if least[i] != nobody and not near[v]:
        close = joined[v]
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            close |= joined[rows.indices[e]]
        near[v] = close


@kernel(types="int32[] int32[] int32[] bool[] bool[] bool[] bool[] bool[]")
def _clear(i, left, rows: Rows, marks: _Marks, out):
    """The i-th vertex that is left is out if it or a neighbor is near."""
    v = left[i]
    beaten = marks.near[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        beaten |= marks.near[w] & marks.through[w]
    if beaten:
        out[v] = True


def independent_set(
    graph: DistributedGraph, priority: str, seed: int, allowed: list[Any] | None
) -> tuple[list[Any], dict[str, Any]]:
    """The masks of partitions, among the vertices that are allowed, and what was done."""
    run = Supersteps(graph, "mis2")
    return mask_pieces(run, priority, seed, allowed), run.info


def mask_pieces(
    run: Supersteps, priority: str, seed: int, among: list[Any] | None = None, induced: bool = False
) -> list[Any]:
    """The mask of each partition: futures.

    With `among`, a mask for each partition, only those vertices may join; distances are those in the whole graph or, if
    `induced`, in the subgraph that they induce.
    """
    number, left = 0, None
    if among is not None:
        run.step(_offer, each=among)
        run.step(_begin_among, priority, seed, induced)
    while left != 0:
        for actions in _ROUNDS[priority]:
            counts = run.step(_act, actions, priority, seed, number, left=sum)
            left = sum(counts)
        number += 1
    return run.answers(_mask)


@anywhere
def _act(
    part: Partition, state: _State | None, inbox: Any, actions: tuple[str, ...], priority: str, seed: int, number: int
) -> Any:
    """One superstep: hear, act, tell what has changed."""
    source = _source(part, priority, seed)
    keys = source.keys(number)
    state = _begin(part, source) if state is None else _heard(part, state, inbox)
    before, box = state.marks, {}
    for action in actions:
        marks, least, left = state
        if action == "smallest":
            least = least.copy()
            _least(least.size, part.own_rows, part.first, marks, part.ids, keys, least)
            told = at(part.boundary - part.first, least)
            box["least"] = changes(told != source.out, told)
        elif action == "join":
            smallest = part.with_owned(least, source.out)
            hear(part, _boxes(inbox, "least"), smallest)
            marks = marks._replace(joined=marks.joined.copy())
            _joins(left.size, left, part.rows, marks, part.ids, keys, smallest, marks.joined)
        elif action == "spread":
            marks = marks._replace(near=marks.near.copy())
            _spread(least.size, part.own_rows, part.first, source.out, least, marks.joined, marks.near)
        else:
            marks = marks._replace(out=marks.out.copy())
            _clear(left.size, left, part.rows, marks, marks.out)
        left = left[~(marks.joined[left] | marks.out[left])]
        state = _State(marks, least, left)
    for name in _TOLD:
        now, then = getattr(state.marks, name), getattr(before, name)
        if now is not then:
            there = at(part.boundary, now)
            box[name] = changes(there & ~at(part.boundary, then), there)
    return state, box, int(state.left.size)


def _source(part: Partition, priority: str, seed: int) -> KeySource:
    degrees = part.degrees if priority == "degree" else part.degrees[:0]
    return keys_of(part.num_vertices, degrees, priority, seed)


@anywhere
def _offer(part: Partition, state: Any, inbox: Any, among: Any) -> Any:
    """Tell which vertices may join."""
    allowed = part.with_owned(part.xp.asarray(among), False)
    return allowed, tell(part, allowed, allowed), None


@anywhere
def _begin_among(part: Partition, state: Any, inbox: Any, priority: str, seed: int, induced: bool) -> Any:
    allowed = state.copy()
    hear(part, inbox, allowed)
    begun = _begin(part, _source(part, priority, seed))
    through = allowed if induced else begun.marks.through
    marks = begun.marks._replace(out=~allowed, through=through)
    return begun._replace(marks=marks, left=begun.left[allowed[begun.left]]), {}, None


def _begin(part: Partition, source: KeySource) -> _State:
    none, least = part.xp.zeros(part.size, bool), part.xp.zeros(part.stop - part.start, source.dtype)
    left = part.xp.arange(part.owned.start, part.owned.stop, dtype=part.graph.indices.dtype)
    return _State(_Marks(none, none, none, ~none), least, left)


def _boxes(inbox: Any, name: str) -> Any:
    """What neighbors told of this name."""
    return {q: box[name] for q, box in inbox.items() if name in box}


def _heard(part: Partition, state: _State, inbox: Any) -> _State:
    heard = {}
    for name in _TOLD:
        boxes = _boxes(inbox, name)
        if boxes:
            heard[name] = getattr(state.marks, name).copy()
            hear(part, boxes, heard[name])
    return state._replace(marks=state.marks._replace(**heard))


def _mask(part: Partition, state: _State) -> Any:
    return state.marks.joined[part.owned]
