"""Coarsest levels of thousands of unknowns, solved by sparse factors."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph.solvers.coarsest import DenseSolver, SparseSolver


def noise(n):
    return np.random.default_rng(7).uniform(-1, 1, n)


def neumann(shape):
    """Return a Laplacian whose rows sum to zero."""
    A = gallery.laplacian(shape)
    return sp.csr_array(A - sp.diags_array(A @ np.ones(A.shape[0])))


def wind(shape):
    """Return an unsymmetric matrix."""
    A = gallery.laplacian(shape)
    return sp.csr_array(A + 0.2 * (sp.triu(A, 1) - sp.tril(A, -1)))


def floating(shape):
    return gallery.elasticity_3d(shape, clamped=False)[0]


MATRICES = {
    "definite": (gallery.laplacian((11, 10, 9)), 0),
    "one diagonal entry": (sp.csr_array([[4.0]]), 0),
    "negative definite": (-gallery.laplacian((11, 10)), 0),
    "indefinite": (gallery.laplacian((11, 10)) - 2.1 * sp.eye_array(110), 0),
    "unsymmetric": (wind((20, 21)), 0),
    "singular": (neumann((20, 21)), 1),
    "two singular parts": (sp.block_diag([neumann((9, 9)), neumann((40,)), gallery.laplacian((5,))]), 2),
    "floating body": (floating((5, 6, 4)).tobsr((3, 3)), 6),
    "singular, unsymmetric": (sp.csr_array(sp.diags_array(1 + np.arange(420.0) % 7) @ neumann((20, 21))), 1),
    "units": (sp.csr_array(sp.diags_array(10.0 ** np.repeat([0, -5, 4], 40)) @ floating((2, 4, 5)) @
                           sp.diags_array(10.0 ** np.repeat([0, -5, 4], 40))), 6),
}  # fmt: skip


@pytest.mark.parametrize(("matrix", "missing"), MATRICES.values(), ids=MATRICES)
def test_sparse_factors_solve_what_dense_ones_do(matrix, missing):
    A = sp.bsr_array(matrix) if matrix.format == "bsr" else sp.csr_array(matrix)
    n = A.shape[0]
    sparse = SparseSolver(A)
    assert sparse.rank == n - missing == DenseSolver(A).rank
    b, x = A @ noise(n), np.empty(n)
    sparse.solve(b, x)
    assert np.linalg.norm(A @ x - b) <= 1e-7 * np.linalg.norm(b)
    assert np.count_nonzero(x == 0) >= missing


@pytest.mark.parametrize("shape", [(16, 16, 16), (60, 60)])
def test_the_rank_of_large_singular_matrices(shape):
    A = neumann(shape)
    solver = SparseSolver(A)
    assert solver.rank == A.shape[0] - 1
    b, x = A @ noise(A.shape[0]), np.empty(A.shape[0])
    solver.solve(b, x)
    assert np.linalg.norm(A @ x - b) <= 1e-8 * np.linalg.norm(b)


def test_a_large_coarsest_level_is_solved_directly():
    A = gallery.laplacian((17, 16, 15))
    b = noise(A.shape[0])
    for size, levels, largest in ((1600, 2, 10), (20_000, 1, 2)):
        solver, residuals = sg.smoothed_aggregation(A, coarse_size=size), []
        x = solver.solve(b, residuals=residuals)
        assert len(solver.levels) == levels
        assert len(residuals) - 1 <= largest
        assert np.linalg.norm(A @ x - b) <= 1e-8 * np.linalg.norm(b)
        solver.update(2 * A)
        assert np.allclose(2 * solver.solve(b), x, atol=1e-6)


def test_a_large_singular_coarsest_level():
    A, modes = gallery.elasticity_3d((11, 10, 9), clamped=False)
    b = A @ noise(A.shape[0])
    for options in ({"nullspace": modes}, {}):
        solver, residuals = sg.smoothed_aggregation(A, modes, coarse_size=12_000, **options), []
        x = solver.solve(b, residuals=residuals)
        assert len(solver.levels) == 1 and len(residuals) <= 4
        assert np.linalg.norm(A @ x - b) <= 1e-8 * np.linalg.norm(b)


def test_sparse_factors_have_the_same_bits_for_any_number_of_blas_threads():
    program = """
import numpy as np, stablegraph as sg
from stablegraph.solvers.coarsest import SparseSolver
A = sg.gallery.laplacian((18, 18, 18))
x = np.empty(A.shape[0])
SparseSolver(A).solve(np.sin(np.arange(A.shape[0])), x)
print(x.tobytes().hex())
"""
    result = set()
    for count in "123":
        names = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), count)
        result.add(subprocess.check_output([sys.executable, "-c", program], env={**os.environ, **names}))
    assert len(result) == 1
