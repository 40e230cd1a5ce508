"""The first calls on a GPU do not wait for CuPy to compile kernels: its operations are not used on frequent paths."""

import functools
from copy import copy

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from build_kernels.gpu import _source_members
from stablegraph._core.runtime import CudaSource, array_module, arrays
from stablegraph._core.runtime.cuda import arrays as arrays_cuda
from stablegraph._core.runtime.cuda import elements as elements_cuda
from stablegraph.independent_set.large_set import IndependentSet
from stablegraph.solvers.cuda.cycle import RecordedCycle
from tests.first_gpu_calls import OnGpu, calls_on_gpu
from tests.pins import calls
from tests.pins.graphs import Subject
from tests.support.cases import each
from tests.support.compiled_operations import on_device, on_device_as_matrix, recorded_operations
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler


@pytest.fixture
def programs(monkeypatch):
    """The members of the archive of GPU code that would be loaded."""
    names, compiled = set(), CudaSource.compiled

    @functools.cache
    def name_of(source, macros):
        return source.member_name(source.defined(dict(macros)))

    def noted(source, **macros):
        names.add(name_of(source, tuple(macros.items())))
        return compiled(source, **macros)

    monkeypatch.setattr(CudaSource, "compiled", noted)
    return names


def in_archive():
    """The names of the members for CUDA sources."""
    return {member.name for member in _source_members()}


def poisson(*shape):
    return on_device_as_matrix(sg.gallery.laplacian(shape))


def on_host(answer):
    """Return an answer with arrays and matrices in host memory."""
    if isinstance(answer, tuple | list):
        return tuple(map(on_host, answer))
    if isinstance(answer, sg.Graph):
        return answer.to("cpu")
    answer = answer.mask if isinstance(answer, IndependentSet) else answer
    return answer.get() if hasattr(answer, "get") and not isinstance(answer, dict) else answer


def assert_same(actual, expected, name):
    """Compare answers: exactly, but solutions of linear systems within rounding errors."""
    if isinstance(expected, tuple):
        assert len(actual) == len(expected), name
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other, name)
    elif sp.issparse(expected):
        assert_same(
            (actual.data, actual.indices, actual.indptr), (expected.data, expected.indices, expected.indptr), name
        )
    elif isinstance(expected, np.ndarray):
        tolerance = 1e-10 * abs(expected).max() if name.startswith(("smoothed", "solve")) and expected.size else 0
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance, err_msg=name)
    else:
        assert actual == expected, name


def test_what_is_recorded(monkeypatch):
    with recorded_operations(monkeypatch) as operations:
        array = on_device(np.arange(6.0))
        array[2:4] = array[:2]
        array[1:3] = 0
        np.empty_like(array)[...] = array
        assert operations == []
        for operation in (
            lambda: -array,
            lambda: array + 1,
            lambda: array.max(),
            lambda: (array > 1).any(),
            lambda: np.where(array, 1, 2),
            lambda: array.astype(np.float32),
            lambda: array.copy(),
            lambda: array[[0, 1]],
            lambda: array[::2].ravel(),
            lambda: array.fill(1),
            lambda: array.__setitem__(0, 1.0),
            lambda: np.abs(array),
            lambda: array.cumsum(),
        ):
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
    assert programs
    assert programs <= in_archive()


def test_nodes_in_no_aggregate(monkeypatch):
    A = sp.block_diag([sp.eye_array(3), sg.gallery.laplacian((20, 20)), sp.eye_array(5)])
    with recorded_operations(monkeypatch) as operations:
        solver = sg.smoothed_aggregation(on_device_as_matrix(A), coarse_size=100)
        x = solver.solve(on_device(np.ones(408)))
        assert operations == []
    np.testing.assert_allclose(A @ x, 1, atol=1e-6)


def test_elasticity(monkeypatch):
    A, modes = sg.gallery.elasticity_3d((4, 4, 4))
    with recorded_operations(monkeypatch) as operations:
        solver = sg.smoothed_aggregation(on_device_as_matrix(A), on_device(modes), coarse_size=40)
        solver.solve(on_device(np.ones(A.shape[0])))
        assert operations == []
    assert solver.levels[0].A.blocksize == (3, 3)


