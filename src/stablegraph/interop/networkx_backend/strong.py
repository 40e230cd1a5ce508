"""Strongly connected components, in the order in which NetworkX completes them: none has an arc to a later one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ...components import api as native
from ...components import tarjan
from .components import groups, refuse_null_graph
from .graph import BackendGraph


def _numbered(G: BackendGraph) -> tuple[int, Any]:
    """Return the number of components, and the number of each node's component in the order of completion.

    NetworkX searches nodes and neighbors in their order. So does `tarjan`, which numbers components from n downward.
    """
    completed = len(G) - tarjan.components(G.graph)
    return int(completed.max(initial=-1)) + 1, completed


def strongly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """Yield the strongly connected components as sets of nodes."""
    count, labels = _numbered(G)
    yield from groups(G, labels, count)


def number_strongly_connected_components(G: BackendGraph) -> int:
    """Return the number of strongly connected components."""
    return native.strongly_connected_components(G.graph)[0]


def is_strongly_connected(G: BackendGraph) -> bool:
    """Return whether there is exactly one component; raise an error if the graph has no nodes."""
    refuse_null_graph(G)
    return number_strongly_connected_components(G) == 1


def condensation(G: BackendGraph, scc: None = None) -> Any:
    """Return the graph of the strong components, with the nodes of each in its attribute "members"."""
    count, labels = _numbered(G)
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
