"""Constraints on a set in partitions, with their checks: vertices that must be in the set, and vertices that must not.

Result: for each partition a mask of the vertices that must be in the set, and a mask of the vertices that may join it:
neither excluded nor within `distance` of an included one. Constraints that no set can satisfy raise the same errors as
on one machine.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._core.validation import distinct_vertices
from .graph import DistributedGraph
from .messages import apply_ghost_updates, pack_boundary_updates
from .partition import Partition
from .residual import entries_of
from .supersteps import Supersteps


class Conditions(NamedTuple):
    """Futures of boolean masks, one for each partition, and the statistics of the run."""

    included: list[Any]
    allowed: list[Any]
    info: dict[str, Any]


class _State(NamedTuple):
    included: Any  # (k,)
    excluded: Any  # of the own vertices
    least: Any  # (k,): the smallest included vertex around, or n


def checked_conditions(graph: DistributedGraph, include: Any, exclude: Any, distance: int) -> Conditions | None:
    """Check the constraints at distance 1 or 2, and return them; None if there are none."""
    if include is None and exclude is None:
        return None
    run = Supersteps(graph, "conditions")
    given = zip(vertex_pieces(graph, include, "include"), vertex_pieces(graph, exclude, "exclude"), strict=True)
    both = _first(run.step(_offer, each=list(given)))
    if both is not None:
        raise ValueError(f"vertex {both} is both in include and in exclude")
    pairs = run.step(_look_around, distance)
    if distance == 2:
        pairs = run.step(_look_further)
    pair = _first(pairs)
    if pair is not None:
        where = "adjacent" if distance == 1 else f"within distance {distance} of each other"
        raise ValueError(f"vertices {pair[0]} and {pair[1]} are in include, but are {where}")
    return Conditions(run.answers(_included), run.answers(_allowed), run.info)


def _first(found: list[Any]) -> Any:
    return next((one for one in found if one is not None), None)


def vertex_pieces(graph: DistributedGraph, vertices: Any, name: str) -> list[Any]:
    """Split vertices, given by a mask, which may be a Dask array, or by numbers, among the partitions.

    Return for each partition a mask or numbers, in the form of the input.
    """
    if vertices is None:
        return [None] * graph.num_partitions
    if hasattr(vertices, "chunks"):
        return graph.pieces(vertices, name, "b")
    chosen = np.sort(distinct_vertices(np.atleast_1d(np.asarray(vertices)), name, graph.num_vertices))
    return np.split(chosen, np.searchsorted(chosen, graph.bounds[1:-1]))


def mask_of(part: Partition, piece: Any) -> Any:
    """Return a mask of the own vertices from a piece of `vertex_pieces`."""
    mask = np.zeros(part.stop - part.start, bool)
    if piece is not None:
        mask[piece if piece.dtype == bool else piece - part.start] = True
    return mask


def _offer(part: Partition, state: Any, inbox: Any, given: tuple[Any, Any]) -> Any:
    included, excluded = mask_of(part, given[0]), mask_of(part, given[1])
    both = np.flatnonzero(included & excluded)
    everywhere = part.with_owned(included, False)
    state = _State(everywhere, excluded, None)
    return state, pack_boundary_updates(part, everywhere, everywhere), int(both[0]) + part.start if both.size else None


def _look_around(part: Partition, state: _State, inbox: Any, distance: int) -> Any:
    """Find the smallest included vertex among each vertex and its neighbors.

    At distance 1, report two included vertices that are adjacent.
    """
    included = state.included.copy()
    apply_ghost_updates(part, inbox, included)
    least = _least_around(part, np.where(included, part.ids, part.num_vertices))
    pair = None
    if distance == 1:
        tails, heads = entries_of(part, np.flatnonzero(state.included))
        beside = np.flatnonzero(included[heads])
        if beside.size:
            pair = int(part.ids[tails[beside[0]]]), int(part.ids[heads[beside[0]]])
    return state._replace(least=least), pack_boundary_updates(part, least < part.num_vertices, least), pair


def _look_further(part: Partition, state: _State, inbox: Any) -> Any:
    """Find the smallest included vertex within two steps; report two included vertices at this distance."""
    told = part.with_owned(state.least[part.owned], part.num_vertices)
    apply_ghost_updates(part, inbox, told)
    least = _least_around(part, told)
    near = np.flatnonzero(state.included & (least < part.ids))
    pair = (int(least[near[0]]), int(part.ids[near[0]])) if near.size else None
    return state._replace(least=least), None, pair


def _least_around(part: Partition, values: Any) -> Any:
    """Return the minimum of the values of each vertex and its neighbors."""
    indptr, indices = part.rows
    least, beside = values.copy(), np.flatnonzero(np.diff(indptr))  # reduceat misreads empty rows
    if beside.size:
        around = np.minimum.reduceat(values[indices], indptr[:-1][beside])
        least[beside] = np.minimum(least[beside], around)
    return least


def _included(part: Partition, state: _State) -> Any:
    return state.included[part.owned]


def _allowed(part: Partition, state: _State) -> Any:
    return ~state.excluded & (state.least[part.owned] == part.num_vertices)
