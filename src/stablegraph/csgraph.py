"""Some functions of `scipy.sparse.csgraph` with the same names and signatures, on all threads.

Change the import, and nothing else:

>>> from stablegraph.csgraph import connected_components
>>> connected_components([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
(2, array([0, 0, 1], dtype=int32))

They take what SciPy's take: sparse matrices and arrays of any format, and dense ones, where zero, infinity, NaN and
what is masked mean that there is no edge. They differ where SciPy goes wrong: a stored zero of a sparse matrix is an
edge, weights keep their dtype (SciPy rounds large 64-bit integers to float64), and a vertex out of range is refused.
Where several answers are right, it is always the same one that is given; the docstrings tell which.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import csgraph_from_dense

from ._arguments import choice
from .components import connected_components as weak_components
from .components.strong import strongly_connected_components
from .conversion import as_graph
from .forest import minimum_spanning_forest
from .graph import Graph
from .parallel.primitives import sort_by_key
from .traversal import breadth_first_search

__all__ = ["breadth_first_order", "connected_components", "minimum_spanning_tree"]

_NO_PREDECESSOR = -9999


def connected_components(
    csgraph: Any, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> Any:
    """Find the weak or strong components, as `scipy.sparse.csgraph.connected_components` does.

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    directed : bool
        If not, `connection` does not matter: an entry joins its two ends.
    connection : {"weak", "strong"}
        Whether the directions of arcs are ignored, or the vertices of a component can all reach one another.
    return_labels : bool
        Whether the labels are returned, too.

    Returns
    -------
    n_components : int
    labels : int32 (n,)
        Components are numbered by their smallest vertices; SciPy's strong ones are not.

    Raises
    ------
    ValueError
        If `connection` is neither of the two, or the matrix is no graph.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.connected_components([[0, 1, 0], [0, 0, 1], [0, 1, 0]], connection="strong")
    (2, array([0, 1, 1], dtype=int32))
    """
    connection = choice(
        connection.lower() if isinstance(connection, str) else connection, "connection", ("weak", "strong")
    )
    strong = directed and connection == "strong"
    answer = (strongly_connected_components if strong else weak_components)(_directed(csgraph))
    return answer if return_labels else answer[0]


def minimum_spanning_tree(csgraph: Any, overwrite: bool = False) -> Any:
    """Find the minimum spanning tree, or forest, as `scipy.sparse.csgraph.minimum_spanning_tree` does.

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entries (i, j) and (j, i) are one edge; the smaller one counts.
    overwrite : bool
        Accepted for SciPy's sake. Nothing is overwritten.

    Returns
    -------
    csr_array or csr_matrix (n, n)
        A matrix if `csgraph` is a sparse one, else an array. Each edge once, from its smaller to its larger end; equal
        weights are ordered by these ends. SciPy keeps the side on which it found the edge.

    Raises
    ------
    ValueError
        If a weight is NaN, or the matrix is no graph.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.minimum_spanning_tree([[0, 3, 1], [0, 0, 2], [0, 0, 0]]).toarray()
    array([[0., 0., 1.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    forest = minimum_spanning_forest(_directed(csgraph, weights=True), symmetrize="min")
    return sp.csr_matrix(forest) if sp.isspmatrix(csgraph) else forest


def breadth_first_order(csgraph: Any, i_start: int, directed: bool = True, return_predecessors: bool = True) -> Any:
    """Search breadth first, as `scipy.sparse.csgraph.breadth_first_order` does.

    Parameters
    ----------
    csgraph : sparse or dense matrix, or Graph
        Entry (i, j) is an arc from i to j.
    i_start : int
        The vertex to begin with.
    directed : bool
        If not, arcs can be followed in both directions.
    return_predecessors : bool
        Whether the predecessors are returned, too.

    Returns
    -------
    node_array : int32 array
        The vertices that can be reached, by distance, and at equal distance by number.
    predecessors : int32 (n,)
        The smallest vertex one step nearer to the start; -9999 at the start and at unreachable vertices.

    Raises
    ------
    ValueError
        If `i_start` is not one of the vertices, or the matrix is no graph.

    Examples
    --------
    >>> from stablegraph import csgraph
    >>> csgraph.breadth_first_order([[0, 0, 1], [0, 0, 0], [0, 1, 0]], 0)
    (array([0, 2, 1], dtype=int32), array([-9999,     2,     0], dtype=int32))
    """
    graph = _directed(csgraph)
    if not 0 <= int(i_start) < graph.num_vertices:
        raise ValueError(f"i_start is {i_start}, but there are {graph.num_vertices} vertices, numbered from 0")
    distance, parent = breadth_first_search(graph if directed else as_graph(graph, symmetrize=True), int(i_start))
    reached = np.flatnonzero(distance >= 0)
    nodes = reached[sort_by_key(distance[reached])].astype(parent.dtype)
    if not return_predecessors:
        return nodes
    parent = np.where(parent < 0, _NO_PREDECESSOR, parent)
    parent[i_start] = _NO_PREDECESSOR
    return nodes, parent


def _directed(csgraph: Any, *, weights: bool = False) -> Graph:
    """A matrix of SciPy's kinds as a directed graph in host memory."""
    if isinstance(csgraph, np.ma.MaskedArray):
        csgraph = np.ma.filled(csgraph.astype(np.float64), np.nan)
    if not (isinstance(csgraph, Graph) or sp.issparse(csgraph)):
        csgraph = csgraph_from_dense(csgraph)
    return as_graph(csgraph, directed=True, weights=weights).to("cpu")
