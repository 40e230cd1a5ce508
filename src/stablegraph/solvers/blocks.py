"""Sparse matrices whose entries are dense blocks: where values lie, in a pattern of nodes.

A pattern is that of *nodes*: where several unknowns belong to a point of a mesh they share a row and a column, an entry
stands for a dense block, and patterns are short. A matrix keeps its blocks as CSR does, one row of unknowns after the
other: the block at place p of a node's row, which is `length` blocks long, has its row s at s * length + p.

Their products and transposes: patterns.py, above this folder.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..parallel import at, kernel
from ..patterns import Pattern, alike, row_pointers
from ..rows import read_only


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
