"""Verification of independent sets at any distance k, in linear time.

Idea: every member of the set is the owner of a ball of radius r = k // 2 around it. Two members are within distance 2 r
if and only if their balls intersect, and within 2 r + 1 if and only if their balls intersect or are joined by an edge.
Each step of growing the balls is one sweep over the entries, which finds the smallest and the largest owner around each
vertex. The two differ exactly where two balls meet, and they are then the two members to report.

Cost: at most k + (k + 1) // 2 sweeps. Work memory: one number per entry (4 bytes, or 8 from 2**31 vertices on) and
about 40 bytes per vertex.

On a GPU, up to distance 2, sums over the rows show whether a set is correct. On several GPUs, up to distance 1, each
one checks its own rows. Only a graph with a wrong set is copied to host memory, to find the violation.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .._core.dispatch import Supported, dispatches_on_graph, in_partitions
from .._core.unknown_options import suggests_options
from .._core.validation import PartitionedGraph, host_array, integer, members_of
from ..conversion import undirected
from ..graph import Graph
from ..spread_graph import SpreadGraph
from .checks import nearness, vertex, vertex_mask, vertices

_SUPPORTED = Supported({"distance": (1, 2)})  # for a graph in partitions
_PIECE = 1 << 28  # entries of a graph on a GPU that are summed at a time: up to 2.4 GB of work memory


@suggests_options
def is_independent_set(graph: Any, mask: ArrayLike, distance: int = 1) -> bool:
    """Return whether no two members of a set of vertices are within `distance` of each other.

    >>> import stablegraph as sg
    >>> sg.is_independent_set(sg.gallery.grid((4,)), [0, 2])
    True

    Parameters
    ----------
    graph : Graph, or anything `as_graph` takes
        Undirected, with n vertices. Loops, duplicate entries and weights are ignored.
    mask : (n,) bool array, or distinct vertices, by number or by name
        The set.
    distance : int, optional
        At least 1: with 1, no two members are adjacent.

    Returns
    -------
    bool
        Whether the set is independent. If not, `explain_independent_set` names two members that are too close.

    Raises
    ------
    ValueError, TypeError
        If the graph is directed, the mask has another length, a vertex is unknown or named twice, or `distance` is not
        an integer of at least 1.

    Notes
    -----
    (distance + 1) // 2 sweeps over the entries, with work memory of 4 bytes per entry and 40 bytes per vertex. Up to
    distance 2 a graph on a GPU is checked on the GPU in one sweep, with 5 bytes per entry (9 from 2**31 entries on) but
    at most 2.4 GB, and a copy without loops and duplicates if it has any. For larger distances, or to explain a
    violation, it is copied to host memory.

    Examples
    --------
    >>> import numpy as np, stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_independent_set(path, np.array([True, False, True, False]))
    True
    >>> sg.is_independent_set(path, [0, 2], distance=2)
    False
    >>> friends = sg.from_edges(["Ann", "Bob"], ["Bob", "Cy"], symmetrize=True)
    >>> sg.explain(sg.is_independent_set, friends, ["Ann", "Bob"])
    "vertices 'Ann' and 'Bob' are adjacent and both in the set"
    """
    return explain_independent_set(graph, mask, distance) is None


@dispatches_on_graph
def explain_independent_set(graph: Any, mask: ArrayLike, distance: int = 1) -> str | None:
    """Explain which two members of a set are too close, or return None.

    Parameters and errors are those of `is_independent_set`.
    """
    k, graph = integer(distance, "distance", minimum=1), undirected(graph, partitions=True)
    if isinstance(graph, PartitionedGraph):
        _SUPPORTED.check(distance=k)
        return in_partitions(explain_independent_set, graph, members_of(graph, mask, "mask"), k)
    members = vertex_mask(mask, graph, "mask")
    if graph.device != "cpu":
        if k <= 2 and _is_right(graph, members, None, k):
            return None
        graph, members = graph.to("cpu"), host_array(members, "mask")
    return two_members_too_near(graph, members, k)


@suggests_options
def is_maximal_independent_set(
    graph: Any, mask: ArrayLike, distance: int = 1, exclude: ArrayLike | None = None
) -> bool:
    """Return whether a set of vertices is independent and no further vertex can join it.

    >>> import stablegraph as sg
    >>> sg.is_maximal_independent_set(sg.gallery.grid((4,)), [0, 2])
    True

    Maximal is not maximum: a larger set with other members may exist.

    Parameters
    ----------
    graph, mask
        As for `is_independent_set`.
    distance : int, optional
        Members must be more than `distance` apart, and every other vertex must be within `distance` of a member.
    exclude : (n,) bool array, or distinct vertices, by number or by name, optional
        Vertices that must not be members, and need no member within `distance`.

    Returns
    -------
    bool
        Whether the set is correct. If not, `explain_maximal_independent_set` names members that are too close, or a
        vertex that could join.

    Raises
    ------
    ValueError, TypeError
        As for `is_independent_set`, also for `exclude`.

    Notes
    -----
    At most distance + (distance + 1) // 2 sweeps over the entries, with work memory of 4 bytes per entry and 40 bytes
    per vertex. A graph on a GPU is treated as by `is_independent_set`, but with `distance` sweeps.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.is_maximal_independent_set(path, [0, 2])
    True
    >>> sg.explain(sg.is_maximal_independent_set, path, [1])
    'vertex 3 could join: it is not in the set and has no neighbor in it'
    >>> sg.is_maximal_independent_set(path, [1], exclude=[3])
    True
    """
    return explain_maximal_independent_set(graph, mask, distance, exclude) is None


@dispatches_on_graph
def explain_maximal_independent_set(
    graph: Any, mask: ArrayLike, distance: int = 1, exclude: ArrayLike | None = None
) -> str | None:
    """Explain which members of a set are too close, or which vertex could join; else return None.

    Parameters and errors are those of `is_maximal_independent_set`.
    """
    k, graph = integer(distance, "distance", minimum=1), undirected(graph, partitions=True)
    if isinstance(graph, PartitionedGraph):
        _SUPPORTED.check(distance=k)
        masks = members_of(graph, mask, "mask"), members_of(graph, exclude, "exclude")
        return in_partitions(explain_maximal_independent_set, graph, *masks, k)
    members = vertex_mask(mask, graph, "mask")
    excluded = vertex_mask([] if exclude is None else exclude, graph, "exclude")
    forbidden = members & excluded
    if forbidden.any():
        return f"{vertex(graph, int(forbidden.argmax()))} is excluded but in the set"
    if graph.device != "cpu":
        if k <= 2 and _is_right(graph, members, excluded, k):
            return None
        graph, members, excluded = graph.to("cpu"), host_array(members, "mask"), host_array(excluded, "exclude")
    too_near = two_members_too_near(graph, members, k)
    return too_near or vertex_that_could_join(graph, within(graph, members, k), excluded, k)


def _is_right(graph: Graph, members: Any, excluded: Any | None, k: int) -> bool:
    """Return whether no two members are within distance k (1 or 2) and, if `excluded` is given, no vertex can join."""
    if isinstance(graph, SpreadGraph):
        if k > 1:
            return False  # the caller examines it in host memory
        graph = graph.simple() if graph.has_loops else graph
        return cast(SpreadGraph, graph)._all_cards(_is_right_in_rows, members, excluded)
    if graph.has_loops or (k == 2 and graph.has_duplicates):
        graph = graph.simple()
    around = _marked_around(graph, members)
    wrong = members & (around > 0) if k == 1 else members + around > 1
    if excluded is not None:
        reached = members | (around > 0)
        if k == 2:
            reached |= _marked_around(graph, reached) > 0
        wrong |= ~(reached | excluded)
    return not wrong.any()


def _is_right_in_rows(part: Graph, own: slice, members: Any, excluded: Any | None) -> Any:
    """Compute `_is_right` for distance 1 by some rows."""
    near = _marked_around(part, members)[own] > 0
    wrong = members[own] & near
    if excluded is not None:
        wrong |= ~(members[own] | near | excluded[own])
    return ~wrong.any()


def _marked_around(graph: Graph, marked: Any) -> Any:
    """Return the number of entries of each row that are marked vertices, on the graph's device."""
    xp, n, indptr, entries = graph.xp, graph.num_vertices, graph.indptr, graph.num_entries
    result = xp.empty(n, indptr.dtype)
    cuts = [0, *xp.searchsorted(indptr, xp.arange(_PIECE, entries, _PIECE, dtype=indptr.dtype)).clip(0, n).tolist(), n]
    for (first, end), (start, stop) in zip(pairwise(cuts), pairwise(indptr[cuts].tolist()), strict=True):
        sums = xp.zeros(stop - start + 1, indptr.dtype)
        if stop > start:
            xp.cumsum(marked[graph.indices[start:stop]], out=sums[1:])
        ends = sums[indptr[first : end + 1] - start]
        result[first:end] = ends[1:] - ends[:-1]
    return result


