"""The types of arguments and results of public functions, for annotations.

On a GPU results are CuPy arrays, which have the same methods as NumPy arrays; they are annotated as NumPy arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import scipy.sparse as sp

    from .csr.arrays import StoredGraph
    from .validation import PartitionedGraph


class ArrayLike(Protocol):
    """An array or an object that converts to one: of NumPy, CuPy, pandas, PyTorch, or an IndependentSet."""

    def __array__(self) -> npt.NDArray[Any]: ...


class _NetworkXGraph(Protocol):
    """A NetworkX graph; NetworkX has no type annotations."""

    def number_of_nodes(self) -> int: ...

    def is_directed(self) -> bool: ...


class _CupyMatrix(Protocol):
    """A CuPy sparse matrix; CuPy has no type annotations."""

    def get(self) -> sp.sparray | sp.spmatrix: ...


class _RustworkxGraph(Protocol):
    """A rustworkx graph."""

    def num_nodes(self) -> int: ...


class _JaxMatrix(Protocol):
    """A JAX sparse matrix."""

    def todense(self) -> Any: ...


class _Mesh(Protocol):
    """A trimesh mesh."""

    @property
    def faces(self) -> Any: ...


GraphLike: TypeAlias = """(
    StoredGraph
    | sp.sparray
    | sp.spmatrix
    | ArrayLike
    | Sequence[Sequence[Any]]
    | Sequence[ArrayLike]
    | _NetworkXGraph
    | _CupyMatrix
    | _RustworkxGraph
    | _JaxMatrix
    | _Mesh
    | PartitionedGraph
)"""
"""What `as_graph` takes: matrices, graphs, meshes of other libraries, (indptr, indices[, weights]), lists of pairs."""

Numbers: TypeAlias = ArrayLike | Sequence[float] | Mapping[Any, float]
"""A number for each vertex; a dict has them by name, or by number if vertices have no names."""

Vertices: TypeAlias = ArrayLike | Sequence[int] | Sequence[str]
"""Vertices: their numbers, a mask of bool, or the names of a graph that has names."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""True for some of the vertices, (n,)."""

Labels: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""An integer for each vertex, (n,): int32, or int64 from 2**31 vertices on."""
