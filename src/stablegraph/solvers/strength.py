"""Strength of connection on nodes, and the filtered matrix, which contains only strong connections.

A node has one or several unknowns, in consecutive rows. Two nodes are connected if any entry joins them. With a
threshold theta, weak connections are ignored: those with ``|a_ij| < theta * sqrt(|a_ii a_jj|)``. With several unknowns
per node, the Frobenius norms of blocks are compared. The hierarchy halves theta from level to level, like Vanek, Mandel
and Brezina, because coarse nodes have more and weaker connections. With the same theta on all levels, more than half of
the nodes of elasticity's second level had no connection and were missing from the third level: 40 iterations instead of
16.

Prolongators are then smoothed by the *filtered* matrix: weak entries are added to the entry of their own node in the
same row (to the diagonal, for one unknown per node), so it maps constants to the same values as A. (This is impossible
for rotations, which differ from node to node: in elasticity, strength costs some iterations.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.csr.arrays import Pattern
from .._core.runtime import Array, Float64s, Offsets, Rows, kernel, lower_bound
from ..coarsening.strength import strong_connections
from .linalg.block_csr import block_values, matrix, with_diagonal
from .linalg.vectors import MatrixRows, block_sizes, rows_of, with_values


@kernel(by="edges", constants="2,2 3,3 6,6", F="float64")
def block_norms(row, rows: MatrixRows, norms: Float64s):
    """Compute the Frobenius norms of the blocks of a row."""
    size = rows.height * rows.width
    for e in range(rows.indptr[row], rows.indptr[row + 1]):
        total = 0.0
        for place in range(e * size, (e + 1) * size):
            total += abs(rows.data[place]) ** 2
        norms[e] = total**0.5


def strong_pattern(A: Any, nodes: Pattern, theta: float) -> Pattern:
    """Return the strong connections of nodes, including that of each node with itself."""
    width, data = A.shape[0] // nodes.rows, A.data
    if width > 1:
        values, data = data, np.empty_like(nodes.indices, np.float64)
        if block_sizes(A)[0] == 1:
            values = block_values(A, nodes, width)
        block_norms(nodes.rows, with_values(nodes, values, width, width), data)
    strong = strong_connections((nodes.indptr, nodes.indices, data), theta)
    return with_diagonal(Pattern(strong.indptr, strong.indices))


class Filter(NamedTuple):
    """The positions of a matrix's blocks if weak blocks are added to the diagonal block of their node."""

    pattern: Pattern  # of the filtered matrix
    places: Array  # of each block of the matrix in the filtered one; -1 if its node has no diagonal block


@kernel(by="edges")
def place_blocks(i, rows: Rows, width: int, kept: Rows, places: Offsets):
    """Find the places of a row's blocks. A weak block (entry, if `width` > 1) gets that of its node's own block."""
    start, end = kept.indptr[i], kept.indptr[i + 1]
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        wanted = rows.indices[e]
        place = lower_bound(kept.indices, start, end, wanted)
        if place == end or kept.indices[place] != wanted:
            wanted = i // width * width + wanted % width
            place = lower_bound(kept.indices, start, end, wanted)
        places[e] = place if place < end and kept.indices[place] == wanted else -1


@kernel(by="edges", constants="1,1,1,1 2,2,2,2 3,3,3,3 6,6,6,6")
def add_blocks(row, rows: MatrixRows, places: Offsets, kept: MatrixRows):
    """Add up the blocks of a row, each at its place in the filtered matrix."""
    size = rows.height * rows.width
    for place in range(kept.indptr[row] * size, kept.indptr[row + 1] * size):
        kept.data[place] = 0.0
    for e in range(rows.indptr[row], rows.indptr[row + 1]):
        if places[e] >= 0:
            for place in range(size):
                kept.data[places[e] * size + place] += rows.data[e * size + place]


def filter_of(A: Any, strong: Pattern, width: int) -> Filter:
    """Return the places of the blocks of A if only strong ones are kept; nodes have `width` rows in them."""
    types, places = (A.indptr.dtype, A.indices.dtype), np.empty_like(A.indices, A.indptr.dtype)
    kept = Pattern(*(array.astype(dtype, copy=False) for array, dtype in zip(strong, types, strict=True)))
    place_blocks(kept.rows, Rows(A.indptr, A.indices), width, kept, places)
    return Filter(kept, places)


def filtered(A: Any, kept: Filter) -> Any:
    """Return the matrix of the strong connections."""
    height, width = block_sizes(A)
    data = np.empty_like(A.data, shape=kept.pattern.indices.size * height * width)
    rows = with_values(kept.pattern, data, height, width)
    add_blocks(A.indptr.size - 1, rows_of(A), kept.places, rows)
    return matrix(kept.pattern, data, height, width, A.shape[1] // width)
