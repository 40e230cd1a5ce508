"""Bridges: the edges whose removal divides a component, by depth-first search without recursion.

Result: the bridges, each once, with its smaller end first, in ascending order; it depends only on the graph.

Rule: the search numbers vertices when it enters them, and

    low(v) = the minimum of number(v), number(u) for edges {v, u} except that to v's parent, and low(w) for children w

Edge {parent(v), v} of the search tree is a bridge  <=>  low(v) = number(v). The oracle is `bridges` in
tests/support/naive.py. In the code: `low == number` in `bridges`.

Idea: no edge leads from one branch of a depth-first search to another one. If an edge other than {parent(v), v} leaves
the subtree of v, it leads to an ancestor of v, which has a smaller number.

State, per vertex: `parent` (itself for a root, and until it is entered), `number` (0 until it is entered), `low`, and
the next entry of its row. The path of the search consists of the parents, so it may have any length. Loops and repeated
entries do not matter: edges to the parent are recognized by their end.

Cost: each entry is read once, with random memory accesses, on one thread. Work memory: 16 bytes per vertex, 20 to 32
with 64-bit indices.

Source: R. Tarjan, "A Note on Finding the Bridges of a Graph", Information Processing Letters 2(6), 1974.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from .._core.dispatch import dispatches_on_graph
from .._core.runtime import Int64s, Offsets, Rows, Vertices, kernel, prefetch
from .._core.typing import GraphLike
from ..conversion import undirected

_OPERATIONS_PER_CALL = 1 << 22  # entries read and vertices left per kernel call: bounds the latency of Ctrl-C
_PREFETCHED = 8  # neighbors whose numbers and rows are prefetched when a vertex is entered
_ROOT, _VERTEX, _COUNT = range(3)  # the fields of `progress`


class Search(NamedTuple):
    """The state of the search, (n,) each."""

    parent: Vertices
    number: Vertices
    low: Vertices
    entry: Offsets  # the next entry of the row


@kernel(by="single")
def _search_depth_first(budget: int, rows: Rows, search: Search, progress: Int64s):
    """Continue the search for about `budget` operations; `progress` keeps its state between calls."""
    indptr, indices = rows.indptr, rows.indices
    parent, number, low, entry = search.parent, search.number, search.low, search.entry
    root, v, count, n = progress[_ROOT], progress[_VERTEX], progress[_COUNT], search.parent.size
    while budget > 0:
        budget -= 1
        if v < 0:  # enter the next root
            while root < n and number[root] != 0:
                root += 1
            if root == n:
                break
            v = root
            count += 1
            number[v] = count
            low[v] = count
        e, end, p, lowest = entry[v], indptr[v + 1], parent[v], low[v]
        child = v
        while e < end and child == v:
            u = indices[e]
            e += 1
            budget -= 1
            if number[u] == 0:
                child = u
            elif u != p:
                lowest = min(lowest, number[u])
        entry[v] = e
        low[v] = lowest
        if child != v:
            parent[child] = v
            count += 1
            number[child] = count
            low[child] = count
            first = indptr[child]
            for ahead in range(first, min(first + _PREFETCHED, indptr[child + 1])):
                prefetch(number, indices[ahead])
                prefetch(indptr, indices[ahead])
            v = child
        elif p == v:
            v = -1
        else:
            low[p] = min(low[p], lowest)
            v = p
    progress[_ROOT], progress[_VERTEX], progress[_COUNT] = root, v, count


@dispatches_on_graph
def bridges(graph: GraphLike) -> Any:
    """Find the bridges: the edges whose removal divides a component.

    >>> import stablegraph as sg
    >>> sg.bridges(sg.from_edges([0, 1, 2, 2], [1, 2, 0, 3], symmetrize=True))  # a triangle with a tail
    array([[2, 3]], dtype=int32)

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Weights, loops and repeated entries are ignored.

    Returns
    -------
    int32 (k, 2)
        The vertex numbers of both ends of each bridge, the smaller one first, in ascending order. A CuPy array for a
        graph on a GPU, and int64 from 2**31 vertices on.

    Raises
    ------
    ValueError
        If the graph is directed or its pattern is not symmetric.
    NotImplementedError
        If the graph is in partitions.

    See Also
    --------
    is_bridge_list : Check the bridges with an independent method.
    cluster_table : Count the bridges of clusters with ``facts=True``.

    Notes
    -----
    Deterministic: a function of the graph. One thread, on the host also for a graph on a GPU; O(n + m). Nothing is
    recursive, so paths may have any length. Work memory: 16 bytes per vertex (up to 32 with 64-bit indices).

    References
    ----------
    R. Tarjan, "A Note on Finding the Bridges of a Graph", Information Processing Letters 2(6), 1974.

    Examples
    --------
    Names of the ends:

    >>> graph = sg.from_edges(["Ann", "Bob"], ["Bob", "Cy"], symmetrize=True)
    >>> [(graph.nodes[u], graph.nodes[v]) for u, v in sg.bridges(graph)]
    [('Ann', 'Bob'), ('Bob', 'Cy')]
    """
    given = undirected(graph)
    host = given.to("cpu")
    n, kind = host.num_vertices, host.indices.dtype
    number, low = np.zeros(n, kind), np.zeros(n, kind)
    search = Search(np.arange(n, dtype=kind), number, low, host.indptr[:-1].copy())
    progress = np.array([0, -1, 0])
    rows = Rows(host.indptr, host.indices)
    while progress[_ROOT] < n or progress[_VERTEX] >= 0:
        _search_depth_first(_OPERATIONS_PER_CALL, rows, search, progress)
    child = np.flatnonzero((low == number) & (search.parent != np.arange(n)))
    ends = np.sort(np.stack([search.parent[child], child.astype(kind)], axis=1), axis=1)
    return cast("Any", given.xp.asarray(ends[np.lexsort(ends.T[::-1])]))
