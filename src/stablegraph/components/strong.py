"""Strong components of a directed graph: sets of vertices that can all reach one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, overload

import numpy as np

from .._core.csr.arrays import index_type
from .._core.dispatch import dispatches_on_graph
from .._core.option_names import StrongAlgorithm
from .._core.runtime import atomic_min, kernel
from .._core.runtime.cuda_source import by_device
from .._core.runtime.device import array_module, device_of
from .._core.typing import GraphLike, Labels
from .._core.unknown_options import suggests_options
from .._core.validation import boolean, choice
from ..conversion import any_graph, as_graph, from_edges
from ..graph import Graph
from . import cfhp, forward_backward, tarjan
from .api import connected_components
from .numbering import number_components


def _cuda():
    from . import strong_cuda

    return strong_cuda


_SMALL = 1 << 15  # vertices and entries; one thread processes smaller graphs faster than several launches would


@kernel(types="V[] int32[]")
def _find_smallest(v, keys, smallest):
    """Find the smallest vertex of each key; the plain read first avoids most atomic operations."""
    key = keys[v]
    if v < smallest[key]:
        atomic_min(smallest, key, v)


@kernel(types="V[] int32[] int32[]")
def _link_to_smallest(v, keys, smallest, parent):
    """Set the parent of a vertex to the smallest vertex with the same key."""
    parent[v] = smallest[keys[v]]


def _by_smallest_vertex(keys: Any) -> tuple[int, Any]:
    """Count the different keys (from 0 to n), and number them by the smallest vertex that has them."""
    xp, n = array_module(device_of(keys)), keys.size
    smallest = xp.full(n + 1, n, index_type(n))
    _find_smallest(n, keys, smallest)
    parent = xp.empty(n, smallest.dtype)
    _link_to_smallest(n, keys, smallest, parent)
    return number_components(parent)


@dispatches_on_graph
def strongly_connected_components(graph: GraphLike, *, algorithm: StrongAlgorithm = "auto") -> tuple[int, Labels]:
    """Find the strong components: u and v are in the same one if each can be reached from the other along arcs.

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
          vertex on all threads, and the other components by "tarjan", or on a GPU by "cfhp".
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
    Work memory: 17 bytes per vertex, 32 on a GPU; for "cfhp" about 40, and the transposed graph.

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
    run = _ALGORITHMS[choice(algorithm, "algorithm", _ALGORITHMS)]
    return run(any_graph(graph))


@overload
def condensation(graph: GraphLike, *, return_order: Literal[False] = False) -> Graph: ...


@overload
def condensation(graph: GraphLike, *, return_order: Literal[True]) -> tuple[Graph, Labels]: ...


@overload
def condensation(graph: GraphLike, *, return_order: bool) -> Graph | tuple[Graph, Labels]: ...


@suggests_options
def condensation(graph: GraphLike, *, return_order: bool = False) -> Graph | tuple[Graph, Labels]:
    """Build the graph of the strong components, which has no cycles.

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
    order[tarjan.components(dag) - 1] = np.arange(count)
    return dag, order


def _on_one_thread(graph: Graph) -> Any:
    keys = tarjan.components(graph.to("cpu"))
    return graph.xp.asarray(keys)


def directed_components(graph: Graph) -> tuple[int, Labels]:
    """Return the number of components and the label of each vertex, using the fastest method."""
    small = graph.device == "cpu" and graph.num_vertices + graph.num_entries <= _SMALL
    return _by_smallest_vertex((_on_one_thread if small else forward_backward.components)(graph))


_of_directed = by_device(cuda=lambda: _cuda().directed_components)(directed_components)


def _automatic(graph: Graph) -> tuple[int, Labels]:
    if not graph.directed or graph.facts.get("symmetric"):
        return connected_components(as_graph(graph, directed=False))
    found: tuple[int, Labels] = _of_directed(graph)
    return found


# Each returns the number of components and the label of each vertex.
_ALGORITHMS: dict[StrongAlgorithm, Callable[[Graph], tuple[int, Labels]]] = {
    "auto": _automatic,
    "tarjan": lambda graph: _by_smallest_vertex(_on_one_thread(graph)),
    "forward_backward": lambda graph: _by_smallest_vertex(forward_backward.components(graph)),
    "cfhp": lambda graph: _by_smallest_vertex(cfhp.components(graph)),
}
