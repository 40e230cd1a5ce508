"""Constraints on a set in partitions, with their checks: vertices that must be in the set, and vertices that must not.

Result: for each partition a mask of the vertices that must be in the set, and a mask of the vertices that may join it:
neither excluded nor within `distance` of an included one. Constraints that no set can satisfy raise the same errors as
on one machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Array
from ..graph import DistributedGraph
from ..messages import apply_ghost_updates, pack_boundary_updates
from ..partition import Partition, entries_of, owned_mask
from ..supersteps import Supersteps


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
    both = _first(run.step(_send_included, each=list(columns)))
    if both is not None:
        raise ValueError(f"vertex {both} is both in include and in exclude")
    pairs = run.step(_find_smallest_included, distance)
    if distance == 2:
        pairs = run.step(_find_smallest_within_two)
    pair = _first(pairs)
    if pair is not None:
        where = "adjacent" if distance == 1 else f"within distance {distance} of each other"
        raise ValueError(f"vertices {pair[0]} and {pair[1]} are in include, but are {where}")
    return Conditions(run.answers(_included), run.answers(_allowed), run.info)


def _first(results: list[Any]) -> Any:
    return next((result for result in results if result is not None), None)


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
