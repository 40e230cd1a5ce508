"""Hierarchies and sweeps that are copied, pickled, or updated unsuccessfully."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.solvers import cycle
from tests.support.cases import each

SMOOTHERS = ["chebyshev", "jacobi", "gauss_seidel", "cluster_gauss_seidel"]
COPIES = {
    "pickle": lambda thing: pickle.loads(pickle.dumps(thing)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}
each_copy = pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)


def noise(n):
    return np.random.default_rng(7).uniform(-1, 1, n)


def singular():
    """Return the elasticity matrix of a floating body, and its rigid-body modes."""
    A, modes = gallery.elasticity_3d((6, 5, 4), clamped=False)
    return A, modes, {"nullspace": modes}


SYSTEMS = {
    "large coarsest level": lambda: (gallery.laplacian((16, 15, 14)), None, {"coarse_size": 3000}),
    "scalar": lambda: (gallery.laplacian((12, 11, 10)), None, {}),
    "blocks": singular,
    "strong": lambda: (gallery.laplacian((12, 11, 10)), None, {"strength": 0.1}),
}


@each(pairs=True, smoother=SMOOTHERS, system=SYSTEMS.values(), copied=COPIES.values())
def test_copies_have_the_same_answers(system, smoother, copied):
    A, B, options = system()
    solver = sg.smoothed_aggregation(A, B, smoother=smoother, **{"coarse_size": 50, **options})
    b = A @ noise(A.shape[0])
    expected = solver.solve(b)
    applied = solver.aspreconditioner() @ b
    solver.update(A)
    other = copied(solver)
    assert np.array_equal(other.solve(b), expected)
    assert np.array_equal(copied(other.aspreconditioner()) @ b, applied)
    assert repr(other) == repr(solver)
    other.update(2 * A)
    assert np.allclose(2 * other.solve(b), expected, atol=1e-5 * abs(expected).max())
    assert np.array_equal(solver.solve(b), expected)


@each_copy
@pytest.mark.parametrize("clusters", [None, "mis2"])
def test_sweeps_are_copied(clusters, copied):
    A = gallery.laplacian((15, 14))
    sweeps = sg.gauss_seidel(A, clusters=clusters)
    b = noise(A.shape[0])
    expected = sweeps.sweep(np.zeros(b.size), b)
    other = copied(sweeps)
    assert np.array_equal(other.sweep(np.zeros(b.size), b), expected)
    assert np.array_equal(copied(sweeps.aspreconditioner()) @ b, expected)
    other.update(2 * A)
    assert np.allclose(2 * other.sweep(np.zeros(b.size), b), expected)
    assert np.array_equal(sweeps.sweep(np.zeros(b.size), b), expected)


def test_a_pickle_holds_no_work_memory():
    A = gallery.laplacian((30, 30, 30))
    solver = sg.smoothed_aggregation(A)
    solver.solve(noise(A.shape[0]))
    levels, whole = len(pickle.dumps(solver.levels)), len(pickle.dumps(solver))
    assert whole < levels + 200_000


@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
def test_an_update_that_fails_changes_nothing(system, smoother, monkeypatch):
    A, B, options = system()
    solver = sg.smoothed_aggregation(A, B, smoother=smoother, **{"coarse_size": 50, **options})
    b = A @ noise(A.shape[0])
    expected = solver.solve(b)
    levels = solver.levels

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cycle, "DenseSolver", interrupted)
        patch.setattr(cycle, "SparseSolver", interrupted)
        with pytest.raises(KeyboardInterrupt):
            solver.update(3 * A)
    assert solver.levels is levels
    assert np.array_equal(solver.solve(b), expected)
