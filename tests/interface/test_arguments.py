"""Arguments are either used completely, or rejected in one sentence that says what to do."""

import inspect
import os
import re

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery, plot
from tests.support.cases import each

GRID = gallery.grid((3, 4))
PATH = gallery.grid((3,))
LABELS = sg.aggregate(GRID)
SEARCH = sg.breadth_first_search(GRID, 0)
MASKED = np.ma.array(np.arange(12) % 2, mask=np.arange(12) == 7)
EMPTY = np.zeros(12, int)

WHOLE_RESULTS = {  # the call, the argument's name, and the result that should be passed instead
    "coarse_graph": (lambda: sg.coarse_graph(GRID, LABELS), "labels", "second"),
    "aggregation_operator": (lambda: sg.aggregation_operator(LABELS), "labels", "second"),
    "is_aggregation": (lambda: sg.is_aggregation(GRID, LABELS), "labels", "second"),
    "is_component_labeling": (
        lambda: sg.is_component_labeling(GRID, sg.connected_components(GRID)),
        "labels",
        "second",
    ),
    "is_strong_component_labeling": (
        lambda: sg.explain(sg.is_strong_component_labeling, GRID, sg.connected_components(GRID)),
        "labels",
        "second",
    ),
    "is_proper_coloring": (lambda: sg.is_proper_coloring(GRID, LABELS), "colors", "second"),
    "is_independent_set": (
        lambda: sg.is_independent_set(GRID, sg.maximal_independent_set(GRID, return_info=True)),
        "mask",
        "first",
    ),
    "is_bfs_tree": (lambda: sg.is_bfs_tree(GRID, 0, SEARCH, SEARCH), "distance", None),
    "is_shortest_path_tree": (lambda: sg.is_shortest_path_tree(GRID, 0, SEARCH, SEARCH), "distance", None),
    "bfs_path": (lambda: sg.bfs_path(SEARCH, 3), "parent", None),
    "color_classes": (lambda: sg.color_classes(LABELS), "colors", "second"),
    "inherit_labels": (lambda: sg.inherit_labels(LABELS, [0]), "new", "second"),
    "is_star_coloring": (lambda: sg.is_star_coloring(GRID, LABELS), "colors", "second"),
    "fixed": (lambda: sg.vertex_coloring(GRID, fixed=LABELS), "fixed", "second"),
    "subgraph": (lambda: GRID.subgraph(sg.largest_component(GRID)), "vertices", "second"),
    "sources": (lambda: sg.breadth_first_search(GRID, sg.largest_component(GRID)), "sources", "second"),
    "include": (lambda: sg.large_independent_set(GRID, include=sg.largest_component(GRID)), "include", "second"),
    "from_edges": (lambda: sg.from_edges(np.nonzero(np.eye(3)), [0, 1]), "u", None),
}
FIGURES = {
    "aggregates_figure": (lambda: plot.aggregates_figure(GRID, LABELS), "labels", "second"),
    "plot_aggregate_sizes": (lambda: plot.plot_aggregate_sizes(LABELS), "labels", "second"),
    "plot_color_sizes": (lambda: plot.plot_color_sizes(LABELS), "colors", "second"),
    "coloring_figure": (lambda: plot.coloring_figure(GRID, LABELS), "colors", "second"),
    "independent_set_figure": (
        lambda: plot.independent_set_figure(GRID, sg.maximal_independent_set(GRID, return_info=True)),
        "mask",
        "first",
    ),
}


def needs_matplotlib(name):
    if name in FIGURES or name in ("positions", "figure"):
        pytest.importorskip("matplotlib").use("Agg")


@each(name=[*WHOLE_RESULTS, *FIGURES])
def test_several_results_in_place_of_an_array(name):
    needs_matplotlib(name)
    call, argument, which = {**WHOLE_RESULTS, **FIGURES}[name]
    end = f", the {which} of them" if which else ""
    with pytest.raises(TypeError, match=f"^{argument} is a tuple of 2 results: pass one array{end}$"):
        call()


