"""as_graph of objects of other libraries, tested with each library that is installed."""

import numpy as np
import pytest
import scipy.sparse as sp

import stablegraph as sg
from stablegraph._core.converters import KNOWN
from tests.support.processes import run_python

# A square with a diagonal, and an isolated vertex; all weights differ.
ENDS = np.array([[0, 0, 1, 2, 0], [1, 2, 2, 3, 3]])
WEIGHTS = np.array([0.5, 1.5, 2.5, 3.5, 4.5])
GRAPH = sg.from_edges(*ENDS, WEIGHTS, 5, symmetrize=True)
ARCS = sg.from_edges(*ENDS, WEIGHTS, 5, directed=True)
MATRIX, ARROWS = GRAPH.to_scipy(), ARCS.to_scipy()


def same(graph, expected):
    """Check that a graph has these edges and weights, and numbers for names."""
    assert graph.directed == expected.directed
    assert graph.nodes is None
    assert np.array_equal(graph.to_scipy().toarray(), expected.to_scipy().toarray())
    assert (graph.weights is None) == (expected.weights is None)


def unweighted(graph):
    return sg.as_graph(graph, weights=False, directed=graph.directed)


def at(array):
    """Return the address of an array in memory."""
    return np.asarray(array).__array_interface__["data"][0]


def test_none_is_imported():
    program = f"""
import sys, stablegraph as sg
try:
    sg.as_graph("nothing to compile")
except TypeError:
    pass
print(*[name for name in {sorted({name.split(".")[0] for name in KNOWN.split(", ")})!r} if name in sys.modules])
"""
    assert run_python(program).stdout.split() == []


def test_what_is_unknown_is_answered_with_what_is_known():
    with pytest.raises(TypeError, match=r"a graph of object: pass .* one of networkx.Graph, igraph.Graph, "):
        sg.as_graph(object())


def test_a_class_that_only_has_the_same_name_is_unknown():
    with pytest.raises(TypeError, match="cannot make a graph of Trimesh"):
        sg.as_graph(type("Trimesh", (), {})())


# Graphs


def of_igraph(directed):
    ig = pytest.importorskip("igraph")
    return ig.Graph(n=5, edges=ENDS.T, directed=directed, edge_attrs={"weight": WEIGHTS.tolist()})


def of_rustworkx(directed):
    rx = pytest.importorskip("rustworkx")
    graph = (rx.PyDiGraph if directed else rx.PyGraph)()
    graph.add_nodes_from([None] * 5)
    graph.add_edges_from(list(zip(*ENDS.tolist(), WEIGHTS.tolist(), strict=True)))
    return graph


def of_networkit(directed):
    nk = pytest.importorskip("networkit")
    graph = nk.Graph(5, weighted=True, directed=directed)
    for u, v, w in zip(*ENDS.tolist(), WEIGHTS.tolist(), strict=True):
        graph.addEdge(u, v, w)
    return graph


def of_networkx(directed):
    nx = pytest.importorskip("networkx")
    graph = (nx.DiGraph if directed else nx.Graph)()
    graph.add_nodes_from(range(5))
    graph.add_weighted_edges_from(zip(*ENDS.tolist(), WEIGHTS.tolist(), strict=True))
    return graph


@pytest.mark.parametrize("make", [of_igraph, of_rustworkx, of_networkit, of_networkx])
def test_graphs(make):
    edges, arcs = make(False), make(True)
    for graph, expected in (
        (sg.as_graph(edges), GRAPH),
        (sg.as_graph(edges, weights=False), unweighted(GRAPH)),
        (sg.as_graph(edges, directed=True), sg.as_graph(GRAPH, directed=True)),
        (sg.as_graph(edges, symmetrize="min"), GRAPH),
        (sg.as_graph(arcs, directed=True), ARCS),
        (sg.as_graph(arcs, directed=True, weights=False), unweighted(ARCS)),
        (sg.as_graph(arcs, symmetrize=True), GRAPH),
    ):
        same(graph if make is not of_networkx else graph._replace(nodes=None), expected)
    with pytest.raises(ValueError, match=r"\(0, \d\) has no partner \(\d, 0\); pass symmetrize=(True|'max') to as"):
        sg.as_graph(arcs)
    assert sg.maximal_independent_set(edges).tolist() == sg.maximal_independent_set(GRAPH).tolist()


