"""Smallest-last orders and bounds: equal to plain Python on sets, on any schedule; their documented properties."""

from itertools import combinations
from math import ceil, inf

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import stablegraph as sg
from stablegraph import gallery
from stablegraph._core.runtime import use_target
from stablegraph.coloring import bounds, degeneracy
from stablegraph.coloring.bounds import color_bounds, large_clique
from stablegraph.coloring.degeneracy import removal_batches, removal_order, smallest_last
from tests.support import naive
from tests.support.zoo import graphs, preferential, reverse_rows, symmetric_csr

REAL = ["USA-road-d.NY.gr.gz", "internet.mtx.gz", "Reed98.mtx.gz", "le450_25a.col.gz"]


def order_by_queue(graph):
    neighbors = naive.simple_adjacency(graph)
    degrees = [len(around) for around in neighbors]
    order, k = [], 0
    while len(order) < len(graph):
        queue = [v for v in range(len(graph)) if v not in order and degrees[v] <= k]
        for v in queue:  # it grows during the loop
            for u in sorted(neighbors[v]):
                degrees[u] -= 1
                if degrees[u] == k:
                    queue.append(u)
        order += queue
        k += 1
    return order


def batches_by_sets(graph, slack):
    neighbors = naive.simple_adjacency(graph)
    remaining, rounds, level, highest, in_vain = set(range(len(graph))), {}, 0, 0, 0
    while remaining:
        degrees = {v: len(neighbors[v] & remaining) for v in remaining}
        removed = {v for v in remaining if degrees[v] <= level}
        remaining -= removed
        if removed:
            rounds |= dict.fromkeys(removed, 1 + max(rounds.values(), default=-1))
            highest = level
        in_vain = in_vain + 1 if 64 * len(removed) < len(remaining) else 0
        smallest = min((degrees[v] for v in remaining), default=inf)
        if remaining and slack and in_vain:
            average = sum(degrees[v] for v in remaining) / len(remaining)
            level = max(level, ceil(smallest + 2.0 ** (in_vain - 3) * (average - smallest)))
        elif not removed:
            level = smallest
    return [rounds[v] for v in range(len(graph))], highest


def check(graph):
    order, largest = removal_order(graph)
    assert order.tolist() == order_by_queue(graph)
    assert largest == max(
        nx.core_number(nx.from_dict_of_lists(dict(enumerate(naive.simple_adjacency(graph))))).values(), default=0
    )
    for slack in (False, True):
        rounds, highest = removal_batches(graph, slack)
        assert (rounds.tolist(), highest) == batches_by_sets(graph, slack)
        assert highest == largest or (slack and highest > largest)


def test_zoo(zoo_graph):
    check(zoo_graph)
    with use_target("python", seed=1, workers=3):
        check(zoo_graph)


@given(graphs())
def test_any_graph(thing):
    check(sg.as_graph(thing))


def most_ahead(graph, priority):
    """Return the largest number of neighbors that are colored before a vertex."""
    u = np.repeat(np.arange(len(graph)), np.diff(graph.indptr))
    ahead = (priority[graph.indices] >= priority[u]) & (graph.indices != u)
    return int(np.bincount(u[ahead], minlength=1).max())


@pytest.mark.parametrize("file", REAL)
def test_few_neighbors_are_ahead(data_file, file):
    graph = sg.read_graph(data_file(file), weights=False, symmetrize=True).simple()
    order, exact = removal_order(graph)
    priority = np.empty(len(graph), int)
    priority[order] = np.arange(len(graph))
    assert sorted(order.tolist()) == list(range(len(graph)))
    assert most_ahead(graph, priority) == exact
    priority, largest = smallest_last(graph)
    rounds, _ = removal_batches(graph, slack=True)
    assert exact <= most_ahead(graph, rounds) <= largest <= 2 * exact
    assert np.array_equal(np.lexsort((graph.degrees, rounds)), np.argsort(priority, kind="stable"))


