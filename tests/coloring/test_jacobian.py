"""Colorings of columns and rows, equal to first fit on sets. Jacobians are recovered entry by entry."""

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.coloring import nets
from stablegraph.coloring.jacobian import JacobianDecompression, bipartite_coloring, decompress_jacobian, seed_matrix
from tests.support.cases import each
from tests.support.zoo import ZOO

FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


@st.composite
def matrices(draw):
    """Draw matrices of any shape, with entries anywhere, including stored zeros."""
    shape = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    places = st.tuples(*(st.integers(0, max(size - 1, 0)) for size in shape))
    entries = draw(st.lists(places, unique=True, max_size=30)) if 0 not in shape else []
    rows, columns = np.array(entries, dtype=np.int64).reshape(-1, 2).T
    values = np.arange(rows.size) % 5 - 1.0
    return sp.coo_array((values, (rows, columns)), shape=shape)


def first_fit(matrix, side, order):
    """Run serial first fit on the sets of rows in which each column has entries."""
    matrix = sp.coo_array(matrix)
    vertices, others = (matrix.col, matrix.row) if side == "columns" else (matrix.row, matrix.col)
    count = matrix.shape[1] if side == "columns" else matrix.shape[0]
    touched = [set(others[vertices == v].tolist()) for v in range(count)]
    visited = sorted(range(count), key=lambda v: (-len(touched[v]), v)) if order == "largest_first" else range(count)
    colors = {}
    for v in visited:
        taken = {colors[u] for u in colors if touched[u] & touched[v]}
        colors[v] = next(c for c in range(count) if c not in taken)
    return [colors[v] for v in range(count)]


@given(matrices(), st.sampled_from(["columns", "rows"]), st.sampled_from(["largest_first", "natural"]))
def test_any_matrix(matrix, side, order):
    colors = bipartite_coloring(matrix, side, order=order)
    assert colors.dtype == np.int32
    assert colors.tolist() == first_fit(matrix, side, order)
    seeds = seed_matrix(colors)
    compressed = matrix @ seeds if side == "columns" else seeds.T @ matrix
    restored = decompress_jacobian(compressed, matrix, colors, side)
    assert restored.nnz == matrix.nnz
    assert np.array_equal(restored.toarray(), matrix.toarray())


@each(name=ZOO)
def test_matrices_of_the_zoo(name):
    matrix = sp.csr_array(ZOO[name])
    for side in ("columns", "rows"):
        assert bipartite_coloring(matrix, side).tolist() == first_fit(matrix, side, "largest_first")
    with use_target("python"):
        assert bipartite_coloring(matrix).tolist() == first_fit(matrix, "columns", "largest_first")


def test_more_than_64_colors():
    rng = np.random.default_rng(3)
    matrix = sp.random_array((40, 300), density=0.5, rng=rng)
    colors = bipartite_coloring(matrix)
    assert colors.max() > 128
    assert colors.tolist() == first_fit(matrix, "columns", "largest_first")


def test_work_comes_in_steps_that_can_be_interrupted(monkeypatch):
    matrix = gallery.laplacian((20, 30))
    whole = bipartite_coloring(matrix)
    monkeypatch.setattr(nets, "_STEP", 100)
    assert np.array_equal(bipartite_coloring(matrix), whole)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_gives_the_same(format):
    matrix = gallery.laplacian((6, 4))
    converted = matrix.asformat(format)
    assert np.array_equal(bipartite_coloring(converted), bipartite_coloring(matrix))
    assert np.array_equal(bipartite_coloring(sp.coo_matrix(converted)), bipartite_coloring(matrix.toarray()))
    colors = bipartite_coloring(converted, "rows")
    assert (decompress_jacobian(seed_matrix(colors).T @ matrix, converted, colors, "rows") != matrix).nnz == 0


def test_what_is_handed_in_stays_as_it_is():
    matrix = gallery.laplacian((5, 5)).tocsr()
    matrix.indptr = matrix.indptr.astype(np.int64)
    arrays = matrix.data, matrix.indices, matrix.indptr
    copies = [array.copy() for array in arrays]
    colors = bipartite_coloring(matrix, "rows")
    decompress_jacobian(seed_matrix(colors).T @ matrix, matrix, colors, "rows")
    assert all(now is before for now, before in zip((matrix.data, matrix.indices, matrix.indptr), arrays, strict=True))
    assert all(np.array_equal(array, copy) for array, copy in zip(arrays, copies, strict=True))


def test_real_matrices_come_back(data_file):
    graph = sg.read_graph(data_file("west0479.mtx.gz"), directed=True)
    matrix = graph.to_scipy()
    for side, fullest in (("columns", np.diff(matrix.indptr).max()), ("rows", np.diff(matrix.tocsc().indptr).max())):
        colors = bipartite_coloring(matrix, side)
        assert fullest <= colors.max() + 1 <= fullest + 2
        seeds = seed_matrix(colors)
        compressed = matrix @ seeds if side == "columns" else seeds.T @ matrix
        assert (decompress_jacobian(compressed, matrix, colors, side) != matrix).nnz == 0


