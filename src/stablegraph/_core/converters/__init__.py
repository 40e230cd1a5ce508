"""Converters from classes of other libraries to types that `as_graph` accepts, by module and class.

The lookup imports nothing: the library of an existing object has already been imported. Each converter returns a type
that `as_graph` accepts in any case, on the same memory if the other library has suitable arrays, or an `EdgeList`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from . import graphs, matrices

# (first part of the module's name, class): the function that receives the object, and whether weights are wanted.
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
    ("trimesh", "Trimesh"): graphs.of_trimesh,
    ("meshio", "Mesh"): graphs.of_meshio,
}
KNOWN = ", ".join(f"{module}.{name}" for module, name in _CONVERTERS)


@lru_cache(maxsize=256)
def converter_of(kind: type) -> Callable[[Any, bool], Any] | None:
    """Return the function that converts objects of this class or of a base class of it; None if there is none."""
    for ancestor in kind.__mro__:
        converter = _CONVERTERS.get((ancestor.__module__.partition(".")[0], ancestor.__name__))
        if converter is not None:
            return converter
    return None


def table_hint(obj: Any) -> str:
    """Return a hint for the error message on how to convert a table of edges, or "" for other objects."""
    names = list(getattr(obj, "column_names", ()) or getattr(obj, "columns", ())) if hasattr(obj, "__getitem__") else []
    if len(names) < 2:
        return ""
    return f"from_table(table, {names[0]!r}, {names[1]!r}) takes two columns of a table; else "
