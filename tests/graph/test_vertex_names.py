"""Names of vertices: as arguments of from_edges and as_graph, in lookups by index, and in messages."""

import re

import numpy as np
import pytest

import stablegraph as sg

EDGES = [("Bob", "Ann"), ("Ann", "Cy"), ("Bob", "Cy")]
FRIENDS = sg.as_graph(EDGES, symmetrize=True)


@pytest.mark.parametrize("kind", [list, np.array, lambda ends: np.array(ends, object), tuple])
def test_edges_between_names(kind):
    u, v = (kind(ends) for ends in zip(*EDGES, strict=True))
    graph = sg.from_edges(u, v, [1.0, 2.0, 3.0], symmetrize=True)
    assert graph.nodes == ["Bob", "Ann", "Cy"]  # in the order of the edges
    assert graph.to_scipy().toarray().tolist() == [[0, 1, 3], [1, 0, 2], [3, 2, 0]]


@pytest.mark.parametrize("edges", [EDGES, [list(edge) for edge in EDGES], np.array(EDGES), np.array(EDGES, object)])
def test_pairs_of_names(edges):
    assert sg.as_graph(edges, symmetrize=True) == FRIENDS
    assert sg.as_graph(edges, directed=True).num_edges == 3


def test_an_empty_column_of_names_beside_an_empty_list():
    """The empty list could contain names, too."""
    none = np.array([], str)
    assert sg.from_edges(none, []) == sg.from_edges([], none) == sg.from_edges(none, none)


def test_names_are_numbered_as_in_networkx():
    nx = pytest.importorskip("networkx")
    assert sg.as_graph(nx.Graph(EDGES)) == FRIENDS


def test_two_pairs_of_names_are_no_matrix():
    assert sg.as_graph([["a", "b"], ["b", "c"]], symmetrize=True).num_vertices == 3


def test_nodes_say_how_names_are_numbered():
    graph = sg.from_edges(["b"], ["a"], nodes=["a", "b", "c"], symmetrize=True)
    assert (graph.nodes, graph.num_vertices, graph.degrees.tolist()) == (["a", "b", "c"], 3, [1, 1, 0])
    with pytest.raises(ValueError, match="no vertex is named 'd'"):
        sg.from_edges(["a"], ["d"], nodes=["a", "b", "c"], symmetrize=True)


def test_whatever_is_hashable_is_a_name():
    ends = np.empty((2, 2), object)
    ends[:] = [[frozenset("a"), 7], [7, "seven"]]
    graph = sg.from_edges(*ends.T, symmetrize=True)
    assert graph.nodes == [frozenset("a"), 7, "seven"]
    assert graph.index(7) == 1 and graph.index([frozenset("a"), "seven"]).tolist() == [0, 2]


def test_integers_in_arrays_of_objects_are_numbers():
    graph = sg.from_edges(np.array([0, 1], object), np.array([1, 2], object), symmetrize=True)
    assert graph.nodes is None and graph.num_vertices == 3


