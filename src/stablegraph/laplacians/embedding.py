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

Both methods have errors relative to the largest eigenvalue, since the diagonal of L contains rounded sums. If an
eigenvalue is so small that this matters, its quotient and residual are computed without the diagonal. If these differ,
the graph is solved by elimination.py or, with more vertices, divided into weakly joined parts (contraction.py).

Cost: that of LOBPCG, and one setup. Work memory: that of LOBPCG and of the hierarchy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ..solvers.api import smoothed_aggregation
from ..solvers.candidates import CYCLE, MAX_MULTIPLICATIONS, PER_ENTRY, SETUP, unit_of, work_of_factors
from ..solvers.coarsest import SparseSolver
from .block_vectors import Block, gram, random_columns
from .contraction import divide, levelled, quotients, residual_norms
from .elimination import MAX_VERTICES, smallest_pairs, smoothed
from .laplacian import LARGEST, SMALL_SPREAD, Laplacian
from .lobpcg import Eigenpairs, smallest_eigenvectors

_DENSE = 100  # maximum number of vertices of a dense problem
_SHIFT, _FACTOR_SHIFT = 1e-6, 1e-9
_CYCLES, _FACTOR_SOLUTIONS = 15, 8  # typical numbers of iterations with multigrid, and with factors
_MAX_COMPLEXITY = 3.0
_EQUAL = 1e-6
_SMALL = 1e-7  # an eigenvalue relative to the largest, for a check of rounding errors
_EPS = float(np.finfo(np.float64).eps)
_ROUGH = 0.01  # relative size of the rounding errors of entries that are computed again
_ACCURATE = 1e-8  # maximum relative error that is not reported


