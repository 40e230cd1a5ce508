"""Rejections by functions of graphs in partitions: unsupported options and unsupported functions."""

import pickle

import dask.array as da
import numpy as np
import pytest

import stablegraph as sg
from stablegraph import distributed, verify
from stablegraph._core import dispatch
from stablegraph.cluster.workers import InProcess
from tests.support.processes import run_python


@pytest.fixture
def graph(client):
    return distributed.grid((4, 4), 2, client=client)


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (sg.maximal_independent_set, {"distance": 3}, "distance must be 1 or 2 for a graph in partitions, got 3"),
        (sg.maximal_independent_set, {"synchronous": True}, "synchronous= is not supported for a graph in partitions"),
        (sg.maximal_independent_set, {"algorithm": "luby"}, "algorithm must be one of priority, lexicographic for a"),
        (sg.maximal_independent_set, {"adaptive": True}, "has no option adaptive; it has priority, seed, syn"),
        (
            sg.maximal_independent_set,
            {"include": da.zeros(16, dtype=int)},
            "include must be a mask of bool if it is a Dask array",
        ),
        (sg.maximal_independent_set, {"priority": "degre"}, "did you mean 'degree'"),
        (sg.maximal_independent_set, {"distance": 2, "priority": "ecl"}, "priority must be one of random, degree"),
        (
            sg.maximal_independent_set,
            {"algorithm": "lexicographic", "seed": 1},
            "has no option seed; it has sync",
        ),
        (sg.vertex_coloring, {}, "pass reduce='none'"),
        (sg.vertex_coloring, {"reduce": "none", "distance": 2}, "distance must be 1 for a graph in partitions"),
        (
            sg.vertex_coloring,
            {"reduce": "none", "capacity": 2},
            "capacity= is not supported for a graph in partitions",
        ),
        (sg.vertex_coloring, {"reduce": "none", "order": "smallest_last"}, "order must be one of largest_first"),
        (sg.vertex_coloring, {"reduce": "none", "algorithm": "mis"}, "algorithm must be one of priority for a graph"),
        (sg.connected_components, {"algorithm": "fastsv"}, "algorithm must be one of union for a graph in partitions"),
        (sg.strongly_connected_components, {"algorithm": "tarjan"}, "algorithm must be one of auto for a graph in"),
        (sg.aggregate, {"algorithm": "mis2_basic"}, "algorithm must be one of mis2, kokkos for a graph in partitions"),
        (sg.aggregate, {"priority": np.arange(16)}, "priority must be one of random, degree for a graph in partitions"),
        (sg.aggregate, {"strength": 0.5}, "strength= is not supported for a graph in partitions"),
        (sg.aggregate, {"return_roots": True}, "return_roots= is not supported for a graph in partitions"),
        (sg.is_aggregation, {"labels": np.zeros(16, int), "roots": [0]}, "roots= is not supported for a graph in"),
        (sg.minimum_spanning_forest, {"symmetrize": "min"}, "symmetrize= is not supported for a graph in partitions"),
    ],
)
def test_options_that_are_not_there(graph, function, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        function(graph, **options)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda client: distributed.grid(2.5, client=client), "each extent of shape must be an integer, got 2.5"),
        (lambda client: distributed.grid((), client=client), "one or more axes, got none"),
        (lambda client: distributed.grid(4, 0.5, client=client), "partitions must be an integer, got 0.5"),
        (lambda client: distributed.uniform_random(9, 0.7, client=client), "picks must be an integer, got 0.7"),
        (lambda client: distributed.uniform_random(9, seed=-1, client=client), "seed must be at least 0, got -1"),
        (lambda client: distributed.rmat("3", client=client), "scale must be an integer, got '3'"),
        (lambda client: distributed.rmat(3, True, client=client), "edges_per_vertex must be an integer, got True"),
        (lambda client: distributed.rmat(3, a=0.9, client=client), "a, b and c must add up to at most 1"),
        (lambda client: distributed.rmat(3, seed=None, client=client), "seed must be an integer, got None"),
    ],
)
def test_arguments_of_the_gallery(client, make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make(client)


def test_numbers_that_are_no_order(graph):
    values = np.zeros(16)
    values[11] = np.nan
    for user_values in (values, da.from_array(values, chunks=5)):
        with pytest.raises(ValueError, match="priority is NaN at vertex 11, which has no place in an order"):
            sg.maximal_independent_set(graph, priority=user_values)


def test_sources(graph):
    with pytest.raises(ValueError, match="sources names vertex 16, but there are 16 vertices"):
        sg.breadth_first_search(graph, 16)


def test_numbers_are_no_order_at_distance_two(graph):
    with pytest.raises(ValueError, match="priority must be one of random, degree at distance 2 for a graph in part"):
        sg.maximal_independent_set(graph, 2, priority=np.arange(16))


def test_components_of_added_edges(graph):
    with pytest.raises(ValueError, match="start= is not supported for a graph in partitions; give the graph the"):
        sg.connected_components(graph, start=[0] * 16)
    with pytest.raises(ValueError, match="label must be one of number, smallest"):
        sg.connected_components(graph, label="id")


@pytest.mark.parametrize("function", [sg.largest_component, sg.large_independent_set])
def test_functions_that_are_not_there(graph, function):
    with pytest.raises(NotImplementedError, match=f"{function.__name__} does not support a graph in partitions; th"):
        function(graph)


def test_the_error_message_lists_all_functions_with_a_form_for_partitions(graph):
    functions = {name: getattr(module, name) for module in (sg, verify) for name in module.__all__}
    assert len(dispatch.FORMS) == 17
    for name, form in dispatch.FORMS.items():
        assert form.run.__name__ == name == functions[name].__name__
        assert form.run is not functions[name]
    with pytest.raises(NotImplementedError, match="; these functions do: " + ", ".join(dispatch.FORMS) + "$"):
        sg.largest_component(graph)


@pytest.mark.parametrize("function", [sg.maximal_independent_set, sg.vertex_coloring, sg.minimum_spanning_forest])
def test_functions_of_undirected_graphs(client, function):
    arcs = distributed.from_edges([0, 1], [1, 2], directed=True, partitions=2, client=client)
    with pytest.raises(ValueError, match=f"the graph is directed, but {function.__name__} is for undirected graphs"):
        function(arcs)


def test_the_graph_may_be_named(graph):
    assert sg.connected_components(graph=graph)[0] == 1


def test_numbers_on_the_cluster(graph):
    values = np.arange(16) % 5
    mask = sg.maximal_independent_set(graph, priority=da.from_array(values, chunks=5))
    assert np.array_equal(mask.compute(scheduler="sync"), sg.maximal_independent_set(graph.to_graph(), priority=values))


def test_another_process_uses_a_pickled_graph(tmp_path):
    path = tmp_path / "graph.pickle"
    path.write_bytes(pickle.dumps(sg.distributed.from_graph(sg.gallery.grid((5, 5)), 2, client=InProcess())))
    program = f"""
        import pickle, stablegraph as sg
        graph = pickle.load(open({str(path)!r}, "rb"))
        print(sg.connected_components(graph)[0], type(graph).__module__)
    """
    assert run_python(program).stdout.split() == ["1", "stablegraph.distributed"]
