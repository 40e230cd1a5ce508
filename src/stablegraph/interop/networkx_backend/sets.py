"""Independent sets, dominating sets, matchings and colorings, and checks of dominating sets and colorings.

Maximal independent sets are dominating. A coloring divides the nodes into independent sets; a graph is bipartite if two
are enough.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import networkx as nx
import numpy as np

from ..._core.option_names import Priority
from ...coloring.api import vertex_coloring
from ...independent_set import api as native
from ...matching.api import matched_pairs
from ...matching.api import maximal_matching as native_matching
from ...traversal.api import is_bipartite as native_is_bipartite
from .graph import BackendGraph

# NetworkX 3.7 changed the type of maximal independent sets from list to set.
_KIND: Any = list if nx.__version__.startswith(("3.5", "3.6")) else set


def drawn_seed(random: Any) -> int:
    """Draw a seed from one of the generators into which NetworkX converts its argument `seed`."""
    return int(random.randint(0, 2**31 - 1))


def maximal_independent_set(
    G: BackendGraph, nodes: Iterable[Hashable] | None = None, seed: Any = None, *, priority: Priority = "random"
) -> list[Any] | set[Any]:
    """Find a greedy set in a random order, with the same distribution as in NetworkX; `nodes` come first."""
    first_nodes = list(dict.fromkeys(nodes)) if nodes else []
    if not len(G):
        raise IndexError("Cannot choose from an empty sequence")
    if any(name not in G for name in first_nodes):
        raise nx.NetworkXUnfeasible(f"{set(first_nodes)} is not a subset of the nodes of G")
    graph = G.graph
    numbers = np.array([G.numbers[name] for name in first_nodes], np.int64)
    chosen = np.zeros(len(G), bool)
    chosen[numbers] = True
    if any(chosen[graph.indices[graph.indptr[v] : graph.indptr[v + 1]]].any() for v in numbers):
        raise nx.NetworkXUnfeasible(f"{set(first_nodes)} is not an independent set of G")
    mask = native.maximal_independent_set(graph, priority=priority, seed=drawn_seed(seed), include=numbers)
    return _KIND(first_nodes + G.names(np.flatnonzero(mask & ~chosen)))  # type: ignore[no-any-return]


def dominating_set(G: BackendGraph, start_with: Hashable | None = None) -> set[Any]:
    """Find a maximal independent set, which is dominating; high degrees come first, so that it is small."""
    if start_with is None:
        start_with = nx.utils.arbitrary_element(G.nodes)
    if start_with not in G:
        raise nx.NetworkXError(f"node {start_with} is not in G")
    start = [G.numbers[start_with]]
    mask = native.maximal_independent_set(G.graph, priority="high_degree", include=start)
    return set(G.names(np.flatnonzero(mask)))


def is_dominating_set(G: BackendGraph, nbunch: Iterable[Hashable]) -> bool:
    """Return whether each node is in the given set, or is the end of an edge from a node in it."""
    is_chosen = np.zeros(len(G), bool)
    is_chosen[[G.numbers[name] for name in set(nbunch) if name in G]] = True
    reached = is_chosen.copy()
    reached[G.graph.indices[is_chosen[G.graph._rows()]]] = True
    return bool(reached.all())


def maximum_independent_set(G: BackendGraph) -> set[Any]:
    """Find a near-maximum independent set."""
    return set(G.names(np.flatnonzero(native.large_independent_set(G.graph))))


def maximal_matching(G: BackendGraph) -> set[tuple[Any, Any]]:
    """Find a maximal matching; edges have the orientation of ``G.edges``."""
    u, v = matched_pairs(native_matching(G.graph)).T
    return set(zip(G.names(u), G.names(v), strict=True))


def is_bipartite(G: BackendGraph) -> bool:
    """Return whether the graph has neither loops nor other odd cycles."""
    return not G.graph.has_loops and native_is_bipartite(G.graph)


# NetworkX's names of the supported orders, and the names in this package.
STRATEGIES = {
    "largest_first": "largest_first",
    "smallest_last": "smallest_last",
    "random_sequential": "random",
    "saturation_largest_first": "saturation",
    "DSATUR": "saturation",
}


def greedy_color(G: BackendGraph, strategy: str = "largest_first", interchange: bool = False) -> dict[Any, int]:
    """Color the nodes by first fit: "largest_first" as NetworkX does, other orders with exchanges that save colors."""
    order: Any = STRATEGIES[strategy]
    if order == "largest_first" and G.graph.has_loops:
        rows = G.graph._rows()
        order = G.graph.degrees.astype(np.int64)
        order[rows[rows == G.graph.indices]] += 2  # NetworkX counts a loop twice
    colors = vertex_coloring(
        G.graph,
        order=order,
        reduce="none" if strategy == "largest_first" else "quick",
        seed=random.getrandbits(31) if strategy == "random_sequential" else 0,
    )
    return dict(zip(G.nodes, colors.tolist(), strict=True))


def is_coloring(G: BackendGraph, coloring: Mapping[Any, Any]) -> bool:
    """Return whether the ends of each edge have different colors; all colors must be integers."""
    colors = [coloring.get(name) for name in G.nodes]
    if not all(isinstance(color, int) for color in colors):
        raise NotImplementedError("a node has a color that is no integer, or none")
    of_node = np.asarray(colors if colors else np.empty(0, np.int64))
    return bool((of_node[G.graph._rows()] != of_node[G.graph.indices]).all())
