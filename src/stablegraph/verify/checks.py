"""What all verifiers have in common: checks of what they are given, and how their sentences name vertices."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arguments import host_array, vertices_of
from ..conversion import as_graph
from ..graph import Graph
from ..vertex_names import shown_entry, shown_vertex


def undirected(obj: Any) -> Graph:
    """An undirected graph, in host memory."""
    graph = as_graph(obj)
    if graph.directed:
        raise ValueError(
            "the graph is directed, but independent sets, colorings and forests are of undirected graphs; "
            "use as_graph(graph, symmetrize=True) to ignore the directions"
        )
    return graph if graph.device == "cpu" else graph.to("cpu")


def any_graph(obj: Any) -> Graph:
    """Any graph, in host memory; a matrix is a directed one."""
    graph = obj if isinstance(obj, Graph) else as_graph(obj, directed=True, weights=False)
    return graph if graph.device == "cpu" else graph.to("cpu")


def integer_each(values: Any, graph: Graph, name: str) -> np.ndarray:
    """An array with an integer for each vertex."""
    array, n = host_array(values, name), graph.num_vertices
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, but the graph has {n} vertices: expected shape ({n},)")
    if n and not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}")
    return array


def vertex_mask(vertices: Any, graph: Graph, name: str) -> np.ndarray:
    """A bool mask, from a mask or from distinct vertices, by number or by name."""
    mask = np.zeros(graph.num_vertices, bool)
    mask[vertices_of(graph, vertices, name)] = True
    return mask


def ends_of_entries(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The row and the column of every entry."""
    return np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr)), graph.indices


def beside(distance: int) -> str:
    """How a sentence says that two vertices are too near each other."""
    return "adjacent" if distance == 1 else f"within distance {distance} of each other"


def vertex(graph: Graph, v: Any) -> str:
    """What a sentence calls a vertex."""
    return f"vertex {shown_vertex(v, graph.nodes)}"


def vertices(graph: Graph, u: Any, v: Any) -> str:
    """What a sentence calls two vertices."""
    return f"vertices {shown_vertex(u, graph.nodes)} and {shown_vertex(v, graph.nodes)}"


def edge(graph: Graph, u: Any, v: Any) -> str:
    """What a sentence calls an edge."""
    return f"edge {shown_entry(u, v, graph.nodes)}"
