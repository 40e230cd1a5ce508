"""The spectral radius of D^-1 A, which determines the damping of smoothers and Chebyshev's interval.

The method is a few steps of Lanczos, from a start vector of hashes. D^-1 A is symmetric in the inner product of D, so
no square roots of D are needed. The largest Ritz value is a little too small, never too large: after ten steps by 1 to
6 % on grids, elasticity and their coarser levels (after fifteen steps by 1 to 3 %, in one and a half times the time).
For an unsymmetric matrix or a diagonal of both signs, the theory does not hold. The result is then Gershgorin's bound,
the largest sum of a row's absolute values: up to twice as large, never too small. The second step detects an
unsymmetric matrix for any start vector: two inner products differ that symmetry would make equal.

A step passes over the matrix once and then over the vectors once. Each pass also computes the next inner product, in
blocks of 4096 rows, so the result is bit for bit the same for any number of threads. The vectors are not normalized,
but scaled when they are used. Work memory: three vectors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy

from ..._core.runtime import Float64s, Numbers, Offsets, hash32, kernel, with_gpu_form
from ..._core.runtime.primitives import extent
from .cuda import spectral as spectral_cuda
from .vectors import BLOCK, MatrixRows, Vector, blocks_of, row_times, rows_of

STEPS = 10
ASYMMETRY = 1e-6  # relative to the bound; rounding errors are far smaller
NOTHING = 1e-10


class Lanczos(NamedTuple):
    """The state of Lanczos' method: three unnormalized vectors of its recurrence, and the weights of inner products."""

    inverse: Numbers  # (n,): the inverse diagonal D^-1
    v: Numbers  # (n,): the current vector
    old: Numbers  # (n,): the previous vector, which the next one overwrites
    u: Numbers  # (n,): D^-1 A v


@kernel(by="edges", constants="1,1 2,2 3,3 6,6")
def bound_row(row, rows: MatrixRows, inverse: Numbers, bounds: Float64s):
    """Compute the inverse diagonal entries and the bounds of a row of blocks; both are 0 if the diagonal is 0."""
    for i in range(row * rows.height, (row + 1) * rows.height):
        diagonal = 0.0
        total = 0.0
        for e in range(rows.indptr[row], rows.indptr[row + 1]):
            start = (e * rows.height + i - row * rows.height) * rows.width
            for c in range(rows.width):
                total += abs(rows.data[start + c])
                if rows.indices[e] * rows.width + c == i:
                    diagonal += rows.data[start + c]
        inverse[i] = 1.0 / diagonal if diagonal != 0.0 else 0.0
        bounds[i] = total / abs(diagonal) if diagonal != 0.0 else 0.0


@kernel(each=BLOCK)
def start_block(block, vectors: Lanczos, sums: Float64s):
    """Fill v with hashes between -1/2 and 1/2, but 0 where the diagonal is 0; sum their squares."""
    total = 0.0
    for i in range(block * BLOCK, min(vectors.v.size, (block + 1) * BLOCK)):
        vectors.v[i] = 0.0
        if vectors.inverse[i] != 0.0:
            x = hash32(i) * 2.0**-32 - 0.5
            vectors.v[i] = x
            total += x * x / abs(vectors.inverse[i])
    sums[block] = total


@kernel(by="edges", constants="1,1 2,2 3,3 6,6")
def apply_to_block(block, indptr: Offsets, rows: MatrixRows, scale: float, vectors: Lanczos, sums: Float64s):
    """Set u = D^-1 A v, where `scale` normalizes v, and compute the inner product of both.

    `indptr` is the approximate start of the rows of each block.
    """
    total = 0.0
    for i in range(block * BLOCK, min(vectors.v.size, (block + 1) * BLOCK)):
        product = scale * row_times(i, rows, vectors.v)
        vectors.u[i] = vectors.inverse[i] * product
        total += (scale * vectors.v[i].conjugate() * product).real
    sums[block] = total


@kernel(each=BLOCK)
def next_block(block, alpha: float, beta: float, vectors: Lanczos, sums: Float64s, crossed: Float64s):
    """Write the next vector, u - alpha v - beta old, to `old`; sum its squares, and the products of `old` and u."""
    total = 0.0
    cross = 0.0
    for i in range(block * BLOCK, min(vectors.v.size, (block + 1) * BLOCK)):
        if vectors.inverse[i] != 0.0:
            x = vectors.u[i] - alpha * vectors.v[i] - beta * vectors.old[i]
            weight = 1.0 / abs(vectors.inverse[i])
            cross += (weight * vectors.u[i] * vectors.old[i].conjugate()).real
            total += (weight * x.conjugate() * x).real
            vectors.old[i] = x
    sums[block] = total
    crossed[block] = cross


