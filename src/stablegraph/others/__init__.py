"""The objects of other libraries that `as_graph` takes, by module and class.

Nothing is imported to look an object up: the library of an object that exists has been imported already. Each
converter gives what `as_graph` takes anyway, on the same memory where the other library has such arrays, or the edges
as an `EdgeList`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from . import graphs, matrices, meshes

# (first part of the module's name, class): the function that is given the object, and whether weights are wanted.
_CONVERTERS: dict[tuple[str, str], Callable[[Any, bool], Any]] = {
    ("networkx", "Graph"): graphs.of_networkx,
    ("igraph", "Graph"): graphs.of_igraph,
    ("rustworkx", "PyGraph"): graphs.of_rustworkx,
    ("rustworkx", "PyDiGraph"): graphs.of_rustworkx,
    ("networkit", "Graph"): graphs.of_networkit,
    ("torch_geometric", "Data"): graphs.of_torch_geometric,
    ("torch_geometric", "EdgeIndex"): graphs.of_edge_index,
    ("torch", "Tensor"): matrices.of_torch,
    ("jax", "BCOO"): matrices.of_jax_coordinates,
    ("jax", "BCSR"): matrices.of_jax_rows,
    ("sparse", "COO"): matrices.of_sparse,
    ("sparse", "GCXS"): matrices.of_sparse,
    ("sparse", "DOK"): matrices.of_sparse,
    ("graphblas", "Matrix"): matrices.of_graphblas,
    ("trimesh", "Trimesh"): meshes.of_trimesh,
    ("meshio", "Mesh"): meshes.of_meshio,
}
KNOWN = ", ".join(f"{module}.{name}" for module, name in _CONVERTERS)


@lru_cache(maxsize=256)
def converter_of(kind: type) -> Callable[[Any, bool], Any] | None:
    """The function that converts objects of this class, or of one that it is derived from."""
    for ancestor in kind.__mro__:
        converter = _CONVERTERS.get((ancestor.__module__.partition(".")[0], ancestor.__name__))
        if converter is not None:
            return converter
    return None
