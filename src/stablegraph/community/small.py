"""Small communities join neighboring communities, so that communities have a minimum size where that is possible.

Result: communities, numbered by their smallest vertices. One with fewer vertices than the minimum has no neighbor that
it may join: no edge of positive weight leaves it, or the maximum size or fixed vertices forbid each join. A function of
the graph, the communities and the options.

Rule: the smallest community that may join another one does so; of equal sizes, the one with the smallest number. It
joins the neighbor with which the objective is largest; of equal ones, the one with the smallest number. The number of a
community is that of its smallest vertex. In the code: `worth`, and `join_listed`. The oracle is `join_small` in
tests/support/naive_communities.py.

Idea: a community grows by a join, so all communities of one size are looked at in one pass, in the order of their
numbers. One without a choice never gets one later, because other communities only grow. The graph of the communities is
that of the next level (coarse_level.py). The links of a community are those of its members, which are a linked list.

State: `Joins`. The links of one community are summed in a table with communities as places (rules.py).

Cost: the next level of the hierarchy, and at most one look at the links of each small community. One thread. Work
memory: 60 bytes per community, and the graph of the communities.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import on_host
from .._core.engines.union import find, link_roots
from .._core.runtime import Bytes, Int32s, Int64s, chunked, kernel
from .._core.runtime.device import array_module, device_of
from .._core.runtime.partitioning import VERTICES_PER_CALL
from .hierarchy import Problem, coarse_level
from .refinement import number_trees
from .rules import Level, Tables, Terms, Workspace, add_link, clear, key_at, weight_of, worth


class Joins(NamedTuple):
    """Communities that have joined; sums are those of roots."""

    parent: Int32s  # (communities,): trees of joined communities; the root is the smallest (_core/engines/union.py)
    following: Int32s  # (communities,): the next member of the same tree, or -1
    last: Int32s  # (communities,): the last member of a root's tree
    mass: Int64s  # (communities,)
    sizes: Int64s  # (communities,): numbers of vertices of the graph; 0 for communities that are no roots
    holds: Bytes  # (communities,): whether a vertex is fixed


@kernel(by="single")
def join_listed(size: int, listed: Int64s, level: Level, terms: Terms, tables: Tables, joins: Joins):
    """Let each listed community that has the given size join a neighbor."""
    for i in range(listed.size):
        c = listed[i]
        if joins.sizes[c] != size:
            continue
        count, member = 0, c
        while member >= 0:
            for e in range(level.indptr[member], level.indptr[member + 1]):
                other = find(level.indices[e], joins.parent)
                if other != c:
                    count = add_link(other, weight_of(e, level.weights), count, -1, tables, 0)
            member = joins.following[member]
        best, best_worth = -1, 0.0
        rate = terms.scale * float(joins.mass[c])
        for k in range(count):
            place = tables.slots[k]
            d = key_at(place, tables, 0)
            value = worth(tables.sums[place], rate, joins.mass[d])
            clear(place, tables, 0)
            has_room = terms.limit == 0 or size + joins.sizes[d] <= terms.limit
            if (
                has_room
                and not (joins.holds[c] and joins.holds[d])
                and (best < 0 or value > best_worth or (value == best_worth and d < best))
            ):
                best, best_worth = d, value
        if best >= 0:
            root, other = min(c, best), max(c, best)
            link_roots(root, other, joins.parent)
            joins.following[joins.last[root]] = other
            joins.last[root] = joins.last[other]
            joins.mass[root] += joins.mass[other]
            joins.sizes[root] += joins.sizes[other]
            joins.sizes[other] = 0
            joins.holds[root] |= joins.holds[other]


def join_small(problem: Problem, count: int, labels: Any, minimum: int) -> tuple[int, Any]:
    """Return the number of communities, and the community of each vertex, after small ones have joined larger ones."""
    host = on_host(labels)
    sizes = np.bincount(host, minlength=count)
    if count == 0 or sizes.min() >= minimum:
        return count, labels
    level = Level(*map(on_host, coarse_level(problem.base.level, count, labels, Workspace())))
    holds = np.zeros(count, np.uint8)
    holds[host[on_host(problem.fixed)]] = 1
    numbers = np.arange(count, dtype=np.int32)
    joins = Joins(numbers, np.full(count, -1, np.int32), numbers.copy(), level.mass, sizes, holds)
    sums, slots = np.zeros(count, np.int64), np.empty(count, np.int32)
    tables = Tables(slots[:0], sums, slots, sums[:0], count, 1)
    size = 0
    while (larger := sizes[sizes > size]).size and (size := int(larger.min())) < minimum:
        listed = np.flatnonzero(sizes == size)
        for first, end in chunked(listed.size, VERTICES_PER_CALL):
            join_listed(size, listed[first:end], level, problem.terms, tables, joins)
    count, numbers = number_trees(joins.parent)
    return count, array_module(device_of(labels)).asarray(numbers)[labels]
