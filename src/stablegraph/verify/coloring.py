"""Verification of colorings at distance 1 and 2, and of their constraints."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, integer
from ..conversion import undirected
from ..graph import Graph
from .balls import pair_of_one_color
from .checks import in_host_memory, integer_each, nearness, vertex, vertices
from .color_limits import explain_limits

_SUPPORTED = Supported(  # for a graph in partitions
    {"distance": (1,)}, dict.fromkeys(("capacity", "sizes", "allowed", "forbidden", "fixed"), "")
)


@suggests_options
def is_proper_coloring(
    graph: Any,
    colors: ArrayLike,
    distance: int = 1,
    *,
    capacity: Any = None,
    sizes: ArrayLike | None = None,
    allowed: Any = None,
    forbidden: Any = None,
    fixed: Any = None,
) -> bool:
    """Return whether any two adjacent vertices have different colors, and the colors satisfy the constraints.

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    colors : (n,) integer array
        The color of every vertex, which is any non-negative number; a negative number means that it has no color.
    distance : {1, 2}, optional
        If 2, vertices with a common neighbor must have different colors, too.
    capacity : int or integer array (k,), optional
        The maximum number of vertices per color, or of their total size; one number for all colors, or one for each.
    sizes : integer array (n,), optional
        The size of each vertex for `capacity`.
    allowed, forbidden : dict or bool array (n, k), optional
        Colors that vertices may have or must not have: a dict of lists by vertex (by name if vertices have names), or a
        mask for the colors 0 to k - 1. With a mask or a capacity per color, there are no other colors.
    fixed : integer array (n,) or dict, optional
        The color that a vertex must have; -1 in an array means any color.

    Returns
    -------
    bool
        Whether the coloring is proper and satisfies all constraints. If not, `explain_coloring` names the violation.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, the colors are not n integers, the distance is neither 1 nor 2, or a constraint has a
        wrong shape or type.

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
    >>> sg.explain(sg.is_proper_coloring, path, [0, 1, 0, 2], capacity=1)
    'color 0 has 2 vertices, but its capacity is 1'
    """
    limits = {"capacity": capacity, "sizes": sizes, "allowed": allowed, "forbidden": forbidden, "fixed": fixed}
    return explain_coloring(graph, colors, distance, **limits) is None


@dispatches_on_graph
def explain_coloring(
    graph: Any,
    colors: ArrayLike,
    distance: int = 1,
    *,
    capacity: Any = None,
    sizes: ArrayLike | None = None,
    allowed: Any = None,
    forbidden: Any = None,
    fixed: Any = None,
) -> str | None:
    """Explain which two vertices are too close for having the same color, or which constraint is violated.

    Return None for a proper coloring that satisfies the constraints.

    Parameters and errors are those of `is_proper_coloring`.
    """
    graph = undirected(graph, partitions=True)
    if integer(distance, "distance", minimum=1) > 2:
        raise ValueError(f"distance must be 1 or 2, got {distance}")
    if distance == 2:
        graph = in_host_memory(graph)
    array = integer_each(colors, graph, "colors")
    limits = {"capacity": capacity, "sizes": sizes, "allowed": allowed, "forbidden": forbidden, "fixed": fixed}
    if isinstance(graph, PartitionedGraph):
        _SUPPORTED.check(distance=distance, **limits)
        return in_partitions(explain_coloring, graph, array)
    uncolored, clash = color_faults(graph, array, distance)
    if uncolored or clash:
        return uncolored or clash
    if all(limit is None for limit in limits.values()):
        return None
    host = array if isinstance(array, np.ndarray) else array.get()
    return explain_limits(graph.to("cpu"), host, **limits)


def color_faults(graph: Graph, colors: Any, distance: int, among: slice = slice(None)) -> tuple[str | None, str | None]:
    """Explain which vertex of a range has no color, and which two vertices have the same one; else return None."""
    uncolored = clash = None
    without = colors[among] < 0
    if without.any():
        v = int(without.argmax()) + (among.start or 0)
        uncolored = f"{vertex(graph, v)} has no color, but {int(colors[v])}: colors are numbers from 0 on"
    pair = None if uncolored else pair_of_one_color(graph, colors, distance)
    if pair is not None:
        clash = f"{vertices(graph, *pair)} are {nearness(distance)}, but both have color {int(colors[pair[1]])}"
    return uncolored, clash
