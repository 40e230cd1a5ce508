"""Bounds of the chromatic number: the size of a clique as lower bound, the degeneracy + 1 as upper bound.

Result: lower <= chromatic number <= upper. Both can be verified: `large_clique` returns the vertices of a clique, and
`removal_order` returns an order in which first fit needs at most `upper` colors.

Rule: upper = degeneracy + 1. For the lower bound, each vertex is used as a start, from the last removed one (in the
innermost core) to the first. Its neighbors that were removed later are the candidates. The candidate with the most
neighbors among the candidates joins the clique (in a tie, the one removed last), and the candidates that are not
adjacent to it are dropped. This ends when no candidate remains, or too few to beat the largest clique so far. In the
code: `_grow`.

Idea: in the order of removal, every clique consists of its first vertex and some neighbors that were removed later.
The number of such neighbors is at most the degeneracy.

State: ``marks[v]`` is the current stamp if v is a candidate for the current start, and a smaller number otherwise.
Stamps increase with each member, so marks are never cleared. ``common[v]`` is the number of candidates that candidate v
is adjacent to.

Cost: for each start with enough candidates the rows of all candidates are read twice, by one thread. The total is
limited to `_ENOUGH` entries plus the entries of the graph. Work memory: 16 bytes per vertex (24 with 64-bit ids).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._core.runtime import Int64s, Rows, Vertices, kernel, prefetch, rule
from .._core.runtime.partitioning import ENTRIES_PER_CALL, PREFETCH_DISTANCE
from .._core.typing import GraphLike
from .._core.unknown_options import suggests_options
from ..conversion import undirected
from ..graph import Graph
from .degeneracy import removal_order, with_simple_rows

_ENOUGH = 1 << 23  # entries to read, in addition to the number of entries of the graph

THOROUGH = ("reduce", "thorough", "takes longer, and may find fewer colors")  # an option, its value and the effect

_NEXT, _LARGEST, _READ = range(3)  # the fields of `progress`: a start, the size of the clique, entries read


class CliqueCandidates(NamedTuple):
    """The vertices that are adjacent to all members of the growing clique."""

    marks: Int64s  # (n,): the current stamp for candidates
    common: Vertices  # (n,): the number of candidates adjacent to each candidate
    vertices: Int64s  # (degeneracy + 1,): a list of the candidates


@rule
def _add_to_common(u, amount, stamp, rows, candidates):
    """Add `amount` to the candidate count of each candidate that is a neighbor of u."""
    for e in range(rows.indptr[u], rows.indptr[u + 1]):
        w = rows.indices[e]
        if candidates.marks[w] == stamp and w != u:
            candidates.common[w] += amount


@rule
def _grow(v, stamp, rank, rows, candidates, members, progress):
    """Grow a clique from v among its later neighbors; return its number of members."""
    indptr, indices = rows
    marks, common, vertices = candidates
    # The later neighbors of v are the candidates. Stop if there are too few to beat the largest clique.
    members[0] = v
    size, count = 1, 0
    for e in range(indptr[v], indptr[v + 1]):
        u = indices[e]
        if rank[u] > rank[v] and marks[u] != stamp:
            marks[u] = stamp
            common[u] = 0
            vertices[count] = u
            count += 1
    if count < progress[_LARGEST]:
        return size
    for i in range(count):
        u = vertices[i]
        _add_to_common(u, 1, stamp, rows, candidates)
        progress[_READ] += 2 * (indptr[u + 1] - indptr[u])
    while count > 0 and size + count > progress[_LARGEST]:
        # The candidate with the most neighbors among the candidates becomes a member.
        best = vertices[0]
        for i in range(1, count):
            u = vertices[i]
            ahead = common[u] - common[best]
            if ahead > 0 or (ahead == 0 and rank[u] > rank[best]):
                best = u
        members[size] = best
        size += 1
        # Its neighbors remain candidates, and all other candidates are dropped.
        stamp += 1
        for e in range(indptr[best], indptr[best + 1]):
            u = indices[e]
            if marks[u] == stamp - 1 and u != best:
                marks[u] = stamp
        end = 0
        for i in range(count):
            u = vertices[i]
            if marks[u] == stamp:
                vertices[end] = u
                end += 1
            else:
                _add_to_common(u, -1, stamp, rows, candidates)
        count = end
    return size


@kernel(by="single", types="int V[] V[] int64[] int64[] int64[]")
def _try_starts(pause, order, rank, rows: Rows, candidates: CliqueCandidates, members, largest, progress):
    """Try starts, from the end of the order, until `pause` entries have been read in total."""
    indptr, indices = rows
    n = order.size
    while progress[_NEXT] < n and progress[_READ] < pause:
        turn = progress[_NEXT]
        progress[_NEXT] = turn + 1
        prefetch(indptr, order[max(n - 1 - turn - 2 * PREFETCH_DISTANCE, 0)])
        prefetch(indices, indptr[order[max(n - 1 - turn - PREFETCH_DISTANCE, 0)]])
        v = order[n - 1 - turn]
        progress[_READ] += 1 + indptr[v + 1] - indptr[v]
        stamp = 1 + turn * members.size
        size = _grow(v, stamp, rank, rows, candidates, members, progress)
        if size > progress[_LARGEST]:
            progress[_LARGEST] = size
            for i in range(size):
                largest[i] = members[i]


def large_clique(graph: Graph, order: np.ndarray, degeneracy: int) -> np.ndarray:
    """Return the vertices of a clique, ascending; `order` and `degeneracy` are the results of `removal_order`.

    The graph is on the CPU and has simple rows.
    """
    n = graph.num_vertices
    rank, common = np.empty((2, n), graph.indices.dtype)
    rank[order] = np.arange(n)
    vertices, members, largest = np.zeros((3, degeneracy + 1), np.int64)
    candidates, rows = CliqueCandidates(np.zeros(n, np.int64), common, vertices), Rows(graph.indptr, graph.indices)
    progress = np.zeros(3, np.int64)
    limit = _ENOUGH + graph.num_entries
    while progress[_NEXT] < n and progress[_READ] < limit and progress[_LARGEST] <= degeneracy:
        pause = min(int(progress[_READ]) + ENTRIES_PER_CALL, limit)
        _try_starts(pause, order, rank, rows, candidates, members, largest, progress)
    return np.sort(largest[: progress[_LARGEST]])


@suggests_options
def color_bounds(graph: GraphLike) -> tuple[int, int]:
    """Find a lower and an upper bound of the number of colors that a graph needs.

    >>> import stablegraph as sg
    >>> sg.color_bounds(sg.gallery.grid((3, 3)))
    (2, 3)

    Parameters
    ----------
    graph : Graph, or anything that `as_graph` takes
        Undirected. Loops and repeated entries are ignored.

    Returns
    -------
    lower : int
        The size of a clique, found greedily. A larger clique may exist, and more colors may be needed.
    upper : int
        The degeneracy + 1: first fit in the order "smallest_last" needs at most this number of colors. 0 for a graph
        without vertices.

    Raises
    ------
    ValueError
        If the graph is directed, or its pattern is not symmetric.

    Notes
    -----
    A coloring with `lower` colors is optimal. O(n + m), on one thread: the search for the clique ends when it has read
    about 8 million entries plus the number of entries of the graph.

    Examples
    --------
    >>> import stablegraph as sg
    >>> triangle_with_tail = sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetrize=True)
    >>> sg.color_bounds(triangle_with_tail)
    (3, 3)
    """
    graph = undirected(graph)
    if graph.num_vertices == 0:
        return 0, 0
    graph = with_simple_rows(graph.to("cpu"))
    order, degeneracy = removal_order(graph)
    return int(large_clique(graph, order, degeneracy).size), degeneracy + 1


def option_for_fewer(colors: int, lower: int, upper: int, reduce: str = "quick") -> tuple[str, str, str] | None:
    """Suggest an option of `vertex_coloring` that may need fewer colors: its name, its value and the effect.

    Return None if there is none. `lower` and `upper` are the results of `color_bounds`, and `reduce` is the option that
    was used. If "quick" finds three colors, the graph has an odd cycle, which needs three.
    """
    if colors > upper:
        return "order", "smallest_last", f"at most {upper:,} colors"
    if colors > max(lower, 3) and reduce != "thorough":
        return THOROUGH
    return None
