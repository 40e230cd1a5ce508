"""The choice of a method by `solve`: solutions, reasons, determinism, the count of a factorization, and bad input."""

import logging
import re

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.solvers.elimination_work import elimination_work
from stablegraph.solvers.low_degree import eliminate_low_degrees
from tests.support.cases import each

METHODS = ("auto", "multigrid", "diagonal", "direct")


def off(A, x, b):
    return np.linalg.norm(b - A @ x) / np.linalg.norm(b)


def noise(*shape):
    return np.random.default_rng(5).standard_normal(shape)


def shifted_laplacian(graph, shift=0.1):
    pattern = sg.as_graph(graph).to_scipy().astype(float)
    pattern.data[:] = 1.0
    pattern.setdiag(0)
    return sp.csr_array(sp.diags_array(pattern.sum(axis=1) + shift) - pattern)


def tree(n, seed=0):
    parents = np.random.default_rng(seed).integers(0, np.arange(1, n))
    return sg.from_edges(parents, np.arange(1, n), symmetrize=True)


def stiff_grid(side=60):
    """Return a badly scaled matrix with large positive entries, which multigrid does not solve."""
    A = gallery.laplacian((side, side))
    signs = np.where(np.arange(A.shape[0]) % 2, -1.0, 1.0) * 10.0 ** (np.arange(A.shape[0]) % 4)
    return sp.csr_array(sp.diags_array(signs) @ A @ sp.diags_array(signs))


MATRICES = {
    "empty": sp.csr_array((0, 0)),
    "one": sp.csr_array([[2.0]]),
    "diagonal": sp.csr_array(sp.diags_array(np.arange(1.0, 30))),
    "grid": gallery.laplacian((17, 19)),
    "dense": np.eye(12) * 13 - 1,
    "tree": shifted_laplacian(tree(300)),
    "hermitian": sp.csr_array(
        gallery.laplacian((9, 9)) + sp.eye_array(81) + 0.5j * (sp.eye_array(81, k=1) - sp.eye_array(81, k=-1))
    ),
}


@each(name=MATRICES, method=METHODS, columns=[None, 1, 3])
def test_every_method_solves_to_the_tolerance(name, method, columns):
    A = MATRICES[name]
    n = A.shape[0]
    b = noise(n) if columns is None else noise(n, columns)
    x, info = sg.solve(A, b, method=method, tol=1e-9, return_info=True)
    assert x.shape == b.shape
    if n:
        for j in range(columns or 1):
            column = (slice(None), j) if columns else slice(None)
            assert off(A, x[column], b[column]) <= 1.01e-9
        assert info["residual"] <= 1.01e-9
        assert method in ("auto", info["method"])


def test_the_same_bits_for_any_number_of_threads(threads):
    for A in (gallery.laplacian((30, 30, 12)), stiff_grid(), shifted_laplacian(tree(6000))):
        b = noise(A.shape[0])
        with use_target("cpu", workers=5):
            expected = sg.solve(A, b)
        assert (sg.solve(A, b) == expected).all()


def test_a_small_system_is_factored_at_once():
    _, info = sg.solve(gallery.laplacian((40, 40)), noise(1600), return_info=True)
    assert info["method"] == "direct"
    assert [attempt["method"] for attempt in info["attempts"]] == ["direct"]


def test_a_well_conditioned_system_needs_no_hierarchy():
    A = shifted_laplacian(gallery.uniform_random(20_000, 16), shift=5)
    _, info = sg.solve(A, noise(20_000), return_info=True)
    assert info["method"] == "diagonal"


def test_an_elliptic_problem_is_left_to_multigrid(caplog):
    A = gallery.laplacian((200, 200))
    with caplog.at_level(logging.INFO, "stablegraph.solvers"):
        _, info = sg.solve(A, noise(A.shape[0]), return_info=True)
    assert info["method"] == "multigrid"
    assert re.match(r"expected to be the fastest after \d+ iterations of diagonal$", info["reason"])
    assert "multigrid" in caplog.text


def test_multigrid_that_does_not_converge_is_replaced():
    A = stiff_grid()
    b = noise(A.shape[0])
    with pytest.warns(sg.ConvergenceWarning, match=r"multigrid: maxiter=5 .*and the residual grew from"):
        sg.solve(A, b, method="multigrid", maxiter=5)
    x, info = sg.solve(A, b, return_info=True)
    assert info["method"] == "direct"
    assert off(A, x, b) <= 1e-8


def test_modes_and_blocks_for_elasticity():
    A, modes = gallery.elasticity_3d((12, 6, 6))
    b = noise(A.shape[0])
    for options in ({"B": modes}, {"block_size": 3}):
        x, info = sg.solve(A, b, method="multigrid", return_info=True, **options)
        assert off(A, x, b) <= 1e-8
        assert info["iterations"] < 40


