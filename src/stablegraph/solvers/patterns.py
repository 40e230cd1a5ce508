"""Where the entries of sparse matrices lie: what is known of a product or a transpose before any value is.

A hierarchy is set up in two phases. Patterns come first, here and beside the products that need them; then values are
filled in, and again whenever the matrix gets new ones. A pattern is that of *nodes*: where several unknowns belong to
a point of a mesh, they share its row. An entry then stands for a dense block, and patterns are short.

Every pass has one worker write each row, so the results are the same for any number of threads. Scratch per worker is a
mark for every column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..construction import index_type
from ..parallel import at, edge_split, kernel, rule, worker_count
from ..parallel.primitives import exclusive_scan
from ..rows import read_only


class Pattern(NamedTuple):
    """Rows of column numbers, as in CSR."""

    indptr: Any
    indices: Any

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.indptr.size) - 1


class Transpose(NamedTuple):
    """The pattern of a transpose; `origins` says which entry each entry was."""

    indptr: Any
    indices: Any
    origins: Any


@rule(inline=False)
def sort_entries(first, beyond, indices):
    """Let a row ascend: Shell's sort, for rows of some ten entries."""
    gap = 1
    while 9 * gap < beyond - first:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(first + gap, beyond):
            index = indices[at(i)]
            place = i
            while place >= first + gap and indices[at(place - gap)] > index:
                indices[at(place)] = indices[at(place - gap)]
                place -= gap
            indices[at(place)] = index
        gap //= 3


def alike(*indptrs: Any) -> list[Any]:
    """Read-only views of row pointers, all of one type: kernels need not be compiled for mixtures."""
    common = np.result_type(*indptrs)
    return [read_only(indptr.astype(common, copy=False)) for indptr in indptrs]


def from_lengths(lengths: Any) -> Any:
    """Row pointers for rows of given lengths, as narrow as they can be."""
    indptr = exclusive_scan(lengths)
    return indptr.astype(index_type(int(indptr[-1])), copy=False)


def in_two_passes(n: int, find: Callable[..., None]) -> Pattern:
    """The pattern that `find(indptr, indices, lengths)` finds: it counts first, then it has room to write."""
    lengths = np.empty(n, np.int32)
    find(np.zeros(n + 1, np.int32), np.empty(0, np.int32), lengths)
    indptr = from_lengths(lengths)
    indices = np.empty(int(indptr[-1]), np.int32)
    if indices.size:
        find(indptr, indices, lengths)
    return Pattern(indptr, indices)


def widened(pattern: Pattern, rows: int, columns: int) -> Pattern:
    """The pattern of single entries, where every entry stands for a dense block of so many rows and columns."""
    if rows == columns == 1:
        return pattern
    new_indptr = from_lengths(np.repeat(np.diff(pattern.indptr) * np.int64(columns), rows))
    new_indices = np.empty(int(new_indptr[-1]), np.int32)
    indptr, ends = alike(pattern.indptr, new_indptr)
    write_blocks(pattern.rows, indptr, read_only(pattern.indices), ends, rows, columns, new_indices)
    return Pattern(new_indptr, new_indices)


@kernel(by="edges")
def write_blocks(node, indptr, indices, new_indptr, rows, columns, new_indices):
    """Every row of this node's row of blocks."""
    for row in range(node * rows, (node + 1) * rows):
        place = int(new_indptr[at(row)])
        for e in range(indptr[at(node)], indptr[at(node + 1)]):
            for column in range(columns):
                new_indices[at(place)] = int(indices[at(e)]) * columns + column
                place += 1


@kernel(by="workers")
def count_columns(worker, workers, n, indptr, indices, counts):
    """How many entries of this worker's rows lie in each column."""
    for u in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        for e in range(indptr[at(u)], indptr[at(u + 1)]):
            counts[worker, at(indices[at(e)])] += 1


@kernel(by="workers")
def add_counts(worker, workers, columns, counts, lengths):
    """Counts become places inside the columns: those of a worker come after those of the ones before it."""
    for v in range(columns * worker // workers, columns * (worker + 1) // workers):
        total = 0
        for other in range(workers):
            count = counts[other, at(v)]
            counts[other, at(v)] = total
            total += count
        lengths[at(v)] = total


@kernel(by="workers")
def deal_entries(worker, workers, n, indptr, indices, counts, new_indptr, new_indices, origins):
    for u in range(edge_split(indptr, n, worker, workers), edge_split(indptr, n, worker + 1, workers)):
        for e in range(indptr[at(u)], indptr[at(u + 1)]):
            v = indices[at(e)]
            place = int(new_indptr[at(v)]) + counts[worker, at(v)]
            counts[worker, at(v)] += 1
            new_indices[at(place)] = u
            origins[at(place)] = e


def transposed(pattern: Pattern, columns: int) -> Transpose:
    """The transpose of a pattern with that many columns; its rows ascend.

    A stable counting sort. Work memory: four bytes a column and worker.
    """
    n, entries = pattern.rows, int(pattern.indices.size)
    workers = worker_count("cpu", entries)
    counts = np.zeros((workers, columns), np.int32)
    lengths = np.empty(columns, np.int32)
    rows = read_only(pattern.indptr), read_only(pattern.indices)
    count_columns(workers, n, *rows, counts)
    add_counts(workers, columns, counts, lengths)
    indptr = exclusive_scan(lengths).astype(pattern.indptr.dtype, copy=False)
    indices, origins = np.empty(entries, np.int32), np.empty(entries, pattern.indptr.dtype)
    deal_entries(workers, n, *rows, counts, indptr, indices, origins)
    return Transpose(indptr, indices, origins)


@kernel(by="edges")
def turn_blocks(column, indptr, nodes, origins, old_indptr, data, width, columns, values):
    """The rows of one column of nodes: block after block, each turned round."""
    first = int(indptr[at(column)])
    length = int(indptr[at(column + 1)]) - first
    if width == 1 and columns == 1:
        for e in range(first, first + length):
            values[at(e)] = data[at(origins[at(e)])]
        length = 0
    for place in range(length):
        node = int(nodes[at(first + place)])
        begin = int(old_indptr[at(node)])
        beyond = int(old_indptr[at(node + 1)])
        block = int(origins[at(first + place)]) - begin
        for s in range(width):
            source = ((begin * width + s * (beyond - begin)) + block) * columns
            for c in range(columns):
                values[at(((first * columns + c * length) + place) * width + s)] = data[at(source + c)]


def transposed_values(data: Any, pattern: Pattern, transpose: Transpose, width: int, columns: int) -> Any:
    """The values of a transpose, for blocks of so many rows and columns."""
    values = np.empty(data.size)
    new_indptr, indptr = alike(transpose.indptr, pattern.indptr)
    rows = new_indptr, read_only(transpose.indices), read_only(transpose.origins)
    turn_blocks(int(new_indptr.size) - 1, *rows, indptr, read_only(data), width, columns, values)
    return values
