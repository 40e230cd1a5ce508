"""Effective resistances and spectral embeddings: dense oracles, several components, weights, hubs, and bad input."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.laplacians import embedding
from stablegraph.laplacians.block_vectors import combine, gram, multiply_columns, random_columns
from stablegraph.laplacians.resistance import required_projections
from tests.support.cases import each


def weighted(graph, seed=0):
    """Return the graph with random weights between 0.1 and 10."""
    A = sp.triu(sg.as_graph(graph).to_scipy().astype(float), 1).tocoo()
    values = 10 ** np.random.default_rng(seed).uniform(-1, 1, A.nnz)
    return sg.from_edges(*A.coords, values, n=A.shape[0], symmetrize=True)


def apart(*graphs):
    """Return the graphs as the components of one graph, in an order that mixes their vertices."""
    A = sp.block_diag([sg.as_graph(graph).to_scipy().astype(float) for graph in graphs]).tocsr()
    order = np.random.default_rng(3).permutation(A.shape[0])
    return sg.as_graph(sp.csr_array(A[order][:, order]))


def wheel(n=300):
    rim = np.arange(1, n)
    return sg.from_edges(np.r_[0 * rim, rim], np.r_[rim, np.roll(rim, 1)], symmetrize=True)


GRAPHS = {
    "edge": sg.from_edges([0], [1], symmetrize=True),
    "path": gallery.grid((9,)),
    "mesh": gallery.delaunay(300, seed=1),
    "weighted mesh": weighted(gallery.delaunay(200, seed=4)),
    "wheel": wheel(),
    "several": apart(gallery.grid((9, 8)), wheel(50), gallery.grid((2,)), sg.from_edges([], [], n=3)),
    "loops": sg.as_graph(sp.csr_array(gallery.delaunay(150, seed=2).to_scipy().astype(float) + sp.eye_array(150))),
}


def dense_laplacian(graph):
    W = sg.as_graph(graph).to_scipy().astype(float).toarray()
    if sg.as_graph(graph).weights is None:
        W = (W != 0).astype(float)
    np.fill_diagonal(W, 0)
    return np.diag(W.sum(axis=1)) - W


def dense_resistances(graph, pairs):
    inverse = np.linalg.pinv(dense_laplacian(graph), rcond=1e-12, hermitian=True)
    _, labels = sg.connected_components(graph)
    u, v = np.asarray(pairs).T
    values = inverse[u, u] + inverse[v, v] - 2 * inverse[u, v]
    return np.where(labels[u] == labels[v], values, np.inf)


@each(name=GRAPHS, count=[1, 7, 400])
def test_resistances_are_those_of_the_pseudo_inverse(name, count):
    graph = GRAPHS[name]
    pairs = np.random.default_rng(count).integers(0, graph.num_vertices, (count, 2))
    result = sg.effective_resistance(graph, pairs)
    expected = dense_resistances(graph, pairs)
    assert (np.isinf(result) == np.isinf(expected)).all()
    finite = np.isfinite(expected)
    assert np.allclose(result[finite], expected[finite], rtol=1e-8, atol=1e-12)
    assert (result[pairs[:, 0] == pairs[:, 1]] == 0).all()


def test_resistances_of_a_larger_graph_by_every_method():
    graph = weighted(gallery.grid((150, 150)))
    n = graph.num_vertices
    L = sp.csc_array(sp.csr_array(graph.to_scipy()))
    L = sp.csc_array(sp.diags_array(L.sum(axis=1)) - L)
    pairs = np.array([[0, n - 1], [5, 70], [300, 17_000]])
    exact = []
    solve = sp.linalg.factorized(L[1:, 1:])
    for u, v in pairs:
        b = np.zeros(n)
        b[u], b[v] = 1, -1
        x = np.r_[0.0, solve(b[1:])]
        exact.append(x[u] - x[v])
    assert np.allclose(sg.effective_resistance(graph, pairs), exact, rtol=1e-8)


def test_foster_theorem():
    """The sum of weight times resistance over all edges is the number of vertices minus that of components."""
    graph = GRAPHS["several"]
    pairs = np.stack([graph._rows(), graph.indices], axis=1)
    total = (sg.effective_resistance(graph, pairs) * graph.weights).sum() / 2
    count, _ = sg.connected_components(graph)
    assert np.isclose(total, graph.num_vertices - count, rtol=1e-9)


def test_projections_keep_the_stated_error():
    graph = weighted(gallery.delaunay(1500, seed=6))
    pairs = np.random.default_rng(0).integers(0, 1500, (4000, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    assert required_projections(len(pairs), 0.5) < 500
    error = sg.effective_resistance(graph, pairs, error=0.5) / dense_resistances(graph, pairs) - 1
    assert np.abs(error).max() <= 0.5
    assert np.abs(error).max() > 1e-3  # not computed exactly
    few = sg.effective_resistance(graph, pairs[:5], error=0.5)
    assert (few == sg.effective_resistance(graph, pairs[:5])).all()  # exact if this is cheaper


@each(name=GRAPHS, normalized=[True, False], k=[1, 2, 5])
def test_embeddings_are_those_of_dense_matrices(name, normalized, k):
    graph = GRAPHS[name]
    n = graph.num_vertices
    if k >= n:
        return
    L = dense_laplacian(graph)
    degrees = np.diag(L)
    B = np.where(degrees > 0, degrees, 1.0) if normalized else np.ones(n)
    expected = scipy.linalg.eigh(L, np.diag(B), eigvals_only=True)
    values, vectors = sg.spectral_embedding(graph, k, normalized=normalized)
    assert np.allclose(values, expected[1 : k + 1], rtol=1e-6, atol=1e-12)
    assert np.allclose(vectors.T @ (B[:, None] * vectors), np.eye(k), atol=1e-9)
    assert np.abs(B @ vectors).max() < 1e-9 * B.sum()
    assert np.linalg.norm(L @ vectors - B[:, None] * vectors * values) <= 1e-3 * max(values.max(), 1e-9)
    largest = np.abs(vectors).max(axis=0)
    assert all((vectors[:, j] >= largest[j] * (1 - 2e-6)).any() for j in range(k))


@each(normalized=[True, False], name=["mesh", "uniform", "hubs"])
def test_eigenvalues_of_larger_graphs_are_those_of_arpack(normalized, name):
    graphs = {"mesh": lambda: gallery.delaunay(2000, seed=2), "uniform": lambda: gallery.uniform_random(900, 12)}
    graph = graphs[name]() if name in graphs else sg.largest_component(gallery.rmat(10, 8))[0]
    A = graph.to_scipy().astype(float)
    A.data[:] = 1
    A.setdiag(0)
    degrees = np.asarray(A.sum(axis=1)).ravel()
    B = degrees if normalized else np.ones_like(degrees)
    scale = sp.diags_array(1 / np.sqrt(B))
    L = sp.csc_array(scale @ (sp.diags_array(degrees) - A) @ scale)
    expected = np.sort(eigsh(L + 1e-3 * sp.eye_array(degrees.size, format="csc"), k=6, sigma=0)[0] - 1e-3)[1:]
    values, _ = sg.spectral_embedding(graph, 5, normalized=normalized)
    assert np.allclose(values, expected, rtol=1e-6)


def test_the_same_bits_for_any_number_of_threads(threads):
    graph = weighted(gallery.delaunay(3000, seed=5))
    pairs = np.arange(20).reshape(-1, 2)
    with use_target("cpu", workers=5):
        values, vectors = sg.spectral_embedding(graph, 3)
        resistances = sg.effective_resistance(graph, pairs)
        about = sg.effective_resistance(graph, np.arange(800).reshape(-1, 2), error=0.9)
    again_values, again = sg.spectral_embedding(graph, 3)
    assert (again_values == values).all()
    assert (again == vectors).all()
    assert (sg.effective_resistance(graph, pairs) == resistances).all()
    assert (sg.effective_resistance(graph, np.arange(800).reshape(-1, 2), error=0.9) == about).all()


def test_factors_and_cycles_find_the_same_vectors(monkeypatch, threads):
    graph = weighted(gallery.delaunay(3000, seed=5))
    answers = []
    for factored in (True, False):
        monkeypatch.setattr(embedding, "_factors_are_cheap", lambda L, columns, factored=factored: factored)
        with use_target("cpu", workers=5):
            one = sg.spectral_embedding(graph, 4)
        two = sg.spectral_embedding(graph, 4)
        assert (one[0] == two[0]).all()
        assert (one[1] == two[1]).all()
        answers.append(two)
    assert np.allclose(answers[0][0], answers[1][0], rtol=1e-6)
    assert np.allclose(answers[0][1], answers[1][1], atol=1e-3 * np.abs(answers[0][1]).max())


def test_road_networks_are_factored_and_grids_in_space_are_not():
    assert embedding._factors_are_cheap(sp.csr_array(gallery.laplacian((3000,))), 4)
    assert not embedding._factors_are_cheap(sp.csr_array(gallery.laplacian((30, 30, 30))), 4)


_PROGRAM = """
import hashlib, stablegraph as sg
for graph in (sg.gallery.delaunay(3000, seed=5), sg.gallery.grid((20, 19, 18))):  # factors, then cycles
    values, vectors = sg.spectral_embedding(graph, 12)
    print(hashlib.sha256(values.tobytes() + vectors.tobytes()).hexdigest())
