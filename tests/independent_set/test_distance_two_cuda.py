"""Sets at distance two and more by the GPU sources, emulated: equal to those of the CPU, round by round."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime.cuda import row_lists as row_lists_cuda
from stablegraph.independent_set.cuda import k as k_cuda
from stablegraph.independent_set.cuda import two as two_cuda
from stablegraph.independent_set.distance import two
from tests.support.cases import each

from ..support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
ORDERS = ["random", "degree"]


@pytest.fixture(params=[(32, 2048), (1, 3)], ids=["all rows short", "all parts"])
def parts(request, monkeypatch):
    monkeypatch.setattr(two_cuda, "_SHORT_ROW", request.param[0])
    monkeypatch.setattr(two_cuda, "_LONG_ROW", request.param[1])


def set_of(graph, k=2, **options):
    mask, info = sg.maximal_independent_set(graph, k, return_info=True, **options)
    return np.flatnonzero(mask).tolist(), info["undecided"]


def same_by_both(graph, schedule=0, **options):
    expected = set_of(graph, **options)
    with emulated_cuda(schedule):
        assert set_of(graph, **options) == expected
    return expected


@each(priority=ORDERS)
def test_the_same_sets(hard_graph, priority, parts):
    for schedule in range(2):
        same_by_both(hard_graph, schedule, priority=priority, seed=3)


@each(priority=ORDERS)
def test_vertices_that_must_and_must_not(hard_graph, priority, parts):
    n = hard_graph.num_vertices
    exclude = np.flatnonzero(np.arange(n) % 5 == 2)
    include = np.array(set_of(hard_graph, seed=9, exclude=exclude)[0][::2], int)
    same_by_both(hard_graph, priority=priority, include=include, exclude=exclude)
    same_by_both(hard_graph, priority=priority, include=include)


@each(induced=[False, True])
def test_among_chosen_vertices(hard_graph, induced, parts):
    chosen = np.arange(hard_graph.num_vertices) % 3 != 1
    expected = two.set_among(hard_graph, chosen, induced=induced)
    with emulated_cuda(1):
        result = two_cuda.set_among(hard_graph, chosen, induced=induced)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("priority", ORDERS)
def test_a_hub_and_all_index_types(priority):
    star = sg.from_edges(np.zeros(3000, int), np.arange(1, 3001), symmetrize=True)
    same_by_both(star, priority=priority)
    for types in ((np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)):
        graph = gallery.kronecker(7, 4, seed=1)
        graph = sg.as_graph((graph.indptr.astype(types[0]), graph.indices.astype(types[1])))
        same_by_both(graph, priority=priority)


def test_more_rounds_than_lengths_are_kept(monkeypatch):
    monkeypatch.setattr(row_lists_cuda, "_MAX_TURNS", 2)
    monkeypatch.setattr(two_cuda, "FIRST_ROUNDS", 1)
    monkeypatch.setattr(row_lists_cuda, "_MORE_ROUNDS", 1)
    _, undecided = same_by_both(gallery.grid((12, 12)))
    assert len(undecided) > 4


@each(priority=ORDERS)
@pytest.mark.parametrize("k", [3, pytest.param(9, marks=pytest.mark.slow)])
def test_farther(hard_graph, k, priority, parts, monkeypatch):
    monkeypatch.setattr(k_cuda, "_LEVELS", 4)
    same_by_both(hard_graph, k=k, priority=priority, seed=3)
    exclude = np.flatnonzero(np.arange(hard_graph.num_vertices) % 5 == 2)
    include = np.array(set_of(hard_graph, k, seed=9, exclude=exclude)[0][::2], int)
    same_by_both(hard_graph, k=k, priority=priority, include=include, exclude=exclude)


@pytest.mark.parametrize("k", [2, 3])
def test_included_vertices_that_are_too_near(k, parts):
    path = gallery.grid((30,))
    with (
        emulated_cuda(),
        pytest.raises(ValueError, match=f"vertices 7 and 9 are in include, but are within distance {k}"),
    ):
        sg.maximal_independent_set(path, k, include=[20, 9, 7])
