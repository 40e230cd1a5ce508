"""Graph, as_graph and from_edges: every way in, every refusal, and the facts, against NumPy and SciPy."""

import io
import pickle
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st

import stablegraph as sg
from stablegraph.census import first_hash, second_hash, take_census
from stablegraph.construction import build_rows
from stablegraph.graph import Graph
from stablegraph.parallel import use_target


def stored(indptr, indices, data=None):
    """A CSR array of just these arrays."""
    n = len(indptr) - 1
    matrix = sp.csr_array((n, n))
    matrix.indptr, matrix.indices = np.asarray(indptr), np.asarray(indices)
    matrix.data = np.ones(len(indices)) if data is None else np.asarray(data)
    return matrix


def dense(graph):
    """The pattern as a boolean matrix."""
    result = np.zeros((len(graph), len(graph)), bool)
    result[np.repeat(np.arange(len(graph)), np.diff(graph.indptr)), graph.indices] = True
    return result


def shuffled_rows(matrix, seed=0):
    random = np.random.default_rng(seed)
    matrix = matrix.copy()
    for u in range(matrix.shape[0]):
        row = slice(matrix.indptr[u], matrix.indptr[u + 1])
        order = random.permutation(row.stop - row.start)
        matrix.indices[row], matrix.data[row] = matrix.indices[row][order], matrix.data[row][order]
    matrix.has_sorted_indices = False
    return matrix


PATH = np.array([[0, 2, 0, 0], [2, 0, 3, 0], [0, 3, 0, 0], [0, 0, 0, 0]])
FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


# -------------------------------------------------------------------------------- as_graph: the ways in


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


def test_a_csr_matrix_is_not_copied():
    matrix = sp.csr_array(PATH)
    graph = sg.as_graph(matrix)
    for name, array in (("indptr", matrix.indptr), ("indices", matrix.indices), ("weights", matrix.data)):
        assert np.shares_memory(getattr(graph, name), array)
        assert not getattr(graph, name).flags.writeable
        assert array.flags.writeable


@pytest.mark.parametrize("indptr", [np.int64, np.uint32, np.int16, ">i4", np.uint64])
@pytest.mark.parametrize("indices", [np.int64, np.uint8, np.uint64, ">i8"])
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


def test_anything_with_indptr_indices_and_shape():
    class Foreign:
        shape, indptr, indices = (2, 2), np.array([0, 1, 2]), np.array([1, 0])

    assert sg.as_graph(Foreign()).num_edges == 1
    Foreign.shape = (3, 3)
    with pytest.raises(ValueError, match=r"indptr has shape \(3,\), but a graph of 3 vertices needs \(4,\)"):
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
    with pytest.raises(ValueError, match=r"weights of entry \(0, 1\) differ: 1.0 and 2.0"):
        sg.as_graph(graph, symmetrize=True)


@pytest.mark.parametrize("weights", [["a", "b"], [None, {}]])
def test_weights_that_are_no_numbers_are_refused(weights):
    with pytest.raises(ValueError, match=r"^weights must be numbers, got"):
        sg.as_graph(([0, 1, 2], [1, 0], weights))
    with pytest.raises(ValueError, match=r"^w must be numbers, got"):
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
    assert sg.as_graph(view, directed=True).directed


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_graphs(n):
    graph = sg.as_graph(sp.csr_array((n, n)))
    assert (len(graph), graph.num_edges, graph.degrees().tolist()) == (n, 0, [0] * n)
    assert sg.as_graph(graph, weights=False) == sg.from_edges([], [], n=n)
    assert graph.facts["max_degree"] == 0
    assert graph.transpose() is graph
    assert pickle.loads(pickle.dumps(graph)) == graph
    assert f"{n} vert" in repr(graph)
    graph.check()


# -------------------------------------------------------------------------------- as_graph: refusals


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
        (np.array([["a", "b"], ["c", "d"]]), "an array of edges must hold integers, got <U1"),
    ],
)
def test_refusals_name_the_place(obj, message):
    with pytest.raises(ValueError, match=message):
        sg.as_graph(obj)


