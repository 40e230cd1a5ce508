"""Refinement (Leiden): inside each community, single vertices join well-connected parts of it.

Result: a partition into connected parts of communities; a function of the level, its communities and the salt.

Rule: a single vertex v that is well connected to the rest of its community chooses the well-connected part with the
largest worth, which is reduced by a random fraction, and which must not be negative. It joins unless a vertex before it
in the random order of turns chose it, or its choice is a single vertex that joins another part before it. In the code:
`best_part`, and `may_join`. The oracle is `refine` in tests/support/naive_communities.py.

Idea: a part that is joined keeps all its members, and a vertex that joined never leaves. So every part is connected.
The vertices are divided at random into 16 classes. Each class is one step of passes over its vertices: *choose*;
*want* (for each single vertex that is chosen, the first vertex that chose it); *accept*; *join*; *recut* (the links
from a part to the rest of its community). A second round takes the vertices that were refused, 1 to 2 %.

Choices must be random: of parts with equal links, the best one has the least mass, which would build chains of leaves.

State: a part is named by one of its vertices. `cut` has the links of a part to the rest of its community, and `inner`
the links of a vertex inside its community.

Cost: 3 to 4 looks at each vertex. Work memory: 54 bytes per vertex, and the tables of links.py.

Source: V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden", Scientific Reports 9, 2019. There the random choice
is by exponentials of gains; here it is by a fraction of the worth, which needs no exponential and no unit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import atomic_add, atomic_min, chunk_bounds, kernel, rule
from .._core.runtime.device import array_module, device_of
from .._core.runtime.primitives import compact
from .level import Level, for_one_thread, weight_of
from .links import Tables, add_link, clear, key_at, mask_of
from .moving import Span, in_classes, number_of_classes
from .rules import NEVER, draw, salt_of, turn, varied, worth

_CLASSES = 16
_ROUNDS = 2
_STEP_OF_SALT = 1000  # the number of the first round as a step of `salt_of`; local moving has fewer steps


class Whole(NamedTuple):
    """The communities that are refined."""

    label: Any  # (n,)
    total: Any  # (n,) int64
    inner: Any  # (n,) int64


class Parts(NamedTuple):
    """The part of each vertex; the other arrays are indexed by the names of parts."""

    part: Any  # (n,)
    size: Any  # (n,) int32: number of vertices; 0 for a name that is not used
    mass: Any  # (n,) int64
    cut: Any  # (n,) int64


class Choices(NamedTuple):
    """What the vertices of a class choose."""

    target: Any  # (n,): the chosen part, or -1
    wanted: Any  # (n,) int64: for a single vertex, the turn of the first vertex that chose it
    accepted: Any  # (n,) bool


class Chance(NamedTuple):
    """The numbers in the objective and in the choices."""

    scale: float  # rules.py
    salt: int


@rule
def is_single(v, parts):
    """Return whether v is a part by itself."""
    return parts.size[v] == 1 and parts.part[v] == v


@rule
def best_part(v, level, whole, parts, chance, tables, base):
    """Return the part that v chooses, or -1."""
    label, part, weights, scale = whole.label, parts.part, level.weights, chance.scale
    all_mass = whole.total[label[v]]
    rate = scale * float(level.mass[v])
    if worth(whole.inner[v], rate, all_mass - level.mass[v]) < 0.0:
        return -1
    first, end = level.indptr[v], level.indptr[v + 1]
    mask = mask_of(end - first, tables)
    count = 0
    for e in range(first, end):
        u = level.indices[e]
        if label[u] == label[v]:
            count = add_link(part[u], weight_of(e, weights), count, mask, tables, base)
    best, best_worth = -1, 0.0
    for i in range(count):
        place = tables.slots[base + i]
        p = key_at(place, tables, base)
        value = worth(tables.sums[base + place], rate, parts.mass[p])
        clear(place, tables, base)
        if value >= 0.0 and worth(parts.cut[p], scale * float(parts.mass[p]), all_mass - parts.mass[p]) >= 0.0:
            value = varied(value, p, v, chance.salt)
            if (
                best < 0
                or value > best_worth
                or (value == best_worth and draw(p, chance.salt) < draw(best, chance.salt))
            ):
                best, best_worth = p, value
    return best


@rule
def may_join(v, parts, choices, salt):
    """Return whether the choice of v is accepted."""
    p = choices.target[v]
    mine = turn(v, salt)
    if choices.wanted[v] < mine:
        return False
    return not (parts.size[p] == 1 and choices.target[p] >= 0) or mine < turn(p, salt)


@rule
def change_of_cut(v, level, whole, parts, choices):
    """Return the change of the cut of the part that v joined, without the part of other vertices of its class."""
    p = parts.part[v]
    change = whole.inner[v]
    for e in range(level.indptr[v], level.indptr[v + 1]):
        u = level.indices[e]
        if parts.part[u] == p:
            together = choices.target[u] >= 0 and choices.accepted[u]  # then u subtracts the weight, too
            change -= weight_of(e, level.weights) * (1 if together else 2)
    return change


@kernel(by="edges", types="O[] V[] int64[] int64[] int64[] int32[] int64[]")
def sum_inner(v, level: Level, label, inner):
    """Sum the weights of the links of v inside its community."""
    total = 0
    for e in range(level.indptr[v], level.indptr[v + 1]):
        if label[level.indices[e]] == label[v]:
            total += weight_of(e, level.weights)
    inner[v] = total


@kernel(
    by="workers",
    types="O[] V[] int64[] int64[] int64[] int32[] int64[] int64[] int32[] int32[] int64[] int64[] float int "
    "int32[] int64[] int32[] int int int32[] int64[] int int int",
)
def choose_parts(
    worker,
    workers,
    level: Level,
    whole: Whole,
    parts: Parts,
    chance: Chance,
    tables: Tables,
    target,
    vertices,
    span: Span,
):
    """Write the choices of a worker's share of a class."""
    start, end = chunk_bounds(span.end - span.first, worker, workers)
    for i in range(span.first + start, span.first + end):
        v = vertices[i]
        if is_single(v, parts):
            target[v] = best_part(v, level, whole, parts, chance, tables, worker * tables.places)


