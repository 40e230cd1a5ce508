"""Verification of clusters with at most one record of each source, without sets of sources."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._core.unknown_options import suggests_options
from .._core.vertex_names import shown_name
from ..conversion import undirected
from ..graph import Graph
from .checks import ends_of_entries, integer_each, vertices
from .searches import unreached

_PIECE = 1 << 20  # pairs of a refused edge and a member of its cluster that are checked at a time


@suggests_options
def is_one_per_source(
    graph: Any, labels: ArrayLike | Mapping[Any, Any], origins: ArrayLike | Mapping[Any, Any]
) -> bool:
    """Return whether labels are the clusters with at most one vertex of each source, joined by the best edges first.

    >>> import stablegraph as sg
    >>> sg.is_one_per_source(sg.from_edges([0, 0], [1, 2], [0.9, 0.8], symmetrize=True), [0, 0, 2], [0, 1, 1])
    True

    The edges are added in the order of (weight, the largest first; smaller end; larger end). An edge joins the clusters
    of its two ends unless some source has vertices in both. This is the rule of `cluster_pairs` with `sources`.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph with n vertices, whose weights are scores. Without weights, all scores are equal.
    labels : (n,) array of integers or texts, or dict
        The cluster of each vertex: any numbers or names. A dict has the names of the vertices, in any order.
    origins : (n,) array of integers or texts, or dict
        The source of each vertex.

    Returns
    -------
    bool
        Whether the labels are right. If not, ``explain(is_one_per_source, graph, labels, origins)`` names two vertices.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, or labels or origins are not n integers or texts, or a dict lacks a vertex.

    Notes
    -----
    The labels are right if each cluster has at most one vertex of each source, if its own edges connect it, and if each
    edge between two clusters came when the parts that it would have joined had a common source. The parts at that time
    are those that better edges inside each cluster connect, so sets of sources are not needed. The parts are computed
    in plain Python, about two seconds for a million edges. Work memory: about 150 bytes per entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 0], [1, 2], [0.9, 0.8], symmetrize=True)
    >>> sg.is_one_per_source(graph, [0, 0, 2], [0, 1, 1])
    True
    >>> sg.explain(sg.is_one_per_source, graph, [0, 1, 0], [0, 1, 1])
    'vertices 0 and 1 have different labels, but no source had vertices in both clusters when their edge came'
    """
    return explain_one_per_source(graph, labels, origins) is None


@suggests_options
def explain_one_per_source(
    graph: Any, labels: ArrayLike | Mapping[Any, Any], origins: ArrayLike | Mapping[Any, Any]
) -> str | None:
    """Explain which two vertices have wrong labels, or return None.

    Parameters and errors are those of `is_one_per_source`.
    """
    graph = undirected(graph, weights=True).to("cpu")
    given = integer_each(labels, graph, "labels", or_text=True)
    origin = integer_each(origins, graph, "origins", or_text=True)
    _, firsts, groups = np.unique(given, return_index=True, return_inverse=True)
    origin = np.unique(origin, return_inverse=True)[1]
    width = int(origin.max(initial=0)) + 1
    keys = groups * width + origin
    members = np.argsort(keys, kind="stable")
    if (equal := keys[members][1:] == keys[members][:-1]).any():
        u, v = members[int(equal.argmax()) :][:2].tolist()
        return f"{vertices(graph, u, v)} both have label {shown_name(given[u])}, but are of the same source"
    edges = _in_order(graph)
    inside = groups[edges[0]] == groups[edges[1]]
    inner = edges[:, inside]
    tails, heads = np.concatenate([inner, inner[::-1]], axis=1)
    w = unreached(groups.size, tails, heads, firsts)
    if w is not None:
        both, label = vertices(graph, firsts[groups[w]], w), shown_name(given[w])
        return f"{both} both have label {label}, but are not connected inside it"
    clusters = _Clusters(groups, keys, width, members, *_parts(inner, np.flatnonzero(inside), groups.size))
    outer, times = edges[:, ~inside], np.flatnonzero(~inside)
    sizes = np.bincount(groups, minlength=1)
    outer = np.where(sizes[groups[outer[0]]] <= sizes[groups[outer[1]]], outer, outer[::-1])
    begins = np.concatenate([[0], np.cumsum(sizes[groups[outer[0]]])])
    cuts = np.unique(np.searchsorted(begins, np.arange(0, begins[-1] + _PIECE, _PIECE)).clip(0, times.size))
    for start, end in pairwise(cuts.tolist()):
        some = slice(start, end)
        is_refused = _is_refused(outer[:, some], times[some], np.diff(begins[start : end + 1]), clusters)
        if not is_refused.all():
            u, v = sorted(outer[:, start + int(is_refused.argmin())].tolist())
            return (
                f"{vertices(graph, u, v)} have different labels, but no source had vertices in both clusters when "
                "their edge came"
            )
    return None


class _Clusters(NamedTuple):
    """The clusters that are checked, and the parts of which edges inside them have made them."""

    groups: np.ndarray  # of each vertex
    keys: np.ndarray  # of each vertex: group * width + source
    width: int
    members: np.ndarray  # the vertices by key
    parent: np.ndarray  # of each vertex in its part,
    since: np.ndarray  # and the place of the edge that joined them; a root has a place after all edges

    def part_of(self, v: np.ndarray, times: np.ndarray) -> np.ndarray:
        """Return the root of the part of each vertex before the edge at a place was added."""
        while (moves := self.since[v] < times).any():
            v = np.where(moves, self.parent[v], v)
        return v


def _in_order(graph: Graph) -> np.ndarray:
    """Return the ends of all edges (2, m) in the order of the rule."""
    u, v = ends_of_entries(graph)
    upper = np.flatnonzero(u < v)
    u, v, ranks = u[upper], v[upper], np.zeros(upper.size, np.int64)
    if graph.weights is not None:
        if graph.weights.dtype.kind == "f" and np.isnan(graph.weights).any():
            raise ValueError("the weights of the graph are scores, but one of them is NaN")
        ranks = np.unique(graph.weights[upper], return_inverse=True)[1]
    return np.stack([u, v])[:, np.lexsort((v, u, -ranks))].astype(np.int64)


def _parts(edges: np.ndarray, places: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the parent of each vertex when edges join trees by size, and the place of the edge that made it one."""
    parent, sizes, since = list(range(n)), [1] * n, [2**62] * n
    for a, b, place in zip(*edges.tolist(), places.tolist(), strict=True):
        while parent[a] != a:
            a = parent[a]
        while parent[b] != b:
            b = parent[b]
        if a != b:
            small, large = (a, b) if sizes[a] < sizes[b] else (b, a)
            parent[small], since[small] = large, place
            sizes[large] += sizes[small]
    return np.array(parent, np.int64), np.array(since, np.int64)


def _is_refused(edges: np.ndarray, times: np.ndarray, sizes: np.ndarray, clusters: _Clusters) -> np.ndarray:
    """Return the mask of the edges whose two parts had a common source; `sizes` are those of the first clusters."""
    groups, width, members = clusters.groups, clusters.width, clusters.members
    row = np.repeat(np.arange(times.size), sizes)
    begins = np.searchsorted(clusters.keys[members], groups[edges[0]] * width)
    one = members[np.arange(row.size) + np.repeat(begins - np.cumsum(sizes) + sizes, sizes)]
    key = groups[edges[1]][row] * width + clusters.keys[one] % width
    place = np.searchsorted(clusters.keys[members], key).clip(max=members.size - 1)
    other = members[place]
    same = np.flatnonzero(clusters.keys[other] == key)
    row, one, other = row[same], one[same], other[same]
    parts = [clusters.part_of(end, times) for end in edges]
    shares = clusters.part_of(one, times[row]) == parts[0][row]
    shares &= clusters.part_of(other, times[row]) == parts[1][row]
    refused = np.zeros(times.size, bool)
    refused[row[shares]] = True
    return refused
