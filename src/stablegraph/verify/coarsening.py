"""Verification of aggregates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, boolean, host_array
from ..conversion import undirected
from ..graph import Graph
from .checks import ends_of_entries, in_host_memory, integer_each, missing_steps, vertex, vertices
from .searches import unreached


@suggests_options
def is_aggregation(graph: Any, labels: ArrayLike, *, connected: bool = False, roots: ArrayLike | None = None) -> bool:
    """Return whether labels are numbers 0, 1, .. without gaps, and vertices with the same label are close.

    >>> import stablegraph as sg
    >>> sg.is_aggregation(sg.gallery.grid((5,)), [0, 0, 0, 1, 1])
    True

    Close means: any two vertices of an aggregate are joined by a sequence of steps between vertices of the aggregate,
    where a step consists of at most two edges of the graph (and may pass through a vertex of another aggregate).

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    labels : (n,) integer array
        The aggregate of every vertex.
    connected : bool, optional
        Allow only steps of one edge: every aggregate must be connected. All methods of `aggregate` satisfy this, except
        "kokkos", in which vertices move simultaneously.
    roots : (number of aggregates,) integer array, optional
        The root of every aggregate, as ``aggregate(return_roots=True)`` returns them. Each must be in its aggregate,
        and every vertex at most two steps away from the root of its aggregate. Not supported for graphs in partitions.

    Returns
    -------
    bool
        Whether the labels are correct. If not, `explain_aggregation` names the vertices.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, the labels are not n integers, `connected` is not a bool, or the roots are not one
        vertex number for each aggregate.

    Notes
    -----
    SciPy's search starts from one vertex of each aggregate. If steps may have two edges, it alternates between vertices
    and pairs of an aggregate and a vertex in or next to it, which are found by sorting. For roots, the pairs of an
    aggregate and a neighbor of its root are sorted. Work memory: about 60 bytes per entry. A graph on a GPU is copied
    to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 4], symmetrize=True)
    >>> sg.is_aggregation(path, [0, 0, 0, 1, 1])
    True
    >>> sg.is_aggregation(path, [0, 1, 0, 1, 1]), sg.is_aggregation(path, [0, 1, 0, 1, 1], connected=True)
    (True, False)
    >>> sg.explain(sg.is_aggregation, path, [0, 0, 2, 2, 2])
    'no vertex has label 1, but vertex 2 has label 2: labels must have no gaps'
    >>> sg.explain(sg.is_aggregation, path, [0, 0, 0, 0, 1], roots=[0, 4])
    'vertex 3 is more than two steps away from vertex 0, the root of aggregate 0'
    """
    return explain_aggregation(graph, labels, connected=connected, roots=roots) is None


@dispatches_on_graph
def explain_aggregation(
    graph: Any, labels: ArrayLike, *, connected: bool = False, roots: ArrayLike | None = None
) -> str | None:
    """Explain which label is missing, or which two vertices of an aggregate are too far apart; else return None.

    Parameters and errors are those of `is_aggregation`.
    """
    boolean(connected, "connected")
    graph = in_host_memory(undirected(graph, partitions=True))
    array, n = integer_each(labels, graph, "labels").astype(np.int64), graph.num_vertices
    if isinstance(graph, PartitionedGraph):
        Supported(without={"roots": ""}).check(roots=roots)
        return in_partitions(explain_aggregation, graph, array, connected)
    if (array < 0).any():
        v = int((array < 0).argmax())
        return f"{vertex(graph, v)} is in no aggregate, but has label {array[v]}: labels are numbers from 0 on"
    used, firsts = np.unique(array, return_index=True)
    gaps = np.flatnonzero(used != np.arange(used.size))
    if gaps.size:
        v = firsts[gaps[0]]
        return f"no vertex has label {gaps[0]}, but {vertex(graph, v)} has label {array[v]}: labels must have no gaps"
    tails, heads = ends_of_entries(graph)
    if roots is not None:
        fault = _root_fault(graph, array, _checked_roots(roots, used.size, n))
        if fault:
            return fault
    if connected:
        inside = array[tails] == array[heads]
        tails, heads, nodes = tails[inside], heads[inside], n
    else:  # steps lead from a vertex to a pair (its aggregate, the vertex itself or a neighbor), and from pairs back
        tails, heads = np.concatenate([tails, np.arange(n)]), np.concatenate([heads, np.arange(n)])
        pairs, numbers = np.unique(array[tails] * n + heads, return_inverse=True)
        tails, heads = np.concatenate([tails, n + numbers]), np.concatenate([n + numbers, tails])
        nodes = n + pairs.size
    missed = unreached(nodes, tails, heads, firsts)
    if missed is None:
        return None
    pair = vertices(graph, firsts[array[missed]], missed)
    return f"{pair} are both in aggregate {array[missed]}, but {missing_steps(connected)}"


def _checked_roots(roots: Any, count: int, n: int) -> Any:
    """Return an array with a vertex for each aggregate."""
    array = host_array(roots, "roots")
    if array.shape != (count,):
        raise ValueError(f"roots has shape {array.shape}, but the labels have {count} aggregates: expected ({count},)")
    if count and array.dtype.kind not in "iu":
        raise TypeError(f"roots must be integers, got dtype {array.dtype}")
    if count and not 0 <= int(array.min()) <= int(array.max()) < n:
        raise ValueError(f"roots must be vertex numbers from 0 to {n - 1}, got {array.min()} to {array.max()}")
    return array.astype(np.int64)


def _root_fault(graph: Graph, labels: Any, roots: Any) -> str | None:
    """Explain which root is in another aggregate, or which vertex is too far from the root of its aggregate."""
    n, wrong = graph.num_vertices, labels[roots] != np.arange(roots.size)
    if wrong.any():
        label = int(wrong.argmax())
        root = vertex(graph, roots[label])
        return f"{root} is the root of aggregate {label}, but is in aggregate {labels[roots[label]]}"
    tails, heads = (np.concatenate([ends, np.arange(n)]) for ends in ends_of_entries(graph))
    pairs = labels[tails] * n + heads  # an aggregate, and a vertex that is in it or adjacent to it
    from_root = tails == roots[labels[tails]]
    near = np.zeros(n, bool)
    near[tails[np.isin(pairs, pairs[from_root])]] = True
    if near.all():
        return None
    v = int(near.argmin())
    root = vertex(graph, roots[labels[v]])
    return f"{vertex(graph, v)} is more than two steps away from {root}, the root of aggregate {labels[v]}"