def test_graphs_without_edges_or_vertices():
    ig, rx, nk = (pytest.importorskip(name) for name in ("igraph", "rustworkx", "networkit"))
    rust = rx.PyGraph()
    rust.add_nodes_from("abc")
    for empty, three in ((ig.Graph(), ig.Graph(3)), (rx.PyDiGraph(), rust), (nk.Graph(), nk.Graph(3))):
        assert (len(sg.as_graph(empty)), len(sg.as_graph(three))) == (0, 3)
        assert sg.as_graph(three).num_edges == 0


def test_igraph_names_and_parallel_edges():
    ig = pytest.importorskip("igraph")
    graph = ig.Graph.TupleList([("ann", "bob"), ("bob", "cy"), ("ann", "bob"), ("cy", "cy")])
    taken = sg.as_graph(graph)
    assert taken.nodes == ["ann", "bob", "cy"]
    assert (taken.num_edges, taken.weights) == (2, None)
    graph.es["weight"] = [1, 2, 3, None]
    assert sg.as_graph(graph).weights is None
    graph.es["weight"] = [1, 2, 3, 4]
    assert sorted(sg.as_graph(graph).weights.tolist()) == [1, 1, 2, 2, 3, 3, 4]
    assert sorted(sg.as_graph(graph, symmetrize="max").weights.tolist()) == [2, 2, 3, 3, 4]
    graph.es["weight"] = ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match="weights must be numbers, got <U1"):
        sg.as_graph(graph)


@pytest.mark.parametrize("texts", [True, False])
def test_vertices_that_were_removed_leave_no_gaps(texts):
    rx = pytest.importorskip("rustworkx")
    graph = rx.PyGraph()
    graph.add_nodes_from(list("abcd") if texts else [None] * 4)
    graph.add_edges_from([(0, 2, "x"), (2, 3, "y")])
    graph.remove_node(1)
    taken = sg.as_graph(graph)
    assert taken.nodes == (["a", "c", "d"] if texts else [0, 2, 3])
    assert (taken.degrees.tolist(), taken.weights) == ([1, 2, 1], None)


def test_removed_vertices_of_networkit():
    nk = pytest.importorskip("networkit")
    graph = nk.Graph(4)
    graph.addEdge(0, 2)
    graph.addEdge(2, 3)
    graph.removeNode(1)
    taken = sg.as_graph(graph)
    assert (taken.nodes, taken.degrees.tolist()) == ([0, 2, 3], [1, 2, 1])


# PyTorch, PyTorch Geometric


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.filterwarnings("ignore:Sparse")
def test_sparse_csr_of_torch_is_not_copied(torch):
    arrays = (torch.tensor(array) for array in (MATRIX.indptr, MATRIX.indices, MATRIX.data))
    rows = torch.sparse_csr_tensor(*arrays, size=(5, 5))
    graph = sg.as_graph(rows)
    same(graph, GRAPH)
    for own_value, theirs in (
        ("indptr", rows.crow_indices()),
        ("indices", rows.col_indices()),
        ("weights", rows.values()),
    ):
        assert at(getattr(graph, own_value)) == theirs.data_ptr()
    parts = sg.as_graph((rows.crow_indices(), rows.col_indices(), rows.values()))
    assert parts == graph
    assert at(parts.indices) == rows.col_indices().data_ptr()


