"""Filter-Kruskal: the light edges in order, one after another; then those of the heavy ones that still join two trees.

Result: the minimum spanning forest in the order of growing.py.

Idea: sorting takes most of Kruskal's time, and most edges need not be sorted: once the light ones have been joined,
both ends of nearly every other edge are in the same tree. Sorting and filtering run in parallel, joining is serial: it
goes through some three edges for every two trees that the first step has left.

Cost: a few sweeps over the entries, a sort of the edges that are collected (counting passes, see `_sorted`), and two
searches for a root for each of them. Work memory: see growing.py.

Source: V. Osipov, P. Sanders, J. Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm", ALENEX 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, in_steps, kernel, prefetch
from ..parallel.primitives import partition, reduce, sort_by_key
from .growing import Edges, Growing, root_of

_STEP = 1 << 22  # edges that one thread goes through between two chances to be interrupted

_AHEAD_BY = 16  # edges: their ends are asked for so long before they are looked at


@kernel
def put_in_order(i, order, us, vs, entries, new_us, new_vs, new_entries):
    k = order[at(i)]
    new_us[at(i)] = us[at(k)]
    new_vs[at(i)] = vs[at(k)]
    new_entries[at(i)] = entries[at(k)]


@kernel(by="single")
def join_in_order(first, beyond, us, vs, entries, parent, chosen):
    """Kruskal's loop: an edge whose ends are in different trees joins them."""
    last = beyond - 1
    for i in range(first, beyond):
        ahead = min(i + _AHEAD_BY, last)
        prefetch(parent, int(us[at(ahead)]))
        prefetch(parent, int(vs[at(ahead)]))
        u = root_of(int(us[at(i)]), parent)
        v = root_of(int(vs[at(i)]), parent)
        if u != v:
            parent[at(max(u, v))] = min(u, v)
            chosen[at(entries[at(i)])] = 1


def join(growing: Growing, edges: Edges) -> None:
    """Join trees by the minimum spanning forest of some edges, which are lighter than all others that are left."""
    size = int(edges.keys.size)
    order = _sorted(edges.keys)
    ends = [np.empty_like(array) for array in (edges.us, edges.vs, edges.entries)]
    put_in_order(size, order, edges.us, edges.vs, edges.entries, *ends)
    for first, beyond in in_steps(size, _STEP):
        join_in_order(first, beyond, *ends, growing.parent, growing.chosen)


def _sorted(keys: Any) -> Any:
    """The order that sorts keys; equal ones stay in their old order."""
    smallest, largest = int(reduce(keys, "min")), int(reduce(keys, "max"))
    if largest - smallest < 2**63:
        return sort_by_key(keys - smallest)
    order, negative = partition(np.arange(keys.size), keys < 0)
    below, above = order[:negative], order[negative:]
    return np.concatenate([below[sort_by_key(keys[below] - smallest)], above[sort_by_key(keys[above])]])
