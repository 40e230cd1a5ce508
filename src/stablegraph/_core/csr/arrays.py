"""Helpers for the arrays of graphs: index types, read-only views, copies in host memory, DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..runtime.device import array_module

INT32_MAX = 2**31 - 1
_DLPACK_CPU = 1  # the device type of host memory in `__dlpack_device__`


def index_type(largest: int) -> type:
    """Return the narrowest integer type for numbers up to `largest`."""
    return np.int32 if largest <= INT32_MAX else np.int64


def read_only(array: Any) -> Any:
    """Return a read-only view of a NumPy array; anything else unchanged.

    Arrays of graphs are read-only, and kernels are compiled separately for read-only and writable arrays.
    """
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array


def on_host(array: Any) -> Any:
    """Return the array in host memory; copy it only if it is on a GPU."""
    return array.get() if hasattr(array, "__cuda_array_interface__") else array


def from_dlpack(array: Any) -> Any:
    """Return a NumPy or CuPy array that shares the memory of an array or tensor of any library."""
    on_cpu = array.__dlpack_device__()[0] == _DLPACK_CPU
    return array_module("cpu" if on_cpu else "cuda").from_dlpack(array)


def of_numpy_or_cupy(array: Any) -> Any:
    """Return an array that NumPy or CuPy can use.

    If only DLPack or the CUDA array interface gives access to it, the result is a NumPy or CuPy array that shares its
    memory; otherwise the array itself.
    """
    if type(array).__module__.partition(".")[0] in ("numpy", "cupy"):
        return array
    if not hasattr(array, "__dlpack_device__"):
        return array_module("cuda").asarray(array) if hasattr(array, "__cuda_array_interface__") else array
    opens_itself = hasattr(array, "__array__") and not hasattr(array, "__cuda_array_interface__")
    return array if opens_itself else from_dlpack(array)


def equal_arrays(first: Any, second: Any) -> bool:
    """Return whether two arrays, each on any device, are equal or both None."""
    if first is None or second is None:
        return first is second
    return np.array_equal(on_host(first), on_host(second))