@pytest.mark.filterwarnings("ignore:Sparse")
def test_layouts_of_torch(torch):
    dense = torch.from_numpy(ARROWS.toarray())
    for sparse in (
        dense.to_sparse_csr(),
        dense.to_sparse_csc(),
        dense.to_sparse_coo(),
        dense.to_sparse_csr().bfloat16(),
    ):
        same(sg.as_graph(sparse, directed=True, weights=False), unweighted(ARCS))
        if sparse.dtype == torch.bfloat16:
            with pytest.raises(TypeError, match=r"NumPy has no type for weights of torch.bfloat16: convert them"):
                sg.as_graph(sparse, directed=True)
        else:
            same(sg.as_graph(sparse, directed=True), ARCS)
    twice = torch.sparse_coo_tensor([[0, 1, 0], [1, 0, 1]], [1.0, 3.0, 2.0], (2, 2), requires_grad=True)
    assert sg.as_graph(twice).weights.tolist() == [3, 3]
    for type_ in (torch.float16, torch.bool, torch.uint8, torch.complex64):
        weights = sg.as_graph(dense.to(type_).to_sparse_csr(), directed=True).weights
        assert str(weights.dtype) == str(type_).removeprefix("torch.")
    empty = sg.as_graph(torch.zeros(0, 0).to_sparse_coo())
    assert (len(empty), empty.num_edges) == (0, 0)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_tensors_that_are_no_graphs(torch):
    edge_index = torch.from_numpy(ENDS)
    for tensor, error, message in (
        (
            edge_index,
            TypeError,
            r"a dense tensor of shape \(2, 5\) is no graph: an edge index goes to from_edges",
        ),
        (torch.eye(2, dtype=torch.int64), TypeError, r"a dense tensor of shape \(2, 2\) is no graph"),
        (torch.ones(2, 3).to_sparse_csr(), ValueError, r"must be square, got shape \(2, 3\)"),
        (torch.ones(2, 2, 2).to_sparse_coo(), ValueError, r"must be square, got shape \(2, 2, 2\)"),
        (torch.eye(4).to_sparse_bsr((2, 2)), TypeError, "must have the layout sparse_csr, .*, got sparse_bsr"),
        (ENDS, ValueError, r"shape \(2, 5\) is no matrix of a graph: if its two rows .* from_edges\(\*array\)"),
    ):
        with pytest.raises(error, match=message):
            sg.as_graph(tensor)


def test_an_edge_index_is_unpacked(torch):
    edge_index = torch.from_numpy(ENDS)
    same(sg.from_edges(*edge_index, torch.from_numpy(WEIGHTS), 5, symmetrize=True), GRAPH)
    with pytest.raises(ValueError, match="u must be integers, got float64"):
        sg.from_edges(*edge_index.double(), symmetrize=True)


def test_data_of_torch_geometric(torch):
    pyg, data = pytest.importorskip("torch_geometric"), pytest.importorskip("torch_geometric.data")
    edge_index, weights = torch.from_numpy(ENDS), torch.from_numpy(WEIGHTS).requires_grad_()
    one_way = data.Data(edge_index=edge_index, edge_weight=weights, num_nodes=5)
    same(sg.as_graph(one_way, directed=True), ARCS)
    same(sg.as_graph(one_way, symmetrize=True), GRAPH)
    with pytest.raises(ValueError, match="has no partner"):
        sg.as_graph(one_way)
    both_ways = data.Data(edge_index=pyg.utils.to_undirected(edge_index), num_nodes=5)
    same(sg.as_graph(both_ways), unweighted(GRAPH))
    assert len(sg.as_graph(data.Batch.from_data_list([both_ways, both_ways]))) == 10
    for index, error in (
        (None, "has no edge_index"),
        (edge_index + 0.5, "the ends of edges must be whole numbers, but position 0 holds 0.5"),
        (edge_index.double(), "the ends of edges must be integers, got float64"),
        (edge_index + 1, r"edge 3 \(3, 4\): .* is not one of|vertices"),
    ):
        with pytest.raises(ValueError, match=error):
            sg.as_graph(data.Data(edge_index=index, num_nodes=4), directed=True)


def test_edge_index_of_torch_geometric(torch):
    pyg = pytest.importorskip("torch_geometric")
    same(sg.as_graph(pyg.EdgeIndex(ENDS, sparse_size=(5, 5)), directed=True), unweighted(ARCS))
    assert len(sg.as_graph(pyg.EdgeIndex(ENDS), directed=True)) == 4
    assert len(sg.as_graph(pyg.EdgeIndex(ENDS[:, :0]))) == 0
    with pytest.raises(ValueError, match=r"must be square, got shape \(4, 5\)"):
        sg.as_graph(pyg.EdgeIndex(ENDS, sparse_size=(4, 5)), directed=True)


def answers():
    """Return one array of each kind that functions return."""
    return {
        "mask": sg.maximal_independent_set(GRAPH),
        "mask at distance 2": sg.maximal_independent_set(GRAPH, distance=2),
        "mask of a search": sg.large_independent_set(GRAPH).mask,
        "colors": sg.vertex_coloring(GRAPH),
        "components": sg.connected_components(GRAPH)[1],
        "strong components": sg.strongly_connected_components(ARCS)[1],
        "distances": sg.breadth_first_search(GRAPH, 0)[0],
        "parents": sg.breadth_first_search(GRAPH, 0)[1],
        "aggregates": sg.aggregate(GRAPH)[1],
    }


