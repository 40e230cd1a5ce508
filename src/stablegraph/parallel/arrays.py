"""Operations on whole arrays that algorithms share: each takes NumPy or CuPy arrays, and returns arrays of that kind.

On a GPU they are kernels of this package, since CuPy compiles its own in the first call of a process (arrays.cu).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .cuda_source import by_device

_on_gpu = partial(by_device, module=".arrays_cuda", package=__package__)


@_on_gpu
def copied(array: Any) -> Any:
    """A copy with the elements in the order of C."""
    return array.copy()


@_on_gpu
def converted(array: Any, dtype: Any) -> Any:
    """The array with another type; itself, if it has that type."""
    return array.astype(dtype, copy=False)


@_on_gpu
def count_up(like: Any, n: int, dtype: Any) -> Any:
    """The integers 0 .. n - 1, on the device of an array."""
    return np.arange(n, dtype=dtype)


@_on_gpu
def differences(ends: Any, less: int = 0) -> Any:
    """Each element but the first, minus the one before it and `less`: the lengths of rows, for row pointers."""
    found = ends[1:] - ends[:-1]
    if less:
        found -= less
    return found


@_on_gpu
def equals(array: Any, value: int) -> Any:
    """Where an array of integers has a value, as a mask."""
    return array == value


@_on_gpu
def contains(array: Any, value: int) -> bool:
    """Whether an array of integers has a value anywhere."""
    return bool((array == value).any())


@_on_gpu
def positions(array: Any, value: int) -> Any:
    """The positions at which an array of integers has a value, ascending, as int64."""
    return np.flatnonzero(array == value)


@_on_gpu
def largest(array: Any, of_none: int) -> int:
    """The largest of some integers; `of_none` if there are none."""
    return int(array.max()) if array.size else of_none


@_on_gpu
def column_of(matrix: Any, j: int) -> Any:
    """A copy of a column."""
    return matrix[:, j].copy()


@_on_gpu
def set_column(matrix: Any, j: int, column: Any) -> None:
    """Set a column."""
    matrix[:, j] = column


@_on_gpu
def largest_size(array: Any) -> float:
    """The largest absolute value, 0 of no numbers; NaN, where there is one."""
    return float(abs(array).max()) if array.size else 0.0


@_on_gpu
def equal_integers(first: Any, second: Any) -> bool:
    """Whether two arrays of integers are equal."""
    return np.array_equal(first, second)


@_on_gpu
def all_finite(array: Any) -> bool:
    """Whether an array has neither infinite numbers nor NaN."""
    return bool(np.isfinite(array).all())
