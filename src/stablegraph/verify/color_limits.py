"""Verification of the constraints of colorings: fixed colors, allowed and forbidden colors, capacities.

Each function names the first violation in a sentence, or returns None. Names of vertices are looked up one by one, so
that no code is shared with the coloring functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._core.validation import host_array, integer
from ..graph import Graph
from .checks import integer_each, vertex


def explain_limits(
    graph: Graph, colors: np.ndarray, capacity: Any, sizes: Any, allowed: Any, forbidden: Any, fixed: Any
) -> str | None:
    """Explain which constraint a coloring violates, or return None; the graph and the colors are in host memory."""
    if sizes is not None and capacity is None:
        raise ValueError("sizes need a capacity per color: pass capacity=")
    return (
        (None if fixed is None else _changed_color(graph, colors, fixed))
        or (None if allowed is None else _wrong_color(graph, colors, allowed, True))
        or (None if forbidden is None else _wrong_color(graph, colors, forbidden, False))
        or (None if capacity is None else _full_color(graph, colors, capacity, sizes))
    )


def _changed_color(graph: Graph, colors: np.ndarray, fixed: Any) -> str | None:
    """Name a vertex whose color is not the fixed one."""
    if isinstance(fixed, Mapping):
        pairs = list(_by_vertex(graph, fixed, "fixed"))
    else:
        array = integer_each(fixed, graph, "fixed")
        pairs = [(int(v), int(array[v])) for v in np.flatnonzero((array >= 0) & (array != colors))[:1]]
    for v, color in pairs:
        if colors[v] != color:
            return f"{vertex(graph, v)} is fixed to color {color}, but has color {colors[v]}"
    return None


def _wrong_color(graph: Graph, colors: np.ndarray, lists: Any, must_contain: bool) -> str | None:
    """Name a vertex whose color is not in its list of allowed colors, or is in its list of forbidden colors."""
    name = "allowed" if must_contain else "forbidden"
    wrong: int | None = None
    if isinstance(lists, Mapping):
        for v, values in _by_vertex(graph, lists, name):
            listed_colors = list(values) if isinstance(values, Iterable) else [values]
            if (int(colors[v]) in listed_colors) != must_contain:
                wrong = v
                break
    else:
        mask = host_array(lists, name)
        if mask.dtype != bool or mask.ndim != 2 or mask.shape[0] != graph.num_vertices:
            raise ValueError(
                f"{name} must be a dict, or a boolean array of shape ({graph.num_vertices}, colors); got an array of "
                f"{mask.dtype} of shape {mask.shape}"
            )
        exists = colors < mask.shape[1]
        listed = np.zeros(colors.size, bool)
        listed[exists] = mask[exists, colors[exists]]
        culprits = np.flatnonzero(listed != must_contain if must_contain else listed | ~exists)
        wrong = int(culprits[0]) if culprits.size else None
    if wrong is None:
        return None
    return (
        f"{vertex(graph, wrong)} has color {colors[wrong]}, which is {'not allowed' if must_contain else 'forbidden'}"
    )


def _full_color(graph: Graph, colors: np.ndarray, capacity: Any, sizes: Any) -> str | None:
    """Name a color whose vertices exceed its capacity."""
    if isinstance(capacity, int):
        capacity = min(capacity, 2**63 - 1)  # Python's integers may be larger than those of NumPy
    limits = host_array(capacity, "capacity")
    if limits.ndim > 1 or limits.dtype.kind not in "iu":
        raise TypeError(f"capacity must be an integer or an integer for each color, got dtype {limits.dtype}")
    amounts = [1] * graph.num_vertices if sizes is None else integer_each(sizes, graph, "sizes").tolist()
    loads: dict[int, int] = {}
    for color, amount in zip(colors.tolist(), amounts, strict=True):
        loads[color] = loads.get(color, 0) + amount
    for color, load in sorted(loads.items()):
        if limits.ndim and color >= limits.size:
            return f"color {color} is in use, but capacity has only {limits.size} colors"
        room = int(limits[color] if limits.ndim else limits)
        if load > room:
            what = "vertices" if sizes is None else "in total size"
            return f"color {color} has {load} {what}, but its capacity is {room}"
    return None


def _by_vertex(graph: Graph, values: Mapping[Any, Any], name: str) -> Iterator[tuple[int, Any]]:
    """Yield the vertex and the value of each item of a dict of names, or of numbers if vertices have no names."""
    last = graph.num_vertices - 1
    for key, value in values.items():
        if graph.nodes is None:
            yield integer(key, f"a vertex in {name}", minimum=0, maximum=last), value
        else:
            yield int(graph.index([key])[0]), value
