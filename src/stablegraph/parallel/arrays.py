"""Operations on whole NumPy or CuPy arrays; each returns an array of the same library.

On a GPU they are kernels of this package, because CuPy compiles its own kernels in the first call of a process
(arrays.cu).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .cuda_source import by_device

_on_gpu = partial(by_device, module=".arrays_cuda", package=__package__)


@_on_gpu
def copied(array: Any) -> Any:
    """Return a copy in C order."""
    return array.copy()


@_on_gpu
def converted(array: Any, dtype: Any) -> Any:
    """Return the array with another type, or the array itself if it has that type."""
    return array.astype(dtype, copy=False)


@_on_gpu
def count_up(like: Any, n: int, dtype: Any) -> Any:
    """Return the integers 0 .. n - 1 on the device of an array."""
    return np.arange(n, dtype=dtype)


@_on_gpu
def stacked_identities(like: Any, n: int, width: int) -> Any:
    """Return n rows of identity matrices of `width` rows, one below the other, with the type and device of an array."""
    return np.tile(np.eye(width, dtype=like.dtype), (n // width, 1))


@_on_gpu
def differences(ends: Any, less: int = 0) -> Any:
    """Return each element minus the preceding one and `less`: the lengths of rows, for row pointers."""
    found = ends[1:] - ends[:-1]
    if less:
        found -= less
    return found


@_on_gpu
def equals(array: Any, value: int) -> Any:
    """Return a mask of the positions at which an array of integers has a value."""
    return array == value


@_on_gpu
def contains(array: Any, value: int) -> bool:
    """Return whether an array of integers contains a value."""
    return bool((array == value).any())


@_on_gpu
def positions(array: Any, value: int) -> Any:
    """Return the positions at which an array of integers has a value, ascending, as int64."""
    return np.flatnonzero(array == value)


@_on_gpu
def largest(array: Any, of_none: int) -> int:
    """Return the largest of some integers, or `of_none` if there are none."""
    return int(array.max()) if array.size else of_none


@_on_gpu
def column_of(matrix: Any, j: int) -> Any:
    """Return a copy of a column."""
    return matrix[:, j].copy()


@_on_gpu
def set_column(matrix: Any, j: int, column: Any) -> None:
    """Set a column."""
    matrix[:, j] = column


@_on_gpu
def largest_size(array: Any) -> float:
    """Return the largest absolute value: 0 for an empty array, NaN if there is one."""
    return float(abs(array).max()) if array.size else 0.0


@_on_gpu
def equal_integers(first: Any, second: Any) -> bool:
    """Return whether two arrays of integers are equal."""
    return np.array_equal(first, second)


@_on_gpu
def all_finite(array: Any) -> bool:
    """Return whether an array contains neither infinite numbers nor NaN."""
    return bool(np.isfinite(array).all())
