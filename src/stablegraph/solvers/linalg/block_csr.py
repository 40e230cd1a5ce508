"""Block matrices (BSR), sparse matrices whose entries are dense blocks, and their products (SpGEMM).

A pattern is a pattern of *nodes*: if a point of a mesh has several unknowns, they share a row and a column, and each
entry is a dense block. Patterns are therefore short. Blocks are stored one after another, each row by row, as in
SciPy's `bsr_array`. With blocks of 1 x 1 the format is CSR, and the class is SciPy's `csr_array`.

A product is computed in one phase, with its pattern, in the way of _core/csr/patterns.py; or, if its pattern is already
known, only its values. The compiler unrolls products of blocks. Each value is summed in the order of the left row's
entries, so the bits are the same for any number of threads, with and without blocks, and in both ways.

Cost of a product: one step per pair of matching entries. Work memory: four bytes per column and worker, and 3 MiB per
worker if the pattern is not known.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..._core.csr import patterns
from ..._core.csr.arrays import Pattern, alike, index_type
from ..._core.csr.patterns import (
    Buffers,
    Found,
    Span,
    copy_sorted,
    count_below,
    end_row,
    fits,
    found_rows,
    is_short,
    room_for,
    row_pointers,
    share_of_span,
    steps_of_rows,
    with_room,
)
from ..._core.memory import allocate_or_raise
from ..._core.runtime import (
    Constant,
    array_module,
    kernel,
    lower_bound,
    place_of,
    prefetch,
    rule,
    with_gpu_form,
    worker_count,
)
from ..._core.runtime.arithmetic import add_scaled
from ..._core.runtime.array_types import Integers, Numbers, Offsets
from ..._core.runtime.arrays import count_up
from ..cuda import checked_matrix as checked_matrix_cuda
from ..cuda import coarse_level as coarse_level_cuda
from .cuda import device_matrix
from .vectors import MatrixRows, block_sizes, with_values

_PREFETCH_DISTANCE = 12  # prefetch distance, in rows of the right factor: saves a third of the time on large grids
_VALUES_PER_CALL = 1 << 22  # values of the left factor per kernel call: bounds the latency of Ctrl-C

COARSER_LEVEL = "a coarser level; damping=0 makes levels sparser, aggregate='mis2_basic' smaller, max_levels= fewer"

product_pattern = partial(patterns.product_pattern, purpose=COARSER_LEVEL)
with_diagonal = partial(patterns.with_diagonal, purpose=COARSER_LEVEL)


@rule
def add_block(factors, right, product, a, b, p):
    """Add block a of the left factor times block b of the right one to block p of the product's values."""
    height, width, columns = factors.height, factors.width, right.width
    for s in range(height):
        for t in range(width):
            factor = factors.data[(a * height + s) * width + t]
            add_scaled(product, (p * height + s) * columns, factor, right.data, (b * width + t) * columns, columns)


@rule
def prefetch_row(e, left, right):
    """Prefetch the beginning of the right factor's row for entry e of the left one."""
    start = right.indptr[left.indices[e]]
    prefetch(right.indices, start)
    prefetch(right.data, start * right.height * right.width)
    prefetch(right.data, start * right.height * right.width + 8)


@kernel(
    by="workers",
    types="int32[,]",
    constants="1,1,1,1,1,1 1,1,1,3,1,3 2,2,2,2,2,2 3,1,1,3,3,3 3,3,3,3,3,3 3,3,3,6,3,6 6,3,3,6,6,6 6,6,6,6,6,6",
)
def multiply_rows(worker, workers, span: Span, left: MatrixRows, right: MatrixRows, places, product: MatrixRows):
    """Compute the values of a span of rows of blocks."""
    last = left.indices.size - 1
    size = product.height * product.width
    start, end = share_of_span(left.indptr, span, worker, workers)
    for u in range(start, end):
        # Store the position of each column in the row of the product.
        first = product.indptr[u]
        for g in range(first, product.indptr[u + 1]):
            places[worker, product.indices[g]] = g - first
        for g in range(first * size, product.indptr[u + 1] * size):
            product.data[g] = 0.0

        # Add up the rows of the right factor.
        for e in range(left.indptr[u], left.indptr[u + 1]):
            k = left.indices[e]
            prefetch_row(min(e + _PREFETCH_DISTANCE, last), left, right)
            for f in range(right.indptr[k], right.indptr[k + 1]):
                add_block(left, right, product.data, e, f, first + places[worker, right.indices[f]])


