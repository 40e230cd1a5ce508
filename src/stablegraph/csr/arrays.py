"""Arrays of the kinds that graphs hold: the narrowest index type, read-only, in host memory where that is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..parallel.device import array_module

INT32_MAX = 2**31 - 1
_DLPACK_CPU = 1  # what `__dlpack_device__` says of host memory


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


def from_dlpack(array: Any) -> Any:
    """A NumPy or CuPy array on the memory of an array or tensor of any library."""
    on_cpu = array.__dlpack_device__()[0] == _DLPACK_CPU
    return array_module("cpu" if on_cpu else "cuda").from_dlpack(array)


def of_numpy_or_cupy(array: Any) -> Any:
    """The same, but an array that only a protocol opens to NumPy or CuPy as one of theirs, on the same memory."""
    if type(array).__module__.partition(".")[0] in ("numpy", "cupy"):
        return array
    if not hasattr(array, "__dlpack_device__"):
        return array_module("cuda").asarray(array) if hasattr(array, "__cuda_array_interface__") else array
    opens_itself = hasattr(array, "__array__") and not hasattr(array, "__cuda_array_interface__")
    return array if opens_itself else from_dlpack(array)


def equal_arrays(first: Any, second: Any) -> bool:
    """Whether two arrays are equal, wherever they live, or both None."""
    if first is None or second is None:
        return first is second
    return np.array_equal(on_host(first), on_host(second))
