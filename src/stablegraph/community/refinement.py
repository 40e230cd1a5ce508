"""Parts of communities, the vertices of the next level: refinement (Leiden), or connected pieces (Louvain).

In refinement, single vertices join well-connected parts of their community.

Result: a partition into connected parts of communities; a function of the level, its communities and the salt.

Rule: a single vertex v that is well connected to the rest of its community chooses the well-connected part with the
largest worth, which is reduced by a random fraction, and which must not be negative. It joins unless a vertex before it
in the random order of turns chose it, or its choice is a single vertex that joins another part before it. In the code:
`best_part`, and `may_join`. The oracle is `refine` in tests/support/naive_communities.py.

Idea: a part that is joined keeps all its members, and a vertex that joined never leaves. So every part is connected.
The vertices are divided at random into 16 classes. Each class is one step of passes over its vertices: *choose*, which
also finds the first vertex that chose each single vertex; *join*; *recut* (the links from a part to the rest of its
community; a row is read only if several vertices of the class joined the same part); *forget*. A second round takes the
vertices that were refused, 1 to 2 %, as one class.

Choices must be random: of parts with equal links, the best one has the least mass, which would build chains of leaves.

Connected pieces, and groups in general, are numbered in the order of their smallest vertices. Both are trees whose root
is the smallest vertex of a group, as in _core/engines/union.py.

State: a part is named by one of its vertices. `cut` has the links of a part to the rest of its community, and `inner`
the links of a vertex inside its community.

Cost: 3 to 4 looks at each vertex. Work memory: 66 bytes per vertex, and the tables of rules.py.

Source: V. Traag, L. Waltman, N. van Eck, "From Louvain to Leiden", Scientific Reports 9, 2019. There the random choice
is by exponentials of gains; here it is by a fraction of the worth, which needs no exponential and no unit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .._core.engines.union import number_trees as number_trees_on_cpu
from .._core.engines.union import unite
from .._core.runtime import Bools, Int32s, Int64s, atomic_add, atomic_min, chunk_bounds, kernel, rule
from .._core.runtime.device import array_module, by_device, device_of
from .._core.runtime.primitives import compact
from .classes import Span, in_classes, number_of_classes, workers_for
from .coarse_level import sum_weights
from .cuda import rows as rows_cuda
from .rules import (
    NEVER,
    SHARES,
    Level,
    Tables,
    add_link,
    by_level,
    clear,
    draw,
    for_one_thread,
    key_at,
    mask_of,
    next_share,
    ready,
    salt_of,
    turn,
    varied,
    weight_of,
    worth,
)

CLASSES = 16, 1  # of each round
STEP_OF_SALT = 1000  # the number of the first round as a step of `salt_of`; local moving has fewer steps

number_trees = by_device(number_trees_on_cpu, rows_cuda.number_trees)


class Whole(NamedTuple):
    """The communities that are refined."""

    label: Int32s  # (n,)
    total: Int64s  # (n,)
    inner: Int64s  # (n,)
    scale: float  # rules.py


class PartSums(NamedTuple):
    """The part of each vertex, and sums over parts, indexed by the names of parts."""

    part: Int32s  # (n,)
    size: Int32s  # (n,): number of vertices; 0 for a name that is not used
    mass: Int64s  # (n,)
    cut: Int64s  # (n,)


class Choices(NamedTuple):
    """What the vertices of a class choose."""

    target: Int32s  # (n,): the chosen part, or -1
    links: Int64s  # (n,): the links to it
    wanted: Int64s  # (n,): for a single vertex, the turn of the first vertex that chose it
    joined: Int32s  # (n,): for a part, the number of vertices of the class that have joined it
    accepted: Bools  # (n,)


@rule
def is_single(v, parts):
    """Return whether v is a part by itself."""
    return parts.size[v] == 1 and parts.part[v] == v


@rule
def best_part(v, level, whole, parts, salt, tables, base):
    """Return the part that v chooses, or -1, and the links to it."""
    label, part, weights, scale = whole.label, parts.part, level.weights, whole.scale
    all_mass = whole.total[label[v]]
    rate = scale * float(level.mass[v])
    if worth(whole.inner[v], rate, all_mass - level.mass[v]) < 0.0:
        return -1, 0
    first, end = level.indptr[v], level.indptr[v + 1]
    mask = mask_of(end - first, tables)
    count = 0
    for e in range(first, end):
        u = level.indices[e]
        if label[u] == label[v]:
            count = add_link(part[u], weight_of(e, weights), count, mask, tables, base)
    best, best_worth, best_links = -1, 0.0, 0
    for i in range(count):
        place = tables.slots[base + i]
        p = key_at(place, tables, base)
        links = tables.sums[base + place]
        value = worth(links, rate, parts.mass[p])
        clear(place, tables, base)
        if value < best_worth:  # so it is after it has been reduced
            continue
        if worth(parts.cut[p], scale * float(parts.mass[p]), all_mass - parts.mass[p]) >= 0.0:
            value = varied(value, p, v, salt)
            if best < 0 or value > best_worth or (value == best_worth and draw(p, salt) < draw(best, salt)):
                best, best_worth, best_links = p, value, links
    return best, best_links


@rule
def choose(v, level, whole, parts, choices, salt, tables, base):
    """Let a single vertex choose a part; record its turn if that is a single vertex."""
    if is_single(v, parts):
        p, links = best_part(v, level, whole, parts, salt, tables, base)
        choices.target[v], choices.links[v] = p, links
        if p >= 0 and parts.size[p] == 1:
            atomic_min(choices.wanted, p, turn(v, salt))


@rule
def may_join(v, choices, salt):
    """Return whether v has made a choice that is accepted."""
    p = choices.target[v]
    if p < 0:
        return False
    mine = turn(v, salt)
    if choices.wanted[v] < mine:
        return False
    return choices.wanted[p] == NEVER or choices.target[p] < 0 or mine < turn(p, salt)


@rule
def join(v, parts, choices, mass, salt):
    """Let v join the part that it chose, if it may."""
    joins = may_join(v, choices, salt)
    choices.accepted[v] = joins
    if joins:
        p = choices.target[v]
        parts.part[v] = p
        parts.size[v] = 0
        parts.mass[v] = 0
        parts.cut[v] = 0
        atomic_add(parts.size, p, 1)
        atomic_add(parts.mass, p, mass[v])
        atomic_add(choices.joined, p, 1)


@rule
def links_to_class(v, level, parts, choices):
    """Return the links of v to the vertices of its class that joined the same part."""
    links = 0
    for e in range(level.indptr[v], level.indptr[v + 1]):
        u = level.indices[e]
        if parts.part[u] == parts.part[v] and choices.target[u] >= 0 and choices.accepted[u]:
            links += weight_of(e, level.weights)
    return links


@rule
def update_cut(v, level, whole, parts, choices):
    """Update the cut of the part that v joined. Links between vertices of the class are subtracted by both ends."""
    if choices.accepted[v]:
        p = parts.part[v]
        among = links_to_class(v, level, parts, choices) if choices.joined[p] > 1 else 0
        atomic_add(parts.cut, p, whole.inner[v] - 2 * choices.links[v] - among)


@rule
def forget_choice(v, choices):
    """Clear the choice of v, and its mark at the part that it chose."""
    p = choices.target[v]
    if p >= 0:
        choices.wanted[p] = NEVER
        choices.joined[p] = 0
        choices.target[v] = -1


@kernel(by="workers")
def choose_parts(
    worker, workers, level: Level, whole: Whole, parts: PartSums, choices: Choices, tables: Tables, span: Span
):
    """Write the choices of a class."""
    shares = workers * SHARES
    share = next_share(worker, workers, tables)
    while share < shares:
        start, end = chunk_bounds(span.end - span.first, share, shares)
        for i in range(span.first + start, span.first + end):
            choose(span.vertices[i], level, whole, parts, choices, span.salt, tables, worker * tables.places)
        share = next_share(worker, workers, tables)


@kernel(by="workers")
def join_parts(worker, workers, parts: PartSums, choices: Choices, mass: Int64s, span: Span):
    """Let the vertices of a worker's share join the parts that they chose, if they may."""
    start, end = chunk_bounds(span.end - span.first, worker, workers)
    for i in range(span.first + start, span.first + end):
        join(span.vertices[i], parts, choices, mass, span.salt)


