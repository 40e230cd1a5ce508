"""Connected components: both algorithms compared with sets, SciPy and the verifier, on every schedule."""

import zlib
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import option_names as names
from stablegraph._core.runtime import use_target
from stablegraph.components import union
from stablegraph.study import fastsv
from tests.support import naive
from tests.support.cases import each
from tests.support.zoo import ZOO, graphs

ALGORITHMS = get_args(names.ComponentAlgorithm)
DEEP = 200_000  # vertices


def components_of(graph, algorithm="union"):
    count, labels = sg.connected_components(graph, algorithm=algorithm)
    assert labels.dtype == np.int32
    return count, labels.tolist()


def with_scipy(graph):
    parts = np.ones(graph.num_entries, np.int8), graph.indices, graph.indptr
    matrix = sp.csr_array(parts, shape=(graph.num_vertices, graph.num_vertices))
    return csgraph.connected_components(matrix, directed=graph.directed, connection="weak")


def one_way(graph, seed=0):
    """Return the same vertices and edges, each edge as one arc of random direction, and a few as both."""
    u = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    v = graph.indices
    kept = np.random.default_rng(seed).random(u.size) < 0.6
    mirrored = u > v
    u, v = np.where(mirrored & ~kept, v, u), np.where(mirrored & ~kept, u, v)
    kept |= mirrored  # at least one entry of every pair is kept
    return sg.from_edges(u[kept], v[kept], n=graph.num_vertices, directed=True)


@pytest.fixture(scope="module")
def larger():
    """Return a large component with hubs, and many small ones of all sizes between its vertices."""
    rng = np.random.default_rng(3)
    u, v = (30_000 * rng.random((2, 60_000)) ** 3).astype(np.int64)
    a, b = rng.integers(30_000, 60_000, (2, 14_000))
    moved = rng.permutation(60_000)
    return sg.from_edges(moved[np.r_[u, a]], moved[np.r_[v, b]], n=60_000, symmetrize=True)


# ------------------------------------------------------------------------------------------------------ right answers


@each(algorithm=ALGORITHMS)
def test_zoo(zoo_graph, algorithm):
    assert components_of(zoo_graph, algorithm) == naive.connected_components(zoo_graph)
    directed = one_way(zoo_graph)
    assert components_of(directed, algorithm) == naive.connected_components(directed)
    assert components_of(directed, algorithm)[0] == components_of(zoo_graph, algorithm)[0]


@given(graphs(), st.sampled_from(ALGORITHMS), st.integers(0, 9))
def test_any_graph(thing, algorithm, seed):
    graph = sg.as_graph(thing)
    expected = naive.connected_components(graph)
    assert components_of(thing, algorithm) == expected
    assert components_of(one_way(graph, seed), algorithm) == expected
    assert sg.explain(sg.is_component_labeling, graph, components_of(graph, algorithm)[1]) is None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_any_schedule(algorithm, seed):
    thing = ZOO["disconnected" if seed % 2 else "skewed"]
    graph = sg.as_graph(thing)
    for one in (graph, one_way(graph, seed)):
        with use_target("python", seed=seed, workers=1 + 3 * seed):
            assert components_of(one, algorithm) == naive.connected_components(one)


def test_the_same_for_any_threads_dtypes_and_algorithm(larger, threads):
    checksums = set()
    for graph in (larger, one_way(larger)):
        for types in ((np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)):
            for algorithm in ALGORITHMS:
                count, labels = sg.connected_components(graph._with_dtypes(*types), algorithm=algorithm)
                assert labels.dtype == np.int32
                checksums.add((count, zlib.crc32(labels.tobytes())))
    count, labels = with_scipy(larger)
    assert checksums == {(count, zlib.crc32(labels.astype(np.int32).tobytes()))}


