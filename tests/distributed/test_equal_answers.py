"""Graphs in partitions return bit-for-bit the answers of one machine."""

import dask
import dask.array as da
import numpy as np
import pytest

import stablegraph as sg
from stablegraph import distributed
from stablegraph.cluster import supersteps
from stablegraph.cluster.problems import components as partitioned
from stablegraph.cluster.problems import search as traversal
from stablegraph.cluster.problems import strong_components as partitioned_strong
from tests.support.cases import each
from tests.support.partitioned import CALLS, OF_ARCS, arcs_of, checksum, fetched, weighted
from tests.support.zoo import ZOO

ON_A_CLUSTER = {  # a call of each kind; other priorities and orders have other numbers in the same messages
    "set by degree",
    "set by numbers",
    "set at distance 2",
    "components",
    "search",
    "colors by degree and hash",
    "forest",
    "aggregates",
    "aggregates of Kokkos",
}
REAL = ["3elt.mtx.gz", "PGPgiantcompo.mtx.gz", "bcsstk13.mtx.gz", "494_bus.mtx.gz", "USAir97.mtx.gz"]
DIRECTED = [
    "wiki-Vote.txt.gz",
    "ODLIS.mtx.gz",
    "trans-Austin.mtx.gz",
    "bayer10.mtx.gz",
    "gemat11.mtx.gz",
    "nnc1374.mtx.gz",
]


@pytest.mark.parametrize("call", CALLS)
def test_in_many_partitions(hard_graph, many_partitions, quick_client, call):
    graph = weighted(hard_graph)
    answer = CALLS[call](distributed.from_graph(graph, many_partitions, client=quick_client))
    assert checksum(fetched(answer)) == checksum(CALLS[call](graph))


@pytest.mark.parametrize("call", CALLS)
def test_in_three_partitions(hard_graph, few_partitions, client, quick_client, call):
    """Tasks run twice on graphs with loops, repeated entries and hubs."""
    graph = weighted(hard_graph)
    client = client if len(graph) in (6, 300) else quick_client
    answer = CALLS[call](distributed.from_graph(graph, few_partitions, client=client))
    assert checksum(fetched(answer)) == checksum(CALLS[call](graph))


def test_numbers_far_from_all_that_the_order_has_seen(client):
    graph = sg.gallery.grid((9000,))  # every second vertex is in the sample of a partition
    smallest, largest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    for seen, unseen in ((smallest, largest), (largest, smallest), (0, largest), (5, smallest)):
        numbers = np.where(np.arange(9000) % 2, unseen, seen)
        mask = sg.maximal_independent_set(distributed.from_graph(graph, 1, client=client), priority=numbers)
        assert checksum(fetched(mask)) == checksum(sg.maximal_independent_set(graph, priority=numbers))


def _result(function, *arguments, **options):
    try:
        return fetched(function(*arguments, **options)).tolist()
    except ValueError as error:
        return str(error)


