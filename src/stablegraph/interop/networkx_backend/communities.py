"""Communities by Louvain and Leiden, and modularity. The communities are not those of NetworkX for the same seed.

Since NetworkX 3.7, Leiden's functions take a metric, and by default they optimize the constant Potts model instead of
modularity; and the modularity of a graph without edges is 0 instead of an error. This backend follows the installed
version.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any

import networkx as nx
import numpy as np
from networkx.algorithms.community.quality import NotAPartition

from ..._core.validation import short_repr
from ...community import api as native
from ...graph import Graph
from .connectivity import groups
from .graph import BackendGraph

_BEFORE_3_7 = nx.__version__.startswith(("3.5", "3.6"))
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
    return graph, native.communities(graph, resolution=resolution, seed=drawn, return_info=True, **options)[2]["levels"]


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
        value = native.modularity(graph, labels, resolution=resolution)
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
    return native.modularity(graph, labels, resolution=resolution)
