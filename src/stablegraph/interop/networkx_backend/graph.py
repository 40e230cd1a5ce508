"""The backend's representation of a NetworkX graph: arrays for the structure, NetworkX's dictionaries for attributes.

Rows of the arrays keep the order of the adjacency dictionaries, because results of NetworkX depend on it. Attributes
are not copied: they are read when a function needs them, so that one conversion serves all functions.

SciPy matrices and pandas tables are converted without intermediate dictionaries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import scipy.sparse as sp

from ..._core.csr.arrays import INT32_MAX, index_type
from ..._core.representation import described
from ..._core.runtime import Array
from ..._core.runtime.primitives import sort_by_key
from ...conversion import as_graph, from_edges
from ...graph import Graph

NAME = "stablegraph"


class Dictionaries(NamedTuple):
    """The attributes of a graph from NetworkX: its dictionaries, which are shared with it."""

    kind: type
    graph: dict[Any, Any]
    nodes: Mapping[Any, Any]
    adjacency: Mapping[Any, Any]

    def values(self, name: Any, default: Any) -> Any:
        """Return the attribute of every entry as an array of numbers, the sum of parallel edges."""
        rows = {u: self.adjacency[u] for u in self.nodes}
        if issubclass(self.kind, nx.DiGraph) or all(isinstance(row, dict) for row in rows.values()):
            edges = (data for row in rows.values() for data in row.values())
        else:  # an undirected view of a directed graph may have different attributes in each row: use the first node's
            place = {u: number for number, u in enumerate(rows)}
            edges = (row[v] if place[u] <= place[v] else rows[v][u] for u, row in rows.items() for v in row)
        if issubclass(self.kind, nx.MultiGraph):
            return numbers_of(sum(data.get(name, default) for data in parallel.values()) for parallel in edges)
        return numbers_of(data.get(name, default) for data in edges)

    def of_edge(self, u: Hashable, v: Hashable, entry: int) -> dict[Any, Any]:
        """Return all attributes of an edge."""
        return self.adjacency[u][v]  # type: ignore[no-any-return]

    def without_edges(self, directed: bool, nodes: Iterable[Any]) -> Any:
        """Return a NetworkX graph with the same nodes and node attributes, but without edges."""
        result = self.kind()
        result.graph.update(self.graph)
        result.add_nodes_from(self.nodes.items())
        return result

    def described(self) -> str:
        """Return a short description of the edge attributes."""
        return "all edge attributes"


class Column(NamedTuple):
    """At most one edge attribute, for a graph that does not come from a NetworkX graph."""

    name: Hashable = None
    numbers: Array | None = None  # one per entry

    def values(self, name: Any, default: Any) -> Any:
        """Return the attribute of every entry as an array of numbers, the sum of parallel edges."""
        return self.numbers if self.numbers is not None and name == self.name else default

    def of_edge(self, u: Hashable, v: Hashable, entry: int) -> dict[Any, Any]:
        """Return all attributes of an edge."""
        return {} if self.numbers is None else {self.name: self.numbers[entry].item()}

    def without_edges(self, directed: bool, nodes: Iterable[Any]) -> Any:
        """Return a NetworkX graph with the same nodes and node attributes, but without edges."""
        result = nx.DiGraph() if directed else nx.Graph()
        result.add_nodes_from(nodes)
        return result

    def described(self) -> str:
        """Return a short description of the edge attributes."""
        return "no edge attributes" if self.numbers is None else f"edge attribute {self.name!r} ({self.numbers.dtype})"


Attributes = Dictionaries | Column


class BackendGraph:
    """The graph that NetworkX passes to the functions of this backend.

    Attributes
    ----------
    graph : Graph
        The structure: without weights and repeated entries, rows in the order of the adjacency dictionaries.
    nodes : sequence
        The name of each vertex, in NetworkX's order.
    """

    __networkx_backend__ = NAME

    def __init__(self, graph: Graph, nodes: Sequence[Any], attributes: Attributes, multigraph: bool = False) -> None:
        self.graph, self.nodes, self._attributes, self._multigraph = graph, nodes, attributes, multigraph
        self.__networkx_cache__: dict[str, Any] = {}

    @cached_property
    def numbers(self) -> dict[Any, int]:
        """The vertex number of each node."""
        return {name: v for v, name in enumerate(self.nodes)}

    def is_directed(self) -> bool:
        """Return whether edges are arcs."""
        return self.graph.directed

    def is_multigraph(self) -> bool:
        """Return whether the graph may have parallel edges, which are one entry in the arrays."""
        return self._multigraph

    def number_of_nodes(self) -> int:
        """Return the number of nodes."""
        return self.graph.num_vertices

    def __len__(self) -> int:
        return self.graph.num_vertices

    def __iter__(self) -> Iterator[Any]:
        return iter(self.nodes)

    def __contains__(self, name: Any) -> bool:
        try:
            return name in self.numbers
        except TypeError:  # an unhashable object is not a node
            return False

    def names(self, vertices: Any) -> list[Any]:
        """Return the names of the given vertices."""
        numbers: list[int] = vertices.tolist()
        return numbers if isinstance(self.nodes, range) else [self.nodes[v] for v in numbers]

    def values(self, name: Any, default: Any = 1) -> Any:
        """Return an attribute of every entry as an array of numbers; `default` for edges without the attribute.

        Parallel edges are one entry: their sum.
        """
        return np.broadcast_to(self._attributes.values(name, default), self.graph.num_entries)

    def of_edge(self, u: Hashable, v: Hashable, entry: int) -> dict[Any, Any]:
        """Return the attributes of the edge from u to v, given its index among all entries."""
        return self._attributes.of_edge(u, v, entry)

    def without_edges(self) -> Any:
        """Return a NetworkX graph with the same nodes and node attributes, but without edges."""
        return self._attributes.without_edges(self.is_directed(), self.nodes)

    def to_networkx(self) -> Any:
        """Return a copy as a NetworkX graph, with all attributes."""
        result = self.without_edges()
        if isinstance(self._attributes, Dictionaries):
            rows = self._attributes.adjacency.items()
            edges: Iterator[Any] = ((u, v, data) for u, row in rows for v, data in row.items())
            if self._multigraph:
                edges = ((u, v, key, data) for u, v, keys in edges for key, data in keys.items())
            result.add_edges_from(edges)
        else:
            ends = self.names(self.graph._rows()), self.names(self.graph.indices)
            name, values = self._attributes
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
    """Return a Graph of rows without repeated entries, which must be symmetric if it is undirected."""
    wide = indices.size > INT32_MAX or indices.dtype == np.int64
    indptr = indptr.astype(np.int64 if wide else np.int32, copy=False)
    return Graph._trusted(indptr, indices, directed=directed, facts={"duplicates": 0})


def numbers_of(values: Iterable[Any]) -> Any:
    """Return values of an attribute as an array that compares like the values; else raise NotImplementedError."""
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

    NetworkX clears the cache of a graph when a method changes it, but not the caches of its views. Therefore the cache
    of a view is disabled, as NetworkX does for graphs that can change without method calls.
    """
    if hasattr(graph, "_graph"):  # a view: NetworkX stores the viewed graph in it
        graph.__networkx_cache__ = None
    earlier = already_converted(graph)
    if earlier is not None:
        return earlier
    nodes: Sequence[Any] = list(graph)
    n, adjacency = len(nodes), graph._adj
    rows = [adjacency[u] for u in nodes]
    if not all(isinstance(row, dict) for row in rows):  # rows of subgraph views, whose lengths may be wrong
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
    """Return the result of an earlier conversion from NetworkX's cache, regardless of its attributes, or None."""
    cache = getattr(graph, "__networkx_cache__", None) or {}
    if not nx.config.cache_converted_graphs:
        return None
    cached = cache.get("backends", {}).get(NAME, {}).values()
    return next((one for one in cached if isinstance(one, BackendGraph)), None)