def test_index():
    assert FRIENDS.index("Cy") == 2 and isinstance(FRIENDS.index("Cy"), int)
    for names in (["Cy", "Bob"], ("Cy", "Bob"), np.array(["Cy", "Bob"])):
        assert FRIENDS.index(names).tolist() == [2, 0]
    assert FRIENDS.index([]).dtype == np.int64
    grid = sg.from_edges([0], [1], nodes=[(0, 0), (0, 1)], symmetrize=True)  # tuples are names, too
    assert grid.index((0, 1)) == 1 and grid.index([(0, 1), (0, 0)]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("graph", "names", "message"),
    [
        (FRIENDS, "Dan", "no vertex is named 'Dan'; the names are graph.nodes"),
        (FRIENDS, ["Ann", "Dan"], "no vertex is named 'Dan'"),
        (FRIENDS, 3, "no vertex is named 3"),
        (sg.from_edges([0], [1], nodes="aa", symmetrize=True), "a", "several vertices are named 'a': pass the number"),
        (sg.from_edges([0], [1], symmetrize=True), "a", "the vertices of this graph have no names: pass their numbers"),
    ],
)
def test_names_that_no_vertex_has(graph, names, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        graph.index(names)


def test_a_dict_is_no_sequence_of_names():
    with pytest.raises(TypeError, match="by one name or a sequence of names, not by a dict"):
        FRIENDS.index({"Ann": 1})
    with pytest.raises(TypeError, match="not by a dict"):
        sg.maximal_independent_set(FRIENDS, exclude={"Ann": 1})


def test_subgraph_of_names():
    part = FRIENDS.subgraph(["Cy", "Bob"])
    assert part == FRIENDS.subgraph([2, 0]) and part.nodes == ["Cy", "Bob"]
    assert FRIENDS.subgraph("Ann") == FRIENDS.subgraph([1])
    with pytest.raises(ValueError, match="no vertex is named 'Dan'"):
        FRIENDS.subgraph(["Dan"])
    with pytest.raises(ValueError, match="vertices names vertex 0 2 times"):
        FRIENDS.subgraph(["Bob", "Bob"])


def test_a_table_of_edges_is_taken_by_its_columns():
    class DataFrame:
        columns = ("source", "target", "since")

        def __getitem__(self, name):
            return list(name)

    with pytest.raises(
        TypeError,
        match=re.escape("DataFrame: from_table(table, 'source', 'target') takes two columns of a table; else pass"),
    ):
        sg.as_graph(DataFrame())


def test_messages_name_the_function_that_was_called():
    with pytest.raises(ValueError, match="symmetrize=True to from_edges"):
        sg.from_edges(["a"], ["b"])
    nx = pytest.importorskip("networkx")
    with pytest.raises(ValueError, match="symmetrize=True to as_graph"):
        sg.as_graph(nx.DiGraph(EDGES))


def test_fixed_colors_by_name_are_those_of_the_array():
    expected = sg.vertex_coloring(FRIENDS, fixed=[-1, 5, 1])
    assert np.array_equal(sg.vertex_coloring(FRIENDS, fixed={"Cy": 1, "Ann": 5}), expected)
    assert expected.tolist() == [0, 5, 1]
    assert np.array_equal(sg.vertex_coloring(FRIENDS, fixed={}), sg.vertex_coloring(FRIENDS, fixed=[-1] * 3))
    ids = sg.from_edges([0, 1], [1, 2], nodes=[2, 0, 1], symmetrize=True)  # the keys are names, not numbers
    assert sg.vertex_coloring(ids, fixed={2: 7}).tolist() == sg.vertex_coloring(ids, fixed=[7, -1, -1]).tolist()
    grid = sg.from_edges([0], [1], nodes=[(0, 0), (0, 1)], symmetrize=True)
    assert sg.vertex_coloring(grid, fixed={(0, 1): np.int64(3)}).tolist() == [0, 3]


def test_fixed_colors_by_number_where_there_are_no_names():
    path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    for distance in (1, 2):
        expected = sg.vertex_coloring(path, fixed=[-1, 2, -1, 0], distance=distance)
        assert np.array_equal(sg.vertex_coloring(path, fixed={3: 0, np.int32(1): 2}, distance=distance), expected)


@pytest.mark.parametrize(
    ("graph", "fixed", "error", "message"),
    [
        (FRIENDS, {"Zoe": 0}, ValueError, "no vertex is named 'Zoe'; the names are graph.nodes"),
        (FRIENDS, {0: 0}, ValueError, "no vertex is named 0"),
        (FRIENDS, {"Ann": -1}, ValueError, "the fixed color of vertex 'Ann' must be at least 0, got -1"),
        (FRIENDS, {"Ann": 2**31}, ValueError, "the fixed color of vertex 'Ann' must be at most"),
        (FRIENDS, {"Ann": 1.0}, TypeError, "the fixed color of vertex 'Ann' must be an integer, got 1.0"),
        (FRIENDS, {"Ann": "red"}, TypeError, "the fixed color of vertex 'Ann' must be an integer, got 'red'"),
        (FRIENDS, {"Ann": 1, "Bob": 1}, ValueError, "vertices 'Bob' and 'Ann' are both fixed to color 1, but adjacent"),
        (sg.gallery.grid((2, 2)), {"Ann": 1}, TypeError, "(vertices have no names) must be an integer, got 'Ann'"),
        (sg.gallery.grid((2, 2)), {4: 1}, ValueError, "a vertex in fixed (vertices have no names) must be at most 3"),
        (sg.gallery.grid((2, 2)), {True: 1}, TypeError, "must be an integer, got True"),
        (sg.gallery.grid((2, 2)), {0: 1, 1: 1}, ValueError, "vertices 0 and 1 are both fixed to color 1, but adjacent"),
    ],
)
def test_fixed_colors_that_make_no_sense_are_refused(graph, fixed, error, message):
    with pytest.raises(error, match=re.escape(message)):
        sg.vertex_coloring(graph, fixed=fixed)
