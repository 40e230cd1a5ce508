"""Block CSR: sparse matrices whose entries are dense blocks, in a pattern of nodes.

A pattern is that of *nodes*: where several unknowns belong to a point of a mesh they share a row and a column, an entry
stands for a dense block, and patterns are short. A matrix keeps its blocks as CSR does, one row of unknowns after the
other: the block at place p of a node's row, which is `length` blocks long, has its row s at s * length + p.

Their products are in spgemm.py; products and transposes of patterns in patterns.py, above this folder.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ...csr.arrays import read_only
from ...parallel import kernel
from ...parallel.groups import Rows
from ...patterns import Pattern, alike, row_pointers


@kernel
def gather_entries(entry, places, data, values):
    """The value of an entry of the transpose."""
    values[entry] = data[places[entry]]


@kernel(by="edges")
def gather_blocks(node, rows: Rows, places, source_indptr, height, width, data, values):
    """Fetch the blocks of a node's row from their transposes, whose rows have `height` entries."""
    start = rows.indptr[node]
    length = rows.indptr[node + 1] - start
    for block in range(length):
        other = rows.indices[start + block]
        source_start = source_indptr[other]
        source_length = source_indptr[other + 1] - source_start
        place = places[start + block] - source_start
        for s in range(height):
            for c in range(width):
                value = data[(source_start * width + c * source_length + place) * height + s]
                values[(start * height + s * length + block) * width + c] = value


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
        rows, source_rows = alike(pattern, source)
        places, data = read_only(places), read_only(data)
        gather_blocks(pattern.rows, rows, places, source_rows.indptr, height, width, data, values)
    return values


@kernel(by="edges")
def write_blocks(node, rows: Rows, new_indptr, height, width, new_indices):
    """The columns of every unknown of a node."""
    for row in range(node * height, (node + 1) * height):
        place = new_indptr[row]
        for e in range(rows.indptr[node], rows.indptr[node + 1]):
            for c in range(width):
                new_indices[place] = rows.indices[e] * width + c
                place += 1


def matrix(pattern: Pattern, data: Any, height: int, width: int, columns: int) -> sp.csr_array:
    """The CSR matrix with these values: blocks of `height` rows and `width` columns, so many columns of nodes."""
    if height != 1 or width != 1:
        nodes = pattern
        indptr = row_pointers(np.repeat(np.diff(nodes.indptr) * np.int64(width), height))
        pattern = Pattern(indptr, np.empty(int(indptr[-1]), np.int32))
        rows, new_rows = alike(nodes, pattern)
        write_blocks(nodes.rows, rows, new_rows.indptr, height, width, pattern.indices)
    result = sp.csr_array((pattern.rows, columns * width))
    result.data, result.indices, result.indptr = (
        data,
        pattern.indices,
        pattern.indptr,
    )  # not checked again
    return result
