"""The entries of matched edges."""

from __future__ import annotations

from typing import Any

from ..runtime.device import array_module, device_of


def entries_of_pairs(rows: Any, indices: Any, mate: Any, weights: Any | None) -> Any:
    """Return the positions of the upper entries of matched edges, ascending by row; of repeated ones, the heaviest.

    `rows` and `indices` are the ends of each entry, and `mate` is the partner of each vertex.
    """
    xp = array_module(device_of(indices))
    entries = xp.flatnonzero((rows < indices) & (mate[rows] == indices))
    tails = rows[entries]
    is_last = xp.ones(tails.size, bool)
    is_last[:-1] = tails[1:] != tails[:-1]
    if weights is not None and not is_last.all():
        entries = entries[xp.lexsort(xp.stack([weights[entries], tails]))]
    return entries[is_last]
