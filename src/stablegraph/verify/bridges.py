"""Verification of bridges by contracting the cycles of a breadth-first tree, without numbers of a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.unknown_options import suggests_options
from .._core.validation import host_array
from ..conversion import undirected
from .checks import edge, ends_of_entries
from .searches import components, tree_from


@suggests_options
def is_bridge_list(graph: Any, edges: ArrayLike) -> bool:
    """Return whether edges are all bridges of a graph, each listed once.

    >>> import stablegraph as sg
    >>> sg.is_bridge_list(sg.gallery.grid((3,)), [[0, 1], [1, 2]])
    True

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Weights, loops and repeated entries are ignored.
    edges : (k, 2) integer array
        The ends of the edges in any order, as vertex numbers, as `bridges` returns them.

    Returns
    -------
    bool
        Whether they are right. If not, ``explain(is_bridge_list, graph, edges)`` names an edge.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, or the edges are not pairs of vertex numbers.

    Notes
    -----
    Every edge outside of a breadth-first tree by SciPy closes a cycle with a path of the tree, and the edges of this
    path are no bridges. Such paths are contracted one after another; the remaining edges of the tree are the bridges.
    Nearly linear time in plain Python: about a second for a million edges. Work memory: about 150 bytes per entry. A
    graph on a GPU is copied to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetrize=True)
    >>> sg.is_bridge_list(graph, [[2, 3]])
    True
    >>> sg.explain(sg.is_bridge_list, graph, [[2, 3], [0, 1]])
    'edge (0, 1) is no bridge: its ends are connected without it'
    >>> import numpy as np
    >>> sg.explain(sg.is_bridge_list, graph, np.zeros((0, 2), int))
    'edge (2, 3) is a bridge, but is not listed'
    """
    return explain_bridge_list(graph, edges) is None


@suggests_options
def explain_bridge_list(graph: Any, edges: ArrayLike) -> str | None:
    """Explain which edge is wrongly listed as a bridge, or missing, or return None.

    Parameters and errors are those of `is_bridge_list`.
    """
    graph = undirected(graph).to("cpu").simple()
    n, given = graph.num_vertices, host_array(edges, "edges")
    if given.ndim != 2 or given.shape[1] != 2:
        raise ValueError(f"edges must have the shape (k, 2), a row for each edge, got {given.shape}")
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"edges must be integers, got {given.dtype}")
    if given.size and not 0 <= int(given.min()) <= int(given.max()) < n:
        raise ValueError(f"edges must be vertex numbers from 0 to {n - 1}, got {given.min()} to {given.max()}")
    listed = np.sort(given.astype(np.int64), axis=1)
    u, v = (ends.astype(np.int64) for ends in ends_of_entries(graph))
    u, v = u[u < v], v[u < v]
    keys = listed @ [n, 1]
    distinct, counts = np.unique(keys, return_counts=True)
    for wrong, words in ((~np.isin(distinct, u * n + v), "is not in the graph"), (counts > 1, "is listed twice")):
        if wrong.any():
            return f"{edge(graph, *divmod(int(distinct[wrong.argmax()]), n))} {words}"
    right = np.sort(_bridges(n, u, v), axis=1) @ [n, 1]
    if (wrong := ~np.isin(distinct, right)).any():
        ends = divmod(int(distinct[wrong.argmax()]), n)
        return f"{edge(graph, *ends)} is no bridge: its ends are connected without it"
    if (missing := ~np.isin(right, distinct)).any():
        return f"{edge(graph, *divmod(int(right[missing].min()), n))} is a bridge, but is not listed"
    return None


def _bridges(n: int, u: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the edges of a tree that are in no cycle with another edge; the ends of all edges are u and v."""
    if n == 0:
        return np.zeros((0, 2), np.int64)
    parents, places = tree_from(n, u, v, np.unique(components(n, u, v)[1], return_index=True)[1])
    parent, place, above = parents.tolist(), places.tolist(), list(range(n + 1))  # `above`: out of contracted edges
    rest = (parents[u] != v) & (parents[v] != u)
    for ends in zip(u[rest].tolist(), v[rest].tolist(), strict=True):
        x, y = ends
        while True:
            while above[x] != x:
                above[x] = x = above[above[x]]
            while above[y] != y:
                above[y] = y = above[above[y]]
            if x == y:
                break
            if place[x] < place[y]:
                x, y = y, x
            above[x] = parent[x]
    is_cut = (np.array(above) == np.arange(n + 1)) & (parents >= 0) & (parents < n)
    return np.stack([parents[is_cut], np.flatnonzero(is_cut)], axis=1).astype(np.int64)
