"""Multigrid: the parts of a cycle, convergence, identical bits on all targets, and difficult or invalid matrices."""

from __future__ import annotations

import math
import re
import threading
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy
import scipy.sparse as sp
from scipy.io import mmread
from scipy.sparse.linalg import cg, gmres

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.solvers.coarsest import DenseSolver
from stablegraph.solvers.hierarchy import Level
from stablegraph.solvers.linalg import vectors
from stablegraph.solvers.linalg.vectors import accurate_residual
from stablegraph.solvers.polynomial import chebyshev_steps, jacobi

SMOOTHERS = ["chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel"]


def noise(*shape):
    return np.random.default_rng(7).uniform(-1, 1, shape)


def off(A, x, b):
    """Return the norm of the residual relative to that of b."""
    return np.linalg.norm(A @ x - b) / np.linalg.norm(b)


@pytest.fixture(scope="module")
def poisson():
    return gallery.laplacian((22, 21, 20))


@pytest.fixture(scope="module")
def solver(poisson):
    return sg.smoothed_aggregation(poisson, coarse_size=50)


def with_threads(count, call):
    before = sg.num_threads()
    sg.set_num_threads(count)
    try:
        return call()
    finally:
        sg.set_num_threads(before)


# ---------------------------------------------------------------------------------------------------------- the parts


@pytest.mark.parametrize("n", [0, 1, 7, 4096, 4097, 50_003])
def test_inner_products_have_one_order(n):
    x, y = noise(2, n)
    sums = {with_threads(count, lambda: vectors.dot(x, y)) for count in (1, 2, 3)}
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(math.fsum(x * y), rel=1e-12, abs=1e-13)


def test_updates_are_the_formulas():
    p, q, x, r = noise(4, 9000)
    new_x, new_r = x + 0.3 * p, r - 0.3 * q
    assert vectors.axpy_residual(0.3, p, q, x, r) == vectors.dot(new_r, new_r)
    assert np.array_equal(x, new_x)
    assert np.array_equal(r, new_r)
    vectors.xpby(r, 0.5, p)
    vectors.axpy(-2.0, q, x)
    np.testing.assert_allclose(x, new_x - 2 * q, rtol=1e-14, atol=1e-15)


def test_products_are_those_of_scipy():
    A = sp.random_array((700, 400), density=0.02, rng=3, format="csr")
    x, b, out = noise(400), noise(700), noise(700)
    vectors.residual(A, x, b, out)
    np.testing.assert_allclose(out, b - A @ x, atol=1e-14)
    vectors.add_product(A, x, out)
    np.testing.assert_allclose(out, b, atol=1e-14)
    vectors.multiply(A, x, out)
    np.testing.assert_allclose(out, A @ x, atol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 2, 60])
def test_elimination_solves_any_regular_matrix(n):
    A = sp.csr_array(noise(n, n))
    dense = DenseSolver(A)
    b, x = noise(n), np.empty(n)
    dense.solve(b, x)
    assert dense.rank == n
    np.testing.assert_allclose(A @ x, b, atol=1e-9)


def test_elimination_finds_the_rank_whatever_the_units():
    A, modes = gallery.elasticity_3d((3, 3, 3), clamped=False)
    units = 10.0 ** np.repeat([0, -9, 7], 27)
    scaled = sp.csr_array(sp.diags_array(units) @ A @ sp.diags_array(units))
    dense = DenseSolver(scaled)
    assert dense.rank == 81 - modes.shape[1]
    b, x = scaled @ noise(81), np.empty(81)
    dense.solve(b, x)
    np.testing.assert_allclose(scaled @ x, b, rtol=1e-6)


def test_chebyshev_is_the_least_polynomial_on_its_interval():
    eigenvalues = np.linspace(0.3, 1.9, 2001)
    for degree in (1, 2, 3, 5):
        error, p = np.ones_like(eigenvalues), np.zeros_like(eigenvalues)
        for alpha, beta in chebyshev_steps(degree, 0.3, 1.9):
            p = alpha * p + beta * eigenvalues * error
            error = error - p
        smallest = 1 / np.polynomial.chebyshev.Chebyshev.basis(degree)(2.2 / 1.6)
        assert np.abs(error).max() == pytest.approx(smallest, rel=1e-6)


