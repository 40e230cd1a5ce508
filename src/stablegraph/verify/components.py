"""Verification of the labels of components and of strong components."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import dispatches_on_graph, in_partitions
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph
from .._core.vertex_names import shown_vertex
from ..conversion import any_graph
from ..graph import Graph
from .checks import ends_of_entries, in_host_memory, integer_each, vertices
from .searches import arc_on_a_cycle, unreached


@suggests_options
def is_component_labeling(graph: Any, labels: ArrayLike) -> bool:
    """Return whether two vertices have the same label if and only if they are connected.

    >>> import stablegraph as sg
    >>> sg.is_component_labeling(sg.gallery.grid((3,)), [0, 0, 0])
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        With n vertices. Directions are ignored; the pattern of a matrix need not be symmetric.
    labels : (n,) integer array
        The component of every vertex. The labels may be any numbers, in any order.

    Returns
    -------
    bool
        Whether the labels are correct. If not, `explain_component_labeling` names two vertices.

    Raises
    ------
    ValueError, TypeError
        If the labels are not n integers.

    Notes
    -----
    A sweep over the entries compares the labels of both ends. Then trees of vertices are joined in rounds, by sums and
    gathers of NumPy. If as many trees as labels remain, the labels are right. A round reads only edges between trees
    and at least halves the number of trees that have such edges; the time is nearly linear, about twice that of
    `connected_components` for sparse graphs on one thread. Only for wrong labels, SciPy's search from one vertex of
    each label finds the two vertices. Work memory: about 30 bytes per entry, 60 for wrong labels. A graph on a GPU is
    copied to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1], [2, 3], symmetrize=True)
    >>> count, labels = sg.connected_components(graph)
    >>> sg.is_component_labeling(graph, labels)
    True
    >>> sg.is_component_labeling(graph, [0, 0, 0, 0])
    False
    """
    return explain_component_labeling(graph, labels) is None


@dispatches_on_graph
def explain_component_labeling(graph: Any, labels: ArrayLike) -> str | None:
    """Explain which two vertices share a label but are not connected, or the reverse; else return None.

    Parameters and errors are those of `is_component_labeling`.
    """
    graph = in_host_memory(any_graph(graph, partitions=True))
    array = integer_each(labels, graph, "labels")
    if isinstance(graph, PartitionedGraph):
        return in_partitions(explain_component_labeling, graph, array)
    tails, heads = ends_of_entries(graph)
    if _have_a_tree_each(graph, array, tails):
        return None
    different = different_labels(graph, array, [(tails, heads)])
    if different is not None:
        return different
    _, firsts, groups = np.unique(array, return_index=True, return_inverse=True)
    v = unreached(groups.size, np.concatenate([tails, heads]), np.concatenate([heads, tails]), firsts)
    if v is None:
        return None
    return f"{vertices(graph, firsts[groups[v]], v)} both have label {array[v]}, but are not connected"


def _have_a_tree_each(graph: Graph, labels: np.ndarray, rows: np.ndarray) -> bool:
    """Return whether no edge joins different labels, and edges make as many trees as there are labels.

    Every component then has one label, and there are no more components than trees, so it is the only one with it.
    """
    n, once = graph.num_vertices, slice(None) if graph.directed else rows > graph.indices
    u, v = rows[once], graph.indices[once]
    if (labels[u] != labels[v]).any():
        return False
    present = np.zeros(n, bool)
    if n and 0 <= int(labels.min()) <= int(labels.max()) < n:
        present[labels] = True
    count = np.count_nonzero(present) or np.unique(labels).size
    filled = np.flatnonzero(np.diff(graph.indptr))
    parent = np.arange(n, dtype=u.dtype)  # first, each vertex is below its first neighbor, if that is smaller
    parent[filled] = np.minimum(filled, graph.indices[graph.indptr[filled]])
    while True:
        while not np.array_equal(above := parent[parent], parent):
            parent = above
        u, v = parent[u], parent[v]
        u, v = u[u != v], v[u != v]
        is_root = parent == np.arange(parent.size, dtype=parent.dtype)
        if not u.size:
            return int(np.count_nonzero(is_root)) == count
        number = np.cumsum(is_root, dtype=u.dtype) - 1
        u, v = number[u], number[v]
        parent = np.arange(int(number[-1]) + 1, dtype=u.dtype)
        parent[np.maximum(u, v)] = np.minimum(u, v)


def different_labels(graph: Graph, labels: np.ndarray, entries: Iterable[tuple[Any, Any]]) -> str | None:
    """Name the first two adjacent vertices with different labels; else return None."""
    for tails, heads in entries:
        different = labels[tails] != labels[heads]
        if different.any():
            u, v = tails[different.argmax()], heads[different.argmax()]
            return f"{vertices(graph, u, v)} are adjacent, but have different labels, {labels[u]} and {labels[v]}"
    return None


@suggests_options
def is_strong_component_labeling(graph: Any, labels: ArrayLike) -> bool:
    """Return whether two vertices have the same label if and only if each can be reached from the other.

    >>> import stablegraph as sg
    >>> sg.is_strong_component_labeling(sg.from_edges([0, 1], [1, 0], directed=True), [0, 0])
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Directed, with n vertices: entry (u, v) is an arc from u to v. Loops, duplicate entries and weights are ignored.
    labels : (n,) integer array
        The label of each vertex. The labels may be any numbers.

    Returns
    -------
    bool
        Whether the labels are correct. If not, `explain_strong_component_labeling` names two vertices.

    Raises
    ------
    ValueError, TypeError
        As for `is_component_labeling`.

    Notes
    -----
    Two breadth-first searches by SciPy prove that no label has too many vertices: along arcs between equal labels, and
    against them, the searches must reach all vertices of each label from its first one. To prove that no two labels
    belong to the same component, labels without arcs to other labels are removed repeatedly until none remain. Linear
    time, except for the sort of the labels; millions of arcs between labels take seconds. Work memory: about 60 bytes
    per entry. A graph on a GPU is copied to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True)
    >>> sg.is_strong_component_labeling(graph, [0, 0, 0, 1])
    True
    >>> sg.explain(sg.is_strong_component_labeling, graph, [0, 1, 2, 3])
    'vertices 0 and 1 can be reached from each other, but have different labels, 0 and 1'
    """
    return explain_strong_component_labeling(graph, labels) is None


@dispatches_on_graph
def explain_strong_component_labeling(graph: Any, labels: ArrayLike) -> str | None:
    """Explain which two vertices share a label without paths in both directions, or the reverse; else return None.

    Parameters and errors are those of `is_strong_component_labeling`.
    """
    graph = in_host_memory(any_graph(graph, partitions=True))
    array = integer_each(labels, graph, "labels")
    if isinstance(graph, PartitionedGraph):
        return in_partitions(explain_strong_component_labeling, graph, array)
    _, firsts, groups = np.unique(array, return_index=True, return_inverse=True)
    tails, heads = ends_of_entries(graph)
    within = groups[tails] == groups[heads]
    inner, outer = (tails[within], heads[within]), (tails[~within], heads[~within])
    for forward in (True, False):
        v = unreached(groups.size, *(inner if forward else inner[::-1]), firsts)
        if v is not None:
            first = firsts[groups[v]]
            start, end = (shown_vertex(x, graph.nodes) for x in ((first, v) if forward else (v, first)))
            return (
                f"{vertices(graph, first, v)} both have label {array[v]}, but no path leads from {start} to {end} "
                "along vertices with this label"
            )
    arc = arc_on_a_cycle(*outer, groups, len(firsts))
    if arc is None:
        return None
    u, v = arc
    labels = f"{array[u]} and {array[v]}"
    return f"{vertices(graph, u, v)} can be reached from each other, but have different labels, {labels}"