@with_gpu_form(spectral_cuda.inverse_diagonal)
def inverse_diagonal(A: Any) -> tuple[Vector, Any]:
    """Return the inverse of each diagonal entry (0 for 0), and Gershgorin's bound on the spectrum of D^-1 A.

    On a GPU the bound is a part of an array, which `spectral_radius` reads. Cost: one pass over the matrix.
    """
    inverse, bounds = np.empty(A.shape[0], A.data.dtype), np.empty(A.shape[0])
    bound_row(A.indptr.size - 1, rows_of(A), inverse, bounds)
    return inverse, float(extent(bounds)[1]) if bounds.size else 0.0


@with_gpu_form(spectral_cuda.lanczos)
def lanczos(A: Any, inverse: Vector, bound: float, steps: int) -> Iterator[tuple[float, float, float]]:
    """Run Lanczos' method for D^-1 A.

    Yield Gershgorin's bound, the minimum and the maximum of D^-1; then for each step the coefficient of v, how much two
    inner products differ that are equal for a symmetric matrix, and the norm of the next vector. The first of these
    steps has only a norm: that of the start vector, squared.
    """
    smallest, largest = map(float, extent(np.ascontiguousarray(inverse.real))) if bound else (0.0, 0.0)
    yield bound, smallest, largest
    n, rows = A.shape[0], rows_of(A)
    blocks = blocks_of(n)
    starts = rows.indptr[np.minimum(np.arange(blocks + 1) * BLOCK // rows.height, rows.indptr.size - 1)]
    kind = A.data.dtype
    vectors = Lanczos(inverse, v=np.empty(n, kind), old=np.zeros(n, kind), u=np.empty(n, kind))
    sums, crossed = np.empty(blocks), np.empty(blocks)
    start_block(blocks, vectors, sums)
    squares = float(sums.sum())
    yield 0.0, 0.0, squares
    sign = -1.0 if smallest < 0.0 else 1.0  # the inner product uses the absolute values
    beta, scale, last_scale = 0.0, 1.0 / math.sqrt(squares), 0.0
    for _ in range(steps):
        apply_to_block(blocks, starts, rows, scale, vectors, sums)
        alpha = sign * float(sums.sum())
        next_block(blocks, alpha * scale, beta * last_scale, vectors, sums, crossed)
        gap = abs(float(crossed.sum()) * last_scale - beta)
        vectors = vectors._replace(v=vectors.old, old=vectors.v)
        beta = math.sqrt(sums.sum())
        yield alpha, gap, beta
        scale, last_scale = 1.0 / beta, scale


def spectral_radius(A: Any, inverse: Vector, bound: Any, *, steps: int = STEPS) -> float:
    """Estimate the largest absolute eigenvalue of D^-1 A.

    Parameters
    ----------
    A : matrix (n, n)
    inverse : float64 (n,)
    bound : float
        The results of `inverse_diagonal`.
    steps : int
        The number of steps; each takes a product with A.

    Returns
    -------
    float
        Typically between half of the eigenvalue and the bound. 1.0 if the diagonal is empty, because callers divide by
        the result.
    """
    results = lanczos(A, inverse, bound, min(steps, A.shape[0]))
    gershgorin, smallest, largest = next(results)
    if gershgorin == 0.0:
        return 1.0
    if inverse.dtype.kind == "c" and bool((np.abs(inverse.imag) > ASYMMETRY * np.abs(inverse.real)).any()):
        return gershgorin  # the diagonal is not real
    if smallest < 0.0 < largest or not 0.0 < next(results)[2] < math.inf:  # both signs; underflow or overflow
        return gershgorin
    alphas: list[float] = []
    betas: list[float] = []  # betas[j] is between vectors j and j + 1
    for alpha, gap, beta in results:
        if gap > ASYMMETRY * gershgorin:
            return gershgorin
        alphas.append(alpha)
        betas.append(beta)
        if beta <= NOTHING * gershgorin:  # the vectors so far span an invariant subspace
            break
    values = scipy.linalg.eigvalsh_tridiagonal(np.array(alphas), np.array(betas[:-1]))
    return min(float(np.abs(values).max()), gershgorin)