@pytest.mark.parametrize("sweeps", [1, 2, 3])
def test_jacobi_is_jacobi(poisson, sweeps):
    n = poisson.shape[0]
    inverse = 1 / poisson.diagonal()
    x, b = noise(2, n)
    expected, from_zero = x.copy(), np.zeros(n)
    for _ in range(sweeps):
        expected += 0.5 * inverse * (b - poisson @ expected)
        from_zero += 0.5 * inverse * (b - poisson @ from_zero)
    smoother = jacobi(sweeps=sweeps, damping=0.5)(Level(poisson, None, inverse, 2.0))
    smoother.before(x, b, zero=False)
    np.testing.assert_allclose(x, expected, atol=1e-13)
    smoother.before(x, b, zero=True)
    np.testing.assert_allclose(x, from_zero, atol=1e-13)


# --------------------------------------------------------------------------------------------------------- convergence


@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize("cycle", ["V", "W", "F"])
def test_every_smoother_in_every_cycle(poisson, smoother, cycle):
    solver = sg.smoothed_aggregation(poisson, smoother=smoother, coarse_size=50)
    assert len(solver.levels) >= 3
    b = noise(poisson.shape[0])
    for accel, largest in (("cg", 17), (None, 40)):
        residuals = []
        x = solver.solve(b, cycle=cycle, accel=accel, residuals=residuals)
        assert off(poisson, x, b) <= 1e-8
        assert len(residuals) - 1 <= largest
        assert residuals[0] == pytest.approx(np.linalg.norm(b))
        assert residuals[-1] == pytest.approx(np.linalg.norm(b - poisson @ x), rel=1e-3)


@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize("cycle", ["V", "W"])
def test_symmetric_cycles_are_symmetric(poisson, smoother, cycle):
    M = sg.smoothed_aggregation(poisson, smoother=smoother, coarse_size=50).aspreconditioner(cycle)
    x, y = noise(2, poisson.shape[0])
    assert x @ (M @ y) == pytest.approx(y @ (M @ x), rel=1e-10)
    assert x @ (M @ x) > 0


def test_iterations_hardly_grow():
    counts = []
    for side in (12, 24, 48):
        A = gallery.laplacian((side, side, side))
        residuals = []
        sg.smoothed_aggregation(A, coarse_size=100).solve(noise(A.shape[0]), residuals=residuals)
        counts.append(len(residuals) - 1)
    assert max(counts) <= 12


def test_damping_is_what_makes_jacobi_a_smoother():
    A = gallery.laplacian((30, 30, 30))
    counts = {}
    for damping in (None, 1.0):
        solver = sg.smoothed_aggregation(A, smoother=("jacobi", {"sweeps": 2, "damping": damping}))
        residuals = []
        solver.solve(noise(A.shape[0]), tol=1e-12, residuals=residuals)
        counts[damping] = len(residuals) - 1
    assert counts[None] <= 20 < counts[1.0] <= 32


def test_elasticity_with_its_rigid_body_modes():
    A, modes = gallery.elasticity_3d((10, 9, 8))
    b = noise(A.shape[0])
    counts = {}
    for name, matrix, B in (("modes", A, modes), ("blocks", A.tobsr((3, 3)), None)):
        residuals = []
        solver = sg.smoothed_aggregation(matrix, B, coarse_size=100)
        assert off(A, solver.solve(b, residuals=residuals), b) <= 1e-8
        assert solver.levels[0].P.shape[1] % (6 if name == "modes" else 3) == 0
        counts[name] = len(residuals) - 1
    assert counts["modes"] <= 20
    assert counts["modes"] < counts["blocks"]


@pytest.mark.parametrize("strength", [0.05, 0.1])
def test_strong_blocks_converge_nearly_as_fast(strength):
    A, modes = gallery.elasticity_3d((20, 18, 16))
    counts = {}
    for threshold in (None, strength):
        solver, residuals = sg.smoothed_aggregation(A, modes, strength=threshold), []
        solver.solve(noise(A.shape[0]), residuals=residuals)
        counts[threshold] = len(residuals) - 1
        assert all((level.labels >= 0).all() for level in solver.levels[:-1])
    assert counts[strength] <= counts[None] + 4


