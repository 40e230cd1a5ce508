"""Mutual reachability: distances for HDBSCAN, which are not below the core distances of both ends.

Result: the graph with new weights; a function of the graph.

Rule: the core distance of a vertex is its min_samples-th smallest distance to a neighbor, infinite with fewer
neighbors. The weight of an edge is the largest of its distance and the core distances of both ends. In the code:
`write_core_distance`, and `reach`. The oracle is in tests/forest/test_reachability.py.

Idea: distances are not negative, so their bits as integers have the same order. The interval between the smallest and
the largest distance of a row is halved until it holds one value, or until min_samples distances are below its middle.
Each step ends at a distance of the row, so ties cost no more steps.

Cost: for n random distances in a row about log n looks at the row, at most 64. Work memory: 8 bytes per vertex, and 8
per entry for the result.

Source: R. Campello, D. Moulavi, J. Sander, "Density-Based Clustering Based on Hierarchical Density Estimates", PAKDD
2013.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.dispatch import dispatches_on_graph
from .._core.runtime import Float64s, Int64s, Rows, kernel
from .._core.runtime.thread_count import warn_user
from .._core.typing import GraphLike
from .._core.validation import integer
from .._core.vertex_names import shown_entry
from ..conversion import undirected
from ..graph import Graph
from .weights import checked

__all__ = ["mutual_reachability"]

_LARGEST = 2**63 - 1


@kernel(by="edges")
def write_core_distance(v, rows: Rows, words: Int64s, rank: int, core: Int64s):
    """Store the word of the row of v that has this rank, without loops; nothing with fewer words."""
    first, end = rows.indptr[v], rows.indptr[v + 1]
    low, high, neighbors = _LARGEST, -1, 0
    for e in range(first, end):
        if rows.indices[e] != v:
            low, high = min(low, words[e]), max(high, words[e])
            neighbors += 1
    if neighbors < rank:
        return
    while low < high:
        middle = low + (high - low) // 2
        below, under, above = 0, low, high
        for e in range(first, end):
            if rows.indices[e] != v:
                if words[e] <= middle:
                    below += 1
                    under = max(under, words[e])
                else:
                    above = min(above, words[e])
        if below >= rank:
            high = under
        else:
            low = above
        if below == rank:
            low = under
    core[v] = low


@kernel(by="edges")
def reach(v, rows: Rows, core: Float64s, distances: Float64s):
    """Raise the distances of v to the core distances of both ends."""
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        distances[e] = max(distances[e], core[v], core[rows.indices[e]])


@dispatches_on_graph
def mutual_reachability(graph: GraphLike, min_samples: int) -> Graph:
    """Raise distances to the core distances of both ends: the graph whose minimum spanning forest HDBSCAN clusters.

    >>> import stablegraph as sg
    >>> sg.mutual_reachability(sg.from_edges([0, 1, 0], [1, 2, 2], [1.0, 2.0, 3.0], symmetrize=True), 2).weights
    array([3., 3., 3., 3., 3., 3.])

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph whose weights are distances, for example the nearest neighbors of points
        (``as_graph(kneighbors_graph(X, 15, mode="distance"), symmetrize="max")``). Distances must not be negative or
        NaN; zero and infinity are allowed. Without weights, all distances are one. Of repeated entries, the smallest
        one counts; loops are no neighbors.
    min_samples : int
        The core distance of a vertex is the distance to its neighbor of this rank, at least 1; the vertex itself does
        not count. Of a graph of k nearest neighbors, pass at most k, better k / 2. With fewer neighbors the core
        distance is infinite, and so are the weights of all edges of the vertex: it then joins other vertices last, as
        noise.

    Returns
    -------
    Graph
        The same vertices and edges. Each weight is the largest of the distance and the core distances of both ends:
        float32 for float32 distances, otherwise float64. The weight of a loop is the core distance, or its own if that
        is larger.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern not symmetric, a distance is negative or NaN, or differs between the
        directions; if `min_samples` is below 1.
    TypeError
        If `min_samples` is not an integer, or the weights are not real numbers.

    Warns
    -----
    UserWarning
        If vertices have fewer than `min_samples` neighbors; the message has their number.

    See Also
    --------
    minimum_spanning_forest, single_linkage : The next steps of HDBSCAN.

    Notes
    -----
    Deterministic: a function of the graph. For the package hdbscan, `min_samples` has the same meaning; scikit-learn's
    HDBSCAN counts the point itself, so its value is larger by 1. The edges must contain the nearest neighbors up to
    this rank. With fewer, the points that symmetrization gave further neighbors have finite core distances, which are
    too large.

    `single_linkage` joins the components of a graph at infinity. HDBSCAN joins them at finite distances, and then may
    select other clusters. A function of ten lines in the documentation (components, trees of clusters) connects the
    components, so that the tree is that of all pairs.

    Cost: about ten looks at each row on the CPU. Work memory: 8 bytes per vertex and 8 to 16 per entry. A graph on a
    GPU is copied to host memory and back.

    References
    ----------
    R. Campello, D. Moulavi, J. Sander, "Density-Based Clustering Based on Hierarchical Density Estimates", PAKDD 2013.

    Examples
    --------
    >>> import stablegraph as sg
    >>> line = sg.from_edges([0, 1, 2], [1, 2, 3], [1.0, 2.0, 4.0], symmetrize=True)
    >>> sg.mutual_reachability(line, 1).weights
    array([1., 1., 2., 2., 4., 4.])
    >>> ring = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], [1.0, 2.0, 4.0, 8.0], symmetrize=True)
    >>> sg.mutual_reachability(ring, 2).weights
    array([8., 8., 8., 4., 4., 8., 8., 8.])
    """
    rank = min(integer(min_samples, "min_samples", minimum=1), _LARGEST)
    given = undirected(graph, weights=True)
    graph = checked(given.to("cpu"), False)
    weights: Any = np.ones(graph.num_entries) if graph.weights is None else graph.weights
    if weights.dtype.kind != "b" and (weights < 0).any():
        e = int((weights < 0).argmax())
        u = int(np.searchsorted(graph.indptr, e, side="right")) - 1
        entry = shown_entry(u, graph.indices[e], graph.nodes)
        raise ValueError(f"the distance of entry {entry} is {weights[e]}, but distances are at least 0")
    distances = weights.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    rows, core = Rows(graph.indptr, graph.indices), np.full(graph.num_vertices, np.inf)
    write_core_distance(core.size, rows, distances.view(np.int64), rank, core.view(np.int64))
    reach(core.size, rows, core, distances)
    few = int(np.count_nonzero(graph.degrees < min(rank, core.size)))
    if few:
        warn_user(
            f"{few:,} of {core.size:,} vertices have fewer than min_samples={rank} neighbors, so their core distances "
            "are infinite, and those of other vertices may be too large; pass at least the "
            f"{rank} nearest neighbors of each point, or a smaller min_samples"
        )
    result = distances.astype(np.float32) if weights.dtype == np.float32 else distances
    scan = graph._scanned()  # of the pattern
    return Graph._trusted(graph.indptr, graph.indices, result, nodes=graph.nodes, scan=scan).to(given.device)
