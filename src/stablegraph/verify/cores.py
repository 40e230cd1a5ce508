"""Verification of core numbers, without the order in which an algorithm has removed the vertices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.unknown_options import suggests_options
from ..conversion import undirected
from .checks import ends_of_entries, integer_each, vertex


@suggests_options
def is_core_labeling(graph: Any, labels: ArrayLike) -> bool:
    """Return whether labels are the core numbers of the vertices.

    >>> import stablegraph as sg
    >>> sg.is_core_labeling(sg.gallery.grid((3,)), [1, 1, 1])
    True

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph with n vertices, or a matrix with a symmetric pattern. Weights, loops and repeated entries
        are ignored.
    labels : (n,) integer array
        The core number of each vertex, as in results of `core_numbers`.

    Returns
    -------
    bool
        Whether they are right. If not, ``explain(is_core_labeling, graph, labels)`` names a vertex.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, or the labels are not n integers.

    Notes
    -----
    The numbers are not too large if each vertex of number k has at least k neighbors of this number or a larger one.
    They are not too small if the vertices of each number k can be removed one after another, each when at most k of its
    neighbors with this number or a larger one remain. The second check visits the vertices in plain Python: about a
    second for a million entries. Work memory: about 60 bytes per entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1], [1, 2], symmetrize=True)
    >>> sg.is_core_labeling(path, [1, 1, 1])
    True
    >>> sg.explain(sg.is_core_labeling, path, [1, 1, 0])
    'vertex 2 has the core number 0, but it belongs to a part in which all vertices have more than 0 neighbors'
    >>> sg.explain(sg.is_core_labeling, path, [1, 2, 1])
    'vertex 1 has the core number 2, but only 0 neighbors with this number or a larger one'
    """
    return explain_core_labeling(graph, labels) is None


@suggests_options
def explain_core_labeling(graph: Any, labels: ArrayLike) -> str | None:
    """Explain which vertex has a wrong core number, or return None.

    Parameters and errors are those of `is_core_labeling`.
    """
    graph = undirected(graph).simple().to("cpu")
    n, given = graph.num_vertices, integer_each(labels, graph, "labels").astype(np.int64)
    u, v = ends_of_entries(graph)
    around = np.bincount(u[given[v] >= given[u]], minlength=n)
    if (wrong := (given < 0) | (around < given)).any():
        first = int(wrong.argmax())
        if given[first] < 0:
            return f"{vertex(graph, first)} has the core number {given[first]}, but core numbers are at least 0"
        return (
            f"{vertex(graph, first)} has the core number {given[first]}, but only {around[first]} neighbors with this "
            "number or a larger one"
        )
    equal = given[u] == given[v]
    starts = np.concatenate([[0], np.cumsum(np.bincount(u[equal], minlength=n))]).tolist()
    heads = v[equal].tolist()
    more = (around - given).tolist()  # neighbors that have to be removed first
    removed = [w for w in range(n) if more[w] == 0]
    for w in removed:  # it grows during the loop
        for x in heads[starts[w] : starts[w + 1]]:
            more[x] -= 1
            if more[x] == 0:
                removed.append(x)
    if len(removed) == n:
        return None
    first = next(w for w in range(n) if more[w] > 0)
    return (
        f"{vertex(graph, first)} has the core number {given[first]}, but it belongs to a part in which all vertices "
        f"have more than {given[first]} neighbors"
    )
