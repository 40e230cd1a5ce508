"""Maximal independent sets at distance 1, in partitions.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the order, as on one machine.

Rule: v is in the set  <=>  no neighbor before it in the order is in it. In the code: `_fate`.

Idea: a partition goes on until only those of its vertices are undecided that wait for a ghost, or for one that does;
then it tells what has been decided of its boundary. Sweeps over the undecided vertices go up and down in turn, as
orders often follow the ids; if a sweep decides few, the rest is sorted, and one visit in order decides all that can be.
When little is left, one task finishes.

State: 1 for undecided, then 0 out or 255 in (those of independent_set/greedy/order.py), for ghosts, too.

Cost: as many rounds as the longest chain of vertices that wait changes partitions, until little is left: some 4 to 8
where hashes settle ties; with P partitions at most P in the order of ids. A round tells 2 bits for each boundary vertex
that it decides (and at least 1 for all of them, or 33 for each, whichever is less). Work memory: 14 bytes a vertex.
"""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

import numpy as np

from .._arguments import boolean, choice, hashed_seed, integer, ranking
from ..csr.build import build_rows
from ..graph import Graph
from ..independent_set import maximal_independent_set as at_home
from ..independent_set.greedy.order import IN, OUT
from ..names import DistancePriority, Priority
from ..parallel import kernel, rule
from ..parallel.groups import Rows
from . import at_two
from .conditions import checked_conditions
from .exchange import given_values, heard
from .graph import DistributedGraph
from .order import BY_HASH, BY_LARGER_ID, BY_SMALLER_ID, Order, how_to_settle, in_order, is_before, order_of
from .partition import Partition
from .residual import Residual, entries_of, renumbered, residual_of
from .supersteps import Supersteps, hear, little, run_alone, tell

_UNDECIDED = 1
_STALLED = 16  # a sweep that decides less than this part of what is left is the last one before the visit in order

_ORDERS = {
    "degree": ("few_neighbors", BY_HASH),
    "ecl": ("ecl", BY_LARGER_ID),
    "random": ("ties", BY_HASH),
    "natural": ("ties", BY_SMALLER_ID),
    "high_degree": ("many_neighbors", BY_LARGER_ID),
}


class _State(NamedTuple):
    status: Any  # uint8 (k,)
    left: Any  # the undecided of its own vertices, ascending
    order: Order


@rule
def _fate(v, rows, order, status):
    """What v's neighbors make of it: in, out, or still undecided."""
    fate = IN
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if u != v and status[u] != OUT:
            if status[u] == IN:
                fate = OUT
                break
            if fate == IN and is_before(u, v, order):
                fate = _UNDECIDED
    return fate


@kernel
def _sweep(i, left, rows: Rows, order: Order, status):
    """Decide the i-th vertex that is left, if that can be done."""
    v = left[i]
    fate = _fate(v, rows, order, status)
    if fate != _UNDECIDED:
        status[v] = fate


@kernel(by="single")
def _visit(vertices, rows: Rows, order: Order, status):
    """Decide vertices that come in order, as far as that can be done."""
    for i in range(vertices.size):
        v = vertices[i]
        status[v] = _fate(v, rows, order, status)


def maximal_independent_set(
    graph: DistributedGraph,
    distance: int = 1,
    *,
    algorithm: str = "priority",
    priority: Any = None,
    seed: int | None = None,
    include: Any = None,
    exclude: Any = None,
    return_info: bool = False,
    **others: Any,
) -> Any:
    """`stablegraph.maximal_independent_set` for a graph in partitions: the mask, a Dask array.

    At distance 1 and 2, by "priority" or "lexicographic". A numeric priority may be a Dask array, and so may masks of
    vertices to include and to exclude.
    """
    distance = integer(distance, "distance", least=1)
    if distance > 2:
        raise ValueError(f"distance must be 1 or 2 for a graph in partitions, got {distance}")
    where = " for a graph in partitions"
    names = ["priority", "lexicographic"] if distance == 1 else ["priority"]
    choice(algorithm, "algorithm", names, where=where)
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"algorithm {algorithm!r} has no option {name}{where}; it has priority, seed, include, exclude"
            )
    if algorithm == "lexicographic":
        if priority is not None or seed is not None:
            raise ValueError(f"algorithm 'lexicographic' has no option priority or seed{where}")
        priority = "natural"
    hashed = hashed_seed(0 if seed is None else seed)
    boolean(return_info, "return_info")
    if distance == 2:
        priority = (
            "random" if priority is None else choice(priority, "priority", get_args(DistancePriority), where=where)
        )
    elif priority is None:
        priority = "degree"
    conditions = checked_conditions(graph, include, exclude, distance)
    allowed = None if conditions is None else conditions.allowed
    pieces, info = (at_two.independent_set if distance == 2 else _in_order)(graph, priority, hashed, allowed)
    if conditions is not None:
        pairs = zip(pieces, conditions.included, strict=True)
        pieces = [graph.client.submit(run_alone, np.logical_or, *pair, pure=False) for pair in pairs]
        info |= {name: info[name] + conditions.info[name] for name in ("rounds", "bytes")}
    mask = graph._array(pieces, bool)
    return (mask, {"algorithm": algorithm, **info}) if return_info else mask


