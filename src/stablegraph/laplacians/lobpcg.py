"""The smallest eigenvalues of L x = lambda B x, and their vectors, by the LOBPCG method.

Result: k eigenvalues in ascending order and B-orthonormal vectors, B-orthogonal to a known null space; the same bits
for any number of threads (on one machine).

Rule: with the residuals W = M (L X - B X diag(lambda)) and the directions P,

    X = the k best vectors in span(X, W, P) (Rayleigh and Ritz),    P = their part in span(W, P)

In the code: `smallest_eigenvectors`, and `_ritz` for the small problem.

Idea: the Gram matrices of [X, W, P] are computed in fixed blocks (block_vectors.py); only these matrices of at most
3 k rows go to LAPACK. The basis is made B-orthonormal through the eigenvectors of its scaled Gram matrix, so that
nearly dependent vectors are left out. Some more vectors than requested are computed, because those at the end of the
block converge slowly. Residuals of converged vectors add no new directions.

Cost: per iteration one product with L and one preconditioning of a block, and about 10 passes over blocks. Work memory:
about 14 blocks.

Source: A. Knyazev, "Toward the Optimal Preconditioned Eigensolver: Locally Optimal Block Preconditioned Conjugate
Gradient Method", SIAM Journal on Scientific Computing 23(2), 2001.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from .._core.runtime import Array
from .block_vectors import Block, combine, gram, multiply_columns

_DEPENDENT = 1e-12  # minimum eigenvalue of a scaled Gram matrix, relative to the largest, for a new direction
_ROUNDING = 1e-13  # relative to the norm of L; smaller residuals cannot be expected


class Eigenpairs(NamedTuple):
    """Eigenvalues and vectors, with the achieved accuracy."""

    values: Array
    vectors: Block
    iterations: int
    residuals: Array  # of each vector, relative to its target: at most 1 if it has converged


def smallest_eigenvectors(
    L: Any,
    B: Any,
    start: Block,
    count: int,
    precondition: Callable[[Block], Block],
    project: Callable[[Block], Block],
    *,
    tol: float,
    maxiter: int,
) -> Eigenpairs:
    """Return the eigenpairs of the `count` smallest eigenvalues in the complement of the null space.

    Parameters
    ----------
    L : csr_array (n, n)
        Symmetric, positive semidefinite.
    B : float64 (n,)
        Positive: the diagonal of B.
    start : float64 (n, m)
        Random vectors, at least `count`.
    count : int
        The number of eigenpairs.
    precondition : callable
        Approximates the inverse of L for a block.
    project : callable
        Returns the B-orthogonal projection of a block on the complement of the null space.
    tol : float
        The maximum norm of a residual (in the norm of the inverse of B), relative to its eigenvalue.
    maxiter : int
        The maximum number of iterations.
    """
    by_weight = B[:, None]
    floor = _ROUNDING * float((2 * L.diagonal() / B).max())  # Gershgorin's bound for a Laplacian
    X = project(start)
    values, C = _ritz(gram(X, multiply_columns(L, X)), gram(X, by_weight * X), start.shape[1])
    X = combine(X, C)
    P: Block = np.empty((X.shape[0], 0))
    iterations = 0
    while True:
        R = multiply_columns(L, X) - by_weight * X * values
        sizes = np.sqrt(np.diagonal(gram(R, R / by_weight)))
        excess = sizes / np.maximum(tol * np.abs(values), floor)
        if (excess[:count] <= 1).all() or iterations == maxiter:
            break
        iterations += 1
        W = project(precondition(np.ascontiguousarray(R[:, excess > 1])))
        W -= combine(X, gram(X, by_weight * W))
        basis = np.hstack([X, W, P])
        new_values, C = _ritz(gram(basis, multiply_columns(L, basis)), gram(basis, by_weight * basis), X.shape[1])
        if C.shape[1] < X.shape[1]:
            break
        values, width = new_values, X.shape[1]
        P = combine(np.ascontiguousarray(basis[:, width:]), C[width:])
        X = combine(np.ascontiguousarray(basis[:, :width]), C[:width]) + P
    return Eigenpairs(values[:count], np.ascontiguousarray(X[:, :count]), iterations, excess[:count])


def _ritz(by_L: Block, by_B: Block, count: int) -> tuple[Any, Block]:
    """Return the smallest eigenvalues of a small problem, and coefficients of B-orthonormal vectors."""
    squares = np.diagonal(by_B)
    scale = np.zeros(squares.size)
    np.divide(1, np.sqrt(np.maximum(squares, 0)), out=scale, where=squares > 0)
    weights, Q = scipy.linalg.eigh(_symmetric(by_B * scale * scale[:, None]))
    kept = weights > _DEPENDENT * weights.max()
    T = scale[:, None] * Q[:, kept] / np.sqrt(weights[kept])
    values, Y = scipy.linalg.eigh(_symmetric(T.T @ by_L @ T))
    return values[:count], T @ Y[:, :count]


def _symmetric(A: Block) -> Block:
    return (A + A.T) / 2