@pytest.mark.parametrize("order", ["largest_first", "natural", "random"])
def test_coloring(monkeypatch, programs, order):
    host = sg.gallery.uniform_random(200, 4)
    with recorded_operations(monkeypatch) as operations:
        colors = sg.vertex_coloring(host.to("cuda"), order=order)
        assert operations == []
    assert programs
    assert programs <= in_archive()
    np.testing.assert_array_equal(colors.get(), sg.vertex_coloring(host, order=order))


SUBJECTS = {
    "random graph": Subject("random", sg.gallery.uniform_random(60, 3, seed=3)),
    "grid": Subject("grid", sg.gallery.grid((9, 8))),
}


@pytest.mark.parametrize(
    "with_arrays",
    [
        pytest.param(False, id="arrays of the host"),
        pytest.param(True, id="arrays of the device", marks=pytest.mark.slow),
    ],
)
def test_every_call_of_the_table(monkeypatch, programs, with_arrays):
    """All public functions with all options, with graphs and matrices on the device, and other arguments on both."""
    monkeypatch.setattr(calls, "_whole_again", lambda answer, graph: answer)
    tried = 0
    for call in calls_on_gpu():
        subject = SUBJECTS["grid" if call.least > 60 else "random graph"]
        try:
            expected = on_host(call.answer(subject))
        except (ValueError, ArithmeticError):  # a graph that the call rejects
            continue
        with recorded_operations(monkeypatch) as operations:
            actual = on_host(call.answer(OnGpu(subject, with_arrays=with_arrays)))
        assert [one for one in operations if " at " in one] == [], call.name  # the rest is of the call itself
        if call.name.startswith("smoothed_aggregation"):  # the lengths of the lists of residuals may differ by one
            actual, expected = actual[0], expected[0]
        assert_same(actual, expected, call.name)
        tried += 1
    assert tried > 300
    assert programs
    assert programs <= in_archive()


@each(weighted=[False, True], symmetrize=[False, True, "min", "max", "sum"], drop_duplicates=[False, True])
def test_edges_and_matrices(monkeypatch, weighted, symmetrize, drop_duplicates):
    rng = np.random.default_rng(0)
    u, v, weights = rng.integers(0, 40, 300), rng.integers(0, 40, 300), rng.integers(0, 3, 300) / 2
    weights = weights if symmetrize in ("min", "max", "sum") or not drop_duplicates else np.ones(300)
    given = (u, v, weights) if weighted else (u, v)
    options = {"directed": not symmetrize, "symmetrize": symmetrize, "drop_duplicates": drop_duplicates}
    expected = sg.from_edges(*given, **options)
    with recorded_operations(monkeypatch) as operations:
        graph = sg.from_edges(*map(on_device, given), **options)
        again = sg.as_graph((graph.indptr, graph.indices, graph.weights), directed=graph.directed)
        chosen = graph.subgraph(on_device(np.arange(40) % 3 == 0))
        assert [one for one in operations if " at " in one] == []
        assert graph == expected == again
        assert chosen == expected.subgraph(np.arange(40) % 3 == 0)


def test_verified_forests(monkeypatch):
    graph = SUBJECTS["grid"].ties
    with recorded_operations(monkeypatch) as operations:
        on_gpu = graph.to("cuda")
        forest = sg.minimum_spanning_forest(on_gpu)
        assert sg.is_minimum_spanning_forest(on_gpu, forest)
        assert sg.is_spanning_forest(on_gpu, forest)
        assert not sg.is_minimum_spanning_forest(on_gpu, sg.minimum_spanning_forest(on_gpu, maximum=True))
        assert sg.as_graph(forest, weights=True) == sg.as_graph(sg.minimum_spanning_forest(graph))
        assert operations == []


