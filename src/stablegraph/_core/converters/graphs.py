"""Conversion of other libraries' graphs and meshes to edge lists, each through the fastest interface of the library.

rustworkx and PyTorch Geometric offer arrays. The other libraries return tuples, which takes 0.3 to 1 microseconds per
edge. A mesh becomes the graph of its vertices, which are adjacent if a cell has an edge between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from ..csr.checks import check_square
from ..runtime import Array
from ..validation import exact_array

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
