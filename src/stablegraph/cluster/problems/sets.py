"""Maximal independent sets at distance 1, in partitions.

Result: the set that the serial greedy algorithm finds when it visits the vertices in the order, as on one machine.

Rule: v is in the set <=> no neighbor before it in the order is in it. In the code: `_decide`.

Idea: a partition decides its vertices until each undecided one waits for a ghost, or for a vertex that does
(sweep.py). Then it sends the new states of its boundary. A vertex that waits for a ghost scans the rest of
its row, too: if a member follows, the vertex is out. In the first step no ghost is a member. If ghosts outnumber the
own vertices, vertices therefore do not scan beyond ghosts in the first step. Own members later in a row then take
effect in the second step, and most entries need not be read. When few entries remain, one task finishes.

State: one byte per vertex, including ghosts: 1 to 253 for undecided vertices, the larger, the earlier
(set_order.py); then 0 for out or 255 for in.

Cost: the number of rounds is the largest number of changes of partition along a chain of waiting vertices, until few
entries remain: about 4 to 8 if hashes order ties; with P partitions at most P in the order of ids. A message has one
bit for each boundary vertex that the round decides and, in addition, one bit for each boundary vertex or 32 for each
decided one, whichever is less. Work memory: 3 bytes per vertex, and 13 for each owned one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.csr.build import build_rows
from ..._core.engines.rounds import History, Worklists, listed
from ..._core.runtime import Rows, kernel
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
from ..messages import apply_ghost_updates, scatter_values
from ..partition import Partition
from ..supersteps import Supersteps, merge_stats, renumber_residual
from ..tasks import submit_each
from . import distant_sets as distance2_set
from .set_conditions import checked_conditions
from .set_order import Ranking, all_in_order
from .sweep import TYPES, InPartitions, Waits, first_ahead, is_far

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
