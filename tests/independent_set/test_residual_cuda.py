"""Large sets by the source for a GPU, emulated: the same as by the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.independent_set.greedy import residual_cuda

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler
from ..support.zoo import preferential, symmetric_csr

pytestmark = needs_a_compiler


@pytest.fixture(params=[1, 1 << 31], ids=["a-round-a-launch", "one-launch"])
def budget(request, monkeypatch):
    monkeypatch.setattr(residual_cuda, "_BUDGET", request.param)


def check(graph, seeds=1, **options):
    options |= {"algorithm": "residual", "seed": 3}
    expected = sg.maximal_independent_set(graph, **options)
    for seed in range(seeds):
        with emulated_cuda(seed):
            found = sg.maximal_independent_set(graph, **options)
        assert found.dtype == bool
        np.testing.assert_array_equal(found, expected)


def test_the_same_sets(emulated_graph, budget):
    check(emulated_graph, 2)


def test_conditions(emulated_graph):
    n = emulated_graph.num_vertices
    included = [v for v in (n // 3,) if n]
    check(emulated_graph, include=included, exclude=[v for v in range(1, n, 3) if v not in included])


@pytest.mark.parametrize("types", [(np.int32, np.int64), (np.int64, np.int64)])
def test_index_types(types, budget):
    narrow = sg.from_edges(*np.array(preferential(300, 3)).T, n=310, symmetrize=True)
    check(sg.as_graph((narrow.indptr.astype(types[1]), narrow.indices.astype(types[0]))))


def test_hubs(budget):
    """Long rows of vertices that go out; and, where leaves are excluded, of such that join."""
    hubs = [(h, v) for h, degree in enumerate((700, 300, 257, 129, 60)) for v in range(10, 10 + degree)]
    graph = sg.as_graph(symmetric_csr(800, [*hubs, (0, 1), (0, 2), (5, 3), (5, 6), (6, 7), (750, 751)]))
    check(graph, 2)
    check(graph, exclude=range(10, 700))
    check(graph, include=[0])


def test_dense_rounds(budget):
    """Degrees far above 2, with rounds from the other list."""
    rng = np.random.default_rng(0)
    check(sg.from_edges(*rng.integers(0, 250, (2, 3000)), n=250, symmetrize=True), 2)


def test_a_wave():
    check(gallery.grid((12, 30)), 2)
    check(gallery.grid((6, 7, 8)))


def test_what_is_counted():
    graph = gallery.grid((5, 6))
    expected = sg.maximal_independent_set(graph, algorithm="residual", return_info=True)
    with emulated_cuda():
        found = sg.maximal_independent_set(graph, algorithm="residual", return_info=True)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1]["undecided"] == expected[1]["undecided"]
