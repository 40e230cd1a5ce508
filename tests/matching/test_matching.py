"""Matchings: equal to the serial greedy algorithm on all schedules; bounds; weights; rejections by the verifier."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.matching import rounds
from stablegraph.matching.rules import _INVERSE, _MULTIPLIER, _mix, hash_of
from tests.forest.test_forest import DTYPES, numbers, with_weights
from tests.support import naive_matchings as naive
from tests.support.cases import each
from tests.support.zoo import QUICK_ZOO, graphs


@pytest.fixture(scope="module")
def larger():
    """Return a graph with hubs and isolated vertices, with few different weights."""
    graph = gallery.rmat(12, 8, seed=1)
    return with_weights(graph, lambda size: np.random.default_rng(0).integers(0, 50, size))


def check(graph, mate, seed=0, weighted=False):
    assert mate.dtype == np.int32
    assert mate.tolist() == naive.greedy_matching(graph, seed, weighted)
    assert sg.explain(sg.is_maximal_matching, graph, mate, weighted=weighted) is None


# The matching


@each(seed=[0, 1, -5])
def test_zoo(zoo_graph, seed):
    check(zoo_graph, sg.maximal_matching(zoo_graph, seed=seed), seed)
    plain = zoo_graph._replace(weights=None)
    assert np.array_equal(sg.weighted_matching(plain, seed=seed), sg.maximal_matching(zoo_graph, seed=seed))


@each(name=QUICK_ZOO, dtype=DTYPES)
def test_zoo_with_every_type_of_weights(name, dtype):
    graph = with_weights(QUICK_ZOO[name], numbers(dtype))
    mate, info = sg.weighted_matching(graph, seed=3, return_info=True)
    check(graph, mate, 3, True)
    expected = naive.weight_of(graph, mate)
    assert info["weight"] == expected or (np.isinf(info["weight"]) and dtype.kind == "f")
    assert info["size"] == (mate >= 0).sum() // 2 == len(sg.matched_pairs(mate))


@given(graphs(), st.integers(0, 3), st.lists(st.integers(-1, 3), min_size=1, max_size=8), st.booleans())
def test_random_graphs(thing, seed, few, exact):
    graph = sg.as_graph(thing, weights=False)
    check(graph, sg.maximal_matching(graph, seed=seed), seed)
    drawn = np.array(few) if exact else np.array(few) / 3
    heavy = with_weights(graph, lambda size: np.resize(drawn, size))
    check(heavy, sg.weighted_matching(heavy, seed=seed), seed, True)


@given(graphs(), st.integers(0, 99), st.integers(1, 5), st.booleans())
def test_shuffled_schedules(thing, seed, workers, stall):
    graph = with_weights(sg.as_graph(thing, weights=False), lambda size: np.arange(size) % 4)
    before, rounds._STALLED = rounds._STALLED, 1 if stall else rounds._STALLED
    try:
        with use_target("python", seed=seed, workers=workers):
            mates = sg.maximal_matching(graph), sg.weighted_matching(graph)
    finally:
        rounds._STALLED = before
    check(graph, mates[0])
    check(graph, mates[1], weighted=True)


@each(stalled=[1, 128], few=[0, 100, 10**9])
def test_the_finish_does_not_change_the_matching(larger, stalled, few, monkeypatch):
    expected = sg.maximal_matching(larger), sg.weighted_matching(larger)
    monkeypatch.setattr(rounds, "_STALLED", stalled)
    monkeypatch.setattr(rounds, "_SERIAL_BELOW_VERTICES", few)
    assert np.array_equal(sg.maximal_matching(larger), expected[0])
    assert np.array_equal(sg.weighted_matching(larger), expected[1])


def test_larger_graph_on_all_threads(larger, threads):
    for workers in (None, 16, 500):
        with use_target("cpu", workers=workers):
            check(larger, sg.maximal_matching(larger, seed=2), 2)
            check(larger, sg.weighted_matching(larger, seed=2), 2, True)


def test_index_types_and_the_order_of_entries_do_not_matter(larger):
    expected = sg.maximal_matching(larger), sg.weighted_matching(larger)
    rows = larger._rows()
    places = larger.indptr[rows] + larger.indptr[rows + 1] - 1 - np.arange(rows.size)
    reverse = sg.as_graph((larger.indptr, larger.indices[places], larger.weights[places]))
    wide = [larger._with_dtypes(*types) for types in ((np.int64, np.int32), (np.int64, np.int64))]
    for graph in (reverse, *wide):
        assert np.array_equal(sg.maximal_matching(graph), expected[0])
        assert np.array_equal(sg.weighted_matching(graph), expected[1])


# Weights, bounds and long chains


def test_weights_that_rise_along_a_path():
    """Only one edge of the path matches in a round, so the edges are sorted."""
    n = 100_001
    path = sg.from_edges(np.arange(n - 1), np.arange(1, n), np.arange(n - 1), symmetrize=True)
    mate, info = sg.weighted_matching(path, return_info=True)
    assert info["rounds"] == 1
    assert np.array_equal(sg.matched_pairs(mate)[:, 0], np.arange(1, n - 1, 2))
    assert sg.is_maximal_matching(path, mate, weighted=True)


def test_a_hub_whose_neighbors_match_one_after_another():
    n = 3001
    hub, spokes = np.zeros(n - 1, np.int64), np.arange(1, n)
    u, v = np.r_[hub, spokes], np.r_[spokes, spokes + n - 1]
    weights = np.r_[spokes, spokes + 0.5]
    graph = sg.from_edges(u, v, weights, 2 * n - 1, symmetrize=True)
    check(graph, sg.weighted_matching(graph), weighted=True)


def test_negative_weights_are_not_matched():
    path = sg.from_edges([0, 1, 2], [1, 2, 3], [-1.0, 0.0, -0.5], symmetrize=True)
    assert sg.weighted_matching(path).tolist() == [-1, 2, 1, -1]
    pair = sg.from_edges([0], [1], [-3], symmetrize=True)
    mate, info = sg.weighted_matching(pair, return_info=True)
    assert mate.tolist() == [-1, -1]
    assert info["weight"] == 0


@given(graphs(9), st.lists(st.integers(-2, 9), min_size=1, max_size=9), st.integers(0, 3))
def test_half_of_the_maximum(thing, few, seed):
    graph = with_weights(sg.as_graph(thing, weights=False), lambda size: np.resize(few, size))
    mate = sg.weighted_matching(graph, seed=seed)
    assert 2 * naive.weight_of(graph, mate) >= naive.heaviest_matching(graph)
    plain = graph._replace(weights=None)
    assert 2 * len(sg.matched_pairs(sg.maximal_matching(graph, seed=seed))) >= naive.heaviest_matching(plain)


def test_half_of_the_maximum_of_networkx():
    graph = with_weights(gallery.delaunay(300), lambda size: np.random.default_rng(0).integers(1, 100, size))
    _, info = sg.weighted_matching(graph, return_info=True)
    G = graph.to_networkx()
    best = sum(G[u][v]["weight"] for u, v in nx.max_weight_matching(G))
    assert best / 2 <= info["weight"] <= best
    largest = len(nx.max_weight_matching(G, weight=None))
    assert largest / 2 <= len(sg.matched_pairs(sg.maximal_matching(graph))) <= largest


def test_the_hash_is_one_to_one():
    vertices = np.r_[0:1000, 2**31 - 1000 : 2**31].tolist()
    for seed in (0, 12345, 2**32 - 1):
        hashes = [int(hash_of(v, seed)) for v in vertices]
        assert hashes == [naive.hash31(v + seed) for v in vertices]
        assert [int(_mix(x, _INVERSE)) for x in hashes] == [(v + seed) % 2**31 for v in vertices]
    assert _MULTIPLIER * _INVERSE % 2**31 == 1


# Refusals


def test_bad_arguments():
    path = sg.from_edges([0, 1], [1, 2], [1.0, np.nan], symmetrize=True)
    with pytest.raises(ValueError, match=r"entry \(1, 2\) is NaN"):
        sg.weighted_matching(path)
    assert sg.maximal_matching(path).size == 3
    with pytest.raises(ValueError, match="directed"):
        sg.maximal_matching(sg.from_edges([0], [1], directed=True))
    with pytest.raises(ValueError, match="has weight"):
        sg.weighted_matching(np.array([[0, 1], [2, 0]]))
    with pytest.raises(TypeError, match="return_info"):
        sg.maximal_matching(path, return_info=1)
    with pytest.raises(TypeError, match="seed"):
        sg.weighted_matching(path, seed=0.5)


def test_too_many_vertices(monkeypatch):
    monkeypatch.setattr("stablegraph.matching.api.INT32_MAX", 2)
    with pytest.raises(ValueError, match="at most 2 vertices, got 3"):
        sg.maximal_matching(gallery.grid((3,)))


def test_pairs():
    assert sg.matched_pairs([]).shape == (0, 2)
    assert sg.matched_pairs(np.array([1, 0, -1, 4, 3], np.int16)).dtype == np.int16
    for mate, kind, message in (
        ([[0]], ValueError, "one dimension"),
        ([0.5], TypeError, "integers, got float64"),
        ([1, 2], ValueError, "the mate of vertex 1 is 2, which is not one of the 2 vertices"),
        ([1, -1], ValueError, "the mate of vertex 0 is 1, but that of vertex 1 is -1"),
        ([0], ValueError, "the mate of vertex 0 is 0"),
    ):
        with pytest.raises(kind, match=message):
            sg.matched_pairs(mate)


def test_table():
    friends = sg.from_edges(["Ann", "Bob", "Cy"], ["Bob", "Cy", "Dan"], [1, 3, 2], symmetrize=True)
    mate = sg.weighted_matching(friends)
    table = sg.to_table(friends, matching=mate).to_pydict()
    assert table == {"source": ["Bob"], "target": ["Cy"], "weight": [3]}
    assert sg.to_table(friends._replace(weights=None), matching=[1, 0, 3, 2]).to_pydict() == {
        "source": ["Ann", "Cy"],
        "target": ["Bob", "Dan"],
    }
    double = sg.as_graph((np.array([0, 2, 4]), np.array([1, 1, 0, 0]), np.array([4, 7, 7, 4])))
    assert sg.to_table(double, matching=[1, 0]).to_pydict() == {"source": [0], "target": [1], "weight": [7]}
    with pytest.raises(ValueError, match="a matching has a row for each edge"):
        sg.to_table(friends, matching=mate, degree=friends.degrees)
    for wrong in ([3, -1, -1, 0], [1, 2, 1, -1], [1, -1, -1, -1]):
        with pytest.raises(ValueError, match="matching is not a matching of this graph"):
            sg.to_table(friends, matching=wrong)
    with pytest.raises(ValueError, match="one mate for each of the 4 vertices"):
        sg.to_table(friends, matching=[1, 0])


# The verifier


def test_verifier_refuses_every_change(zoo_graph):
    mate = sg.maximal_matching(zoo_graph)
    for v in range(0, mate.size, max(1, mate.size // 20)):
        for wrong in {-2, -1, v, 0, mate.size - 1, mate.size} - {int(mate[v])}:
            changed = mate.copy()
            changed[v] = wrong
            assert not sg.is_matching(zoo_graph, changed)
            assert not sg.is_maximal_matching(zoo_graph, changed)
    for u, v in sg.matched_pairs(mate)[:20].tolist():  # without an edge it is a matching, but not maximal
        changed = mate.copy()
        changed[[u, v]] = -1
        assert sg.is_matching(zoo_graph, changed)
        assert "could be added" in sg.explain(sg.is_maximal_matching, zoo_graph, changed)


def test_explanations():
    path = sg.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, -1.0], symmetrize=True)
    for mate, options, message in (
        ([1, 2, 1, -1], {}, "the mate of vertex 0 is vertex 1, whose mate is another one"),
        ([-1, 1, -1, -1], {}, "vertex 1 is its own mate"),
        ([-1, 4, -1, -1], {}, "the mate of vertex 1 is 4, which is not a vertex"),
        ([2, -1, 0, -1], {}, "vertices 0 and 2 are matched, but not adjacent"),
        ([1, 0, -1, -1], {}, "edge (2, 3) could be added: neither of its ends is matched"),
        ([-1, 2, 1, -1], {}, None),
        ([-1, 2, 1, -1], {"weighted": True}, None),
        ([1, 0, 3, 2], {"weighted": True}, "edge (2, 3) is matched, although its weight is -1.0"),
    ):
        assert sg.explain(sg.is_maximal_matching, path, mate, **options) == message
    heavier = "edge (1, 2) of weight 2.0 is not matched, but heavier than the matched edges at its ends"
    assert sg.explain(sg.is_maximal_matching, path, [1, 0, -1, -1], weighted=True) == heavier
    assert sg.is_maximal_matching(path._replace(weights=None), [1, 0, 3, 2], weighted=True)
    with pytest.raises(TypeError, match="weighted"):
        sg.is_maximal_matching(path, [1, 0, 3, 2], weighted=1)
    names = sg.from_edges(["a"], ["b"], symmetrize=True)
    assert sg.explain(sg.is_maximal_matching, names, [-1, -1]).startswith("edge ('a', 'b')")


@pytest.mark.gpu
def test_gpu(larger, zoo_graph):
    for graph in (larger, zoo_graph):
        there = graph.to("cuda")
        for find in (sg.maximal_matching, sg.weighted_matching):
            mate, info = find(there, seed=1, return_info=True)
            expected, expected_info = find(graph, seed=1, return_info=True)
            assert np.array_equal(mate.get(), expected)
            assert info == expected_info
            assert sg.is_maximal_matching(there, mate)
            assert np.array_equal(sg.matched_pairs(mate), sg.matched_pairs(expected))


@pytest.mark.gpu
def test_gpu_finishes_long_chains():
    n = 5001
    path = sg.from_edges(np.arange(n - 1), np.arange(1, n), np.arange(n - 1), symmetrize=True)
    assert np.array_equal(sg.weighted_matching(path.to("cuda")).get(), sg.weighted_matching(path))
