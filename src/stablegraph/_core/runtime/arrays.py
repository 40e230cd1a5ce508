"""Operations on whole NumPy or CuPy arrays; each returns an array of the same library.

On a GPU they are kernels of this package, because CuPy compiles its own kernels in the first call of a process
(arrays.cu).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .cuda import arrays as arrays_cuda
from .device import with_gpu_form


@with_gpu_form(arrays_cuda.copied)
def copied(array: Any) -> Any:
    """Return a copy in C order."""
    return array.copy()


@with_gpu_form(arrays_cuda.converted)
def converted(array: Any, dtype: Any) -> Any:
    """Return the array with another type, or the array itself if it has that type."""
    return array.astype(dtype, copy=False)


@with_gpu_form(arrays_cuda.count_up)
def count_up(like: Any, n: int, dtype: Any) -> Any:
    """Return the integers 0 .. n - 1 on the device of an array."""
    return np.arange(n, dtype=dtype)


@with_gpu_form(arrays_cuda.stacked_identities)
def stacked_identities(like: Any, n: int, width: int) -> Any:
    """Return n rows of identity matrices of `width` rows, one below the other, with the type and device of an array."""
    return np.tile(np.eye(width, dtype=like.dtype), (n // width, 1))


@with_gpu_form(arrays_cuda.differences)
def differences(ends: Any, less: int = 0) -> Any:
    """Return each element minus the preceding one and `less`: the lengths of rows, for row pointers."""
    result = ends[1:] - ends[:-1]
    if less:
        result -= less
    return result


@with_gpu_form(arrays_cuda.equals)
def equals(array: Any, value: int) -> Any:
    """Return a mask of the positions at which an array of integers has a value."""
    return array == value


@with_gpu_form(arrays_cuda.contains)
def contains(array: Any, value: int) -> bool:
    """Return whether an array of integers contains a value."""
    return bool((array == value).any())


@with_gpu_form(arrays_cuda.positions)
def positions(array: Any, value: int) -> Any:
    """Return the positions at which an array of integers has a value, ascending, as int64."""
    return np.flatnonzero(array == value)


@with_gpu_form(arrays_cuda.largest)
def largest(array: Any, of_none: int) -> int:
    """Return the largest of some integers, or `of_none` if there are none."""
    return int(array.max()) if array.size else of_none


@with_gpu_form(arrays_cuda.column_of)
def column_of(matrix: Any, j: int) -> Any:
    """Return a copy of a column."""
    return matrix[:, j].copy()


@with_gpu_form(arrays_cuda.set_column)
def set_column(matrix: Any, j: int, column: Any) -> None:
    """Set a column."""
    matrix[:, j] = column


@with_gpu_form(arrays_cuda.largest_size)
def largest_size(array: Any) -> float:
    """Return the largest absolute value: 0 for an empty array, NaN if there is one."""
    return float(abs(array).max()) if array.size else 0.0


@with_gpu_form(arrays_cuda.equal_integers)
def equal_integers(first: Any, second: Any) -> bool:
    """Return whether two arrays of integers are equal."""
    return np.array_equal(first, second)


@with_gpu_form(arrays_cuda.all_finite)
def all_finite(array: Any) -> bool:
    """Return whether an array contains neither infinite numbers nor NaN."""
    return bool(np.isfinite(array).all())