def test_several_results_in_place_of_a_graph():
    with pytest.raises(TypeError, match=r"^a tuple of 2 results is not a graph: pass only its graph element$"):
        sg.vertex_coloring(sg.largest_component(GRID))
    with pytest.raises(TypeError, match="a tuple of 2 results is not a graph"):
        sg.as_graph(gallery.elasticity_3d((2, 2, 2)))


# -------------------------------------------------------------------------------------------------------- masked arrays

MASKED_ARRAYS = {
    "priority": lambda values: sg.maximal_independent_set(GRID, priority=values),
    "include": lambda values: sg.maximal_independent_set(GRID, include=values.astype(bool)),
    "exclude": lambda values: sg.maximal_independent_set(GRID, exclude=values.astype(bool)),
    "order": lambda values: sg.vertex_coloring(GRID, order=values),
    "fixed": lambda values: sg.vertex_coloring(GRID, fixed=values),
    "mask": lambda values: sg.is_independent_set(GRID, values.astype(bool)),
    "colors": lambda values: sg.is_proper_coloring(GRID, values),
    "labels": lambda values: sg.coarse_graph(GRID, values),
    "sources": lambda values: sg.breadth_first_search(GRID, values.astype(bool)),
    "vertices": lambda values: GRID.subgraph(values.astype(bool)),
    "parent": lambda values: sg.bfs_path(values, 1),
    "u": lambda values: sg.from_edges(values, EMPTY),
    "v": lambda values: sg.from_edges(EMPTY, values),
    "weights of edges": lambda values: sg.from_edges(EMPTY, EMPTY, values),
    "indices": lambda values: sg.as_graph((np.array([0, 12, 12]), values), directed=True),
    "weights": lambda values: sg.as_graph((np.array([0, 12, 12]), EMPTY, values), directed=True),
    "the array": lambda values: sg.as_graph(values.reshape(6, 2), directed=True),
    "the matrix": lambda values: sg.jacobian_coloring(values.reshape(3, 4)),
    "compressed": lambda values: sg.jacobian_coloring(np.ones((3, 4))).recover(values.reshape(3, 4)),
    "b": lambda values: sg.smoothed_aggregation(gallery.laplacian((3, 4))).solve(values),
    "b of a sweep": lambda values: sg.gauss_seidel(gallery.laplacian((3, 4))).sweep(np.zeros(12), values),
    "positions": lambda values: plot.plot_coloring(GRID, EMPTY, np.ma.stack([values, values], axis=1)),
}


@each(name=MASKED_ARRAYS)
def test_masked_values_are_not_dropped(name):
    needs_matplotlib(name)
    argument = name.partition(" of ")[0]
    with pytest.raises(ValueError, match=rf"^{argument} is a masked array without a value at \[.*\.filled\("):
        MASKED_ARRAYS[name](MASKED)


def test_a_masked_matrix_of_a_system_is_refused():
    A = np.ma.array(4 * np.eye(3), mask=np.eye(3) > 0)
    with pytest.raises(ValueError, match=r"^A is a masked array without a value at \[0, 0\]"):
        sg.smoothed_aggregation(A)


def test_masked_arrays_with_nothing_masked_are_arrays():
    values = np.ma.array(np.arange(12), mask=np.zeros(12, bool))
    expected = sg.maximal_independent_set(GRID, priority=np.arange(12))
    assert (sg.maximal_independent_set(GRID, priority=values) == expected).all()
    assert sg.is_independent_set(GRID, np.ma.array(expected))


def test_csgraph_reads_masked_entries_as_scipy_does():
    matrix = np.ma.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]], mask=[[0, 1, 1], [1, 0, 0], [1, 0, 0]])
    count, labels = sg.csgraph.connected_components(matrix)
    assert (count, labels.tolist()) == (2, [0, 1, 1])


# ------------------------------------------------------------------------------------------------------------- vertices

VERTICES = {
    "sources": lambda graph, vertices: sg.breadth_first_search(graph, vertices),
    "include": lambda graph, vertices: sg.maximal_independent_set(graph, include=vertices),
    "exclude": lambda graph, vertices: sg.maximal_independent_set(graph, exclude=vertices),
    "vertices": lambda graph, vertices: graph.subgraph(vertices),
}


