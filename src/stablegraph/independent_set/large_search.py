"""The search for a large or heavy independent set: from the arguments of the user to the result.

Result: an `IndependentSet` on the device of the graph. Ctrl-C raises `SearchInterrupted` with the best set so far.

Rule: without weights the search of near_maximum/reduce_and_search.py, with weights that of weighted/search.py.

Cost and work memory: those of the searches, and a copy of a graph that is on a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.csr.merge import exact_sum
from .._core.progress import reported
from .._core.typing import GraphLike
from .._core.validation import host_array
from ..conversion import in_order, undirected
from .conditions import checked_conditions, checked_weights
from .large_set import IndependentSet, SearchInterrupted
from .near_maximum.reduce_and_search import find_large_set
from .weighted.search import find_heavy_set


def search_large_set(
    graph: GraphLike,
    rounds: int,
    seed: int,
    weights: Any | None,
    include: Any | None,
    progress: Callable[[int, Any, Any], Any] | bool | None,
) -> IndependentSet:
    """Check the graph, the weights and the included vertices, and search; `seed` is the hash of the user's seed."""

    def moves(done: int, value: Any, bound: Any) -> dict[str, Any]:
        if weights is None:
            return {"completed": done, "total": rounds, "text": f"{value:,} of at most {bound:,} vertices"}
        return {"completed": done, "total": rounds, "text": f"weight {value:,} of at most {bound:,}"}

    with reported(progress, moves, "rounds done, size, upper bound") as report:
        graph = undirected(graph)
        included, _ = checked_conditions(graph, include, None, 1)
        host = in_order(graph.to("cpu"))  # removals follow the order of entries, which must not depend on the storage
        progress_of = report or (lambda *numbers: None)
        ids, weight = host_array(included, "include"), None
        if weights is None:
            result = find_large_set(host, rounds, seed, ids, progress_of)
        else:
            numbers = checked_weights(weights, None, host).weights
            result = find_heavy_set(host, numbers, rounds, seed, ids, progress_of)
            weight, rounded_up = _sum(numbers[result.mask])
            if result.proved:
                result = result._replace(upper_bound=rounded_up)
    size = int(np.count_nonzero(result.mask))
    mask = graph.xp.asarray(result.mask)
    best = IndependentSet(mask, size, result.upper_bound, result.rounds, weight, result.proved)
    if result.interrupted:
        raise SearchInterrupted(best)
    return best


def _sum(weights: Any) -> tuple[int | float, int | float]:
    """Return the sum of weights, which is rounded once for floats, and the smallest number of its type not below it."""
    if weights.dtype.kind != "f":
        return (exact_sum(weights),) * 2
    members = weights.tolist()
    try:
        total = math.fsum(members)
    except OverflowError:
        raise ValueError(
            "the sum of the weights of the set is larger than the largest float64, 1.8e308; scale the weights, for "
            "example down to weights * 2.0**-32"
        ) from None
    members.append(-total)
    return total, math.nextafter(total, math.inf) if math.fsum(members) > 0 else total
