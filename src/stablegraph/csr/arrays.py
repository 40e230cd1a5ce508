"""Arrays of the kinds that graphs hold: the narrowest index type, read-only, in host memory where that is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

INT32_MAX = 2**31 - 1


def index_type(largest: int) -> type:
    """The narrowest integer type for numbers up to `largest`."""
    return np.int32 if largest <= INT32_MAX else np.int64


def read_only(array: Any) -> Any:
    """A read-only view of a NumPy array, as the arrays of graphs are: kernels need not be compiled for both.

    Anything else is returned as it is.
    """
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array


def on_host(array: Any) -> Any:
    """The same array in host memory; itself, if it is there already."""
    return array.get() if hasattr(array, "__cuda_array_interface__") else array


def equal_arrays(first: Any, second: Any) -> bool:
    """Whether two arrays are equal, wherever they live, or both None."""
    if first is None or second is None:
        return first is second
    return np.array_equal(on_host(first), on_host(second))
