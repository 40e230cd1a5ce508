"""The SciPy interface: the same signatures, and the same answers where only one is correct."""

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.csgraph as theirs

import stablegraph as sg
from stablegraph import csgraph as ours
from stablegraph._core.engines import frontier
from stablegraph._core.runtime import use_target
from stablegraph._core.runtime.primitives import sort_by_key
from stablegraph.traversal import queue_order
from tests.support.cases import each
from tests.support.zoo import ZOO

FORMATS = [sp.csr_array, sp.csr_matrix, sp.coo_array, sp.csc_matrix, lambda m: m.toarray()]


def random_matrix(seed, n=40):
    rng = np.random.default_rng(seed)
    return sp.csr_array(sp.random_array((n, n), density=1.5 / n, rng=rng) * 100)


def alike(result, expected):
    for one, other in zip(result, expected, strict=True):
        assert one.dtype == other.dtype
        assert np.array_equal(one, other)


def messy_matrix(seed, n):
    """Return an unsymmetric matrix with loops and unsorted rows."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(n, size=(2, int(n * rng.choice([0.5, 1, 3]))))
    matrix = sp.csr_array((np.ones(u.size), (u, v)), shape=(n, n))
    matrix.data[:] = rng.random(matrix.nnz)
    return matrix


@pytest.mark.parametrize("name", ours.__all__)
def test_signatures(name):
    output = getattr(theirs, name).__doc__.strip().partition(")")[0] + ")"  # SciPy's are compiled: read the docstring
    parameters = ", ".join(
        str(parameter.replace(annotation=inspect.Parameter.empty))
        for parameter in inspect.signature(getattr(ours, name)).parameters.values()
    )
    assert " ".join(output.split()) == f"{name}({parameters})".replace("=inf", "=np.inf")


@each(form=FORMATS, seed=range(4))
def test_answers(form, seed):
    matrix = form(random_matrix(seed))
    for options in ({}, {"connection": "strong"}, {"directed": False}):
        count, labels = ours.connected_components(matrix, **options)
        expected, other = theirs.connected_components(matrix, **options)
        assert count == expected == ours.connected_components(matrix, **options, return_labels=False)
        assert len({*zip(labels.tolist(), other.tolist(), strict=True)}) == count and labels.dtype == other.dtype
    tree, expected = ours.minimum_spanning_tree(matrix), theirs.minimum_spanning_tree(matrix)
    assert type(tree) is type(expected) and tree.dtype == expected.dtype
    assert tree.nnz == expected.nnz and np.isclose(tree.sum(), expected.sum())
    for directed in (True, False):
        order = ours.breadth_first_order(matrix, 3, directed)
        alike(order, theirs.breadth_first_order(matrix, 3, directed))
        alike([ours.breadth_first_order(matrix, 3, directed, return_predecessors=False)], order[:1])
        tree, expected = ours.breadth_first_tree(matrix, 3, directed), theirs.breadth_first_tree(matrix, 3, directed)
        assert type(tree) is type(expected)
        assert tree.nnz == expected.nnz and (tree != expected).nnz == 0


@each(form=FORMATS, seed=range(4))
def test_shortest_paths(form, seed):
    matrix = form(random_matrix(seed))
    for options in ({}, {"directed": False}, {"indices": 3}, {"indices": [[3, 5], [7, 3]]}):
        for limit in (np.inf, 50):
            result = ours.dijkstra(matrix, **options, return_predecessors=True, limit=limit)
            alike(result, theirs.dijkstra(matrix, **options, return_predecessors=True, limit=limit))
            alike([ours.dijkstra(matrix, **options, limit=limit)], result[:1])
    options = {"indices": [3, 9, 3], "min_only": True, "return_predecessors": True}
    alike(ours.dijkstra(matrix, **options), theirs.dijkstra(matrix, **options))
    alike([ours.dijkstra(matrix, unweighted=True)], [theirs.dijkstra(matrix, unweighted=True)])
    sources = ours.dijkstra(matrix, min_only=True, return_predecessors=True)[2]
    assert sources.tolist() == list(range(40))


def test_both_directions_count_with_the_smaller_weight():
    both = sp.csr_array(np.array([[0, 5, 0], [2, 0, 7], [0, 4, 0]]))
    assert ours.dijkstra(both, False, 0).tolist() == [0, 2, 6]
    assert ours.dijkstra(sg.as_graph(both, directed=True), indices=0).tolist() == [0, 5, 12]


def test_refused_arguments_of_dijkstra():
    matrix = random_matrix(0)
    for options, error, words in (
        ({"indices": [0, 40]}, ValueError, "indices names vertex 40, but there are 40 vertices"),
        ({"indices": -1}, ValueError, "indices names vertex -1"),
        ({"indices": [0.5]}, TypeError, "indices must be numbers of vertices, got dtype float64"),
        ({"limit": -1}, ValueError, "limit must be at least 0"),
        ({"limit": np.nan}, ValueError, "limit must be at least 0"),
    ):
        with pytest.raises(error, match=words):
            ours.dijkstra(matrix, **options)
    with pytest.raises(ValueError, match="weights must be finite and at least 0; pass unweighted=True"):
        ours.dijkstra(-matrix)


def test_dense_matrices_have_three_ways_to_say_no_edge():
    dense = np.array([[0, np.inf, 1], [np.nan, 0, 0], [0, 0, 0]])
    assert ours.connected_components(dense)[0] == theirs.connected_components(dense)[0] == 2


def test_the_order_of_rows_that_are_not_sorted_counts():
    star = sp.csr_array((np.ones(4), np.array([2, 3, 1, 0]), np.array([0, 3, 4, 4, 4])), shape=(4, 4))
    for matrix in (star, star.T):
        for directed in (True, False):
            alike(ours.breadth_first_order(matrix, 0, directed), theirs.breadth_first_order(matrix, 0, directed))


def test_smaller_weights_of_two_directions():
    both = sp.csr_array(np.array([[0, 5, 0, 0], [2, 0, 0, 7], [0, 4, 0, 0], [0, 9, 0, 0]]))
    tree = ours.breadth_first_tree(both, 0, directed=False)
    assert tree.dtype == both.dtype
    assert tree.toarray().tolist() == theirs.breadth_first_tree(both, 0, directed=False).toarray().tolist()
    assert tree[[0, 1, 1], [1, 2, 3]].tolist() == [2, 4, 7]
    expected = theirs.minimum_spanning_tree(both)
    assert ours.minimum_spanning_tree(both).sum() == expected.sum() == 13


@pytest.mark.parametrize("seed", range(12))
def test_permutations_are_those_of_scipy(seed, monkeypatch):
    """Results are equal if SciPy sorts degrees stably, which it does not do by default."""
    monkeypatch.setattr(np, "argsort", lambda a, sort=np.argsort: sort(a, kind="stable"))
    matrix = messy_matrix(seed, n=10 + 20 * seed)
    symmetric = matrix + matrix.T
    for options in ((matrix,), (symmetric,), (symmetric, True), (symmetric.tocsc(),)):
        assert np.array_equal(ours.reverse_cuthill_mckee(*options), theirs.reverse_cuthill_mckee(*options))


def test_a_hub_is_sorted_by_degree():
    """Test the limits of the insertion sort: a power of two and one more, and 300 neighbors."""
    rng = np.random.default_rng(0)
    for size in (255, 256, 257, 300):
        tails = np.repeat(np.arange(1, size + 1), rng.integers(0, 4, size))
        heads = np.arange(size + 1, size + 1 + tails.size)
        u, v = np.r_[np.zeros(size, int), tails], np.r_[np.arange(1, size + 1), heads]
        graph = sg.from_edges(u, v, symmetrize=True)
        order = queue_order.cuthill_mckee(graph)
        place, degrees = np.argsort(order), graph.degrees
        leaves = np.flatnonzero(degrees == 1)
        assert order[0] == leaves[0] and np.array_equal(np.sort(order), np.arange(len(graph)))
        neighbors = np.arange(1, size + 1)
        neighbors = neighbors[place[neighbors] > place[0]]
        assert np.array_equal(neighbors[np.argsort(place[neighbors])], neighbors[sort_by_key(degrees[neighbors])])


def test_entries_that_cancel_stay_entries():
    skew = sp.csr_array(np.array([[0, 1, 0], [-1, 0, 1], [0, -1, 0]]))
    assert ours.reverse_cuthill_mckee(skew).tolist() == [2, 1, 0]


@pytest.mark.parametrize("target", ["cpu", "python"])
def test_long_searches_are_cut_into_steps(target, monkeypatch):
    matrix = messy_matrix(1, n=60)
    expected = ours.breadth_first_order(matrix, 0, False), ours.reverse_cuthill_mckee(matrix)
    monkeypatch.setattr(frontier, "_BUDGET", 3)
    with use_target(target):
        alike(ours.breadth_first_order(matrix, 0, False), expected[0])
        alike([ours.reverse_cuthill_mckee(matrix)], expected[1:])


@each(shape=[(30, 30), (20, 50), (50, 20), (0, 3), (3, 0), (0, 0)], seed=range(5))
def test_matchings(shape, seed):
    rng = np.random.default_rng(seed)
    pattern = rng.random(shape) < rng.choice([0.02, 0.05, 0.2])
    for form in (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_array):
        matrix = form(pattern)
        of_row = ours.maximum_bipartite_matching(matrix, perm_type="column")
        of_column = ours.maximum_bipartite_matching(matrix)
        expected = theirs.maximum_bipartite_matching(sp.csr_array(pattern))
        assert of_row.dtype == of_column.dtype == expected.dtype and (of_row.size, of_column.size) == shape
        rows, columns = np.flatnonzero(of_row >= 0), np.flatnonzero(of_column >= 0)
        assert pattern[rows, of_row[rows]].all() and np.array_equal(of_column[of_row[rows]], rows)
        assert rows.size == columns.size == np.count_nonzero(expected >= 0) == ours.structural_rank(matrix)


def test_what_is_no_matrix_for_a_matching():
    with pytest.raises(TypeError, match="graph must be a sparse array, got list"):
        ours.maximum_bipartite_matching([[0, 1], [0, 0]])
    with pytest.raises(TypeError, match="graph must be a sparse array, got ndarray"):
        ours.structural_rank(np.eye(2))
    with pytest.raises(ValueError, match="perm_type must be one of row, column; got 'rows'"):
        ours.maximum_bipartite_matching(sp.eye_array(2, format="csr"), "rows")


def test_broken_matrices_have_no_matching():
    tall = sp.csr_array(np.ones((3, 1)))
    for place, index, message in ((2, 2, "column 2 is stored, but there are 1 columns"), (0, -1, "-1")):
        broken = tall.copy()
        broken.indices[place] = index
        with pytest.raises(ValueError, match=message):
            ours.maximum_bipartite_matching(broken)


def test_graphs_of_ours():
    graph = sg.gallery.grid((4, 5))
    matrix = graph.to_scipy()
    assert ours.structural_rank(graph) == ours.structural_rank(matrix) == 20
    for name, more in (("breadth_first_order", [7]), ("maximum_bipartite_matching", []), ("reverse_cuthill_mckee", [])):
        one, other = (np.concatenate(np.atleast_2d(getattr(ours, name)(a, *more)), axis=None) for a in (graph, matrix))
        assert np.array_equal(one, other)
    assert (ours.breadth_first_tree(graph, 7) != ours.breadth_first_tree(matrix, 7)).nnz == 0


def test_arrays_of_the_package_sparse():
    sparse = pytest.importorskip("sparse", reason="its arrays are needed")
    matrix = messy_matrix(2, n=30)
    array = sparse.COO.from_scipy_sparse(matrix)
    for name, more in (("breadth_first_tree", [0]), ("minimum_spanning_tree", [])):
        tree = getattr(ours, name)(array, *more)
        assert type(tree) is sparse.COO
        assert np.array_equal(tree.todense(), getattr(ours, name)(matrix, *more).toarray())
    assert ours.structural_rank(array) == ours.structural_rank(matrix)


class FakeMatrix:
    """A matrix on a GPU, which can only be copied to the host."""

    __module__ = "cupyx.scipy.sparse._csr"

    def __init__(self, matrix):
        self.get = lambda: matrix


CALLS = {  # of all functions on a matrix
    "breadth_first_order": (3,),
    "breadth_first_tree": (3, False),
    "connected_components": (),
    "dijkstra": (True, 3),
    "maximum_bipartite_matching": (),
    "minimum_spanning_tree": (),
    "reverse_cuthill_mckee": (),
    "structural_rank": (),
}
ON_GPU = {"connected_components", "minimum_spanning_tree"}


def host_parts(answer):
    """Return the parts of an answer in host memory, as dense arrays."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    parts = [part.get() if hasattr(part, "get") else part for part in parts]
    return [part.toarray() if sp.issparse(part) else np.asarray(part) for part in parts]


