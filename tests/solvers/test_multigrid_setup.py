"""Setup of multigrid: every part compared with SciPy and NumPy; the same bits on any number of threads."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import memory
from stablegraph._core.csr import patterns
from stablegraph._core.csr.arrays import Pattern
from stablegraph._core.runtime import use_target
from stablegraph.solvers.coarse_level import hubs_of, tentative_values
from stablegraph.solvers.hierarchy import build_levels as build_levels_with
from stablegraph.solvers.hierarchy import partition, refresh_levels
from stablegraph.solvers.linalg import block_csr
from stablegraph.solvers.linalg.block_csr import entry_pattern, in_blocks, node_pattern
from stablegraph.solvers.linalg.spectral import inverse_diagonal, spectral_radius
from stablegraph.solvers.strength import filter_of, filtered, strong_pattern

DEFAULTS = {
    name: parameter.default
    for name, parameter in signature(sg.smoothed_aggregation).parameters.items()
    if name in signature(build_levels_with).parameters and name not in ("A", "B")
} | {"block_size": 1}


def build_levels(A, B, **options):
    return build_levels_with(A, B, **{**DEFAULTS, **options})


def ones(A):
    return np.ones((A.shape[0], 1))


def isolated_unknowns():
    """Return a grid between isolated unknowns."""
    A = sp.block_diag([sp.eye_array(5), gallery.laplacian((12, 13)), 2 * sp.eye_array(7)], format="csr")
    A = sp.csr_array(A)
    A.sort_indices()
    return A


def anisotropic():
    """Return a matrix with strong connections along one axis only."""
    line = gallery.laplacian((18,))
    A = sp.csr_array(sp.kron(line, sp.eye_array(18)) + 0.01 * sp.kron(sp.eye_array(18), line))
    A.sort_indices()
    return A


def laplacian(n, u, v):
    """Return the Laplacian of a graph, plus 0.01 on the diagonal."""
    W = sp.coo_array((np.ones(len(u)), (u, v)), shape=(n, n))
    W = sp.csr_array(W + W.T)
    A = sp.csr_array(sp.diags_array(W.sum(axis=1) + 0.01) - W)
    A.sort_indices()
    return A


def wheel(n):
    rim = np.arange(1, n)
    return laplacian(n, np.r_[0 * rim, rim], np.r_[rim, np.roll(rim, 1)])


def friendship(n):
    """Return triangles that share one vertex; the first vertices of half of them form a path."""
    others, first = np.arange(1, n), np.arange(1, n - 1, 2)
    return laplacian(n, np.r_[0 * others, first, first[:-1]], np.r_[others, first + 1, first[1:]])


def common_hubs(n):
    """Return three hubs, adjacent to all other vertices, which form a path."""
    path = np.arange(3, n)
    return laplacian(n, np.r_[np.repeat([0, 1, 2], n - 3), path[:-1]], np.r_[np.tile(path, 3), path[1:]])


def grid_in_a_hub(n):
    """Return a square grid, all of whose vertices are adjacent to the last vertex."""
    side = int((n - 1) ** 0.5)
    grid = np.arange(side * side).reshape(side, side)
    u = np.r_[grid[1:].ravel(), grid[:, 1:].ravel(), grid.ravel()]
    return laplacian(side * side + 1, u, np.r_[grid[:-1].ravel(), grid[:, :-1].ravel(), 0 * grid.ravel() + side * side])


HUBS = [wheel, friendship, common_hubs, grid_in_a_hub]


def varied(A):
    """Return other values in the same pattern, still symmetric and diagonally dominant."""
    if A.format == "bsr":
        return varied(A.tocsr()).tobsr(A.blocksize)
    scale = 1 + 0.1 * np.sin(np.arange(A.shape[0]))
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return sp.csr_array((A.data * scale[rows] * scale[A.indices], A.indices, A.indptr), shape=A.shape)


def problems():
    scalar = gallery.laplacian((11, 10, 9))
    block, modes = gallery.elasticity_3d((4, 5, 6))
    noise = np.random.default_rng(3).uniform(-1, 1, (scalar.shape[0], 3))
    wide = sp.csr_array(scalar.shape)
    wide.data, wide.indices, wide.indptr = scalar.data, scalar.indices, scalar.indptr.astype(np.int64)
    yield "scalar", scalar, ones(scalar), {}
    yield "several columns", scalar, noise, {}
    blocks = in_blocks(block, 3)
    yield "blocks", blocks, modes, {"block_size": 3}
    yield "blocks, entry by entry", block, modes, {"block_size": 3}
    yield "blocks without structure", block, modes[:, :1], {}
    yield "not smoothed", scalar, ones(scalar), {"damping": 0}
    yield "blocks not smoothed", blocks, modes, {"damping": 0, "block_size": 3}
    yield "isolated unknowns", isolated_unknowns(), ones(isolated_unknowns()), {}
    yield "strong connections", anisotropic(), ones(anisotropic()), {"strength": 0.1}
    yield "strong blocks", blocks, modes, {"strength": 0.1, "block_size": 3}
    yield "strong blocks, entry by entry", block, modes, {"strength": 0.1, "block_size": 3}
    yield "64-bit row pointers", wide, ones(wide), {}
    yield "varied", varied(scalar), noise[:, :1], {"aggregate": "kokkos"}
    spokes, couple = wheel(800), np.array([[2.0, 1.0], [1.0, 3.0]])
    coupled = sp.csr_array(sp.kron(spokes, couple))
    coupled.sort_indices()
    yield "hub", spokes, ones(spokes), {}
    yield "hub of blocks", in_blocks(coupled, 2), np.tile(np.eye(2), (800, 1)), {"block_size": 2}
    yield "hub of blocks, entry by entry", coupled, np.tile(np.eye(2), (800, 1)), {"block_size": 2}


PROBLEMS = {name: rest for name, *rest in problems()}
each_problem = pytest.mark.parametrize("problem", PROBLEMS.values(), ids=PROBLEMS)


def hierarchy(problem, **more):
    A, B, options = problem
    return build_levels(A, B, **{"coarse_size": 20, **options, **more})


def arrays_of(levels):
    for level in levels:
        yield from (level.inverse_diagonal, np.array(level.rho), level.B)
        for matrix in (level.A, level.P, level.R):
            if matrix is not None:
                yield from (matrix.indptr, matrix.indices, matrix.data)


def assert_same(first, second):
    first, second = list(arrays_of(first)), list(arrays_of(second))
    assert len(first) == len(second)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


def tentative(level):
    """Return T as a matrix, by NumPy's QR of the rows of each aggregate; and the coordinates of B in its columns."""
    width, k = level.A.shape[0] // level.labels.size, level.B.shape[1]
    labels = np.repeat(level.labels, width)
    count = labels.max() + 1
    T, coarse_B = np.zeros((labels.size, count * k)), np.zeros((count * k, k))
    for label in range(count):
        rows = np.flatnonzero(labels == label)
        Q, R = np.linalg.qr(level.B[rows])
        signs = np.where(R.diagonal() < 0, -1, 1)
        columns = slice(label * k, label * k + R.shape[0])
        T[rows, columns], coarse_B[columns] = Q * signs, R * signs[:, None]
    return T, coarse_B


