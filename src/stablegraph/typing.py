"""What the public functions take and return, for annotations.

On a GPU results are CuPy arrays, which have the methods of NumPy's; they are annotated as those.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import scipy.sparse as sp

    from .graph import Graph

__all__ = ["ArrayLike", "GraphLike", "Labels", "Mask", "Numbers", "Vertices"]


class ArrayLike(Protocol):
    """What is an array or becomes one: of NumPy, CuPy, pandas, PyTorch, or an IndependentSet."""

    def __array__(self) -> npt.NDArray[Any]: ...


class _NetworkXGraph(Protocol):
    """A graph of NetworkX, which has no types."""

    def number_of_nodes(self) -> int: ...

    def is_directed(self) -> bool: ...


class _CupyMatrix(Protocol):
    """A sparse matrix of CuPy, which has no types."""

    def get(self) -> sp.sparray | sp.spmatrix: ...


class _RustworkxGraph(Protocol):
    """A graph of rustworkx."""

    def num_nodes(self) -> int: ...


class _JaxMatrix(Protocol):
    """A sparse matrix of JAX."""

    def todense(self) -> Any: ...


class _Mesh(Protocol):
    """A mesh of trimesh."""

    @property
    def faces(self) -> Any: ...


class _GraphElsewhere(Protocol):
    """A graph that answers by itself, as one in partitions."""

    def _answer(self, name: str, *arguments: Any, **options: Any) -> Any: ...


GraphLike: TypeAlias = """(
    Graph
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
    | _GraphElsewhere
)"""
"""What `as_graph` takes: matrices, graphs, meshes of other libraries, (indptr, indices[, weights]), lists of pairs."""

Numbers: TypeAlias = ArrayLike | Sequence[float]
"""A number for each vertex."""

Vertices: TypeAlias = ArrayLike | Sequence[int] | Sequence[str]
"""Vertices: their numbers, a mask of bool, or the names of a graph that has names."""

Mask: TypeAlias = npt.NDArray[np.bool_]
"""True for some of the vertices, (n,)."""

Labels: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""An integer for each vertex, (n,): int32, or int64 from 2**31 vertices on."""
