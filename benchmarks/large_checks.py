"""Checks of answers on graphs that are too large for the verifiers: a sweep or a few on all threads.

The verifiers are NumPy and SciPy, and take tens of bytes an entry and a minute or more where there are 10^9 entries.
These are plain loops in Numba that take some bytes a vertex, and share nothing with the library's kernels. The arrays
are those of the graph in CSR form, symmetric where nothing else is said.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

_in_parallel = njit(parallel=True, cache=True, nogil=True)


def independent_and_maximal(indptr: Any, indices: Any, members: Any, distance: int) -> bool:
    """At distance 1 or 2: nobody has two members within `distance` around it that should not be, all have one."""
    if distance == 1:
        return _wrong_at_one(indptr, indices, members) == 0
    near = _members_around(indptr, indices, members)
    return bool((near <= 1).all()) and _far_from_all(indptr, indices, near) == 0


@_in_parallel
def _wrong_at_one(indptr: Any, indices: Any, members: Any) -> int:
    """Vertices that are members beside a member, or neither."""
    wrong = 0
    for v in prange(members.size):
        beside = False
        for e in range(indptr[v], indptr[v + 1]):
            beside |= members[indices[e]] and indices[e] != v
        wrong += members[v] == beside
    return wrong


@_in_parallel
def _members_around(indptr: Any, indices: Any, members: Any) -> Any:
    """How many members there are among a vertex and its neighbors, 2 for all that are more; simple graphs."""
    found = np.empty(members.size, np.uint8)
    for v in prange(members.size):
        count = int(members[v])
        for e in range(indptr[v], indptr[v + 1]):
            count += members[indices[e]]
        found[v] = min(count, 2)
    return found


@_in_parallel
def _far_from_all(indptr: Any, indices: Any, near: Any) -> int:
    """Vertices without a member within two steps."""
    far = 0
    for v in prange(near.size):
        reached = near[v] > 0
        for e in range(indptr[v], indptr[v + 1]):
            reached |= near[indices[e]] > 0
        far += not reached
    return far


def properly_colored(indptr: Any, indices: Any, colors: Any, distance: int) -> bool:
    """At distance 1 or 2: no color is negative, and none stands twice where it should not."""
    if colors.size and colors.min() < 0:
        return False
    clashes = _clashes_at_one(indptr, indices, colors)
    return clashes + (_rows_with_a_color_twice(indptr, indices, colors) if distance == 2 else 0) == 0


@_in_parallel
def _clashes_at_one(indptr: Any, indices: Any, colors: Any) -> int:
    clashes = 0
    for v in prange(colors.size):
        for e in range(indptr[v], indptr[v + 1]):
            clashes += colors[indices[e]] == colors[v] and indices[e] != v
    return clashes


@_in_parallel
def _rows_with_a_color_twice(indptr: Any, indices: Any, colors: Any) -> int:
    """Rows of a simple graph in which two neighbors have one color."""
    rows = 0
    for v in prange(colors.size):
        row = np.sort(colors[indices[indptr[v] : indptr[v + 1]]])
        twice = False
        for i in range(1, row.size):
            twice |= row[i] == row[i - 1]
        rows += twice
    return rows


@_in_parallel
def wrong_in_search(indptr: Any, indices: Any, source: int, distances: Any, parents: Any) -> int:
    """Vertices whose distance or parent is not what a search from one source gives, parents the smallest ones.

    Distances that differ by at most one along each edge, with a nearer neighbor for each vertex but the source, are the
    lengths of shortest paths; nobody without a distance is beside one that has one.
    """
    wrong = 0
    for v in prange(distances.size):
        here, first, far = distances[v], np.int64(-1), False
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            there = distances[u]
            far |= (there < 0) != (here < 0) or abs(there - here) > 1
            if here > 0 and there == here - 1 and (first < 0 or u < first):
                first = u
        if v == source:
            first = v
        wrong += far or parents[v] != first or (here == 0) != (v == source)
    return wrong


@_in_parallel
def edges_between(indptr: Any, indices: Any, labels: Any) -> int:
    """Entries whose ends have different labels."""
    count = 0
    for v in prange(labels.size):
        for e in range(indptr[v], indptr[v + 1]):
            count += labels[indices[e]] != labels[v]
    return count


def pieces(indptr: Any, indices: Any, labels: Any) -> int:
    """How many components there are among edges whose ends have one label.

    Each vertex points to a vertex of its component that is no larger; roots go to the least root beside their own. When
    no edge joins two that point to different vertices, those that point to themselves are the components. Threads may
    overwrite each other, which costs another round.
    """
    points = np.arange(labels.size, dtype=indices.dtype)
    while _join(indptr, indices, labels, points):
        _shorten(points)
    return int(np.count_nonzero(points == np.arange(points.size, dtype=points.dtype)))


@_in_parallel
def _join(indptr: Any, indices: Any, labels: Any, points: Any) -> int:
    joined = 0
    for v in prange(points.size):
        root = points[v]
        least = root
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if labels[u] == labels[v]:
                least = min(least, points[points[u]])
        if least < root:
            joined += 1
            points[v] = least
            if least < points[root]:
                points[root] = least
    return joined


@_in_parallel
def _shorten(points: Any) -> None:
    for v in prange(points.size):
        root = points[v]
        while points[root] != root:
            root = points[root]
        points[v] = root


def is_minimum_forest(graph: Any, forest: Any, components: int) -> bool:
    """Whether the edges of a forest are the graph's, have no cycle, span it, and none that is left out is lighter.

    The forest's edges unite their ends in order of weight, the smaller tree below the larger, paths unshortened. Then
    the heaviest edge between two vertices is the last one that united what lies on the ways up from them to where these
    meet, and no way has more than log2(n) steps.
    """
    tails = np.repeat(np.arange(forest.shape[0], dtype=forest.indices.dtype), np.diff(forest.indptr))
    if forest.nnz != forest.shape[0] - components:
        return False
    if _entries_missing(graph.indptr, graph.indices, graph.weights, tails, forest.indices, forest.data):
        return False
    order = np.argsort(forest.data, kind="stable")
    above, since = _unite(forest.shape[0], tails[order], forest.indices[order])
    if above.size == 0:
        return False
    ranked = forest.data[order]
    return int(_lighter_than_forest(graph.indptr, graph.indices, graph.weights, above, since, ranked)) == 0


@_in_parallel
def _entries_missing(indptr: Any, indices: Any, weights: Any, tails: Any, heads: Any, values: Any) -> int:
    """Arcs that are not entries of a graph, with their values."""
    missing = 0
    for i in prange(tails.size):
        found = False
        for e in range(indptr[tails[i]], indptr[tails[i] + 1]):
            found |= indices[e] == heads[i] and weights[e] == values[i]
        missing += not found
    return missing


@njit(cache=True, nogil=True)
def _unite(n: int, tails: Any, heads: Any) -> Any:
    """Each vertex's vertex above, and the number of the edge since which it is; nothing if there is a cycle."""
    above, since = np.arange(n, dtype=tails.dtype), np.full(n, tails.size, tails.dtype)
    sizes = np.ones(n, tails.dtype)
    for i in range(tails.size):
        u, v = tails[i], heads[i]
        while above[u] != u:
            u = above[u]
        while above[v] != v:
            v = above[v]
        if u == v:
            return above[:0], since[:0]
        if sizes[u] > sizes[v]:
            u, v = v, u
        above[u], since[u] = v, i
        sizes[v] += sizes[u]
    return above, since