def unused(B):
    """Return the coarse unknowns that no fine unknown depends on."""
    k = B.shape[1]
    return B.reshape(-1, k, k).diagonal(axis1=1, axis2=2).ravel() == 0


def assert_close(got, expected):
    assert abs(got - expected).max() <= 1e-13 * max(1, abs(expected).max())


@each_problem
def test_levels_are_what_scipy_makes_of_them(problem):
    levels = hierarchy(problem)
    assert len(levels) > 1
    damping = problem[2].get("damping", DEFAULTS["damping"])
    for level, coarser in pairwise(levels):
        T, coarse_B = tentative(level)
        assert_close(coarser.B, coarse_B)
        smoother, rho = level.A, level.rho
        if level.plan.kept is not None:
            smoother = filtered(level.A, level.plan.kept)
            rho = spectral_radius(smoother, *inverse_diagonal(smoother))
        smoothed = T - (damping / rho * inverse_diagonal(smoother)[0])[:, None] * (smoother @ T)
        assert_close(level.P.toarray(), smoothed)
        assert_close(level.R.toarray(), level.P.toarray().T)
        product = sp.csr_array(level.R @ level.A @ level.P) + sp.diags_array(unused(coarser.B).astype(float))
        assert_close(coarser.A.toarray(), product.toarray())
        for matrix in (level.P, level.R, coarser.A):
            matrix.check_format()
            rows = np.split(matrix.indices, matrix.indptr[1:-1])
            assert all((np.diff(row) > 0).all() for row in rows)


