"""Values of vertices as arguments: arrays in the order of the vertices, dicts by name, orders; weights of entries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .runtime.primitives import extent
from .validation import choice, host_array, integer, is_spread, refuse_dict_in_partitions
from .vertex_names import number_of, refuse_other_order, shown_entry, shown_vertex


def vertices_of_keys(values: Mapping[Any, Any], name: str, graph: Any) -> list[int]:
    """Return the vertices that are the keys of an argument: names, or numbers if vertices have no names."""
    last = graph.num_vertices - 1
    if graph.nodes is None:
        return [integer(v, f"a vertex in {name} (vertices have no names)", minimum=0, maximum=last) for v in values]
    try:
        return [number_of(key, graph._numbers_by_name()) for key in values]
    except ValueError as error:
        example = f", such as {shown_vertex(0, graph.nodes)}" if last >= 0 else ""
        raise ValueError(f"{name}: {error}{example}") from None


def in_vertex_order(values: Any, name: str, graph: Any) -> Any:
    """Return the values of a dict {name: value} as a list in the order of the vertices, and a column (n, 1) as a row.

    Anything else is unchanged. A column is the form of vertex weights in ``graph.facts``.
    """
    if isinstance(values, np.ndarray) and values.shape == (graph.num_vertices, 1):
        return values[:, 0]
    refuse_dict_in_partitions(values, name, graph)
    if not isinstance(values, Mapping):
        refuse_other_order(values, name, graph)
        return values
    by_vertex = dict(zip(vertices_of_keys(values, name, graph), values.values(), strict=True))
    missing = [v for v in range(graph.num_vertices) if v not in by_vertex]
    if missing:
        first = shown_vertex(missing[0], graph.nodes)
        others = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        raise ValueError(
            f"{name} has no value for vertex {first}{others}: pass one for every vertex, such as {name}={{{first}: 1, "
            "...}"
        )
    return [by_vertex[v] for v in range(graph.num_vertices)]


def ranking(value: Any, name: str, known: Iterable[str], graph: Any, *, otherwise: str) -> Any:
    """Return an order of the vertices of a graph: a known name, or an array with a real number for each vertex.

    The array is in host memory, except for a Dask array of a graph in partitions, whose partitions find NaN.
    """
    if isinstance(value, str):
        return choice(value, name, known, otherwise=otherwise)
    n, value = graph.num_vertices, in_vertex_order(value, name, graph)
    values = value if is_spread(value, graph) else host_array(value, name)
    if values.dtype.kind not in "buif" or values.dtype.itemsize > 8:
        raise TypeError(
            f"{name} must be one of {', '.join(known)}, or an array of real numbers; got dtype {values.dtype}"
        )
    if values.shape != (n,):
        raise ValueError(f"{name} must have one number for each of the {n} vertices, got shape {values.shape}")
    if values.dtype.kind == "f" and not is_spread(value, graph) and np.isnan(values).any():
        raise ValueError(f"{name} is NaN at vertex {int(np.isnan(values).argmax())}, which has no place in an order")
    return values


def checked_weights(graph: Any, weights: Any, without: str = "weights=False", *, narrow: bool = False) -> Any:
    """Return the weights of a graph's entries as int64 or float64, or None if all are 1.

    `without` is the option of the caller's function that ignores weights. With `narrow`, int32 remains int32.
    """
    weights = graph.weights if weights is None else weights
    if weights is None or weights is False:
        return None
    values = host_array(weights, "weights")
    if values.dtype.kind not in "buif" or values.dtype.itemsize > 8:
        raise TypeError(f"weights must be real numbers of at most 64 bits, got dtype {values.dtype}")
    if values.shape != (graph.num_entries,):
        raise ValueError(
            f"weights has shape {values.shape}, but the graph has {graph.num_entries} entries: expected shape "
            f"({graph.num_entries},), in the order of graph.indices; pass weights=False to ignore weights"
        )
    is_plain = values.dtype in (np.int32, np.int64, np.float64) and values.flags.c_contiguous and values.flags.aligned
    smallest, largest = 0, 0
    if values.size:
        smallest, largest = extent(values) if is_plain else (values.min(), values.max())
    if not (smallest >= 0 and largest < np.inf):
        e = int(np.argmin((values >= 0) & (values < np.inf)))
        u = int(np.searchsorted(graph.indptr, e, side="right")) - 1
        raise ValueError(
            f"the weight of entry {shown_entry(u, int(graph.indices[e]), graph.nodes)} is {values[e]}: weights must be "
            f"finite and at least 0; pass {without} to ignore them"
        )
    if values.dtype in (np.int64, np.uint64) and largest > 2**62:
        values = np.minimum(values, 2**62)
    integers = np.int32 if narrow and values.dtype == np.int32 else np.int64
    return np.require(values, np.float64 if values.dtype.kind == "f" else integers, ["C", "A"])