@each(name=VERTICES)
@pytest.mark.parametrize(
    ("vertices", "error", "words"),
    [
        ([0, 0], ValueError, r"names vertex 0 2 times; an array of integers is read as vertices: .*\.astype\(bool\)$"),
        (np.array([1, 0, 1], np.int32), ValueError, r"names vertex 1 2 times; .*\.astype\(bool\)$"),
        ([0, 3], ValueError, "names vertex 3, but there are 3 vertices, numbered from 0$"),
        ([-1], ValueError, "names vertex -1, but there are 3 vertices"),
        ([True, False], ValueError, r"is a mask of shape \(2,\), but there are 3 vertices: pass shape \(3,\)$"),
        (["a"], TypeError, r"must be numbers of vertices or a mask of bool, got 'a': the vertices .* only by number$"),
        ([0.5], TypeError, r"must be numbers of vertices or a mask of bool, got float64 of shape \(1,\)$"),
        ([[0]], TypeError, r"must be numbers of vertices or a mask of bool, got int64 of shape \(1, 1\)$"),
    ],
    ids=str,
)
def test_vertices_that_are_none(name, vertices, error, words):
    with pytest.raises(error, match=f"^{name} {words}"):
        VERTICES[name](PATH, vertices)


@pytest.mark.parametrize("name", ["sources", "vertices"])
def test_vertices_in_every_form(name):
    expected = sg.breadth_first_search(GRID, [3, 7]) if name == "sources" else GRID.subgraph([3, 7])
    for vertices in ((3, 7), np.array([3, 7], np.uint8), np.isin(np.arange(12), [3, 7]), np.array([3, 7], np.uint64)):
        result = VERTICES[name](GRID, vertices)
        assert np.array_equal(result, expected) if name == "sources" else result == expected
    assert GRID.subgraph([7, 3, 0]).degrees.tolist() == [1, 1, 0]
    assert sg.breadth_first_search(PATH, [])[0].tolist() == [-1, -1, -1]


@pytest.mark.skipif(not hasattr(sg.Graph, "index"), reason="vertices are not found by name")
@pytest.mark.parametrize("name", VERTICES)
def test_vertices_by_name(name):
    graph = sg.from_edges([0, 1], [1, 2], nodes=["Ann", "Bob", "Cy"], symmetrize=True)
    assert np.array_equal(VERTICES[name](graph, ["Cy"]), VERTICES[name](graph, [2]))
    with pytest.raises(ValueError, match="'Dan'"):
        VERTICES[name](graph, ["Dan"])


# ------------------------------------------------------------------------------ the function and the argument are named


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: sg.from_edges([0], [1]),
            ValueError,
            "entry (0, 1) has no partner (1, 0); pass symmetrize=True to from_edges",
        ),
        (
            lambda: sg.as_graph([(0, 1)]),
            ValueError,
            "entry (0, 1) has no partner (1, 0); pass symmetrize=True to as_graph",
        ),
        (
            lambda: sg.as_graph(np.array([[0.0, 1.5]])),
            ValueError,
            "column 0 of the edges must be integers, got float64",
        ),
        (
            lambda: sg.as_graph([("a", "b"), ("b", "c")]),
            ValueError,
            "entry ('a', 'b') has no partner ('b', 'a'); pass symmetrize=True to as_graph",
        ),
        (lambda: sg.csgraph.breadth_first_order(np.eye(3), 3), ValueError, "i_start is 3, but there are 3 vertices"),
        (lambda: sg.from_edges([0], [1], ["x"]), ValueError, "weights must be numbers, got <U1"),
        (lambda: sg.is_proper_coloring(PATH, [0, 1, 0], 0), ValueError, "distance must be at least 1, got 0"),
        (lambda: sg.is_proper_coloring(PATH, [0, 1, 0], "2"), TypeError, "distance must be an integer, got '2'"),
        (
            lambda: sg.jacobian_coloring(np.ones((4, 2))).recover(np.ones((3, 4))),
            ValueError,
            "compressed has shape (3, 4), expected (4, 2)",
        ),
        (
            lambda: sg.jacobian_coloring(np.ones((3, 1))).recover(sp.csr_array(np.eye(3))),
            TypeError,
            "compressed is a sparse matrix: pass the products as a dense array",
        ),
    ],
)
def test_messages_name_the_function_and_the_argument(call, error, words):
    with pytest.raises(error, match="^" + re.escape(words)):
        call()


