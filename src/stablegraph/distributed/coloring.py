"""Colorings by first fit in an order, in partitions.

Result: the first-fit coloring in the order, as `vertex_coloring` with reduce="none" finds it on one machine.

Rule: color(v) = the lowest color that no neighbor of v before it has. In the code: `_wait` finds the vertices that can
be colored, `visit` of coloring/first_fit.py colors them.

Idea: a partition visits its vertices without a color in order; those that are behind a ghost without a color, or behind
a vertex that waits, wait. All others are colored in one go, and the boundary is told of new colors. When little is
left, one task finishes: the colors that its vertices must avoid come with them, as vertices that are colored already.

State: the color of each vertex here, `NO_COLOR` if there is none yet; own vertices without a color, in order.

Cost: as many rounds as the longest chain of vertices that wait changes partitions, until little is left. Orders by
degree with ties by hash have short chains; ties by id, long ones on regular graphs, but at most one change for each
partition where ids alone decide. A color that is told takes 4 bytes. Work memory: 20 bytes a vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._arguments import boolean, choice, hashed_seed, integer, ranking
from ..coloring.first_fit import NO_COLOR, visit
from ..csr.build import build_rows
from ..graph import Graph
from ..parallel import kernel
from ..parallel.groups import Rows
from .exchange import given_values, heard
from .graph import DistributedGraph
from .order import BY_HASH, BY_SMALLER_ID, Order, how_to_settle, in_order, is_before, order_of
from .partition import Partition
from .residual import distinct_pairs, entries_of, renumbered, residual_of
from .supersteps import Supersteps, hear, little, tell

_ORDERS = {
    "largest_first": "many_neighbors",
    "largest_log_first": "digits",
    "natural": "ties",
    "random": "ties",
}


class _State(NamedTuple):
    colors: Any  # int32 (k,)
    left: Any  # own vertices without a color, in order
    order: Order


@kernel(by="single")
def _wait(vertices, rows: Rows, order: Order, waits):
    """Which of some vertices, which come in order, are behind one that waits."""
    for i in range(vertices.size):
        v = vertices[i]
        behind = False
        for e in range(rows.indptr[v], rows.indptr[v + 1]):
            u = rows.indices[e]
            if waits[u] and u != v and is_before(u, v, order):
                behind = True
                break
        waits[v] = behind


def vertex_coloring(
    graph: DistributedGraph,
    *,
    distance: int = 1,
    algorithm: str = "priority",
    order: Any = None,
    ties: str | None = None,
    reduce: str | None = None,
    balance: bool = False,
    fixed: Any = None,
    seed: int = 0,
    return_info: bool = False,
) -> Any:
    """`stablegraph.vertex_coloring` for a graph in partitions: the colors, a Dask array.

    At distance 1, by "priority", with ``reduce="none"``, in the orders "largest_first", "largest_log_first", "natural",
    "random", or by numbers (which may be a Dask array).
    """
    where = " for a graph in partitions"
    if integer(distance, "distance") != 1:
        raise ValueError(f"distance must be 1{where}, got {distance}")
    choice(algorithm, "algorithm", ["priority"], where=where)
    if reduce != "none" or boolean(balance, "balance") or fixed is not None:
        raise ValueError(f"there is no reduce, balance and fixed{where}: pass reduce='none', and leave the others out")
    equals = "id" if ties is None else choice(ties, "ties", ["id", "hash"])
    hashed = hashed_seed(seed)
    order = "largest_first" if order is None else order
    if isinstance(order, str) or not hasattr(order, "chunks"):
        order = ranking(order, "order", _ORDERS, graph.num_vertices, otherwise=f", or an array of numbers{where}")
    run = Supersteps(graph, "coloring")
    settle = BY_HASH if equals == "hash" else BY_SMALLER_ID
    if isinstance(order, str):
        by = _ORDERS[order]
        settle = how_to_settle({"natural": BY_SMALLER_ID, "random": BY_HASH}.get(order, settle), by, graph.max_degree)
    else:
        by = "values"
        given_values(run, order, "order")
    counts = run.step(_begin, by, settle, hashed, left=_uncolored)
    while _uncolored(counts) and sum(entries for _, entries in counts) > little(graph):
        counts = run.step(_advance, left=_uncolored)
    if _uncolored(counts):
        run.step(_give)
        run.step(_take, run.at_one(_finish, settle, hashed))
    colors = graph._array(run.answers(_colors), np.int32)
    return (colors, run.info) if return_info else colors


def _uncolored(counts: list[Any]) -> int:
    return sum(vertices for vertices, _ in counts)


def _begin(part: Partition, state: Any, inbox: Any, by: str, ties: int, seed: int) -> Any:
    values = None
    if by == "values":
        values = heard(part, state, inbox)
    order = order_of(part, by, ties, seed, values=values)
    colors = np.full(part.size, NO_COLOR, np.int32)
    owned = np.arange(part.owned.start, part.owned.stop, dtype=part.graph.indices.dtype)
    return _go_on(part, _State(colors, in_order(order, owned), order), colors)


def _advance(part: Partition, state: _State, inbox: Any) -> Any:
    before = state.colors.copy()
    hear(part, inbox, before)
    return _go_on(part, state, before)


def _go_on(part: Partition, state: _State, before: Any) -> Any:
    """Color all vertices that need not wait, and tell what has changed since `before`."""
    colors, waits = before.copy(), part.ghosts()
    waits &= colors == NO_COLOR
    _wait(state.left, part.rows, state.order, waits)
    ready, left = state.left[~waits[state.left]], state.left[waits[state.left]]
    visit(part.graph, ready, colors)
    lengths = part.graph.indptr[left + 1] - part.graph.indptr[left]
    box = tell(part, colors != before, colors)
    return _State(colors, left, state.order), box, (int(left.size), int(lengths.sum()))


def _give(part: Partition, state: _State, inbox: Any) -> Any:
    """What is left, and the colors around it, for one task to finish."""
    colors = state.colors.copy()
    hear(part, inbox, colors)
    left = np.sort(state.left)
    tails, heads = entries_of(part, left)
    colored = colors[heads] != NO_COLOR
    vertices, taken = distinct_pairs(tails[colored], colors[heads[colored]])
    box = residual_of(part, left, state.order.keys[left], tails[~colored], heads[~colored])
    return state._replace(colors=colors, left=left), (box, part.ids[vertices], taken), None


def _finish(boxes: list[Any], ties: int, seed: int) -> tuple[Any, Any]:
    """The ids of the vertices that all partitions have left, and their colors."""
    ids, keys, tails, heads = renumbered([box for box, _, _ in boxes])
    vertices = np.searchsorted(ids, np.concatenate([vertices for _, vertices, _ in boxes]))
    taken = np.concatenate([taken for _, _, taken in boxes])
    shades = np.unique(taken)  # each stands for a vertex that has this color
    rows = np.concatenate([tails, vertices])
    columns = np.concatenate([heads, ids.size + np.searchsorted(shades, taken)])
    built = build_rows(rows, columns, ids.size + shades.size)
    graph = Graph._trusted(built.indptr, built.indices, directed=True)
    colors = np.full(ids.size + shades.size, NO_COLOR, np.int32)
    colors[ids.size :] = shades
    visit(graph, in_order(Order(keys, ids, ties, seed), np.arange(ids.size)), colors)
    return ids, colors[: ids.size]


def _take(part: Partition, state: _State, inbox: Any, finished: tuple[Any, Any]) -> Any:
    ids, found = finished
    colors = state.colors.copy()
    colors[state.left] = found[np.searchsorted(ids, part.ids[state.left])]
    return state._replace(colors=colors), None, None


def _colors(part: Partition, state: _State) -> Any:
    return state.colors[part.owned]
