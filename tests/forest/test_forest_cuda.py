"""Forests by the GPU sources, emulated: equal to those of the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.forest.cuda import boruvka as boruvka_cuda
from stablegraph.forest.weights import order_of, sums_of_directions, sums_on_gpu
from tests.support.cases import each
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler


def same_forests(graph, seeds=2, **options):
    expected = sg.minimum_spanning_forest(graph, algorithm="filter_kruskal", **options)
    for seed in range(seeds):
        with emulated_cuda(seed):
            result = sg.minimum_spanning_forest(graph, **options)
        assert result.dtype == expected.dtype
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(result, name), getattr(expected, name))


def with_weights(graph, dtype, range_of=20):
    """Return the graph with weights that depend only on its edges; many are equal."""
    rows = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    low, high = np.minimum(rows, graph.indices).astype(np.uint64), np.maximum(rows, graph.indices).astype(np.uint64)
    mixed = (low * np.uint64(0x9E3779B97F4A7C15) ^ high * np.uint64(0xC2B2AE3D27D4EB4F)) * np.uint64(0xFF51AFD7ED558CCD)
    dtype = np.dtype(dtype)
    if range_of is None:
        weights = mixed.view(np.int64) if dtype.kind in "iu" else mixed.view(np.int64) / 3
    else:
        weights = (mixed >> np.uint64(40)).astype(np.int64) % range_of - (0 if dtype.kind in "ub" else range_of // 2)
    return sg.as_graph((graph.indptr, graph.indices, weights.astype(dtype)))


@each(few=[False, True])
def test_the_same_forests(hard_graph, few, monkeypatch):
    if few:  # hardly any edge is light, and a sample is tiny
        monkeypatch.setattr(boruvka_cuda, "_LIGHT", 0)
        monkeypatch.setattr(boruvka_cuda, "_ROOM", 1)
        monkeypatch.setattr(boruvka_cuda, "_SHARE", 8)
    same_forests(hard_graph)
    same_forests(with_weights(hard_graph, np.int32), maximum=few)
    same_forests(with_weights(hard_graph, np.float64, None), maximum=few, seeds=1)


@pytest.fixture(scope="module")
def random_graph():
    rng = np.random.default_rng(5)
    return sg.from_edges(*rng.integers(0, 3000, (2, 30000)), n=3010, symmetrize=True)


DTYPES = ("int8", "bool", "uint32", "int64", "uint64", "float16", "float32", "float64")


@pytest.mark.parametrize("maximum", [False, True], ids=["minimum", "maximum"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_of_all_dtypes(random_graph, dtype, maximum):
    same_forests(with_weights(random_graph, dtype), seeds=1, maximum=maximum)
    if np.dtype(dtype).itemsize >= 4:
        same_forests(with_weights(random_graph, dtype, None), seeds=1, maximum=maximum)


def test_special_weights():
    weights = np.array([np.inf, -np.inf, -0.0, 0.0, 1e-320, -1e-320, np.inf, 1e308])
    ends = np.arange(8)
    for dtype in (np.float32, np.float64):
        with np.errstate(over="ignore"):
            same_forests(sg.from_edges(ends, (ends + 1) % 8, weights.astype(dtype), symmetrize=True))
            same_forests(sg.from_edges(ends, (ends + 1) % 8, weights.astype(dtype), symmetrize=True), maximum=True)
    wide = np.array([0, 2**64 - 1, 2**63, 2**63 - 1, 5], np.uint64)
    same_forests(sg.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], wide, symmetrize=True))


@pytest.mark.parametrize("indptr, indices", [(np.int64, np.int32), (np.int64, np.int64)])
def test_other_index_types(random_graph, indptr, indices):
    same_forests(with_weights(random_graph, np.int32)._with_dtypes(indptr, indices), seeds=1)
    same_forests(with_weights(random_graph, np.float64, None)._with_dtypes(indptr, indices), seeds=1)


def test_hubs_and_long_rows():
    rng = np.random.default_rng(1)
    n = 9000  # more entries than a single warp handles
    leaves = np.arange(3, n)
    u = np.concatenate([np.zeros(leaves.size), np.full(leaves.size // 2, 1), np.full(200, 2), rng.integers(0, n, n)])
    v = np.concatenate([leaves, leaves[::2][: leaves.size // 2], leaves[:200], rng.integers(0, n, n)])
    graph = sg.from_edges(u.astype(int), v.astype(int), symmetrize=True)
    assert graph.facts["longest_row"] > 8192
    same_forests(graph)
    same_forests(with_weights(graph, np.int32, 1 << 20))
    same_forests(with_weights(graph, np.float64, None), maximum=True)


@pytest.mark.parametrize("falling", [False, True], ids=["rising", "falling"])
def test_long_paths_of_trees(falling):
    """All vertices, or in the second graph all trees of two, are linked to a neighbor on one side."""
    n = 20000
    rising = np.arange(n - 1)
    if falling:
        rising = rising[::-1].copy()
    by_two = np.where(np.arange(n - 1) % 2, n + rising, 0)
    for weights in (rising, by_two):
        same_forests(sg.from_edges(np.arange(n - 1), np.arange(1, n), weights, symmetrize=True), seeds=1)


def test_a_guess_that_is_too_low(random_graph, monkeypatch):
    monkeypatch.setattr(boruvka_cuda, "_SAMPLES", 1)
    monkeypatch.setattr(boruvka_cuda, "_ROOM", 0)
    same_forests(with_weights(random_graph, np.int32, 1 << 20))


def test_few_threads(random_graph):
    graph = with_weights(random_graph, np.int32)
    expected = sg.minimum_spanning_forest(graph)
    with emulated_cuda(1, threads=64):
        result = sg.minimum_spanning_forest(graph)
    np.testing.assert_array_equal(result.indices, expected.indices)


def test_many_entries_take_64_bits(random_graph, monkeypatch):
    """Test the code for graphs of more than 2**32 entries, whatever the weights."""
    monkeypatch.setattr(boruvka_cuda, "_MAX_ENTRIES", 1)
    same_forests(with_weights(random_graph, np.int32))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_weights_are_checked(random_graph, dtype):
    """The sums are those of the CPU, modulo 2**63; they detect NaN, and weights that differ in the two directions."""
    for range_of in (7, None):
        graph = with_weights(random_graph, dtype, range_of)
        order = order_of(graph, maximum=False)
        *expected, lowest, highest = sums_of_directions(graph, order.weights)
        with emulated_cuda(1):
            *result, smallest, largest = sums_on_gpu(graph, order.weights)
        assert (lowest, highest) == (smallest, largest)
        assert [number % 2**63 for number in result] == [number % 2**63 for number in expected]
    weights = graph.weights.copy()
    weights[1234] += 1 if dtype.startswith("int") else abs(weights[1234])
    with emulated_cuda(1), pytest.raises(ValueError, match="symmetrize='max'"):
        sg.minimum_spanning_forest((graph.indptr, graph.indices, weights))
    if dtype.startswith("float"):
        weights[1234] = np.nan
        with emulated_cuda(1), pytest.raises(ValueError, match="is NaN"):
            sg.minimum_spanning_forest((graph.indptr, graph.indices, weights))
