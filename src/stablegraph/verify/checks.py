"""What all verifiers check before they judge: the graph, an integer for each vertex, a set, a distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._arguments import host_array
from ..conversion import as_graph
from ..graph import Graph


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
    """A bool mask, from a bool mask or from distinct vertices."""
    array, n = host_array(vertices, name), graph.num_vertices
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(f"{name} has shape {array.shape}, but the graph has {n} vertices: expected shape ({n},)")
        return array
    if array.size == 0:
        return np.zeros(n, bool)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be a boolean mask or integer vertices, got dtype {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    outside = np.flatnonzero((array < 0) | (array >= n))
    if outside.size:
        where = outside[0]
        raise ValueError(f"{name}[{where}] is {array[where]}, but the graph's vertices are 0 to {n - 1}")
    counts = np.bincount(array.astype(np.intp), minlength=n)
    if counts.max() > 1:
        raise ValueError(
            f"{name} names vertex {counts.argmax()} {counts.max()} times; an array of integers is read as vertices: "
            "turn a mask of zeros and ones into booleans with .astype(bool)"
        )
    return counts > 0


def ends_of_entries(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The row and the column of every entry."""
    return np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr)), graph.indices


def beside(distance: int) -> str:
    """How a sentence says that two vertices are too near each other."""
    return "adjacent" if distance == 1 else f"within distance {distance} of each other"
