"""Which nodes are connected, and the matrix of the strong connections alone.

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
from ..parallel import at, kernel
from ..patterns import Pattern, alike, row_pointers, transposed
from ..rows import read_only
from .sparse_product import product_pattern


@kernel
def add_squares(node, width, a_indptr, a_indices, a_data, indptr, indices, norms):
    """The Frobenius norms of a node's blocks."""
    first = int(indptr[at(node)])
    for place in range(first, indptr[at(node + 1)]):
        norms[at(place)] = 0.0
    for s in range(width):
        place = first
        for e in range(a_indptr[at(node * width + s)], a_indptr[at(node * width + s + 1)]):
            while indices[at(place)] < int(a_indices[at(e)]) // width:
                place += 1
            norms[at(place)] += a_data[at(e)] * a_data[at(e)]
    for place in range(first, indptr[at(node + 1)]):
        norms[at(place)] = norms[at(place)] ** 0.5


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
        own, blocks = alike(A, nodes)
        add_squares(n, width, *own, read_only(A.data), *blocks, data)
    connections = sp.csr_array((data, nodes.indices, nodes.indptr), shape=(n, n))
    strong = strong_connections(connections, theta)
    return transposed(with_diagonal(Pattern(strong.indptr, strong.indices)), n)


def with_diagonal(pattern: Pattern) -> Pattern:
    """The same entries, and those of all nodes with themselves."""
    n = pattern.rows
    itself = Pattern(np.arange(n + 1, dtype=np.int32), np.arange(n, dtype=np.int32))
    return product_pattern(pattern, itself, n, diagonal=True)


class Filter(NamedTuple):
    """Where the entries of a matrix go when weak ones are added to their own node's."""

    indptr: Any
    indices: Any
    places: Any  # of each entry of the matrix in the filtered one, or -1 if its own node has no such entry


@kernel(by="edges")
def count_strong(i, indptr, indices, width, strong_indptr, strong_indices, lengths, places):
    """Number the entries that stay; the others get -1."""
    node = i // width
    place, beyond = int(strong_indptr[at(node)]), int(strong_indptr[at(node + 1)])
    length = 0
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        other = int(indices[at(e)]) // width
        while place < beyond and strong_indices[at(place)] < other:
            place += 1
        places[at(e)] = -1
        if place < beyond and strong_indices[at(place)] == other:
            places[at(e)] = length
            length += 1
    lengths[at(i)] = length


@kernel(by="edges")
def place_entries(i, indptr, indices, width, kept_indptr, kept_indices, places):
    """Numbers in rows become places; a weak entry gets that of its own node's entry."""
    first, beyond = int(kept_indptr[at(i)]), int(kept_indptr[at(i + 1)])
    own = i // width * width
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        if places[at(e)] >= 0:
            places[at(e)] += first
            kept_indices[at(places[at(e)])] = indices[at(e)]
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        if places[at(e)] < 0:
            wanted = own + int(indices[at(e)]) % width
            low, high = first, beyond
            while low < high:  # rows may be long: that of a hub has many weak entries and many that stay
                middle = (low + high) >> 1
                if kept_indices[at(middle)] < wanted:
                    low = middle + 1
                else:
                    high = middle
            if low < beyond and kept_indices[at(low)] == wanted:
                places[at(e)] = low


@kernel(by="edges")
def add_entries(i, indptr, data, places, kept_indptr, kept_data):
    for f in range(kept_indptr[at(i)], kept_indptr[at(i + 1)]):
        kept_data[at(f)] = 0.0
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        if places[at(e)] >= 0:
            kept_data[at(places[at(e)])] += data[at(e)]


def filter_of(A: Any, strong: Pattern, width: int) -> Filter:
    """Where the entries of A go when only the strong connections of nodes are kept."""
    n = A.shape[0]
    own, other = alike(A, strong)
    lengths, places = np.empty(n, np.int32), np.empty(A.nnz, A.indptr.dtype)
    count_strong(n, *own, width, *other, lengths, places)
    indptr = row_pointers(lengths).astype(A.indptr.dtype, copy=False)
    indices = np.empty(int(indptr[-1]), np.int32)
    place_entries(n, *own, width, indptr, indices, places)
    return Filter(indptr, indices, places)


def filtered(A: Any, kept: Filter) -> Any:
    """The matrix of the strong connections."""
    data = np.empty(kept.indices.size)
    add_entries(A.shape[0], read_only(A.indptr), read_only(A.data), kept.places, kept.indptr, data)
    return sp.csr_array((data, kept.indices, kept.indptr), shape=A.shape)
