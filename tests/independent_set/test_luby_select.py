"""Luby's random selection, in addition to its oracle (test_oracles.py): draws, and vertices that are never drawn."""

import numpy as np

import stablegraph as sg
from stablegraph.study import luby_select
from tests.support import naive
from tests.support.zoo import preferential, symmetric_csr


def run(graph, seed, **options):
    return sg.maximal_independent_set(graph, algorithm="luby_select", seed=seed, return_info=True, **options)


def test_few_left_at_once_are_the_greedy_set_by_falling_degree():
    """If most vertices are isolated, the adaptive form selects all vertices in every round."""
    edges = preferential(300, 3)
    graph = sg.as_graph(symmetric_csr(601, edges))
    degrees = graph.degrees.tolist()
    expected = naive.greedy_independent_set(graph, [(-d, -v) for v, d in enumerate(degrees)])
    assert (run(graph, seed=8)[0] == expected).all()
    assert (run(graph, seed=8, adaptive=False)[0] != expected).any()


def test_hubs_that_no_draw_finds_are_taken_at_last(monkeypatch):
    """With the leaves of two stars excluded, only the centers remain: rarely drawn, but they eventually join."""
    leaves = range(2, 20_002)
    graph = sg.as_graph(symmetric_csr(20_002, [(v % 2, v) for v in leaves]))
    draws = []
    draw = luby_select._draw_selection
    monkeypatch.setattr(
        luby_select, "_draw_selection", lambda *arguments: (draws.append(arguments[2].seed), draw(*arguments))
    )
    for adaptive, expected in ((True, 0), (False, 64)):
        draws.clear()
        mask, info = run(graph, 11, adaptive=adaptive, exclude=leaves)
        assert np.flatnonzero(mask).tolist() == [0, 1]
        assert info["undecided"] == [20_002, 0]
        assert draws == [naive.hash32(naive.hash_seed(11) + i) for i in range(expected)]


def test_the_test_for_selection_is_exact_for_any_degree():
    for degree in (1, 2, 3, 7, 1000, 2**30 - 1, 2**30, 2**31 - 1, 2**31, 2**40):
        limit = (2**31 - 1) // degree
        for random in (0, limit, limit + 1, 2**32 - 1):
            assert (random <= limit) == (random * 2 * degree < 2**32)
    for v in range(2000):
        for degree in (1, 2, 5, 600):
            assert luby_select._selected(v, 99, degree) == (naive.hash32(v + 99) * 2 * degree < 2**32)
