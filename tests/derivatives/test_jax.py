"""Jacobians and Hessians by JAX: equal to dense ones, under jit, vmap and grad, and with the plan as an argument."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy
SIDE = 9
PATTERN = gallery.laplacian((SIDE, SIDE))
ALL = [(mode, sg.hessian_coloring(PATTERN, mode)) for mode in ("star", "acyclic")]
POINT = np.random.default_rng(0).normal(size=SIDE * SIDE)


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def energy(x, stiffness=1.0):
    grid = x.reshape(SIDE, SIDE)
    springs = ((grid[1:] - grid[:-1]) ** 4).sum() + ((grid[:, 1:] - grid[:, :-1]) ** 4).sum()
    return stiffness * springs / 4 + jnp.exp(-grid * grid).sum()


@pytest.mark.parametrize(("mode", "plan"), ALL)
def test_hessians(mode, plan):
    hessian = sg.sparse_hessian(energy, plan)
    x, exact = jnp.asarray(POINT), jax.hessian(energy)(POINT)
    for function in (hessian, jax.jit(hessian)):
        assert np.abs(function(x).todense() - exact).max() < 1e-12
    values = jax.jit(hessian.values)(x)
    batch = jax.vmap(hessian.values)(jnp.stack([x, 2 * x]))
    assert np.abs(batch[0] - values).max() < 1e-12
    assert np.abs(plan.matrix(np.asarray(batch[1])).toarray() - jax.hessian(energy)(2 * x)).max() < 1e-12
    slope = jax.grad(lambda stiffness: hessian.values(x, stiffness).sum())(1.0)
    assert abs(slope - (hessian.values(x, 2.0) - values).sum()) < 1e-9


@pytest.mark.parametrize(("mode", "plan"), ALL)
def test_a_plan_as_an_argument(mode, plan):
    leaves, structure = jax.tree_util.tree_flatten(plan)
    copy = jax.tree_util.tree_unflatten(structure, leaves)
    assert (copy.mode, copy.shape, copy.num_colors) == (plan.mode, plan.shape, plan.num_colors)

    @jax.jit
    def evaluate(plan, x):
        return sg.sparse_hessian(energy, plan)(x)

    assert np.abs(evaluate(plan, jnp.asarray(POINT)).todense() - jax.hessian(energy)(POINT)).max() < 1e-12


@pytest.mark.parametrize("mode", ["column", "row", "both"])
def test_jacobians(mode):
    matrix = sp.random_array((40, 60), density=0.05, rng=np.random.default_rng(1)).tolil()
    matrix[3], matrix[:, 5] = 1, 2
    dense = jnp.asarray(matrix.toarray())

    def fun(x, power=2):
        return (dense @ x) ** power

    x = jnp.arange(60.0)
    jacobian = sg.sparse_jacobian(fun, sg.jacobian_coloring(matrix.tocsr(), mode))
    assert np.allclose(jax.jit(jacobian)(x).todense(), jax.jacfwd(fun)(x))
    assert np.allclose(jacobian(x, power=3).todense(), jax.jacfwd(fun)(x, 3))


def test_arrays_of_numpy_give_matrices_of_scipy():
    hessian = sg.sparse_hessian(energy, PATTERN, library="jax")
    assert sp.issparse(hessian(POINT))
    found = scipy.optimize.minimize(
        energy, POINT, jac=jax.grad(energy), hess=hessian, method="trust-constr", options={"maxiter": 20}
    )
    assert energy(found.x) < energy(POINT)


def test_errors():
    with pytest.raises(ValueError, match=r"fun\(x\) has shape \(2,\), but the pattern has 3 rows"):
        sg.sparse_jacobian(lambda x: x[:2], np.eye(3))(jnp.ones(3))
    with pytest.raises(ValueError, match="x has shape"):
        sg.sparse_hessian(energy, PATTERN)(jnp.ones(3))


@pytest.mark.parametrize("mode", ["column", "row", "both"])
def test_check(mode):
    matrix = sp.random_array((40, 60), density=0.1, rng=np.random.default_rng(1)).tolil()
    matrix[[3, 7], [5, 6]] = 1.5
    dense = jnp.asarray(matrix.toarray())

    def fun(x, power=2):
        return (dense @ x) ** power + jnp.exp(dense @ x / 3)

    complete = sg.sparse_jacobian(fun, sg.jacobian_coloring(matrix, mode), check=True)
    for x in (jnp.zeros(60), jnp.ones(60), jnp.logspace(-3, 0, 60), jnp.ones(60, jnp.float32)):
        assert np.array_equal(complete.values(x), sg.sparse_jacobian(fun, complete.plan).values(x))
    with pytest.raises(TypeError, match="check=True compares numbers"):
        jax.jit(complete)(x)
    matrix[[3, 7], [5, 6]] = 0
    with pytest.raises(ValueError, match=r"lacks entries: .* wrong in (rows|columns) ") as error:
        sg.sparse_jacobian(fun, sg.jacobian_coloring(matrix, mode), check=True)(jnp.ones(60))
    what = {"column": "rows 3, 7;", "row": "columns 5, 6;", "both": "7"}[mode]
    assert what in str(error.value)


@pytest.mark.parametrize(("mode", "plan"), ALL)
def test_check_of_hessians(mode, plan):
    assert sg.sparse_hessian(energy, plan, check=True)(jnp.asarray(POINT)).nse == PATTERN.nnz
    pattern = sp.lil_array(PATTERN)
    pattern[5, 6] = pattern[6, 5] = 0
    with pytest.raises(ValueError, match="the pattern lacks entries: "):
        sg.sparse_hessian(energy, sg.hessian_coloring(pattern, mode), library="jax", check=True)(POINT)
