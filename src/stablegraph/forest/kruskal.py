"""Minimum spanning forest by Filter-Kruskal: light edges in order, then the heavy edges that still connect two trees.

Result: the minimum spanning forest in the order of forest_state.py, which is unique; it depends only on the graph.

Rule: in ascending order, (u, v) is chosen  <=>  root(u) != root(v); then the two trees are united. The oracle is
`minimum_spanning_forest` in tests/support/naive.py. In the code: `join_in_order`.

Idea: Kruskal's algorithm spends most of its time on sorting, but most edges need not be sorted: after trees have been
joined by light edges, both ends of nearly every other edge are in the same tree. Sorting and filtering run in parallel.
Links is serial; it processes about three edges for every two trees that remain after the first step. With many
threads this takes longer than the rounds of boruvka.py, which are entirely parallel.

State: see forest_state.py.

Cost: a few sweeps over the entries, a sort of the collected edges (counting passes, see `order_of_keys`), and two calls
of `find` for each of them. Work memory: see forest_state.py.

Source: V. Osipov, P. Sanders, J. Singler, "The Filter-Kruskal Minimum Spanning Tree Algorithm", ALENEX 2009.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.engines.union import link_roots, roots_of
from .._core.runtime import Bytes, Int64s, Vertices, chunked, kernel
from .._core.runtime.partitioning import ITEMS_PER_CALL
from .._core.runtime.primitives import extent, partition, sort_by_key
from ..graph import Graph
from .forest_state import ForestState, Links
from .weights import Order


@kernel
def put_in_order(i, order: Int64s, edges: Links, sorted_edges: Links):
    """Copy the i-th edge of the sorted list."""
    k = order[i]
    sorted_edges.us[i] = edges.us[k]
    sorted_edges.vs[i] = edges.vs[k]
    sorted_edges.entries[i] = edges.entries[k]


@kernel(by="single")
def join_in_order(start: int, end: int, edges: Links, parent: Vertices, chosen: Bytes):
    """Run Kruskal's loop: join two trees if the ends of an edge are in different trees."""
    for i in range(start, end):
        u, v = roots_of(i, end, edges.us, edges.vs, parent)
        if u != v:
            link_roots(u, v, parent)
            chosen[edges.entries[i]] = 1


def minimum_spanning_forest(graph: Graph, order: Order) -> Any:
    """Return the forest."""
    return ForestState(graph, order).complete(join_sorted)


def join_sorted(state: ForestState, edges: Links, keys: Any) -> None:
    """Join trees by the minimum spanning forest of some edges, which are lighter than all other remaining edges."""
    size, order = int(keys.size), order_of_keys(keys)
    sorted_edges = Links(*(np.empty_like(array) for array in edges))
    put_in_order(size, order, edges, sorted_edges)
    for start, end in chunked(size, ITEMS_PER_CALL):
        join_in_order(start, end, sorted_edges, state.parent, state.chosen)


def order_of_keys(keys: Any) -> Any:
    """Return the order that sorts keys stably; overwrites the keys."""
    smallest, largest = map(int, extent(keys)) if keys.size else (0, 0)
    if largest - smallest < 2**63:
        keys -= smallest
        return sort_by_key(keys, overwrite=True)
    order, negative = partition(np.arange(keys.size), keys < 0)
    below, above = order[:negative], order[negative:]
    return np.concatenate(
        [below[sort_by_key(keys[below] - smallest, overwrite=True)], above[sort_by_key(keys[above], overwrite=True)]]
    )
