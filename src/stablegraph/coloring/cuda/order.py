"""Coloring orders for order.cuh: the data with which a GPU compares two vertices, without sorting all vertices.

By degree, by its number of digits, by hash, by id, or by a number for each vertex. Orders that must be computed first
(smallest last, saturation) are also such numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..._core.runtime import Array
from ...graph import Graph
from ...independent_set.greedy.order import make_order, monotone_bits
from ..degeneracy import smallest_last
from ..order import visiting_order

BY_ID, BY_DEGREE, BY_DIGITS, BY_HASH, BY_NUMBER = range(5)
_NAMED = {"natural": BY_ID, "largest_first": BY_DEGREE, "largest_log_first": BY_DIGITS, "random": BY_HASH}


class Comparison(NamedTuple):
    """The parameters of a kernel that compares vertices; 0 for arrays that the order does not need."""

    by: int
    hashed: int  # whether hashes break ties, otherwise ids
    seed: int
    degree_ptr: Array  # (n + 1,): its differences, minus `less`, are the degrees
    less: int
    numbers: int | Array  # uint64 (n,): larger numbers come earlier
    fixed: (
        int | Array
    )  # int32 (n,): fixed colors, -1 for none; vertices with a fixed color are ahead of all other vertices


def comparison(graph: Graph, order: str | np.ndarray, ties: str, fixed: Any | None, seed: int) -> Comparison:
    """Return the parameters for comparing vertices in an order."""
    by = _NAMED.get(order, BY_NUMBER) if isinstance(order, str) else BY_NUMBER
    hashed = by == BY_HASH or (ties == "hash" and by != BY_ID)
    degree_ptr: Any = 0
    numbers: Any = 0
    less = 0
    if by in (BY_DEGREE, BY_DIGITS):
        known = make_order(graph, "degree", seed)
        degree_ptr, less = known.degree_ptr, int(known.offset)
    elif by == BY_NUMBER:
        numbers = _priority_numbers(graph, order, ties, seed)
    return Comparison(by, int(hashed), int(seed), degree_ptr, less, numbers, 0 if fixed is None else fixed)


def _priority_numbers(graph: Graph, order: str | np.ndarray, ties: str, seed: int) -> Any:
    """Return a number for each vertex, larger for earlier vertices; equal numbers are in the order of ties."""
    xp, n = graph.xp, graph.num_vertices
    if not isinstance(order, str):
        return xp.asarray(monotone_bits(order))
    if order == "smallest_last_in_rounds":
        return smallest_last(graph, exact=False)[0].astype(np.uint64)
    numbers = xp.empty(n, np.uint64)
    numbers[visiting_order(graph, order, ties, seed)] = xp.arange(n, 0, -1).astype(np.uint64)
    return numbers
