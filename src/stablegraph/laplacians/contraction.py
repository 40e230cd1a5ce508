"""Weakly joined parts of a graph: checks of small eigenvalues without cancellation, and the division into parts.

Result: a division of the vertices into parts, so that the graph inside the parts (the *inner* one) and the graph of the
parts (the *outer* one, with sums of weights) together have the eigenpairs and resistances of the graph.

Rule: the strength of an edge is w_uv / min(B_u, B_v). The parts are connected by the stronger
edges of a maximum spanning forest, those above the largest ratio of successive strengths in it. With the largest sum d
of the strengths from a vertex to other parts, and the smallest positive eigenvalue s of the inner graph,

    relative error <= 2 d / s

for each eigenvalue and resistance. In the code: `divide`, and `Division.error`.

Idea: L is the sum of the Laplacians of the inner and of the remaining edges. The first one is at least s on vectors
that are orthogonal to the constants of each part, the second one at most 2 d.

A vector of floats cannot be closer to an eigenvector than rounding allows. The entries of strongly joined vertices
differ by at most the current through their edge, divided by its weight. If this is below rounding errors, `levelled`
sets them equal, because the Rayleigh quotient of the rounding errors would exceed the eigenvalue.

Cost: a spanning forest, and a few edge sweeps. Work memory: about four times that of the Laplacian.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from .._core.runtime import Array
from ..components.api import connected_components
from ..conversion import as_graph
from ..forest.api import minimum_spanning_forest
from .block_vectors import Block
from .laplacian import Laplacian, of_weights

_MIN_RATIO = 1e4  # of strengths, for a division


class Division(NamedTuple):
    """Two Laplacians that together have the eigenpairs of a Laplacian, and the part of each vertex."""

    inner: Laplacian
    outer: Laplacian
    labels: Array
    outer_B: Array
    largest_sum: float  # of strengths of the edges from one vertex to other parts

    def error(self, smallest: float) -> float:
        """Return the relative error for the smallest eigenvalue of the inner graph."""
        return float(2 * self.largest_sum / smallest) if smallest > 0 else np.inf


def divide(laplacian: Laplacian, B: Any) -> Division | None:
    """Divide a graph into parts at the largest ratio of strengths; return None if all ratios are small."""
    n = B.size
    u, v, weights = laplacian.edges()
    strengths = weights / np.minimum(B[u], B[v])
    if not weights.size or strengths.min() * _MIN_RATIO > strengths.max():
        return None
    forest = minimum_spanning_forest(as_graph(_both_ways(u, v, strengths, n)), maximum=True).tocoo()
    order = np.sort(forest.data)
    place = int((order[1:] / order[:-1]).argmax()) if order.size > 1 else 0
    if order.size < 2 or order[place + 1] < _MIN_RATIO * order[place]:
        return None
    strong = forest.data > order[place]
    ends = forest.coords[0][strong], forest.coords[1][strong]
    count, labels = connected_components(as_graph(_both_ways(*ends, np.ones(ends[0].size), n)))
    inside = labels[u] == labels[v]
    outside = ~inside
    outer_B = np.bincount(labels, B, count)
    sums = np.bincount(np.r_[u[outside], v[outside]], np.r_[weights[outside], weights[outside]], n)
    outer = _both_ways(labels[u[outside]], labels[v[outside]], weights[outside], count)
    if not (np.isfinite(outer_B).all() and np.isfinite(outer.sum(axis=1)).all()):
        return None
    inner = _both_ways(u[inside], v[inside], weights[inside], n)
    return Division(of_weights(inner), of_weights(outer), labels, outer_B, float((sums / B).max()))


def _both_ways(u: Any, v: Any, weights: Any, n: int) -> Any:
    """Return the symmetric csr_array of edges; repeated ones are added."""
    upper = sp.csr_array(sp.coo_array((weights, (np.minimum(u, v), np.maximum(u, v))), shape=(n, n)))
    W = sp.csr_array(upper + upper.T)
    W.sort_indices()
    return W


def quotients(laplacian: Laplacian, B: Any, X: Block) -> Any:
    """Return the Rayleigh quotients of vectors, as sums of squares over the edges."""
    u, v, weights = laplacian.edges()
    roots = np.sqrt(weights)
    return np.array([((roots * (x[u] - x[v])) ** 2).sum() / (B * x * x).sum() for x in X.T])


def residual_norms(laplacian: Laplacian, B: Any, values: Any, X: Block) -> Any:
    """Return the norms of L x - lambda B x in the norm of the inverse of B, without the diagonal of L."""
    u, v, weights = laplacian.edges()
    norms = np.empty(values.size)
    for j, x in enumerate(X.T):
        flows = weights * (x[u] - x[v])
        r = np.bincount(u, flows, B.size) - np.bincount(v, flows, B.size) - values[j] * B * x
        norms[j] = np.sqrt((r * r / B).sum())
    return norms


def levelled(laplacian: Laplacian, B: Any, value: float, x: Any, noise: Any) -> Any:
    """Return an eigenvector with equal entries at vertices whose difference is below rounding errors (`noise`)."""
    u, v, weights = laplacian.edges()
    current = value * (B * np.abs(x)).sum() / 2
    same = weights * np.maximum(noise[u], noise[v]) > current
    if not same.any():
        return x
    count, labels = connected_components(as_graph(_both_ways(u[same], v[same], weights[same], B.size)))
    return (np.bincount(labels, B * x, count) / np.bincount(labels, B, count))[labels]
