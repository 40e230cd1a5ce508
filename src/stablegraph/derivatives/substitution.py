"""Recovery of symmetric matrices from their products with sums of columns: directly, or by substitution.

Result: for each entry a position in the products; for substitution, also rounds in which positions are added to others.

Rule, for a matrix H, the colors c and the products B = H S, so that B[i, k] is the sum of H[i, j] over all j of color
k: an entry H[i, j] is B[i, c(j)] if j is the only neighbor of i with its color. In a star coloring, this holds for
(i, j) or for (j, i). In an acyclic coloring, the edges between two colors are a forest; for its vertex i, B[i, k] is
the sum of the edges to the neighbors of i. So the edge to the parent is B[i, k] minus the edges to the children.

Idea: a node (i, k) for each color k around i, with the edge (i, j) joining the nodes (i, c(j)) and (j, c(i)). Removing
leaves repeatedly makes a center of each tree its root, so that it is as low as possible. If A is the matrix that adds
each node to its parent, the edges h satisfy (I + A) h = B, and

    h = (I - A) (I + A^2) (I + A^4) (I + A^8) ... B.

A^(2^r) adds each node to its ancestor 2^r levels above. So the rounds are as many as the height of the trees has binary
digits, and each is one parallel addition. Roots have no edge to a parent and are left out; a tree of height 1 needs no
round.

Cost: a few passes over the entries; and for each round of substitution, a pass over the nodes that have an ancestor far
enough above. Work memory: 40 bytes per entry.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime import Rows, kernel

_DIAGONAL = -1


@kernel(by="single", types="int O[] V[] int32[] int64[] int64[] int64[]")
def _find_places(count, rows: Rows, colors, latest, repeated, places):
    """Find for each entry a product that contains no other entry of its row."""
    for i in range(rows.indptr.size - 1):
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            color = colors[rows.indices[e]]
            if latest[color] == i:
                repeated[color] = i
            latest[color] = i
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            j = rows.indices[e]
            if repeated[colors[j]] == i:
                places[e] = np.int64(j) * count + colors[i]
            else:
                places[e] = np.int64(i) * count + colors[j]


def direct_places(indptr: Any, indices: Any, colors: Any, count: int) -> np.ndarray:
    """Return the position of each entry in the flattened products, for a star coloring."""
    places = np.empty(indices.size, np.int64)
    latest, repeated = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    _find_places(count, Rows(indptr, indices), colors, latest, repeated, places)
    return places


@kernel(by="single", types="int64[] int64[] int64[] int64[]")
def _peel(ends, degrees, parents, queue):
    """Remove leaves until only roots remain; `ends` holds the exclusive or of the neighbors of each node."""
    last = 0
    for t in range(degrees.size):
        if degrees[t] == 1:
            queue[last] = t
            last += 1
    first = 0
    while first < last:
        t = queue[first]
        first += 1
        if degrees[t] == 1:
            above = ends[t]
            parents[t] = above
            degrees[t] = 0
            ends[above] ^= t
            degrees[above] -= 1
            if degrees[above] == 1:
                queue[last] = above
                last += 1


def substitution_places(
    indptr: Any, indices: Any, colors: Any, count: int
) -> tuple[np.ndarray, np.ndarray, tuple[tuple[np.ndarray, np.ndarray], ...]]:
    """Return the places of nodes, the node of each entry, and the rounds, for an acyclic coloring."""
    n = indptr.size - 1
    i, j = np.repeat(np.arange(n), np.diff(indptr)), indices.astype(np.int64)
    keys = i * count + colors[j]  # the node at the row's end of each entry, and the node at the other end
    places, near = np.unique(keys, return_inverse=True)
    far = np.searchsorted(places, j * count + colors[i])
    parents, loops = np.full(places.size, -1, np.int64), i == j
    joined = ~loops & (near < far)
    one, other = near[joined], far[joined]
    ends, degrees = np.zeros(places.size, np.int64), np.zeros(places.size, np.int64)
    for node, neighbor in ((one, other), (other, one)):
        np.bitwise_xor.at(ends, node, neighbor)
        degrees += np.bincount(node, minlength=places.size)
    _peel(ends, degrees, parents, np.empty(places.size, np.int64))
    entries = np.where(parents[near] == far, near, far)
    entries[loops] = near[loops]
    return places, entries, _rounds(parents)


def _rounds(parents: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Return for each power of 2 the nodes with an ancestor that many levels above, and these, without roots."""
    rounds = []
    nodes = np.flatnonzero(parents >= 0)
    above = np.where(parents >= 0, parents, -1)
    is_root = parents < 0
    above[nodes[is_root[above[nodes]]]] = -1
    while True:
        nodes = nodes[above[nodes] >= 0]
        if not nodes.size:
            return tuple(rounds)
        rounds.append((nodes, above[nodes]))
        following = np.full(parents.size, -1, np.int64)
        following[nodes] = above[above[nodes]]
        above = following
