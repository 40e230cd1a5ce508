"""The figures of a coloring: its number of colors, bounds with a reason, and loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime.arrays import largest
from .._core.runtime.primitives import histogram
from ..graph import Graph
from .bounds import color_bounds, option_for_fewer
from .constrained import fewest_colors
from .constraints import Constraints, loads_of


def coloring_info(
    graph: Graph, distance: int, colors: Any, limits: Constraints | None, how: dict[str, Any]
) -> dict[str, Any]:
    """Return the dict of ``return_info=True``; `how` has the options "algorithm", "order" (a list) and "reduce"."""
    loads, count = _loads(colors, limits)
    lower, upper, reason = _bounds(graph, distance, limits)
    counted = "1 color" if lower == 1 else f"{lower} colors"
    return {
        "colors": count,
        "lower_bound": lower,
        "upper_bound": upper,
        "reason": f"at least {counted}: {reason}",
        "optimal": count == lower,
        "smallest": int(loads.min()) if loads.size else 0,
        "largest": int(loads.max(initial=0)),
        "suggestion": _suggestion(count, lower, upper, limits, how),
    }


def _suggestion(
    count: int, lower: int, upper: int | None, limits: Constraints | None, how: dict[str, Any]
) -> str | None:
    """Return options, other than those used, that may need fewer colors."""
    if limits is not None:
        hint = ("reduce", "thorough", "") if count > lower and limits.count is None else None
    else:
        tried = any(isinstance(order, str) and order == "smallest_last" for order in how["order"])
        hint = option_for_fewer(count, lower, count if tried else lower if upper is None else upper, how["reduce"])
    if hint is None or how.get(hint[0]) == hint[1]:
        return None
    priority = "algorithm='priority', " if hint[0] == "order" and how["algorithm"] != "priority" else ""
    return f"{priority}{hint[0]}={hint[1]!r}"


def _loads(colors: Any, limits: Constraints | None) -> tuple[np.ndarray, int]:
    """Return the load of each color in use, and with a given number of colors of all of them; and the number in use."""
    host = colors if isinstance(colors, np.ndarray) else colors.get()
    if limits is None:
        sizes = histogram(host, int(host.max(initial=-1)) + 1)
        used = np.asarray(sizes[sizes > 0])
        return used, int(used.size)
    palette, place = np.unique(host, return_inverse=True)
    count = int(limits.colors_in(host).size)
    if limits.count is not None:
        palette, place = np.arange(limits.count), host
    return loads_of(place, limits.sizes, palette.size), count


def _bounds(graph: Graph, distance: int, limits: Constraints | None) -> tuple[int, int | None, str]:
    """Return a lower bound, an upper bound or None, and the reason for the lower bound."""
    if distance == 1:
        lower, upper = color_bounds(graph)
        reason = f"{lower} vertices are pairwise adjacent" if lower > 1 else "a vertex needs a color"
    else:
        lower, upper = 1 + largest(graph.degrees, -1), None
        reason = f"a vertex and its neighbors are {lower} vertices" if lower > 1 else "a vertex needs a color"
    reason = reason if graph.num_vertices else "the graph has no vertices"
    if limits is None:
        return lower, upper, reason
    within, reason = fewest_colors(limits, lower, reason)
    return within, None, reason
