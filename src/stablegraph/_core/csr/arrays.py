"""Arrays of graphs and patterns: index types, read-only views, copies in host memory, DLPack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..runtime import Rows, array_module, place_of

INT32_MAX = 2**31 - 1
_DLPACK_CPU = 1  # the device type of host memory in `__dlpack_device__`


def index_type(largest: int) -> type:
    """Return the narrowest integer type for numbers up to `largest`."""
    return np.int32 if largest <= INT32_MAX else np.int64


def read_only(array: Any) -> Any:
    """Return a read-only view of a NumPy array; anything else unchanged."""
    if isinstance(array, np.ndarray):
        array = array.view()
        array.flags.writeable = False
    return array


class Pattern(NamedTuple):
    """Rows of column numbers, as in CSR."""

    indptr: Any
    indices: Any

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.indptr.size) - 1

    @property
    def device(self) -> Any:
        """The device on which the arrays are stored."""
        return place_of(self.indices)

    def arrays(self) -> Rows:
        """Return the arrays as the argument of a kernel."""
        return Rows(self.indptr, self.indices)


def alike(*patterns: Any) -> list[Rows]:
    """Return the arrays of patterns or matrices for a kernel, all with the same type of row pointers and of columns.

    So kernels need not be compiled for mixed types.
    """
    columns = np.result_type(*(pattern.indices for pattern in patterns))
    rows = np.result_type(columns, *(pattern.indptr for pattern in patterns))
    return [Rows(p.indptr.astype(rows, copy=False), p.indices.astype(columns, copy=False)) for p in patterns]


@dataclass(frozen=True, slots=True)
class SortResult:
    """A CSR structure, and information about its construction."""

    indptr: Any
    indices: Any
    positions: Any  # the edge of each entry, or None
    loops: int  # among the given edges
    scattered: int  # entries before duplicates were dropped


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
