"""Verification of colorings at distance 1 and 2."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from .._core.dispatch import dispatches_on_graph, suggests_options
from .._core.validation import integer
from ..conversion import undirected
from .balls import pair_of_one_color
from .checks import integer_each, nearness, vertex, vertices


def _partitioned() -> Any:
    from ..distributed.verify import local_checks

    return local_checks


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


@dispatches_on_graph(partitioned=lambda: _partitioned().explain_coloring)
def explain_coloring(graph: Any, colors: ArrayLike, distance: int = 1) -> str | None:
    """Explain which two vertices are too close for having the same color, or return None.

    Parameters and errors are those of `is_proper_coloring`.
    """
    graph = undirected(graph)
    if integer(distance, "distance", minimum=1) > 2:
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
    return f"{vertices(graph, u, v)} are {nearness(distance)}, but both have color {int(array[v])}"