def test_what_is_no_graph():
    with pytest.raises(TypeError, match="cannot make a graph of str"):
        sg.as_graph("graph.mtx")


@pytest.mark.parametrize("obj", [PATH, sg.from_edges([0], [1], symmetrize=True)])
def test_options_that_do_not_exist(obj):
    with pytest.raises(ValueError, match="'min', 'max' or 'sum', got 'mean'"):
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
    assert graph.degrees().tolist() == [1, 1]


# -------------------------------------------------------------------------------- the symmetry test


def structured():
    """Patterns that a weak hash could take for symmetric."""
    n = 60
    eye = np.eye(n, dtype=bool)
    yield "directed cycle", np.roll(eye, 1, axis=1)
    for offsets in [(1, 2, -3), (1, 5, 6, -2, -3, -7), (3,), (1, -2)]:
        yield f"circulant {offsets}", np.any([np.roll(eye, k, axis=1) for k in offsets], axis=0)
    random = np.random.default_rng(5)
    for _ in range(5):
        yield "permutation", eye[random.permutation(n)]
    block = random.random((n // 2, n // 2)) < 0.2
    zero = np.zeros_like(block)
    yield "block and not its transpose", np.block([[zero, block], [block, zero]])
    yield "one side of a block", np.block([[zero, block], [zero, zero]])
    shift = np.zeros((n, n), bool)
    shift[0, 1:] = shift[1:, -1] = True
    yield "star out, star in", shift
    twice = np.zeros((n, n), bool)
    twice[np.arange(n // 2), 2 * np.arange(n // 2)] = True
    yield "v to 2 v", twice
    for u, v in [(0, 1), (1, 0), (0, n - 1), (n - 1, 0)]:
        one = np.zeros((n, n), bool)
        one[u, v] = True
        yield f"only {u, v}", one


def test_no_single_arc_is_taken_for_symmetric():
    first = [first_hash(v) for v in range(300)]
    second = [second_hash(x) for x in first]
    for u in range(300):
        assert all((first[u] * second[v] - second[u] * first[v]) % 2**40 for v in range(u))


@pytest.mark.parametrize(("name", "pattern"), list(structured()))
def test_structured_unsymmetric_patterns_are_refused(name, pattern):
    assert not np.array_equal(pattern, pattern.T)
    culprit = tuple(np.argwhere(pattern & ~pattern.T)[0].tolist())
    with pytest.raises(ValueError) as caught:
        sg.as_graph(pattern)
    assert f"entry {culprit} has no partner {culprit[::-1]}" in str(caught.value)
    assert not sg.as_graph(pattern, directed=True).is_symmetric
    assert np.array_equal(dense(sg.as_graph(pattern, symmetrize=True)), pattern | pattern.T)


def test_the_sums_are_those_of_the_definition():
    random = np.random.default_rng(0)
    for _ in range(200):
        n = int(random.integers(1, 12))
        pattern = random.random((n, n)) < random.random()
        matrix = sp.csr_array(pattern)
        census = take_census(matrix.indptr, matrix.indices, "cpu")
        first = [first_hash(v) for v in range(n)]
        second = [second_hash(x) for x in first]
        entries = np.argwhere(pattern).tolist()
        assert census.forward == sum(first[u] * second[v] for u, v in entries) % 2**63
        assert census.backward == sum(second[u] * first[v] for u, v in entries) % 2**63
        assert (census.forward == census.backward) == np.array_equal(pattern, pattern.T)


# -------------------------------------------------------------------------------- facts and methods


@pytest.mark.parametrize("unsorted", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_facts_of_loops_and_duplicates(unsorted, wide):
    #          0: 1 1 2   1: 0 1 1   2: 0   3: 3   4:
    indptr, indices = np.array([0, 3, 6, 7, 8, 8]), np.array([1, 1, 2, 0, 1, 1, 0, 3])
    if unsorted:
        indices = np.array([1, 2, 1, 1, 0, 1, 0, 3])
    graph = sg.as_graph((indptr, indices))
    if wide:
        graph = graph._with_dtypes(np.int64, np.int64)
    assert graph.is_sorted is not unsorted
    assert ("duplicates" in graph.facts) is not unsorted
    assert graph.has_loops and graph.has_duplicates and graph.is_symmetric
    assert graph.degrees().tolist() == [2, 1, 1, 0, 0]
    assert not graph.degrees().flags.writeable
    assert graph.facts["loops"] == 3
    assert graph.facts["duplicates"] == 2
    assert graph.facts["max_degree"] == 2
    assert graph.facts["longest_row"] == 3
    assert (graph.num_entries, graph.num_edges, graph.simple_degree_offset()) == (8, 2, None)
    with pytest.raises(TypeError):
        graph.facts["loops"] = 0


def test_the_offset_of_simple_degrees():
    grid = sp.csr_array(PATH)
    assert sg.as_graph(grid).simple_degree_offset() == 0
    diagonal = sg.as_graph(sp.csr_array(PATH + np.eye(4)))
    assert diagonal.simple_degree_offset() == 1
    assert diagonal.degrees().tolist() == [1, 2, 1, 0]
    assert diagonal.num_edges == 2
    assert sg.as_graph(sp.csr_array(PATH + np.diag([1, 0, 0, 0]))).simple_degree_offset() is None
    unsorted = sg.as_graph((np.array([0, 2, 3, 4]), np.array([2, 1, 0, 0])))
    assert unsorted.simple_degree_offset() is None
    assert unsorted.degrees().tolist() == [2, 1, 1]
    assert unsorted.simple_degree_offset() == 0


def test_a_loop_stored_twice_beside_a_vertex_without_one():
    graph = sg.as_graph((np.array([0, 2, 2]), np.array([0, 0])))
    assert graph.simple_degree_offset() is None
    assert graph.degrees().tolist() == [0, 0]


def test_a_graph_cannot_be_changed():
    graph = sg.as_graph(PATH)
    with pytest.raises(AttributeError, match="cannot be changed"):
        graph.indptr = None
    with pytest.raises(AttributeError, match="cannot be changed"):
        del graph.weights
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 3
    with pytest.raises(TypeError, match="made by as_graph"):
        Graph()


def test_check_finds_changed_arrays():
    for change in ("indices", "indptr"):
        matrix = stored(np.array([0, 1, 3, 4], np.int32), np.array([1, 0, 2, 1], np.int32))
        graph = sg.as_graph(matrix)
        graph.check()
        getattr(matrix, change)[1] += 1
        with pytest.raises(ValueError, match="were changed after it was made"):
            graph.check()


def test_equality_and_hash():
    graph = sg.as_graph(PATH)
    assert graph == sg.as_graph(sp.csr_array(PATH)) and hash(graph) == hash(sg.as_graph(sp.csr_array(PATH)))
    assert graph == graph._with_dtypes(np.int64, np.int64)
    assert graph != sg.as_graph(PATH, weights=False)
    assert graph != sg.as_graph(PATH * 2)
    assert graph != sg.as_graph(PATH, directed=True)
    assert graph != PATH.tolist()
    assert sg.from_edges([0], [1], symmetrize=True, nodes="ab") != sg.from_edges([0], [1], symmetrize=True, nodes="ac")


def test_pickle_keeps_everything():
    graph = sg.from_edges([0, 0, 1], [1, 1, 1], [2.0, 2.0, 3.0], symmetrize=True, nodes=["a", "b"])
    graph = graph._with_dtypes(np.int64, np.int32)
    again = pickle.loads(pickle.dumps(graph))
    assert again == graph and again.facts == graph.facts and again.indptr.dtype == np.int64
    assert not again.indices.flags.writeable


def test_repr():
    assert repr(sg.as_graph(PATH)) == (
        "<Graph: 4 vertices, 2 edges, undirected, degrees 0 to 2, int64 weights, cpu, 68 bytes>"
    )
    assert "1 arc, directed" in repr(sg.from_edges([0], [1], directed=True))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("wide", [False, True])
def test_transpose(weighted, wide):
    random = np.random.default_rng(1)
    u, v, w = random.integers(0, 30, 200), random.integers(0, 30, 200), np.arange(200.0)
    graph = sg.from_edges(u, v, w if weighted else None, 30, directed=True, drop_duplicates=False)
    if wide:
        graph = graph._with_dtypes(np.int64, np.int64)
    turned = graph.transpose()
    assert turned is graph.transpose() and turned.transpose() is graph
    assert turned.directed and turned.is_sorted and turned.num_entries == 200
    assert turned.indices.dtype == graph.indices.dtype
    assert np.array_equal(turned.to_scipy().toarray(), graph.to_scipy().toarray().T)


def test_subgraph():
    random = np.random.default_rng(2)
    graph = sg.from_edges(
        random.integers(0, 40, 300),
        random.integers(0, 40, 300),
        random.random(300),
        symmetrize="sum",
        nodes=range(100, 140),
    )
    matrix = graph.to_scipy().toarray()
    mask = random.random(40) < 0.5
    part = graph.subgraph(mask)
    assert np.array_equal(part.to_scipy().toarray(), matrix[mask][:, mask])
    assert list(part.nodes) == (100 + np.flatnonzero(mask)).tolist()
    order = random.permutation(40)[:15]
    part = graph.subgraph(order)
    assert np.array_equal(part.to_scipy().toarray(), matrix[order][:, order])
    assert len(graph.subgraph([])) == 0
    with pytest.raises(ValueError, match=r"vertices is a mask of shape \(3,\), but there are 40"):
        graph.subgraph(np.ones(3, bool))
    with pytest.raises(ValueError, match="vertices names vertex 40, but there are 40"):
        graph.subgraph([1, 40])
    with pytest.raises(ValueError, match="vertices names vertex 7 2 times"):
        graph.subgraph([7, 3, 7])


def test_devices():
    graph = sg.as_graph(PATH)
    assert graph.device == "cpu" and graph.to("cpu") is graph
    with pytest.raises(ValueError, match="'cpu' or 'cuda', got 'tpu'"):
        graph.to("tpu")


# -------------------------------------------------------------------------------- NetworkX


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


# -------------------------------------------------------------------------------- from_edges


@pytest.mark.parametrize("kind", [list, np.int8, np.int32, np.int64, np.uint32, np.uint64, ">i4"])
def test_kinds_of_ids(kind):
    u, v = ([0, 1, 2], [1, 2, 0]) if kind is list else (np.array([0, 1, 2], kind), np.array([1, 2, 0], kind))
    graph = sg.from_edges(u, v, symmetrize=True)
    assert graph.num_edges == 3
    assert graph == sg.from_edges([0, 1, 2], np.array([1, 2, 0], np.int32), symmetrize=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1]), "equal lengths, got 2 and 1"),
        (([0, -3], [1, 1]), r"edge 1 \(-3, 1\): -3 is not one of the 2 vertices; ids start at 0"),
        (([0, 1], [1, 5], None, 5), r"edge 1 \(1, 5\): 5 is not one of the 5 vertices; pass a larger n"),
        (([0, 2**40], [1, 1], None, 5), r"edge 1 \(1099511627776, 1\)"),
        (([0, 2**40], [1, 1]), "more than 2"),
        (([0.0, np.nan], [1, 1]), "u must be whole numbers, but position 1 holds nan"),
        (([0, 1], [1, 1.5]), "v must be whole numbers, but position 1 holds 1.5"),
        (([0.0, 1.0], [1, 1]), "u must be integers, got float64"),
        ((["a"], ["b"]), "u must be integers"),
        (([True], [False]), "u must be integers, got bool"),
        (([[0, 1]], [[1, 0]]), r"u must be one-dimensional, got shape \(1, 2\)"),
        (([0, 1], [1, 0], [1.0]), "one weight for each of the 2 edges"),
        (([0], [1], None, -1), "n must be the number of vertices"),
        (([0], [1], None, 2.0), "n must be the number of vertices"),
        (([0, 1], [1, 2]), r"entry \(0, 1\) has no partner \(1, 0\); pass symmetrize=True"),
        (([0, 1, 1], [1, 0, 0], [1.0, 1.0, 2.0]), r"weights of entry \(1, 0\) differ: 1.0 and 2.0"),
    ],
)
def test_from_edges_refuses(arguments, message):
    with pytest.raises(ValueError, match=message):
        sg.from_edges(*arguments)


def test_wrong_number_of_names():
    with pytest.raises(ValueError, match="3 vertices, but nodes has 2 names"):
        sg.from_edges([0], [1], n=3, nodes=["a", "b"], symmetrize=True)


IDS, NAMES = [3, 30], ["Ann, B", "Cy"]
UNEQUAL = sg.from_edges([0, 1], [1, 0], [2.0, 3.0], nodes=NAMES)
REPEATED = sg.from_edges([0, 0, 1], [1, 1, 0], [1.0, 2.0, 5.0], nodes=IDS, drop_duplicates=False)
NOT_A_NUMBER = sg.from_edges([0, 1], [1, 0], [np.nan, np.nan], nodes=IDS)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sg.from_edges([0], [1], nodes=NAMES), "entry ('Ann, B', 'Cy') has no partner ('Cy', 'Ann, B')"),
        (lambda: sg.from_edges([0, 0], [1, 1], [1, 2], nodes=IDS, directed=True), "entry (3, 30) differ: 1 and 2"),
        (lambda: sg.as_graph(UNEQUAL, symmetrize=True), "entry ('Ann, B', 'Cy') differ: 2.0 and 3.0"),
        (lambda: sg.read_graph(io.BytesIO(b"3 30\n"), directed=False), "entry (3, 30) has no partner (30, 3)"),
        (lambda: sg.read_graph(io.BytesIO(b"3 30 1\n30 3 2\n"), symmetrize=True), "entry (3, 30) differ: 1 and 2"),
        (lambda: sg.minimum_spanning_forest(UNEQUAL), "('Ann, B', 'Cy') has weight 2.0, but ('Cy', 'Ann, B') has 3.0"),
        (lambda: sg.minimum_spanning_forest(REPEATED), "entry (3, 30) has weight 1.0, but (30, 3) has 5.0"),
        (lambda: sg.minimum_spanning_forest(NOT_A_NUMBER), "entry (3, 30) is NaN"),
        (lambda: sg.aggregate(NOT_A_NUMBER, strength=0.1), "entry (3, 30) is NaN"),
    ],
)
def test_what_is_wrong_with_an_entry_is_told_by_the_names_of_its_ends(make, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_weights_of_duplicates():
    u, v, w = [0, 1, 0, 2], [1, 0, 1, 2], [3, 1, 2, 5]
    with pytest.raises(ValueError, match=r"weights of entry \(0, 1\) differ: 3 and 1"):
        sg.from_edges(u, v, w, symmetrize=True)
    for how, expected in (("min", 1), ("max", 3), ("sum", 6)):
        graph = sg.from_edges(u, v, w, symmetrize=how)
        assert graph.to_scipy().toarray().tolist() == [[0, expected, 0], [expected, 0, 0], [0, 0, 5]]
    equal = sg.from_edges([0, 1, 0], [1, 0, 1], [3.0, 3.0, 3.0], symmetrize=True)
    assert equal.weights.tolist() == [3.0, 3.0]
    nan = sg.from_edges([0, 1], [1, 0], [np.nan, np.nan], symmetrize=True)
    assert np.isnan(nan.weights).all()
    kept = sg.from_edges(u, v, w, symmetrize=True, drop_duplicates=False)
    assert kept.weights.tolist() == [3, 1, 2, 3, 1, 2, 5]


def test_facts_say_what_was_changed():
    graph = sg.from_edges([0, 0, 1, 2, 2], [1, 1, 0, 2, 2], symmetrize=True)
    assert (graph.facts["symmetrized"], graph.facts["loops_dropped"], graph.facts["duplicates_dropped"]) == (True, 0, 5)
    graph = sg.from_edges([0, 0, 1, 2, 2], [1, 1, 0, 2, 2], symmetrize=True, drop_loops=True, drop_duplicates=False)
    assert (graph.facts["loops_dropped"], graph.facts["duplicates_dropped"], graph.num_entries) == (2, 0, 6)


def test_few_edges_among_many_vertices():
    n = 300_000
    u, v, w = np.array([0, n - 1, 150_000, 0, 5]), np.array([n - 1, 0, 7, 5, 0]), np.array([1.0, 1.0, 2.0, 3.0, 3.0])
    graph = sg.from_edges(u, v, w, n, symmetrize=True)
    expected = sp.csr_array((np.append(w, 2.0), (np.append(u, 7), np.append(v, 150_000))), (n, n))
    assert (graph.to_scipy() != expected).nnz == 0
    assert (graph.num_edges, graph.is_symmetric, int(graph.degrees().max())) == (3, True, 2)


def test_cure_for_repeated_arcs_whose_weights_differ_is_one_that_works():
    arcs = [0, 0, 1], [1, 1, 0], [1.0, 2.0, 3.0]
    with pytest.raises(
        ValueError, match=r"weights of entry \(0, 1\) differ: 1.0 and 2.0; pass drop_duplicates=False"
    ) as no:
        sg.from_edges(*arcs, directed=True)
    assert "symmetrize" not in str(no.value)
    assert sg.from_edges(*arcs, directed=True, drop_duplicates=False).weights.tolist() == [1.0, 2.0, 3.0]


def test_symmetrize_a_matrix():
    matrix = np.array([[1, 2, 0], [5, 0, 0], [7, 0, 0]])
    with pytest.raises(ValueError, match=r"weights of entry \(0, 1\) differ: 2 and 5"):
        sg.as_graph(matrix, symmetrize=True)
    assert sg.as_graph(matrix, symmetrize="sum").to_scipy().toarray().tolist() == [[1, 7, 7], [7, 0, 0], [7, 0, 0]]
    assert sg.as_graph(matrix, symmetrize="min").to_scipy().toarray().tolist() == [[1, 2, 7], [2, 0, 0], [7, 0, 0]]
    assert sg.as_graph(matrix, symmetrize=True, weights=False).num_edges == 2


def brute_force(u, v, n, mirror, drop_loops, drop_duplicates):
    """Rows by sorting tuples; the third is the edge."""
    entries = [(a, b, e) for e, (a, b) in enumerate(zip(u, v, strict=True)) if a != b or not drop_loops]
    if mirror:
        entries += [(b, a, e) for a, b, e in entries if a != b]
    entries.sort()
    if drop_duplicates:
        entries = [x for i, x in enumerate(entries) if i == 0 or x[:2] != entries[i - 1][:2]]
    counts = np.bincount([a for a, _, _ in entries], minlength=n) if entries else np.zeros(n, int)
    return [0, *np.cumsum(counts).tolist()], [b for _, b, _ in entries], [e for _, _, e in entries]


@st.composite
def edge_lists(draw):
    n = draw(st.integers(1, 12))
    ids = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(ids, ids), max_size=40))
    return n, np.array(edges, np.int64).reshape(-1, 2)


