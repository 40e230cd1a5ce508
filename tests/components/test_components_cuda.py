"""Connected components by the GPU sources, emulated: equal to those of the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.components.cuda import union as union_cuda
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler
from tests.support.zoo import preferential

pytestmark = needs_a_compiler


def check(graph, seeds=2):
    count, labels = sg.connected_components(graph)
    for seed in range(seeds):
        with emulated_cuda(seed):
            found_count, result = sg.connected_components(graph)
        assert found_count == count
        assert type(found_count) is int
        assert result.dtype == labels.dtype
        np.testing.assert_array_equal(result, labels)


def test_the_same_labels(hard_graph):
    check(hard_graph)


def test_smallest_labels_and_added_edges(hard_graph):
    start = np.arange(hard_graph.num_vertices) // 2
    for options in ({"label": "smallest"}, {"start": start}, {"start": start, "label": "smallest"}):
        expected = sg.connected_components(hard_graph, **options)
        with emulated_cuda(0):
            count, labels = sg.connected_components(hard_graph, **options)
        assert count == expected[0]
        assert labels.dtype == expected[1].dtype
        np.testing.assert_array_equal(labels, expected[1])


def test_weak_components(hard_graph):
    u = np.repeat(np.arange(hard_graph.num_vertices), np.diff(hard_graph.indptr))
    kept = (u * 7 + hard_graph.indices) % 3 == 0
    check(sg.from_edges(u[kept], hard_graph.indices[kept], n=hard_graph.num_vertices, directed=True))


@pytest.mark.parametrize("types", [(np.int32, np.int64), (np.int64, np.int64)])
def test_index_types(types):
    narrow = sg.from_edges(*np.array(preferential(200, 1)[:150]).T, n=200, symmetrize=True)
    parts = narrow.indptr.astype(types[1]), narrow.indices.astype(types[0])
    check(sg.as_graph(parts), 1)


@pytest.mark.parametrize("directed", [False, True])
def test_a_hub_in_pieces(directed):
    n = 3000
    leaves = np.arange(0, n, 2)
    u, v = np.full(leaves.size, n - 1), leaves
    check(sg.from_edges(u, v, n=n, directed=directed, symmetrize=not directed))


def test_many_components():
    """Test more roots than fit into one chunk, several chunks, and two components of about the same size."""
    rng = np.random.default_rng(0)
    u, v = rng.integers(0, 1500, (2, 1200))
    check(sg.from_edges(np.r_[u, u + 1500], np.r_[v, v + 1500], n=3000, symmetrize=True))


def test_nothing_is_skipped_below_a_wrong_giant(monkeypatch):
    """The root that the sample selects does not matter."""
    graph = sg.from_edges(*np.array(preferential(60, 1)).T, n=64, symmetrize=True)
    expected = sg.connected_components(graph)[1]
    source = union_cuda.SOURCE
    text = source.text.replace("state[GIANT] = roots[best & 0xffffu]", "state[GIANT] = 63")
    assert text != source.text
    monkeypatch.setattr(source, "text", text)
    monkeypatch.setattr(source, "_programs", {})
    with emulated_cuda():
        np.testing.assert_array_equal(sg.connected_components(graph)[1], expected)