def _in_order(
    graph: DistributedGraph, priority: Any, seed: int, allowed: list[Any] | None
) -> tuple[list[Any], dict[str, Any]]:
    """The masks of partitions, among the vertices that are allowed, and what was done."""
    run = Supersteps(graph, "mis")
    if isinstance(priority, str) or not hasattr(priority, "chunks"):
        priority = ranking(
            priority, "priority", get_args(Priority), graph.num_vertices, otherwise=", or an array of numbers"
        )
    if isinstance(priority, str):
        by, ties = _ORDERS[priority]
        ties = how_to_settle(ties, by, graph.max_degree)
    else:
        by, ties = "values", BY_HASH
        given_values(run, priority, "priority")
    average = float(np.float32(2 * graph.num_edges) / np.float32(max(graph.num_vertices, 1)))
    among = [None] * graph.num_partitions if allowed is None else allowed
    counts = run.step(_begin, by, ties, seed, average, each=among, left=_undecided)
    while _undecided(counts) and sum(entries for _, entries in counts) > little(graph):
        counts = run.step(_advance, left=_undecided)
    if _undecided(counts):
        run.step(_give)
        members = run.at_one(_finish, ties, seed)
        run.step(_settle, members)
    return run.answers(_mask), run.info


def _undecided(counts: list[Any]) -> int:
    return sum(vertices for vertices, _ in counts)


def _begin(part: Partition, state: Any, inbox: Any, by: str, ties: int, seed: int, average: float, allowed: Any) -> Any:
    values = None
    if by == "values":
        values = heard(part, state, inbox)
    nothing = np.full(part.size, _UNDECIDED, np.uint8)
    status = nothing.copy()
    if allowed is not None:
        status[part.owned] = np.where(allowed, _UNDECIDED, OUT)
    left = np.arange(part.owned.start, part.owned.stop, dtype=part.graph.indices.dtype)
    left = left[status[part.owned] == _UNDECIDED]
    return _go_on(part, _State(status, left, order_of(part, by, ties, seed, average, values)), nothing)


def _advance(part: Partition, state: _State, inbox: Any) -> Any:
    before = _heard(part, state, inbox)
    return _go_on(part, state._replace(status=before.copy()), before)


def _heard(part: Partition, state: _State, inbox: Any) -> Any:
    """The states with what neighbors have told."""
    status, told = state.status.copy(), np.zeros(part.size, bool)
    ghosts = hear(part, inbox, told)
    status[ghosts] = np.where(told[ghosts], IN, OUT)
    return status


def _go_on(part: Partition, state: _State, before: Any) -> Any:
    """Decide all that can be, and tell what has changed since `before`."""
    status, left, order = state
    rows, upwards = part.rows, True
    while left.size:
        _sweep(left.size, left if upwards else left[::-1].copy(), rows, order, status)
        kept = left[status[left] == _UNDECIDED]
        decided, left, upwards = left.size - kept.size, kept, not upwards
        if decided * _STALLED < left.size:
            if decided:
                _visit(in_order(order, left), rows, order, status)
                left = left[status[left] == _UNDECIDED]
            break
    lengths = part.graph.indptr[left + 1] - part.graph.indptr[left]
    box = tell(part, status != before, status == IN)
    return _State(status, left, order), box, (int(left.size), int(lengths.sum()))


def _give(part: Partition, state: _State, inbox: Any) -> Any:
    """What is left, for one task to finish; vertices that a neighbor has put out are not told to others any more."""
    status = _heard(part, state, inbox)
    tails, heads = entries_of(part, state.left)
    status[tails[status[heads] == IN]] = OUT
    left = state.left[status[state.left] == _UNDECIDED]
    waiting = (status[tails] == _UNDECIDED) & (status[heads] == _UNDECIDED)
    box = residual_of(part, left, state.order.keys[left], tails[waiting], heads[waiting])
    return state._replace(status=status, left=left), box, None


def _finish(boxes: list[Residual], ties: int, seed: int) -> Any:
    """The ids of those that join, of the vertices that all partitions have left."""
    ids, keys, tails, heads = renumbered(boxes)
    ranks = np.empty(ids.size, np.int64)
    ranks[in_order(Order(keys, ids, ties, seed), np.arange(ids.size))] = np.arange(ids.size, 0, -1)
    rows = build_rows(tails, heads, ids.size)
    return ids[at_home(Graph._trusted(rows.indptr, rows.indices), priority=ranks)]


def _settle(part: Partition, state: _State, inbox: Any, members: Any) -> Any:
    status = state.status.copy()
    ids = part.ids[state.left]
    status[state.left] = np.where(np.isin(ids, members), IN, OUT)
    return state._replace(status=status), None, None


def _mask(part: Partition, state: _State) -> Any:
    return state.status[part.owned] == IN
