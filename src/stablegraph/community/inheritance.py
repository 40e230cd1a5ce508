"""New communities inherit the numbers of old ones, by the largest overlap.

Result: a number for each new community. A number is inherited by at most one new community, and a new community
inherits at most one number. A function of the two arrays.

Rule: the pairs of a new and an old community with common vertices are visited in the order of (overlap, largest first;
old number; new number). A new community without a number gets the old number of the pair, unless another one has it.
All others get numbers above the old ones, in the order of their new numbers. In the code: `assign`. The oracle is
`inherit_labels` in tests/support/naive_communities.py.

Idea: stable counting sorts list the vertices by pairs of communities, and the pairs by overlaps.

Cost: linear in the number of vertices, if the labels are not much larger than that; otherwise they are sorted. Work
memory: 80 to 120 bytes per vertex.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.csr.arrays import INT32_MAX
from .._core.runtime import Int64s, chunked, kernel
from .._core.runtime.device import array_module, place_of
from .._core.runtime.primitives import sort_by_key
from .._core.typing import ArrayLike, Labels
from .._core.unknown_options import suggests_options
from .._core.validation import host_array

__all__ = ["inherit_labels"]

_INT64_MAX = 2**63 - 1
_DENSE = 4  # times the number of labels: larger labels are sorted


@kernel(by="single")
def assign(pairs: Int64s, new: Int64s, old: Int64s, heir: Int64s, inherited: Int64s):
    """Visit pairs in the order of their ranks: let new communities inherit, if both of a pair are free."""
    for i in range(pairs.size):
        a, b = new[pairs[i]], old[pairs[i]]
        if heir[b] < 0 and inherited[a] < 0:
            heir[b] = a
            inherited[a] = b


@suggests_options
def inherit_labels(new: ArrayLike | Sequence[int], old: ArrayLike | Sequence[int]) -> Labels:
    """Give new communities the numbers of the old ones with which they have the most vertices in common.

    >>> import stablegraph as sg
    >>> sg.inherit_labels([0, 0, 1, 1, 1, 2, 2], [7, 7, 7, 3, 3])
    array([7, 7, 3, 3, 3, 8, 8], dtype=int32)

    So numbers stay the same while a graph changes, although communities of two calls are numbered independently.

    Parameters
    ----------
    new : integer array (n,)
        The new community of each vertex, by any numbers.
    old : integer array (m,), m <= n
        The earlier communities of the first m vertices; vertices after them were added. A negative number means that
        the vertex had none.

    Returns
    -------
    int32 (n,)
        For each vertex the inherited number of its new community. No two communities inherit the same number; those
        that inherit none are numbered from the largest old number plus 1. int64 if a number needs it. A CuPy array if
        `new` is one.

    Raises
    ------
    ValueError
        If `old` is longer than `new`, an array is not one-dimensional, or a number would be above 2**63 - 1.
    TypeError
        If the labels are not integers.

    See Also
    --------
    communities : Find communities; ``start=`` begins with earlier ones.

    Notes
    -----
    Deterministic. Pairs of communities are visited by their number of common vertices, the largest first; of equal
    ones, that with the smallest old number comes first, then that with the smallest new one. Each pair whose two
    communities are still free is matched. New numbers are given in the order of the numbers in `new`. Cost: linear, 100
    to 500 ns per vertex, if the labels are at most four times as large as n; otherwise they are sorted. Work memory: 80
    to 120 bytes per vertex.
    """
    fresh, before = _checked_labels(new, "new"), _checked_labels(old, "old")
    if before.size > fresh.size:
        raise ValueError(
            f"old has {before.size} labels, but new has only {fresh.size}; if vertices were removed, pass the old "
            "labels of the remaining ones"
        )
    known = np.flatnonzero(before >= 0)
    new_names, new_places = _distinct(fresh)
    old_names, old_places = _distinct(before[known])
    by_new = sort_by_key(new_places[known])
    order = by_new[sort_by_key(old_places[by_new])]
    a, b = new_places[known[order]], old_places[order]
    starts = np.flatnonzero(np.r_[True, (a[1:] != a[:-1]) | (b[1:] != b[:-1])]) if a.size else a
    overlaps = np.diff(np.append(starts, a.size))
    pairs = sort_by_key(fresh.size - overlaps)
    heir, inherited = np.full(old_names.size, -1), np.full(new_names.size, -1)
    a, b = a[starts], b[starts]
    for first, end in chunked(pairs.size):
        assign(pairs[first:end], a, b, heir, inherited)
    above = int(old_names[-1]) + 1 if old_names.size else 0
    without = np.flatnonzero(inherited < 0)
    largest = above + without.size - 1
    if largest > _INT64_MAX:
        raise ValueError(f"old has the label {above - 1}, which leaves no room for new numbers; number old from 0")
    names = np.empty(new_names.size, np.int32 if largest <= INT32_MAX else np.int64)
    names[inherited >= 0] = old_names[inherited[inherited >= 0]]
    names[without] = (above - 1) + np.arange(1, without.size + 1)
    return array_module(place_of(new)).asarray(names[new_places])  # type: ignore[no-any-return]


def _checked_labels(labels: Any, name: str) -> np.ndarray:
    """Return labels as int64 in host memory."""
    array = host_array(labels, name)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one number for each vertex, got shape {array.shape}")
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{name} must be integers, got {array.dtype}")
    if array.dtype.kind == "u" and array.size and array.max() > _INT64_MAX:
        raise ValueError(f"{name} must be below 2**63, got {array.max()}")
    return array.astype(np.int64)


def _distinct(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct labels in ascending order, and the place of each label among them."""
    if labels.size and labels.min() >= 0 and labels.max() <= _DENSE * labels.size:
        used = np.bincount(labels) > 0
        return np.flatnonzero(used), (np.cumsum(used) - 1)[labels]
    names, places = np.unique(labels, return_inverse=True)
    return names, places
