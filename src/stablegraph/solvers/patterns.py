"""Where the entries of sparse matrices lie, before any of them has a value.

A pattern is that of *nodes*: where several unknowns belong to a point of a mesh they share a row and a column, an entry
stands for a dense block, and patterns are short. A matrix keeps its blocks as CSR does, one row of unknowns after the
other: the block at place p of a node's row, which is `length` blocks long, has its row s at s * length + p.

A transpose is a stable counting sort, so its rows ascend: transposing twice sorts all rows at once. Results are the
same for any number of threads. Work memory: four bytes a column and worker.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..parallel import at, edge_split, kernel, worker_count
from ..parallel.primitives import exclusive_scan
from ..pattern_product import Pattern, alike, row_pointers
from ..rows import read_only


@kernel(by="workers")
def count_columns(worker, workers, n, indptr, indices, counts):
    """How many entries of this worker's rows lie in each column."""
    for u in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        for e in range(indptr[at(u)], indptr[at(u + 1)]):
            counts[worker, at(indices[at(e)])] += 1


@kernel
def add_counts(column, counts, lengths):
    """Counts become places inside the columns: those of a worker come after those of the ones before it."""
    total = 0
    for worker in range(counts.shape[0]):
        count = counts[worker, at(column)]
        counts[worker, at(column)] = total
        total += count
    lengths[at(column)] = total


@kernel(by="workers")
def deal_entries(worker, workers, n, indptr, indices, counts, new_indptr, new_indices, places):
    """Write every entry to its place in the transpose and, if asked for, the place."""
    for u in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        for e in range(indptr[at(u)], indptr[at(u + 1)]):
            v = indices[at(e)]
            place = int(new_indptr[at(v)]) + counts[worker, at(v)]
            counts[worker, at(v)] += 1
            new_indices[at(place)] = u
            if places.size > 0:
                places[at(e)] = place


def transposed(pattern: Pattern, columns: int) -> Pattern:
    """The transpose of a pattern with that many columns; its rows ascend."""
    return _transposed(pattern, columns, np.empty(0, pattern.indptr.dtype))


def transposed_with_places(pattern: Pattern, columns: int) -> tuple[Pattern, Any]:
    """The transpose, and the place in it of each entry of the pattern."""
    places = np.empty(pattern.indices.size, pattern.indptr.dtype)
    return _transposed(pattern, columns, places), places


def _transposed(pattern: Pattern, columns: int, places: Any) -> Pattern:
    workers = worker_count("cpu", int(pattern.indices.size))
    counts, lengths = np.zeros((workers, columns), np.int32), np.empty(columns, np.int32)
    count_columns(workers, pattern.rows, *pattern.arrays(), counts)
    add_counts(columns, counts, lengths)
    indptr = exclusive_scan(lengths).astype(pattern.indptr.dtype, copy=False)
    indices = np.empty(pattern.indices.size, np.int32)
    deal_entries(workers, pattern.rows, *pattern.arrays(), counts, read_only(indptr), indices, places)
    return Pattern(indptr, indices)


@kernel
def gather_entries(entry, places, data, values):
    values[at(entry)] = data[at(places[at(entry)])]


@kernel(by="edges")
def gather_blocks(node, indptr, indices, places, source_indptr, height, width, data, values):
    """Fetch the blocks of a node's row from their transposes, whose rows have `height` entries."""
    first = int(indptr[at(node)])
    length = int(indptr[at(node + 1)]) - first
    for block in range(length):
        other = indices[at(first + block)]
        begin = int(source_indptr[at(other)])
        source_length = int(source_indptr[at(other + 1)]) - begin
        place = int(places[at(first + block)]) - begin
        for s in range(height):
            for c in range(width):
                value = data[at((begin * width + c * source_length + place) * height + s)]
                values[at((first * height + s * length + block) * width + c)] = value


def transposed_values(pattern: Pattern, places: Any, source: Pattern, data: Any, height: int, width: int) -> Any:
    """The values in a pattern of a matrix whose transpose is given.

    Parameters
    ----------
    pattern, source : Pattern
        Of the result, whose blocks have `height` rows and `width` columns, and of its transpose.
    places : integer array
        Where in `source` each entry of the pattern is.
    data : float64 array
        The values of the transpose.
    """
    values = np.empty(data.size)
    if height == width == 1:
        gather_entries(places.size, read_only(places), read_only(data), values)
    else:
        own, (source_indptr, _) = alike(pattern, source)
        gather_blocks(pattern.rows, *own, read_only(places), source_indptr, height, width, read_only(data), values)
    return values


@kernel(by="edges")
def write_blocks(node, indptr, indices, new_indptr, height, width, new_indices):
    """The columns of every unknown of a node."""
    for row in range(node * height, (node + 1) * height):
        place = int(new_indptr[at(row)])
        for e in range(indptr[at(node)], indptr[at(node + 1)]):
            for c in range(width):
                new_indices[at(place)] = int(indices[at(e)]) * width + c
                place += 1


def matrix(pattern: Pattern, data: Any, height: int, width: int, columns: int) -> sp.csr_array:
    """The CSR matrix with these values: blocks of `height` rows and `width` columns, so many columns of nodes."""
    if height != 1 or width != 1:
        nodes = pattern
        indptr = row_pointers(np.repeat(np.diff(nodes.indptr) * np.int64(width), height))
        pattern = Pattern(indptr, np.empty(int(indptr[-1]), np.int32))
        own, (new_indptr, _) = alike(nodes, pattern)
        write_blocks(nodes.rows, *own, new_indptr, height, width, pattern.indices)
    result = sp.csr_array((pattern.rows, columns * width))
    result.data, result.indices, result.indptr = data, pattern.indices, pattern.indptr  # not looked at once more
    return result
