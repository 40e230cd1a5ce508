"""Several graphs as one block-diagonal graph: equal to SciPy's matrix, and refused mixtures."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph import gallery
from tests.support.zoo import ZOO, graphs


def check(blocks):
    graph, offsets = sg.block_diagonal(blocks)
    graph.check()
    expected = sp.block_diag([block.to_scipy() for block in blocks], "csr")
    assert np.array_equal(graph.to_scipy().toarray(), expected.toarray())
    assert offsets.tolist() == np.cumsum([0, *map(len, blocks)]).tolist()
    assert graph.num_edges == sum(block.num_edges for block in blocks)
    return graph, offsets


def test_zoo():
    blocks = [sg.as_graph(matrix) for matrix in ZOO.values()]
    graph, offsets = sg.block_diagonal(blocks)
    parts = np.split(sg.connected_components(graph, label="smallest")[1], offsets[1:-1])
    for block, start, part in zip(blocks, offsets.tolist(), parts, strict=False):
        assert np.array_equal(part - start, sg.connected_components(block, label="smallest")[1])
        again = graph.subgraph(np.arange(start, start + len(block)))
        assert again.num_edges == block.num_edges


@given(st.lists(graphs(), min_size=1, max_size=4))
def test_any_graphs(things):
    check([sg.as_graph(thing).simple() for thing in things])


def test_weights_directions_and_generators():
    heavy = sg.from_edges([0, 1], [1, 2], np.array([1.5, 2.5]), symmetrize=True)
    light = sg.from_edges([0], [1], np.array([7], np.int8), symmetrize=True)
    graph, _ = check([heavy, light, heavy])
    assert graph.weights.dtype == np.float64
    arcs = sg.from_edges([0, 1], [1, 2], directed=True)
    assert check([arcs, arcs])[0].directed
    assert sg.block_diagonal(gallery.grid((n,)) for n in (2, 3))[1].tolist() == [0, 2, 5]
    assert sg.block_diagonal([arcs.to_scipy()])[0].directed
    assert not sg.block_diagonal([gallery.grid((3,)).to_scipy()])[0].directed
    wide = gallery.grid((3,))._with_dtypes(np.int64, np.int64)
    assert sg.block_diagonal([wide, wide])[0].indices.dtype == np.int32
    assert len(sg.block_diagonal([sg.from_edges([], [], n=0)])[0]) == 0


def test_refused_mixtures():
    path, arcs = gallery.grid((3,)), sg.from_edges([0, 1], [1, 2], directed=True)
    with pytest.raises(ValueError, match="graphs must contain at least one graph, got none"):
        sg.block_diagonal([])
    with pytest.raises(ValueError, match=r"graphs\[1\] is directed, but graphs\[0\] is not; convert one of them"):
        sg.block_diagonal([path, arcs])
    with pytest.raises(ValueError, match=r"graphs\[1\] is with weights, but graphs\[0\] is not"):
        sg.block_diagonal([path, path._replace(weights=np.ones(path.num_entries))])
    with pytest.raises(TypeError, match=r"graphs\[1\]: cannot make a graph of"):
        sg.block_diagonal([path, 5])


def test_edge_index():
    graph = sg.from_edges([0, 1], [1, 2], n=4, symmetrize=True)
    assert graph.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert graph.edge_index.dtype == np.int64
    assert sg.from_edges(*graph.edge_index, n=4) == graph


@pytest.mark.parametrize("weighted", [False, True])
def test_to_torch(weighted):
    torch = pytest.importorskip("torch")
    weights = np.array([1.5, 2.5]) if weighted else None
    graph = sg.from_edges([0, 1], [1, 2], weights, n=4, symmetrize=True)
    edge_index, edge_weight = graph.to_torch()
    assert edge_index.dtype == torch.int64
    assert edge_index.tolist() == graph.edge_index.tolist()
    assert edge_weight is None if not weighted else edge_weight.tolist() == [1.5, 1.5, 2.5, 2.5]
    edge_index[0, 0] = 3  # a copy
    graph.check()


def test_to_torch_calls_the_library(monkeypatch):
    class Torch:
        @staticmethod
        def from_dlpack(array):
            assert array.flags.writeable  # PyTorch warns of arrays that are not
            return np.from_dlpack(array)

    monkeypatch.setitem(__import__("sys").modules, "torch", Torch)
    graph = sg.from_edges([0], [1], np.array([3]), symmetrize=True)
    edge_index, edge_weight = graph.to_torch()
    assert edge_index.tolist() == [[0, 1], [1, 0]]
    assert edge_weight.tolist() == [3, 3]