@pytest.mark.parametrize("name", sorted(CALLS.keys() - ON_GPU))
def test_matrices_of_cupy_are_copied_to_the_host_by_functions_without_a_form_for_gpus(name):
    assert CALLS.keys() == set(ours.__all__)
    matrix = messy_matrix(2, n=30)
    answers = (getattr(ours, name)(form, *CALLS[name]) for form in (matrix, FakeMatrix(matrix)))
    alike(*map(host_parts, answers))


@pytest.mark.gpu
@pytest.mark.parametrize("name", CALLS)
def test_matrices_of_cupy(name):
    import cupyx.scipy.sparse as cupy_sparse

    for form in ("csr_matrix", "csc_matrix", "coo_matrix", "csr_array", "coo_array"):
        if hasattr(cupy_sparse, form):
            for matrix in (messy_matrix(2, n=300), random_matrix(1, n=300) + random_matrix(1, n=300).T):
                answer = getattr(ours, name)(getattr(cupy_sparse, form)(matrix), *CALLS[name])
                alike(host_parts(answer), host_parts(getattr(ours, name)(matrix, *CALLS[name])))
                is_on_gpu = any(hasattr(part, "get") for part in (answer if isinstance(answer, tuple) else (answer,)))
                assert is_on_gpu == (name in ON_GPU)


