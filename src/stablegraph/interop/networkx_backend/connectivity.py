"""Components, breadth-first searches and spanning forests, in NetworkX's order.

Connected components are listed by their first nodes, strong ones without arcs to later ones.

Searches visit nodes in queue order, neighbors in the order of adjacency. `breadth_first_search` of this package
computes the distances. The order of visits is inherently serial. It comes from SciPy's search, which reads rows in
their order.

Spanning forests have the same edges, in the same order, as those of Kruskal's algorithm in NetworkX.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp
from networkx.algorithms.tree import mst
from scipy.sparse.csgraph import breadth_first_order

from ..._core.runtime.primitives import sort_by_key
from ...components import tarjan
from ...components.api import connected_components as label_components
from ...components.api import strongly_connected_components as label_strong_components
from ...components.bridges import bridges as find_bridges
from ...conversion import from_edges
from ...forest.api import minimum_spanning_forest
from ...graph import Graph
from ...traversal.api import breadth_first_search, reachable
from .graph import BackendGraph


def groups(G: BackendGraph, labels: Any, count: int) -> Iterator[set[Any]]:
    """Yield the set of nodes with each label, from label 0 on."""
    names = G.names(sort_by_key(labels))
    ends = np.cumsum(np.bincount(labels, minlength=count)).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        yield set(names[start:end])


def connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """Yield the connected components as sets of nodes; directions are ignored."""
    count, labels = label_components(G.graph)
    yield from groups(G, labels, count)


def number_connected_components(G: BackendGraph) -> int:
    """Return the number of connected components."""
    return label_components(G.graph)[0]


def bridges(G: BackendGraph, root: Any = None) -> Iterator[tuple[Any, Any]]:
    """Return an iterator over the bridges, first those of the first nodes."""
    if G.graph.has_loops:  # NetworkX's definition for loops is its own
        raise NotImplementedError("bridges are supported for graphs without loops")
    ends = find_bridges(G.graph)
    return zip(G.names(ends[:, 0]), G.names(ends[:, 1]), strict=True)


def has_bridges(G: BackendGraph, root: Any = None) -> bool:
    """Return whether the graph has a bridge."""
    return next(bridges(G), None) is not None


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components


def is_connected(G: BackendGraph) -> bool:
    """Return whether there is exactly one component; raise an error if the graph has no nodes."""
    _refuse_null_graph(G)
    return number_connected_components(G) == 1


is_weakly_connected = is_connected


def _refuse_null_graph(G: BackendGraph) -> None:
    """Raise NetworkX's error for a graph without nodes."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


def node_connected_component(G: BackendGraph, n: Hashable) -> set[Any]:
    """Return the component of one node."""
    return set(G.names(np.flatnonzero(reachable(G.graph, G.numbers[n]))))


def _order_of_completion(G: BackendGraph) -> tuple[int, Any]:
    """Return the number of components, and the number of each node's component in the order of completion.

    NetworkX searches nodes and neighbors in their order. So does `tarjan`, which numbers components from n downward.
    """
    completed = len(G) - tarjan.component_numbers(G.graph)
    return int(completed.max(initial=-1)) + 1, completed


def strongly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """Yield the strongly connected components as sets of nodes."""
    count, labels = _order_of_completion(G)
    yield from groups(G, labels, count)


def number_strongly_connected_components(G: BackendGraph) -> int:
    """Return the number of strongly connected components."""
    return label_strong_components(G.graph)[0]


def is_strongly_connected(G: BackendGraph) -> bool:
    """Return whether there is exactly one component; raise an error if the graph has no nodes."""
    _refuse_null_graph(G)
    return number_strongly_connected_components(G) == 1


