"""Strong components by the GPU source, emulated: equal to those of the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph.components.cuda import strong as strong_cuda
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler


@pytest.fixture(params=[1, 1 << 31], ids=["many-launches", "few-launches"])
def budget(request, monkeypatch):
    monkeypatch.setattr(strong_cuda, "_BUDGET", request.param)


def check(graph, seeds=1):
    count, labels = sg.strongly_connected_components(graph, algorithm="tarjan")
    for seed in range(seeds):
        with emulated_cuda(seed):
            found_count, result = sg.strongly_connected_components(graph)
        assert found_count == count
        assert result.dtype == labels.dtype
        np.testing.assert_array_equal(result, labels)


def random_arcs(n, m, seed):
    u, v = np.random.default_rng(seed).integers(0, n, (2, m))
    return sg.from_edges(u, v, n=n, directed=True)


def test_the_same_labels(hard_graph, budget):
    u = np.repeat(np.arange(hard_graph.num_vertices), np.diff(hard_graph.indptr))
    v = hard_graph.indices
    check(hard_graph)
    check(sg.from_edges(u, v, n=hard_graph.num_vertices, directed=True))
    kept = (u * 7 + v) % 3 != 0
    check(sg.from_edges(u[kept], v[kept], n=hard_graph.num_vertices, directed=True))


@pytest.mark.parametrize("arcs", [300, 600, 1000, 1500])
def test_random_arcs(arcs, budget):
    check(random_arcs(500, arcs, arcs), 2)


@pytest.mark.parametrize("types", [(np.int32, np.int64), (np.int64, np.int64)])
def test_index_types(types, budget):
    narrow = random_arcs(300, 500, 5)
    check(sg.as_graph((narrow.indptr.astype(types[1]), narrow.indices.astype(types[0])), directed=True))


def test_hubs(budget):
    """Rows of all classes, of vertices in the large component, before it and after it."""
    rng = np.random.default_rng(1)
    ends = [(h, v) for h, degree in enumerate((2500, 1100, 500, 60)) for v in rng.integers(4, 2600, degree)]
    ends += [(v, h) for h in (0, 2) for v in rng.integers(4, 2600, 900)]
    u, v = np.array(ends).T
    check(sg.from_edges(u, v, n=2600, directed=True))
    check(sg.from_edges(v, u, n=2600, directed=True))
    check(sg.from_edges(2599 - u, 2599 - v, n=2600, directed=True))


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled"])
def test_long_paths(order):
    """Test a path, a cycle, and a path of small cycles."""
    n = 120
    ids = np.random.default_rng(2).permutation(n) if order == "shuffled" else np.arange(n)
    ids = ids[::-1] if order == "descending" else ids
    check(sg.from_edges(ids[:-1], ids[1:], n=n, directed=True))
    check(sg.from_edges(ids, np.roll(ids, 1), n=n, directed=True))
    back = np.arange(0, n - 2, 3)
    check(sg.from_edges(np.r_[ids[:-1], ids[back + 2]], np.r_[ids[1:], ids[back]], n=n, directed=True))