def test_scipy_takes_the_preconditioner(poisson, solver):
    b = noise(poisson.shape[0])
    for method in (cg, gmres):
        x, info = method(poisson, b, rtol=1e-9, M=solver.aspreconditioner())
        assert info == 0
        assert off(poisson, x, b) <= 1e-8


def test_several_right_hand_sides_and_guesses(poisson, solver):
    n = poisson.shape[0]
    b = noise(n, 3)
    b[:, 1] = 0
    residuals = []
    x = solver.solve(b, residuals=residuals)
    assert [len(history) > 1 for history in residuals] == [True, False, True]
    for j in range(3):
        assert np.array_equal(x[:, j], solver.solve(b[:, j]))
    counted = []
    again = solver.solve(b, x, progress=lambda iteration, size: counted.append(iteration))
    assert np.array_equal(again, x)
    assert counted == [0, 0, 0]
    assert solver.solve(b[:, :1].tolist()).shape == (n, 1)


# ------------------------------------------------------------------------------------- the same bits on all targets


def test_same_bits_for_any_number_of_threads(poisson):
    b = noise(poisson.shape[0])

    def solve():
        solver = sg.smoothed_aggregation(poisson, coarse_size=50)
        matrices = [level.A.data.tobytes() for level in solver.levels]
        return matrices, solver.solve(b).tobytes()

    assert with_threads(1, solve) == with_threads(2, solve) == with_threads(3, solve)


def test_same_bits_without_a_compiler():
    A, modes = gallery.elasticity_3d((3, 2, 2))
    b = noise(A.shape[0])
    for matrix, B in ((A, modes), (gallery.laplacian((5, 5)), None)):
        rhs = b[: matrix.shape[0]]
        compiled = sg.smoothed_aggregation(matrix, B, coarse_size=5).solve(rhs)
        with use_target("python", workers=3):
            assert np.array_equal(sg.smoothed_aggregation(matrix, B, coarse_size=5).solve(rhs), compiled)


def test_same_bits_for_any_form_of_the_matrix(poisson):
    b = noise(poisson.shape[0])
    expected = sg.smoothed_aggregation(poisson).solve(b)
    shuffled = poisson.tocoo()
    order = np.random.default_rng(1).permutation(shuffled.nnz)
    shuffled = sp.coo_array((shuffled.data[order], (shuffled.row[order], shuffled.col[order])), shape=poisson.shape)
    wide = sp.csr_array(poisson.shape)
    wide.data, wide.indices, wide.indptr = (
        poisson.data,
        poisson.indices.astype(np.int64),
        poisson.indptr.astype(np.int64),
    )
    for form in (
        shuffled,
        wide,
        poisson.tocsc(),
        poisson.astype(np.int32),
        poisson.astype(np.float32),
        sg.as_graph(poisson),
    ):
        assert np.array_equal(sg.smoothed_aggregation(form).solve(b), expected)


