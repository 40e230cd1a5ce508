"""Checks of the order of a set, the vertices that must be in it, and the vertices that must not."""

from __future__ import annotations

from typing import Any, cast, get_args

import numpy as np

from .._core.option_names import DistancePriority, WeightedPriority
from .._core.runtime import Bools, Int64s, Rows, Vertices, by_device, kernel
from .._core.runtime.arrays import largest
from .._core.runtime.cuda.cards import finish, moved
from .._core.texts import short_repr
from .._core.validation import array_on, choice, vertices_of
from .._core.vertex_values import in_vertex_order, ranking
from ..graph import Graph
from ..spread_graph import SpreadGraph
from .cuda import k as k_cuda
from .distance import k
from .greedy.order import NAMED_ORDERS, Weighted

_LARGEST_WEIGHT = 2**63 - 1
_BITS_OF_INFINITY = 0x7FF << 52  # as float64; those of NaN are larger


@kernel
def _find_included_neighbors(i, included: Vertices, rows: Rows, chosen: Bools, partners: Int64s):
    """Find another included vertex that is adjacent to an included vertex, if there is one."""
    v = included[i]
    for e in range(rows.indptr[v], rows.indptr[v + 1]):
        u = rows.indices[e]
        if chosen[u] and u != v:
            partners[i] = u
            break


def checked_priority(priority: Any | None, graph: Any, distance: int = 1) -> str | np.ndarray:
    """Return the checked order of a set: a name, or one number per vertex."""
    if priority is None:
        return "degree" if distance == 1 else "random"
    if isinstance(priority, str) and priority in get_args(WeightedPriority):
        raise ValueError(f"priority={priority!r} is an order by weights; pass weights=, too")
    known, otherwise = NAMED_ORDERS if distance == 1 else get_args(DistancePriority), ", or an array of numbers"
    if distance > 1 and isinstance(priority, str):
        return str(choice(priority, "priority", known, where=f" at distance {distance}", otherwise=otherwise))
    return cast("str | np.ndarray", ranking(priority, "priority", known, graph, otherwise=otherwise))


def checked_weights(weights: Any, priority: Any | None, graph: Graph) -> Weighted:
    """Return the checked order of a set by weights, on the graph's device."""
    by = "ratio" if priority is None else priority
    by = str(choice(by, "priority", get_args(WeightedPriority), where=" with weights"))
    array = array_on(graph.device, in_vertex_order(weights, "weights", graph), "weights")
    n = graph.num_vertices
    if array.dtype.kind not in "buif" or array.dtype.itemsize > 8:
        raise TypeError(f"weights must be real numbers, got dtype {array.dtype}")
    if array.shape != (n,):
        raise ValueError(f"weights must have one number for each of the {n} vertices, got shape {array.shape}")
    are_floats = array.dtype.kind == "f"
    wide = graph.xp.ascontiguousarray(array, np.float64 if are_floats else np.int64)
    too_large = _BITS_OF_INFINITY if are_floats else _LARGEST_WEIGHT + 1
    bits = largest(wide.view(np.uint64), 0)  # the numbers have the order of their bits, and negative ones come last
    if are_floats and bits >= too_large:
        wide = wide + 0.0  # -0.0 becomes 0.0
        bits = largest(wide.view(np.uint64), 0)
    if bits >= too_large:
        most = np.finfo(array.dtype).max if are_floats else _LARGEST_WEIGHT
        v = int((~((array >= 0) & (array <= most))).argmax())
        raise ValueError(
            f"weights must be finite, not negative, and below 2**63 for integers, got {short_repr(array[v].item())} at "
            f"vertex {v}"
        )
    return Weighted(by, wide, float(np.uint64(bits).view(np.float64)) if are_floats else bits)


def checked_conditions(graph: Graph, include: Any | None, exclude: Any | None, distance: int) -> tuple[Any, Any]:
    """Return the included and the excluded vertices, ascending; raise an error if no set can satisfy the conditions."""
    if include is None and exclude is None:
        no_vertices = graph._no_vertices()
        return no_vertices, no_vertices
    included, excluded = _ascending(graph, include, "include"), _ascending(graph, exclude, "exclude")
    if included.size == 0:
        return included, excluded
    xp = graph.xp
    chosen = xp.zeros(graph.num_vertices, bool)
    chosen[included] = True
    both = excluded[chosen[excluded]]
    if both.size:
        raise ValueError(f"vertex {int(both[0])} is both in include and in exclude")
    pair = _adjacent_pair(graph, included, chosen) if distance == 1 else _near_pair(graph, distance, included)
    if pair is not None:
        where = "adjacent" if distance == 1 else f"within distance {distance} of each other"
        raise ValueError(f"vertices {pair[0]} and {pair[1]} are in include, but are {where}")
    return included, excluded


def _ascending(graph: Graph, vertices: Any | None, name: str) -> Any:
    """Return the vertices of a mask, or ids in any order, as ascending ids on the graph's device."""
    if vertices is None:
        return graph._no_vertices()
    return graph.xp.asarray(np.sort(vertices_of(graph, vertices, name)).astype(graph._no_vertices().dtype))


def _adjacent_pair(graph: Graph, included: Any, chosen: Any) -> tuple[int, int] | None:
    """Return two adjacent included vertices, or None; only rows of included vertices are read."""
    xp = graph.xp
    if isinstance(graph, SpreadGraph):
        partners = xp.full(included.size, -1, np.int64)
        finish()
        for k in range(len(graph.cards)):
            found = graph._computed_by(k, lambda part: [_partners(part, moved(included, xp), moved(chosen, xp))])
            partners = xp.maximum(partners, found[0])
    else:
        partners = _partners(graph, included, chosen)
    positions = xp.flatnonzero(partners >= 0)
    return (int(included[positions[0]]), int(partners[positions[0]])) if positions.size else None


def _partners(graph: Graph, included: Any, chosen: Any) -> Any:
    """Return an included neighbor of each included vertex, or -1."""
    partners = graph.xp.full(included.size, -1, np.int64)
    _find_included_neighbors(included.size, included, Rows(graph.indptr, graph.indices), chosen, partners)
    return partners


def _least_keys_on_cards(graph: SpreadGraph, distance: int, keys: Any) -> Any:
    """Return the smallest of the keys within a small distance of each vertex, on the current GPU."""
    finish()  # before other cards copy the keys
    least = graph._on_each_card(lambda *_: moved(keys, graph.xp))

    def least_around(k: int, part: Graph, *_: int) -> Any:
        return _least_keys_within(part, 1, least[k])

    for _ in range(distance):
        least = graph._on_each_card(least_around)
        graph._combine(least, graph.xp.minimum)
    return moved(least[0], graph.xp)


_least_keys_within = by_device(k.least_keys_within, k_cuda.least_keys_within, _least_keys_on_cards)


def _near_pair(graph: Graph, distance: int, included: Any) -> tuple[int, int] | None:
    """Return two included vertices (ascending) that are within a distance of each other, or None."""
    xp, n = graph.xp, graph.num_vertices
    keys = xp.full(n, n, np.uint32 if n < 2**31 else np.int64)
    keys[included] = included
    minimum = _least_keys_within(graph, min(distance, n), keys)[included]
    beaten = xp.flatnonzero(minimum != keys[included])
    return (int(minimum[beaten[0]]), int(included[beaten[0]])) if beaten.size else None
