"""Products of sparse matrices (SpGEMM): first the pattern, then the values, and these again when only values change.

How patterns of products are found: patterns.py. Here they are those of nodes: where nodes have several unknowns,
entries are small dense blocks, whose products are unrolled by the compiler. Each value is summed in the order of the
left row's entries: the same bits for any number of threads, and with blocks or without.

Cost: a step for each pair of entries that meet, once for the pattern and once for the values. Work memory: four bytes a
column and worker.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.csr import patterns
from ..._core.csr.arrays import Pattern, alike, read_only
from ..._core.csr.patterns import Span, share_of_span, steps_of_rows
from ..._core.memory import allocate_or_raise
from ..._core.runtime import kernel, prefetch, rule, worker_count
from ..._core.runtime.short_vectors import add_scaled
from .spmv import MatrixRows, block_sizes, with_values

_AHEAD_BY = 12  # prefetch distance, in rows of the right factor: a third less time on large grids
_STEP = 1 << 22  # values of the left factor per kernel call: bounds the latency of Ctrl-C

_COARSER_LEVEL = "a coarser level; damping=0 makes levels sparser, aggregate='mis2_basic' smaller, max_levels= fewer"

product_pattern = partial(patterns.product_pattern, purpose=_COARSER_LEVEL)
with_diagonal = partial(patterns.with_diagonal, purpose=_COARSER_LEVEL)


@rule
def add_block(factors, right, product, a, b, p):
    """Add block a of the left factor times block b of the right one to block p of the product."""
    height, width, columns = factors.height, factors.width, right.width
    for s in range(height):
        for t in range(width):
            factor = factors.data[(a * height + s) * width + t]
            add_scaled(product, (p * height + s) * columns, factor, right.data, (b * width + t) * columns, columns)


@kernel(
    by="workers",
    types="int int O[] V[] T[] int int O[] V[] T[] int int int32[,] O[] V[] T[] int int",
    constants="1,1,1,1,1,1 1,1,1,3,1,3 2,2,2,2,2,2 3,1,1,3,3,3 3,3,3,3,3,3 3,3,3,6,3,6 6,3,3,6,6,6 6,6,6,6,6,6",
    T="float64 complex128",
)
def multiply_rows(worker, workers, span: Span, left: MatrixRows, right: MatrixRows, places, product: MatrixRows):
    """The values of a span of rows of blocks."""
    last = left.indices.size - 1
    size = product.height * product.width
    start, end = share_of_span(left.indptr, span, worker, workers)
    for u in range(start, end):
        # Where the row of the product has each of its columns.
        first = product.indptr[u]
        for g in range(first, product.indptr[u + 1]):
            places[worker, product.indices[g]] = g - first
        for g in range(first * size, product.indptr[u + 1] * size):
            product.data[g] = 0.0

        # Add up the rows of the right factor.
        for e in range(left.indptr[u], left.indptr[u + 1]):
            k = left.indices[e]
            ahead = right.indptr[left.indices[min(e + _AHEAD_BY, last)]]
            prefetch(right.indices, ahead)
            prefetch(right.data, ahead * right.height * right.width)
            prefetch(right.data, ahead * right.height * right.width + 8)
            for f in range(right.indptr[k], right.indptr[k + 1]):
                add_block(left, right, product.data, e, f, first + places[worker, right.indices[f]])


def product_values(left: Any, right: Any, pattern: Pattern) -> Any:
    """The values of a product in its pattern.

    Parameters
    ----------
    left, right : csr_array or bsr_array
    pattern : Pattern
        Of the product, on nodes, in any order.

    Returns
    -------
    float64 array
        The values of the product's blocks, one after the other.
    """
    (height, width), columns = block_sizes(left), block_sizes(right)[1]
    workers = worker_count("cpu", left.data.size)
    data = allocate_or_raise(int(pattern.indices.size) * height * columns, left.data.dtype, _COARSER_LEVEL)
    places = np.empty((workers, right.shape[1] // columns), np.int32)
    left_rows, right_rows, rows = alike(left, right, pattern)
    factors = (
        with_values(left_rows, read_only(left.data), height, width),
        with_values(right_rows, read_only(right.data), width, columns),
    )
    product = with_values(rows, data, height, columns)
    for span in steps_of_rows(left_rows.indptr, 0, _STEP // (height * width)):
        multiply_rows(workers, span, *factors, places, product)
    return data
