"""Strong components, in the order in which NetworkX completes them: none leads to a later one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np

from ...components import strong as native
from ...components import tarjan
from .components import groups, refuse_null_graph
from .graph import BackendGraph


def _numbered(G: BackendGraph) -> tuple[int, Any]:
    """How many there are, and the number of each node's component in the order of completion.

    NetworkX searches nodes and neighbors in their order, as `tarjan` does, which numbers components from n downward.
    """
    completed = len(G) - tarjan.components(G.graph)
    return int(completed.max(initial=-1)) + 1, completed


def strongly_connected_components(G: BackendGraph) -> Iterator[set[Any]]:
    """The sets of nodes that can all reach one another."""
    count, labels = _numbered(G)
    yield from groups(G, labels, count)


def number_strongly_connected_components(G: BackendGraph) -> int:
    """How many there are."""
    return native.strongly_connected_components(G.graph)[0]


def is_strongly_connected(G: BackendGraph) -> bool:
    """Whether there is one only; an error if there are no nodes."""
    refuse_null_graph(G)
    return number_strongly_connected_components(G) == 1


def condensation(G: BackendGraph, scc: None = None) -> Any:
    """The graph of the strong components, with the nodes of each in its attribute "members"."""
    count, labels = _numbered(G)
    result = nx.DiGraph()
    members = dict(enumerate(groups(G, labels, count)))
    result.graph["mapping"] = {name: c for c, component in members.items() for name in component}
    result.add_nodes_from((c, {"members": component}) for c, component in members.items())

    tails, heads = np.repeat(labels, np.diff(G.graph.indptr)), labels[G.graph.indices]
    between = tails != heads
    arcs = tails[between].astype(np.int64) * count + heads[between]
    arcs = arcs[np.sort(np.unique(arcs, return_index=True)[1])]  # each where it first comes up
    result.add_edges_from(zip((arcs // max(count, 1)).tolist(), (arcs % max(count, 1)).tolist(), strict=True))
    return result
