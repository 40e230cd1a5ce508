"""Operations on blocks of vectors, the columns of (n, k) arrays, bit for bit the same for any number of threads.

**Inner products** of all pairs of columns: first blocks of 1024 rows, in the order of the rows, then the blocks,
pairwise. Threads share the blocks without an effect on the result.

**Combinations** of columns, and products with a sparse matrix: each row in a fixed order.

Arrays are float64 in C order. A result must not be one of the inputs. Cost: one pass over the arrays. Work memory:
8 k l bytes per block of an inner product of k and l columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.runtime import Float64s, Float64Table, Rows, chunk_bounds, hash32, kernel, worker_count

Block = npt.NDArray[np.float64]

ROWS = 1024


@kernel(by="workers")
def multiply_blocks(worker, workers, x: Float64Table, y: Float64Table, sums: Float64Table):
    """Compute the inner products of the columns of x and y for each block of rows; pair (a, b) is a * width + b."""
    width = y.shape[1]
    first, end = chunk_bounds(sums.shape[0], worker, workers)
    for block in range(first, end):
        for pair in range(sums.shape[1]):
            sums[block, pair] = 0.0
        for i in range(block * ROWS, min(x.shape[0], (block + 1) * ROWS)):
            for a in range(x.shape[1]):
                for b in range(width):
                    sums[block, a * width + b] += x[i, a] * y[i, b]


@kernel
def combine_row(i, x: Float64Table, factors: Float64Table, out: Float64Table):
    """Set out = x @ factors."""
    for b in range(out.shape[1]):
        out[i, b] = 0.0
    for a in range(x.shape[1]):
        for b in range(out.shape[1]):
            out[i, b] += x[i, a] * factors[a, b]


@kernel(by="edges")
def multiply_row(i, rows: Rows, data: Float64s, x: Float64Table, out: Float64Table):
    """Set out = A x."""
    for b in range(out.shape[1]):
        out[i, b] = 0.0
    for e in range(rows.indptr[i], rows.indptr[i + 1]):
        value = data[e]
        for b in range(out.shape[1]):
            out[i, b] += value * x[rows.indices[e], b]


@kernel
def fill_random(i, seed: int, out: Float64s):
    """Fill a vector with hashes between -1/2 and 1/2."""
    out[i] = hash32(seed + hash32(i)) * 2.0**-32 - 0.5


def gram(x: Block, y: Block) -> Block:
    """Return the inner products of the columns of x with those of y."""
    sums = np.empty((max(-(-x.shape[0] // ROWS), 1), x.shape[1] * y.shape[1]))
    multiply_blocks(worker_count("cpu", x.size * y.shape[1]), x, y, sums)
    while len(sums) > 1:  # pairwise
        half = len(sums) // 2
        sums = np.concatenate([sums[:half] + sums[half : 2 * half], sums[2 * half :]])
    result: Block = sums[0].reshape(x.shape[1], y.shape[1])
    return result


def combine(x: Block, factors: Any) -> Block:
    """Return x @ factors."""
    out = np.empty((x.shape[0], factors.shape[1]))
    combine_row(x.shape[0], x, np.ascontiguousarray(factors), out)
    return out


def multiply_columns(A: Any, x: Block) -> Block:
    """Return A @ x for a csr_array."""
    out = np.empty((A.shape[0], x.shape[1]))
    multiply_row(A.shape[0], Rows(A.indptr, A.indices), A.data, x, out)
    return out


def random_columns(n: int, columns: int, seed: int) -> Block:
    """Return columns of hashes between -1/2 and 1/2."""
    out, column = np.empty((n, columns)), np.empty(n)
    for j in range(columns):
        fill_random(n, hash32(seed + j + 1), column)
        out[:, j] = column
    return out