@_in_parallel
def _lighter_than_forest(indptr: Any, indices: Any, weights: Any, above: Any, since: Any, ranked: Any) -> int:
    """Entries that are lighter than the heaviest edge between their ends in the forest, or join two of its trees."""
    lighter = 0
    for row in prange(above.size):
        for e in range(indptr[row], indptr[row + 1]):
            u, v, last = np.int64(row), np.int64(indices[e]), np.int64(-1)
            while u != v and last < ranked.size:
                if since[u] > since[v]:  # who was united later goes up later: edges on a way up come in their order
                    u, v = v, u
                last = since[u]
                u = np.int64(above[u])
            lighter += row != indices[e] and (last == ranked.size or (last >= 0 and weights[e] < ranked[last]))
    return lighter


@_in_parallel
def fingerprint(indptr: Any, indices: Any, of_columns: bool, below: int) -> Any:
    """A sum of hashes over the entries (row, column) with both ends below a vertex, or over (column, row)."""
    total = np.uint64(0)
    for v in prange(min(below, indptr.size - 1)):
        for e in range(indptr[v], indptr[v + 1]):
            if indices[e] < below:
                tail, head = np.uint64(v), np.uint64(indices[e])
                if of_columns:
                    tail, head = head, tail
                word = tail * np.uint64(0x9E3779B97F4A7C15) + head
                word = (word ^ (word >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
                total += word ^ (word >> np.uint64(29))
    return total


def is_quotient(indptr: Any, indices: Any, labels: Any, coarse_indptr: Any, coarse_indices: Any) -> bool:
    """Whether the entries of a graph of labels are those of edges between them, each once (rows sorted)."""
    seen = np.zeros(coarse_indices.size, bool)
    if _pairs_missing(indptr, indices, labels, coarse_indptr, coarse_indices, seen):
        return False
    return bool(seen.all())


@_in_parallel
def _pairs_missing(indptr: Any, indices: Any, labels: Any, coarse_indptr: Any, coarse_indices: Any, seen: Any) -> int:
    missing = 0
    for v in prange(labels.size):
        start, end = coarse_indptr[labels[v]], coarse_indptr[labels[v] + 1]
        for e in range(indptr[v], indptr[v + 1]):
            other = labels[indices[e]]
            if other != labels[v]:
                place = start + np.searchsorted(coarse_indices[start:end], other)
                if place < end and coarse_indices[place] == other:
                    seen[place] = True
                else:
                    missing += 1
    return missing


@_in_parallel
def rows_not_in_order(indptr: Any, indices: Any) -> int:
    """Rows in which an entry is not larger than the one before it."""
    rows = 0
    for v in prange(indptr.size - 1):
        fallen = False
        for e in range(indptr[v] + 1, indptr[v + 1]):
            fallen |= indices[e] <= indices[e - 1]
        rows += fallen
    return rows


def same_partition(labels: Any, others: Any) -> bool:
    """Whether two labelings by 0, 1, .. put the same vertices together."""
    renamed = np.full(labels.max(initial=-1) + 1, -1, others.dtype)
    renamed[labels] = others
    return bool((renamed[labels] == others).all()) and renamed.size == others.max(initial=-1) + 1