def test_a_file_that_is_to_be_undirected_names_the_reader(tmp_path):
    (tmp_path / "arcs.txt").write_text("# Directed graph\n0 1\n1 2\n2 1\n")
    with pytest.raises(ValueError, match="pass symmetrize=True to read_graph"):
        sg.read_graph(tmp_path / "arcs.txt", directed=False)


# ---------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: sg.connected_components(PATH, algorithm="fast_sv"),
            "one of union, fastsv; got 'fast_sv': did you mean",
        ),
        (lambda: sg.minimum_spanning_forest(PATH, algorithm="filter-kruskal"), "did you mean 'filter_kruskal'?"),
        (lambda: sg.aggregate(PATH, algorithm="mis2-basic"), "did you mean 'mis2_basic'?"),
        (lambda: sg.aggregate(PATH, algorithm=2), "must be one of mis2, mis2_basic, kokkos; got 2"),
        (lambda: sg.vertex_coloring(PATH, order="smallest-last"), "did you mean 'smallest_last'?"),
        (lambda: sg.maximal_independent_set(PATH, algorithm="luby-select"), "did you mean 'luby_select'?"),
    ],
)
def test_a_name_that_is_unknown_is_answered_with_those_that_are_known(call, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        call()


# --------------------------------------------------------------------------------------------------------------- truths

SMALL = sg.from_edges([0, 1], [1, 2], symmetrize=True)
FIRST_ARGUMENTS = {  # of functions that need more, or something else, than a graph
    "breadth_first_search": (SMALL, 0),
    "coarse_graph": (SMALL, [0, 0, 1]),
    "explain": (sg.is_aggregation, SMALL, [0, 0, 0]),
    "from_edges": ([0, 1], [1, 2]),
    "from_table": (None,),
    "cluster_pairs": (None,),
    "cluster_table": (SMALL, [0, 0, 0]),
    "gauss_seidel": (gallery.laplacian((3, 3)),),
    "is_aggregation": (SMALL, [0, 0, 0]),
    "is_bfs_tree": (SMALL, [0], [0, 1, 2], [0, 0, 1]),
    "is_shortest_path_tree": (SMALL, [0], [0, 1, 2], [0, 0, 1]),
    "is_maximal_matching": (SMALL, [1, 0, -1]),
    "solve": (gallery.laplacian((3, 3)), np.ones(9)),
    "sparse_hessian": (np.sum, np.eye(2)),
    "sparse_jacobian": (np.sin, np.eye(2)),
    "is_minimum_spanning_forest": (SMALL, sg.minimum_spanning_forest(SMALL)),
}


def _truths():
    for name in sg.__all__:
        function = getattr(sg, name)
        if inspect.isfunction(function):
            for option in inspect.signature(function).parameters.values():
                takes_more = option.name in ("symmetrize", "adaptive", "progress")  # tested with their other values
                if "bool" in str(option.annotation).split() and not takes_more:
                    yield pytest.param(name, option.name, id=f"{name}-{option.name}")


@pytest.mark.parametrize(("name", "option"), list(_truths()))
def test_what_is_neither_true_nor_false_is_not_taken_for_true(name, option):
    """For example directed="no"."""
    with open(os.devnull, "rb") as file:
        arguments = (file,) if name == "read_graph" else FIRST_ARGUMENTS.get(name, (SMALL,))
        with pytest.raises(TypeError, match=f"{option} must be True or False, got 'no'"):
            getattr(sg, name)(*arguments, **{option: "no"})
