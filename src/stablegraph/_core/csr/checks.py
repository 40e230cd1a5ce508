"""Checks of the arrays of a graph: integers, numbers, CSR arrays, and the ends of edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..runtime.device import array_module, has_gpu_forms, place_of
from ..texts import short_repr
from ..validation import column, exact_array, listed, single_array
from ..vertex_names import are_names, number_ends, python_objects
from .arrays import INT32_MAX, index_type, of_numpy_or_cupy
from .build import MAX_VERTICES, extent
from .facts import Scan, scan_facts

_INDEX_TYPES = (np.dtype(np.int32), np.dtype(np.int64))


def integers(array: Any, what: str) -> Any:
    """Return a vector as contiguous int32 or int64, without a copy if possible; `what` names it in errors."""
    if type(array) is np.ndarray and array.dtype in _INDEX_TYPES and array.ndim == 1:
        return contiguous(array, array.dtype)
    array = single_array(of_numpy_or_cupy(array), what)
    xp = array_module(place_of(array))
    array = exact_array(array, what) if xp is np else xp.asarray(array)
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got shape {array.shape}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind == "f":
        broken = xp.flatnonzero(~(xp.isfinite(array) & (array == xp.floor(array))))
        if broken.size:
            raise ValueError(f"{what} must be whole numbers, but position {broken[0]} holds {array[broken[0]]}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"{what} must be integers, got {array.dtype}: convert them with .astype(numpy.int64)")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        broken = xp.flatnonzero(array > np.uint64(2**63 - 1))
        if broken.size:
            raise ValueError(f"{what} must be below 2**63, but position {broken[0]} holds {array[broken[0]]}")
    fits = np.iinfo(array.dtype).max <= INT32_MAX
    return contiguous(array, np.int32 if fits else np.int64)


def contiguous(array: Any, dtype: Any) -> Any:
    """Return the array with a dtype, aligned and contiguous, without a copy if possible."""
    if isinstance(array, np.ndarray):
        return np.require(array, dtype, ["C", "A"])
    return array_module("cuda").ascontiguousarray(array, dtype)


def numbers(weights: Any, what: str) -> Any:
    """Return weights as a contiguous array in native byte order, without a copy if possible; `what` names them."""
    weights = single_array(of_numpy_or_cupy(weights), what)
    weights = exact_array(weights, what) if place_of(weights) == "cpu" else array_module("cuda").asarray(weights)
    if weights.dtype.kind not in "biufc":
        raise ValueError(f"{what} must be numbers, got {weights.dtype}: convert them with .astype(float)")
    return contiguous(weights, weights.dtype.newbyteorder("="))


def check_square(shape: Any) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"the matrix of a graph must be square, got shape {tuple(shape)}")


def check_places(indptr: Any, indices: Any, n: int) -> None:
    """Refuse rows with a negative length, and indices that are not vertices; the error names the first one."""
    xp = array_module(place_of(indptr))
    falls = xp.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        u = int(falls[0])
        raise ValueError(
            f"indptr must not fall, but indptr[{u}] is {int(indptr[u])} and indptr[{u + 1}] is {int(indptr[u + 1])}"
        )
    outside = xp.flatnonzero((indices < 0) | (indices >= n))
    if outside.size:
        e = int(outside[0])
        row = int(xp.searchsorted(indptr, xp.asarray(e), side="right")) - 1
        raise ValueError(
            f"entry {e}, in row {row}, has index {int(indices[e])}, which is not one of the {n} vertices (0 to {n - 1})"
        )


def checked_csr(indptr: Any, indices: Any, weights: Any, shape: Any = None) -> tuple[Any, Any, Any, Scan]:
    """Return the CSR arrays of a graph in the types that kernels support, after all checks except symmetry.

    `shape` is the shape of the matrix to which the arrays belong, if there is one.
    """
    if shape is not None:
        check_square(shape)
        if np.shape(indptr) != (shape[0] + 1,):
            raise ValueError(
                f"indptr has shape {np.shape(indptr)}, but a graph of {shape[0]} vertices needs ({shape[0] + 1},)"
            )
    indptr, indices, scan = integers(indptr, "indptr"), integers(indices, "indices"), None
    device = place_of(indices)
    if device != place_of(indptr):
        indptr = array_module(device).asarray(indptr)
    n, entries = int(indptr.size) - 1, int(indices.size)
    if n < 0:
        raise ValueError("indptr is empty: a graph of n vertices needs n + 1 numbers, and without vertices [0]")
    if has_gpu_forms(device):  # on a GPU, reading one number takes as long as the whole pass
        scan = scan_facts(indptr.astype(np.promote_types(indptr.dtype, indices.dtype), copy=False), indices, device)
    begin, end = (scan.begin, scan.end) if scan else (int(indptr[0]), int(indptr[-1]))
    if begin != 0:
        raise ValueError(f"indptr must start at 0, but indptr[0] is {begin}")
    if end != entries:
        raise ValueError(
            f"indptr must end at the number of indices, {entries}, but indptr[{n}] is {end}; "
            "(arrays of endpoints go to from_edges(u, v))"
        )
    if weights is not None:
        weights = numbers(weights, "weights")
        if weights.shape != (entries,):
            raise ValueError(f"there are {entries} indices, but the weights have shape {weights.shape}")
    if indptr.dtype != np.int32 or indices.dtype != np.int32:
        # Narrowing wraps values that do not fit, so invalid values must be found before it.
        if scan is None or scan.broken_rows or scan.outside:
            check_places(indptr, indices, n)
        indices = indices.astype(index_type(n), copy=False)
        wide = indices.dtype == np.int64 or entries > INT32_MAX
        indptr = indptr.astype(np.int64 if wide else np.int32, copy=False)
    scan = scan or scan_facts(indptr, indices, device)
    if scan.broken_rows or scan.outside:
        check_places(indptr, indices, n)
    return indptr, indices, weights, scan


def nonzero_entries(array: Any) -> tuple[Any, Any, Any]:
    """Return the row pointers, the rows and the columns of the nonzero elements of a square array without NaN."""
    xp = array_module(place_of(array))
    check_square(array.shape)
    if array.dtype.kind in "fc":
        broken = xp.argwhere(xp.isnan(array))
        if len(broken):
            u, v = broken[0].tolist()
            raise ValueError(f"element ({u}, {v}) of the matrix is NaN; replace it, or remove the entry")
    u, v = xp.nonzero(array)
    indptr = xp.zeros(array.shape[0] + 1, np.int64)
    indptr[1:] = xp.cumsum(xp.bincount(u, minlength=array.shape[0]))
    return indptr, u, v


def numbered_ends(
    u: Any, v: Any, nodes: Any = None, called: tuple[str, str] = ("u", "v")
) -> tuple[Any, Any, Sequence[Any] | None]:
    """Return the ends of edges as integers, and the names of the vertices if they have any."""
    u, v = of_numpy_or_cupy(u), of_numpy_or_cupy(v)
    if nodes is not None and not isinstance(nodes, (Sequence, np.ndarray)):
        nodes = python_objects(listed(nodes, "nodes"))  # a view, a column of a table, ...
    if "cuda" in (place_of(u), place_of(v)):
        xp = array_module("cuda")  # CuPy has no arrays of names
        return *(xp.asarray(integers(end, what)) for end, what in zip((u, v), called, strict=True)), nodes
    arrays = [column(end, what) for end, what in zip((u, v), called, strict=True)]
    named = [are_names(array) for array in arrays]
    if any(named):
        if not all(named) and arrays[0].size and arrays[1].size:
            names, ids = called if named[0] else called[::-1]
            raise ValueError(f"{names} holds names, but {ids} holds numbers: pass both ends of an edge in one way")
        return number_ends(arrays[0], arrays[1], nodes)
    first, second = (integers(array, what) for array, what in zip(arrays, called, strict=True))
    return first, second, nodes


def checked_vertex_count(u: Any, v: Any, n: int | None, nodes: Sequence[Any] | None) -> int:
    """Return the number of vertices of a graph with these ends of edges; `n` or `nodes` may define it."""
    if n is not None:
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 0:  # type: ignore[redundant-expr]
            raise ValueError(f"n must be the number of vertices, a non-negative integer, got {short_repr(n)}")
        n = int(n)
    elif nodes is not None:
        n = len(nodes)
    smallest, largest = extent(u, v)
    if n is None:
        n = largest + 1
        if n > MAX_VERTICES or n > INT32_MAX >= 2 * u.size:
            raise ValueError(
                f"the largest id of the {u.size} edges is {largest}; number the ids: ids, ends = numpy.unique([u, v], "
                "return_inverse=True), then from_edges(*ends.reshape(2, -1), nodes=ids)"
            )
    if smallest < 0 or largest >= n:
        wrong = (u < 0) | (u >= n) | (v < 0) | (v >= n)
        e = int(wrong.argmax())
        culprit = int(u[e]) if not 0 <= int(u[e]) < n else int(v[e])
        cure = "ids start at 0" if culprit < 0 else "pass a larger n"
        raise ValueError(f"edge {e} ({int(u[e])}, {int(v[e])}): {culprit} is not one of the {n} vertices; {cure}")
    if nodes is not None and len(nodes) != n:
        raise ValueError(f"there are {n} vertices, but nodes has {len(nodes)} names")
    if n > MAX_VERTICES:
        raise ValueError(f"{n} vertices are more than 2**36; relabel the ids so that they have no gaps")
    return n
