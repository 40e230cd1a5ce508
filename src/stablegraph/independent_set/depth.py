"""How deep the dependences go that an order imposes: what bounds the rounds of every algorithm that follows it.

Result: with each edge directed from the end that is ahead to the other one, depth(v) is 1 for a vertex that nobody is
ahead of, and else 1 more than the largest depth among the neighbours ahead of it. The largest depth bounds the rounds
that unlimited processors need; the average says how long a vertex waits.

Idea: visit the vertices in their order. Whoever already has a depth is ahead.

State: depth[v] is 0 until v is visited. Cost: a sort of the vertices and one pass over the entries, on one thread.

Source: Burtscher, Devale, Azimi, Jaiganesh, Powers, ACM TOPC 5(2), 2018, table 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, kernel
from ..parallel.device import array_module
from .order import Order, in_order, write_bytes


@kernel(by="single")
def _number_depths(vertices, indptr, indices, depth):
    for i in range(vertices.size):
        v = int(vertices[at(i)])
        deepest = 0
        for e in range(indptr[at(v)], indptr[at(v + 1)]):
            deepest = max(deepest, int(depth[at(indices[at(e)])]))
        depth[at(v)] = deepest + 1


def depths(graph: Graph, order: Order) -> Any:
    """The depth of every vertex, int32 or int64 like the graph's indices."""
    xp = array_module(graph.device)
    n, id_type = graph.num_vertices, graph.indices.dtype
    state = xp.empty(n, np.uint8)
    write_bytes(order, xp.asarray([0, n]), state)
    depth = xp.zeros(n, id_type)
    _number_depths(in_order(order, xp.arange(n, dtype=id_type), state), graph.indptr, graph.indices, depth)
    return depth