def test_where_scipy_is_not_right():
    zero = sp.csr_array((np.array([0.0, 5.0]), ([0, 1], [1, 2])), shape=(3, 3))
    assert ours.minimum_spanning_tree(zero).nnz == 2  # an explicit zero is an edge
    undirected = sp.csr_array((np.zeros(2), ([0, 1], [1, 2])), shape=(3, 3))
    assert ours.breadth_first_tree(undirected, 0, directed=False).data.tolist() == [0, 0]
    large = sp.csr_array((np.array([2**62 + 1, 2**62, 2**62 + 2]), ([0, 0, 1], [1, 2, 2])), shape=(3, 3))
    tree = ours.minimum_spanning_tree(large)
    assert tree.data.tolist() == [2**62 + 1, 2**62] and tree.dtype == np.int64
    with pytest.raises(ValueError, match="7"):
        ours.breadth_first_order(zero, 7)
    with pytest.raises(ValueError, match="one of weak, strong; got 'loose'"):
        ours.connected_components(zero, connection="loose")


@pytest.mark.parametrize("name", ["empty", "one vertex", "int64 indices", "duplicates", "full diagonal"])
def test_the_zoo(name):
    matrix = ZOO[name]
    assert ours.connected_components(matrix)[0] == (theirs.connected_components(matrix)[0] if matrix.shape[0] else 0)
    ours.minimum_spanning_tree(matrix)
    assert np.array_equal(np.sort(ours.reverse_cuthill_mckee(matrix)), np.arange(matrix.shape[0]))
    ours.structural_rank(matrix)
