"""Connected and strongly connected components."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args, overload

import numpy as np
import numpy.typing as npt

from .._core.csr.groups import by_smallest_vertex, smallest_members
from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.option_names import ComponentAlgorithm, ComponentLabel, StrongAlgorithm
from .._core.runtime import by_device
from .._core.typing import GraphLike, Labels, Vertices
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, ascending_members, boolean, choice
from ..conversion import any_graph, as_graph, from_edges
from ..graph import Graph
from ..study import cfhp, fastsv
from . import forward_backward, tarjan, union
from .cuda import spread_components
from .cuda import strong as strong_cuda
from .cuda import union as union_cuda

__all__ = [
    "condensation",
    "connected_components",
    "largest_component",
    "strongly_connected_components",
    "subgraph",
]


_by_union = by_device(union.label_components, union_cuda.components, spread_components.components)
_of_directed = by_device(forward_backward.directed_components, strong_cuda.directed_components)


def _automatic(graph: Graph) -> tuple[int, Labels]:
    if not graph.directed or graph.facts.get("symmetric"):
        return _by_union(as_graph(graph, directed=False))
    return _of_directed(graph)


# Each algorithm returns the number of components and the label of each vertex.
ALGORITHMS: dict[ComponentAlgorithm, Callable[[Graph], tuple[int, Any]]] = {
    "union": _by_union,
    "fastsv": fastsv.label_by_rounds,
}
STRONG_ALGORITHMS: dict[StrongAlgorithm, Callable[[Graph], tuple[int, Any]]] = {
    "auto": _automatic,
    "tarjan": forward_backward.on_one_thread,
    "forward_backward": by_device(forward_backward.strong_components, strong_cuda.directed_components),
    "cfhp": lambda graph: by_smallest_vertex(cfhp.representatives(graph)),
}

# For a graph in partitions.
SUPPORTED = Supported(
    {"algorithm": ("union",)},
    {
        "start": "give the graph the earlier labels as edges instead: one from each vertex to a vertex of its earlier "
        "component"
    },
)
STRONG_SUPPORTED = Supported({"algorithm": ("auto",)})


@dispatches_on_graph
def connected_components(
    graph: GraphLike,
    *,
    algorithm: ComponentAlgorithm = "union",
    label: ComponentLabel = "number",
    start: npt.ArrayLike | Mapping[Any, Any] | None = None,
) -> tuple[int, Labels]:
    """Find the connected components. Of a directed graph these are the weak components, which ignore directions.

    >>> import stablegraph as sg
    >>> sg.connected_components(sg.from_edges([0, 1, 4], [2, 3, 3], symmetrize=True))
    (2, array([0, 1, 0, 1, 1], dtype=int32))

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        Directed or not; the pattern of a matrix need not be symmetric. Weights, loops and repeated entries do not
        matter.
    algorithm : {"union", "fastsv"}
        - "union": union-find. It first uses two edges of each vertex, then all edges except those of the component that
          is the largest by then (Afforest).
        - "fastsv": rounds over all edges, until no label decreases. For comparison.
    label : {"number", "smallest"}
        - "number": components are numbered from 0 by their smallest vertices, as in SciPy.
        - "smallest": the label of a component is its smallest vertex. The label of a component that does not change
          remains the same when vertices and edges are added. `cluster_table` returns such labels as ids.
    start : integer array (k,) or dict, optional
        Labels of an earlier result, with either `label`, for the first k vertices; later vertices are new. A dict
        ``{name: label}`` has labels of any kind, such as the names in `cluster_table`, for the earlier vertices.
        Vertices with equal labels are connected, and `graph` needs to contain only the edges that were added since. The
        result is the same as that for all edges.

    Returns
    -------
    count : int
        The number of components.
    labels : int32 (n,)
        The component of each vertex, by its number or its smallest vertex. A CuPy array for a graph on a GPU; int64
        from 2**31 vertices on.

    Raises
    ------
    ValueError
        If an option is unknown; if there are more labels in `start` than vertices, one is negative or not less than the
        number of labels, or `algorithm` is not "union".
    TypeError
        If the labels in `start` are not integers.

    See Also
    --------
    cluster_table : Make a table with the smallest id and the size of each component.
    largest_component : Extract the component with the most vertices as a graph.
    is_component_labeling : Check component labels with an independent method.

    Notes
    -----
    Deterministic: the same for any number of threads, on every device, for every dtype and algorithm. "union" reads two
    neighbors of each vertex and all neighbors of the vertices outside the largest component. If the pattern is not
    symmetric, it reads all entries. Work memory: 4 bytes per vertex (8 with 64-bit ids); "fastsv" 12; with `start` or
    "smallest" labels 12. With `start`, the components of a graph on a GPU are computed in host memory.

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

    The smallest vertices as labels; then one more edge.

    >>> count, labels = sg.connected_components(graph, label="smallest")
    >>> labels
    array([0, 1, 0, 1, 1], dtype=int32)
    >>> sg.connected_components(sg.from_edges([5], [4], symmetrize=True), start=labels, label="smallest")
    (2, array([0, 1, 0, 1, 1, 1], dtype=int32))
    """
    run, label = (
        ALGORITHMS[choice(algorithm, "algorithm", ALGORITHMS)],
        choice(label, "label", get_args(ComponentLabel)),
    )
    if start is not None and algorithm != "union":
        raise ValueError(f"start= needs algorithm='union', got {algorithm!r}")
    graph = any_graph(graph, partitions=True)
    if isinstance(graph, PartitionedGraph):
        SUPPORTED.check(algorithm=algorithm, start=start)
        return in_partitions(connected_components, graph, label)
    count, labels = run(graph) if start is None else union.after_added_edges(graph, start)
    return count, smallest_members(labels) if label == "smallest" else labels


@dispatches_on_graph
def strongly_connected_components(graph: GraphLike, *, algorithm: StrongAlgorithm = "auto") -> tuple[int, Labels]:
    """Find the strong components: u and v are in the same one if each can be reached from the other along arcs.

    >>> import stablegraph as sg
    >>> sg.strongly_connected_components(sg.from_edges([0, 1, 1], [1, 0, 2], directed=True))
    (2, array([0, 0, 1], dtype=int32))

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        A directed graph: entry (u, v) is an arc from u to v. For an undirected one these are the connected components.
        Loops and repeated entries do not matter.
    algorithm : {"auto", "tarjan", "forward_backward", "cfhp"}
        The method. It changes the time, not the result.

        - "auto": "forward_backward", except "tarjan" for small graphs on the CPU, and union-find if each arc has its
          reverse arc. On a GPU, vertices are repeatedly divided by the highest ranks that reach them and that they
          reach (ECL-SCC), without the transposed graph.
        - "tarjan": depth-first search, in Pearce's form without recursion. One thread, on the CPU.
        - "forward_backward": finds most of the largest component by forward and backward search from a well-connected
          vertex on all threads, and the other components by "tarjan". On a GPU, the same as "auto".
        - "cfhp": divide and conquer of all parts at once, with repeated trimming. Needs the transposed graph, which is
          built first.

    Returns
    -------
    count : int
        The number of components.
    labels : int32 (n,)
        The component of each vertex. Components are numbered 0, 1, ... by their smallest vertices. int64 from 2**31
        vertices on; a CuPy array for a graph on a GPU.

    Raises
    ------
    ValueError
        For an unknown algorithm.

    See Also
    --------
    condensation : Build the graph of the components.
    is_strong_component_labeling : Check a labeling with an independent method.

    Notes
    -----
    Deterministic. O(n + m) ("cfhp": O((n + m) log n) expected). Nothing is recursive, so paths may have any length.
    Work memory: at most 21 bytes per vertex, 32 on a GPU; for "cfhp" about 40, and the transposed graph;
    "forward_backward" with six or more threads also needs the transposed graph if paths are long. A transposed graph is
    kept.

    References
    ----------
    D. Pearce, "A Space-Efficient Algorithm for Finding Strongly Connected Components", Information Processing Letters
    116(1), 2016. L. Fleischer, B. Hendrickson, A. Pinar, "On Identifying Strongly Connected Components in Parallel",
    IPDPS 2000 workshops. G. Alabandi, W. Sands, G. Biros, M. Burtscher, "A GPU Algorithm for Detecting Strongly
    Connected Components", SC 2023.

    Examples
    --------
    A cycle of three vertices, and a vertex that can be reached from it.

    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True)
    >>> count, labels = sg.strongly_connected_components(graph)
    >>> count, labels
    (2, array([0, 0, 0, 1], dtype=int32))
    """
    run, graph = STRONG_ALGORITHMS[choice(algorithm, "algorithm", STRONG_ALGORITHMS)], any_graph(graph, partitions=True)
    if isinstance(graph, PartitionedGraph):
        STRONG_SUPPORTED.check(algorithm=algorithm)
        return in_partitions(strongly_connected_components, graph)
    return run(graph)


@overload
def condensation(graph: GraphLike, *, return_order: Literal[False] = False) -> Graph: ...


@overload
def condensation(graph: GraphLike, *, return_order: Literal[True]) -> tuple[Graph, Labels]: ...


@overload
def condensation(graph: GraphLike, *, return_order: bool) -> Graph | tuple[Graph, Labels]: ...


@suggests_options
def condensation(graph: GraphLike, *, return_order: bool = False) -> Graph | tuple[Graph, Labels]:
    """Build the graph of the strong components, which has no cycles.

    >>> import stablegraph as sg
    >>> sg.condensation(sg.from_edges([0, 1, 1], [1, 0, 2], directed=True)).num_edges
    1

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        A directed graph: entry (u, v) is an arc from u to v.
    return_order : bool
        Also return a topological order.

    Returns
    -------
    dag : Graph
        Directed. Vertex c represents the component with label c in `strongly_connected_components`. It has an arc from
        c to d if there is an arc from a vertex of c to a vertex of d; no loops, no repeated arcs, no weights.
    order : int array, optional
        All components in topological order: each arc of the condensation leads from an earlier to a later component.

    See Also
    --------
    strongly_connected_components : The labels.

    Notes
    -----
    Deterministic. Work memory: about 30 bytes per entry of the graph, in addition to that for the components.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 2], [3, 2, 1, 0], directed=True)
    >>> dag, order = sg.condensation(graph, return_order=True)
    >>> dag.to_scipy().toarray()
    array([[0, 0, 1],
           [1, 0, 0],
           [0, 0, 0]], dtype=int8)
    >>> order
    array([1, 0, 2], dtype=int32)
    """
    return_order = boolean(return_order, "return_order")
    graph = any_graph(graph).to("cpu")
    count, labels = strongly_connected_components(graph)
    tails, heads = np.repeat(labels, np.diff(graph.indptr)), labels[graph.indices]
    dag = from_edges(tails, heads, n=count, directed=True, drop_loops=True)
    if not return_order:
        return dag
    order = np.empty(count, labels.dtype)
    order[tarjan.component_numbers(dag) - 1] = np.arange(count)
    return dag, order


@dispatches_on_graph
def largest_component(graph: GraphLike) -> tuple[Graph, npt.NDArray[np.int64]]:
    """Extract the connected component with the most vertices as a graph.

    >>> import stablegraph as sg
    >>> component, vertices = sg.largest_component(sg.from_edges([0, 1, 4], [2, 3, 3], symmetrize=True))
    >>> component.num_edges, vertices
    (2, array([1, 3, 4]))

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

    >>> import stablegraph as sg
    >>> sg.subgraph(sg.gallery.grid((4,)), [0, 1, 3]).num_edges
    1

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
    graph = any_graph(graph, weights=True, partitions=True)
    if isinstance(graph, PartitionedGraph):
        return in_partitions(subgraph, graph, ascending_members(graph, vertices, "vertices"))
    return graph.subgraph(vertices)
