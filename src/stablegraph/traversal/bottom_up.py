"""A breadth-first level inward: every vertex that is not reached yet looks for a neighbour that is.

When the frontier is large, most entries of its rows lead to vertices that are reached already; but a vertex that is not
soon finds a neighbour in the frontier, and need not look further. In a row that ascends the first one found is also the
smallest: the parent.

State: `reached`, a bit for each vertex, as it was before the level. A reached vertex with a neighbour that is not must
be in the frontier, or the neighbour would have been reached earlier. So there is no frontier to keep.
"""

from __future__ import annotations

import numpy as np

from ..parallel import at, edge_split, kernel, rule

_ALL = 255


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
def _smallest_reached(v, indptr, indices, ascending, reached, none):
    """The smallest reached vertex in a row, or `none`."""
    smallest = none
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if (np.int64(reached[at(u >> 3)]) >> (u & 7)) & 1:
            smallest = min(smallest, u)
            if ascending:
                break
    return smallest


@kernel(by="workers")
def level_inward(worker, workers, indptr, indices, ascending, level, reached, reached_now, distance, parent, counts):
    """The vertices at distance `level`; `counts` tells how many each worker has found."""
    n = distance.size
    first = (edge_split(indptr, n, worker, workers) + 7) >> 3
    beyond = (edge_split(indptr, n, worker + 1, workers) + 7) >> 3
    found = 0
    for group in range(first, beyond):
        bits = np.int64(reached[at(group)])
        if bits != _ALL:
            for i in range(8):
                v = 8 * group + i
                if not (bits >> i) & 1:
                    u = _smallest_reached(v, indptr, indices, ascending, reached, n)
                    if u < n:
                        distance[at(v)] = level
                        parent[at(v)] = u
                        bits |= 1 << i
                        found += 1
        reached_now[at(group)] = bits
    counts[worker] = found
