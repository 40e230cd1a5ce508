"""The coarse matrix P' A P, row by row, for several unknowns a node.

Row I of it is (row I of P' A) times P. The row in the middle is never stored with others: it lives in the scratch of
the worker that writes row I, as the few fine nodes that it touches, in the order in which they are met, and their
values. Each of these meets its row of P once, however many paths lead to it. That takes some 40 % of the operations of
the triple loop, and none of the memory of the product A P, which is larger than A.

All of it is done with patterns of nodes: where P has k columns and A `width` rows a node, an entry is a dense block.
The pattern comes first, from patterns alone: an entry that happens to be zero is stored. So new values of A only need
the second phase. Every sum has one order, that of the rows of P' and A, whatever the number of threads.

A coarse unknown that no fine one hangs on (where an aggregate has fewer unknowns than P has columns, say) would make
the matrix singular: it gets a 1 on the diagonal. Its right-hand side is always 0.

Work memory: a number for every fine and every coarse node a worker, twice in the first phase.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel import at, edge_split, kernel, prefetch, worker_count
from ..rows import read_only
from .patterns import Pattern, Transpose, alike, in_two_passes, sort_entries


_AHEAD = 4  # rows of A that are asked for before they are needed


@kernel(by="workers")
def find_rows(
    worker,
    workers,
    n,
    r_indptr,
    r_indices,
    a_indptr,
    a_indices,
    p_indptr,
    p_indices,
    met,
    seen,
    indptr,
    indices,
    lengths,
):
    """The length of each row and, where there is room for it, the row."""
    for I in range(edge_split(r_indptr, n, worker, workers), edge_split(r_indptr, n, worker + 1, workers)):
        write = indices.size > 0
        first = int(indptr[at(I)])
        seen[worker, at(I)] = I
        place = first + 1
        if write:
            indices[at(first)] = I
        for r in range(r_indptr[at(I)], r_indptr[at(I + 1)]):
            i = r_indices[at(r)]
            for e in range(a_indptr[at(i)], a_indptr[at(i + 1)]):
                k = a_indices[at(e)]
                if met[worker, at(k)] != I:
                    met[worker, at(k)] = I
                    for f in range(p_indptr[at(k)], p_indptr[at(k + 1)]):
                        J = p_indices[at(f)]
                        if seen[worker, at(J)] != I:
                            seen[worker, at(J)] = I
                            if write:
                                indices[at(place)] = J
                            place += 1
        lengths[at(I)] = place - first
        if write:
            sort_entries(first, place, indices)


def coarse_pattern(P: Pattern, R: Transpose, A: Pattern) -> Pattern:
    """The pattern of P' A P with a full diagonal, from those of P, its transpose and A."""
    n = int(R.indptr.size) - 1
    r_indptr, a_indptr, p_indptr = alike(R.indptr, A.indptr, P.indptr)
    rows = r_indptr, read_only(R.indices), a_indptr, read_only(A.indices), p_indptr, read_only(P.indices)
    workers = worker_count("cpu", int(A.indices.size))

    def find(indptr: Any, indices: Any, lengths: Any) -> None:
        met, seen = np.full((workers, A.rows), -1, np.int32), np.full((workers, n), -1, np.int32)
        find_rows(workers, n, *rows, met, seen, indptr, indices, lengths)

    return in_two_passes(n, find)


@kernel(by="workers")
def multiply_rows(
    worker,
    workers,
    n,
    r_indptr,
    r_indices,
    r_data,
    a_indptr,
    a_indices,
    a_data,
    p_indptr,
    p_indices,
    p_data,
    slots,
    nodes,
    middle,
    places,
    indptr,
    indices,
    data,
):
    """One unknown a node."""
    last = r_indptr[n] - 1
    for I in range(edge_split(r_indptr, n, worker, workers), edge_split(r_indptr, n, worker + 1, workers)):
        for c in range(indptr[at(I)], indptr[at(I + 1)]):
            places[worker, at(indices[at(c)])] = c
            data[at(c)] = 0.0
        count = 0
        for r in range(r_indptr[at(I)], r_indptr[at(I + 1)]):
            i = r_indices[at(r)]
            factor = r_data[at(r)]
            ahead = a_indptr[at(r_indices[at(min(r + _AHEAD, last))])]
            prefetch(a_indices, ahead)
            prefetch(a_data, ahead)
            for e in range(a_indptr[at(i)], a_indptr[at(i + 1)]):
                k = a_indices[at(e)]
                slot = slots[worker, at(k)]
                if slot < 0:
                    slots[worker, at(k)] = count
                    nodes[worker, at(count)] = k
                    middle[worker, at(count)] = factor * a_data[at(e)]
                    count += 1
                    prefetch(p_indices, p_indptr[at(k)])
                    prefetch(p_data, p_indptr[at(k)])
                else:
                    middle[worker, at(slot)] += factor * a_data[at(e)]
        for slot in range(count):
            k = nodes[worker, at(slot)]
            slots[worker, at(k)] = -1
            value = middle[worker, at(slot)]
            for f in range(p_indptr[at(k)], p_indptr[at(k + 1)]):
                data[at(places[worker, at(p_indices[at(f)])])] += value * p_data[at(f)]