@kernel(types="int32[] int32[] int64[] int64[] int32[] int64[] bool[] int64[] int int")
def want(i, parts: Parts, choices: Choices, vertices, first, salt):
    """Record the turn of a vertex at the single vertex that it chose."""
    v = vertices[first + i]
    p = choices.target[v]
    if p >= 0 and parts.size[p] == 1:
        atomic_min(choices.wanted, p, turn(v, salt))


@kernel(types="int32[] int32[] int64[] int64[] int32[] int64[] bool[] int64[] int int")
def accept_choices(i, parts: Parts, choices: Choices, vertices, first, salt):
    """Decide on the choice of a vertex."""
    v = vertices[first + i]
    choices.accepted[v] = choices.target[v] >= 0 and may_join(v, parts, choices, salt)


@kernel(types="int32[] int32[] int64[] int64[] int32[] int64[] bool[] int64[] int64[] int")
def join(i, parts: Parts, choices: Choices, mass, vertices, first):
    """Let an accepted vertex join its part."""
    v = vertices[first + i]
    if choices.accepted[v]:
        p = choices.target[v]
        parts.part[v] = p
        parts.size[v] = 0
        parts.mass[v] = 0
        parts.cut[v] = 0
        atomic_add(parts.size, p, 1)
        atomic_add(parts.mass, p, mass[v])


@kernel(
    types="O[] V[] int64[] int64[] int64[] int32[] int64[] int64[] int32[] int32[] int64[] int64[] int32[] "
    "int64[] bool[] int64[] int"
)
def recut(i, level: Level, whole: Whole, parts: Parts, choices: Choices, vertices, first):
    """Update the cut of the part that a vertex joined."""
    v = vertices[first + i]
    if choices.accepted[v]:
        atomic_add(parts.cut, parts.part[v], change_of_cut(v, level, whole, parts, choices))


