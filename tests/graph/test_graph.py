"""Graph: its facts and its methods, compared with NumPy and SciPy."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph.graph import Graph
from tests.graph.matrices import PATH, edge_lists, stored


@pytest.mark.parametrize("unsorted", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_facts_of_loops_and_duplicates(unsorted, wide):
    #          0: 1 1 2   1: 0 1 1   2: 0   3: 3   4:
    indptr, indices = np.array([0, 3, 6, 7, 8, 8]), np.array([1, 1, 2, 0, 1, 1, 0, 3])
    if unsorted:
        indices = np.array([1, 2, 1, 1, 0, 1, 0, 3])
    graph = sg.as_graph((indptr, indices))
    if wide:
        graph = graph._with_dtypes(np.int64, np.int64)
    assert graph.is_sorted is not unsorted
    assert ("duplicates" in graph.facts) is not unsorted
    assert graph.has_loops and graph.has_duplicates and graph.is_symmetric
    assert graph.degrees.tolist() == [2, 1, 1, 0, 0]
    assert not graph.degrees.flags.writeable
    assert graph.degrees is graph.degrees  # computed once
    assert graph.facts["loops"] == 3
    assert graph.facts["duplicates"] == 2
    assert graph.facts["max_degree"] == 2
    assert graph.facts["longest_row"] == 3
    assert (graph.num_entries, graph.num_edges, graph._simple_degree_offset()) == (8, 2, None)
    with pytest.raises(TypeError):
        graph.facts["loops"] = 0


def test_the_offset_of_simple_degrees():
    grid = sp.csr_array(PATH)
    assert sg.as_graph(grid)._simple_degree_offset() == 0
    diagonal = sg.as_graph(sp.csr_array(PATH + np.eye(4)))
    assert diagonal._simple_degree_offset() == 1
    assert diagonal.degrees.tolist() == [1, 2, 1, 0]
    assert diagonal.num_edges == 2
    assert sg.as_graph(sp.csr_array(PATH + np.diag([1, 0, 0, 0])))._simple_degree_offset() is None
    unsorted = sg.as_graph((np.array([0, 2, 3, 4]), np.array([2, 1, 0, 0])))
    assert unsorted._simple_degree_offset() is None
    assert unsorted.degrees.tolist() == [2, 1, 1]
    assert unsorted._simple_degree_offset() == 0


def test_a_loop_stored_twice_beside_a_vertex_without_one():
    graph = sg.as_graph((np.array([0, 2, 2]), np.array([0, 0])))
    assert graph._simple_degree_offset() is None
    assert graph.degrees.tolist() == [0, 0]


def test_a_graph_cannot_be_changed():
    graph = sg.as_graph(PATH)
    with pytest.raises(AttributeError, match="cannot be changed"):
        graph.indptr = None
    with pytest.raises(AttributeError, match="cannot be changed"):
        del graph.weights
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 3
    with pytest.raises(TypeError, match="made by as_graph"):
        Graph()


def test_check_finds_changed_arrays():
    for change in ("indices", "indptr"):
        matrix = stored(np.array([0, 1, 3, 4], np.int32), np.array([1, 0, 2, 1], np.int32))
        graph = sg.as_graph(matrix)
        graph.check()
        getattr(matrix, change)[1] += 1
        with pytest.raises(ValueError, match="were changed after it was made"):
            graph.check()


def test_equality_and_hash():
    graph = sg.as_graph(PATH)
    assert graph == sg.as_graph(sp.csr_array(PATH)) and hash(graph) == hash(sg.as_graph(sp.csr_array(PATH)))
    assert graph == graph._with_dtypes(np.int64, np.int64)
    assert graph != sg.as_graph(PATH, weights=False)
    assert graph != sg.as_graph(PATH * 2)
    assert graph != sg.as_graph(PATH, directed=True)
    assert graph != PATH.tolist()
    assert sg.from_edges([0], [1], symmetrize=True, nodes="ab") != sg.from_edges([0], [1], symmetrize=True, nodes="ac")


def test_pickle_keeps_everything():
    graph = sg.from_edges([0, 0, 1], [1, 1, 1], [2.0, 2.0, 3.0], symmetrize=True, nodes=["a", "b"])
    graph = graph._with_dtypes(np.int64, np.int32)
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph and again.facts == graph.facts and again.indptr.dtype == np.int64
    assert not again.indices.flags.writeable


def test_repr():
    assert repr(sg.as_graph(PATH)) == (
        "<Graph: 4 vertices, 2 edges, undirected, degrees 0 to 2, int64 weights, cpu, 68 bytes>"
    )
    assert "1 arc, directed" in repr(sg.from_edges([0], [1], directed=True))


def test_repr_reads_no_entries(monkeypatch):
    """A debugger calls it at every step."""
    unsorted = sg.as_graph((np.array([0, 2, 3, 4]), np.array([2, 1, 0, 0])))
    loops = sg.from_edges([0, 0, 1], [0, 1, 2], symmetrize=True)
    diagonal = sg.as_graph(PATH + np.diag([1, 0, 0, 0]))
    simple = sg.from_edges([0, 1], [1, 2], [1.0, 2.0], symmetrize=True)
    with monkeypatch.context() as patch:
        for name in ("scan_facts", "distinct_degrees", "build_rows"):
            patch.setattr(f"stablegraph.graph.{name}", lambda *arguments, **options: pytest.fail("entries are read"))
        assert repr(unsorted).startswith("<Graph: 3 vertices, 4 entries, undirected, entries per row 1 to 2, ")
        assert repr(loops).startswith("<Graph: 3 vertices, 5 entries, undirected, entries per row 1 to 2, ")
        assert repr(diagonal).startswith("<Graph: 4 vertices, 2 edges, undirected, entries per row 0 to 2, int64")
        assert repr(simple).startswith("<Graph: 3 vertices, 2 edges, undirected, degrees 1 to 2, float64")
    for graph, edges in ((unsorted, 2), (loops, 2), (diagonal, 2)):
        assert (graph.num_edges, int(graph.degrees.max())) == (edges, 2)
        assert f"{edges} edges" in repr(graph) and f"degrees {graph.degrees.min()} to 2" in repr(graph)


@given(edge_lists(), st.booleans(), st.booleans())
def test_what_construction_knows_is_what_a_look_at_the_entries_finds(data, mirror, drop_loops):
    n, edges = data
    result = sg.from_edges(*edges.T, n=n, directed=not mirror, symmetrize=mirror, drop_loops=drop_loops)
    answer = sg.as_graph((result.indptr, result.indices), directed=result.directed)
    assert result.num_edges == answer.num_edges and result.degrees.tolist() == answer.degrees.tolist()
    assert (
        result.facts["loops"] == answer.facts["loops"] and result.facts["duplicates"] == answer.facts["duplicates"] == 0
    )
    assert result._simple_degree_offset() == answer._simple_degree_offset()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_transpose(weighted, wide):
    random = np.random.default_rng(1)
    u, v, w = random.integers(0, 30, 200), random.integers(0, 30, 200), np.arange(200.0)
    graph = sg.from_edges(u, v, w if weighted else None, 30, directed=True, drop_duplicates=False)
    if wide:
        graph = graph._with_dtypes(np.int64, np.int64)
    turned = graph.transpose()
    assert turned is graph.transpose() and turned.transpose() is graph
    assert turned.directed and turned.is_sorted and turned.num_entries == 200
    assert turned.indices.dtype == graph.indices.dtype
    assert np.array_equal(turned.to_scipy().toarray(), graph.to_scipy().toarray().T)


def test_subgraph():
    random = np.random.default_rng(2)
    graph = sg.from_edges(
        random.integers(0, 40, 300),
        random.integers(0, 40, 300),
        random.random(300),
        symmetrize="sum",
        nodes=range(100, 140),
    )
    matrix = graph.to_scipy().toarray()
    mask = random.random(40) < 0.5
    part = graph.subgraph(mask)
    assert np.array_equal(part.to_scipy().toarray(), matrix[mask][:, mask])
    assert list(part.nodes) == (100 + np.flatnonzero(mask)).tolist()
    order = random.permutation(40)[:15]
    part = graph.subgraph(order)
    assert np.array_equal(part.to_scipy().toarray(), matrix[order][:, order])
    assert len(graph.subgraph([])) == 0
    with pytest.raises(ValueError, match=r"vertices is a mask of shape \(3,\), but there are 40"):
        graph.subgraph(np.ones(3, bool))
    with pytest.raises(ValueError, match="vertices names vertex 40, but there are 40"):
        graph.subgraph([1, 40])
    with pytest.raises(ValueError, match="vertices names vertex 7 2 times"):
        graph.subgraph([7, 3, 7])


def test_devices():
    graph = sg.as_graph(PATH)
    assert graph.device == "cpu" and graph.to("cpu") is graph
    with pytest.raises(ValueError, match=r"cpu, cuda, .*; got 'tpu'"):
        graph.to("tpu")
