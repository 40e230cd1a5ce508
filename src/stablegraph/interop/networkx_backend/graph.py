"""A graph of NetworkX's as the backend holds it: arrays for its structure, its own dictionaries for the rest.

Rows of the arrays keep the order of the adjacency dictionaries, because results of NetworkX's depend on it. Attributes
are not copied: they are read where a function asks for them, so one conversion serves all functions.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Protocol

import networkx as nx
import numpy as np

from ...csr.arrays import INT32_MAX, index_type
from ...exports import described
from ...graph import Graph

NAME = "stablegraph"


class Attributes(Protocol):
    """Where the attributes of a graph are."""

    def values(self, name: Any, default: Any) -> Any:
        """The attribute of every entry, as an array of numbers."""

    def of_edge(self, u: Hashable, v: Hashable, entry: int) -> dict[Any, Any]:
        """All attributes of an edge."""

    def without_edges(self, directed: bool, nodes: Iterable[Any]) -> Any:
        """A graph of NetworkX's with the same nodes and their attributes."""

    def described(self) -> str:
        """The edge attributes in a few words."""


class Dictionaries(NamedTuple):
    """The dictionaries of the graph that was converted, which are shared with it (the graph itself is not held)."""

    kind: type
    graph: dict[Any, Any]
    nodes: Mapping[Any, Any]
    adjacency: Mapping[Any, Any]

    def values(self, name: Any, default: Any) -> Any:
        rows = {u: self.adjacency[u] for u in self.nodes}
        if issubclass(self.kind, nx.DiGraph) or all(isinstance(row, dict) for row in rows.values()):
            return numbers_of([data.get(name, default) for row in rows.values() for data in row.values()])
        # An undirected view of arcs may have other attributes in each row: those of the first node count.
        place = {u: number for number, u in enumerate(rows)}
        edges = (row[v] if place[u] <= place[v] else rows[v][u] for u, row in rows.items() for v in row)
        return numbers_of([data.get(name, default) for data in edges])

    def of_edge(self, u: Hashable, v: Hashable, entry: int) -> dict[Any, Any]:
        return self.adjacency[u][v]  # type: ignore[no-any-return]

    def without_edges(self, directed: bool, nodes: Iterable[Any]) -> Any:
        result = self.kind()
        result.graph.update(self.graph)
        result.add_nodes_from(self.nodes.items())
        return result

    def described(self) -> str:
        return "all edge attributes"


class Column(NamedTuple):
    """One attribute, or none, of a graph that never was one of NetworkX's."""

    name: Any = None
    numbers: Any = None  # one an entry

    def values(self, name: Any, default: Any) -> Any:
        return self.numbers if self.numbers is not None and name == self.name else default

    def of_edge(self, u: Hashable, v: Hashable, entry: int) -> dict[Any, Any]:
        return {} if self.numbers is None else {self.name: self.numbers[entry].item()}

    def without_edges(self, directed: bool, nodes: Iterable[Any]) -> Any:
        result = nx.DiGraph() if directed else nx.Graph()
        result.add_nodes_from(nodes)
        return result

    def described(self) -> str:
        return "no edge attributes" if self.numbers is None else f"edge attribute {self.name!r} ({self.numbers.dtype})"


class BackendGraph:
    """A graph that NetworkX hands to the functions of this backend.

    Attributes
    ----------
    graph : Graph
        The structure: without weights, without repeated entries, rows in the order of adjacency.
    nodes : sequence
        The name of each vertex, in the order of NetworkX.
    """

    __networkx_backend__ = NAME

    def __init__(self, graph: Graph, nodes: Sequence[Any], attributes: Attributes, multigraph: bool = False) -> None:
        self.graph, self.nodes, self._attributes, self._multigraph = graph, nodes, attributes, multigraph
        self.__networkx_cache__: dict[str, Any] = {}

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """The number of each node."""
        return {name: v for v, name in enumerate(self.nodes)}

    def is_directed(self) -> bool:
        """Whether edges are arcs."""
        return self.graph.directed

    def is_multigraph(self) -> bool:
        """Whether it may have parallel edges, which are one entry here."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """The number of nodes."""
        return self.graph.num_vertices

    def __len__(self) -> int:
        return self.graph.num_vertices

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, name: Any) -> bool:
        try:
            return name in self.numbers
        except TypeError:  # what cannot be hashed is no node
            return False

    def names(self, vertices: Any) -> list[Any]:
        """The nodes with these numbers."""
        numbers: list[int] = vertices.tolist()
        return numbers if isinstance(self.nodes, range) else [self.nodes[v] for v in numbers]

    def values(self, name: Any, default: Any = 1) -> Any:
        """An attribute of every entry, as an array of numbers; `default` where an edge has none."""
        return np.broadcast_to(self._attributes.values(name, default), self.graph.num_entries)

    def of_edge(self, u: Hashable, v: Hashable, entry: int) -> dict[Any, Any]:
        """The attributes of the edge from u to v, whose place among all entries is given."""
        return self._attributes.of_edge(u, v, entry)

    def without_edges(self) -> Any:
        """A graph of NetworkX's with these nodes and their attributes."""
        return self._attributes.without_edges(self.is_directed(), self.nodes)

    def to_networkx(self) -> Any:
        """A copy as a graph of NetworkX's, with all attributes."""
        result = self.without_edges()
        if isinstance(self._attributes, Dictionaries):
            rows = self._attributes.adjacency.items()
            edges: Iterator[Any] = ((u, v, data) for u, row in rows for v, data in row.items())
            if self._multigraph:
                edges = ((u, v, key, data) for u, v, keys in edges for key, data in keys.items())
            result.add_edges_from(edges)
        else:
            ends = self.names(self.graph._rows()), self.names(self.graph.indices)
            values, name = self._attributes.numbers, self._attributes.name  # type: ignore[attr-defined]
            if values is None:
                result.add_edges_from(zip(*ends, strict=True))
            else:
                result.add_weighted_edges_from(zip(*ends, values.tolist(), strict=True), weight=name)
        return result

    def __getattr__(self, name: str) -> Any:
        is_networkx = not name.startswith("_") and hasattr(nx.MultiDiGraph, name)
        cure = f"; use .to_networkx().{name}" if is_networkx else ""
        raise AttributeError(f"BackendGraph has no attribute {name!r}{cure}", name=name, obj=self)

    def __repr__(self) -> str:
        facts = described(self.graph) | {"weights": self._attributes.described()}
        return f"<BackendGraph: {', '.join(facts.values())}>"


