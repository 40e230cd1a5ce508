"""Matchings by the GPU source, emulated: equal to those of the CPU, round by round."""

import numpy as np
import pytest

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime.cuda import row_lists as row_lists_cuda
from stablegraph.matching.cuda import rounds as rounds_cuda
from tests.support.cases import each
from tests.support.emulated_cuda import emulated_cuda, needs_a_compiler

pytestmark = needs_a_compiler


@pytest.fixture(params=[(32, 2048), (1, 3)], ids=["all rows short", "all parts"])
def parts(request, monkeypatch):
    monkeypatch.setattr(rounds_cuda, "_SHORT_ROW", request.param[0])
    monkeypatch.setattr(rounds_cuda, "_LONG_ROW", request.param[1])


def same_by_both(graph, schedules=1, **options):
    for function in (sg.maximal_matching, sg.weighted_matching):
        expected = function(graph, return_info=True, **options)
        for schedule in range(schedules):
            with emulated_cuda(schedule):
                mate, info = function(graph, return_info=True, **options)
            assert mate.dtype == np.int32
            np.testing.assert_array_equal(mate, expected[0])
            assert info == expected[1]
    return expected[1]


def weighted(graph, dtype):
    """Return the graph with weights of a type, equal in both directions, many of them equal, and some negative."""
    u, v = graph._rows().astype(np.int64), graph.indices.astype(np.int64)
    sums = (u + v) * (u * v + 7) % 11
    weights = sums.astype(dtype) if np.dtype(dtype).kind == "u" else (sums - 3).astype(dtype)
    return sg.as_graph((graph.indptr, graph.indices, weights))


@each(seed=[0, 5])
def test_the_same_matchings(hard_graph, seed, parts):
    same_by_both(hard_graph, 2, seed=seed)


@each(dtype=["int8", "int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_every_type_of_weights(dtype, parts):
    same_by_both(weighted(gallery.kronecker(7, 4, seed=1), dtype))


@each(types=[(np.int32, np.int64), (np.int64, np.int64)])
def test_wide_indices(types):
    graph = gallery.kronecker(7, 4, seed=1)
    same_by_both(sg.as_graph((graph.indptr.astype(types[1]), graph.indices.astype(types[0]))))


def test_a_round_that_decides_few_vertices_is_the_last_one():
    n = 2000
    info = same_by_both(sg.from_edges(np.arange(n - 1), np.arange(1, n), np.arange(n - 1.0), symmetrize=True))
    assert info["undecided"][-1] > 0


def test_more_rounds_than_lengths_are_kept(monkeypatch):
    monkeypatch.setattr(row_lists_cuda, "_MAX_TURNS", 2)
    monkeypatch.setattr(rounds_cuda, "_FIRST_ROUNDS", 1)
    monkeypatch.setattr(row_lists_cuda, "_MORE_ROUNDS", 1)
    assert same_by_both(gallery.grid((20, 20)))["rounds"] > 3
