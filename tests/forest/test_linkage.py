"""Single linkage: SciPy's matrix for points, the oracle's for forests of any weights, and refused forests."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.forest import linkage
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import QUICK_ZOO

from .test_forest import DTYPES, edges_of, numbers, weighted_graphs, with_weights


def lengths(dtype):
    """Return a generator of weights that are not negative, many of them equal."""
    draw = numbers(dtype)
    return lambda size: not_negative(draw(size))


def not_negative(values):
    """Replace negative numbers by 0."""
    return np.where(values < 0, 0, values).astype(values.dtype)


def forest_of(graph):
    """Return the forest of a graph and the rows of the oracle."""
    forest = sg.minimum_spanning_forest(graph)
    return forest, naive.single_linkage(graph.num_vertices, [(u, v, float(w)) for u, v, w in edges_of(forest)])


def check(result, expected):
    """Check the matrix against the oracle's rows, and by SciPy."""
    assert result.dtype == np.float64
    assert [tuple(row) for row in result.tolist()] == expected
    assert not np.signbit(result).any()
    if len(expected):
        assert hierarchy.is_valid_linkage(result)


@pytest.mark.parametrize("size", [2, 3, 40, 200])
def test_points_as_in_scipy(size):
    distances = pdist(np.random.default_rng(size).random((size, 3)))
    graph = sg.as_graph(sp.csr_array(squareform(distances)))
    result = sg.single_linkage(sg.minimum_spanning_forest(graph))
    assert np.array_equal(result, hierarchy.linkage(distances, "single"))
    assert hierarchy.is_monotonic(result)


def test_a_cut_gives_the_components_of_the_shorter_edges():
    graph = with_weights(gallery.uniform_random(400, 2), lambda size: np.random.default_rng(0).random(size))
    result = sg.single_linkage(sg.minimum_spanning_forest(graph))
    matrix = graph.to_scipy()
    for level in (0.1, 0.3, 0.9, 2.0):
        shorter = matrix.copy()
        shorter.data = shorter.data * (shorter.data <= level)
        shorter.eliminate_zeros()
        expected = sg.connected_components(sg.as_graph(shorter))[1]
        clusters = hierarchy.fcluster(result, level, "distance")
        firsts = [clusters[expected == label] for label in range(expected.max() + 1)]
        assert all(len(set(same.tolist())) == 1 for same in firsts)
        assert len(set(clusters.tolist())) == expected.max() + 1


@each(name=QUICK_ZOO, dtype=DTYPES)
def test_zoo_with_every_type_of_weights(name, dtype):
    graph = with_weights(QUICK_ZOO[name], lengths(dtype))
    forest, expected = forest_of(graph)
    check(sg.single_linkage(forest), expected)
    check(sg.single_linkage(sp.csr_array(forest.T)), expected)  # each edge from the larger end
    check(sg.single_linkage(sg.as_graph(forest)), expected)  # each edge twice
    check(sg.single_linkage(sg.as_graph(forest)._with_dtypes(np.int64, np.int64)), expected)


@given(weighted_graphs(), st.integers(0, 99), st.integers(1, 5))
def test_random_graphs_on_shuffled_schedules(graph, seed, workers):
    if graph.num_entries and graph.weights.min() < 0:
        graph = graph._replace(weights=not_negative(graph.weights))
    forest, expected = forest_of(graph)
    with use_target("python", seed=seed, workers=workers):
        check(sg.single_linkage(forest), expected)


def test_without_weights():
    forest, expected = forest_of(gallery.grid((4, 5)))
    check(sg.single_linkage(forest), expected)
    check(sg.single_linkage(sg.as_graph(forest, weights=False)), expected)


def test_threads_steps_and_the_order_of_entries(threads, monkeypatch):
    graph = with_weights(gallery.uniform_random(900, 3), lambda size: np.random.default_rng(1).integers(0, 9, size))
    forest, expected = forest_of(graph)
    monkeypatch.setattr(linkage, "ITEMS_PER_CALL", 100)
    with sg.threads(threads):
        check(sg.single_linkage(forest), expected)
    entries = np.random.default_rng(2).permutation(forest.nnz)
    u, v = (ends[entries] for ends in forest.tocoo().coords)
    flipped = entries % 2 == 0
    u, v = np.where(flipped, v, u), np.where(flipped, u, v)
    check(sg.single_linkage(sp.coo_array((forest.data[entries], (u, v)), forest.shape)), expected)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_edges(n):
    result = sg.single_linkage(sp.csr_array((n, n)))
    check(result, naive.single_linkage(n, []))
    assert result.shape == (max(n - 1, 0), 4)


def test_refused_forests():
    def graph_of(*weights, **options):
        return sg.from_edges([0, 1, 2], [1, 2, 0], np.array(weights), symmetrize=True, **options)

    with pytest.raises(ValueError, match=r"edge \(1, 2\) closes a cycle; pass minimum_spanning_forest"):
        sg.single_linkage(graph_of(1.0, 9.0, 2.0))
    with pytest.raises(ValueError, match=r"edge \('b', 'c'\) closes a cycle"):
        sg.single_linkage(graph_of(1.0, 9.0, 2.0, nodes=["a", "b", "c"]))
    with pytest.raises(ValueError, match=r"edge \(1, 2\) has the weight -3.0, but a distance is at least 0"):
        sg.single_linkage(graph_of(1, -3, 2))
    with pytest.raises(ValueError, match=r"the weight of entry \(0, 1\) is NaN"):
        sg.single_linkage(sp.csr_array(np.array([[0, np.nan], [0, 0]])))
    with pytest.raises(ValueError, match=r"the weights of entry \(0, 1\) differ: 1 and 2"):
        sg.single_linkage(sp.csr_array(np.array([[0, 1], [2, 0]])))
    with pytest.raises(ValueError, match="complex"):
        sg.single_linkage(sp.csr_array(np.array([[0, 1j], [0, 0]])))
