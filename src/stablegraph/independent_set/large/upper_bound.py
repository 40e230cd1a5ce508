"""Upper bounds for independent sets: covers of the vertices by cliques, odd cycles and edges.

Result: an upper bound for the size of all independent sets.

Rule: an independent set contains at most one vertex of a clique, and at most floor(k / 2) of a cycle of k vertices.
Therefore the sum over pieces that cover all vertices is a bound. In the code: `_cover_with_cliques` builds the cliques,
and `_sum_over_cycles` adds the bounds of the other pieces.

Idea: vertices are first covered greedily by cliques, and cliques of at least three vertices are kept. The remaining
vertices are covered by cycles. A matching of the double cover (see flow.py) assigns neighbors to vertices, no
neighbor twice. This divides the vertices into cycles, some of two vertices (edges), and paths, in which at most half of
the vertices, rounded up, are independent. With a maximum matching, the bound is never worse than the linear relaxation,
and better by half a vertex for each odd cycle. Any matching gives a valid bound, so the search for the largest one ends
when nearly all vertices have partners.

Cost: O(m), a dozen passes. Work memory: ten numbers per vertex, and a copy of the entries between vertices that are
covered by cycles.

Source: cycle covers as bounds: T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case
Study of Vertex Cover", Theoretical Computer Science 609, 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.induced import induced_rows
from ..._core.runtime import Bools, Int64s, Rows, Vertices, chunked, kernel, prefetch
from ..._core.runtime.primitives import compact, sort_by_key
from .flow import maximum_matching

_PREFETCH_DISTANCE = 8  # vertices, in the order of visits
_SMALLEST_CLIQUE = 3  # vertices; edges give better bounds as parts of cycles
_FEW = 256  # the search for a matching ends when at most 1 / _FEW of the vertices have no partner


@kernel(by="single")
def _cover_with_cliques(
    start: int,
    end: int,
    vertices: Vertices,
    rows: Rows,
    clique_of: Vertices,
    size_of: Vertices,
    met: Vertices,
    cliques: Int64s,
):
    """Add each vertex in turn to the largest clique whose members are all its neighbors, or to a new clique."""
    for i in range(start, end):
        v = vertices[i]
        prefetch(rows.indices, rows.indptr[vertices[min(i + _PREFETCH_DISTANCE, vertices.size - 1)]])
        # Find the largest clique whose members have all been met.
        best, size = cliques[0], 0
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            clique = clique_of[rows.indices[e]]
            if clique >= 0:
                met[clique] += 1
                if met[clique] == size_of[clique] and size_of[clique] > size:
                    best, size = clique, size_of[clique]
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            clique = clique_of[rows.indices[e]]
            if clique >= 0:
                met[clique] = 0
        clique_of[v] = best
        size_of[best] += 1
        cliques[0] += int(best == cliques[0])


@kernel(by="single")
def _sum_over_cycles(partner_of_left: Vertices, partner_of_right: Vertices, seen: Bools, total: Int64s):
    """Add up the bounds of the cycles and paths that are formed by following partners from vertex to vertex."""
    for paths in (True, False):  # first from the beginnings of paths; then only cycles remain
        for v in range(seen.size):
            if seen[v] or (paths and partner_of_right[v] >= 0):
                continue
            length = int(paths)
            u = v
            while u >= 0 and not seen[u]:
                seen[u] = True
                length += 1
                u = partner_of_left[u]
            total[0] += length // 2


def independence_bound(indptr: Any, indices: Any) -> int:
    """Return an upper bound for the independent sets of a graph without loops and repeated entries."""
    n, id_type = indptr.size - 1, indices.dtype
    by_degree = sort_by_key(indptr[1:] - indptr[:-1]).astype(id_type)
    clique_of, size_of, met = np.full(n, -1, id_type), np.zeros(n + 1, id_type), np.zeros(n, id_type)
    cliques = np.zeros(1, np.int64)
    for start, end in chunked(n):
        _cover_with_cliques(start, end, by_degree, Rows(indptr, indices), clique_of, size_of, met, cliques)
    total = np.array([(size_of >= _SMALLEST_CLIQUE).sum()])

    others = compact(size_of[clique_of] < _SMALLEST_CLIQUE)
    indptr, indices = induced_rows(others, indptr[:-1], indptr[1:], indices)
    left = sort_by_key(indptr[1:] - indptr[:-1]).astype(id_type)
    partner_of_left, partner_of_right = maximum_matching(indptr, indices, left, left.size // _FEW)
    _sum_over_cycles(partner_of_left, partner_of_right, np.zeros(left.size, bool), total)
    return int(total[0])
