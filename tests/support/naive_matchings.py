"""Slow oracles of matchings: the greedy algorithm on a list of edges, and the optimum of small graphs."""

from __future__ import annotations

from functools import cache

import numpy as np

from .naive import hash_seed
from .remember import remember


def hash31(x):
    """Return 31 bits of a hash that maps the numbers below 2**31 one to one."""
    x &= 0x7FFFFFFF
    for _ in range(2):
        x = ((x >> 16) ^ x) * 0x45D9F3B & 0x7FFFFFFF
    return (x >> 16) ^ x


def edges_of(graph, weighted=True):
    """Return {(u, v): weight} for u < v, the heaviest of repeated edges; all weights are 1 without weights."""
    indptr, indices = graph.indptr.tolist(), graph.indices.tolist()
    weights = [1] * len(indices) if graph.weights is None or not weighted else graph.weights.tolist()
    edges = {}
    for u in range(len(indptr) - 1):
        for e in range(indptr[u], indptr[u + 1]):
            v = indices[e]
            if u < v:
                edges[u, v] = max(weights[e], edges.get((u, v), weights[e]))
    return edges


def edge_order(edge, weight, seed):
    """Return a sortable key for an edge; the smallest key comes first."""
    u, v = edge
    return -weight, -(hash31(u + hash_seed(seed)) ^ hash31(v + hash_seed(seed)))


@remember
def greedy_matching(graph, seed=0, weighted=False):
    """Return the mates found by visiting all edges of nonnegative weight in order."""
    edges = {edge: weight for edge, weight in edges_of(graph, weighted).items() if weight >= 0}
    mate = [-1] * (len(graph.indptr) - 1)
    for u, v in sorted(edges, key=lambda edge: edge_order(edge, edges[edge], seed)):
        if mate[u] < 0 and mate[v] < 0:
            mate[u], mate[v] = v, u
    return mate


def heaviest_matching(graph):
    """Return the maximum weight of a matching, by trying both decisions for every vertex."""
    edges = edges_of(graph)
    n = len(graph.indptr) - 1

    @cache
    def best(v, used):
        if v == n:
            return 0
        result = best(v + 1, used)
        if not used >> v & 1:
            for u in range(v + 1, n):
                if (v, u) in edges and not used >> u & 1:
                    result = max(result, edges[v, u] + best(v + 1, used | 1 << u))
        return result

    return best(0, 0)


def weight_of(graph, mate, weighted=True):
    """Return the sum of the weights of the matched edges."""
    edges = edges_of(graph, weighted)
    return sum(edges[u, v] for u, v in enumerate(np.asarray(mate).tolist()) if u < v)
