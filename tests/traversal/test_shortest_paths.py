"""Shortest paths by weight: distances and parents compared with a heap and the verifier, on every schedule."""

import zlib
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.traversal import shortest_paths as engine
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import graphs

WEIGHTS = {
    "floats": lambda random, m: random.random(m),
    "small integers": lambda random, m: random.integers(0, 4, m).astype(np.int8),
    "zeros": lambda random, m: random.choice([0.0, 0.0, 0.5, 1.0], m),
    "vanishing": lambda random, m: random.choice([0.0, 1e-300, 1e-20, 1.0, 1e20], m),
    "powers": lambda random, m: 2.0 ** random.integers(-30, 30, m),
    "float32": lambda random, m: random.random(m).astype(np.float32),
    "bools": lambda random, m: random.random(m) < 0.7,
    "large integers": lambda random, m: random.integers(0, 2**40, m, np.uint64),
}


def plain(graph, answer):
    """Return an answer as the oracle gives it."""
    distance, parent = answer
    assert parent.dtype == graph.indices.dtype
    assert (parent >= 0).tolist() == ((distance >= 0) & (distance < np.inf)).tolist()
    return [d if p >= 0 else None for d, p in zip(distance.tolist(), parent.tolist(), strict=True)], parent.tolist()


def weighted(graph, kind, seed=0):
    """Return a directed graph with weights that keeps about three of four entries."""
    random = np.random.default_rng(seed)
    kept = random.random(graph.num_entries) < 3 / 4
    u, v = graph._rows()[kept], graph.indices[kept]
    weights = WEIGHTS[kind](random, u.size)
    return sg.from_edges(u, v, weights, n=graph.num_vertices, directed=True, drop_duplicates=False)


def crc(graph, sources):
    return tuple(zlib.crc32(array.tobytes()) for array in sg.shortest_paths(graph, sources))


# ------------------------------------------------------------------------------------------------------ right answers