def convert_to_nx(obj: Any, **_names: Any) -> Any:
    """Convert a graph of this backend to a NetworkX graph; return anything else unchanged."""
    return obj.to_networkx() if isinstance(obj, BackendGraph) else obj


def from_scipy_sparse_array(
    A: Any, parallel_edges: bool = False, create_using: Any = None, edge_attribute: Any = "weight"
) -> BackendGraph:
    """Return a graph whose nodes are the row numbers of a matrix."""
    if A.shape[0] != A.shape[1]:
        raise nx.NetworkXError(f"Adjacency matrix not square: nx,ny={A.shape}")
    arcs = as_graph(A, directed=True)
    graph = arcs if create_using is nx.DiGraph else _lower_triangle_first(arcs)
    rows = structure(graph.indptr, graph.indices, graph.directed)
    return BackendGraph(rows, range(len(graph)), Column(edge_attribute, graph.weights))


def _lower_triangle_first(arcs: Graph) -> Graph:
    """Return the undirected graph of entries; of (u, v) and (v, u) the one on or below the diagonal is used.

    NetworkX does the same, because it reads that entry last.
    """
    u, v, w, n = arcs._rows().astype(np.int64), arcs.indices.astype(np.int64), arcs.weights, len(arcs)
    below = u >= v
    alone = ~below
    if arcs.is_symmetric:
        alone[:] = False
    else:
        alone[alone] = np.isin(v[alone] * n + u[alone], u[below] * n + v[below], invert=True)
    taken = below | alone
    return from_edges(u[taken], v[taken], w[taken], n, symmetrize=True)


