"""Verifiers of graphs in partitions return the verdicts of those of one machine, for correct and wrong answers."""

import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import distributed, verify
from tests.support.cases import each
from tests.support.partitioned import arcs_of, weighted


@pytest.fixture
def compare(client, quick_client, monkeypatch):
    """Return a function that compares the verdicts on an answer; a few entries are read at a time.

    Tasks run twice on graphs with loops and repeated entries.
    """
    monkeypatch.setattr("stablegraph.cluster.verify.local_checks._ENTRIES_AT_ONCE", 5)

    def for_graph(graph, partitions):
        split = distributed.from_graph(graph, partitions, client=client if len(graph) == 6 else quick_client)

        def verdicts_are_equal(explain, *answer, **options):
            assert explain(split, *answer, **options) == explain(graph, *answer, **options)

        return verdicts_are_equal

    return for_graph


def _mutants(answer, low, high):
    """Yield the answer, and copies with one change."""
    yield answer
    rng = np.random.default_rng(7)
    for _ in range(4):
        if answer.size:
            mutant = answer.copy()
            mutant[rng.integers(answer.size)] = rng.integers(low, high)
            yield mutant


@each(distance=[1, 2])
def test_sets(hard_graph, few_partitions, compare, distance):
    same = compare(hard_graph, few_partitions)
    for mask in _mutants(sg.maximal_independent_set(hard_graph, distance), 0, 2):
        same(verify.explain_independent_set, mask, distance)
        same(verify.explain_maximal_independent_set, mask, distance)


def test_colorings(hard_graph, few_partitions, compare):
    same = compare(hard_graph, few_partitions)
    for colors in _mutants(sg.vertex_coloring(hard_graph), -1, 4):
        same(verify.explain_coloring, colors)


def test_components(hard_graph, few_partitions, compare):
    same = compare(hard_graph, few_partitions)
    for labels in _mutants(sg.connected_components(hard_graph)[1], -1, 3):
        same(verify.explain_component_labeling, labels)
        same(verify.explain_component_labeling, labels[::-1].copy())
    same(verify.explain_component_labeling, np.zeros(len(hard_graph), np.int64))


def test_searches(hard_graph, few_partitions, compare):
    same = compare(hard_graph, few_partitions)
    if not len(hard_graph):
        pytest.skip("no vertex to begin at")
    distance, parent = sg.breadth_first_search(hard_graph, 0)
    for steps in _mutants(distance, -1, 5):
        same(verify.explain_bfs_tree, 0, steps, parent)
    for above in _mutants(parent, -1, len(hard_graph) + 1):
        same(verify.explain_bfs_tree, 0, distance, above)
        same(verify.explain_bfs_tree, 0, distance, above, smallest=True)
    for limit in (0, 1, 2):
        distance, parent = sg.breadth_first_search(hard_graph, 0, max_distance=limit)
        for steps in _mutants(distance, -1, 5):
            same(verify.explain_bfs_tree, 0, steps, parent, max_distance=limit)


def test_strong_components(hard_graph, few_partitions, quick_client):
    graph = arcs_of(hard_graph)
    split = distributed.from_graph(graph, few_partitions, directed=True, client=quick_client)
    right, weak = sg.strongly_connected_components(graph)[1], sg.connected_components(graph)[1]
    renamed = np.random.default_rng(5).permutation(len(graph))[right]
    for labels in (renamed, np.where(right == 3, 1, right), weak):
        in_partitions = verify.explain_strong_component_labeling(split, labels)
        assert in_partitions == verify.explain_strong_component_labeling(graph, labels)


@each(connected=[False, True])
def test_aggregates(hard_graph, few_partitions, compare, connected):
    same = compare(hard_graph, few_partitions)
    n, rng = len(hard_graph), np.random.default_rng(3)
    for labels in (
        sg.aggregate(hard_graph)[1],
        sg.aggregate(hard_graph, algorithm="kokkos")[1],
        np.arange(n) // 2,
        np.zeros(n, int),
        rng.permutation(n) + 1,
        np.full(n, -2),
    ):
        same(verify.explain_aggregation, labels, connected=connected)
    for labels in _mutants(sg.aggregate(hard_graph)[1], 0, 4):
        same(verify.explain_aggregation, labels, connected=connected)


def test_aggregates_are_not_counted_up_to_a_label_that_nobody_can_count_to(client):
    graph, labels = sg.gallery.grid((4, 4)), np.zeros(16, np.int64)
    labels[3] = 1 << 60
    reported = verify.explain_aggregation(distributed.from_graph(graph, 3, client=client), labels)
    assert reported == verify.explain_aggregation(graph, labels)
    assert reported.startswith("no vertex has label 1, but vertex 3 has label 1152921504606846976")


