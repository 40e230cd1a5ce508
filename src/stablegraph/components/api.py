"""Connected and strongly connected components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core.dispatch import dispatches_on_graph
from .._core.option_names import ComponentAlgorithm
from .._core.runtime.cuda_source import by_device
from .._core.typing import GraphLike, Labels, Vertices
from .._core.validation import choice
from ..conversion import any_graph
from ..graph import Graph
from . import fastsv, union


def _cuda():
    from . import union_cuda

    return union_cuda


__all__ = ["connected_components", "largest_component", "subgraph"]

# Each returns the number of components and the label of each vertex.
_ALGORITHMS: dict[ComponentAlgorithm, Callable[[Graph], tuple[int, Any]]] = {
    "union": by_device(cuda=lambda: _cuda().components)(union.components),
    "fastsv": fastsv.components,
}


@dispatches_on_graph
def connected_components(graph: GraphLike, *, algorithm: ComponentAlgorithm = "union") -> tuple[int, Labels]:
    """Find the connected components. Of a directed graph these are the weak components, which ignore directions.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Directed or not; the pattern of a matrix need not be symmetric. Weights, loops and repeated entries do not
        matter.
    algorithm : {"union", "fastsv"}
        - "union": union-find. It first uses two edges of each vertex, then all edges except those of the component that
          is the largest by then (Afforest).
        - "fastsv": rounds over all edges, until no label decreases. For comparison.

    Returns
    -------
    count : int
        The number of components.
    labels : int32 (n,)
        The component of each vertex. Components are numbered from 0 by their smallest vertices, as in SciPy. A CuPy
        array for a graph on a GPU; int64 from 2**31 vertices on.

    Raises
    ------
    ValueError
        If the algorithm is unknown.

    See Also
    --------
    largest_component : Extract the component with the most vertices as a graph.
    is_component_labeling : Check component labels with an independent method.

    Notes
    -----
    Deterministic: the same for any number of threads, on every device, for every dtype and algorithm. "union" reads two
    neighbors of each vertex and all neighbors of the vertices outside the largest component. If the pattern is not
    symmetric, it reads all entries. Work memory: 4 bytes per vertex (8 with 64-bit ids); "fastsv" 12.

    References
    ----------
    M. Sutton, T. Ben-Nun, A. Barak, "Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling", IPDPS
    2018.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 4], [2, 3, 3], symmetrize=True)
    >>> sg.connected_components(graph)
    (2, array([0, 1, 0, 1, 1], dtype=int32))
    """
    run = _ALGORITHMS[choice(algorithm, "algorithm", _ALGORITHMS)]
    return run(any_graph(graph))


@dispatches_on_graph
def largest_component(graph: GraphLike) -> tuple[Graph, npt.NDArray[np.int64]]:
    """Extract the connected component with the most vertices as a graph.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        As for `connected_components`.

    Returns
    -------
    component : Graph
        The largest component; in a tie, the one that contains the smallest vertex. Weights and names are kept. If the
        graph is connected, it is returned unchanged.
    vertices : int64 (k,)
        Vertex i of the component is ``vertices[i]`` of the graph.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 4], [2, 3, 3], symmetrize=True)
    >>> component, vertices = sg.largest_component(graph)
    >>> component.num_edges, vertices
    (2, array([1, 3, 4]))
    """
    graph = any_graph(graph, weights=True)
    xp = graph.xp
    count, labels = connected_components(graph)
    if count <= 1:
        return graph, xp.arange(graph.num_vertices, dtype=np.int64)
    vertices = xp.flatnonzero(labels == xp.bincount(labels).argmax())
    return graph.subgraph(vertices), vertices


@dispatches_on_graph
def subgraph(graph: GraphLike, vertices: Vertices) -> Graph:
    """Extract the graph on some of the vertices, with all entries between them.

    Like `Graph.subgraph`, for every input that `as_graph` takes.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Directed or not.
    vertices : bool array (n,), integer array, or names
        A mask, or distinct vertices by number or by name, in the order that they get in the result.

    Returns
    -------
    Graph
        Its vertex i is ``numpy.flatnonzero(mask)[i]``, or ``vertices[i]``, of the graph. Weights and names are kept.

    Raises
    ------
    ValueError
        For a mask of a wrong length, or a vertex that is out of range or repeated.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.subgraph(path, np.array([True, True, False, True])).num_edges
    1
    """
    return any_graph(graph, weights=True).subgraph(vertices)
