"""Arrays of graphs and patterns: index types, read-only views, copies in host memory, DLPack, immutable storage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from ..runtime import Array, Rows, array_module, device_of, place_of
from ..runtime.device import detached, is_of_package, of_package

INT32_MAX = 2**31 - 1
_FOREST_MARK = "_stablegraph_forest"
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
    """Rows of column numbers, as in CSR; kernels take it like `Rows`."""

    indptr: Array
    indices: Array

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.indptr.size) - 1

    @property
    def device(self) -> Any:
        """The device on which the arrays are stored."""
        return place_of(self.indices)


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
        return of_package(array)
    array = detached(array)
    if is_of_package(array):
        return array
    if not hasattr(array, "__dlpack_device__"):
        return array_module("cuda").asarray(array) if hasattr(array, "__cuda_array_interface__") else array
    opens_itself = hasattr(array, "__array__") and not hasattr(array, "__cuda_array_interface__")
    return array if opens_itself else from_dlpack(array)


def mark_forest(matrix: Any) -> Any:
    """Mark a matrix with each edge of a forest once, so that `as_graph` adds the opposite entries.

    The mark is an attribute of the object: pickling keeps it, and results of operations on the matrix do not have it.
    """
    setattr(matrix, _FOREST_MARK, True)
    return matrix


def is_marked_forest(obj: Any) -> bool:
    """Return whether `mark_forest` marked this object."""
    return getattr(obj, _FOREST_MARK, False) is True


def equal_arrays(first: Any, second: Any) -> bool:
    """Return whether two arrays, each on any device, are equal or both None."""
    if first is None or second is None:
        return first is second
    return np.array_equal(on_host(first), on_host(second))


ARRAYS = ("indptr", "indices", "weights")


@dataclass(init=False, repr=False, eq=False, slots=True, weakref_slot=True)
class StoredGraph:
    """The arrays, direction and names of a graph, which cannot be changed; `Graph` adds facts and operations."""

    indptr: Any
    indices: Any
    weights: Any
    directed: bool
    nodes: Sequence[Any] | None
    device: str
    xp: Any
    num_vertices: int
    num_entries: int
    _facts: dict[str, Any]
    _degrees: Any  # this attribute and those below are None until they are needed
    _known_transpose: Self | None
    _numbers: dict[Any, int] | None
    _scan: Any

    def __init__(self) -> None:
        raise TypeError("a Graph is made by as_graph(...) or from_edges(...), which check their arguments")

    @classmethod
    def _trusted(
        cls,
        indptr: Any,
        indices: Any,
        weights: Any = None,
        *,
        directed: bool = False,
        nodes: Sequence[Any] | None = None,
        facts: dict[str, Any] | None = None,
        scan: Any = None,
    ) -> Self:
        """Wrap arrays that are known to have the properties in graph.py, without converting their dtypes."""
        graph, device = object.__new__(cls), device_of(indices)
        xp = array_module(device)
        indptr, indices, weights = map(of_package, (indptr, indices, weights))
        contents = {
            "indptr": read_only(indptr),
            "indices": read_only(indices),
            "weights": read_only(weights),
            "directed": bool(directed),
            "nodes": nodes,
            "device": device,
            "xp": xp,
            "num_vertices": int(indptr.size) - 1,
            "num_entries": int(indices.size),
            "_facts": dict(facts or {}),
            "_scan": scan,
            **dict.fromkeys(("_degrees", "_known_transpose", "_numbers")),
        }
        for name, value in contents.items():
            object.__setattr__(graph, name, value)
        return graph

    def _replace(self, **changes: Any) -> Self:
        """Return the same graph with other weights, names, direction or facts, or the same pattern in other arrays."""
        return type(self)._trusted(**(self._contents() | changes))

    def _contents(self) -> dict[str, Any]:
        same = {name: getattr(self, name) for name in (*ARRAYS, "directed", "nodes")}
        return same | {"facts": self._facts, "scan": self._scan}

    def _keep(self, name: str, value: Any) -> Any:
        object.__setattr__(self, name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Graph cannot be changed ({name!r} was to be set); make a new one with as_graph")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Graph cannot be changed ({name!r} was to be deleted)")

    def __len__(self) -> int:
        return self.num_vertices

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StoredGraph):
            return NotImplemented
        kinds_differ = (self.directed, self.nodes is None) != (other.directed, other.nodes is None)
        if kinds_differ or not all(equal_arrays(getattr(self, name), getattr(other, name)) for name in ARRAYS):
            return False
        return self.nodes is other.nodes or list(self.nodes) == list(other.nodes)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash((self.num_vertices, self.num_entries, self.directed))
