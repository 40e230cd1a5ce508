"""Multigrid by the GPU sources, emulated: the CPU's aggregates and patterns, and solutions of the same quality."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import memory
from stablegraph._core.csr.arrays import Pattern
from stablegraph._core.csr.cuda import patterns as patterns_cuda
from stablegraph._core.csr.patterns import product_pattern, transposed, transposed_with_origins
from stablegraph.solvers.linalg.block_csr import matrix, product_values
from stablegraph.solvers.linalg.cuda import device_matrix
from stablegraph.solvers.linalg.spectral import inverse_diagonal, spectral_radius
from stablegraph.solvers.linalg.vectors import (
    accurate_residual,
    add_product,
    axpy,
    axpy_residual,
    dot,
    multiply,
    residual,
    xpby,
)
from tests.support.cases import each
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler


def random_matrix(rows, columns, density, height=1, width=1, seed=0):
    rng = np.random.default_rng(seed)
    pattern = sp.random_array((rows, columns), density=density, format="csr", rng=rng)
    pattern.sort_indices()
    data = rng.standard_normal((pattern.nnz, height, width))
    return Pattern(pattern.indptr, pattern.indices), data


def as_scipy(pattern, data, columns):
    height, width = data.shape[1:]
    return sp.bsr_array((data, pattern.indices, pattern.indptr), shape=(pattern.rows * height, columns * width))


@pytest.fixture(params=["as on a GPU", "small"])
def tables(request, monkeypatch):
    """Use tables of the real size, or so small that many rows are too long for them."""
    if request.param == "small":
        monkeypatch.setattr(patterns_cuda, "_LANE_BYTES", 4)
        monkeypatch.setattr(patterns_cuda, "_MAX_PAIRS", 3)
        monkeypatch.setattr(patterns_cuda, "_BLOCK_BYTES", 512)
        monkeypatch.setattr(patterns_cuda, "_WARP_BYTES", 128)


@each(pairs=True, lanes=[4, 8, 16, 32], diagonal=[False, True], density=[0.02, 0.3])
def test_patterns_of_products(density, diagonal, lanes, tables, monkeypatch):
    monkeypatch.setattr(patterns_cuda, "lanes_for", lambda wanted, of: lanes)
    remaining, _ = random_matrix(60, 500, density, seed=1)
    right, _ = random_matrix(500, 400, density, seed=2)
    expected = as_scipy(remaining, np.ones((remaining.indices.size, 1, 1)), 500) @ as_scipy(
        right, np.ones((right.indices.size, 1, 1)), 400
    )
    expected = sp.csr_array(expected + (sp.eye_array(60, 400) if diagonal else sp.csr_array((60, 400))))
    expected.sort_indices()
    with emulated_cuda(3):
        result = product_pattern(remaining, right, 400, diagonal=diagonal, purpose="a test")
    np.testing.assert_array_equal(result.indptr, expected.indptr)
    np.testing.assert_array_equal(result.indices, expected.indices)


@pytest.mark.parametrize("density", [0.1, 0.9])
def test_transposes(density, tables):
    pattern, _ = random_matrix(50, 70, density)
    expected = as_scipy(pattern, np.ones((pattern.indices.size, 1, 1)), 70).tocsr().T.tocsr()
    expected.sort_indices()
    with emulated_cuda():
        result, origins = transposed_with_origins(pattern, 70)
    np.testing.assert_array_equal(result.indptr, expected.indptr)
    np.testing.assert_array_equal(result.indices, expected.indices)
    np.testing.assert_array_equal(np.repeat(np.arange(70), np.diff(result.indptr)), pattern.indices[origins])


@pytest.mark.parametrize("sizes", [(1, 1), (3, 3), (3, 6), (6, 3)])
@pytest.mark.parametrize("density", [0.02, 0.5])
def test_products_with_vectors(sizes, density):
    (height, width), rng = sizes, np.random.default_rng(5)
    pattern, data = random_matrix(40, 70, density, *sizes)
    A = as_scipy(pattern, data, 70)
    x, b, out = rng.standard_normal(70 * width), rng.standard_normal(40 * height), np.empty(40 * height)
    with emulated_cuda():
        on_gpu = matrix(pattern, data, height, width, 70)
        multiply(on_gpu, x, out)
        np.testing.assert_allclose(out, A @ x, rtol=1e-12, atol=1e-12)
        add_product(on_gpu, x, out)
        np.testing.assert_allclose(out, 2 * (A @ x), rtol=1e-12, atol=1e-12)
        for form in (residual, accurate_residual):
            form(on_gpu, *((x, b, out)))
            np.testing.assert_allclose(out, b - A @ x, rtol=1e-12, atol=1e-12)
        np.testing.assert_array_equal(on_gpu.toarray(), A.toarray())


@pytest.mark.parametrize("sizes", [(1, 1, 1), (3, 3, 6), (6, 3, 6)])
@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("few", [False, True])
def test_values_of_products(sizes, long, few, monkeypatch):
    if long:
        monkeypatch.setattr(device_matrix, "_MAX_STEPS", 20)
    if not few:
        monkeypatch.setattr(device_matrix, "_FEW_ROWS", 0)
    height, middle, width = sizes
    remaining, left_data = random_matrix(30, 50, 0.1, height, middle, seed=1)
    right, right_data = random_matrix(50, 20, 0.2, middle, width, seed=2)
    expected = as_scipy(remaining, left_data, 50).toarray() @ as_scipy(right, right_data, 20).toarray()
    with emulated_cuda(1):
        pattern = product_pattern(remaining, right, 20, purpose="a test")
        factors = matrix(remaining, left_data, height, middle, 50), matrix(right, right_data, middle, width, 20)
        result = matrix(
            pattern, device_matrix.product_values(*factors, pattern, purpose="a test"), height, width, 20
        ).toarray()
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("lanes", [4, 8, 16, 32])
@pytest.mark.parametrize("density", [0.1, 0.5])
def test_values_without_blocks_are_those_of_the_cpu(lanes, density, monkeypatch):
    """The values are equal bit by bit, even in rows that are too long for shared memory."""
    monkeypatch.setattr(device_matrix, "_LANES", (lanes,))
    monkeypatch.setattr(device_matrix, "_FEW_ROWS", 0)  # small dense levels have other sums
    remaining, left_data = random_matrix(30, 50, density, seed=1)
    right, right_data = random_matrix(50, 90, 0.3, seed=2)
    factors = [matrix(remaining, left_data, 1, 1, 50), matrix(right, right_data, 1, 1, 90)]
    pattern = transposed(transposed(product_pattern(remaining, right, 90, purpose="a test"), 90), 30)
    expected = product_values(*factors, pattern)
    with emulated_cuda(1):
        on_gpu = [matrix(remaining, left_data, 1, 1, 50), matrix(right, right_data, 1, 1, 90)]
        np.testing.assert_array_equal(device_matrix.product_values(*on_gpu, pattern, purpose="a test"), expected)


def test_vectors():
    rng = np.random.default_rng(0)
    for n in (1, 5, 3000, 9000):
        x, y, p, q = rng.standard_normal((4, n))
        expected = x + 0.5 * p, y - 0.5 * q, q + 2.5 * p
        with emulated_cuda(2):
            assert dot(x, y) == pytest.approx(x @ y, rel=1e-12, abs=1e-12)
            z = p.copy()
            xpby(q, 2.5, z)
            square = axpy_residual(0.5, p, q, x, y)
            axpy(-0.5, p, x)
        assert square == pytest.approx(y @ y)
        np.testing.assert_allclose(y, expected[1])
        np.testing.assert_allclose(x, expected[0] - 0.5 * p)
        np.testing.assert_allclose(z, expected[2])


def long_rows():
    random = sp.random_array((400, 400), density=0.1, rng=np.random.default_rng(1))
    return sp.csr_array(random + random.T + 100 * sp.eye_array(400))


# Matrices with rows of different lengths and blocks, and those for which the method ends early.
SPECTRAL = {
    "grid": lambda: gallery.laplacian((30, 31)),
    "negative": lambda: -gallery.laplacian((30, 31)),
    "indefinite": lambda: sp.csr_array(sp.diags_array((-1.0) ** np.arange(930)) @ gallery.laplacian((30, 31))),
    "unsymmetric": lambda: sp.csr_array(gallery.laplacian((30, 31)) + sp.diags_array(np.full(929, 0.5), offsets=1)),
    "one eigenvalue": lambda: sp.csr_array(sp.eye_array(50)),
    "empty diagonal": lambda: sp.csr_array((4, 4)),
    "path of two": lambda: sp.csr_array([[2.0, -1.0], [-1.0, 4.0]]),
    "long rows": long_rows,
    "blocks": lambda: gallery.elasticity_3d((4, 4, 4))[0],
}


@each(name=SPECTRAL)
def test_spectral_radius(name):
    A = SPECTRAL[name]()
    inverse, bound = inverse_diagonal(A)
    rho = spectral_radius(A, inverse, bound)
    height = A.blocksize[0] if A.format == "bsr" else 1
    with emulated_cuda():
        pattern, data = Pattern(A.indptr, A.indices), np.ascontiguousarray(A.data.ravel())
        on_gpu = matrix(pattern, data, height, height, A.shape[0] // height)
        inverse_there, bound_there = inverse_diagonal(on_gpu)
        np.testing.assert_array_equal(inverse_there, inverse)
        assert bound_there[0] == pytest.approx(bound, rel=1e-15)
        assert spectral_radius(on_gpu, inverse_there, bound_there) == pytest.approx(rho, rel=1e-10)
    assert (rho == bound) == (name in ("indefinite", "unsymmetric", "one eigenvalue"))


def same_hierarchies(on_cpu, on_gpu):
    assert len(on_gpu.levels) == len(on_cpu.levels)
    largest = abs(on_cpu.levels[0].A.data).max()  # the coarsest matrix of a singular one may consist of rounding errors
    for level, level_there in zip(on_cpu.levels, on_gpu.levels, strict=True):
        np.testing.assert_array_equal(level_there.labels, level.labels)
        A, A_there = level.A, level_there.A.get()
        np.testing.assert_array_equal(A_there.indptr, A.indptr)
        np.testing.assert_array_equal(A_there.indices, A.indices)
        np.testing.assert_allclose(A_there.data, A.data, rtol=1e-9, atol=1e-12 * largest)


def solved_alike(A, *arguments, b=None, solve=None, **options):
    """Set up and solve on the CPU and on the emulated GPU, and compare."""
    b = np.random.default_rng(1).standard_normal(A.shape[0]) if b is None else b
    solve = {} if solve is None else solve
    on_cpu, history = sg.smoothed_aggregation(A, *arguments, **options), []
    x = on_cpu.solve(b, residuals=history, **solve)
    with emulated_cuda():
        on_gpu, history_there = sg.smoothed_aggregation(A, *arguments, **options), []
        x_there = on_gpu.solve(b, residuals=history_there, **solve)
        same_hierarchies(on_cpu, on_gpu)
    assert abs(len(history_there) - len(history)) <= 1
    np.testing.assert_allclose(x_there, x, rtol=1e-5, atol=1e-6 * abs(x).max())
    return on_cpu, on_gpu


@pytest.mark.parametrize("smoother", ["chebyshev", "jacobi", ("chebyshev", {"degree": 3})])
def test_a_grid_is_solved_as_on_a_cpu(smoother):
    solved_alike(gallery.laplacian((26, 25)), smoother=smoother, coarse_size=20)


@each(method=["auto", "multigrid", "diagonal"])
def test_solve_uses_the_iterative_methods(method):
    A = gallery.laplacian((26, 25))
    b = np.random.default_rng(1).standard_normal(A.shape[0])
    with emulated_cuda():
        x, info = sg.solve(A, b, method=method, return_info=True)
        with pytest.raises(ValueError, match="method='direct' works on a CPU only"):
            sg.solve(A, b, method="direct")
    assert info["method"] in ("diagonal", "multigrid")
    assert np.linalg.norm(b - A @ np.asarray(x)) <= 1.01e-8 * np.linalg.norm(b)


@pytest.mark.parametrize("cycle", ["W", "F"])
def test_other_cycles(cycle):
    solved_alike(gallery.laplacian((26, 25)), coarse_size=20, solve={"cycle": cycle})


def test_several_right_sides_and_a_first_guess():
    A = gallery.laplacian((12, 11))
    b = np.random.default_rng(2).standard_normal((132, 2))
    solved_alike(A, coarse_size=20, b=b, solve={"x0": b, "accel": None})


@pytest.mark.parametrize("clamped", [True, False])
@pytest.mark.parametrize("form", ["bsr", "csr"])
def test_elasticity_is_solved_as_on_a_cpu(clamped, form):
    A, modes = gallery.elasticity_3d((6, 5, 5), clamped=clamped)
    options = {} if clamped else {"nullspace": modes}
    A = A.tobsr((3, 3)) if form == "bsr" else A
    solved_alike(A, modes, b=A @ np.cos(np.arange(A.shape[0])), coarse_size=20, **options)


@pytest.mark.parametrize("strength", [0.1, 0.3])
def test_weak_connections(strength):
    A = sp.csr_array(sp.kronsum(gallery.laplacian(25), 100 * gallery.laplacian(26)))
    solved_alike(A, strength=strength, coarse_size=20)


def test_hubs():
    spokes = np.arange(1, 300)
    u, v = np.append(spokes, spokes[:-1]), np.append(np.zeros(299, int), spokes[1:])
    graph = sp.coo_array((np.full(u.size, 1.0), (u, v)), shape=(300, 300))
    graph = graph + graph.T
    A = sp.csr_array(sp.diags_array(graph.sum(axis=1) + 0.01) - graph)
    solved_alike(A, coarse_size=20)


def test_parts_without_neighbors_and_a_singular_matrix():
    A = gallery.laplacian((12, 12)).tolil()
    A[7] = A[:, 7] = 0
    A[7, 7] = 3
    solved_alike(sp.csr_array(A), coarse_size=20)
    path = sp.csr_array(sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(90, 90))).tolil()
    path[0, 0] = path[89, 89] = 1
    b = np.random.default_rng(0).standard_normal(90)
    solved_alike(sp.csr_array(path), coarse_size=20, b=b - b.mean(), nullspace=np.ones(90))


def test_new_values():
    A = gallery.laplacian((16, 17))
    b, scale = np.ones(272), sp.diags_array(np.linspace(1, 2, 272))
    new = sp.csr_array(scale @ A @ scale)
    with emulated_cuda():
        solver = sg.smoothed_aggregation(A, coarse_size=20)
        solver.update(new)
        x = solver.solve(b)
        with pytest.raises(ValueError, match="another pattern"):
            solver.update(gallery.laplacian((17, 16)))
        z = solver.aspreconditioner() @ b
    np.testing.assert_allclose(new @ x, b, atol=1e-6)
    assert z.shape == b.shape


def test_what_is_wrong_is_named_as_on_a_cpu():
    A = gallery.laplacian((8, 9))
    broken = []
    for row, column, value in ((3, 3, 0.0), (5, 6, np.nan), (4, 5, -7.0)):
        other = A.copy()
        other[row, column] = value
        broken.append(other)
    lonely = A.tolil()
    lonely[2, 60] = 1
    broken.append(sp.csr_array(lonely))
    for other in broken:
        messages = []
        for target in ("here", "there"):
            with pytest.raises(ValueError) as error:
                if target == "here":
                    sg.smoothed_aggregation(other, coarse_size=20).solve(np.ones(72))
                else:
                    with emulated_cuda():
                        sg.smoothed_aggregation(other, coarse_size=20).solve(np.ones(72))
            messages.append(str(error.value))
        assert messages[0] == messages[1]


def test_rows_that_are_not_sorted():
    A = gallery.laplacian((8, 9))
    shuffled = A.copy()
    for start, end in zip(A.indptr[:-1], A.indptr[1:], strict=True):
        shuffled.indices[start:end], shuffled.data[start:end] = A.indices[start:end][::-1], A.data[start:end][::-1]
    shuffled.has_sorted_indices = False
    solved_alike(shuffled, coarse_size=20)


@pytest.mark.parametrize("size", [1e-35, 1e35])
@pytest.mark.parametrize("of", ["matrix", "right side"])
def test_numbers_beyond_single_precision(size, of):
    A, b = gallery.laplacian((12, 13)), np.random.default_rng(0).standard_normal(156)
    if of == "matrix":
        A = A * size
    else:
        b = b * size
    with emulated_cuda():
        for options in ({}, {"accel": None}):
            x = sg.smoothed_aggregation(A, coarse_size=20).solve(b, **options)
            assert np.linalg.norm(b - A @ x) <= 1.01e-8 * np.linalg.norm(b)


def test_a_callback_may_solve_with_the_same_hierarchy():
    """So may several threads at once, each with its own vectors."""
    b, c, inside = np.ones(156), np.arange(156.0), []
    with emulated_cuda():
        solver = sg.smoothed_aggregation(gallery.laplacian((12, 13)), coarse_size=20)
        expected, others = solver.solve(b), solver.solve(c)
        result = solver.solve(b, progress=lambda *_: inside.append(solver.solve(c)))
    np.testing.assert_array_equal(result, expected)
    assert len(inside) > 3
    for x in inside:
        np.testing.assert_array_equal(x, others)


def test_another_matrix_is_refused_by_an_update():
    A = gallery.laplacian((12, 13))
    with emulated_cuda():
        solver = sg.smoothed_aggregation(A, coarse_size=20)
        before = solver.solve(np.ones(156))
        for other, error in ((A[:-1], ValueError), (1j * A, TypeError), (gallery.laplacian((13, 12)), ValueError)):
            with pytest.raises(error):
                solver.update(other)
        np.testing.assert_array_equal(solver.solve(np.ones(156)), before)


def test_memory_that_is_short_is_named_with_its_purpose(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 3000.0)
    with emulated_cuda(), pytest.raises(MemoryError, match=r"entries, .* a coarser level; damping=0 ") as error:
        sg.smoothed_aggregation(gallery.laplacian((26, 25)), coarse_size=20)
    assert str(error.value).count("The CPU may have enough") == 1
