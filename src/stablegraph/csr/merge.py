"""One entry in place of equal ones: their weights combined, or found to be equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..parallel import kernel
from ..parallel.device import array_module, place_of
from ..parallel.primitives import exclusive_scan
from ..vertex_names import shown_entry
from .arrays import read_only

COMBINE = {"min": np.minimum, "max": np.maximum, "sum": np.add}


_SMALL = 8  # weights


def _combined(weights: Any, first: Any, how: str) -> Any:
    """The weights of each group combined; `first` is where the groups begin.

    On a GPU groups of more than eight are combined in host memory, all with them, and so are dtypes whose sums NumPy
    rounds in ways of its own.
    """
    if isinstance(weights, np.ndarray):
        return COMBINE[how].reduceat(weights, first).astype(weights.dtype, copy=False)
    xp = array_module("cuda")
    lengths = xp.diff(first, append=xp.asarray([weights.size]))
    if int(lengths.max()) > _SMALL or weights.dtype.kind == "c" or weights.dtype == np.float16:
        return xp.asarray(_combined(weights.get(), first.get(), how))
    return combined_in_turn(xp, weights, first, lengths, how)


def combined_in_turn(xp: Any, weights: Any, first: Any, lengths: Any, how: str) -> Any:
    """The same for small groups, one weight of each after another; a sum as NumPy rounds it: first + (second + ...)."""
    result = weights[first]
    groups = xp.flatnonzero(lengths > 1)
    rest = weights[first[groups] + 1]
    for place in range(2, int(lengths.max())):
        more = xp.flatnonzero(lengths[groups] > place)
        rest[more] = _of_two(xp, rest[more], weights[first[groups[more]] + place], how)
    result[groups] = _of_two(xp, result[groups], rest, how)
    return result


def _of_two(xp: Any, a: Any, b: Any, how: str) -> Any:
    """Two weights combined; of a zero and a negative zero the second one, and NaN wins."""
    if how == "sum":
        return a + b
    return xp.where(((a < b) if how == "min" else (a > b)) | (a != a), a, b)


@kernel(by="edges")
def count_distinct(v, indptr, indices, counts):
    """How many entries of a sorted row are not equal to the one before."""
    distinct = 0
    previous = -1
    for e in range(indptr[v], indptr[v + 1]):
        distinct += indices[e] != previous
        previous = indices[e]
    counts[v] = distinct


@kernel(by="edges")
def write_distinct(v, indptr, indices, kept, first, distinct):
    """These entries, and where they stand."""
    place = kept[v]
    previous = -1
    for e in range(indptr[v], indptr[v + 1]):
        if indices[e] != previous:
            previous = indices[e]
            first[place] = e
            distinct[place] = previous
            place += 1


def _distinct_entries(indptr: Any, indices: Any) -> tuple[Any, Any, Any]:
    """Sorted rows without repeated entries, and where the first of each stands; nothing where none is repeated."""
    if place_of(indices) == "cuda":
        return _distinct_by_masks(indptr, indices)
    n = int(indptr.size) - 1
    indptr, indices = read_only(indptr), read_only(indices)
    counts = np.empty(n, np.int64)
    count_distinct(n, indptr, indices, counts)
    kept = exclusive_scan(counts)
    if kept[-1] == indices.size:
        return indptr, indices, None
    first, distinct = np.empty(int(kept[-1]), np.int64), np.empty(int(kept[-1]), indices.dtype)
    write_distinct(n, indptr, indices, kept, first, distinct)
    return kept.astype(indptr.dtype, copy=False), distinct, first


def _distinct_by_masks(indptr: Any, indices: Any) -> tuple[Any, Any, Any]:
    """The same in whole arrays, for a GPU."""
    xp = array_module(place_of(indices))
    fresh = xp.ones(indices.size, bool)
    fresh[1:] = indices[1:] != indices[:-1]
    begins = indptr[:-1]
    fresh[begins[begins < indptr[1:]]] = True
    if fresh.all():
        return indptr, indices, None
    kept = xp.zeros(indices.size + 1, indptr.dtype)
    kept[1:] = xp.cumsum(fresh)
    first = xp.flatnonzero(fresh)
    return kept[indptr], indices[first], first


def merge_duplicates(
    indptr: Any,
    indices: Any,
    weights: Any,
    symmetrize: bool | str,
    directed: bool = False,
    nodes: Sequence[Any] | None = None,
    without: str = "no weights",
) -> tuple[Any, Any, Any]:
    """One entry in place of equal ones, their weights combined in the order of the edges.

    `without` is how the caller's function is told to leave weights out.
    """
    xp = array_module(place_of(indices))
    kept, distinct, first = _distinct_entries(indptr, indices)
    if first is None:
        return indptr, indices, weights
    if symmetrize in COMBINE:
        combined = _combined(weights, first, str(symmetrize))
    else:
        combined = weights[first]
        group = xp.repeat(xp.arange(first.size), xp.diff(first, append=xp.asarray([indices.size])))
        same = weights == combined[group]
        if weights.dtype.kind in "fc":
            same |= xp.isnan(weights) & xp.isnan(combined[group])
        if not same.all():
            e = int(same.argmin())
            row = int(xp.searchsorted(indptr, xp.asarray(e), side="right")) - 1
            entry = shown_entry(row, indices[e], nodes)
            cure = "drop_duplicates=False to keep both" if directed else "symmetrize='min', 'max' or 'sum'"
            raise ValueError(
                f"the weights of entry {entry} differ: {combined[group[e]]} and {weights[e]}; pass "
                f"{cure}, or combine them before; where they do not matter, pass {without}"
            )
    return kept, distinct, combined
