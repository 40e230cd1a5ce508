"""stablegraph in PyAMG: hierarchies solve as in stablegraph, aggregates are used, Gauss-Seidel smooths its levels."""

import importlib
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.interop.pyamg import mis2_aggregation, predefined_aggregates, to_pyamg, use_gauss_seidel

A = sg.gallery.laplacian((24, 24, 24))
BLOCK, MODES = sg.gallery.elasticity_3d((8, 7, 7))


def right_side(n):
    return np.random.default_rng(0).standard_normal(n)


def solved(solver, matrix, largest):
    """Solve by PyAMG's conjugate gradients; warnings, for example about unsymmetric smoothers, are errors."""
    b, residuals = right_side(matrix.shape[0]), []
    x = solver.solve(b, tol=1e-8, accel="cg", maxiter=100, residuals=residuals)
    assert np.linalg.norm(b - matrix @ x) < 1e-7 * np.linalg.norm(b)
    assert len(residuals) - 1 <= largest
    return x


@pytest.fixture
def pyamg():
    return pytest.importorskip("pyamg")


@pytest.mark.filterwarnings("error:Incompatible non-symmetric")
@pytest.mark.parametrize("smoother", ["chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel"])
def test_a_hierarchy_solves_there_as_here(pyamg, smoother):
    hierarchy = sg.smoothed_aggregation(A, smoother=smoother)
    residuals = []
    x = hierarchy.solve(right_side(A.shape[0]), residuals=residuals)
    converted = to_pyamg(hierarchy)
    assert isinstance(converted, pyamg.MultilevelSolver)
    assert converted.operator_complexity() == pytest.approx(hierarchy.operator_complexity)
    assert np.allclose(solved(converted, A, len(residuals)), x)


@pytest.mark.filterwarnings("error:Incompatible non-symmetric")
def test_a_hierarchy_of_blocks_solves_there(pyamg):
    solved(to_pyamg(sg.smoothed_aggregation(BLOCK, MODES)), BLOCK, 30)


def test_aggregates_are_built_upon(pyamg):
    hierarchy = sg.smoothed_aggregation(A, coarse_size=100)
    solver = pyamg.smoothed_aggregation_solver(A, aggregate=predefined_aggregates(A, coarse_size=100))
    assert [level.A.shape for level in solver.levels] == [level.A.shape for level in hierarchy.levels]
    solved(solver, A, 20)


def test_aggregates_of_nodes_are_built_upon(pyamg):
    blocks = BLOCK.tobsr((3, 3))
    aggregates = predefined_aggregates(blocks, MODES, coarse_size=100)
    solver = pyamg.smoothed_aggregation_solver(blocks, MODES, aggregate=aggregates)
    nodes, count = aggregates[0][1]["AggOp"].shape
    assert (nodes, solver.levels[1].A.shape[0]) == (BLOCK.shape[0] // 3, 6 * count)
    solved(solver, BLOCK, 30)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_aggregates_of_one_level(index):
    """Isolated nodes are in no aggregate, roots are the centers of aggregates, and all indices have one type."""
    star = np.zeros((7, 7))
    star[2, [0, 1, 2]] = star[5, 6] = star[3, 3] = 1  # in one direction only
    C = sp.csr_array(star)
    C.indptr, C.indices = C.indptr.astype(index), C.indices.astype(index)
    operator, roots = mis2_aggregation(C)
    assert operator.toarray().tolist() == [[1, 0], [1, 0], [1, 0], [0, 0], [0, 0], [0, 1], [0, 1]]
    assert roots.tolist() == [2, 5]
    assert (operator.dtype, operator.indptr.dtype, operator.indices.dtype, roots.dtype) == (np.int32, *[index] * 3)
    operator, roots = mis2_aggregation(sp.eye_array(3, format="csr"))
    assert (operator.shape, operator.nnz, roots.size) == ((3, 1), 0, 0)


@pytest.mark.filterwarnings("error:Incompatible non-symmetric")
@pytest.mark.parametrize("clusters", [None, "mis2"])
@pytest.mark.parametrize("kind", ["smoothed_aggregation_solver", "ruge_stuben_solver"])
def test_sweeps_smooth_on_its_levels(pyamg, kind, clusters):
    solver = getattr(pyamg, kind)(A)
    use_gauss_seidel(solver, clusters, sweeps=2)
    solved(solver, A, 15)


def test_columns_are_smoothed_in_place(pyamg):
    solver = pyamg.smoothed_aggregation_solver(A)
    use_gauss_seidel(solver, sweeps=1)
    b = right_side(A.shape[0])
    flat, column, strided = np.zeros(b.size), np.zeros((b.size, 1)), np.zeros((b.size, 2))[:, 0]
    for x in (flat, column, strided):
        solver.levels[0].presmoother(A, x, b.reshape(x.shape))
        assert np.array_equal(x.ravel(), flat)
    assert flat.any()


def test_without_pyamg_it_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyamg", None)
    with pytest.raises(ImportError, match=r"stablegraph\[pyamg\]"):
        to_pyamg(sg.smoothed_aggregation(A))
    importlib.import_module("stablegraph.interop.pyamg")
