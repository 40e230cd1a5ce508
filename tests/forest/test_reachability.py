"""Mutual reachability: equal to sorted lists of plain Python, for all dtypes and schedules; HDBSCAN's trees; errors."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

import stablegraph as sg
from stablegraph._core.runtime import use_target
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import graphs

pytestmark = pytest.mark.filterwarnings("ignore:.*their core distances are infinite")


def with_distances(graph, dtype, seed):
    """Return the graph with distances of few values, equal in both directions, some of them 0 and infinite."""
    u, v = graph._rows().astype(np.int64), graph.indices.astype(np.int64)
    values = ((np.minimum(u, v) * 7919 + np.maximum(u, v) * 104729 + seed) % 7).astype(dtype)
    if np.dtype(dtype).kind == "f":
        values = np.where(values == 6, dtype(np.inf), values * dtype(0.37))
        values = np.where(values == 0, dtype(-0.0), values)
    return sg.as_graph((graph.indptr, graph.indices, values))


@given(graphs(), st.integers(1, 6), st.sampled_from([None, np.float64, np.float32, np.int8, np.uint64, bool]))
def test_like_plain_python(thing, min_samples, dtype):
    graph = sg.as_graph(thing, weights=False)
    graph = graph if dtype is None else with_distances(graph, dtype, min_samples)
    result = sg.mutual_reachability(graph, min_samples)
    assert naive.weight_of_entries(result) == naive.mutual_reachability(graph, min_samples)
    assert result.weights.dtype == (np.float32 if dtype is np.float32 else np.float64)
    assert not np.signbit(result.weights).any()


@each(min_samples=[1, 4, 30])
def test_schedules_and_types(min_samples, threads):
    graph = with_distances(sg.gallery.kronecker(8, 8), np.float64, 3)
    result = sg.mutual_reachability(graph, min_samples)
    assert naive.weight_of_entries(result) == naive.mutual_reachability(graph, min_samples)
    for target in ({"target": "cpu", "workers": 16}, {"target": "python", "seed": 1}):
        with use_target(**target):
            assert sg.mutual_reachability(graph, min_samples) == result
    for types in ((np.int64, np.int32), (np.int64, np.int64)):
        wide = sg.mutual_reachability(graph._with_dtypes(*types), min_samples)
        assert np.array_equal(wide.weights, result.weights)


def test_rows_of_many_values():
    rng = np.random.default_rng(0)
    u, v = np.triu_indices(40, 1)
    for values in (rng.random(780), 10.0 ** rng.uniform(-300, 300, 780), np.ones(780), rng.integers(0, 3, 780) / 3):
        complete = sg.from_edges(u, v, values, symmetrize=True)
        for rank in (1, 2, 20, 38, 39, 40):
            assert naive.weight_of_entries(sg.mutual_reachability(complete, rank)) == naive.mutual_reachability(
                complete, rank
            )


def test_the_tree_of_all_pairs():
    """The tree of a graph of nearest neighbors that is connected is that of the complete graph."""
    points = np.random.default_rng(3).normal(size=(150, 2))
    pairs = cdist(points, points)
    core = np.sort(pairs, axis=1)[:, 5]  # the point itself is the first one
    dense = np.maximum(pairs, np.maximum(core[:, None], core))
    np.fill_diagonal(dense, 0)
    distances, neighbors = KDTree(points).query(points, k=40)
    ends = np.repeat(np.arange(150), 40), neighbors.ravel()
    graph = sg.from_edges(*ends, distances.ravel(), symmetrize="max", drop_loops=True)
    sparse = sg.minimum_spanning_forest(sg.mutual_reachability(graph, 5))
    complete = sg.minimum_spanning_forest(sp.csr_array(dense))
    assert np.allclose(np.sort(sparse.data), np.sort(complete.data), rtol=1e-12)
    cut = np.median(sparse.data)
    labels = [fcluster(sg.single_linkage(forest), cut, "distance") for forest in (sparse, complete)]
    assert np.array_equal(*(np.unique(one, return_inverse=True)[1] for one in labels))


def test_names_and_the_graph_stay():
    graph = sg.from_edges(["a", "b"], ["b", "c"], [1.0, 2.0], symmetrize=True)
    before = graph.weights.copy()
    assert sg.mutual_reachability(graph, 1).nodes == ["a", "b", "c"]
    assert np.array_equal(graph.weights, before)
    assert (graph.num_edges, sg.mutual_reachability(graph, 2).num_edges) == (2, 2)
    assert sg.mutual_reachability(sg.from_edges([], [], n=3), 2).num_vertices == 3


@pytest.mark.parametrize(
    ("value", "rank", "error", "message"),
    [
        (-1.0, 1, ValueError, r"the distance of entry \('b', 'c'\) is -1.0, but distances are at least 0"),
        (np.nan, 1, ValueError, r"the weight of entry \('b', 'c'\) is NaN"),
        (1.0, 0, ValueError, "min_samples must be at least 1, got 0"),
        (1.0, 1.5, TypeError, "min_samples must be an integer, got 1.5"),
        (1.0, 2**70, None, ""),
    ],
)
def test_errors(value, rank, error, message):
    graph = sg.from_edges(["a", "b"], ["b", "c"], [1.0, value], symmetrize=True)
    if error is None:
        assert np.isinf(sg.mutual_reachability(graph, rank).weights).all()
        return
    with pytest.raises(error, match=message):
        sg.mutual_reachability(graph, rank)


def test_one_way_neighbors_are_refused():
    matrix = sp.csr_array(np.array([[0, 1.0, 0], [0, 0, 2.0], [3.0, 0, 0]]))
    with pytest.raises(ValueError, match=r"pass as_graph\(graph, symmetrize='max'\)"):
        sg.mutual_reachability(matrix, 1)


def test_a_warning_counts_the_vertices_with_too_few_neighbors():
    """Repeated entries and loops are no further neighbors; infinite distances to enough neighbors are no reason."""
    star = sg.from_edges([0, 0, 0, 0, 1, 0], [1, 2, 3, 3, 1, 1], [1.0, 2, np.inf, np.inf, 4, 1], symmetrize="min")
    with pytest.warns(UserWarning, match=r"^3 of 4 vertices have fewer than min_samples=2 neighbors, so"):
        sg.mutual_reachability(star, 2)
    with pytest.warns(UserWarning, match="4 of 4 vertices have fewer than min_samples=9223372036854775807 neighbors"):
        sg.mutual_reachability(star, 10**30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(sg.mutual_reachability(star, 1).weights).sum() == 2
        assert sg.mutual_reachability(sg.as_graph(sp.csr_array((0, 0))), 3).num_vertices == 0
