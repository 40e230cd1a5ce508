"""The first calls on a GPU do not wait for CuPy to compile kernels: its operations are not used on frequent paths."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core.runtime import CudaSource, arrays, arrays_cuda
from stablegraph.solvers.cycle_cuda import RecordedCycle
from tests.support.compiled_operations import on_device, recorded_operations
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler


@pytest.fixture
def programs(monkeypatch):
    """The members of the archive of GPU code that would be loaded."""
    names, compiled = set(), CudaSource.compiled

    def noted(source, **macros):
        names.add(source.member_name(source.defined(macros)))
        return compiled(source, **macros)

    monkeypatch.setattr(CudaSource, "compiled", noted)
    return names


def in_archive():
    """The members of all sources for narrow indices."""
    return {
        source.member_name(source.defined(variant)) for source in CudaSource.registry for variant in source.variants
    }


def poisson(*shape):
    return on_device_as_csr(sg.gallery.laplacian(shape))


def on_device_as_csr(A):
    A = sp.csr_array(A)
    arrays = A.data, A.indices.astype(np.int32), A.indptr.astype(np.int32)
    A.data, A.indices, A.indptr = map(on_device, arrays)
    return A


def test_what_is_recorded(monkeypatch):
    with recorded_operations(monkeypatch) as operations:
        array = on_device(np.arange(6.0))
        array[2:4] = array[:2]
        array[1:3] = 0
        np.empty_like(array)[...] = array
        assert operations == []
        for operation in (
            lambda: array + 1, lambda: array.max(), lambda: (array > 1).any(), lambda: np.where(array, 1, 2),
            lambda: array.astype(np.float32), lambda: array.copy(), lambda: array[[0, 1]], lambda: array[::2].ravel(),
            lambda: array.fill(1), lambda: array.__setitem__(0, 1.0), lambda: np.abs(array), lambda: array.cumsum(),
        ):  # fmt: skip
            operations.clear()
            operation()
            assert operations


@pytest.mark.parametrize("options", [{}, {"damping": 0}, {"smoother": "jacobi"}, {"aggregate": "kokkos"}], ids=str)
@pytest.mark.parametrize("shape", [(24, 24), (9, 9)], ids=["two levels", "one level"])
def test_multigrid(monkeypatch, programs, shape, options):
    n = int(np.prod(shape))
    with recorded_operations(monkeypatch) as operations:
        solver = sg.smoothed_aggregation(poisson(*shape), coarse_size=100, **options)
        assert operations == []
        solver.solve(on_device(np.ones(n)))
        assert operations == []
        solver.solve(on_device(np.ones((n, 2))), accel=None, maxiter=100)
        assert operations == []
        solver.update(poisson(*shape))
        solver.solve(on_device(np.zeros(n)))
        assert operations == []
    assert isinstance(solver._cycle, RecordedCycle)
    assert programs and programs <= in_archive()


def test_nodes_in_no_aggregate(monkeypatch):
    A = sp.block_diag([sp.eye_array(3), sg.gallery.laplacian((20, 20)), sp.eye_array(5)])
    with recorded_operations(monkeypatch) as operations:
        solver = sg.smoothed_aggregation(on_device_as_csr(A), coarse_size=100)
        x = solver.solve(on_device(np.ones(408)))
        assert operations == []
    np.testing.assert_allclose(A @ x, 1, atol=1e-6)


def test_elasticity(monkeypatch):
    A, modes = sg.gallery.elasticity_3d((4, 4, 4))
    with recorded_operations(monkeypatch) as operations:
        solver = sg.smoothed_aggregation(on_device_as_csr(A), on_device(modes), coarse_size=40)
        solver.solve(on_device(np.ones(A.shape[0])))
        assert operations == []
    assert solver.levels[0].A.blocksize == (3, 3)


@pytest.mark.parametrize("order", ["largest_first", "natural", "random"])
def test_coloring(monkeypatch, programs, order):
    host = sg.gallery.uniform_random(200, 4)
    with recorded_operations(monkeypatch) as operations:
        graph = host._replace(indptr=on_device(host.indptr), indices=on_device(host.indices))
        colors = sg.vertex_coloring(graph, order=order)
        assert operations == []
    assert programs and programs <= in_archive()
    with emulated_cuda():
        assert np.array_equal(colors, sg.vertex_coloring(host, order=order))


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("n", [0, 1, 31, 3000, 40_000])
def test_operations_on_integers(n, dtype):
    values = np.random.default_rng(n).integers(-3, 4, n).astype(dtype)
    ends = np.append(0, values).cumsum().astype(dtype)
    with emulated_cuda(5):
        result = {
            "copied": arrays.copied(values), "equals": arrays.equals(values, 2), "contains": arrays.contains(values, 2),
            "positions": arrays.positions(values, -1), "largest": arrays.largest(values, -9),
            "negative": arrays.largest(values - 5, -9), "differences": arrays.differences(ends, 1),
            "narrow": arrays.converted(values, np.int32), "wide": arrays.converted(values, np.int64),
            "count_up": arrays.count_up(values, n, dtype), "filled": arrays_cuda.filled(n, -1, dtype, np),
            "offsets": arrays_cuda.offsets(values),
        }  # fmt: skip
    expected = {
        "copied": values, "equals": values == 2, "contains": bool((values == 2).any()),
        "positions": np.flatnonzero(values == -1), "largest": int(values.max()) if n else -9,
        "negative": int(values.max()) - 5 if n else -9, "differences": values - dtype(1),
        "narrow": values.astype(np.int32), "wide": values.astype(np.int64), "count_up": np.arange(n, dtype=dtype),
        "filled": np.full(n, -1, dtype), "offsets": np.append(0, values.cumsum(dtype=np.int64)),
    }  # fmt: skip
    for name, value in expected.items():
        np.testing.assert_array_equal(result[name], value, name)
        assert getattr(result[name], "dtype", None) == getattr(value, "dtype", None), name


@pytest.mark.parametrize("wrong", [None, np.inf, -np.inf, np.nan, -np.nan])
def test_operations_on_floating_point_numbers(wrong):
    values = np.random.default_rng(0).standard_normal(1000)
    values[500] = -7.0 if wrong is None else wrong
    with emulated_cuda(5):
        assert arrays.all_finite(values) == (wrong is None)
        np.testing.assert_array_equal(
            arrays_cuda.largest_sizes([values, values[:0], values[:9]]), [abs(values).max(), 0, abs(values[:9]).max()]
        )
        np.testing.assert_array_equal(arrays.converted(values, np.float32), values.astype(np.float32))
        assert arrays.converted(values, np.float64) is values
        np.testing.assert_array_equal(arrays_cuda.stacked_identities(values, 6, 3), np.tile(np.eye(3), (2, 1)))
