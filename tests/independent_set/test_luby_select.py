"""Luby's random selection: equal to a slow form of its definition, on every target and number of threads."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph.independent_set.greedy import luby_select
from stablegraph.parallel import use_target
from tests.support import naive
from tests.support.zoo import graphs, preferential, symmetric_csr

from . import greedy

both = pytest.mark.parametrize("adaptive", [True, False], ids=["adaptive", "drawing"])


def oracle(graph, seed=0, adaptive=True, include=(), exclude=()):
    """The mask, how many were undecided at first (all vertices) and after each round, and entries looked at."""
    neighbors = naive.simple_adjacency(graph)
    n, key = len(neighbors), [(len(around), v) for v, around in enumerate(neighbors)]
    banned = set(exclude)
    members = set(include) | {v for v in range(n) if not neighbors[v] and v not in banned}
    left = set(range(n)) - banned - members - {u for v in members for u in neighbors[v]}
    draw, undecided = 0, [n]
    rows = [graph.indices[graph.indptr[v] : graph.indptr[v + 1]].tolist() for v in range(n)]
    entries = sum(len(rows[v]) for v in include)

    def until(v, found):
        """How many entries v looks at until it has found a vertex among these."""
        return next((i for i, u in enumerate(rows[v], 1) if u in found), len(rows[v]))

    while left:
        selected = set()
        if not adaptive or 2 * len(left) >= n:
            for _ in range(64):
                noise = naive.hash32(seed + draw)
                selected = {v for v in left if naive.hash32(v + noise) * 2 * len(neighbors[v]) < 2**32}
                draw += 1
                if selected:
                    break
        selected = selected or left
        joined = {v for v in selected if all(key[u] < key[v] for u in neighbors[v] & selected)}
        members |= joined
        entries += sum(until(v, {u for u in neighbors[v] & selected if key[u] > key[v]}) for v in selected)
        entries += sum(until(v, joined) for v in left - joined)
        left = left - joined - {u for v in joined for u in neighbors[v]}
        undecided.append(len(left))
    mask = np.zeros(n, bool)
    mask[sorted(members)] = True
    return mask, undecided, entries


def run(graph, seed=0, adaptive=True, **conditions):
    mask, info = greedy.run(luby_select, graph, seed=seed, adaptive=adaptive, **conditions)
    assert set(info) == {"rounds", "undecided", "edges", "seconds"}
    return mask, info["undecided"], info["edges"]


def assert_as_defined(graph, *options, **chosen):
    mask, *counts = run(graph, *options, **chosen)
    expected, *expected_counts = oracle(graph, *options, **chosen)
    assert mask.tolist() == expected.tolist()
    assert counts == expected_counts
    assert sg.explain(sg.is_maximal_independent_set, graph, mask, exclude=sorted(chosen.get("exclude", ()))) is None


@both
@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1, -7])
def test_zoo(zoo_graph, seed, adaptive, threads):
    assert_as_defined(zoo_graph, seed, adaptive)


@both
def test_the_zoo_in_any_order_with_any_number_of_workers(zoo_graph, adaptive):
    for seed, workers in ((0, None), (1, 1), (2, 7), (3, 50)):
        with use_target("python", seed=seed, workers=workers):
            assert_as_defined(zoo_graph, 5, adaptive)
    with use_target("cpu", workers=16):
        assert_as_defined(zoo_graph, 5, adaptive)


@both
@given(thing=graphs(), seed=st.integers(0, 2**32 - 1), workers=st.integers(1, 20), data=st.data())
def test_any_graph(adaptive, thing, seed, workers, data):
    graph = sg.as_graph(thing)
    include, exclude = greedy.draw_conditions(data, graph)
    assert_as_defined(graph, seed, adaptive)
    assert_as_defined(graph, seed, adaptive, include=include, exclude=exclude)
    with use_target("python", seed=seed, workers=workers):
        assert_as_defined(graph, seed, adaptive, include=include, exclude=exclude)


@both
def test_a_larger_graph(larger, adaptive, threads):
    assert_as_defined(larger, 3, adaptive)
    assert_as_defined(larger, 4, adaptive, include=[17], exclude=range(9))


@both
@pytest.mark.parametrize("workers", [1, 2, 16, 1000])
def test_more_workers_than_threads(larger, adaptive, workers):
    expected = zlib.crc32(run(larger, 3, adaptive)[0].tobytes())
    for _ in range(3):
        with use_target("cpu", workers=workers):
            assert zlib.crc32(run(larger, 3, adaptive)[0].tobytes()) == expected


@both
@pytest.mark.parametrize("dtypes", [(np.int32, np.int32), (np.int64, np.int32), (np.int64, np.int64)], ids=str)
def test_each_width_that_a_graph_can_have(larger, adaptive, dtypes):
    assert (run(larger._with_dtypes(*dtypes), 3, adaptive)[0] == run(larger, 3, adaptive)[0]).all()


def test_different_seeds_give_different_sets(larger):
    assert len({run(larger, seed)[0].tobytes() for seed in range(5)}) == 5


def test_few_left_at_once_are_the_greedy_set_by_falling_degree():
    """With more isolated vertices than others, the adaptive form selects everybody in every round."""
    edges = preferential(300, 3)
    graph = sg.as_graph(symmetric_csr(601, edges))
    degrees = graph.degrees.tolist()
    expected = naive.greedy_independent_set(graph, [(-d, -v) for v, d in enumerate(degrees)])
    assert (run(graph, seed=8)[0] == expected).all()
    assert (run(graph, seed=8, adaptive=False)[0] != expected).any()


def test_hubs_that_no_draw_finds_are_taken_at_last(monkeypatch):
    """The leaves of two stars may not join, so only their centres are left: hardly ever drawn, but not for ever."""
    leaves = range(2, 20_002)
    graph = sg.as_graph(symmetric_csr(20_002, [(v % 2, v) for v in leaves]))
    draws = []
    draw = luby_select._draw
    monkeypatch.setattr(luby_select, "_draw", lambda *arguments: (draws.append(arguments[3]), draw(*arguments)))
    for adaptive, expected in ((True, 0), (False, 64)):
        draws.clear()
        mask, undecided, _ = run(graph, 11, adaptive, exclude=leaves)
        assert np.flatnonzero(mask).tolist() == [0, 1]
        assert undecided == [20_002, 0]
        assert draws == [naive.hash32(11 + i) for i in range(expected)]


def test_the_test_for_selection_is_exact_for_any_degree():
    for degree in (1, 2, 3, 7, 1000, 2**30 - 1, 2**30, 2**31 - 1, 2**31, 2**40):
        limit = (2**31 - 1) // degree
        for random in (0, limit, limit + 1, 2**32 - 1):
            assert (random <= limit) == (random * 2 * degree < 2**32)
    for v in range(2000):
        for degree in (1, 2, 5, 600):
            assert luby_select._selected(v, 99, degree) == (naive.hash32(v + 99) * 2 * degree < 2**32)
