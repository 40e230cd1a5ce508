"""Sums of weights; merging of equal entries: their weights are combined, or must be equal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..option_names import Merge
from ..runtime import Int64s, Offsets, Vertices, array_module, kernel, place_of
from ..runtime.primitives import exclusive_scan, reduce
from ..validation import choice
from ..vertex_names import shown_entry
from .arrays import on_host
from .build import build_rows

COMBINE = {"min": np.minimum, "max": np.maximum, "sum": np.add}


_SMALL = 8  # the maximum number of weights in a group that is combined on a GPU
_HEADROOM = 64  # the sum of fewer than 2**64 floats is finite after a division by 2**64


class UnsymmetricError(ValueError):
    """The error about a pattern that is not symmetric: the missing entry, and the value of symmetrize= that adds it."""

    def __init__(self, missing: str, cure: bool | Merge, door: str) -> None:
        super().__init__(f"{missing}; pass symmetrize={cure!r} to {door} (or directed=True, where arcs are meant)")
        self.missing, self.cure = missing, cure

    def of_function(self, is_graph: bool, weights: bool) -> ValueError:
        """Return the error for callers of a function of undirected graphs, which reads weights or does not."""
        options = f"symmetrize={self.cure!r}" if weights else "symmetrize=True, weights=False"
        reason = f"the graph is directed: {self.missing}" if is_graph else self.missing
        return ValueError(f"{reason}; pass as_graph(graph, {options})")


# Tracebacks show the class that callers catch.
UnsymmetricError.__qualname__, UnsymmetricError.__module__ = "ValueError", "builtins"


def check_symmetrize(symmetrize: Any, directed: bool | None) -> None:
    """Raise ValueError if `symmetrize` is neither a bool nor a way to combine weights, or contradicts `directed`."""
    if not isinstance(symmetrize, (bool, np.bool_)):
        choice(symmetrize, "symmetrize", COMBINE, otherwise=", False or True")
    if symmetrize and directed:
        raise ValueError("symmetrize makes an undirected graph; leave out directed=True, or symmetrize")


def sum_type(dtype: Any) -> Any:
    """Return the dtype of sums of weights: uint64 for uint64, int64 for other integers and booleans, else the same."""
    dtype = np.dtype(dtype)
    if dtype.kind not in "biu":
        return dtype
    return np.dtype(np.uint64 if dtype.kind == "u" and dtype.itemsize == 8 else np.int64)


def exact_sum(values: Any) -> Any:
    """Add up numbers: integers and booleans exactly, as an int; floats and complex numbers in double precision.

    ValueError is raised if the sum of finite numbers is not finite. It may be finite although partial sums are not.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([2**63 - 1, 2**63 - 1]))
    18446744073709551614
    """
    if values.dtype.kind == "c":
        return complex(exact_sum(values.real), exact_sum(values.imag))
    if values.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            wide = values.astype(np.float64, copy=False)
            total = float(reduce(wide, "sum"))
            if math.isfinite(total):
                return total
            finite = array_module(place_of(values)).isfinite(values)
            if not finite.all():
                return float(values[~finite].sum())
            total = float(reduce(wide * 2.0**-_HEADROOM, "sum"))
        if abs(total) < 2.0 ** (1024 - _HEADROOM):
            return total * 2.0**_HEADROOM
        raise ValueError("the sum of the weights is larger than the largest float64, 1.8e308; scale the weights down")
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64, copy=False)
    return (int((wide >> 32).sum()) << 32) + int((wide & 0xFFFF_FFFF).sum())


def _combined(weights: Any, first: Any, how: str) -> Any:
    """Return the combined weights of each group of entries; `first` is the start of each group.

    On a GPU, all groups are combined in host memory if one of them has more than eight weights, or if NumPy rounds sums
    of the dtype in its own way.
    """
    dtype = sum_type(weights.dtype) if how == "sum" else weights.dtype
    if place_of(weights) == "cpu":
        with np.errstate(over="ignore", invalid="ignore"):  # `refuse_overflow` reports it
            return COMBINE[how].reduceat(weights, first, dtype=dtype)
    xp = array_module("cuda")
    lengths = xp.diff(first, append=xp.asarray([weights.size]))
    if int(lengths.max()) > _SMALL or weights.dtype.kind == "c" or weights.dtype == np.float16:
        return xp.asarray(_combined(weights.get(), first.get(), how))
    return combined_in_turn(xp, weights.astype(dtype, copy=False), first, lengths, how)


def refuse_overflow(
    indptr: Any,
    indices: Any,
    weights: Any,
    first: Any,
    sums: Any,
    nodes: Sequence[Any] | None = None,
    where: str = "",
) -> None:
    """Raise ValueError if a sum of weights does not fit its dtype; infinite weights may be summed.

    Parameters
    ----------
    indptr, indices
        The graph with one entry for each group of equal entries; `nodes` are the names of its vertices.
    weights, first
        The weights of the groups, and the start of each group in them.
    sums
        The sum of each group in `sum_type(weights.dtype)`, wrapped or infinite if it does not fit.
    where
        A description of the graph for the message, if it is not the graph that the user passed.
    """
    if not may_overflow(weights, sums, int(weights.size)):
        return
    weights, first, sums = on_host(weights), on_host(first), on_host(sums)
    lengths = np.diff(first, append=weights.size)
    if not may_overflow(weights, sums, int(lengths.max())):
        return
    wrong = np.flatnonzero(_overflowed(weights, first, sums))
    if not wrong.size:
        return
    k = int(wrong[0])
    row = int(np.searchsorted(on_host(indptr), k, side="right")) - 1
    entry = shown_entry(row, indices[k], nodes) + where
    if weights.dtype.kind in "biu":
        total = sum(weights[first[k] : first[k] + lengths[k]].tolist())
        raise ValueError(
            f"the weights of entry {entry} sum to {total}, which does not fit {sums.dtype}; convert the weights to "
            "float64, whose sums are rounded, or scale them down"
        )
    wide = np.dtype(np.complex128 if weights.dtype.kind == "c" else np.float64)
    cure = f"convert the weights to {wide}" if weights.dtype.itemsize < wide.itemsize else "scale the weights down"
    raise ValueError(f"the sum of the weights of entry {entry} overflows {sums.dtype}; {cure}")


def may_overflow(weights: Any, sums: Any, longest: int) -> bool:
    """Return False only if every sum of at most `longest` of these weights is certain to fit."""
    if weights.dtype.kind not in "biu":
        return not bool(array_module(place_of(sums)).isfinite(sums).all())
    if weights.dtype.itemsize == 8 and weights.size:
        largest = max(-int(weights.min()), int(weights.max()))
    else:
        largest = 1 << 8 * weights.dtype.itemsize
    return largest * longest > np.iinfo(sums.dtype).max


def _overflowed(weights: Any, first: Any, sums: Any) -> Any:
    """Return a mask of the sums that do not fit, given arrays in host memory."""
    if weights.dtype.kind == "c":
        return _overflowed(weights.real, first, sums.real) | _overflowed(weights.imag, first, sums.imag)
    if weights.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            infinities = np.add.reduceat(np.where(np.isfinite(weights), weights.dtype.type(0), weights), first)
        return ~np.isfinite(sums) & (sums != infinities) & ~np.isnan(infinities)
    # Sum the upper and the lower halves of 64 bits separately, which is exact for fewer than 2**31 weights of an entry.
    wide = weights.astype(sums.dtype, copy=False)
    upper, lower = (np.add.reduceat(half, first) for half in (wide >> 32, wide & 0xFFFFFFFF))
    upper += lower >> 32
    limits = np.iinfo(sums.dtype)
    return (upper < limits.min >> 32) | (upper > limits.max >> 32)


def combined_in_turn(xp: Any, weights: Any, first: Any, lengths: Any, how: str) -> Any:
    """Combine small groups, one weight of each at a time; round sums as NumPy does: first + (second + ...)."""
    result = weights[first]
    groups = xp.flatnonzero(lengths > 1)
    remainder = weights[first[groups] + 1]
    for place in range(2, int(lengths.max())):
        more = xp.flatnonzero(lengths[groups] > place)
        remainder[more] = _of_two(xp, remainder[more], weights[first[groups[more]] + place], how)
    result[groups] = _of_two(xp, result[groups], remainder, how)
    return result


def _of_two(xp: Any, a: Any, b: Any, how: str) -> Any:
    """Return the combination of two weights: the second one of 0 and -0, and NaN if one of them is NaN."""
    if how == "sum":
        return a + b
    return xp.where(((a < b) if how == "min" else (a > b)) | (a != a), a, b)


@kernel(by="edges")
def count_distinct(v, indptr: Offsets, indices: Vertices, counts: Int64s):
    """Count the entries of a sorted row that differ from the preceding entry."""
    distinct = 0
    previous = -1
    for e in range(indptr[v], indptr[v + 1]):
        distinct += indices[e] != previous
        previous = indices[e]
    counts[v] = distinct


@kernel(by="edges")
def write_distinct(v, indptr: Offsets, indices: Vertices, kept: Int64s, first: Int64s, distinct: Vertices):
    """Write the entries of a sorted row that differ from the preceding entry, and their positions."""
    place = kept[v]
    previous = -1
    for e in range(indptr[v], indptr[v + 1]):
        if indices[e] != previous:
            previous = indices[e]
            first[place] = e
            distinct[place] = previous
            place += 1


def distinct_entries(indptr: Any, indices: Any) -> tuple[Any, Any, Any]:
    """Return sorted rows without repeated entries, and the position of the first of each group.

    The positions are None if no entry is repeated.
    """
    if place_of(indices) == "cuda":
        return _distinct_by_masks(indptr, indices)
    n = int(indptr.size) - 1
    counts = np.empty(n, np.int64)
    count_distinct(n, indptr, indices, counts)
    kept = exclusive_scan(counts)
    if kept[-1] == indices.size:
        return indptr, indices, None
    first, distinct = np.empty(int(kept[-1]), np.int64), np.empty(int(kept[-1]), indices.dtype)
    write_distinct(n, indptr, indices, kept, first, distinct)
    return kept.astype(indptr.dtype, copy=False), distinct, first


def _distinct_by_masks(indptr: Any, indices: Any) -> tuple[Any, Any, Any]:
    """Compute `distinct_entries` by operations on whole arrays, for a GPU."""
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
    symmetrize: bool | Merge,
    directed: bool = False,
    nodes: Sequence[Any] | None = None,
    without: str = "no weights",
    where: str = "",
) -> tuple[Any, Any, Any]:
    """Merge equal entries into one, and combine their weights in the order of the edges.

    Sums have the dtype `sum_type`, even if no entries are equal. ValueError is raised if a sum does not fit. `without`
    is the option of the caller's function that ignores weights. `where` describes the graph in the message if it is not
    the graph that the user passed.
    """
    xp = array_module(place_of(indices))
    kept, distinct, first = distinct_entries(indptr, indices)
    if first is None:
        dtype = sum_type(weights.dtype) if symmetrize == "sum" else weights.dtype
        return indptr, indices, weights.astype(dtype, copy=False)
    if symmetrize in COMBINE:
        combined = _combined(weights, first, str(symmetrize))
        if symmetrize == "sum":
            refuse_overflow(kept, distinct, weights, first, combined, nodes, where)
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


def merged_rows(graph: Any, how: Merge) -> tuple[Any, Any, Any]:
    """Return the sorted rows of a graph with weights, in which the weights of repeated entries are combined."""
    rows = build_rows(graph._rows(), graph.indices, graph.num_vertices, drop_duplicates=False, positions=True)
    return merge_duplicates(rows.indptr, rows.indices, graph.weights[rows.positions], how, nodes=graph.nodes)
