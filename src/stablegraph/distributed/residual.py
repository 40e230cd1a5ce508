"""The residual graph: the remaining vertices when most are done, which one task finishes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .partition import Partition


class Residual(NamedTuple):
    """The remaining vertices of a partition, by ids, and their entries to vertices that may also remain."""

    ids: Any
    keys: Any  # of their order
    tails: Any
    heads: Any


def entries_of(part: Partition, vertices: Any) -> tuple[Any, Any]:
    """Return the entries in the rows of some vertices, without loops, by local numbers."""
    indptr, indices = part.rows
    lengths = indptr[vertices + 1] - indptr[vertices]
    ends = np.cumsum(lengths)
    places = np.repeat(indptr[vertices] - ends + lengths, lengths) + np.arange(int(lengths.sum()))
    tails, heads = np.repeat(vertices, lengths), indices[places]
    apart = tails != heads
    return tails[apart], heads[apart]


def distinct_pairs(a: Any, b: Any) -> tuple[Any, Any]:
    """Return the distinct pairs, ascending."""
    order = np.lexsort((b, a))
    a, b = a[order], b[order]
    fresh = np.ones(a.size, bool)
    fresh[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return a[fresh], b[fresh]


def residual_of(part: Partition, left: Any, keys: Any, tails: Any, heads: Any) -> Residual:
    """Make a `Residual` from local numbers."""
    return Residual(part.ids[left], keys, part.ids[tails], part.ids[heads])


def renumbered(boxes: Sequence[Residual]) -> tuple[Any, Any, Any, Any]:
    """Return the ids of all remaining vertices, ascending, their keys, and the entries between them by position."""
    ids, keys, tails, heads = (np.concatenate(column) for column in zip(*boxes, strict=True))
    heads_at = np.searchsorted(ids, heads)
    there = heads_at < ids.size
    there[there] = ids[heads_at[there]] == heads[there]
    return ids, keys, np.searchsorted(ids, tails[there]), heads_at[there]