@each_problem
def test_same_bits_on_any_number_of_threads(problem, monkeypatch):
    monkeypatch.setattr(import_module("stablegraph._core.runtime.kernel"), "_WORTH_A_THREAD", 64)
    before = sg.num_threads()
    results = []
    for threads in (1, 2, 3):
        sg.set_num_threads(threads)
        results.append(hierarchy(problem))
    sg.set_num_threads(before)
    assert_same(results[0], results[1])
    assert_same(results[0], results[2])


@pytest.mark.parametrize("name", ["scalar", "blocks", "strong blocks"])
def test_same_bits_in_any_schedule(name):
    A, B = (gallery.laplacian((5, 4, 4)), None) if name == "scalar" else gallery.elasticity_3d((2, 3, 3))
    options = PROBLEMS[name][2]
    small = in_blocks(A, options.get("block_size", 1)), ones(A) if B is None else B, options
    expected = hierarchy(small, coarse_size=5)
    with use_target("python", seed=1, workers=4):
        assert_same(hierarchy(small, coarse_size=5), expected)


@each_problem
def test_new_values_give_what_a_new_setup_gives(problem):
    A, B, options = problem
    levels = hierarchy(problem)
    before = [array.copy() for array in arrays_of(levels)]
    new = A if "strength" in options else varied(A)  # otherwise a new setup selects other strong connections
    assert_same(refresh_levels(levels, new), hierarchy((new, B, options)))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(arrays_of(levels), before, strict=True))


def test_full_buffers_and_short_steps_change_nothing(monkeypatch):
    expected = hierarchy(PROBLEMS["blocks"])
    monkeypatch.setattr(patterns, "_ROOM", 1)
    monkeypatch.setattr(block_csr, "_VALUES_PER_CALL", 50)
    assert_same(hierarchy(PROBLEMS["blocks"]), expected)


def test_aggregates_are_those_of_aggregate():
    A = gallery.laplacian((20, 20, 20))
    levels = build_levels(A, ones(A))
    assert levels[0].labels.tolist() == sg.aggregate(A)[1].tolist()
    assert levels[1].A.shape == (1206, 1206)


# --------------------------------------------------------------------------------------------------------------- hubs


@pytest.mark.parametrize("family", HUBS)
def test_hubs_do_not_make_levels_dense(family):
    A = family(3000)
    solver = sg.smoothed_aggregation(A, coarse_size=100)
    assert len(solver.levels) > 1
    assert sum(level.A.nnz for level in solver.levels[1:]) <= A.nnz
    residuals = []
    solver.solve(np.sin(np.arange(A.shape[0])), residuals=residuals)
    assert len(residuals) <= 12


@pytest.mark.parametrize("family", HUBS)
def test_only_hubs_are_left_unsmoothed(family):
    A = family(3000)
    level = build_levels(A, ones(A), coarse_size=100)[0]
    hub = np.diff(A.indptr) > 1000
    T, _ = tentative(level)
    assert_close(level.P.toarray()[hub], T[hub])
    smoothed = (A != 0).astype(int) @ (T != 0) > 0
    assert np.array_equal(level.P.toarray()[~hub] != 0, smoothed[~hub])


def test_the_bound_on_products_is_kept_by_the_longest_rows_that_fit():
    nodes = node_pattern(wheel(3000), 1)
    P = Pattern(nodes.indptr, nodes.indices)  # as if every vertex were an aggregate
    assert hubs_of(nodes, P, 3000).nonzero()[0].tolist() == [0]


