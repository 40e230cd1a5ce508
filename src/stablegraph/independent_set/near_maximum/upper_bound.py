"""Upper bounds for independent sets: covers of the vertices by cliques, odd cycles and edges.

Result: a number that no independent set exceeds.

Rule: an independent set has at most one vertex of a clique, and at most floor(k / 2) of a cycle of k vertices; so the
sum over pieces that cover all vertices is a bound. In the code: `_cover_with_cliques` makes the cliques,
`_sum_over_cycles` adds up the rest.

Idea: a greedy cover by cliques keeps those of three vertices and more. The others are covered by cycles: a matching of
the double cover (see matching.py) sends vertices to neighbors, no two to the same one, and so deals them out to
cycles, some of two vertices (edges), and to paths, of which half, rounded up, can be independent. With a maximum
matching this is never worse than the linear relaxation, and better by half a vertex for each odd cycle. Any matching
gives a valid bound, so the search for the largest one ends when nearly all have partners.

Cost: O(m), a dozen passes. Work memory: ten numbers a vertex, and once more the entries between vertices that cycles
cover.

Source: cycle covers as bounds: T. Akiba, Y. Iwata, "Branch-and-Reduce Exponential/FPT Algorithms in Practice: A Case
Study of Vertex Cover", Theoretical Computer Science 609, 2016.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...csr.induced import induced_rows
from ...parallel import in_steps, kernel, prefetch
from ...parallel.groups import Rows
from ...parallel.primitives import compact, sort_by_key
from .matching import maximum_matching

_PREFETCH_DISTANCE = 8  # vertices, in the order in which they are visited
_SMALLEST_CLIQUE = 3  # vertices; of edges, cycles make more
_FEW = 256  # the search for a matching ends when no more than this part of the vertices has no partner


@kernel(by="single", types="int int V[] O[] V[] V[] V[] V[] int64[]")
def _cover_with_cliques(start, end, vertices, rows: Rows, clique_of, size_of, met, cliques):
    """Each vertex in turn joins the largest clique whose members are all its neighbors, or begins one of its own."""
    for i in range(start, end):
        v = vertices[i]
        prefetch(rows.indices, rows.indptr[vertices[min(i + _PREFETCH_DISTANCE, vertices.size - 1)]])
        # The largest clique of which all members are met.
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


@kernel(by="single", types="V[] V[] bool[] int64[]")
def _sum_over_cycles(partner_of_left, partner_of_right, seen, total):
    """What the cycles and paths allow along which the partners lead from vertex to vertex."""
    for paths in (True, False):  # first from where a path begins; what is left then is cycles
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
    """A bound for the size of every independent set of a graph without loops and repeated entries."""
    n, id_type = indptr.size - 1, indices.dtype
    by_degree = sort_by_key(indptr[1:] - indptr[:-1]).astype(id_type)
    clique_of, size_of, met = np.full(n, -1, id_type), np.zeros(n + 1, id_type), np.zeros(n, id_type)
    cliques = np.zeros(1, np.int64)
    for start, end in in_steps(n):
        _cover_with_cliques(start, end, by_degree, Rows(indptr, indices), clique_of, size_of, met, cliques)
    total = np.array([(size_of >= _SMALLEST_CLIQUE).sum()])

    others = compact(size_of[clique_of] < _SMALLEST_CLIQUE)
    indptr, indices = induced_rows(others, indptr[:-1], indptr[1:], indices)
    left = sort_by_key(indptr[1:] - indptr[:-1]).astype(id_type)
    partner_of_left, partner_of_right, _ = maximum_matching(indptr, indices, left, left.size // _FEW)
    _sum_over_cycles(partner_of_left, partner_of_right, np.zeros(left.size, bool), total)
    return int(total[0])