@pytest.mark.parametrize("kind", answers())
def test_answers_can_be_opened_by_dlpack(kind):
    """A library may support neither read-only arrays nor versions of DLPack."""
    answer = answers()[kind]
    assert answer.flags.writeable and answer.flags.c_contiguous
    opened = np.from_dlpack(OnlyDLPack(answer))
    assert at(opened) == at(answer) and opened.dtype == answer.dtype
    answer.__dlpack__()


@pytest.mark.parametrize("kind", answers())
def test_an_answer_is_a_tensor_without_a_copy(torch, kind):
    answer = answers()[kind]
    for tensor in (torch.from_numpy(answer), torch.from_dlpack(answer)):
        assert tensor.data_ptr() == at(answer) and tensor.tolist() == answer.tolist()
    assert (torch.from_dlpack(answer).dtype == torch.bool) == (answer.dtype == bool)


@pytest.mark.parametrize("kind", answers())
def test_an_answer_is_an_array_of_jax(kind):
    jnp = pytest.importorskip("jax.numpy")
    answer = answers()[kind]
    array = jnp.from_dlpack(answer)
    assert array.tolist() == answer.tolist() and array.dtype == answer.dtype


# JAX


@pytest.fixture
def jax_sparse():
    return pytest.importorskip("jax.experimental.sparse")


def test_matrices_of_jax(jax_sparse):
    jnp = pytest.importorskip("jax.numpy")
    dense = jnp.asarray(ARROWS.toarray(), jnp.float32)
    for kind in (jax_sparse.BCOO, jax_sparse.BCSR):
        for padding in (0, 3):
            matrix = kind.fromdense(dense, nse=5 + padding)
            same(sg.as_graph(matrix, directed=True), ARCS)
            same(sg.as_graph(matrix, directed=True, weights=False), unweighted(ARCS))
        with pytest.raises(ValueError, match=r"must be square, got shape \(2, 5\)"):
            sg.as_graph(kind.fromdense(dense[:2]))
        with pytest.raises(ValueError, match=r"must be square, got shape \(2, 2, 2\)"):
            sg.as_graph(kind.fromdense(jnp.ones((2, 2, 2)), n_dense=1))
        with pytest.raises(TypeError, match="no type for weights of bfloat16"):
            sg.as_graph(kind.fromdense(dense.astype(jnp.bfloat16)), directed=True)
    with pytest.raises(ValueError, match="must have n_batch=0 and n_dense=0, got 0 and 1"):
        sg.as_graph(jax_sparse.BCOO.fromdense(dense, n_dense=1))


def test_rows_of_jax_are_not_copied(jax_sparse):
    jnp = pytest.importorskip("jax.numpy")
    matrix = jax_sparse.BCSR.fromdense(jnp.asarray(MATRIX.toarray(), jnp.float32))
    graph = sg.as_graph(matrix)
    for own_value, theirs in (("indptr", matrix.indptr), ("indices", matrix.indices), ("weights", matrix.data)):
        assert at(getattr(graph, own_value)) == theirs.unsafe_buffer_pointer()
    assert sg.as_graph((matrix.indptr, matrix.indices, matrix.data)) == graph


# Other arrays and matrices