"""


@pytest.mark.slow
def test_the_same_bits_for_any_number_of_threads_of_blas(monkeypatch):
    answers = set()
    for count in ("1", "2"):
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", count)
        answers.add(subprocess.run([sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True).stdout)
    assert len(answers) == 1


def test_the_components_come_first():
    values, vectors = sg.spectral_embedding(GRAPHS["several"], 7)
    count, labels = sg.connected_components(GRAPHS["several"])
    assert count == 6
    assert (values[:5] == 0).all()
    assert values[5] > 1e-3
    for label in range(count):
        assert (np.ptp(vectors[labels == label, :5], axis=0) == 0).all()


def test_a_fiedler_vector_finds_the_narrow_place():
    left, right = gallery.grid((12, 12)), gallery.grid((12, 12))
    A = sp.block_diag([left.to_scipy(), right.to_scipy()]).tolil()
    A[143, 144] = A[144, 143] = 1
    value, vector = sg.fiedler_vector(sp.csr_array(A))
    assert 0 < value < 0.05
    assert len({bool(side) for side in vector[:144] > 0}) == 1
    assert ((vector[:144] > 0) != (vector[144:] > 0)).all()
    assert np.isclose(np.linalg.norm(vector), 1)


def test_an_unfinished_embedding_is_a_warning():
    with pytest.warns(sg.ConvergenceWarning, match=r"maxiter=1 iterations were not enough: the residual of eigenvalue"):
        sg.spectral_embedding(gallery.grid((40, 40)), 3, maxiter=1)


# -------------------------------------------------------------------------------------------------- blocks of vectors


def test_blocks_of_vectors(threads):
    x, y = random_columns(5000, 3, 1), random_columns(5000, 4, 7)
    assert np.allclose(gram(x, y), x.T @ y, rtol=1e-12)
    factors = np.random.default_rng(0).standard_normal((3, 2))
    assert np.allclose(combine(x, factors), x @ factors)
    A = gallery.laplacian((100, 50))
    assert np.allclose(multiply_columns(A, x), A @ x)
    assert (np.abs(x) <= 0.5).all()
    assert abs(x.mean()) < 0.01


# ---------------------------------------------------------------------------------------------------------- bad input

PATH = gallery.grid((3,))


def negative(weight):
    return sg.from_edges([0, 1], [1, 2], [1.0, weight], symmetrize=True)


@each(
    case=[
        (lambda: sg.effective_resistance(PATH, [0, 1]), ValueError, r"pairs must have shape \(m, 2\), got \(2,\)"),
        (lambda: sg.effective_resistance(PATH, [(0, 3)]), ValueError, r"pair 0, \(0, 3\), is out of range"),
        (lambda: sg.effective_resistance(PATH, [(0, -1)]), ValueError, r"out of range"),
        (lambda: sg.effective_resistance(PATH, [(0, 1.5)]), TypeError, r"pairs must be integers"),
        (lambda: sg.effective_resistance(PATH, [(0, 1)], error=1.5), ValueError, r"error"),
        (lambda: sg.effective_resistance(negative(-2.0), [(0, 1)]), ValueError, r"edge \(1, 2\) is -2.0"),
        (lambda: sg.fiedler_vector(negative(np.nan)), ValueError, r"edge \(1, 2\) is nan"),
        (lambda: sg.fiedler_vector(sp.csr_array([[0, 1.0], [2.0, 0]])), ValueError, r"edge \(0, 1\) differ"),
        (lambda: sg.fiedler_vector(sp.csr_array([[0, 1.0], [0, 0]])), ValueError, r"symmetr"),
        (lambda: sg.fiedler_vector(gallery.grid((1,))), ValueError, r"more than 1 vertices, got 1"),
        (lambda: sg.spectral_embedding(PATH, 3), ValueError, r"3 coordinates need"),
        (lambda: sg.spectral_embedding(PATH, 0), ValueError, r"k"),
        (lambda: sg.spectral_embedding(PATH, 1, normalised=True), TypeError, r"normalized"),
    ]
)
def test_bad_input(case):
    call, error, message = case
    with pytest.raises(error, match=message):
        call()


def test_no_pairs():
    assert sg.effective_resistance(PATH, []).shape == (0,)
    assert sg.effective_resistance(PATH, np.empty((0, 2), int)).shape == (0,)


def test_an_edge_of_weight_zero_is_no_edge():
    graph = sg.from_edges([0, 1], [1, 2], [1.0, 0.0], symmetrize=True)
    assert sg.effective_resistance(graph, [(0, 1), (0, 2)]).tolist() == [1.0, np.inf]
