"""One entry in place of equal ones: their weights combined, or found to be equal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..vertex_names import shown_entry

COMBINE = {"min": np.minimum, "max": np.maximum, "sum": np.add}


def merge_duplicates(
    indptr: Any,
    indices: Any,
    weights: Any,
    symmetrize: bool | str,
    directed: bool = False,
    nodes: Sequence[Any] | None = None,
) -> tuple[Any, Any, Any]:
    """One entry in place of equal ones, their weights combined in the order of the edges."""
    fresh = np.ones(indices.size, bool)
    fresh[1:] = indices[1:] != indices[:-1]
    if fresh.all():
        return indptr, indices, weights
    begins = indptr[:-1]
    fresh[begins[begins < indptr[1:]]] = True
    if fresh.all():
        return indptr, indices, weights
    first = np.flatnonzero(fresh)
    if symmetrize in COMBINE:
        combined = COMBINE[str(symmetrize)].reduceat(weights, first).astype(weights.dtype, copy=False)
    else:
        combined = weights[first]
        group = np.cumsum(fresh) - 1
        same = weights == combined[group]
        if weights.dtype.kind in "fc":
            same |= np.isnan(weights) & np.isnan(combined[group])
        if not same.all():
            e = int(np.argmin(same))
            row = int(np.searchsorted(indptr, e, side="right")) - 1
            entry = shown_entry(row, indices[e], nodes)
            cure = "drop_duplicates=False to keep both" if directed else "symmetrize='min', 'max' or 'sum'"
            raise ValueError(
                f"the weights of entry {entry} differ: {combined[group[e]]} and {weights[e]}; pass "
                f"{cure}, or combine them before"
            )
    kept = np.zeros(indices.size + 1, indptr.dtype)
    np.cumsum(fresh, out=kept[1:])
    return kept[indptr], indices[first], combined
