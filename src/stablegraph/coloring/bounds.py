"""How few colors there can be: a clique from below, the degeneracy from above.

Result: lower <= chromatic number <= upper. Both can be checked: `large_clique` names the vertices, and `removal_order`
gives an order in which first fit needs no more than `upper` colors.

Idea: seen in the order of removal, a clique is its first vertex and some of those neighbours that were removed later,
at most degeneracy many. So each vertex is a start in turn, from the last one removed (the innermost core) to the first,
and its later neighbours are the candidates. The clique grows by the candidate with most neighbours among the candidates
(of equals the one removed last), and the candidates that are not adjacent to it are dropped, until there are none, or
too few to beat the largest clique so far.

State: ``marks[v]`` is the current stamp for the candidates of the current start, and a smaller number for all others:
stamps rise with each member, so nothing is erased. ``common[v]`` is how many candidates a candidate is adjacent to.

Cost: two looks at the rows of all candidates for each start that has enough of them, by one thread, in all no more than
`_ENOUGH` looks and one for each entry. Work memory: 16 bytes a vertex (24 with 64-bit ids).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..graph import Graph, as_graph
from ..parallel import at, kernel, prefetch, rule
from .degeneracy import removal_order, with_simple_rows

_ENOUGH = 1 << 23  # looks at entries; as many more as the graph has entries are allowed
_STEP = 1 << 25  # entries that one thread looks at between two chances to be interrupted

_AHEAD_BY = 16  # starts: their rows are asked for so long before they are looked at

_NEXT, _LARGEST, _LOOKED = range(3)  # what `progress` says


@rule
def _add_to_common(u, amount, stamp, indptr, indices, marks, common):
    """Tell u's neighbours among the candidates that u has become one, or is one no longer."""
    for e in range(indptr[at(u)], indptr[at(u + 1)]):
        w = int(indices[at(e)])
        if marks[at(w)] == stamp and w != u:
            common[at(w)] += amount


@rule
def _grow(v, stamp, place, indptr, indices, marks, common, candidates, members, progress):
    """Grow a clique from v among its later neighbours; the number of its members."""
    members[0] = v
    size, count = 1, 0
    for e in range(indptr[at(v)], indptr[at(v + 1)]):
        u = int(indices[at(e)])
        if place[at(u)] > place[at(v)] and marks[at(u)] != stamp:
            marks[at(u)] = stamp
            common[at(u)] = 0
            candidates[at(count)] = u
            count += 1
    if count < progress[_LARGEST]:
        return size
    for i in range(count):
        u = int(candidates[at(i)])
        _add_to_common(u, 1, stamp, indptr, indices, marks, common)
        progress[_LOOKED] += 2 * (indptr[at(u + 1)] - indptr[at(u)])
    while count > 0 and size + count > progress[_LARGEST]:
        best = int(candidates[0])
        for i in range(1, count):
            u = int(candidates[at(i)])
            ahead = common[at(u)] - common[at(best)]
            if ahead > 0 or (ahead == 0 and place[at(u)] > place[at(best)]):
                best = u
        members[at(size)] = best
        size += 1
        stamp += 1
        for e in range(indptr[at(best)], indptr[at(best + 1)]):
            u = int(indices[at(e)])
            if marks[at(u)] == stamp - 1 and u != best:
                marks[at(u)] = stamp
        kept = 0
        for i in range(count):
            u = int(candidates[at(i)])
            if marks[at(u)] == stamp:
                candidates[at(kept)] = u
                kept += 1
            else:
                _add_to_common(u, -1, stamp, indptr, indices, marks, common)
        count = kept
    return size


@kernel(by="single")
def _try_starts(pause, order, place, indptr, indices, marks, common, candidates, members, largest, progress):
    """Try starts, from the last in the order on, until `pause` entries were looked at since the beginning."""
    n = order.size
    while progress[_NEXT] < n and progress[_LOOKED] < pause:
        turn = int(progress[_NEXT])
        progress[_NEXT] = turn + 1
        prefetch(indptr, int(order[at(max(n - 1 - turn - 2 * _AHEAD_BY, 0))]))
        prefetch(indices, int(indptr[at(order[at(max(n - 1 - turn - _AHEAD_BY, 0))])]))
        v = int(order[at(n - 1 - turn)])
        progress[_LOOKED] += 1 + indptr[at(v + 1)] - indptr[at(v)]
        stamp = 1 + turn * members.size
        size = _grow(v, stamp, place, indptr, indices, marks, common, candidates, members, progress)
        if size > progress[_LARGEST]:
            progress[_LARGEST] = size
            for i in range(size):
                largest[at(i)] = members[at(i)]


def large_clique(graph: Graph, order: np.ndarray, degeneracy: int) -> np.ndarray:
    """The vertices of a clique, ascending; `order` and `degeneracy` are those of `removal_order`.

    The graph is on the CPU and has simple rows.
    """
    n = graph.num_vertices
    place, common = np.empty((2, n), graph.indices.dtype)
    place[order] = np.arange(n)
    marks = np.zeros(n, np.int64)
    candidates, members, largest = np.zeros((3, degeneracy + 1), np.int64)
    progress = np.zeros(3, np.int64)
    limit = _ENOUGH + graph.num_entries
    while progress[_NEXT] < n and progress[_LOOKED] < limit and progress[_LARGEST] <= degeneracy:
        pause = min(int(progress[_LOOKED]) + _STEP, limit)
        rows = graph.indptr, graph.indices
        _try_starts(pause, order, place, *rows, marks, common, candidates, members, largest, progress)
    return np.sort(largest[: progress[_LARGEST]])


def color_bounds(graph: Any) -> tuple[int, int]:
    """Bounds of the number of colors that a graph needs.

    Parameters
    ----------
    graph : Graph, or anything that `as_graph` takes
        Undirected. Loops and repeated entries are ignored.

    Returns
    -------
    lower : int
        The size of a clique, found greedily: there may be a larger one, and more colors may be needed.
    upper : int
        The degeneracy + 1: first fit in the order "smallest_last" needs no more. 0 for a graph without vertices.

    Raises
    ------
    ValueError
        If the graph is directed, or its pattern is not symmetric.

    Notes
    -----
    When a coloring has `lower` colors, it is known to be optimal. O(n + m), by one thread:
    the search for the clique is given up after a few million looks and one more for each entry.

    Examples
    --------
    >>> import stablegraph as sg
    >>> from stablegraph.coloring.bounds import color_bounds
    >>> triangle_with_tail = sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetrize=True)
    >>> color_bounds(triangle_with_tail)
    (3, 3)
    """
    graph = as_graph(graph)
    if graph.directed:
        raise ValueError("color_bounds needs an undirected graph; make one with as_graph(..., symmetrize=True)")
    if graph.num_vertices == 0:
        return 0, 0
    graph = with_simple_rows(graph.to("cpu"))
    order, degeneracy = removal_order(graph)
    return int(large_clique(graph, order, degeneracy).size), degeneracy + 1
