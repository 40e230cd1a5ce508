"""Repeated trimming: a vertex without an arc in, or without an arc out, is a strong component by itself.

Only arcs inside a part count. Who is trimmed takes its arcs away from its neighbours, which may be trimmed then.

State: `arcs_out` and `arcs_in`, the arcs that each vertex still has inside its part, loops not counted; `keys`, -1 for
vertices whose component is not known yet; `parts`, -1 for vertices that are done with.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph
from ..parallel import at, atomic_add, atomic_compare_and_swap, kernel, rule
from ..parallel.device import array_module
from .spreading import ROOM, Spreading, hand_over, keep


@rule
def _arcs_inside(v, indptr, indices, parts):
    part, arcs = parts[at(v)], 0
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = indices[at(e)]
        arcs += int((parts[at(u)] == part) & (u != v))
    return arcs


@kernel
def _count_arcs(i, live, indptr, indices, back_indptr, back_indices, parts, arcs_out, arcs_in, keys, bare):
    """Count the arcs of the i-th live vertex; if it has none in or none out, it is a component."""
    v = int(live[at(i)])
    arcs_out[at(v)] = out = _arcs_inside(v, indptr, indices, parts)
    arcs_in[at(v)] = into = _arcs_inside(v, back_indptr, back_indices, parts)
    bare[at(i)] = (out == 0) | (into == 0)
    if (out == 0) | (into == 0):
        keys[at(v)] = v


@rule
def _take_away(v, depth, bottom, indptr, indices, parts, arcs, keys, own, following, length):
    """Take v's arcs away from its neighbours; those that lose their last one are claimed."""
    part = parts[at(v)]
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        still_there = parts[at(u)] == part and keys[at(u)] < 0
        if still_there and atomic_add(arcs, u, -1) == 1 and atomic_compare_and_swap(keys, u, -1, u) == -1:
            depth = keep(u, depth, bottom, own, following, length)
    return depth


@kernel(by="workers")
def _trim(
    worker,
    workers,
    size,
    budget,
    indptr,
    indices,
    back_indptr,
    back_indices,
    parts,
    arcs_out,
    arcs_in,
    keys,
    current,
    own,
    following,
    length,
):
    i, beyond = size * worker // workers, size * (worker + 1) // workers
    bottom, depth = worker * ROOM, 0
    while budget > 0 and (depth > 0 or i < beyond):
        if depth > 0:
            depth -= 1
            v = int(own[at(bottom + depth)])
        else:
            v = int(current[at(i)])
            i += 1
        budget -= 1 + int(indptr[at(v + 1)] - indptr[at(v)]) + int(back_indptr[at(v + 1)] - back_indptr[at(v)])
        depth = _take_away(v, depth, bottom, indptr, indices, parts, arcs_in, keys, own, following, length)
        depth = _take_away(v, depth, bottom, back_indptr, back_indices, parts, arcs_out, keys, own, following, length)
        parts[at(v)] = -1
    hand_over(bottom, bottom + depth, own, following, length)
    hand_over(i, beyond, current, following, length)


class Trimming:
    """Trims the parts of one graph, again and again."""

    def __init__(self, graph: Graph, spreading: Spreading) -> None:
        xp, n, back = array_module(graph.device), graph.num_vertices, graph.transpose()
        self.xp, self.spreading = xp, spreading
        self.rows = graph.indptr, graph.indices, back.indptr, back.indices
        self.arcs = xp.empty(n, graph.indptr.dtype), xp.empty(n, graph.indptr.dtype)

    def trim(self, live: Any, parts: Any, keys: Any) -> Any:
        """Make components of all live vertices that can be trimmed; the others."""
        bare = self.xp.empty(live.size, np.bool_)
        _count_arcs(live.size, live, *self.rows, parts, *self.arcs, keys, bare)
        self.spreading.run(_trim, live[bare], *self.rows, parts, *self.arcs, keys)
        return live[parts[live] >= 0]
