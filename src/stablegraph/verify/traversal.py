"""Verification of the distances and parents of a breadth-first search, without a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import dispatches_on_graph, in_partitions
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, boolean, distance_limit, vertices_of
from .._core.vertex_names import shown_vertex
from ..conversion import any_graph
from .checks import FoundTree, integer_each, pieces_of_entries, tree_faults, vertex_mask


@suggests_options
def is_bfs_tree(
    graph: Any,
    sources: ArrayLike,
    distance: ArrayLike,
    parent: ArrayLike,
    *,
    smallest: bool = False,
    max_distance: int | None = None,
) -> bool:
    """Return whether distances are those from the nearest source, and each parent is one step nearer to it.

    >>> import stablegraph as sg
    >>> sg.is_bfs_tree(sg.gallery.grid((3,)), 0, [0, 1, 2], [0, 0, 1])
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        With n vertices, directed or not; a matrix whose pattern is not symmetric is a directed graph.
    sources : vertex, (n,) bool array, or distinct vertices, by number or by name
        Their distance must be 0, and each must be its own parent.
    distance, parent : (n,) integer arrays
        -1 in both for unreachable vertices.
    smallest : bool, optional
        Also require that each parent is the smallest possible vertex, as in results of `breadth_first_search`.
    max_distance : int, optional
        The search ended at this distance, so that vertices farther away have distance -1, too.

    Returns
    -------
    bool
        Whether the result is correct. If not, `explain_bfs_tree` names the vertex.

    Raises
    ------
    ValueError, TypeError
        If distance or parent are not n integers, a source is unknown or named twice, `smallest` is not a bool, or
        `max_distance` is not an integer from 0 on.

    Notes
    -----
    Three sweeps over the entries, and no search: distances that grow by at most 1 along each arc are not too large, and
    with parents one step nearer they are not too small. Work memory: about 40 bytes per entry. A graph on a GPU is
    checked on the GPU.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> sg.is_bfs_tree(graph, 0, [0, 1, 2, 1], [0, 0, 3, 0])
    True
    >>> sg.explain(sg.is_bfs_tree, graph, 0, [0, 1, 2, 1], [0, 0, 3, 0], smallest=True)
    'vertex 2 has distance 2 and parent 3, but vertex 1 is smaller and as near'
    """
    return explain_bfs_tree(graph, sources, distance, parent, smallest=smallest, max_distance=max_distance) is None


@dispatches_on_graph
def explain_bfs_tree(
    graph: Any,
    sources: ArrayLike,
    distance: ArrayLike,
    parent: ArrayLike,
    *,
    smallest: bool = False,
    max_distance: int | None = None,
) -> str | None:
    """Explain which vertex has a wrong distance or parent, or return None.

    Parameters and errors are those of `is_bfs_tree`.
    """
    boolean(smallest, "smallest")
    graph = any_graph(graph, partitions=True)
    n, limit = graph.num_vertices, distance_limit(max_distance, graph.num_vertices)
    steps, parents = integer_each(distance, graph, "distance"), integer_each(parent, graph, "parent")
    if isinstance(graph, PartitionedGraph):
        starts = np.sort(vertices_of(graph, sources, "sources"))
        return in_partitions(explain_bfs_tree, graph, starts, steps, parents, smallest, limit)
    xp, begin = graph.xp, vertex_mask(sources, graph, "sources")
    steps, parents = steps.astype(np.int64), parents.astype(np.int64)
    exists = (parents >= 0) & (parents < n)
    above = xp.where(exists, parents, 0)
    joined = xp.zeros(n, bool)
    for tails, heads in pieces_of_entries(graph):
        joined[heads[tails == above[heads]]] = True

    def shown_parent(v: Any) -> Any:
        return shown_vertex(int(parents[v]), graph.nodes) if exists[v] else int(parents[v])

    tree = FoundTree(xp.arange(n), begin, steps, parents, exists, joined, steps[above] == steps - 1)
    faults = tree_faults(graph, tree, xp.ones(n, bool), limit, smallest, pieces_of_entries(graph), shown_parent)
    return next((fault for fault in faults if fault is not None), None)