class OnlyDLPack:
    """An array that supports only DLPack."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **options):
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_arrays_by_dlpack_are_not_copied():
    graph = sg.as_graph(
        tuple(OnlyDLPack(array) for array in (MATRIX.indptr.copy(), MATRIX.indices.copy(), MATRIX.data))
    )
    same(graph, GRAPH)
    assert at(graph.weights) == at(MATRIX.data)
    same(sg.from_edges(*map(OnlyDLPack, ENDS), WEIGHTS, 5, symmetrize=True), GRAPH)


@pytest.mark.filterwarnings("ignore")
def test_arrays_of_sparse():
    sparse = pytest.importorskip("sparse")
    coordinates = sparse.COO.from_scipy_sparse(ARROWS)
    rows = [sparse.GCXS.from_coo(coordinates, compressed_axes=(axis,)) for axis in (0, 1)]
    for array in (coordinates, *rows, sparse.DOK.from_coo(coordinates)):
        same(sg.as_graph(array, directed=True), ARCS)
        same(sg.as_graph(array, directed=True, weights=False), unweighted(ARCS))
    graph = sg.as_graph(rows[0], directed=True)
    assert at(graph.weights) == at(rows[0].data)
    narrow = sparse.GCXS.from_scipy_sparse(MATRIX)
    graph = sg.as_graph(narrow)
    for own_value, theirs in (("indptr", narrow.indptr), ("indices", narrow.indices), ("weights", narrow.data)):
        assert at(getattr(graph, own_value)) == at(theirs)
    with pytest.raises(ValueError, match=r"must be filled with 0, got fill_value 1"):
        sg.as_graph(coordinates + 1, directed=True)
    with pytest.raises(ValueError, match=r"must be square, got shape \(3, 5\)"):
        sg.as_graph(coordinates[:3])


def test_matrices_of_graphblas():
    gb = pytest.importorskip("graphblas")
    same(sg.as_graph(gb.io.from_scipy_sparse(MATRIX)), GRAPH)
    same(sg.as_graph(gb.io.from_scipy_sparse(ARROWS), directed=True), ARCS)
    same(sg.as_graph(gb.io.from_scipy_sparse(ARROWS), directed=True, weights=False), unweighted(ARCS))
    of_one_value = gb.Matrix.from_coo(*GRAPH.to_scipy().nonzero(), True, nrows=5, ncols=5)
    assert sg.as_graph(of_one_value).weights.tolist() == [True] * 10
    assert sg.as_graph(gb.Matrix(int, 3, 3)).num_edges == 0
    with pytest.raises(ValueError, match=r"must be square, got shape \(2, 3\)"):
        sg.as_graph(gb.Matrix(int, 2, 3))


# Meshes


def test_a_mesh_of_trimesh():
    trimesh = pytest.importorskip("trimesh")
    box = trimesh.creation.box()
    graph = sg.as_graph(box)
    assert (len(graph), graph.num_edges) == (8, 18)
    u, v = box.edges_unique.T
    assert graph == sg.from_edges(u, v, n=8, symmetrize=True)
    faces = sg.from_edges(*box.face_adjacency.T, n=len(box.faces), symmetrize=True)
    assert faces.degrees.tolist() == [3] * 12
    assert len(sg.as_graph(trimesh.Trimesh())) == 0


CELLS = {
    "line": (2, 1),
    "triangle": (3, 3),
    "quad": (4, 4),
    "tetra": (4, 6),
    "pyramid": (5, 8),
    "wedge": (6, 9),
    "hexahedron": (8, 12),
}


@pytest.mark.parametrize("kind", CELLS)
def test_cells_of_meshio(kind):
    meshio = pytest.importorskip("meshio")
    corners, edges = CELLS[kind]
    graph = sg.as_graph(meshio.Mesh(np.zeros((corners, 3)), [(kind, [range(corners)])]))
    assert (len(graph), graph.num_edges) == (corners, edges)
    assert sg.connected_components(graph)[0] == 1
    if kind in ("wedge", "hexahedron"):
        assert graph.degrees.tolist() == [3] * corners


def test_a_mesh_of_meshio():
    meshio = pytest.importorskip("meshio")
    square = meshio.Mesh(np.zeros((6, 2)), [("triangle", [[0, 1, 2]]), ("quad", [[1, 3, 4, 2]]), ("vertex", [[0]])])
    graph = sg.as_graph(square)
    assert graph.degrees.tolist() == [2, 3, 3, 2, 2, 0]
    assert len(sg.as_graph(meshio.Mesh(np.zeros((2, 2)), []))) == 2
    curved = meshio.Mesh(np.zeros((6, 2)), [("triangle6", [range(6)])])
    with pytest.raises(ValueError, match=r"cells must be vertex, line, .* this mesh has some of type triangle6: join"):
        sg.as_graph(curved)


def test_cells_that_share_vertices():
    """The documentation builds graphs of cells in this way."""
    cells = np.array([[0, 1, 2], [1, 2, 3], [3, 4, 5]])
    corners = sp.csr_array((np.ones(cells.size, np.int8), cells.ravel(), np.arange(0, cells.size + 1, 3)))
    assert sg.as_graph(corners @ corners.T, weights=False).degrees.tolist() == [1, 2, 1]