@each(kind=list(WEIGHTS))
def test_zoo(zoo_graph, kind):
    n = zoo_graph.num_vertices
    graph = weighted(zoo_graph, kind)
    for sources in ([], [0], sorted({n - 1, n // 2})):
        if n or not sources:
            expected = naive.shortest_paths(graph, sources, graph.weights)
            with use_target("cpu", workers=3):
                answer = sg.shortest_paths(graph, sources)
            assert plain(graph, answer) == expected
            assert answer[0].dtype == (np.float64 if graph.weights.dtype.kind == "f" else np.int64)
            assert sg.explain(sg.is_shortest_path_tree, graph, sources, *answer, smallest=True) is None


@given(graphs(), st.sampled_from(list(WEIGHTS)), st.sampled_from([None, 0, 1, 0.75, 1e9, 10**400]), st.integers(0, 9))
def test_shuffled_schedules_within_a_distance(thing, kind, limit, seed):
    graph = weighted(sg.as_graph(thing), kind, seed)
    sources = [len(graph) - 1] if len(graph) else []
    expected = naive.shortest_paths(graph, sources, graph.weights, limit)
    with use_target("python", seed=seed, workers=5):
        answer = sg.shortest_paths(graph, sources, max_distance=limit)
    assert plain(graph, answer) == expected
    assert sg.is_shortest_path_tree(graph, sources, *answer, smallest=True, max_distance=limit)


@each(kind=["floats", "vanishing", "powers", "small integers"], target=["cpu", "python"])
def test_vertices_that_are_visited_again_and_again_are_put_back(kind, target, monkeypatch):
    """With a huge first step and no patience, near vertices become far again until the step is small enough."""
    monkeypatch.setattr(engine, "_MAX_LOCAL", 1)
    monkeypatch.setattr(engine, "_MIN_PATIENCE", 1)
    monkeypatch.setattr(engine, "_first_step", lambda n, weights: 1e30)
    graph = weighted(gallery.uniform_random(60, 3), kind)
    calls, put_back = [], engine._put_back
    monkeypatch.setattr(engine, "_put_back", lambda search: calls.append(0) or put_back(search))
    with use_target(target, workers=3):
        assert plain(graph, sg.shortest_paths(graph, [5])) == naive.shortest_paths(graph, [5], graph.weights)
    assert len(calls) > 1 + (kind != "small integers")  # the search for hops begins with one, too


@each(workers=[1, 3])
def test_most_of_a_large_graph_at_one_distance(workers):
    """Visits below one threshold that are not repeated do not exceed the patience, however many they are."""
    graph = gallery.uniform_random(400, 300)
    assert graph.num_entries > 1.5 * engine._MIN_PATIENCE
    with use_target("cpu", workers=workers):
        for weights in (np.ones(graph.num_entries, np.int64), np.full(graph.num_entries, 0.5)):
            distance, parent = sg.shortest_paths(graph, 7, weights=weights)
            expected = sg.breadth_first_search(graph, 7)
            assert np.array_equal(distance, expected[0] * weights[0])
            assert np.array_equal(parent, expected[1])


def test_a_chain_in_which_repeated_improvements_would_take_2_to_the_60_visits():
    k, fill = 60, 2.0**62
    first, middle, last = 3 * np.arange(k), 3 * np.arange(k) + 1, 3 * np.arange(k) + 3
    leaves = np.arange(3 * k + 1, 20 * k)
    u = np.r_[first, middle, first, np.resize(np.r_[first, middle], leaves.size)]
    v = np.r_[middle, last, last, leaves]
    w = np.r_[np.zeros(2 * k), 2.0 ** np.arange(k, 0, -1), np.full(leaves.size, fill)]
    for reverse in (False, True):
        names = np.arange(20 * k)[:: -1 if reverse else 1]
        graph = sg.from_edges(names[u], names[v], w, n=20 * k, directed=True)
        distance, _ = sg.shortest_paths(graph, names[0])
        assert distance[names[3 * k]] == 0


@pytest.fixture(scope="module")
def larger():
    """Return a grid with weights in which many sums are equal."""
    graph = gallery.grid((70, 80))
    return graph._replace(weights=np.random.default_rng(3).integers(0, 6, graph.num_entries))


def test_the_same_for_any_threads_and_dtypes(larger, threads):
    expected = naive.shortest_paths(larger, [17], larger.weights)
    assert plain(larger, sg.shortest_paths(larger, 17)) == expected
    floats = larger._replace(weights=larger.weights / 7)
    found = set()
    for types in ((np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)):
        wide = floats._with_dtypes(*types)
        distance, parent = sg.shortest_paths(wide, [17, 5000])
        assert parent.dtype == types[1]
        found.add((zlib.crc32(distance.tobytes()), zlib.crc32(parent.astype(np.int32).tobytes())))
    with use_target("cpu", workers=1):
        assert found == {crc(floats, [17, 5000])}


@pytest.mark.parametrize("workers", [1, 5, 64])
def test_more_workers_than_threads(larger, workers):
    expected = crc(larger, [3, 5])
    with use_target("cpu", workers=workers):
        assert crc(larger, [3, 5]) == expected


@pytest.mark.parametrize("name", [pytest.param("USA-road-d.NY.gr.gz", marks=pytest.mark.slow), "494_bus.mtx.gz"])
def test_real_graphs(data_file, name):
    graph = sg.read_graph(data_file(name))
    graph = graph if graph.weights.min() >= 0 else graph._replace(weights=np.abs(graph.weights))
    distance, parent = sg.shortest_paths(graph, 0)
    assert sg.explain(sg.is_shortest_path_tree, graph, 0, distance, parent, smallest=True) is None
    matrix = sp.csr_array((graph.weights.astype(float), graph.indices, graph.indptr), shape=(len(graph),) * 2)
    expected = csgraph.dijkstra(matrix, indices=0)
    assert np.array_equal(np.where(np.isinf(expected), -1, expected), np.where(parent < 0, -1, distance))


def test_without_weights_it_is_a_breadth_first_search(zoo_graph):
    zoo_graph = zoo_graph._replace(weights=None)
    sources = [0] if len(zoo_graph) else []
    expected = sg.breadth_first_search(zoo_graph, sources)
    ones = np.ones(zoo_graph.num_entries, np.uint8)
    for options in ({}, {"weights": False}, {"weights": ones}):
        distance, parent = sg.shortest_paths(zoo_graph, sources, **options)
        assert distance.dtype == np.int64
        assert [distance.tolist(), parent.tolist()] == [array.tolist() for array in expected]
        assert sg.is_shortest_path_tree(zoo_graph, sources, distance, parent, **options, smallest=True)
    near = sg.shortest_paths(zoo_graph, sources, max_distance=1.5)[0]
    assert near.tolist() == sg.breadth_first_search(zoo_graph, sources, max_distance=1)[0].tolist()


def test_paths_lead_from_a_source_along_edges():
    graph = weighted(gallery.uniform_random(2000, 3), "floats")
    lengths = {(u, v): w for u, v, w in zip(graph._rows(), graph.indices, graph.weights, strict=True)}
    distance, parent = sg.shortest_paths(graph, [10, 20])
    for v in np.flatnonzero(parent >= 0)[::100]:
        way = sg.bfs_path(parent, v).tolist()
        assert way[0] in (10, 20)
        assert sum(lengths[pair] for pair in pairwise(way)) == distance[v]


# ---------------------------------------------------------------------------------------------------- refused arguments


PATH = sg.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 4.0], symmetrize=True)


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ([1, 1, -1, 1, 1, 1], ValueError, r"the weight of entry \(1, 2\) is -1: weights must be finite and at least 0"),
        ([1, 1, 1, np.nan, 1, 1], ValueError, r"entry \(2, 1\) is nan"),
        ([np.inf, 1, 1, 1, 1, 1], ValueError, r"entry \(0, 1\) is inf"),
        ([1, 2], ValueError, r"weights has shape \(2,\), but the graph has 6 entries"),
        ([[1] * 6], ValueError, r"shape \(1, 6\)"),
        ([1j] * 6, TypeError, "weights must be real numbers of at most 64 bits, got dtype complex128"),
        (["a"] * 6, TypeError, "weights must be real numbers"),
        (True, ValueError, "shape"),
        ({0: 1}, TypeError, "mapping"),
    ],
)
def test_refused_weights(weights, error, words):
    with pytest.raises(error, match=words):
        sg.shortest_paths(PATH, 0, weights=weights)
    with pytest.raises(error):
        sg.is_shortest_path_tree(PATH, 0, [0.0] * 4, [0] * 4, weights=weights)