# Balls


def two_members_too_near(graph: Graph, members: np.ndarray, k: int) -> str | None:
    """Name two members within distance k of each other; else return None."""
    # The owner -1 ("none") is the smallest signed number, and the largest unsigned number of the same bits. Therefore
    # the signed maximum and the unsigned minimum both ignore vertices without an owner.
    n = graph.num_vertices
    signed, unsigned = (np.int32, np.uint32) if n < 2**31 else (np.int64, np.uint64)
    owner = np.where(members, np.arange(n, dtype=signed), signed(-1))
    for step in range((k + 1) // 2):
        around = _Around(graph, owner)
        largest = around.reduce(np.maximum)
        smallest = around.reduce(np.minimum, unsigned)
        meeting = largest != smallest
        if 2 * (step + 1) > k:  # the last step of an odd k checks only edges between balls
            meeting &= owner >= 0
        culprits = np.flatnonzero(meeting)
        if culprits.size:
            v = culprits[0]
            return f"{vertices(graph, smallest[v], largest[v])} are {nearness(k)} and both in the set"
        if np.array_equal(largest, owner):
            break
        owner = largest
    return None


def within(graph: Graph, members: np.ndarray, k: int) -> np.ndarray:
    """Return a mask of the vertices within distance k of members."""
    reached = members.view(np.uint8)
    for _ in range(k):
        farther = _Around(graph, reached).reduce(np.maximum)
        if np.array_equal(farther, reached):
            break
        reached = farther
    near: np.ndarray = reached != 0
    return near


def vertex_that_could_join(graph: Graph, reached: np.ndarray, excluded: np.ndarray, k: int) -> str | None:
    """Name a vertex that is neither excluded nor reached within distance k; else return None."""
    free = np.flatnonzero(~(reached | excluded))
    if not free.size:
        return None
    nearby = "neighbor" if k == 1 else f"vertex within distance {k}"
    return f"{vertex(graph, free[0])} could join: it is not in the set and has no {nearby} in it"


class _Around:
    """The values of every vertex and its neighbors, for reductions at every vertex."""

    def __init__(self, graph: Graph, values: np.ndarray) -> None:
        indptr = graph.indptr
        self.values = values
        self.rows = np.flatnonzero(indptr[1:] > indptr[:-1])  # reduceat misreads empty rows
        self.starts = indptr[self.rows]
        self.gathered = values[graph.indices]

    def reduce(self, operation: np.ufunc, dtype: Any = None) -> np.ndarray:
        """Apply `operation` to the values of each vertex and its neighbors, with their bits read as `dtype`."""
        dtype = self.values.dtype if dtype is None else dtype
        result = self.values.view(dtype).copy()
        result[self.rows] = operation(result[self.rows], operation.reduceat(self.gathered.view(dtype), self.starts))
        reduced: np.ndarray = result.view(self.values.dtype)
        return reduced