def test_threads_share_a_hierarchy(poisson, solver):
    sides = [noise(poisson.shape[0]) * k for k in (1, 3)]
    expected = [solver.solve(b) for b in sides]
    result = [None, None]

    def work(k):
        result[k] = solver.solve(sides[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(result, expected, strict=True))


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_new_values_on_the_same_pattern(poisson, smoother):
    scale = sp.diags_array(1 + np.abs(noise(poisson.shape[0])))
    other = sp.csr_array(scale @ poisson @ scale)
    b = noise(poisson.shape[0])
    solver = sg.smoothed_aggregation(poisson, smoother=smoother, coarse_size=50)
    solver.update(other)
    fresh = sg.smoothed_aggregation(other, smoother=smoother, coarse_size=50)
    assert np.array_equal(solver.solve(b), fresh.solve(b))
    assert off(other, solver.solve(b), b) <= 1e-8
    with pytest.raises(ValueError, match="another pattern"):
        solver.update(gallery.laplacian((22, 21, 20), stencil=27))
    assert np.array_equal(solver.solve(b), fresh.solve(b))


def test_the_table_of_levels(poisson, solver):
    lines = repr(solver).splitlines()
    assert lines[0].startswith(f"Multigrid, {len(solver.levels)} levels, operator complexity")
    assert f"{poisson.shape[0]:,}" in lines[2]
    assert f"{poisson.nnz:,}" in lines[2]
    assert 1 < solver.operator_complexity < 2
    assert all(seconds >= 0 for seconds in solver.seconds.values())


# --------------------------------------------------------------------------------------------------- difficult matrices


def neumann(shape):
    """Return a Laplacian whose rows sum to zero."""
    A = gallery.laplacian(shape)
    return sp.csr_array(A - sp.diags_array(A @ np.ones(A.shape[0])))


def test_singular_with_its_null_space():
    A = neumann((30, 31))
    b = noise(A.shape[0])
    for accel in ("cg", None):
        with pytest.warns(
            sg.ConvergenceWarning, match=r"^inconsistent system: b has a part in the null space, 0.0218 "
        ):
            x = sg.smoothed_aggregation(A, coarse_size=50, nullspace=np.ones(A.shape[0])).solve(b, accel=accel)
        assert off(A, x, b - b.mean()) <= 2e-8
        assert abs(x.sum()) < 1e-9 * np.abs(x).sum()
    A, modes = gallery.elasticity_3d((5, 5, 4), clamped=False)
    b = A @ noise(A.shape[0])
    x = sg.smoothed_aggregation(A, modes, coarse_size=50, nullspace=modes).solve(b)
    assert off(A, x, b) <= 1e-8


def test_right_hand_side_in_the_null_space():
    A, residuals = neumann((30, 31)), []
    ones = np.ones(A.shape[0])
    with pytest.warns(sg.ConvergenceWarning, match=r"which was removed, and the residual is 1 times b"):
        x = sg.smoothed_aggregation(A, coarse_size=50, nullspace=ones).solve(ones, ones, residuals=residuals)
    assert not x.any() and residuals == [0.0]


def test_singular_without_its_null_space():
    A = neumann((30, 31))
    b = noise(A.shape[0])
    solvable = b - b.mean()
    assert off(A, sg.smoothed_aggregation(A, coarse_size=50).solve(solvable), solvable) <= 1e-8
    with pytest.raises(np.linalg.LinAlgError, match="nullspace="):
        sg.smoothed_aggregation(A, coarse_size=50).solve(b)


def test_wrong_null_spaces(poisson):
    n = poisson.shape[0]
    with pytest.raises(ValueError, match="column 0 of nullspace is not in the null space"):
        sg.smoothed_aggregation(poisson, nullspace=np.ones(n))
    A = neumann((6, 6))
    with pytest.raises(ValueError, match="column 1 of nullspace depends"):
        sg.smoothed_aggregation(A, nullspace=np.ones((36, 2)))


def test_indefinite_is_an_error(poisson):
    shifted = sp.csr_array(poisson - 2 * sp.eye_array(poisson.shape[0]))
    solver = sg.smoothed_aggregation(shifted, coarse_size=50)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        solver.solve(noise(poisson.shape[0]))
    with pytest.warns(sg.ConvergenceWarning, match="the iteration diverges: the residual grew from"):
        solver.solve(noise(poisson.shape[0]), accel=None)
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        sg.smoothed_aggregation(-poisson).solve(noise(poisson.shape[0]))


def test_unsymmetric_values():
    A = gallery.laplacian((40, 40))
    wind = sp.csr_array(A + 0.2 * (sp.triu(A, 1) - sp.tril(A, -1)))
    b = noise(A.shape[0])
    solver = sg.smoothed_aggregation(wind, coarse_size=50)
    with pytest.raises(ValueError, match=r"A\[0, 1\] is -1.2, but A\[1, 0\] is -0.8; ") as refused:
        solver.solve(b)
    assert off(wind, named_call(refused.value, A=wind, b=b), b) <= 1e-8
    assert off(wind, solver.solve(b, accel=None), b) <= 1e-8
    _, info = gmres(wind, b, rtol=1e-8, M=solver.aspreconditioner())
    assert info == 0
    correction = solver.aspreconditioner()
    assert np.allclose(correction @ (b * (1 - 2j)), (correction @ b) * (1 - 2j))


def named_call(message, **names):
    """Run the call that a message recommends, as if a user pasted it."""
    call = re.search(r"stablegraph\.solve\(A, b.*?\)", str(message))[0]
    return eval(call, {"scipy": scipy, "stablegraph": sg, **names})


def strong_convection(n):
    """Return first-order upwind differences for a circular wind with little diffusion, on n x n points."""
    x, y = np.meshgrid(*2 * [(np.arange(n) + 1) / (n + 1) * 2 - 1], indexing="ij")
    along = sp.diags_array([-1.0, 1.0], offsets=[-1, 0], shape=(n, n))
    A = sp.csr_array(1e-4 * (n + 1) * gallery.laplacian((n, n)))
    for axis, wind in enumerate((2 * y * (1 - x**2), -2 * x * (1 - y**2))):
        down, up = (sp.kron(*(d, sp.eye_array(n))[:: 1 - 2 * axis]) for d in (along, -along.T))
        A += sp.diags_array(np.maximum(wind, 0).ravel()) @ down + sp.diags_array(np.minimum(wind, 0).ravel()) @ up
    return sp.csr_array(A)


def test_strong_convection():
    A = strong_convection(60)
    b = np.random.default_rng(0).random(A.shape[0])
    solver = sg.smoothed_aggregation(A, coarse_size=50)
    with pytest.raises(ValueError, match="conjugate gradients need a symmetric matrix") as refused:
        solver.solve(b)
    assert off(A, named_call(refused.value, A=A, b=b), b) <= 1e-8
    residuals = []
    diverges = r"the iteration diverges: the residual grew from \S+ to \S+: after .*stablegraph"
    for maxiter in (500, 20):  # also if the limit is reached first
        with pytest.warns(sg.ConvergenceWarning, match=diverges):
            solver.solve(b, accel=None, maxiter=maxiter, residuals=residuals)
    assert residuals[-1] > 10 * residuals[0]


def test_slow_solves_name_solve(data_file):
    A = sp.csr_array(mmread(data_file("bcsstk18.mtx.gz"), spmatrix=False))
    b = noise(A.shape[0])
    with pytest.warns(sg.ConvergenceWarning, match=r"maxiter=10 .* and not 1e-08; use stablegraph.solve") as warned:
        sg.smoothed_aggregation(A).solve(b, maxiter=10)
    assert off(A, named_call(warned[0].message, A=A, b=b), b) <= 1e-8


def test_unsymmetric_patterns():
    A = sp.csr_array(sp.triu(gallery.laplacian((20, 20))))
    b = noise(400)
    assert off(A, sg.smoothed_aggregation(A).solve(b, accel=None), b) <= 1e-8  # so small that it is solved directly
    with pytest.raises(ValueError, match=r"A\[0, 1\] has no partner A\[1, 0\]: aggregates need a symmetric pattern"):
        sg.smoothed_aggregation(A, coarse_size=50)


def test_rounding_errors_are_not_unsymmetric(poisson):
    rough = poisson.copy()
    rough.data *= 1 + 1e-14 * noise(rough.nnz)
    b = noise(poisson.shape[0])
    assert off(rough, sg.smoothed_aggregation(rough).solve(b), b) <= 1e-8


def test_it_says_when_it_did_not_arrive(poisson, solver):
    b = noise(poisson.shape[0])
    residuals = []
    with pytest.warns(sg.ConvergenceWarning, match="maxiter=3 .* after 3 iterations the residual is"):
        solver.solve(b, maxiter=3, residuals=residuals)
    assert len(residuals) == 4
    with pytest.warns(sg.ConvergenceWarning, match="stagnates"):
        x = solver.solve(b, tol=1e-25, residuals=residuals)
    assert residuals[-1] == pytest.approx(np.linalg.norm(b - poisson @ x), rel=0.5)
    with pytest.warns(sg.ConvergenceWarning, match="stagnates"):
        solver.solve(b, tol=1e-25, accel=None)


def exact_residual(A, x, b):
    """Return b - A x in rational numbers."""
    return [
        Fraction(right) - sum(Fraction(a) * Fraction(y) for a, y in zip(row, x, strict=True))
        for row, right in zip(A, b, strict=True)
    ]


def badly_scaled(seed):
    """Return a positive definite matrix D A D with D from 1e-6 to 1e6, and a right-hand side."""
    rng = np.random.default_rng(seed)
    n = 4 + seed % 6
    M, D = rng.standard_normal((n, n)), 10.0 ** rng.uniform(-6, 6, n)
    A = D[:, None] * (M @ M.T + 0.1 * np.eye(n)) * D
    return (A + A.T) / 2, rng.standard_normal(n)


def test_the_last_residual_has_no_rounding_errors():
    A, x, b = noise(9, 9) * 10.0 ** np.arange(9), noise(9), noise(9)
    b += A @ x
    out = np.empty(9)
    accurate_residual(sp.csr_array(A), x, b, out)
    exact = np.array([float(value) for value in exact_residual(A, x, b)])
    np.testing.assert_allclose(out, exact, rtol=1e-15)
    b -= exact
    accurate_residual(sp.csr_array(A), x, b, out)
    np.testing.assert_allclose(out, [float(value) for value in exact_residual(A, x, b)], rtol=1e-10)


def test_it_says_when_rounding_errors_hide_the_residual():
    hidden = 0
    for seed in range(60):
        A, b = badly_scaled(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            x = sg.smoothed_aggregation(A).solve(b)
        residual = math.sqrt(sum(value * value for value in exact_residual(A, x, b)))
        if residual > (1 + 1e-12) * 1e-8 * np.linalg.norm(b):
            assert [warning.category for warning in caught] == [sg.ConvergenceWarning]
            hidden += "rounding errors hid" in str(caught[0].message)
    assert hidden


@pytest.mark.parametrize("n", [0, 1])
def test_very_small(n):
    solver = sg.smoothed_aggregation(sp.csr_array(4 * np.eye(n)))
    assert np.array_equal(solver.solve(np.ones(n)), np.full(n, 0.25))
    assert solver.solve(np.ones((n, 2))).shape == (n, 2)
    assert "1 level" in repr(solver)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e307])
