"""Borůvka's algorithm on lists of edges: every tree finds its lightest edge to another one, all trees at once.

Result: the minimum spanning forest in the order of growing.py.

Idea: an edge offers itself to the trees at its two ends by an atomic minimum of 64 bits. What is compared must be
unique, or cycles would arise: the key of the weight, and below it the edge's place in the list, which follows the
position. Where both fit into 63 bits (as weights of 32 bits do) a round has one pass of offers; where they don't, a
second one settles ties by the place. Then each winner hooks a tree to another one (the larger root to the smaller,
where two trees have chosen the same edge), the edges look for their new roots, and those within a tree are dropped.

Cost: at most log2(trees) rounds, each over the edges that are left. Work memory: 8 bytes a vertex, or 16 with the
second pass, beside what growing.py has.

Source: A. Fallin, A. Gonzalez, J. Seo, M. Burtscher, "A High-Performance MST Implementation for GPUs", SC 2023; the
second pass is added, and keys of weights below zero are right.
"""

from __future__ import annotations

import numpy as np

from ..parallel import at, atomic_min, kernel
from ..parallel.device import array_module
from ..parallel.primitives import compact, reduce
from .growing import Edges, Growing, root_of
from .weights import LARGEST_KEY


@kernel
def offer(i, us, vs, keys, best):
    """Offer an edge to the trees at both ends. A look first saves most atomic operations."""
    key = int(keys[at(i)])
    u = int(us[at(i)])
    v = int(vs[at(i)])
    if key < int(best[at(u)]):
        atomic_min(best, u, key)
    if key < int(best[at(v)]):
        atomic_min(best, v, key)


@kernel
def offer_places(i, us, vs, keys, best, places):
    """Among edges of equal keys the first one wins."""
    key = int(keys[at(i)])
    u = int(us[at(i)])
    v = int(vs[at(i)])
    if key == int(best[at(u)]):
        atomic_min(places, u, i)
    if key == int(best[at(v)]):
        atomic_min(places, v, i)


@kernel
def hook(i, us, vs, entries, marks, winners, parent, chosen):
    """Choose an edge that has won a tree, and hook that tree to the other one. Each root is hooked by one edge."""
    u = int(us[at(i)])
    v = int(vs[at(i)])
    mark = int(marks[at(i)])
    won_u = int(winners[at(u)]) == mark
    won_v = int(winners[at(v)]) == mark
    if won_u | won_v:
        chosen[at(entries[at(i)])] = 1
        if won_u & won_v:
            parent[at(max(u, v))] = min(u, v)
        elif won_u:
            parent[at(u)] = v
        else:
            parent[at(v)] = u


@kernel
def move_to_roots(i, us, vs, best, places, parent, between):
    """Withdraw all offers, and look for the roots of both ends of an edge."""
    for ends in (us, vs):
        r = int(ends[at(i)])
        best[at(r)] = LARGEST_KEY
        if places.size:
            places[at(r)] = LARGEST_KEY
        ends[at(i)] = root_of(r, parent)
    between[at(i)] = us[at(i)] != vs[at(i)]


def join(growing: Growing, edges: Edges) -> None:
    """Join trees by the minimum spanning forest of some edges, which are lighter than all others that are left."""
    us, vs, keys, entries = edges.us, edges.vs, edges.keys, edges.entries
    xp, n = array_module(growing.graph.device), growing.parent.size
    smallest, bits = int(reduce(keys, "min")), int(keys.size).bit_length()
    packed = (int(reduce(keys, "max")) - smallest).bit_length() + bits < 63
    if packed:
        keys = ((keys - smallest) << bits) + xp.arange(keys.size)
    best = xp.full(n, LARGEST_KEY, np.int64)
    places = xp.full(0 if packed else n, LARGEST_KEY, np.int64)
    while us.size:
        offer(us.size, us, vs, keys, best)
        if packed:
            hook(us.size, us, vs, entries, keys, best, growing.parent, growing.chosen)
        else:
            offer_places(us.size, us, vs, keys, best, places)
            hook(us.size, us, vs, entries, xp.arange(us.size), places, growing.parent, growing.chosen)
        between = xp.empty(us.size, bool)
        move_to_roots(us.size, us, vs, best, places, growing.parent, between)
        left = compact(between)
        us, vs, keys, entries = (array[left] for array in (us, vs, keys, entries))
