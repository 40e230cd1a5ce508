"""Checks of the arrays that graphs are made of: integers, numbers, and places inside the matrix."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from .._arguments import one_array
from .arrays import INT32_MAX


def integers(array: Any, what: str) -> Any:
    """A vector of integers as contiguous int32 or int64, without a copy where it is one; `what` names it in errors."""
    array = np.asarray(one_array(array, what))
    if array.ndim != 1:
        raise ValueError(f"{what} must be one-dimensional, got shape {array.shape}")
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.int64)
    if array.dtype.kind == "f":
        broken = np.flatnonzero(~(np.isfinite(array) & (array == np.floor(array))))
        if broken.size:
            raise ValueError(f"{what} must be whole numbers, but position {broken[0]} holds {array[broken[0]]}")
    if array.dtype.kind == "O" and array.size and all(isinstance(x, Integral) for x in array):
        array = np.array(array.tolist())
    if array.dtype.kind not in "iu":
        raise ValueError(f"{what} must be integers, got {array.dtype}: convert them with .astype(numpy.int64)")
    if array.dtype.kind == "u" and array.dtype.itemsize == 8:
        broken = np.flatnonzero(array > np.uint64(2**63 - 1))
        if broken.size:
            raise ValueError(f"{what} must be below 2**63, but position {broken[0]} holds {array[broken[0]]}")
    fits = np.iinfo(array.dtype).max <= INT32_MAX
    return np.require(array, np.int32 if fits else np.int64, ["C", "A"])


def numbers(weights: Any, what: str) -> Any:
    """Weights as a contiguous array in native byte order, without a copy where they are one; `what` names them."""
    weights = np.asarray(one_array(weights, what))
    if weights.dtype.kind not in "biufc":
        raise ValueError(f"{what} must be numbers, got {weights.dtype}: convert them with .astype(float)")
    return np.require(weights, weights.dtype.newbyteorder("="), ["C", "A"])


def check_square(shape: Any) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"the matrix of a graph must be square, got shape {tuple(shape)}")


def check_places(indptr: Any, indices: Any, n: int) -> None:
    """Name the first row that falls, or the first index that is no vertex."""
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        u = int(falls[0])
        raise ValueError(f"indptr must not fall, but indptr[{u}] is {indptr[u]} and indptr[{u + 1}] is {indptr[u + 1]}")
    outside = np.flatnonzero((indices < 0) | (indices >= n))
    if outside.size:
        e = int(outside[0])
        row = int(np.searchsorted(indptr, e, side="right")) - 1
        raise ValueError(
            f"entry {e}, in row {row}, has index {indices[e]}, which is not one of the {n} vertices (0 to {n - 1})"
        )