def test_threads_and_workers_change_nothing(threads):
    graph = gallery.rmat(12, seed=2)
    expected = batches_by_sets(graph, slack=True)
    for workers in (None, 7):
        with use_target("cpu", workers=workers):
            rounds, highest = removal_batches(graph, slack=True)
        assert (rounds.tolist(), highest) == expected


@pytest.mark.gpu
def test_the_same_on_a_gpu():
    graph = gallery.rmat(12, seed=2)
    numbers, largest = smallest_last(graph)
    numbers_there, most_there = smallest_last(graph.to("cuda"))
    assert np.array_equal(numbers, numbers_there.get()) and largest == most_there
    order, exact = removal_order(graph)
    order_there, exact_there = removal_order(graph.to("cuda"))
    assert np.array_equal(order, order_there) and exact == exact_there


def test_rows_in_another_order_change_nothing():
    matrix = symmetric_csr(200, preferential(200, 4))
    assert np.array_equal(removal_order(sg.as_graph(matrix))[0], removal_order(sg.as_graph(reverse_rows(matrix)))[0])


def test_long_chains_take_few_rounds_with_slack():
    n = 100_000
    path = sg.from_edges(np.arange(n - 1), np.arange(1, n), symmetrize=True)
    rounds, highest = removal_batches(path, slack=True)
    assert rounds.max() < 5 and highest == 2
    rounds, highest = removal_batches(gallery.grid((300, 300)), slack=True)
    assert rounds.max() < 5 and highest == 4


def test_work_comes_in_steps_that_can_be_interrupted(monkeypatch):
    graph = gallery.rmat(10, seed=1)
    whole, bound = removal_order(graph)[0], color_bounds(graph)
    monkeypatch.setattr(degeneracy, "ENTRIES_PER_CALL", 100)
    monkeypatch.setattr(bounds, "ENTRIES_PER_CALL", 100)
    assert np.array_equal(removal_order(graph)[0], whole)
    assert color_bounds(graph) == bound


# --------------------------------------------------------------------------------------------------------------- bounds


def clique_of(graph):
    order, largest = removal_order(graph)
    clique = large_clique(graph, order, largest).tolist()
    neighbors = naive.simple_adjacency(graph)
    assert all(u in neighbors[v] for u, v in combinations(clique, 2))
    assert clique == sorted(set(clique))
    return clique


def test_bounds_of_the_zoo(zoo_graph):
    lower, upper = color_bounds(zoo_graph)
    assert upper == (1 + removal_order(zoo_graph)[1] if len(zoo_graph) else 0)
    if not zoo_graph.has_duplicates:
        assert len(clique_of(zoo_graph)) == lower
    with use_target("python"):
        assert color_bounds(zoo_graph) == (lower, upper)


@given(graphs())
def test_bounds_enclose_the_largest_clique(thing):
    graph = sg.as_graph(thing)
    lower, upper = color_bounds(graph)
    truth = nx.from_dict_of_lists(dict(enumerate(naive.simple_adjacency(graph))))
    largest = max((len(clique) for clique in nx.find_cliques(truth)), default=0)
    assert (largest > 0) <= lower <= largest <= upper
    assert color_bounds(graph.simple()) == (lower, upper)


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("anna.col.gz", (11, 11)),
        ("miles1500.col.gz", (73, 73)),
        ("le450_15b.col.gz", (15, 25)),
        ("myciel6.col.gz", (2, 13)),
    ],
)
def test_bounds_of_known_graphs(data_file, file, expected):
    graph = sg.read_graph(data_file(file))
    assert color_bounds(graph) == expected
    assert len(clique_of(graph)) == expected[0]


def test_a_hidden_clique_is_found():
    rng = np.random.default_rng(5)
    hidden = np.array(list(combinations(rng.choice(2000, 15, replace=False), 2)))
    edges = np.concatenate([hidden, rng.integers(0, 2000, (20_000, 2))])
    graph = sg.from_edges(*edges.T, symmetrize=True, drop_loops=True)
    assert clique_of(graph) == sorted(set(hidden.ravel().tolist()))


def test_directed_graphs_have_no_bounds():
    with pytest.raises(ValueError, match="symmetrize=True"):
        color_bounds(sg.from_edges([0], [1], directed=True))