def condensation(G: BackendGraph, scc: None = None) -> Any:
    """Return the graph of the strong components, with the nodes of each in its attribute "members"."""
    count, labels = _order_of_completion(G)
    result = nx.DiGraph()
    members = dict(enumerate(groups(G, labels, count)))
    result.graph["mapping"] = {name: c for c, component in members.items() for name in component}
    result.add_nodes_from((c, {"members": component}) for c, component in members.items())

    tails, heads = np.repeat(labels, np.diff(G.graph.indptr)), labels[G.graph.indices]
    between = tails != heads
    arcs = tails[between].astype(np.int64) * count + heads[between]
    arcs = arcs[np.sort(np.unique(arcs, return_index=True)[1])]  # each arc once, at its first occurrence
    result.add_edges_from(zip((arcs // max(count, 1)).tolist(), (arcs % max(count, 1)).tolist(), strict=True))
    return result


def _visits(graph: Graph, sources: list[int]) -> tuple[Any, Any, Any]:
    """Return the vertices in the order of visits, and the predecessor and the distance of each of them."""
    indptr, indices, n = graph.indptr, graph.indices, graph.num_vertices
    # Start from an additional vertex whose neighbors are the sources.
    indptr = np.append(indptr, indptr[-1] + len(sources)).astype(indptr.dtype)
    indices = np.append(indices, sources).astype(indices.dtype)
    matrix = sp.csr_array((np.ones(indices.size), indices, indptr), shape=(n + 1, n + 1))
    order, predecessors = breadth_first_order(matrix, n)
    order = order[1:]
    return order, predecessors[order], breadth_first_search(graph, np.array(sources, np.int64))[0][order]


def _within(distance: Any, limit: float | None) -> Any:
    """Return the number of visits of a search that does not expand vertices at distance `limit` or more."""
    if limit is None:
        return distance.size
    return np.searchsorted(distance, max(0, np.ceil(limit)), side="right")


def bfs_edges(
    G: BackendGraph,
    source: Hashable,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Yield the edges through which the search first reaches each node."""
    if source not in G:
        kind = "digraph" if G.is_directed() else "graph"
        raise nx.NetworkXError(f"The node {source} is not in the {kind}.")
    order, predecessors, distance = _visits(G.graph, [G.numbers[source]])
    end = _within(distance, depth_limit)
    yield from zip(G.names(predecessors[1:end]), G.names(order[1:end]), strict=True)


def bfs_tree(
    G: BackendGraph,
    source: Hashable,
    reverse: bool = False,
    depth_limit: float | None = None,
    sort_neighbors: Callable[..., Any] | None = None,
) -> Any:
    """Return the same edges as a NetworkX graph."""
    tree = nx.DiGraph()
    tree.add_node(source)
    tree.add_edges_from(bfs_edges(G, source, depth_limit=depth_limit))
    return tree


def bfs_layers(G: BackendGraph, sources: Any) -> Iterator[list[Any]]:
    """Yield the list of nodes at each distance from the sources."""
    nodes: Iterable[Any] = set([sources] if sources in G else sources)  # NetworkX uses the order of this set
    for source in nodes:
        if source not in G:
            raise nx.NetworkXError(f"The node {source} is not in the graph.")
    order, _, distance = _visits(G.graph, [G.numbers[source] for source in nodes])
    names, ends = G.names(order), np.cumsum(np.bincount(distance)).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        yield names[start:end]


def single_source_shortest_path_length(
    G: BackendGraph, source: Hashable, cutoff: float | None = None
) -> dict[Any, int]:
    """Return the distance of every node that can be reached, within the cutoff if there is one."""
    if source not in G:
        raise nx.NodeNotFound(f"Source {source} is not in G")
    order, _, distance = _visits(G.graph, [G.numbers[source]])
    end = _within(distance, cutoff)
    return dict(zip(G.names(order[:end]), distance[:end].tolist(), strict=True))


def _kruskal_edges(G: BackendGraph, values: Any, ignore_nan: bool, minimum: bool) -> tuple[Any, Any, Any]:
    """Return the edges of the forest in the order in which Kruskal's algorithm adds them: their ends and entries.

    NetworkX sorts edges by weight, and edges of equal weight in the order of ``G.edges``. The ranks in this order are
    distinct, so the minimum spanning forest by rank is unique, and it is NetworkX's forest.
    """
    graph = G.graph
    u, v = graph._rows(), graph.indices
    edges = np.flatnonzero(u <= v)  # in the order of ``G.edges``
    nan = np.isnan(values[edges])
    if nan.any() and not ignore_nan:
        entry = int(edges[np.argmax(nan)])
        tail, head = G.nodes[u[entry]], G.nodes[v[entry]]
        raise ValueError(f"NaN found as an edge weight. Edge {(tail, head, G.of_edge(tail, head, entry))}")
    edges = edges[~nan]
    if minimum:
        edges = edges[np.argsort(values[edges], kind="stable")]
    else:  # reverse before and after the stable sort, so that edges of equal weight keep their order
        edges = edges[::-1]
        edges = edges[np.argsort(values[edges], kind="stable")][::-1]
    by_rank = from_edges(u[edges], v[edges], np.arange(edges.size), len(G), symmetrize=True)
    edges = edges[np.sort(minimum_spanning_forest(by_rank).data)]
    return u[edges], v[edges], edges


def _forest_edges(
    G: BackendGraph, values: Any, data: bool, ignore_nan: bool, minimum: bool
) -> Iterator[tuple[Any, ...]]:
    """Yield edges as NetworkX does; errors are raised when the first edge is requested."""
    tails, heads, entries = _kruskal_edges(G, values, ignore_nan, minimum)
    pairs = zip(G.names(tails), G.names(heads), strict=True)
    if not data:
        yield from pairs
    else:
        for (u, v), entry in zip(pairs, entries.tolist(), strict=True):
            yield u, v, G.of_edge(u, v, entry)


def _spanning_edges(
    G: BackendGraph,
    algorithm: str = "kruskal",
    weight: Any = "weight",
    keys: bool = True,
    data: bool = True,
    ignore_nan: bool = False,
    *,
    minimum: bool,
) -> Iterator[tuple[Any, ...]]:
    """Yield the edges of a spanning forest, lightest first, or of a maximum spanning forest, heaviest first."""
    if algorithm not in mst.ALGORITHMS:
        raise ValueError(f"{algorithm} is not a valid choice for an algorithm.")
    return _forest_edges(G, G.values(weight), data, ignore_nan, minimum)


def _spanning_tree(
    G: BackendGraph, weight: Any = "weight", algorithm: str = "kruskal", ignore_nan: bool = False, *, minimum: bool
) -> Any:
    """Return the spanning forest as a NetworkX graph, with all attributes."""
    tree = G.without_edges()
    tree.add_edges_from(_spanning_edges(G, algorithm, weight, ignore_nan=ignore_nan, minimum=minimum))
    return tree


minimum_spanning_edges = partial(_spanning_edges, minimum=True)
maximum_spanning_edges = partial(_spanning_edges, minimum=False)
minimum_spanning_tree = partial(_spanning_tree, minimum=True)
maximum_spanning_tree = partial(_spanning_tree, minimum=False)
