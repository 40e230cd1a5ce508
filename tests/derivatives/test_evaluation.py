"""Jacobians by differences, for functions of NumPy and in the solvers of SciPy."""

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

SHAPE = 12, 11
POINTS = SHAPE[0] * SHAPE[1]
LAPLACIAN = gallery.laplacian(SHAPE)


def reaction(u, source=5.0):
    return LAPLACIAN @ u - source / 100 * np.exp(u)


def exact(u, source=5.0):
    return LAPLACIAN - sp.diags_array(source / 100 * np.exp(u))


def test_one_evaluation_per_color():
    places = []
    jacobian = sg.sparse_jacobian(lambda u, **options: places.append(u) or reaction(u, **options), LAPLACIAN)
    u = np.random.default_rng(0).normal(scale=3, size=POINTS)
    u[:2] = 0.0, -0.0
    for options in ({}, {"source": 2.0}):
        places.clear()
        result = jacobian(u, **options)
        assert len(places) == 1 + jacobian.plan.num_colors
        assert all(np.array_equal(place != u, place - u != 0) for place in places)
        assert abs(result - exact(u, **options)).max() < 1e-6
        assert (result.format, result.dtype, result.nnz) == ("csr", np.float64, LAPLACIAN.nnz)
        assert np.array_equal(jacobian.values(u, **options), result.data)
    assert not np.shares_memory(places[0], u)
    assert repr(jacobian) == f"<SparseDerivative: {jacobian.plan!r}>"


@pytest.mark.parametrize("mode", ["star", "acyclic"])
def test_a_hessian_from_a_gradient(mode):
    plan = sg.hessian_coloring(LAPLACIAN, mode)
    assert plan.num_colors < sg.jacobian_coloring(LAPLACIAN).num_colors
    hessian = sg.sparse_jacobian(reaction, plan)
    u = np.random.default_rng(0).normal(scale=2, size=POINTS)
    assert abs(hessian(u) - exact(u)).max() < 1e-5


def test_solvers_of_scipy():
    jacobian = sg.sparse_jacobian(reaction, LAPLACIAN)
    result = scipy.optimize.least_squares(reaction, np.zeros(POINTS), jacobian, kwargs={"source": 3.0})
    assert np.abs(reaction(result.x, 3.0)).max() < 1e-6

    def slope(t, u):
        return -reaction(u, 1.0)

    jacobian = sg.sparse_jacobian(slope, LAPLACIAN, argument=1)
    whole = scipy.integrate.solve_ivp(slope, (0, 200), np.zeros(POINTS), method="BDF", jac=jacobian)
    assert whole.success
    assert np.abs(slope(200, whole.y[:, -1])).max() < 1e-5


def test_rectangular_and_complex_and_empty_jacobians():
    matrix = sp.random_array((7, 5), density=0.4, rng=np.random.default_rng(1)).tocsr() * (1 + 2j)
    jacobian = sg.sparse_jacobian(lambda x: matrix @ x, matrix)
    assert jacobian([1, 2, 3, 4, 5]).dtype == np.complex128
    assert abs(jacobian(np.ones(5)) - matrix).max() < 1e-6
    assert sg.sparse_jacobian(lambda x: np.zeros(3), np.zeros((3, 0)))([]).shape == (3, 0)


def test_errors():
    jacobian = sg.sparse_jacobian(lambda x: x[:2], np.eye(3))
    with pytest.raises(ValueError, match=r"fun\(x\) has shape \(2,\), but the pattern has 3 rows: return shape \(3,\)"):
        jacobian(np.ones(3))
    with pytest.raises(ValueError, match=r"x has shape \(4,\), but the pattern has 3 columns: pass shape \(3,\)"):
        jacobian(np.ones(4))
    with pytest.raises(TypeError, match="is to argument 1, but there are only 1"):
        sg.sparse_jacobian(lambda x: x, np.eye(3), argument=1)(np.ones(3))
    with pytest.raises(ValueError, match="argument must be at least 0, got -1"):
        sg.sparse_jacobian(lambda x: x, np.eye(3), argument=-1)
    with pytest.raises(ValueError, match="differences give products with columns only"):
        sg.sparse_jacobian(lambda x: x, sg.jacobian_coloring(np.eye(3), "row"))(np.ones(3))
    with pytest.raises(ValueError, match="library must be one of"):
        sg.sparse_jacobian(lambda x: x, np.eye(3), library="tensorflow")
    with pytest.raises(ValueError, match="library must be one of jax, torch"):
        sg.sparse_hessian(lambda x: x.sum(), np.eye(3), library="numpy")
    with pytest.raises(TypeError, match="a Hessian needs a function of JAX or PyTorch"):
        sg.sparse_hessian(lambda x: x.sum(), np.eye(3))(np.ones(3))