def structure(indptr: Any, indices: Any, directed: bool) -> Graph:
    """A Graph of rows without repeated entries, symmetric if it is undirected."""
    wide = indices.size > INT32_MAX or indices.dtype == np.int64
    indptr = indptr.astype(np.int64 if wide else np.int32, copy=False)
    return Graph._trusted(indptr, indices, directed=directed, facts={"duplicates": 0})


def numbers_of(values: Iterable[Any]) -> Any:
    """Values of an attribute as an array in which they compare as they do in Python; NotImplementedError for others."""
    values = list(values)
    try:
        array = np.asarray(values if values else np.empty(0, np.int64))
    except (ValueError, OverflowError):
        array = np.empty(0, object)
    if array.shape != (len(values),) or array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
        raise NotImplementedError("an edge attribute is not a number of at most 64 bits")
    if array.dtype.kind == "f" and (abs(array) >= 2.0**53).any() and not all(isinstance(w, float) for w in values):
        raise NotImplementedError("an edge attribute has integers beyond 2**53 among floats")
    return array


def convert_from_nx(graph: Any, **_preserve: Any) -> BackendGraph:
    """Convert a NetworkX graph of any kind. All attributes are preserved, whatever `_preserve` requests.

    NetworkX clears the cache of a graph when a method changes it, but not the caches of its views. A view therefore
    gets none, as NetworkX does it for graphs that change without their methods.
    """
    if hasattr(graph, "_graph"):  # a view: NetworkX stores the viewed graph in it
        graph.__networkx_cache__ = None
    earlier = already_converted(graph)
    if earlier is not None:
        return earlier
    nodes: Sequence[Any] = list(graph)
    n, adjacency = len(nodes), graph._adj
    rows = [adjacency[u] for u in nodes]
    if not all(isinstance(row, dict) for row in rows):  # views of parts, whose lengths are not always right
        rows = [list(row) for row in rows]
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, n), out=indptr[1:])
    ends: Iterable[Any] = chain.from_iterable(rows)
    numbers = None
    if set(map(type, nodes)) <= {int} and nodes == list(range(n)):
        nodes = range(n)
    else:
        numbers = {name: v for v, name in enumerate(nodes)}
        ends = map(numbers.__getitem__, ends)
    indices: Any = np.fromiter(ends, index_type(n), int(indptr[-1]))
    attributes = Dictionaries(graph.__class__, graph.graph, graph._node, adjacency)
    result = BackendGraph(structure(indptr, indices, graph.is_directed()), nodes, attributes, graph.is_multigraph())
    if numbers is not None:
        result.numbers = numbers
    return result


def already_converted(graph: Any) -> BackendGraph | None:
    """What an earlier call made of a graph and NetworkX has kept, for whatever attributes."""
    cache = getattr(graph, "__networkx_cache__", None) or {}
    if not nx.config.cache_converted_graphs:
        return None
    kept = cache.get("backends", {}).get(NAME, {}).values()
    return next((one for one in kept if isinstance(one, BackendGraph)), None)


def convert_to_nx(obj: Any, **_names: Any) -> Any:
    """A graph of this backend as one of NetworkX's; anything else as it is."""
    return obj.to_networkx() if isinstance(obj, BackendGraph) else obj