def random_graph(n, degree):
    u, v = np.random.default_rng(degree).integers(0, n, (2, n * degree // 2))
    return laplacian(n, u[u != v], v[u != v])


@pytest.mark.parametrize(
    "A",
    [gallery.laplacian((5000,)), gallery.laplacian((70, 70)), gallery.laplacian((17, 17, 17)), isolated_unknowns()]
    + [random_graph(3000, degree) for degree in (3, 6, 20)],
)
def test_even_matrices_have_no_hubs(A):
    levels = build_levels(A, ones(A), coarse_size=50)
    assert all(level.plan.kept is None for level in levels[:-1])


def test_what_is_larger_than_the_memory_is_refused_in_words(monkeypatch):
    A = gallery.laplacian((100, 100))
    monkeypatch.setattr(memory, "free_memory", lambda: 200_000)
    with pytest.raises(MemoryError, match=r"the memory is short: [\d,]+ entries, .* GB, .*a coarser level; damping=0"):
        sg.smoothed_aggregation(A)


# ------------------------------------------------------------------------------------------------- the near-nullspace


def test_columns_that_depend_on_others_become_zero():
    B = np.array([[1.0, 2, 0], [1, 2, 1], [1, 2, 3], [5, 0, 1], [0, 0, 0], [7, 7, 7]])
    aggregates = partition(3, np.array([0, 0, 0, 1, 2, -1], np.int32))
    T, R = tentative_values(B, aggregates, 1)
    assert T.shape == (5, 3)
    for rows, part in ((slice(0, 3), slice(0, 3)), (slice(3, 4), slice(3, 6)), (slice(4, 5), slice(6, 9))):
        assert_close(T[rows] @ R[part], B[rows])
        assert_close(T[rows].T @ T[rows], np.diag((R[part].diagonal() != 0) * 1.0))
    assert unused(R).tolist() == [False, True, False, False, True, True, True, True, True]


def test_columns_are_orthogonal_also_where_they_are_nearly_parallel():
    rows = np.arange(8.0)
    B = np.stack([np.ones(8), 1 + 1e-7 * rows, 1 + 1e-7 * rows**2], axis=1)
    T, R = tentative_values(B, partition(1, np.zeros(8, np.int32)), 1)
    assert_close(T.T @ T, np.eye(3))
    assert_close(T @ R, B)


def test_unused_unknowns_do_not_make_the_coarse_matrix_singular():
    A, modes = gallery.elasticity_3d((3, 3, 3))
    levels = build_levels(A, np.hstack([modes, modes[:, :1]]), block_size=3, coarse_size=20)
    assert unused(levels[1].B).any()
    assert np.linalg.eigvalsh(levels[-1].A.toarray()).min() > 1e-6


def test_unknowns_that_hang_on_nobody_are_in_no_aggregate():
    level = build_levels(isolated_unknowns(), ones(isolated_unknowns()), coarse_size=20)[0]
    assert (level.labels < 0).nonzero()[0].tolist() == [*range(5), *range(161, 168)]
    assert level.P[[0, 165]].nnz == 0


# --------------------------------------------------------------------------------------------------- strength, spectrum


@pytest.mark.parametrize("width", [1, 3])
def test_the_filtered_matrix_does_with_constants_what_the_matrix_does(width):
    A = anisotropic() if width == 1 else gallery.elasticity_3d((4, 5, 6))[0]
    nodes = node_pattern(A, width)
    theta = 0.1
    norms = np.zeros((nodes.rows,) * 2)
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    np.add.at(norms, (rows // width, A.indices // width), A.data**2)
    norms = np.sqrt(norms)
    strong = (norms > 0) & (norms >= theta * np.sqrt(np.outer(norms.diagonal(), norms.diagonal())))
    pattern = strong_pattern(in_blocks(A, width), nodes, theta)
    by_entries = strong_pattern(A, nodes, theta)
    assert [array.tolist() for array in pattern] == [array.tolist() for array in by_entries]
    result = sp.csr_array((np.ones(pattern.indices.size), pattern.indices, pattern.indptr), shape=norms.shape)
    assert (result.toarray() == strong).all()
    assert strong.sum() < nodes.indices.size
    blocks = in_blocks(A, width)
    weak_gone = filtered(blocks, filter_of(blocks, pattern, 1)).tocsr()
    entries = filtered(A, filter_of(A, entry_pattern(pattern, width), width))
    assert abs(weak_gone - entries).max() == 0
    assert not weak_gone.toarray()[np.kron(~strong, np.ones((width, width))) > 0].any()
    constants = np.tile(np.eye(width), (nodes.rows, 1))
    assert_close(weak_gone @ constants, A @ constants)


def test_weak_entries_of_a_hub_go_to_its_diagonal():
    """Half of a long row is weak, half is not; the time is still nearly linear."""
    n = 200_001
    legs = np.arange(1, n)
    weights = np.where(legs % 2, 1.0, 1e-3)
    star = sp.coo_array((weights, (0 * legs, legs)), shape=(n, n))
    A = sp.csr_array(4 * sp.eye_array(n) - star - star.T)
    A.sort_indices()
    weak_gone = filtered(A, filter_of(A, strong_pattern(A, node_pattern(A, 1), 0.1), 1))
    assert weak_gone.nnz == n + 2 * (legs % 2).sum()
    np.testing.assert_allclose(weak_gone @ np.ones(n), A @ np.ones(n))


@pytest.mark.parametrize("name", ["scalar", "blocks", "varied"])
@pytest.mark.parametrize("sign", [1, -1])
def test_rho_is_nearly_the_spectral_radius(name, sign):
    A = sign * PROBLEMS[name][0]
    root = 1 / np.sqrt(np.abs(A.diagonal()))
    true = np.abs(np.linalg.eigvalsh((sp.diags_array(root) @ A @ sp.diags_array(root)).toarray())).max()
    inverse, bound = inverse_diagonal(A)
    assert_close(inverse, 1 / A.diagonal())
    assert 0.9 * true <= spectral_radius(A, inverse, bound) <= true * (1 + 1e-12) <= bound * (1 + 1e-11)


def test_rho_of_few_unknowns_is_exact():
    A = gallery.laplacian((3,))
    assert spectral_radius(A, *inverse_diagonal(A)) == pytest.approx(1 + np.sqrt(0.5))
    identity = sp.csr_array(sp.eye_array(50))
    assert spectral_radius(identity, *inverse_diagonal(identity)) == pytest.approx(1)


def test_rho_is_a_bound_where_the_theory_ends():
    A = gallery.laplacian((9, 9))
    wind = A + sp.csr_array(sp.diags_array(np.full(80, 0.3), offsets=1) - sp.diags_array(np.full(80, 0.3), offsets=-1))
    saddle = A @ sp.diags_array(np.where(np.arange(81) % 2, -1.0, 1.0))
    for matrix in (sp.csr_array(wind), sp.csr_array(saddle)):
        inverse, bound = inverse_diagonal(matrix)
        rows = np.abs(sp.diags_array(inverse) @ matrix).sum(axis=1)
        assert spectral_radius(matrix, inverse, bound) == bound == pytest.approx(rows.max())


# ---------------------------------------------------------------------------------------------- the coarsest level


def test_a_small_matrix_is_one_level():
    for A in (sp.csr_array((0, 0)), sp.csr_array([[2.0]]), gallery.laplacian((20,))):
        levels = build_levels(A, ones(A))
        assert len(levels) == 1
        assert (levels[0].P, levels[0].note) == (None, None)


def test_the_last_level_says_why_a_hierarchy_ends_early():
    grid, diagonal = gallery.laplacian((30, 30)), sp.csr_array(sp.eye_array(600))
    assert "maximum of 2 levels" in build_levels(grid, ones(grid), coarse_size=10, max_levels=2)[-1].note
    assert "600 unknowns would become 0" in build_levels(diagonal, ones(diagonal))[-1].note
    wide = np.random.default_rng(0).uniform(-1, 1, (900, 9))
    assert "900 unknowns would become" in build_levels(grid, wide)[-1].note


def test_products_of_patterns_may_have_empty_rows():
    remaining = Pattern(np.array([0, 0, 2, 2], np.int32), np.array([1, 0], np.int32))
    right = Pattern(np.array([0, 1, 3], np.int32), np.array([2, 2, 0], np.int32))
    product = block_csr.product_pattern(remaining, right, 3)
    assert (product.indptr.tolist(), product.indices.tolist()) == ([0, 0, 2, 2], [0, 2])


def test_the_first_rows_of_a_product_may_be_much_longer_than_others():
    n, length, long = 2_000_000, 1 << 20, 25
    remaining = Pattern(np.arange(n + 1, dtype=np.int32), (np.arange(n) >= long).astype(np.int32))
    right = Pattern(np.array([0, length, length], np.int32), np.arange(length, dtype=np.int32))
    product = block_csr.product_pattern(remaining, right, length)
    assert product.indices.size == product.indptr[long] == product.indptr[-1] == long * length
