"""Arrays of numbers as the order of a set at a distance: equal to the serial greedy algorithm on every schedule."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.independent_set.greedy import order as greedy_order
from tests.independent_set.emulated_sets import same_sets, same_under_conditions
from tests.support import naive
from tests.support.cases import each
from tests.support.emulated_cuda import needs_a_compiler
from tests.support.zoo import graphs

KINDS = {
    "few integers": lambda rng, n: rng.integers(-2, 3, n),
    "large integers": lambda rng, n: rng.integers(2**63 - 9, 2**63 + 9, n, dtype=np.uint64),
    "floats": lambda rng, n: rng.standard_normal(n),
    "extreme floats": lambda rng, n: rng.choice([-np.inf, -1.0, -0.0, 0.0, 5e-324, np.inf], n),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "float16": lambda rng, n: rng.random(n).astype(np.float16),
}


def check(graph, numbers, distance, seed=0, include=(), exclude=()):
    """Compare with the greedy algorithm; numbers precede hashes, and hashes precede ids."""
    options = {"include": sorted(include), "exclude": sorted(exclude)} if len(include) or len(exclude) else {}
    found = sg.maximal_independent_set(graph, distance, priority=numbers, seed=seed, **options)
    keys = naive.priority_key(graph, numbers, seed)
    assert found.tolist() == naive.greedy_set_at_distance(graph, keys, distance, include, exclude).tolist()
    if not options:
        assert sg.is_maximal_independent_set(graph, found, distance)


@each(kind=KINDS, distance=[1, 2, 3, 9])
def test_zoo(zoo_graph, kind, distance):
    check(zoo_graph, KINDS[kind](np.random.default_rng(0), zoo_graph.num_vertices), distance, seed=7)


@given(graphs(), st.sampled_from(list(KINDS)), st.integers(2, 4), st.integers(0, 99), st.integers(1, 5))
def test_shuffled_schedules_and_conditions(thing, kind, distance, seed, workers):
    graph = sg.as_graph(thing)
    numbers = KINDS[kind](np.random.default_rng(seed), graph.num_vertices)
    exclude = np.flatnonzero(np.random.default_rng(seed).random(graph.num_vertices) < 0.2).tolist()
    keys = naive.priority_key(graph, "random", seed)
    members = np.flatnonzero(naive.greedy_set_at_distance(graph, keys, distance, (), exclude)).tolist()
    include = members[: seed % 3]
    with use_target("python", seed=seed, workers=workers):
        check(graph, numbers, distance, seed, include, exclude)


def test_threads_and_index_types(threads):
    graph = gallery.uniform_random(3000, 3)
    numbers = KINDS["few integers"](np.random.default_rng(1), 3000)
    for distance in (2, 3):
        check(graph, numbers, distance)
        check(graph._with_dtypes(np.int64, np.int64), numbers, distance)


@pytest.mark.parametrize("distance", [2, 3])
def test_numbers_that_rise_along_a_path(distance):
    """A round decides few vertices, so one thread visits the remaining ones."""
    n = 20_000
    found = sg.maximal_independent_set(gallery.grid((n,)), distance, priority=np.arange(n) - n)
    assert np.array_equal(np.flatnonzero(found)[::-1], np.arange(n - 1, -1, -distance - 1))


@needs_a_compiler
def test_gpu_sources(hard_graph):
    numbers = KINDS["floats"](np.random.default_rng(0), hard_graph.num_vertices)
    for distance in (2, 3):
        same_sets(hard_graph, seeds=1, distance=distance, priority=numbers)
        same_under_conditions(hard_graph, distance=distance, priority=numbers)


class Tensor:
    """Scores of a network, as PyTorch has them: no array until they are detached."""

    requires_grad = True

    def __init__(self, values):
        self.values = values

    def __array__(self, *arguments, **options):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")

    def detach(self):
        return self.values


def test_tensors_that_require_gradients():
    graph, numbers = gallery.grid((6, 6)), np.random.default_rng(0).random(36)
    for distance in (1, 2):
        for option in ("priority", "weights"):
            expected = sg.maximal_independent_set(graph, distance, **{option: numbers})
            result = sg.maximal_independent_set(graph, distance, **{option: Tensor(numbers)})
            assert np.array_equal(result, expected)
    edges = sg.from_edges([0, 1], [1, 2], Tensor(np.array([1.5, 2.5])), symmetrize=True)
    assert edges.weights.tolist() == [1.5, 1.5, 2.5, 2.5]


def test_refused_orders():
    path = gallery.grid((3,))
    for priority, error, message in (
        ("natural", ValueError, "priority must be one of random, degree, or an array of numbers at distance 2; got"),
        ([1, 2], ValueError, r"priority must have one number for each of the 3 vertices, got shape \(2,\)"),
        ([1, np.nan, 2], ValueError, "priority is NaN at vertex 1"),
        (["a", "b", "c"], TypeError, "priority must be one of random, degree, or an array of real numbers"),
    ):
        with pytest.raises(error, match=message):
            sg.maximal_independent_set(path, 2, priority=priority)


@pytest.mark.parametrize("k", [2, 3])
def test_numbers_are_sorted_like_weights(monkeypatch, k):
    """Words of leading bits and hashes are sorted; only vertices with equal bits and different numbers move then."""
    graph, rng, moved = gallery.grid((100, 100)), np.random.default_rng(0), []
    sort = greedy_order.exactly_sorted

    def recorded(order, vertices, words):
        before = vertices.copy()
        result = sort(order, vertices, words)
        moved.append(np.count_nonzero(result != before))
        return result

    monkeypatch.setattr(greedy_order, "exactly_sorted", recorded)
    n = graph.num_vertices
    for values in (np.arange(n), rng.integers(-50, 50, n), rng.random(n), rng.standard_normal(n).astype(np.float32)):
        mask = sg.maximal_independent_set(graph, k, priority=values)
        assert sum(moved) <= n // 20
        exact, ids = greedy_order.make_order(graph, values, 0), np.arange(n, dtype=np.int32)
        order = greedy_order.sort_by_order(exact, ids, np.zeros(n, np.uint8))
        np.testing.assert_array_equal(greedy_order.all_sorted(graph, values, 0), order)
        assert sg.is_maximal_independent_set(graph, mask, k)


def test_numbers_with_equal_leading_bits_are_merged():
    """With an outlier, all other numbers have the same leading bits, and insertion would move them too far."""
    graph, numbers = gallery.grid((50, 40)), np.random.default_rng(0).permutation(2000)
    numbers[7] = 2**60
    exact, ids = greedy_order.make_order(graph, numbers, 0), np.arange(2000, dtype=np.int32)
    order = greedy_order.sort_by_order(exact, ids, np.zeros(2000, np.uint8))
    np.testing.assert_array_equal(greedy_order.all_sorted(graph, numbers, 0), order)
