"""Jacobians and Hessians by PyTorch: equal to dense ones."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
SIDE = 9
PATTERN = gallery.laplacian((SIDE, SIDE))


def energy(x):
    grid = x.reshape(SIDE, SIDE)
    springs = ((grid[1:] - grid[:-1]) ** 4).sum() + ((grid[:, 1:] - grid[:, :-1]) ** 4).sum()
    return springs / 4 + torch.exp(-grid * grid).sum()


@pytest.mark.parametrize("mode", ["star", "acyclic"])
def test_hessians(mode):
    x = torch.from_numpy(np.random.default_rng(0).normal(size=SIDE * SIDE))
    exact = torch.func.hessian(energy)(x)
    plan = sg.hessian_coloring(PATTERN, mode)
    hessian = sg.sparse_hessian(energy, plan)
    assert torch.abs(hessian(x).to_dense() - exact).max() < 1e-12
    of_numpy = sg.sparse_hessian(energy, plan, library="torch")(x.numpy())
    assert np.abs(of_numpy.toarray() - exact.numpy()).max() < 1e-12


@pytest.mark.parametrize("mode", ["column", "row", "both"])
def test_jacobians(mode):
    matrix = sp.random_array((40, 60), density=0.05, rng=np.random.default_rng(1)).tolil()
    matrix[3], matrix[:, 5] = 1, 2
    dense = torch.from_numpy(matrix.toarray())

    def fun(x):
        return (dense @ x) ** 2

    x = torch.arange(60.0, dtype=torch.float64)
    jacobian = sg.sparse_jacobian(fun, sg.jacobian_coloring(matrix.tocsr(), mode))
    assert torch.allclose(jacobian(x).to_dense(), torch.func.jacfwd(fun)(x))
    with pytest.raises(ValueError, match="but the pattern has 40 rows"):
        sg.sparse_jacobian(lambda x: x[:2], jacobian.plan)(x)


@pytest.mark.parametrize("mode", ["column", "row", "both"])
def test_check(mode):
    matrix = sp.random_array((40, 60), density=0.1, rng=np.random.default_rng(1)).tolil()
    matrix[[3, 7], [5, 6]] = 1.5
    dense = torch.from_numpy(matrix.toarray())

    def fun(x):
        return (dense.to(x.dtype) @ x) ** 2

    complete = sg.sparse_jacobian(fun, sg.jacobian_coloring(matrix, mode), check=True)
    for x in (torch.zeros(60), torch.ones(60), torch.ones(60, dtype=torch.float64)):
        assert torch.equal(complete.values(x), sg.sparse_jacobian(fun, complete.plan).values(x))
    matrix[[3, 7], [5, 6]] = 0
    with pytest.raises(ValueError, match=r"lacks entries: .* wrong in (rows|columns) ") as error:
        sg.sparse_jacobian(fun, sg.jacobian_coloring(matrix, mode), check=True)(x)
    what = {"column": "rows 3, 7;", "row": "columns 5, 6;", "both": "7"}[mode]
    assert what in str(error.value)


@pytest.mark.parametrize("mode", ["star", "acyclic"])
def test_check_of_hessians(mode):
    point = np.random.default_rng(0).normal(size=SIDE * SIDE)
    hessian = sg.sparse_hessian(energy, sg.hessian_coloring(PATTERN, mode), library="torch", check=True)
    assert hessian(point).nnz == PATTERN.nnz
    pattern = sp.lil_array(PATTERN)
    pattern[5, 6] = pattern[6, 5] = 0
    with pytest.raises(ValueError, match="the pattern lacks entries: "):
        sg.sparse_hessian(energy, sg.hessian_coloring(pattern, mode), library="torch", check=True)(point)