@kernel(types="int32[] int64[] bool[] int64[] int")
def forget(i, choices: Choices, vertices, first):
    """Clear the choices of a class."""
    v = vertices[first + i]
    if choices.target[v] >= 0:
        choices.wanted[choices.target[v]] = NEVER
        choices.target[v] = -1


@kernel(
    by="single",
    types="O[] V[] int64[] int64[] int64[] int32[] int64[] int64[] int32[] int32[] int64[] int64[] int32[] "
    "int64[] bool[] float int int32[] int64[] int32[] int int int64[] int64[]",
)
def refine_alone(
    level: Level, whole: Whole, parts: Parts, choices: Choices, chance: Chance, tables: Tables, vertices, starts
):
    """Do all passes of all classes."""
    target, wanted, accepted, salt = choices.target, choices.wanted, choices.accepted, chance.salt
    for k in range(starts.size - 1):
        first, end = starts[k], starts[k + 1]
        for i in range(first, end):
            v = vertices[i]
            if is_single(v, parts):
                target[v] = best_part(v, level, whole, parts, chance, tables, 0)
        for i in range(first, end):
            p = target[vertices[i]]
            if p >= 0 and parts.size[p] == 1:
                wanted[p] = min(wanted[p], turn(vertices[i], salt))
        for i in range(first, end):
            v = vertices[i]
            accepted[v] = target[v] >= 0 and may_join(v, parts, choices, salt)
        for i in range(first, end):
            v = vertices[i]
            if accepted[v]:
                p = target[v]
                parts.part[v] = p
                parts.size[v] = 0
                parts.mass[v] = 0
                parts.cut[v] = 0
                parts.size[p] += 1
                parts.mass[p] += level.mass[v]
        for i in range(first, end):
            v = vertices[i]
            if accepted[v]:
                parts.cut[parts.part[v]] += change_of_cut(v, level, whole, parts, choices)
        for i in range(first, end):
            v = vertices[i]
            if target[v] >= 0:
                wanted[target[v]] = NEVER
                target[v] = -1


def refine(level: Level, label: Any, total: Any, scale: float, tables: Any, seed: int, depth: int) -> Any:
    """Return the part of each vertex, named by one of its vertices; `seed` and `depth` are those of `salt_of`."""
    device, n = device_of(label), int(label.size)
    xp = array_module(device)
    workers, buffers = tables
    whole = Whole(label, total, xp.empty(n, np.int64))
    sum_inner(n, level, label, whole.inner)
    parts = Parts(xp.arange(n, dtype=label.dtype), xp.ones(n, np.int32), level.mass.copy(), whole.inner.copy())
    choices = Choices(xp.full(n, -1, label.dtype), xp.full(n, NEVER, np.int64), xp.zeros(n, bool))
    classes = number_of_classes(n, _CLASSES)
    vertices = xp.arange(n)
    alone = device == "cpu" and for_one_thread(level, n)
    for attempt in range(_ROUNDS):
        chance = Chance(scale, salt_of(seed, depth, _STEP_OF_SALT + attempt))
        if attempt:
            vertices = compact((parts.size == 1) & (parts.part == xp.arange(n, dtype=label.dtype)))
        vertices, starts = in_classes(vertices, classes, chance.salt)
        if alone:
            refine_alone(level, whole, parts, choices, chance, buffers, vertices, starts)
            continue
        bounds = starts.tolist()
        for first, end in pairwise(bounds):
            choose_parts(
                workers, level, whole, parts, chance, buffers, choices.target, vertices, Span(first, end, chance.salt)
            )
            want(end - first, parts, choices, vertices, first, chance.salt)
            accept_choices(end - first, parts, choices, vertices, first, chance.salt)
            join(end - first, parts, choices, level.mass, vertices, first)
            recut(end - first, level, whole, parts, choices, vertices, first)
            forget(end - first, choices, vertices, first)
    return parts.part