def eigenpairs(laplacian: Laplacian, k: int, *, normalized: bool, tol: float, maxiter: int, seed: int) -> Eigenpairs:
    """Return the k smallest eigenpairs of a Laplacian after the constant vector; k is less than the vertices."""
    exponent = laplacian.exponent
    degrees = np.where(laplacian.degrees > 0, laplacian.degrees, math.ldexp(1.0, -exponent))
    B = degrees if normalized else np.ones(degrees.size)
    trivial = contrasts(laplacian, B, min(k, laplacian.num_components - 1))
    count = trivial.shape[1]
    values, iterations, residuals, vectors = np.zeros(k), 0, np.zeros(k), trivial
    if count < k:
        result = _pairs(laplacian, B, k - count, tol, maxiter, seed)
        values[count:], residuals[count:], iterations = result.values, result.residuals, result.iterations
        vectors = np.hstack([trivial, result.vectors])
    if normalized:
        vectors = np.ldexp(vectors, -exponent // 2)
    else:
        values = np.ldexp(values, exponent)
    return Eigenpairs(values, with_fixed_signs(vectors), iterations, residuals)


def _pairs(laplacian: Laplacian, B: Any, k: int, tol: float, maxiter: int, seed: int) -> Eigenpairs:
    """Return the k smallest eigenpairs after the null space."""
    is_small, result = B.size <= MAX_VERTICES, None
    if laplacian.spread <= SMALL_SPREAD and not is_small:
        result = _divided(laplacian, B, k, tol, maxiter, seed)
        if result is not None and (result.residuals <= 1).all():
            return result
    if max(laplacian.degrees.max(), B.max()) < LARGEST**2:
        try:
            other = _iterated(laplacian, B, k, tol, maxiter, seed)
        except (np.linalg.LinAlgError, ValueError):  # of a factorization or a hierarchy
            if laplacian.spread > SMALL_SPREAD:
                raise
        else:
            if (other.values >= _SMALL * _largest_value(laplacian, B)).all() and (
                laplacian.spread > SMALL_SPREAD or _is_complete(laplacian, B, other.values)
            ):
                return other
            if not is_small:
                other = _with_hidden_errors(laplacian, B, other, tol)
                if result is None or other.residuals.max() < result.residuals.max():
                    return other
    if is_small:
        return _eliminated(laplacian, B, k, tol)
    if result is None:
        raise ValueError(f"rounding errors hide the eigenvalues: {laplacian.advice()}")
    return result


def _is_complete(laplacian: Laplacian, B: Any, values: Any) -> bool:
    """Return whether these are the smallest eigenvalues of a small graph, up to rounding errors."""
    if B.size > MAX_VERTICES:
        return True
    scale = 1 / np.sqrt(B)
    every = scipy.linalg.eigvalsh(scale[:, None] * laplacian.matrix.toarray() * scale)
    return bool(np.count_nonzero(every < (1 - _EQUAL) * values[-1]) < laplacian.num_components + values.size)


def _with_hidden_errors(laplacian: Laplacian, B: Any, result: Eigenpairs, tol: float) -> Eigenpairs:
    """Return eigenpairs with residuals that include rounding errors of the diagonal."""
    expected = quotients(laplacian, B, result.vectors)
    residuals = np.maximum(result.residuals, _as_residuals(result.values, expected, tol))
    if laplacian.spread <= SMALL_SPREAD:
        norms = residual_norms(laplacian, B, result.values, result.vectors)
        residuals = np.maximum(residuals, norms / (tol * expected))
    return result._replace(residuals=residuals)


def smallest_value(laplacian: Laplacian) -> float:
    """Return the smallest eigenvalue of L after the null space, or 0 if it is not known to about 10 %."""
    result = _pairs(laplacian, np.ones(laplacian.degrees.size), 1, 0.1, 100, 0)
    return math.ldexp(float(result.values[0]), laplacian.exponent) if result.residuals[0] <= 1 else 0.0


def _largest_value(laplacian: Laplacian, B: Any) -> float:
    """Return Gershgorin's bound of the largest eigenvalue."""
    return 2 * float((laplacian.degrees / B).max())


def _as_residuals(values: Any, expected: Any, tol: float) -> Any:
    """Return the residuals, relative to the tolerance, that cause such errors of eigenvalues."""
    errors = np.full(values.size, np.inf)
    np.divide(np.abs(values - expected), values, out=errors, where=values > 0)
    return np.where(errors > _ACCURATE, np.sqrt(errors), 0.0) / tol


def _iterated(laplacian: Laplacian, B: Any, k: int, tol: float, maxiter: int, seed: int) -> Eigenpairs:
    """Return eigenpairs by LOBPCG, or by LAPACK; rounding errors are relative to the largest eigenvalue."""
    n, count = B.size, laplacian.num_components
    extra = min(max(2, k // 4), n - count - k)
    if n <= max(_DENSE, 4 * (k + extra) + count):
        values, vectors = _dense(laplacian, B, k)
        return Eigenpairs(values, vectors, 0, np.zeros(k))
    start = random_columns(n, k + extra, seed)
    return smallest_eigenvectors(
        laplacian.matrix,
        B,
        start if laplacian.spread > SMALL_SPREAD else start / np.sqrt(B)[:, None],
        k,
        _preconditioner(laplacian, B, k + extra),
        _projection(laplacian, B),
        tol=tol,
        maxiter=maxiter,
    )


def _eliminated(laplacian: Laplacian, B: Any, k: int, tol: float) -> Eigenpairs:
    """Return accurate eigenpairs of a small graph."""
    roots, vectors = smallest_pairs(laplacian, B, k)
    values = roots * roots
    for j, value in enumerate(values):
        vectors[:, j] = _representable(laplacian, B, value, vectors[:, j])
    return Eigenpairs(values, vectors, 0, _as_residuals(values, quotients(laplacian, B, vectors), tol))


def _representable(laplacian: Laplacian, B: Any, value: float, x: Any) -> Any:
    """Return the eigenvector in the form whose rounded entries have a Rayleigh quotient closest to the eigenvalue."""
    noise = _EPS / np.sqrt(B)
    rough = noise > np.maximum(_ROUGH * np.abs(x), 4 * _EPS * np.abs(x).max())
    best, smallest = x, np.inf
    with np.errstate(over="ignore", invalid="ignore"):
        for form in ("computed", "levelled", "smoothed"):
            y = x if form != "smoothed" else smoothed(laplacian, B, value, x, rough)
            if form != "computed":
                y = levelled(
                    laplacian, B, value, y, noise if form == "levelled" else np.where(rough, _EPS * np.abs(y), noise)
                )
            error = abs(quotients(laplacian, B, y[:, None])[0] - value)
            if error < smallest:
                best, smallest = y, error
            if smallest <= _ACCURATE * 1e-4 * value:
                break
    return best


def _divided(laplacian: Laplacian, B: Any, k: int, tol: float, maxiter: int, seed: int) -> Eigenpairs | None:
    """Return the eigenpairs of weakly joined parts and of their graph; None without such parts."""
    parts = divide(laplacian, B)
    if parts is None:
        return None
    rank = parts.outer_B.size - laplacian.num_components
    outer = _pairs(parts.outer, parts.outer_B, min(k, rank), tol, maxiter, seed)
    inner = _pairs(parts.inner, B, max(k - rank, 1), tol, maxiter, seed)
    inner_values = np.ldexp(inner.values, parts.inner.exponent)
    error = parts.error(inner_values[0])
    values = np.r_[np.ldexp(outer.values, parts.outer.exponent), inner_values][:k]
    vectors = np.hstack([outer.vectors[parts.labels], inner.vectors])[:, :k]
    known = np.sqrt(error) / tol if error > _ACCURATE else 0.0
    residuals = np.maximum(np.r_[outer.residuals, inner.residuals][:k], known)
    order = np.argsort(values, kind="stable")
    return Eigenpairs(values[order], np.ascontiguousarray(vectors[:, order]), inner.iterations, residuals[order])


def contrasts(laplacian: Laplacian, B: Any, count: int) -> Block:
    """Return B-orthonormal vectors for the first components: component j + 1 against all components before it."""
    shift = 30 if B.max() > LARGEST else 0  # sums of B are finite
    weights = np.bincount(laplacian.labels, np.ldexp(B, -2 * shift), laplacian.num_components)
    columns = np.zeros((laplacian.num_components, count))
    before = weights.cumsum()
    for j in range(count):
        columns[: j + 1, j] = -1 / before[j]
        columns[j + 1, j] = 1 / weights[j + 1]
        columns[:, j] /= np.sqrt(1 / before[j] + 1 / weights[j + 1])
    return np.ascontiguousarray(np.ldexp(columns, -shift)[laplacian.labels])


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
    limit = min((SETUP + _CYCLES * columns * CYCLE) * unit_of(L), MAX_MULTIPLICATIONS)
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
