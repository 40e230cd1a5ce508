"""Bridges: equal to removing each edge; their verifier accepts them and nothing else."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph._core.runtime import use_target
from stablegraph.components import bridges as bridges_file
from tests.support import naive
from tests.support.zoo import graphs

REAL = [pytest.param("USA-road-d.NY.gr.gz", marks=pytest.mark.slow), "USAir97.mtx.gz"]


@given(graphs())
def test_equal_to_removing_each_edge(thing):
    graph = sg.as_graph(thing)
    found = sg.bridges(graph)
    assert found.tolist() == naive.bridges(naive.simple_adjacency(graph))
    assert (found.dtype, found.shape[1]) == (graph.indices.dtype, 2)
    assert sg.is_bridge_list(graph, found[::-1, ::-1])
    with use_target("python", seed=1):
        assert sg.bridges(graph).tolist() == found.tolist()


@given(graphs(max_vertices=7), st.data())
def test_the_verifier_refuses_every_other_list(thing, data):
    graph = sg.as_graph(thing)
    right = naive.bridges(naive.simple_adjacency(graph))
    n = graph.num_vertices
    edges = [[u, v] for u, row in enumerate(naive.simple_adjacency(graph)) for v in row if u < v]
    pairs = [[u, v] for u in range(n) for v in range(n)]
    listed = data.draw(st.lists(st.sampled_from(edges), unique_by=tuple)) if edges else []
    more = data.draw(st.lists(st.sampled_from(pairs), max_size=1)) if pairs else []
    given = [*listed, *more]
    accepts = sorted(map(sorted, given)) == right
    assert sg.is_bridge_list(graph, np.array(given, int).reshape(-1, 2)) == accepts


def test_the_verifier_names_an_edge():
    names = sg.from_edges(["a", "b", "c", "c", "d"], ["b", "c", "a", "d", "e"], symmetrize=True)
    say = [
        ([[2, 3]], "edge ('d', 'e') is a bridge, but is not listed"),
        ([[2, 3], [3, 4], [4, 3]], "edge ('d', 'e') is listed twice"),
        ([[2, 3], [3, 4], [0, 4]], "edge ('a', 'e') is not in the graph"),
        ([[1, 2], [2, 3], [3, 4]], "edge ('b', 'c') is no bridge: its ends are connected without it"),
    ]
    for edges, words in say:
        assert sg.explain(sg.is_bridge_list, names, edges) == words


@pytest.mark.parametrize("file", REAL)
def test_real_graphs(file, data_file):
    graph = sg.read_graph(data_file(file), weights=False, symmetrize=True)
    found = sg.bridges(graph)
    assert sg.is_bridge_list(graph, found)
    if len(graph) < 1000:
        assert found.tolist() == sorted(sorted(edge) for edge in nx.bridges(graph.simple().to_networkx()))


def test_long_paths_in_several_calls(monkeypatch):
    """Nothing is recursive, and the search continues where the last call of the kernel ended."""
    n = 20_000
    path = sg.from_edges(np.arange(n - 1), np.arange(1, n), symmetrize=True)
    monkeypatch.setattr(bridges_file, "_OPERATIONS_PER_CALL", 999)
    assert np.array_equal(sg.bridges(path), np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))
    cycle = sg.from_edges(np.arange(n), np.roll(np.arange(n), 1), symmetrize=True)
    assert sg.bridges(cycle).shape == (0, 2)
    assert sg.is_bridge_list(path, sg.bridges(path))
    assert not sg.is_bridge_list(path, sg.bridges(path)[1:])


def test_wide_indices():
    graph = sg.gallery.load("us-counties")
    expected = sg.bridges(graph)
    wide = graph._with_dtypes(np.int64, np.int64)
    assert sg.bridges(wide).dtype == np.int64
    assert sg.bridges(wide).tolist() == expected.tolist()
    assert sg.is_bridge_list(wide, expected)


def test_wrong_arguments():
    square = sg.gallery.grid((2, 2))
    for call, error, words in (
        (lambda: sg.bridges(sg.from_edges([0], [1], directed=True)), ValueError, "directed"),
        (lambda: sg.is_bridge_list(square, [0, 1]), ValueError, "shape"),
        (lambda: sg.is_bridge_list(square, [[0.0, 1.0]]), TypeError, "integers"),
        (lambda: sg.is_bridge_list(square, [[0, 4]]), ValueError, "from 0 to 3"),
    ):
        with pytest.raises(error, match=words):
            call()
