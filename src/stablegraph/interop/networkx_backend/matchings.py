"""Maximal matchings, and the test whether a graph is bipartite."""

from __future__ import annotations

from typing import Any

from ...matching.api import matched_pairs
from ...matching.api import maximal_matching as native_matching
from ...traversal.api import is_bipartite as native_is_bipartite
from .graph import BackendGraph


def maximal_matching(G: BackendGraph) -> set[tuple[Any, Any]]:
    """Find a maximal matching; edges have the orientation of ``G.edges``."""
    u, v = matched_pairs(native_matching(G.graph)).T
    return set(zip(G.names(u), G.names(v), strict=True))


def is_bipartite(G: BackendGraph) -> bool:
    """Return whether the graph has neither loops nor other odd cycles."""
    return not G.graph.has_loops and native_is_bipartite(G.graph)