def test_refused_distances_sources_and_options():
    for limit, error in ((-1, ValueError), (np.nan, ValueError), ("1", TypeError), (True, TypeError)):
        with pytest.raises(error, match="max_distance must be"):
            sg.shortest_paths(PATH, 0, max_distance=limit)
    with pytest.raises(ValueError, match="sources names vertex 4"):
        sg.shortest_paths(PATH, 4)
    with pytest.raises(TypeError, match="cutoff"):
        sg.shortest_paths(PATH, 0, cutoff=2)


@pytest.mark.parametrize("weights", [np.array([2**61, 2**61 - 2, 2**62]), np.array([1.2e308, 5e307, 1e308])])
def test_sums_at_the_limit_and_beyond(weights):
    path = sg.from_edges([0, 1, 2], [1, 2, 3], weights, directed=True, nodes=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=r"every path to vertex 'd' is longer than \d"):
        sg.shortest_paths(path, "a")
    assert sg.shortest_paths(path, "b", max_distance=10)[1].tolist() == [-1, 1, -1, -1]
    near = sg.shortest_paths(path, "a", max_distance=weights[:2].sum())
    assert near[0].tolist()[:3] == [0, weights[0], weights[0] + weights[1]]
    assert near[1].tolist() == [0, 0, 1, -1]
    short = sg.from_edges([0, 1, 2, 0], [1, 2, 3, 3], np.r_[weights, weights[:1]], directed=True)
    assert sg.shortest_paths(short, 0)[1].tolist() == [0, 0, 1, 0]
    assert sg.explain(sg.is_shortest_path_tree, path, "a", *near, smallest=True) is not None


