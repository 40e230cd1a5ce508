"""Checks of answers on graphs that are too large for the verifiers: one or a few sweeps on all threads.

The verifiers use NumPy and SciPy. They need tens of bytes per entry, and a minute or more for 10^9 entries. The checks
in this module are plain Numba loops that need a few bytes per vertex and share no code with the library's kernels. The
arrays are those of the graph in CSR form, symmetric unless a function says otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, prange

_in_parallel = njit(parallel=True, cache=True, nogil=True)


def independent_and_maximal(indptr: Any, indices: Any, members: Any, distance: int) -> bool:
    """Return whether members are more than `distance` (1 or 2) apart, and every vertex has one within `distance`."""
    if distance == 1:
        return _wrong_at_one(indptr, indices, members) == 0
    near = _members_around(indptr, indices, members)
    return bool((near <= 1).all()) and _far_from_all(indptr, indices, near) == 0


@_in_parallel
def _wrong_at_one(indptr: Any, indices: Any, members: Any) -> int:
    """Count the members with a neighboring member, and the other vertices without one."""
    wrong = 0
    for v in prange(members.size):
        beside = False
        for e in range(indptr[v], indptr[v + 1]):
            beside |= members[indices[e]] and indices[e] != v
        wrong += members[v] == beside
    return wrong


@_in_parallel
def _members_around(indptr: Any, indices: Any, members: Any) -> Any:
    """Count the members among each vertex and its neighbors, at most 2; for simple graphs."""
    result = np.empty(members.size, np.uint8)
    for v in prange(members.size):
        count = int(members[v])
        for e in range(indptr[v], indptr[v + 1]):
            count += members[indices[e]]
        result[v] = min(count, 2)
    return result


@_in_parallel
def _far_from_all(indptr: Any, indices: Any, near: Any) -> int:
    """Count the vertices without a member within two steps."""
    far = 0
    for v in prange(near.size):
        reached = near[v] > 0
        for e in range(indptr[v], indptr[v + 1]):
            reached |= near[indices[e]] > 0
        far += not reached
    return far


def properly_colored(indptr: Any, indices: Any, colors: Any, distance: int) -> bool:
    """Return whether no color is negative, and no two vertices within `distance` (1 or 2) have the same color."""
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
    """Count the rows of a simple graph in which two neighbors have the same color."""
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
    """Count the vertices whose distance or parent differs from a search from one source with the smallest parents.

    Distances are the lengths of shortest paths if they differ by at most one along each edge and each vertex except for
    the source has a nearer neighbor. No vertex without a distance may be adjacent to a vertex with one.
    """
    wrong = 0
    for v in prange(distances.size):
        distance, first, far = distances[v], np.int64(-1), False
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            neighbor_distance = distances[u]
            far |= (neighbor_distance < 0) != (distance < 0) or abs(neighbor_distance - distance) > 1
            if distance > 0 and neighbor_distance == distance - 1 and (first < 0 or u < first):
                first = u
        if v == source:
            first = v
        wrong += far or parents[v] != first or (distance == 0) != (v == source)
    return wrong


@_in_parallel
def edges_between(indptr: Any, indices: Any, labels: Any) -> int:
    """Count the entries whose ends have different labels."""
    count = 0
    for v in prange(labels.size):
        for e in range(indptr[v], indptr[v + 1]):
            count += labels[indices[e]] != labels[v]
    return count


def pieces(indptr: Any, indices: Any, labels: Any) -> int:
    """Count the connected components of the graph of all edges whose ends have the same label.

    Each vertex points to a vertex of its component that is no larger. Each round links roots to the smallest
    neighboring root. When no edge joins two vertices that point to different vertices, each vertex that points to
    itself represents a component. Threads may overwrite each other's links; a lost
    link is made again in a later round.
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
        smallest = root
        for e in range(indptr[v], indptr[v + 1]):
            u = indices[e]
            if labels[u] == labels[v]:
                smallest = min(smallest, points[points[u]])
        if smallest < root:
            joined += 1
            points[v] = smallest
            if smallest < points[root]:
                points[root] = smallest
    return joined


@_in_parallel
def _shorten(points: Any) -> None:
    for v in prange(points.size):
        root = points[v]
        while points[root] != root:
            root = points[root]
        points[v] = root


def is_minimum_forest(graph: Any, forest: Any, components: int) -> bool:
    """Return whether a forest's edges are edges of the graph, form no cycle, span it, and have minimum weight.

    The forest's edges unite their ends in order of weight; the root of the smaller tree is linked below that of the
    larger one, without path compression. Then the heaviest edge on the path between two vertices is the last link on
    the two paths up to their lowest common ancestor. No path up has more than log2(n) steps.
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
    """Count the arcs that are no entries of a graph with the same values."""
    missing = 0
    for i in prange(tails.size):
        result = False
        for e in range(indptr[tails[i]], indptr[tails[i] + 1]):
            result |= indices[e] == heads[i] and weights[e] == values[i]
        missing += not result
    return missing


@njit(cache=True, nogil=True)
def _unite(n: int, tails: Any, heads: Any) -> Any:
    """Return each vertex's parent, and the number of the edge that linked it; empty arrays if there is a cycle."""
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
    """Count entries lighter than the heaviest forest edge between their ends, and entries that join two trees."""
    lighter = 0
    for row in prange(above.size):
        for e in range(indptr[row], indptr[row + 1]):
            u, v, last = np.int64(row), np.int64(indices[e]), np.int64(-1)
            while u != v and last < ranked.size:
                if since[u] > since[v]:  # climb from the earlier link: links on a path up are in the order of edges
                    u, v = v, u
                last = since[u]
                u = np.int64(above[u])
            lighter += row != indices[e] and (last == ranked.size or (last >= 0 and weights[e] < ranked[last]))
    return lighter


@_in_parallel
def fingerprint(indptr: Any, indices: Any, of_columns: bool, below: int) -> Any:
    """Return a sum of hashes over the entries (row, column) with both ends below a vertex, or over (column, row)."""
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
    """Return whether the entries of a graph of labels are those of the edges between them, each once (rows sorted)."""
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
    """Count the rows in which some entry is not larger than its predecessor."""
    rows = 0
    for v in prange(indptr.size - 1):
        fallen = False
        for e in range(indptr[v] + 1, indptr[v + 1]):
            fallen |= indices[e] <= indices[e - 1]
        rows += fallen
    return rows


def same_partition(labels: Any, others: Any) -> bool:
    """Return whether two labelings by 0, 1, .. define the same partition of the vertices."""
    renamed = np.full(labels.max(initial=-1) + 1, -1, others.dtype)
    renamed[labels] = others
    return bool((renamed[labels] == others).all()) and renamed.size == others.max(initial=-1) + 1
