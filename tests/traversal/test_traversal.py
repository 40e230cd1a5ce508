"""Breadth-first search: distances and smallest parents compared with sets and the verifier, on every schedule."""

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
from stablegraph.traversal import breadth_first
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import ZOO, graphs, preferential, reverse_rows, symmetric_csr

DEEP = 200_000  # vertices


def search_from(graph, sources):
    distance, parent = sg.breadth_first_search(graph, sources)
    assert distance.dtype == parent.dtype == np.int32
    return distance.tolist(), parent.tolist()


def crc(graph, sources):
    return tuple(zlib.crc32(array.tobytes()) for array in sg.breadth_first_search(graph, sources))


def some_arcs(graph, seed=0):
    """Return a directed graph that keeps about two of three entries."""
    u = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    kept = np.random.default_rng(seed).random(u.size) < 2 / 3
    return sg.from_edges(u[kept], graph.indices[kept], n=graph.num_vertices, directed=True)


def all_ways(monkeypatch):
    """Run the search with each strategy: default, only shared levels, inward as early as possible, outward for long."""
    monkeypatch.setattr(breadth_first, "_CHUNK", 3)  # so few vertices that they do not fit into one
    for alone, alpha, beta in ((4096, 15, 18), (-1, 0, 18), (4096, 10**9, 10**9), (6, 1, 2)):
        monkeypatch.setattr(breadth_first, "_MAX_ALONE", alone)
        monkeypatch.setattr(breadth_first, "_ALPHA", alpha)
        monkeypatch.setattr(breadth_first, "_BETA", beta)
        yield


# ------------------------------------------------------------------------------------------------------ right answers