@each(distance=[1, 2])
def test_conditions_on_sets(hard_graph, few_partitions, client, quick_client, distance):
    """The conditions of a set, each with one of two orders; tasks run twice on graphs with loops."""
    rng, n = np.random.default_rng(1), len(hard_graph)
    client = client if n == 6 else quick_client
    split = distributed.from_graph(hard_graph, few_partitions, client=client)
    hard_graph = split.to_graph()  # with sorted rows
    include = sg.maximal_independent_set(hard_graph, distance, priority="random", seed=9) & (rng.random(n) < 0.4)
    exclude = ~include & (rng.random(n) < 0.3)
    numbers = {"include": rng.permutation(np.flatnonzero(include)), "exclude": np.flatnonzero(exclude)}
    for number, conditions in enumerate(
        (
            {"include": include},
            {"exclude": da.from_array(exclude, chunks=max(n // 3, 1))},
            numbers,
            {"include": rng.random(n) < 0.3},  # they may be too close to each other
            {"include": include, "exclude": rng.random(n) < 0.3},
        )
    ):
        fetched_conditions = {name: fetched(value) for name, value in conditions.items()}
        options = {"priority": "random", "seed": 4} if (number + n + distance) % 2 else {}
        result = _result(sg.maximal_independent_set, split, distance, **conditions, **options)
        assert result == _result(sg.maximal_independent_set, hard_graph, distance, **fetched_conditions, **options)
        if isinstance(result, list):
            for excluded in (conditions.get("exclude"), include if number % 2 else None):
                answer = np.array(result, bool), distance, excluded
                expected = sg.verify.explain_maximal_independent_set(hard_graph, *answer[:2], fetched(excluded))
                assert sg.verify.explain_maximal_independent_set(split, *answer) == expected


@pytest.mark.parametrize("call", OF_ARCS)
def test_directions_in_many_partitions(hard_graph, many_partitions, quick_client, call):
    for graph in (arcs_of(hard_graph), sg.gallery.with_directions(hard_graph)):
        split = distributed.from_graph(graph, many_partitions, directed=True, client=quick_client)
        assert checksum(fetched(OF_ARCS[call](split))) == checksum(OF_ARCS[call](graph))


@pytest.mark.parametrize("call", OF_ARCS)
def test_directions_in_three_partitions(hard_graph, few_partitions, client, quick_client, call):
    """Tasks run twice on graphs with loops and repeated entries."""
    client = client if len(hard_graph) == 6 else quick_client
    for graph in (arcs_of(hard_graph), sg.gallery.with_directions(hard_graph)):
        split = distributed.from_graph(graph, few_partitions, directed=True, client=client)
        assert checksum(fetched(OF_ARCS[call](split))) == checksum(OF_ARCS[call](graph))


@pytest.mark.parametrize("name", ["skewed", "disconnected", "path", "cycle"])
def test_strong_components_are_finished_by_one_task_or_in_rounds(name, client, little):
    graph = sg.gallery.with_directions(sg.as_graph(ZOO[name]))
    split = distributed.from_graph(graph, 3, directed=True, client=client)
    assert checksum(fetched(sg.strongly_connected_components(split))) == checksum(
        sg.strongly_connected_components(graph)
    )


@pytest.mark.parametrize(("few", "dear"), [(0, 0), (0, 1 << 20), (1 << 10, 0)])
def test_searches_look_back_or_are_told_where_to_go_on(hard_graph, quick_client, monkeypatch, few, dear):
    monkeypatch.setattr(traversal, "_ALWAYS_LISTED", few)
    monkeypatch.setattr(traversal, "_EXPANSION_COST", dear)
    n = len(hard_graph)
    sources = [v for v in range(n) if v in (0, n // 2, n - 1)]
    for graph in (hard_graph, sg.gallery.with_directions(hard_graph)):
        split = distributed.from_graph(graph, 3, directed=graph.directed, client=quick_client)
        in_partitions = sg.breadth_first_search(split, sources)
        assert checksum(fetched(in_partitions)) == checksum(sg.breadth_first_search(graph, sources))


@pytest.mark.parametrize("few", [0, 1 << 20])
@pytest.mark.parametrize("name", ["circle", "random", "grid"])
def test_values_are_handed_on_by_all_threads_or_by_one(client, quick_client, monkeypatch, name, few):
    """Tasks run twice on one of the graphs."""
    monkeypatch.setattr(partitioned_strong, "_SERIAL_BELOW_CHANGES", few)
    monkeypatch.setattr(supersteps, "MAX_ENTRIES_OF_ONE_TASK", 0)
    places = np.random.default_rng(3).permutation(300)
    graph = {
        "circle": lambda: sg.from_edges(places, np.roll(places, 1), directed=True),
        "random": lambda: sg.gallery.with_directions(sg.gallery.uniform_random(500, 2, seed=1)),
        "grid": lambda: sg.gallery.with_directions(sg.gallery.grid((20, 20))),
    }[name]()
    split = distributed.from_graph(graph, 3, directed=True, client=client if name == "random" else quick_client)
    assert checksum(fetched(sg.strongly_connected_components(split))) == checksum(
        sg.strongly_connected_components(graph)
    )


@each(call=[call for call in CALLS if call.startswith(("set", "colors"))], name=["skewed", "disconnected", "path"])
def test_what_is_left_is_finished_by_one_task_or_in_rounds(name, client, quick_client, little, call):
    """Tasks run twice on one of the graphs."""
    graph = sg.as_graph(ZOO[name])
    client = client if name == "disconnected" else quick_client
    assert checksum(fetched(CALLS[call](distributed.from_graph(graph, 3, client=client)))) == checksum(
        CALLS[call](graph)
    )


@pytest.mark.parametrize(
    "calls", [ON_A_CLUSTER, pytest.param(set(CALLS) - ON_A_CLUSTER, marks=pytest.mark.slow)], ids=["few", "rest"]
)
def test_on_a_cluster(threads_cluster, calls):
    for call in sorted(calls):
        same_on_a_cluster(threads_cluster, call)


def same_on_a_cluster(threads_cluster, call):
    graph = weighted(sg.gallery.rmat(7, seed=4), np.float32)
    answer = CALLS[call](distributed.from_graph(graph, 3, client=threads_cluster))
    assert checksum(fetched(answer)) == checksum(CALLS[call](graph))


def test_values_on_a_long_path_are_replaced_once(client):
    """Every vertex is reached by all vertices before it, along arcs to smaller numbers; steps must stay few."""
    n = 150_000
    graph = sg.from_edges(np.arange(n - 1, 0, -1), np.arange(n - 2, -1, -1), directed=True)
    split = distributed.from_graph(graph, 2, directed=True, client=client)
    count, labels = sg.strongly_connected_components(split)
    assert count == n and np.array_equal(fetched(labels), np.arange(n))


@pytest.mark.parametrize("call", OF_ARCS)
def test_arcs_on_a_cluster(threads_cluster, call):
    graph = arcs_of(sg.gallery.rmat(9, seed=4))
    split = distributed.from_graph(graph, 3, directed=True, client=threads_cluster)
    assert checksum(fetched(OF_ARCS[call](split))) == checksum(OF_ARCS[call](graph))


@pytest.mark.slow
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("call", CALLS)
def test_on_real_graphs(data_file, partitions, client, name, call):
    graph = weighted(sg.read_graph(data_file(name), symmetrize="min"))
    answer = CALLS[call](distributed.from_graph(graph, partitions, client=client))
    assert checksum(fetched(answer)) == checksum(CALLS[call](graph))


@pytest.mark.slow
@pytest.mark.parametrize("name", DIRECTED)
@pytest.mark.parametrize("call", OF_ARCS)
def test_on_real_graphs_with_directions(data_file, partitions, client, name, call):
    graph = sg.read_graph(data_file(name), directed=True)
    split = distributed.from_graph(graph, partitions, directed=True, client=client)
    assert checksum(fetched(OF_ARCS[call](split))) == checksum(OF_ARCS[call](graph))


def test_64_bit_indices(client):
    graph = weighted(sg.gallery.uniform_random(300, seed=2))._with_dtypes(np.int64, np.int64)
    split = distributed.from_graph(graph, 3, client=client)
    for call in CALLS.values():
        assert checksum(fetched(call(split))) == checksum(call(graph))
    graph = arcs_of(graph)._with_dtypes(np.int64, np.int64)
    split = distributed.from_graph(graph, 3, directed=True, client=client)
    for call in OF_ARCS.values():
        assert checksum(fetched(call(split))) == checksum(call(graph))


def test_strong_components_of_an_undirected_graph_are_its_components(client):
    graph = sg.gallery.uniform_random(100, 1)
    in_partitions = sg.strongly_connected_components(distributed.from_graph(graph, 3, client=client))
    assert checksum(fetched(in_partitions)) == checksum(sg.strongly_connected_components(graph))


def test_rounds_are_few(client):
    graph = distributed.uniform_random(1 << 14, 4, partitions=4, client=client)
    _, info = sg.maximal_independent_set(graph, return_info=True)
    assert info["rounds"] <= 12
    assert info["bytes"] > 0
    *_, info = sg.connected_components(graph, return_info=True)
    assert info["rounds"] <= 12
    distance, _, info = sg.breadth_first_search(graph, 0, return_info=True)
    assert info["rounds"] <= int(fetched(distance).max()) + 2


def test_components_of_small_groups(zoo_graph, partitions, quick_client):
    """Groups outside the largest ones are joined first; this test does so wherever most of the boundary is in them."""
    split = distributed.from_graph(zoo_graph, partitions, client=quick_client)
    count, labels, _ = partitioned.label_components(split, -1)
    assert checksum((count, fetched(labels))) == checksum(sg.connected_components(zoo_graph))


def test_pairs_of_groups_are_few(client):
    graph = distributed.uniform_random(1 << 15, 4, partitions=32, client=client)
    *_, info = sg.connected_components(graph, return_info=True)
    assert info["rounds"] == 4 and info["left"][0] > 10_000
    *_, info = partitioned.label_components(graph, 1 << 12)
    assert info["rounds"] == 5 and info["left"][0] < 1_000 and info["bytes"] < 2 * 2**20


def test_progress_is_told(client):
    graph, seen = distributed.grid((20, 20), 2, client=client), []
    graph.progress = lambda *news: seen.append(news)
    sg.connected_components(graph)
    assert [rounds for _, rounds, _ in seen] == list(range(1, 5))
    assert {name for name, _, _ in seen} == {"components"}


def test_answers_are_in_the_partitions_of_the_vertices(client):
    graph = distributed.grid((6, 6), 3, client=client)
    mask = sg.maximal_independent_set(graph)
    assert mask.chunks == (tuple(np.diff(graph.bounds).tolist()),)
    with dask.config.set(scheduler="sync"):
        assert int((graph.degrees * mask).sum()) == int(sg.gallery.grid((6, 6)).degrees @ fetched(mask))


@each(pairs=True, seed=range(3))
def test_subgraphs(zoo_graph, partitions, quick_client, seed):
    if not zoo_graph.is_sorted:
        pytest.skip("rows are sorted in partitions")
    mask = np.random.default_rng(seed).random(len(zoo_graph)) < 0.6
    graph = weighted(zoo_graph)
    assert sg.subgraph(
        distributed.from_graph(graph, partitions, client=quick_client), mask
    ).to_graph() == graph.subgraph(mask)
