"""Patterns of other tools and graphs with names give the same plans as matrices of SciPy."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph import gallery

RECTANGLE = sp.random_array((7, 5), density=0.4, rng=np.random.default_rng(1)).tocoo()
SQUARE = gallery.laplacian((4, 3)).tocoo()


class Pattern:
    """A pattern as of a tool that traces programs: rows, cols and shape."""

    def __init__(self, matrix):
        self.rows, self.cols, self.shape = matrix.row.astype(np.int32), matrix.col.astype(np.int32), matrix.shape


class Plan:
    """A colored pattern; `of_package` makes it one of asdex."""

    def __init__(self, matrix):
        self.sparsity, self.colors, self.mode = Pattern(matrix), [0], "fwd"


class Coordinates:
    """A matrix of JAX in coordinates, with padding outside the shape."""

    n_batch = n_dense = 0

    def __init__(self, matrix):
        padding = np.array([matrix.shape])
        self.indices, self.shape = np.concatenate([np.stack(matrix.coords, axis=1), padding]), matrix.shape


class Sparsity:
    """A pattern of CasADi."""

    def __init__(self, matrix):
        self._ends, self.shape = (matrix.row.tolist(), matrix.col.tolist()), matrix.shape

    def get_triplet(self):
        return self._ends


def of_package(kind, package, name):
    return type(name, (kind,), {"__module__": package})


FORMS = {
    "scipy": lambda matrix: matrix,
    "bool": lambda matrix: sp.csc_array(matrix.astype(bool)),
    "dense": lambda matrix: matrix.toarray() != 0,
    "triplet": lambda matrix: (matrix.row, matrix.col, matrix.shape),
    "lists": lambda matrix: (matrix.row.tolist(), matrix.col.tolist(), matrix.shape),
    "repeated": lambda matrix: (np.tile(matrix.row, 2), np.tile(matrix.col, 2), matrix.shape),
    "attributes": Pattern,
    "asdex": of_package(Pattern, "asdex._pattern", "SparsityPattern"),
    "asdex, colored": of_package(Plan, "asdex._pattern", "ColoredPattern"),
    "jax": of_package(Coordinates, "jax.experimental.sparse.bcoo", "BCOO"),
    "casadi": of_package(Sparsity, "casadi.casadi", "Sparsity"),
}


@pytest.mark.parametrize("form", FORMS)
def test_patterns_of_other_tools(form):
    pattern, square = FORMS[form](RECTANGLE), FORMS[form](SQUARE)
    for mode in ("column", "row", "both"):
        plan, expected = sg.jacobian_coloring(pattern, mode), sg.jacobian_coloring(RECTANGLE, mode)
        assert np.array_equal(plan.places, expected.places)
        assert np.array_equal(plan.indices, expected.indices)
        assert sg.is_compression_plan(pattern, plan)
        assert sg.is_compression_plan(RECTANGLE, plan)
        assert not sg.is_compression_plan(square, plan)
    assert np.array_equal(sg.hessian_coloring(square).places, sg.hessian_coloring(SQUARE).places)
    matrix = sp.csr_array(RECTANGLE)
    assert abs(sg.sparse_jacobian(lambda x: matrix @ x, pattern, check=True)(np.ones(5)) - matrix).max() < 1e-6


def test_patterns_without_entries_or_rows():
    for shape in ((0, 0), (0, 3), (3, 0), (3, 4)):
        assert sg.jacobian_coloring(([], [], shape)).shape == shape


def test_a_tuple_of_tuples_is_a_dense_matrix():
    assert sg.jacobian_coloring(((0, 1), (1, 0), (2, 3))).shape == (3, 2)


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (([0, 1], [0, 1, 1], (2, 2)), r"one number per entry, got shapes \(2,\) and \(3,\)"),
        (([[0]], [[0]], (2, 2)), r"one number per entry, got shapes \(1, 1\)"),
        (([0.5], [0], (2, 2)), "must be integers, got float64 and int64"),
        (([True], [True], (2, 2)), "must be integers, got bool and bool"),
        (([2], [0], (2, 2)), "index 2 exceeds"),
        (([-1], [0], (2, 2)), "negative"),
        (([0], [0], (2, 2.5)), "a size in the shape of a pattern must be an integer"),
        (([0], [0], (2, -2)), "a size in the shape of a pattern must be at least 0"),
        (([0], [0], (2, 2, 2)), r"the matrix must have two dimensions, got shape \(2, 2, 2\)"),
        (([0], [0], (2,)), r"the matrix must have two dimensions, got shape \(2,\)"),
    ],
)
def test_wrong_patterns(pattern, message):
    for function in (sg.jacobian_coloring, sg.hessian_coloring, lambda p: sg.sparse_jacobian(np.sin, p)):
        with pytest.raises((ValueError, TypeError), match=message):
            function(pattern)


def test_batches_of_patterns_are_refused():
    batch = of_package(Coordinates, "jax.experimental.sparse.bcoo", "BCOO")(RECTANGLE)
    batch.indices = batch.indices[None]
    with pytest.raises(ValueError, match="n_batch=0 and n_dense=0"):
        sg.jacobian_coloring(batch)


def test_graphs_with_names():
    pairs = [("c", "a"), ("a", "b"), ("b", "d"), ("d", "d")]
    graph = sg.from_edges(*zip(*pairs, strict=True), symmetrize=True)
    plan = sg.hessian_coloring(graph, order=np.arange(4))
    colors = dict(zip(graph.nodes, plan.column_colors.tolist(), strict=True))
    order = [graph.nodes[v] for v in np.argsort(-np.arange(4), kind="stable")]
    star = dict(zip(graph.nodes, sg.star_coloring(graph, order=np.arange(4)).tolist(), strict=True))
    assert colors == star
    assert colors[order[0]] == 0
    assert sg.is_compression_plan(graph, plan)
    by_name = {name: float(v) for v, name in enumerate(graph.nodes)}
    assert np.array_equal(sg.hessian_coloring(graph, order=by_name).column_colors, plan.column_colors)
    with pytest.raises(ValueError, match="order has no value for vertex 'c'"):
        sg.hessian_coloring(graph, order={"a": 1, "b": 2, "d": 3})
    directed = sg.from_edges(["a"], ["b"], directed=True)
    with pytest.raises(ValueError, match=r"entry \('a', 'b'\) has no partner \('b', 'a'\)"):
        sg.hessian_coloring(directed)
    assert sg.jacobian_coloring(directed).num_entries == 1


def test_graphs_of_networkx():
    networkx = pytest.importorskip("networkx", reason="NetworkX is not installed")
    graph = networkx.cycle_graph("dacb")
    plan, same = sg.hessian_coloring(graph), sg.hessian_coloring(sg.as_graph(graph))
    assert np.array_equal(plan.column_colors, same.column_colors)
    assert sg.is_compression_plan(graph, plan)
    with pytest.raises(ValueError, match=r"entry \('d', 'a'\) has no partner"):
        sg.hessian_coloring(networkx.DiGraph([("d", "a")]))
    assert sg.jacobian_coloring(networkx.DiGraph([("d", "a")])).indices.tolist() == [1]


def test_asdex():
    asdex = pytest.importorskip("asdex", reason="asdex is not installed")
    jnp = pytest.importorskip("jax").numpy

    def fun(x):
        return (x[1:] - x[:-1]) ** 2

    expected = sg.jacobian_coloring(sp.diags_array([np.ones(4), np.ones(4)], offsets=[0, 1], shape=(4, 5)))
    pattern = asdex.jacobian_sparsity(fun, jnp.zeros(5))
    for same in (pattern, asdex.jacobian_coloring(fun, jnp.zeros(5)), pattern.to_bcoo()):
        assert np.array_equal(sg.jacobian_coloring(same).places, expected.places)
    assert sg.sparse_jacobian(fun, pattern, check=True)(jnp.arange(5.0)).nse == 8
    hessian = asdex.hessian_sparsity(lambda x: fun(x).sum(), jnp.zeros(5))
    assert sg.sparse_hessian(lambda x: fun(x).sum(), hessian, check=True)(jnp.arange(5.0)).nse == 13


def test_matrices_of_jax():
    sparse = pytest.importorskip("jax.experimental.sparse", reason="JAX is not installed")
    for kind in (sparse.BCOO, sparse.BCSR):
        plan = sg.jacobian_coloring(kind.from_scipy_sparse(RECTANGLE.tocsr()))
        assert np.array_equal(plan.places, sg.jacobian_coloring(RECTANGLE).places)


def test_tensors_of_torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    dense = torch.from_numpy(RECTANGLE.toarray())
    for pattern in (dense, dense.to_sparse_coo(), dense.to_sparse_csr(), dense.to_sparse_csc()):
        assert np.array_equal(sg.jacobian_coloring(pattern).places, sg.jacobian_coloring(RECTANGLE).places)
    for shape in ((3,), (2, 2, 2)):
        with pytest.raises(ValueError, match="the matrix must have two dimensions"):
            sg.jacobian_coloring(torch.ones(shape))


def test_arrays_of_sparse():
    sparse = pytest.importorskip("sparse", reason="the package sparse is not installed")
    coordinates = sparse.COO.from_scipy_sparse(RECTANGLE)
    for pattern in (coordinates, coordinates.asformat("gcxs"), coordinates.asformat("dok")):
        assert np.array_equal(sg.jacobian_coloring(pattern).places, sg.jacobian_coloring(RECTANGLE).places)
