"""Parts of graphs that are joined by weak edges, and weights at the ends of the range of floats.

A grammar draws the graphs; oracles in exact arithmetic check eigenvalues, vectors and resistances.
"""

import inspect
import math
import warnings
from fractions import Fraction
from random import Random

import numpy as np
import pytest

import stablegraph as sg
from tests.support.cases import each
from tests.support.weak_joins import JOINS, PARTS, Oracle, chain, drawn, graph_of, size_of

# Values of each option; the tests of signatures below fail for a new option that is missing.
OPTIONS = {
    "k": [1, 2, 3, 100],
    "normalized": [False, True],
    "tol": [1e-4, 1e-8],
    "maxiter": [300, 1000],
    "seed": [0, 5],
    "error": [None, 0.5],
}
EMBEDDINGS = {"fiedler_vector": sg.fiedler_vector, "spectral_embedding": sg.spectral_embedding}


def drawn_options(random, function):
    names = [name for name in inspect.signature(function).parameters if name not in ("graph", "pairs")]
    return {name: random.choice(OPTIONS[name]) for name in names}


def call(function, *args, **options):
    """Return the answer, and whether it came with a warning; other warnings than ConvergenceWarning fail."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = function(*args, **options)
    assert all(issubclass(warning.category, sg.ConvergenceWarning) for warning in caught), caught[0].message
    return answer, bool(caught)


def wrong_embedding(random, edges, name):
    """Return what is wrong with an embedding, and whether there was a warning."""
    oracle, options = Oracle(edges), drawn_options(random, EMBEDDINGS[name])
    if "k" in options:
        options["k"] = min(options["k"], oracle.n - 1)
    (values, vectors), is_warned = call(EMBEDDINGS[name], graph_of(edges, oracle.n), **options)
    columns = vectors.reshape(oracle.n, -1)
    wrong = oracle.wrong_pairs(np.atleast_1d(values), columns, options["normalized"])
    return f"{name}, {options}: {wrong}" if wrong else "", is_warned


def wrong_resistances(random, edges, pairs):
    oracle, options = Oracle(edges), drawn_options(random, sg.effective_resistance)
    values, is_warned = call(sg.effective_resistance, graph_of(edges, oracle.n), pairs, **options)
    allowed = options["error"] or 1e-6
    for (u, v), value in zip(pairs, values, strict=True):
        exact = oracle.resistance(u, v) if u != v else 0
        if not abs(oracle.number(float(value)) - exact) <= oracle.number(allowed) * exact:
            return f"{options}: the resistance between {u} and {v} is {value}, and not {float(exact)}", is_warned
    return "", is_warned


@each(seed=range(16), name=EMBEDDINGS)
def test_embeddings_of_small_graphs(seed, name):
    random = Random(seed)
    edges = drawn(random, [2, 3, 4, 5], 12)
    assert wrong_embedding(random, edges, name) == ("", False), edges


def check_two_parts(first, second, join, name):
    random = Random(1)
    edges = chain(random, [first, second], [4, 5], [join], [1.0, 1.0])
    assert wrong_embedding(random, edges, name) == ("", False), edges


@each(pairs=True, first=PARTS, second=PARTS, join=JOINS, name=EMBEDDINGS)
def test_each_pair_of_parts(first, second, join, name):
    check_two_parts(first, second, join, name)


@pytest.mark.slow
@each(first=PARTS, second=PARTS, join=JOINS, name=EMBEDDINGS)
def test_each_pair_of_parts_with_each_join(first, second, join, name):
    check_two_parts(first, second, join, name)


@each(seed=range(25))
def test_resistances_of_small_graphs(seed):
    random = Random(seed)
    edges = drawn(random, [2, 3, 4, 5], 12)
    n = size_of(edges)
    pairs = [(u, v) for u in range(n) for v in range(u + 1)]
    random.shuffle(pairs)
    assert wrong_resistances(random, edges, pairs[: random.choice([2, 50])]) == ("", False), edges


@pytest.mark.parametrize("seeds", [[0], pytest.param([1, 2, 3], marks=pytest.mark.slow)])
@each(size=[60, 90, 160])
def test_graphs_around_the_limit_of_dense_problems(seeds, size):
    for seed in seeds:
        check_around_the_limit(seed, size)


def check_around_the_limit(seed, size):
    random = Random(100 * seed + size)
    edges = drawn(random, [size // 2, size // 3, 7])
    n = size_of(edges)
    assert wrong_embedding(random, edges, random.choice(list(EMBEDDINGS))) == ("", False), edges
    pairs = [(0, n - 1), *[(random.randrange(n), random.randrange(n)) for _ in range(3)]]
    assert wrong_resistances(random, edges, pairs) == ("", False), edges


@pytest.mark.slow
@each(seed=range(12))
def test_larger_graphs_are_right_or_warn(seed):
    random = Random(seed)
    edges = drawn(random, [300, 400, 600])
    n = size_of(edges)
    for name in EMBEDDINGS:
        wrong, is_warned = wrong_embedding(random, edges, name)
        assert is_warned or not wrong, edges
    wrong, is_warned = wrong_resistances(random, edges, [(0, n - 1), (1, 2), (n // 2, n // 3)])
    assert is_warned or not wrong, edges


@each(pairs=True, size=[30, 300], join=[1e-12, 1e-20, 1e-100, 1e-300], normalized=[False, True])
def test_two_meshes_with_a_weak_join(size, join, normalized):
    """The eigenvalue is join * (1 / B(first) + 1 / B(second)), up to the ratio of the weights."""
    mesh = sg.gallery.grid((size // 3, 3)).to_scipy().tocoo()
    m = mesh.shape[0]
    u, v = mesh.coords
    once = u < v
    u, v = u[once], v[once]
    weights = np.r_[np.ones(2 * u.size), join]
    graph = sg.from_edges(np.r_[u, u + m, 5], np.r_[v, v + m, m + 7], weights, symmetrize=True)
    (value, vector), is_warned = call(sg.fiedler_vector, graph, normalized=normalized)
    assert not is_warned
    assert np.isclose(value, join * 2 / (2 * u.size if normalized else m), rtol=1e-6)
    assert np.allclose(vector[:m], vector[0])
    assert np.allclose(vector[m:], -vector[0])
    resistances, is_warned = call(sg.effective_resistance, graph, [(5, m + 7), (5, 2 * m - 1)])
    assert not is_warned
    assert np.allclose(resistances * join, 1, rtol=1e-6)


@each(pairs=True, size=[20, 40, 80], distance=[8, 12], normalized=[False, True])
def test_groups_of_points_are_separated(size, distance, normalized):
    points = np.random.default_rng(size).standard_normal((2 * size, 2))
    points[size:, 0] += distance
    W = np.exp(-((points[:, None] - points[None]) ** 2).sum(axis=2))
    np.fill_diagonal(W, 0)
    (value, vector), is_warned = call(sg.fiedler_vector, W, normalized=normalized)
    assert not is_warned
    B = W.sum(axis=1) if normalized else np.ones(2 * size)
    bound = W[:size, size:].sum() * (1 / B[:size].sum() + 1 / B[size:].sum())  # the quotient of the two groups
    assert 0 < value <= bound * (1 + 1e-9)
    if value > 0.9 * bound:
        assert ((vector[:size] > 0) == (vector[0] > 0)).all()
        assert ((vector[size:] > 0) != (vector[0] > 0)).all()
    assert abs(B @ vector) < 1e-9 * np.sqrt(B.sum())


@each(scale=[5e-324, 1e-308, 1e-300, 1e-160, 1e160, 1e300, 5e307], normalized=[False, True])
def test_the_scale_of_all_weights(scale, normalized):
    """A path of three vertices: the eigenvalues are 1 and 3 times the weight (normalized: 1 and 2)."""
    graph = sg.from_edges([0, 1], [1, 2], [scale, scale], symmetrize=True)
    if not normalized and 3 * scale == math.inf:
        values, _ = call(sg.fiedler_vector, graph)[0]
        with pytest.raises(ValueError, match="an eigenvalue exceeds the largest float64: divide all weights"):
            sg.spectral_embedding(graph, 2, normalized=False)
        assert np.isclose(values, scale)
        return
    (values, vectors), is_warned = call(sg.spectral_embedding, graph, 2, normalized=normalized)
    assert not is_warned
    assert np.allclose(values / (1 if normalized else scale), [1, 2] if normalized else [1, 3])
    assert Oracle([(0, 1, scale), (1, 2, scale)]).wrong_pairs(values, vectors, normalized) == "" or scale == 5e-324
    if 1 / Fraction(scale) > Fraction(1.7e308) / 2:
        with pytest.raises(ValueError, match="between 0 and 2 exceeds the largest float64: multiply all weights"):
            sg.effective_resistance(graph, [(0, 2)])
    else:
        assert np.isclose(sg.effective_resistance(graph, [(0, 2)])[0] * scale, 2)


@each(function=[sg.fiedler_vector, sg.spectral_embedding, sg.effective_resistance])
def test_sums_that_are_infinite(function):
    graph = sg.from_edges([0, 1], [1, 2], [1.5e308, 1.5e308], symmetrize=True)
    with pytest.raises(ValueError, match="edges of vertex 1 add up to infinity: divide all weights"):
        function(graph, *([[(0, 1)]] if function is sg.effective_resistance else []))


def test_weights_without_gaps_in_large_graphs_are_a_warning():
    n = 800
    weights = 10.0 ** np.random.default_rng(0).uniform(-12, 0, n - 1)
    graph = sg.from_edges(np.arange(n - 1), np.arange(1, n), weights, symmetrize=True)
    with pytest.warns(sg.ConvergenceWarning, match="the residual of eigenvalue 0 is"):
        sg.fiedler_vector(graph)