def test_zoo(zoo_graph, monkeypatch):
    n = zoo_graph.num_vertices
    directed = some_arcs(zoo_graph)
    with_transpose = some_arcs(zoo_graph)
    with_transpose.transpose()
    for sources in ([], [0], sorted({n - 1, n // 2})):
        if n or not sources:
            for graph in (zoo_graph, directed, with_transpose):
                for _ in all_ways(monkeypatch):
                    with use_target("cpu", workers=3):
                        assert search_from(graph, sources) == naive.breadth_first(graph, sources)


def test_within_a_distance(zoo_graph, monkeypatch):
    sources = [v for v in (0, 7) if v < zoo_graph.num_vertices]
    for graph in (zoo_graph, some_arcs(zoo_graph)):
        for limit in (0, 1, 2, 5, 10**30):
            expected = naive.breadth_first(graph, sources, limit)
            for _ in all_ways(monkeypatch):
                with use_target("cpu", workers=3):
                    answer = sg.breadth_first_search(graph, sources, max_distance=limit)
                assert tuple(array.tolist() for array in answer) == expected
            near = sg.reachable(graph, sources, max_distance=limit)
            assert near.tolist() == [distance >= 0 for distance in expected[0]]


@given(graphs(), st.integers(0, 4), st.integers(0, 9))
def test_within_a_distance_on_shuffled_schedules(thing, limit, seed):
    graph = sg.as_graph(thing)
    sources = [0] if graph.num_vertices else []
    with use_target("python", seed=seed, workers=5):
        answer = sg.breadth_first_search(graph, sources, max_distance=limit)
    assert tuple(array.tolist() for array in answer) == naive.breadth_first(graph, sources, limit)


def test_refused_distances():
    path = gallery.grid((4,))
    with pytest.raises(ValueError, match="max_distance must be at least 0, got -1"):
        sg.breadth_first_search(path, 0, max_distance=-1)
    with pytest.raises(TypeError, match="max_distance must be an integer"):
        sg.reachable(path, 0, max_distance=1.5)
    with pytest.raises(TypeError, match="no option 'cutoff'; use max_distance="):
        sg.breadth_first_search(path, 0, cutoff=2)


@given(graphs(), st.data())
def test_any_graph(thing, data):
    graph = sg.as_graph(thing)
    n = graph.num_vertices
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), bool)
    seed = data.draw(st.integers(0, 9))
    for one in (thing, graph, some_arcs(graph, seed)):
        answer = sg.breadth_first_search(one, chosen)
        expected = naive.breadth_first(one if isinstance(one, sg.Graph) else graph, np.flatnonzero(chosen).tolist())
        assert tuple(array.tolist() for array in answer) == expected
        assert sg.explain(sg.is_bfs_tree, one, chosen, *answer, smallest=True) is None
        assert sg.reachable(one, np.flatnonzero(chosen)).tolist() == (answer[0] >= 0).tolist()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", ["skewed", "grid", "unsorted rows"])
def test_any_schedule(shape, seed, monkeypatch):
    graph = sg.as_graph(ZOO[shape])
    for one in (graph, some_arcs(graph, seed)):
        expected = naive.breadth_first(one, [seed, 100])
        for _ in all_ways(monkeypatch):
            with use_target("python", seed=seed, workers=7):
                assert search_from(one, [seed, 100]) == expected


@pytest.fixture(scope="module")
def larger():
    """Return hubs with a path attached: large frontiers, then a long sequence of single vertices."""
    path = [(v, v + 1) for v in range(4999, 5200)]
    moved = np.random.default_rng(4).permutation(5201)
    return sg.as_graph(symmetric_csr(5201, moved[np.array(preferential(5000, 5, seed=2) + path)]))


def test_the_same_for_any_threads_dtypes_and_direction(larger, threads, monkeypatch):
    tree = {True: set(), False: set()}
    for graph in (larger, some_arcs(larger), sg.as_graph(reverse_rows(larger.to_scipy()))):
        for types in ((np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)):
            tree[graph.directed].add(crc(graph._with_dtypes(*types), [17]))
        for _ in all_ways(monkeypatch):
            tree[graph.directed].add(crc(graph, [17]))
    assert tree == {False: {crc(larger, 17)}, True: {crc(some_arcs(larger), 17)}}


def test_a_larger_graph(larger):
    for graph in (larger, some_arcs(larger)):
        assert search_from(graph, 17) == naive.breadth_first(graph, [17])


@pytest.mark.parametrize("workers", [5, 64, 3000])
def test_more_workers_than_threads(larger, workers, monkeypatch):
    expected = crc(larger, [3, 5])
    for _ in all_ways(monkeypatch):
        with use_target("cpu", workers=workers):
            assert crc(larger, [3, 5]) == expected


def test_in_short_calls(larger, monkeypatch):
    expected = crc(larger, 0)
    monkeypatch.setattr(breadth_first, "_BUDGET", 10)
    for _ in all_ways(monkeypatch):
        assert crc(larger, 0) == expected


def test_directed_with_and_without_transpose(larger, monkeypatch):
    monkeypatch.setattr(breadth_first, "_ALPHA", 10**9)
    graph = some_arcs(larger)
    before = crc(graph, 17)
    graph.transpose()
    assert crc(graph, 17) == before
    back = sg.breadth_first_search(graph.transpose(), 17)
    assert [array.tolist() for array in back] == list(naive.breadth_first(graph.transpose(), [17]))


@pytest.mark.parametrize(
    "name",
    [
        "web-NotreDame.mtx.xz",
        pytest.param("uk-2007-05_100000.mtx.xz", marks=pytest.mark.slow),
        "debian-depends.mtx.gz",
        "USA-road-d.NY.mtx.xz",
    ],
)
def test_real_graphs(data_file, name):
    graph = sg.read_graph(data_file(name), directed=True)
    n = graph.num_vertices
    source = int(np.diff(graph.indptr).argmax())
    for one in (graph, sg.as_graph(graph, symmetrize=True, weights=False)):
        distance, parent = sg.breadth_first_search(one, source)
        assert sg.explain(sg.is_bfs_tree, one, source, distance, parent, smallest=True) is None
        matrix = sp.csr_array((np.ones(one.num_entries), one.indices, one.indptr), shape=(n, n))
        expected = csgraph.dijkstra(matrix, indices=source, unweighted=True)
        assert np.array_equal(np.where(np.isinf(expected), -1, expected), distance)


# ------------------------------------------------------------------------------------------------------- deep and wide


def test_deep_trees():
    n = DEEP
    spine = np.arange(n - 1)
    for u, v in (
        (spine, spine + 1),
        (np.r_[spine[: n // 2 - 1], spine[: n // 2]], np.r_[spine[1 : n // 2], np.arange(n // 2, n)]),
        (np.r_[spine[: n // 8 - 1], np.repeat(spine[: n // 8], 7)], np.r_[spine[1 : n // 8], np.arange(n // 8, n)]),
    ):
        graph = sg.from_edges(u, v, symmetrize=True)
        distance, parent = sg.breadth_first_search(graph, 0)
        assert distance[-1] == distance.max() == (u == v - 1).sum() + (u[-1] != v[-1] - 1)
        assert sg.explain(sg.is_bfs_tree, graph, 0, distance, parent, smallest=True) is None
        assert sg.bfs_path(parent, n - 1).size == distance[-1] + 1


def test_a_large_star(threads):
    graph = sg.from_edges(np.full(DEEP - 1, 5), np.delete(np.arange(DEEP), 5), symmetrize=True)
    for source, farthest in ((5, 1), (0, 2)):
        distance, parent = sg.breadth_first_search(graph, source)
        assert distance.max() == farthest
        assert (np.delete(parent, [5, source]) == 5).all()


# --------------------------------------------------------------------------------------------------- paths and sources


def test_paths_lead_from_a_source_along_edges():
    graph = gallery.uniform_random(3000, 2)
    distance, parent = sg.breadth_first_search(graph, [10, 20])
    neighbors = naive.simple_adjacency(graph)
    for v in range(0, 3000, 100):
        way = sg.bfs_path(parent, v).tolist()
        assert way[0] in (10, 20)
        assert way[-1] == v
        assert len(way) == distance[v] + 1
        assert all(b in neighbors[a] for a, b in pairwise(way))


@pytest.mark.parametrize(
    ("parent", "v", "error", "words"),
    [
        ([0, 0, -1], 2, ValueError, "there is no path to vertex 2: its parent is -1"),
        ([0, 0, -1], 3, ValueError, "v is 3, but there are 3 vertices, numbered from 0"),
        ([0, 0, -1], -1, ValueError, "v is -1, but there are 3 vertices"),
        ([0, 0, -1], 1.0, TypeError, "v must be an integer, got 1.0"),
        ([0, 2, 1], 1, ValueError, "the parents above vertex 1 do not end at a source"),
        ([9, 0, 1], 2, ValueError, "the parents above vertex 2 do not end at a source"),
    ],
)
def test_no_path(parent, v, error, words):
    with pytest.raises(error, match=words):
        sg.bfs_path(np.array(parent), v)


def test_sources_of_all_kinds():
    graph = sg.as_graph(ZOO["path"])
    expected = naive.breadth_first(graph, [3, 8])
    for sources in ([8, 3], (3, 8), np.array([3, 8], np.uint8), np.isin(np.arange(50), [3, 8])):
        assert search_from(graph, sources) == expected
    assert search_from(graph, np.int64(4)) == naive.breadth_first(graph, [4])


@pytest.mark.parametrize(
    ("sources", "error", "words"),
    [
        (50, ValueError, "sources names vertex 50, but there are 50 vertices"),
        ([3, -1], ValueError, "sources names vertex -1"),
        ([True, False], ValueError, r"sources is a mask of shape \(2,\), but there are 50 vertices"),
        ([0.5], TypeError, "sources must be numbers of vertices or a mask of bool"),
        ([[1, 2]], TypeError, "sources must be numbers of vertices"),
    ],
)
def test_wrong_sources(sources, error, words):
    with pytest.raises(error, match=words):
        sg.breadth_first_search(ZOO["path"], sources)


# ----------------------------------------------------------------------------------------------------------- verifier


@each(directed=[False, True])
def test_every_mutant_of_a_tree_is_refused(zoo_graph, directed):
    graph = some_arcs(zoo_graph) if directed else zoo_graph
    n = graph.num_vertices
    if n == 0:
        assert sg.is_bfs_tree(graph, [], [], [])
        return
    distance, parent = (np.array(array) for array in naive.breadth_first(graph, [n // 2]))
    assert sg.is_bfs_tree(graph, n // 2, distance, parent, smallest=True)
    neighbors = naive.simple_adjacency(graph)
    for v in range(0, n, 1 + n // 25):
        for wrong in {-1, 0, 1, distance[v] - 1, distance[v] + 1} - {distance[v]}:
            mutant = distance.copy()
            mutant[v] = wrong
            assert not sg.is_bfs_tree(graph, n // 2, mutant, parent)
        for wrong in {-2, -1, 0, v, n, *neighbors[v]} - {parent[v]}:
            mutant = parent.copy()
            mutant[v] = wrong
            as_near = v != n // 2 and 0 <= wrong < n and v in neighbors[wrong] and distance[wrong] == distance[v] - 1
            assert sg.is_bfs_tree(graph, n // 2, distance, mutant) == (as_near and distance[v] > 0)
            assert not sg.is_bfs_tree(graph, n // 2, distance, mutant, smallest=True)


@pytest.mark.parametrize(
    ("distance", "parent", "sentence"),
    [
        ([0, 1, 1, 2, -1], [0, 0, 0, 1, -1], None),
        (
            [0, 1, 1, 2, -1],
            [0, 0, 0, 2, -1],
            "vertex 3 has distance 2 and parent 2, but vertex 1 is smaller and as near",
        ),
        ([1, 1, 1, 2, -1], [0, 0, 0, 1, -1], "vertex 0 has distance 1 and parent 0, but is a source"),
        ([0, 1, 1, 2, -1], [0, 0, 0, 1, 2], "vertex 4 has distance -1 and parent 2, but without a distance both must"),
        ([0, 1, 0, 2, -1], [0, 0, 2, 1, -1], "vertex 2 has distance 0 and parent 2, but is no source"),
        ([0, 1, 1, 2, -1], [0, 0, 7, 1, -1], "vertex 2 has distance 1 and parent 7, which is no vertex"),
        ([0, 1, 1, 2, -1], [0, 0, 0, 0, -1], "vertex 3 has distance 2 and parent 0, but no edge leads from it"),
        ([0, 1, 1, 3, -1], [0, 0, 0, 1, -1], "vertex 3 has distance 3 and parent 1, which is not one step nearer"),
        (
            [0, 1, -1, 2, -1],
            [0, 0, -1, 1, -1],
            "vertex 2 has distance -1 and parent -1, but an edge leads there from vertex 0, which has distance 0",
        ),
    ],
)
def test_the_sentence_names_the_vertex(distance, parent, sentence):
    square = sg.from_edges([0, 0, 1, 2], [1, 2, 3, 3], n=5, symmetrize=True)
    reported = sg.explain(sg.is_bfs_tree, square, 0, distance, parent, smallest=True)
    assert reported == sentence or reported.startswith(sentence)