def to_scipy_sparse_array(
    G: BackendGraph, nodelist: None = None, dtype: Any = None, weight: Any = "weight", format: str = "csr"
) -> Any:
    """Return the adjacency matrix, with sorted rows."""
    n = len(G)
    if not n:
        raise nx.NetworkXError("Graph has no nodes or edges")
    values = np.array(G.values(weight) if G.graph.num_entries else [], dtype)  # no edges: float64, as in NetworkX
    matrix: Any = sp.csr_array((values, G.graph.indices.copy(), G.graph.indptr.copy()), shape=(n, n))
    matrix.sort_indices()
    try:
        return matrix.asformat(format)
    except ValueError as error:
        raise nx.NetworkXError(f"Unknown sparse matrix format: {format}") from error


def from_pandas_edgelist(
    df: Any,
    source: Any = "source",
    target: Any = "target",
    edge_attr: Any = None,
    create_using: Any = None,
    edge_key: Any = None,
) -> BackendGraph:
    """Return a graph of the edges in a table; nodes and neighbors have the order of their first occurrence."""
    import pandas as pd

    directed = create_using is nx.DiGraph
    ends = pd.concat([df[source], df[target]], ignore_index=True)
    m = len(df)
    along_edges = np.arange(2 * m).reshape(2, m).T.ravel()
    numbers, names = pd.factorize(ends.take(along_edges))
    if numbers.min(initial=0) < 0:
        raise NotImplementedError("an end of an edge is missing")
    n = len(names)
    numbers = numbers.astype(index_type(n))
    first, last = _distinct(numbers[::2].astype(np.int64), numbers[1::2].astype(np.int64), n, directed)
    u, v, w = numbers[::2][first], numbers[1::2][first], None if edge_attr is None else df[edge_attr].to_numpy()[last]

    rows, heads, edges = u, v, np.arange(first.size)
    if not directed:  # add each edge to the rows of both ends, but a loop only once
        both = np.ones((first.size, 2), bool)
        both[:, 1] = u != v
        rows, heads = np.column_stack([u, v])[both], np.column_stack([v, u])[both]
        edges = np.column_stack([edges, edges])[both]
    order = sort_by_key(rows)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=n), out=indptr[1:])
    graph = structure(indptr, np.ascontiguousarray(heads[order]), directed)
    return BackendGraph(graph, names.tolist(), Column(edge_attr, None if w is None else w[edges[order]]))


def _distinct(u: Any, v: Any, n: int, directed: bool) -> tuple[Any, Any]:
    """Return the first and the last row of each edge, in the order of first rows; the last row has its attribute."""
    key = u * n + v if directed else np.minimum(u, v) * n + np.maximum(u, v)
    _, first = np.unique(key, return_index=True)
    _, last = np.unique(key[::-1], return_index=True)
    order = np.argsort(first)
    return first[order], key.size - 1 - last[order]
