"""Products of sparse matrices: first the pattern, then the values, and these again when only values change.

How patterns of products are found: patterns.py. Here they are those of nodes. Where nodes have several unknowns,
the entries of the right factor and of the result are blocks, whose rows go through memory together; the left factor is
a CSR matrix of unknowns. Each value is summed in the order of the left row's entries: the same bits for any number of
threads.

Cost: a step for each pair of entries that meet, once for the pattern and once for the values. Work memory: four bytes a
column and worker.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .. import patterns
from ..host_memory import room_for_entries
from ..parallel import at, edge_split, kernel, prefetch, worker_count
from ..patterns import Pattern, alike, steps_of_rows
from ..rows import read_only

_AHEAD = 12  # rows of the right factor that are asked for before they are needed: a third less time on large grids
_STEP = 1 << 22  # entries of the left factor between two looks for Ctrl-C

_COARSER_LEVEL = "a coarser level; damping=0 makes levels sparser, aggregate='mis2-basic' smaller, max_levels= fewer"

product_pattern = partial(patterns.product_pattern, purpose=_COARSER_LEVEL)


@kernel(by="workers")
def multiply_rows(
    worker,
    workers,
    first,
    beyond,
    left_indptr,
    left_indices,
    left_data,
    right_indptr,
    right_indices,
    right_data,
    places,
    indptr,
    indices,
    data,
):
    """The values of some rows, for one unknown a node."""
    n = beyond - first
    own = left_indptr[first:]
    last = left_indices.size - 1
    for u in range(first + edge_split(own, n, worker, workers), first + edge_split(own, n, worker + 1, workers)):
        for g in range(indptr[at(u)], indptr[at(u + 1)]):
            places[worker, at(indices[at(g)])] = g
            data[at(g)] = 0.0
        for e in range(left_indptr[at(u)], left_indptr[at(u + 1)]):
            k = left_indices[at(e)]
            factor = left_data[at(e)]
            ahead = right_indptr[at(left_indices[at(min(e + _AHEAD, last))])]
            prefetch(right_indices, ahead)
            prefetch(right_data, ahead)
            prefetch(right_data, ahead + 8)
            for f in range(right_indptr[at(k)], right_indptr[at(k + 1)]):
                data[at(places[worker, at(right_indices[at(f)])])] += factor * right_data[at(f)]


@kernel(by="workers")
def multiply_blocks(
    worker,
    workers,
    first,
    beyond,
    left_indptr,
    left_indices,
    left_data,
    right_indptr,
    right_indices,
    right_data,
    places,
    indptr,
    indices,
    data,
    height,
    width,
    columns,
):
    """The values of some rows of nodes, of `height` rows each; blocks of the right factor have `width` rows."""
    n = beyond - first
    own = indptr[first:]
    for u in range(first + edge_split(own, n, worker, workers), first + edge_split(own, n, worker + 1, workers)):
        start = int(indptr[at(u)])
        length = int(indptr[at(u + 1)]) - start
        for block in range(length):
            places[worker, at(indices[at(start + block)])] = block
        for s in range(height):
            begin = (start * height + s * length) * columns
            for g in range(begin, begin + length * columns):
                data[at(g)] = 0.0
            for e in range(left_indptr[at(u * height + s)], left_indptr[at(u * height + s + 1)]):
                factor = left_data[at(e)]
                row = int(left_indices[at(e)])
                node = row // width
                right_start = int(right_indptr[at(node)])
                right_length = int(right_indptr[at(node + 1)]) - right_start
                source = (right_start * width + (row - node * width) * right_length) * columns
                for block in range(right_length):
                    to = begin + int(places[worker, at(right_indices[at(right_start + block)])]) * columns
                    for c in range(columns):
                        data[at(to + c)] += factor * right_data[at(source + c)]
                    source += columns


def product_values(
    left: Any, right: Pattern, right_data: Any, pattern: Pattern, count: int, height: int, width: int, columns: int
) -> Any:
    """The values of a product in its pattern.

    Parameters
    ----------
    left : csr_array
    right : Pattern
        Of nodes. Its blocks have `width` rows and `columns` columns; `right_data` are their values.
    pattern : Pattern
        Of the product, on nodes, in any order. Its blocks have `height` rows and `columns` columns.
    count : int
        Columns of nodes.

    Returns
    -------
    float64 array
        The values of the product's rows, one after the other.
    """
    workers = worker_count("cpu", int(left.indices.size))
    own, other, result = alike(left, right, pattern)
    data = room_for_entries(int(pattern.indices.size) * height * columns, np.float64, _COARSER_LEVEL)
    places = np.empty((workers, count), np.int32)
    arrays = *own, read_only(left.data), *other, read_only(right_data), places, *result, data
    for first, beyond in steps_of_rows(own[0][::height], 0, _STEP):
        if height == width == columns == 1:
            multiply_rows(workers, first, beyond, *arrays)
        else:
            multiply_blocks(workers, first, beyond, *arrays, height, width, columns)
    return data