def random_array(rng, dtype, n):
    if np.dtype(dtype).kind == "f":
        values = rng.standard_normal(n).astype(dtype).round(1)
        values[: n // 9] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], n // 9)
        return values
    return rng.integers(0 if np.dtype(dtype).kind == "u" else -4, 5, n).astype(dtype)


TYPES = np.array([np.bool_, np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])


def agree(monkeypatch, function, *arguments):
    """Compare a function of arrays on the device with NumPy's, type, shape and elements; neither compiles."""
    with np.errstate(all="ignore"):
        expected = function(np, *map(copy, arguments))
        with recorded_operations(monkeypatch) as operations:
            xp = array_module("cuda")
            actual = function(xp, *(xp.asarray(one) if isinstance(one, np.ndarray) else one for one in arguments))
            assert operations == []
    pairs = zip(actual, expected, strict=True) if isinstance(expected, tuple) else [(actual, expected)]
    for one, other in pairs:
        one = one.get() if hasattr(one, "get") else np.asarray(one)
        np.testing.assert_array_equal(one, other)
        assert (one.dtype, one.shape) == (np.asarray(other).dtype, np.shape(other))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, for infinite numbers
@each(operation=elements_cuda.OPERATIONS)
def test_operations_on_elements(monkeypatch, operation):
    """Types for which NumPy raises an error have no result, and those without a kernel are CuPy's."""
    rng = np.random.default_rng(elements_cuda.OPERATIONS[operation])
    tried = 0
    for _ in range(24):
        kinds = rng.choice(TYPES, operation.nin)
        values = [random_array(rng, dtype, 70) for dtype in kinds]
        if operation.nin == 2 and rng.random() < 0.3:
            values[1] = values[1].max() if rng.random() < 0.5 or operation in NEGATIVE_SHIFTS else 3
        if operation.nin == 2 and operation in NEGATIVE_SHIFTS:
            values[1] = abs(values[1]) if np.asarray(values[1]).dtype != bool else values[1]
        try:
            operation(*values)
        except (TypeError, OverflowError):
            continue
        if elements_cuda._loop(operation, tuple(getattr(value, "dtype", type(value)) for value in values)) is not None:
            tried += 1
            agree(monkeypatch, lambda xp, *given: operation(*given), *values)
    assert tried > 1


NEGATIVE_SHIFTS = {np.left_shift, np.right_shift}


FUNCTIONS = {
    "unique": lambda xp, a, b, c: xp.unique(a, return_index=True, return_inverse=True, return_counts=True),
    "sort": lambda xp, a, b, c: xp.sort(a),
    "argsort": lambda xp, a, b, c: xp.argsort(a, kind="stable"),
    "lexsort": lambda xp, a, b, c: xp.lexsort(xp.stack([a, a[::-1]])),
    "searchsorted": lambda xp, a, b, c: (
        xp.searchsorted(xp.sort(a), a[::-1]),
        xp.searchsorted(xp.sort(a), a, side="right"),
    ),
    "isin": lambda xp, a, b, c: xp.isin(a, a[: a.size // 3]),
    "extremes": lambda xp, a, b, c: (a.min(), a.max(), a.argmin(), a.argmax()),
    "any and all": lambda xp, a, b, c: (a.any(), a.all(), xp.count_nonzero(a), xp.flatnonzero(a), *xp.nonzero(a)),
    "where": lambda xp, a, b, c: (xp.where(c, a, b), xp.where(c, a, a[0]), xp.concatenate([a, b]), xp.append(a, b)),
    "gather": lambda xp, a, b, c: (a[c], a[xp.flatnonzero(c)], a[-1 - xp.flatnonzero(c)], a[::3][xp.arange(4)], a[2:9]),
    "scatter": lambda xp, a, b, c: [a.__setitem__(c, b[:1]), b.__setitem__(xp.flatnonzero(c), 1), (a, b)][-1],
    "fill": lambda xp, a, b, c: [a.__setitem__(slice(3, 60, 2), b[1]), b.fill(3), (a, b, xp.full(5, 7), xp.ones(3))][
        -1
    ],
    "matrix": lambda xp, a, b, c: (
        xp.stack([a, b]),
        xp.stack([a, b], axis=1),
        xp.stack([a, a]).T.ravel(),
        xp.argwhere(xp.stack([c, c])),
        xp.stack([a, a])[xp.asarray([1, 0])],
        xp.stack([a, a])[:, None, ::2].copy(),
        xp.stack([a, b])[xp.stack([c, c])],
    ),
    "steps": lambda xp, a, b, c: (
        xp.arange(9),
        xp.arange(9, 2, -3),
        xp.arange(2, 9, dtype=np.int32),
        xp.eye(3),
        xp.linspace(0, 1, 5),
    ),
    "astype": lambda xp, a, b, c: (a.astype(np.float64), c.astype(np.int32), a[::2].astype(np.float32), a.copy()),
    "tile": lambda xp, a, b, c: (xp.tile(a, 3), xp.repeat(a, 2), xp.repeat(a, xp.arange(a.size) % 3)),
}
ON_INTEGERS = {
    "sums": lambda xp, a, b, c: (
        a.sum(),
        a.sum(dtype=np.int64),
        xp.cumsum(a),
        a.cumsum(),
        xp.diff(xp.cumsum(a)),
        a.mean(),
    ),
    "counts": lambda xp, a, b, c: xp.bincount((a.astype(np.int64) + 4) % 9, minlength=3),
    "columns": lambda xp, a, b, c: (
        xp.stack([a, a]).sum(axis=1),
        xp.stack([a, a], axis=1).sum(axis=0),
        a.clip(0, 2),
        a**2,
    ),
}


@each(name=[*FUNCTIONS, *ON_INTEGERS], dtype=TYPES)
def test_functions_of_arrays(monkeypatch, name, dtype):
    rng = np.random.default_rng(len(name))
    values = [random_array(rng, dtype, n) for n in (70, 70)]
    kind = np.dtype(dtype).kind
    if (name in ON_INTEGERS and kind not in "iu") or (name in ("unique", "isin", "sort", "lexsort") and kind == "f"):
        values = [np.nan_to_num(value) + 0 for value in values]
    if name in ON_INTEGERS and kind not in "iu":
        return
    agree(monkeypatch, FUNCTIONS.get(name) or ON_INTEGERS[name], *values, rng.random(70) < 0.4)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float64])
def test_keys_that_fill_all_bits(monkeypatch, dtype):
    """They are sorted in two steps."""
    words = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 99)
    values = np.repeat(words if dtype != np.float64 else words.astype(np.float64), 2).astype(dtype)
    agree(monkeypatch, lambda xp, a: (xp.argsort(a, kind="stable"), a.min(), a.max(), xp.sort(a)), values[::-1].copy())


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


