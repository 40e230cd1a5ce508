"""Converters from classes of other libraries to types that `as_graph` accepts, by module and class.

The lookup imports nothing: the library of an existing object has already been imported. Each converter uses the fastest
interface of the library. It returns a type that `as_graph` accepts in any case, on the same memory if the other library
has suitable arrays, or an `EdgeList`.

Graphs: rustworkx and PyTorch Geometric offer arrays; the other libraries return tuples, which takes 0.3 to 1
microseconds per edge. A mesh becomes the graph of its vertices, which are adjacent if a cell has an edge between them.
Matrices: repeated entries of coordinate formats are added up, like those of SciPy's coordinate matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
import scipy

from .csr.arrays import from_dlpack
from .csr.checks import check_square, nonzero_entries
from .runtime import Array
from .validation import exact_array, host_array, integer, is_sparse
from .vertex_names import shown_entry

_PAIR = np.dtype((np.int64, 2))
_WEIGHTED_PAIR = np.dtype([("u", np.int64), ("v", np.int64), ("weight", np.float64)])


class EdgeList(NamedTuple):
    """Edges by the vertex numbers of their ends."""

    u: Array
    v: Array
    weights: Array | None
    n: int  # number of vertices
    directed: bool  # if false, an edge means both entries
    nodes: Sequence[Any] | None = None
    are_distinct: bool = False  # if true, edges that are listed several times are one edge


def of_networkx(graph: Any, weights: bool) -> EdgeList:
    """Convert a NetworkX graph, with its node names, and with the edge attribute "weight" if all edges have it."""
    names = list(graph)
    number = {name: v for v, name in enumerate(names)}
    m = graph.number_of_edges()
    edges = list(graph.edges(data="weight"))
    u = np.fromiter((number[edge[0]] for edge in edges), np.int64, m)
    v = np.fromiter((number[edge[1]] for edge in edges), np.int64, m)
    values = _if_all_have_one([edge[2] for edge in edges]) if weights else None
    return EdgeList(u, v, values, len(names), graph.is_directed(), names)


def of_igraph(graph: Any, weights: bool) -> EdgeList:
    """Convert an igraph graph, with the attributes "name" of vertices and, if all edges have it, "weight" of edges."""
    u, v = np.fromiter(graph.get_edgelist(), _PAIR, graph.ecount()).T
    values = _if_all_have_one(graph.es["weight"]) if weights and "weight" in graph.es.attributes() else None
    names = graph.vs["name"] if "name" in graph.vs.attributes() else None
    return EdgeList(u, v, values, graph.vcount(), graph.is_directed(), names)


def of_rustworkx(graph: Any, weights: bool) -> EdgeList:
    """Convert a rustworkx graph: edge data are weights if all are numbers, node data are names if all are texts."""
    ids = np.asarray(graph.node_indices()).astype(np.int64)
    pairs = np.asarray(graph.edge_list()).astype(np.int64)
    carried_by_edges = list(graph.edges()) if weights else []
    are_numbers = all(isinstance(x, (Number, np.bool_)) for x in carried_by_edges)
    directed = type(graph).__name__ != "PyGraph"
    node_data = graph.nodes()
    names = node_data if node_data and all(isinstance(x, str) for x in node_data) else None
    values = exact_array(carried_by_edges, "weights") if carried_by_edges and are_numbers else None
    return _without_gaps(ids, pairs[:, 0], pairs[:, 1], values, directed, names)


def of_networkit(graph: Any, weights: bool) -> EdgeList:
    """Convert a NetworKit graph, with the weights of a weighted graph."""
    ids, m = np.fromiter(graph.iterNodes(), np.int64), graph.numberOfEdges()
    if weights and graph.isWeighted():
        edges = np.fromiter(graph.iterEdgesWeights(), _WEIGHTED_PAIR, m)
        return _without_gaps(ids, edges["u"], edges["v"], edges["weight"], graph.isDirected())
    pairs = np.fromiter(graph.iterEdges(), _PAIR, m)
    return _without_gaps(ids, pairs[:, 0], pairs[:, 1], None, graph.isDirected())


def of_torch_geometric(data: Any, weights: bool) -> EdgeList:
    """Convert PyTorch Geometric data: every column of `edge_index` is one entry, `edge_weight` has its weight."""
    if data.edge_index is None:
        raise ValueError(f"this {type(data).__name__} has no edge_index, so it has no edges")
    u, v = data.edge_index.detach().numpy()
    values = data.get("edge_weight") if weights else None
    return EdgeList(u, v, None if values is None else values.detach().numpy(), data.num_nodes, directed=True)


def of_edge_index(edge_index: Any, weights: bool) -> EdgeList:
    """Convert a PyTorch Geometric EdgeIndex tensor."""
    u, v = edge_index.as_tensor().numpy()
    sizes = [size for size in edge_index.sparse_size() if size is not None]
    if len(sizes) == 2:
        check_square(sizes)
    return EdgeList(u, v, None, sizes[0] if sizes else max(edge_index.get_sparse_size()), directed=True)


def _if_all_have_one(values: list[Any]) -> np.ndarray | None:
    return None if not values or any(value is None for value in values) else exact_array(values, "weights")


def _without_gaps(ids: Any, u: Any, v: Any, weights: Any, directed: bool, names: Any = None) -> EdgeList:
    """Return edges between vertices with ascending ids; ids with gaps are numbered, and become the default names."""
    n = int(ids.size)
    if n and int(ids[-1]) != n - 1:
        u, v = np.searchsorted(ids, u), np.searchsorted(ids, v)
        names = ids.tolist() if names is None else names
    return EdgeList(u, v, weights, n, directed, names)


# The edges of each type of cell: the indices of their ends in the cell, in the order of meshio (that is, VTK).
_EDGES_OF_CELLS = {
    "vertex": "",
    "line": "01",
    "triangle": "01 12 20",
    "quad": "01 12 23 30",
    "tetra": "01 12 20 03 13 23",
    "pyramid": "01 12 23 30 04 14 24 34",
    "wedge": "01 12 20 34 45 53 03 14 25",
    "hexahedron": "01 12 23 30 45 56 67 74 04 15 26 37",
}


def of_trimesh(mesh: Any, weights: bool) -> EdgeList:
    """Convert a trimesh mesh to the edges of its triangles."""
    return _mesh_edges([("triangle", mesh.faces)], len(mesh.vertices))


def of_meshio(mesh: Any, weights: bool) -> EdgeList:
    """Convert a meshio mesh to the edges of the cells in all blocks."""
    blocks = [(block.type, block.data) for block in mesh.cells]
    for kind, _ in blocks:
        if kind not in _EDGES_OF_CELLS:
            raise ValueError(
                f"cells must be {', '.join(_EDGES_OF_CELLS)}, but this mesh has some of type {kind}: "
                "join their vertices with from_edges(u, v)"
            )
    return _mesh_edges(blocks, len(mesh.points))


def _mesh_edges(blocks: list[tuple[str, Any]], n: int) -> EdgeList:
    """Return the edges of blocks of cells; an edge that several cells share is listed several times."""
    sides = [np.empty((0, 2), np.int64)]
    for kind, cells in blocks:
        sides += [np.asarray(cells)[:, [int(a) for a in ends]] for ends in _EDGES_OF_CELLS[kind].split()]
    pairs = np.concatenate(sides)
    return EdgeList(pairs[:, 0], pairs[:, 1], None, n, directed=False, are_distinct=True)


def of_torch(tensor: Any, weights: bool) -> Any:
    """Convert a PyTorch tensor of the layout CSR (shared), CSC or COO."""
    layout = str(tensor.layout).removeprefix("torch.")
    if layout == "strided":
        raise TypeError(
            f"a dense tensor of shape {tuple(tensor.shape)} is no graph: an edge index goes to "
            "from_edges(*edge_index), a matrix becomes sparse by .to_sparse_csr()"
        )
    if layout not in ("sparse_csr", "sparse_csc", "sparse_coo"):
        raise TypeError(f"a tensor must have the layout sparse_csr, sparse_csc or sparse_coo, got {layout}")
    check_square(tensor.shape)
    rows = tensor.detach() if layout == "sparse_csr" else tensor.detach().to_sparse_csr()
    values = _values(rows.values()) if weights else None
    return from_dlpack(rows.crow_indices()), from_dlpack(rows.col_indices()), values


def of_jax_coordinates(matrix: Any, weights: bool) -> Any:
    """Convert a JAX BCOO matrix. Entries outside the shape are padding and are ignored."""
    _check_unbatched(matrix)
    ends = from_dlpack(matrix.indices)
    if not isinstance(ends, np.ndarray):
        raise TypeError("a BCOO matrix on a GPU is not taken: pass jax.experimental.sparse.BCSR.from_bcoo(matrix)")
    inside = (ends < matrix.shape[0]).all(axis=1)
    values = _values(matrix.data) if weights else np.ones(len(ends), np.int8)
    return scipy.sparse.coo_array((values[inside], tuple(ends[inside].T)), shape=matrix.shape)


def of_jax_rows(matrix: Any, weights: bool) -> Any:
    """Convert a JAX BCSR matrix. Entries after the last row are padding and are ignored."""
    _check_unbatched(matrix)
    indptr, indices = from_dlpack(matrix.indptr), from_dlpack(matrix.indices)
    entries = int(indptr[-1])
    return indptr, indices[:entries], _values(matrix.data)[:entries] if weights else None


def of_sparse(matrix: Any, weights: bool) -> Any:
    """Convert an array of the package `sparse`."""
    check_square(matrix.shape)
    if matrix.fill_value != 0:
        raise ValueError(f"a sparse array must be filled with 0, got fill_value {matrix.fill_value}")
    return (matrix.to_coo() if type(matrix).__name__ == "DOK" else matrix).to_scipy_sparse()


def of_graphblas(matrix: Any, weights: bool) -> Any:
    """Convert a python-graphblas matrix; an iso-valued matrix has its value on every edge."""
    check_square(matrix.shape)
    indptr, indices, values = matrix.to_csr()
    return indptr, indices, values if weights else None


def _check_unbatched(matrix: Any) -> None:
    check_square(matrix.shape)
    if matrix.n_batch or matrix.n_dense:
        raise ValueError(
            f"a sparse matrix of JAX must have n_batch=0 and n_dense=0, got {matrix.n_batch} and {matrix.n_dense}"
        )


def _values(array: Any) -> Any:
    """Return weights as a NumPy or CuPy array."""
    try:
        return from_dlpack(array)
    except (BufferError, RuntimeError, TypeError):
        raise TypeError(
            f"NumPy has no type for weights of {array.dtype}: convert them to float32, or pass weights=False"
        ) from None


def summed_csr(matrix: Any, weights: bool) -> Any:
    """Return a sparse matrix as CSR; raise ValueError if a sum of repeated entries overflows, which SciPy ignores."""
    rows = matrix.tocsr()
    kind = rows.dtype.kind
    if not weights or rows.nnz == matrix.nnz or kind not in "iufc" or not isinstance(rows.data, np.ndarray):
        return rows
    with np.errstate(over="ignore", invalid="ignore"):
        if kind in "iu":  # an overflow changes a sum by a multiple of 2**bits, far more than float64 rounds
            wrong = np.abs(matrix.astype(np.float64).tocsr().data - rows.data) >= 2.0 ** (8 * rows.dtype.itemsize - 1)
        else:
            wrong = ~np.isfinite(rows.data)
            if wrong.any():  # a sum with an infinite entry may be infinite
                entries = matrix.tocoo(copy=True)
                entries.data = ~np.isfinite(entries.data)
                wrong &= ~entries.tocsr().data
    if wrong.any():
        k = int(wrong.argmax())
        row = int(np.searchsorted(rows.indptr, k, side="right")) - 1
        wide = "complex128" if kind == "c" else "int64" if kind in "iu" and rows.dtype.itemsize < 8 else "float64"
        widens = np.dtype(wide).itemsize > rows.dtype.itemsize or kind in "iu"
        cure = f"convert it to {wide} before" if widens else "scale its entries down"
        entry = shown_entry(row, int(rows.indices[k]), None)
        raise ValueError(f"the sum of the matrix's repeated entries {entry} does not fit {rows.dtype}; {cure}")
    return rows


def values_at(matrix: Any, rows: Any, columns: Any) -> Any:
    """Return the entries of a sparse array at the given positions; 0 where no entry is stored."""
    values = matrix[rows, columns]
    return values.toarray().ravel() if is_sparse(values) else np.asarray(values).ravel()


def smaller_values_at(matrix: Any, rows: Any, columns: Any) -> Any:
    """Return the smaller one of entries (i, j) and (j, i) at the given positions, of which at least one is stored."""
    pattern = scipy.sparse.csr_array((np.ones(matrix.nnz, bool), matrix.indices, matrix.indptr), shape=matrix.shape)
    values, stored = values_at(matrix, rows, columns), values_at(pattern, rows, columns)
    opposite, opposite_stored = values_at(matrix, columns, rows), values_at(pattern, columns, rows)
    smaller = np.where(opposite < values, opposite, values)
    return np.where(stored & opposite_stored, smaller, np.where(stored, values, opposite))


def to_scipy_matrix(csgraph: Any) -> Any:
    """Convert an array of the package `sparse`, or a sparse matrix of CuPy, to SciPy."""
    if type(csgraph).__module__.startswith("cupyx."):
        return csgraph.get()
    if hasattr(csgraph, "to_scipy_sparse"):
        return csgraph.to_scipy_sparse(accept_fv=[0, np.inf, np.nan])
    return csgraph


def of_dense(csgraph: Any) -> tuple[Any, Any, Any]:
    """Convert a dense matrix to CSR arrays, with the entries that it has in SciPy.

    Elements that are 0, NaN or infinite are no entries; of a masked array, only those that are masked or NaN. SciPy
    converts weights to float64, which rounds large integers; this function keeps their type.
    """
    mask = np.ma.getmask(csgraph)
    array = exact_array(csgraph if mask is np.ma.nomask else csgraph.data, "csgraph")
    if array.dtype.kind == "O" or array.dtype == np.float16:
        array = array.astype(np.float64)
    if mask is np.ma.nomask:
        is_entry = (array != 0) & np.isfinite(array)
    else:
        is_entry = ~mask & ~np.isnan(array)
    indptr, u, v = nonzero_entries(is_entry)
    return indptr, v, array[u, v]


def with_type_of(matrix: Any, csgraph: Any) -> Any:
    """Convert a sparse array to the type of the input: a SciPy matrix or an array of the package `sparse`."""
    if hasattr(csgraph, "from_scipy_sparse"):
        return type(csgraph).from_scipy_sparse(matrix, fill_value=csgraph.fill_value)
    is_old = scipy.sparse.issparse(csgraph) and not isinstance(csgraph, scipy.sparse.sparray)
    return scipy.sparse.csr_matrix(matrix) if is_old else matrix


# (first part of the module's name, class): the function that receives the object, and whether weights are wanted.
_CONVERTERS: dict[tuple[str, str], Callable[[Any, bool], Any]] = {
    ("networkx", "Graph"): of_networkx,
    ("igraph", "Graph"): of_igraph,
    ("rustworkx", "PyGraph"): of_rustworkx,
    ("rustworkx", "PyDiGraph"): of_rustworkx,
    ("networkit", "Graph"): of_networkit,
    ("torch_geometric", "Data"): of_torch_geometric,
    ("torch_geometric", "EdgeIndex"): of_edge_index,
    ("torch", "Tensor"): of_torch,
    ("jax", "BCOO"): of_jax_coordinates,
    ("jax", "BCSR"): of_jax_rows,
    ("sparse", "COO"): of_sparse,
    ("sparse", "GCXS"): of_sparse,
    ("sparse", "DOK"): of_sparse,
    ("graphblas", "Matrix"): of_graphblas,
    ("trimesh", "Trimesh"): of_trimesh,
    ("meshio", "Mesh"): of_meshio,
}
KNOWN = ", ".join(f"{module}.{name}" for module, name in _CONVERTERS)


@lru_cache(maxsize=256)
def converter_of(kind: type) -> Callable[[Any, bool], Any] | None:
    """Return the function that converts objects of this class or of a base class of it; None if there is none."""
    return _by_class(kind, _CONVERTERS)


def _by_class(kind: type, table: dict[tuple[str, str], Callable[..., Any]]) -> Callable[..., Any] | None:
    keys = ((ancestor.__module__.partition(".")[0], ancestor.__name__) for ancestor in kind.__mro__)
    return next((table[key] for key in keys if key in table), None)


def _jax_entries(matrix: Any) -> tuple[Any, Any, Any]:
    """Return the entries of a BCOO matrix; those outside the shape are padding."""
    ends = np.asarray(matrix.indices)
    if ends.ndim != 2 or ends.shape[1] != 2:
        raise ValueError("a BCOO pattern must have n_batch=0 and n_dense=0")
    return *ends[(ends < matrix.shape).all(axis=1)].T, matrix.shape


# The rows and columns of the entries, and the shape, for patterns of any shape.
_PATTERNS: dict[tuple[str, str], Callable[[Any], tuple[Any, Any, Any]]] = {
    ("asdex", "ColoredPattern"): lambda plan: (plan.sparsity.rows, plan.sparsity.cols, plan.sparsity.shape),
    ("casadi", "Sparsity"): lambda pattern: (*pattern.get_triplet(), pattern.shape),
    ("graphblas", "Matrix"): lambda matrix: (*matrix.to_coo(values=False)[:2], matrix.shape),
    ("jax", "BCOO"): _jax_entries,
    ("jax", "BCSR"): lambda matrix: _jax_entries(matrix.to_bcoo()),
    ("sparse", "COO"): lambda array: (*array.coords, array.shape),
    ("sparse", "GCXS"): lambda array: (*array.tocoo().coords, array.shape),
    ("sparse", "DOK"): lambda array: (*array.to_coo().coords, array.shape),
    ("torch", "Tensor"): lambda tensor: (*tensor.detach().cpu().to_sparse_coo().coalesce().indices(), tensor.shape),
}


def is_graph_of_library(kind: type) -> bool:
    """Return whether a class is a graph or a mesh of another library; matrices are none."""
    return converter_of(kind) is not None and _by_class(kind, _PATTERNS) is None


def matrix_of_pattern(pattern: Any) -> Any:
    """Return a pattern of any shape as a SciPy array, or unchanged, if it is dense or from SciPy.

    Other patterns are (rows, columns, shape), an object with attributes of these names, or of a class in `_PATTERNS`.
    """
    entries = _by_class(type(pattern), _PATTERNS)
    if entries is not None:
        *ends, shape = entries(pattern)
    elif all(hasattr(pattern, name) for name in ("rows", "cols", "shape")):
        *ends, shape = pattern.rows, pattern.cols, pattern.shape
    elif isinstance(pattern, tuple) and list(map(type, pattern))[2:] == [tuple] and tuple not in map(type, pattern[:2]):
        *ends, shape = pattern
    else:
        return pattern
    if len(shape) != 2:
        raise ValueError(f"the matrix must have two dimensions, got shape {tuple(shape)}")
    rows, columns = (host_array(array, name) for array, name in zip(ends, ("rows", "columns"), strict=True))
    if rows.ndim != 1 or rows.shape != columns.shape:
        raise ValueError(
            f"rows and columns of a pattern must have one number per entry, got shapes {rows.shape} and {columns.shape}"
        )
    if rows.size and (rows.dtype.kind not in "iu" or columns.dtype.kind not in "iu"):
        raise TypeError(f"rows and columns of a pattern must be integers, got {rows.dtype} and {columns.dtype}")
    sizes = tuple(integer(size, "a size in the shape of a pattern", minimum=0) for size in shape)
    return scipy.sparse.coo_array(
        (np.ones(rows.size, np.int8), (rows.astype(np.int64), columns.astype(np.int64))), shape=sizes
    )


def table_hint(obj: Any) -> str:
    """Return a hint for the error message on how to convert a table of edges, or "" for other objects."""
    names = list(getattr(obj, "column_names", ()) or getattr(obj, "columns", ())) if hasattr(obj, "__getitem__") else []
    if len(names) < 2:
        return ""
    return f"from_table(table, {names[0]!r}, {names[1]!r}) takes two columns of a table; else "
