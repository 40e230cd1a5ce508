"""Independent sets, dominating sets, matchings, colorings, cores and communities, and checks of them.

Maximal independent sets are dominating. A coloring divides the nodes into independent sets; a graph is bipartite if two
are enough.

Communities are not those of NetworkX for the same seed. Since NetworkX 3.7, Leiden's functions take a metric, and by
default they optimize the constant Potts model instead of modularity; and the modularity of a graph without edges is 0
instead of an error. This backend follows the installed version.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.community.quality import NotAPartition

from ..._core.option_names import Priority
from ..._core.texts import short_repr
from ...coloring.api import vertex_coloring
from ...coloring.degeneracy import core_numbers
from ...community import api as community
from ...graph import Graph
from ...independent_set import api as independent_set
from ...independent_set.near_maximum import large_independent_set
from ...matching.api import matched_pairs
from ...matching.api import maximal_matching as native_matching
from ...traversal.api import is_bipartite as native_is_bipartite
from .connectivity import groups
from .graph import BackendGraph

_BEFORE_3_7 = nx.__version__.startswith(("3.5", "3.6"))
_KIND: Any = list if _BEFORE_3_7 else set  # of maximal independent sets


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
    mask = independent_set.maximal_independent_set(graph, priority=priority, seed=drawn_seed(seed), include=numbers)
    return _KIND(first_nodes + G.names(np.flatnonzero(mask & ~chosen)))  # type: ignore[no-any-return]


def dominating_set(G: BackendGraph, start_with: Hashable | None = None) -> set[Any]:
    """Find a maximal independent set, which is dominating; high degrees come first, so that it is small."""
    if start_with is None:
        start_with = nx.utils.arbitrary_element(G.nodes)
    if start_with not in G:
        raise nx.NetworkXError(f"node {start_with} is not in G")
    start = [G.numbers[start_with]]
    mask = independent_set.maximal_independent_set(G.graph, priority="high_degree", include=start)
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
    return set(G.names(np.flatnonzero(large_independent_set(G.graph))))


def maximal_matching(G: BackendGraph) -> set[tuple[Any, Any]]:
    """Find a maximal matching; edges have the orientation of ``G.edges``."""
    u, v = matched_pairs(native_matching(G.graph)).T
    return set(zip(G.names(u), G.names(v), strict=True))


def is_bipartite(G: BackendGraph) -> bool:
    """Return whether the graph has neither loops nor other odd cycles."""
    return not G.graph.has_loops and native_is_bipartite(G.graph)


def _core_numbers(G: BackendGraph) -> dict[Any, int]:
    """Return the core number of each node; raise NetworkX's error for a graph with loops."""
    if G.graph.has_loops:
        raise nx.NetworkXNotImplemented("core numbers are defined for graphs without loops")
    return dict(zip(G.nodes, core_numbers(G.graph).tolist(), strict=True))


core_number = _core_numbers


def k_core(G: BackendGraph, k: int | None = None, core_number: Mapping[Any, int] | None = None) -> Any:
    """Return the k-core as a NetworkX graph with all attributes; without `k` that of the largest number."""
    numbers = _core_numbers(G) if core_number is None else core_number
    least = max(numbers.values()) if k is None else k
    return G.to_networkx().subgraph([name for name, number in numbers.items() if number >= least]).copy()


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


_METRIC = "modularity" if _BEFORE_3_7 else "cpm"


def weighted(G: BackendGraph, weight: Any) -> Graph:
    """Return the graph with the weights of an attribute, which must be finite and not negative."""
    values = np.ascontiguousarray(G.values(weight))
    if values.size and not (np.isfinite(values).all() and (values >= 0).all()):
        raise NotImplementedError("a weight is negative, infinite or NaN")
    return G.graph._replace(weights=values)


def _partitions(
    G: BackendGraph, weight: Any, resolution: float, seed: Any, **options: Any
) -> tuple[Graph, list[np.ndarray]]:
    """Return the graph with weights, and the labels of all levels."""
    graph = weighted(G, weight)
    drawn = nx.utils.create_py_random_state(seed).getrandbits(31)
    return graph, community.communities(graph, resolution=resolution, seed=drawn, return_info=True, **options)[2][
        "levels"
    ]


def _sets(G: BackendGraph, labels: np.ndarray) -> list[set[Any]]:
    """Return the communities as sets of nodes."""
    return list(groups(G, labels, int(labels.max(initial=-1)) + 1))


def louvain_partitions(
    G: BackendGraph, weight: Any = "weight", resolution: float = 1, threshold: float = 1e-07, seed: Any = None
) -> Iterator[list[set[Any]]]:
    """Yield the communities of each level, until the modularity rises by at most `threshold`."""
    graph, levels = _partitions(G, weight, resolution, seed, algorithm="louvain", iterations=1)
    before = None
    for labels in levels:
        value = community.modularity(graph, labels, resolution=resolution)
        if before is not None and value - before <= threshold:
            return
        before = value
        yield _sets(G, labels)


def louvain_communities(
    G: BackendGraph,
    weight: Any = "weight",
    resolution: float = 1,
    threshold: float = 1e-07,
    max_level: int | None = None,
    seed: Any = None,
) -> list[set[Any]]:
    """Return the communities of the last level, or of level `max_level`."""
    return _last(louvain_partitions(G, weight, resolution, threshold, seed), max_level)


def leiden_partitions(
    G: BackendGraph,
    weight: Any = "weight",
    resolution: float = 1,
    seed: Any = None,
    *,
    metric: str = _METRIC,
    theta: float = 0.01,
) -> Iterator[list[set[Any]]]:
    """Yield the well-connected parts of each level, each inside those of the next, and at last the communities.

    NetworkX's `theta` has no effect: the degree of randomness in refinement is constant.
    """
    if metric not in ("cpm", "modularity"):
        raise nx.NetworkXError(f"metric must be 'cpm' or 'modularity', got {short_repr(metric)}")
    for labels in _partitions(G, weight, resolution, seed, objective=metric)[1]:
        yield _sets(G, labels)


def leiden_communities(
    G: BackendGraph,
    weight: Any = "weight",
    resolution: float = 1,
    max_level: int | None = None,
    seed: Any = None,
    *,
    metric: str = _METRIC,
    theta: float = 0.01,
) -> list[set[Any]]:
    """Return the communities of the last level, or the parts of level `max_level`."""
    return _last(leiden_partitions(G, weight, resolution, seed, metric=metric, theta=theta), max_level)


def _last(partitions: Iterable[list[set[Any]]], max_level: int | None) -> list[set[Any]]:
    """Return the last of the first partitions."""
    if max_level is not None and max_level <= 0:
        raise ValueError("max_level argument must be a positive integer or None")
    last: list[set[Any]] = []
    for last in islice(partitions, max_level):  # noqa: B007 - the last one is returned
        pass
    return last


def modularity(
    G: BackendGraph, communities: Iterable[Collection[Any]], weight: Any = "weight", resolution: float = 1
) -> float:
    """Return the modularity of a partition, within 1e-12 (times the resolution, if that is above 1)."""
    parts = list(communities)
    labels = np.full(len(G), -1)
    listed = 0
    for label, part in enumerate(parts):
        vertices = [G.numbers[node] for node in part if node in G]
        listed += len(part)
        labels[vertices] = label
    if listed != len(G) or (labels < 0).any():
        raise NotAPartition(G, parts)
    graph = weighted(G, weight)
    if _BEFORE_3_7 and not graph.weights.any():
        raise ZeroDivisionError("division by zero")
    return community.modularity(graph, labels, resolution=resolution)