def test_arcs(hard_graph, few_partitions, quick_client):
    graph = arcs_of(hard_graph)
    split = distributed.from_graph(graph, few_partitions, directed=True, client=quick_client)
    for labels in _mutants(sg.connected_components(graph)[1], -1, 3):
        assert verify.explain_component_labeling(split, labels) == verify.explain_component_labeling(graph, labels)
    if len(graph):
        distance, parent = sg.breadth_first_search(graph, 0)
        for steps in _mutants(distance, -1, 5):
            for above in _mutants(parent, -1, len(graph) + 1):
                answer = 0, steps, above
                assert verify.explain_bfs_tree(split, *answer) == verify.explain_bfs_tree(graph, *answer)


@each(pairs=True, maximum=[False, True])
def test_forests(hard_graph, few_partitions, quick_client, maximum):
    graph = weighted(hard_graph)
    split = distributed.from_graph(graph, few_partitions, client=quick_client)
    right = sg.minimum_spanning_forest(graph, maximum=maximum).tocoo()
    other = sg.minimum_spanning_forest(graph, maximum=not maximum).tocoo()  # spans the graph, but is not optimal
    for change in ("none", "weight", "other end", "loop", "twice", "missing", "more", "other forest"):
        u, v, w = right.row.copy(), right.col.copy(), right.data.copy()
        if change != "none" and not u.size:
            continue
        if change == "weight":
            w[u.size // 2] += 1
        elif change == "other end":
            v[u.size // 2] = (v[u.size // 2] + 3) % len(graph)
        elif change == "loop":
            v[-1] = u[-1]
        elif change == "twice":
            u, v, w = np.append(u, u[0]), np.append(v, v[0]), np.append(w, w[0])
        elif change == "missing":
            u, v, w = u[1:], v[1:], w[1:]
        elif change == "more":  # an edge that closes a cycle, or that is not in the graph
            u, v, w = np.append(u, 0), np.append(v, len(graph) - 1), np.append(w, 0)
        elif change == "other forest":
            u, v, w = other.row, other.col, other.data
        on_one_machine = sp.coo_array((w, (u, v)), shape=right.shape)
        pieces = [da.from_array(column, chunks=max(1, -(-column.size // 3))) for column in (u, v, w)]
        in_partitions = distributed.DistributedForest(*pieces, len(graph))
        for explain, options in (
            (verify.explain_spanning_forest, {}),
            (verify.explain_minimum_spanning_forest, {"maximum": maximum}),
        ):
            assert explain(split, in_partitions, **options) == explain(graph, on_one_machine, **options), change


def test_what_is_no_answer(client):
    graph = distributed.grid((3, 3), 2, client=client)
    with pytest.raises(ValueError, match=r"mask is a mask of shape \(4,\), but there are 9 vertices"):
        sg.is_independent_set(graph, np.zeros(4, bool))
    with pytest.raises(ValueError, match="mask names vertex 0 9 times; an array of integers is read as vertices"):
        sg.is_independent_set(graph, np.zeros(9, np.int64))
    with pytest.raises(TypeError, match="colors must be integers"):
        sg.is_proper_coloring(graph, np.zeros(9))
    with pytest.raises(ValueError, match="capacity= is not supported for a graph in partitions"):
        sg.is_proper_coloring(graph, np.zeros(9, int), capacity=3)
    with pytest.raises(ValueError, match="distance must be 1 or 2 for a graph in partitions"):
        sg.is_independent_set(graph, np.zeros(9, bool), 3)


def test_answers_on_the_cluster_are_judged_there(threads_cluster):
    graph = distributed.rmat(7, partitions=3, client=threads_cluster)
    assert sg.is_maximal_independent_set(graph, sg.maximal_independent_set(graph))
    assert sg.is_maximal_independent_set(graph, sg.maximal_independent_set(graph, 2), 2)
    assert sg.is_proper_coloring(graph, sg.vertex_coloring(graph, reduce="none"))
    assert sg.is_component_labeling(graph, sg.connected_components(graph)[1])
    assert sg.is_aggregation(graph, sg.aggregate(graph)[1], connected=True)
    assert sg.is_bfs_tree(graph, 0, *sg.breadth_first_search(graph, 0), smallest=True)
    assert sg.is_minimum_spanning_forest(graph, sg.minimum_spanning_forest(graph))
    with pytest.raises(TypeError, match="is a DistributedForest, got int"):
        sg.is_spanning_forest(graph, 3)