def test_one_preparation_serves_many_evaluations():
    pattern = gallery.laplacian((8, 8))
    colors = bipartite_coloring(pattern)
    restore = JacobianDecompression(pattern, colors)
    for factor in (2.0, 1j, np.float32(3)):
        jacobian = pattern * factor
        restored = restore(jacobian @ seed_matrix(colors).astype(jacobian.dtype))
        assert restored.dtype == jacobian.dtype
        assert (restored != jacobian).nnz == 0
    with pytest.raises(ValueError, match="read-only"):
        restored.indices[0] = 5


def test_errors_name_the_culprit():
    matrix = sp.csr_array(np.array([[1, 0, 2], [0, 3, 0]]))
    with pytest.raises(ValueError, match="columns 0 and 2 have the same color and both an entry in row 0"):
        JacobianDecompression(matrix, [0, 1, 0])
    with pytest.raises(ValueError, match="rows 0 and 1 have the same color and both an entry in column 1"):
        JacobianDecompression(np.ones((2, 2)) * [[0, 1], [0, 1]], [0, 0], "rows")
    with pytest.raises(ValueError, match=r"pattern has shape \(2, 3\) and 3 columns, but colors has shape \(2,\)"):
        JacobianDecompression(matrix, [0, 1])
    with pytest.raises(ValueError, match=r"compressed has shape \(2, 3\), expected \(2, 2\)"):
        decompress_jacobian(np.ones((2, 3)), matrix, [0, 0, 1])
    with pytest.raises(ValueError, match="position 1 has color -1"):
        seed_matrix([0, -1])
    with pytest.raises(TypeError, match="float64"):
        seed_matrix([0.5])
    with pytest.raises(ValueError, match="side must be"):
        bipartite_coloring(matrix, "column")
    with pytest.raises(ValueError, match="order must be"):
        bipartite_coloring(matrix, order="random")
    with pytest.raises(ValueError, match="two dimensions"):
        bipartite_coloring(np.ones(3))
    matrix.indices[0] = 7
    with pytest.raises(ValueError, match="indices"):
        bipartite_coloring(matrix)


# Differences


SHAPE = 12, 11
POINTS = SHAPE[0] * SHAPE[1]
LAPLACIAN = gallery.laplacian(SHAPE)


def reaction(u, source=5.0):
    return LAPLACIAN @ u - source / 100 * np.exp(u)


def exact(u, source=5.0):
    return LAPLACIAN - sp.diags_array(source / 100 * np.exp(u))


def test_differences_with_one_evaluation_a_color():
    places = []
    jacobian = sg.colored_jacobian(lambda u, **options: places.append(u) or reaction(u, **options), LAPLACIAN)
    u = np.random.default_rng(0).normal(scale=3, size=POINTS)
    u[:2] = 0.0, -0.0
    for options in ({}, {"source": 2.0}):
        places.clear()
        result = jacobian(u, **options)
        assert len(places) == 2 + bipartite_coloring(LAPLACIAN).max()
        assert all(np.array_equal(place != u, place - u != 0) for place in places)
        assert abs(result - exact(u, **options)).max() < 1e-6
        assert (result.format, result.dtype, result.nnz) == ("csr", np.float64, LAPLACIAN.nnz)
    assert not np.shares_memory(places[0], u)


def test_differences_in_solvers_of_scipy():
    jacobian = sg.colored_jacobian(reaction, LAPLACIAN)
    result = scipy.optimize.least_squares(reaction, np.zeros(POINTS), jacobian, kwargs={"source": 3.0})
    assert np.abs(reaction(result.x, 3.0)).max() < 1e-6

    def slope(t, u):
        return -reaction(u, 1.0)

    jacobian = sg.colored_jacobian(slope, LAPLACIAN, argument=1)
    whole = scipy.integrate.solve_ivp(slope, (0, 200), np.zeros(POINTS), method="BDF", jac=jacobian)
    assert whole.success
    assert np.abs(slope(200, whole.y[:, -1])).max() < 1e-5


def test_rectangular_and_complex_and_empty_jacobians():
    matrix = sp.random_array((7, 5), density=0.4, rng=np.random.default_rng(1)).tocsr() * (1 + 2j)
    jacobian = sg.colored_jacobian(lambda x: matrix @ x, matrix)
    assert jacobian([1, 2, 3, 4, 5]).dtype == np.complex128
    assert abs(jacobian(np.ones(5)) - matrix).max() < 1e-6
    assert sg.colored_jacobian(lambda x: np.zeros(3), np.zeros((3, 0)))([]).shape == (3, 0)


def test_errors_of_differences():
    jacobian = sg.colored_jacobian(lambda x: x[:2], np.eye(3))
    with pytest.raises(ValueError, match=r"fun\(x\) has shape \(2,\), but the pattern has 3 rows: give \(3,\)"):
        jacobian(np.ones(3))
    with pytest.raises(ValueError, match=r"x has shape \(4,\), but the pattern has 3 columns: pass shape \(3,\)"):
        jacobian(np.ones(4))
    with pytest.raises(TypeError, match="is to argument 1, but there are only 1"):
        sg.colored_jacobian(lambda x: x, np.eye(3), argument=1)(np.ones(3))
    with pytest.raises(ValueError, match="argument must be at least 0, got -1"):
        sg.colored_jacobian(lambda x: x, np.eye(3), argument=-1)
