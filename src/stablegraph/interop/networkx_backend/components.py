"""Components in NetworkX's order: connected ones by their first nodes, strong ones without arcs to later ones."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..._core.runtime.primitives import sort_by_key
from ...components import tarjan
from ...components.api import connected_components as label_components
from ...components.api import strongly_connected_components as label_strong_components
from ...traversal.api import reachable
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


def is_connected(G: BackendGraph) -> bool:
    """Return whether there is exactly one component; raise an error if the graph has no nodes."""
    _refuse_null_graph(G)
    return number_connected_components(G) == 1


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
    completed = len(G) - tarjan.components(G.graph)
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
