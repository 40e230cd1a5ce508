"""Union-find whose links have times, so that edges can be united in any order, by all workers at once.

Result: for edges with different times, the links of the unique minimum spanning forest in the order of these times.

Rule: an edge is in the forest  <=>  no path of earlier edges connects its ends. In the code: `unite`. The oracle is
`minimum_spanning_forest` in tests/support/naive.py.

Idea: links are never shortened, so the trees of every earlier time remain visible: `root_before` climbs only along
links that are earlier than an edge. If both ends of the edge have the same root, the edge closes a cycle. Otherwise one
of the two roots is linked to the other. If it has a later link already, this link is replaced and then united in turn,
because it may connect other trees. Any order leads to the same edges; if edges come nearly in the order of their times,
few links are replaced. Which of two roots is linked depends on their hashes. So the paths are expected to be short for
every numbering, and links never form a cycle.

When all edges up to a time have been united, their links are final. `contract` then makes each tree one vertex, and
later edges are united between these vertices.

State: ``parent[v]`` is the root of the tree of v at the last contraction. At such a root, ``links[r]`` is one number
that contains the time of the link and the vertex to which it leads; if there is no link, the time `never` and r. It
only decreases. Other entries of ``links`` are not used.

Cost: for each edge a few steps of both climbs, O(log n) expected; a few contractions keep them short. Work memory: 12
bytes per vertex (16 with 64-bit indices).

Sources: X. Ding, Y. Gu, Y. Sun, "New Algorithms for Incremental Minimum Spanning Trees and Temporal Graph
Applications", arXiv 2504.04619, 2025 (links with times); A. Goel, S. Khanna, D. Larkin, R. Tarjan, "Disjoint Set Union
with Randomized Linking", SODA 2014 (the random order).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core.runtime import Int64s, UInt32s, Vertices, atomic_compare_and_swap, atomic_or, hash32, kernel, rule

WORD = 32  # bits


class Trees(NamedTuple):
    """The trees of the edges so far."""

    parent: Vertices  # (n,)
    links: Int64s  # (n,)
    shift: int  # the lowest bit of the time in a link


@rule
def never(trees):
    """Return the time of a root's link, which is later than all edges."""
    return (1 << (63 - trees.shift)) - 1


@rule
def link_at(time, target, trees):
    """Return the link to a vertex at a time."""
    return (np.int64(time) << trees.shift) | target


@rule
def time_of(link, trees):
    """Return the time of a link."""
    return link >> trees.shift


@rule
def target_of(link, trees):
    """Return the vertex to which a link leads."""
    return link & ((1 << trees.shift) - 1)


@rule
def root_before(v, time, trees):
    """Return the root of v's tree before a time."""
    link = trees.links[v]
    while time_of(link, trees) < time:
        v = target_of(link, trees)
        link = trees.links[v]
    return v


@rule
def unite(u, v, time, trees):
    """Unite the trees of two vertices at a time, and then the trees that a replaced link united."""
    u, v = trees.parent[u], trees.parent[v]
    while u != v:
        u, v = root_before(u, time, trees), root_before(v, time, trees)
        if u != v:
            if hash32(u) < hash32(v):
                u, v = v, u
            link, new = trees.links[u], link_at(time, v, trees)
            is_later = time_of(link, trees) > time  # if not, another worker has just linked u
            if is_later and atomic_compare_and_swap(trees.links, u, link, new) == link:
                time = time_of(link, trees)
                u = target_of(link, trees) if time < never(trees) else v


@rule
def choose(e, chosen):
    """Set the bit of an entry."""
    atomic_or(chosen, int(e) // WORD, 1 << (int(e) & (WORD - 1)))


@kernel
def contract(v, trees: Trees, chosen: UInt32s):
    """Make the root of v's tree its parent; if v was a root itself, choose the entry that is the time of its link.

    If another worker has already done this for the earlier parent, the climb starts at the same root.
    """
    parent = trees.parent[v]
    time = time_of(trees.links[v], trees)
    if parent == v and time < never(trees):
        choose(time, chosen)
    trees.parent[v] = root_before(trees.parent[parent], never(trees), trees)
