"""Names of vertices: conversion of names to numbers, and the form of a vertex in messages.

Any hashable object can be a name, as in NetworkX. Where an argument may contain numbers, a mask or names, an integer is
always the number of a vertex, and anything but a number is a name, whatever container holds it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from numbers import Number, Real
from typing import Any

import numpy as np

from .texts import printable

_NUMBERS: Any = (Real, np.bool_)  # a type that type checkers cannot compare
_SEVERAL = -1  # marks a name that several vertices have


def are_names(ends: np.ndarray) -> bool:
    """Return whether the ends of edges are names: texts, or objects that are not all numbers."""
    kind = ends.dtype.kind
    return kind in "UST" or (kind == "O" and not all(isinstance(end, (Number, np.bool_)) for end in ends.flat))


@dataclass(frozen=True)
class OwnNumbers:
    """The default names of `n` vertices without `nodes`: their numbers."""

    n: int

    def get(self, name: Any) -> int:
        """Return the number if it is a vertex; raise ValueError for anything else."""
        if isinstance(name, _NUMBERS) and 0 <= name < self.n and int(name) == name:
            return int(name)
        raise ValueError(
            f"the vertices of this graph have no names: pass their numbers, which are less than {self.n}; got "
            f"{shown_name(name)}"
        )

    def __contains__(self, name: object) -> bool:
        return isinstance(name, Number)


def numbers_by_name(nodes: Iterable[Any]) -> Any:
    """Return the number of each name, -1 for repeated names. The names of a table are returned as they are."""
    if hasattr(nodes, "get"):
        return nodes
    numbers: dict[Hashable, int] = {}
    for v, name in enumerate(nodes):
        numbers[name] = _SEVERAL if name in numbers else v
    return numbers


def names_of(vertices: np.ndarray, nodes: Sequence[Any]) -> Sequence[Any]:
    """Return the names of some vertices; names in a table stay in a table."""
    return nodes.at(vertices) if hasattr(nodes, "at") else [nodes[v] for v in vertices.tolist()]


def number_of(name: Any, numbers: Any) -> int:
    """Return the number of the vertex with this name."""
    try:
        v: int | None = numbers.get(name)
    except TypeError:  # not hashable, so it is no name
        v = None
    if v is None:
        raise ValueError(f"no vertex is named {shown_name(name)}; the names are graph.nodes")
    if v == _SEVERAL:
        raise ValueError(f"several vertices are named {shown_name(name)}: pass the number of the one that is meant")
    return v


def find(names: Any, numbers: Any) -> int | np.ndarray:
    """Return the number of one name, or an array with the numbers of several names."""
    names = python_objects(names)
    one = isinstance(names, (str, bytes)) or not isinstance(names, Iterable)
    if one or is_name(names, numbers):
        return number_of(names, numbers)
    refuse_mapping(names, "vertices")
    return np.array([number_of(name, numbers) for name in names], np.int64)


def is_name(value: Any, numbers: Any) -> bool:
    """Return whether a container is itself the name of a vertex, such as a tuple."""
    try:
        return isinstance(value, Hashable) and value in numbers
    except TypeError:  # a tuple with an element that is not hashable
        return False


def python_objects(values: Any) -> Any:
    """Return the elements of an array, a tensor or a column as a list of Python objects, and anything else unchanged.

    Objects of these libraries are equal to the names, but have other hash values.
    """
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    if isinstance(values, np.generic) or (isinstance(kind, str) and kind in "mMV" and kind):
        return values  # NumPy would return dates as integers
    for method in ("to_pylist", "as_py", "tolist", "to_list"):  # Arrow's arrays and scalars, NumPy and most, polars
        if hasattr(values, method):
            return getattr(values, method)()
    return values


def refuse_mapping(values: Any, name: str) -> None:
    """Raise TypeError for a dict, in which the keys or the values might be the vertices."""
    if isinstance(values, Mapping) and not isinstance(values, Set):  # NetworkX's views of nodes are both
        raise TypeError(f"{name} are given by one name or a sequence of names, not by a {type(values).__name__}")


def refuse_other_order(values: Any, name: str, graph: Any, by_name: str = "") -> None:
    """Raise ValueError for a Series or a DataFrame of pandas whose index has names of vertices in another order.

    NumPy would read its values by position. An index without names of the graph, such as 0, 1, .., is no contradiction.
    `by_name` is the code that selects by name; by default that for values.
    """
    labels: Any = getattr(values, "index", None)
    if labels is None or callable(labels) or not hasattr(values, "to_numpy"):
        return
    nodes: Any = getattr(graph, "_numbers_by_name", None) and graph.nodes  # None for a graph in partitions
    if nodes is None:
        return
    if (getattr(labels, "start", None), getattr(labels, "step", None)) == (0, 1):
        return
    labels = python_objects(labels)
    if labels == list(range(len(labels))) or labels == list(nodes) or set(labels).isdisjoint(nodes):
        return
    by_name = by_name or (f"{name}.to_dict()" if np.ndim(values) == 1 else f"{name}.reindex(graph.nodes).to_numpy()")
    raise ValueError(
        f"{name} is indexed by names of vertices, but not in the order of graph.nodes: pass {by_name} to match the "
        f"names, or {name}.to_numpy() if the values are in the order of the vertices"
    )


def number_ends(u: Any, v: Any, nodes: Sequence[Any] | None) -> tuple[np.ndarray, np.ndarray, Sequence[Any]]:
    """Return numbers for edges that are given by the names of their ends, and the names by number.

    Names are numbered in the order of the edges, (u[0], v[0], u[1], ...), as in NetworkX, or by their order in `nodes`.
    """
    for end, what in ((u, "u"), (v, "v")):
        if np.ndim(end) != 1:
            raise ValueError(f"{what} must be one-dimensional, got shape {np.shape(end)}")
    if len(u) != len(v):
        raise ValueError(f"u and v must have equal lengths, got {len(u)} and {len(v)}")
    ends = [end.tolist() if isinstance(end, np.ndarray) else list(end) for end in (u, v)]
    if nodes is None:
        along_edges = chain.from_iterable(zip(*ends, strict=True))
        numbers = {name: x for x, name in enumerate(dict.fromkeys(along_edges))}
        nodes = list(numbers)
        for name in nodes:
            if _is_missing(name):
                e = next(e for e, edge in enumerate(zip(*ends, strict=True)) if any(map(_is_missing, edge)))
                raise ValueError(f"edge {e} ({ends[0][e]}, {ends[1][e]}) has an end without a name: leave it out")
        first, second = (np.fromiter(map(numbers.__getitem__, end), np.int64, len(end)) for end in ends)
    else:
        numbers = numbers_by_name(nodes)
        first, second = (np.array([number_of(name, numbers) for name in end], np.int64) for end in ends)
    return first, second, nodes


def _is_missing(name: Any) -> bool:
    """Return whether a name is None, NaN, or a missing value of a table."""
    try:
        return name is None or bool(name != name)
    except (TypeError, ValueError):
        return True


def shown_entry(u: int, v: int, nodes: Sequence[Any] | None) -> str:
    """Return the entry (u, v) as text for a message, with the names of its ends if vertices have names."""
    return f"({shown_vertex(u, nodes)}, {shown_vertex(v, nodes)})"


def shown_vertex(v: int, nodes: Sequence[Any] | None) -> str:
    """Return the text for vertex v in a message: its name if it has one, otherwise its number."""
    return str(v) if nodes is None else shown_name(nodes[int(v)])


def shown_name(name: Any) -> str:
    """Return the text of a name in a message."""
    return repr(str(name)) if isinstance(name, str) else printable(str(name))
