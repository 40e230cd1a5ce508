"""Graph traversal: breadth-first search, reachability, and shortest paths by number of edges or by weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._core.dispatch import dispatches_on_graph, in_partitions
from .._core.runtime import Rows, by_device, float64_bits, with_gpu_form
from .._core.typing import ArrayLike, GraphLike, Labels, Mask, Numbers, Vertices
from .._core.unknown_options import suggests_options
from .._core.validation import (
    PartitionedGraph,
    distance_limit,
    distinct_vertices_on,
    host_array,
    integer,
    number,
    on_gpu,
    vertices_of,
)
from .._core.vertex_values import checked_weights
from ..conversion import any_graph, undirected
from ..graph import Graph
from . import breadth_first
from . import shortest_paths as delta_stepping
from .bipartition import ODD, odd_cycle, two_sides
from .cuda import bipartition as bipartition_cuda
from .cuda import breadth_first as breadth_first_cuda
from .cuda import spread_search

__all__ = ["bfs_path", "bipartition", "breadth_first_search", "is_bipartite", "reachable", "shortest_paths"]

_search = by_device(breadth_first.distances_and_parents, breadth_first_cuda.search, spread_search.search)


@dispatches_on_graph
def breadth_first_search(
    graph: GraphLike, sources: int | Vertices, *, max_distance: int | None = None
) -> tuple[Labels, Labels]:
    """Find the distance of each vertex from the nearest source, and its predecessor on a shortest path.

    >>> import stablegraph as sg
    >>> sg.breadth_first_search(sg.gallery.grid((4,)), 0)
    (array([0, 1, 2, 3], dtype=int32), array([0, 0, 1, 2], dtype=int32))

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Directed or not; a matrix whose pattern is not symmetric is a directed graph. Paths follow the arcs. Weights,
        loops and repeated entries do not matter.
    sources : int, text, distinct vertices by number or name, or bool (n,)
        The vertices where the search begins.
    max_distance : int, optional
        Search only up to this distance, at least 0: the k-hop neighborhood of the sources. Farther vertices count as
        unreachable. By default there is no limit.

    Returns
    -------
    distance : int32 (n,)
        The number of edges of a shortest path from a source; -1 if there is no path.
    parent : int32 (n,)
        The predecessor on a shortest path from a source; the smallest one if there are several. A source is its own
        parent; -1 if there is no path. Both are CuPy arrays for a graph on a GPU, and int64 from 2**31 vertices on.

    Raises
    ------
    ValueError
        If a source is out of range, unknown or repeated, a mask has a wrong length, or `max_distance` is negative.
    TypeError
        If the sources are neither vertices nor a mask, or `max_distance` is not an integer.

    See Also
    --------
    bfs_path : Return the path to a vertex as a list of vertices.
    shortest_paths : Find shortest paths by weight.
    is_bfs_tree : Check distances and parents with an independent method.

    Notes
    -----
    Deterministic: the same for any number of threads, on every device, for every dtype. Where frontiers are small, each
    entry is read at most once. Usually far fewer are read where frontiers grow large, if the pattern is symmetric or
    `Graph.transpose` has been called before. Work memory: 6 bytes per vertex (10 with 64-bit ids). With `max_distance`,
    rows of vertices at this distance and beyond are not read, but each call takes a pass over all vertices.

    References
    ----------
    S. Beamer, K. Asanovic, D. Patterson, "Direction-Optimizing Breadth-First Search", SC 2012.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], n=5, symmetrize=True)
    >>> distance, parent = sg.breadth_first_search(graph, 0)
    >>> distance
    array([ 0,  1,  2,  1, -1], dtype=int32)
    >>> parent
    array([ 0,  0,  1,  0, -1], dtype=int32)
    >>> sg.breadth_first_search(graph, 0, max_distance=1)[0]
    array([ 0,  1, -1,  1, -1], dtype=int32)
    """
    graph = any_graph(graph, partitions=True)
    limit, starts = distance_limit(max_distance, graph.num_vertices), _checked_sources(sources, graph)
    if isinstance(graph, PartitionedGraph):
        return in_partitions(breadth_first_search, graph, starts, limit)
    tree: tuple[Labels, Labels] = _search(graph, starts, limit)
    return tree


@dispatches_on_graph
def reachable(graph: GraphLike, sources: int | Vertices, *, max_distance: int | None = None) -> Mask:
    """Find the vertices that can be reached from a source.

    >>> import stablegraph as sg
    >>> sg.reachable(sg.from_edges([0, 1, 3], [1, 2, 2], directed=True), 1)
    array([False,  True,  True, False])

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        As for `breadth_first_search`. Pass ``graph.transpose()`` to find the vertices that can reach a source.
    sources : int, text, distinct vertices by number or name, or bool (n,)
        The sources are part of the result.
    max_distance : int, optional
        Find only the vertices within this distance: the k-hop neighborhood, for example for ``graph.subgraph(mask)``.

    Returns
    -------
    bool (n,)
        A mask; a CuPy array for a graph on a GPU.

    Raises
    ------
    ValueError, TypeError
        As for `breadth_first_search`.

    Notes
    -----
    Time and memory as for `breadth_first_search`.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 3], [1, 2, 2], directed=True)
    >>> sg.reachable(graph, 1)
    array([False,  True,  True, False])
    """
    return breadth_first_search(graph, sources, max_distance=max_distance)[0] >= 0


@dispatches_on_graph
def shortest_paths(
    graph: GraphLike,
    sources: int | Vertices,
    *,
    weights: Numbers | Literal[False] | None = None,
    max_distance: float | None = None,
) -> tuple[npt.NDArray[Any], Labels]:
    """Find the length of a shortest path to each vertex from the nearest source, and its predecessor on such a path.

    >>> import stablegraph as sg
    >>> roads = sg.from_edges([0, 1, 0], [1, 2, 2], [1.5, 2.0, 4.0], symmetrize=True)
    >>> sg.shortest_paths(roads, 0)
    (array([0. , 1.5, 3.5]), array([0, 0, 1], dtype=int32))

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Directed or not; a matrix whose pattern is not symmetric is a directed graph. Paths follow the arcs: entry
        (u, v) has the weight of the step from u to v, also if entry (v, u) has another one. A stored zero is an arc of
        weight 0. Loops do not matter, and of repeated entries the lightest counts.
    sources : int, text, distinct vertices by number or name, or bool (n,)
        The vertices where the search begins.
    weights : array (entries,) or False, optional
        The weight of each entry, in the order of ``graph.indices``: finite numbers of at most 64 bits, at least 0. By
        default the weights of the graph, or 1 if it has none; with False all weights are 1.
    max_distance : float, optional
        Search only up to this distance, at least 0. Farther vertices count as unreachable. By default there is no
        limit.

    Returns
    -------
    distance : float64 or int64 (n,)
        The length of a shortest path from a source: the sum of its weights, added from the source on. float64 for
        weights that are floats, with infinity if there is no path; int64 for integers and booleans and without weights,
        with -1 if there is no path.
    parent : int32 (n,)
        The predecessor on a shortest path with the fewest edges; the smallest one if there are several. A source is its
        own parent; -1 if there is no path. Both are CuPy arrays for a graph on a GPU; the parents are int64 from 2**31
        vertices on.

    Raises
    ------
    ValueError
        If a weight is negative, NaN or infinite, there are more or fewer weights than entries, a source is out of
        range, unknown or repeated, `max_distance` is negative or NaN, or every path to a vertex is too long: a sum is
        larger than the largest float64, or for integers than 2**62 - 1.
    TypeError
        If weights are not real numbers of at most 64 bits, the sources are neither vertices nor a mask, or
        `max_distance` is not a number.
    NotImplementedError
        If the graph is in partitions.

    See Also
    --------
    bfs_path : Return the path to a vertex, given the parents.
    breadth_first_search : Find paths with the fewest edges.
    is_shortest_path_tree : Check distances and parents with an independent method.
    stablegraph.csgraph.dijkstra : Distances from each of several sources, with SciPy's arguments.

    Notes
    -----
    Deterministic: the same for any number of threads, also to the last bit of floats. Rounded sums are minima over all
    paths of the sum along the path, as in Dijkstra's algorithm. Delta stepping with a step that adapts itself: each
    entry is read 1 to 2 times, usually, and once more for the parents. On the host also for a graph on a GPU. Work
    memory: 21 bytes per vertex (37 with 64-bit ids), and 8 bytes per entry if weights are neither int32, int64 nor
    float64; for floats on several threads 28 bytes per vertex (44) and 1 more per entry. Without weights as
    `breadth_first_search`.

    References
    ----------
    U. Meyer, P. Sanders, "Delta-stepping: a parallelizable shortest path algorithm", Journal of Algorithms 49(1), 2003.

    Examples
    --------
    >>> distance, parent = sg.shortest_paths(roads, [0, 1], max_distance=1.9)
    >>> distance, parent
    (array([ 0.,  0., inf]), array([ 0,  1, -1], dtype=int32))
    >>> sg.bfs_path(sg.shortest_paths(roads, 0)[1], 2)
    array([0, 1, 2])
    """
    graph = any_graph(graph, weights=True)
    host = graph.to("cpu")
    starts, values = _checked_sources(sources, host), checked_weights(host, weights, narrow=True)
    distance, parent = lengths_and_parents(host, starts, values, max_distance)
    return graph.xp.asarray(distance), graph.xp.asarray(parent)


def lengths_and_parents(graph: Graph, starts: Any, values: Any, max_distance: Any) -> tuple[Any, Any]:
    """Compute the results of `shortest_paths` from checked weights, or None, and ascending sources, in host memory."""
    kind = "i" if values is None else values.dtype.kind
    limit = delta_stepping.LARGEST[kind]
    if max_distance is not None and (length := number(max_distance, "max_distance", minimum=0)) < np.inf:
        limit = min(limit, int(max_distance) if kind == "i" else int(float64_bits(length + 0.0)))
    if values is None:
        distance, parent = _search(graph, starts, min(limit, graph.num_vertices))
        return distance.astype(np.int64), parent
    distance, parent = delta_stepping.distances_and_parents(graph, values, starts, limit)
    distance[parent < 0] = np.inf if kind == "f" else -1
    return distance, parent


@suggests_options
def bfs_path(parent: ArrayLike | Sequence[int], v: int) -> npt.NDArray[np.int64]:
    """Follow the parents from a vertex back to the source.

    >>> import stablegraph as sg
    >>> sg.bfs_path([0, 0, 1, 2], 3)  # parents: 0 is the source
    array([0, 1, 2, 3])

    Parameters
    ----------
    parent : integer array (n,)
        The parents, as returned by `breadth_first_search` or `shortest_paths`.
    v : int
        The end of the path.

    Returns
    -------
    int64 array
        The vertices of the path, from the source to `v`.

    Raises
    ------
    ValueError
        If `v` is out of range, there is no path to it, or the parents form a cycle.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> _, parent = sg.breadth_first_search(graph, 0)
    >>> sg.bfs_path(parent, 2)
    array([0, 1, 2])
    """
    parents = host_array(parent, "parent")
    v = integer(v, "v")
    if not 0 <= v < parents.size:
        raise ValueError(f"v is {v}, but there are {parents.size} vertices, numbered from 0")
    if parents[v] < 0:
        raise ValueError(f"there is no path to vertex {v}: its parent is {parents[v]}")
    above, vertices = parents.item, [v]
    while (u := above(vertices[-1])) != vertices[-1]:
        if not 0 <= u < parents.size or len(vertices) == parents.size:
            raise ValueError(f"the parents above vertex {v} do not end at a source: is this a result of a search?")
        vertices.append(u)
    return np.array(vertices[::-1])


@dispatches_on_graph
def is_bipartite(graph: GraphLike) -> bool:
    """Return whether the vertices can be divided into two sides so that every edge joins both.

    >>> import stablegraph as sg
    >>> sg.is_bipartite(sg.gallery.grid((3, 4)))
    True

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops (entries on the diagonal) are ignored.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric.

    See Also
    --------
    bipartition : Find the sides, or a cycle of odd length.

    Notes
    -----
    Each entry is read at most once; on the CPU, by one thread. Work memory: 1 byte and an id per vertex, on a GPU 9
    bytes.
    """
    return _has_sides(undirected(graph))


@dispatches_on_graph
def bipartition(graph: GraphLike) -> tuple[Labels, None] | tuple[None, npt.NDArray[np.int64]]:
    """Divide the vertices into two sides so that every edge joins both, or find a cycle of odd length.

    >>> import stablegraph as sg
    >>> sg.bipartition(sg.gallery.grid((4,)))
    (array([0, 1, 0, 1], dtype=int32), None)

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops (entries on the diagonal) are ignored.

    Returns
    -------
    sides : int32 (n,), or None
        The side of each vertex, 0 or 1: a coloring with two colors. The smallest vertex of each component is on side
        0. None if the graph is not bipartite.
    cycle : int64 array, or None
        The vertices of a cycle of odd length, in their order, which proves that the graph is not bipartite. None if it
        is.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric.

    See Also
    --------
    stablegraph.csgraph.maximum_bipartite_matching : Find a largest matching of a bipartite graph.

    Notes
    -----
    Deterministic: a function of the graph. Cost as for `is_bipartite`; to find a cycle, also a breadth-first search of
    its component and a pass over the entries.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> sg.bipartition(cycle)
    (array([0, 1, 0, 1], dtype=int32), None)
    >>> house = sg.from_edges([0, 1, 2, 3, 4, 1], [1, 2, 3, 0, 0, 4], symmetrize=True)
    >>> sg.bipartition(house)
    (None, array([0, 1, 4]))
    """
    graph = undirected(graph)
    sides = _sides(graph)
    if sides is not None:
        return sides, None
    host = graph.to("cpu")
    odd = np.flatnonzero(two_sides(Rows(host.indptr, host.indices)) == ODD)
    return None, graph.xp.asarray(odd_cycle(host, int(odd[0])))


@with_gpu_form(bipartition_cuda.is_bipartite)
def _has_sides(graph: Graph) -> bool:
    return _sides(graph) is not None


@with_gpu_form(bipartition_cuda.sides)
def _sides(graph: Graph) -> Any:
    """Return the side of each vertex, 0 or 1, as int32, or None; the smallest vertex of a component is on side 0."""
    sides = two_sides(Rows(graph.indptr, graph.indices))
    return None if (sides == ODD).any() else sides.astype(np.int32) - 1


def _checked_sources(sources: Any, graph: Graph) -> Any:
    """Return the distinct sources in ascending order.

    The result is in host memory, or on the GPU if the graph and the sources are both on a GPU.
    """
    if type(sources) is int and 0 <= sources < graph.num_vertices:
        return np.array([sources])
    if not isinstance(graph, PartitionedGraph) and graph.device == "cuda" and on_gpu(sources):
        return graph.xp.sort(distinct_vertices_on("cuda", sources, "sources", graph.num_vertices))
    return np.sort(vertices_of(graph, sources, "sources"))
