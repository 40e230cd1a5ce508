"""Independent sets, dominating sets (maximal independent sets are dominating), and a check of dominating sets."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import networkx as nx
import numpy as np

from ..._core.option_names import Priority
from ...independent_set import api as native
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
