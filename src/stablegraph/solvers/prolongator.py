"""The smoothed prolongator P = (I - omega D^-1 A) T, row by row.

T has one block an unknown's row, in the column of its aggregate. So a row of A T is a histogram of the labels of its
entries, weighted by A, and no general product is needed. A row of P has a block for every aggregate that the node or
one of its neighbours lies in; nodes without an aggregate (label -1) have none of their own.

The pattern comes first, then the values, and these again for new values of A. Every sum is in the order of the row.
Work memory: a number for every aggregate a worker.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..parallel import at, edge_split, kernel, rule, worker_count
from ..rows import read_only
from .patterns import Pattern, alike, in_two_passes, sort_entries


@rule
def meet(worker, label, row, seen, place, indices):
    """Append a label to a row, if it is there and new: the place after the row's last entry so far."""
    if label >= 0 and seen[worker, at(label)] != row:
        seen[worker, at(label)] = row
        if indices.size > 0:
            indices[at(place)] = label
        place += 1
    return place


@kernel(by="workers")
def find_labels(worker, workers, n, a_indptr, a_indices, labels, seen, indptr, indices, lengths):
    """How many aggregates each row touches and, where there is room for it, which."""
    for i in range(edge_split(a_indptr, n, worker, workers), edge_split(a_indptr, n, worker + 1, workers)):
        first = int(indptr[at(i)])
        place = meet(worker, int(labels[at(i)]), i, seen, first, indices)
        for e in range(a_indptr[at(i)], a_indptr[at(i + 1)]):
            place = meet(worker, int(labels[at(a_indices[at(e)])]), i, seen, place, indices)
        lengths[at(i)] = place - first
        if indices.size > 0:
            sort_entries(first, place, indices)


def smoothed_pattern(A: Pattern, labels: Any, count: int) -> Pattern:
    """The pattern of P on nodes, from that of A."""
    n = A.rows
    workers = worker_count("cpu", int(A.indices.size))
    rows = read_only(A.indptr), read_only(A.indices), read_only(labels)

    def find(indptr: Any, indices: Any, lengths: Any) -> None:
        find_labels(workers, n, *rows, np.full((workers, count), -1, np.int32), indptr, indices, lengths)

    return in_two_passes(n, find)


@kernel(by="workers")
def smooth_rows(
    worker, workers, n, a_indptr, a_indices, a_data, inverse, omega, labels, T, places, indptr, indices, data
):
    """The values of P for one unknown a node and one column."""
    for i in range(edge_split(a_indptr, n, worker, workers), edge_split(a_indptr, n, worker + 1, workers)):
        for e in range(indptr[at(i)], indptr[at(i + 1)]):
            places[worker, at(indices[at(e)])] = e
            data[at(e)] = T[at(i), 0] if indices[at(e)] == labels[at(i)] else 0.0
        factor = omega * inverse[at(i)]
        for e in range(a_indptr[at(i)], a_indptr[at(i + 1)]):
            j = a_indices[at(e)]
            label = labels[at(j)]
            if label >= 0:
                data[at(places[worker, at(label)])] -= factor * a_data[at(e)] * T[at(j), 0]


@kernel(by="workers")
def smooth_blocks(
    worker, workers, n, width, a_indptr, a_indices, a_data, inverse, omega, labels, T, places, indptr, indices, data
):
    """The values of P for `width` unknowns a node; a block has as many columns as T."""
    columns = T.shape[1]
    for node in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        first = int(indptr[at(node)])
        length = int(indptr[at(node + 1)]) - first
        for block in range(length):
            places[worker, at(indices[at(first + block)])] = block
        for s in range(width):
            i = node * width + s
            begin = (first * width + s * length) * columns
            for c in range(begin, begin + length * columns):
                data[at(c)] = 0.0
            if labels[at(node)] >= 0:
                to = begin + int(places[worker, at(labels[at(node)])]) * columns
                for c in range(columns):
                    data[at(to + c)] = T[at(i), c]
            factor = omega * inverse[at(i)]
            for e in range(a_indptr[at(i)], a_indptr[at(i + 1)]):
                j = int(a_indices[at(e)])
                label = labels[at(j // width)]
                if label >= 0:
                    to = begin + int(places[worker, at(label)]) * columns
                    value = factor * a_data[at(e)]
                    for c in range(columns):
                        data[at(to + c)] -= value * T[at(j), c]


def smoothed_values(
    A: Any, inverse: Any, omega: float, labels: Any, T: Any, pattern: Pattern, width: int, count: int
) -> Any:
    """The values of P in its pattern of nodes: row after row, each block of `T.shape[1]` columns."""
    columns = T.shape[1]
    workers = worker_count("cpu", A.nnz)
    places = np.empty((workers, count), np.int32)
    data = np.empty(int(pattern.indices.size) * width * columns)
    a_indptr, indptr = alike(A.indptr, pattern.indptr)
    rows = a_indptr, read_only(A.indices), read_only(A.data)
    rest = inverse, omega, read_only(labels), T, places, indptr, read_only(pattern.indices), data
    if width == columns == 1:
        smooth_rows(workers, pattern.rows, *rows, *rest)
    else:
        smooth_blocks(workers, pattern.rows, width, *rows, *rest)
    return data
