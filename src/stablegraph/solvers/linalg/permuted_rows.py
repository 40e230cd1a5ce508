"""The rows of a matrix copied into another order, without the diagonal, which is inverted.

Rows that a sweep uses one after another are then stored one after another, so a sweep reads the matrix as one stream.
Columns keep their numbers. Entries of a row keep their order, and so do sums over them.

Cost: one pass over the entries, in parallel. Memory: 12 bytes an entry off the diagonal, 12 to 16 a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.arrays import index_type, read_only
from ..._core.runtime import kernel, prefetch
from ..._core.runtime.primitives import exclusive_scan
from .spmv import MatrixRows, rows_of

_AHEAD_BY = 32  # prefetch distance, in rows
_LINE = 7  # values of 8 bytes later the next cache line has begun


class PermutedRows(NamedTuple):
    """Row p is row ``rows[p]`` of the matrix without its diagonal entry."""

    indptr: Any  # (n + 1,): where each row starts in the next two
    indices: Any  # columns, as they are numbered in the matrix
    data: Any
    inverse_diagonal: Any  # (n,)


@kernel(types="int32[] int32[] int32[]")
def count_off_diagonal(p, rows, indptr, lengths):
    """Count the entries of row p that are not on the diagonal."""
    i = rows[p]
    lengths[p] = indptr[i + 1] - indptr[i] - 1


@kernel(
    by="edges", types="int32[] int32[] T[] T[] int32[] O[] V[] T[] int int", constants="1,1", T="float64 complex128"
)
def copy_row(p, new: PermutedRows, rows, matrix: MatrixRows):
    """Copy row ``rows[p]`` of the matrix to row p, and invert its diagonal entry."""
    last = rows.size - 1
    prefetch(matrix.indptr, rows[min(p + 2 * _AHEAD_BY, last)])
    soon = matrix.indptr[rows[min(p + _AHEAD_BY, last)]]
    prefetch(matrix.indices, soon)
    prefetch(matrix.indices, soon + 2 * _LINE)
    prefetch(matrix.data, soon)
    prefetch(matrix.data, soon + _LINE)
    i = rows[p]
    place = new.indptr[p]
    for e in range(matrix.indptr[i], matrix.indptr[i + 1]):
        if matrix.indices[e] == i:
            new.inverse_diagonal[p] = 1 / matrix.data[e]
        else:
            new.indices[place] = matrix.indices[e]
            new.data[place] = matrix.data[e]
            place += 1


def permuted_rows(A: Any, rows: Any) -> PermutedRows:
    """Copy the rows of a checked matrix, which has every diagonal entry exactly once."""
    n, matrix, rows = A.shape[0], rows_of(A), read_only(rows)
    lengths = np.empty(n, np.int32)
    count_off_diagonal(n, rows, matrix.indptr, lengths)
    indptr = exclusive_scan(lengths)
    entries = int(indptr[-1])
    indptr = read_only(indptr.astype(index_type(entries), copy=False))
    kind = matrix.data.dtype
    new = PermutedRows(indptr, np.empty(entries, np.int32), np.empty(entries, kind), np.empty(n, kind))
    copy_row(n, new, rows, matrix)
    return PermutedRows(*map(read_only, new))
