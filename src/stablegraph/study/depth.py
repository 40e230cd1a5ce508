"""Dependence depth: the longest chain of dependences in an order, which bounds the number of rounds of a greedy set.

Result: the depth of each vertex. The largest depth bounds the number of rounds with unlimited processors; the average
depth is a measure of how long a vertex waits.

Rule: depth(v) = 1 + max { depth(u) : u a neighbor ahead of v }, or 1 if no neighbor is ahead. The oracle is
`dependence_depths` in tests/support/naive.py.

Idea: visit the vertices in their order. The neighbors ahead of a vertex are exactly those that already have a depth.

State: depth[v] is 0 until v is visited.

Cost: a sort of the vertices and one pass over the entries, on one thread.

Source: Burtscher, Devale, Azimi, Jaiganesh, Powers, ACM TOPC 5(2), 2018, table 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.engines.order import in_turn
from .._core.option_names import Priority
from .._core.runtime import Rows, Vertices
from .._core.typing import GraphLike, Numbers
from .._core.unknown_options import suggests_options
from .._core.validation import seed_hash
from ..conversion import undirected
from ..graph import Graph
from ..independent_set.conditions import checked_priority
from ..independent_set.greedy.order import make_order, sort_by_order, write_bytes
from ..independent_set.rules import Order


@in_turn()
def _number_depths(worker, v, rows: Rows, depth: Vertices):
    """Compute the depth of a vertex."""
    deepest = 0
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        deepest = max(deepest, depth[rows.indices[e]])
    depth[v] = deepest + 1


def depths(graph: Graph, order: Order) -> Any:
    """Return the depth of every vertex, int32 or int64 like the graph's indices."""
    xp = graph.xp
    n, id_type = graph.num_vertices, graph.indices.dtype
    state = xp.empty(n, np.uint8)
    write_bytes(order, xp.asarray([0, n]), state)
    depth = xp.zeros(n, id_type)
    _number_depths(Rows(graph.indptr, graph.indices), sort_by_order(order, xp.arange(n, dtype=id_type), state), depth)
    return depth


@suggests_options
def dependence_depth(
    graph: GraphLike, *, priority: Priority | Numbers | None = None, seed: int = 0
) -> tuple[int, float]:
    """Measure the longest chain of dependences in an order of the vertices.

    >>> import stablegraph as sg
    >>> sg.dependence_depth(sg.gallery.grid((4,)), priority="natural")
    (4, 2.5)

    The later end of each edge in the order depends on the earlier end. The depth of a vertex is 1 if it depends on no
    neighbor; otherwise it is 1 more than the largest depth among the neighbors that it depends on.

    Parameters
    ----------
    graph : Graph or anything `as_graph` takes
        An undirected graph, or a matrix with a symmetric pattern. Loops and repeated entries do not matter.
    priority, seed
        The order, as for `maximal_independent_set`.

    Returns
    -------
    maximum : int
        The largest depth: an upper bound on the rounds with unlimited processors. 0 for a graph without vertices.
    average : float
        The mean of all depths.

    Raises
    ------
    ValueError, TypeError
        As for `maximal_independent_set`.

    Notes
    -----
    Deterministic. A sort of the vertices and one pass over the entries, on one thread. Work memory: about 60 bytes per
    vertex.

    References
    ----------
    M. Burtscher, S. Devale, S. Azimi, J. Jaiganesh, E. Powers, "A High-Quality and Fast Maximal Independent Set
    Implementation for GPUs", ACM Transactions on Parallel Computing 5(2), 2018, table 5.

    Examples
    --------
    >>> import stablegraph as sg
    >>> path = sg.from_edges([0, 1, 2], [1, 2, 3], symmetrize=True)
    >>> sg.dependence_depth(path, priority="natural")
    (4, 2.5)
    """
    hashed = seed_hash(seed)
    graph = undirected(graph)
    order = checked_priority(priority, graph)
    depth = depths(graph, make_order(graph, order, hashed))
    if depth.size == 0:
        return 0, 0.0
    return int(depth.max()), int(depth.sum(dtype=np.int64)) / graph.num_vertices
