"""Maximal independent sets at distance 2, in partitions.

Result: bit for bit the set of independent_set/distance/two.py; in the random order that of Kokkos Kernels.

Rule: as there. In the code: `_least` and `_joins` compare keys, `_spread` and `_clear` rule vertices out.

Idea: what is two steps away, is beside a neighbor. So each round has four actions, after each of which the boundary is
told what it changed: *smallest* (the smallest key at each vertex and its neighbors), *join* (the vertices join whose
key is the smallest at all their neighbors), *spread* (members and their neighbors are near), *clear* (vertices with a
neighbor that is near are out). By degrees each is a superstep. In the random order vertices are out one round after
they were beaten: so what spreads may travel with the smallest keys of the next round, and what is cleared with who
joins; two supersteps a round.

State: `near` and `out` only ever become true; keys are drawn anew for each round, by ids, also those of ghosts.

Cost: some ten rounds. A round tells for each boundary vertex that is not near its smallest key, 4 or 8 bytes, and bits.
Work memory: 12 bytes a vertex (20 by degrees).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..independent_set.distance.round_keys import KeySource, RoundKeys, class_of_degree, keys_of, random_key
from ..parallel import kernel
from ..parallel.groups import Rows
from .graph import DistributedGraph
from .partition import Partition
from .supersteps import Supersteps, hear, tell

# The actions of each superstep of a round.
_ROUNDS = {
    "random": (("spread", "smallest"), ("clear", "join")),
    "degree": (("smallest",), ("join",), ("spread",), ("clear",)),
}


class _State(NamedTuple):
    keys: Any  # (k,): of this round; the largest one for those that are out or members
    least: Any  # (k,): the smallest key at each vertex and its neighbors
    joined: Any  # bool (k,): members
    near: Any  # bool (k,): members and their neighbors
    out: Any  # bool (k,)
    left: Any  # own vertices that are undecided
    through: Any  # bool (k,): by which vertices steps of two may lead


@kernel
def _draw(v, ids, degrees, source: RoundKeys, without, keys):
    """The key of a vertex in a round; the largest one if it draws none."""
    key = source.out
    if not without[v]:
        key = random_key(ids[v], source)
        if source.degrees.size:
            key |= class_of_degree(degrees[v])
    keys[v] = key


@kernel(by="edges")
def _least(v, rows: Rows, near, keys, least):
    """The smallest key at v and its neighbors, where that matters: if v is near, all of these are out soon."""
    if not near[v]:
        smallest = keys[v]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            smallest = min(smallest, keys[rows.indices[e]])
        least[v] = smallest


@kernel
def _joins(i, left, rows: Rows, through, keys, least, joined):
    """The i-th vertex that is left joins if nobody within distance 2 has a smaller key."""
    v = left[i]
    first = keys[v] <= least[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        first &= (keys[v] <= least[w]) | (not through[w])
    if first:
        joined[v] = True


@kernel(by="edges")
def _spread(v, rows: Rows, joined, near):
    """Whether v or a neighbor is a member."""
    if not near[v]:
        close = joined[v]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            close |= joined[rows.indices[e]]
        near[v] = close


@kernel
def _clear(i, left, rows: Rows, through, near, out):
    """The i-th vertex that is left is out if it or a neighbor is near."""
    v = left[i]
    beaten = near[v]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        w = rows.indices[e]
        beaten |= near[w] & through[w]
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


def _act(
    part: Partition, state: _State | None, inbox: Any, actions: tuple[str, ...], priority: str, seed: int, number: int
) -> Any:
    """One superstep: hear, act, tell what has changed."""
    source = _source(part, priority, seed)
    state = _begin(part, source) if state is None else _heard(part, state, inbox)
    before, box = state, {}
    for action in actions:
        if action == "smallest":
            state, box["least"] = _smallest(part, state, source, number)
        elif action == "join":
            joined = state.joined.copy()
            _joins(state.left.size, state.left, part.rows, state.through, state.keys, state.least, joined)
            state = state._replace(joined=joined)
        elif action == "spread":
            near = state.near.copy()
            _spread(part.size, part.rows, state.joined, near)
            state = state._replace(near=near)
        else:
            out = state.out.copy()
            left = state.left[~state.joined[state.left]]
            _clear(left.size, left, part.rows, state.through, state.near, out)
            state = state._replace(out=out, left=left[~out[left]])
    for name in ("joined", "near", "out"):
        now, then = getattr(state, name), getattr(before, name)
        if now is not then:
            box[name] = tell(part, now & ~then, now)
    state = state._replace(left=state.left[~state.joined[state.left]])
    return state, box, int(state.left.size)


def _source(part: Partition, priority: str, seed: int) -> KeySource:
    degrees = part.degrees if priority == "degree" else part.degrees[:0]
    return keys_of(part.num_vertices, degrees, priority, seed)


def _offer(part: Partition, state: Any, inbox: Any, among: Any) -> Any:
    """Tell which vertices may join."""
    allowed = part.with_owned(np.asarray(among), False)
    return allowed, tell(part, allowed, allowed), None


def _begin_among(part: Partition, state: Any, inbox: Any, priority: str, seed: int, induced: bool) -> Any:
    allowed = state.copy()
    hear(part, inbox, allowed)
    begun = _begin(part, _source(part, priority, seed))
    through = allowed if induced else begun.through
    return begun._replace(out=~allowed, left=begun.left[allowed[begun.left]], through=through), {}, None


def _begin(part: Partition, source: KeySource) -> _State:
    none, keys = np.zeros(part.size, bool), np.full(part.size, source.out, source.dtype)
    left = np.arange(part.owned.start, part.owned.stop, dtype=part.graph.indices.dtype)
    return _State(keys, keys, none, none, none, left, ~none)


def _heard(part: Partition, state: _State, inbox: Any) -> _State:
    heard = {}
    for name in {name for box in inbox.values() for name in box}:
        heard[name] = getattr(state, name).copy()
        hear(part, {q: box[name] for q, box in inbox.items() if name in box}, heard[name])
    return state._replace(**heard)


def _smallest(part: Partition, state: _State, source: KeySource, number: int) -> tuple[_State, Any]:
    keys, least = np.empty_like(state.keys), np.full_like(state.keys, source.out)
    _draw(part.size, part.ids, part.degrees, source.keys(number), state.out | state.joined, keys)
    _least(part.size, part.rows, state.near, keys, least)
    least[part.ghosts()] = source.out
    return state._replace(keys=keys, least=least), tell(part, least != source.out, least)


def _mask(part: Partition, state: _State) -> Any:
    return state.joined[part.owned]
