"""Verification of communities: connectivity, sizes, joins of small ones, and moves of single vertices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import dispatches_on_graph
from .._core.unknown_options import suggests_options
from .._core.validation import choice, integer, number, vertices_of
from ..conversion import undirected
from ..graph import Graph
from .checks import ends_of_entries, integer_each, vertex, vertices
from .searches import unreached

_TINY = 2.0**-39  # gains below this fraction of the compared terms do not count
_LARGEST_EXPONENT = 900  # of a float that is multiplied by two masses; with it, all links are rounded away
_BITS = 44  # of the product of the number of entries and the largest weight in fixed point

_Links = tuple[Any, Any, Any, int]  # the ends of entries, their weights in fixed point, and the shift of these


@suggests_options
def is_community_labeling(
    graph: Any,
    labels: ArrayLike,
    *,
    objective: str | None = None,
    resolution: float = 1.0,
    fixed: Any = None,
    max_size: int | None = None,
    min_size: int | None = None,
) -> bool:
    """Return whether every community is connected and, for an objective, whether no vertex can improve it by moving.

    >>> import stablegraph as sg
    >>> sg.is_community_labeling(sg.gallery.grid((4,)), [0, 0, 1, 0])  # community 0 is not connected
    False

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Its weights count. Edges of weight 0 connect nothing; loops have no influence on
        connectivity.
    labels : (n,) integer array
        The community of every vertex. The labels may be any numbers, in any order.
    objective : {"modularity", "cpm"}, optional
        Also check that no single vertex improves this objective by moving to another community, or by becoming a
        singleton. Results of `communities` have this property with ``iterations=None`` and without `min_size`.
    resolution : float, optional
        The resolution of the objective.
    fixed : bool array (n,), integer array, or names, optional
        Vertices that cannot move; those of the same community count as connected.
    max_size : int, optional
        Also check that no community has more vertices. A vertex cannot move to a community of this size.
    min_size : int, optional
        Also check that each community with fewer vertices has no neighbor that it may join: an edge of positive weight
        leads to a community with which it has at most `max_size` vertices, and not both have a fixed vertex.

    Returns
    -------
    bool
        Whether the labels have these properties. If not, `explain_community_labeling` names the vertices.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, a weight is negative, infinite or NaN, or the labels are not n integers.

    Notes
    -----
    SciPy's search from one vertex of each community; for an objective, a sort of all entries by row and community.
    Weights are rounded to 64-bit fixed point, as described for `communities`. A gain counts if it is more than 2**-39
    of the terms that are compared, which is above the rounding error. Work memory: about 100 bytes per entry. A graph
    on a GPU is copied to host memory.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_community_labeling(path, [0, 0, 1, 1], objective="modularity")
    True
    >>> sg.is_community_labeling(path, [0, 0, 1, 0])
    False
    >>> sg.explain(sg.is_community_labeling, path, [0, 0, 0, 1], objective="modularity")
    'vertex 2 can improve the modularity by moving from community 0 to community 1'
    """
    options = {"objective": objective, "resolution": resolution, "fixed": fixed}
    options |= {"max_size": max_size, "min_size": min_size}
    return explain_community_labeling(graph, labels, **options) is None


@dispatches_on_graph
def explain_community_labeling(
    graph: Any,
    labels: ArrayLike,
    *,
    objective: str | None = None,
    resolution: float = 1.0,
    fixed: Any = None,
    max_size: int | None = None,
    min_size: int | None = None,
) -> str | None:
    """Explain which two vertices of a community are not connected, or which vertex can move; else return None.

    Parameters and errors are those of `is_community_labeling`.
    """
    if objective is not None:
        choice(objective, "objective", ("modularity", "cpm"))
    gamma = number(resolution, "resolution", minimum=0.0, below=math.inf)
    limit = None if max_size is None else integer(max_size, "max_size", minimum=1)
    minimum = 1 if min_size is None else integer(min_size, "min_size", minimum=1)
    graph = undirected(graph, weights=True).to("cpu")
    n, array = graph.num_vertices, integer_each(labels, graph, "labels")
    used, firsts, groups = np.unique(array, return_index=True, return_inverse=True)
    sizes = np.bincount(groups, minlength=used.size)
    if limit is not None and n and sizes.max() > limit:
        c = int(sizes.argmax())
        return f"community {used[c]} of {vertex(graph, firsts[c])} has {sizes[c]} vertices, more than max_size={limit}"
    stay = np.zeros(n, bool)
    if fixed is not None:
        stay[vertices_of(graph, fixed, "fixed")] = True
    edges = u, v, weights, _ = _links(graph)

    a, b, holds = groups[u], groups[v], np.bincount(groups[stay], minlength=used.size) > 0
    may_join = (a != b) & (weights > 0) & (sizes[a] < minimum) & ~(holds[a] & holds[b])
    if limit is not None:
        may_join &= sizes[a] + sizes[b] <= limit
    if may_join.any():
        e = int(may_join.argmax())
        return (
            f"community {used[a[e]]} has {sizes[a[e]]} vertices, fewer than min_size={minimum}, but it may join "
            f"community {used[b[e]]}: an edge joins {vertices(graph, u[e], v[e])}"
        )
    inside = (groups[u] == groups[v]) & (weights > 0)
    tails, heads, joined = u[inside], v[inside], np.flatnonzero(stay)
    if joined.size:  # connects fixed vertices with the first one of their community
        heads_of_fixed = joined[np.unique(groups[joined], return_index=True)[1]]
        hub = np.full(used.size, -1)
        hub[groups[heads_of_fixed]] = heads_of_fixed
        tails, heads = (
            np.concatenate([tails, joined, hub[groups[joined]]]),
            np.concatenate([heads, hub[groups[joined]], joined]),
        )
    missed = unreached(n, tails, heads, firsts)
    if missed is not None:
        return (
            f"{vertices(graph, firsts[groups[missed]], missed)} are both in community {array[missed]}, but no path "
            "inside it joins them"
        )
    if objective is None or n == 0:
        return None
    v, c, gain = _best_move(edges, groups, sizes, objective, gamma, limit, stay)
    if gain <= 0:
        return None
    place = "becoming a singleton" if c < 0 else f"moving from community {array[v]} to community {used[c]}"
    name = "modularity" if objective == "modularity" else "objective"
    return f"{vertex(graph, v)} can improve the {name} by {place}"


def _links(graph: Graph) -> _Links:
    """Return rows, columns and fixed-point weights of all distinct entries, and the shift of the weights."""
    u, v = ends_of_entries(graph)
    u, v = u.astype(np.int64), v.astype(np.int64)
    if graph.weights is None:
        pairs = np.unique(u * graph.num_vertices + v)
        return pairs // max(graph.num_vertices, 1), pairs % max(graph.num_vertices, 1), np.ones(pairs.size, np.int64), 0
    values = graph.weights
    if values.size and not (np.isfinite(values).all() and (values >= 0).all()):
        raise ValueError("communities need finite weights that are not negative")
    largest = float(values.max()) if values.size else 0.0
    if largest == 0:
        return u, v, np.zeros(u.size, np.int64), 0
    shift = math.floor(_BITS - math.log2(values.size) - math.log2(largest)) + 2
    while math.ldexp(largest, shift) * values.size > 2.0**_BITS:
        shift -= 1
    if values.dtype.kind in "biu" and shift >= 0:
        return u, v, values.astype(np.int64), 0
    return u, v, np.rint(np.ldexp(values.astype(float), shift)).astype(np.int64), shift


def _best_move(
    edges: _Links, groups: Any, sizes: Any, objective: str, gamma: float, limit: int | None, stay: Any
) -> tuple[int, int, float]:
    """Return the vertex with the largest gain, its new group (-1: a singleton), and the gain, or 0 without a gain."""
    (u, v, weights, shift), n = edges, groups.size
    degree = np.zeros(n, np.int64)
    np.add.at(degree, u, np.where(u == v, 2 * weights, weights))
    if objective == "modularity":
        mass, scale = degree, min(gamma, 1e100) / max(float(degree.sum()), 1.0)
    else:
        mantissa, exponent = math.frexp(min(gamma, 1e100))
        mass, scale = np.ones(n, np.int64), math.ldexp(mantissa, min(exponent + shift, _LARGEST_EXPONENT))
    total = np.zeros(sizes.size, np.int64)
    np.add.at(total, groups, mass)
    apart = u != v
    u, v, weights = u[apart], v[apart], weights[apart]

    pairs, inverse = np.unique(u * sizes.size + groups[v], return_inverse=True)
    links = np.zeros(pairs.size, np.int64)
    np.add.at(links, inverse, weights)
    who, where = pairs // sizes.size, pairs % sizes.size
    same_group = groups[who] == where
    own_links = np.zeros(n, np.int64)
    own_links[who[same_group]] = links[same_group]
    rate = scale * mass.astype(float)
    expected_own = rate * (total[groups] - mass).astype(float)
    open_to = ~same_group & ~stay[who] & (links > 0)
    if limit is not None:
        open_to &= sizes[where] < limit
    who, where, links = who[open_to], where[open_to], links[open_to]
    expected = rate[who] * total[where].astype(float)
    gains = (links - expected) - (own_links[who] - expected_own[who])
    terms = links + expected + own_links[who] + expected_own[who]
    alone = np.where(stay | (sizes[groups] == 1), 0.0, expected_own - own_links)
    gains = np.concatenate([gains, alone])
    terms = np.concatenate([terms, own_links + expected_own])
    who, where = np.concatenate([who, np.arange(n)]), np.concatenate([where, np.full(n, -1)])
    gains[gains <= _TINY * terms] = 0.0
    best = int(gains.argmax())
    return int(who[best]), int(where[best]), float(gains[best])