@kernel(by="workers")
def recut(worker, workers, level: Level, whole: Whole, parts: PartSums, choices: Choices, tables: Tables, span: Span):
    """Update the cuts of the parts that the vertices of a class have joined."""
    shares = workers * SHARES
    share = next_share(worker, workers, tables)
    while share < shares:
        start, end = chunk_bounds(span.end - span.first, share, shares)
        for i in range(span.first + start, span.first + end):
            update_cut(span.vertices[i], level, whole, parts, choices)
        share = next_share(worker, workers, tables)


@kernel(each=8)
def forget(i, choices: Choices, span: Span):
    """Clear the choices of a class."""
    forget_choice(span.vertices[span.first + i], choices)


@kernel(by="single", types="int64[] int64[] int")
def refine_alone(level: Level, whole: Whole, parts: PartSums, choices: Choices, tables: Tables, vertices, starts, salt):
    """Do all passes of all classes."""
    for k in range(starts.size - 1):
        first, end = starts[k], starts[k + 1]
        for i in range(first, end):
            choose(vertices[i], level, whole, parts, choices, salt, tables, 0)
        for i in range(first, end):
            join(vertices[i], parts, choices, level.mass, salt)
        for i in range(first, end):
            update_cut(vertices[i], level, whole, parts, choices)
        for i in range(first, end):
            forget_choice(vertices[i], choices)


