"""Breadth-first levels from the unreached inward: every vertex without a distance looks for a neighbour that has one.

When the frontier is large, most of the edges out of it lead to vertices that are reached already, while a vertex that is
not soon finds a neighbour in the frontier, and need not look further. In rows that ascend the first one found is also
the smallest: the parent.

State: `reached`, a bit for each vertex, as it was before the level. Whoever is reached and has an unreached neighbour is
in the frontier, or the neighbour would have been reached before. So no frontier is needed.
"""

from __future__ import annotations

import numpy as np

from ..parallel import at, edge_split, kernel, rule


@kernel
def mark_reached(group, distance, reached):
    """The bits of eight vertices; those beyond the last vertex count as reached."""
    n = distance.size
    bits = 0
    for i in range(8):
        v = 8 * group + i
        bits |= int(v >= n or distance[at(v)] < n) << i
    reached[at(group)] = bits


@rule
def _is_reached(u, reached):
    return (np.int64(reached[at(u >> 3)]) >> (u & 7)) & 1


@rule
def _smallest_reached(v, ascending, indptr, indices, reached, n):
    """The smallest reached neighbour of v, or n."""
    smallest = n
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if _is_reached(u, reached):
            smallest = min(smallest, u)
            if ascending:
                break
    return smallest


@kernel(by="workers")
def level_inward(worker, workers, indptr, indices, ascending, level, reached, reached_now, distance, parent, counts):
    """One level; `counts` tells how many vertices each worker has found."""
    n = distance.size
    first = (edge_split(indptr, n, worker, workers) + 7) >> 3
    beyond = (edge_split(indptr, n, worker + 1, workers) + 7) >> 3
    found = 0
    for group in range(first, beyond):
        bits = np.int64(reached[at(group)])
        if bits != 255:
            for i in range(8):
                v = 8 * group + i
                if not (bits >> i) & 1:
                    u = _smallest_reached(v, ascending, indptr, indices, reached, n)
                    if u < n:
                        distance[at(v)] = level
                        parent[at(v)] = u
                        bits |= 1 << i
                        found += 1
        reached_now[at(group)] = bits
    counts[worker] = found
