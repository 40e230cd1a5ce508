"""Maximal independent sets at distance 1, in partitions.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the order, as on one machine.

Rule: v is in the set <=> no neighbor before it in the order is in it. In the code: `_decide`.

Idea: a partition decides its vertices until each undecided one waits for a ghost, or for a vertex that does
(sweep.py). Then it sends the new states of its boundary. A vertex that waits for a ghost scans the rest of
its row, too: if a member follows, the vertex is out. In the first step no ghost is a member. If ghosts outnumber the
own vertices, vertices therefore do not scan beyond ghosts in the first step. Own members later in a row then take
effect in the second step, and most entries need not be read. When few entries remain, one task finishes.

Vertices that must be in the set, and vertices that must not, become two masks for each partition: of the vertices that
must be in the set, and of the vertices that may join it: neither excluded nor within `distance` of an included one.
Constraints that no set can satisfy raise the same errors as on one machine.

State: one byte per vertex, including ghosts: 1 to 253 for undecided vertices, the larger, the earlier
(sweep.py); then 0 for out or 255 for in.

Cost: the number of rounds is the largest number of changes of partition along a chain of waiting vertices, until few
entries remain: about 4 to 8 if hashes order ties; with P partitions at most P in the order of ids. A message has one
bit for each boundary vertex that the round decides and, in addition, one bit for each boundary vertex or 32 for each
decided one, whichever is less. Work memory: 3 bytes per vertex, and 13 for each owned one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.csr.build import build_rows
from ..._core.engines.rounds import History, Worklists, listed
from ..._core.runtime import Array, Rows, kernel
from ...graph import Graph
from ...independent_set.greedy import priority as by_priority
from ...independent_set.greedy.order import IN, OUT
from ...independent_set.rules import (
    BY_HASH,
    BY_ID,
    BY_SMALLER_ID,
    ECL,
    FEW_NEIGHBORS,
    MANY_NEIGHBORS,
    NOTHING,
    VALUES,
    LocalOrder,
)
from ..graph import DistributedGraph
from ..messages import apply_ghost_updates, pack_boundary_updates, scatter_values
from ..partition import Partition, entries_of, owned_mask
from ..supersteps import Supersteps, merge_stats, renumber_residual
from ..tasks import first_of, submit_each
from . import distant_sets as distance2_set
from .sweep import TYPES, InPartitions, Ranking, Waits, all_in_order, first_ahead, is_far

# Constraints


class Conditions(NamedTuple):
    """Futures of boolean masks, one for each partition, and the statistics of the run."""

    included: list[Any]
    allowed: list[Any]
    info: dict[str, Any]


class _Given(NamedTuple):
    included: Array  # (k,)
    excluded: Array  # of the owned vertices
    smallest: Any  # (k,): the smallest included vertex around, or n


def checked_conditions(graph: DistributedGraph, include: Any, exclude: Any, distance: int) -> Conditions | None:
    """Check the constraints at distance 1 or 2, and return them; None if there are none."""
    if include is None and exclude is None:
        return None
    run = Supersteps(graph, "conditions")
    columns = zip(graph.split_vertices(include), graph.split_vertices(exclude), strict=True)
    both = first_of(run.step(_send_included, each=list(columns)))
    if both is not None:
        raise ValueError(f"vertex {both} is both in include and in exclude")
    pairs = run.step(_find_smallest_included, distance)
    if distance == 2:
        pairs = run.step(_find_smallest_within_two)
    pair = first_of(pairs)
    if pair is not None:
        where = "adjacent" if distance == 1 else f"within distance {distance} of each other"
        raise ValueError(f"vertices {pair[0]} and {pair[1]} are in include, but are {where}")
    return Conditions(run.answers(_included), run.answers(_allowed), run.info)


def _send_included(part: Partition, state: Any, inbox: Any, vertices: tuple[Any, Any]) -> Any:
    included, excluded = owned_mask(part, vertices[0]), owned_mask(part, vertices[1])
    both = np.flatnonzero(included & excluded)
    local_included = part.with_owned(included, False)
    state = _Given(local_included, excluded, None)
    return (
        state,
        pack_boundary_updates(part, local_included, local_included),
        int(both[0]) + part.start if both.size else None,
    )


def _find_smallest_included(part: Partition, state: _Given, inbox: Any, distance: int) -> Any:
    """Find the smallest included vertex among each vertex and its neighbors.

    At distance 1, report two included vertices that are adjacent.
    """
    included = state.included.copy()
    apply_ghost_updates(part, inbox, included)
    smallest = _smallest_around(part, np.where(included, part.ids, part.num_vertices))
    pair = None
    if distance == 1:
        tails, heads = entries_of(part, np.flatnonzero(state.included))
        hits = np.flatnonzero(included[heads])
        if hits.size:
            pair = int(part.ids[tails[hits[0]]]), int(part.ids[heads[hits[0]]])
    return state._replace(smallest=smallest), pack_boundary_updates(part, smallest < part.num_vertices, smallest), pair


def _find_smallest_within_two(part: Partition, state: _Given, inbox: Any) -> Any:
    """Find the smallest included vertex within two steps; report two included vertices at this distance."""
    received = part.with_owned(state.smallest[part.owned], part.num_vertices)
    apply_ghost_updates(part, inbox, received)
    smallest = _smallest_around(part, received)
    near = np.flatnonzero(state.included & (smallest < part.ids))
    pair = (int(smallest[near[0]]), int(part.ids[near[0]])) if near.size else None
    return state._replace(smallest=smallest), None, pair


def _smallest_around(part: Partition, values: Any) -> Any:
    """Return the minimum of the values of each vertex and its neighbors."""
    indptr, indices = part.rows
    smallest, filled = values.copy(), np.flatnonzero(np.diff(indptr))  # reduceat misreads empty rows
    if filled.size:
        around = np.minimum.reduceat(values[indices], indptr[:-1][filled])
        smallest[filled] = np.minimum(smallest[filled], around)
    return smallest


def _included(part: Partition, state: _Given) -> Any:
    return state.included[part.owned]


def _allowed(part: Partition, state: _Given) -> Any:
    return ~state.excluded & (state.smallest[part.owned] == part.num_vertices)


_ORDERS = {
    "degree": (FEW_NEIGHBORS, BY_HASH),
    "ecl": (ECL, BY_ID),
    "random": (NOTHING, BY_HASH),
    "natural": (NOTHING, BY_SMALLER_ID),
    "high_degree": (MANY_NEIGHBORS, BY_ID),
}


@kernel(by="workers", types=f"{TYPES} bool uint8[]")
def _decide(worker, workers, lists: Worklists, waits: Waits, rows: Rows, order: LocalOrder, past_ghosts, states):
    """Decide the vertices of a worker's list that wait for no vertex of their partition.

    If `past_ghosts`, scan the entries after ghosts for a member.
    """
    start, end = listed(worker, lists)
    for i in range(start, end):
        v = lists.undecided[i if waits.upwards else start + end - 1 - i]
        i_owned, row_end = v - waits.first, rows.indptr[v + 1]
        e = first_ahead(v, waits.places[i_owned], row_end, rows, order, states)
        while past_ghosts and e < row_end and states[rows.indices[e]] != IN and is_far(rows.indices[e], waits):
            waits.passed[i_owned] = True
            e = first_ahead(v, e + 1, row_end, rows, order, states)
        if e < row_end and states[rows.indices[e]] == IN:
            states[v] = OUT
            e = row_end
        elif e == row_end and waits.passed[i_owned]:
            e = ~rows.indptr[v]  # set aside; the next superstep scans the whole row again
        elif e == row_end:
            states[v] = IN
        elif not past_ghosts and is_far(rows.indices[e], waits):
            e = ~e
        waits.places[i_owned] = e


def maximal_independent_set(
    graph: DistributedGraph, distance: int, priority: Any, seed: int, include: Any, exclude: Any
) -> tuple[Any, dict[str, Any]]:
    """Compute `stablegraph.maximal_independent_set` for a graph in partitions: the mask as a Dask array, statistics."""
    conditions = checked_conditions(graph, include, exclude, distance)
    allowed = None if conditions is None else conditions.allowed
    find = distance2_set.independent_set if distance == 2 else _in_order
    pieces, info = find(graph, priority, seed, allowed)
    if conditions is not None:
        pieces = submit_each(graph.client, np.logical_or, [pieces, conditions.included])
        info |= merge_stats([info, conditions.info])
    return graph.dask_array(pieces, bool), info


def _in_order(
    graph: DistributedGraph, priority: Any, seed: int, allowed: list[Any] | None
) -> tuple[list[Any], dict[str, Any]]:
    """Return the masks of partitions, among the allowed vertices, and the statistics of the run."""
    run = Supersteps(graph, "mis")
    average = float(np.float32(2 * graph.num_edges) / np.float32(max(graph.num_vertices, 1)))
    if isinstance(priority, str):
        ranking = Ranking(*_ORDERS[priority], seed, average)
    else:
        ranking = Ranking(VALUES, BY_HASH, seed)
        scatter_values(run, priority, "priority")
    return _Sets().run(run, ranking, allowed), run.info


class _Sets(InPartitions):
    def first_states(self, part: Partition, bytes_: Any) -> Any:
        return bytes_

    def received(self, part: Partition, states: Any, inbox: Any) -> Any:
        states = states.copy()
        apply_ghost_updates(part, inbox, states, lambda joined: np.where(joined, np.uint8(IN), np.uint8(OUT)))
        return states

    def decide(
        self, is_first: bool, part: Partition, workers: int, lists: Any, waits: Any, order: Any, states: Any
    ) -> None:
        past_ghosts = not is_first or part.size <= 2 * (part.stop - part.start)  # unless ghosts outnumber them
        _decide(workers, lists, waits, part.rows, order, past_ghosts, states)

    def is_done(self, states: Any) -> Any:
        return (states == OUT) | (states == IN)

    def answers(self, states: Any) -> Any:
        return states == IN

    def facts_around(self, part: Partition, states: Any, tails: Any, heads: Any) -> tuple[()]:
        """Put vertices with a new member as neighbor out, so that they are not sent."""
        states[tails[states[heads] == IN]] = OUT
        return ()

    def finish(self, messages: list[Any], ranking: Ranking) -> tuple[Any, Any]:
        ids, keys, tails, heads = renumber_residual([residual for (residual,) in messages])
        ranks = np.empty(ids.size, np.int64)
        ranks[all_in_order(ranking, ids, keys)] = np.arange(ids.size, 0, -1)
        rows, no_ids = build_rows(tails, heads, ids.size), np.empty(0, np.int32)
        graph = Graph._trusted(rows.indptr, rows.indices)
        options: dict[str, Any] = {"priority": ranks, "seed": 0, "synchronous": False}
        members = ids[by_priority.independent_set(graph, no_ids, no_ids, History(), **options)]
        return members, np.ones(members.size, bool)
