"""Aggregates by the GPU sources, emulated: equal to those of the CPU."""

from typing import get_args

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core import option_names as names
from stablegraph.coarsening.cuda import aggregation as aggregation_cuda
from stablegraph.independent_set.cuda import two as two_cuda
from tests.support.cases import each
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler
ALGORITHMS = get_args(names.Aggregation)


@pytest.fixture(params=["as on a GPU", "small"])
def limits(request, monkeypatch):
    """Use the real limits between code variants, or limits so small that all variants run."""
    if request.param == "small":
        monkeypatch.setattr(two_cuda, "_SHORT_ROW", 1)
        monkeypatch.setattr(two_cuda, "_LONG_ROW", 3)
        for name, value in {"_LONG_ROW": 3, "_MAX_KINDS": 2, "_SLOTS": 4, "_SHARE": 7}.items():
            monkeypatch.setattr(aggregation_cuda, name, value)


def same_by_both(graph, algorithm, schedule=0, **options):
    count, *arrays = sg.aggregate(graph, algorithm=algorithm, return_roots=True, **options)
    with emulated_cuda(schedule):
        count_there, *arrays_there = sg.aggregate(graph, algorithm=algorithm, return_roots=True, **options)
    assert count_there == count and type(count_there) is int
    for there, here in zip(arrays_there, arrays, strict=True):
        assert there.dtype == here.dtype
        np.testing.assert_array_equal(there, here)


@each(algorithm=ALGORITHMS)
def test_the_same_aggregates(hard_graph, algorithm, limits):
    for schedule in range(2):
        same_by_both(hard_graph, algorithm, schedule)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_larger_graphs_and_all_index_types(algorithm, limits):
    same_by_both(gallery.grid((13, 14)), algorithm)
    for types in ((np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)):
        graph = gallery.kronecker(9, 4, seed=1)
        same_by_both(sg.as_graph((graph.indptr.astype(types[0]), graph.indices.astype(types[1]))), algorithm)


@each(algorithm=ALGORITHMS, numbers=[True, False])
def test_priorities(hard_graph, algorithm, numbers):
    values = np.random.default_rng(1).integers(0, 5, len(hard_graph))
    same_by_both(hard_graph, algorithm, priority=values if numbers else "degree")


def test_rows_with_more_labels_than_are_tracked():
    same_by_both(gallery.kronecker(10, 48, seed=1), "kokkos")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_hub_beside_many_aggregates(algorithm, limits):
    """The hub has far more adjacent aggregates than a warp has lanes."""
    u, v = np.arange(600), np.arange(600) // 3 * 3
    spokes = np.arange(0, 600, 3) + 1
    graph = sg.from_edges(np.r_[u, np.full(200, 600)], np.r_[v, spokes], symmetrize=True)
    same_by_both(graph, algorithm)
