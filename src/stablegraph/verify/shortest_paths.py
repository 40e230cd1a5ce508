"""Verification of the distances and parents of shortest paths, without a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.unknown_options import suggests_options
from .._core.validation import boolean, host_array, number
from .._core.vertex_names import shown_vertex
from .._core.vertex_values import checked_weights, in_vertex_order
from ..conversion import any_graph
from .checks import edge, ends_of_entries, integer_each, vertex, vertex_mask


@suggests_options
def is_shortest_path_tree(
    graph: Any,
    sources: ArrayLike,
    distance: ArrayLike,
    parent: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    smallest: bool = False,
    max_distance: float | None = None,
) -> bool:
    """Return whether distances are those from the nearest source, and parents are on shortest paths.

    >>> import stablegraph as sg
    >>> sg.is_shortest_path_tree(sg.from_edges([0], [1], [1.5], symmetrize=True), 0, [0.0, 1.5], [0, 0])
    True

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        With n vertices, directed or not; a matrix whose pattern is not symmetric is a directed graph.
    sources : vertex, (n,) bool array, or distinct vertices, by number or by name
        Their distance must be 0, and each must be its own parent.
    distance : (n,) float or integer array
        Floats if the weights are floats, with infinity for vertices without a path; otherwise integers, with -1.
    parent : (n,) integer array
        -1 for vertices without a path.
    weights : (entries,) array or False, optional
        As for `shortest_paths`: by default the weights of the graph, or 1.
    smallest : bool, optional
        Also require that each parent is on a shortest path with the fewest edges, and the smallest such vertex, as in
        results of `shortest_paths`.
    max_distance : float, optional
        The search ended at this distance, so that vertices farther away have no path, too.

    Returns
    -------
    bool
        Whether the result is correct. If not, ``explain(is_shortest_path_tree, ...)`` names a vertex.

    Raises
    ------
    ValueError, TypeError
        If distances and parents are not n numbers of these types, a source is unknown or named twice, a weight is
        negative or not finite, or an option has a wrong type.

    Notes
    -----
    Distances are not too large if no arc leads to a smaller sum. They are not too small if each of them is the sum of
    its parent's distance and the weight of an arc, and the parents form no cycle, which n steps along all paths at once
    find in log2(n) doublings. Work memory: about 50 bytes per entry. A graph on a GPU is copied to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> roads = sg.from_edges([0, 1, 0], [1, 2, 2], [1.5, 2.0, 4.0], symmetrize=True)
    >>> sg.is_shortest_path_tree(roads, 0, [0.0, 1.5, 3.5], [0, 0, 1])
    True
    >>> sg.explain(sg.is_shortest_path_tree, roads, 0, [0.0, 1.5, 4.0], [0, 0, 0])
    'vertex 2 has distance 4.0 and parent 0, but edge (1, 2) leads to the smaller distance 3.5'
    """
    tree = explain_shortest_path_tree(
        graph, sources, distance, parent, weights=weights, smallest=smallest, max_distance=max_distance
    )
    return tree is None


@suggests_options
def explain_shortest_path_tree(
    graph: Any,
    sources: ArrayLike,
    distance: ArrayLike,
    parent: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    smallest: bool = False,
    max_distance: float | None = None,
) -> str | None:
    """Explain which vertex has a wrong distance or parent, or return None.

    Parameters and errors are those of `is_shortest_path_tree`.
    """
    boolean(smallest, "smallest")
    graph = any_graph(graph, weights=True).to("cpu")
    n, lengths = graph.num_vertices, checked_weights(graph, weights)
    lengths = np.ones(graph.num_entries, np.int64) if lengths is None else lengths
    floats, ids = lengths.dtype.kind == "f", np.arange(n)
    far, missing = (np.finfo(np.float64).max, np.inf) if floats else (2**62 - 1, -1)
    limit = far if max_distance is None else min(far, number(max_distance, "max_distance", minimum=0))
    steps = _distances(in_vertex_order(distance, "distance", graph), n, lengths.dtype)
    parents = integer_each(parent, graph, "parent").astype(np.int64)
    begin, exists = vertex_mask(sources, graph, "sources"), (parents >= 0) & (parents < n)
    reached = (steps >= 0) & (steps < np.inf)

    def words_of(v: Any) -> str:
        above = shown_vertex(int(parents[v]), graph.nodes) if exists[v] else int(parents[v])
        return f"{vertex(graph, v)} has distance {steps[v]} and parent {above}"

    rules = [
        (begin & ((steps != 0) | (parents != ids)), "but is a source"),
        (~reached & ((steps != missing) | (parents != -1)), f"but without a path they must be {missing} and -1"),
        (reached & (steps > limit), f"but the search ends at distance {limit}"),
        (reached & ~exists, "which is no vertex"),
        (reached & ~begin & (parents == ids), "but is no source"),
    ]
    for wrong, words in rules:
        if wrong.any():
            return f"{words_of(wrong.argmax())}, {words}"
    tails, heads = ends_of_entries(graph)
    tails, heads, lengths = (values[reached[tails]] for values in (tails, heads, lengths))
    with np.errstate(over="ignore"):
        sums = steps[tails] + lengths
    shorter = ((sums <= limit) | (max_distance is None)) & (~reached[heads] | (steps[heads] > sums))
    if shorter.any():
        e = shorter.argmax()
        return f"{words_of(heads[e])}, but {edge(graph, tails[e], heads[e])} leads to the smaller distance {sums[e]}"
    tight = reached[heads] & (sums == steps[heads])
    joined = begin.copy()
    joined[heads[tight & (tails == parents[heads])]] = True
    if (wrong := reached & ~joined).any():
        return f"{words_of(wrong.argmax())}, but no edge joins them with this sum"
    above = np.where(reached, parents, ids)
    depth = (above != ids).astype(np.int64)
    for _ in range(n.bit_length()):
        depth, above = depth + depth[above], above[above]
    if (wrong := reached & ~begin[above]).any():
        return f"{words_of(wrong.argmax())}, but the parents form a cycle"
    if smallest:
        tails, heads = tails[tight], heads[tight]
        longer = depth[heads] - depth[tails] - 1
        smaller = ~begin[heads] & (longer == 0) & (tails < parents[heads])
        for better, words in ((longer > 0, "a shortest path with fewer edges"), (smaller, "one of smaller vertices")):
            if better.any():
                e = better.argmax()
                return f"{words_of(heads[e])}, but {words} ends with {edge(graph, tails[e], heads[e])}"
    return None


def _distances(distance: Any, n: int, kind: Any) -> np.ndarray:
    """Return the checked distances, with the dtype of the weights."""
    steps = host_array(distance, "distance")
    if steps.shape != (n,):
        raise ValueError(f"distance has shape {steps.shape}, but the graph has {n} vertices: expected shape ({n},)")
    if n and steps.dtype.kind not in ("fiu" if kind == np.float64 else "iu"):
        expected = "real numbers" if kind == np.float64 else "integers"
        raise TypeError(f"distance must be {expected}, got dtype {steps.dtype}")
    return steps.astype(kind)
