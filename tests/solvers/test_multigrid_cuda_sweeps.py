"""Gauss-Seidel smoothers by the GPU sources, emulated: the CPU's order of rows, and its sweeps."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from benchmarks.cycle_bytes import bytes_of_v_cycle
from stablegraph import gallery
from stablegraph.solvers.api import smoother_maker
from stablegraph.solvers.cuda import gauss_seidel as gauss_seidel_cuda
from stablegraph.solvers.cuda.cycle import with_type
from stablegraph.solvers.sweep_order import cluster_order, point_order
from tests.support import emulated_cuda as emulated_source
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

from .test_multigrid_cuda import solved_alike

pytestmark = needs_a_compiler
SMOOTHERS = ["gauss_seidel", "cluster_gauss_seidel"]


@pytest.fixture(params=["a block for small colors", "launches for all colors"])
def launches(request, monkeypatch):
    if request.param == "launches for all colors":
        monkeypatch.setattr(gauss_seidel_cuda, "_ONE_BLOCK", 0)


@pytest.mark.parametrize("name", ["grid", "random", "wheel"])
def test_rows_have_the_order_of_the_cpu(name):
    graph = {
        "grid": lambda: gallery.grid((13, 14)),
        "random": lambda: gallery.uniform_random(300, 6, seed=1),
        "wheel": lambda: sg.from_edges(np.r_[np.zeros(199, int), 1:200], np.r_[1:200, 2:200, 1], symmetrize=True),
    }[name]()
    labels = np.random.default_rng(2).integers(0, 40, graph.num_vertices).astype(np.int32)
    labels[:40] = np.arange(40)
    for clusters in (sg.aggregate(graph), (40, labels)):
        expected = cluster_order(graph, *clusters)
        with emulated_cuda():
            result = cluster_order(graph, *clusters)
        for one, other in zip(result, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    expected = point_order(graph)
    with emulated_cuda():
        result = point_order(graph)
    for one, other in zip(result, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("smoother", [*SMOOTHERS, ("gauss_seidel", {"sweeps": 2})])
def test_a_grid_is_solved_as_on_a_cpu(smoother, launches):
    on_cpu, on_gpu = solved_alike(gallery.laplacian((26, 25)), smoother=smoother, coarse_size=20)
    assert len(on_cpu.levels) == len(on_gpu.levels) > 2


@pytest.mark.parametrize(("smoother", "clamped"), list(zip(SMOOTHERS, [True, False], strict=True)))
def test_elasticity_is_solved_as_on_a_cpu(smoother, clamped):
    A, modes = gallery.elasticity_3d((6, 5, 5), clamped=clamped)
    options = {} if clamped else {"nullspace": modes}
    solved_alike(A, modes, b=A @ np.cos(np.arange(A.shape[0])), coarse_size=20, smoother=smoother, **options)


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_parts_without_neighbors(smoother):
    A = gallery.laplacian((12, 12)).tolil()
    A[7] = A[:, 7] = 0
    A[7, 7] = 3
    solved_alike(sp.csr_array(A), coarse_size=20, smoother=smoother)


@pytest.mark.parametrize("lanes", [1, 8, 32])
@pytest.mark.parametrize("smoother", SMOOTHERS)
@pytest.mark.parametrize("blocks", [False, True])
def test_a_sweep_is_that_of_the_cpu(lanes, smoother, blocks, monkeypatch):
    """Sweeps are equal in double precision, value by value; a backward sweep is the transpose of a forward one."""
    monkeypatch.setattr(gauss_seidel_cuda, "lanes_for", lambda _: lanes)
    A, modes = gallery.elasticity_3d((4, 4, 3)) if blocks else (gallery.laplacian((11, 12)), None)
    maker = smoother_maker((smoother, {"sweeps": 2}))
    level = sg.smoothed_aggregation(A, modes, coarse_size=20).levels[0]
    rng = np.random.default_rng(0)
    x, b = rng.standard_normal((2, A.shape[0]))
    expected, result = x.copy(), x.copy()
    sweeps = maker(level)
    sweeps.before(expected, b, zero=False)
    sweeps.after(expected, b)
    with emulated_cuda(2):
        on_gpu = with_type(sg.smoothed_aggregation(A, modes, coarse_size=20).levels[0], np.float64)
        sweeps = maker(on_gpu)
        sweeps.before(result, b, zero=False)
        sweeps.after(result, b)
    np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("smoother", SMOOTHERS)
def test_new_values_and_copies(smoother):
    A = gallery.laplacian((16, 17))
    scale = sp.diags_array(np.linspace(1, 2, 272))
    new, b = sp.csr_array(scale @ A @ scale), np.ones(272)
    with emulated_cuda():
        solver = sg.smoothed_aggregation(A, coarse_size=20, smoother=smoother)
        copy = pickle.loads(pickle.dumps(solver))
        np.testing.assert_array_equal(copy.solve(b), solver.solve(b))
        orders = [smoother._order for smoother in solver._cycle.smoothers]
        solver.update(new)
        kept = [smoother._order for smoother in solver._cycle.smoothers]
        assert all(one is other for one, other in zip(orders, kept, strict=True))
        fresh = sg.smoothed_aggregation(new, coarse_size=20, smoother=smoother)
        np.testing.assert_array_equal(solver.solve(b), fresh.solve(b))


def test_small_colors_take_few_launches():
    """All colors of a small level take one launch, in each direction."""
    with emulated_cuda():
        solver = sg.smoothed_aggregation(gallery.laplacian((16, 17)), coarse_size=20, smoother="gauss_seidel")
        assert [len(smoother._sweeps._launches) for smoother in solver._cycle.smoothers] == [1, 1]


@pytest.mark.parametrize(
    ("smoother", "blocks"),
    [
        *((smoother, False) for smoother in (*SMOOTHERS, "jacobi", "chebyshev", ("chebyshev", {"degree": 3}))),
        ("gauss_seidel", True),
    ],
)
def test_bytes_of_a_cycle(smoother, blocks, monkeypatch):
    """The study's lower bound is about the bytes of all arrays passed in a cycle, each counted once per launch."""
    A, modes = gallery.elasticity_3d((5, 4, 4)) if blocks else (gallery.laplacian((26, 25)), None)
    monkeypatch.setattr(gauss_seidel_cuda, "_ONE_BLOCK", 10**9)  # one launch per sweep
    moved = []
    with emulated_cuda():
        cycle = sg.smoothed_aggregation(A, modes, coarse_size=20, smoother=smoother)._cycle
        launch = emulated_source._Emulated.__call__

        def counted(program, name, threads, *arguments):
            arrays = {a.ctypes.data: a.nbytes for a in arguments if isinstance(a, np.ndarray) and a.size > 2}
            moved.append(sum(arrays.values()))
            launch(program, name, threads, *arguments)

        monkeypatch.setattr(emulated_source._Emulated, "__call__", counted)
        cycle.launch("V", cycle.right_side)
        floor = bytes_of_v_cycle(cycle.levels, cycle.smoothers)
    assert 0.8 * floor < sum(moved) < 1.1 * floor
