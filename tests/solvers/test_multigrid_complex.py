"""Multigrid for complex Hermitian matrices."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import cg, gmres

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.solvers.coarsest import DenseSolver, SparseSolver
from stablegraph.solvers.linalg import vectors
from stablegraph.solvers.linalg.spectral import inverse_diagonal, spectral_radius
from stablegraph.solvers.linalg.vectors import accurate_residual

SMOOTHERS = ["chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel"]


def noise(*shape):
    parts = np.random.default_rng(7).uniform(-1, 1, (2, *shape))
    return parts[0] + 1j * parts[1]


def turned(A, seed=0):
    """Return a real matrix with random phases applied, which is Hermitian, and the phases."""
    units = np.exp(1j * np.random.default_rng(seed).uniform(0, 6, A.shape[0]))
    return sp.csr_array(sp.diags_array(units) @ A @ sp.diags_array(units.conj())), units


@pytest.fixture(scope="module")
def poisson():
    return turned(gallery.laplacian((12, 11, 10)))


@pytest.fixture(scope="module")
def elastic():
    A, modes = gallery.elasticity_3d((6, 5, 5))
    H, units = turned(A)
    return H, units[:, None] * modes


def off(A, x, b):
    return np.linalg.norm(A @ x - b) / np.linalg.norm(b)


def test_inner_products_conjugate_the_first_vector():
    x, y = noise(2, 9000)
    assert vectors.inner(x, y) == pytest.approx(np.vdot(x, y))
    assert vectors.dot(x, y) == vectors.inner(x, y).real
    assert vectors.norm(x) == pytest.approx(np.linalg.norm(x))


def test_the_last_residual_has_no_rounding_errors():
    A, x, b = noise(9, 9) * 10.0 ** np.arange(9), noise(9), noise(9)
    b += A @ x
    out, real = np.empty(9, complex), np.empty(18)
    accurate_residual(sp.csr_array(A), x, b, out)
    equivalent = sp.csr_array(np.block([[A.real, -A.imag], [A.imag, A.real]]))
    accurate_residual(equivalent, np.r_[x.real, x.imag], np.r_[b.real, b.imag], real)
    np.testing.assert_allclose(np.r_[out.real, out.imag], real, rtol=1e-12)


@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize("cycle", ["V", "W", "F"])
def test_units_of_phase_change_nothing(poisson, smoother, cycle):
    H, units = poisson
    A = gallery.laplacian((12, 11, 10))
    b = noise(A.shape[0])
    counts = []
    for matrix, B, right in ((H, units, units * b), (A, None, b.real)):
        solver, residuals = sg.smoothed_aggregation(matrix, B, smoother=smoother, coarse_size=50), []
        x = solver.solve(right, cycle=cycle, residuals=residuals)
        assert x.dtype == matrix.dtype
        assert off(matrix, x, right) <= 1e-8
        assert all((level.A.conj().T - level.A).data.size == 0 or abs(level.A.conj().T - level.A).max() < 1e-12
                   for level in solver.levels)  # fmt: skip
        counts.append(len(residuals))
    assert abs(counts[0] - counts[1]) <= 1


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_blocks(elastic, smoother):
    H, modes = elastic
    b = noise(H.shape[0])
    solver, residuals = sg.smoothed_aggregation(H, modes, block_size=3, smoother=smoother, coarse_size=50), []
    assert [level.A.format for level in solver.levels] == ["bsr"] * len(solver.levels)
    assert off(H, solver.solve(b, residuals=residuals), b) <= 1e-8
    assert len(residuals) <= 22
    level = solver.levels[0]
    np.testing.assert_allclose(level.R.toarray(), level.P.toarray().conj().T)
    np.testing.assert_allclose(solver.levels[1].A.toarray(), (level.R @ level.A @ level.P).toarray(), atol=1e-12)


def test_a_magnetic_field():
    """Off-diagonal entries have phases that no diagonal scaling removes."""
    side = 40
    A = gallery.laplacian((side, side)).tocoo()
    x = A.row % side
    flux = np.where(abs(A.row - A.col) == side, np.sign(A.row - A.col) * 0.02 * x, 0.0)
    H = sp.csr_array((A.data * np.exp(1j * flux), (A.row, A.col)), shape=A.shape)
    b = noise(H.shape[0])
    assert off(H, sg.smoothed_aggregation(H).solve(b), b) <= 1e-8
    strong = sg.smoothed_aggregation(H, strength=0.1, coarse_size=50)
    assert off(H, strong.solve(b), b) <= 1e-8


def test_same_bits_everywhere(poisson):
    H, units = poisson
    b = noise(H.shape[0])

    def solve():
        return sg.smoothed_aggregation(H, units, coarse_size=50).solve(b).tobytes()

    result = {solve()}
    before = sg.num_threads()
    for threads in (1, 3):
        sg.set_num_threads(threads)
        result.add(solve())
    sg.set_num_threads(before)
    assert len(result) == 1
    small, _ = turned(gallery.laplacian((5, 5)))
    for smoother in ("chebyshev", "gauss_seidel"):
        compiled = sg.smoothed_aggregation(small, coarse_size=5, smoother=smoother).solve(b[:25])
        with use_target("python", workers=3):
            plain = sg.smoothed_aggregation(small, coarse_size=5, smoother=smoother).solve(b[:25])
        np.testing.assert_allclose(plain, compiled, rtol=1e-12)


def test_null_spaces():
    L = gallery.laplacian((20, 21))
    L = sp.csr_array(L - sp.diags_array(L @ np.ones(L.shape[0])))
    H, units = turned(L)
    b = noise(H.shape[0])
    with pytest.warns(sg.ConvergenceWarning, match="inconsistent"):
        x = sg.smoothed_aggregation(H, units, nullspace=units, coarse_size=50).solve(b)
    solvable = b - units * np.vdot(units, b) / units.size
    assert off(H, x, solvable) <= 2e-8
    assert abs(np.vdot(units, x)) < 1e-9 * np.abs(x).sum()
    for factors in (DenseSolver(H), SparseSolver(H)):
        assert factors.rank == H.shape[0] - 1
        factors.solve(solvable, x)
        assert off(H, x, solvable) <= 1e-8


def test_rho_is_that_of_the_real_matrix(poisson):
    H, _ = poisson
    A = gallery.laplacian((12, 11, 10))
    real, turned_one = (spectral_radius(matrix, *inverse_diagonal(matrix)) for matrix in (A, H))
    assert turned_one == pytest.approx(real, rel=0.02)


def test_matrices_that_are_not_hermitian():
    A = gallery.laplacian((30, 30))
    damped = sp.csr_array(A + 0.3j * sp.eye_array(900))
    b = noise(900)
    solver = sg.smoothed_aggregation(damped, coarse_size=50)
    with pytest.raises(ValueError, match=r"the diagonal entry A\[0, 0\] is \(4\+0.3j\), which is not real; .*solve"):
        solver.solve(b)
    _, info = gmres(damped, b, rtol=1e-8, M=solver.aspreconditioner())
    assert info == 0
    assert off(damped, solver.solve(b, accel=None), b) <= 1e-8


def test_preconditioners_updates_and_pickles(poisson):
    H, units = poisson
    b = noise(H.shape[0])
    solver = sg.smoothed_aggregation(H, units, coarse_size=50)
    expected = solver.solve(b)
    x, info = cg(H, b, rtol=1e-9, M=solver.aspreconditioner())
    assert info == 0 and off(H, x, b) <= 1e-8
    assert np.array_equal(pickle.loads(pickle.dumps(solver)).solve(b), expected)
    solver.update(2 * H)
    np.testing.assert_allclose(2 * solver.solve(b), expected, atol=1e-6)
    with pytest.raises(TypeError, match="A is float64, that of this hierarchy complex128"):
        solver.update(sp.csr_array((H.data.real, H.indices, H.indptr)))
    assert np.allclose(solver.solve(b.real), solver.solve(b.real + 0j))


@pytest.mark.parametrize("clusters", [None, "mis2"])
def test_sweeps(poisson, clusters):
    H, _ = poisson
    sweeps = sg.gauss_seidel(H, clusters=clusters)
    b = noise(H.shape[0], 2)
    x = sweeps.sweep(np.zeros_like(b), b)
    expected = np.zeros(H.shape[0], complex)
    dense = H.toarray()
    for order in (sweeps._sweeps.order.rows, sweeps._sweeps.order.rows[::-1]):
        for i in order:
            expected[i] += (b[i, 0] - dense[i] @ expected) / dense[i, i]
    np.testing.assert_allclose(x[:, 0], expected, atol=1e-12)
    y = noise(2, H.shape[0])
    M = sweeps.aspreconditioner()
    assert np.vdot(y[0], M @ y[1]) == pytest.approx(np.vdot(M @ y[0], y[1]))
    with pytest.raises(TypeError, match="x must be a complex128 NumPy array"):
        sweeps.sweep(np.zeros(H.shape[0]), b[:, 0])


def test_complex_vectors_beside_a_real_matrix():
    A = gallery.laplacian((6, 6))
    with pytest.raises(TypeError, match="B is complex, but A is real"):
        sg.smoothed_aggregation(A, noise(36))
    solver, b = sg.smoothed_aggregation(A), noise(36)
    expected = np.linalg.solve(A.toarray(), b)
    assert np.allclose(solver.solve(b, residuals=(sizes := [])), expected)
    assert sizes[0] == pytest.approx(np.linalg.norm(b))
    assert sizes[-1] <= 1e-8 * sizes[0]
    columns = solver.solve(np.c_[b, b.real], np.c_[expected.real, expected], residuals=(sizes := []))
    assert np.allclose(columns, np.linalg.solve(A.toarray(), np.c_[b, b.real]))
    assert [len(history) for history in sizes] == [len(sizes[0]), len(sizes[1])]


def test_numbers_are_checked(poisson):
    H, _ = poisson
    for value, message in (
        (np.nan * 1j, r"A\[0, 0\] is .*nan.*not a finite number"),
        (0, r"A\[0, 0\], on the diagonal"),
    ):
        wrong = H.copy()
        wrong.data[0] = value
        with pytest.raises(ValueError, match=message):
            sg.smoothed_aggregation(wrong)