@each(few=[True, False], is_small=[True, False])
def test_few_workers_leave_a_small_graph_to_one(few, is_small, monkeypatch):
    graph, launched = gallery.uniform_random(300, 2), []
    for name in ("_unite_first", "_link_down"):
        step = getattr(union, name)
        monkeypatch.setattr(union, name, lambda *a, step=step, name=name: (launched.append(name), step(*a)))
    monkeypatch.setattr(union, "_SMALL", graph.num_vertices + graph.num_entries + is_small)
    with use_target("cpu", workers=union.MIN_LINKING_WORKERS - few):
        assert components_of(graph) == naive.connected_components(graph)
    assert launched == ["_unite_first" if few and is_small else "_link_down"]


@pytest.mark.parametrize("workers", [5, 64, 5000])
def test_more_workers_than_threads(larger, workers):
    expected = sg.connected_components(larger)[1]
    with use_target("cpu", workers=workers):
        for algorithm in ALGORITHMS:
            assert np.array_equal(sg.connected_components(larger, algorithm=algorithm)[1], expected)


def test_in_short_steps(larger, monkeypatch):
    expected = sg.connected_components(larger)[1]
    monkeypatch.setattr(union, "ENTRIES_PER_CALL", 1000)
    assert np.array_equal(sg.connected_components(larger)[1], expected)


def test_an_arc_from_the_largest_component_to_a_vertex_that_has_none():
    n = 50_000
    ring = np.arange(n - 1)
    u, v = np.r_[ring, ring[1000]], np.r_[np.roll(ring, 1), n - 1]
    graph = sg.from_edges(u, v, n=n, directed=True)
    for algorithm in ALGORITHMS:
        assert sg.connected_components(graph, algorithm=algorithm)[0] == 1


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("web-NotreDame.mtx.xz", None),
        pytest.param("uk-2007-05_100000.mtx.xz", None, marks=pytest.mark.slow),
        ("debian-depends.mtx.gz", None),
        ("as-caida20071105.mtx.gz", None),
        ("USA-road-d.NY.mtx.xz", 1),
    ],
)
def test_real_graphs(data_file, name, count):
    graph = sg.read_graph(data_file(name), directed=True)
    expected, labels = with_scipy(graph)
    assert count in (None, expected)
    for one in (graph, sg.as_graph(graph, symmetrize=True)):
        for algorithm in ALGORITHMS:
            found = sg.connected_components(one, algorithm=algorithm)
            assert found[0] == expected and np.array_equal(found[1], labels)
    assert sg.explain(sg.is_component_labeling, graph, labels) is None


# ------------------------------------------------------------------------------------------------------- deep and wide


def path_of(order):
    return order[:-1], order[1:]