@each(method=METHODS)
def test_a_singular_matrix_with_its_null_space(method):
    A = shifted_laplacian(gallery.grid((30, 20)), shift=0.0)
    b, ones = noise(600), np.ones(600)
    with pytest.warns(sg.ConvergenceWarning, match="inconsistent"):
        x, info = sg.solve(A, b, method=method, nullspace=ones, return_info=True)
    assert off(A, x, b - b.mean()) <= 1e-8
    assert info["residual"] == pytest.approx(off(A, x, b), rel=1e-9)
    assert info["consistent_residual"] <= 1e-8
    assert info["converged"]
    assert abs(x.mean()) < 1e-9
    with pytest.warns(sg.ConvergenceWarning, match="inconsistent"):
        assert not sg.solve(A, ones, method=method, nullspace=ones).any()


# ------------------------------------------------------------------------------------------ elimination and its count


def exact_minimum_degree(A):
    """Return the multiplications and entries of elimination by exact minimum degrees; ties by the smallest id."""
    neighbors = {i: set(np.flatnonzero(row)) - {i} for i, row in enumerate(A.toarray())}
    work = entries = 0
    while neighbors:
        i = min(neighbors, key=lambda v: (len(neighbors[v]), v))
        clique = neighbors.pop(i)
        work, entries = work + (len(clique) + 1) ** 2, entries + len(clique) + 1
        for j in clique:
            neighbors[j] = (neighbors[j] | clique) - {i, j}
    return work, entries


@each(name=["tree", "grid", "diagonal"])
def test_the_count_is_that_of_minimum_degree(name):
    work, entries = elimination_work(sp.csr_array(MATRICES[name]), 1e12, 10**6)
    expected_work, expected_entries = exact_minimum_degree(MATRICES[name])
    assert expected_entries * 0.8 <= entries <= 1.25 * expected_entries
    assert expected_work * 0.7 <= work <= 1.4 * expected_work
    if name != "grid":  # without cycles the count is exact
        assert (work, entries) == (expected_work, expected_entries)


def test_the_count_is_the_same_on_the_python_target():
    A = gallery.laplacian((7, 6))
    with use_target("python"):
        slow = elimination_work(A, 1e12, 10**5)
    assert slow == elimination_work(A, 1e12, 10**5)


def test_the_count_ends_at_its_limits():
    A = gallery.laplacian((20, 20, 20))
    assert elimination_work(A, 1e4, 10**7)[0] == np.inf
    assert elimination_work(A, 1e12, 100)[0] == np.inf


def test_a_tree_vanishes_and_its_solution_returns():
    A = shifted_laplacian(tree(2000))
    elimination = eliminate_low_degrees(A)
    assert elimination.matrix.shape[0] < 150
    b = noise(2000)
    reduced = elimination.reduce(b)
    x = elimination.recover(b, np.linalg.solve(elimination.matrix.toarray(), reduced))
    assert off(A, x, b) < 1e-13


def test_low_degrees_of_a_large_tree_are_eliminated():
    A = shifted_laplacian(tree(8000))
    x, info = sg.solve(A, noise(8000), return_info=True, tol=1e-10)
    assert info["eliminated"] > 7000
    assert off(A, x, noise(8000)) <= 1e-10


# ---------------------------------------------------------------------------------------------------------- bad input


def test_an_unsymmetric_matrix():
    A = sp.csr_array(gallery.laplacian((20, 20)) + sp.eye_array(400, k=1))
    x, info = sg.solve(A, noise(400), return_info=True)
    assert info["method"] == "direct"
    assert off(A, x, noise(400)) <= 1e-8
    for method in ("multigrid", "diagonal"):
        with pytest.raises(
            ValueError,
            match=rf"A\[1, 0\] has no partner .*{method} needs a symmetric matrix .*\(A, b, method='direct'\)",
        ):
            sg.solve(A, noise(400), method=method)


def test_an_indefinite_matrix_is_factored():
    A = sp.csr_array(gallery.laplacian((30, 30)) - 2 * sp.eye_array(900))
    x, info = sg.solve(A, noise(900), return_info=True)
    assert info["method"] == "direct"
    assert off(A, x, noise(900)) <= 1e-8
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        sg.solve(A, noise(900), method="diagonal")


