"""Connected and weakly connected components, in the order of their first nodes, as in NetworkX."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from ..._core.runtime.primitives import sort_by_key
from ...components import api as native
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
    count, labels = native.connected_components(G.graph)
    yield from groups(G, labels, count)


def number_connected_components(G: BackendGraph) -> int:
    """Return the number of connected components."""
    return native.connected_components(G.graph)[0]


def is_connected(G: BackendGraph) -> bool:
    """Return whether there is exactly one component; raise an error if the graph has no nodes."""
    refuse_null_graph(G)
    return number_connected_components(G) == 1


def refuse_null_graph(G: BackendGraph) -> None:
    """Raise NetworkX's error for a graph without nodes."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


def node_connected_component(G: BackendGraph, n: Hashable) -> set[Any]:
    """Return the component of one node."""
    return set(G.names(np.flatnonzero(reachable(G.graph, G.numbers[n]))))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected
