"""Breadth-first search by the GPU source, emulated: equal to that of the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.traversal.cuda import breadth_first as breadth_first_cuda
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler
from tests.support.zoo import preferential, reverse_rows, symmetric_csr

pytestmark = needs_a_compiler
WAYS = {"as it likes": (15, 18, 1 << 32), "outward": (0, 1, 1), "inward": (10**9, 10**9, 1), "in turn": (4, 2, 1 << 18)}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Set which levels go outward, and the number of levels per launch."""
    for name, value in zip(("_ALPHA", "_BETA", "_BUDGET"), WAYS[request.param], strict=True):
        monkeypatch.setattr(breadth_first_cuda, name, value)


def check(graph, sources, seeds=1, **options):
    expected = sg.breadth_first_search(graph, sources, **options)
    for seed in range(seeds):
        with emulated_cuda(seed):
            result = sg.breadth_first_search(graph, sources, **options)
        for one, other in zip(result, expected, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


def some_arcs(graph):
    u = np.repeat(np.arange(graph.num_vertices), np.diff(graph.indptr))
    kept = (u * 7 + graph.indices) % 3 != 0
    return sg.from_edges(u[kept], graph.indices[kept], n=graph.num_vertices, directed=True)


def test_the_same_trees(hard_graph, way):
    n = hard_graph.num_vertices
    directed, with_transpose = some_arcs(hard_graph), some_arcs(hard_graph)
    with_transpose.transpose()
    for sources in ([], [0], sorted({n - 1, n // 2})):
        if n or not sources:
            for graph in (hard_graph, directed, with_transpose):
                check(graph, sources)


def test_within_a_distance(hard_graph):
    for limit in (0, 1, 3):
        check(hard_graph, [0] if hard_graph.num_vertices else [], max_distance=limit)


@pytest.mark.parametrize("types", [(np.int32, np.int64), (np.int64, np.int64)])
def test_index_types(types, way):
    narrow = sg.from_edges(*np.array(preferential(200, 2)).T, n=210, symmetrize=True)
    check(sg.as_graph((narrow.indptr.astype(types[1]), narrow.indices.astype(types[0]))), [7])


@pytest.mark.parametrize("reverse", [False, True])
def test_hubs(way, reverse):
    """Test rows of all classes, outward and inward."""
    hubs = [(h, v) for h, degree in enumerate((3000, 1100, 500, 40)) for v in range(10, 10 + degree)]
    matrix = symmetric_csr(3100, [*hubs, (3050, 0), (3051, 3050), (3052, 3051)])
    graph = sg.as_graph(reverse_rows(matrix) if reverse else matrix)
    for source in (0, 3, 3052):
        check(graph, [source])


def test_many_levels(way):
    """Test a dense part with a long tail, where the search goes outward again; and lattices."""
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, 200, (2, 2000))
    path = np.arange(199, 400)
    check(sg.from_edges(np.r_[u, path], np.r_[v, path + 1], symmetrize=True), [0], 2)
    check(gallery.grid((20, 21)), [5])


def test_many_sources(way):
    graph = gallery.grid((9, 60))
    check(graph, np.arange(0, 540, 7), 2)
    check(graph, np.arange(540))