@each(max_distance=[0, 1, 3, 1000, None], sources=[[0], [0, 40, 79]])
def test_searches_stop_at_their_limit(monkeypatch, max_distance, sources):
    """The kernel's state has the last level that it processed."""
    graph = sg.gallery.grid((80,))
    expected = sg.breadth_first_search(graph, sources, max_distance=max_distance)
    levels, compiled = [], CudaSource.compiled

    def noted(source, **macros):
        program = compiled(source, **macros)
        if source.path.name != "breadth_first.cu":
            return program

        def run(name, threads, *arguments):
            program(name, threads, *arguments)
            progress = next(one for one in arguments if isinstance(one, np.ndarray) and one.size == 16)
            levels.append(int(progress[11]))

        return run

    with monkeypatch.context() as patch, recorded_operations(monkeypatch) as operations:
        patch.setattr(CudaSource, "compiled", noted)
        actual = sg.breadth_first_search(graph.to("cuda"), sources, max_distance=max_distance)
        assert operations == []
    assert_same(on_host(actual), expected, "search")
    assert levels[-1] <= (graph.num_vertices if max_distance is None else max_distance)


@each(graph=[sg.gallery.grid((9, 7)), sg.gallery.uniform_random(60, 1), sg.gallery.uniform_random(300, 3)])
def test_sides_are_found_on_the_gpu(monkeypatch, graph):
    is_bipartite, (sides, _) = sg.is_bipartite(graph), sg.bipartition(graph)
    with recorded_operations(monkeypatch) as operations:
        on_gpu = graph.to("cuda")
        monkeypatch.setattr(sg.Graph, "to", None)  # the graph is not copied to the host
        assert sg.is_bipartite(on_gpu) == is_bipartite
        if is_bipartite:
            assert_same(on_host(sg.bipartition(on_gpu)[0]), sides, "sides")
        assert operations == []