def comb(n):
    """Return a path of n / 2 vertices with a pendant vertex at each; these come first, and the path runs downward."""
    spine = np.arange(n - 1, n // 2 - 1, -1)
    return np.r_[spine[:-1], spine], np.r_[spine[1:], np.arange(n // 2)]


def caterpillar(n):
    """Return a path of n / 8 vertices with seven leaves each, and shuffle all vertices."""
    spine = np.arange(n // 8)
    ends = np.r_[spine[:-1], np.repeat(spine, 7)], np.r_[spine[1:], np.arange(n // 8, n)]
    moved = np.random.default_rng(0).permutation(n)
    return moved[ends[0]], moved[ends[1]]


SHAPES = {
    "path": lambda n: path_of(np.arange(n)),
    "path backward": lambda n: path_of(np.arange(n)[::-1]),
    "path with its ends together": lambda n: path_of(np.r_[np.arange(0, n, 2), np.arange(1, n, 2)[::-1]]),
    "star": lambda n: (np.full(n - 1, n // 3), np.delete(np.arange(n), n // 3)),
    "comb": comb,
    "caterpillar": caterpillar,
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_deep_graphs(shape, algorithm):
    u, v = SHAPES[shape](DEEP)
    for graph in (sg.from_edges(u, v, symmetrize=True), sg.from_edges(u, v, n=DEEP, directed=True)):
        count, labels = sg.connected_components(graph, algorithm=algorithm)
        assert count == 1
        assert not labels.any()
    cut = sg.from_edges(np.delete(u, 120_000 % u.size), np.delete(v, 120_000 % u.size), n=DEEP, symmetrize=True)
    assert sg.connected_components(cut, algorithm=algorithm)[0] == 2


def test_rounds_of_fastsv():
    rounds = [fastsv.parents(graph)[1] for graph in (gallery.grid((20_000,)), gallery.grid((200, 200)))]
    assert rounds == [15, 9]


# ------------------------------------------------------------------------------------------------- largest, subgraphs


def test_largest_component(zoo_graph):
    component, vertices = sg.largest_component(zoo_graph)
    count, labels = naive.connected_components(zoo_graph)
    sizes = np.bincount(labels, minlength=1)
    assert vertices.tolist() == [v for v, label in enumerate(labels) if label == sizes.argmax()]
    assert component == zoo_graph.subgraph(vertices)
    assert (component is zoo_graph) == (count <= 1)


def test_largest_component_with_names_and_weights():
    graph = sg.from_edges([3, 1, 1], [4, 2, 0], [0.5, 1.5, 2.5], symmetrize=True, nodes="abcde")
    component, vertices = sg.largest_component(graph)
    assert vertices.tolist() == [0, 1, 2]
    assert list(component.nodes) == ["a", "b", "c"]
    assert component.weights.sum() == 8
    tie = sg.from_edges([0, 1], [3, 2], n=4, directed=True)
    assert sg.largest_component(tie)[1].tolist() == [0, 3]


def test_subgraph_of_anything():
    matrix = ZOO["cycle"]
    mask = np.arange(31) < 5
    assert sg.subgraph(matrix, mask).num_edges == 2 * 4  # a matrix is a directed graph
    assert sg.subgraph(sg.as_graph(matrix), mask) == sg.as_graph(matrix).subgraph(mask)
    with pytest.raises(ValueError, match="vertices is a mask of shape"):
        sg.subgraph(matrix, mask[:-1])


@pytest.mark.parametrize("wrong", ["Union", None, 3])
def test_unknown_algorithms(wrong):
    with pytest.raises(ValueError, match="algorithm must be one of union, fastsv; got"):
        sg.connected_components(ZOO["path"], algorithm=wrong)


# ----------------------------------------------------------------------------------------------------------- verifier


def test_every_mutant_of_a_labeling_is_refused(zoo_graph):
    count, labels = naive.connected_components(zoo_graph)
    sizes = np.bincount(labels, minlength=1)
    assert sg.is_component_labeling(zoo_graph, labels)
    assert sg.is_component_labeling(zoo_graph, np.array(labels, np.int8) * -5 + 3)
    for v in range(0, len(labels), 1 + len(labels) // 30):
        for label in {(labels[v] + 1) % max(count, 1), count}:
            mutant = [*labels[:v], label, *labels[v + 1 :]]
            renamed = label == count and sizes[labels[v]] == 1
            assert sg.is_component_labeling(zoo_graph, mutant) == (renamed or mutant == labels)


def test_the_sentence_names_the_vertices():
    graph = sg.from_edges([0, 1, 4], [2, 3, 3], n=6, directed=True)
    for labels, sentence in (
        ([0, 1, 0, 1, 1, 2], None),
        ([0, 1, 0, 1, 7, 2], "vertices 4 and 3 are adjacent, but have different labels, 7 and 1"),
        ([0, 1, 0, 1, 1, 0], "vertices 0 and 5 both have label 0, but are not connected"),
    ):
        assert sg.explain(sg.is_component_labeling, graph, labels) == sentence
    with pytest.raises(ValueError, match=r"labels has shape \(2,\), but the graph has 6 vertices"):
        sg.is_component_labeling(graph, [0, 1])
    with pytest.raises(TypeError, match="labels must be integers, got dtype float64"):
        sg.is_component_labeling(graph, np.zeros(6))


def test_many_components_in_order():
    """The pairs are far apart, so that every worker finds its own roots and numbers must be assigned in order."""
    half = np.arange(40_000)
    graph = sg.from_edges(half, half + 40_000, symmetrize=True)
    count, labels = sg.connected_components(graph)
    assert count == 40_000
    assert labels.tolist() == [*range(40_000), *range(40_000)]
