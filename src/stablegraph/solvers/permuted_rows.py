"""The rows of a matrix copied into another order, without the diagonal, which is inverted.

What is used one after the other then lies one after the other, and a sweep reads the matrix as one stream. Columns keep
their numbers. Entries of a row keep their order, and so do sums over them.

Cost: one pass over the entries, in parallel. Memory: 12 bytes an entry off the diagonal, 12 to 16 a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..construction import index_type
from ..parallel import at, kernel, prefetch
from ..parallel.primitives import exclusive_scan
from ..rows import read_only
from .products import rows_of

_AHEAD_BY = 32  # rows: they are asked for so long before they are copied
_LINE = 7  # values of 8 bytes later the next cache line has begun


class PermutedRows(NamedTuple):
    """Row p is row ``rows[p]`` of the matrix without its diagonal entry."""

    indptr: Any
    indices: Any
    data: Any
    inverse_diagonal: Any


@kernel
def count_off_diagonal(p, rows, indptr, lengths):
    i = rows[at(p)]
    lengths[at(p)] = indptr[at(i + 1)] - indptr[at(i)] - 1


@kernel(by="edges")
def copy_row(p, new_indptr, rows, indptr, indices, data, new_indices, new_data, inverse_diagonal):
    last = rows.size - 1
    prefetch(indptr, int(rows[at(min(p + 2 * _AHEAD_BY, last))]))
    soon = int(indptr[at(rows[at(min(p + _AHEAD_BY, last))])])
    prefetch(indices, soon)
    prefetch(indices, soon + 2 * _LINE)
    prefetch(data, soon)
    prefetch(data, soon + _LINE)
    i = rows[at(p)]
    place = int(new_indptr[at(p)])
    for e in range(indptr[at(i)], indptr[at(i + 1)]):
        if indices[at(e)] == i:
            inverse_diagonal[at(p)] = 1 / data[at(e)]
        else:
            new_indices[at(place)] = indices[at(e)]
            new_data[at(place)] = data[at(e)]
            place += 1


def permuted_rows(A: Any, rows: Any) -> PermutedRows:
    """Copy the rows of a checked matrix, which has every diagonal entry exactly once."""
    n, matrix = A.shape[0], rows_of(A)
    lengths = np.empty(n, np.int32)
    count_off_diagonal(n, rows, matrix[0], lengths)
    indptr = exclusive_scan(lengths)
    entries = int(indptr[-1])
    indptr = read_only(indptr.astype(index_type(entries), copy=False))
    indices, data, inverse_diagonal = np.empty(entries, np.int32), np.empty(entries), np.empty(n)
    copy_row(n, indptr, rows, *matrix, indices, data, inverse_diagonal)
    return PermutedRows(indptr, *map(read_only, (indices, data, inverse_diagonal)))
