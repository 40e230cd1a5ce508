"""Greedy sets by weights: equal to the serial greedy algorithm with exact fractions, at every distance and schedule."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.engines import rounds as engine
from stablegraph._core.runtime import use_target
from stablegraph.independent_set.greedy import order as greedy_order
from stablegraph.independent_set.greedy.order import Weighted, exactly_sorted, make_order
from stablegraph.independent_set.ratios import compare_ratios, score
from tests.independent_set.emulated_sets import same_sets, same_under_conditions
from tests.independent_set.greedy import crc, draw_conditions
from tests.support import naive
from tests.support.cases import each
from tests.support.emulated_cuda import needs_a_compiler
from tests.support.remember import remember
from tests.support.zoo import ZOO, graphs, preferential

EXTREMES = [0.0, -0.0, 5e-324, 1e-310, 1.0, 1 + 2**-52, 1.5, 3.0, 1e308, np.finfo(float).max]
KINDS = {
    "few integers": lambda rng, n: rng.integers(0, 4, n),
    "bytes": lambda rng, n: rng.integers(0, 256, n, dtype=np.uint8),
    "large integers": lambda rng, n: rng.integers(2**63 - 9, 2**63 - 1, n, endpoint=True),
    "floats": lambda rng, n: rng.random(n),
    "few floats": lambda rng, n: rng.integers(1, 4, n) / 3,
    "near floats": lambda rng, n: 1 + rng.integers(0, 9, n) * 2.0**-52,
    "extreme floats": lambda rng, n: rng.choice(EXTREMES, n),
    "bool": lambda rng, n: rng.random(n) < 0.5,
    "float32": lambda rng, n: rng.random(n, dtype=np.float32),
}
BY = ("ratio", "weight")


def weights_of(kind, n, seed=0):
    return KINDS[kind](np.random.default_rng(seed), n)


def check(graph, weights, by, distance=1, seed=0, include=(), exclude=(), without_info=True):
    """Compare a set and its weight with their definition, in two calls, or only in the one with `return_info`."""
    options = {"weights": weights, "priority": by, "seed": seed}
    conditions = {"include": sorted(include), "exclude": sorted(exclude)} if len(include) or len(exclude) else {}
    keys = naive.weight_key(graph, weights, by, seed)
    expected = naive.greedy_set_at_distance(graph, keys, distance, include, exclude)
    if without_info:
        mask = sg.maximal_independent_set(graph, distance, **options, **conditions)
        assert mask.tolist() == expected.tolist()
    exact = sum(map(Fraction, np.asarray(weights)[expected].tolist()))
    scaled = exact >= 2**1024 - 2**970
    if scaled:  # it rounds to infinity; weights are still compared
        with pytest.raises(ValueError, match=r"sum of the weights is larger .*; scale the weights down"):
            sg.maximal_independent_set(graph, distance, return_info=True, **options, **conditions)
        options["weights"], exact = weights * 2.0**-32, exact / 2**32
    mask, info = sg.maximal_independent_set(graph, distance, return_info=True, **options, **conditions)
    assert scaled or mask.tolist() == expected.tolist()  # scaling rounds tiny weights
    assert info["weight"] == (pytest.approx(float(exact), rel=1e-14) if weights.dtype.kind == "f" else exact)


# The set


@each(kind=KINDS, by=BY)
def test_zoo(zoo_graph, kind, by):
    weights = weights_of(kind, zoo_graph.num_vertices)
    for distance in (1, 2, 3):
        check(zoo_graph, weights, by, distance, 7)


@given(
    graphs(),
    st.lists(st.one_of(st.sampled_from(EXTREMES), st.floats(0, 1e300), st.integers(0, 3)), min_size=1, max_size=20),
    st.sampled_from(BY),
    st.integers(1, 4),
    st.integers(0, 9),
    st.data(),
)
def test_random_graphs(thing, few, by, distance, seed, data):
    graph = sg.as_graph(thing)
    weights = np.resize(np.array(few), graph.num_vertices)
    check(graph, weights, by, distance, seed)
    if distance == 1:
        include, exclude = draw_conditions(data, graph)
        check(graph, weights, by, 1, seed, include, exclude)


@each(distance=[2, 3])
def test_conditions_at_a_distance(hard_graph, distance):
    n = hard_graph.num_vertices
    weights, exclude = weights_of("few integers", n), np.arange(2, n, 5)
    members = naive.set_at_distance(hard_graph, distance, exclude=exclude)[0]
    check(hard_graph, weights, "ratio", distance, 0, np.flatnonzero(members)[::2], exclude)


@each(kind=["few integers", "near floats"], by=BY, distance=[1, 2, 3])
def test_any_schedule(hard_graph, kind, by, distance):
    weights = weights_of(kind, hard_graph.num_vertices)
    for seed, workers in ((0, None), (2, 7)):
        with use_target("python", seed=seed, workers=workers):
            check(hard_graph, weights, by, distance, seed, without_info=False)


@pytest.fixture(scope="module")
def larger():
    return sg.from_edges(*np.array(preferential(6000, 3)).T, n=6010, symmetrize=True)


@remember
def on_larger(graph, weights, by, distance):
    return naive.greedy_set_at_distance(graph, naive.weight_key(graph, weights, by, 0), distance)


@pytest.mark.parametrize("distance", [1, 2, 3])
@each(kind=["few integers", "floats", "large integers"], by=BY)
def test_larger_graph_on_all_threads(larger, kind, by, distance, threads):
    weights = weights_of(kind, larger.num_vertices)
    found = sg.maximal_independent_set(larger, distance, weights=weights, priority=by)
    if distance < 3 or kind == "floats":  # the oracle is slow
        assert (found == on_larger(larger, weights, by, distance)).all()
    for types in ((np.int64, np.int32), (np.int64, np.int64)):
        wide = larger._with_dtypes(*types)
        assert (sg.maximal_independent_set(wide, distance, weights=weights, priority=by) == found).all()
    with use_target("cpu", workers=16):
        assert (sg.maximal_independent_set(larger, distance, weights=weights, priority=by) == found).all()


@each(distance=[1, 2, 3], by=BY)
def test_the_dtype_of_weights_does_not_matter(larger, distance, by):
    weights = weights_of("bytes", larger.num_vertices)
    sets = {
        crc(sg.maximal_independent_set(larger, distance, weights=weights.astype(dtype), priority=by))
        for dtype in ("u1", "i2", "i8", "u8", "f2", "f4", "f8")
    }
    assert len(sets) == 1


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_weights_that_rise_along_a_path(distance):
    """A round decides few vertices, so one thread visits the remaining ones."""
    n = 50_000
    path = gallery.grid((n,))
    found = sg.maximal_independent_set(path, distance, weights=np.arange(n), priority="weight")
    assert np.array_equal(np.flatnonzero(found)[::-1], np.arange(n - 1, -1, -distance - 1))


def test_rounds_do_not_depend_on_the_finish(larger, monkeypatch):
    weights = weights_of("floats", larger.num_vertices)
    for distance in (2, 3):
        expected = sg.maximal_independent_set(larger, distance, weights=weights)
        monkeypatch.setattr(engine, "STALLED", 1)
        assert (sg.maximal_independent_set(larger, distance, weights=weights) == expected).all()
        monkeypatch.undo()
    synchronous = sg.maximal_independent_set(larger, weights=weights, synchronous=True)
    assert (synchronous == sg.maximal_independent_set(larger, weights=weights)).all()


@pytest.mark.parametrize("kind", ["few integers", "floats", "extreme floats", "large integers"])
@needs_a_compiler
def test_gpu_sources(hard_graph, kind):
    weights = weights_of(kind, hard_graph.num_vertices)
    for by in BY:
        same_sets(hard_graph, seeds=2, weights=weights, priority=by)
        same_under_conditions(hard_graph, weights=weights, priority=by)


@pytest.mark.gpu
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_gpu(larger, distance):
    for kind, by in product(KINDS, BY):
        weights = weights_of(kind, larger.num_vertices)
        options = {"weights": weights, "priority": by, "seed": 3}
        found = sg.maximal_independent_set(larger.to("cuda"), distance, **options)
        assert (found.get() == sg.maximal_independent_set(larger, distance, **options)).all()


# Ratios and sorting


INTEGERS = [0, 1, 2, 3, 2**31 - 1, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**62, 2**63 - 2, 2**63 - 1]
DIVISORS = [1, 2, 3, 7, 2**16 + 1, 2**31 - 1, 2**31]


def sign(x):
    return int(x > 0) - int(x < 0)


def test_comparisons_are_exact():
    pairs = list(product(INTEGERS, DIVISORS))
    for (x, a), (y, b) in product(pairs, pairs):
        assert compare_ratios(x, a, y, b, False) == sign(x * b - y * a)
    floats = [abs(x) for x in EXTREMES] + [2.0**-1022, 2.0**-1000, 2.0**31, 2.0**33 / 3, 1 / 3]
    pairs = list(product(floats, DIVISORS))
    for (x, a), (y, b) in product(pairs, pairs):
        bits = (int(np.float64(number).view(np.int64)) for number in (x, y))
        left, right = bits
        assert compare_ratios(left, a, right, b, True) == sign(Fraction(x) * b - Fraction(y) * a)


@given(st.tuples(*[st.integers(0, 2**63 - 1), st.integers(1, 2**31)] * 2), st.integers(-3, 3))
def test_comparisons_of_near_ratios(numbers, change):
    x, a, _, b = numbers
    y = min(max(x * b // a + change, 0), 2**63 - 1)
    assert compare_ratios(x, a, y, b, False) == sign(x * b - y * a)
    if score(x, a, True) != score(y, b, True):
        assert (score(x, a, True) > score(y, b, True)) == (x * b > y * a)
    left, right = float(x), float(x) * b / a * (1 + change * 2.0**-53)
    bits = [int(np.float64(number).view(np.int64)) for number in (left, right)]
    assert compare_ratios(bits[0], a, bits[1], b, True) == sign(Fraction(left) * b - Fraction(right) * a)


@each(kind=KINDS, by=BY)
def test_sorted_vertices(zoo_graph, kind, by, monkeypatch):
    n = zoo_graph.num_vertices
    weights = weights_of(kind, n)
    weights = weights.astype(np.float64 if weights.dtype.kind == "f" else np.int64) + 0
    keys = naive.weight_key(zoo_graph, weights, by, 0)
    expected = sorted(range(n), key=keys.__getitem__)
    order = Weighted(by, weights, weights.max(initial=0).item())
    assert greedy_order.all_sorted(zoo_graph, order, 0).tolist() == expected
    if by == "ratio":
        exact, vertices = make_order(zoo_graph, order, 0), np.arange(n, dtype=np.int32)
        assert exactly_sorted(exact, vertices.copy()).tolist() == expected
        monkeypatch.setattr(greedy_order, "device_of", lambda array: "cuda")  # sorts by many threads
        monkeypatch.setattr(greedy_order, "array_module", lambda place: np)
        assert exactly_sorted(exact, vertices).tolist() == expected


# Refusals


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"weights": [1, -1, 0]}, ValueError, "got -1 at vertex 1"),
        ({"weights": [1, 2, np.nan]}, ValueError, "got nan at vertex 2"),
        ({"weights": [np.inf, 2, 1]}, ValueError, "got inf at vertex 0"),
        ({"weights": np.array([1, 2**63, 1], np.uint64)}, ValueError, "below 2\\*\\*63 for integers"),
        ({"weights": [1, 2]}, ValueError, "one number for each of the 3 vertices"),
        ({"weights": ["a", "b", "c"]}, TypeError, "real numbers"),
        ({"weights": [1, 2, 3], "priority": "degree"}, ValueError, "one of ratio, weight with weights"),
        ({"weights": [1, 2, 3], "priority": [1, 2, 3]}, ValueError, "one of ratio, weight with weights"),
        ({"weights": [1, 2, 3], "algorithm": "luby"}, ValueError, "has no option weights"),
        ({"priority": "ratio"}, ValueError, "pass weights="),
        ({"priority": "weight", "distance": 2}, ValueError, "pass weights="),
    ],
)
def test_refusals(options, kind, message):
    with pytest.raises(kind, match=message):
        sg.maximal_independent_set(gallery.grid((3,)), **options)


def test_a_graph_of_the_zoo_without_vertices():
    mask, info = sg.maximal_independent_set(ZOO["empty"], weights=[], return_info=True)
    assert mask.size == info["weight"] == 0
