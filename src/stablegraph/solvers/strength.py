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
from ..parallel import at, edge_split, kernel, worker_count
from ..rows import read_only
from .patterns import Pattern, alike, from_lengths, in_two_passes, sort_entries


@kernel(by="workers")
def find_blocks(worker, workers, n, width, a_indptr, a_indices, seen, indptr, indices, lengths):
    """The length of each node's row and, where there is room for it, the row."""
    for node in range(n * worker // workers, n * (worker + 1) // workers):
        first = int(indptr[at(node)])
        place = first
        for e in range(a_indptr[at(node * width)], a_indptr[at((node + 1) * width)]):
            other = int(a_indices[at(e)]) // width
            if seen[worker, at(other)] != node:
                seen[worker, at(other)] = node
                if indices.size > 0:
                    indices[at(place)] = other
                place += 1
        lengths[at(node)] = place - first
        if indices.size > 0:
            sort_entries(first, place, indices)


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
    """The pattern of a matrix on nodes. Cost, for several unknowns a node: two passes over the matrix."""
    if width == 1:
        return Pattern(A.indptr, A.indices)
    n = A.shape[0] // width
    workers = worker_count("cpu", A.nnz)
    rows = read_only(A.indptr), read_only(A.indices)

    def find(indptr: Any, indices: Any, lengths: Any) -> None:
        find_blocks(workers, n, width, *rows, np.full((workers, n), -1, np.int32), indptr, indices, lengths)

    return in_two_passes(n, find)


def strong_pattern(A: Any, nodes: Pattern, width: int, theta: float) -> Pattern:
    """The connections of nodes that count, without those of a node with itself."""
    data = A.data
    if width > 1:
        data = np.empty(nodes.indices.size)
        a_indptr, indptr = alike(A.indptr, nodes.indptr)
        rows = a_indptr, read_only(A.indices), read_only(A.data), indptr, read_only(nodes.indices)
        add_squares(nodes.rows, width, *rows, data)
    n = nodes.rows
    strong = strong_connections(sp.csr_array((data, nodes.indices, nodes.indptr), shape=(n, n)), theta)
    return Pattern(strong.indptr, strong.indices)


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
        if other == node or (place < beyond and strong_indices[at(place)] == other):
            places[at(e)] = length
            length += 1
    lengths[at(i)] = length


@kernel(by="edges")
def place_entries(i, indptr, indices, width, kept_indptr, kept_indices, places):
    """Numbers in rows become places; a weak entry gets that of its own node's entry."""
    first = int(kept_indptr[at(i)])
    own = i // width * width
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        if places[at(e)] >= 0:
            places[at(e)] += first
            kept_indices[at(places[at(e)])] = indices[at(e)]
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        if places[at(e)] < 0:
            wanted = own + int(indices[at(e)]) % width
            for f in range(first, kept_indptr[at(i + 1)]):
                if kept_indices[at(f)] == wanted:
                    places[at(e)] = f


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
    a_indptr, strong_indptr = alike(A.indptr, strong.indptr)
    rows = a_indptr, read_only(A.indices), width
    lengths, places = np.empty(n, np.int32), np.empty(A.nnz, A.indptr.dtype)
    count_strong(n, *rows, strong_indptr, read_only(strong.indices), lengths, places)
    indptr = from_lengths(lengths).astype(A.indptr.dtype, copy=False)
    indices = np.empty(int(indptr[-1]), np.int32)
    place_entries(n, *rows, indptr, indices, places)
    return Filter(indptr, indices, places)


def filtered(A: Any, kept: Filter) -> Any:
    """The matrix of the strong connections."""
    data = np.empty(kept.indices.size)
    add_entries(A.shape[0], read_only(A.indptr), read_only(A.data), kept.places, kept.indptr, data)
    return sp.csr_array((data, kept.indices, kept.indptr), shape=A.shape)
