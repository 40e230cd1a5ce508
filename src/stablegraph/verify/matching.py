"""Verification of matchings, in linear time.

A matching is correct if mates are mutual and adjacent, and maximal if every edge has a matched end. With weights, every
edge must have an end whose matched edge is at least as heavy; then the weight is at least half of the maximum, because
each matched edge is next to at most two edges of another matching, which are not heavier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import dispatches_on_graph
from .._core.unknown_options import suggests_options
from .._core.validation import boolean
from ..conversion import undirected
from ..graph import Graph
from .checks import edge, ends_of_entries, first_entry, integer_each, pieces_of_entries, vertex, vertices


@suggests_options
def is_matching(graph: Any, mate: ArrayLike) -> bool:
    """Return whether an array of mates is a matching: mates are mutual, and ends of an edge.

    >>> import stablegraph as sg
    >>> sg.is_matching(sg.gallery.grid((4,)), [1, 0, -1, -1])
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    mate : (n,) integer array
        The other end of the matched edge of each vertex; -1 for a vertex without one.

    Returns
    -------
    bool
        Whether the matching is correct. If not, `explain_matching` names the vertices.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, or `mate` has another length or is not of integers.

    Notes
    -----
    A pass over the entries, with work memory of 9 bytes per entry and 20 per vertex. A graph on a GPU is
    checked on the GPU.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_matching(path, [1, 0, -1, -1])
    True
    >>> sg.explain(sg.is_matching, path, [3, -1, -1, 0])
    'vertices 0 and 3 are matched, but not adjacent'
    """
    return explain_matching(graph, mate) is None


@dispatches_on_graph
def explain_matching(graph: Any, mate: ArrayLike) -> str | None:
    """Explain which vertices violate the rules of a matching, or return None.

    Parameters and errors are those of `is_matching`.
    """
    graph = undirected(graph)
    return _not_matched(graph, integer_each(mate, graph, "mate"))


@suggests_options
def is_maximal_matching(graph: Any, mate: ArrayLike, weighted: bool = False) -> bool:
    """Return whether an array of mates is a matching to which no edge can be added.

    >>> import stablegraph as sg
    >>> sg.is_maximal_matching(sg.gallery.grid((4,)), [1, 0, -1, -1])  # the last two could join
    False

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops and duplicate entries are ignored, and without `weighted` also weights.
    mate : (n,) integer array
        The other end of the matched edge of each vertex; -1 for a vertex without one.
    weighted : bool, optional
        Check the rule of `weighted_matching`: no edge of negative weight is matched, and every other edge has an end
        whose matched edge is at least as heavy. The weight is then at least half of the maximum. Of repeated entries
        the heaviest counts; without weights, all edges have weight one.

    Returns
    -------
    bool
        Whether the matching is correct. If not, `explain_maximal_matching` names the vertices or the edge.

    Raises
    ------
    ValueError, TypeError
        As for `is_matching`, and if `weighted` is not a bool.

    Notes
    -----
    Two passes over the entries, with work memory of 9 bytes per entry and 20 per vertex, and 16 more per entry if
    `weighted`. A graph on a GPU is checked on the GPU, but with `weighted` it is copied to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], [1, 5, 1], symmetrize=True)
    >>> sg.is_maximal_matching(path, [1, 0, 3, 2])
    True
    >>> sg.explain(sg.is_maximal_matching, path, [1, 0, -1, -1])
    'edge (2, 3) could be added: neither of its ends is matched'
    >>> sg.explain(sg.is_maximal_matching, path, [1, 0, 3, 2], weighted=True)
    'edge (1, 2) of weight 5 is not matched, but heavier than the matched edges at its ends'
    """
    return explain_maximal_matching(graph, mate, weighted) is None


@dispatches_on_graph
def explain_maximal_matching(graph: Any, mate: ArrayLike, weighted: bool = False) -> str | None:
    """Explain which vertices violate the rules of a matching, or which edge could be added or is too heavy.

    Parameters and errors are those of `is_maximal_matching`.
    """
    weighted = boolean(weighted, "weighted")
    graph = undirected(graph, weights=weighted)
    mates = integer_each(mate, graph, "mate")
    wrong = _not_matched(graph, mates)
    if wrong is not None:
        return wrong
    host = graph.to("cpu") if weighted else graph
    if weighted and host.weights is not None:
        return _not_dominated(host, integer_each(mates, host, "mate"))
    free = mates < 0
    pair = first_entry(graph, lambda rows, columns: free[rows] & free[columns] & (rows != columns))
    return f"{edge(graph, *pair)} could be added: neither of its ends is matched" if pair else None


def _not_matched(graph: Graph, mates: Any) -> str | None:
    """Return a sentence about the first vertex that violates the rules of a matching, or None."""
    xp, n = graph.xp, graph.num_vertices
    outside = (mates < -1) | (mates >= n)
    if outside.any():
        v = int(outside.argmax())
        return f"the mate of {vertex(graph, v)} is {int(mates[v])}, which is not a vertex"
    ids = xp.arange(n)
    matched = mates >= 0
    back = mates[xp.where(matched, mates, ids)]
    wrong = matched & ((mates == ids) | (back != ids))
    if wrong.any():
        u = int(wrong.argmax())
        v = int(mates[u])
        if u == v:
            return f"{vertex(graph, u)} is its own mate"
        return f"the mate of {vertex(graph, u)} is {vertex(graph, v)}, whose mate is another one"
    adjacent = xp.zeros(n, bool)
    for rows, columns in pieces_of_entries(graph):
        adjacent[rows[mates[rows] == columns]] = True
    wrong = matched & ~adjacent
    if wrong.any():
        u = int(wrong.argmax())
        return f"{vertices(graph, u, int(mates[u]))} are matched, but not adjacent"
    return None


def _not_dominated(graph: Graph, mates: np.ndarray) -> str | None:
    """Return a sentence about the first edge that is heavier than the matched edges at its ends, or None."""
    rows, columns = ends_of_entries(graph)
    weights = graph.weights if graph.weights.dtype.kind != "b" else graph.weights.astype(np.int8)
    least = -np.inf if weights.dtype.kind == "f" else np.iinfo(weights.dtype).min
    heaviest = np.full(graph.num_vertices, least, weights.dtype)  # the weight of the matched edge of each vertex
    entries = np.flatnonzero(mates[rows] == columns)
    np.maximum.at(heaviest, rows[entries], weights[entries])
    negative = np.flatnonzero((mates >= 0) & (heaviest < 0))
    if negative.size:
        u = int(negative[0])
        return f"{edge(graph, u, int(mates[u]))} is matched, although its weight is {heaviest[u]}"
    matched = mates >= 0
    covered = (matched[rows] & (heaviest[rows] >= weights)) | (matched[columns] & (heaviest[columns] >= weights))
    heavier = ~covered & (weights >= 0) & (rows != columns)
    if not heavier.any():
        return None
    e = int(heavier.argmax())
    return (
        f"{edge(graph, rows[e], columns[e])} of weight {weights[e]} is not matched, but heavier than the matched edges "
        "at its ends"
    )
