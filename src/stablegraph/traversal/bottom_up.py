"""Breadth-first levels, bottom-up: every vertex that is not reached yet searches its row for one that is.

Result: the next level, with the smallest parents, whatever the schedule was.

Rule: v is new  <=>  it is not reached and a vertex with an arc to it is; the smallest such vertex is its parent. In the
code: `_smallest_reached`.

Idea: when the frontier is large, most entries of its rows lead to vertices that are reached already; but a vertex that
is not soon finds a neighbor in the frontier, and need not search further. In a row that ascends the first one found is
also the smallest: the parent.

State: `reached`, a bit for each vertex, as it was before the level. A reached vertex with a neighbor that is not must
be in the frontier, or the neighbor would have been reached earlier. So no frontier is kept.

Cost: a few entries of each vertex that is not reached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..parallel import edge_share, kernel, rule
from .top_down import Tree

_ALL = 255


class InwardRows(NamedTuple):
    """The rows of arcs that enter each vertex."""

    indptr: Any
    indices: Any
    ascending: bool  # whether each row is sorted


@kernel(each=8, types="int32[] uint8[]")
def mark_reached(group, distance, reached):
    """The bits of eight vertices; those after the last vertex count as reached."""
    n = distance.size
    bits = 0
    for i in range(8):
        v = 8 * group + i
        bits |= int(v >= n or distance[v] < n) << i
    reached[group] = bits


@rule
def _smallest_reached(v, rows, reached, none):
    """The smallest reached vertex in a row, or `none`."""
    smallest = none
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if (np.int64(reached[u >> 3]) >> (u & 7)) & 1:
            smallest = min(smallest, u)
            if rows.ascending:
                break
    return smallest


@kernel(by="workers", types="O[] V[] bool int uint8[] uint8[] int32[] int32[] int64[]")
def level_bottom_up(worker, workers, rows: InwardRows, level, reached, reached_now, tree: Tree, counts):
    """The vertices at distance `level`, found from their own side; and how many each worker has found."""
    n = tree.distance.size
    start, end = edge_share(rows.indptr, n, worker, workers)
    found = 0
    for group in range((start + 7) >> 3, (end + 7) >> 3):
        bits = np.int64(reached[group])
        if bits != _ALL:
            for i in range(8):
                v = 8 * group + i
                if not (bits >> i) & 1:
                    u = _smallest_reached(v, rows, reached, n)
                    if u < n:
                        tree.distance[v] = level
                        tree.parent[v] = u
                        bits |= 1 << i
                        found += 1
        reached_now[group] = bits
    counts[worker] = found
