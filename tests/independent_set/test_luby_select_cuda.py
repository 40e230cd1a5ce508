"""Luby's sets by random selection by the source for a GPU, emulated: the same as by the CPU."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph.independent_set.greedy import luby_select_cuda

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler
from ..support.zoo import preferential, symmetric_csr

pytestmark = needs_a_compiler


@pytest.fixture(params=[1, 1 << 32], ids=["a-turn-a-launch", "one-launch"])
def budget(request, monkeypatch):
    monkeypatch.setattr(luby_select_cuda, "_BUDGET", request.param)


def check(graph, seeds=1, **options):
    for adaptive in (True, False):
        given = options | {"algorithm": "luby_select", "adaptive": adaptive, "seed": 3}
        expected = sg.maximal_independent_set(graph, **given)
        for seed in range(seeds):
            with emulated_cuda(seed):
                found = sg.maximal_independent_set(graph, **given)
            assert found.dtype == bool
            np.testing.assert_array_equal(found, expected)


def test_the_same_sets(emulated_graph, budget):
    check(emulated_graph)


def test_conditions(emulated_graph):
    n = emulated_graph.num_vertices
    included = [v for v in (n // 3,) if n]
    check(emulated_graph, include=included, exclude=[v for v in range(1, n, 3) if v not in included])


@pytest.mark.parametrize("types", [(np.int32, np.int64), (np.int64, np.int64)])
def test_index_types(types, budget):
    narrow = sg.from_edges(*np.array(preferential(300, 3)).T, n=310, symmetrize=True)
    check(sg.as_graph((narrow.indptr.astype(types[1]), narrow.indices.astype(types[0]))))


def test_hubs(budget):
    """Long rows; and, where leaves are excluded, hubs alone, that no draw finds."""
    hubs = [(h, v) for h, degree in enumerate((900, 300, 257, 129, 60)) for v in range(10, 10 + degree)]
    graph = sg.as_graph(symmetric_csr(1000, [*hubs, (0, 1), (0, 2), (5, 3), (950, 951)]))
    check(graph)
    check(graph, exclude=range(10, 1000))


def test_a_lattice():
    check(gallery.grid((20, 21)), 2)


def test_what_is_counted():
    graph = gallery.grid((5, 6))
    expected = sg.maximal_independent_set(graph, algorithm="luby_select", return_info=True)
    with emulated_cuda():
        found = sg.maximal_independent_set(graph, algorithm="luby_select", return_info=True)
    np.testing.assert_array_equal(found[0], expected[0])
    assert found[1]["undecided"] == expected[1]["undecided"]
