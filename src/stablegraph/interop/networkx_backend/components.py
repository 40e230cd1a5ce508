"""Connected components, and weak ones: in the order of their first nodes, as NetworkX yields them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import networkx as nx
import numpy as np

from ... import components as native
from ...parallel.primitives import sort_by_key
from ...traversal import reachable
from .graph import BackendGraph


def groups(G: BackendGraph, labels: Any, count: int) -> Iterator[set[Any]]:
    """The nodes with each label, from 0 on."""
    names = G.names(sort_by_key(labels))
    ends = np.cumsum(np.bincount(labels, minlength=count)).tolist()
    for start, end in zip([0, *ends], ends, strict=False):
        yield set(names[start:end])


def connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """The sets of nodes that are connected; directions do not count."""
    count, labels = native.connected_components(G.graph)
    yield from groups(G, labels, count)


def number_connected_components(G: BackendGraph) -> int:
    """How many there are."""
    return native.connected_components(G.graph)[0]


def is_connected(G: BackendGraph) -> bool:
    """Whether there is one only; an error if there are no nodes."""
    refuse_null_graph(G)
    return number_connected_components(G) == 1


def refuse_null_graph(G: BackendGraph) -> None:
    """NetworkX's error for a graph without nodes."""
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")


def node_connected_component(G: BackendGraph, n: Hashable) -> set[Any]:
    """The component of one node."""
    return set(G.names(np.flatnonzero(reachable(G.graph, G.numbers[n]))))


weakly_connected_components = connected_components
number_weakly_connected_components = number_connected_components
is_weakly_connected = is_connected
