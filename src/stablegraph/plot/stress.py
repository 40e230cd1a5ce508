"""Stress minimization: rounds that reduce the difference between distances on paper and in the graph.

Every vertex is moved towards its graph distance from its neighbors, from some vertices two steps away, and from a few
near and far pivots, which represent all other vertices (sparse stress). A round moves each vertex to the weighted mean
of the positions that these distances demand, computed from the positions before the round. All vertices move at once,
so nothing depends on the schedule, and sums have a fixed order.

Cost of a round: 2 to 3 nanoseconds per pull on one thread. There are at most three pulls per entry of the graph, and
one per vertex and pivot. Work memory: 36 bytes per entry, and 8 per vertex and pivot.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .._core.runtime import Float32s, Float32Table, Float64Table, Int32s, Int64s, kernel
from ..graph import Graph
from ..traversal.api import breadth_first_search

Positions = npt.NDArray[np.float64]

_TINY = 1e-9  # minimum length, to avoid a division by zero


class Pulls(NamedTuple):
    """Pairs of vertices with a desired distance, in CSR form."""

    indptr: Int64s  # (n + 1,)
    other: Int32s  # the other vertex
    length: Float32s  # the desired distance
    weight: Float32s  # the weight of the pull


class Pivots(NamedTuple):
    """A few vertices with desired distances to all other vertices."""

    vertices: Int32s  # (p,)
    length: Float32Table  # (n, p)
    weight: Float32Table  # (n, p), 0 for neighbors, which are among the pulls


@kernel(by="edges")
def _move(v, pulls: Pulls, pivots: Pivots, before: Float64Table, after: Float64Table):
    """Move v to the weighted mean of the positions that its pulls and pivots demand."""
    x, y = before[v, 0], before[v, 1]
    to_x, to_y, total = 0.0, 0.0, 0.0
    for e in range(pulls.indptr[v], pulls.indptr[v + 1]):
        u, weight = pulls.other[e], pulls.weight[e]
        away_x, away_y = x - before[u, 0], y - before[u, 1]
        stretch = pulls.length[e] / max(sqrt(away_x * away_x + away_y * away_y), _TINY)
        to_x += weight * (before[u, 0] + stretch * away_x)
        to_y += weight * (before[u, 1] + stretch * away_y)
        total += weight
    for p in range(pivots.vertices.size):
        u, weight = pivots.vertices[p], pivots.weight[v, p]
        away_x, away_y = x - before[u, 0], y - before[u, 1]
        stretch = pivots.length[v, p] / max(sqrt(away_x * away_x + away_y * away_y), _TINY)
        to_x += weight * (before[u, 0] + stretch * away_x)
        to_y += weight * (before[u, 1] + stretch * away_y)
        total += weight
    after[v, 0] = to_x / total
    after[v, 1] = to_y / total


def relax(pulls: Pulls, pivots: Pivots, positions: Positions, rounds: int) -> Positions:
    """Return the positions after `rounds` rounds."""
    before, after = np.ascontiguousarray(positions, np.float64), np.empty_like(positions)
    for _ in range(rounds):
        _move(len(before), pulls, pivots, before, after)
        before, after = after, before
    return before


def pulls_of(graph: Graph) -> Pulls:
    """Return the pulls of a simple, sorted graph: its edges, and pairs of consecutive vertices in a row.

    Such a pair has a common neighbor, so its distance is two if it is not an edge. These pulls spread the leaves of a
    vertex around it; all leaves have the same distances to the pivots.
    """
    n = graph.num_vertices
    rows, columns = graph._rows().astype(np.int64), graph.indices.astype(np.int64)
    repeats = np.flatnonzero(rows[1:] == rows[:-1])
    pairs = np.unique(
        np.minimum(columns[repeats], columns[repeats + 1]) * n + np.maximum(columns[repeats], columns[repeats + 1])
    )
    pairs = pairs[~np.isin(pairs, rows * n + columns, assume_unique=True)]
    low, high = np.divmod(pairs, n)
    u = np.concatenate([rows, low, high])
    order = np.argsort(u, kind="stable")
    other = np.concatenate([columns, high, low])[order].astype(np.int32)
    length = np.concatenate([np.ones(rows.size), np.full(2 * pairs.size, 2.0)])[order].astype(np.float32)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(u, minlength=n))])
    return Pulls(indptr, other, length, np.reciprocal(length**2))


def pivots_of(graph: Graph, count: int) -> Pivots:
    """Return pivots of a connected graph, each the farthest from the earlier ones; the first has maximum degree.

    The weight of a pivot for a vertex is the number of vertices in the pivot's region that are at most half as far from
    the pivot as the vertex is. A region consists of the vertices whose nearest pivot it is.
    """
    n = graph.num_vertices
    count = min(n, count)
    vertices = np.zeros(count, np.int32)
    length = np.empty((count, n), np.float32)
    nearest, region = np.full(n, np.inf, np.float32), np.zeros(n, np.int32)
    for p in range(count):
        vertices[p] = graph.degrees.argmax() if p == 0 else nearest.argmax()
        length[p] = breadth_first_search(graph, int(vertices[p]))[0]
        region[length[p] < nearest] = p
        np.minimum(nearest, length[p], out=nearest)
    weight = np.empty_like(length)
    for p in range(count):
        inner = np.sort(length[p, region == p])
        weight[p] = np.searchsorted(inner, length[p] / 2, side="right")
    weight[length <= 1] = 0
    weight /= np.maximum(length, 1) ** 2
    return Pivots(vertices, np.ascontiguousarray(length.T), np.ascontiguousarray(weight.T))


def at_scale(pulls: Pulls, pivots: Pivots, positions: Positions) -> Positions:
    """Scale the positions such that their stress is minimal."""
    rows = np.repeat(np.arange(len(positions)), np.diff(pulls.indptr))
    near = np.hypot(*(positions[rows] - positions[pulls.other]).T)
    desired, actual = (pulls.weight * pulls.length * near).sum(), (pulls.weight * near**2).sum()
    for p, pivot in enumerate(pivots.vertices):
        far = np.hypot(*(positions - positions[pivot]).T)
        desired += (pivots.weight[:, p] * pivots.length[:, p] * far).sum()
        actual += (pivots.weight[:, p] * far**2).sum()
    return positions * (desired / actual if actual > 0 else 1.0)
