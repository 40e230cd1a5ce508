"""as_graph: every input form and every rejection, compared with NumPy and SciPy."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph.conversion import in_order
from tests.graph.matrices import FORMATS, PATH, dense, shuffled_rows, stored
from tests.support.cases import each


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("form", FORMATS)
def test_every_scipy_format(form, container):
    graph = sg.as_graph(container(PATH).asformat(form))
    assert np.array_equal(dense(graph), PATH != 0)
    assert np.array_equal(graph.to_scipy().toarray(), PATH)
    assert (graph.indptr.dtype, graph.indices.dtype) == (np.int32, np.int32)
    assert graph.num_edges == 2


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr"])
def test_an_explicit_zero_is_an_edge(form):
    matrix = sp.coo_array((np.array([0.0, 0.0, 1.0]), ([0, 1, 2], [1, 0, 2])), shape=(3, 3)).asformat(form)
    graph = sg.as_graph(matrix)
    assert dense(graph)[0, 1] and dense(graph)[1, 0]


def test_a_zero_that_fills_a_block_is_an_edge():
    matrix = sp.csr_array(np.array([[0, 5, 0], [5, 0, 0], [0, 0, 0], [0, 0, 0]]) @ np.eye(3, 4, dtype=int))
    assert sg.as_graph(matrix).num_entries == 2
    blocks = matrix.tobsr((2, 2))
    graph = sg.as_graph(blocks)
    assert graph.to_scipy().toarray().tolist() == matrix.toarray().tolist()
    assert list(zip(graph._rows().tolist(), graph.indices.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert graph.has_loops and graph.weights.tolist() == [0, 5, 5, 0]
    cleaned = blocks.tocsr()
    cleaned.eliminate_zeros()
    assert sg.as_graph(cleaned) == sg.as_graph(matrix)


def test_a_csr_matrix_is_not_copied():
    matrix = sp.csr_array(PATH)
    graph = sg.as_graph(matrix)
    for name, array in (("indptr", matrix.indptr), ("indices", matrix.indices), ("weights", matrix.data)):
        assert np.shares_memory(getattr(graph, name), array)
        assert not getattr(graph, name).flags.writeable
        assert array.flags.writeable


def test_of_two_arrays_only_the_one_that_is_too_wide_is_copied():
    for wide, kept in (("indptr", "indices"), ("indices", "indptr")):
        arrays = {"indptr": np.array([0, 1, 2], np.int32), "indices": np.array([1, 0], np.int32)}
        arrays[wide] = arrays[wide].astype(np.int64)
        graph = sg.as_graph(tuple(arrays.values()))
        assert np.shares_memory(getattr(graph, kept), arrays[kept])
        assert getattr(graph, wide).dtype == np.int32


def test_a_symmetric_pattern_is_used_as_it_is():
    matrix = sp.csr_array(PATH)
    graph = sg.as_graph((matrix.indptr, matrix.indices), symmetrize=True)
    assert not graph.directed and graph.facts["symmetrized"] is False
    assert np.shares_memory(graph.indices, matrix.indices)


def test_rows_in_order():
    graph = sg.as_graph((np.array([0, 2, 4]), np.array([1, 1, 0, 0])))
    tidy = in_order(graph)
    assert tidy.indices.tolist() == [1, 0]
    assert in_order(tidy) is tidy


@each(indptr=[np.int64, np.uint32, np.int16, ">i4", np.uint64], indices=[np.int64, np.uint8, np.uint64, ">i8"])
def test_index_dtypes_are_narrowed(indptr, indices):
    matrix = stored(np.array([0, 1, 3, 4], indptr), np.array([1, 0, 2, 1], indices))
    graph = sg.as_graph(matrix)
    assert (graph.indptr.dtype, graph.indices.dtype) == (np.int32, np.int32)
    assert graph == sg.as_graph(stored(np.array([0, 1, 3, 4], np.int32), np.array([1, 0, 2, 1], np.int32)))


def test_strided_and_read_only_arrays():
    indptr, indices = np.array([0, 9, 1, 9, 2])[::2], np.array([1, 5, 0, 5])[::2]
    indptr.flags.writeable = indices.flags.writeable = False
    graph = sg.as_graph((indptr, indices))
    assert graph.indices.flags.c_contiguous
    assert graph.num_edges == 1
    read_only = np.array([1, 0], np.int32)
    read_only.flags.writeable = False
    assert sg.as_graph((np.array([0, 1, 2], np.int32), read_only)).num_edges == 1


def test_tuples():
    indptr, indices = np.array([0, 1, 2]), np.array([1, 0])
    assert sg.as_graph((indptr, indices)).weights is None
    assert sg.as_graph((indptr, indices, [2.5, 2.5])).weights.tolist() == [2.5, 2.5]
    assert sg.as_graph((indptr, indices, [2.5, 2.5]), weights=False).weights is None


def test_dense_arrays_and_edge_arrays():
    graph = sg.as_graph(PATH)
    assert np.array_equal(graph.to_scipy().toarray(), PATH)
    assert sg.as_graph(PATH > 0).weights is None
    assert np.array_equal(dense(sg.as_graph((PATH > 0).tolist())), PATH > 0)
    assert sg.as_graph(np.array([[0, 1], [1, 0]])).num_edges == 1
    assert sg.as_graph([[0, 1], [1, 0]]).num_vertices == 2
    assert sg.as_graph([(0, 1), (1, 2)], symmetrize=True).num_vertices == 3  # tuples are edges
    assert sg.as_graph(np.array([[0, 1], [1, 2], [4, 2]]), symmetrize=True).num_edges == 3


def test_names_of_several_kinds():
    assert sg.as_graph([("Ann", 1), (2, "Bob")], symmetrize=True).nodes == ["Ann", 1, 2, "Bob"]


def test_anything_with_indptr_indices_and_shape():
    class Foreign:
        shape, indptr, indices = (2, 2), np.array([0, 1, 2]), np.array([1, 0])

    assert sg.as_graph(Foreign()).num_edges == 1
    Foreign.data = np.array([5, 5])
    assert sg.as_graph(Foreign()).weights.tolist() == [5, 5]
    assert sg.as_graph(Foreign(), weights=False).weights is None
    Foreign.shape = (3, 3)
    with pytest.raises(ValueError, match=r"indptr has shape \(3,\), but a graph of 3 vertices needs \(4,\)"):
        sg.as_graph(Foreign())
    Foreign.shape = (2, 3)
    with pytest.raises(ValueError, match=r"must be square, got shape \(2, 3\)"):
        sg.as_graph(Foreign())


def test_a_graph_is_returned_as_it_is():
    graph = sg.as_graph(PATH)
    assert sg.as_graph(graph) is graph
    assert sg.as_graph(graph, symmetrize=True) is graph
    assert sg.as_graph(graph, weights=False).weights is None


@pytest.mark.parametrize("symmetrize", ["min", "max", "sum"])
def test_weights_of_a_graph_are_combined_as_those_of_its_matrix(symmetrize):
    matrix = sp.csr_array(np.array([[0, 1.0], [2.0, 0]]))
    graph = sg.as_graph(matrix)
    combined = sg.as_graph(graph, symmetrize=symmetrize)
    assert combined == sg.as_graph(matrix, symmetrize=symmetrize)
    assert sg.as_graph(combined, symmetrize=symmetrize) is combined
    with pytest.raises(ValueError, match=r"weights of entry \(0, 1\) differ: 1.0 and 2.0; .*pass weights=False$"):
        sg.as_graph(graph, symmetrize=True)


@pytest.mark.parametrize("weights", [["a", "b"], [None, {}]])
def test_weights_that_are_no_numbers_are_refused(weights):
    with pytest.raises(ValueError, match=r"^weights must be numbers, got"):
        sg.as_graph(([0, 1, 2], [1, 0], weights))
    with pytest.raises(ValueError, match=r"^weights must be numbers, got"):
        sg.from_edges([0, 1], [1, 0], weights)


def test_weights_in_another_byte_order_are_turned():
    weights = np.array([1.5, 1.5], np.dtype(float).newbyteorder("S"))
    for graph in (sg.as_graph(([0, 1, 2], [1, 0], weights)), sg.from_edges([0, 1], [1, 0], weights)):
        assert graph.weights.dtype.isnative
        assert graph.weights.tolist() == [1.5, 1.5]


def test_a_directed_graph_where_an_undirected_one_is_needed():
    arcs = sg.from_edges([0, 1], [1, 2], directed=True)
    with pytest.raises(ValueError, match=r"entry \(0, 1\) has no partner \(1, 0\); pass symmetrize=True"):
        sg.as_graph(arcs)
    assert sg.as_graph(arcs, symmetrize=True).num_edges == 2
    both = sg.from_edges([0, 1], [1, 0], directed=True)
    view = sg.as_graph(both)
    assert not view.directed
    assert np.shares_memory(view.indices, both.indices)
    again = sg.as_graph(view, directed=True)
    assert again.directed and again.is_symmetric and view.is_symmetric


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_graphs(n):
    graph = sg.as_graph(sp.csr_array((n, n)))
    assert (len(graph), graph.num_edges, graph.degrees.tolist()) == (n, 0, [0] * n)
    assert sg.as_graph(graph, weights=False) == sg.from_edges([], [], n=n)
    assert graph.facts["max_degree"] == 0
    assert graph.transpose() is graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert f"{n} vert" in repr(graph)
    graph.check()


@pytest.mark.parametrize(
    ("obj", "message"),
    [
        (sp.csr_array((2, 3)), r"must be square, got shape \(2, 3\)"),
        (np.ones((3, 4)), r"must be square, got shape \(3, 4\)"),
        ((np.array([1, 2]), np.array([0, 0])), r"start at 0, but indptr\[0\] is 1"),
        ((np.array([0, 1]), np.array([0, 0])), r"end at the number of indices, 2, but indptr\[1\] is 1"),
        ((np.array([0, 2, 1, 3]), np.array([0, 1, 2])), r"indptr\[1\] is 2 and indptr\[2\] is 1"),
        ((np.array([0, 2, 1, 3], np.int32), np.array([0, 1, 2], np.int32)), r"indptr\[1\] is 2 and indptr\[2\] is 1"),
        ((np.array([0, -5, 1, 3], np.int32), np.array([0, 1, 2], np.int32)), r"indptr\[0\] is 0 and indptr\[1\] is -5"),
        ((np.array([0, 99, 1, 3], np.int32), np.array([0, 1, 2], np.int32)), r"indptr\[1\] is 99 and indptr\[2\] is 1"),
        ((np.array([0, 0, 2], np.int32), np.array([0, 7], np.int32)), "entry 1, in row 1, has index 7, .* 2 vertices"),
        ((np.array([0, 0, 2]), np.array([-1, 0])), "entry 0, in row 1, has index -1"),
        ((np.array([0, 1, 2]), np.array([1, 2**32])), "entry 1, in row 1, has index 4294967296"),
        ((np.array([0, 1, 2]), np.array([1, 2**64 - 1], np.uint64)), "position 1 holds 18446744073709551615"),
        ((np.array([0, 1, 1]), np.array([1])), r"entry \(0, 1\) has no partner \(1, 0\); pass symmetrize=True"),
        ((np.array([0, 1, 2]), np.array([1.0, np.nan])), "indices must be whole numbers, but position 1 holds nan"),
        ((np.array([0, 1, 2]), np.array([[1, 0]])), r"indices must be one-dimensional, got shape \(1, 2\)"),
        ((np.array([0, 1, 2]), np.array([1, 0]), [1.0]), r"2 indices, but the weights have shape \(1,\)"),
        ((np.array([], int), np.array([], int)), "indptr is empty"),
        (([0],), "got 1 items"),
        (np.array([[0, np.nan], [1, 0]]), r"element \(0, 1\) of the matrix is NaN"),
        (np.zeros(4), r"got shape \(4,\)"),
        (
            np.array([["a", "b"], ["c", "d"]]),
            r"entry \('a', 'b'\) has no partner .* symmetrize=True to as_graph",
        ),
        ([("a", "b", 2.0)], r"an array of names must be edges of shape \(m, 2\), .* from_edges\(u, v, weights\)"),
    ],
)
def test_refusals_name_the_place(obj, message):
    with pytest.raises(ValueError, match=message):
        sg.as_graph(obj)


def test_a_table_is_told_to_go_through_from_table():
    class Table(dict):
        columns = ("a", "b")

    with pytest.raises(TypeError, match=r"graph of Table: from_table\(table, 'a', 'b'\) takes two columns"):
        sg.as_graph(Table())


def test_what_is_no_graph():
    with pytest.raises(TypeError, match="cannot make a graph of str: read_graph reads files; pass"):
        sg.as_graph("graph.mtx")


@pytest.mark.parametrize("obj", [PATH, sg.from_edges([0], [1], symmetrize=True)])
def test_options_that_do_not_exist(obj):
    with pytest.raises(ValueError, match="min, max, sum, False or True; got 'mean'"):
        sg.as_graph(obj, symmetrize="mean")
    with pytest.raises(ValueError, match="leave out directed=True"):
        sg.as_graph(obj, symmetrize=True, directed=True)


def test_the_first_culprit_is_named_also_in_unsorted_rows():
    matrix = sp.csr_array((PATH != 0).astype(float)).tolil()
    matrix[3, 0] = matrix[2, 3] = 1.0
    with pytest.raises(ValueError, match=r"entry \(2, 3\) has no partner \(3, 2\)"):
        sg.as_graph(shuffled_rows(sp.csr_array(matrix)))


def test_a_pattern_with_unequal_multiplicities_is_symmetric():
    graph = sg.as_graph((np.array([0, 2, 3]), np.array([1, 1, 0])))
    assert graph.num_edges == 1
    assert graph.facts["duplicates"] == 1
    assert graph.degrees.tolist() == [1, 1]


def test_networkx_graphs():
    nx = pytest.importorskip("networkx")
    source = nx.Graph([("a", "b"), ("b", "c"), ("d", "d")])
    graph = sg.as_graph(source)
    assert list(graph.nodes) == ["a", "b", "c", "d"]
    assert (graph.num_edges, graph.facts["loops"], graph.weights) == (2, 1, None)
    assert nx.utils.graphs_equal(graph.to_networkx(), source)
    assert sg.as_graph(source, directed=True).num_edges == 4
    assert sg.as_graph(source, symmetrize=True) == graph

    nx.set_edge_attributes(source, 2.5, "weight")
    graph = sg.as_graph(source)
    assert graph.weights.tolist() == [2.5] * 5
    assert nx.utils.graphs_equal(graph.to_networkx(), source)
    assert sg.as_graph(source, weights=False).weights is None

    arcs = nx.DiGraph([(2, 1), (1, 0)])
    with pytest.raises(ValueError, match=r"has no partner"):
        sg.as_graph(arcs)
    assert nx.utils.graphs_equal(sg.as_graph(arcs, directed=True).to_networkx(), arcs)
    assert sg.as_graph(arcs, symmetrize=True).num_edges == 2

    several = nx.MultiGraph()
    several.add_weighted_edges_from([(0, 1, 1.0), (0, 1, 2.0)])
    graph = sg.as_graph(several)
    assert (graph.num_entries, graph.num_edges, graph.facts["duplicates"]) == (4, 1, 2)
    assert sg.as_graph(several, symmetrize="sum").weights.tolist() == [3.0, 3.0]
    assert len(sg.as_graph(nx.Graph())) == 0


NEED_NO_WEIGHTS = {
    "maximal_independent_set": lambda graph: sg.maximal_independent_set(graph),
    "large_independent_set": lambda graph: sg.large_independent_set(graph).mask,
    "dependence_depth": lambda graph: sg.dependence_depth(graph),
    "is_maximal_independent_set": lambda graph: sg.is_maximal_independent_set(graph, [0, 2]),
    "is_independent_set": lambda graph: sg.is_independent_set(graph, [0, 3]),
    "vertex_coloring": lambda graph: sg.vertex_coloring(graph),
    "coloring_steps": lambda graph: sg.coloring_steps(graph),
    "color_bounds": lambda graph: sg.color_bounds(graph),
    "bridges": lambda graph: sg.bridges(graph),
    "is_bridge_list": lambda graph: sg.is_bridge_list(graph, np.zeros((0, 2), int)),
    "core_numbers": lambda graph: sg.core_numbers(graph),
    "is_core_labeling": lambda graph: sg.is_core_labeling(graph, [1] * 4),
    "is_proper_coloring": lambda graph: sg.is_proper_coloring(graph, [0, 1, 0, 1]),
    "connected_components": lambda graph: sg.connected_components(graph)[1],
    "is_component_labeling": lambda graph: sg.is_component_labeling(graph, [0] * 4),
    "strongly_connected_components": lambda graph: sg.strongly_connected_components(graph)[1],
    "condensation": lambda graph: sg.condensation(graph).num_vertices,
    "is_strong_component_labeling": lambda graph: sg.is_strong_component_labeling(graph, [0] * 4),
    "breadth_first_search": lambda graph: sg.breadth_first_search(graph, 0),
    "is_bfs_tree": lambda graph: sg.is_bfs_tree(graph, 0, [0, 1, 2, 3], [0, 0, 1, 2]),
    "aggregate": lambda graph: sg.aggregate(graph)[1],
    "is_aggregation": lambda graph: sg.is_aggregation(graph, [0] * 4),
    "coarse_graph": lambda graph: sg.coarse_graph(graph, [0, 0, 1, 1], count=True).weights,
    "is_spanning_forest": lambda graph: sg.is_spanning_forest(graph, sp.diags_array([[1.0] * 3], offsets=[1])),
}


@each(name=NEED_NO_WEIGHTS)
def test_weights_that_are_not_needed_are_not_looked_at(name):
    nx = pytest.importorskip("networkx")
    roads = nx.path_graph(4)
    nx.set_edge_attributes(roads, "heavy", "weight")
    run = NEED_NO_WEIGHTS[name]
    assert np.array_equal(run(roads), run(nx.path_graph(4)))


def test_weights_that_are_needed_are_numbers():
    nx = pytest.importorskip("networkx")
    roads = nx.path_graph(4)
    nx.set_edge_attributes(roads, "heavy", "weight")
    forest = sp.diags_array([[1.0] * 3], offsets=[1])
    for run in (
        sg.minimum_spanning_forest,
        lambda graph: sg.is_minimum_spanning_forest(graph, forest),
        lambda graph: sg.coarse_graph(graph, [0, 0, 1, 1]),
        lambda graph: sg.aggregate(graph, strength=0.1),
        lambda graph: sg.subgraph(graph, [0, 1]),
    ):
        with pytest.raises(ValueError, match="weights must be numbers, got <U5"):
            run(roads)


def test_of_several_broken_elements_of_a_matrix_the_first_is_named():
    with pytest.raises(ValueError, match=r"element \(0, 2\) of the matrix is NaN"):
        sg.as_graph(np.array([[0, 1, np.nan], [1, 0, 0], [np.nan, 0, 0]]))


def test_two_rows_of_ends_are_no_matrix():
    """Nor is a column of them interpreted as an edge."""
    with pytest.raises(ValueError, match=r"an array of shape \(2, 3\) is no matrix .* use from_edges\(\*array\)"):
        sg.as_graph(np.array([[0, 1, 2], [1, 2, 0]]))
