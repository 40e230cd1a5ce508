"""Spectral embeddings: null space, preconditioner and start of the eigenvalue solver for the Laplacian of a graph.

Result: eigenvalues and B-orthonormal eigenvectors of L x = lambda B x without the constant vector, in ascending order;
B = D (normalized) or the identity. The same bits for any number of threads.

Rule: the null space of L contains the vectors that are constant on each component. For c components, the first c - 1
results are contrasts of eigenvalue 0: component j against all components before it. The other vectors are B-orthogonal
to all of these. The largest entry of each vector is positive (the first one, if several are equal up to 1e-6).
In the code: `contrasts` and `with_fixed_signs`.

Idea: LOBPCG (lobpcg.py) with an approximate inverse of L + s B as preconditioner. If a symbolic factorization counts
less work than cycles would need (road networks, small meshes), the matrix is factored; s is then 1e-9 times the mean
ratio of both diagonals. Otherwise it is one V-cycle of multigrid, with 1e-6. Hubs would make coarse levels dense; the
diagonal is then used, as such graphs have a large spectral gap. Small graphs are solved as a dense problem.

Cost: that of LOBPCG, and one setup. Work memory: that of LOBPCG and of the hierarchy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ..solvers.api import smoothed_aggregation
from ..solvers.candidates import MAX_MULTIPLICATIONS, PER_ENTRY, SETUP, unit_of, work_of_cycle, work_of_factors
from ..solvers.coarsest import SparseSolver
from .block_vectors import Block, gram, random_columns
from .laplacian import Laplacian
from .lobpcg import Eigenpairs, smallest_eigenvectors

_DENSE = 100  # maximum number of vertices of a dense problem
_SHIFT, _FACTOR_SHIFT = 1e-6, 1e-9
_CYCLES, _FACTOR_SOLUTIONS = 15, 8  # typical numbers of iterations with multigrid, and with factors
_MAX_COMPLEXITY = 3.0
_EQUAL = 1e-6


def eigenpairs(laplacian: Laplacian, k: int, *, normalized: bool, tol: float, maxiter: int, seed: int) -> Eigenpairs:
    """Return the k smallest eigenpairs of a Laplacian after the constant vector; k is less than the vertices."""
    n, count = laplacian.degrees.size, laplacian.num_components
    B = np.where(laplacian.degrees > 0, laplacian.degrees, 1.0) if normalized else np.ones(n)
    trivial = contrasts(laplacian, B, min(k, count - 1))
    remaining = k - trivial.shape[1]
    values, iterations, residuals = np.zeros(k), 0, np.zeros(k)
    if remaining == 0:
        vectors = trivial
    else:
        extra = min(max(2, remaining // 4), n - count - remaining)
        if n <= max(_DENSE, 4 * (remaining + extra) + count):
            values[k - remaining :], others = _dense(laplacian, B, remaining)
        else:
            result = smallest_eigenvectors(
                laplacian.matrix,
                B,
                random_columns(n, remaining + extra, seed),
                remaining,
                _preconditioner(laplacian, B, remaining + extra),
                _projection(laplacian, B),
                tol=tol,
                maxiter=maxiter,
            )
            values[k - remaining :], others = result.values, result.vectors
            residuals[k - remaining :], iterations = result.residuals, result.iterations
        vectors = np.hstack([trivial, others])
    return Eigenpairs(values, with_fixed_signs(vectors), iterations, residuals)


def contrasts(laplacian: Laplacian, B: Any, count: int) -> Block:
    """Return B-orthonormal vectors for the first components: component j + 1 against all components before it."""
    weights = np.bincount(laplacian.labels, B, laplacian.num_components)
    columns = np.zeros((laplacian.num_components, count))
    before = weights.cumsum()
    for j in range(count):
        columns[: j + 1, j] = -1 / before[j]
        columns[j + 1, j] = 1 / weights[j + 1]
        columns[:, j] /= np.sqrt(1 / before[j] + 1 / weights[j + 1])
    return np.ascontiguousarray(columns[laplacian.labels])


def with_fixed_signs(vectors: Block) -> Block:
    """Return the vectors with the sign by which the first of their largest entries is positive."""
    if not vectors.size:
        return vectors
    sizes = np.abs(vectors)
    places = (sizes >= (1 - _EQUAL) * sizes.max(axis=0)).argmax(axis=0)
    return vectors * np.where(vectors[places, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def _projection(laplacian: Laplacian, B: Any) -> Callable[[Block], Block]:
    """Return the B-orthogonal projection on the vectors whose mean is zero on each component."""
    labels, count = laplacian.labels, laplacian.num_components
    weights = np.bincount(labels, B, count)

    def project(X: Block) -> Block:
        for _ in range(2):  # the second time removes the rounding errors of the first
            if count == 1:
                X = X - gram(B[:, None], X) / weights
            else:
                means = np.stack([np.bincount(labels, B * x, count) / weights for x in X.T], axis=1)
                X = X - means[labels]
        return X

    return project


def _preconditioner(laplacian: Laplacian, B: Any, columns: int) -> Callable[[Block], Block]:
    """Return an approximate inverse of the Laplacian: factors, a V-cycle per column, or the diagonal."""
    diagonal = np.where(laplacian.degrees > 0, laplacian.degrees, 1.0)
    scale = float(diagonal.mean() / B.mean())
    if _factors_are_cheap(laplacian.matrix, columns):
        factors = SparseSolver(_shifted(laplacian, _FACTOR_SHIFT * scale * B))
        return lambda R: _by_columns(factors.solve, R)
    try:
        hierarchy = smoothed_aggregation(_shifted(laplacian, _SHIFT * scale * B))
        is_dense = hierarchy.operator_complexity > _MAX_COMPLEXITY
    except MemoryError:
        is_dense = True
    if is_dense:
        return lambda R: R / diagonal[:, None]
    return lambda R: _by_columns(lambda r, z: hierarchy._precondition("V", r, z), R)


def _shifted(laplacian: Laplacian, diagonal: Any) -> Any:
    return sp.csr_array(laplacian.matrix + sp.diags_array(diagonal, format="csr"))


def _factors_are_cheap(L: Any, columns: int) -> bool:
    """Return whether the factorization and its solutions are less work than the cycles that they replace."""
    unit = unit_of(L)
    limit = min((SETUP + _CYCLES * columns * work_of_cycle(unit)) * unit, MAX_MULTIPLICATIONS)
    solutions = _FACTOR_SOLUTIONS * columns * 4  # multiplications per entry of a factor
    once, entries = work_of_factors(L, limit, PER_ENTRY + solutions)
    return bool(once + solutions * entries < limit)


def _by_columns(solve: Callable[[Any, Any], None], R: Block) -> Block:
    """Apply a solver to each column."""
    Z = np.empty(R.shape[::-1])
    for r, z in zip(R.T, Z, strict=True):
        solve(np.ascontiguousarray(r), z)
    return np.ascontiguousarray(Z.T)


def _dense(laplacian: Laplacian, B: Any, count: int) -> tuple[Any, Block]:
    """Return the eigenpairs after the null space by LAPACK."""
    scale = 1 / np.sqrt(B)
    values, Q = scipy.linalg.eigh(scale[:, None] * laplacian.matrix.toarray() * scale)
    chosen = slice(laplacian.num_components, laplacian.num_components + count)
    return values[chosen], np.ascontiguousarray(scale[:, None] * Q[:, chosen])
