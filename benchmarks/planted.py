"""Random graphs with known groups, and a graph of nearest neighbors: for the study of communities."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial import KDTree

import stablegraph as sg


@cache
def planted(mixing: float, n: int = 30_000, seed: int = 0) -> tuple[sg.Graph, Any]:
    """Return a planted partition and its groups; `mixing` is the share of the ends of edges that lead out of a group.

    Degrees and sizes of groups have power laws.
    """
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    while sum(sizes) < n:
        sizes.append(int(min(400, 20 / (1 - rng.random()))))
    group = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)[:n])
    degree = np.minimum(200, 6.6 * (1 - rng.random(n)) ** (-1 / 1.6)).astype(int) + 1
    return _joined(rng, group, degree, mixing), group


@cache
def equal_groups(mixing: float, n: int = 10_000, seed: int = 0) -> tuple[sg.Graph, Any]:
    """Return a planted partition into groups of 100 vertices with 16 edges each, and the groups."""
    rng = np.random.default_rng(seed)
    group = rng.permutation(np.arange(n) // 100)
    return _joined(rng, group, np.full(n, 16), mixing), group


def _joined(rng: np.random.Generator, group: Any, degree: Any, mixing: float) -> sg.Graph:
    """Join the ends of edges at random, inside groups and between all vertices."""
    n = group.size
    inner = rng.binomial(degree, 1 - mixing)
    ends = np.repeat(np.arange(n), inner)
    ends = ends[np.lexsort((rng.random(ends.size), group[ends]))]
    u, v = ends[:-1:2], ends[1::2]
    same = group[u] == group[v]
    outer = rng.permutation(np.repeat(np.arange(n), degree - inner))
    half = outer.size // 2
    u, v = np.concatenate([u[same], outer[:half]]), np.concatenate([v[same], outer[half : 2 * half]])
    return sg.from_edges(u, v, n=n, symmetrize=True, drop_loops=True)


@cache
def neighbors(n: int = 100_000) -> sg.Graph:
    """Return a graph of 15 nearest neighbors with float weights, of points around 40 centers in 5 dimensions."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 5))[rng.integers(40, size=n)] * 2 + rng.normal(size=(n, 5))
    distances, indices = KDTree(points).query(points, 16)
    weights = np.exp(-distances[:, 1:] / distances[:, -1:])
    ends = np.repeat(np.arange(n), 15), indices[:, 1:].ravel()
    matrix = sp.csr_array((weights.ravel(), ends), shape=(n, n))
    return sg.as_graph(matrix, symmetrize="max")