@given(edge_lists(), st.booleans(), st.booleans(), st.booleans(), st.sampled_from([np.int32, np.int64]))
@example((1, np.zeros((3, 2), np.int64)), True, False, True, np.int32)
@pytest.mark.parametrize("per_bucket", [1 << 15, 4])
def test_rows_are_those_of_brute_force(per_bucket, data, mirror, drop_loops, drop_duplicates, dtype):
    n, edges = data
    u, v = edges.T.astype(dtype).copy()
    expected = brute_force(u.tolist(), v.tolist(), n, mirror, drop_loops, drop_duplicates)
    options = {"mirror": mirror, "drop_loops": drop_loops, "drop_duplicates": drop_duplicates, "positions": True}
    for target, workers in (("cpu", 1), ("cpu", 7), ("python", 5)):
        with pytest.MonkeyPatch.context() as patch, use_target(target, workers=workers):
            patch.setattr("stablegraph.construction._ENTRIES_PER_BUCKET", per_bucket)
            patch.setattr("stablegraph.construction._DIGIT", 3 if per_bucket == 4 else 12)
            rows = build_rows(u, v, n, **options)
        assert (rows.indptr.tolist(), rows.indices.tolist(), rows.positions.tolist()) == expected


@given(edge_lists(), st.integers(0, 2**32 - 1))
def test_as_graph_agrees_with_scipy(data, seed):
    n, edges = data
    matrix = sp.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    pattern = matrix.toarray() > 0
    rows = build_rows(edges[:, 0].copy(), edges[:, 1].copy(), n, drop_duplicates=False)
    unsorted = shuffled_rows(stored(rows.indptr, rows.indices), seed)
    for target in ("cpu", "python"):
        with use_target(target, workers=3):
            for graph in (
                sg.as_graph(unsorted, directed=True),
                sg.as_graph(matrix, directed=True),
                sg.as_graph(unsorted, directed=True)._with_dtypes(np.int64, np.int64),
            ):
                apart = pattern & ~np.eye(n, dtype=bool)
                assert np.array_equal(dense(graph), pattern)
                assert graph.is_symmetric == np.array_equal(pattern, pattern.T)
                assert graph.degrees().tolist() == apart.sum(axis=1).tolist()
                assert graph.num_edges == apart.sum()
            graph = sg.as_graph(unsorted, symmetrize=True, weights=False)
            assert np.array_equal(dense(graph), pattern | pattern.T)
            assert graph.num_edges == np.triu(pattern | pattern.T, 1).sum()