@kernel(by="workers")
def multiply_blocks(
    worker,
    workers,
    n,
    width,
    columns,
    r_indptr,
    r_indices,
    origins,
    a_indptr,
    a_indices,
    a_data,
    p_indptr,
    p_indices,
    p_data,
    slots,
    nodes,
    middle,
    places,
    indptr,
    indices,
    data,
):
    size = width * columns
    for I in range(edge_split(r_indptr, n, worker, workers), edge_split(r_indptr, n, worker + 1, workers)):
        first = int(indptr[at(I)])
        length = int(indptr[at(I + 1)]) - first
        for c in range(first, first + length):
            places[worker, at(indices[at(c)])] = c - first
        for c in range(first * columns * columns, (first + length) * columns * columns):
            data[at(c)] = 0.0
        count = 0
        for r in range(r_indptr[at(I)], r_indptr[at(I + 1)]):
            i = int(r_indices[at(r)])
            p_first = int(p_indptr[at(i)])
            p_length = int(p_indptr[at(i + 1)]) - p_first
            for s in range(width):
                row = i * width + s
                left = p_first * size + s * p_length * columns + (int(origins[at(r)]) - p_first) * columns
                for e in range(a_indptr[at(row)], a_indptr[at(row + 1)]):
                    j = int(a_indices[at(e)])
                    k = j // width
                    slot = int(slots[worker, at(k)])
                    if slot < 0:
                        slots[worker, at(k)] = count
                        nodes[worker, at(count)] = k
                        for m in range(count * size, (count + 1) * size):
                            middle[worker, at(m)] = 0.0
                        slot = count
                        count += 1
                    value = a_data[at(e)]
                    to = slot * size + (j - k * width) * columns
                    for c in range(columns):
                        middle[worker, at(to + c)] += p_data[at(left + c)] * value
        for slot in range(count):
            k = int(nodes[worker, at(slot)])
            slots[worker, at(k)] = -1
            p_first = int(p_indptr[at(k)])
            p_length = int(p_indptr[at(k + 1)]) - p_first
            for f in range(p_length):
                place = int(places[worker, at(p_indices[at(p_first + f)])])
                for s in range(width):
                    right = p_first * size + (s * p_length + f) * columns
                    for c in range(columns):
                        value = middle[worker, at(slot * size + s * columns + c)]
                        to = first * columns * columns + (c * length + place) * columns
                        for d in range(columns):
                            data[at(to + d)] += value * p_data[at(right + d)]


@kernel(by="edges")
def hold_unused(I, indptr, indices, data, columns, used):
    """A 1 on the diagonal of each unknown of a node on which no fine unknown hangs."""
    first = int(indptr[at(I)])
    length = int(indptr[at(I + 1)]) - first
    place = 0
    while indices[at(first + place)] != I:
        place += 1
    for c in range(columns):
        if not used[at(I * columns + c)]:
            data[at(((first * columns + c * length) + place) * columns + c)] = 1.0


def coarse_values(
    A: Any, R: Any, P: Any, transpose: Transpose, nodes: Pattern, pattern: Pattern, width: int, coarse_B: Any
) -> Any:
    """The values of P' A P in its pattern of nodes: row after row, each block of as many columns as P has a node.

    Parameters
    ----------
    A, P, R : csr_array
        R is the transpose of P.
    transpose, nodes, pattern : Pattern
        Of R, P and the result, on nodes.
    width : int
        Rows of A a node.
    coarse_B : float64 (n, k)
        The coarse near-nullspace; an unknown is used if its own column is not zero.
    """
    n, fine = int(transpose.indptr.size) - 1, nodes.rows
    columns = P.shape[1] // max(n, 1)
    workers = worker_count("cpu", A.nnz)
    slots = np.full((workers, fine), -1, np.int32)
    met = np.empty((workers, fine), np.int32)
    middle = np.empty((workers, fine * width * columns))
    places = np.empty((workers, n), np.int32)
    data = np.empty(int(pattern.indices.size) * columns * columns)
    r_indptr, a_indptr, p_indptr, indptr = alike(transpose.indptr, A.indptr, nodes.indptr, pattern.indptr)
    rows_of_A = a_indptr, read_only(A.indices), read_only(A.data)
    rows_of_P = p_indptr, read_only(nodes.indices), read_only(P.data)
    rest = slots, met, middle, places, indptr, read_only(pattern.indices), data
    if width == columns == 1:
        rows_of_R = r_indptr, read_only(transpose.indices), read_only(R.data)
        multiply_rows(workers, n, *rows_of_R, *rows_of_A, *rows_of_P, *rest)
    else:
        rows_of_R = r_indptr, read_only(transpose.indices), read_only(transpose.origins)
        multiply_blocks(workers, n, width, columns, *rows_of_R, *rows_of_A, *rows_of_P, *rest)
    used = coarse_B.reshape(n, columns, columns).diagonal(axis1=1, axis2=2).ravel() != 0
    if not used.all():
        hold_unused(n, indptr, read_only(pattern.indices), data, columns, used)
    return data
