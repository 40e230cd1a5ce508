"""Strength of connection on nodes, and the filtered matrix: that of the strong connections alone.

A node has `width` unknowns, in consecutive rows; two nodes are connected where any entry joins them. For one unknown a
node the pattern is that of the matrix, without a copy. With a threshold theta weak connections do not count:
those with ``|a_ij| < theta * sqrt(|a_ii a_jj|)``, the Frobenius norms of blocks for several unknowns a node.

Prolongators are then smoothed by the *filtered* matrix: weak entries are added to the entry of their own node in the
same row (to the diagonal, for one unknown a node), so that it does with constants what A does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..coarsening.strength import strong_connections
from ..csr.arrays import read_only
from ..parallel import kernel, lower_bound
from ..parallel.groups import Rows
from ..patterns import Pattern, alike, row_pointers, transposed
from .linalg.spgemm import product_pattern, with_diagonal
from .linalg.spmv import MatrixRows


@kernel
def add_squares(node, width, matrix: MatrixRows, blocks: Rows, norms):
    """The Frobenius norms of a node's blocks."""
    start, end = blocks.indptr[node], blocks.indptr[node + 1]
    for place in range(start, end):
        norms[place] = 0.0
    for s in range(width):
        place = start
        for e in range(matrix.indptr[node * width + s], matrix.indptr[node * width + s + 1]):
            while blocks.indices[place] < matrix.indices[e] // width:
                place += 1
            norms[place] += matrix.data[e] * matrix.data[e]
    for place in range(start, end):
        norms[place] = norms[place] ** 0.5


def node_pattern(A: Any, width: int) -> Pattern:
    """The pattern of a matrix on nodes; for several unknowns a node at the cost of two passes over the matrix."""
    if width == 1:
        return Pattern(A.indptr, A.indices)
    n = A.shape[0] // width
    rows = Pattern(np.ascontiguousarray(A.indptr[::width]), A.indices)
    nodes_of_unknowns = Pattern(
        np.arange(A.shape[0] + 1, dtype=np.int32), np.repeat(np.arange(n, dtype=np.int32), width)
    )
    return transposed(product_pattern(rows, nodes_of_unknowns, n), n)  # symmetric: transposing only sorts it


def strong_pattern(A: Any, nodes: Pattern, width: int, theta: float) -> Pattern:
    """The connections of nodes that count, and those of a node with itself."""
    n, data = nodes.rows, A.data
    if width > 1:
        data = np.empty(nodes.indices.size)
        rows, blocks = alike(A, nodes)
        add_squares(n, width, MatrixRows(*rows, read_only(A.data)), blocks, data)
    connections = sp.csr_array((data, nodes.indices, nodes.indptr), shape=(n, n))
    strong = strong_connections(connections, theta)
    return transposed(with_diagonal(Pattern(strong.indptr, strong.indices)), n)


class Filter(NamedTuple):
    """Where the entries of a matrix go when weak ones are added to their own node's."""

    indptr: Any
    indices: Any
    places: Any  # of each entry of the matrix in the filtered one, or -1 if its own node has no such entry


@kernel(by="edges")
def count_strong(i, rows: Rows, width, strong: Rows, lengths, places):
    """Number the entries that stay; the others get -1."""
    node = i // width
    place, end = strong.indptr[node], strong.indptr[node + 1]
    length = 0
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        other = rows.indices[e] // width
        while place < end and strong.indices[place] < other:
            place += 1
        places[e] = -1
        if place < end and strong.indices[place] == other:
            places[e] = length
            length += 1
    lengths[i] = length


@kernel(by="edges")
def place_entries(i, rows: Rows, width, kept: Rows, places):
    """Numbers in rows become places; a weak entry gets that of its own node's entry."""
    start, end = kept.indptr[i], kept.indptr[i + 1]
    own = i // width * width
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        if places[e] >= 0:
            places[e] += start
            kept.indices[places[e]] = rows.indices[e]
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        if places[e] < 0:
            wanted = own + rows.indices[e] % width
            # Rows may be long: that of a hub has many weak entries and many that stay.
            place = lower_bound(kept.indices, start, end, wanted)
            if place < end and kept.indices[place] == wanted:
                places[e] = place


@kernel(by="edges")
def add_entries(i, indptr, data, places, kept_indptr, kept_data):
    """Add the values of a row up, each in its place in the filtered matrix."""
    for f in range(kept_indptr[i], kept_indptr[i + 1]):
        kept_data[f] = 0.0
    for e in range(indptr[i], indptr[i + 1]):
        if places[e] >= 0:
            kept_data[places[e]] += data[e]


def filter_of(A: Any, strong: Pattern, width: int) -> Filter:
    """Where the entries of A go when only the strong connections of nodes are kept."""
    n = A.shape[0]
    rows, strong_rows = alike(A, strong)
    lengths, places = np.empty(n, np.int32), np.empty(A.nnz, A.indptr.dtype)
    count_strong(n, rows, width, strong_rows, lengths, places)
    indptr = row_pointers(lengths).astype(A.indptr.dtype, copy=False)
    indices = np.empty(int(indptr[-1]), np.int32)
    place_entries(n, rows, width, Rows(indptr, indices), places)
    return Filter(indptr, indices, places)


def filtered(A: Any, kept: Filter) -> Any:
    """The matrix of the strong connections."""
    data = np.empty(kept.indices.size)
    add_entries(A.shape[0], read_only(A.indptr), read_only(A.data), kept.places, kept.indptr, data)
    return sp.csr_array((data, kept.indices, kept.indptr), shape=A.shape)