@with_gpu_form(partial(device_matrix.product_values, purpose=COARSER_LEVEL))
def product_values(left: Any, right: Any, pattern: Pattern) -> Any:
    """Return the values of a product in its pattern.

    Parameters
    ----------
    left, right : csr_array or bsr_array
    pattern : Pattern
        The pattern of the product, on nodes, in any order.

    Returns
    -------
    float64 array
        The values of the product's blocks, one after another.
    """
    (height, width), columns = block_sizes(left), block_sizes(right)[1]
    workers = worker_count("cpu", left.data.size)
    data = allocate_or_raise(int(pattern.indices.size) * height * columns, left.data.dtype, COARSER_LEVEL)
    places = np.empty((workers, right.shape[1] // columns), np.int32)
    left_rows, right_rows, rows = alike(left, right, pattern)
    factors = (
        with_values(left_rows, left.data, height, width),
        with_values(right_rows, right.data, width, columns),
    )
    product = with_values(rows, data, height, columns)
    for span in steps_of_rows(left_rows.indptr, 0, _VALUES_PER_CALL // (height * width)):
        multiply_rows(workers, span, *factors, places, product)
    return data


class Blocks(NamedTuple):
    """The columns and the values of a product's blocks."""

    indices: Integers
    data: Numbers
    size: Constant  # values of a block


@kernel(by="workers", types="bool F[] I[]", constants="1,1,1,1 1,1,1,3 2,2,2,2 3,3,3,3 3,3,3,6 6,3,3,6 6,6,6,6")
def append_products(worker, workers, diagonal, left: MatrixRows, right: MatrixRows, buffers: Buffers, values, lengths):
    """Write rows with their values to this worker's buffers; see `append_rows`."""
    entries, places = buffers.entries, buffers.places
    size = left.height * right.width
    first = worker * entries.shape[1]  # block of this worker's values
    u = buffers.rows[worker]
    last = left.indices.size - 1
    place = 0
    while u < buffers.ends[worker] and fits(place, u, left, right, buffers):
        start = place
        for g in range(size):
            values[(first + place) * size + g] = 0.0
        if diagonal:
            entries[worker, place] = u
            place += 1
            places[worker, u] = place
            values[(first + place) * size] = 0.0
        for e in range(left.indptr[u], left.indptr[u + 1]):
            k = left.indices[e]
            prefetch_row(min(e + _PREFETCH_DISTANCE, last), left, right)
            for f in range(right.indptr[k], right.indptr[k + 1]):
                v = right.indices[f]
                known = places[worker, v]
                entries[worker, place] = v  # overwritten by the next column if it is not new
                if size == 1:  # the next value, without a branch that would be mispredicted
                    values[first + place + 1] = 0.0
                elif known == 0:
                    for g in range(size):
                        values[(first + place) * size + g] = 0.0
                block = known - 1 if known > 0 else place
                place += int(known == 0)
                places[worker, v] = block + 1
                add_block(left, right, values, e, f, first + block)
        end_row(worker, u, start, place, buffers, lengths)
        u += 1
    buffers.rows[worker] = u
    buffers.used[worker] = place


@rule
def copy_block(worker, p, buffers, values, place, product):
    """Copy block p of a worker's buffer to a place in the product."""
    entries, size = buffers.entries, product.size
    product.indices[place] = entries[worker, p]
    for g in range(size):
        product.data[place * size + g] = values[(worker * entries.shape[1] + p) * size + g]


@kernel(by="workers", types="bool F[] I[]", constants="1 3 4 9 18 36")
def write_products(worker, workers, ordered, buffers: Buffers, values, lengths, found: Found, product: Blocks):
    """Write this worker's rows with their values to their places, in ascending order if `ordered`."""
    entries, indices = buffers.entries, product.indices
    start, to = 0, found.starts[worker]
    for u in range(found.firsts[worker], buffers.rows[worker]):
        end = start + lengths[u]
        if not ordered:
            for p in range(start, end):
                copy_block(worker, p, buffers, values, to + p - start, product)
        elif is_short(end - start):
            for p in range(start, end):
                below = count_below(entries, worker, start, end, entries[worker, p])
                copy_block(worker, p, buffers, values, to + below, product)
        else:
            copy_sorted(entries, worker, start, end, indices, to)
            for p in range(start, end):
                place = lower_bound(indices, to, to + end - start, entries[worker, p])
                copy_block(worker, p, buffers, values, place, product)
        to += end - start
        start = end


@with_gpu_form(partial(device_matrix.product, purpose=COARSER_LEVEL))
def product(left: Any, right: Any, *, diagonal: bool = False, ordered: bool = True) -> tuple[Pattern, Any]:
    """Return the pattern of a product, and its values in this pattern.

    Parameters
    ----------
    left, right : csr_array or bsr_array
    diagonal : bool
        Whether the product has all diagonal entries.
    ordered : bool
        Whether its rows are ascending.
    """
    (height, width), columns = block_sizes(left), block_sizes(right)[1]
    size, count = height * columns, right.shape[1] // columns
    left_rows, right_rows = alike(left, right)
    kind, filled = index_type(count), 0
    factors = with_values(left_rows, left.data, height, width), with_values(right_rows, right.data, width, columns)
    lengths: Any = np.empty(left_rows.indptr.size - 1, kind)
    indices: Any = np.empty(0, kind)
    data: Any = np.empty(0, left.data.dtype)
    workers = worker_count("cpu", left.data.size)
    values = np.empty(workers * room_for(count, size) * size, data.dtype)

    def append(buffers: Buffers) -> None:
        append_products(workers, diagonal, *factors, buffers, values, lengths)

    for buffers, found, total, done in found_rows(left_rows, count, workers, size, append):
        indices = with_room(indices, filled, total, done, COARSER_LEVEL)
        data = with_room(data, filled * size, total * size, done, COARSER_LEVEL)
        write_products(workers, ordered, buffers, values, lengths, found, Blocks(indices, data, size))
        filled = total
    return Pattern(row_pointers(lengths), indices[:filled]), data[: filled * size]


_WORTH_BLOCKS = 0.5  # minimum fraction of the values of blocks that are entries of the CSR matrix


@kernel(by="edges", constants="1,1 2,2 3,1 3,3 6,3 6,6")
def transpose_blocks(row, rows: MatrixRows, places: Offsets, source: Numbers):
    """Copy the blocks of a row from their conjugate transposes."""
    for e in range(rows.indptr[row], rows.indptr[row + 1]):
        for s in range(rows.height):
            for c in range(rows.width):
                value = source[(places[e] * rows.width + c) * rows.height + s]
                rows.data[(e * rows.height + s) * rows.width + c] = value.conjugate()


@kernel(by="edges", constants="3,3,1,1")
def copy_entries(node, indptr: Offsets, blocks: MatrixRows, rows: MatrixRows):
    """Copy the entries of a node's rows to its blocks; `indptr` is that of `blocks`."""
    width = blocks.width
    for e in range(blocks.indptr[node] * width * width, blocks.indptr[node + 1] * width * width):
        blocks.data[e] = 0.0
    for s in range(width):
        place = blocks.indptr[node]
        for e in range(rows.indptr[node * width + s], rows.indptr[node * width + s + 1]):
            while blocks.indices[place] < rows.indices[e] // width:
                place += 1
            column = rows.indices[e] - blocks.indices[place] * width
            blocks.data[(place * width + s) * width + column] = rows.data[e]


@with_gpu_form(device_matrix.matrix)
def matrix(pattern: Pattern, data: Any, height: int, width: int, columns: int) -> Any:
    """Return the matrix with these values, in blocks of `height` x `width`, with `columns` columns of blocks."""
    shape = pattern.rows * height, columns * width
    has_blocks = (height, width) != (1, 1)
    result: Any = sp.bsr_array(shape, blocksize=(height, width)) if has_blocks else sp.csr_array(shape)
    data = data.reshape((-1, height, width) if has_blocks else -1)
    result.data, result.indices, result.indptr = data, pattern.indices, pattern.indptr  # avoids SciPy's checks
    return result


@with_gpu_form(coarse_level_cuda.transposed_values)
def transposed_values(pattern: Pattern, places: Any, source: Any, height: int, width: int) -> Any:
    """Return the values of a matrix in its pattern, given its conjugate transpose.

    Parameters
    ----------
    pattern : Pattern
        The pattern of the result, whose blocks have `height` rows and `width` columns.
    places : integer array
        The position in the transpose of each entry of the pattern.
    source : float64 array
        The values of the transpose.
    """
    values = np.empty(source.size, source.dtype)
    rows = with_values(pattern, values, height, width)
    transpose_blocks(pattern.rows, rows, places, source.reshape(-1))
    return values


def on_host(A: Any) -> Any:
    """Return a matrix in host memory, as a SciPy matrix."""
    return A.get() if isinstance(A, device_matrix.DeviceMatrix) else A


def pattern_of(A: Any) -> Pattern:
    """Return the pattern of the blocks of a matrix."""
    return Pattern(A.indptr, A.indices)


def node_pattern(A: Any, width: int) -> Pattern:
    """Return the pattern of a matrix on nodes of `width` unknowns: that of its blocks, or a new one for CSR rows.

    Cost: two passes over a CSR matrix; nothing for blocks.
    """
    if block_sizes(A)[0] == width:
        return pattern_of(A)
    rows = Pattern(array_module(place_of(A.data)).ascontiguousarray(A.indptr[::width]), A.indices)
    return product_pattern(rows, nodes_of_unknowns(rows, width), rows.rows)


def nodes_of_unknowns(nodes: Pattern, width: int) -> Pattern:
    """Return the pattern with a row for each unknown, which contains its node."""
    n, like = nodes.rows, nodes.indices
    numbers = np.repeat(count_up(like, n, np.int32), width)
    return Pattern(count_up(like, n * width + 1, nodes.indptr.dtype), numbers)


def entry_pattern(nodes: Pattern, width: int) -> Pattern:
    """Return the pattern of a matrix with all entries of the blocks of a pattern on nodes."""
    n, like = nodes.rows, nodes.indices
    unknowns_of_nodes = Pattern(count_up(like, n + 1, np.int32) * width, count_up(like, n * width, np.int32))
    rows = product_pattern(nodes_of_unknowns(nodes, width), nodes, n)
    return product_pattern(rows, unknowns_of_nodes, n * width)


@with_gpu_form(checked_matrix_cuda.block_values)
def block_values(A: Any, nodes: Pattern, width: int) -> Any:
    """Return the entries of a matrix in its blocks of `width` rows and columns, whose pattern is `nodes`."""
    data = allocate_or_raise(
        nodes.indices.size * width * width, A.data.dtype, "the blocks of A; block_size=1 does without"
    )
    rows, pattern = alike(A, nodes)
    blocks, entries = with_values(pattern, data, width, width), with_values(rows, A.data, 1, 1)
    copy_entries(nodes.rows, pattern.indptr, blocks, entries)
    return data


def in_blocks(A: Any, width: int) -> Any:
    """Return a matrix in blocks of `width` rows; unchanged if it has them, or if most of their values would be zeros.

    On a GPU, blocks are always made.
    """
    if block_sizes(A)[0] == width:
        return A
    nodes = node_pattern(A, width)
    on_gpu = isinstance(A, device_matrix.DeviceMatrix)
    if not on_gpu and A.nnz < _WORTH_BLOCKS * nodes.indices.size * width * width:
        return A
    return matrix(nodes, block_values(A, nodes, width), width, width, nodes.rows)
