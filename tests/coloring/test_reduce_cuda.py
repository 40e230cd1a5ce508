"""Color reduction by the GPU sources, emulated: the same colors as on the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.coloring.cuda import reduce as reduce_cuda
from stablegraph.coloring.reduction import kempe, reduce
from tests.support import emulated_cuda as emulator
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler
from tests.support.zoo import symmetric_csr

from .test_reduce import DTYPES, starts

pytestmark = needs_a_compiler


def assert_same(graph, colors, seed=0):
    """Test all three stages; those of reduce.cu and kempe.cu have separate tests, at the end of this file."""
    expected = reduce.quick(graph, colors)
    with emulated_cuda(seed):
        result = reduce_cuda.quick(graph, colors)
    assert result.dtype == np.int32
    hint = "if test_bipartite_components and test_chains pass, the fault is in the exchanges (ecl_gc_r.cu)"
    np.testing.assert_array_equal(result, expected, hint)


def random_graph(n, edges, seed):
    return sg.as_graph(symmetric_csr(n, np.random.default_rng(seed).integers(0, n, (edges, 2)))).simple()


def test_the_zoo(hard_graph):
    for seed, colors in enumerate(starts(hard_graph)):
        assert_same(hard_graph, colors, seed)


@pytest.mark.parametrize("dtypes", DTYPES)
def test_sparse_and_dense_graphs(dtypes):
    """Test a sparse graph, with many vertices of the highest color, and a dense one, with more than 32 colors."""
    for graph in (random_graph(1500, 2250, 0), random_graph(100, 3500, 6)):
        for colors in list(starts(graph))[: 2 if dtypes == DTYPES[0] else 1]:
            assert_same(graph._with_dtypes(*dtypes), colors)


def test_long_rows_are_read_in_pieces(monkeypatch):
    monkeypatch.setattr(reduce_cuda, "_CHUNK", 5)
    for graph in (random_graph(500, 1000, 4), random_graph(60, 900, 5)):
        for colors in list(starts(graph))[:2]:
            assert_same(graph, colors)


def test_loops():
    """No rule may count loops as neighbors. Graphs with repeated entries, as in the zoo, are processed by the host."""
    edges = np.random.default_rng(7).integers(0, 200, (400, 2))
    pairs = {(min(edge), max(edge)) for edge in edges.tolist()} | {(v, v) for v in range(0, 200, 3)}
    graph = sg.as_graph(symmetric_csr(200, sorted(pairs)))
    assert not graph.has_duplicates
    for colors in starts(graph):
        assert_same(graph, colors)


def test_the_public_function():
    graph = random_graph(600, 1500, 3)
    for ties in ("id", "hash"):
        expected = sg.vertex_coloring(graph, ties=ties)
        with emulated_cuda():
            result = sg.vertex_coloring(graph, ties=ties)
        np.testing.assert_array_equal(result, expected)


def test_bipartite_components():
    """Test grids, a star whose row all threads read, a tree, and odd cycles in one graph."""
    edges = [(v, v + 1) for v in range(299) if v % 20 != 19] + [(v, v + 20) for v in range(280)]
    edges += [(300, v) for v in range(301, 400)] + [(v, (v - 400) // 2 + 400) for v in range(402, 450)]
    edges += [(450 + i, 450 + (i + 1) % 21) for i in range(21)] + [(471, 472), (472, 473), (473, 471)]
    graph = sg.as_graph(symmetric_csr(480, edges))
    for seed, colors in enumerate(starts(graph)):
        expected = reduce.without_gaps(reduce.two_color_components(graph, colors))
        with emulated_cuda(seed):
            result, highest = reduce_cuda.two_color_components(graph, colors, int(colors.max()))
        np.testing.assert_array_equal(result, expected)
        assert highest == expected.max()


@pytest.mark.parametrize("blocks", [1, pytest.param(16, marks=pytest.mark.slow)])
@pytest.mark.parametrize("longest", [3, 20, 100])
def test_chains(longest, blocks, monkeypatch):
    """Test one or many vertices at a time, with a small or a sufficient work limit, and with several launches."""
    monkeypatch.setattr(emulator, "_MAX_BLOCKS", blocks)
    monkeypatch.setattr(reduce_cuda, "_ROUNDS", 7)
    for graph in (random_graph(400, 700, 1), random_graph(150, 500, 2)):
        colors = next(starts(graph))
        highest = int(colors.max())
        for before in (colors, highest - colors):  # with few vertices of the highest color, and with many
            for work in (100, 900):
                expected = kempe.free_highest(graph, before.copy(), longest, work)
                result = before.copy()
                with emulated_cuda(work):
                    freed = reduce_cuda.free_highest(graph, result, highest, longest, work)
                np.testing.assert_array_equal(result, expected)
                assert freed == (expected.max() < highest)


def test_a_chain_grows_by_what_an_earlier_one_swaps(monkeypatch):
    """Vertex 1 changes from 0 to 1 because of vertex 0. Then it joins 5 and 7 to 6, and 3 cannot be freed."""
    monkeypatch.setattr(emulator, "_MAX_BLOCKS", 16)
    edges = [(0, 1), (0, 2), (3, 4), (3, 5), (3, 6), (4, 5), (4, 6), (5, 7), (7, 1), (1, 6)]
    graph = sg.as_graph(symmetric_csr(8, edges))
    colors = np.array([3, 0, 1, 3, 0, 1, 2, 2], np.int32)
    with emulated_cuda():
        assert not reduce_cuda.free_highest(graph, colors, 3, 100, 10_000)
    assert colors.tolist() == [0, 1, 1, 3, 0, 1, 2, 2]
