"""Connected and strongly connected components."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .._arguments import choice
from ..conversion import any_graph
from ..elsewhere import or_elsewhere
from ..graph import Graph
from ..names import ComponentAlgorithm
from ..parallel.cuda_source import by_device
from ..typing import GraphLike, Labels, Vertices
from . import fastsv, union

__all__ = ["connected_components", "largest_component", "subgraph"]

# Each returns how many components there are, and the label of each vertex.
_ALGORITHMS: dict[ComponentAlgorithm, Callable[[Graph], tuple[int, Any]]] = {
    "union": by_device(union.components, ".union_cuda", __package__),
    "fastsv": fastsv.components,
}


@or_elsewhere
def connected_components(graph: GraphLike, *, algorithm: ComponentAlgorithm = "union") -> tuple[int, Labels]:
    """Find the connected components; of a directed graph the weak ones, for which directions do not count.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Directed or not; the pattern of a matrix need not be symmetric. Weights, loops and repeated entries do not
        matter.
    algorithm : {"union", "fastsv"}
        - "union": union-find along two edges of each vertex, and then along all edges but those of the component that
          is largest by then (Afforest).
        - "fastsv": rounds over all edges, until no label becomes smaller. For comparison.

    Returns
    -------
    count : int
        The number of components.
    labels : int32 (n,)
        The component of each vertex. Components are numbered from 0 by their smallest vertices, as SciPy does it. A
        CuPy array for a graph on a GPU; int64 from 2**31 vertices on.

    Raises
    ------
    ValueError
        If the algorithm is unknown.

    See Also
    --------
    largest_component : The component with the most vertices, as a graph.
    is_component_labeling : Check such labels with other means.

    Notes
    -----
    Deterministic: the same for any number of threads, on every device, for every dtype and algorithm. "union" looks at
    two neighbors of each vertex, and at all of those outside the largest component; where the pattern is not
    symmetric, at all entries. Work memory: 4 bytes a vertex (8 if ids take 64 bits); "fastsv" 12.

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


@or_elsewhere
def largest_component(graph: GraphLike) -> tuple[Graph, npt.NDArray[np.int64]]:
    """The connected component with the most vertices, as a graph of its own.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        As for `connected_components`.

    Returns
    -------
    component : Graph
        Of several that are equally large the one with the smallest vertex. Weights and names are carried along. The
        graph itself if it is connected.
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


@or_elsewhere
def subgraph(graph: GraphLike, vertices: Vertices) -> Graph:
    """The graph on some of the vertices, with all entries between them: `Graph.subgraph` for anything that is a graph.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Directed or not.
    vertices : bool array (n,), integer array, or names
        A mask, or distinct vertices in the order they are to have, by number or by name.

    Returns
    -------
    Graph
        Vertex i of it is ``numpy.flatnonzero(mask)[i]``, or ``vertices[i]``, of the graph. Weights and names are
        carried along.

    Raises
    ------
    ValueError
        For a mask of another length, a vertex out of range, or one that is named twice.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.subgraph(path, np.array([True, True, False, True])).num_edges
    1
    """
    return any_graph(graph, weights=True).subgraph(vertices)
