"""Checking answers: public predicates, and sentences that name the first thing wrong.

Every ``is_x(graph, answer, ...)`` says whether an answer is right; ``explain(is_x, graph, answer, ...)`` says why it is
not: None, or one sentence with the vertices that break the rule. ``is_x`` is "explain is None".

The checks share nothing with the algorithms: they are NumPy reductions over the rows of the CSR arrays, so that a
mistake in a kernel cannot hide behind the same mistake here. Loops, duplicate entries and weights (also explicit zeros)
do not matter: an entry is an edge.

How distance k is checked in linear time: give every member of the set a ball of radius r = k // 2, and every vertex in
a ball its owner. Two members are within distance 2 r if and only if their balls meet, and within 2 r + 1 if and only if
their balls meet or touch along an edge. Balls grow by one sweep over the entries per step, in which each vertex learns
the smallest and the largest owner around it: they differ exactly where two balls meet, and they name the culprits.

Cost: at most k + (k + 1) // 2 sweeps. Work memory: one number per entry (4 bytes, or 8 from 2**31 vertices on) and some
40 bytes per vertex.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import host_array
from .graph import Graph, as_graph
from .verify_forest import explain_minimum_spanning_forest, explain_spanning_forest
from .verify_search import unreached


def is_independent_set(graph: Any, mask: ArrayLike, k: int = 1) -> bool:
    """Whether no two members of a set of vertices are within distance `k` of each other.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    mask : (n,) bool array, or integer array of distinct vertices
        The set.
    k : int, optional
        The distance, at least 1: with 1, no two members are adjacent.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the graph is directed, the mask has a wrong shape, a vertex is out of range or named twice, or `k` < 1.
    TypeError
        If the mask is neither boolean nor integer, or `k` is no integer.

    See Also
    --------
    explain : names the two members.

    Notes
    -----
    Linear: (k + 1) // 2 sweeps over the entries, 4 bytes of work memory per entry and 40 per vertex.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_independent_set(path, np.array([True, False, True, False]))
    True
    >>> sg.is_independent_set(path, [0, 2], k=2)
    False
    """
    return explain(is_independent_set, graph, mask, k) is None


def is_maximal_independent_set(graph: Any, mask: ArrayLike, k: int = 1, exclude: ArrayLike | None = None) -> bool:
    """Whether a set of vertices is independent and no further vertex can join it.

    Maximal is not maximum: a larger set with other members may exist.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    mask : (n,) bool array, or integer array of distinct vertices
        The set.
    k : int, optional
        Members are more than `k` apart, and every other vertex is within `k` of a member.
    exclude : (n,) bool array, or integer array of distinct vertices, optional
        Vertices that may not be members, and need no member near them.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the graph is directed, an array has a wrong shape, a vertex is out of range or named twice, or `k` < 1.
    TypeError
        If an array is neither boolean nor integer, or `k` is no integer.

    See Also
    --------
    explain : names the members that are too near, or a vertex that could join.

    Notes
    -----
    Linear: at most k + (k + 1) // 2 sweeps over the entries, 4 bytes of work memory per entry and 40 per vertex.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_maximal_independent_set(path, [0, 2])
    True
    >>> sg.is_maximal_independent_set(path, [1])
    False
    >>> sg.is_maximal_independent_set(path, [1], exclude=[3])
    True
    """
    return explain(is_maximal_independent_set, graph, mask, k, exclude) is None


def is_proper_coloring(graph: Any, colors: ArrayLike, distance: int = 1) -> bool:
    """Whether any two adjacent vertices have different colors.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    colors : (n,) integer array
        The color of every vertex. Any numbers from 0 on; a negative one is no color.
    distance : {1, 2}, optional
        With 2, also vertices with a common neighbour must have different colors.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the graph is directed, the colors have a wrong shape, or the distance is neither 1 nor 2.
    TypeError
        If the colors are not integers, or `distance` is no integer.

    See Also
    --------
    explain : names the two vertices.

    Notes
    -----
    One sweep over the entries, with 10 bytes of work memory an entry; at distance 2 a sort of them, with some 50.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_proper_coloring(path, [0, 1, 0, 1])
    True
    >>> sg.is_proper_coloring(path, [0, 1, 0, 1], distance=2)
    False
    """
    return explain(is_proper_coloring, graph, colors, distance) is None


def is_component_labeling(graph: Any, labels: ArrayLike) -> bool:
    """Whether two vertices have the same label exactly if they are connected.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        With n vertices. Of a directed graph the directions do not count; the pattern of a matrix need not be symmetric.
    labels : (n,) integer array
        The component of every vertex. Any numbers will do, in any order.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the labels have a wrong shape.
    TypeError
        If the labels are not integers.

    See Also
    --------
    explain : names two vertices.

    Notes
    -----
    A sort of the labels, a sweep over the entries, and SciPy's search from one vertex of each label. Work memory: some
    60 bytes an entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1], [2, 3], symmetrize=True)
    >>> sg.is_component_labeling(graph, [0, 1, 0, 1])
    True
    >>> sg.is_component_labeling(graph, [0, 0, 0, 0])
    False
    """
    return explain(is_component_labeling, graph, labels) is None


def is_strong_component_labeling(graph: Any, labels: ArrayLike) -> bool:
    """Whether two vertices have the same label just when each can be reached from the other.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Directed, with n vertices: entry (u, v) is an arc from u to v. Loops, duplicate entries and weights are ignored.
    labels : (n,) integer array
        The label of each vertex. Any numbers will do.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the labels have a wrong shape.
    TypeError
        If the labels are not integers.

    See Also
    --------
    explain : names two vertices.

    Notes
    -----
    Two breadth-first searches by SciPy show that no label holds too much: from the first vertex of each label, along
    arcs between equal labels, all of its vertices must be reached, forward and backward. That no two labels belong
    together, is shown by taking away labels without arcs to others, in turn, until none is left. Linear but for the
    sorting of labels; some 60 bytes of work memory an entry, and seconds for millions of arcs between labels.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], directed=True)
    >>> sg.is_strong_component_labeling(graph, [0, 0, 0, 1])
    True
    >>> sg.is_strong_component_labeling(graph, [0, 0, 0, 0])
    False
    """
    return explain(is_strong_component_labeling, graph, labels) is None


def is_aggregation(graph: Any, labels: ArrayLike, *, connected: bool = False) -> bool:
    """Whether labels are numbers 0, 1, .. without gaps, each for vertices that are near each other.

    Near means: from each vertex of an aggregate to each other one lead steps inside the aggregate, of at most two edges
    of the graph (a step of two may pass by a vertex of another aggregate).

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    labels : (n,) integer array
        The aggregate of every vertex.
    connected : bool, optional
        Steps of one edge only: every aggregate must be connected. This holds for all methods of `aggregate` but
        "kokkos", in which vertices move all at once.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the graph is directed, or the labels have a wrong shape.
    TypeError
        If the labels are not integers.

    See Also
    --------
    explain : names the vertices.

    Notes
    -----
    SciPy's search from one vertex of each aggregate. Where steps may have two edges, it passes through pairs of an
    aggregate and a vertex beside it, which are found by sorting. Work memory: some 60 bytes an entry.

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
    """
    return explain(is_aggregation, graph, labels, connected=connected) is None


def is_bfs_tree(
    graph: Any, sources: ArrayLike, distance: ArrayLike, parent: ArrayLike, *, smallest: bool = False
) -> bool:
    """Whether distances are those from the nearest source, and each parent is one step nearer.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        With n vertices, directed or not; a matrix whose pattern is not symmetric is a directed graph.
    sources : int, (n,) bool array, or integer array of distinct vertices
        Their distance must be 0, and each must be its own parent.
    distance, parent : (n,) integer arrays
        -1 in both where no way leads.
    smallest : bool, optional
        Also require that each parent is the smallest vertex that it can be, as `breadth_first_search` promises.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If an array has a wrong shape, or a source is out of range or named twice.
    TypeError
        If an array does not hold integers.

    See Also
    --------
    explain : names the vertex.

    Notes
    -----
    Three sweeps over the entries, and no search: distances that grow by at most 1 along each arc are not too large, and
    with parents one step nearer they are not too small. Work memory: some 40 bytes an entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> graph = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> sg.is_bfs_tree(graph, 0, [0, 1, 2, 1], [0, 0, 3, 0])
    True
    >>> sg.is_bfs_tree(graph, 0, [0, 1, 2, 1], [0, 0, 3, 0], smallest=True)
    False
    """
    return explain(is_bfs_tree, graph, sources, distance, parent, smallest=smallest) is None


def is_spanning_forest(graph: Any, forest: Any) -> bool:
    """Whether a forest has edges of the graph only, no cycle, and connects whatever the graph connects.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    forest : (n, n) sparse matrix
        Each edge once, in either direction; all stored entries count. The values do not matter.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the graph is directed, or the forest has a wrong shape.
    TypeError
        If the forest is no sparse matrix.

    See Also
    --------
    explain : names the edge, or two vertices that are not connected.

    Notes
    -----
    Two sorts of edges, and SciPy's count of the forest's components. Work memory: some 50 bytes an edge.

    Examples
    --------
    >>> import stablegraph as sg
    >>> cycle = sg.from_edges([0, 1, 2, 3], [1, 2, 3, 0], symmetrize=True)
    >>> forest = sg.minimum_spanning_forest(cycle)
    >>> sg.is_spanning_forest(cycle, forest)
    True
    >>> sg.explain(sg.is_spanning_forest, cycle, cycle.to_scipy())
    'edge (0, 1) is in the forest more than once'
    """
    return explain(is_spanning_forest, graph, forest) is None


def is_minimum_spanning_forest(graph: Any, forest: Any, maximum: bool = False) -> bool:
    """Whether no spanning forest of the graph is lighter. There may be others of the same weight.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops are ignored; of duplicate entries the lightest counts. Weights are read from
        entries (u, v) with u < v; without weights all are one.
    forest : (n, n) sparse matrix
        Each edge once, in either direction, with its weight; all stored entries count.
    maximum : bool, optional
        Whether no spanning forest is heavier. Then the heaviest of duplicate entries counts.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the graph is directed, or the forest has a wrong shape.
    TypeError
        If the forest is no sparse matrix.

    See Also
    --------
    explain : names an edge that should be in the forest, and the one that it should replace.

    Notes
    -----
    By the cycle property: every other edge is compared with the heaviest one on the path between its ends, which is
    found in at most log2(n) steps of Borůvka's algorithm on the forest alone. Work memory: some 100 bytes an edge.

    Examples
    --------
    >>> import scipy.sparse, stablegraph as sg
    >>> triangle = sg.from_edges([0, 1, 2], [1, 2, 0], [5, 3, 4], symmetrize=True)
    >>> forest = scipy.sparse.csr_array([[0, 5, 0], [0, 0, 3], [0, 0, 0]])
    >>> print(sg.explain(sg.is_minimum_spanning_forest, triangle, forest))
    edge (0, 2) has weight 4 and is not in the forest, but edge (0, 1) of weight 5 is, on the path between its ends
    """
    return explain(is_minimum_spanning_forest, graph, forest, maximum) is None


def explain(predicate: Callable[..., bool], graph: Any, *answer: Any, **options: Any) -> str | None:
    """Say what is wrong with an answer.

    Parameters
    ----------
    predicate : function
        One of this module's predicates, such as `is_maximal_independent_set`.
    graph : Graph, or anything `as_graph` takes
        The graph.
    *answer, **options
        What the predicate takes after the graph.

    Returns
    -------
    None or str
        None if the answer is right, else a sentence that names the first violation.

    Raises
    ------
    ValueError
        If `predicate` is not one of this module's, and where the predicate raises it.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> print(sg.explain(sg.is_independent_set, path, [0, 2]))
    None
    >>> print(sg.explain(sg.is_independent_set, path, [0, 1]))
    vertices 0 and 1 are adjacent and both in the set
    >>> print(sg.explain(sg.is_maximal_independent_set, path, [1]))
    vertex 3 could join: it is not in the set and has no neighbour in it
    """
    explainer = _EXPLAINERS.get(predicate)
    if explainer is None:
        known = ", ".join(sorted(f.__name__ for f in _EXPLAINERS))
        name = getattr(predicate, "__name__", repr(predicate))
        raise ValueError(f"explain knows {known}, not {name}")
    return explainer(graph, *answer, **options)


def _explain_independent(graph: Any, mask: ArrayLike, k: int = 1) -> str | None:
    graph, k = _undirected(graph), _distance(k, "k")
    return _two_members_too_near(graph, _vertex_mask(mask, graph, "mask"), k)


def _explain_maximal_independent(
    graph: Any, mask: ArrayLike, k: int = 1, exclude: ArrayLike | None = None
) -> str | None:
    graph, k = _undirected(graph), _distance(k, "k")
    members = _vertex_mask(mask, graph, "mask")
    excluded = _vertex_mask([] if exclude is None else exclude, graph, "exclude")
    forbidden = np.flatnonzero(members & excluded)
    if forbidden.size:
        return f"vertex {forbidden[0]} is excluded but in the set"
    return _two_members_too_near(graph, members, k) or _vertex_that_could_join(graph, members, excluded, k)


def _explain_proper_coloring(graph: Any, colors: ArrayLike, distance: int = 1) -> str | None:
    graph = _undirected(graph)
    if _distance(distance, "distance") > 2:
        raise ValueError(f"distance must be 1 or 2, got {distance}")
    array = _numbers(colors, graph, "colors")
    if (array < 0).any():
        v = int((array < 0).argmax())
        return f"vertex {v} has no color, but {array[v]}: colors are numbers from 0 on"
    pair = pair_of_one_color(graph, array, distance)
    if pair is None:
        return None
    u, v = pair
    return f"vertices {u} and {v} are {beside(distance)}, but both have color {array[v]}"


def _explain_component_labeling(graph: Any, labels: ArrayLike) -> str | None:
    graph = _directed(graph)
    array = _numbers(labels, graph, "labels")
    tails, heads = _ends(graph)
    apart = np.flatnonzero(array[tails] != array[heads])
    if apart.size:
        u, v = tails[apart[0]], heads[apart[0]]
        return f"vertices {u} and {v} are adjacent, but have different labels, {array[u]} and {array[v]}"
    _, firsts, groups = np.unique(array, return_index=True, return_inverse=True)
    v = unreached(groups.size, np.concatenate([tails, heads]), np.concatenate([heads, tails]), firsts)
    if v is None:
        return None
    return f"vertices {firsts[groups[v]]} and {v} both have label {array[v]}, but are not connected"


def _explain_strong_component_labeling(graph: Any, labels: ArrayLike) -> str | None:
    graph = _directed(graph)
    array = _numbers(labels, graph, "labels")
    _, firsts, groups = np.unique(array, return_index=True, return_inverse=True)
    tails, heads = _ends(graph)
    within = groups[tails] == groups[heads]
    inner, outer = (tails[within], heads[within]), (tails[~within], heads[~within])
    for forward in (True, False):
        v = unreached(groups.size, *(inner if forward else inner[::-1]), firsts)
        if v is not None:
            first = firsts[groups[v]]
            start, end = (first, v) if forward else (v, first)
            return (
                f"vertices {first} and {v} both have label {array[v]}, but no path leads from {start} to {end} "
                "along vertices with this label"
            )
    arc = _arc_on_a_cycle(*outer, groups, len(firsts))
    if arc is None:
        return None
    u, v = arc
    return f"vertices {u} and {v} can be reached from each other, but have different labels, {array[u]} and {array[v]}"


def _explain_aggregation(graph: Any, labels: ArrayLike, *, connected: bool = False) -> str | None:
    graph = _undirected(graph)
    array, n = _numbers(labels, graph, "labels").astype(np.int64), graph.num_vertices
    if (array < 0).any():
        v = int((array < 0).argmax())
        return f"vertex {v} is in no aggregate, but has label {array[v]}: labels are numbers from 0 on"
    used, firsts = np.unique(array, return_index=True)
    gaps = np.flatnonzero(used != np.arange(used.size))
    if gaps.size:
        v = firsts[gaps[0]]
        return f"no vertex has label {gaps[0]}, but vertex {v} has label {array[v]}: labels must have no gaps"
    tails, heads = _ends(graph)
    if connected:
        inside = array[tails] == array[heads]
        tails, heads, nodes = tails[inside], heads[inside], n
    else:  # from a vertex to a pair (its aggregate, a vertex beside it or itself), and back
        tails, heads = np.concatenate([tails, np.arange(n)]), np.concatenate([heads, np.arange(n)])
        pairs, numbers = np.unique(array[tails] * n + heads, return_inverse=True)
        tails, heads = np.concatenate([tails, n + numbers]), np.concatenate([n + numbers, tails])
        nodes = n + pairs.size
    missed = unreached(nodes, tails, heads, firsts)
    if missed is None:
        return None
    steps = (
        "no path inside it joins them" if connected else "no steps of two edges inside it lead from one to the other"
    )
    return f"vertices {firsts[array[missed]]} and {missed} are both in aggregate {array[missed]}, but {steps}"


def _explain_bfs_tree(
    graph: Any, sources: ArrayLike, distance: ArrayLike, parent: ArrayLike, *, smallest: bool = False
) -> str | None:
    graph = _directed(graph)
    begin = _vertex_mask([sources] if np.ndim(sources) == 0 else sources, graph, "sources")
    steps = _numbers(distance, graph, "distance").astype(np.int64)
    parents = _numbers(parent, graph, "parent").astype(np.int64)
    tails, heads = _ends(graph)
    n, reached = graph.num_vertices, steps >= 0
    exists = (parents >= 0) & (parents < n)
    above = np.where(exists, parents, 0)
    joined = np.zeros(n, bool)
    joined[heads[tails == above[heads]]] = True

    def told(v: Any) -> str:
        return f"vertex {v} has distance {steps[v]} and parent {parents[v]}"

    for broken, words in (
        (begin & ((steps != 0) | (parents != np.arange(n))), "but is a source"),
        (~reached & ((steps != -1) | (parents != -1)), "but where no way leads both must be -1"),
        (~begin & (steps == 0), "but is no source"),
        (reached & ~exists, "which is no vertex"),
        (~begin & reached & ~joined, "but no edge leads from there"),
        (~begin & reached & (steps[above] != steps - 1), "which is not one step nearer"),
    ):
        if broken.any():
            return f"{told(broken.argmax())}, {words}"
    far = np.flatnonzero(reached[tails] & (~reached[heads] | (steps[heads] > steps[tails] + 1)))
    if far.size:
        u, v = tails[far[0]], heads[far[0]]
        return f"{told(v)}, but an edge leads there from vertex {u}, which has distance {steps[u]}"
    better = np.flatnonzero(reached[tails] & (steps[heads] == steps[tails] + 1) & (tails < above[heads]))
    if smallest and better.size:
        u, v = tails[better[0]], heads[better[0]]
        return f"{told(v)}, but vertex {u} is smaller and as near"
    return None


_EXPLAINERS: dict[Callable[..., bool], Callable[..., str | None]] = {
    is_independent_set: _explain_independent,
    is_maximal_independent_set: _explain_maximal_independent,
    is_proper_coloring: _explain_proper_coloring,
    is_component_labeling: _explain_component_labeling,
    is_strong_component_labeling: _explain_strong_component_labeling,
    is_aggregation: _explain_aggregation,
    is_bfs_tree: _explain_bfs_tree,
    is_spanning_forest: lambda graph, forest: explain_spanning_forest(_undirected(graph), forest),
    is_minimum_spanning_forest: lambda graph, forest, maximum=False: explain_minimum_spanning_forest(
        _undirected(graph), forest, maximum
    ),
}


def _arc_on_a_cycle(tails: np.ndarray, heads: np.ndarray, groups: np.ndarray, count: int) -> tuple[int, int] | None:
    """An arc on a cycle of groups, where arcs lead from group to group, or None."""
    tail_groups, head_groups = groups[tails], groups[heads]
    arcs_out = np.bincount(tail_groups, minlength=count).tolist()
    before = tail_groups[np.argsort(head_groups, kind="stable")].tolist()
    begins = np.concatenate([[0], np.cumsum(np.bincount(head_groups, minlength=count))]).tolist()
    done = [group for group in range(count) if arcs_out[group] == 0]
    for group in done:  # grows on the way
        for other in before[begins[group] : begins[group + 1]]:
            arcs_out[other] -= 1
            if arcs_out[other] == 0:
                done.append(other)
    left = np.array(arcs_out) > 0
    if not left.any():
        return None
    arc_from = np.full(count, -1)  # every group that is left has an arc to another one; following them ends in a cycle
    stays = np.flatnonzero(left[tail_groups] & left[head_groups])
    arc_from[tail_groups[stays]] = stays
    group, seen = int(left.argmax()), set()
    while group not in seen:
        seen.add(group)
        group = int(head_groups[arc_from[group]])
    return int(tails[arc_from[group]]), int(heads[arc_from[group]])


def pair_of_one_color(graph: Graph, colors: np.ndarray, distance: int) -> tuple[int, int] | None:
    """Two vertices within distance 1 or 2 of each other that have the same color, or None; negative ones are none."""
    rows, columns = _ends(graph)
    if distance == 2:  # then any two neighbours of a vertex, or itself, must differ
        every = np.arange(graph.num_vertices, dtype=columns.dtype)
        rows, columns = np.concatenate([rows, every]), np.concatenate([columns, every])
        order = np.lexsort((columns, colors[columns], rows))
        rows, columns = rows[order], columns[order]
        same_row = rows[1:] == rows[:-1]
        rows, columns = columns[:-1][same_row], columns[1:][same_row]
    clashes = np.flatnonzero((colors[rows] == colors[columns]) & (rows != columns) & (colors[rows] >= 0))
    return (int(rows[clashes[0]]), int(columns[clashes[0]])) if clashes.size else None


def _ends(graph: Graph) -> tuple[np.ndarray, np.ndarray]:
    """The row and the column of every entry."""
    return np.repeat(np.arange(graph.num_vertices, dtype=graph.indices.dtype), np.diff(graph.indptr)), graph.indices


def beside(distance: int) -> str:
    return "adjacent" if distance == 1 else f"within distance {distance} of each other"


def _two_members_too_near(graph: Graph, members: np.ndarray, k: int) -> str | None:
    # Owners are signed with -1 for "none", which is the largest number when the same bits are read as unsigned:
    # so the maximum of the one and the minimum of the other both pass over vertices without an owner.
    n = graph.num_vertices
    signed, unsigned = (np.int32, np.uint32) if n < 2**31 else (np.int64, np.uint64)
    owner = np.where(members, np.arange(n, dtype=signed), signed(-1))
    for step in range((k + 1) // 2):
        around = _Around(graph, owner)
        largest = around.reduce(np.maximum)
        smallest = around.reduce(np.minimum, unsigned)
        meeting = largest != smallest
        if 2 * (step + 1) > k:  # the last step of an odd k looks at edges between balls only
            meeting &= owner >= 0
        culprits = np.flatnonzero(meeting)
        if culprits.size:
            v = culprits[0]
            return _too_near(int(smallest[v]), int(largest[v]), k)
        if np.array_equal(largest, owner):
            break
        owner = largest
    return None


def _too_near(u: int, v: int, k: int) -> str:
    return f"vertices {u} and {v} are {beside(k)} and both in the set"


def _vertex_that_could_join(graph: Graph, members: np.ndarray, excluded: np.ndarray, k: int) -> str | None:
    reached = members.view(np.uint8)
    for _ in range(k):
        farther = _Around(graph, reached).reduce(np.maximum)
        if np.array_equal(farther, reached):
            break
        reached = farther
    free = np.flatnonzero((reached == 0) & ~excluded)
    if not free.size:
        return None
    nearby = "neighbour" if k == 1 else f"vertex within distance {k}"
    return f"vertex {free[0]} could join: it is not in the set and has no {nearby} in it"


class _Around:
    """The values of every vertex and its neighbours, to be reduced vertex by vertex."""

    def __init__(self, graph: Graph, values: np.ndarray) -> None:
        indptr = graph.indptr
        self.values = values
        self.rows = np.flatnonzero(indptr[1:] > indptr[:-1])  # reduceat misreads empty rows
        self.starts = indptr[self.rows] - indptr[0]
        self.gathered = values[graph.indices[indptr[0] : indptr[-1]]]

    def reduce(self, operation: np.ufunc, dtype: Any = None) -> np.ndarray:
        """`operation` over the values of each vertex and its neighbours, their bits read as `dtype`."""
        dtype = self.values.dtype if dtype is None else dtype
        result = self.values.view(dtype).copy()
        if self.rows.size:
            result[self.rows] = operation(result[self.rows], operation.reduceat(self.gathered.view(dtype), self.starts))
        reduced: np.ndarray = result.view(self.values.dtype)
        return reduced


def _undirected(obj: Any) -> Graph:
    graph = as_graph(obj)
    if graph.directed:
        raise ValueError(
            "the graph is directed, but independent sets, colorings and forests are of undirected graphs; "
            "use as_graph(graph, symmetrize=True) to ignore the directions"
        )
    return graph if graph.device == "cpu" else graph.to("cpu")


def _directed(obj: Any) -> Graph:
    """Any graph, in host memory; a matrix is a directed one."""
    graph = obj if isinstance(obj, Graph) else as_graph(obj, directed=True, weights=False)
    return graph if graph.device == "cpu" else graph.to("cpu")


def _numbers(values: Any, graph: Graph, name: str) -> np.ndarray:
    """An array with an integer for each vertex."""
    array, n = host_array(values, name), graph.num_vertices
    if array.shape != (n,):
        raise ValueError(f"{name} has shape {array.shape}, but the graph has {n} vertices: expected shape ({n},)")
    if n and not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be integers, got dtype {array.dtype}")
    return array


def _distance(k: int, name: str) -> int:
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {k!r}")
    if k < 1:
        raise ValueError(f"{name} must be at least 1, got {k}")
    return int(k)


def _vertex_mask(vertices: Any, graph: Graph, name: str) -> np.ndarray:
    """A bool mask, from a bool mask or from distinct vertices."""
    array, n = host_array(vertices, name), graph.num_vertices
    if array.dtype == bool:
        if array.shape != (n,):
            raise ValueError(f"{name} has shape {array.shape}, but the graph has {n} vertices: expected shape ({n},)")
        return array
    if array.size == 0:
        return np.zeros(n, bool)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be a boolean mask or integer vertices, got dtype {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, got shape {array.shape}")
    outside = np.flatnonzero((array < 0) | (array >= n))
    if outside.size:
        where = outside[0]
        raise ValueError(f"{name}[{where}] is {array[where]}, but the graph's vertices are 0 to {n - 1}")
    counts = np.bincount(array.astype(np.intp), minlength=n)
    if counts.max() > 1:
        raise ValueError(
            f"{name} names vertex {counts.argmax()} {counts.max()} times; an array of integers is read as vertices: "
            "turn a mask of zeros and ones into booleans with .astype(bool)"
        )
    return counts > 0
