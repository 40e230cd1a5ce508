"""Recovery of symmetric matrices from their products with sums of columns: directly, or by substitution.

Result: for each entry a position in the products; for substitution, also rounds in which elements are added to other
elements.

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

from typing import Any, NamedTuple

import numpy as np

from .._core.runtime import Int32s, Int64s, Rows, kernel


@kernel(by="single")
def _find_places(count: int, rows: Rows, colors: Int32s, latest: Int64s, repeated: Int64s, places: Int64s):
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


class Nodes(NamedTuple):
    """The nodes of each entry (i, j) of the pattern: `near` is the node (i, c(j)), and `far` the node (j, c(i))."""

    near: Int64s
    far: Int64s


class Forest(NamedTuple):
    """The trees of two colors; an element of each array for every node."""

    ends: Int64s  # the exclusive or of the neighbors that are not yet removed
    degrees: Int64s  # their number
    parents: Int64s  # -1 for a root


@kernel(by="single", types="int int32[] int64[] int64[] int64[] int64[]")
def _number_nodes(count, rows: Rows, colors, latest, following, nodes: Nodes, places, size):
    """Number the nodes by row, and find both nodes of each entry; rows are sorted and the pattern is symmetric."""
    last = 0
    for i in range(rows.indptr.size - 1):
        first = last
        for e in range(rows.indptr[i], rows.indptr[i + 1]):
            j = rows.indices[e]
            color = colors[j]
            if latest[color] < first:
                latest[color] = last
                places[last] = np.int64(i) * count + color
                last += 1
            nodes.near[e] = latest[color]
            nodes.far[following[j]] = latest[color]
            following[j] += 1
    size[0] = last


@kernel(by="single")
def _root_trees(nodes: Nodes, forest: Forest, queue: Int64s):
    """Remove leaves until only the center of each tree remains."""
    for e in range(nodes.near.size):
        one, other = nodes.near[e], nodes.far[e]
        if one != other:  # not on the diagonal
            forest.ends[one] ^= other
            forest.degrees[one] += 1
    last = 0
    for t in range(queue.size):
        if forest.degrees[t] == 1:
            queue[last] = t
            last += 1
    first = 0
    while first < last:
        t = queue[first]
        first += 1
        if forest.degrees[t] == 1:
            above = forest.ends[t]
            forest.parents[t] = above
            forest.degrees[t] = 0
            forest.ends[above] ^= t
            forest.degrees[above] -= 1
            if forest.degrees[above] == 1:
                queue[last] = above
                last += 1


def substitution_places(
    indptr: Any, indices: Any, colors: Any, count: int
) -> tuple[np.ndarray, np.ndarray, tuple[tuple[np.ndarray, np.ndarray], ...]]:
    """Return the places of nodes, the node of each entry, and the rounds, for an acyclic coloring."""
    m, size = indices.size, np.zeros(1, np.int64)
    nodes, places = Nodes(np.empty(m, np.int64), np.empty(m, np.int64)), np.empty(m, np.int64)
    latest, following = np.full(count, -1, np.int64), indptr[:-1].astype(np.int64)
    _number_nodes(count, Rows(indptr, indices), colors, latest, following, nodes, places, size)
    number = int(size[0])
    forest = Forest(np.zeros(number, np.int64), np.zeros(number, np.int64), np.full(number, -1, np.int64))
    _root_trees(nodes, forest, np.empty(number, np.int64))
    entries = np.where(forest.parents[nodes.near] == nodes.far, nodes.near, nodes.far)
    return places[:number], entries, _rounds(forest.parents)


def _rounds(parents: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Return for each power of 2 the nodes with an ancestor that many levels above, and these, without roots."""
    rounds: list[tuple[np.ndarray, np.ndarray]] = []
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
