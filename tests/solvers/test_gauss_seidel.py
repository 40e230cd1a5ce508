"""Gauss-Seidel sweeps: equal, bit for bit, to one thread's sweep in plain Python; rejections; preconditioning."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import cg

import stablegraph as sg
from stablegraph._core.runtime import use_target
from tests.support.cases import each
from tests.support.zoo import QUICK_ZOO, ZOO, reverse_rows


def made_diagonal(pattern):
    """Return a float64 matrix with the pattern of a graph, unsymmetric values, and a full diagonal."""
    n = pattern.shape[0]
    lower = sp.csr_array(pattern, dtype=np.float64)
    lower.data = np.random.default_rng(0).standard_normal(lower.nnz)
    return (lower + sp.diags_array(np.arange(n) + 30.0)).tocoo().tocsr()  # sorted for any pattern


def first_fit(A, clusters):
    """Return the color of each row by first fit over clusters, in descending order of their smallest rows."""
    pattern = sp.csr_array(abs(A) + abs(A).T)
    colors = np.full(A.shape[0], -1)
    for row in range(A.shape[0] - 1, -1, -1):
        if not (clusters[:row] == clusters[row]).any():
            members = np.flatnonzero(clusters == clusters[row])
            taken = {
                int(colors[j]) for i in members for j in pattern.indices[pattern.indptr[i] : pattern.indptr[i + 1]]
            }
            colors[members] = next(color for color in range(len(taken) + 1) if color not in taken)
    return colors


def swept(A, clusters, x, b, *, symmetric):
    """Compute a sweep of one thread: colors, then clusters by their smallest rows, then rows. None: single rows."""
    if clusters is None:
        pattern, clusters = sg.as_graph(A, symmetrize=True, weights=False), np.arange(A.shape[0])
        colors = sg.vertex_coloring(pattern, order="natural", reduce="none")
    else:
        colors = first_fit(A, clusters)
    smallest = np.array([np.flatnonzero(clusters == label)[0] for label in clusters], int)
    order = np.lexsort((np.arange(A.shape[0]), smallest, colors)).tolist()
    inverse = 1 / A.diagonal()
    x = x.tolist()
    for i in order + order[::-1] * symmetric:
        residual = float(b[i])
        for e in range(A.indptr[i], A.indptr[i + 1]):
            if A.indices[e] != i:
                residual -= float(A.data[e]) * x[A.indices[e]]
        x[i] = residual * float(inverse[i])
    return np.array(x)


def start(n):
    random = np.random.default_rng(1)
    return random.standard_normal(n), random.standard_normal(n)


@each(name=QUICK_ZOO, clusters=[None, "mis2", "thirds"])
def test_sweeps_are_those_of_one_thread(name, clusters):
    A = made_diagonal(QUICK_ZOO[name])
    n = A.shape[0]
    labels = {None: None, "mis2": sg.aggregate(A)[1], "thirds": np.arange(n) % max(1, n // 3)}[clusters]
    x, b = start(n)
    for symmetric in (False, True):
        smoother = sg.gauss_seidel(A, clusters=labels if clusters == "thirds" else clusters, symmetric=symmetric)
        expected = swept(A, labels, x, b, symmetric=symmetric)
        got = smoother.sweep(x.copy(), b)
        assert (got == expected).all()


@pytest.mark.parametrize("clusters", [None, "mis2"])
def test_large_sweeps_do_not_depend_on_threads(threads, clusters):
    A = sg.gallery.laplacian((60, 60, 60))  # large enough that threads share colors
    x, b = start(A.shape[0])
    smoother = sg.gauss_seidel(A, clusters=clusters, sweeps=2)
    sg.set_num_threads(1)
    alone = sg.gauss_seidel(A, clusters=clusters, sweeps=2).sweep(x.copy(), b)
    sg.set_num_threads(threads)
    assert (smoother.sweep(x, b) == alone).all()


def test_sweeps_do_not_depend_on_the_schedule():
    A = made_diagonal(ZOO["skewed"])
    x, b = start(A.shape[0])
    smoother = sg.gauss_seidel(A, clusters="mis2")
    expected = smoother.sweep(x.copy(), b)
    for seed in range(3):
        with use_target("python", seed=seed, workers=4):
            assert (sg.gauss_seidel(A, clusters="mis2").sweep(x.copy(), b) == expected).all()


def test_points_have_the_colors_of_first_fit():
    graph = sg.gallery.uniform_random(500)
    A = made_diagonal(graph.to_scipy())
    smoother = sg.gauss_seidel(A)
    assert smoother.num_clusters == 500
    assert smoother.num_colors == 1 + sg.vertex_coloring(graph, order="natural", reduce="none").max()


def test_there_can_be_many_colors():
    A = sp.csr_array(np.ones((200, 200)) + 300 * np.eye(200))
    x, b = start(200)
    for labels, colors in ((np.arange(200), 200), (np.arange(200) // 2, 100)):
        smoother = sg.gauss_seidel(A, clusters=labels)
        assert smoother.num_colors == colors
        assert (smoother.sweep(x.copy(), b) == swept(A, labels, x, b, symmetric=True)).all()


def test_patterns_need_not_be_symmetric():
    A = sp.csr_array(sp.triu(made_diagonal(ZOO["grid"])))
    x, b = start(A.shape[0])
    for labels in (np.arange(A.shape[0]), np.arange(A.shape[0]) // 4):
        expected = swept(A, labels, x, b, symmetric=True)
        assert (sg.gauss_seidel(A, clusters=labels).sweep(x.copy(), b) == expected).all()


@pytest.mark.parametrize("form", ["csc", "coo", "bsr", "lil", "dense", "float32", "unsorted", "int64"])
def test_any_form_of_a_matrix_will_do(form):
    A = sg.gallery.laplacian((6, 7))
    arguments = {
        "dense": A.toarray,
        "float32": lambda: A.astype(np.float32),
        "unsorted": lambda: reverse_rows(A),
        "int64": lambda: sp.csr_array((A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64)), shape=A.shape),
    }.get(form, lambda: A.asformat(form))()
    x, b = start(42)
    assert (sg.gauss_seidel(arguments).sweep(x.copy(), b) == sg.gauss_seidel(A).sweep(x, b)).all()


def test_several_columns_are_swept_like_single_ones():
    A = sg.gallery.laplacian((9, 9))
    smoother = sg.gauss_seidel(A, clusters="mis2")
    X, B = np.random.default_rng(2).standard_normal((2, 81, 3))
    expected = np.stack([smoother.sweep(X[:, k].copy(), B[:, k]) for k in range(3)], axis=1)
    assert smoother.sweep(X, B) is X
    assert np.array_equal(X, expected)


@pytest.mark.parametrize("clusters", [None, "mis2"])
def test_preconditioned_iterations_are_fewer(clusters):
    A = sg.gallery.laplacian((20, 20, 20))
    b = np.random.default_rng(0).standard_normal(8000)
    counts = []
    for M in (None, sg.gauss_seidel(A, clusters=clusters).aspreconditioner()):
        steps = []
        x, failed = cg(A, b, rtol=1e-8, M=M, callback=steps.append)
        assert not failed
        assert np.linalg.norm(b - A @ x) < 1e-7 * np.linalg.norm(b)
        counts.append(len(steps))
    assert counts[1] < 0.7 * counts[0]


def test_the_preconditioner_is_symmetric_and_a_smoother_has_its_adjoint():
    A = sg.gallery.laplacian((5, 6))
    M = sg.gauss_seidel(A, clusters="mis2").aspreconditioner() @ np.eye(30)
    assert np.allclose(M, M.T)
    one_way = sg.gauss_seidel(A, clusters="mis2", symmetric=False, sweeps=2)
    forward, backward = np.ones((30, 30)), np.zeros((30, 30))
    for unit, column, back in zip(np.eye(30), forward, backward, strict=True):
        one_way.before(column, unit, zero=True)
        one_way.after(back, unit)
    assert np.allclose(forward, backward.T)


def test_new_values():
    A = sg.gallery.laplacian((8, 8))
    x, b = start(64)
    smoother = sg.gauss_seidel(A, clusters="mis2")
    smoother.update(3 * A)
    assert (smoother.sweep(x.copy(), b) == sg.gauss_seidel(3 * A, clusters="mis2").sweep(x.copy(), b)).all()
    expected = smoother.sweep(x.copy(), b)
    moved = A.tolil()
    moved[0, 1], moved[0, 63] = 0, -1  # the same number of entries in each row, at other places
    for other in (moved, sg.gallery.laplacian((4, 16)), sg.gallery.laplacian((8, 9))):
        with pytest.raises(ValueError, match="another pattern"):
            smoother.update(other)
    with pytest.raises(ValueError, match=r"A\[0, 0\] is nan"):
        smoother.update(A * np.nan)
    assert (smoother.sweep(x, b) == expected).all()


def test_small_matrices():
    nothing = sg.gauss_seidel(sp.csr_array((0, 0)))
    assert nothing.sweep(np.zeros(0), np.zeros(0)).size == 0
    assert sg.gauss_seidel(np.array([[4.0]]), clusters="mis2").sweep(np.zeros(1), [2.0]) == [0.5]


def test_what_it_tells():
    text = repr(sg.gauss_seidel(sg.gallery.laplacian((5, 5)), clusters=np.arange(25) // 5, sweeps=2))
    assert text.startswith("<GaussSeidel: 25 rows, 5 clusters, 2 colors, symmetric, 2 sweeps, ")
    for phase in ("checks", "graph", "clusters", "order", "rows"):
        assert phase in text


def with_entry(i, j, value):
    A = sg.gallery.laplacian((3, 3)).tolil()
    A[i, j] = value
    return A.tocsr()


@pytest.mark.parametrize(
    ("A", "error", "message"),
    [
        (with_entry(4, 4, 0), ValueError, r"A\[4, 4\], on the diagonal, is zero or missing"),
        (with_entry(3, 4, np.nan), ValueError, r"A\[3, 4\] is nan"),
        (with_entry(3, 3, np.inf), ValueError, r"A\[3, 3\] is inf"),
        (sp.csr_array((2, 3)), ValueError, r"square, got shape \(2, 3\)"),
        ("matrix", TypeError, "sparse array"),
    ],
)
def test_matrices_that_are_refused(A, error, message):
    with pytest.raises(error, match=message):
        sg.gauss_seidel(A)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"clusters": "rcm"},
            ValueError,
            "clusters must be one of mis2, mis2_basic, kokkos, None, or labels; got 'rcm'",
        ),
        ({"clusters": np.zeros(8, int)}, ValueError, "each of the 9"),
        ({"clusters": np.zeros(9)}, TypeError, "integers"),
        ({"clusters": np.arange(9) - 1}, ValueError, "-1"),
        ({"symmetric": "yes"}, TypeError, "True or False"),
        ({"sweeps": 0}, ValueError, "sweeps must be at least 1, got 0"),
    ],
)
def test_options_that_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        sg.gauss_seidel(sg.gallery.laplacian((3, 3)), **options)


def read_only_zeros(n):
    x = np.zeros(n)
    x.flags.writeable = False
    return x


SHARED = np.zeros(9)


@pytest.mark.parametrize(
    ("x", "b", "error", "message"),
    [
        (np.zeros(9, np.float32), np.zeros(9), TypeError, "float64 NumPy array"),
        ([0.0] * 9, np.zeros(9), TypeError, "got list"),
        (np.zeros(8), np.zeros(8), ValueError, r"shape \(9,\)"),
        (np.zeros(9), np.zeros((9, 1)), ValueError, "the shape of x"),
        (np.zeros(18)[::2], np.zeros(9), ValueError, "contiguous"),
        (read_only_zeros(9), np.zeros(9), ValueError, "writeable"),
        (np.zeros(9), np.zeros(9, complex), TypeError, "complex"),
        (SHARED, SHARED, ValueError, "share memory"),
    ],
)
def test_vectors_that_are_refused(x, b, error, message):
    with pytest.raises(error, match=message):
        sg.gauss_seidel(sg.gallery.laplacian((3, 3))).sweep(x, b)
