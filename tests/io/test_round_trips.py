"""Graphs that are written and read again are unchanged."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.io import GraphFileError
from tests.io.samples import ALL_FORMATS, assert_same, dense, read, written
from tests.support.cases import each


def zoo():
    u, v = np.array([0, 1, 4, 2]), np.array([1, 2, 2, 0])
    yield "undirected", sg.from_edges(u, v, n=5, symmetrize=True)
    yield "isolated at the end", sg.from_edges(u, v, n=9, symmetrize=True)
    yield "isolated everywhere", sg.from_edges([3], [5], n=9, symmetrize=True)
    yield "directed", sg.from_edges(u, v, n=5, directed=True)
    yield "integer weights", sg.from_edges(u, v, np.array([5, 0, -7, 2**40]), 6, symmetrize=True)
    yield "real weights", sg.from_edges(u, v, np.array([0.1, 1e-300, -2.0, 1 / 3]), 6, symmetrize=True)
    yield "directed, weights", sg.from_edges(u, v, np.array([0.1, 1e300, 2.0, 1 / 3]), 6, directed=True)
    yield "loop", sg.from_edges([0, 1, 2], [1, 1, 0], n=4, directed=True)
    yield "one vertex", sg.from_edges(np.zeros(0, int), np.zeros(0, int), n=1)
    yield "no vertex", sg.from_edges(np.zeros(0, int), np.zeros(0, int), n=0)
    yield "no edge", sg.from_edges(np.zeros(0, int), np.zeros(0, int), n=4)


CANNOT = {
    ("metis", "directed"),
    ("metis", "real weights"),
    ("metis", "directed, weights"),
    ("metis", "loop"),
    ("egr", "integer weights"),
    ("egr", "real weights"),
    ("egr", "directed, weights"),
}


@each(fmt=ALL_FORMATS)
@pytest.mark.parametrize(("name", "graph"), list(zoo()))
def test_round_trip(fmt, name, graph):
    if (fmt, name) in CANNOT:
        with pytest.raises(ValueError):
            written(graph, fmt)
        return
    back = read(written(graph, fmt), format=fmt)
    if fmt == "dimacs" and graph.directed and graph.weights is None:
        assert set(back.weights.tolist()) == {1}  # an arc of this format has a weight
        back = sg.as_graph(back, directed=True, weights=False)
    if graph.num_entries == 0 and fmt != "npz":
        assert (back.num_vertices, back.num_entries) == (graph.num_vertices, 0)
    else:
        assert_same(back, graph)


@pytest.mark.parametrize("fmt", ALL_FORMATS)
def test_format_of_a_written_file_is_recognized(fmt):
    graph = sg.from_edges([0, 1, 1, 2], [1, 2, 3, 3], n=6, symmetrize=True)
    assert_same(read(written(graph, fmt)), graph)


def test_a_graph_without_vertices_is_recognized():
    assert read(written(sg.from_edges([], [], n=0), "egr")).num_vertices == 0


def test_symmetric_matrix_market_stores_one_half():
    text = written(sg.from_edges([0, 1], [1, 2], symmetrize=True), "mtx").decode().splitlines()
    assert text[0] == "%%MatrixMarket matrix coordinate pattern symmetric"
    assert text[-2:] == ["2 1", "3 2"]


def test_undirected_graph_with_one_sided_weights():
    matrix = sp.csr_array(np.array([[0, 2.5], [3.5, 0]]))
    graph = sg.as_graph(matrix)
    for fmt in ("mtx", "snap", "dimacs"):
        assert dense(read(written(graph, fmt))) == [[0, 2.5], [3.5, 0]]
    whole = sg.as_graph(sp.csr_array(np.array([[0, 2], [3, 0]])))
    with pytest.raises(ValueError, match="differ by direction"):
        written(whole, "metis")


def test_coloring_file(tmp_path):
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    path = tmp_path / "x.col.gz"
    sg.write_graph(path, graph)
    assert gzip.decompress(path.read_bytes()) == b"p edge 4 2\ne 1 2\ne 2 3\n"
    assert_same(sg.read_graph(path), graph)
    with pytest.raises(ValueError, match="weights"):
        sg.write_graph(path, sg.from_edges([0], [1], [2], symmetrize=True))
    with pytest.raises(ValueError, match="undirected"):
        sg.write_graph(path, sg.from_edges([0], [1], directed=True))
    assert_same(sg.read_graph(path), graph)


def test_names_in_edge_lists():
    graph = read("# gaps\n10 400\n10 20\n")
    assert b"10\t400" in written(graph, "snap")
    back = read(written(graph, "snap"))
    assert [int(node) for node in back.nodes] == [10, 20, 400]
    assert_same(back, graph)
    lonely = sg.from_edges([0], [1], n=3, directed=True, nodes=np.array([5, 6, 70]))
    with pytest.raises(ValueError, match="isolated vertex 70"):
        written(lonely, "snap")


def test_parallel_edges_and_loops_in_metis():
    loops = sg.from_edges([0, 1], [1, 1], symmetrize=True)
    with pytest.raises(ValueError, match="self-loops, but vertex 1"):
        written(loops, "metis")
    twice = sg.from_edges([0, 0, 1, 1], [1, 1, 0, 0], drop_duplicates=False)
    with pytest.raises(ValueError, match=r"entry \(0, 1\) is listed twice"):
        written(twice, "metis")


def test_egr_layout():
    graph = sg.from_edges([0, 1], [1, 2], [7, 8], symmetrize=True)
    numbers = np.frombuffer(written(graph, "egr"), "<i4").tolist()
    assert numbers == [3, 4, 0, 1, 3, 4, 1, 0, 2, 1, 7, 7, 8, 8]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ([2, 1, 0, 1, 1, 5], "vertex 5"),
        ([2, 2, 0, 3, 2, 1, 0], "row starts"),
        ([2, 2, 1, 1, 2, 1, 0], "row starts"),
        ([2, 3, 0, 1, 2, 1, 0], "28 bytes, but"),
        ([-2, 3, 0], "must begin"),
    ],
)
def test_broken_egr(numbers, message):
    data = np.array(numbers, "<i4").tobytes()
    with pytest.raises(GraphFileError, match=message):
        read(data, format="egr")
