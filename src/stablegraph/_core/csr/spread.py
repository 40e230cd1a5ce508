"""The rows of a graph, split over several GPUs by entries.

Result: part k has the rows `bounds[k]` to `bounds[k + 1]` of the graph; its other rows are empty. All parts have all n
vertices, so kernels for one GPU run on them without a change, and numbers of vertices mean the same on every card.

Cost: a copy of all entries. Memory on each card: n + 1 row pointers, and the entries and weights of its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..runtime.cuda.cards import moved

ALIGNMENT = 4  # vertices: the bytes of a word belong to one card


def row_bounds(indptr: Any, entries: int, parts: int, xp: Any) -> list[int]:
    """Return the first row of each part and the number of rows; parts have about the same number of entries."""
    n = int(indptr.size) - 1
    wanted = xp.asarray(np.arange(1, parts) * entries // parts)
    cuts = xp.searchsorted(indptr, wanted).tolist() if parts > 1 else []
    return [0, *(min(n, cut - cut % ALIGNMENT) for cut in cuts), n]


def rows_on_card(graph: Any, ends: tuple[int, int], entries: tuple[int, int], xp: Any) -> tuple[Any, ...]:
    """Return the arrays of the rows between two ends, which have these entries, on the current card."""
    own = slice(*entries)
    weights = None if graph.weights is None else moved(graph.weights[own], xp)
    return pointers_on_card(graph.indptr, ends, entries, xp), moved(graph.indices[own], xp), weights


def pointers_on_card(indptr: Any, ends: tuple[int, int], entries: tuple[int, int], xp: Any) -> Any:
    """Return the row pointers of a part on the current card, given those of the graph."""
    (start, end), (first, last) = ends, entries
    result = xp.empty(indptr.size, indptr.dtype)
    result[:start] = 0
    result[start : end + 1] = moved(indptr[start : end + 1], xp) - first
    result[end + 1 :] = last - first
    return result


def joined_rows(parts: Sequence[Any], bounds: Sequence[int], xp: Any, fetch: Callable[[Any], Any]) -> tuple[Any, ...]:
    """Return the arrays of the whole graph, by a function that copies an array of a part."""
    like, entries, base = parts[0], sum(part.num_entries for part in parts), 0
    weights = None if like.weights is None else xp.empty(entries, like.weights.dtype)
    indptr, indices = xp.zeros(like.indptr.size, like.indptr.dtype), xp.empty(entries, like.indices.dtype)
    for part, (start, end) in zip(parts, pairwise(bounds), strict=True):
        own = slice(base, base + part.num_entries)
        indptr[start : end + 1] = fetch(part.indptr[start : end + 1]) + base
        indices[own] = fetch(part.indices)
        if weights is not None:
            weights[own] = fetch(part.weights)
        base = own.stop
    return indptr, indices, weights
