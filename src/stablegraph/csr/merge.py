"""One entry in place of equal ones: their weights combined, or found to be equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..parallel.device import array_module, place_of
from ..vertex_names import shown_entry

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


def merge_duplicates(
    indptr: Any,
    indices: Any,
    weights: Any,
    symmetrize: bool | str,
    directed: bool = False,
    nodes: Sequence[Any] | None = None,
) -> tuple[Any, Any, Any]:
    """One entry in place of equal ones, their weights combined in the order of the edges."""
    xp = array_module(place_of(indices))
    fresh = xp.ones(indices.size, bool)
    fresh[1:] = indices[1:] != indices[:-1]
    if fresh.all():
        return indptr, indices, weights
    begins = indptr[:-1]
    fresh[begins[begins < indptr[1:]]] = True
    if fresh.all():
        return indptr, indices, weights
    first = xp.flatnonzero(fresh)
    if symmetrize in COMBINE:
        combined = _combined(weights, first, str(symmetrize))
    else:
        combined = weights[first]
        group = xp.cumsum(fresh) - 1
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
                f"{cure}, or combine them before"
            )
    kept = xp.zeros(indices.size + 1, indptr.dtype)
    kept[1:] = xp.cumsum(fresh)
    return kept[indptr], indices[first], combined