def refine(level: Level, label: Any, total: Any, scale: float, tables: Any, seed: int, depth: int) -> Any:
    """Return the part of each vertex, named by one of its vertices; `seed` and `depth` are those of `salt_of`."""
    device, n = device_of(label), int(label.size)
    xp = array_module(device)
    workers, buffers = tables
    whole = Whole(label, total, xp.empty(n, np.int64), scale)
    sum_weights(n, level, label, whole.inner)
    parts = PartSums(xp.arange(n, dtype=label.dtype), xp.ones(n, np.int32), level.mass.copy(), whole.inner.copy())
    choices = Choices(
        xp.full(n, -1, label.dtype), xp.empty(n, np.int64), xp.full(n, NEVER), xp.zeros(n, np.int32), xp.zeros(n, bool)
    )
    vertices = xp.arange(n)
    alone = device == "cpu" and for_one_thread(level, n)
    for attempt, most in enumerate(CLASSES):
        salt = salt_of(seed, depth, STEP_OF_SALT + attempt)
        if attempt:
            vertices = compact((parts.size == 1) & (parts.part == xp.arange(n, dtype=label.dtype)))
        vertices, starts = in_classes(vertices, number_of_classes(vertices.size, most), salt)
        if alone:
            refine_alone(level, whole, parts, choices, buffers, vertices, starts, salt)
            continue
        for first, end in pairwise(starts.tolist()):
            span, size = Span(vertices, first, end, salt), end - first
            choose_parts(workers, level, whole, parts, choices, ready(buffers), span)
            join_parts(workers_for(size, workers), parts, choices, level.mass, span)
            recut(workers, level, whole, parts, choices, ready(buffers), span)
            forget(size, choices, span)
    return parts.part


# ---- Numbers of groups, and connected pieces


@kernel
def find_smallest_vertex(v, group: Int32s, smallest: Int32s):
    """Lower the smallest vertex of the group of v."""
    if v < smallest[group[v]]:
        atomic_min(smallest, group[v], v)


@kernel
def copy_smallest(v, group: Int32s, smallest: Int32s, result: Int32s):
    """Store the smallest vertex of the group of v."""
    result[v] = smallest[group[v]]


@kernel(by="edges")
def unite_inside(v, level: Level, label: Int32s, parent: Int32s):
    """Unite v with its neighbors in the same community."""
    for e in range(level.indptr[v], level.indptr[v + 1]):
        u = level.indices[e]
        if u < v and label[u] == label[v]:
            unite(v, u, parent)


@kernel
def unite_fixed(i, fixed: Int64s, label: Int32s, smallest: Int32s, parent: Int32s):
    """Unite a fixed vertex with the smallest fixed vertex of its community."""
    unite(fixed[i], smallest[label[fixed[i]]], parent)


@kernel
def find_smallest_fixed(i, fixed: Int64s, label: Int32s, smallest: Int32s):
    """Lower the smallest fixed vertex of a community."""
    atomic_min(smallest, label[fixed[i]], fixed[i])


def named_by_smallest(group: Any) -> Any:
    """Return for each vertex the smallest vertex of its group; groups are named by numbers below n."""
    xp, n = array_module(device_of(group)), int(group.size)
    smallest, result = xp.full(n, n, group.dtype), xp.empty_like(group)
    find_smallest_vertex(n, group, smallest)
    copy_smallest(n, group, smallest, result)
    return result


def numbered(group: Any) -> tuple[int, Any]:
    """Return the number of groups, and the number of each vertex's group."""
    return number_trees(named_by_smallest(group))


@by_level(rows_cuda.united_inside)
def united_inside(level: Level, label: Any) -> Any:
    """Return trees that unite each vertex with its neighbors in the same community."""
    n = int(label.size)
    parent = array_module(level.device).arange(n, dtype=label.dtype)
    unite_inside(n, level, label, parent)
    return parent


def connected_pieces(level: Level, label: Any, fixed: Any) -> Any:
    """Return for each vertex the smallest vertex of its connected piece of its community.

    `fixed` lists vertices; those of a community count as connected.
    """
    xp, n = array_module(device_of(label)), int(label.size)
    parent = united_inside(level, label)
    if fixed.size:
        smallest = xp.full(n, n, label.dtype)
        find_smallest_fixed(int(fixed.size), fixed, label, smallest)
        unite_fixed(int(fixed.size), fixed, label, smallest, parent)
    number_trees(parent)  # flattens the trees
    return parent


def intersected(finer: Any, labels: Any) -> Any:
    """Return the number of each vertex's group in the intersection of two partitions, by smallest vertices."""
    xp = array_module(device_of(labels))
    pairs = finer.astype("int64") * (int(labels.max()) + 1 if labels.size else 1) + labels
    return numbered(xp.unique(pairs, return_inverse=True)[1].astype(labels.dtype))[1]