def test_any_scale(scale):
    A = gallery.laplacian((20, 20))
    b = noise(400)
    assert off(A, scale * sg.smoothed_aggregation(scale * A, coarse_size=50).solve(b), b) <= 1e-8


def test_blocks_of_one_do_not_hide_translations():
    A, modes = gallery.elasticity_3d((4, 4, 4))
    levels = [sg.smoothed_aggregation(form, modes, coarse_size=50).levels for form in (A, A.tobsr((1, 1)))]
    assert levels[0][0].labels.tolist() == levels[1][0].labels.tolist()


def test_nothing_to_aggregate():
    A = sp.diags_array(1 + np.arange(5000.0)).tocsr()
    x = sg.smoothed_aggregation(A).solve(np.ones(5000))
    np.testing.assert_allclose(x, 1 / (1 + np.arange(5000)), rtol=1e-6)


def broken(change):
    A = sp.csr_array(gallery.laplacian((4, 4)))
    change(A)
    return A


@pytest.mark.parametrize(
    ("matrix", "error", "message"),
    [
        (sp.csr_array((3, 4)), ValueError, r"must be square, got shape \(3, 4\)"),
        (broken(lambda A: A.data.__setitem__(4, np.nan)), ValueError, r"A\[1, 1\] is nan"),
        (broken(lambda A: A.data.__setitem__(0, 0)), ValueError, r"A\[0, 0\], on the diagonal, is zero or missing"),
        (sp.csr_array(np.array([[1.0, 2], [2, 0]])), ValueError, r"A\[1, 1\], on the diagonal"),
        (gallery.laplacian((3, 3)) * 1e-320, ValueError, r"A\[0, 0\] is 4e-320, too small to divide by"),
        (broken(lambda A: A.indices.__setitem__(3, 99)), ValueError, "row 1 of A is broken"),
        (broken(lambda A: A.indptr.__setitem__(1, 999)), ValueError, "row 0 of A is broken"),
        (sg.from_edges([0], [1], symmetrize=True), ValueError, "a graph without weights"),
        ("A", TypeError, "must be a sparse array of SciPy"),
    ],
)
def test_matrices_that_are_refused(matrix, error, message):
    with pytest.raises(error, match=message):
        sg.smoothed_aggregation(matrix)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"smoother": "sor"}, "smoother must be one of chebyshev, jacobi.*'sor'"),
        ({"smoother": ("jacobi", {"omega": 1})}, "smoother 'jacobi' has no option omega; it has sweeps, damping"),
        ({"smoother": ("jacobi", {"sweeps": 0})}, "sweeps must be at least 1, got 0"),
        ({"smoother": ("chebyshev", {"lower": 2})}, "upper must be above 2, got 1.1"),
        ({"smoother": 3}, "a smoother is a name or a pair"),
        ({"aggregate": "greedy"}, "aggregate must be one of mis2, .*'greedy'"),
        ({"strength": 1.5}, "strength must be at least 0 and below 1"),
        ({"B": np.ones(5)}, r"B must have shape \(36,\) or \(36, k\), got \(5,\)"),
        ({"B": np.zeros((36, 1))}, "column 0 of B is zero"),
        ({"block_size": 5}, "block_size 5 does not divide the 36 rows"),
        ({"B": np.full((36, 2), [1, 1e-200])}, "column 1 of B is too small or too large"),
        ({"coarse_size": 0}, "coarse_size must be at least 1, got 0"),
        ({"damping": 3}, "damping must be at least 0 and below 2, got 3"),
    ],
)
def test_options_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        sg.smoothed_aggregation(gallery.laplacian((6, 6)), **options)


