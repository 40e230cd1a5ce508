"""What is left of a graph when most vertices are done, for one task to finish."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..csr.build import build_rows
from .partition import Partition


class Entries(NamedTuple):
    """Entries of a partition, by local numbers."""

    tails: Any
    columns: Any

    def packed(self, part: Partition, left: Any, keys: Any) -> Residual:
        """The same by ids, with the vertices that are left and their keys."""
        return Residual(part.ids[left], keys, part.ids[self.tails], part.ids[self.columns])


class Residual(NamedTuple):
    """The vertices that a partition has left, and the entries between these and others that may be left."""

    ids: Any
    keys: Any
    tails: Any
    heads: Any


def residual_of(part: Partition, left: Any, counts: Any) -> Entries:
    """The entries from vertices that are left to those that count, without loops."""
    indptr, indices = part.rows
    lengths = indptr[left + 1] - indptr[left]
    starts = np.repeat(indptr[left] - np.concatenate([[0], np.cumsum(lengths)[:-1]])[: left.size], lengths)
    columns = indices[starts + np.arange(int(lengths.sum()))]
    tails = np.repeat(left, lengths)
    kept = counts[columns] & (columns != tails)
    return Entries(tails[kept], columns[kept])


def renumbered(boxes: list[Residual]) -> tuple[Any, Any, tuple[Any, Any]]:
    """The ids of all vertices that are left, ascending, their keys, and their rows; entries to others are dropped."""
    ids, keys, tails, heads = (np.concatenate(column) for column in zip(*boxes, strict=True))
    heads_at = np.searchsorted(ids, heads)
    there = heads_at < ids.size
    there[there] = ids[heads_at[there]] == heads[there]
    rows = build_rows(np.searchsorted(ids, tails[there]), heads_at[there], ids.size)
    return ids, keys, (rows.indptr, rows.indices)
