"""Verification of colorings at distance 1 and 2."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import dispatches_on_graph
from .._core.unknown_options import suggests_options
from .._core.validation import integer
from ..conversion import undirected
from ..graph import Graph
from .checks import beside, ends_of_entries, first_entry, integer_each, vertex, vertices


@suggests_options
def is_proper_coloring(graph: Any, colors: ArrayLike, distance: int = 1) -> bool:
    """Return whether any two adjacent vertices have different colors.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    colors : (n,) integer array
        The color of every vertex, which is any non-negative number; a negative number means that it has no color.
    distance : {1, 2}, optional
        If 2, vertices with a common neighbor must have different colors, too.

    Returns
    -------
    bool
        Whether the coloring is proper. If not, `explain_coloring` names two vertices.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, the colors are not n integers, or the distance is neither 1 nor 2.

    Notes
    -----
    One sweep over the entries, with work memory of 10 bytes per entry; at distance 2 a sort of the entries, with about
    50 bytes per entry. A graph on a GPU is checked on the GPU at distance 1, and copied to host memory at distance 2.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_proper_coloring(path, [0, 1, 0, 1])
    True
    >>> sg.is_proper_coloring(path, [0, 1, 0, 1], distance=2)
    False
    >>> sg.explain(sg.is_proper_coloring, path, [0, 1, 1, 0])
    'vertices 1 and 2 are adjacent, but both have color 1'
    """
    return explain_coloring(graph, colors, distance) is None


@dispatches_on_graph
def explain_coloring(graph: Any, colors: ArrayLike, distance: int = 1) -> str | None:
    """Explain which two vertices are too close for having the same color, or return None.

    Parameters and errors are those of `is_proper_coloring`.
    """
    graph = undirected(graph)
    if integer(distance, "distance", least=1) > 2:
        raise ValueError(f"distance must be 1 or 2, got {distance}")
    if distance == 2:
        graph = graph.to("cpu")
    array = integer_each(colors, graph, "colors")
    if (array < 0).any():
        v = int((array < 0).argmax())
        return f"{vertex(graph, v)} has no color, but {int(array[v])}: colors are numbers from 0 on"
    pair = pair_of_one_color(graph, array, distance)
    if pair is None:
        return None
    u, v = pair
    return f"{vertices(graph, u, v)} are {beside(distance)}, but both have color {int(array[v])}"


def pair_of_one_color(graph: Graph, colors: Any, distance: int) -> tuple[int, int] | None:
    """Return two vertices of the same color within distance 1 or 2, or None; negative colors are ignored."""

    def clash(u: Any, v: Any) -> Any:
        return (colors[u] == colors[v]) & (u != v) & (colors[u] >= 0)

    if distance == 1:
        return first_entry(graph, clash)
    # The neighbors of a vertex and the vertex itself must all differ.
    rows, columns = ends_of_entries(graph)
    every = np.arange(graph.num_vertices, dtype=columns.dtype)
    rows, columns = np.concatenate([rows, every]), np.concatenate([columns, every])
    order = np.lexsort((columns, colors[columns], rows))
    rows, columns = rows[order], columns[order]
    same_row = rows[1:] == rows[:-1]
    u, v = columns[:-1][same_row], columns[1:][same_row]
    clashes = np.flatnonzero(clash(u, v))
    return (int(u[clashes[0]]), int(v[clashes[0]])) if clashes.size else None