@pytest.mark.parametrize(
    ("name", "message"), [("rtol", "use tol="), ("atol", "pass tol=atol"), ("callback", "progress=")]
)
def test_scipys_names_of_options_lead_to_ours(solver, name, message):
    with pytest.raises(TypeError, match=f"^solve has no option '{name}'; .*{message}"):
        solver.solve(np.ones(solver.shape[0]), **{name: 1e-8})


def test_a_strength_is_a_number_and_not_a_pair_as_pyamgs():
    with pytest.raises(TypeError, match=r"strength must be a number, got \('symmetric'"):
        sg.smoothed_aggregation(gallery.laplacian((6, 6)), strength=("symmetric", {"theta": 0.25}))


@pytest.mark.parametrize(
    ("b", "options", "error", "message"),
    [
        (np.ones(5), {}, ValueError, r"b must have shape \(9240,\) or \(9240, k\), got \(5,\)"),
        (np.full(9240, np.inf), {}, ValueError, r"b\[0\] is inf"),
        (np.ones(9240), {"x0": np.ones((9240, 2))}, ValueError, "x0 must have the shape of b"),
        (
            np.ones(9240),
            {"x0": np.full(9240, 1e200)},
            np.linalg.LinAlgError,
            "the first residual, b - A x0, is inf: leave x0 out",
        ),
        (np.ones(9240), {"tol": 0}, ValueError, "tol must be above 0, got 0"),
        (np.ones(9240), {"maxiter": -1}, ValueError, "maxiter must be at least 0, got -1"),
        (np.ones(9240), {"accel": "gmres"}, ValueError, "accel must be one of cg or None; got 'gmres'"),
        (np.ones(9240), {"cycle": "Y"}, ValueError, "cycle must be one of V, W, F; got 'Y'"),
    ],
)
def test_right_hand_sides_that_are_refused(solver, b, options, error, message):
    with pytest.raises(error, match=message):
        solver.solve(b, **options)


def test_nobody_s_arrays_are_changed(poisson):
    A, b, x0 = poisson.copy(), noise(poisson.shape[0]), noise(poisson.shape[0])
    before = A.data.copy(), b.copy(), x0.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sg.smoothed_aggregation(A, B=np.ones(A.shape[0])).solve(b, x0)
    assert all(np.array_equal(old, new) for old, new in zip(before, (A.data, b, x0), strict=True))


@pytest.mark.parametrize("accel", ["cg", None])
@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e-120, 1e120, 1e160, 1e300])
def test_right_hand_sides_of_any_size(accel, size):
    solver = sg.smoothed_aggregation(gallery.laplacian((6, 6)))
    b = np.linspace(1, 2, 36)
    x, sizes = solver.solve(size * b, accel=accel, residuals=(residuals := [])), residuals
    assert np.allclose(x / size, solver.solve(b, accel=accel), rtol=1e-6)
    assert sizes[0] == pytest.approx(size * np.linalg.norm(b), rel=1e-9, abs=5e-324)
