"""Independent sets, the dominating sets that maximal ones are, and whether a set is dominating."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import networkx as nx
import numpy as np

from ... import independent_set as native
from ...names import Priority
from .graph import BackendGraph

# NetworkX's maximal independent sets were lists, until version 3.7 made them sets.
_KIND: Any = list if nx.__version__.startswith(("3.5", "3.6")) else set


def drawn_seed(random: Any) -> int:
    """A seed from one of the generators that NetworkX makes of its argument `seed`."""
    return int(random.randint(0, 2**31 - 1))


def maximal_independent_set(
    G: BackendGraph, nodes: Iterable[Hashable] | None = None, seed: Any = None, *, priority: Priority = "random"
) -> list[Any] | set[Any]:
    """A greedy set in a random order, which has the distribution of NetworkX's; `nodes` come first."""
    given = list(dict.fromkeys(nodes)) if nodes else []
    if not len(G):
        raise IndexError("Cannot choose from an empty sequence")
    if any(name not in G for name in given):
        raise nx.NetworkXUnfeasible(f"{set(given)} is not a subset of the nodes of G")
    graph = G.graph
    numbers = np.array([G.numbers[name] for name in given], np.int64)
    chosen = np.zeros(len(G), bool)
    chosen[numbers] = True
    if any(chosen[graph.indices[graph.indptr[v] : graph.indptr[v + 1]]].any() for v in numbers):
        raise nx.NetworkXUnfeasible(f"{set(given)} is not an independent set of G")
    mask = native.maximal_independent_set(graph, priority=priority, seed=drawn_seed(seed), include=numbers)
    return _KIND(given + G.names(np.flatnonzero(mask & ~chosen)))  # type: ignore[no-any-return]


def dominating_set(G: BackendGraph, start_with: Hashable | None = None) -> set[Any]:
    """A maximal independent set, many neighbors first: each other node has a neighbor in it, and it is small."""
    if start_with is None:
        start_with = nx.utils.arbitrary_element(G.nodes)
    if start_with not in G:
        raise nx.NetworkXError(f"node {start_with} is not in G")
    start = [G.numbers[start_with]]
    mask = native.maximal_independent_set(G.graph, priority="high_degree", include=start)
    return set(G.names(np.flatnonzero(mask)))


def is_dominating_set(G: BackendGraph, nbunch: Iterable[Hashable]) -> bool:
    """Whether each node is among the given ones, or at the end of an edge from one of them."""
    given = np.zeros(len(G), bool)
    given[[G.numbers[name] for name in set(nbunch) if name in G]] = True
    reached = given.copy()
    reached[G.graph.indices[given[G.graph._rows()]]] = True
    return bool(reached.all())


def maximum_independent_set(G: BackendGraph) -> set[Any]:
    """A near-maximum set."""
    return set(G.names(np.flatnonzero(native.large_independent_set(G.graph))))
