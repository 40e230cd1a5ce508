"""Products of sparse matrices (SpGEMM): first the pattern, then the values, and these again when only values change.

How patterns of products are found: patterns.py. Here they are those of nodes. Where nodes have several unknowns,
the entries of the right factor and of the result are blocks, whose rows go through memory together; the left factor is
a CSR matrix of unknowns. Each value is summed in the order of the left row's entries: the same bits for any number of
threads.

Cost: a step for each pair of entries that meet, once for the pattern and once for the values. Work memory: four bytes a
column and worker.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ... import patterns
from ...csr.arrays import read_only
from ...host_memory import room_for_entries
from ...parallel import kernel, prefetch, worker_count
from ...patterns import Pattern, Span, alike, share_of_span, steps_of_rows
from .spmv import MatrixRows

_AHEAD_BY = 12  # prefetch distance, in rows of the right factor: a third less time on large grids
_STEP = 1 << 22  # entries of the left factor per kernel call: bounds the latency of Ctrl-C

_COARSER_LEVEL = "a coarser level; damping=0 makes levels sparser, aggregate='mis2_basic' smaller, max_levels= fewer"

product_pattern = partial(patterns.product_pattern, purpose=_COARSER_LEVEL)
with_diagonal = partial(patterns.with_diagonal, purpose=_COARSER_LEVEL)


class Blocks(NamedTuple):
    """The sizes of the blocks of a product."""

    height: int  # rows of a block of the left factor and of the product
    width: int  # rows of a block of the right factor
    columns: int  # of a block of the right factor and of the product


@kernel(by="workers")
def multiply_rows(worker, workers, span: Span, left: MatrixRows, right: MatrixRows, places, product: MatrixRows):
    """The values of a span of rows, for one unknown a node."""
    last = left.indices.size - 1
    start, end = share_of_span(left.indptr, span, worker, workers)
    for u in range(start, end):
        # Where the row of the product has each of its columns.
        for g in range(product.indptr[u], product.indptr[u + 1]):
            places[worker, product.indices[g]] = g
            product.data[g] = 0.0

        # Add up the rows of the right factor.
        for e in range(left.indptr[u], left.indptr[u + 1]):
            k = left.indices[e]
            factor = left.data[e]
            ahead = right.indptr[left.indices[min(e + _AHEAD_BY, last)]]
            prefetch(right.indices, ahead)
            prefetch(right.data, ahead)
            prefetch(right.data, ahead + 8)
            for f in range(right.indptr[k], right.indptr[k + 1]):
                product.data[places[worker, right.indices[f]]] += factor * right.data[f]


@kernel(by="workers")
def multiply_blocks(
    worker, workers, span: Span, left: MatrixRows, right: MatrixRows, places, product: MatrixRows, blocks: Blocks
):
    """The values of a span of rows of nodes."""
    height, width, columns = blocks.height, blocks.width, blocks.columns
    start, end = share_of_span(product.indptr, span, worker, workers)
    for u in range(start, end):
        # Which block of the product's row has each of its columns.
        first = product.indptr[u]
        length = product.indptr[u + 1] - first
        for block in range(length):
            places[worker, product.indices[first + block]] = block

        # Each row of unknowns is that row of `length` blocks; add up rows of blocks of the right factor.
        for s in range(height):
            row_start = (first * height + s * length) * columns
            for g in range(row_start, row_start + length * columns):
                product.data[g] = 0.0
            for e in range(left.indptr[u * height + s], left.indptr[u * height + s + 1]):
                factor = left.data[e]
                row = left.indices[e]
                node = row // width
                right_start = right.indptr[node]
                right_length = right.indptr[node + 1] - right_start
                source = (right_start * width + (row - node * width) * right_length) * columns
                for block in range(right_length):
                    to = row_start + places[worker, right.indices[right_start + block]] * columns
                    for c in range(columns):
                        product.data[to + c] += factor * right.data[source + c]
                    source += columns


def product_values(left: Any, right: Pattern, right_data: Any, pattern: Pattern, count: int, blocks: Blocks) -> Any:
    """The values of a product in its pattern.

    Parameters
    ----------
    left : csr_array
    right : Pattern
        Of nodes; `right_data` are the values of its blocks.
    pattern : Pattern
        Of the product, on nodes, in any order.
    count : int
        Columns of nodes.
    blocks : Blocks

    Returns
    -------
    float64 array
        The values of the product's rows, one after the other.
    """
    workers = worker_count("cpu", int(left.indices.size))
    left_rows, right_rows, rows = alike(left, right, pattern)
    data = room_for_entries(int(pattern.indices.size) * blocks.height * blocks.columns, np.float64, _COARSER_LEVEL)
    places = np.empty((workers, count), np.int32)
    factors = MatrixRows(*left_rows, read_only(left.data)), MatrixRows(*right_rows, read_only(right_data))
    product = MatrixRows(*rows, data)
    for span in steps_of_rows(left_rows.indptr[:: blocks.height], 0, _STEP):
        if blocks == (1, 1, 1):
            multiply_rows(workers, span, *factors, places, product)
        else:
            multiply_blocks(workers, span, *factors, places, product, blocks)
    return data