def test_arrays_of_every_layout():
    expected = crc(PATH, 0)
    wide = np.empty((6, 2))
    wide[:, 0] = PATH.weights
    for weights in (wide[:, 0], PATH.weights.astype(">f8"), PATH.weights.tolist(), PATH.weights.astype(np.float16)):
        answer = sg.shortest_paths(PATH, 0, weights=weights)
        assert tuple(zlib.crc32(array.tobytes()) for array in answer) == expected


# ----------------------------------------------------------------------------------------------------------- verifier


@each(kind=["floats", "small integers", "zeros"])
def test_every_mutant_of_a_tree_is_refused(zoo_graph, kind):
    graph = weighted(zoo_graph, kind)
    n = len(graph)
    if n == 0:
        return
    distance, parent = sg.shortest_paths(graph, n // 2)
    for v in range(0, n, 1 + n // 15):
        for wrong in {-1, 0, np.inf, distance[v] - 1, distance[v] + 1, np.nan} - {distance[v]}:
            if distance.dtype == np.float64 or np.isfinite(wrong):
                mutant = distance.copy()
                mutant[v] = wrong
                assert not sg.is_shortest_path_tree(graph, n // 2, mutant, parent)
        for wrong in {-2, -1, 0, v, n, *graph.indices[: 2 * n : n].tolist()} - {parent[v]}:
            mutant = parent.astype(np.int64)
            mutant[v] = wrong
            assert not sg.is_shortest_path_tree(graph, n // 2, distance, mutant, smallest=True)


@pytest.mark.parametrize(
    ("distance", "parent", "sentence"),
    [
        ([0, 1, 1, 1, -1], [0, 0, 1, 1, -1], None),
        ([0, 1, 1, 1, -1], [0, 0, 3, 2, -1], "vertex 2 has distance 1 and parent 3, but the parents form a cycle"),
        ([0, 1, 1, 1, -1], [0, 0, 1, 2, -1], "vertex 3 has distance 1 and parent 2, but a shortest path with fewer"),
        ([0, 1, 1, 1, -1], [0, 0, 1, 7, -1], "vertex 3 has distance 1 and parent 7, which is no vertex"),
        ([0, 1, 1, 1, -1], [0, 0, 1, 0, -1], "vertex 3 has distance 1 and parent 0, but no edge joins them with"),
        ([0, 2, 1, 1, -1], [0, 0, 1, 1, -1], "vertex 1 has distance 2 and parent 0, but edge (0, 1) leads to the sm"),
        ([0, 1, 1, -1, -1], [0, 0, 1, -1, -1], "vertex 3 has distance -1 and parent -1, but edge (1, 3) leads to the"),
        ([0, 1, 1, 1, 3], [0, 0, 1, 1, 4], "vertex 4 has distance 3 and parent 4, but is no source"),
        ([0, 1, 1, 1, -1], [0, 0, 1, 1, 3], "vertex 4 has distance -1 and parent 3, but without a path they must be"),
        ([1, 1, 1, 1, -1], [0, 0, 1, 1, -1], "vertex 0 has distance 1 and parent 0, but is a source"),
    ],
)
def test_the_sentence_names_the_vertex(distance, parent, sentence):
    graph = sg.from_edges([0, 1, 1, 2], [1, 2, 3, 3], [1, 0, 0, 0], n=5, symmetrize=True)
    reported = sg.explain(sg.is_shortest_path_tree, graph, 0, distance, parent, smallest=True)
    assert reported == sentence or reported.startswith(sentence)


def test_the_verifier_refuses_wrong_types_and_distances_beyond_the_limit():
    answer = sg.shortest_paths(PATH, 0)
    assert "ends at distance 2" in sg.explain(sg.is_shortest_path_tree, PATH, 0, *answer, max_distance=2)
    with pytest.raises(TypeError, match="distance must be integers"):
        sg.is_shortest_path_tree(PATH, 0, *answer, weights=False)
    with pytest.raises(ValueError, match="distance has shape"):
        sg.is_shortest_path_tree(PATH, 0, [0.0], answer[1])