@pytest.mark.parametrize(("scale", "digit"), [(11, 12), (15, 12), (15, 5)])
def test_many_buckets_and_long_columns(scale, digit, threads, monkeypatch):
    """More than one bucket, and one to three digits a column, on one to three threads."""
    monkeypatch.setattr("stablegraph.construction._DIGIT", digit)
    n, m = 2**scale - 3, 150_000
    random = np.random.default_rng(scale)
    u, v = (np.minimum(random.integers(0, n, m), random.integers(0, n, m)) for _ in range(2))
    w = random.random(m)
    graph = sg.from_edges(u, v, w, n, symmetrize="sum")
    matrix = sp.coo_array((w, (u, v)), shape=(n, n)).tocsr()
    both = sp.csr_array(matrix + matrix.T - sp.diags(matrix.diagonal()))
    both.sort_indices()
    pattern = sp.csr_array((matrix != 0) + (matrix.T != 0))
    pattern.sort_indices()
    assert np.array_equal(graph.indptr, pattern.indptr)
    assert np.array_equal(graph.indices, pattern.indices)
    assert graph.weights.sum() == pytest.approx(both.data.sum())
    with use_target("cpu", workers=1):
        assert graph == sg.from_edges(u, v, w, n, symmetrize="sum")


def test_forced_64_bit_indices():
    graph = sg.from_edges([0, 1, 5], [5, 0, 1], symmetrize=True)._with_dtypes(np.int64, np.int64)
    assert graph.indices.dtype == np.int64
    assert sg.as_graph(graph) is graph
    assert sg.as_graph(graph, symmetrize=True) is graph
    assert graph.subgraph([0, 5]).indices.dtype == np.int64
    assert graph.degrees().dtype == np.int64
    graph.check()


@pytest.mark.parametrize("symmetrize", [False, True])
def test_simple_graphs_have_no_loops_duplicates_and_weights(symmetrize):
    u, v = np.array([2, 0, 0, 1, 0, 2]), np.array([1, 1, 0, 0, 1, 2])
    messy = sg.from_edges(u, v, np.ones(6), drop_duplicates=False, directed=not symmetrize, symmetrize=symmetrize)
    simple = messy.simple()
    matrix = messy.to_scipy().toarray() != 0
    np.fill_diagonal(matrix, False)
    assert (simple.to_scipy().toarray() == matrix).all()
    assert simple.num_entries == matrix.sum()
    assert simple.weights is None and simple.directed == messy.directed
    assert simple.simple() is simple
