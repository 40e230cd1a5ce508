"""The figures of a coloring: its number of colors, bounds with a reason, and loads."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.runtime.primitives import histogram
from .bounds import color_bounds, option_for_fewer
from .constrained import fewest_colors
from .constraints import Constraints
from .pairs import PairsWithin


def coloring_info(near: PairsWithin, colors: Any, limits: Constraints | None, reduce: str) -> dict[str, Any]:
    """Return the dict of ``return_info=True``."""
    loads = _loads(colors, limits)
    count = int(loads.size)
    lower, upper, reason = _bounds(near, limits)
    hint = option_for_fewer(count, lower, lower if upper is None else upper, reduce)
    if limits is not None:
        hint = ("reduce", "thorough", "") if count > lower and limits.count is None and reduce != "thorough" else None
    return {
        "colors": count,
        "lower_bound": lower,
        "upper_bound": upper,
        "reason": reason,
        "optimal": count == lower,
        "smallest": int(loads.min()) if count else 0,
        "largest": int(loads.max()) if count else 0,
        "suggestion": f"{hint[0]}={hint[1]!r}" if hint else None,
    }


def _loads(colors: Any, limits: Constraints | None) -> np.ndarray:
    """Return the load of each color in use, and with a given number of colors of all of them."""
    host = colors if isinstance(colors, np.ndarray) else colors.get()
    if limits is None:
        sizes = histogram(host, int(host.max(initial=-1)) + 1)
        return np.asarray(sizes[sizes > 0])
    palette, place = np.unique(host, return_inverse=True)
    if limits.count is not None:
        palette, place = np.arange(limits.count), host
    loads = np.zeros(palette.size, np.int64)
    np.add.at(loads, place, limits.sizes)
    return loads


def _bounds(near: PairsWithin, limits: Constraints | None) -> tuple[int, int | None, str]:
    """Return a lower bound, an upper bound or None, and the reason for the lower bound."""
    if near.distance == 1:
        lower, upper = color_bounds(near.original)
        reason = f"{lower} vertices are pairwise adjacent"
    else:
        lower, upper = (near.fewest_colors if near.original.num_vertices else 0), None
        reason = f"a vertex and its neighbors are {lower} vertices"
    if limits is None:
        return lower, upper, reason
    within = fewest_colors(limits, lower)
    if within > lower:
        reason = (
            "fewer colors do not have the capacity for all vertices"
            if fewest_colors(limits, 0) == within and limits.capacity is not None
            else f"{within} different colors are fixed"
        )
    return within, None, reason