GRID = gallery.laplacian((15, 16))
COUNT = GRID.shape[0]
EYE = sp.eye_array(COUNT, format="csr")
FLOATING = sp.csr_array(GRID - sp.diags_array(GRID @ np.ones(COUNT)))
ROTATED = sp.csr_array(sp.diags_array(np.exp(1j * np.arange(COUNT))))
NOT_POSITIVE = {  # with the null space
    "indefinite": (GRID - 0.3 * EYE, None),
    "strongly indefinite": (GRID - 4.001 * EYE, None),
    "indefinite, Hermitian": (ROTATED @ (GRID - 0.3 * EYE) @ ROTATED.conj(), None),
    "negative definite": (-GRID, None),
    "negative definite, Hermitian": (-ROTATED @ GRID @ ROTATED.conj(), None),
    "negative semidefinite": (-FLOATING, np.ones(COUNT)),
    "nearly zero diagonal": (sp.diags_array([1.0, 1e-12, 1.0], offsets=[-1, 0, 1], shape=(COUNT, COUNT)), None),
    "zero diagonal": (sp.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(COUNT, COUNT)), None),
    "saddle point": (sp.block_array([[GRID, EYE[:, :80]], [EYE[:80], None]]), None),
    "damped": (GRID + 0.1j * EYE, None),
    "unsymmetric": (GRID + sp.eye_array(COUNT, k=1), None),
}
SIZES = {"all small": {}, "all large": {"candidates._SMALL": 0, "solve._MIN_ROWS": 1}}


@each(name=NOT_POSITIVE, size=SIZES, columns=[None, 3])
def test_matrices_that_are_not_positive_definite_in_every_size_class(name, size, columns, monkeypatch):
    for threshold, value in SIZES[size].items():
        monkeypatch.setattr(f"stablegraph.solvers.{threshold}", value)
    A, nullspace = NOT_POSITIVE[name]
    A = sp.csr_array(A)
    b = A @ noise(A.shape[0], *([] if columns is None else [columns]))
    for method in METHODS if name.startswith("negative") else ("auto", "direct"):
        x, info = sg.solve(A, b, nullspace=nullspace, method=method, return_info=True)
        assert off(A, x, b) <= 1e-8
        assert info["converged"]


def test_a_large_indefinite_matrix_is_factored():
    A = sp.csr_array(gallery.laplacian((150, 150)) - 0.3 * sp.eye_array(22_500))
    x, info = sg.solve(A, noise(22_500), return_info=True)
    assert (info["method"], off(A, x, noise(22_500)) <= 1e-8) == ("direct", True)
    assert re.search(
        r"after diagonal failed \(p . A p = \S+ in iteration \d+: .* not positive definite\)$", info["reason"]
    )


@each(method=METHODS, columns=[None, 2])
def test_complex_right_hand_sides_beside_a_real_matrix(method, columns):
    shape = (COUNT,) if columns is None else (COUNT, columns)
    b = noise(*shape) + 1e-3j * noise(*shape)[::-1]
    x, info = sg.solve(GRID, b, method=method, return_info=True)
    assert x.dtype == np.complex128
    assert off(GRID, x, b) <= 1e-8
    expected = max(off(GRID, x[:, j], b[:, j]) for j in range(columns)) if columns else off(GRID, x, b)
    assert info["residual"] == pytest.approx(expected, rel=1e-3, abs=1e-15)


def test_too_few_iterations_are_a_warning():
    A = gallery.laplacian((50, 50))
    with pytest.warns(
        sg.ConvergenceWarning, match=r"diagonal: maxiter=3 iterations were not enough, and the residual grew from 50 to"
    ):
        sg.solve(A, np.ones(2500), method="diagonal", maxiter=3)


@each(
    case=[
        (lambda A, b: sg.solve(A, b[:3]), ValueError, r"b must have shape \(9,\)"),
        (lambda A, b: sg.solve(A, b * np.nan), ValueError, r"b\[0\] is nan"),
        (lambda A, b: sg.solve(A * np.nan, b), ValueError, r"A\[0, 0\] is nan"),
        (lambda A, b: sg.solve(A[:3], b), ValueError, r"A must be square"),
        (lambda A, b: sg.solve(0 * A, b), ValueError, r"all entries of A are zero: the system has no solution"),
        (lambda A, b: sg.solve(A, b, method="lu"), ValueError, r"method"),
        (lambda A, b: sg.solve(A, b, tol=0), ValueError, r"tol"),
        (lambda A, b: sg.solve(A, b, tolerance=1), TypeError, r"tol"),
        (lambda A, b: sg.solve("A", b), TypeError, r"A must be a sparse array of SciPy"),
    ]
)
def test_bad_input(case):
    call, error, message = case
    with pytest.raises(error, match=message):
        call(gallery.laplacian((3, 3)), np.ones(9))


def test_zero_right_hand_sides():
    x, info = sg.solve(gallery.laplacian((9, 9)), np.zeros((81, 2)), return_info=True)
    assert not x.any()
    assert info["reason"].startswith("b is zero")
