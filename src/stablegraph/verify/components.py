"""Checking the labels of components and of strong components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..conversion import any_graph
from ..elsewhere import or_elsewhere
from ..vertex_names import shown_vertex
from .checks import ends_of_entries, integer_each, vertices
from .searches import unreached


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
        If not, `explain_component_labeling` names two vertices.

    Raises
    ------
    ValueError, TypeError
        If the labels are not n integers.

    Notes
    -----
    A sort of the labels, a sweep over the entries, and SciPy's search from one vertex of each label. Work memory: some
    60 bytes an entry. A graph on a GPU is copied to host memory.

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


@or_elsewhere
def explain_component_labeling(graph: Any, labels: ArrayLike) -> str | None:
    """A sentence about two vertices that have one label without being connected, or are adjacent with two; else None.

    Takes and raises what `is_component_labeling` does.
    """
    graph = any_graph(graph).to("cpu")
    array = integer_each(labels, graph, "labels")
    tails, heads = ends_of_entries(graph)
    apart = np.flatnonzero(array[tails] != array[heads])
    if apart.size:
        u, v = tails[apart[0]], heads[apart[0]]
        return f"{vertices(graph, u, v)} are adjacent, but have different labels, {array[u]} and {array[v]}"
    _, firsts, groups = np.unique(array, return_index=True, return_inverse=True)
    v = unreached(groups.size, np.concatenate([tails, heads]), np.concatenate([heads, tails]), firsts)
    if v is None:
        return None
    return f"{vertices(graph, firsts[groups[v]], v)} both have label {array[v]}, but are not connected"


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
        If not, `explain_strong_component_labeling` names two vertices.

    Raises
    ------
    ValueError, TypeError
        As for `is_component_labeling`.

    Notes
    -----
    Two breadth-first searches by SciPy show that no label holds too much: from the first vertex of each label, along
    arcs between equal labels, all of its vertices must be reached, forward and backward. That no two labels belong
    together, is shown by taking away labels without arcs to others, in turn, until none is left. Linear but for the
    sorting of labels; some 60 bytes of work memory an entry, and seconds for millions of arcs between labels.
    A graph on a GPU is copied to host memory.

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


@or_elsewhere
def explain_strong_component_labeling(graph: Any, labels: ArrayLike) -> str | None:
    """A sentence about two vertices that have one label, but not paths both ways, or the other way round; else None.

    Takes and raises what `is_strong_component_labeling` does.
    """
    graph = any_graph(graph).to("cpu")
    array = integer_each(labels, graph, "labels")
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


def arc_on_a_cycle(tails: np.ndarray, heads: np.ndarray, groups: np.ndarray, count: int) -> tuple[int, int] | None:
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
