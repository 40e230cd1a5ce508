"""Checks of the arrays of a graph: integers, numbers, and indices inside the matrix."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from ..runtime.device import array_module, place_of
from ..validation import single_array
from .arrays import INT32_MAX


def integers(array: Any, what: str) -> Any:
    """Return a vector as contiguous int32 or int64, without a copy if possible; `what` names it in errors."""
    array = single_array(array, what)
    xp = array_module(place_of(array))
    array = xp.asarray(array)
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got shape {array.shape}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind == "f":
        broken = xp.flatnonzero(~(xp.isfinite(array) & (array == xp.floor(array))))
        if broken.size:
            raise ValueError(f"{what} must be whole numbers, but position {broken[0]} holds {array[broken[0]]}")
    if array.dtype.kind == "O" and array.size and all(isinstance(x, Integral) for x in array):
        array = np.array(array.tolist())
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
    weights = single_array(weights, what)
    weights = array_module(place_of(weights)).asarray(weights)
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
